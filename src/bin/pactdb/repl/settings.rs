//! Dot commands that change how the session looks at a store, at which one, and where answers go.

use super::arguments::{Shape, parse};
use super::history as typed;
use super::session::{Outcome, Session};
use super::sink::{Form, text_file};
use crate::clock;
use crate::connect::Wish;
use crate::context::name_of;
use crate::render::{self, plural, visible};
use crate::states;
use clap::Args;
use pactdb::protocol::StateReply;
use pactdb::{Code, Dialect, Error, Result};
use std::path::PathBuf;

/// `.at [TIME | now]`
pub fn at(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let state = address(session, rest)?;
    session.lens = states::address(&state);
    let name = render::state_words(&state);
    Ok(Outcome::Note(match session.lens {
        Some(_) => format!("questions read {name}; `.at now` goes back to the working state\n"),
        None => format!("questions read {name}\n"),
    }))
}

/// The state at an address, or where the session looks.
pub fn address(session: &Session<'_>, text: &str) -> Result<StateReply> {
    let (client, lens) = (session.client(), session.lens.map(|lens| lens.to_string()));
    match text {
        "" => states::one_at(client, lens.as_deref(), None),
        "now" => states::one_at(client, None, None),
        text => {
            let Ok(time) = clock::time(text);
            if !time.starts_with('@') {
                let message = format!("`{text}` is no time");
                let mut error = Error::new(Code::SelectorInvalid, message);
                let times = "times are 12, @c12, @t-3, @e7, 18:00, -2h, '2026-03-02 18:00', now";
                error.details.hint = Some(times.to_owned());
                return Err(error);
            }
            states::one_at(client, Some(&time), Some(session.dialect))
        }
    }
}

/// `.open`
#[derive(Args)]
pub struct OpenArgs {
    /// The store's file, or its address
    pub file: PathBuf,
    /// Make the store if it is not there
    #[arg(long)]
    pub create: bool,
}

/// `.open FILE`: the old store stays open if the new one cannot be opened.
pub fn open(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let OpenArgs { file, create } = parse(rest, Shape::Words)?;
    if same_file(&file, &session.path) {
        let name = name_of(&file);
        return Ok(Outcome::Note(format!("{} is the store that is open\n", visible(&name))));
    }
    let wish = Wish { store: file.clone(), ..session.context.wish.clone() };
    let client = match create {
        true => wish.for_long(),
        false => wish.existing_for_long(),
    };
    let client = client.map_err(|mut error| {
        let near = error.details.hint.take().filter(|hint| hint.starts_with("did you mean"));
        let made = "`.open FILE --create` makes a store that is not there".to_owned();
        if error.code == Code::StoreIo {
            error.details.hint = Some(near.unwrap_or(made));
        }
        error
    })?;
    session.change_to(file, client)?;
    if session.interactive {
        session.history = typed::file_for(&session.path);
    }
    let (store, name) = (session.store()?, name_of(&session.path));
    let snapshots = match store.snapshots {
        0 => "nothing is committed yet".to_owned(),
        count => format!("{}, the newest is @c{}", plural(count, "snapshot"), store.cycle),
    };
    Ok(Outcome::Note(format!("{} (PACT {}): {snapshots}\n", visible(&name), store.spec)))
}

fn same_file(a: &std::path::Path, b: &std::path::Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// `.output`
#[derive(Args)]
pub struct OutputArgs {
    /// The file to write; - is the screen, and text
    pub file: Option<String>,
    /// Rows as CSV
    #[arg(long, conflicts_with_all = ["json", "jsonl", "text"])]
    pub csv: bool,
    /// Every answer as a line of the protocol
    #[arg(long, conflicts_with_all = ["jsonl", "text"])]
    pub json: bool,
    /// Rows as JSON, an object a line
    #[arg(long, conflicts_with = "text")]
    pub jsonl: bool,
    /// As text again
    #[arg(long)]
    pub text: bool,
}

/// `.output [FILE | -] [--csv | --json | --jsonl | --text]`
pub fn output(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: OutputArgs = parse(rest, Shape::Words)?;
    let form = match (args.csv, args.json, args.jsonl, args.text) {
        (true, ..) => Some(Form::Csv),
        (_, true, ..) => Some(Form::Json),
        (_, _, true, _) => Some(Form::Jsonl),
        (.., true) => Some(Form::Text),
        _ => None,
    };
    match args.file {
        Some(dash) if dash == "-" => {
            session.output.file = None;
            session.output.form = form.unwrap_or_default();
        }
        Some(name) => {
            let file = text_file(&name)?;
            session.output.file = Some((name, file));
        }
        None => {}
    }
    session.output.form = form.unwrap_or(session.output.form);
    Ok(Outcome::Note(session.output.words()))
}

/// `.dialect [0.1 | 1.0]`
pub fn dialect(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !rest.is_empty() {
        session.dialect = rest
            .parse::<Dialect>()
            .map_err(|_| Error::request(format!("a dialect is 0.1 or 1.0, not `{rest}`")))?;
    }
    let own = session.store_dialect;
    Ok(Outcome::Note(match session.dialect == own {
        true => format!("questions are in dialect {own}, the store's own\n"),
        false => format!("questions are in dialect {}, edits in {own}\n", session.dialect),
    }))
}

/// `.timing [on | off]`
pub fn timing(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    session.timing = match rest {
        "on" => true,
        "off" => false,
        "" => !session.timing,
        other => return Err(Error::request(format!("timing is on or off, not `{other}`"))),
    };
    Ok(Outcome::Note(format!("timing is {}\n", if session.timing { "on" } else { "off" })))
}

/// `.history`
pub fn history(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "history")?;
    Ok(Outcome::Note(match &session.history {
        Some(file) => format!("{}\n", visible(&name_of(file))),
        None => "no history is kept here\n".to_owned(),
    }))
}

/// `.quit`
pub fn quit(_: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "quit")?;
    Ok(Outcome::Leave)
}

/// Refuses what stands behind a command that takes nothing.
pub fn nothing(rest: &str, command: &str) -> Result<()> {
    match rest {
        "" => Ok(()),
        rest => {
            let message = format!("`.{command}` takes nothing, and not `{rest}`");
            Err(Error::new(Code::RequestInvalid, message))
        }
    }
}
