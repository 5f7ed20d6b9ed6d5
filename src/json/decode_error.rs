//! What a value does not fit, and where: the fault, and the field that it is in.

use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display};

/// Why a JSON value is not one of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The fields that lead to it, the outermost first.
    pub path: Vec<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is of another type.
    Type {
        /// What it should be.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// It is an integer that does not fit into 64 bits.
    Wide,
    /// It is a negative integer where there can be none.
    Negative(i64),
    /// It is no value of those that there are; in words.
    Value(String),
    /// It has a field that nobody knows.
    Unknown {
        /// Its name.
        name: String,
        /// The names that are known.
        known: &'static [&'static str],
    },
    /// It lacks a field.
    Missing(&'static str),
    /// Something else, in words.
    Other(String),
}

impl DecodeError {
    /// The field that the fault is in.
    pub fn field(&self) -> Option<&str> {
        self.path.last().map(String::as_str)
    }

    /// The same error, inside a field.
    pub fn in_field(mut self, name: impl Into<String>) -> DecodeError {
        self.path.insert(0, name.into());
        self
    }
}

impl From<Fault> for DecodeError {
    fn from(fault: Fault) -> DecodeError {
        DecodeError { path: Vec::new(), fault }
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.field() {
            Some(name) => format!("'{name}'"),
            None => "the value".to_owned(),
        };
        match &self.fault {
            Fault::Type { expected, found } => write!(f, "{field} must be {expected}, not {found}"),
            Fault::Wide => write!(f, "{field} must fit into 64 bits"),
            Fault::Negative(number) => write!(f, "{field} cannot be negative, {number} is"),
            Fault::Value(message) | Fault::Other(message) => f.write_str(message),
            Fault::Unknown { name, known } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "unknown field `{name}`, expected one of {}", known.join(", "))
            }
            Fault::Missing(name) => write!(f, "the field '{name}' is missing"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: Display>(message: T) -> DecodeError {
        Fault::Other(message.to_string()).into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> DecodeError {
        let expected = words(&expected.to_string());
        match type_name(&found) {
            Some(found) => Fault::Type { expected, found }.into(),
            None if expected == "an integer" => Fault::Wide.into(),
            None => Fault::Type { expected, found: "an integer" }.into(),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> DecodeError {
        match found {
            Unexpected::Other(message) => Fault::Value(message.to_owned()).into(),
            Unexpected::Signed(number) if number < 0 => Fault::Negative(number).into(),
            Unexpected::Signed(_) | Unexpected::Unsigned(_) => Fault::Wide.into(),
            found => DecodeError::invalid_type(found, expected),
        }
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> DecodeError {
        Fault::Value(format!("'{name}' is not one of {}", known.join(", "))).into()
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> DecodeError {
        Fault::Unknown { name: name.to_owned(), known }.into()
    }

    fn missing_field(name: &'static str) -> DecodeError {
        Fault::Missing(name).into()
    }
}

/// What a type is called in a message; serde has words of its own for some.
fn words(expected: &str) -> String {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize" => {
            "an integer"
        }
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
    .to_owned()
}

/// What a value is called in a message; none for an integer beyond 64 bits.
fn type_name(found: &Unexpected<'_>) -> Option<&'static str> {
    Some(match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a decimal number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::NewtypeStruct => return None,
        _ => "an object",
    })
}
