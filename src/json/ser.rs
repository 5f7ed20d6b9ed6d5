//! From any serializable type to a [`Json`], without losing a digit.
//!
//! Integers of any size arrive as `serde_json::value::RawValue`s, which is how [`Json`] serializes
//! them: JSON writers print these as they are, and this serializer parses them again.

use super::{Json, Map, parse};
use serde::Serialize;
use serde::ser;

/// The struct name, and the name of its only field, by which a `RawValue` shows itself.
const RAW: &str = "$serde_json::private::RawValue";

/// The JSON value of anything that can be serialized.
///
/// Fails for what JSON does not have: a key that is no text, and numbers that are not finite.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<Json, EncodeError> {
    value.serialize(ToJson)
}

/// Why something cannot be a [`Json`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EncodeError(String);

impl ser::Error for EncodeError {
    fn custom<T: std::fmt::Display>(message: T) -> EncodeError {
        EncodeError(message.to_string())
    }
}

/// Serializers of integers that an `i128` holds.
type Encoded<T = Json> = Result<T, EncodeError>;

macro_rules! integers {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(self, value: $type) -> Encoded {
            Ok(Json::from(i128::from(value)))
        })*
    };
}

struct ToJson;

impl ser::Serializer for ToJson {
    type Ok = Json;
    type Error = EncodeError;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Object;
    type SerializeStruct = Object;
    type SerializeStructVariant = Object;

    fn serialize_bool(self, value: bool) -> Encoded {
        Ok(Json::Bool(value))
    }

    integers! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
    }

    fn serialize_u128(self, value: u128) -> Encoded {
        match i64::try_from(value) {
            Ok(number) => Ok(Json::Int(number)),
            Err(_) => Ok(Json::BigInt(value.to_string().into())),
        }
    }

    fn serialize_f32(self, value: f32) -> Encoded {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Encoded {
        match value.is_finite() {
            true => Ok(Json::Float(value)),
            false => Err(ser::Error::custom(format!("JSON has no number {value}"))),
        }
    }

    fn serialize_char(self, value: char) -> Encoded {
        Ok(Json::Str(value.into()))
    }

    fn serialize_str(self, value: &str) -> Encoded {
        Ok(Json::from(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Encoded {
        Ok(Json::List(value.iter().map(|byte| Json::Int((*byte).into())).collect()))
    }

    fn serialize_none(self) -> Encoded {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Encoded {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Encoded {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Encoded {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Encoded {
        Ok(Json::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Encoded {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Encoded {
        Ok(tagged(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Encoded<List> {
        Ok(List { tag: None, items: Vec::with_capacity(len.unwrap_or(0)) })
    }

    fn serialize_tuple(self, len: usize) -> Encoded<List> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Encoded<List> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Encoded<List> {
        Ok(List { tag: Some(variant), items: Vec::with_capacity(len) })
    }

    fn serialize_map(self, _: Option<usize>) -> Encoded<Object> {
        Ok(Object::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Encoded<Object> {
        Ok(Object::default())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Encoded<Object> {
        Ok(Object { tag: Some(variant), ..Object::default() })
    }
}

/// The value of a variant: an object with its name, unless it has none.
fn tagged(tag: Option<&'static str>, value: Json) -> Json {
    match tag {
        Some(tag) => Json::Map(Map::from([(tag.to_owned(), value)])),
        None => value,
    }
}

/// A list in the making.
struct List {
    tag: Option<&'static str>,
    items: Vec<Json>,
}

impl List {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
        self.items.push(value.serialize(ToJson)?);
        Ok(())
    }

    fn finish(self) -> Encoded {
        Ok(tagged(self.tag, Json::List(self.items)))
    }
}

/// Lists of every sort are made alike.
macro_rules! list {
    ($($part:ident $add:ident),*) => {$(
        impl ser::$part for List {
            type Ok = Json;
            type Error = EncodeError;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
                self.push(value)
            }

            fn end(self) -> Encoded {
                self.finish()
            }
        }
    )*};
}

list!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// An object in the making.
#[derive(Default)]
struct Object {
    tag: Option<&'static str>,
    entries: Vec<(String, Json)>,
    key: String,
}

impl Object {
    fn finish(self) -> Encoded {
        Ok(tagged(self.tag, Json::Map(Map::collected(self.entries))))
    }
}

impl ser::SerializeMap for Object {
    type Ok = Json;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Encoded<()> {
        self.key = match key.serialize(ToJson)? {
            Json::Str(text) => text,
            number @ (Json::Int(_) | Json::BigInt(_)) => number.text().into_owned(),
            other => {
                let message = format!("a key of an object is a text, not {}", other.type_name());
                return Err(EncodeError(message));
            }
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
        self.entries.push((std::mem::take(&mut self.key), value.serialize(ToJson)?));
        Ok(())
    }

    fn end(self) -> Encoded {
        self.finish()
    }
}

impl ser::SerializeStruct for Object {
    type Ok = Json;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Encoded<()> {
        self.entries.push((name.to_owned(), value.serialize(ToJson)?));
        Ok(())
    }

    fn end(mut self) -> Encoded {
        match self.entries.pop() {
            Some((name, Json::Str(text))) if name == RAW && self.entries.is_empty() => {
                parse(&text).map_err(ser::Error::custom)
            }
            last => {
                self.entries.extend(last);
                self.finish()
            }
        }
    }
}

impl ser::SerializeStructVariant for Object {
    type Ok = Json;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Encoded<()> {
        ser::SerializeStruct::serialize_field(self, name, value)
    }

    fn end(self) -> Encoded {
        self.finish()
    }
}
