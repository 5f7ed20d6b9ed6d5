//! What `^root` and `^seq` have below them, found out before a chain is taken over single parts.
//!
//! `:has(…)` of a node in a part is decided by that part. What is below `^root` and `^seq` lies in all
//! parts, so it is looked for like an answer of its own, until the first thing is found. A chain that is
//! *answered* carries these findings; most chains ask nothing of the kind and stay as they are.

use super::merge::Merge;
use super::results::FoundId;
use super::trackers::Aids;
use super::walk::{Flat, Walk};
use crate::language::ast::Order;
use crate::model::Class;
use crate::query::plan::{
    Attr, Chain, Check, ClassSet, Compound, Has, Link, Reach, Start, Step, Test, TextAttr,
    TopAnswers, Way,
};
use crate::query::timeline::{Moment, Read};
use std::collections::HashMap;
use std::sync::Arc;

/// The answers for `^root` and `^seq`, by the address of what is asked; the chain holds that.
type Answers = HashMap<*const Has, TopAnswers>;

/// The chain with all that it asks of `^root` and `^seq` answered. Recursion is as deep as parentheses
/// nest.
pub(super) fn answered(chain: &Arc<Chain>, moment: &Moment<'_>) -> Read<Arc<Chain>> {
    answered_by(chain, moment, None)
}

/// The same, where the answers may be known from the snapshot after.
pub(super) fn answered_by(
    chain: &Arc<Chain>,
    moment: &Moment<'_>,
    mut aids: Option<&mut Aids<'_>>,
) -> Read<Arc<Chain>> {
    if !any_has(chain) {
        return Ok(chain.clone());
    }
    let shared = Flat::shared(moment);
    let walk = Walk::lenient(&shared, moment);
    walk.spots(chain)?;
    let open = walk.open();
    if open.is_empty() {
        return Ok(chain.clone());
    }
    let mut answers = Answers::new();
    for (has, class) in open {
        let known = answers.entry(Arc::as_ptr(&has)).or_default();
        let answer = if class == Class::Root { &mut known.root } else { &mut known.seq };
        if answer.is_none() {
            let holds = holds(&has, class, moment, aids.as_deref_mut())?;
            if let Some(aids) = &mut aids {
                aids.trackers.answer(holds);
            }
            *answer = Some(holds);
        }
    }
    let mut chain = Chain::clone(chain);
    answer_chain(&mut chain, &answers);
    Ok(Arc::new(chain))
}

/// Whether a chain asks what lies below nodes. Recursion is as deep as parentheses nest.
pub(super) fn any_has(chain: &Chain) -> bool {
    let in_step = |step: &Step| match step {
        Step::Nodes(compound) => compound.tests.iter().any(is_has),
        Step::Zone(_) => false,
    };
    let start = match &chain.start {
        Start::Step(step) => in_step(step),
        Start::Chains(chains) => chains.iter().any(any_has),
    };
    start || chain.links.iter().any(|link| in_step(&link.step))
}

fn is_has(test: &Test) -> bool {
    match test {
        Test::Has(..) => true,
        Test::Not(inner) => is_has(inner),
        Test::Any(tests) | Test::All(tests) => tests.iter().any(is_has),
        _ => false,
    }
}

/// Whether one of the ways leads from the node of a class, `^root` or `^seq`, to something.
fn holds(
    has: &Has,
    class: Class,
    moment: &Moment<'_>,
    mut aids: Option<&mut Aids<'_>>,
) -> Read<bool> {
    for (number, way) in has.ways.iter().enumerate() {
        let chains = [(Some(from(class, way)), false), (to_implied_core(class, way), true)];
        for (chain, implied) in chains {
            let Some(chain) = chain.map(Arc::new) else { continue };
            let known = match &mut aids {
                Some(aids) => aids.holds((has, class, number, implied), &chain, moment)?,
                None => None,
            };
            match known {
                Some(true) => return Ok(true),
                Some(false) => continue,
                None => {}
            }
            let chain = answered(&chain, moment)?;
            let mut merge = Merge::<FoundId>::new(&[chain], Order::Path, false, moment)?;
            let mut found = Vec::new();
            while found.is_empty() && merge.next(moment, &mut found)? {}
            if !found.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// A way as a chain.
fn from(class: Class, way: &Way) -> Chain {
    let top = Compound { tests: vec![Test::Class(ClassSet::of(&[class]))], ..Compound::default() };
    let (links, filter) = (way.links.clone(), way.filter.clone());
    Chain { start: Start::Step(Step::Nodes(top)), links, filter, recent: false }
}

/// The same to what lies in the implied cores that a way leads to: a chain never ends at these, and none
/// of them is empty. None if it leads to no such core.
fn to_implied_core(class: Class, way: &Way) -> Option<Chain> {
    let reach = match &way.links.last()?.step {
        Step::Nodes(compound) if is_real(compound) => return None,
        Step::Nodes(_) => Reach::Itself,
        Step::Zone(_) => Reach::Child,
    };
    if is_real(&way.filter) {
        return None;
    }
    let mut chain = from(class, way);
    let mut core = std::mem::take(&mut chain.filter);
    core.tests.push(Test::Not(Box::new(Test::Real)));
    let block = Compound { tests: vec![Test::Real], ..Compound::default() };
    chain.links.push(Link { reach, step: Step::Nodes(core) });
    chain.links.push(Link { reach: Reach::Child, step: Step::Nodes(block) });
    Some(chain)
}

/// Whether a compound is never satisfied by an implied core.
pub(super) fn is_real(compound: &Compound) -> bool {
    compound.tests.iter().any(|test| match test {
        Test::Real | Test::Ids(_) | Test::Container(_) | Test::Ephemeral | Test::Sticky => true,
        Test::Class(classes) => !classes.contains(Class::Container),
        Test::Attr(attr, Check::OneText(_)) => {
            matches!(attr, Attr::Text(TextAttr::Header(_)) | Attr::Tags)
        }
        _ => false,
    })
}

fn answer_chain(chain: &mut Chain, answers: &Answers) {
    match &mut chain.start {
        Start::Step(step) => answer_step(step, answers),
        Start::Chains(chains) => chains.iter_mut().for_each(|chain| answer_chain(chain, answers)),
    }
    chain.links.iter_mut().for_each(|link| answer_step(&mut link.step, answers));
}

fn answer_step(step: &mut Step, answers: &Answers) {
    if let Step::Nodes(compound) = step {
        compound.tests.iter_mut().for_each(|test| answer_test(test, answers));
    }
}

fn answer_test(test: &mut Test, answers: &Answers) {
    match test {
        Test::Has(has, tops) => {
            if let Some(known) = answers.get(&Arc::as_ptr(has)) {
                *tops = *known;
            }
        }
        Test::Not(inner) => answer_test(inner, answers),
        Test::Any(tests) | Test::All(tests) => {
            tests.iter_mut().for_each(|test| answer_test(test, answers));
        }
        _ => {}
    }
}
