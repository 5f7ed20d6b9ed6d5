//! Stores over HTTP: many of them, for programs that are elsewhere.
//!
//! [`Server`] listens and answers until it is told to stop. A request is an operation of the
//! [protocol](crate::protocol), and the body of every answer is the protocol's reply.
//!
//! - `settings` says what may be configured, `tokens` who may do what.
//! - `catalogue` knows where a name leads, `opened` how a store is opened, `stores` which ones are open.
//! - `guard` refuses what must not come in, `routes` knows the addresses, `body` reads what is sent.
//! - `call` is a request that a thread answers, `stream` what is sent while it does.
//! - `status` has the HTTP status of every code, `response` makes the answers.
//! - `assets` has the files of the page in the browser, `page` sends them, `sessions` knows its browsers,
//!   and `standalone` makes one file of them.
//! - `metrics`, `record` and `openapi` tell of the server itself.
//! - `listen` accepts connections, `patient` gives up on those who do not read.
//!
//! Nothing here blocks a thread that connections need: stores are opened, asked and closed by threads
//! for that, a bounded number at a time. Nothing here prints, and contents and tokens are never logged.

mod assets;
mod body;
mod call;
mod catalogue;
mod guard;
mod listen;
mod metrics;
mod openapi;
mod opened;
mod page;
mod patient;
mod record;
mod response;
mod routes;
mod sessions;
mod settings;
mod shared;
mod standalone;
mod status;
mod stores;
mod stream;
mod tokens;

pub use listen::{Server, Stop};
pub use openapi::openapi;
pub use settings::{Limits, OpenStore, Settings, TlsFiles};
pub use standalone::standalone;
pub use status::status;
pub use tokens::{Scope, Tokens};
