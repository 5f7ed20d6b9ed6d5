//! Operations answered for people: what the protocol answers in JSON, as text.

use crate::render::{self, Look, NodeView, Tone, visible};
use pactdb::answer::ReadStates;
use pactdb::protocol::KeyReply;
use pactdb::protocol::{Body, Nodes, Request};
use pactdb::{
    AttemptAction, Db, Diff, EditReply, Error, IdReply, IdsReply, Result, Select, Selected,
    Snapshot, protocol,
};

/// An answer in words.
#[derive(Debug, Default)]
pub struct Answer {
    /// The text, whole lines.
    pub text: String,
    /// What else there is to say.
    pub warnings: Vec<String>,
    /// Which state it is from, and how much there is of it.
    pub source: Option<String>,
}

impl From<String> for Answer {
    fn from(text: String) -> Answer {
        Answer { text, ..Answer::default() }
    }
}

/// Runs an operation and says what came of it.
pub fn answer(look: Look, db: &Db, request: Request) -> Result<Answer> {
    Ok(match request {
        Request::Add(request) => edited(look, "added", &EditReply::Id(db.add(*request)?)).into(),
        Request::Set(request) => edited(look, "set", &EditReply::Ids(db.set(*request)?)).into(),
        Request::Move(request) => {
            edited(look, "moved", &EditReply::Ids(db.move_nodes(*request)?)).into()
        }
        Request::Remove(request) => {
            edited(look, "removed", &EditReply::Ids(db.remove(*request)?)).into()
        }
        Request::Commit(request) => {
            let did = if request.dry_run { "a commit would close" } else { "committed" };
            render::commit(look, did, &db.commit(*request)?).into()
        }
        Request::Policy(request) => {
            let policies = match request.set {
                Some(policies) => db.set_policies(policies)?,
                None => db.policies(),
            };
            render::policies(look, &policies).into()
        }
        Request::Cadence(request) => {
            edited(look, "", &EditReply::Key(db.end_cadence(request.end)?)).into()
        }
        Request::Batch(request) => {
            let replies = db.batch(*request)?;
            replies.iter().map(|reply| edited(look, "edited", reply)).collect::<String>().into()
        }
        Request::Undo(_) => render::undo(&db.undo()?).into(),
        Request::Restore(request) => {
            let at = request.at.clone();
            let reply = db.restore(*request)?;
            let said = render::commit(look, "committed", &reply);
            format!("restored {}: {said}", visible(&at)).into()
        }
        Request::Select(question) => select(look, db, *question)?,
        Request::Nodes(question) => nodes(look, db, *question)?,
        Request::Diff(request) => diff(look, db, &request)?,
        Request::Explain(question) => {
            render::explanation(look, &db.explain(&question.q, question.dialect)?).into()
        }
        Request::Log(request) => render::log(look, &db.log(&request)?).into(),
        Request::Stats(_) => render::stats(look, &db.stats()?).into(),
        Request::Attempt(request) if request.action == AttemptAction::List => {
            render::attempts(look, &db.attempt(*request)?).into()
        }
        other => plain(db, other)?,
    })
}

/// The answer as the protocol has it, for what needs no words around it.
fn plain(db: &Db, request: Request) -> Result<Answer> {
    let reply = protocol::answer(db, request);
    let text = match reply.result? {
        Body::Exact(text) => text,
        Body::Value(value) => {
            let pretty = pactdb::json::pretty(&value);
            format!("{}\n", pretty.map_err(|error| Error::request(error.to_string()))?)
        }
    };
    Ok(Answer { text, warnings: reply.warnings, source: None })
}

fn edited(look: Look, did: &str, reply: &EditReply) -> String {
    match reply {
        EditReply::Id(IdReply { id: Some(id) }) => format!("added {}\n", look.paint(Tone::Id, id)),
        EditReply::Id(IdReply { id: None }) => "nothing matches the place\n".to_owned(),
        EditReply::Ids(IdsReply { ids }) if ids.is_empty() => "nothing matched\n".to_owned(),
        EditReply::Ids(IdsReply { ids }) => {
            let ids = visible(&ids.join(" ")).into_owned();
            let ids = render::cut(&ids, look.width.saturating_sub(did.len() + 1));
            format!("{did} {}\n", look.paint(Tone::Id, &ids))
        }
        EditReply::Policies(policies) => render::policies(look, policies),
        EditReply::Key(KeyReply { key }) => format!("ended the cadence of {}\n", visible(key)),
        EditReply::Commit(reply) => render::commit(look, "committed", reply),
    }
}

/// Ids, one a line, for programs as much as for people; or what changed over a range.
fn select(look: Look, db: &Db, question: Select) -> Result<Answer> {
    let Select { q, dialect, options } = question;
    let asked = db.asked(&q, dialect)?;
    match db.select(Select { q, dialect, options })? {
        Selected::Ids { ids, warnings } => {
            let text = render::ids(ids.iter().map(|id| &**id));
            Ok(Answer { text, warnings, source: Some(source(db, asked, Some(ids.len()))) })
        }
        Selected::Range(range) => Ok(Answer {
            text: render::range(look, db, &range)?,
            warnings: range.warnings,
            source: Some(source(db, asked, None)),
        }),
    }
}

fn nodes(look: Look, db: &Db, question: Nodes) -> Result<Answer> {
    let Nodes { q, dialect, options } = question;
    let asked = db.asked(&q, dialect)?;
    let nodes = db.nodes(Select { q, dialect, options })?;
    let views: Vec<NodeView> = nodes.nodes.iter().map(NodeView::of).collect();
    let source = Some(source(db, asked, Some(views.len())));
    Ok(Answer {
        text: render::nodes(look, &views, now(db, asked)),
        warnings: nodes.warnings,
        source,
    })
}

fn diff(look: Look, db: &Db, request: &Diff) -> Result<Answer> {
    let diff = db.rich_diff(request)?;
    let dialect = request.dialect;
    let mut states = [
        state_at(db, request.a.as_deref(), dialect)?,
        state_at(db, request.b.as_deref(), dialect)?,
    ];
    states.sort_by_key(Snapshot::age);
    let [older, newer] = &states;
    let names = states.each_ref().map(render::state_name);
    let text = render::diff(look, older, newer, &diff)?;
    Ok(Answer { text, warnings: Vec::new(), source: Some(names.join(" → ")) })
}

/// The state at an address in a dialect; the working state if there is none.
pub fn state_at(db: &Db, at: Option<&str>, dialect: Option<pactdb::Dialect>) -> Result<Snapshot> {
    let Some(at) = at else { return Ok(db.working_state()) };
    match db.asked(&format!("{at} *"), dialect)? {
        ReadStates::Working => Ok(db.working_state()),
        ReadStates::Snapshot(cycle) => db.snapshot(cycle),
        ReadStates::Event { seq, .. } => db.after_event(seq),
        _ => Err(Error::new(
            pactdb::Code::SelectorInvalid,
            format!("{at} is not one state: give an address such as @t0, @c4 or @e7"),
        )),
    }
}

/// The cycle that ages are counted to, if one state was asked.
pub fn now(db: &Db, asked: ReadStates) -> Option<u64> {
    match asked {
        ReadStates::Working => Some(db.last_cycle() + 1),
        ReadStates::Snapshot(cycle) => Some(cycle),
        ReadStates::Event { after, .. } => Some(after + 1),
        _ => None,
    }
}

/// Where an answer is from: `4 nodes in @c12`.
pub fn source(db: &Db, asked: ReadStates, count: Option<usize>) -> String {
    let from = render::asked(asked, db.last_cycle());
    match count {
        Some(count) => format!("{} in {from}", render::plural(count as u64, "node")),
        None => from,
    }
}
