//! The integration tests: one binary, a module for each promise.

mod crash;
mod damage;
mod lock;
mod model_golden;
mod model_random;
mod opening;
mod query_advice;
mod query_robust;
mod query_roundtrip;
mod query_spans;
mod query_syntax;
mod store_model;
mod support;
mod threads;
