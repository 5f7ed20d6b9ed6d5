//! What every command shares: which store, which look, how to print, whom to ask.

use crate::answer::{Answer, answer};
use crate::args::{Arguments, Colour};
use crate::connect::{Connection, Wish};
use crate::pages::Pages;
use crate::render::{self, Look, Tone, visible};
use crate::signals::Input;
use crate::{output, progress};
use pactdb::protocol::{Client, Request};
use pactdb::{Budget, Code, Dialect, Error, Generation, Result, json};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What every command shares.
pub struct Context {
    /// The store's file.
    pub store: PathBuf,
    /// Whether answers are JSON.
    pub json: bool,
    /// The dialect of selectors; the store's own if there is none.
    pub dialect: Option<Dialect>,
    /// How answers look.
    pub look: Look,
    /// Whether long answers may go through a pager.
    pub pager: bool,
    /// How the store is opened.
    pub wish: Wish,
}

/// What was answered, as it is to be printed.
pub enum Said {
    /// A reply of the protocol, a line.
    Reply(String),
    /// Words.
    Answer(Answer),
}

/// The look of errors, which go to standard error.
pub fn error_look(arguments: &Arguments) -> Look {
    Look::of_output(arguments.color.wanted(&std::io::stderr()))
}

impl Colour {
    fn wanted(self, stream: &impl IsTerminal) -> bool {
        match self {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => Look::wants_colour(stream),
        }
    }
}

impl Context {
    /// From the arguments that every command takes.
    pub fn new(arguments: &Arguments) -> Context {
        Context {
            store: arguments.store.clone(),
            json: arguments.json,
            dialect: arguments.dialect.map(Dialect::from),
            look: Look::of_output(arguments.color.wanted(&std::io::stdout())),
            pager: !arguments.no_pager,
            wish: Wish {
                store: arguments.store.clone(),
                timeout_ms: arguments.timeout,
                attach: !arguments.no_attach,
                read_only: arguments.read_only,
                share: arguments.attach.access(),
            },
        }
    }

    /// The store, for a command that must not make one.
    pub fn existing(&self) -> Result<Connection> {
        self.wish.clone().existing()
    }

    /// The store, for a command that edits: it is made on first use.
    pub fn open_or_create(&self) -> Result<Connection> {
        self.open_or_create_as(Generation::default())
    }

    /// The same; a store that is made is of that generation.
    pub fn open_or_create_as(&self, generation: Generation) -> Result<Connection> {
        self.wish.clone().existing_or_new(generation)
    }

    /// The store, for a command that stays: others may attach to it.
    pub fn open_to_stay(&self) -> Result<Connection> {
        self.wish.clone().for_long()
    }

    /// The store, for a command that stays and must not make one.
    pub fn existing_to_stay(&self) -> Result<Connection> {
        self.wish.clone().existing_for_long()
    }

    /// The store, for a script: one that is not there is made by the first edit.
    pub fn open_for_script(&self) -> Result<Connection> {
        self.wish.clone().once_edited()
    }

    /// What work may take that is no request.
    pub fn budget(&self) -> Budget {
        Budget::new().timeout(Duration::from_millis(self.wish.timeout_ms.unwrap_or(0)))
    }

    /// Asks, and prints the answer.
    pub fn run(&self, client: &dyn Client, request: impl Into<Request>) -> Result<()> {
        self.print_said(self.ask(client, request)?)
    }

    /// Asks: what is to be printed.
    pub fn ask(&self, client: &dyn Client, request: impl Into<Request>) -> Result<Said> {
        match self.json {
            true => reply(client, request.into()),
            false => answer(self.look, client, request.into()).map(Said::Answer),
        }
    }

    /// Asks, and prints the reply as it is.
    pub fn reply(&self, client: &dyn Client, request: impl Into<Request>) -> Result<()> {
        self.print_said(reply(client, request.into())?)
    }

    /// Prints what was answered.
    pub fn print_said(&self, said: Said) -> Result<()> {
        match said {
            Said::Reply(line) => self.print(&line),
            Said::Answer(answer) => self.show(answer),
        }
    }

    /// Prints an answer in words: the text on standard output, the rest beside it.
    pub fn show(&self, answer: Answer) -> Result<()> {
        self.page(&answer.text)?;
        self.warn(&answer.warnings);
        if let Some(source) = &answer.source {
            self.source(source);
        }
        Ok(())
    }

    /// Says at a terminal which state an answer is from.
    pub fn source(&self, words: &str) {
        let look = Look { colour: Look::wants_colour(&std::io::stderr()), ..self.look };
        if std::io::stderr().is_terminal() {
            output::remark(look, &format!("{}\n", look.paint(Tone::Dim, words)));
        }
    }

    /// Says on standard error what else there is to say.
    pub fn warn(&self, warnings: &[String]) {
        let look = Look { colour: Look::wants_colour(&std::io::stderr()), ..self.look };
        for warning in warnings {
            output::remark(look, &render::warning(look, warning));
        }
    }

    /// Prints a value for a program, or a text for a person.
    pub fn say<T: Serialize>(&self, value: &T, text: &str) -> Result<()> {
        match self.json {
            true => self.print(&format!("{{\"ok\":{}}}\n", line(value)?)),
            false => self.tell(text),
        }
    }

    /// Writes exact bytes to standard output, for programs.
    pub fn print(&self, text: &str) -> Result<()> {
        output::exact(text).map(drop)
    }

    /// Writes to standard output, for people.
    pub fn tell(&self, text: &str) -> Result<()> {
        output::exact(&self.look.clean(text)).map(drop)
    }

    /// Like `tell`, through a pager if it is longer than the terminal.
    pub fn page(&self, text: &str) -> Result<()> {
        let mut pages = self.pages();
        pages.write(text)?;
        pages.finish()
    }

    /// A text that comes piece by piece, through a pager once it is longer than the terminal.
    pub fn pages(&self) -> Pages {
        let height = self.look.height.filter(|_| self.pager && std::io::stdin().is_terminal());
        Pages::new(self.look, height)
    }

    /// Asks before something that cannot be taken back, if there is a person to ask.
    pub fn confirm(&self, yes: bool, question: &str) -> Result<()> {
        if yes || self.json || !std::io::stdin().is_terminal() {
            return Ok(());
        }
        output::remark(self.look, &format!("{} [y/N] ", visible(question)));
        let mut line = String::new();
        let read = BufReader::new(Input).read_line(&mut line);
        match (read, line.trim()) {
            (Ok(1..), "y" | "Y" | "yes") => Ok(()),
            _ => Err(Error::new(Code::Conflict, "nothing was done")),
        }
    }
}

/// A file that is made for its owner alone: a dump tells everything.
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Asks for a reply as the protocol has it.
fn reply(client: &dyn Client, request: Request) -> Result<Said> {
    let reply = progress::call(client, request);
    reply.result.as_ref().map_err(Clone::clone)?;
    Ok(Said::Reply(format!("{}\n", line(&reply)?)))
}

/// A value as one line of JSON.
pub fn line<T: Serialize>(value: &T) -> Result<String> {
    json::line(value).map_err(|error| Error::request(error.to_string()))
}

/// What a file is called in an answer. A name may have bytes that are no text.
pub fn name_of(path: &Path) -> String {
    path.display().to_string()
}
