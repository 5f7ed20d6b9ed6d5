//! What a chain finds in templates, each looked at once.

use super::strip::strip;
use crate::model::{Place, Slot, Subtree};
use crate::query::eval::walk::{Flat, Part, Walk};
use crate::query::plan::{Ask, Chain};
use crate::query::timeline::{Moment, Read};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a chain finds in templates.
pub(super) struct Templates<'m> {
    moment: Moment<'m>,
    chain: Chain,
    /// A depth that stands for those of all turns.
    depth: i64,
    flat: Flat,
    /// What was found in templates, each held so that its address stays its own.
    memo: HashMap<*const Subtree, (Arc<Subtree>, Rc<[u32]>)>,
    /// The last few of these.
    recent: [Option<Judged>; 4],
}

/// The address of a template, and the nodes that were found in it.
type Judged = (*const Subtree, Rc<[u32]>);

impl<'m> Templates<'m> {
    pub(super) fn new(chain: Chain, moment: Moment<'m>, depth: i64) -> Templates<'m> {
        let flat = Flat::shared(&moment);
        Templates { moment, chain, depth, flat, memo: HashMap::new(), recent: Default::default() }
    }

    /// The nodes of a template that the chain ends at.
    pub(super) fn matches(&mut self, template: &Arc<Subtree>) -> Read<Rc<[u32]>> {
        let known = self.recent.iter().flatten().find(|(at, _)| *at == Arc::as_ptr(template));
        if let Some((_, matches)) = known {
            return Ok(matches.clone());
        }
        let matches = match self.memo.get(&Arc::as_ptr(template)) {
            Some((_, matches)) => matches.clone(),
            None => self.find(template)?,
        };
        self.recent.rotate_right(1);
        self.recent[0] = Some((Arc::as_ptr(template), matches.clone()));
        Ok(matches)
    }

    fn find(&mut self, template: &Arc<Subtree>) -> Read<Rc<[u32]>> {
        let place = Place::Turn(Slot { cycle: 0, rank: 0 });
        let part = Part { place, depth: self.depth, rank: 0, nodes: template.clone() };
        self.flat.fill(std::iter::once(part), false);
        self.moment.note(|tally| tally.nodes += template.len() as u64);
        let ends = Walk::new(&self.flat, &self.moment).ends(&self.chain, &mut |_| {})?;
        let real = ends.into_iter().filter(|item| self.flat.node(*item).is_some());
        let matches: Rc<[u32]> =
            real.filter_map(|item| self.flat.part(item)).map(|(_, index)| index as u32).collect();
        self.memo.insert(Arc::as_ptr(template), (template.clone(), matches.clone()));
        Ok(matches)
    }
}

/// A question that templates answer completely, whatever the cycle.
pub(crate) struct TemplateQuery<'m>(Vec<Templates<'m>>);

impl<'m> TemplateQuery<'m> {
    /// The question, if it is one of those; it does not depend on depths.
    pub(crate) fn of(ask: &Ask, moment: &Moment<'m>) -> Option<TemplateQuery<'m>> {
        let mut found = Vec::new();
        for chain in ask.groups.iter().flat_map(|group| &group.chains) {
            let (chain, exact, late) = strip(chain, (1, 1));
            if !exact || !late.is_empty() {
                return None;
            }
            found.push(Templates::new(chain, moment.clone(), 1));
        }
        Some(TemplateQuery(found))
    }

    /// The nodes of a template that it finds, in order.
    pub(crate) fn matches(&mut self, template: &Arc<Subtree>) -> Read<Rc<[u32]>> {
        if let [only] = &mut self.0[..] {
            return only.matches(template);
        }
        let mut all = Vec::new();
        for templates in &mut self.0 {
            all.extend_from_slice(&templates.matches(template)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all.into())
    }
}
