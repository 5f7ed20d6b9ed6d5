//! Small questions to JSON objects of foreign formats, and times in their many forms.

use crate::json::Json;

/// An object.
pub(super) type Map = crate::json::Map;

/// The object that a record must be.
pub(super) fn map(what: &str, value: Json) -> Result<Map, String> {
    match value {
        Json::Map(map) => Ok(map),
        other => Err(format!("{what} must be an object, not {}", other.type_name())),
    }
}

/// A field that must be a text.
pub(super) fn text(map: &mut Map, name: &str) -> Result<String, String> {
    match map.remove(name) {
        Some(Json::Str(text)) => Ok(text),
        Some(other) => Err(format!("'{name}' must be a string, not {}", other.type_name())),
        None => Err(format!("'{name}' is missing")),
    }
}

/// A field that may be a text; null is none.
pub(super) fn optional_text(map: &mut Map, name: &str) -> Result<Option<String>, String> {
    match map.get(name) {
        None => Ok(None),
        Some(Json::Null) => {
            map.remove(name);
            Ok(None)
        }
        Some(_) => text(map, name).map(Some),
    }
}

/// A field that may be a list; null is none.
pub(super) fn optional_list(map: &mut Map, name: &str) -> Result<Option<Vec<Json>>, String> {
    match map.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::List(items)) => Ok(Some(items)),
        Some(other) => Err(format!("'{name}' must be a list, not {}", other.type_name())),
    }
}

/// The text of a field, if it is one.
pub(super) fn peek<'a>(map: &'a Map, name: &str) -> Option<&'a str> {
    map.get(name).and_then(Json::as_str)
}

/// Whether a field is true.
pub(super) fn is_true(map: &Map, name: &str) -> bool {
    map.get(name) == Some(&Json::Bool(true))
}

/// What is left of a message, without what says nothing.
pub(super) fn rest(map: Map) -> Map {
    let empty = |value: &Json| match value {
        Json::Null => true,
        Json::List(items) => items.is_empty(),
        _ => false,
    };
    map.into_iter().filter(|(_, value)| !empty(value)).collect()
}

/// The time of a record in nanoseconds since 1970, taken out of the first of these fields that is
/// there, and the value as it stood.
pub(super) fn time(map: &mut Map, names: &[&str]) -> Result<Option<(i64, Json)>, String> {
    for name in names {
        match map.remove(name) {
            None | Some(Json::Null) => {}
            Some(value) => {
                let (time, unit) = match name.strip_suffix("_ns") {
                    Some(_) => (nanoseconds(&value), "nanoseconds"),
                    None => (time_of(&value), "seconds"),
                };
                let wrong = || format!("'{name}' is no time of ours: give {unit} or ISO 8601");
                return Ok(Some((time.ok_or_else(wrong)?, value)));
            }
        }
    }
    Ok(None)
}

/// A time whose field says the unit.
fn nanoseconds(value: &Json) -> Option<i64> {
    match value {
        Json::Str(text) => iso(text),
        other => other.as_i64(),
    }
}

fn iso(text: &str) -> Option<i64> {
    let time: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(time.as_nanosecond()).ok()
}

fn time_of(value: &Json) -> Option<i64> {
    match value {
        Json::Str(text) => iso(text),
        // The unit shows in the size: seconds until the year 5138, then thousandths and so on.
        Json::Int(number) => match number.unsigned_abs() {
            0..100_000_000_000 => number.checked_mul(1_000_000_000),
            100_000_000_000..100_000_000_000_000 => number.checked_mul(1_000_000),
            100_000_000_000_000..100_000_000_000_000_000 => number.checked_mul(1_000),
            _ => Some(*number),
        },
        Json::Float(seconds) if seconds.abs() < 1e11 => {
            // Beyond microseconds a double of this size says nothing. In 64 bits there is room for
            // the years from 1677 to 2262.
            ((seconds * 1e6).round() as i64).checked_mul(1_000)
        }
        _ => None,
    }
}
