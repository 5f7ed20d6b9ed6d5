//! The integration tests: one binary, one file per promise.

mod model_golden;
mod model_random;
mod support;
