//! Arguments of `serve` and `ui`.

use super::time;
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// `serve`
#[derive(Args)]
pub struct ServeArgs {
    /// Folders with stores, and single stores
    #[arg(required = true, value_name = "FOLDER|STORE")]
    pub places: Vec<PathBuf>,
    /// Where to listen; port 0 takes a free one
    #[arg(
        long,
        env = "PACTDB_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:7350"
    )]
    pub listen: SocketAddr,
    /// Let requests make stores, in the first folder, which is made too if it is not there
    #[arg(long)]
    pub create: bool,
    /// Who may do what: lines of TOKEN read|write [*|NAME,NAME]; without it PACTDB_TOKEN, or a token made now
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A name under which the server is reached, beside its address and localhost
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// The certificate for TLS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Log requests, commits and errors on standard error: text or json
    #[arg(long, value_name = "FORM", hide_possible_values = true)]
    pub log: Option<LogForm>,
    /// Close a store after this time without use
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "5m")]
    pub idle: Duration,
    /// How many stores are open at a time
    #[arg(long, value_name = "NUMBER", default_value = "64")]
    pub open_stores: usize,
    /// How many megabytes the caches of all open stores have together
    #[arg(long, value_name = "MEGABYTES", default_value = "1024")]
    pub cache: u64,
    /// How many connections there may be
    #[arg(long, value_name = "NUMBER", default_value = "1024")]
    pub connections: usize,
    /// How many megabytes a request may have
    #[arg(long, value_name = "MEGABYTES", default_value = "64")]
    pub max_body: usize,
    /// How long an answer may take at most; --timeout is for requests that do not say, 30s if left out
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10m")]
    pub max_timeout: Duration,
    /// How long running requests have to end when the server stops
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "5s")]
    pub grace: Duration,
}

/// `ui`
#[derive(Args)]
pub struct UiArgs {
    /// The store; --store if left out
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Where to listen, on this machine alone; port 0 takes a free one
    #[arg(long, value_name = "PORT", default_value = "0")]
    pub port: u16,
    /// Only print the address: do not open a browser
    #[arg(long)]
    pub no_open: bool,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LogForm {
    /// A line of words
    Text,
    /// A line of JSON
    Json,
}

pub const EXAMPLES: &str = "\
Examples:
  pactdb serve memories                     every NAME.pactdb of a folder; prints an address with a token
  pactdb serve --create --log text memories
  pactdb serve --listen 0.0.0.0:7350 --token-file tokens --tls-cert cert.pem --tls-key key.pem memories

From elsewhere:
  curl -H \"Authorization: Bearer $PACTDB_TOKEN\" http://127.0.0.1:7350/v1/stores/alice -d '{\"op\":\"stats\"}'
  PACTDB_TOKEN=… pactdb -s http://127.0.0.1:7350/alice tree

Ctrl-C and SIGTERM let running requests end and close the stores.";

pub const UI_EXAMPLES: &str = "\
Examples:
  pactdb ui demo.pactdb
  pactdb ui --no-open --port 7351           prints the address, which is good for this run

The page only reads. Ctrl-C ends it; other processes can use the store meanwhile.";
