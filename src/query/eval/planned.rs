//! One chain, kept to the parts that can matter.
//!
//! A chain that counts over several parts gets all of them at once. Any other goes part by part, in
//! chunks: the turn index is asked first, and only turns that it leaves open are loaded. It stops
//! when the union has enough.

use super::from_index::{FoundId, IndexEvaluator, Verdict};
use super::results::ResultItem;
use super::scope::{Scope, Wanted, is_dense};
use super::union::Union;
use super::walk::{Flat, Walk, depth_level, read_part};
use crate::budget;
use crate::language::ast::Order;
use crate::query::plan::Chain;
use crate::query::timeline::{Moment, Read};

/// Finds what a chain ends at in the parts that it has to read.
pub(super) fn planned<T: ResultItem>(
    chain: &Chain,
    moment: &Moment<'_>,
    union: &mut Union<T>,
) -> Read<()> {
    let mut flat = Flat::shared(moment);
    let scope = Scope::of(chain, &flat, moment)?;
    if scope.crosses {
        let wanted = scope.needed_places(moment)?;
        let parts = wanted.into_iter().map(|wanted| read_part(moment, wanted));
        flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
        let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
        meet_all(&flat, ends, union);
        return Ok(());
    }
    let wanted = scope.places(moment)?;
    part_by_part(chain, wanted, flat, moment, union)
}

/// Each part on its own. What is found in `^root` and `^seq` depends on no part.
fn part_by_part<T: ResultItem>(
    chain: &Chain,
    mut wanted: Vec<Wanted>,
    mut flat: Flat,
    moment: &Moment<'_>,
    union: &mut Union<T>,
) -> Read<()> {
    if union.order() == Some(Order::Recent) {
        wanted.sort_by_key(|(_, depth, _)| depth_level(Some(*depth)));
    }
    let shared = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
    let shared: Vec<T> = shared.into_iter().filter_map(|item| T::of(&flat, item)).collect();
    let mut index = match is_dense(&wanted) {
        true => Some(IndexEvaluator::new(chain, &wanted, moment)),
        false => None,
    };
    let (mut rest, mut size) = (&wanted[..], FIRST_CHUNK);
    while !rest.is_empty() && !union.is_enough() {
        let done = (wanted.len() - rest.len()) as u64;
        budget::reached("parts of the tree were looked at", done, Some(wanted.len() as u64))?;
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        (rest, size) = (after, (size * 2).min(LAST_CHUNK));
        let (verdicts, indexed) = match &mut index {
            Some(index) => ask_index(index, chunk, moment, union)?,
            None => (vec![Verdict::Read; chunk.len()], Vec::new()),
        };
        let mut indexed = indexed.into_iter();
        for (wanted, verdict) in chunk.iter().zip(verdicts) {
            match verdict {
                Verdict::Skip => continue,
                Verdict::Done(count) => {
                    indexed.by_ref().take(count).for_each(|found| {
                        union.meet(found.rank, || T::from_index(found));
                    });
                }
                Verdict::Read => {
                    flat.fill(std::iter::once(read_part(moment, *wanted)?), false);
                    let mut ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
                    ends.retain(|item| flat.depth(*item).is_some());
                    meet_all(&flat, ends, union);
                }
            }
            if union.is_enough() {
                break;
            }
        }
    }
    for node in shared {
        union.meet(node.rank(), || Some(node));
    }
    Ok(())
}

/// Asks the index about some parts, and counts what came of it.
fn ask_index<T: ResultItem>(
    index: &mut IndexEvaluator<'_>,
    chunk: &[Wanted],
    moment: &Moment<'_>,
    union: &Union<T>,
) -> Read<(Vec<Verdict>, Vec<FoundId>)> {
    let (verdicts, found) = index.evaluate(chunk, T::NEEDS_ONLY_IDS, &|rank| union.has(rank))?;
    moment.note(|tally| {
        let count = |wanted: &dyn Fn(&Verdict) -> bool| {
            verdicts.iter().filter(|verdict| wanted(verdict)).count() as u64
        };
        tally.turns_from_index += count(&|verdict| *verdict != Verdict::Read);
        tally.turns_skipped += count(&|verdict| *verdict == Verdict::Skip);
    });
    Ok((verdicts, found))
}

/// Takes the nodes among some items.
fn meet_all<T: ResultItem>(flat: &Flat, ends: Vec<usize>, union: &mut Union<T>) {
    for item in ends.into_iter().filter(|item| flat.node(*item).is_some()) {
        union.meet(flat.rank(item), || T::of(flat, item));
    }
}

/// Turns that are looked at together: few at first, in case that is enough.
const FIRST_CHUNK: usize = 64;
const LAST_CHUNK: usize = 4096;
