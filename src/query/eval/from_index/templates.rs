//! What a chain finds in templates, each looked at once.

use super::strip::strip;
use crate::model::{Place, Slot, Subtree};
use crate::query::eval::walk::{Flat, Part, Walk};
use crate::query::plan::{Ask, Chain};
use crate::query::timeline::{Moment, Read};
use std::collections::HashMap;
use std::sync::Arc;

/// The most templates that are remembered: of turns that all differ, more would hold all of history.
const MOST: usize = 2048;

/// What a chain finds in templates.
pub(super) struct Templates {
    chain: Chain,
    /// A depth that stands for those of all turns.
    depth: i64,
    flat: Flat,
    /// What was found in templates, each held so that its address stays its own.
    judged: Vec<(Arc<Subtree>, Box<[u32]>)>,
    /// The numbers of these by their addresses.
    memo: HashMap<usize, usize>,
    /// The last few of these.
    recent: [(usize, usize); 4],
}

impl Templates {
    /// A chain, for moments with the root and the `^seq` of this one.
    pub(super) fn new(chain: Chain, moment: &Moment<'_>, depth: i64) -> Templates {
        let (judged, memo) = (Vec::new(), HashMap::new());
        Templates { chain, depth, flat: Flat::shared(moment), judged, memo, recent: [(0, 0); 4] }
    }

    /// The nodes of a template that the chain ends at.
    pub(super) fn matches(&mut self, template: &Arc<Subtree>, moment: &Moment<'_>) -> Read<&[u32]> {
        let address = Arc::as_ptr(template).addr();
        let known = self.recent.iter().find(|(at, _)| *at == address);
        if let Some((_, number)) = known {
            return Ok(&self.judged[*number].1);
        }
        let number = match self.memo.get(&address) {
            Some(number) => *number,
            None => self.find(template, moment)?,
        };
        self.recent.rotate_right(1);
        self.recent[0] = (address, number);
        Ok(&self.judged[number].1)
    }

    fn find(&mut self, template: &Arc<Subtree>, moment: &Moment<'_>) -> Read<usize> {
        if self.judged.len() == MOST {
            self.judged.clear();
            self.memo.clear();
            self.recent = [(0, 0); 4];
        }
        let place = Place::Turn(Slot { cycle: 0, rank: 0 });
        let part = Part { place, depth: self.depth, rank: 0, nodes: template.clone() };
        self.flat.fill(std::iter::once(part), false);
        moment.note(|tally| tally.nodes += template.len() as u64);
        let ends = Walk::new(&self.flat, moment).ends(&self.chain, &mut |_| {})?;
        let real = ends.into_iter().filter(|item| self.flat.node(*item).is_some());
        let matches =
            real.filter_map(|item| self.flat.part(item)).map(|(_, index)| index as u32).collect();
        let number = self.judged.len();
        self.judged.push((template.clone(), matches));
        self.memo.insert(Arc::as_ptr(template).addr(), number);
        Ok(number)
    }
}

/// A question that templates answer completely, whatever the cycle, at moments with the same root and
/// `^seq`.
pub(crate) struct TemplateQuery {
    chains: Vec<Templates>,
    /// What several chains found together.
    united: Vec<u32>,
}

impl TemplateQuery {
    /// The question, if it is one of those; it does not depend on depths.
    pub(crate) fn of(ask: &Ask, moment: &Moment<'_>) -> Option<TemplateQuery> {
        let mut chains = Vec::new();
        for chain in ask.groups.iter().flat_map(|group| &group.chains) {
            let (chain, exact, late) = strip(chain, (1, 1));
            if !exact || !late.is_empty() {
                return None;
            }
            chains.push(Templates::new(chain, moment, 1));
        }
        Some(TemplateQuery { chains, united: Vec::new() })
    }

    /// The nodes of a template that it finds, in order.
    pub(crate) fn matches(&mut self, template: &Arc<Subtree>, moment: &Moment<'_>) -> Read<&[u32]> {
        if self.chains.len() == 1 {
            return self.chains[0].matches(template, moment);
        }
        self.united.clear();
        for templates in &mut self.chains {
            self.united.extend_from_slice(templates.matches(template, moment)?);
        }
        self.united.sort_unstable();
        self.united.dedup();
        Ok(&self.united)
    }
}
