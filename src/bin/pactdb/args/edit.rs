//! Arguments of the commands that edit.

use super::headers::HeaderArgs;
use clap::Args;
use pactdb::protocol::set_fields;
use std::path::PathBuf;

/// Where a content comes from.
#[derive(Args)]
pub struct ContentArgs {
    /// The content: a text, or - for standard input
    pub content: Option<String>,
    /// Read the content from a file
    #[arg(short, long, value_name = "PATH", conflicts_with = "content")]
    pub file: Option<PathBuf>,
    /// The content is JSON and not a text
    #[arg(long)]
    pub content_json: bool,
}

/// `add`
#[derive(Args)]
pub struct AddArgs {
    #[command(flatten)]
    pub content: ContentArgs,
    /// Where: a selector that matches one node, or a position; with `?` at the end it may match
    /// nothing [default: ^ah]
    #[arg(long, value_name = "PLACE")]
    pub to: Option<String>,
    /// Who speaks: system, user, assistant, tool …
    #[arg(short, long)]
    pub role: Option<String>,
    /// What sort of thing it says: call, result, summary …
    #[arg(short, long)]
    pub kind: Option<String>,
    /// The family that it is an instance of
    #[arg(long)]
    pub key: Option<String>,
    /// A tag; may be given several times
    #[arg(short, long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Cycles to live
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub ttl: Option<i64>,
    /// Cycles until it comes back; needs a key
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub cad: Option<i64>,
    /// Its offset: below 0 is pre-context, above 0 post-context
    #[arg(long, allow_negative_numbers = true)]
    pub offset: Option<i64>,
    /// Lower goes first when a policy prunes
    #[arg(short, long, allow_negative_numbers = true)]
    pub priority: Option<i64>,
    /// Its type [default: cb, or block]
    #[arg(long = "type", value_name = "TYPE")]
    pub node_type: Option<String>,
    /// It is a container
    #[arg(long)]
    pub container: bool,
    /// The container goes when it becomes empty
    #[arg(long)]
    pub removable: bool,
    /// Its id; one is made if left out
    #[arg(long)]
    pub id: Option<String>,
    /// A node that must stay while this one does; may be given several times
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    /// Never prune it
    #[arg(long)]
    pub pinned: bool,
    /// Who or what made it
    #[arg(long)]
    pub provenance: Option<String>,
    /// The media type of its content, such as image/png
    #[arg(long, value_name = "TYPE")]
    pub mime: Option<String>,
    /// How its content is encoded, such as base64
    #[arg(long)]
    pub encoding: Option<String>,
    /// An attribute of your own, such as data_score=0.7; may be given several times
    #[arg(short, long = "attr", value_name = "NAME=VALUE")]
    pub attrs: Vec<String>,
    /// When it was made, in nanoseconds since 1970
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub created_at_ns: Option<i64>,
    #[command(flatten)]
    pub headers: HeaderArgs<false>,
}

/// `set`
#[derive(Args)]
pub struct SetArgs {
    /// Which nodes: a selector; with `?` at the end it may match nothing
    pub target: String,
    #[command(flatten)]
    pub content: ContentArgs,
    /// Cycles to live, from the cycle in progress
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub ttl: Option<i64>,
    /// Lower goes first when a policy prunes
    #[arg(short, long, allow_negative_numbers = true)]
    pub priority: Option<i64>,
    /// The family that it is an instance of
    #[arg(long)]
    pub key: Option<String>,
    /// A tag; the tags given replace the ones there
    #[arg(short, long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Cycles until it comes back
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub cad: Option<i64>,
    /// Never prune it
    #[arg(long)]
    pub pinned: bool,
    /// A node that must stay; the references given replace the ones there
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    /// The media type of the content
    #[arg(long, value_name = "TYPE")]
    pub mime: Option<String>,
    /// How the content is encoded
    #[arg(long)]
    pub encoding: Option<String>,
    /// An attribute of your own; null removes it
    #[arg(short, long = "attr", value_name = "NAME=VALUE")]
    pub attrs: Vec<String>,
    #[arg(long, value_name = "FIELD", value_delimiter = ',', help = clear_help())]
    pub clear: Vec<String>,
    #[command(flatten)]
    pub headers: HeaderArgs<true>,
}

fn clear_help() -> String {
    format!("Remove these: content, {}", set_fields().join(", "))
}

/// `move`
#[derive(Args)]
pub struct MoveArgs {
    /// Which nodes
    pub target: String,
    /// Their new parent; with `?` at the end it may match nothing
    pub to: String,
    /// Their new offset; each keeps its own if left out
    #[arg(long, allow_negative_numbers = true)]
    pub offset: Option<i64>,
    /// The time of a core that has to be made
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub created_at_ns: Option<i64>,
}

/// `commit`
#[derive(Args)]
pub struct CommitArgs {
    /// Say what would expire, go and come back, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only if this is the last cycle
    #[arg(long, value_name = "CYCLE", allow_negative_numbers = true)]
    pub expected_cycle: Option<i64>,
    /// Only if this is the last event: nobody else edited since
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true)]
    pub expected_event: Option<i64>,
    /// When, in nanoseconds since 1970
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub created_at_ns: Option<i64>,
}

/// `batch`
#[derive(Args)]
pub struct BatchArgs {
    /// A file with a JSON list of operations, or one operation a line; - for standard input
    #[arg(default_value = "-")]
    pub file: PathBuf,
    /// Only if this is the last cycle
    #[arg(long, value_name = "CYCLE", allow_negative_numbers = true)]
    pub expected_cycle: Option<i64>,
}

/// `policy`
#[derive(Args)]
pub struct PolicyArgs {
    /// Limit this region only: ^sys, ^seq or ^ah
    #[arg(long)]
    pub region: Option<String>,
    /// The most blocks
    #[arg(long, value_name = "N")]
    pub max_blocks: Option<u64>,
    /// The most bytes of content
    #[arg(long, value_name = "N")]
    pub max_bytes: Option<u64>,
    /// The most estimated tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// The most turns: whole turns go, oldest first
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u64>,
    /// The most nodes
    #[arg(long, value_name = "N")]
    pub max_nodes: Option<u64>,
    /// Leave this many of the newest turns alone
    #[arg(long, value_name = "N")]
    pub protect_recent_turns: Option<u64>,
    /// Keep the policies there are, and add this one
    #[arg(long)]
    pub append: bool,
    /// Set all policies at once, as a JSON list
    #[arg(long, value_name = "JSON", conflicts_with_all = ["region", "max_blocks", "max_bytes", "max_tokens", "max_turns", "max_nodes", "protect_recent_turns", "append"])]
    pub set: Option<String>,
    /// Remove all policies
    #[arg(long, conflicts_with_all = ["region", "max_blocks", "max_bytes", "max_tokens", "max_turns", "max_nodes", "protect_recent_turns", "append", "set"])]
    pub clear: bool,
}
