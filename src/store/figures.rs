//! Reading the figures of snapshots, the provider calls that failed, and how many tokens contents
//! have.
//!
//! Tokens are counted by whoever asks for them, and kept in memory alone: they do not follow from
//! the log but from a tokenizer, and reading writes nothing.

use super::reader::StoreReader;
use crate::change::History;
use crate::index::{self, FigureReader, Figures};
use crate::model::ContentRef;
use crate::snapshot::{Contents, content_tokens};
use crate::storage::StoreError;
use std::ops::Range;

impl StoreReader {
    /// The figures of stretches of snapshots, each a range of their numbers, which are counted from 0.
    /// Whoever asks has taken the history first.
    pub fn figures(
        &self,
        history: &History,
        stretches: &[Range<u64>],
    ) -> Result<Vec<Figures>, StoreError> {
        // What it loses to a checkpoint meanwhile is found in the table.
        let newest: Vec<Figures> = self.memtable().figures().copied().collect();
        let stored = newest.first().map_or(history.len(), |first| history.before(first.cycle));
        self.with(|view| {
            let mut reader = FigureReader { view, newest: &newest, stored, rows: Vec::new() };
            stretches.iter().map(|stretch| reader.stretch(stretch.start, stretch.end)).collect()
        })
    }

    /// The cycles `from..=to` of the provider calls that failed, one for each call, in order.
    pub fn failed_attempts(&self, from: u64, to: u64) -> Result<Vec<u64>, StoreError> {
        self.with(|view| index::failed_attempts(view, from, to))
    }

    /// How many tokens a content has, if that was counted.
    pub fn known_tokens(&self, content: &ContentRef) -> Option<u64> {
        self.tokens.get(&(content.seq, content.item))
    }

    /// Counts the tokens of a content; none without a tokenizer.
    pub fn count_tokens(&self, content: &ContentRef) -> Result<Option<u64>, StoreError> {
        let tokens = content_tokens(&*self.content(content)?);
        if let Some(tokens) = tokens {
            self.tokens.insert((content.seq, content.item), tokens);
        }
        Ok(tokens)
    }
}
