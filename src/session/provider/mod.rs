//! The thread of a state in the words of a provider's API (docs/import.md).
//!
//! Blocks become what the API knows: instructions, things said, calls with their results, thoughts.
//! Every state can be said: what the API has no place for is rendered in a way that it accepts and
//! that tells the model the truth, and a warning names the node. Whoever asks strictly gets an
//! error instead.

mod anthropic;
mod compare;
mod ends;
mod notes;
mod openai;
mod pairs;
mod parts;
mod script;
mod shapes;
mod units;

pub use compare::{Comparison, EndReason, compare};

pub use crate::db::ThreadFormat;

use crate::db::Snapshot;
use crate::error::Result;
use crate::json::{Json, canonical_string};
use crate::model::{Class, Id};
use notes::Notes;
use script::Script;
use units::{Unit, label};

/// Which thread is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadRequest {
    /// In which form.
    pub format: ThreadFormat,
    /// Whether what would have to be said in another way is an error that names the node.
    pub strict: bool,
    /// Whether calls and results that have lost each other are left out.
    pub drop_unpaired: bool,
}

impl From<ThreadFormat> for ThreadRequest {
    fn from(format: ThreadFormat) -> ThreadRequest {
        ThreadRequest { format, ..ThreadRequest::default() }
    }
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Its exact bytes.
    pub text: String,
    /// What was said in another way than it stands, each beginning with the node's id.
    pub warnings: Vec<String>,
}

/// The thread of a state.
///
/// ```
/// use pactdb::session::{ThreadFormat, thread};
/// use pactdb::{Add, Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// let thread = thread(&db.working_state(), ThreadFormat::Openai)?;
/// assert_eq!(thread.text, r#"[{"content":"Where is the key?","role":"user"}]"#);
/// # Ok(())
/// # }
/// ```
pub fn thread(state: &Snapshot, request: impl Into<ThreadRequest>) -> Result<Thread> {
    let request = request.into();
    if request.format == ThreadFormat::Thread {
        return Ok(Thread { text: state.thread()?, warnings: Vec::new() });
    }
    let mut notes = Notes::default();
    let pieces = pieces(state, request, &mut notes)?;
    let mut warnings = notes.finish(request.strict)?;
    if pieces.is_empty() {
        warnings.push(format!("{}: there is nothing to say in this state", state.tree().root().id));
    }
    Ok(Thread { text: join(request.format, &pieces), warnings })
}

/// A piece of a thread, and the nodes that it is made of. Pieces follow each other.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    ids: Vec<Id>,
    value: Json,
    /// Whether it is an instruction that stands beside the messages.
    beside: bool,
}

fn pieces(state: &Snapshot, request: ThreadRequest, notes: &mut Notes) -> Result<Vec<Piece>> {
    let drop = request.drop_unpaired;
    Ok(match request.format {
        ThreadFormat::Thread => plain(state)?,
        ThreadFormat::Openai => {
            openai::messages(&Script::new(state, &openai::NAMING, drop, notes)?, notes)
        }
        ThreadFormat::Anthropic => {
            anthropic::messages(&Script::new(state, &anthropic::NAMING, drop, notes)?, notes)
        }
    })
}

/// What stands for a result that is there and says nothing.
fn empty_result(unit: &Unit, notes: &mut Notes) -> Json {
    notes.mended(unit, "is an empty result", "said as [empty]");
    Json::from("[empty]")
}

/// Notes a field of an imported record that the API has no place for.
fn left_out(unit: &Unit, field: &str, notes: &mut Notes) {
    let what = format!("has the field {}, which this API does not take there", label(field));
    notes.mention(unit, &what, "left out");
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
