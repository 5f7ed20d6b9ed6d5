//! Other processes at an open store: whoever comes second talks to whoever came first.
//!
//! A process that has a store open may answer others on a local socket: [`Sharing`] does that until it
//! is dropped. [`Attached`] is the other end, a [`Client`](crate::protocol::Client) like the one of a
//! store in this process.
//!
//! - `place` knows where the socket of a store is, `hello` what is said first.
//! - `holder` listens, `connection` answers one client, `shared` is what connections have in common.
//! - `client` asks; `wire` is what both ends know.
//! - `find` has a store opened here or attaches to who has it.
//!
//! The wire is the protocol's lines of JSON. Beside requests there is `{"cancel": rid}`, which ends a
//! request that was sent before on the same connection, and has no reply of its own.
//!
//! Nothing here sends a request twice.

mod client;
mod connection;
mod find;
mod hello;
mod holder;
mod place;
mod shared;
mod wire;

pub use client::Attached;
pub use find::{Found, Held, find};
pub use hello::{Access, Hello, PROTOCOL};
pub use holder::Sharing;
