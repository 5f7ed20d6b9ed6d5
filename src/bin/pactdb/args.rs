//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use pactdb::Generation;
use std::path::PathBuf;

/// A store for the memory of LLM agents: every edit, every turn, every past state in one file.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Arguments {
    /// The store's file
    #[arg(short, long, global = true, env = "PACTDB_STORE", default_value = "memory.pactdb")]
    pub store: PathBuf,

    /// Answer in JSON
    #[arg(long, global = true)]
    pub json: bool,

    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Make a new store
    #[command(after_help = "Example: pactdb -s memory.pactdb init --spec 0.1")]
    Init {
        /// The generation of the specification: mt / mc / cb, or seg / cont / block
        #[arg(long, default_value = "0.1")]
        spec: Spec,
    },
    /// Answer requests in JSON, one a line, on standard input
    #[command(
        after_help = "Example: echo '{\"op\":\"add\",\"role\":\"user\",\"content\":\"Hello\"}' | pactdb pipe"
    )]
    Pipe,
    /// Write a snapshot, or the working state, as canonical JSON
    #[command(after_help = "Example: pactdb export --at @t0 > snapshot.json")]
    Export {
        /// Which state: @t0, @t-3, @c42; the working state if left out
        #[arg(long)]
        at: Option<String>,
    },
    /// Write the provider thread of a state
    #[command(after_help = "Example: pactdb thread --at @c42")]
    Thread {
        /// Which state: @t0, @t-3, @c42; the working state if left out
        #[arg(long)]
        at: Option<String>,
    },
    /// Show the events, oldest first
    #[command(after_help = "Example: pactdb log --from 100 --limit 20")]
    Log {
        /// The first event
        #[arg(long)]
        from: Option<u64>,
        /// How many
        #[arg(long)]
        limit: Option<u64>,
    },
    /// Show figures of the store
    Stats,
    /// Check the chain, the contents, every digest and everything that is derived
    Verify,
    /// Make everything that is derived again from the log
    Rebuild,
    /// Pack the file and give free room back to the file system
    Compact,
}

/// A generation by its short name.
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
