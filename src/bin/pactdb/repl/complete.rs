//! What Tab offers: the words of the language and of this store, and the commands of the REPL.
//!
//! Selectors and statements are completed by whoever answers for the store; here are the lines that
//! begin with a dot.

use super::arguments::flags;
use super::help::topics;
use super::meta::{self, COMMANDS, Takes};
use super::session::Session;
use pactdb::Dialect;
use pactdb::language::complete::{Completion, step_starts};
use pactdb::language::{Span, named_id};
use pactdb::protocol::{Client, ClientExt, Complete};
use std::sync::{Arc, Weak};

/// Who knows the words of the store, and in which state of it they are looked for.
pub struct Words {
    client: Weak<dyn Client>,
    dialect: Dialect,
    at: Option<String>,
}

impl Words {
    /// As a session looks at the store.
    pub fn of(session: &Session<'_>) -> Words {
        let at = session.lens.map(|lens| lens.to_string());
        Words { client: Arc::downgrade(&session.client), dialect: session.dialect, at }
    }

    /// Completion of a selector or a statement that begins at a byte of the line. What cannot be told
    /// is not offered.
    fn complete_from(&self, text: &str, from: usize) -> Completion {
        self.ask(&text[from..], self.dialect).moved_by(from)
    }

    fn ask(&self, text: &str, dialect: Dialect) -> Completion {
        let (text, at) = (text.to_owned(), self.at.clone());
        let end = text.len();
        let asked = Complete { text, cursor: None, at, dialect: Some(dialect) };
        // The editor may outlast the session, and does not keep its store open.
        let Some(client) = self.client.upgrade() else { return Completion::none(end) };
        let Ok(found) = client.ask(asked) else { return Completion::none(end) };
        let start = usize::try_from(found.span.0).map_or(end, |start| start.min(end));
        Completion { span: Span::new(start, end), candidates: found.candidates }
    }

    /// Ids that begin so. In this dialect `#` names ids.
    fn ids(&self, typed: &str) -> Vec<String> {
        let offered = self.ask(&format!("#{typed}"), Dialect::V0_1).candidates;
        let ids = offered.iter().filter(|offer| offer.starts_with('#'));
        ids.map(|id| named_id(id).into_owned()).collect()
    }

    /// Addresses of single states.
    fn addresses(&self) -> Vec<String> {
        let offered = self.ask("@", self.dialect).candidates;
        let one = |offer: &String| !matches!(offer.as_str(), "@*" | "@history");
        offered.into_iter().filter(one).collect()
    }
}

/// What could stand at the end of `text`, the line up to the cursor. Files are not known here.
pub fn complete(text: &str, words: &Words) -> Completion {
    let lead = text.len() - text.trim_start().len();
    let word_only = !text[lead..].contains(char::is_whitespace);
    if text[lead..].starts_with('.') && word_only {
        let commands = COMMANDS.iter().map(|command| match command.usage {
            "" => format!(".{}", command.name),
            _ => format!(".{} ", command.name),
        });
        let types = words.complete_from(text, lead);
        let commands = Completion::matching(text, lead, commands).candidates;
        return match types.span.start == lead {
            true => Completion::matching(text, lead, types.candidates.into_iter().chain(commands)),
            false => types,
        };
    }
    let Some((command, arguments)) = meta::of_line(text) else {
        return words.complete_from(text, 0);
    };
    let at = text.len() - text[lead..].trim_start_matches(|c: char| !c.is_whitespace()).len();
    let start = text.len() - text.rsplit(char::is_whitespace).next().unwrap_or("").len();
    if text[start..].starts_with('-') {
        let definition = command.arguments.map(|definition| definition());
        let known = definition.iter().flat_map(flags).filter_map(|flag| flag.get_long());
        return Completion::matching(text, start, known.map(|name| format!("--{name} ")));
    }
    match command.takes {
        Takes::Nothing | Takes::File => Completion::none(text.len()),
        Takes::Words(known) => {
            Completion::matching(text, start, known.iter().map(|&word| word.to_owned()))
        }
        Takes::Id => Completion::matching(text, start, words.ids(&text[start..])),
        Takes::Topic => Completion::matching(text, start, topics()),
        Takes::Address => {
            let now = std::iter::once("now".to_owned()).filter(|_| command.name == "at");
            Completion::matching(text, start, words.addresses().into_iter().chain(now))
        }
        Takes::Selector if arguments.is_empty() => {
            Completion::matching(text, start, step_starts(words.dialect))
        }
        Takes::Selector => words.complete_from(text, at),
    }
}
