//! From text or a parsed document to a [`Json`].
//!
//! The nesting of a text is counted before it is parsed, so that no input, however deep, can
//! exhaust the stack.

use super::Json;
use crate::limits::MAX_JSON_NESTING;

/// Why a text is not a JSON value that pactdb keeps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// Not JSON; a lone surrogate escape is refused here too.
    #[error("{0}")]
    Syntax(String),
    /// A number whose value is not a finite double.
    #[error("the number {0} is too large for a double")]
    NotFinite(String),
    /// Lists and objects nest too deeply.
    #[error("lists and objects nest deeper than {MAX_JSON_NESTING} levels")]
    TooDeep,
}

/// Parses one JSON value.
pub fn parse(text: &str) -> Result<Json, JsonError> {
    check_nesting(text.as_bytes())?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let value: serde_json::Value = serde::Deserialize::deserialize(&mut deserializer)
        .map_err(|error: serde_json::Error| JsonError::Syntax(error.to_string()))?;
    deserializer.end().map_err(|error| JsonError::Syntax(error.to_string()))?;
    Json::try_from(value)
}

/// Refuses a text whose brackets nest too deeply, without parsing it.
fn check_nesting(text: &[u8]) -> Result<(), JsonError> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for &byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_JSON_NESTING {
                    return Err(JsonError::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

impl TryFrom<serde_json::Value> for Json {
    type Error = JsonError;

    fn try_from(value: serde_json::Value) -> Result<Json, JsonError> {
        Ok(match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(value) => Json::Bool(value),
            serde_json::Value::Number(number) => number_from_text(number.as_str())?,
            serde_json::Value::String(text) => Json::Str(text),
            serde_json::Value::Array(items) => {
                Json::List(items.into_iter().map(Json::try_from).collect::<Result<_, _>>()?)
            }
            serde_json::Value::Object(map) => Json::Map(
                map.into_iter()
                    .map(|(key, value)| Ok((key, Json::try_from(value)?)))
                    .collect::<Result<_, JsonError>>()?,
            ),
        })
    }
}

/// Normalises a JSON number: an integer if it is written as one, else a double.
fn number_from_text(text: &str) -> Result<Json, JsonError> {
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Json::Float(number)),
            _ => Err(JsonError::NotFinite(text.to_owned())),
        };
    }
    match text.parse::<i64>() {
        Ok(number) => Ok(Json::Int(number)),
        // JSON allows no leading zeros or plus sign, so the text is canonical already.
        Err(_) => Ok(Json::BigInt(text.into())),
    }
}
