//! Scripts: statements from a file or a pipe, answered plainly, up to the first error.

use super::prompt::prompt;
use super::report;
use super::session::{Outcome, Session};
use super::splitter::{Piece, Splitter};
use crate::answer::Answer;
use crate::context::{Context, line};
use crate::output;
use crate::render::visible;
use crate::signals;
use pactdb::json::{Line, read_line};
use pactdb::limits::MAX_STATEMENT_BYTES;
use pactdb::{Code, Error, Result};
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Instant;

/// How a script runs.
#[derive(Debug, Clone, Default)]
pub struct ScriptOptions {
    /// Goes on after an error; the exit status still tells of it.
    pub keep_going: bool,
    /// Prints the prompt and each statement, as a terminal would show them.
    pub echo: bool,
    /// What errors call the input; standard input if there is no name.
    pub name: Option<String>,
}

/// Runs the statements of `input`. The status is 1 after an error.
pub fn script(context: &Context, input: impl BufRead, options: &ScriptOptions) -> Result<ExitCode> {
    let mut session = Session::new(context, context.open_for_script()?)?;
    let mut pieces = Pieces::of(input);
    let mut failed = false;
    while let Some(piece) = pieces.next()? {
        if options.echo {
            let store = session.store().ok();
            let (plain, _) = prompt(&session, store.as_ref(), context.look);
            context.tell(&format!("{plain}{}\n", piece.text.trim_end()))?;
        }
        if context.json {
            let reply = session.reply(&piece.text);
            failed |= reply.result.is_err();
            context.print(&format!("{}\n", line(&reply)?))?;
            if signals::came_already() || (failed && !options.keep_going) {
                break;
            }
            continue;
        }
        let start = Instant::now();
        match session.execute(&piece.text).map(Outcome::into_answer) {
            Ok(None) => break,
            Ok(Some(answer)) => {
                let took = session.timing.then(|| start.elapsed().as_secs_f64() * 1000.0);
                say(context, &answer, took, options.echo)?;
            }
            Err(error) => {
                failed = true;
                complain(context, &error, &piece, options)?;
                if signals::came_already() || !options.keep_going {
                    break;
                }
            }
        }
    }
    let ended = signals::status().filter(|_| failed);
    Ok(ended.unwrap_or(ExitCode::from(u8::from(failed))))
}

/// Prints an answer; what stands beside it is part of a transcript and not of plain output.
fn say(context: &Context, answer: &Answer, took: Option<f64>, echo: bool) -> Result<()> {
    let mut text = answer.text.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut beside = String::new();
    for warning in &answer.warnings {
        beside.push_str(&format!("warning: {}\n", visible(warning)));
    }
    let time = took.map(|took| format!("{took:.1} ms"));
    let parts: Vec<String> = answer.source.clone().into_iter().chain(time).collect();
    if !parts.is_empty() && echo {
        beside.push_str(&format!("-- {}\n", visible(&parts.join(", "))));
    }
    context.tell(&text)?;
    if echo {
        return context.tell(&beside);
    }
    output::remark(context.look, &beside);
    Ok(())
}

fn complain(
    context: &Context,
    error: &Error,
    piece: &Piece,
    options: &ScriptOptions,
) -> Result<()> {
    if options.echo {
        return context.tell(&report::show(context.look, error, None));
    }
    let name = visible(options.name.as_deref().unwrap_or("standard input"));
    let before = error.details.span.and_then(|(start, _)| piece.text.get(..start));
    let line = piece.line + before.map_or(0, |before| before.matches('\n').count());
    let text = format!("{name}, line {line}: {}", report::show(context.look, error, None));
    output::remark(context.look, &text);
    Ok(())
}

/// The statements of an input, one after the other.
pub struct Pieces<R> {
    input: R,
    line: usize,
    splitter: Splitter,
}

impl<R: BufRead> Pieces<R> {
    /// The statements of an input.
    pub fn of(input: R) -> Pieces<R> {
        Pieces { input, line: 0, splitter: Splitter::default() }
    }

    /// The next statement; none at the end.
    pub fn next(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some(piece) = self.splitter.next() {
                return Ok(Some(piece));
            }
            let most = MAX_STATEMENT_BYTES.saturating_sub(self.splitter.pending());
            let Some(line) = self.next_line(most)? else {
                self.splitter.end();
                return Ok(self.splitter.next());
            };
            let body = line.strip_suffix('\n').unwrap_or(&line);
            self.splitter.feed(body.strip_suffix('\r').unwrap_or(body), self.line);
        }
    }

    /// The next line of at most so many bytes.
    fn next_line(&mut self, most: usize) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = read_line(&mut self.input, &mut bytes, most);
        let came =
            read.map_err(|error| Error::new(Code::StoreIo, format!("the input: {error}")))?;
        self.line += 1;
        match came {
            Line::End => return Ok(None),
            Line::Whole => {}
            Line::TooLong => {
                let message = format!(
                    "line {}: a statement has at most {MAX_STATEMENT_BYTES} bytes",
                    self.line
                );
                return Err(Error::new(Code::Limit, message));
            }
        }
        String::from_utf8(bytes).map(Some).map_err(|_| {
            let message = format!("line {} is not UTF-8 text", self.line);
            Error::new(Code::RequestInvalid, message)
        })
    }
}
