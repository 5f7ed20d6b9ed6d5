//! Arguments of questions in SQL.

use crate::clock;
use clap::Args;

pub const EXAMPLES: &str = "Examples:
  pactdb sql \"select role, count(*), sum(bytes) from pact('@t0 .cb') group by role\"
  pactdb sql \"select cycle, id from changes('@c1..@c9 .cb') where change = 'removed'\"
  pactdb sql --csv \"select at, sum(bytes) from each('@c1..@c40', '.cb') group by at\" > sizes.csv
  pactdb sql --param cb:1 'select * from lives where id = ?'
  pactdb sql '@t0 .cb | sum bytes by role | sort 2 desc'
  pactdb sql --tables";

/// `sql`
#[derive(Args)]
pub struct SqlArgs {
    /// The statement, or a selector with stages; - is standard input
    #[arg(required_unless_present = "tables", value_parser = clock::argument)]
    pub q: Option<String>,
    /// A value for a `?`, in their order: JSON, or else a text
    #[arg(short, long = "param", value_name = "VALUE")]
    pub params: Vec<String>,
    /// At most so many rows; at a terminal 10000 unless told otherwise
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// As CSV
    #[arg(long, conflicts_with = "jsonl")]
    pub csv: bool,
    /// As JSON, an object a line
    #[arg(long)]
    pub jsonl: bool,
    /// Say how it would be answered, and which conditions the engine gets
    #[arg(long)]
    pub explain: bool,
    /// List the tables and their columns
    #[arg(long, conflicts_with_all = ["q", "explain"])]
    pub tables: bool,
}
