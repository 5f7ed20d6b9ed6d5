//! The one public error: a code for programs, a sentence for people, and what helps to mend it.

use crate::budget::Stopped;
use crate::change::ChangeError;
use crate::code::Code;
use crate::json::JsonError;
use crate::language::SyntaxError;
use crate::model::ReadError;
use crate::query::QueryError;
use crate::snapshot::ImportError;
use crate::storage::StoreError;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The code of the specification.
    pub code: Code,
    /// What was wrong, where, and what to do.
    pub message: String,
    /// More, where there is more to say.
    pub details: Box<Details>,
}

/// What helps to find the fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// The cycle that the store is at, for a conflict.
    pub cycle: Option<u64>,
    /// Where in a document, as a JSON path.
    pub path: Option<String>,
    /// Which bytes of a selector.
    pub span: Option<(usize, usize)>,
    /// The selector that they are bytes of; whoever sent it knows it, so it is not serialized.
    pub text: Option<String>,
    /// What was expected there.
    pub expected: Vec<String>,
    /// What would probably be right.
    pub hint: Option<String>,
    /// The process that has the store open.
    pub holder: Option<u32>,
}

/// What every operation answers.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), details: Box::default() }
    }

    /// The same error, of one operation of a batch; they count from 1.
    pub fn in_operation(self, number: usize) -> Error {
        let message = format!("operation {number} of the batch: {}", self.message);
        Error { message, ..self }
    }

    /// The same error, about a part of this text.
    pub fn in_text(mut self, text: &str) -> Error {
        if self.details.span.is_some() && self.details.text.is_none() {
            self.details.text = Some(text.to_owned());
        }
        self
    }

    /// A malformed operation.
    pub fn request(message: impl Into<String>) -> Error {
        Error::new(Code::RequestInvalid, message)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Error {
        Error::new(stopped.code(), stopped.to_string())
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        Error::new(error.code, error.message)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        ChangeError::from(error).into()
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let mut public = Error::new(error.code(), error.to_string());
        if let StoreError::Locked { holder, .. } = error {
            public.details.holder = holder;
        }
        public
    }
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Error {
        let code = if error.limit { Code::Limit } else { Code::ImportInvalid };
        let mut public = Error::new(code, error.to_string());
        public.details.path = Some(error.path);
        public
    }
}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Error {
        match error {
            JsonError::TooDeep | JsonError::TooMany => Error::new(Code::Limit, error.to_string()),
            JsonError::Stopped(stopped) => stopped.into(),
            _ => Error::request(error.to_string()),
        }
    }
}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Error {
        use crate::language::SyntaxErrorKind as Kind;
        let code = match error.code {
            Kind::Invalid => Code::SelectorInvalid,
            Kind::RangeKindMismatch => Code::SnapshotRangeKindMismatch,
            Kind::RangeWildcard => Code::SnapshotRangeWildcard,
        };
        let mut public = Error::new(code, error.to_string());
        public.details.span = Some((error.span.start, error.span.end));
        public.details.expected = error.expected;
        public.details.hint = error.hint;
        public
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Error {
        let mut public = Error::new(error.code, error.to_string());
        public.details.span = error.span.map(|span| (span.start, span.end));
        public.details.expected = error.expected;
        public.details.hint = error.hint;
        public
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.code.as_str())?;
        map.serialize_entry("message", &self.message)?;
        let details = &*self.details;
        if let Some(cycle) = details.cycle {
            map.serialize_entry("cycle", &cycle)?;
        }
        if let Some(path) = &details.path {
            map.serialize_entry("path", path)?;
        }
        if let Some((start, end)) = details.span {
            map.serialize_entry("span", &[start, end])?;
        }
        if !details.expected.is_empty() {
            map.serialize_entry("expected", &details.expected)?;
        }
        if let Some(hint) = &details.hint {
            map.serialize_entry("hint", hint)?;
        }
        if let Some(holder) = details.holder {
            map.serialize_entry("holder", &holder)?;
        }
        map.end()
    }
}
