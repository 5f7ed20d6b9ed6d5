//! JSON values as pactdb keeps them, and their one canonical text.
//!
//! A [`Json`] is already normalised: an integer keeps every digit it was given, a number with a
//! fraction or an exponent is a finite double, an object's keys are sorted by code point. Two
//! values are equal exactly if their canonical texts are.
//!
//! Refused, because no such value could be kept: a lone surrogate escape (`"\ud800"` is no text),
//! a number that overflows a double (`1e400`), `NaN` and the infinities, and nesting beyond
//! [`MAX_JSON_NESTING`](crate::limits::MAX_JSON_NESTING).
//!
//! This module knows nothing of trees, nodes or storage.

mod canonical;
mod de;
mod decode_error;
mod lines;
mod map;
mod parse;
mod reply;
mod ser;

pub use canonical::{canonical, canonical_string, write_canonical, write_canonical_str};
pub use de::from_json;
pub use decode_error::{DecodeError, Fault};
pub use lines::{Line, field, raw_field, read_line};
pub use map::Map;
pub use parse::{JsonError, parse, parse_document};
pub use reply::{is_unseen, laid_out, line, pretty};
pub use ser::{EncodeError, to_json};

use serde::de::{MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A normalised JSON value.
#[derive(Debug, Clone)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer beyond 64 bits: an optional minus sign and digits without leading zeros.
    BigInt(Box<str>),
    /// A finite double.
    Float(f64),
    /// A string.
    Str(String),
    /// An array.
    List(Vec<Json>),
    /// An object; its keys are in code point order.
    Map(Map),
}

impl Json {
    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Str(text) => Some(text),
            _ => None,
        }
    }

    /// What a pattern is looked for in: a string's own text, else the canonical one.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Json::Str(text) => Cow::Borrowed(text),
            other => Cow::Owned(canonical_string(other)),
        }
    }

    /// The number, if this is an integer of at most 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Json::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// How deep lists and objects nest: 0 for a scalar.
    pub fn nesting(&self) -> usize {
        match self {
            Json::List(items) => 1 + items.iter().map(Json::nesting).max().unwrap_or(0),
            Json::Map(map) => 1 + map.values().map(Json::nesting).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value as serde's errors name it.
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Json::Null => Unexpected::Unit,
            Json::Bool(value) => Unexpected::Bool(*value),
            Json::Int(number) => Unexpected::Signed(*number),
            Json::BigInt(_) => Unexpected::Unsigned(u64::MAX),
            Json::Float(number) => Unexpected::Float(*number),
            Json::Str(text) => Unexpected::Str(text),
            Json::List(_) => Unexpected::Seq,
            Json::Map(_) => Unexpected::Map,
        }
    }

    /// What the value is called in an error message.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Int(_) | Json::BigInt(_) => "an integer",
            Json::Float(_) => "a decimal number",
            Json::Str(_) => "a string",
            Json::List(_) => "a list",
            Json::Map(_) => "an object",
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(a), Json::Bool(b)) => a == b,
            (Json::Int(a), Json::Int(b)) => a == b,
            (Json::BigInt(a), Json::BigInt(b)) => a == b,
            // By bits, because 0.0 and -0.0 have different canonical texts.
            (Json::Float(a), Json::Float(b)) => a.to_bits() == b.to_bits(),
            (Json::Str(a), Json::Str(b)) => a == b,
            (Json::List(a), Json::List(b)) => a == b,
            (Json::Map(a), Json::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Json {}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Str(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Str(text)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Int(number)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

/// From [`from_json`] no digit is lost. Other deserializers give what they have: `serde_json` reads
/// an integer beyond 64 bits as a double, so texts are for [`parse`].
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(ser::integer(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Json, E> {
        match number.is_finite() {
            true => Ok(Json::Float(number)),
            false => Err(E::custom(format!("JSON has no number {number}"))),
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::from(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Str(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            list.push(entry);
        }
        Ok(Json::Map(Map::collected(list)))
    }

    /// The digits of an integer beyond 64 bits.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, digits: D) -> Result<Json, D::Error> {
        parse(&String::deserialize(digits)?).map_err(serde::de::Error::custom)
    }
}

/// [`to_json`] and [`line()`] keep every digit. Other serializers of JSON get an integer beyond 64
/// bits as a `RawValue` of `serde_json`.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Int(number) => serializer.serialize_i64(*number),
            Json::BigInt(digits) => match digits.parse::<u64>() {
                Ok(number) => serializer.serialize_u64(number),
                Err(_) => RawValue::from_string(digits.to_string())
                    .map_err(serde::ser::Error::custom)?
                    .serialize(serializer),
            },
            Json::Float(number) => serializer.serialize_f64(*number),
            Json::Str(text) => serializer.serialize_str(text),
            Json::List(items) => serializer.collect_seq(items),
            Json::Map(map) => serializer.collect_map(map),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Any JSON value." })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Map {
    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}
