//! The integration tests: one binary, a module for each promise.

mod commits;
mod crash;
mod damage;
mod edit_errors;
mod goldens;
mod json_canonical;
mod layers;
mod lock;
mod model_golden;
mod model_random;
mod opening;
mod program;
mod query_advice;
mod query_edit;
mod query_fuzz;
mod query_golden;
mod query_naive;
mod query_plans;
mod query_ranges;
mod query_reads;
mod query_robust;
mod query_roundtrip;
mod query_spans;
mod query_stores;
mod query_syntax;
mod readme;
#[cfg(unix)]
mod repl;
mod round_trip;
mod series;
mod sessions;
mod statement_roundtrip;
mod statement_syntax;
mod store_model;
mod support;
mod threads;
