//! Tests in words, for `explain`.

use crate::language::ast::{Op, Zone};
use crate::model::{Class, Held, header_of};
use crate::query::plan::{
    Attr, Check, Compound, CustomAttr, Link, NumberAttr, Pick, Reach, Step, Test, TextAttr, Value,
    Way,
};
use std::borrow::Cow;

/// A test in words.
fn describe_test(test: &Test) -> String {
    match test {
        Test::Real => "a place of their own".to_owned(),
        Test::Class(classes) => {
            let all = [
                (Class::Root, "^root"),
                (Class::Sys, "^sys"),
                (Class::Seq, "^seq"),
                (Class::Ah, "^ah"),
                (Class::Turn, "turn"),
                (Class::Container, "container"),
                (Class::Block, "block"),
            ];
            let named = all.iter().filter(|(class, _)| classes.contains(*class));
            let words: Vec<&str> = named.map(|(_, word)| *word).collect();
            format!("class {}", words.join(" or "))
        }
        Test::Ids(ids) => format!("id {}", list(ids.iter().map(|id| &**id))),
        Test::Named(name) => format!("type {name} or …:{name}"),
        Test::Container(depths) => format!("a region or turn at depth {depths}"),
        Test::Depth(depths) => format!("depth {depths}"),
        Test::Sign(zone) => describe_zone(*zone).to_owned(),
        Test::Offset(offset) => format!("offset {offset}"),
        Test::Ephemeral => "a finite ttl and no cad".to_owned(),
        Test::Sticky => "a finite ttl and cad 1".to_owned(),
        Test::Attr(attr, check) => format!("{} {}", describe_attr(attr), describe_check(check)),
        Test::Has(has, _) => {
            let ways: Vec<String> = has.ways.iter().map(describe_way).collect();
            format!("a way down to ({})", ways.join("; or "))
        }
        Test::Not(inner) => format!("not ({})", describe_test(inner)),
        Test::Any(tests) => {
            let tests: Vec<String> = tests.iter().map(describe_test).collect();
            format!("one of ({})", tests.join("; "))
        }
        Test::All(tests) => {
            let tests: Vec<String> = tests.iter().map(describe_test).collect();
            format!("({})", tests.join(" and "))
        }
    }
}

/// What a way leads through, in words.
fn describe_way(way: &Way) -> String {
    let mut words = Vec::with_capacity(way.links.len() + 1);
    for (i, Link { reach, step }) in way.links.iter().enumerate() {
        let from = match (i, reach) {
            (0, Reach::Child) => "among its children",
            (0, _) => "below it",
            (_, Reach::Child) => "children of these",
            _ => "below these",
        };
        words.push(format!("{} {from}", describe_step(step)));
    }
    if !way.filter.tests.is_empty() {
        words.push(format!("of these only {}", describe_compound(&way.filter)));
    }
    words.join(", then ")
}

/// A step in words.
pub(crate) fn describe_step(step: &Step) -> String {
    match step {
        Step::Zone(zone) => format!("the zones of {}", describe_zone(*zone)),
        Step::Nodes(compound) => describe_compound(compound),
    }
}

/// A compound in words.
pub(crate) fn describe_compound(compound: &Compound) -> String {
    let mut words = match compound.tests.is_empty() {
        true => "nodes".to_owned(),
        false => {
            let tests: Vec<String> = compound.tests.iter().map(describe_test).collect();
            format!("nodes with {}", tests.join(" and "))
        }
    };
    for pick in &compound.picks {
        words = match pick {
            Pick::Nth(n) => format!("number {n} of the {words}"),
            Pick::Last => format!("the last of the {words}"),
        };
    }
    words
}

/// A sign of the offset in words.
fn describe_zone(zone: Zone) -> &'static str {
    match zone {
        Zone::Pre => "offset below 0",
        Zone::Core => "offset 0",
        Zone::Post => "offset above 0",
    }
}

fn describe_attr(attr: &Attr) -> Cow<'_, str> {
    Cow::Borrowed(match attr {
        Attr::Number(NumberAttr::Header(field)) => header_name(Held::Number(*field)),
        Attr::Number(NumberAttr::Depth) => "depth",
        Attr::Number(NumberAttr::Sdepth) => "sdepth",
        Attr::Number(NumberAttr::Age) => "age",
        Attr::Number(NumberAttr::BornTurn) => "born_turn",
        Attr::Text(TextAttr::Header(field)) => field.name(),
        Attr::Text(TextAttr::Engine(text)) => header_name(Held::EngineText(*text)),
        Attr::Text(TextAttr::Type) => "type",
        Attr::Tags => "a tag",
        Attr::Kinds => "kind (their own, or in their type)",
        Attr::Flag(field) => field.name(),
        Attr::List(field) => field.name(),
        Attr::Content => "content",
        Attr::Custom(CustomAttr { name, long: None }) => name,
        Attr::Custom(CustomAttr { name, long: Some(long) }) => {
            return Cow::Owned(format!("{name} (or {long})"));
        }
    })
}

fn header_name(held: Held) -> &'static str {
    header_of(held).map_or("", |header| header.name)
}

fn describe_check(check: &Check) -> String {
    match check {
        Check::Present => "that is not null".to_owned(),
        Check::Compare(op, value) => {
            let op = match op {
                Op::Eq => "equal to",
                Op::Ne => "other than",
                Op::Lt => "less than",
                Op::Le => "at most",
                Op::Gt => "greater than",
                Op::Ge => "at least",
                Op::Match => "like",
                Op::NotMatch => "unlike",
            };
            format!("{op} {}", describe_value(value))
        }
        Check::OneOf(values) => {
            let values: Vec<String> = values.iter().map(describe_value).collect();
            format!("among {}", values.join(", "))
        }
        Check::OneText(texts) => list(texts.iter().map(|text| &**text)),
        Check::Match(pattern) => format!("in which /{pattern}/ is found"),
        Check::NotMatch(pattern) => format!("in which /{pattern}/ is not found"),
        Check::Never => "that cannot be".to_owned(),
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Given(given) if given.bare_number => given.text.to_string(),
        Value::Given(given) => format!("'{}'", given.text),
    }
}

/// A few texts; a long list is cut.
fn list<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let more = texts.len().saturating_sub(MOST);
    let listed: Vec<String> = texts.take(MOST).map(|text| format!("'{text}'")).collect();
    let listed = listed.join(" or ");
    if more > 0 { format!("{listed} or {more} more") } else { listed }
}
