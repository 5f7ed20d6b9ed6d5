//! `parse(format(tree)) == tree` for random trees, in both dialects.
//!
//! The strategies below make only trees that the grammar can read in the dialect at hand; what
//! they leave out is what the formatter has to spell another way (see `query_syntax`).

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::ast::*;
use pactdb::language::words::is_canonical_type;
use pactdb::language::{format, parse_place, parse_selector, parse_target};
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn at() -> At {
    At::default()
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["cb", "seg", "mt", "mc", "cont", "sys", "note", "first", "depth", "log.entry"])
            .prop_map(str::to_owned),
        "[a-z_][a-zA-Z0-9_-]{0,5}",
    ]
}

/// A word that is no pseudo, for behind a colon.
fn suffix() -> impl Strategy<Value = String> {
    "x[a-zA-Z0-9_-]{0,4}(:y[a-z0-9]{0,2})?(\\.z[a-z0-9]{0,2})?"
}

pub(crate) fn type_name() -> impl Strategy<Value = TypeName> {
    (name(), prop::option::of(suffix())).prop_map(|(base, name)| TypeName { at: at(), base, name })
}

/// A type that a position does not read as a depth or as `end`.
fn hop_type() -> impl Strategy<Value = TypeName> {
    type_name().prop_filter("a word of its own", |t| {
        let depth = t.base.strip_prefix('d').is_some_and(|n| n.parse::<i64>().is_ok());
        !depth && t.base != "end" && t.base != "depth"
    })
}

fn deep_type() -> impl Strategy<Value = TypeName> {
    type_name().prop_filter("no pseudo", |t| {
        !["first", "depth", "pre", "has", "not"].contains(&t.base.as_str())
    })
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(ValueKind::Text),
        "[ -~]{0,6}".prop_map(ValueKind::Text),
        "w[a-zA-Z0-9_:-]{0,5}".prop_map(ValueKind::Word),
        "[+-]?[0-9]{1,4}(\\.[0-9]{1,3})?".prop_map(ValueKind::Number),
        Just(ValueKind::Null),
    ]
    .prop_map(|kind| Value { at: at(), kind })
}

pub(crate) fn attr_name() -> impl Strategy<Value = AttrName> {
    prop_oneof!["[a-z_][a-zA-Z0-9_:-]{0,6}", Just("in".to_owned()), any::<String>()]
        .prop_map(|text| AttrName { at: at(), text })
}

fn test() -> impl Strategy<Value = Test> {
    let op = select(vec![Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Match, Op::NotMatch]);
    let kind = prop_oneof![
        Just(TestKind::Present),
        (op, value()).prop_map(|(op, value)| TestKind::Compare(op, value)),
        prop::collection::vec(value(), 1..4).prop_map(TestKind::In),
        prop::collection::vec(value(), 1..4).prop_map(TestKind::NotIn),
    ];
    (attr_name(), kind).prop_map(|(name, kind)| Test { at: at(), name, kind })
}

fn attrs(forms: &'static [FilterForm]) -> impl Strategy<Value = AttrFilter> {
    (select(forms), prop::collection::vec(test(), 1..4)).prop_map(|(form, tests)| AttrFilter {
        at: at(),
        form,
        tests,
    })
}

const PLAIN: &[FilterForm] = &[FilterForm::Square, FilterForm::Brace];
const GROUP: &[FilterForm] = &[FilterForm::Group];

fn tag() -> impl Strategy<Value = Tag> {
    "[a-zA-Z0-9_-]{1,5}".prop_map(|text| Tag { at: at(), text })
}

fn simple_depth() -> impl Strategy<Value = DepthItem> {
    let op = select(vec![Op::Lt, Op::Le, Op::Gt, Op::Ge]);
    prop_oneof![
        any::<i64>().prop_map(DepthItem::One),
        (-3i64..9).prop_map(DepthItem::One),
        (-3i64..9, 0i64..5).prop_map(|(a, more)| DepthItem::Range(a, a + more)),
        (op, -3i64..9).prop_map(|(op, n)| DepthItem::Compare(op, n)),
    ]
}

fn depth() -> impl Strategy<Value = DepthExpr> {
    let item = prop_oneof![
        3 => simple_depth(),
        1 => prop::collection::vec(simple_depth(), 1..4).prop_map(DepthItem::Set),
    ];
    prop::collection::vec(item, 1..4).prop_map(|items| DepthExpr { at: at(), items })
}

fn zone() -> impl Strategy<Value = Zone> {
    select(vec![Zone::Pre, Zone::Core, Zone::Post])
}

/// A pseudo that holds nothing.
fn plain_pseudo() -> BoxedStrategy<Pseudo> {
    prop_oneof![
        zone().prop_map(Pseudo::Offset),
        Just(Pseudo::First),
        Just(Pseudo::Last),
        (1u64..9).prop_map(Pseudo::Nth),
        depth().prop_map(Pseudo::Depth),
    ]
    .boxed()
}

/// A pseudo; those that hold selectors nest so many deep.
fn pseudo(dialect: Dialect, nested: u32) -> BoxedStrategy<Pseudo> {
    if nested == 0 {
        return plain_pseudo();
    }
    let compound = simples_with(pseudo(dialect, nested - 1)).prop_map(uncounted);
    let has = prop::collection::vec(relative(dialect, nested - 1), 1..3).prop_map(Pseudo::Has);
    let not = prop::collection::vec(compound, 1..3).prop_map(Pseudo::Not);
    prop_oneof![4 => plain_pseudo(), 1 => has, 1 => not].boxed()
}

/// A way down from a node.
fn relative(dialect: Dialect, nested: u32) -> BoxedStrategy<Relative> {
    let step = prop_oneof![
        6 => simples_with(pseudo(dialect, nested)).prop_map(|simples| as_step(uncounted(simples).simples)),
        1 => depth().prop_map(Step::Depth),
        1 => zone().prop_map(|zone| Step::Zone(at(), zone)),
    ];
    let combinator = select(vec![Combinator::Descendant, Combinator::Child]);
    let link = (combinator, step).prop_map(|(combinator, step)| Link { combinator, step });
    (prop::collection::vec(link, 1..4), prop::collection::vec(filter(), 0..2))
        .prop_map(move |(mut links, filters)| {
            // The first step is as free as the head of a chain.
            let first = links.remove(0);
            let head = Head::Step(first.step);
            let Chain { head, mut links, filters, .. } =
                readable(Chain { at: at(), head, links, filters }, dialect);
            let Head::Step(step) = head else { unreachable!("a step stays a step") };
            links.insert(0, Link { combinator: first.combinator, step });
            Relative { at: at(), links, filters }
        })
        .boxed()
}

/// The compound without what counts, and with something in any case.
fn uncounted(mut simples: Vec<Simple>) -> Compound {
    let counts = |simple: &Simple| {
        matches!(simple, Simple::Pseudo(_, Pseudo::First | Pseudo::Last | Pseudo::Nth(_)))
    };
    simples.retain(|simple| !counts(simple));
    if simples.is_empty() {
        simples.push(Simple::Any(at()));
    }
    Compound { at: at(), simples: joined(simples) }
}

fn as_step(simples: Vec<Simple>) -> Step {
    match simples[..] {
        [Simple::Pseudo(at, Pseudo::Offset(zone))] => Step::Zone(at, zone),
        _ => Step::Compound(Compound { at: at(), simples }),
    }
}

/// The simple selectors of a compound, in any order; roots and stars are thinned out afterwards.
fn simples(dialect: Dialect) -> BoxedStrategy<Vec<Simple>> {
    simples_with(pseudo(dialect, 2))
}

fn simples_with(pseudo: BoxedStrategy<Pseudo>) -> BoxedStrategy<Vec<Simple>> {
    let id = prop_oneof!["[a-z0-9][a-z0-9:_-]{0,5}(:first)?", any::<String>()]
        .prop_map(|text| vec![Simple::Id(Id { at: at(), text })]);
    let root = select(vec![Root::Root, Root::Sys, Root::Seq, Root::Ah]);
    let piece = prop_oneof![
        root.prop_map(|root| vec![Simple::Root(at(), root)]),
        id,
        type_name().prop_map(|name| vec![Simple::Type(name)]),
        (type_name(), attrs(GROUP))
            .prop_map(|(name, group)| vec![Simple::Type(name), Simple::Attrs(group)]),
        Just(vec![Simple::Any(at())]),
        attrs(PLAIN).prop_map(|filter| vec![Simple::Attrs(filter)]),
        tag().prop_map(|tag| vec![Simple::Tag(tag)]),
        pseudo.prop_map(|pseudo| vec![Simple::Pseudo(at(), pseudo)]),
    ];
    prop::collection::vec(piece, 1..4)
        .prop_map(|pieces| {
            let (mut roots, mut stars) = (0, 0);
            let keep = |simple: &Simple| {
                roots += usize::from(matches!(simple, Simple::Root(..)));
                stars += usize::from(matches!(simple, Simple::Any(_)));
                !(matches!(simple, Simple::Root(..)) && roots > 1
                    || matches!(simple, Simple::Any(_)) && stars > 1)
            };
            joined(pieces.into_iter().flatten().filter(keep).collect())
        })
        .boxed()
}

fn step(dialect: Dialect) -> BoxedStrategy<Step> {
    prop_oneof![
        6 => simples(dialect).prop_map(as_step),
        1 => depth().prop_map(Step::Depth),
        1 => zone().prop_map(|zone| Step::Zone(at(), zone)),
    ]
    .boxed()
}

fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![attrs(PLAIN).prop_map(Filter::Attrs), tag().prop_map(Filter::Tag)]
}

fn hop(dialect: Dialect) -> BoxedStrategy<Hop> {
    let simple = move || {
        prop_oneof![
            attrs(PLAIN).prop_map(Simple::Attrs),
            tag().prop_map(Simple::Tag),
            pseudo(dialect, 1).prop_map(|pseudo| Simple::Pseudo(at(), pseudo)),
        ]
    };
    let simples = move || prop::collection::vec(simple(), 0..3);
    let group = || prop::option::of(attrs(GROUP).prop_map(Simple::Attrs));
    let typed = prop_oneof![
        hop_type().prop_map(HopKind::Child),
        deep_type().prop_map(HopKind::Descendant),
    ];
    prop_oneof![
        any::<i64>().prop_map(|n| Hop { at: at(), kind: HopKind::Offset(n), simples: vec![] }),
        simples().prop_map(|simples| Hop { at: at(), kind: HopKind::AnyChild, simples }),
        (typed, group(), simples()).prop_map(|(kind, group, simples)| Hop {
            at: at(),
            kind,
            simples: group.into_iter().chain(simples).collect(),
        }),
    ]
    .boxed()
}

pub(crate) fn position(dialect: Dialect) -> BoxedStrategy<Position> {
    (depth(), prop::collection::vec(hop(dialect), 0..4))
        .prop_map(|(depth, mut hops)| {
            if let Some(first) = hops.first_mut()
                && let HopKind::Child(name) = &first.kind
                && Base::from_name(&name.base) == Some(Base::Turn)
            {
                first.kind = HopKind::Itself(name.clone());
            }
            Position { at: at(), depth, hops, chain: None }
        })
        .boxed()
}

/// A position whose last element may be a chain.
fn whole_position(dialect: Dialect) -> BoxedStrategy<Position> {
    (position(dialect), prop::option::of(last_chain(dialect)))
        .prop_map(|(position, chain)| Position { chain: chain.map(Box::new), ..position })
        .boxed()
}

/// A chain that begins as no other element of a position does.
fn last_chain(dialect: Dialect) -> BoxedStrategy<Chain> {
    let first = prop_oneof![
        type_name().prop_map(|name| vec![Simple::Type(name)]),
        (type_name(), attrs(GROUP))
            .prop_map(|(name, group)| vec![Simple::Type(name), Simple::Attrs(group)]),
        any::<String>().prop_map(|text| vec![Simple::Id(Id { at: at(), text })]),
        attrs(PLAIN).prop_map(|filter| vec![Simple::Attrs(filter)]),
        // Digits alone would be an offset.
        "[0-9-]{0,2}[a-z_]".prop_map(|text| vec![Simple::Tag(Tag { at: at(), text })]),
    ];
    let step = (first, prop::option::of(simples(dialect))).prop_map(|(first, more)| {
        let simples = joined(first.into_iter().chain(more.into_iter().flatten()).collect());
        Head::Step(Step::Compound(Compound { at: at(), simples }))
    });
    (step, rest(dialect))
        .prop_map(move |(head, (links, filters))| {
            readable(Chain { at: at(), head, links, filters }, dialect)
        })
        .boxed()
}

/// The simple selectors with types that touch as one (R14.6).
fn joined(simples: Vec<Simple>) -> Vec<Simple> {
    let mut out: Vec<Simple> = Vec::with_capacity(simples.len());
    for simple in simples {
        match (out.last_mut(), simple) {
            (Some(Simple::Type(front)), Simple::Type(back))
                if (front.name.is_some() || !is_canonical_type(&front.base))
                    && !is_canonical_type(&back.base) =>
            {
                let whole = [Some(back.base), back.name].into_iter().flatten();
                let more = whole.collect::<Vec<_>>().join(":");
                match (&mut front.name, more.split_once(':')) {
                    (Some(name), _) => *name = format!("{name}.{more}"),
                    (None, Some((base, name))) => {
                        front.base = format!("{}.{base}", front.base);
                        front.name = Some(name.to_owned());
                    }
                    (None, None) => front.base = format!("{}.{more}", front.base),
                }
            }
            (_, simple) => out.push(simple),
        }
    }
    out
}

/// Puts a root before a step that would otherwise be read as a filter behind white space.
fn readable(mut chain: Chain, dialect: Dialect) -> Chain {
    let mut after_step = matches!(chain.head, Head::Step(_));
    for link in &mut chain.links {
        let bracket = after_step && dialect == Dialect::V0_1;
        if let (Combinator::Descendant, Step::Compound(compound)) =
            (link.combinator, &mut link.step)
        {
            let safe = match compound.simples.first() {
                Some(Simple::Attrs(filter)) => bracket && filter.form == FilterForm::Square,
                Some(Simple::Tag(_)) => false,
                _ => true,
            };
            if !safe {
                compound
                    .simples
                    .insert(0, Simple::Type(TypeName { at: at(), base: "t".into(), name: None }));
            }
        }
        after_step = true;
    }
    if let Some(Filter::Attrs(first)) = chain.filters.first_mut()
        && after_step
        && dialect == Dialect::V0_1
    {
        first.form = FilterForm::Brace;
    }
    chain
}

/// Links and detached filters.
fn rest(dialect: Dialect) -> BoxedStrategy<(Vec<Link>, Vec<Filter>)> {
    let combinator = select(vec![Combinator::Descendant, Combinator::Child]);
    let link = (combinator, step(dialect)).prop_map(|(combinator, step)| Link { combinator, step });
    (prop::collection::vec(link, 0..3), prop::collection::vec(filter(), 0..3)).boxed()
}

fn chain(dialect: Dialect) -> BoxedStrategy<Chain> {
    let made =
        move |(head, (links, filters))| readable(Chain { at: at(), head, links, filters }, dialect);
    let head = prop_oneof![
        4 => step(dialect).prop_map(Head::Step),
        1 => whole_position(dialect).prop_map(Head::Position),
        1 => prop::collection::vec(whole_position(dialect), 2..4)
            .prop_map(|all| Head::Positions(at(), all)),
    ];
    let flat = (head, rest(dialect)).prop_map(made);
    flat.prop_recursive(3, 6, 1, move |inner| {
        (inner.prop_map(nested), rest(dialect)).prop_map(made)
    })
    .boxed()
}

/// A chain in parentheses; one that began with a depth would be a position.
fn nested(mut chain: Chain) -> Head {
    if matches!(chain.head, Head::Step(Step::Depth(_))) {
        chain.head = Head::Step(Step::Zone(at(), Zone::Core));
    }
    Head::Chain(at(), Box::new(chain))
}

pub(crate) fn time() -> impl Strategy<Value = Time> {
    let end = || prop_oneof![any::<i64>().prop_map(RangeEnd::Relative), Just(RangeEnd::Oldest)];
    prop_oneof![
        (-9i64..3).prop_map(TimeKind::Relative),
        any::<u64>().prop_map(TimeKind::Cycle),
        any::<u64>().prop_map(TimeKind::Event),
        any::<i64>().prop_map(TimeKind::Clock),
        Just(TimeKind::All),
        (end(), end()).prop_map(|(a, b)| TimeKind::RelativeRange(a, b)),
        (any::<u64>(), 0u64..99).prop_map(|(a, b)| TimeKind::CycleRange(a, b)),
        (any::<i64>(), any::<i64>()).prop_map(|(a, b)| TimeKind::ClockRange(a, b)),
    ]
    .prop_map(|kind| Time { at: at(), kind, beyond: None })
}

fn controls() -> impl Strategy<Value = Vec<Control>> {
    let unknown = prop_oneof![
        4 => ("x[a-z0-9_-]{0,4}", prop::option::of(value()))
            .prop_map(|(name, value)| ControlKind::Unknown(name, value)),
        1 => Just(ControlKind::Unknown("*".to_owned(), None)),
    ];
    let known = prop::sample::subsequence(
        vec![
            ControlKind::Limit(7),
            ControlKind::Skip(0),
            ControlKind::First,
            ControlKind::Unique,
            ControlKind::Order(Order::Recent),
            ControlKind::Mode(Mode::Latest),
        ],
        0..4,
    );
    (known, prop::option::of(unknown)).prop_map(|(known, unknown)| {
        known.into_iter().chain(unknown).map(|kind| Control { at: at(), kind }).collect()
    })
}

pub(crate) fn selector(dialect: Dialect) -> BoxedStrategy<Selector> {
    let group =
        prop::collection::vec(chain(dialect), 1..3).prop_map(|chains| Group { at: at(), chains });
    let groups = prop::collection::vec(group, 1..3);
    let late = prop::collection::vec(filter(), 0..2);
    (prop::option::of(time()), groups, controls(), late)
        .prop_map(|(time, groups, controls, late)| {
            let late_filters = if controls.is_empty() { vec![] } else { late };
            Selector { at: at(), time, groups, controls, late_filters }
        })
        .boxed()
}

pub(crate) fn any_dialect() -> impl Strategy<Value = Dialect> {
    select(Dialect::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_selector_reads_back((dialect, tree) in any_dialect().prop_flat_map(|d| (Just(d), selector(d)))) {
        let text = format(&tree, dialect);
        let back = parse_selector(&text, dialect);
        prop_assert_eq!(back.map_err(|error| error.render(&text)), Ok(tree), "{}", text);
    }

    #[test]
    fn a_target_reads_back((dialect, mut selector) in any_dialect().prop_flat_map(|d| (Just(d), selector(d))), optional: bool) {
        selector.time = None;
        let tree = Target { at: at(), selector, optional };
        let text = format(&tree, dialect);
        let back = parse_target(&text, dialect);
        prop_assert_eq!(back.map_err(|error| error.render(&text)), Ok(tree), "{}", text);
    }

    #[test]
    fn an_insertion_reads_back(position in position(Dialect::V1_0), n in any::<u32>(), which in 0usize..4, optional: bool) {
        let n = u64::from(n);
        let insertion = [Insertion::Start, Insertion::End, Insertion::After(n), Insertion::Before(n)][which];
        let kind = PlaceKind::Insert(at(), position, insertion);
        let tree = Place { at: at(), kind, optional };
        let text = format(&tree, Dialect::V1_0);
        let back = parse_place(&text, Dialect::V1_0);
        prop_assert_eq!(back.map_err(|error| error.render(&text)), Ok(tree), "{}", text);
    }
}
