//! What Tab offers: the words of the language and of this store, and the commands of the REPL.
//!
//! Selectors and statements are completed by the library; here are the lines that begin with a dot.

use super::help::topics;
use super::meta::{self, COMMANDS, Takes};
use pactdb::language::complete::{
    Completion, CompletionContext, complete as complete_statement, step_starts, time_addresses,
};

/// Most ids that are offered at once.
const MOST_IDS: usize = 50;

/// What could stand at the end of `text`, the line up to the cursor. Files are not known here.
pub fn complete(text: &str, context: &CompletionContext<'_>) -> Completion {
    let lead = text.len() - text.trim_start().len();
    let word_only = !text[lead..].contains(char::is_whitespace);
    if text[lead..].starts_with('.') && word_only {
        let commands = COMMANDS.iter().map(|command| match command.usage {
            "" => format!(".{}", command.name),
            _ => format!(".{} ", command.name),
        });
        let types = complete_from(text, lead, context);
        let commands = Completion::matching(text, lead, commands).candidates;
        return match types.span.start == lead {
            true => Completion::matching(text, lead, types.candidates.into_iter().chain(commands)),
            false => types,
        };
    }
    let Some((command, arguments)) = meta::of_line(text) else {
        return complete_from(text, 0, context);
    };
    let at = text.len() - text[lead..].trim_start_matches(|c: char| !c.is_whitespace()).len();
    let start = text.len() - text.rsplit(char::is_whitespace).next().unwrap_or("").len();
    let words = || context.vocabulary.words();
    match command.takes {
        Takes::Nothing | Takes::File => Completion::none(text.len()),
        Takes::Words(words) => {
            Completion::matching(text, start, words.iter().map(|&word| word.to_owned()))
        }
        Takes::Id => Completion::matching(text, start, words().ids.iter().take(MOST_IDS).cloned()),
        Takes::Topic => Completion::matching(text, start, topics()),
        Takes::Address => {
            let now = std::iter::once("now".to_owned()).filter(|_| command.name == "at");
            Completion::matching(text, start, time_addresses(&words()).into_iter().chain(now))
        }
        Takes::Selector if arguments.is_empty() => {
            Completion::matching(text, start, step_starts(context.dialect))
        }
        Takes::Selector => complete_from(text, at, context),
    }
}

/// Completion of a selector or a statement that begins at a byte of the line.
fn complete_from(text: &str, from: usize, context: &CompletionContext<'_>) -> Completion {
    let rest = &text[from..];
    complete_statement(rest, rest.len(), context).moved_by(from)
}
