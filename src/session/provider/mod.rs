//! The thread of a state in the words of a provider's API (docs/import.md).
//!
//! Blocks become what the API knows: instructions, things said, calls with their results, thoughts.
//! Every state can be said: what the API has no place for is rendered in a way that it accepts and
//! that tells the model the truth, and a warning names the node. Whoever asks strictly gets an
//! error instead.

mod anthropic;
mod breaks;
mod compare;
mod ends;
mod notes;
mod openai;
mod pairs;
mod parts;
mod piece;
mod script;
mod shapes;
mod thread;
mod unit;
mod units;

pub use crate::db::ThreadFormat;
pub use breaks::prompt_breaks;
pub use compare::{Comparison, EndReason, compare};
pub use thread::{Thread, ThreadRequest, thread};
