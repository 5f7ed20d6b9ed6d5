//! What may be configured, and the bounds that hold if nothing is said.

use super::tokens::Tokens;
use crate::attach::Access;
use crate::db::Options;
use crate::protocol::Client;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How stores are served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Folders with stores, and single stores.
    pub places: Vec<PathBuf>,
    /// Stores that this process has open already.
    pub open: Vec<OpenStore>,
    /// Whether requests may make stores, in the first folder.
    pub create: bool,
    /// Who may do what.
    pub tokens: Tokens,
    /// Names beside its address under which the server may be reached.
    pub hosts: Vec<String>,
    /// The certificate; without one there is no TLS.
    pub tls: Option<TlsFiles>,
    /// How stores are opened in this process.
    pub options: fn() -> Options,
    /// Whether to attach to processes that have a store open.
    pub attach: bool,
    /// What other processes may do with stores that are open here.
    pub share: Option<Access>,
    /// Whether edits are refused, whatever the token says.
    pub read_only: bool,
    /// The bounds.
    pub limits: Limits,
}

impl Settings {
    /// The stores of some places, at an address, for whoever has one of the tokens.
    pub fn new(listen: SocketAddr, places: Vec<PathBuf>, tokens: Tokens) -> Settings {
        Settings {
            listen,
            places,
            open: Vec::new(),
            create: false,
            tokens,
            hosts: Vec::new(),
            tls: None,
            options: Options::new,
            attach: true,
            share: Some(Access::Write),
            read_only: false,
            limits: Limits::default(),
        }
    }
}

/// A store that this process has open already, and goes on to use beside the server.
#[derive(Clone)]
pub struct OpenStore {
    /// What it is called in addresses.
    pub name: String,
    /// Who answers for it; several requests at a time.
    pub client: Arc<dyn Client>,
}

impl fmt::Debug for OpenStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenStore").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The files of a certificate, in PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What a server takes at most.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one request's body; all bodies that are being read have four times as many.
    pub body_bytes: usize,
    /// Bytes of one request's head.
    pub head_bytes: usize,
    /// Time for the head of a request, and for a connection without one.
    pub head_time: Duration,
    /// Time for the body of a request.
    pub body_time: Duration,
    /// Time in which whoever asked must take some of the answer.
    pub read_time: Duration,
    /// Connections at a time.
    pub connections: usize,
    /// Requests that are answered at a time; the others wait.
    pub workers: usize,
    /// Watches at a time.
    pub watches: usize,
    /// Stores that are open at a time.
    pub open_stores: usize,
    /// Bytes that the caches of all open stores have together.
    pub cache_bytes: u64,
    /// How long a store stays open without use.
    pub idle: Duration,
    /// How long an answer may take if the request does not say.
    pub timeout: Duration,
    /// How long it may take at most.
    pub longest_timeout: Duration,
    /// How long running requests have when the server stops.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(4, usize::from);
        Limits {
            body_bytes: 64 << 20,
            head_bytes: 32 << 10,
            head_time: Duration::from_secs(20),
            body_time: Duration::from_secs(60),
            read_time: Duration::from_secs(20),
            connections: 1024,
            workers: (8 * cores).clamp(32, 256),
            watches: 64,
            open_stores: 64,
            cache_bytes: 1 << 30,
            idle: Duration::from_secs(300),
            timeout: Duration::from_secs(30),
            longest_timeout: Duration::from_secs(600),
            grace: Duration::from_secs(5),
        }
    }
}
