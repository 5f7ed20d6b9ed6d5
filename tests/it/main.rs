//! The integration tests: one binary, one file per promise.

mod model_golden;
mod support;
