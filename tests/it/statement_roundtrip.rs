//! `parse(format(statement)) == statement` for random statements, in both dialects.
//!
//! The strategies make only statements that can be written: braces at the end of a place or target
//! are always fields, and a bare type at the end of an add's place is always its type.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::query_roundtrip::{
    any_dialect, at, attr_name, position, selector, time, type_name, value,
};
use pactdb::language::ast::*;
use pactdb::language::{format, parse_place, parse_statement};
use pactdb::{Dialect, Json};
use proptest::prelude::*;

fn fields() -> impl Strategy<Value = Fields> {
    let value = prop_oneof![
        Just(FieldValue::Flag),
        value().prop_map(FieldValue::One),
        prop::collection::vec(value(), 1..4).prop_map(FieldValue::Many),
    ];
    let field = (attr_name(), value).prop_map(|(name, value)| Field { at: at(), name, value });
    prop::collection::vec(field, 1..4).prop_map(|list| {
        let mut kept: Vec<Field> = Vec::new();
        for field in list {
            if kept.iter().all(|other| other.name != field.name) {
                kept.push(field);
            }
        }
        Fields { at: at(), list: kept }
    })
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        any::<String>().prop_map(Json::Str),
        "[\\\\'\"a]{0,6}".prop_map(Json::Str),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::List),
            prop::collection::btree_map("[a-z'\\\\]{0,3}", inner, 0..3)
                .prop_map(|map| Json::Map(map.into_iter().collect())),
        ]
    })
}

fn content() -> impl Strategy<Value = Content> {
    json().prop_map(|value| Content { at: at(), value })
}

/// A selector without a time.
fn timeless(dialect: Dialect) -> impl Strategy<Value = Selector> {
    selector(dialect).prop_map(|selector| Selector { time: None, ..selector })
}

/// Whether the end would be read as fields.
fn ends_in_braces(selector: &Selector) -> bool {
    let last = selector.groups.last().unwrap().chains.last().unwrap();
    let brace =
        |filter: &Filter| matches!(filter, Filter::Attrs(attrs) if attrs.form == FilterForm::Brace);
    let filters = if selector.controls.is_empty() { &last.filters } else { &selector.late_filters };
    let lone = match &last.head {
        Head::Step(Step::Compound(compound)) => {
            last.links.is_empty()
                && matches!(&compound.simples[..], [Simple::Attrs(attrs)] if attrs.form == FilterForm::Brace)
        }
        _ => false,
    };
    filters.last().is_some_and(brace) || lone
}

fn ends_in_a_type(selector: &Selector) -> bool {
    let last = selector.groups.last().unwrap().chains.last().unwrap();
    let bare = |step: &Step| matches!(step, Step::Compound(compound) if matches!(compound.simples[..], [Simple::Type(_)]));
    match (last.links.last(), &last.head) {
        (Some(link), _) => bare(&link.step),
        (None, Head::Step(step)) => bare(step),
        _ => false,
    }
}

fn place(dialect: Dialect) -> impl Strategy<Value = Place> {
    let insertion = prop_oneof![
        Just(Insertion::Start),
        Just(Insertion::End),
        any::<u32>().prop_map(|n| Insertion::After(n.into())),
        any::<u32>().prop_map(|n| Insertion::Before(n.into())),
    ];
    let kind = prop_oneof![
        3 => timeless(dialect).prop_map(PlaceKind::Under),
        1 => (position(dialect), insertion).prop_map(|(p, i)| PlaceKind::Insert(at(), p, i)),
    ];
    let place = (kind, prop::bool::weighted(0.3));
    place
        .prop_map(|(kind, optional)| Place { at: at(), kind, optional })
        .prop_filter("a place that can be written", move |place| {
            parse_place(&format(place, dialect), dialect).as_ref() == Ok(place)
        })
}

type Parts = (Option<Place>, Option<TypeName>, Option<Fields>, Option<Content>);

fn readable_add((mut place, mut node_type, mut fields, content): Parts, spare: Fields) -> Add {
    if let Some(Place { kind: PlaceKind::Under(selector), optional: false, .. }) = &mut place {
        if node_type.is_some() {
            selector.controls.clear();
            selector.late_filters.clear();
            selector.groups.last_mut().unwrap().chains.last_mut().unwrap().filters.clear();
        } else if ends_in_a_type(selector) {
            place = None;
        }
    }
    if let Some(Place { kind: PlaceKind::Under(selector), optional: false, .. }) = &place
        && node_type.is_none()
        && ends_in_braces(selector)
    {
        fields = fields.or(Some(spare.clone()));
    }
    if place.is_none() && node_type.is_none() && fields.is_none() && content.is_none() {
        node_type = Some(TypeName { at: at(), base: "cb".to_owned(), name: None });
    }
    Add { at: at(), place, node_type, fields, content }
}

fn add(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let parts = (
        prop::option::of(place(dialect)),
        prop::option::of(type_name()),
        prop::option::of(fields()),
        prop::option::of(content()),
    );
    (parts, fields()).prop_map(|(parts, spare)| Statement::Add(readable_add(parts, spare)))
}

fn target(dialect: Dialect) -> impl Strategy<Value = Target> {
    (timeless(dialect), any::<bool>()).prop_map(|(selector, optional)| Target {
        at: at(),
        selector,
        optional,
    })
}

fn set(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let parts =
        (target(dialect), prop::option::of(fields()), prop::option::of(content()), fields());
    parts.prop_map(|(target, fields, content, spare)| {
        let braces = !target.optional && ends_in_braces(&target.selector);
        let fields = match fields {
            None if content.is_none() || braces => Some(spare),
            fields => fields,
        };
        Statement::Set(Set { at: at(), target, fields, content })
    })
}

fn move_to(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let parts = (target(dialect), place(dialect), prop::option::of(fields()), fields());
    parts.prop_map(|(target, to, fields, spare)| {
        let braces = !to.optional
            && matches!(&to.kind, PlaceKind::Under(selector) if ends_in_braces(selector));
        let fields = if braces { fields.or(Some(spare)) } else { fields };
        Statement::Move(Move { at: at(), target, to, fields })
    })
}

fn one_time() -> impl Strategy<Value = Time> {
    time().prop_filter("one snapshot", |time| {
        matches!(time.kind, TimeKind::Relative(_) | TimeKind::Cycle(_))
    })
}

fn one_state() -> impl Strategy<Value = Time> {
    let event =
        any::<u64>().prop_map(|seq| Time { at: at(), kind: TimeKind::Event(seq), beyond: None });
    prop_oneof![3 => one_time(), 1 => event]
}

fn diff(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let state = prop_oneof![Just(Moment::Now(at())), one_state().prop_map(Moment::Time)];
    let states = prop::collection::vec(state, 0..3);
    (any::<bool>(), states, prop::option::of(timeless(dialect))).prop_map(
        |(rich, states, selector)| Statement::Diff(Diff { at: at(), rich, states, selector }),
    )
}

fn statement(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let restore = (one_time(), any::<bool>())
        .prop_map(|(to, discard)| Statement::Restore(Restore { at: at(), to, discard }));
    let remove = (target(dialect), any::<bool>())
        .prop_map(|(target, force)| Statement::Remove(Remove { at: at(), target, force }));
    let policies = prop::option::of(prop::collection::vec(fields(), 0..3));
    prop_oneof![
        4 => add(dialect),
        3 => set(dialect),
        2 => move_to(dialect),
        2 => diff(dialect),
        1 => remove,
        1 => restore,
        1 => selector(dialect).prop_map(Statement::Select),
        1 => prop::option::of(fields()).prop_map(|fields| Statement::Commit(Commit { at: at(), fields })),
        1 => policies.prop_map(|set| Statement::Policy(Policy { at: at(), set })),
        1 => any::<String>().prop_map(|key| Statement::EndCadence(EndCadence { at: at(), key })),
        1 => Just(Statement::Undo(at())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_statement_reads_back((dialect, tree) in any_dialect().prop_flat_map(|d| (Just(d), statement(d)))) {
        let text = format(&tree, dialect);
        let back = parse_statement(&text, dialect);
        prop_assert_eq!(back.map_err(|error| error.render(&text)), Ok(tree), "{}", text);
    }
}
