//! The prompt and the first lines: where you are.

use super::session::Session;
use crate::connect::near;
use crate::context::name_of;
use crate::render::{self, Look, Tone, plural, visible};
use pactdb::Result;
use pactdb::protocol::StoreState;

/// The prompt, plain and in colours: `pactdb memory@c42> `, or `pactdb memory*> ` with edits that
/// are not committed.
pub fn prompt(session: &Session<'_>, store: Option<&StoreState>, look: Look) -> (String, String) {
    let name = session.name();
    let lens = session.lens.map(|lens| lens.to_string()).unwrap_or_default();
    // A store that does not answer says so at the next line.
    let edited = store.is_some_and(|store| store.uncommitted > 0);
    let mark = if lens.is_empty() && edited { "*" } else { "" };
    let attached =
        session.client.process().map(|process| format!(" (attached to process {process})"));
    let attached = attached.unwrap_or_default();
    let plain = format!("pactdb {name}{lens}{mark}{attached}> ");
    let styled = format!(
        "{} {}{}{}{}{} ",
        look.paint(Tone::Dim, "pactdb"),
        look.paint(Tone::Strong, &name),
        look.paint(Tone::Soon, &lens),
        look.paint(Tone::Soon, mark),
        look.paint(Tone::Dim, &attached),
        look.paint(Tone::Dim, ">"),
    );
    (plain, styled)
}

/// The three lines that say where you are and what to try.
pub fn welcome(session: &Session<'_>, look: Look, is_new: bool) -> Result<String> {
    let store = session.store()?;
    let file = visible(&name_of(&session.path)).into_owned();
    let generation = &store.spec;
    let (did, made) = if is_new { ("created ", ", new") } else { ("", "") };
    let version = env!("CARGO_PKG_VERSION");
    let first = look
        .paint(Tone::Strong, &format!("pactdb {version}: {did}{file} (PACT {generation}{made})"));
    let snapshots = match store.snapshots {
        0 => "nothing is committed yet".to_owned(),
        count => format!("{}, the newest is @c{}", plural(count, "snapshot"), store.cycle),
    };
    let pending = match store.uncommitted {
        0 => String::new(),
        count => format!("; {} not committed", plural(count, "edit")),
    };
    let block = if generation == "1.0" { ".block" } else { ".cb" };
    let tries = if store.snapshots == 0 && store.uncommitted == 0 {
        format!("try: add {{role='user'}} 'Hello'    commit    @t0 {block}    .help")
    } else {
        format!("try: .tree    {block}[role='user']    @t-3..@t0 {block}    .help")
    };
    let near = near(&session.path).filter(|_| is_new);
    let near = near.map(|near| render::warning(look, &format!("there is also {near}")));
    let near = near.unwrap_or_default();
    Ok(format!("{first}\n{near}{snapshots}{pending}\n{}\n", look.paint(Tone::Dim, &tries)))
}
