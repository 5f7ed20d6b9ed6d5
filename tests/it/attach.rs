//! Other processes at an open store: what they ask is answered as in this process, to the byte; what
//! they were told is done is done, once; and nobody keeps anybody waiting.

#![cfg(feature = "attach")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(feature = "cli")]
mod processes;
mod replies;
mod watching;
mod wire;
