//! The one interface of every front: a request goes in, a reply comes back, and nobody can tell
//! where the store is.
//!
//! Everything that crosses it can be serialized. [`LocalClient`] has the store in this process.

use super::dispatch::respond;
use super::envelope::Envelope;
use super::operation::Operation;
use super::reply::{Reply, Sink};
use crate::db::Db;
use crate::error::Result;

/// Somebody who answers requests.
pub trait Client: Send + Sync {
    /// Answers one request. If it streams, what is told before the reply goes to the sink.
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply;

    /// The process that has the store open, if it is another one.
    fn process(&self) -> Option<u32> {
        None
    }
}

/// An answer, and what else there is to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<T> {
    /// The answer.
    pub reply: T,
    /// What else there is to say.
    pub warnings: Vec<String>,
}

/// What every client can do beside: requests and answers with their own types.
pub trait ClientExt: Client {
    /// Asks, and takes the answer without its warnings.
    fn ask<O: Operation>(&self, operation: O) -> Result<O::Reply> {
        Ok(self.ask_fully(operation)?.reply)
    }

    /// Asks.
    fn ask_fully<O: Operation>(&self, operation: O) -> Result<Answered<O::Reply>> {
        answered::<O>(self.call(Envelope::new(operation), &mut |_| Ok(())))
    }

    /// Asks, and is told of progress and parts before the answer.
    fn ask_streaming<O: Operation>(
        &self,
        operation: O,
        sink: Sink<'_>,
    ) -> Result<Answered<O::Reply>> {
        let envelope = Envelope { stream: true, ..Envelope::new(operation) };
        answered::<O>(self.call(envelope, sink))
    }
}

impl<C: Client + ?Sized> ClientExt for C {}

fn answered<O: Operation>(reply: Reply) -> Result<Answered<O::Reply>> {
    let Reply { result, warnings, .. } = reply;
    Ok(Answered { reply: O::reply(result?)?, warnings })
}

/// A store in this process.
///
/// ```
/// use pactdb::protocol::{ClientExt, LocalClient, Selection};
/// use pactdb::{Add, Db, Generation, Select};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let client = LocalClient::new(db);
/// client.ask(Add::user("Where is the key?").id("q1"))?;
/// let answer = client.ask(Select::new("^ah .cb"))?;
/// assert_eq!(answer, Selection::Ids(vec!["q1".into()]));
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocalClient {
    db: Db,
}

impl LocalClient {
    /// A client of an open store.
    pub fn new(db: Db) -> LocalClient {
        LocalClient { db }
    }

    /// The store.
    pub fn db(&self) -> &Db {
        &self.db
    }
}

impl Client for LocalClient {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        respond(&self.db, envelope, sink)
    }
}
