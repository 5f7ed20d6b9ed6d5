//! The one public error: a code for programs, a sentence for people, and what helps to mend it.

use crate::budget::Stopped;
use crate::cause::Cause;
use crate::change::ChangeError;
use crate::code::Code;
use crate::json::{DecodeError, EncodeError, Fault, JsonError};
use crate::language::SyntaxError;
use crate::model::{ReadError, is_fixed};
use crate::query::QueryError;
use crate::snapshot::ImportError;
use crate::storage::StoreError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::{fmt, io};

/// What went wrong.
///
/// Programs go by the [`Code`], people by the sentence. Where the system below failed,
/// [`source`](std::error::Error::source) is its error, and [`Error::io_kind`] the kind of it. Two
/// errors with the same code, sentence and details are equal, whatever stands behind them.
///
/// ```
/// use pactdb::{Code, Db};
///
/// let error = Db::open("/no/such/file.pactdb").unwrap_err();
/// assert_eq!(error.code, Code::StoreIo);
/// assert_eq!(error.io_kind(), Some(std::io::ErrorKind::NotFound));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The code of the specification.
    pub code: Code,
    /// What was wrong, where, and what to do.
    pub message: String,
    /// More, where there is more to say.
    pub details: Box<ErrorDetails>,
    /// What stands behind it: see [`std::error::Error::source`].
    pub(crate) cause: Cause,
}

/// What helps to find the fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorDetails {
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
        Error { code, message: message.into(), details: Box::default(), cause: Cause::default() }
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

    /// A failure of a file or a stream; `what` says of which.
    pub fn io(what: impl fmt::Display, error: io::Error) -> Error {
        Error::new(Code::StoreIo, format!("{what}: {error}")).caused_by(Cause::new(error))
    }

    /// The kind of the I/O error that stands behind it, if one does: a full disk is
    /// [`StorageFull`](io::ErrorKind::StorageFull).
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        let mut cause = self.cause.source();
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return Some(error.kind());
            }
            cause = error.source();
        }
        None
    }

    /// The same error, with what stands behind it.
    pub(crate) fn caused_by(mut self, cause: Cause) -> Error {
        self.cause = cause;
        self
    }

    /// A malformed operation.
    pub fn request(message: impl Into<String>) -> Error {
        Error::new(Code::RequestInvalid, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Error {
        Error::new(stopped.code(), stopped.to_string())
    }
}

impl Error {
    /// What is wrong with the fields of an operation.
    pub(crate) fn in_request(op: &str, error: DecodeError) -> Error {
        let message = error.to_string();
        if error.path.first().is_some_and(|field| field == "options") {
            return Error::request(format!("'options': {message}"));
        }
        match error.fault {
            Fault::Type { .. } | Fault::Negative(_) | Fault::Value(_) => {
                Error::new(Code::AttrInvalid, message)
            }
            Fault::Wide => Error::new(Code::Limit, message),
            Fault::Missing(name) => Error::request(format!("{op} needs '{name}'")),
            Fault::Other(message) => Error::request(message),
            Fault::Unknown { name, .. } if op == "set" && is_fixed(&name) => {
                let message = format!(
                    "'{name}' is fixed when a node is made; a move changes parent and offset"
                );
                Error::new(Code::AttrReserved, message)
            }
            Fault::Unknown { name, .. } => {
                let hint = match op {
                    "add" | "set" => "; custom attributes go into 'attrs'",
                    _ => ": leave it out",
                };
                let who = match error.path.is_empty() {
                    true => op.to_owned(),
                    // The only objects inside a request that are no values.
                    false => "a policy".to_owned(),
                };
                Error::request(format!("{who} does not know '{name}'{hint}"))
            }
        }
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        Error::new(error.code, error.message).caused_by(error.cause)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        ChangeError::from(error).into()
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let mut public = Error::new(error.code(), error.to_string()).caused_by(error.cause());
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

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Error {
        Error::request(error.to_string())
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
        let mut public = Error::new(error.code, error.to_string()).caused_by(error.cause);
        public.details.span = error.span.map(|span| (span.start, span.end));
        public.details.expected = error.expected;
        public.details.hint = error.hint;
        public
    }
}

/// An error as JSON has it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Error"))]
struct Wire<'a> {
    /// The code, for programs.
    code: Code,
    /// What was wrong, where, and what to do.
    message: Cow<'a, str>,
    /// The cycle that the store is at, for a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<u64>,
    /// Where in a document, as a JSON path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, str>>,
    /// Which bytes of a selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<(usize, usize)>,
    /// What was expected there.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    expected: Cow<'a, [String]>,
    /// What would probably be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<Cow<'a, str>>,
    /// The process that has the store open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    holder: Option<u32>,
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let details = &*self.details;
        let wire = Wire {
            code: self.code,
            message: Cow::Borrowed(&self.message),
            cycle: details.cycle,
            path: details.path.as_deref().map(Cow::Borrowed),
            span: details.span,
            expected: Cow::Borrowed(&details.expected),
            hint: details.hint.as_deref().map(Cow::Borrowed),
            holder: details.holder,
        };
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Error {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Error, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let details = ErrorDetails {
            cycle: wire.cycle,
            path: wire.path.map(Cow::into_owned),
            span: wire.span,
            text: None,
            expected: wire.expected.into_owned(),
            hint: wire.hint.map(Cow::into_owned),
            holder: wire.holder,
        };
        let (code, message) = (wire.code, wire.message.into_owned());
        Ok(Error { details: Box::new(details), ..Error::new(code, message) })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Error {
    fn schema_name() -> Cow<'static, str> {
        "Error".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}
