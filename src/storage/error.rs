//! What can go wrong with a store.

use crate::budget::Stopped;
use crate::cause::{Cause, Failure};
use crate::code::Code;
use crate::model::ReadError;

/// A failure of the storage below, or of what is stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process, or another handle of this one, has the store open.
    #[error("{path} is open in another process{}", match holder { Some(pid) => format!(" (process {pid})"), None => String::new() })]
    Locked {
        /// The file.
        path: String,
        /// The process, where it can be known.
        holder: Option<u32>,
    },
    /// Not a store, or one of a newer format.
    #[error("{0}")]
    Format(String),
    /// The file system failed.
    #[error("{0}")]
    Io(Failure),
    /// What is stored is not what was written.
    #[error("{0}")]
    Corrupt(String),
    /// Whoever asked is not interested any more, or the time was over.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

impl StoreError {
    /// The code of R11.
    pub fn code(&self) -> Code {
        match self {
            StoreError::Locked { .. } => Code::StoreLocked,
            StoreError::Format(_) => Code::StoreFormat,
            StoreError::Io(_) => Code::StoreIo,
            StoreError::Corrupt(_) => Code::LogCorrupt,
            StoreError::Stopped(stopped) => stopped.code(),
        }
    }

    /// What stands behind it.
    pub fn cause(&self) -> Cause {
        match self {
            StoreError::Io(failure) => failure.cause.clone(),
            _ => Cause::default(),
        }
    }

    /// Corruption, in words.
    pub fn corrupt(message: impl Into<String>) -> StoreError {
        StoreError::Corrupt(message.into())
    }
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> ReadError {
        match error {
            StoreError::Corrupt(message) => ReadError::Corrupt(message),
            StoreError::Stopped(stopped) => ReadError::Stopped(stopped),
            StoreError::Io(failure) => ReadError::Io(failure),
            other => ReadError::Io(other.to_string().into()),
        }
    }
}

impl From<ReadError> for StoreError {
    fn from(error: ReadError) -> StoreError {
        match error {
            ReadError::Corrupt(message) => StoreError::Corrupt(message),
            ReadError::Io(failure) => StoreError::Io(failure),
            ReadError::Stopped(stopped) => StoreError::Stopped(stopped),
        }
    }
}

impl From<redb::StorageError> for StoreError {
    fn from(error: redb::StorageError) -> StoreError {
        match error {
            redb::StorageError::Corrupted(message) => {
                StoreError::Corrupt(format!("the file is damaged: {message}"))
            }
            redb::StorageError::Io(error) => StoreError::Io(error.into()),
            other => StoreError::Io(other.to_string().into()),
        }
    }
}

impl From<redb::TableError> for StoreError {
    fn from(error: redb::TableError) -> StoreError {
        match error {
            redb::TableError::Storage(error) => error.into(),
            other => StoreError::Corrupt(format!("a table of the store is damaged: {other}")),
        }
    }
}

impl From<redb::TransactionError> for StoreError {
    fn from(error: redb::TransactionError) -> StoreError {
        match error {
            redb::TransactionError::Storage(error) => error.into(),
            other => StoreError::Io(other.to_string().into()),
        }
    }
}

impl From<redb::CommitError> for StoreError {
    fn from(error: redb::CommitError) -> StoreError {
        match error {
            redb::CommitError::Storage(error) => error.into(),
            other => StoreError::Io(other.to_string().into()),
        }
    }
}

impl From<redb::CursorError> for StoreError {
    fn from(error: redb::CursorError) -> StoreError {
        match error {
            redb::CursorError::Storage(error) => error.into(),
            other => StoreError::corrupt(format!("rows are out of order: {other}")),
        }
    }
}

impl From<redb::CompactionError> for StoreError {
    fn from(error: redb::CompactionError) -> StoreError {
        match error {
            redb::CompactionError::Storage(error) => error.into(),
            other => StoreError::Io(other.to_string().into()),
        }
    }
}
