//! JSON values as pactdb keeps them, and their one canonical text.
//!
//! A [`Json`] is already normalised: an integer keeps every digit it was given, a number with a
//! fraction or an exponent is a finite double, an object's keys are sorted by code point. Two
//! values are equal exactly if their canonical texts are.
//!
//! Refused, because no such value could be kept: a lone surrogate escape (`"\ud800"` is no text),
//! a number that overflows a double (`1e400`), `NaN` and the infinities, and nesting beyond
//! [`MAX_JSON_NESTING`](crate::limits::MAX_JSON_NESTING).
//!
//! This module knows nothing of trees, nodes or storage.

mod canonical;
mod de;
mod decode_error;
mod lines;
mod parse;
mod reply;
mod ser;
mod value;
mod value_serde;

pub use canonical::{canonical, canonical_string, write_canonical, write_canonical_str};
pub use de::from_json;
pub use decode_error::{DecodeError, Fault};
pub use lines::{Line, field, raw_field, read_line};
pub use parse::{JsonError, parse, parse_document};
pub use reply::{is_unseen, laid_out, line, pretty};
pub use ser::{EncodeError, to_json};
pub use value::{Json, Map};
