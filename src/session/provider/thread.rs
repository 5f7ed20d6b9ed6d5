//! The thread of a state: its pieces in the words of an API, and their bytes together.

use super::notes::Notes;
use super::piece::Piece;
use super::script::Script;
use super::{anthropic, openai};
use crate::db::{Snapshot, ThreadFormat};
use crate::error::Result;
use crate::json::{Json, canonical_string};
use crate::model::Class;

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
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// let thread = thread(&db.working_state(), ThreadFormat::Openai)?;
/// assert_eq!(thread.text, r#"[{"content":"Where is the key?","role":"user"}]"#);
/// # Ok::<(), pactdb::Error>(())
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

pub(super) fn pieces(
    state: &Snapshot,
    request: ThreadRequest,
    notes: &mut Notes,
) -> Result<Vec<Piece>> {
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
pub(super) fn join(format: ThreadFormat, pieces: &[Piece]) -> String {
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
