//! The thread of a state in the words of a provider's API (docs/import.md).
//!
//! Blocks become what the API knows: instructions, things said, calls with their results, thoughts.
//! Calls and results are paired as the APIs require. What cannot be said there is an error that
//! names the node.

mod anthropic;
mod compare;
mod openai;
mod units;

pub use compare::{Comparison, EndReason, compare};

use crate::db::Snapshot;
use crate::error::Result;
use crate::json::{Json, canonical_string};
use crate::model::{Class, Id};

/// A form of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThreadFormat {
    /// One object for each block (R9.5).
    #[default]
    Thread,
    /// The `messages` of the OpenAI chat API.
    Openai,
    /// An object with the `messages` and the `system` of the Anthropic API.
    Anthropic,
}

impl ThreadFormat {
    /// All of them.
    pub const ALL: [ThreadFormat; 3] =
        [ThreadFormat::Thread, ThreadFormat::Openai, ThreadFormat::Anthropic];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ThreadFormat::Thread => "thread",
            ThreadFormat::Openai => "openai",
            ThreadFormat::Anthropic => "anthropic",
        }
    }

    /// The form of that name.
    pub fn from_name(name: &str) -> Option<ThreadFormat> {
        ThreadFormat::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// What becomes of a call whose result is not there, and of a result whose call is not. Results
/// often expire before their calls do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unpaired {
    /// It cannot be said: an error names it.
    #[default]
    Refuse,
    /// It is left out.
    LeaveOut,
}

/// The exact bytes of a state's thread.
pub fn thread(state: &Snapshot, format: ThreadFormat, unpaired: Unpaired) -> Result<String> {
    match format {
        ThreadFormat::Thread => state.thread(),
        _ => Ok(join(format, &pieces(state, format, unpaired)?)),
    }
}

/// A piece of a thread, and the nodes that it is made of. Pieces follow each other.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    ids: Vec<Id>,
    value: Json,
    /// Whether it is an instruction that stands beside the messages.
    beside: bool,
}

fn pieces(state: &Snapshot, format: ThreadFormat, unpaired: Unpaired) -> Result<Vec<Piece>> {
    match format {
        ThreadFormat::Thread => plain(state),
        ThreadFormat::Openai => openai::messages(&units::units(state, unpaired)?),
        ThreadFormat::Anthropic => anthropic::messages(&units::units(state, unpaired)?),
    }
}

/// The objects of R9.5, one for each block.
fn plain(state: &Snapshot) -> Result<Vec<Piece>> {
    let Ok(Json::List(values)) = crate::json::parse(&state.thread()?) else {
        return Ok(Vec::new());
    };
    let mut ids = Vec::with_capacity(values.len());
    for place in state.tree().places() {
        let part = state.tree().subtree(place)?;
        let blocks = part.entries().iter().filter(|entry| entry.node.class == Class::Block);
        ids.extend(blocks.map(|entry| entry.node.id.clone()));
    }
    let piece = |(id, value)| Piece { ids: vec![id], value, beside: false };
    Ok(ids.into_iter().zip(values).map(piece).collect())
}

/// The bytes of all pieces together.
fn join(format: ThreadFormat, pieces: &[Piece]) -> String {
    let list = |beside: bool| -> Vec<&Json> {
        pieces.iter().filter(|piece| piece.beside == beside).map(|piece| &piece.value).collect()
    };
    let text = |values: &[&Json]| -> String {
        let texts: Vec<String> = values.iter().map(|value| canonical_string(value)).collect();
        format!("[{}]", texts.join(","))
    };
    match format {
        ThreadFormat::Anthropic => {
            // The instructions come first in what a model reads, so they come first here too.
            let system = match list(true).as_slice() {
                [] => String::new(),
                [Json::Str(only)] => {
                    format!("\"system\":{},", canonical_string(&Json::from(only.as_str())))
                }
                values => format!("\"system\":{},", text(values)),
            };
            format!("{{{system}\"messages\":{}}}", text(&list(false)))
        }
        _ => text(&list(false)),
    }
}
