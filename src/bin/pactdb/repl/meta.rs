//! The dot commands: one table that drives dispatch, help and completion.

use super::commands as look_at;
use super::files;
use super::help;
use super::session::{Outcome, Session};
use pactdb::Result;
use pactdb::language::nearest_word;

/// A dot command.
pub struct Command {
    /// Its name, without the dot.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its arguments, as help shows them.
    pub usage: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// A line to try.
    pub example: &'static str,
    /// What its arguments are, for completion.
    pub takes: Takes,
    /// What it does.
    pub run: fn(&mut Session<'_>, &str) -> Result<Outcome>,
}

/// What the arguments of a command are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// There are none.
    Nothing,
    /// A selector.
    Selector,
    /// A time address.
    Address,
    /// The id of a node.
    Id,
    /// A file.
    File,
    /// A command, a statement or another topic of the help.
    Topic,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The forms in which a result can be shown.
pub const FORMS: [&str; 5] = ["table", "tree", "json", "ids", "full"];

/// Every dot command, in the order of the help.
pub const COMMANDS: [Command; 25] = [
    Command {
        name: "help",
        aliases: &["h", "?"],
        usage: "[TOPIC]",
        help: "what can be typed here, or more about a command, a statement or `selectors`",
        example: ".help add",
        takes: Takes::Topic,
        run: help::run,
    },
    Command {
        name: "tree",
        aliases: &[],
        usage: "[N | all | SELECTOR]",
        help: "the state as a tree: the newest N turns, all of them, or what a selector matches",
        example: ".tree ^ah",
        takes: Takes::Selector,
        run: look_at::tree,
    },
    Command {
        name: "show",
        aliases: &[],
        usage: "SELECTOR",
        help: "nodes with every header and their whole content",
        example: ".show #cb:1",
        takes: Takes::Selector,
        run: look_at::show,
    },
    Command {
        name: "thread",
        aliases: &[],
        usage: "[ADDRESS] [openai | anthropic]",
        help: "the messages that a provider would be sent",
        example: ".thread @t0 openai",
        takes: Takes::Address,
        run: look_at::thread,
    },
    Command {
        name: "at",
        aliases: &[],
        usage: "[ADDRESS | now]",
        help: "read every following question at one snapshot or event; `.at now` ends it",
        example: ".at @c42",
        takes: Takes::Address,
        run: look_at::at,
    },
    Command {
        name: "log",
        aliases: &[],
        usage: "[N | all]",
        help: "the newest N events, 20 unless told otherwise",
        example: ".log 5",
        takes: Takes::Words(&["all"]),
        run: look_at::log,
    },
    Command {
        name: "life",
        aliases: &[],
        usage: "ID",
        help: "what happened to one node, from its first event on",
        example: ".life cb:1",
        takes: Takes::Id,
        run: look_at::life,
    },
    Command {
        name: "replay",
        aliases: &[],
        usage: "[all] [SELECTOR]",
        help: "the log again with what each event changed: Enter shows the next one",
        example: ".replay .cb[role='tool']",
        takes: Takes::Selector,
        run: look_at::replay,
    },
    Command {
        name: "stats",
        aliases: &["status"],
        usage: "",
        help: "figures of the store",
        example: ".stats",
        takes: Takes::Nothing,
        run: look_at::stats,
    },
    Command {
        name: "attempts",
        aliases: &[],
        usage: "",
        help: "the recorded calls of providers",
        example: ".attempts",
        takes: Takes::Nothing,
        run: look_at::attempts,
    },
    Command {
        name: "policy",
        aliases: &[],
        usage: "",
        help: "the policies by which a commit prunes; `policy {…}` sets them",
        example: ".policy",
        takes: Takes::Nothing,
        run: look_at::policy,
    },
    Command {
        name: "explain",
        aliases: &[],
        usage: "SELECTOR",
        help: "what a selector means, what it will read, what could be written better",
        example: ".explain @t0 .mt:depth(1-3) .cb",
        takes: Takes::Selector,
        run: look_at::explain,
    },
    Command {
        name: "last",
        aliases: &[],
        usage: "[table | tree | json | ids | full]",
        help: "the last result again, whole, in this or another form",
        example: ".last json",
        takes: Takes::Words(&FORMS),
        run: look_at::last,
    },
    Command {
        name: "undo",
        aliases: &[],
        usage: "",
        help: "take back the last uncommitted edit, by an event of its own",
        example: ".undo",
        takes: Takes::Nothing,
        run: look_at::undo,
    },
    Command {
        name: "commit",
        aliases: &[],
        usage: "",
        help: "close the cycle, like the statement `commit`",
        example: ".commit",
        takes: Takes::Nothing,
        run: look_at::commit,
    },
    Command {
        name: "export",
        aliases: &[],
        usage: "FILE [ADDRESS]",
        help: "write a state as canonical JSON",
        example: ".export now.json @t0",
        takes: Takes::File,
        run: files::export,
    },
    Command {
        name: "import",
        aliases: &[],
        usage: "FILE [FORMAT]",
        help: "read snapshots, messages, or a session of another tool; the format is recognised",
        example: ".import chat.jsonl",
        takes: Takes::File,
        run: files::import,
    },
    Command {
        name: "fork",
        aliases: &[],
        usage: "FILE [ADDRESS]",
        help: "make another store with the history up to a snapshot",
        example: ".fork other.pactdb @c4",
        takes: Takes::File,
        run: files::fork,
    },
    Command {
        name: "dump",
        aliases: &[],
        usage: "FILE",
        help: "write the whole history as text; `pactdb load` reads it",
        example: ".dump backup.jsonl",
        takes: Takes::File,
        run: files::dump,
    },
    Command {
        name: "read",
        aliases: &[],
        usage: "FILE",
        help: "run the statements of a file, up to the first error",
        example: ".read setup.pact",
        takes: Takes::File,
        run: files::read,
    },
    Command {
        name: "verify",
        aliases: &[],
        usage: "",
        help: "check the chain, the contents, every digest and everything derived",
        example: ".verify",
        takes: Takes::Nothing,
        run: look_at::verify,
    },
    Command {
        name: "dialect",
        aliases: &[],
        usage: "[0.1 | 1.0]",
        help: "the dialect of questions; edits are always in the store's own",
        example: ".dialect 1.0",
        takes: Takes::Words(&["0.1", "1.0"]),
        run: look_at::dialect,
    },
    Command {
        name: "timing",
        aliases: &[],
        usage: "[on | off]",
        help: "say how long each answer took",
        example: ".timing on",
        takes: Takes::Words(&["on", "off"]),
        run: look_at::timing,
    },
    Command {
        name: "history",
        aliases: &[],
        usage: "",
        help: "where the lines that you typed are kept",
        example: ".history",
        takes: Takes::Nothing,
        run: look_at::history,
    },
    Command {
        name: "quit",
        aliases: &["exit", "q"],
        usage: "",
        help: "leave; so does Ctrl-D",
        example: ".quit",
        takes: Takes::Nothing,
        run: look_at::quit,
    },
];

/// The command with this name or other name.
pub fn named(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}

/// The command that a line is, and the rest of the line. A line such as `.cb` is none: it selects
/// a type.
pub fn of_line(line: &str) -> Option<(&'static Command, &str)> {
    let line = line.trim();
    let word = line.strip_prefix('.')?;
    let end = word.find(char::is_whitespace).unwrap_or(word.len());
    Some((named(&word[..end])?, word[end..].trim()))
}

/// The command that a line such as `.hlep` was probably meant to be.
pub fn meant(line: &str) -> Option<&'static str> {
    let word = line.trim().strip_prefix('.')?;
    let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
    let ends = word[end..].chars().next().is_none_or(char::is_whitespace);
    let known = pactdb::language::words::Base::from_name(&word[..end]).is_some();
    if known || !ends {
        return None;
    }
    nearest_word(&word[..end], COMMANDS.iter().map(|command| command.name))
}
