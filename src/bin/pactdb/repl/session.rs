//! One session: what was set, what was answered last, and how a line becomes an answer.
//!
//! It knows the store and nothing of terminals: it is given a line and answers with text.

use super::query::{self, Last};
use super::report;
use super::{commands, meta};
use crate::answer::{Answer, answer};
use crate::context::Context;
use crate::render::{Look, visible};
use pactdb::language::ast::Statement;
use pactdb::language::words::Keyword;
use pactdb::language::{Token, parse_statement, statement_tokens};
use pactdb::protocol::{Body, Reply, Request, statement_request};
use pactdb::session::Replay;
use pactdb::{Address, Code, Db, Dialect, Error, Json, Result, protocol};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A session.
pub struct Session<'a> {
    /// Which store, and how to print.
    pub context: &'a Context,
    /// The store.
    pub db: Db,
    /// The dialect of questions.
    pub dialect: Dialect,
    /// The state of the past in which questions without a time are read.
    pub lens: Option<Address>,
    /// Whether each answer says how long it took.
    pub timing: bool,
    /// What was answered last.
    pub last: Option<Last>,
    /// Raised by everything that may have changed the store.
    pub version: u64,
    /// The file of the lines that were typed.
    pub history: Option<PathBuf>,
    /// Raised by Ctrl-C while something runs; none where nobody can press it.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// How many scripts are running inside one another.
    pub depth: usize,
    /// The replay that an empty line goes on with.
    pub replay: Option<Replay>,
}

/// What came of a line.
pub enum Outcome {
    /// An answer; a long one may be cut.
    Answer(Answer),
    /// An answer that was asked for whole.
    Whole(Answer),
    /// Ctrl-C stopped the wait for it.
    Interrupted,
    /// The session is over.
    Leave,
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Outcome {
        Outcome::Answer(answer)
    }
}

impl From<String> for Outcome {
    fn from(text: String) -> Outcome {
        Outcome::Answer(text.into())
    }
}

impl<'a> Session<'a> {
    /// A session on an open store.
    pub fn new(context: &'a Context, db: Db) -> Session<'a> {
        let dialect = context.dialect.unwrap_or(db.dialect());
        Session {
            context,
            db,
            dialect,
            lens: None,
            timing: false,
            last: None,
            version: 0,
            history: None,
            interrupt: None,
            depth: 0,
            replay: None,
        }
    }

    /// The name of the store, for the prompt.
    pub fn name(&self) -> String {
        let stem = self.context.store.file_stem();
        let name = stem.map_or(Cow::Borrowed("store"), |stem| stem.to_string_lossy());
        visible(&name).into_owned()
    }

    /// How answers look now: a terminal may have another size than it had.
    pub fn look(&self) -> Look {
        match self.interrupt {
            Some(_) => Look::of_output(self.context.look.colour),
            None => self.context.look,
        }
    }

    /// Runs one line. An error points into the line where that is possible.
    pub fn execute(&mut self, line: &str) -> Result<Outcome> {
        if line.trim().is_empty() {
            return commands::replay_step(self);
        }
        self.replay = None;
        if let Some((command, rest)) = meta::of_line(line) {
            return (command.run)(self, rest).map_err(|error| report::in_line(error, line, ""));
        }
        match line.trim() {
            "help" | "?" => return self.execute(".help"),
            "quit" | "exit" => return Ok(Outcome::Leave),
            _ => {}
        }
        let dialect = self.dialect_of(line);
        let statement = parse_statement(line, dialect)
            .map_err(|error| self.with_meant(line, report::of_syntax(error, line)))?;
        match &statement {
            Statement::Select(selector) => {
                query::select(self, selector, line).map_err(|error| self.with_meant(line, error))
            }
            statement => self.edit(statement, line, dialect),
        }
    }

    /// Runs one line and answers as the protocol does; what a command says is a text.
    pub fn reply(&mut self, line: &str) -> Reply {
        let mut warnings = Vec::new();
        let result = match self.operation(line) {
            Ok(Some(op)) => {
                self.version += 1;
                let reply = protocol::answer(&self.db, op);
                warnings = reply.warnings;
                reply.result.map_err(|error| report::in_line(error, line, ""))
            }
            Ok(None) => self.execute(line).map(|outcome| match outcome {
                Outcome::Answer(answer) | Outcome::Whole(answer) => {
                    Body::Value(Json::from(answer.text.trim_end()))
                }
                Outcome::Interrupted | Outcome::Leave => Body::Value(Json::Null),
            }),
            Err(error) => Err(error),
        };
        Reply { rid: None, result, warnings }
    }

    /// The operation that a line asks for; none if it is a command.
    fn operation(&self, line: &str) -> Result<Option<Request>> {
        if meta::of_line(line).is_some() {
            return Ok(None);
        }
        let dialect = self.dialect_of(line);
        let statement = parse_statement(line, dialect)
            .map_err(|error| self.with_meant(line, report::of_syntax(error, line)))?;
        let mut op = statement_request(&statement, line, dialect)
            .map_err(|error| report::in_line(error, line, ""))?;
        if let Statement::Select(selector) = &statement {
            let q = match &mut op {
                Request::Nodes(question) => &mut question.q,
                Request::Select(question) => &mut question.q,
                _ => return Ok(Some(op)),
            };
            (*q, _) = query::through_lens(self, selector.time.is_some(), q);
            return Ok(Some(op));
        }
        self.check_lens(&op)?;
        Ok(Some(op))
    }

    fn edit(&mut self, statement: &Statement, line: &str, dialect: Dialect) -> Result<Outcome> {
        let mut op = statement_request(statement, line, dialect)
            .map_err(|error| report::in_line(error, line, ""))?;
        if let (Request::Diff(request), Some(lens), Statement::Diff(diff)) =
            (&mut op, self.lens, statement)
            && diff.states.is_empty()
        {
            request.a = Some(lens.to_string());
        }
        self.run(op).map_err(|error| report::in_line(error, line, ""))
    }

    /// Runs an operation. While the lens is set, edits are refused.
    pub fn run(&mut self, op: Request) -> Result<Outcome> {
        let look = self.look();
        if let Request::Diff(request) = op {
            let reply = self.patiently(move |db| answer(look, db, Request::Diff(request)))?;
            return Ok(self.keep(reply));
        }
        self.check_lens(&op)?;
        let reads = op.only_reads();
        let answered = answer(look, &self.db, op);
        if reads {
            return Ok(self.keep(Some(answered?)));
        }
        // Also after an error: a commit that failed on its way may have come far.
        self.version += 1;
        Ok(Outcome::Answer(answered?))
    }

    /// Refuses an operation that edits while the lens is set.
    fn check_lens(&self, op: &Request) -> Result<()> {
        if op.only_reads() { Ok(()) } else { self.refuse_through_lens() }
    }

    /// Refuses an edit while the lens is set.
    pub fn refuse_through_lens(&self) -> Result<()> {
        let Some(lens) = self.lens else { return Ok(()) };
        let message = format!("you are looking at {lens}, where nothing can be changed");
        let mut error = Error::new(Code::Conflict, message);
        error.details.hint = Some("`.at now` goes back to the working state".to_owned());
        Err(error)
    }

    /// Remembers an answer for `.last`.
    pub fn keep(&mut self, answer: Option<Answer>) -> Outcome {
        let Some(answer) = answer else { return Outcome::Interrupted };
        self.last = Some(Last::Text(answer.text.clone()));
        Outcome::Answer(answer)
    }

    /// Runs something that only reads. Ctrl-C ends the wait for it: none is the answer then.
    pub fn patiently<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Db) -> Result<T> + Send + 'static,
    ) -> Result<Option<T>> {
        let Some(interrupt) = &self.interrupt else { return work(&self.db).map(Some) };
        interrupt.store(false, Ordering::Relaxed);
        let (sender, receiver) = std::sync::mpsc::channel();
        let db = self.db.clone();
        // Nobody waits for it after an interrupt; reading does no harm, and it ends with the
        // program at the latest.
        std::thread::spawn(move || {
            let _ = sender.send(work(&db));
        });
        loop {
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok(done) => return done.map(Some),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    if interrupt.swap(false, Ordering::Relaxed) {
                        return Ok(None);
                    }
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(Code::Limit, "the work ended without an answer"));
                }
            }
        }
    }

    /// Edits are in the store's dialect, questions in the session's.
    fn dialect_of(&self, line: &str) -> Dialect {
        let first = statement_tokens(line).into_iter().find(|lexeme| lexeme.token != Token::Space);
        match first.map(|lexeme| lexeme.token) {
            Some(Token::Keyword(keyword)) if keyword != Keyword::Diff => self.db.dialect(),
            _ => self.dialect,
        }
    }

    /// The error, and the command that the line was probably meant to be.
    fn with_meant(&self, line: &str, mut error: Error) -> Error {
        if let Some(name) = meta::meant(line) {
            error.details.hint = Some(format!("did you mean the command `.{name}`?"));
        }
        error
    }
}
