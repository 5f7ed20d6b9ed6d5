//! How many tokens a text has, by the tokenizer `o200k` where it is compiled in.

/// The tokens of a text; none without the tokenizer.
#[cfg(feature = "tokens")]
pub(super) fn tokens(text: &str) -> Option<u64> {
    Some(bpe_openai::o200k_base().count(text) as u64)
}

/// The tokens of a text; none without the tokenizer.
#[cfg(not(feature = "tokens"))]
pub(super) fn tokens(_: &str) -> Option<u64> {
    None
}
