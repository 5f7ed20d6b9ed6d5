//! A store behind HTTP: the client of `pactdb serve`.
//!
//! [`Remote`] is a [`Client`](crate::protocol::Client) like the one of a store in this process.
//!
//! - `address` reads where the store is.
//! - `http` is one connection: a request out, lines in.
//! - `client` asks.
//!
//! Nothing here sends a request twice, and whoever waits can be stopped at any time.

mod address;
mod client;
mod http;

pub use address::is_address;
pub use client::Remote;
