//! What several test files need.

pub mod memory;
pub mod random;
