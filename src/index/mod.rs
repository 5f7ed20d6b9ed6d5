//! The index: everything that is derived from the log. It can be thrown away and made again from
//! the log to the same bytes.
//!
//! # What it is for
//!
//! The log says what happened, in order. The index answers what a question asks: how was this turn
//! at that cycle, where is this node, which turns can possibly match. It is one set of tables
//! beside the log, in the same file, written in the same transactions.
//!
//! # What each table answers
//!
//! | table | what it answers | file |
//! | --- | --- | --- |
//! | `parts` | how was `^sys`, `^ah` or a turn at a cycle? what did the commit of a cycle do? | `parts`, `commits` |
//! | `sketches` | which nodes does a turn have, and how do they look, without reading the turn? | `summaries` |
//! | `features` | which turns have a node with this role, kind, key, tag or type? | `names` |
//! | `grams` | in the contents of which turns may this text stand? | `trigrams` |
//! | `ids` | where does the node of an id lie, and where did it? was the id ever used? | `ids` |
//! | `refs` | who named this node in `refs`? | `ids` |
//! | `expiry` | which places may hold a node that is due at a cycle? | `expiry` |
//! | `prunes` | which blocks would a policy remove first? | `prunes` |
//! | `instances`, `running` | which is the newest node of a key? which cadences run? | `instances` |
//! | `figures` | how large was the context over any stretch of snapshots, and what happened in it? | `figure_rows` |
//! | `turn_sizes` | how much of the newest thread lies before a turn? | `turn_sizes` |
//! | `attempts`, `attempt_cycles`, `open_attempts`, `failed_attempts` | which provider calls were there? | `side_rows` |
//! | `origins` | which event said where this came from? | `side_rows` |
//!
//! # When it is written
//!
//! - `parts` with every commit (`write`): a row for the commit and one for each part that it
//!   changed. Both are added at the end of the table, and the versions before get their end.
//! - Provider calls and origins with their events.
//! - All others 64 commits at a time, and spread over the commits that follow these (`schedule`,
//!   `checkpoint`): each writes a slice, one table or a piece of one. Which one follows from how many
//!   snapshots there are. Until then what they would say is in the `memtable`, and a reader asks
//!   that first and the tables then. A process that ends loses the memtable; opening makes it
//!   again from the rows of fewer than 128 commits.
//!
//! Something else that is to be written now and then, but not by every commit, is one more slice: a
//! row of `SLICES` in `schedule`, an arm in `write_slice` of `checkpoint`.
//!
//! # How far an answer can be trusted
//!
//! - Exact: `parts`, `ids`, `instances`, `running`, `prunes`, `figures`, `turn_sizes`, provider calls, origins, and what a
//!   summary says. A turn that has no summary has to be read: the newest turns, those of more than
//!   256 nodes, and old versions of a turn that changed more than four times.
//! - False positives, never false negatives: `features` and `grams` (hashes collide, and a row has
//!   what any version of a turn had), `refs` and `expiry` (what was so once may have changed).
//!   Whoever asks these looks at what they name.
//! - Damage is no answer: every row has a checksum, and where a row is not found its neighbours are
//!   checked.
//!
//! # Where things are
//!
//! `summary` and `lookup` are pure data structures, which selectors are evaluated with.
//! `tables` has the definitions, `view` opens them, `nodes` is the form of nodes in rows,
//! `bloom` and `summary_rows` the forms of two tables. Nothing here begins or ends a
//! transaction: `store` does.

mod bloom;
mod checkpoint;
mod closed_cycle;
mod commits;
mod expiry;
mod figure_rows;
mod figures;
mod ids;
mod instances;
mod lookup;
mod memtable;
mod names;
mod nodes;
mod parts;
mod prunes;
mod schedule;
mod side_rows;
mod summaries;
mod summary;
mod summary_rows;
mod tables;
mod trigrams;
mod turn_sizes;
mod view;
mod write;

pub use closed_cycle::CycleKind;
pub use commits::CycleInfo;
pub use figures::{Break, Figures};
pub use lookup::{Lookup, NameKind, Trigrams, name_hashes};
pub use summary::{Columns, Indexed, SummaryPage, TurnAt, TurnSummary};

pub(crate) use checkpoint::{read_checkpoint, write_checkpoint, write_slice};
pub(crate) use closed_cycle::ClosedCycle;
pub(crate) use commits::{
    CycleHead, StoredCycle, StoredPartChange, get_cycle, get_cycle_head, get_skeleton,
};
pub(crate) use expiry::{expiring, finite};
pub(crate) use figure_rows::FigureReader;
pub(crate) use ids::{places, referrers};
pub(crate) use instances::{instance, running};
pub(crate) use memtable::{Memtable, NewCycle};
pub(crate) use names::with_names;
pub(crate) use nodes::Interner;
pub(crate) use parts::PartRow;
pub(crate) use prunes::ranked_blocks;
pub(crate) use schedule::all_is_written;
pub(crate) use side_rows::{
    attempt_cycle, attempts, failed_attempts, has_side_rows, open_attempts, origin, origins,
    write_side_rows,
};
pub(crate) use summaries::{SummaryReader, TemplateCache, summary_page};
pub(crate) use tables::{
    EachTable, PARTS, PartKey, TABLES, checkpoint_name, checkpoint_row, create_derived,
    derived_row, drop_derived, each_table, exchange_derived, part_key, place_key, repack_derived,
};
pub(crate) use trigrams::with_texts;
pub(crate) use turn_sizes::stored_size;
pub(crate) use view::{OpenedTables, View};
pub(crate) use write::{new_cycle, write_closed};
