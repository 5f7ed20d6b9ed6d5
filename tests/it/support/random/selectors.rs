//! Random selectors over the vocabulary of the random stores.

use proptest::prelude::*;
use proptest::sample::select;

fn piece(list: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(list).prop_map(str::to_owned)
}

fn types() -> impl Strategy<Value = String> {
    piece(&[
        ".cb",
        ".cb",
        ".mc",
        ".mt",
        ".seg",
        ".block",
        ".note",
        ".summary",
        ".cb:note",
        ".mc:box",
        ".sys",
        ".custom:note",
        ".mt:note",
        ".cont",
        ".box",
        ".block:note",
        ".cb:summary",
        ".mt:x",
        ".cb.note",
        ".log.entry",
        ".cb:log.entry",
        ".entry",
        ".cb.log.entry",
        ".mt:note",
        ".cb(role='user', ttl<=2)",
        ".cb(data_any)",
        "*",
        "*",
    ])
}

const NAMES: [&str; 38] = [
    "id",
    "nodeType",
    "type",
    "role",
    "kind",
    "key",
    "tag",
    "offset",
    "ttl",
    "priority",
    "cycle",
    "created_at_ns",
    "created_at_iso",
    "creation_index",
    "cad",
    "content",
    "content_hash",
    "provenance",
    "mime",
    "encoding",
    "removable",
    "pinned",
    "refs",
    "data_any",
    "data_any",
    "data_any",
    "data_n",
    "x",
    "nothing",
    "any",
    "n",
    "tags",
    "parent",
    "children",
    "ephemeral",
    "sticky",
    "kind",
    "kind",
];

const OPERANDS: [&str; 33] = [
    "1",
    "'1'",
    "1.0",
    "+1",
    "0",
    "-2",
    "2",
    "'x'",
    "x",
    "true",
    "'true'",
    "false",
    "null",
    "none",
    "'null'",
    "user",
    "'text 1'",
    "K",
    "cb",
    "'cb:note'",
    "mc",
    "note",
    "'[1,\"x\"]'",
    "'é'",
    "12345678901234567890123",
    "'{\"a\":null,\"b\":1}'",
    "'10'",
    "1.5",
    "audit",
    "'log.entry'",
    "'cb:log.entry'",
    "'mt:note'",
    "summary",
];

/// A name, an operator and an operand, whether or not they go together.
pub fn any_filter() -> impl Strategy<Value = String> {
    let name = || select(&NAMES[..]);
    let operand = || select(&OPERANDS[..]);
    let op = select(&["=", "=", "!=", "!=", "<", "<=", ">", ">=", "~", "!~"][..]);
    prop_oneof![
        5 => (name(), op, operand()).prop_map(|(name, op, value)| format!("[{name}{op}{value}]")),
        1 => name().prop_map(|name| format!("[{name}]")),
        1 => (name(), operand(), operand()).prop_map(|(name, a, b)| format!("[{name} in [{a}, {b}]]")),
        1 => (name(), operand(), operand()).prop_map(|(name, a, b)| format!("[{name}!=[{a}, {b}]]")),
        1 => (name(), operand(), name()).prop_map(|(a, value, b)| format!("{{{a}={value}, {b}!=null}}")),
    ]
}

fn filters() -> impl Strategy<Value = String> {
    prop_oneof![2 => known_filters(), 1 => any_filter()]
}

fn known_filters() -> impl Strategy<Value = String> {
    piece(&[
        "[role='user']",
        "[role!='user']",
        "{role in ['user','assistant']}",
        "[key='K']",
        "[key='L']",
        "[key]",
        "[ttl<=1]",
        "[ttl]",
        "[ttl=null]",
        "[offset=0]",
        "[offset>0]",
        "[priority>=1]",
        "+audit",
        "[tag!='audit']",
        "[data_n=1]",
        "[data_n<2]",
        "[kind='note']",
        "[nodeType='cb']",
        "[nodeType!='cb']",
        "[nodeType='cb:note']",
        "[nodeType='cb'][kind='note']",
        "[ephemeral]",
        "[content~'[12]']",
        "[id in ['n1','n3','t1','root']]",
        "{id='n2'}",
        "[cycle<=3]",
        "[type='cb']",
        "[creation_index=0]",
        "[sticky]",
        "[nodeType='block'][kind='note']",
        "{nodeType='cb', kind='summary'}",
        "[nodeType in ['cb', 'mc']]",
        "[nodeType>'mc']",
        "[kind='note'][nodeType='mc']",
        "[tag='audit'][tag]",
        "[content~'^t.*[0-3]$']",
        "[content_hash~'^[0-7]']",
        "[key=K]",
        "[key=null]",
        "[key='K'][key!='L']",
        "+b",
        "{key='K', role!=null}",
        "[role!=['user','tool']]",
        "[content!~'[12]']",
        "[content!~'text']",
        "[key!~'K']",
        "[nodeType!=['cb', 'mc']]",
        "[tag!~'a']",
        "[kind!=['note', null]]",
    ])
}

fn pseudos() -> impl Strategy<Value = String> {
    piece(&[
        ":pre",
        ":core",
        ":post",
        ":first",
        ":last",
        ":nth(2)",
        ":depth(0)",
        ":depth(1-2)",
        ":depth(<1)",
        ":depth(>=2)",
        ":depth(-1,1)",
        ":depth({0,2}, >3)",
        ":depth(-1..1)",
        ":nth(1)",
        ":nth(3)",
    ])
}

/// A simple selector that counts nothing.
fn uncounted() -> BoxedStrategy<String> {
    let pseudo = piece(&[":pre", ":core", ":post", ":depth(0)", ":depth(1-2)", ":depth(>=2)"]);
    prop_oneof![3 => filters(), 1 => pseudo].boxed()
}

/// A compound that counts nothing, for inside `:has(…)` and `:not(…)`, with so many of these inside.
fn uncounted_compound(nested: u32) -> BoxedStrategy<String> {
    let head = prop_oneof![
        5 => types(),
        1 => piece(&["#n1", "#n4", "#c1", "#i1", "#K", "#t1"]),
        1 => piece(&["^sys", "^seq", "^ah"]),
        3 => uncounted(),
    ];
    let more = match nested {
        0 => uncounted(),
        _ => prop_oneof![3 => uncounted(), 1 => nesting(nested - 1)].boxed(),
    };
    (head, prop::collection::vec(more, 0..2)).prop_map(|(head, rest)| head + &rest.concat()).boxed()
}

/// `:has(…)` or `:not(…)`, with others inside so many deep.
fn nesting(nested: u32) -> BoxedStrategy<String> {
    let zone = piece(&[":pre", ":core", ":post", "d1", "d0"]);
    let step = prop_oneof![6 => uncounted_compound(nested), 1 => zone].boxed();
    let later = step.clone().prop_map(|step| match step.starts_with(['{', '[', '+']) {
        true => format!("*{step}"),
        false => step,
    });
    let link = (piece(&[" ", " > "]), later).prop_map(|(join, step)| join + &step);
    let way = (piece(&["", "", "> "]), step, prop::collection::vec(link, 0..2), detached());
    let way = way.prop_map(|(from, first, links, filters)| {
        format!("{from}{first}{}{}", links.concat(), filters.unwrap_or_default())
    });
    let ways =
        prop::collection::vec(way, 1..3).prop_map(|ways| format!(":has({})", ways.join(", ")));
    let compounds = prop::collection::vec(uncounted_compound(nested), 1..3);
    let not = compounds.prop_map(|compounds| format!(":not({})", compounds.join(", ")));
    prop_oneof![ways, not].boxed()
}

fn compound() -> BoxedStrategy<String> {
    let ids = piece(&["#n1", "#n4", "#t1", "#c1", "#i1", "#K", "#'mt:3'", "#root"]);
    let head = prop_oneof![
        5 => types(),
        1 => ids,
        1 => piece(&["^root", "^sys", "^seq", "^ah"]),
        2 => filters(),
        1 => pseudos(),
        1 => nesting(1),
    ];
    let more = prop_oneof![4 => filters(), 2 => pseudos(), 1 => nesting(1)];
    let rest = prop::collection::vec(more, 0..4);
    (head, rest).prop_map(|(head, rest)| format!("{head}{}", rest.concat())).boxed()
}

/// A step that counts nothing, with any filters.
pub fn filtered_step() -> impl Strategy<Value = String> {
    let head = prop_oneof![5 => types(), 1 => piece(&["^root", "^sys", "^seq", "^ah"])];
    let filter = prop_oneof![6 => any_filter(), 1 => nesting(1), 2 => piece(&["+audit", "+b", ":core", ":post"])];
    (head, prop::collection::vec(filter, 0..3)).prop_map(|(head, rest)| head + &rest.concat())
}

fn step() -> BoxedStrategy<String> {
    prop_oneof![
        8 => compound(),
        2 => piece(&[":pre", ":core", ":post"]),
        1 => piece(&["d0", "d1", "d1..d3", "d1..3", "depth(-1,2)", "depth(>1)", "depth(-2)"]),
    ]
    .boxed()
}

/// A step that does not begin with a filter, for behind white space.
fn later_step() -> BoxedStrategy<String> {
    step()
        .prop_map(|step| match step.starts_with(['{', '[', '+']) {
            true => format!("*{step}"),
            false => step,
        })
        .boxed()
}

fn position() -> BoxedStrategy<String> {
    let hop = prop_oneof![
        2 => piece(&["0", "-1", "1", "2"]),
        3 => piece(&["cb", "mc", "*", "mc[offset=0]", "cb[role='user']", "*:first", "cb:last", "summary", "mt", "cb:note", "*:core", "mc:depth(1)", "cb[key='K']:first", "cb+audit", "*[ttl]:nth(2)", "cb[nodeType='cb'][kind='note']", "log.entry", "cb:log.entry", "mc:has(.cb)", "*:not(.cb):first", "mc:has(> .cb[role='user'])", "*:has([key])"]),
        2 => piece(&["*:cb", "*:mc", "*:cb[role='user']:first", "*:note", "*:mc:last", "*:cb:note:first", "*:block:pre", "*:log.entry"]),
    ];
    let depth =
        piece(&["d0", "d1", "d-1", "d1..d3", "d1..3", "d-1..1", "depth(>=1)", "depth(0,2)"]);
    let last = prop::option::weighted(0.3, last_chain());
    (depth, any::<bool>(), prop::collection::vec(hop, 0..3), last)
        .prop_map(|(depth, turn, hops, last)| {
            let turn = if turn { ", seg" } else { "" };
            let elements = hops.iter().chain(&last).map(|element| format!(", {element}"));
            format!("({depth}{turn}{})", elements.collect::<String>())
        })
        .boxed()
}

/// A chain as the last element of a position.
fn last_chain() -> BoxedStrategy<String> {
    let first = compound().prop_map(|first| match first.chars().next() {
        Some('.' | '#' | '+' | '[' | '{') => first,
        Some(':') => format!(".mc{first}"),
        _ => format!(".cb {first}"),
    });
    let turn = piece(&["", "", "", ".seg ", ".mt[role!='user'] ", ".mt:note > ", ".seg:first "]);
    (turn, first, links(), detached())
        .prop_map(|(turn, first, links, detached)| {
            let first = match !turn.is_empty() && first.starts_with(['{', '[', '+']) {
                true => format!("*{first}"),
                false => first,
            };
            format!("{turn}{first}{links}{}", detached.unwrap_or_default())
        })
        .boxed()
}

/// Further steps behind a first one.
fn links() -> BoxedStrategy<String> {
    let link = (piece(&[" ", " > "]), later_step());
    prop::collection::vec(link.prop_map(|(join, step)| join + &step), 0..3)
        .prop_map(|links| links.concat())
        .boxed()
}

/// Filters that stand apart, now and then.
fn detached() -> BoxedStrategy<Option<String>> {
    prop::option::weighted(
        0.2,
        prop_oneof![
            piece(&[
                " {role='user'}",
                " +audit",
                " {key='K'}",
                " {offset=0}",
                " {key='K'} +audit",
                " {nodeType='cb', kind='note'}",
                " {nodeType='cb'}{kind='note'}",
                " [role='user']",
                " [key='K'] {role}",
                " +audit{ttl}",
            ]),
            any_filter().prop_map(|filter| format!(" {filter}")),
        ],
    )
    .boxed()
}

fn chain() -> BoxedStrategy<String> {
    let flat = (step(), links()).prop_map(|(step, links)| step + &links);
    let nested = (step(), links(), detached())
        .prop_filter("a depth in front makes a position", |(step, ..)| !step.starts_with('d'))
        .prop_map(|(step, links, detached)| {
            format!("( {step}{links}{} )", detached.unwrap_or_default())
        });
    let pair = (position(), position()).prop_map(|(a, b)| format!("({a}, {b})"));
    let nested = prop_oneof![2 => nested, 2 => position(), 1 => pair];
    let nested = (nested, links()).prop_map(|(head, links)| head + &links);
    (prop_oneof![4 => flat, 1 => nested], detached())
        .prop_map(|(chain, detached)| chain + &detached.unwrap_or_default())
        .boxed()
}

/// A selector without a time.
pub fn timeless() -> impl Strategy<Value = String> {
    let group = (chain(), prop::option::weighted(0.15, chain())).prop_map(|(a, b)| match b {
        Some(b) => format!("{a} ?? {b}"),
        None => a,
    });
    let groups = (group, prop::option::weighted(0.15, chain())).prop_map(|(a, b)| match b {
        Some(b) => format!("{a}, {b}"),
        None => a,
    });
    let controls = prop_oneof![
        5 => Just(String::new()),
        1 => piece(&[" @limit=1", " @limit=2", " @skip=1 @limit=2", " @first", " @order=recent", " @order=id @limit=2", " @order=recent @limit=3", " @unique", " @limit=2 {role='user'}", " @first [key='K']", " @order=path +audit", " @limit=0", " @first @limit=3", " @*", " @* @limit=2", " @limit=2 @* {role='user'}"]),
    ];
    (groups, controls).prop_map(|(groups, controls)| groups + &controls)
}

/// A selector at one state.
pub fn at_one_state() -> impl Strategy<Value = String> {
    let derived = piece(&[
        "",
        "",
        " {age<2}",
        " {depth>=1}",
        " {sdepth=3}",
        " {born_turn=1}",
        " {depth!=2}",
        " {age=1}",
        " {depth='1'}",
        " {sdepth in [2, '3']}",
        " {depth=null}",
        " {age~1}",
        " {age!~1}",
        " {depth!=[1, 2]}",
        " {born_turn>1.5}",
        " {depth}",
    ]);
    let timed = (
        piece(&[
            "@t0 ", "@t-1 ", "@c3 ", "@t-3 ", "@t+1 ", "@e1 ", "@e5 ", "@e8 ", "@e14 ", "@e19 ",
        ]),
        chain(),
        derived,
    )
        .prop_map(|(time, chain, derived)| {
            // Also as a filter of the step in front, where an implied core may pass it.
            match chain.contains(".mc > ") {
                true => {
                    format!("{time}{}{derived}", chain.replacen(".mc > ", ".mc[depth!=2] > ", 1))
                }
                false => time + &chain + &derived,
            }
        });
    let mode = prop_oneof![19 => Just(""), 1 => Just(" @mode=latest")];
    (prop_oneof![3 => timeless(), 2 => timed], mode).prop_map(|(text, mode)| text + mode)
}

/// A selector over every snapshot.
pub fn at_every_state() -> impl Strategy<Value = String> {
    timeless().prop_map(|selector| format!("@* {selector}"))
}

/// A selector over a range.
pub fn over_a_range() -> impl Strategy<Value = String> {
    let time = piece(&[
        "@history ",
        "@t-3..@t0 ",
        "@c2..@c5 ",
        "@t-1..@t-4 ",
        "@c3..@c3 ",
        "@t-*..@t-1 ",
        "@t-2:1 ",
        "@c9:1 ",
    ]);
    let timeless = prop_oneof![
        3 => timeless(),
        1 => (chain(), piece(&[" {age<2}", " {depth>=1}", " {sdepth=3}", " {born_turn=1}"]))
            .prop_map(|(chain, derived)| chain + &derived),
    ];
    let mode = piece(&["", "", "", " @mode=latest"]);
    (time, timeless, mode).prop_map(|(time, selector, mode)| time + &selector + &mode)
}
