//! Sessions in and out: imports, threads, replay, forks, dumps.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod dumps;
mod forks;
mod imports;
mod redact;
mod replays;
mod sayable;
mod sayable_bytes;
mod sayable_random;
mod sent;
mod threads;
mod turns;
