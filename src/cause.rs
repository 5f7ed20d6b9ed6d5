//! What stands behind an error: the failure of the system below, kept so that a program can ask what
//! kind of failure it was.
//!
//! It knows nothing of the rest. Two errors that say the same are equal whatever stands behind them.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

/// The error that another one was made of, if there is one.
#[derive(Clone, Default)]
pub struct Cause(Option<Arc<dyn Error + Send + Sync>>);

impl Cause {
    /// This error.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Cause {
        Cause(Some(Arc::new(error)))
    }

    /// The error, as `std` hands it on.
    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        let error: &(dyn Error + 'static) = self.0.as_deref()?;
        Some(error)
    }
}

impl PartialEq for Cause {
    fn eq(&self, _: &Cause) -> bool {
        true
    }
}

impl Eq for Cause {}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(error) => write!(f, "{error:?}"),
            None => f.write_str("None"),
        }
    }
}

/// A failure of the system below: in words, and what stands behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What failed.
    pub message: String,
    /// The error of the system.
    pub cause: Cause,
}

impl Failure {
    /// The same failure of something that has a name.
    pub fn of(self, name: impl fmt::Display) -> Failure {
        Failure { message: format!("{name}: {}", self.message), cause: self.cause }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure { message: error.to_string(), cause: Cause::new(error) }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, cause: Cause::default() }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::from(message.to_owned())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
