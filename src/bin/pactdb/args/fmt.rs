//! Arguments of `fmt`.

use super::Spec;
use clap::Args;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Legacy tokens that it mends:
  c@N                N, inside a position
  *@+, *@-           *[offset>0], *[offset<0]
  cont[offset=N]     N, inside a position and where something follows (1.0)
  .block:TYPE        .block[nodeType in […]] (1.0)

Examples:
  pactdb fmt \".cb(role='user')+b+a\"
  pactdb fmt --to 1.0 '@t0 #cb:1 > .cb'
  pactdb fmt --file queries.txt > canonical.txt
  pactdb fmt --check --file queries.txt     exit code 1 if something would change
  pactdb fmt --write queries.txt            in place";

/// `fmt`
#[derive(Args)]
pub struct FmtArgs {
    /// The selector; - is standard input, a selector a line
    #[arg(value_name = "SELECTOR", required_unless_present_any = ["files", "write"])]
    pub q: Option<String>,
    /// Files with a selector a line; a line that begins with `# ` or `//` is a comment, and stays
    #[arg(long = "file", value_name = "FILE", conflicts_with = "q")]
    pub files: Vec<PathBuf>,
    /// Files to rewrite in place, all lines or none; comments and empty lines stay
    #[arg(long, value_name = "FILE", conflicts_with_all = ["q", "files", "check"])]
    pub write: Vec<PathBuf>,
    /// The dialect to say it in: 0.1 or 1.0
    #[arg(long, value_name = "DIALECT", hide_possible_values = true)]
    pub to: Option<Spec>,
    /// Only say what would change; the exit code is 1 if something would
    #[arg(long)]
    pub check: bool,
}
