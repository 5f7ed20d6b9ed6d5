//! Answers for people: each operation is asked for by its own type, and its reply becomes text.

use crate::progress::ask_with_bar;
use crate::render::{self, Look, NodeView, Sought, Tone, plural, visible};
use crate::states;
use pactdb::protocol::{
    Attempts, Body, Client, ClientExt, Compacted, Compare, Difference, Envelope, Import, Imported,
    KeyReply, Life, Nodes, Request, Selection, Sql, StateKind, StateReply,
};
use pactdb::session::SameThread;
use pactdb::{
    AttemptRequest, Dialect, Diff, EditReply, Error, IdReply, IdsReply, Result, Select, Verified,
};
use serde::Serialize;

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

/// Asks, and says in words what came of it.
pub fn answer(look: Look, client: &dyn Client, request: Request) -> Result<Answer> {
    Ok(match request {
        Request::Add(request) => edited(look, "added", &EditReply::Id(client.ask(*request)?)),
        Request::Set(request) => edited(look, "set", &EditReply::Ids(client.ask(*request)?)),
        Request::Move(request) => edited(look, "moved", &EditReply::Ids(client.ask(*request)?)),
        Request::Remove(request) => edited(look, "removed", &EditReply::Ids(client.ask(*request)?)),
        Request::Commit(request) => {
            let did = if request.dry_run { "a commit would close" } else { "committed" };
            render::commit(look, did, &client.ask(*request)?)
        }
        Request::Policy(request) => render::policies(look, &client.ask(*request)?),
        Request::Cadence(request) => edited(look, "", &EditReply::Key(client.ask(*request)?)),
        Request::Batch(request) => {
            let replies = client.ask(*request)?.results;
            replies.iter().map(|reply| edited(look, "edited", reply)).collect()
        }
        Request::Undo(request) => render::undo(&client.ask(*request)?),
        Request::Restore(request) => {
            let at = request.at.clone();
            let said = render::commit(look, "committed", &client.ask(*request)?);
            format!("restored {}: {said}", visible(&at))
        }
        Request::Select(question) => return Ok(select(look, client, *question)?.0),
        Request::Nodes(question) => return nodes(look, client, *question),
        Request::Diff(request) => return diff(look, client, *request),
        Request::Compare(request) => compare(look, client, *request)?,
        Request::Explain(question) => render::explanation(look, &client.ask(*question)?),
        Request::Log(request) => render::log(look, &client.ask(*request)?),
        Request::Life(request) => return life(look, client, *request),
        Request::Sql(request) => return sql(look, client, *request),
        Request::Timeline(request) => render::timeline(look, &client.ask(*request)?),
        Request::Stats(request) => {
            let stats = render::stats(look, &client.ask(*request)?);
            match client.process() {
                Some(process) => format!("{stats}attached to process {process}\n"),
                None => stats,
            }
        }
        Request::Attempt(request) => return attempts(look, client, *request),
        Request::Check(request) => same(&client.ask(*request)?),
        Request::Import(request) => return import(look, client, *request),
        Request::Verify(request) => verified(&ask_with_bar(client, *request)?.reply),
        Request::Rebuild(request) => rebuilt(&ask_with_bar(client, *request)?.reply),
        Request::Redact(request) => render::suspects(look, &ask_with_bar(client, *request)?.reply),
        Request::Compact(request) => compacted(&ask_with_bar(client, *request)?.reply),
        other => return plain(client, other),
    }
    .into())
}

/// The answer as the protocol has it, for what needs no words around it.
fn plain(client: &dyn Client, request: Request) -> Result<Answer> {
    let reply = client.call(Envelope::new(request), &mut |_| Ok(()));
    let text = match reply.result? {
        Body::Exact(text) => text,
        Body::Value(value) => pretty(&value)?,
    };
    Ok(Answer { text, warnings: reply.warnings, source: None })
}

/// A value as JSON that a person can read.
pub fn pretty<T: Serialize>(value: &T) -> Result<String> {
    let text = pactdb::json::pretty(value).map_err(|error| Error::request(error.to_string()))?;
    Ok(format!("{text}\n"))
}

fn edited(look: Look, did: &str, reply: &EditReply) -> String {
    match reply {
        EditReply::Id(IdReply { id: Some(id), .. }) => {
            format!("added {}\n", look.paint(Tone::Id, id))
        }
        EditReply::Id(IdReply { id: None, .. }) => "nothing matches the place\n".to_owned(),
        EditReply::Ids(IdsReply { ids, .. }) if ids.is_empty() => "nothing matched\n".to_owned(),
        EditReply::Ids(IdsReply { ids, .. }) => {
            let ids = visible(&ids.join(" ")).into_owned();
            let ids = render::cut(&ids, look.width.saturating_sub(did.len() + 1));
            format!("{did} {}\n", look.paint(Tone::Id, &ids))
        }
        EditReply::Policies(policies) => render::policies(look, policies),
        EditReply::Key(KeyReply { key, .. }) => format!("ended the cadence of {}\n", visible(key)),
        EditReply::Commit(reply) => render::commit(look, "committed", reply),
    }
}

/// Ids, one a line, for programs as much as for people; or what changed over a range. Also as it was
/// answered.
pub fn select(look: Look, client: &dyn Client, question: Select) -> Result<(Answer, Selection)> {
    let Select { q, dialect, options } = question.clone();
    let state = states::of_answer(client, &q, dialect, &options)?;
    let sought = Sought::by(&q, dialect.unwrap_or(state.store.dialect));
    let every = state.kind == StateKind::Every;
    // People see what was searched for, and where nodes of every snapshot are from.
    if look.height.is_some() && state.kind != StateKind::Range && (every || !sought.is_empty()) {
        let answered = client.ask_fully(Nodes { q, dialect, options })?;
        let views: Vec<_> =
            answered.reply.iter().map(|node| NodeView::matching(node, &sought, look)).collect();
        let answer = Answer {
            text: render::found(look, &views),
            warnings: answered.warnings,
            source: Some(render::source(&state, Some(views.len()))),
        };
        let ids = views.into_iter().map(|view| view.id.into()).collect();
        return Ok((answer, Selection::Ids(ids)));
    }
    let answered = client.ask_fully(question)?;
    let answer = match &answered.reply {
        Selection::Ids(ids) => Answer {
            text: render::ids(ids.iter().map(|id| &**id)),
            warnings: answered.warnings,
            source: Some(render::source(&state, Some(ids.len()))),
        },
        Selection::Range(range) => {
            let sides = states::sides_of_range(client, range, state.store.cycle)?;
            Answer {
                text: render::range(look, &sides, range),
                warnings: range.warnings.clone(),
                source: Some(render::source(&state, None)),
            }
        }
    };
    Ok((answer, answered.reply))
}

fn nodes(look: Look, client: &dyn Client, question: Nodes) -> Result<Answer> {
    let Nodes { q, dialect, options } = question.clone();
    let answered = client.ask_fully(question)?;
    let state = states::of_answer(client, &q, dialect, &options)?;
    let sought = Sought::by(&q, dialect.unwrap_or(state.store.dialect));
    let views: Vec<NodeView> =
        answered.reply.iter().map(|node| NodeView::matching(node, &sought, look)).collect();
    Ok(Answer {
        text: render::nodes(look, &views, state.now),
        warnings: answered.warnings,
        source: Some(render::source(&state, Some(views.len()))),
    })
}

fn diff(look: Look, client: &dyn Client, request: Diff) -> Result<Answer> {
    let (a, b, dialect) = (request.a.clone(), request.b.clone(), request.dialect);
    let difference = client.ask(Diff { rich: true, ..request })?;
    let Difference::Rich(diff) = difference else {
        return Err(Error::request("the answer to diff is not the rich one that was asked for"));
    };
    let [older, newer] = by_age(client, [a, b], dialect)?;
    let names = [&older, &newer].map(render::state_name);
    let sides = states::sides(client, &older, &newer, &diff)?;
    let text = render::diff(look, &sides, &diff);
    Ok(Answer { text, warnings: Vec::new(), source: Some(names.join(" → ")) })
}

fn compare(look: Look, client: &dyn Client, request: Compare) -> Result<String> {
    let (a, b, dialect) = (request.a.clone(), request.b.clone(), request.dialect);
    let found = client.ask(request)?;
    let names = by_age(client, [a, b], dialect)?.each_ref().map(render::state_name);
    Ok(render::comparison(look, &names, &found))
}

/// Two states, the older one first.
fn by_age(
    client: &dyn Client,
    addresses: [Option<String>; 2],
    dialect: Option<Dialect>,
) -> Result<[StateReply; 2]> {
    let [a, b] = addresses.map(|at| states::at(client, at.as_deref(), dialect));
    let mut both = [a?, b?];
    both.sort_by_key(states::age);
    Ok(both)
}

fn life(look: Look, client: &dyn Client, request: Life) -> Result<Answer> {
    let id = request.id.clone();
    let moments = client.ask(request)?;
    let source = Some(format!("{} of {id}", plural(moments.len() as u64, "moment")));
    Ok(Answer { text: render::life(look, &moments), warnings: Vec::new(), source })
}

fn sql(look: Look, client: &dyn Client, request: Sql) -> Result<Answer> {
    let answered = client.ask_fully(request)?;
    let mut warnings = answered.warnings;
    warnings.extend(render::truncated(&answered.reply));
    let source = Some(plural(answered.reply.rows.len() as u64, "row"));
    Ok(Answer { text: render::rows(look, &answered.reply), warnings, source })
}

fn attempts(look: Look, client: &dyn Client, request: AttemptRequest) -> Result<Answer> {
    let answered = client.ask_fully(request)?;
    let text = match &answered.reply {
        Attempts::List(list) => render::attempts(look, list),
        Attempts::One(one) => pretty(one)?,
    };
    Ok(Answer { text, warnings: answered.warnings, source: None })
}

fn import(look: Look, client: &dyn Client, request: Import) -> Result<Answer> {
    let answered = ask_with_bar(client, request)?;
    let text = match &answered.reply {
        Imported::Document(report) => render::imported(look, report),
        Imported::Plain(reply) => pretty(reply)?,
    };
    Ok(Answer { text, warnings: answered.warnings, source: None })
}

fn same(same: &SameThread) -> String {
    let SameThread { attempt_id, at_event, format, thread_sha256, .. } = same;
    format!(
        "the {format} thread of {attempt_id} at @e{at_event} is what was sent: SHA-256 {thread_sha256}\n"
    )
}

fn verified(verified: &Verified) -> String {
    format!(
        "all is well: {}, {}, {}, {}\n",
        plural(verified.events, "event"),
        plural(verified.contents, "content"),
        plural(verified.commits, "commit"),
        plural(verified.rows, "derived row"),
    )
}

fn rebuilt(rebuilt: &Verified) -> String {
    let (events, commits) = (plural(rebuilt.events, "event"), plural(rebuilt.commits, "commit"));
    format!("rebuilt from {events} and {commits}\n")
}

fn compacted(compacted: &Compacted) -> String {
    let (before, after) = (render::size(compacted.before), render::size(compacted.after));
    let mut text = format!("{before} before, {after} now\n");
    if !compacted.packed {
        text += "the disk has no room to write the tables anew, so they stayed as they are\n";
    }
    text
}
