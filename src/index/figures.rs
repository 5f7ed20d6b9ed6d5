//! The figures of snapshots, of one or of many in a row: how large the context is, what came and
//! what went, and where the thread before was not just gone on with.
//!
//! Figures of many are put together from those of fewer, in any grouping with the same result.
//! Knows nothing of tables.

use super::closed_cycle::CycleKind;
use crate::change::ThreadChange;
use crate::lifecycle::RegionTotals;
use crate::model::{RoleBytes, ThreadSize};

/// The figures of some snapshots in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// The last of their cycles.
    pub cycle: u64,
    /// When that one was written, in nanoseconds since 1970.
    pub time: i64,
    /// The bytes of contents in the last one, by role.
    pub roles: RoleBytes,
    /// The bytes of contents in its `^sys` and its `^ah`.
    pub regions: [u64; 2],
    /// The blocks of the last one.
    pub blocks: u64,
    /// The estimated tokens of the last one (R4.4).
    pub tokens: u64,
    /// The most bytes of contents that one of them has.
    pub greatest: u64,
    /// The first cycle that has so many.
    pub greatest_at: u64,
    /// What happened in all of them.
    pub counts: Counts,
    /// The break of which the smallest share is left.
    pub worst: Option<Break>,
}

/// What happened in some snapshots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks that the snapshot before does not have.
    pub came: u64,
    /// Blocks that went in another way than the next three.
    pub removed: u64,
    /// The topmost nodes that expired.
    pub expired: u64,
    /// Containers that became empty and went.
    pub cascaded: u64,
    /// Blocks that policies removed.
    pub pruned: u64,
    /// Snapshots made by a restore.
    pub restored: u64,
    /// Snapshots made by an import.
    pub imported: u64,
    /// Snapshots whose thread does not begin with the whole thread before.
    pub breaks: u64,
}

/// A thread that does not begin with the whole thread before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Break {
    /// The cycle.
    pub cycle: u64,
    /// The thread before.
    pub before: ThreadSize,
    /// The leading part of it that is left.
    pub kept: ThreadSize,
}

/// How a cycle was closed, as far as its figures depend on it.
pub(crate) struct Closing<'a> {
    pub(crate) cycle: u64,
    pub(crate) time: i64,
    pub(crate) kind: CycleKind,
    pub(crate) totals: &'a RegionTotals,
    /// How many nodes expired, cascaded and were pruned.
    pub(crate) removed: [usize; 3],
    pub(crate) thread: &'a ThreadChange,
}

impl Figures {
    /// The figures of one snapshot.
    pub(crate) fn of(closing: &Closing<'_>) -> Figures {
        let Closing { cycle, time, kind, totals, removed, thread } = *closing;
        let all = totals.of(None);
        let [expired, cascaded, pruned] = removed.map(|count| count as u64);
        let ThreadChange { roles, before, kept, came, removed } = *thread;
        let broken = kept.blocks < before.blocks;
        Figures {
            cycle,
            time,
            roles,
            regions: [totals.sys.bytes, totals.ah.bytes],
            blocks: all.blocks,
            tokens: all.tokens,
            greatest: roles.iter().sum(),
            greatest_at: cycle,
            counts: Counts {
                came,
                removed,
                expired,
                cascaded,
                pruned,
                restored: u64::from(matches!(kind, CycleKind::Restore(_))),
                imported: u64::from(kind == CycleKind::Import),
                breaks: u64::from(broken),
            },
            worst: broken.then_some(Break { cycle, before, kept }),
        }
    }

    /// The figures of these snapshots and of those that follow them.
    pub(crate) fn then(&self, next: &Figures) -> Figures {
        let (greatest, greatest_at) = match next.greatest > self.greatest {
            true => (next.greatest, next.greatest_at),
            false => (self.greatest, self.greatest_at),
        };
        let worst = match (self.worst, next.worst) {
            (Some(one), Some(other)) if other.is_worse_than(&one) => Some(other),
            (one, other) => one.or(other),
        };
        let counts = Counts::from_list(std::array::from_fn(|i| {
            self.counts.to_list()[i] + next.counts.to_list()[i]
        }));
        Figures { greatest, greatest_at, counts, worst, ..*next }
    }

    /// The figures of several, which follow each other; none of none.
    pub(crate) fn all(figures: &[Figures]) -> Option<Figures> {
        figures.iter().copied().reduce(|sum, next| sum.then(&next))
    }

    /// The bytes of contents in `^sys`, the turns and `^ah` of the last snapshot.
    pub fn by_region(&self) -> [u64; 3] {
        let [sys, ah] = self.regions;
        [sys, self.bytes().saturating_sub(sys.saturating_add(ah)), ah]
    }

    /// The bytes of contents in the last snapshot.
    pub fn bytes(&self) -> u64 {
        self.roles.iter().sum()
    }
}

impl Counts {
    pub(super) fn to_list(self) -> [u64; 8] {
        let Counts { came, removed, expired, cascaded, pruned, restored, imported, breaks } = self;
        [came, removed, expired, cascaded, pruned, restored, imported, breaks]
    }

    pub(super) fn from_list(list: [u64; 8]) -> Counts {
        let [came, removed, expired, cascaded, pruned, restored, imported, breaks] = list;
        Counts { came, removed, expired, cascaded, pruned, restored, imported, breaks }
    }
}

impl Break {
    /// Whether a smaller share of the bytes is left. Of a thread without a byte all are.
    fn is_worse_than(&self, other: &Break) -> bool {
        let share = |of: &Break| match of.before.bytes {
            0 => (1, 1),
            bytes => (u128::from(of.kept.bytes), u128::from(bytes)),
        };
        let ((kept, of), (other_kept, other_of)) = (share(self), share(other));
        kept * other_of < other_kept * of
    }
}
