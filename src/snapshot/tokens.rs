//! How many tokens a text or a content has, by the tokenizer `o200k` where it is compiled in.

use crate::json::{Json, canonical_string};

/// The tokens of a text; none without the tokenizer.
#[cfg(feature = "tokens")]
pub fn text_tokens(text: &str) -> Option<u64> {
    Some(bpe_openai::o200k_base().count(text) as u64)
}

/// The tokens of a text; none without the tokenizer.
#[cfg(not(feature = "tokens"))]
pub fn text_tokens(_: &str) -> Option<u64> {
    None
}

/// The tokens of a content; none without the tokenizer.
pub fn content_tokens(content: &Json) -> Option<u64> {
    match content {
        Json::Str(text) => text_tokens(text),
        other => text_tokens(&canonical_string(other)),
    }
}
