//! What the integration tests share: the naive model and the generator of operations, disks and
//! storage in memory, and a plain store for queries.
//!
//! The model is a second reading of the rules, and only worth something as long as it uses nothing
//! of the engine.

// Each test file uses a part of this; the whole is still one kit.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

pub(crate) mod against;
pub(crate) mod disk;
pub(crate) mod follow;
pub(crate) mod life;
pub mod memory;
pub(crate) mod model;
pub(crate) mod naive;
pub(crate) mod ops;
#[cfg(feature = "cli")]
pub mod program;
pub mod random;
pub(crate) mod seeded;
pub(crate) mod storage;
#[cfg(all(unix, feature = "cli"))]
pub mod terminal;
pub(crate) mod wire;
