//! One session: what was set, what was answered last, and how a line becomes an answer.
//!
//! It asks a client and knows nothing of terminals: it is given a line and answers with text.

use super::query::{self, Last};
use super::report;
use super::sink::Output;
use super::{events, help, meta};
use crate::answer::{Answer, answer};
use crate::clock;
use crate::commands::sql::ALL;
use crate::commands::ui::Page;
use crate::connect::{Connection, is_there};
use crate::context::Context;
use crate::progress;
use crate::render::{Look, visible};
use pactdb::language::ast::Statement;
use pactdb::language::words::Keyword;
use pactdb::language::{Token, parse_statement, statement_tokens};
use pactdb::protocol::{
    Body, Client, ClientExt, Replay, Reply, Request, Sql, State, StoreState, statement_request,
};
use pactdb::sql::is_question;
use pactdb::{Address, Code, Dialect, Error, Json, Result};
use std::borrow::Cow;
use std::path::PathBuf;

/// A session.
pub struct Session<'a> {
    /// How to open a store, and how to print.
    pub context: &'a Context,
    /// The store's file, or its address.
    pub path: PathBuf,
    /// Who answers.
    pub client: Connection,
    /// The dialect of the store, in which edits are.
    pub store_dialect: Dialect,
    /// The dialect of questions.
    pub dialect: Dialect,
    /// The state of the past in which questions without a time are read.
    pub lens: Option<Address>,
    /// Whether each answer says how long it took.
    pub timing: bool,
    /// Where results go, and in which form.
    pub output: Output,
    /// What was answered last.
    pub last: Option<Last>,
    /// The file of the lines that were typed.
    pub history: Option<PathBuf>,
    /// Whether somebody sits at a terminal.
    pub interactive: bool,
    /// The newest event when the prompt was shown.
    pub seen: Option<u64>,
    /// How many scripts are running inside one another.
    pub depth: usize,
    /// The next step of the replay that an empty line goes on with.
    pub replay: Option<Replay>,
    /// The page in the browser, once it was asked for.
    pub page: Option<Page>,
}

/// What came of a line.
pub enum Outcome {
    /// An answer; a long one may be cut.
    Answer(Answer),
    /// An answer that was asked for whole.
    Whole(Answer),
    /// An answer that was made for the screen, and is not cut.
    Fitted(Answer),
    /// A word about the session itself, which goes to the screen wherever results go.
    Note(String),
    /// The session is over.
    Leave,
}

impl Outcome {
    /// What is to be shown; nothing if the session is over.
    pub fn into_answer(self) -> Option<Answer> {
        match self {
            Outcome::Answer(answer) | Outcome::Whole(answer) | Outcome::Fitted(answer) => {
                Some(answer)
            }
            Outcome::Note(text) => Some(text.into()),
            Outcome::Leave => None,
        }
    }
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
    /// A session with a client.
    pub fn new(context: &'a Context, client: Connection) -> Result<Session<'a>> {
        let store_dialect = dialect_of(context, &client)?;
        Ok(Session {
            context,
            path: context.store.clone(),
            client,
            store_dialect,
            dialect: context.dialect.unwrap_or(store_dialect),
            lens: None,
            timing: false,
            output: Output::default(),
            last: None,
            history: None,
            interactive: false,
            seen: None,
            depth: 0,
            replay: None,
            page: None,
        })
    }

    /// Who answers.
    pub fn client(&self) -> &dyn Client {
        &*self.client
    }

    /// Where the store stands.
    pub fn store(&self) -> Result<StoreState> {
        Ok(self.client.ask(State::default())?.store)
    }

    /// The name of the store, for the prompt.
    pub fn name(&self) -> String {
        let stem = self.path.file_stem();
        let name = stem.map_or(Cow::Borrowed("store"), |stem| stem.to_string_lossy());
        visible(&name).into_owned()
    }

    /// How answers look now: a terminal may have another size than it had.
    pub fn look(&self) -> Look {
        self.output.look(self.screen())
    }

    /// How what goes to the screen looks.
    pub fn screen(&self) -> Look {
        match self.interactive {
            true => Look::of_output(self.context.look.colour),
            false => self.context.look,
        }
    }

    /// Runs one statement, and sends the answer where results go. An error points into the statement
    /// where that is possible.
    pub fn execute(&mut self, line: &str) -> Result<Outcome> {
        let outcome = self.answer(line)?;
        self.put(outcome)
    }

    fn answer(&mut self, line: &str) -> Result<Outcome> {
        let line = &*clock::settle(line);
        if line.trim().is_empty() {
            return events::replay_step(self);
        }
        self.replay = None;
        if let Some((command, rest)) = meta::of_line(line) {
            if rest.split_whitespace().any(|word| word == "--help") {
                return help::run(self, command.name);
            }
            return (command.run)(self, rest).map_err(|error| report::in_line(error, line, ""));
        }
        match line.trim() {
            "help" | "?" => return help::run(self, ""),
            "quit" | "exit" => return Ok(Outcome::Leave),
            _ => {}
        }
        if is_question(line) {
            let question = Sql { q: query::asked(self, line), ..Sql::default() };
            return self.run(question.into()).map_err(|error| report::in_line(error, line, ""));
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
        let line = &*clock::settle(line);
        let mut warnings = Vec::new();
        let result = match self.operation(line) {
            Ok(Some(op)) => {
                let reply = progress::call(self.client(), op);
                warnings = reply.warnings;
                reply.result.map_err(|error| report::in_line(error, line, ""))
            }
            Ok(None) => self.execute(line).map(|outcome| match outcome.into_answer() {
                Some(answer) => Body::Value(Json::from(answer.text.trim_end())),
                None => Body::Value(Json::Null),
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
        if is_question(line) {
            return Ok(Some(Sql { q: query::asked(self, line), ..Sql::default() }.into()));
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
        self.check_lens(&op)?;
        let mut op = self.expecting(op);
        if let (Request::Sql(question), Some(_)) = (&mut op, &self.output.file) {
            // What goes into a file is not cut.
            question.limit = question.limit.or(Some(ALL));
        }
        let reads = op.only_reads();
        let answered = match self.formed(&op)? {
            Some(answered) => answered,
            None => answer(self.look(), self.client(), op)?,
        };
        Ok(if reads { self.keep(answered) } else { Outcome::Answer(answered) })
    }

    /// The operation, for the state that the person saw: others may edit the same head meanwhile.
    fn expecting(&self, mut op: Request) -> Request {
        // The lines of a script follow each other without a look in between.
        let seen = self.seen.filter(|_| self.depth == 0);
        let seen = seen.and_then(|event| i64::try_from(event).ok());
        match &mut op {
            Request::Commit(request) => request.expected_event = request.expected_event.or(seen),
            Request::Undo(request) => request.expected_event = request.expected_event.or(seen),
            _ => {}
        }
        op
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
    pub fn keep(&mut self, answer: Answer) -> Outcome {
        self.last = Some(Last::Text(answer.text.clone()));
        Outcome::Answer(answer)
    }

    /// Edits are in the store's dialect, questions in the session's.
    fn dialect_of(&self, line: &str) -> Dialect {
        let first = statement_tokens(line).into_iter().find(|lexeme| lexeme.token != Token::Space);
        match first.map(|lexeme| lexeme.token) {
            Some(Token::Keyword(keyword)) if keyword != Keyword::Diff => self.store_dialect,
            _ => self.dialect,
        }
    }

    /// Looks at another store from now on.
    pub fn change_to(&mut self, path: PathBuf, client: Connection) -> Result<()> {
        self.store_dialect = client.ask(State::default())?.store.dialect;
        self.dialect = self.context.dialect.unwrap_or(self.store_dialect);
        (self.client, self.path) = (client, path);
        (self.lens, self.last, self.seen, self.replay) = (None, None, None, None);
        Ok(())
    }

    /// The error, and the command that the line was probably meant to be.
    fn with_meant(&self, line: &str, mut error: Error) -> Error {
        if let Some(name) = meta::meant(line) {
            error.details.hint = Some(format!("did you mean the command `.{name}`?"));
        }
        error
    }
}

/// The dialect of a store; of one that is yet to be made, the one that it will have.
fn dialect_of(context: &Context, client: &Connection) -> Result<Dialect> {
    match is_there(&context.store) {
        true => Ok(client.ask(State::default())?.store.dialect),
        false => Ok(Dialect::default()),
    }
}
