//! Headers that may be absent (R2.2): null, false and an empty list all mean that there is none.
//!
//! Each function reads a field of a request (`#[serde(deserialize_with = …)]`). Where "none" is a
//! value of its own, because a `set` removes the header by it, the function is called `nullable…`.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// A header, or none.
pub(super) fn header<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_any(Header(PhantomData))
}

/// A header that may be removed.
pub(super) fn nullable_header<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    header(deserializer).map(Some)
}

/// Anything that may be removed by null alone.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A list of texts.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_any(List)
}

/// A list of texts that may be removed.
pub(super) fn nullable_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    list(deserializer).map(Some)
}

/// A truth value.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(header(deserializer)?.unwrap_or(false))
}

/// A truth value that may be removed.
pub(super) fn nullable_flag<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<bool>, D::Error> {
    flag(deserializer).map(Some)
}

struct Header<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Header<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a header")
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<T>, E> {
        value.then(|| T::deserialize(value.into_deserializer())).transpose()
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<T>, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<T>, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<T>, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Option<T>, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
        match items.next_element::<IgnoredAny>()? {
            None => Ok(None),
            // No header is a list here, so what is left of it only has to be refused.
            Some(_) => T::deserialize(SeqAccessDeserializer::new(items)).map(Some),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Some)
    }

    /// An integer beyond 64 bits.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<Option<T>, D::Error> {
        T::deserialize(Wide(PhantomData)).map(Some)
    }
}

struct List;

impl<'de> Visitor<'de> for List {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_unit<E>(self) -> Result<Vec<String>, E> {
        Ok(Vec::new())
    }

    fn visit_none<E>(self) -> Result<Vec<String>, E> {
        Ok(Vec::new())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Vec<String>, E> {
        match value {
            true => Err(E::invalid_type(Unexpected::Bool(true), &self)),
            false => Ok(Vec::new()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(list)
    }
}

/// An integer beyond 64 bits, for whoever refuses it in the words of its own type.
struct Wide<E>(PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Wide<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        Err(E::invalid_type(Unexpected::NewtypeStruct, &visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}
