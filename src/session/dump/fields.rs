//! The fields of an object of a dump, taken one by one. A dump is written by a program, so what is
//! missing, of another type or unknown is an error.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json, Map};
use crate::snapshot::unhex;

/// Fields that are not taken yet.
pub(super) struct Fields(Map);

impl Fields {
    pub(super) fn parse(text: &str) -> Result<Fields> {
        Fields::of("the line", parse_line(text)?)
    }

    pub(super) fn of(what: &str, value: Json) -> Result<Fields> {
        match value {
            Json::Map(map) => Ok(Fields(map)),
            other => Err(invalid(format!("{what} must be an object, not {}", other.type_name()))),
        }
    }

    /// A field, whatever it is.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name)
    }

    fn required(&mut self, name: &str) -> Result<Json> {
        self.take(name).ok_or_else(|| invalid(format!("'{name}' is missing")))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String> {
        text(name, self.required(name)?)
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name).map(|value| text(name, value)).transpose()
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>> {
        let list = self.list(name)?.unwrap_or_default();
        list.into_iter().map(|value| text(name, value)).collect()
    }

    pub(super) fn int(&mut self, name: &str) -> Result<i64> {
        int(name, self.required(name)?)
    }

    pub(super) fn optional_int(&mut self, name: &str) -> Result<Option<i64>> {
        self.take(name).map(|value| int(name, value)).transpose()
    }

    pub(super) fn count(&mut self, name: &str) -> Result<u64> {
        count(name, self.required(name)?)
    }

    pub(super) fn optional_count(&mut self, name: &str) -> Result<Option<u64>> {
        self.take(name).map(|value| count(name, value)).transpose()
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool> {
        Ok(self.optional_flag(name)?.unwrap_or(false))
    }

    pub(super) fn optional_flag(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    pub(super) fn hash(&mut self, name: &str) -> Result<[u8; 32]> {
        read_hash(name, &self.text(name)?)
    }

    pub(super) fn optional_hash(&mut self, name: &str) -> Result<Option<[u8; 32]>> {
        self.optional_text(name)?.map(|text| read_hash(name, &text)).transpose()
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Option<Vec<Json>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::List(items)) => Ok(Some(items)),
            Some(other) => Err(wrong(name, "a list", &other)),
        }
    }

    pub(super) fn object(&mut self, name: &str) -> Result<Fields> {
        Fields::of(&format!("'{name}'"), self.required(name)?)
    }

    pub(super) fn optional_object(&mut self, name: &str) -> Result<Option<Fields>> {
        self.take(name).map(|value| Fields::of(&format!("'{name}'"), value)).transpose()
    }

    /// A field that may be null, which is a value of its own.
    pub(super) fn nullable<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Json) -> Result<T>,
    ) -> Result<Option<Option<T>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Null) => Ok(Some(None)),
            Some(value) => read(value).map(|value| Some(Some(value))),
        }
    }

    /// All fields that are left.
    pub(super) fn rest(self) -> Map {
        self.0
    }

    /// Refuses what nobody took.
    pub(super) fn finish(self) -> Result<()> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(invalid(format!("'{name}' is unknown here"))),
        }
    }
}

fn wrong(name: &str, expected: &str, found: &Json) -> Error {
    invalid(format!("'{name}' must be {expected}, not {}", found.type_name()))
}

pub(super) fn text(name: &str, value: Json) -> Result<String> {
    match value {
        Json::Str(text) => Ok(text),
        other => Err(wrong(name, "a string", &other)),
    }
}

pub(super) fn int(name: &str, value: Json) -> Result<i64> {
    match value {
        Json::Int(number) => Ok(number),
        other => Err(wrong(name, "an integer of 64 bits", &other)),
    }
}

pub(super) fn count(name: &str, value: Json) -> Result<u64> {
    let number = int(name, value)?;
    u64::try_from(number).map_err(|_| invalid(format!("'{name}' cannot be negative")))
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Code::ImportInvalid, message)
}

fn parse_line(text: &str) -> Result<Json> {
    json::parse(text).map_err(|error| invalid(format!("it is not JSON: {error}")))
}

/// Reads a hash in hex.
pub(super) fn read_hash(name: &str, text: &str) -> Result<[u8; 32]> {
    unhex(text).ok_or_else(|| invalid(format!("'{name}' must be 64 hexadecimal digits")))
}
