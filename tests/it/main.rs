//! The integration tests: one binary, a module for each promise.

mod all_or_nothing;
mod amendments;
mod attach;
mod budgets;
mod causes;
mod checks;
mod clock_times;
mod commits;
mod copies;
mod crash;
mod damage;
mod dependencies;
mod documents;
mod edit_errors;
mod examples;
mod files;
mod frozen;
mod goldens;
mod headers;
mod json_canonical;
mod json_lines;
mod json_reply;
mod json_serde;
mod language_completion;
mod layers;
mod lock;
mod model_golden;
mod model_random;
mod moments;
mod opening;
#[cfg(feature = "cli")]
mod output;
#[cfg(feature = "cli")]
mod program;
mod protocol;
mod query_advice;
mod query_edit;
mod query_filters;
mod query_fuzz;
mod query_golden;
mod query_naive;
mod query_nesting;
mod query_plans;
mod query_ranges;
mod query_reads;
mod query_rewrite;
mod query_robust;
mod query_roundtrip;
mod query_spans;
mod query_stores;
mod query_syntax;
mod query_unions;
mod read_only;
mod readers;
#[cfg(feature = "cli")]
mod readme;
#[cfg(all(unix, feature = "cli"))]
mod repl;
mod round_trip;
mod series;
#[cfg(all(feature = "remote", feature = "serve"))]
mod serve;
mod sessions;
#[cfg(feature = "sql")]
mod sql;
mod statement_roundtrip;
mod statement_syntax;
mod storage_bytes;
mod store_model;
mod support;
mod threads;
mod timeline;
mod unknown_names;
