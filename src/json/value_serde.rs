//! JSON values for serde, in both directions, and for schemas.

use super::parse::parse;
use super::value::{Json, Map};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;

/// From [`from_json`](super::from_json) no digit is lost. Other deserializers give what they have: `serde_json` reads
/// an integer beyond 64 bits as a double, so texts are for [`parse`](super::parse).
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
        Ok(Json::from(i128::from(number)))
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

/// [`to_json`](super::to_json) and [`line()`](super::line()) keep every digit. Other serializers of JSON get an integer beyond 64
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

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map, D::Error> {
        use serde::de::Error;
        match Json::deserialize(deserializer)? {
            Json::Map(map) => Ok(map),
            other => Err(D::Error::invalid_type(other.unexpected(), &"an object")),
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
