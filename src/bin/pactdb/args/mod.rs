//! The command line: what can be said to the program, and the help for it.

mod edit;
mod fmt;
mod headers;
mod read;
mod serve;
mod session;
mod sql;

pub use edit::{AddArgs, BatchArgs, CommitArgs, ContentArgs, MoveArgs, PolicyArgs, SetArgs};
pub use fmt::FmtArgs;
pub use read::{
    AnswerArgs, DiffArgs, ExplainArgs, LogArgs, RedactArgs, SelectArgs, TimelineArgs, TreeArgs,
};
pub use serve::{LogForm, ServeArgs, UiArgs};
pub use session::{
    AttemptCommand, AttemptFacts, AttemptListArgs, DumpArgs, ExportArgs, ForkArgs, ImportArgs,
    LoadArgs, ReplayArgs, StatsArgs, ThreadArgs, WatchArgs,
};
pub use sql::SqlArgs;

use crate::clock;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pactdb::attach::Access;
use pactdb::{Dialect, Generation};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A store for the memory of LLM agents: every edit, every turn, every past state in one file.
#[derive(Parser)]
#[command(version, about, max_term_width = 100, after_help = START)]
pub struct Arguments {
    /// The store's file, or its address: http://HOST:PORT/NAME
    #[arg(
        short,
        long,
        global = true,
        env = "PACTDB_STORE",
        hide_env_values = true,
        default_value = "memory.pactdb",
        value_name = "FILE",
        help_heading = GLOBAL
    )]
    pub store: PathBuf,

    /// Answer in JSON, as `pactdb pipe` does
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub json: bool,

    /// The dialect of selectors, if it is not the store's own
    #[arg(
        long,
        global = true,
        value_name = "0.1|1.0",
        hide_possible_values = true,
        help_heading = GLOBAL
    )]
    pub dialect: Option<Spec>,

    /// Whether to use colours: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        help_heading = GLOBAL
    )]
    pub color: Colour,

    /// Never show a long answer in a pager
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub no_pager: bool,

    /// Change nothing: edits are refused
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub read_only: bool,

    /// Do not talk to another process that has the store open: fail instead
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub no_attach: bool,

    /// What others may do while the REPL or a pipe has the store open: none, read or write
    #[arg(
        long,
        global = true,
        value_name = "WHAT",
        default_value = "write",
        hide_possible_values = true,
        help_heading = GLOBAL
    )]
    pub attach: Attach,

    /// How long an answer may take: 300ms, 2s, 1m; 0 is no bound, and so is nothing
    #[arg(
        long,
        global = true,
        value_name = "TIME",
        value_parser = timeout,
        help_heading = GLOBAL
    )]
    pub timeout: Option<u64>,

    /// What to do; without one, the REPL
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Whether the store was named in the arguments
    #[arg(skip)]
    pub store_named: bool,
}

impl Arguments {
    /// The arguments of the process. A store's file that stands where a command could is the store:
    /// `pactdb demo.pactdb`.
    pub fn of_process() -> Result<Arguments, clap::Error> {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        Arguments::read(&words).or_else(|error| {
            let at = file_for_command(&error, &words).ok_or(error)?;
            words.insert(at, "--store".into());
            Arguments::read(&words)
        })
    }

    fn read(words: &[OsString]) -> Result<Arguments, clap::Error> {
        let matches = Arguments::command().try_get_matches_from(words)?;
        let arguments = Arguments::from_arg_matches(&matches)?;
        let store_named = matches.value_source("store") == Some(ValueSource::CommandLine);
        Ok(Arguments { store_named, ..arguments })
    }
}

/// Where a file stands that was taken for a command.
fn file_for_command(error: &clap::Error, words: &[OsString]) -> Option<usize> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_file = word.ends_with(".pactdb") || Path::new(word).is_file();
    words.iter().position(|given| is_file && given.to_str() == Some(word))
}

/// What every command takes stands apart from what is its own.
const GLOBAL: &str = "For every command";

const START: &str = "\
Start here:
  pactdb                                    the REPL, on a new store if there is none
  pactdb demo                               a store to look around in
  pactdb demo.pactdb                        the REPL on that file
  pactdb -s demo.pactdb tree
  pactdb -s demo.pactdb nodes \"@t0 .mt:depth(1-3) .cb[role='user']\"
  pactdb -s demo.pactdb select \"@t-3..@t0 .cb\"

A selector is one line that says when, where and what; quote it for the shell.
Ctrl-C and SIGTERM end what runs with E_CANCELLED and status 130 or 143; the store is closed.";

/// What other processes may do.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Attach {
    None,
    Read,
    Write,
}

impl Attach {
    /// As the library has it.
    pub fn access(self) -> Option<Access> {
        match self {
            Attach::None => None,
            Attach::Read => Some(Access::Read),
            Attach::Write => Some(Access::Write),
        }
    }
}

/// A time out of `300ms`, `2s` or `1m`.
fn time(text: &str) -> Result<Duration, String> {
    timeout(text).map(Duration::from_millis)
}

/// Milliseconds out of `300ms`, `2s` or `1m`.
fn timeout(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "" if number.bytes().all(|digit| digit == b'0') => Some(1),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let time = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    time.ok_or_else(|| "a time is a number with ms, s or m, such as 300ms; or 0".to_owned())
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Make a new store
    #[command(after_help = "Example:\n  pactdb -s memory.pactdb init --spec 0.1")]
    Init {
        /// The generation of the specification: mt / mc / cb, or seg / cont / block
        #[arg(long, default_value = "0.1")]
        spec: Spec,
    },
    /// Make a small, lively store to look around in: an agent that plans a trip
    #[command(after_help = "Example:\n  pactdb demo && pactdb -s demo.pactdb tree")]
    Demo {
        /// The file to make; if left out, the one that -s names, or demo.pactdb
        file: Option<PathBuf>,
    },
    /// Talk to the store, line by line; the same as no command
    #[command(after_help = "Example:\n  pactdb -s demo.pactdb repl")]
    Repl,
    /// Run the statements of a file
    #[command(after_help = "Examples:
  pactdb run setup.pact
  echo \"add 'Hello'\" | pactdb run -
  pactdb run --echo tour.pact           as a session at a terminal would look")]
    Run {
        /// The file; - is standard input
        file: PathBuf,
        /// Go on after an error
        #[arg(short, long)]
        keep_going: bool,
        /// Print the prompt and each statement before its answer
        #[arg(short, long)]
        echo: bool,
    },
    /// Answer requests in JSON, one a line, on standard input
    #[command(
        after_help = "Example:\n  echo '{\"op\":\"add\",\"role\":\"user\",\"content\":\"Hello\"}' | pactdb pipe"
    )]
    Pipe,
    /// Serve stores over HTTP
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Look at the store in the browser
    #[command(after_help = serve::UI_EXAMPLES)]
    Ui(UiArgs),

    /// Add a node to the turn in progress, or elsewhere
    #[command(after_help = "Examples:
  pactdb add --role user 'Where is the key?'
  pactdb add --role tool --kind result --ttl 2 --file page.html
  pactdb add --to ^sys --role system 'Be brief.'
  date | pactdb add --key clock --role tool -")]
    Add(AddArgs),
    /// Change content and headers of nodes
    #[command(after_help = "Examples:
  pactdb set '#cb:1' 'Be brief and kind.'
  pactdb set \".cb[kind='result']\" --ttl 3 --tag cold
  pactdb set '#cb:1' --clear ttl,key --attr data_score=0.7")]
    Set(SetArgs),
    /// Move nodes below another parent, or to another offset
    #[command(after_help = "Example:\n  pactdb move '#cb:3' '^ah' --offset -1")]
    Move(MoveArgs),
    /// Remove nodes with everything below them
    #[command(
        visible_alias = "rm",
        after_help = "Example:\n  pactdb remove \"^ah .cb[role='tool']\""
    )]
    Remove {
        /// Which nodes
        target: String,
        /// Also if other nodes refer to them
        #[arg(long)]
        force: bool,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Close the cycle: expire, prune, seal the turn, take a snapshot
    #[command(
        after_help = "Examples:\n  pactdb commit --expected-cycle 41\n  pactdb commit --dry-run"
    )]
    Commit(CommitArgs),
    /// Run several edits together or not at all
    #[command(after_help = "Example:
  echo '[{\"op\":\"add\",\"role\":\"user\",\"content\":\"Hi\"},{\"op\":\"commit\"}]' | pactdb batch -")]
    Batch(BatchArgs),
    /// Take back the newest uncommitted edit or batch
    #[command(after_help = "Example:\n  pactdb undo")]
    Undo {
        /// Only if this is the last event: nobody else edited since
        #[arg(long, value_name = "EVENT", allow_negative_numbers = true)]
        expected_event: Option<i64>,
    },
    /// Make a past snapshot the newest one; history is kept
    #[command(after_help = "Example:\n  pactdb restore @c42")]
    Restore {
        /// The snapshot: @t-3, @c42, @-2h
        #[arg(value_parser = clock::time)]
        at: String,
        /// Throw uncommitted edits away
        #[arg(long)]
        discard: bool,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Show or set the policies by which commits prune
    #[command(after_help = "Examples:
  pactdb policy
  pactdb policy --max-tokens 100000 --protect-recent-turns 5
  pactdb policy --clear")]
    Policy(PolicyArgs),
    /// End the cadence of a key, so that its block does not come back
    #[command(after_help = "Example:\n  pactdb cadence --end reminder")]
    Cadence {
        /// The key
        #[arg(long, value_name = "KEY")]
        end: String,
    },

    /// Answer a selector with ids, or a range with what changed
    #[command(after_help = "Examples:
  pactdb select \"@t0 ^seq .mt:depth(1-3) .cb[role='user']\"
  pactdb select --at @c12 '.cb[ttl<=1]'
  pactdb select --content \"@t-3..@t0 .cb[kind='summary']\"")]
    Select(SelectArgs),
    /// Answer a selector with a table of nodes
    #[command(after_help = "Example:\n  pactdb nodes \"@t0 .cb[role='tool']\" --limit 20")]
    Nodes(SelectArgs),
    /// Answer a question in SQL over nodes, changes, lives, calls and the log
    #[command(after_help = sql::EXAMPLES)]
    Sql(SqlArgs),
    /// Draw a state as a tree
    #[command(after_help = "Examples:
  pactdb tree
  pactdb tree @c12 --turns 3
  pactdb tree '@c12 .mt:depth(1)'")]
    Tree(TreeArgs),
    /// Show what differs between two states
    #[command(after_help = "Examples:
  pactdb diff                    what is not committed yet
  pactdb diff @t-5               from there to the working state
  pactdb diff @c10 @c20 .cb      between two snapshots, blocks only")]
    Diff(DiffArgs),
    /// Say what a selector means, what it reads and what could be written better
    #[command(after_help = "Example:\n  pactdb explain \"@t0 .mt:depth(1-3) .cb\"")]
    Explain(ExplainArgs),
    /// Write a selector in its canonical form, or in the other dialect
    #[command(after_help = fmt::EXAMPLES)]
    Fmt(FmtArgs),
    /// Write a snapshot, or the working state, as canonical JSON; several of them one a line
    #[command(after_help = "Examples:
  pactdb export --at @t0 > snapshot.json
  pactdb export --all > snapshots.jsonl
  pactdb export --html report.html       the page with the store inside, for an attachment")]
    Export(ExportArgs),
    /// Write the provider thread of a state, or say how much two of them have in common
    #[command(after_help = "Examples:
  pactdb thread @c42
  pactdb thread @c42 openai                 warnings on standard error
  pactdb thread --format anthropic --strict refuse what the API does not take
  pactdb thread --attempt at:7 --check      is it still what was sent?
  pactdb thread --compare @c41 @c42")]
    Thread(ThreadArgs),
    /// Show the events, newest first, or the life of a node
    #[command(after_help = "Examples:
  pactdb log --limit 20
  pactdb log --from 100 --limit 20      from event 100 on
  pactdb log --cycle 12 --kind set
  pactdb log --node '#cb:1'             made, edited, moved, sealed, expired")]
    Log(LogArgs),
    /// Walk through the log and show what each event changed
    #[command(after_help = "Examples:
  pactdb replay --from @c10 --to @c12
  pactdb replay --cycles
  pactdb replay \".cb[role='tool']\"
  pactdb replay --to @c12 --into copy.pactdb")]
    Replay(ReplayArgs),
    /// Show each edit and each commit as it happens, until Ctrl-C
    #[command(after_help = "Examples:
  pactdb watch                          in a second terminal, while the agent runs
  pactdb watch \".cb[role='user']\"       only what changes the result of a selector
  pactdb watch --json --from @c40       from the past into the present")]
    Watch(WatchArgs),
    /// Record calls to a provider, and list them
    #[command(
        subcommand,
        after_help = "Example:
  pactdb attempt start --provider openai --model gpt-x --format openai
  pactdb attempt finish at:7 --token-in 1200 --token-out 80
  pactdb attempt list --cycle 12"
    )]
    Attempt(AttemptCommand),

    /// Import a history: snapshots, messages, session files of coding agents
    #[command(after_help = "Examples:
  pactdb import chat.json
  pactdb import --format claude-code session.jsonl
  curl -s https://example.org/log.jsonl | pactdb import --skip-bad -")]
    Import(ImportArgs),
    /// Start a new store with the history of this one up to a snapshot
    #[command(after_help = "Example:\n  pactdb fork --at @c42 other.pactdb")]
    Fork(ForkArgs),
    /// Write the whole store as JSON Lines
    #[command(after_help = "Example:\n  pactdb dump backup.jsonl")]
    Dump(DumpArgs),
    /// Make a new store out of a dump
    #[command(after_help = "Example:\n  pactdb load new.pactdb backup.jsonl")]
    Load(LoadArgs),
    /// Chart how large the context was, and what happened, over the whole history or a range
    #[command(after_help = "Examples:
  pactdb timeline                       the whole history on one screen
  pactdb timeline @c100..@c200          of each bucket, the last snapshot
  pactdb timeline @t-20.. --tokens
  pactdb timeline --format anthropic    where a provider's prompt cache missed
  pactdb timeline --csv --buckets 2000 > sizes.csv")]
    Timeline(TimelineArgs),
    /// Show figures of the store
    #[command(after_help = "Examples:\n  pactdb stats --json\n  pactdb stats --tables")]
    Stats(StatsArgs),

    /// Check the chain, the contents, every digest and everything that is derived
    #[command(after_help = "Example:\n  pactdb verify && cp memory.pactdb backup.pactdb")]
    Verify,
    /// Make everything that is derived again from the log
    #[command(after_help = "Example:\n  pactdb rebuild")]
    Rebuild,
    /// Report what looks like a key, a token or a card in the history, never its text
    #[command(
        after_help = "Patterns: api-key, aws-key, github-token, google-key, slack-token, bearer, jwt,
private-key and card; email only if it is asked for.

Examples:
  pactdb redact --scan
  pactdb redact --scan --pattern card --pattern email
  pactdb redact --scan --own 'ACME-[0-9]{6}'"
    )]
    Redact(RedactArgs),
    /// Pack the file and give free room back to the file system
    #[command(after_help = "Example:\n  pactdb compact")]
    Compact,
    /// Write the completion script of a shell
    #[command(
        after_help = "Example:\n  pactdb completions bash > ~/.local/share/bash-completion/completions/pactdb"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual page
    #[command(after_help = "Example:\n  pactdb man > pactdb.1 && man ./pactdb.1")]
    Man,
}

/// A generation of the specification by its short name.
#[derive(Clone, Copy, ValueEnum)]
pub enum Spec {
    /// mt / mc / cb
    #[value(name = "0.1")]
    V0_1,
    /// seg / cont / block
    #[value(name = "1.0")]
    V1_0,
}

impl From<Spec> for Generation {
    fn from(spec: Spec) -> Generation {
        match spec {
            Spec::V0_1 => Generation::V0_1,
            Spec::V1_0 => Generation::V1_0,
        }
    }
}

impl From<Spec> for Dialect {
    fn from(spec: Spec) -> Dialect {
        match spec {
            Spec::V0_1 => Dialect::V0_1,
            Spec::V1_0 => Dialect::V1_0,
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
