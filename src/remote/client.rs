//! Asks a server. A request is sent once; if the connection ends before its reply, the error says
//! whether it may have been done.

use super::address::Address;
use super::http::{Connection, Ended};
use crate::budget;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json;
use crate::model::Generation;
use crate::protocol::{Client, Envelope, Reply, Sink, notice_of, text_beside};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the reply to an edit is waited for when whoever asked wants to stop: what was sent cannot be
/// taken back, and most edits are done by then.
const EDIT: Duration = Duration::from_secs(3);

/// A store behind HTTP.
pub struct Remote {
    address: Address,
    token: Option<String>,
    make: Option<Generation>,
    connection: Mutex<Option<Connection>>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Remote({}{})", self.address.authority, self.address.path)
    }
}

impl Remote {
    /// A client of the store at an address: `http://HOST:PORT/NAME`. Nobody is asked yet.
    pub fn new(address: &str, token: Option<String>) -> Result<Remote> {
        let printable = |token: &String| token.bytes().all(|byte| byte.is_ascii_graphic());
        if !token.as_ref().is_none_or(printable) {
            return Err(Error::request("a token has letters, digits and signs of ASCII alone"));
        }
        let address = Address::read(address)?;
        Ok(Remote { address, token, make: None, connection: Mutex::default() })
    }

    /// The same; a store that is not there is made, if the server allows it.
    #[must_use]
    pub fn make(mut self, generation: Generation) -> Remote {
        self.make = Some(generation);
        self
    }

    /// Makes the store, which must not be there yet.
    pub fn create(&self, generation: Generation) -> Result<()> {
        let target = format!("{}?spec={}", self.address.path, spec(generation));
        self.exchange("PUT", &target, "", true, false, &mut |_| Ok(()))?.result.map(drop)
    }

    fn ask(&self, mut envelope: Envelope, sink: Sink<'_>) -> Result<Reply> {
        let rid = envelope.rid.take();
        let (edits, exact) = (!envelope.request.only_reads(), envelope.request.is_exact());
        let body = json::line(&envelope).map_err(|error| Error::request(error.to_string()))?;
        drop(envelope);
        let mut target = format!("{}?text", self.address.path);
        if let Some(generation) = self.make {
            target.push_str("&create=");
            target.push_str(spec(generation));
        }
        let reply = self.exchange("POST", &target, &body, edits, exact, sink)?;
        Ok(Reply { rid, ..reply })
    }

    /// Sends a request and waits for its reply.
    fn exchange(
        &self,
        method: &str,
        target: &str,
        body: &str,
        edits: bool,
        exact: bool,
        sink: Sink<'_>,
    ) -> Result<Reply> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut connection = match kept.take().filter(Connection::is_open) {
            Some(connection) => connection,
            None => Connection::open(&self.address).map_err(|error| self.unreachable(&error))?,
        };
        let sent = connection.send(&self.head(method, target, body.len()), body);
        let mut asking = Asking { edits, stopped: None };
        let answer = asking.answer(&mut connection, exact, sink);
        let reply = answer.map_err(|ended| match (ended, sent) {
            (Ended::Stopped(error), _) => error,
            // What was not sent to its end was not done.
            (Ended::Broken, Err(error)) => self.unreachable(&error),
            (Ended::Broken, Ok(())) => self.gone(edits),
        })?;
        *kept = Some(connection);
        Ok(match (&self.token, reply) {
            (None, Reply { rid, result: Err(mut error), warnings })
                if error.code == Code::Unauthorized =>
            {
                error.details.hint = Some("PACTDB_TOKEN has the token for the server".into());
                Reply { rid, result: Err(error), warnings }
            }
            (_, reply) => reply,
        })
    }

    fn head(&self, method: &str, target: &str, length: usize) -> String {
        let authority = &self.address.authority;
        let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {authority}\r\n");
        if let Some(token) = &self.token {
            // Writing to a string cannot fail.
            let _ = write!(head, "authorization: Bearer {token}\r\n");
        }
        let _ = write!(
            head,
            "user-agent: pactdb/{}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n",
            env!("CARGO_PKG_VERSION")
        );
        head
    }

    fn unreachable(&self, error: &std::io::Error) -> Error {
        let authority = &self.address.authority;
        let message =
            format!("the server at {authority} cannot be reached: {error}: nothing was done");
        Error::new(Code::StoreGone, message)
    }

    fn gone(&self, edits: bool) -> Error {
        let authority = &self.address.authority;
        let message = match edits {
            true => format!(
                "the server at {authority} hung up before it answered: the request may have been done or not, look before you send it again"
            ),
            false => format!("the server at {authority} hung up before it answered"),
        };
        Error::new(Code::StoreGone, message)
    }
}

impl Client for Remote {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let rid = envelope.rid.clone();
        self.ask(envelope, sink).unwrap_or_else(|error| Reply::refused(rid, error))
    }
}

/// A request that was sent.
struct Asking {
    edits: bool,
    /// Since when, and why, it is to end.
    stopped: Option<(Instant, Error)>,
}

impl Asking {
    fn answer(
        &mut self,
        connection: &mut Connection,
        exact: bool,
        sink: Sink<'_>,
    ) -> std::result::Result<Reply, Ended> {
        let status = connection.status(&mut || self.wait())?;
        loop {
            let line = connection.line(&mut || self.wait())?.ok_or(Ended::Broken)?;
            if let Some(notice) = notice_of(&line, None) {
                sink(notice).map_err(Ended::Stopped)?;
                continue;
            }
            let reply = Reply::from_line(&line, exact).map_err(|_| {
                let message = format!("who answered is no server of pactdb: HTTP status {status}");
                Ended::Stopped(Error::new(Code::StoreIo, message))
            })?;
            // The end of the body is read, so that another request can follow.
            while connection.line(&mut || self.wait())?.is_some() {}
            return Ok(text_beside(reply, &line));
        }
    }

    /// Whether to wait any longer.
    fn wait(&mut self) -> Result<()> {
        if self.stopped.is_none()
            && let Err(reason) = budget::check()
        {
            self.stopped = Some((Instant::now(), reason.into()));
        }
        match &self.stopped {
            Some((_, error)) if !self.edits => Err(error.clone()),
            Some((since, error)) if since.elapsed() > EDIT => {
                let message = format!(
                    "{}; the request was sent, and may have been done or not",
                    error.message
                );
                Err(Error::new(error.code, message))
            }
            _ => Ok(()),
        }
    }
}

fn spec(generation: Generation) -> &'static str {
    match generation {
        Generation::V0_1 => "0.1",
        Generation::V1_0 => "1.0",
    }
}
