//! What the integration tests share: the naive model, the generator of operations, and disks.
//!
//! The model and the generator may not use the engine: the model is a second reading of the rules, and
//! it is only worth something as long as it is independent.

// Each test file uses a part of this; the whole is still one kit.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

pub(crate) mod disk;
pub(crate) mod follow;
pub(crate) mod life;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod ops;
pub(crate) mod random;
