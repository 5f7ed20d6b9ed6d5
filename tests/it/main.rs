//! The integration tests: one binary, a module for each promise.

mod commits;
mod edit_errors;
mod goldens;
mod json_canonical;
mod layers;
mod model_golden;
mod model_random;
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
mod query_syntax;
mod readme;
mod round_trip;
mod store_model;
mod support;
