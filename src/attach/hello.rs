//! What a holder says before anything else.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::json;
use serde::{Deserialize, Serialize};

/// The version of what is spoken after the hello. It changes only if what was said before would be
/// understood wrongly.
pub const PROTOCOL: u32 = 1;

/// What others may do with a store that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// They may ask.
    Read,
    /// They may ask and edit.
    Write,
}

/// The first line of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the program.
    pub pactdb: String,
    /// The version of the protocol.
    pub protocol: u32,
    /// The id of the store: random, made with it. An old store may have none.
    pub store: Option<String>,
    /// The cycle that it was at.
    pub cycle: u64,
    /// The process that has it open.
    pub process: u32,
    /// What is allowed on this connection.
    pub access: Access,
}

impl Hello {
    /// The hello of a line, or the refusal that came instead.
    pub(super) fn from_line(line: &str) -> Result<Hello> {
        #[derive(Deserialize)]
        struct Version {
            protocol: Option<u32>,
            error: Option<Error>,
        }
        let strange = |error: &dyn std::fmt::Display| {
            let message =
                format!("the process that holds the store does not speak pactdb: {error}");
            Error::new(Code::StoreLocked, message)
        };
        let value = json::parse(line).map_err(|error| strange(&error))?;
        // What else a hello of another version says is not known.
        let version: Version = json::from_json(value.clone()).map_err(|error| strange(&error))?;
        match version {
            Version { error: Some(error), .. } => Err(error),
            Version { protocol: Some(PROTOCOL), .. } => {
                json::from_json(value).map_err(|error| strange(&error))
            }
            Version { protocol: Some(other), .. } => {
                let message = format!(
                    "the process that holds the store speaks version {other} of the protocol, this one version {PROTOCOL}: use the same release of pactdb for both"
                );
                Err(Error::new(Code::StoreLocked, message))
            }
            Version { .. } => Err(strange(&"it said no version")),
        }
    }
}
