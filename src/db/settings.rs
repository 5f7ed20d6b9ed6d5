//! What an open store goes by: its clock, when edits are durable, how much room there is.

use super::clock::Clock;

/// When an edit is safe on disk. Commits always are, before they are acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Before it is acknowledged.
    #[default]
    Immediate,
    /// With the next commit at the latest: a crash may take the edits since the last one.
    AtCommit,
}

/// What an open store goes by.
pub(super) struct Settings {
    pub(super) durability: Durability,
    pub(super) clock: Box<dyn Clock>,
    pub(super) room: Option<Room>,
}

/// Who says how many bytes can still be written.
pub(super) type Room = Box<dyn Fn() -> u64 + Send + Sync>;

impl Settings {
    /// The time by the clock, in nanoseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Whether an edit is on disk before it is acknowledged.
    pub(super) fn edits_are_durable(&self) -> bool {
        self.durability == Durability::Immediate
    }
}
