//! Arguments of the commands that read.

use super::session::thread_formats;
use crate::clock;
use clap::{Args, ValueEnum};
use pactdb::protocol::Redact;
use pactdb::session::ThreadFormat;

/// How a selector is answered.
#[derive(Args, Default)]
pub struct AnswerArgs {
    /// At most so many nodes
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Without the first ones
    #[arg(long, value_name = "N")]
    pub skip: Option<u64>,
    /// The order: path, recent or id
    #[arg(long)]
    pub order: Option<String>,
    /// In a range, show how contents changed
    #[arg(long)]
    pub content: bool,
    /// How: unified, jsonpatch or tokens (with --json)
    #[arg(long, value_name = "MODE", requires = "content")]
    pub content_mode: Option<ContentMode>,
    /// Lines around a change (with --json)
    #[arg(long, value_name = "N", requires = "content")]
    pub context_lines: Option<u64>,
    /// Of a range at most so many snapshots, the newest
    #[arg(long, value_name = "N")]
    pub max_snapshots: Option<u64>,
    /// Of each pair of a range at most so many changes
    #[arg(long, value_name = "N")]
    pub max_changes: Option<u64>,
}

/// The forms of a content difference.
#[derive(Clone, Copy, ValueEnum)]
pub enum ContentMode {
    Unified,
    Jsonpatch,
    Tokens,
}

impl From<ContentMode> for pactdb::answer::ContentMode {
    fn from(mode: ContentMode) -> pactdb::answer::ContentMode {
        match mode {
            ContentMode::Unified => pactdb::answer::ContentMode::Unified,
            ContentMode::Jsonpatch => pactdb::answer::ContentMode::Jsonpatch,
            ContentMode::Tokens => pactdb::answer::ContentMode::Tokens,
        }
    }
}

/// `select` and `nodes`
#[derive(Args)]
pub struct SelectArgs {
    /// The selector
    #[arg(value_parser = clock::argument)]
    pub q: String,
    /// The time, if the selector has none: @t0, @t-3, @c42, @e7, @-2h, a range
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub at: Option<String>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// As CSV
    #[arg(long, conflicts_with = "jsonl")]
    pub csv: bool,
    /// As JSON, an object a line
    #[arg(long)]
    pub jsonl: bool,
}

/// `tree`
#[derive(Args)]
pub struct TreeArgs {
    /// A time, a selector of the nodes to draw, or both; or how many of the newest turns, or all
    #[arg(value_name = "WHAT", value_parser = clock::argument)]
    pub q: Option<String>,
    /// Which state: @t0, @t-3, @c42, @e7, @-2h; the working state if left out
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub at: Option<String>,
    /// How many of the newest turns; what fits the screen if left out, and elsewhere all
    #[arg(long, value_name = "N")]
    pub turns: Option<u64>,
    /// All turns
    #[arg(long, conflicts_with = "turns")]
    pub all: bool,
}

/// `explain`
#[derive(Args)]
pub struct ExplainArgs {
    /// The selector, or a question in SQL
    #[arg(value_parser = clock::argument)]
    pub q: String,
    /// The time, if the selector has none
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub at: Option<String>,
}

/// `diff`
#[derive(Args)]
pub struct DiffArgs {
    /// Two times and a selector, each of which may be left out: @c10 @t0 .cb
    #[arg(value_name = "TIME TIME SELECTOR", num_args = 0..=3, value_parser = clock::argument)]
    pub what: Vec<String>,
    /// In JSON, with values, parents and moves
    #[arg(long)]
    pub rich: bool,
}

/// `log`
#[derive(Args)]
pub struct LogArgs {
    /// How many, or all
    #[arg(value_name = "N", value_parser = count)]
    pub count: Option<u64>,
    /// The first event; the others follow it, oldest first
    #[arg(long)]
    pub from: Option<u64>,
    /// The same
    #[arg(long, value_name = "N", conflicts_with = "count")]
    pub limit: Option<u64>,
    /// Only those of a cycle, the one in progress too
    #[arg(long)]
    pub cycle: Option<u64>,
    /// Only those of a kind: add, set, move, remove, commit, import, attempt …
    #[arg(long)]
    pub kind: Option<String>,
    /// The life of one node, oldest first
    #[arg(long, value_name = "ID", conflicts_with_all = ["from", "cycle", "kind"])]
    pub node: Option<String>,
    /// The other way round
    #[arg(long)]
    pub reverse: bool,
}

/// `timeline`
#[derive(Args)]
pub struct TimelineArgs {
    /// From where to where: @c10..@c400, @t-20.., ..@c9; all of it if left out
    #[arg(value_name = "TIME..TIME")]
    pub range: Option<String>,
    /// The most lines, up to 2000; as many as the screen has if left out
    #[arg(long, value_name = "N")]
    pub buckets: Option<u64>,
    /// What bars are stacked by
    #[arg(long, default_value = "role")]
    pub by: Stack,
    /// Say how many tokens the newest ones have
    #[arg(long)]
    pub tokens: bool,
    /// Say where prompts for this API break, instead of the thread
    #[arg(long, value_parser = thread_formats())]
    pub format: Option<ThreadFormat>,
    /// As CSV, with every column
    #[arg(long)]
    pub csv: bool,
}

/// What bars are stacked by.
#[derive(Clone, Copy, ValueEnum)]
pub enum Stack {
    /// Who speaks
    Role,
    /// ^sys, ^seq and ^ah
    Region,
}

impl From<Stack> for pactdb::StackBy {
    fn from(stack: Stack) -> pactdb::StackBy {
        match stack {
            Stack::Role => pactdb::StackBy::Role,
            Stack::Region => pactdb::StackBy::Region,
        }
    }
}

/// How many events: a number, or all of them.
fn count(text: &str) -> Result<u64, String> {
    match text {
        "all" => Ok(u64::MAX),
        number => number.parse().map_err(|_| "a number, or all".to_owned()),
    }
}

/// `redact`
#[derive(Args)]
pub struct RedactArgs {
    /// Report what is in the store already; nothing is changed
    #[arg(long, required = true)]
    pub scan: bool,
    /// Only patterns of these names; may be given several times
    #[arg(long = "pattern", value_name = "NAME")]
    pub patterns: Vec<String>,
    /// A regular expression of one's own; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub own: Vec<String>,
}

impl From<RedactArgs> for Redact {
    fn from(RedactArgs { scan, patterns, own }: RedactArgs) -> Redact {
        Redact { scan, patterns, own }
    }
}
