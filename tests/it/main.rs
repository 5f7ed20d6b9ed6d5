//! One test binary; a module for each promise.

mod query_advice;
mod query_edit;
mod query_golden;
mod query_plans;
mod query_ranges;
mod query_reads;
mod query_robust;
mod query_roundtrip;
mod query_spans;
mod query_syntax;
mod support;
