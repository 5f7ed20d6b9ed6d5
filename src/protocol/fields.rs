//! Fields of a request, taken one by one: a value of a wrong type is named with what was expected,
//! and what nobody took is unknown.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{Json, Map};

/// The fields of a request that are not taken yet.
pub struct Fields {
    op: String,
    map: Map,
}

impl Fields {
    /// All fields of an operation.
    pub fn new(op: &str, map: Map) -> Fields {
        Fields { op: op.to_owned(), map }
    }

    /// A field, if it is there and not null.
    pub fn take(&mut self, name: &str) -> Option<Json> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    /// A field, where null is a value of its own: `Some(None)`.
    pub fn take_nullable(&mut self, name: &str) -> Option<Option<Json>> {
        self.map.remove(name).map(|value| (!value.is_null()).then_some(value))
    }

    /// An optional header: null, false and an empty list mean that there is none (R2.2).
    pub fn header(&mut self, name: &str) -> Option<Json> {
        self.map.remove(name).filter(|value| !is_absent(value))
    }

    /// Like `header`, where "none" is a value of its own.
    pub fn header_nullable(&mut self, name: &str) -> Option<Option<Json>> {
        self.map.remove(name).map(|value| (!is_absent(&value)).then_some(value))
    }

    /// A field that must be there.
    pub fn required(&mut self, name: &str) -> Result<Json> {
        self.take(name).ok_or_else(|| Error::request(format!("{} needs '{name}'", self.op)))
    }

    /// A truth value; false if it is not there.
    pub fn switch(&mut self, name: &str) -> Result<bool> {
        Ok(self.take(name).map(|value| flag(name, value)).transpose()?.unwrap_or(false))
    }

    /// Refuses what nobody took.
    pub fn finish(self) -> Result<()> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(name) => {
                let hint = match self.op.as_str() {
                    "add" | "set" => "; custom attributes go into 'attrs'",
                    _ => ": leave it out",
                };
                Err(Error::request(format!("{} does not know '{name}'{hint}", self.op)))
            }
        }
    }

    /// The names that are left.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }
}

/// Whether a value of an optional header means that there is none.
fn is_absent(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::List(items) => items.is_empty(),
        _ => false,
    }
}

/// A header of a wrong type.
fn invalid(name: &str, expected: &str, value: &Json) -> Error {
    let message = format!("'{name}' must be {expected}, not {}", value.type_name());
    Error::new(Code::AttrInvalid, message)
}

/// A text.
pub fn text(name: &str, value: Json) -> Result<String> {
    match value {
        Json::Str(text) => Ok(text),
        other => Err(invalid(name, "a string", &other)),
    }
}

/// A list of texts.
pub fn texts(name: &str, value: Json) -> Result<Vec<String>> {
    match value {
        Json::List(items) => items.into_iter().map(|item| text(name, item)).collect(),
        other => Err(invalid(name, "a list of strings", &other)),
    }
}

/// A truth value.
pub fn flag(name: &str, value: Json) -> Result<bool> {
    match value {
        Json::Bool(flag) => Ok(flag),
        other => Err(invalid(name, "true or false", &other)),
    }
}

/// An integer.
pub fn int(name: &str, value: Json) -> Result<i64> {
    match value {
        Json::Int(number) => Ok(number),
        Json::BigInt(_) => Err(Error::new(Code::Limit, format!("'{name}' must fit into 64 bits"))),
        other => Err(invalid(name, "an integer", &other)),
    }
}

/// An integer that is not negative.
pub fn count(name: &str, value: Json) -> Result<u64> {
    let number = int(name, value)?;
    u64::try_from(number).map_err(|_| {
        Error::new(Code::AttrInvalid, format!("'{name}' cannot be negative, {number} is"))
    })
}

/// An object.
pub fn object(name: &str, value: Json) -> Result<Map> {
    match value {
        Json::Map(map) => Ok(map),
        other => Err(invalid(name, "an object", &other)),
    }
}
