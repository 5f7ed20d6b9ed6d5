//! The loop at a terminal: read statements, run them, print the answers.

use super::history;
use super::prompt::{prompt, welcome};
use super::reader::{Reader, Typed};
use super::report;
use super::session::{Outcome, Session};
use super::splitter::Piece;
use crate::answer::Answer;
use crate::connect::is_there;
use crate::context::Context;
use crate::output::show;
use crate::render::{self, Look, Tone, plural, width_of};
use crate::signals;
use pactdb::{Code, Result};
use std::process::ExitCode;
use std::time::Instant;

/// What a second Ctrl-C is answered with.
const LEAVING: &str = "Ctrl-D or .quit leaves\n";

/// Talks until the person leaves or the terminal is gone.
pub fn run(context: &Context) -> Result<ExitCode> {
    let is_new = !is_there(&context.store);
    let mut session = Session::new(context, context.open_to_stay()?)?;
    signals::at_terminal();
    session.interactive = true;
    session.history = history::file_for(&context.store);
    let mut reader = Reader::new(&session)?;
    if show(session.screen(), &welcome(&session, session.screen(), is_new)?).is_err() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut cancelled = false;
    loop {
        signals::next_question();
        reader.follow(&session);
        let (look, store) = (session.screen(), session.store().ok());
        session.seen = store.as_ref().map(|store| store.events);
        let asked = prompt(&session, store.as_ref(), look);
        let width = width_of(&asked.0);
        match reader.read(asked, look)? {
            Typed::End => return Ok(signals::status().unwrap_or(ExitCode::SUCCESS)),
            Typed::Dropped if cancelled => {
                cancelled = false;
                if show(look, LEAVING).is_err() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Typed::Dropped => {
                cancelled = true;
                session.replay = None;
            }
            Typed::Statements(text, pieces) => {
                cancelled = false;
                match answer(&mut session, &text, &pieces, width) {
                    Ok(true) => {}
                    Ok(false) | Err(_) => return Ok(ExitCode::SUCCESS),
                }
                if let Some(status) = signals::status() {
                    return Ok(status);
                }
            }
        }
    }
}

/// Runs what was typed, up to the first error; false if the session is over.
fn answer(
    session: &mut Session<'_>,
    text: &str,
    pieces: &[Piece],
    prompt: usize,
) -> std::io::Result<bool> {
    if pieces.is_empty() && session.replay.is_some() {
        return Ok(one(session, "", None)? != Ran::Left);
    }
    // A caret stands under what was typed as long as that is one line of the screen, and the last one.
    let lead = prompt + width_of(text) - width_of(text.trim_start());
    let fits = prompt + width_of(text) < session.screen().width && !text.contains('\n');
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            // What the statement before did was seen, and so was nothing else.
            session.seen = session.store().ok().map(|store| store.events);
        }
        match one(session, &piece.text, Some(lead).filter(|_| fits && number == 0))? {
            Ran::Well => {}
            Ran::Left => return Ok(false),
            Ran::Failed => {
                let rest = (pieces.len() - number - 1) as u64;
                if rest > 0 {
                    let words = format!("-- {} behind it not run", plural(rest, "statement"));
                    let look = session.screen();
                    show(look, &format!("{}\n", look.paint(Tone::Dim, &words)))?;
                }
                return Ok(true);
            }
        }
    }
    Ok(true)
}

/// What came of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ran {
    Well,
    Failed,
    /// The session is over.
    Left,
}

/// Runs a statement and prints what came of it.
fn one(session: &mut Session<'_>, text: &str, prompt: Option<usize>) -> std::io::Result<Ran> {
    let start = Instant::now();
    let outcome = session.execute(text);
    let took = session.timing.then(|| start.elapsed());
    let look = session.screen();
    // Printing through a pager fails like printing does.
    let page = |text: &str| session.context.page(text).map_err(std::io::Error::other);
    match outcome {
        Ok(Outcome::Leave) => return Ok(Ran::Left),
        Ok(Outcome::Note(text)) => page(&look.wrap(&text, ""))?,
        Ok(Outcome::Answer(answer)) => {
            let (text, more) = cut(look, &answer.text);
            show(look, text)?;
            if let Some(more) = more {
                show(look, &format!("{}\n", look.paint(Tone::Dim, &more)))?;
            }
            footer(look, &answer, took)?;
        }
        Ok(Outcome::Fitted(answer)) => {
            show(look, &answer.text)?;
            footer(look, &answer, took)?;
        }
        Ok(Outcome::Whole(answer)) => {
            page(&answer.text)?;
            footer(look, &answer, took)?;
        }
        Err(error) => {
            if error.code == Code::Cancelled {
                // Behind the mark that the terminal shows for Ctrl-C.
                show(look, "\n")?;
            }
            show(look, &report::show(look, &error, prompt))?;
            return Ok(Ran::Failed);
        }
    }
    Ok(Ran::Well)
}

/// The lines that fit on the screen, and how to see the rest.
fn cut(look: Look, text: &str) -> (&str, Option<String>) {
    let room = look.height.unwrap_or(24).saturating_sub(6).max(10);
    let total = text.lines().count();
    if total <= room + 2 {
        return (text, None);
    }
    let end = text.match_indices('\n').nth(room - 1).map_or(text.len(), |(at, _)| at + 1);
    let more = format!("… {} more lines: `.last` shows them all", total - room);
    (&text[..end], Some(more))
}

/// Warnings, and which snapshot was read.
fn footer(look: Look, answer: &Answer, took: Option<std::time::Duration>) -> std::io::Result<()> {
    for warning in &answer.warnings {
        show(look, &render::warning(look, warning))?;
    }
    let time = took.map(|took| format!("{:.1} ms", took.as_secs_f64() * 1000.0));
    let parts: Vec<String> = answer.source.clone().into_iter().chain(time).collect();
    if parts.is_empty() {
        return Ok(());
    }
    for line in look.wrap(&format!("-- {}", parts.join(", ")), "   ").lines() {
        show(look, &format!("{}\n", look.paint(Tone::Dim, line)))?;
    }
    Ok(())
}
