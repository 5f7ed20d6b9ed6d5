//! The nouns: ids, nodes, subtrees, the tree, their one order, and what must always hold.
//!
//! Nothing here knows of events, storage, selectors or JSON documents. The tree changes only by
//! the methods of [`Tree`], and only `change::apply` and `lifecycle` call them.

mod class;
mod field;
mod header;
mod hex;
mod invariant;
mod node;
mod order;
mod place;
mod source;
mod speaker;
mod subtree;
mod table;
mod time;
mod tree;

pub use class::{Class, Generation};
pub use field::{EngineText, FlagField, ListField, NumberField, TextField, with_article};
pub use header::{AttrKind, Header, Held, SetBy, is_absent};
pub use hex::{hex, unhex};
pub use invariant::violations;
pub use node::{ContentRef, Id, Lifetime, Name, Node};
pub use order::{PruneRank, prune_rank, sibling_order};
pub use place::{Place, PlaceOrder, Slot, Spine};
pub use source::{ChangedPart, Instance, ReadError, Skeleton, ThreadSize, TurnSource};
pub use speaker::{RoleBytes, Speaker};
pub use subtree::{Fragment, Subtree};
pub use table::{
    DERIVED, HEADERS, PARENT_TRACKED, TABLE, addable, header, header_of, is_fixed, kept_as_attrs,
    settable,
};
pub use time::iso_from_ns;
pub use tree::{Position, Tree};
