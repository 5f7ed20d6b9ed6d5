//! From a [`Json`] to any type that can be deserialized, without losing a digit.
//!
//! What does not fit is told with the field that it stands in, in the words of the protocol:
//! `'ttl' must be an integer, not a string`. The fields that a struct has are read before those
//! that it has not, so that a wrong value is found before an unknown name.
//!
//! An integer beyond 64 bits is handed on as a newtype around its digits. [`Json`] takes it; every
//! other type refuses it as too wide.

use super::decode_error::{DecodeError, Fault};
use super::{Json, Map};
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

/// The value of a type, out of JSON.
pub fn from_json<T: DeserializeOwned>(value: Json) -> Result<T, DecodeError> {
    T::deserialize(value)
}

type Decoded<T> = Result<T, DecodeError>;

impl<'de> IntoDeserializer<'de, DecodeError> for Json {
    type Deserializer = Json;

    fn into_deserializer(self) -> Json {
        self
    }
}

/// What a type asks for is only a hint here: the value says what it is.
macro_rules! by_value {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
            self.deserialize_any(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Json {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(value),
            Json::Int(number) => visitor.visit_i64(number),
            Json::BigInt(digits) => {
                visitor.visit_newtype_struct(StringDeserializer::<DecodeError>::new(digits.into()))
            }
            Json::Float(number) => visitor.visit_f64(number),
            Json::Str(text) => visitor.visit_string(text),
            Json::List(items) => visitor.visit_seq(Items { items: items.into_iter(), read: 0 }),
            Json::Map(map) => visitor.visit_map(Entries::new(map, &[])),
        }
    }

    by_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_seq deserialize_map deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        match self {
            Json::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Decoded<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Decoded<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Decoded<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Decoded<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Decoded<V::Value> {
        match self {
            Json::Map(map) => visitor.visit_map(Entries::new(map, fields)),
            // A struct is an object: a list that happens to have as many items is none.
            other => {
                Err(Fault::Type { expected: "an object".to_owned(), found: other.type_name() }
                    .into())
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Decoded<V::Value> {
        match self {
            Json::Str(name) => visitor.visit_enum(Variant { name, value: Json::Null }),
            Json::Map(map) if map.len() == 1 => {
                let mut entries = map.into_iter();
                match entries.next() {
                    Some((name, value)) => visitor.visit_enum(Variant { name, value }),
                    None => visitor.visit_unit(),
                }
            }
            other => {
                let expected = "a string".to_owned();
                Err(Fault::Type { expected, found: other.type_name() }.into())
            }
        }
    }
}

/// The items of a list.
struct Items {
    items: std::vec::IntoIter<Json>,
    read: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Decoded<Option<T::Value>> {
        let Some(item) = self.items.next() else { return Ok(None) };
        self.read += 1;
        seed.deserialize(item).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of an object, those that are asked for first.
struct Entries {
    entries: std::vec::IntoIter<(String, Json)>,
    value: Option<(String, Json)>,
}

impl Entries {
    fn new(map: Map, asked: &[&str]) -> Entries {
        let mut entries: Vec<(String, Json)> = map.into_iter().collect();
        if !asked.is_empty() {
            // The sort keeps the order of what is alike.
            entries.sort_by_key(|(name, _)| !asked.contains(&name.as_str()));
        }
        Entries { entries: entries.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Entries {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Decoded<Option<K::Value>> {
        let Some((name, value)) = self.entries.next() else { return Ok(None) };
        let key = seed.deserialize(StrDeserializer::<DecodeError>::new(&name))?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Decoded<V::Value> {
        let Some((name, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(value).map_err(|error| error.in_field(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// One variant of an enum: its name, and its value if it has one.
struct Variant {
    name: String,
    value: Json,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = DecodeError;
    type Variant = Json;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Decoded<(V::Value, Json)> {
        let name = seed.deserialize(StringDeserializer::<DecodeError>::new(self.name))?;
        Ok((name, self.value))
    }
}

impl<'de> VariantAccess<'de> for Json {
    type Error = DecodeError;

    fn unit_variant(self) -> Decoded<()> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Decoded<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Decoded<V::Value> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Decoded<V::Value> {
        self.deserialize_struct("", fields, visitor)
    }
}
