//! States in a few words: what was asked, and where it stands in history.

use super::units::plural;
use pactdb::protocol::{StateKind, StateReply};

/// A state in a word or two.
pub fn state_name(state: &StateReply) -> String {
    match (state.kind, state.event) {
        (StateKind::Working, _) => "the working state".to_owned(),
        (_, Some(seq)) => format!("@e{seq}"),
        (_, None) => format!("@c{}", state.cycle),
    }
}

/// Which state, or states, an answer is about, and where it stands in history.
pub fn state_words(state: &StateReply) -> String {
    let (cycle, snapshots) = (state.cycle, state.snapshots.unwrap_or(0));
    match state.kind {
        StateKind::Working => "the working state".to_owned(),
        StateKind::Snapshot if cycle == state.store.cycle => {
            format!("@c{cycle}, the newest snapshot")
        }
        StateKind::Snapshot => format!("@c{cycle}"),
        StateKind::Event => {
            let name = state_name(state);
            match cycle {
                0 => format!("{name}, before the first commit"),
                after => format!("{name}, after the commit of cycle {after}"),
            }
        }
        StateKind::Every => format!("all of {}", plural(snapshots, "snapshot")),
        StateKind::Range => {
            let oldest = state.oldest.unwrap_or(0);
            format!("{} from @c{oldest} to @c{cycle}", plural(snapshots, "snapshot"))
        }
    }
}

/// Where an answer is from: `4 nodes in @c12`, `2 of 66 nodes in @c12`.
pub fn source(state: &StateReply, count: Option<usize>) -> String {
    let from = state_words(state);
    let Some(count) = count.map(|count| count as u64) else { return from };
    match (state.total, state.more) {
        (Some(total), true) => format!("{count} of more than {} in {from}", plural(total, "node")),
        (Some(total), false) if total > count => {
            format!("{count} of {} in {from}", plural(total, "node"))
        }
        _ => format!("{} in {from}", plural(count, "node")),
    }
}
