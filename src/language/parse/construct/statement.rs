//! Constructors for statements.
//!
//! The grammar reads the place of a new node as a chain, because `^ah .cb {…}` is one. Here its
//! end is taken off again: detached braces at the end are fields, and a bare type before them is
//! the type of the new node.

use super::literals::Made;
use crate::json;
use crate::language::ast::{
    Add, At, AttrFilter, Chain, Combinator, Compound, Content, Field, FieldValue, Fields, Filter,
    FilterForm, Head, Moment, Move, Op, Place, PlaceKind, Restore, Selector, Set, Simple,
    Statement, Step, Target, Test, TestKind, Time, TimeKind, TypeName,
};
use crate::language::lexing::unquoted;
use crate::language::span::Span;
use crate::language::syntax_error::SyntaxError;

/// A place, and what stands behind it.
pub(crate) struct Spot {
    pub(crate) place: Place,
    pub(crate) node_type: Option<TypeName>,
    pub(crate) fields: Option<Fields>,
}

/// A target, and the fields that stand behind its `?`.
pub(crate) struct Aim {
    pub(crate) target: Target,
    pub(crate) fields: Option<Fields>,
}

pub(crate) fn add(
    l: usize,
    spot: Option<Spot>,
    content: Option<Content>,
    r: usize,
) -> Made<Statement> {
    let mut add = Add { at: At::new(l, r), place: None, node_type: None, fields: None, content };
    let Some(Spot { place, node_type, fields }) = spot else { return Ok(Statement::Add(add)) };
    (add.node_type, add.fields) = (node_type, fields);
    add.place = match place.kind {
        PlaceKind::Under(mut selector) if !place.optional => {
            let whole = take_whole(&selector);
            if let Some(fields) = whole {
                add.fields = Some(fields_of(fields)?);
                None
            } else {
                add.fields = take_fields(&mut selector)?;
                add.node_type = take_type(&mut selector);
                let place = |selector: Selector| Place {
                    at: selector.at,
                    kind: PlaceKind::Under(selector),
                    optional: false,
                };
                Some(selector).filter(|selector| !selector.groups.is_empty()).map(place)
            }
        }
        kind => Some(Place { kind, ..place }),
    };
    Ok(Statement::Add(add))
}

pub(crate) fn set(l: usize, aim: Aim, content: Option<Content>, r: usize) -> Made<Statement> {
    let Aim { mut target, mut fields } = aim;
    if fields.is_none() && !target.optional {
        fields = take_fields(&mut target.selector)?;
        target.at = target.selector.at;
    }
    if fields.is_none() && content.is_none() {
        let end = Span::new(r, r);
        return Err(SyntaxError {
            expected: vec!["fields such as `{ttl=2}`".to_owned(), "a content".to_owned()],
            ..SyntaxError::invalid(end, "nothing to set: expected fields or a content")
        }
        .with_hint("write what to set behind the target: `set #cb:1 {ttl=2}`"));
    }
    Ok(Statement::Set(Set { at: At::new(l, r), target, fields, content }))
}

pub(crate) fn move_to(l: usize, target: Target, spot: Spot, r: usize) -> Made<Statement> {
    let Spot { mut place, node_type, mut fields } = spot;
    if let Some(extra) = node_type {
        return Err(SyntaxError::invalid(extra.at.0, "a move changes no type")
            .with_hint("leave the type out"));
    }
    if let Place { kind: PlaceKind::Under(selector), optional: false, at } = &mut place {
        fields = take_fields(selector)?;
        *at = selector.at;
    }
    Ok(Statement::Move(Move { at: At::new(l, r), target, to: place, fields }))
}

pub(crate) fn restore(l: usize, to: Time, discard: bool, r: usize) -> Made<Statement> {
    single(&to)?;
    if let TimeKind::Event(_) = to.kind {
        let message = "the state after an event cannot be restored, only a snapshot";
        return Err(SyntaxError::invalid(to.at.0, message)
            .with_hint("name the snapshot of a cycle, such as `restore @c4`"));
    }
    Ok(Statement::Restore(Restore { at: At::new(l, r), to, discard }))
}

pub(crate) fn moment(time: Time) -> Made<Moment> {
    single(&time)?;
    Ok(Moment::Time(time))
}

/// Refuses an address of more than one state.
fn single(time: &Time) -> Made<()> {
    match time.kind {
        TimeKind::Relative(_) | TimeKind::Cycle(_) | TimeKind::Event(_) | TimeKind::Clock(_) => {
            Ok(())
        }
        TimeKind::All
        | TimeKind::RelativeRange(..)
        | TimeKind::CycleRange(..)
        | TimeKind::ClockRange(..) => {
            Err(SyntaxError::invalid(time.at.0, "expected one snapshot, such as `@c4`")
                .with_hint("name one state; `diff` takes two, with a space between them"))
        }
    }
}

// Content and fields.

pub(crate) fn json_content(l: usize, quoted: &str, r: usize) -> Made<Content> {
    let at = At::new(l, r);
    let text = if quoted.starts_with('\'') { unquoted_json(quoted) } else { unquoted(quoted) };
    let value = json::parse(&text).map_err(|error| {
        SyntaxError::invalid(Span::new(r - quoted.len(), r), format!("not JSON: {error}"))
            .with_hint("plain text needs no `json` in front")
    })?;
    Ok(Content { at, value })
}

/// The JSON between two single quotes: only `\'` is an escape, because the others are JSON's own.
fn unquoted_json(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('\'') => out.push('\''),
                next => out.extend(std::iter::once(c).chain(next)),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

pub(crate) fn fields(l: usize, tests: Vec<Test>, r: usize) -> Made<Fields> {
    let mut list: Vec<Field> = Vec::with_capacity(tests.len());
    for Test { at, name, kind } in tests {
        if list.iter().any(|field| field.name == name) {
            return Err(SyntaxError::invalid(at.0, format!("`{}` is given twice", name.text)));
        }
        let value = match kind {
            TestKind::Present => FieldValue::Flag,
            TestKind::Compare(Op::Eq, value) => FieldValue::One(value),
            TestKind::In(values) => FieldValue::Many(values),
            TestKind::Compare(..) | TestKind::NotIn(_) => {
                let op = match kind {
                    TestKind::Compare(op, _) => op,
                    _ => Op::Ne,
                };
                let message = format!("`{}` compares; a field is set with `=`", op.name());
                return Err(SyntaxError::invalid(at.0, message)
                    .with_hint("a filter of the target touches its step: `.cb{ttl<=1}`"));
            }
        };
        list.push(Field { at, name, value });
    }
    Ok(Fields { at: At::new(l, r), list })
}

fn fields_of(filter: AttrFilter) -> Made<Fields> {
    fields(filter.at.0.start, filter.tests, filter.at.0.end)
}

// Taking the end off a chain.

/// The braces, if they are all there is.
fn take_whole(selector: &Selector) -> Option<AttrFilter> {
    let [group] = &selector.groups[..] else { return None };
    let [chain] = &group.chains[..] else { return None };
    let Head::Step(Step::Compound(Compound { simples, .. })) = &chain.head else { return None };
    let bare = chain.links.is_empty()
        && chain.filters.is_empty()
        && selector.controls.is_empty()
        && selector.late_filters.is_empty();
    match &simples[..] {
        [Simple::Attrs(filter)] if bare && filter.form == FilterForm::Brace => Some(filter.clone()),
        _ => None,
    }
}

/// The detached braces at the end, if there are any.
fn take_fields(selector: &mut Selector) -> Made<Option<Fields>> {
    let is_brace = |filter: Option<&Filter>| match filter {
        Some(Filter::Attrs(attrs)) => attrs.form == FilterForm::Brace,
        _ => false,
    };
    let filters = if selector.controls.is_empty() {
        match last_chain(selector) {
            Some(chain) => &mut chain.filters,
            None => return Ok(None),
        }
    } else {
        &mut selector.late_filters
    };
    if !is_brace(filters.last()) {
        return Ok(None);
    }
    let Some(Filter::Attrs(taken)) = filters.pop() else { return Ok(None) };
    shorten(selector);
    fields_of(taken).map(Some)
}

/// The bare type at the end, if there is one and no filter stands behind it. A selector that was
/// nothing else has no groups left.
fn take_type(selector: &mut Selector) -> Option<TypeName> {
    if !selector.controls.is_empty() || !selector.late_filters.is_empty() {
        return None;
    }
    let alone = selector.groups.len() == 1 && selector.groups[0].chains.len() == 1;
    let chain = last_chain(selector)?;
    if !chain.filters.is_empty() {
        return None;
    }
    let taken = match chain.links.last() {
        Some(link) if link.combinator == Combinator::Descendant => bare_type(&link.step)?,
        Some(_) => return None,
        None => match &chain.head {
            Head::Step(step) if alone => bare_type(step)?,
            _ => return None,
        },
    };
    if chain.links.pop().is_none() {
        selector.groups.clear();
    }
    shorten(selector);
    Some(taken)
}

fn bare_type(step: &Step) -> Option<TypeName> {
    match step {
        Step::Compound(Compound { simples, .. }) => match &simples[..] {
            [Simple::Type(name)] => Some(name.clone()),
            _ => None,
        },
        Step::Depth(_) | Step::Zone(..) => None,
    }
}

fn last_chain(selector: &mut Selector) -> Option<&mut Chain> {
    selector.groups.last_mut()?.chains.last_mut()
}

/// Makes the spans end where the selector ends now.
fn shorten(selector: &mut Selector) {
    let controls = selector.controls.last().map(|control| control.at.0.end);
    let late = selector.late_filters.last().map(|filter| filter.at().0.end);
    let mut end = selector.at.0.end;
    if let Some(group) = selector.groups.last_mut()
        && let Some(chain) = group.chains.last_mut()
    {
        let head = chain.head.at().0.end;
        let links = chain.links.last().map(|link| link.step.at().0.end);
        let filters = chain.filters.last().map(|filter| filter.at().0.end);
        end = [links, filters].into_iter().flatten().fold(head, usize::max);
        chain.at = At::new(chain.at.0.start, end);
        group.at = At::new(group.at.0.start, end);
    }
    end = [controls, late].into_iter().flatten().fold(end, usize::max);
    selector.at = At::new(selector.at.0.start, end);
}
