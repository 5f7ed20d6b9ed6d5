//! The answer of one state, planned and whole.
//!
//! [`find_whole`] reads every part and walks it: it is what a question means. [`find`] and
//! [`find_ids`] keep each chain to the parts that can matter; tests hold them against it.

use super::results::{FoundId, Hit, arrange, effective_order, hits};
use super::scope::all_places;
use super::search::Search;
use super::walk::{Flat, Walk, read_part};
use crate::model::Id;
use crate::query::plan::{Ask, Chain};
use crate::query::timeline::{Moment, Read};

/// The answer of one state, in order and within the window.
pub fn find(ask: &Ask, moment: &Moment<'_>) -> Read<Vec<Hit>> {
    Search::new(ask).next(ask, moment, usize::MAX)
}

/// The ids of the same answer. The turn index often has them, so that nodes need not be loaded.
pub fn find_ids(ask: &Ask, moment: &Moment<'_>) -> Read<Vec<Id>> {
    let found: Vec<FoundId> = Search::new(ask).next(ask, moment, usize::MAX)?;
    Ok(found.into_iter().map(|found| found.id).collect())
}

/// The same answer by reading everything.
pub fn find_whole(ask: &Ask, moment: &Moment<'_>) -> Read<Vec<Hit>> {
    let parts = all_places(moment);
    let mut flat = Flat::shared(moment);
    let parts = parts.into_iter().map(|wanted| read_part(moment, wanted));
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
    answer(ask, |chain| {
        let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
        Ok(hits(&flat, ends))
    })
}

fn answer(ask: &Ask, mut run: impl FnMut(&Chain) -> Read<Vec<Hit>>) -> Read<Vec<Hit>> {
    let mut found = Vec::new();
    let mut used = None;
    for group in ask.groups.iter() {
        for (i, chain) in group.chains.iter().enumerate() {
            let hits = run(chain)?;
            if !hits.is_empty() {
                found.extend(hits);
                used = Some(i);
                break;
            }
        }
    }
    arrange(&mut found, effective_order(ask, used));
    Ok(ask.window.apply(found))
}
