//! Where results go and in which form: to the screen as text, until `.output` says otherwise.

use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::context::{line, private};
use crate::progress;
use crate::render::{self, Look, plural, visible, visible_lines};
use pactdb::protocol::{Body, ClientExt, Request};
use pactdb::{Code, Error, Json, Result};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The form of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// For people.
    #[default]
    Text,
    /// Rows as CSV.
    Csv,
    /// A reply of the protocol, a line.
    Json,
    /// Rows as JSON, an object a line.
    Jsonl,
}

/// Where results go, and in which form.
#[derive(Debug, Default)]
pub struct Output {
    /// The form.
    pub form: Form,
    /// The file, by its name; the screen if there is none.
    pub file: Option<(String, File)>,
}

/// Bytes that a store begins with.
const STORE: &[u8] = b"redb\x1a\x0a";

/// How wide a text is in a file.
const WIDTH: usize = 100;

impl Output {
    /// What is on, in one line.
    pub fn words(&self) -> String {
        let form = match self.form {
            Form::Text => "as text",
            Form::Csv => "as CSV where they are rows",
            Form::Json => "as JSON",
            Form::Jsonl => "as JSON lines where they are rows",
        };
        match (&self.file, self.form) {
            (None, Form::Text) => "results go to the screen as text\n".to_owned(),
            (None, _) => format!("results go to the screen {form}; `.output -` ends that\n"),
            (Some((name, _)), _) => {
                format!("results go to {} {form}; `.output -` ends that\n", visible(name))
            }
        }
    }

    /// How text may look.
    pub fn look(&self, screen: Look) -> Look {
        match self.file {
            None => screen,
            Some(_) => Look { width: WIDTH, height: None, colour: false },
        }
    }
}

/// A file to write text to, empty. A store is never written over.
pub fn text_file(name: &str) -> Result<File> {
    let failed = |error| Error::new(Code::StoreIo, format!("{name}: {error}"));
    let mut head = [0; STORE.len()];
    let read = File::open(name).and_then(|mut file| file.read_exact(&mut head));
    if read.is_ok() && head == *STORE {
        let message = format!("{name} is a store, and is not written over");
        return Err(Error::new(Code::StoreIo, message));
    }
    private().write(true).create(true).truncate(true).open(Path::new(name)).map_err(failed)
}

impl Session<'_> {
    /// Answers an operation in the form that was chosen; none if that is text, or there is no such form
    /// of it.
    pub fn formed(&self, op: &Request) -> Result<Option<Answer>> {
        let is_rows = matches!(
            op,
            Request::Sql(_)
                | Request::Nodes(_)
                | Request::Log(_)
                | Request::Life(_)
                | Request::Attempt(_)
        );
        let csv = match self.output.form {
            Form::Text => return Ok(None),
            Form::Json => {
                let reply = progress::call(self.client(), op.clone());
                reply.result.as_ref().map_err(Clone::clone)?;
                return Ok(Some(format!("{}\n", line(&reply)?).into()));
            }
            Form::Csv | Form::Jsonl if !is_rows => return Ok(None),
            form => form == Form::Csv,
        };
        if let Request::Sql(request) = op {
            let answered = self.client.ask_fully((**request).clone())?;
            let mut warnings = answered.warnings;
            warnings.extend(render::truncated(&answered.reply));
            let text = match csv {
                true => render::csv(&answered.reply),
                false => render::json_lines(&answered.reply)?,
            };
            return Ok(Some(Answer { text, warnings, source: None }));
        }
        let reply = progress::call(self.client(), op.clone());
        let Body::Value(Json::List(list)) = reply.result? else { return Ok(None) };
        let text = match csv {
            true => render::csv_of_objects(&list),
            false => {
                let lines: Result<Vec<String>> =
                    list.iter().map(|object| Ok(format!("{}\n", line(object)?))).collect();
                lines?.concat()
            }
        };
        Ok(Some(Answer { text, warnings: reply.warnings, source: None }))
    }

    /// Sends what was answered where results go.
    pub fn put(&mut self, outcome: Outcome) -> Result<Outcome> {
        let Some((name, file)) = &mut self.output.file else { return Ok(outcome) };
        let answer = match outcome {
            Outcome::Answer(answer) | Outcome::Whole(answer) | Outcome::Fitted(answer)
                if !answer.text.is_empty() =>
            {
                answer
            }
            other => return Ok(other),
        };
        let text = match answer.text.ends_with('\n') {
            true => answer.text,
            false => format!("{}\n", answer.text),
        };
        file.write_all(visible_lines(&text).as_bytes())
            .map_err(|error| Error::new(Code::StoreIo, format!("{name}: {error}")))?;
        let to = format!("{} to {name}", plural(text.lines().count() as u64, "line"));
        let source = answer.source.map_or(to.clone(), |source| format!("{source}; {to}"));
        Ok(Outcome::Answer(Answer { text: String::new(), source: Some(source), ..answer }))
    }
}
