//! Opening: which store, and what becomes of it if it is not there yet.
//!
//! The one file that knows that the store is in this process. Everybody else holds a [`Connection`]
//! and asks.

use crate::progress::Bar;
use pactdb::protocol::{Client, Envelope, LocalClient, Reply, Sink};
use pactdb::{Clock, Code, Db, Error, Generation, Options, Result};
use std::path::Path;
use std::sync::Arc;

/// Somebody who answers, wherever the store is.
pub type Connection = Arc<dyn Client>;

/// How requests are bounded that bring no bound of their own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// Milliseconds for one answer; 0 and nothing are no bound.
    pub timeout_ms: Option<u64>,
}

/// A store in this process, whose requests are bounded.
struct Bounded {
    store: LocalClient,
    bounds: Bounds,
}

impl Client for Bounded {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let timeout_ms = envelope.timeout_ms.or(self.bounds.timeout_ms);
        self.store.call(Envelope { timeout_ms, ..envelope }, sink)
    }
}

fn to(db: Db, bounds: Bounds) -> Connection {
    Arc::new(Bounded { store: LocalClient::new(db), bounds })
}

fn options() -> Options {
    let bar = Bar::new();
    Options::new().progress(move |progress| bar.show(progress))
}

/// To a store that must be there.
pub fn existing(path: &Path, bounds: Bounds) -> Result<Connection> {
    if !path.exists() {
        let message = format!("there is no store {}", path.display());
        let mut error = Error::new(Code::StoreIo, message);
        error.details.hint = Some("`pactdb init` makes one, `pactdb demo` one to look at".into());
        return Err(error);
    }
    Ok(to(options().open(path)?, bounds))
}

/// To a store that is made on first use, and is then of that generation.
pub fn existing_or_new(path: &Path, generation: Generation, bounds: Bounds) -> Result<Connection> {
    Ok(to(options().generation(generation).open_or_create(path)?, bounds))
}

/// To a store that must not be there yet.
pub fn new(path: &Path, generation: Generation) -> Result<Connection> {
    Ok(to(Db::create(path, generation)?, Bounds::default()))
}

/// To a store that must not be there yet and has a clock of its own.
pub fn new_with_clock(path: &Path, clock: impl Clock + 'static) -> Result<Connection> {
    Ok(to(Options::new().clock(clock).create(path)?, Bounds::default()))
}
