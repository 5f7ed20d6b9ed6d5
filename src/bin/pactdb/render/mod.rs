//! Answers as people read them: tables, trees, differences, errors with a caret.
//!
//! Everything here makes text from plain data and prints nothing. Texts of others are made visible
//! on their way in (see [`text`]) and measured as they will stand there. A [`Look`] says how wide the
//! text may be and whether it has colours; the same answer with the same look is the same text.

mod columns;
mod content;
mod diff;
mod error;
mod listing;
mod look;
mod matched;
mod node;
mod range;
mod replies;
mod rows;
mod session;
mod state;
mod table;
mod text;
mod timeline;
mod tree;
mod units;
mod widths;

pub use diff::{NodesById, Sides, diff};
pub use error::{error, labelled, warning};
pub use listing::{ListForm, listed_ids, listed_nodes, listed_range};
pub use look::{Look, Tone};
pub use matched::Sought;
pub use node::NodeView;
pub use range::{has_changes, range, range_block, range_end};
pub use replies::{attempts, commit, explanation, log, policies, stats, undo};
pub use rows::{csv, csv_of_objects, json_lines, rows, table_names, tables, truncated};
pub use session::{comparison, cycles, imported, life, steps, suspects};
pub use state::{source, state_name, state_words};
pub use table::{found, ids, nodes};
pub use text::{cut, visible, visible_lines, width_of};
pub use timeline::{timeline, timeline_csv};
pub use tree::{TreePart, TreeView, tree};
pub use units::{plural, size};
