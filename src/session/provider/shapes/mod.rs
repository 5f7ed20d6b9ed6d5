//! The forms of parts and fields that the APIs take, as tables. What does not fit is said in
//! another way; what fits is passed on as it is.

pub(super) mod anthropic;
pub(super) mod openai;
mod shape;

pub(super) use shape::{Shape, data_url};
