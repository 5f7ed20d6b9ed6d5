//! What was said in another way than it stands, and why. Whoever asked strictly gets the first of
//! these as an error.

use super::unit::Unit;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::model::{Id, Name};

/// The notes of one thread.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

#[derive(Debug)]
struct Note {
    /// The place of the node among the blocks of the state.
    at: usize,
    id: Id,
    kind: Option<Name>,
    what: String,
    done: String,
    /// Whether it is an error for whoever asks strictly.
    grave: bool,
}

impl Notes {
    /// Notes what is wrong with a block, and what was done about it.
    pub(super) fn mended(&mut self, unit: &Unit, what: impl Into<String>, done: impl Into<String>) {
        self.note(unit, what.into(), done.into(), true);
    }

    /// Notes what nobody has to mend: a thing that the API has no place or another word for.
    pub(super) fn mention(&mut self, unit: &Unit, what: &str, done: impl Into<String>) {
        self.note(unit, what.to_owned(), done.into(), false);
    }

    fn note(&mut self, unit: &Unit, what: String, done: String, grave: bool) {
        let (at, id, kind) = (unit.at, unit.id().clone(), unit.node.kind.clone());
        self.0.push(Note { at, id, kind, what, done, grave });
    }

    /// The notes as texts that begin with the node's id, in the order of the blocks; an error if
    /// nothing may be mended.
    pub(super) fn finish(mut self, strict: bool) -> Result<Vec<String>> {
        self.0.sort_by_key(|note| note.at);
        if let Some(note) = self.0.iter().find(|note| strict && note.grave) {
            return Err(note.fault());
        }
        let mut texts: Vec<String> = Vec::with_capacity(self.0.len());
        for note in &self.0 {
            let text = format!("{}: {}: {}", note.id, note.what, note.done);
            if texts.last() != Some(&text) {
                texts.push(text);
            }
        }
        Ok(texts)
    }
}

impl Note {
    fn fault(&self) -> Error {
        let kind = self.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let mut error = Error::new(
            Code::AttrInvalid,
            format!("{}{kind} cannot be said to this provider: it {}", self.id, self.what),
        );
        error.details.hint = Some(format!("without `strict`: {}", self.done));
        error
    }
}
