//! Arguments of the commands that bring histories in and out.

use crate::clock;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use pactdb::session::{Format, ThreadFormat};
use std::path::PathBuf;

/// `import`
#[derive(Args)]
pub struct ImportArgs {
    /// The document; standard input if left out or -
    pub file: Option<PathBuf>,
    /// Its format, if it is not to be recognised
    #[arg(value_name = "FORMAT")]
    pub kind: Option<FormatArg>,
    /// The same
    #[arg(long, conflicts_with = "kind")]
    pub format: Option<FormatArg>,
    /// Leave bad records out instead of refusing the document
    #[arg(long)]
    pub skip_bad: bool,
    /// Import a session although it was imported before
    #[arg(long)]
    pub again: bool,
}

/// A format by its name.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormatArg {
    /// Snapshot exports, one or a series
    Pact,
    /// Messages with a role or tag, and a content
    Flat,
    /// Messages of the OpenAI chat API
    OpenaiChat,
    /// Items of the OpenAI Responses API
    OpenaiResponses,
    /// Messages of the Anthropic API
    Anthropic,
    /// A session file of Claude Code
    ClaudeCode,
    /// A session file of Codex
    Codex,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Format {
        match format {
            FormatArg::Pact => Format::Pact,
            FormatArg::Flat => Format::Flat,
            FormatArg::OpenaiChat => Format::OpenaiChat,
            FormatArg::OpenaiResponses => Format::OpenaiResponses,
            FormatArg::Anthropic => Format::Anthropic,
            FormatArg::ClaudeCode => Format::ClaudeCode,
            FormatArg::Codex => Format::Codex,
        }
    }
}

/// `export`
#[derive(Args)]
pub struct ExportArgs {
    /// Which state: @t0, @t-3, @c42, @e7, or several: @c1..@c5; the working state if left out
    #[arg(value_name = "TIME", value_parser = clock::time)]
    pub time: Option<String>,
    /// The same
    #[arg(long, value_name = "TIME", value_parser = clock::time, conflicts_with = "time")]
    pub at: Option<String>,
    /// The state in which this attempt was started
    #[arg(long, value_name = "ID", conflicts_with_all = ["at", "time"])]
    pub attempt: Option<String>,
    /// Every snapshot, oldest first, one a line
    #[arg(long, conflicts_with_all = ["at", "time", "attempt"])]
    pub all: bool,
    /// Instead: the page of `ui` as one file, with the newest cycles inside
    #[arg(long, value_name = "FILE", conflicts_with_all = ["at", "attempt", "all"])]
    pub html: Option<PathBuf>,
    /// A question whose answer is put into that file
    #[arg(long, value_name = "QUESTION", requires = "html")]
    pub ask: Vec<String>,
}

/// `thread`
#[derive(Args, Default)]
pub struct ThreadArgs {
    /// Which state, and for which API: @c42 openai
    #[arg(value_name = "TIME FORMAT", num_args = 0..=2, value_parser = clock::argument)]
    pub what: Vec<String>,
    /// Which state: @t0, @t-3, @c42, @e7; the working state if left out
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub at: Option<String>,
    /// The state in which this attempt was started: what its provider was sent
    #[arg(long, value_name = "ID", conflicts_with = "at")]
    pub attempt: Option<String>,
    /// Say whether it is, byte for byte, what the attempt was started with
    #[arg(long, requires = "attempt", conflicts_with = "format")]
    pub check: bool,
    /// For which API
    #[arg(long, value_parser = thread_formats())]
    pub format: Option<ThreadFormat>,
    /// Refuse what the API does not take as it stands, instead of saying it in another way
    #[arg(long)]
    pub strict: bool,
    /// Leave out calls without a result, and results without a call
    #[arg(long)]
    pub drop_unpaired: bool,
    /// Say how much of two threads is the same from the start, and what ends it
    #[arg(
        long,
        num_args = 2,
        value_names = ["TIME", "TIME"],
        value_parser = clock::time,
        conflicts_with_all = ["at", "attempt"]
    )]
    pub compare: Option<Vec<String>>,
}

/// The forms of a thread, by their names.
pub(super) fn thread_formats() -> impl TypedValueParser<Value = ThreadFormat> {
    let names = PossibleValuesParser::new(ThreadFormat::ALL.map(ThreadFormat::name));
    names.map(|name| ThreadFormat::from_name(&name).unwrap_or_default())
}

/// `replay`
#[derive(Args)]
pub struct ReplayArgs {
    /// Only what concerns nodes that this selector matches
    #[arg(value_parser = clock::argument)]
    pub q: Option<String>,
    /// The first cycle: @c10, @t-3
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub from: Option<String>,
    /// The last cycle; what is uncommitted too if left out
    #[arg(long, value_name = "TIME", value_parser = clock::time)]
    pub to: Option<String>,
    /// One line for each cycle instead of each event
    #[arg(long)]
    pub cycles: bool,
    /// Make another store with the same events up to --to instead
    #[arg(long, value_name = "NEW", conflicts_with_all = ["q", "from", "cycles"])]
    pub into: Option<PathBuf>,
}

/// `watch`
#[derive(Args)]
pub struct WatchArgs {
    /// Only what changes the result of this selector
    #[arg(value_parser = clock::argument)]
    pub q: Option<String>,
    /// Begin in the past, with this cycle: @c40, @t-3
    #[arg(long, value_name = "TIME", value_parser = clock::time, conflicts_with = "after")]
    pub from: Option<String>,
    /// Begin behind this event
    #[arg(long, value_name = "EVENT")]
    pub after: Option<u64>,
    /// End after so many events
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

/// `fork`
#[derive(Args)]
pub struct ForkArgs {
    /// The file to make
    pub new: PathBuf,
    /// The last snapshot or event to take: @c42, @e7; the newest snapshot if left out
    #[arg(value_name = "TIME", value_parser = clock::time)]
    pub time: Option<String>,
    /// The same
    #[arg(long, value_name = "TIME", value_parser = clock::time, conflicts_with = "time")]
    pub at: Option<String>,
}

/// `dump`
#[derive(Args)]
pub struct DumpArgs {
    /// The file to write, which must not exist; standard output if left out or -
    pub file: Option<PathBuf>,
}

/// `load`
#[derive(Args)]
pub struct LoadArgs {
    /// The store to make
    pub new: PathBuf,
    /// The dump; standard input if left out or -
    pub file: Option<PathBuf>,
}

/// `attempt`
#[derive(Subcommand)]
pub enum AttemptCommand {
    /// A call begins
    #[command(after_help = "Example:\n  pactdb attempt start --provider openai --model gpt-x")]
    Start(AttemptArgs),
    /// A call has ended
    #[command(after_help = "Example:\n  pactdb attempt finish at:7 --token-in 1200 --token-out 80")]
    Finish {
        /// The name that start gave
        attempt_id: String,
        /// How: completed, canceled or error
        #[arg(long)]
        status: Option<String>,
        /// What went wrong
        #[arg(long)]
        error: Option<String>,
        /// When, in nanoseconds since 1970
        #[arg(long, value_name = "NS")]
        ended_at: Option<i64>,
        #[command(flatten)]
        facts: AttemptFacts,
    },
    /// Which calls there were
    #[command(after_help = "Example:\n  pactdb attempt list --cycle 12")]
    List(AttemptListArgs),
}

/// `stats`
#[derive(Args)]
pub struct StatsArgs {
    /// Each table of the file too: its rows, what they take, and what its pages take
    #[arg(long)]
    pub tables: bool,
}

/// `attempt list`
#[derive(Args)]
pub struct AttemptListArgs {
    /// Only those of a cycle
    #[arg(long)]
    pub cycle: Option<u64>,
    /// Only those of a status: running, completed, canceled or error
    #[arg(long)]
    pub status: Option<String>,
    #[command(flatten)]
    pub facts: AttemptFacts,
}

/// `attempt start`
#[derive(Args)]
pub struct AttemptArgs {
    /// Its name; one is made if left out
    #[arg(long = "id")]
    pub attempt_id: Option<String>,
    /// When, in nanoseconds since 1970
    #[arg(long, value_name = "NS")]
    pub started_at: Option<i64>,
    /// Keep the SHA-256 of the thread that it is sent, in this form
    #[arg(long, value_parser = thread_formats())]
    pub format: Option<ThreadFormat>,
    /// The parameters, as JSON; their hash is kept
    #[arg(long, value_name = "JSON", conflicts_with = "params_hash")]
    pub params: Option<String>,
    #[command(flatten)]
    pub facts: AttemptFacts,
}

/// What is known of a call.
#[derive(Args)]
pub struct AttemptFacts {
    /// Whose model
    #[arg(long)]
    pub provider: Option<String>,
    /// Which model
    #[arg(long)]
    pub model: Option<String>,
    /// A hash of the parameters
    #[arg(long)]
    pub params_hash: Option<String>,
    /// Tokens sent
    #[arg(long, value_name = "N")]
    pub token_in: Option<u64>,
    /// Tokens received
    #[arg(long, value_name = "N")]
    pub token_out: Option<u64>,
}
