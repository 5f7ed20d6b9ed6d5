//! The answer of one state, page by page, in the order of R7 and within the window.
//!
//! A search holds neither the question nor anything of the store: whoever asks for a page brings the
//! question and the moment, which have to be the same each time. It holds one part's hits at the
//! most. Only the order by id needs everything first, and keeps ids.

use super::merge::Merge;
use super::results::{FoundId, Hit, ResultItem, effective_order};
use super::settle::settled;
use super::walk::{AH_RANK, FIRST_TURN_RANK, ROOT_RANK, SEQ_RANK, SYS_RANK, read_part};
use crate::language::ast::Order;
use crate::model::{Place, ReadError};
use crate::query::plan::{Ask, Chain, Group};
use crate::query::timeline::{Moment, Read};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Mostly there is one.
type Chains = SmallVec<[Arc<Chain>; 1]>;

/// A question on its way through one state.
pub(crate) struct Search<T> {
    stage: Stage<T>,
    /// How many are still to be left out, and how many may still be given.
    skip: u64,
    left: u64,
    /// What was found and not given yet.
    ready: VecDeque<T>,
}

enum Stage<T> {
    /// The alternative of the only group that is next.
    Next(usize),
    /// An alternative, or one of each group; and whether it has found anything.
    Merging(usize, Box<Merge<T>>, bool),
    /// Everything, by id.
    Sorted(std::vec::IntoIter<FoundId>),
    Over,
}

impl<T: ResultItem> Search<T> {
    /// A question that is about to be asked.
    pub(crate) fn new(ask: &Ask) -> Search<T> {
        let (skip, left) = (ask.window.skip, ask.window.limit.unwrap_or(u64::MAX));
        Search { stage: Stage::Next(0), skip, left, ready: VecDeque::new() }
    }

    /// The next page: at most so many, and fewer only if there are no more.
    pub(crate) fn next(&mut self, ask: &Ask, moment: &Moment<'_>, most: usize) -> Read<Vec<T>> {
        let most = usize::try_from(self.left).map_or(most, |left| left.min(most));
        let mut page: Vec<T> = self.ready.drain(..most.min(self.ready.len())).collect();
        while page.len() < most && self.more(ask, moment, &mut page)? {
            self.skip_in(&mut page);
        }
        if page.len() > most {
            self.ready.extend(page.drain(most..));
        }
        self.left -= page.len() as u64;
        Ok(page)
    }

    /// Adds the next ones to an empty page, at least so many or all that are left. What is found
    /// together comes together, so that nothing has to be put aside.
    #[cfg(feature = "sql")]
    pub(crate) fn some(
        &mut self,
        ask: &Ask,
        moment: &Moment<'_>,
        least: usize,
        page: &mut Vec<T>,
    ) -> Read<()> {
        page.extend(self.ready.drain(..));
        let least = usize::try_from(self.left).map_or(least, |left| left.min(least));
        while page.len() < least && self.more(ask, moment, page)? {
            self.skip_in(page);
        }
        page.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= page.len() as u64;
        Ok(())
    }

    /// Leaves out what is still to be left out.
    fn skip_in(&mut self, page: &mut Vec<T>) {
        if self.skip > 0 {
            let skipped = page.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            page.drain(..skipped);
            self.skip -= skipped as u64;
        }
    }

    /// Adds some; false if there are no more.
    fn more(&mut self, ask: &Ask, moment: &Moment<'_>, page: &mut Vec<T>) -> Read<bool> {
        match &mut self.stage {
            Stage::Next(alternative) => {
                let alternative = *alternative;
                self.begin(ask, alternative, moment)?;
            }
            Stage::Merging(alternative, merge, any) => {
                let before = page.len();
                if merge.next(moment, page)? {
                    *any |= page.len() > before;
                    return Ok(true);
                }
                let next = *alternative + 1;
                let is_left = matches!(&ask.groups[..], [only] if next < only.chains.len());
                self.stage = if is_left && !*any { Stage::Next(next) } else { Stage::Over };
            }
            Stage::Sorted(found) => match found.next() {
                Some(found) => page.push(node_of(found, moment)?),
                None => self.stage = Stage::Over,
            },
            Stage::Over => return Ok(false),
        }
        Ok(true)
    }

    /// Begins with an alternative of the only group, or with what each of several groups comes to.
    fn begin(&mut self, ask: &Ask, alternative: usize, moment: &Moment<'_>) -> Read<()> {
        let (order, chains) = match &ask.groups[..] {
            [only] => {
                let order = effective_order(ask, Some(alternative));
                let chain = only.chains.get(alternative).map(|chain| settled(chain, moment));
                (order, chain.into_iter().collect::<Read<Chains>>()?)
            }
            groups => {
                let mut chains = Chains::with_capacity(groups.len());
                for group in groups {
                    chains.extend(chosen(group, moment)?);
                }
                (effective_order(ask, None), chains)
            }
        };
        if order != Order::Id {
            let merge = Box::new(Merge::new(&chains, order, false, moment)?);
            self.stage = Stage::Merging(alternative, merge, false);
            return Ok(());
        }
        let mut found = all(&mut Merge::new(&chains, Order::Path, false, moment)?, moment)?;
        found.sort_unstable_by(|a: &FoundId, b| a.id.cmp(&b.id));
        let is_left = matches!(&ask.groups[..], [only] if alternative + 1 < only.chains.len());
        self.stage = match found.is_empty() && is_left {
            true => Stage::Next(alternative + 1),
            false => Stage::Sorted(found.into_iter()),
        };
        Ok(())
    }
}

/// The alternative of a group that counts: the first that finds anything, else the last.
fn chosen(group: &Group, moment: &Moment<'_>) -> Read<Option<Arc<Chain>>> {
    let Some((last, others)) = group.chains.split_last() else { return Ok(None) };
    for chain in others {
        let chain = &settled(chain, moment)?;
        let mut merge =
            Merge::<FoundId>::new(std::slice::from_ref(chain), Order::Path, false, moment)?;
        let mut found = Vec::new();
        while found.is_empty() && merge.next(moment, &mut found)? {}
        if !found.is_empty() {
            return Ok(Some(chain.clone()));
        }
    }
    settled(last, moment).map(Some)
}

fn all<T: ResultItem>(merge: &mut Merge<T>, moment: &Moment<'_>) -> Read<Vec<T>> {
    let mut found = Vec::new();
    while merge.next(moment, &mut found)? {}
    Ok(found)
}

/// The node of an id whose rank is known.
pub(crate) fn node_of<T: ResultItem>(found: FoundId, moment: &Moment<'_>) -> Read<T> {
    if let Some(node) = T::from_id(&found) {
        return Ok(node);
    }
    let (tree, (rank, index)) = (&moment.tree, found.rank);
    let place = match rank {
        ROOT_RANK | SEQ_RANK => {
            let (node, parent) = match rank {
                ROOT_RANK => (tree.root().clone(), None),
                _ => (tree.seq().clone(), Some(tree.root().id.clone())),
            };
            return Ok(T::of(Hit { node, depth: None, parent, rank: found.rank }));
        }
        SYS_RANK => (Place::Sys, -1),
        AH_RANK => (Place::Ah, 0),
        _ => {
            let at = rank - FIRST_TURN_RANK;
            let gone = || ReadError::Corrupt("a turn that was found is gone".into());
            let slot = tree.spine().nth(at).ok_or_else(gone)?;
            (Place::Turn(slot), (tree.spine().len() - at) as i64)
        }
    };
    let part = read_part(moment, (place.0, place.1, rank))?;
    Ok(T::in_part(&part, index, moment))
}
