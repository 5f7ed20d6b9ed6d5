//! What a test of the kind or of the type becomes in the other dialect.
//!
//! In 0.1 the kind of a node is a set: its header, and the name behind the base of its type (R14.5);
//! `nodeType='cb:x'` asks for the same. In 1.0 both are plain headers. So a test of 0.1 becomes two
//! alternatives in 1.0, and an equality of types in 1.0 a pattern in 0.1. Each answer is a list of
//! alternatives, of which one must hold; each of those is a list of tests, which all must.

use crate::language::ast::{AttrName, Base, Op, Test, TestKind, Value, ValueKind};
use crate::language::span::At;
use crate::language::syntax_error::SyntaxError;

/// Alternatives, each a list of tests.
pub(super) type Alternatives = Vec<Vec<Test>>;

/// What a test of 0.1 is in 1.0; `base` is the class that the compound has by a type of its own.
pub(super) fn from_sets(test: &Test, base: Option<Base>) -> Result<Alternatives, SyntaxError> {
    let maker = Maker(test.at);
    let words: Vec<&str> = match base {
        Some(base) => base.names().to_vec(),
        None => Base::ALL.into_iter().flat_map(Base::names).collect(),
    };
    match (test.name.text.as_str(), &test.kind) {
        ("kind", TestKind::Compare(Op::Eq, value)) => kind_is(maker, test, &[value], &words),
        ("kind", TestKind::In(values)) => {
            kind_is(maker, test, &values.iter().collect::<Vec<_>>(), &words)
        }
        ("kind", TestKind::Compare(Op::Ne, value)) => {
            let name = text_of(value).ok_or_else(|| no_set(test))?;
            let types = words.iter().map(|word| maker.type_is_not(&format!("{word}:{name}")));
            Ok(vec![std::iter::once(test.clone()).chain(types).collect()])
        }
        ("kind", TestKind::NotIn(values)) => {
            let names: Option<Vec<&str>> = values.iter().map(text_of).collect();
            let names = names.ok_or_else(|| no_set(test))?;
            let types = names.iter().flat_map(|name| words.iter().map(move |w| (w, name)));
            let types = types.map(|(word, name)| maker.text(&format!("{word}:{name}"))).collect();
            Ok(vec![vec![test.clone(), maker.test("nodeType", TestKind::NotIn(types))]])
        }
        ("kind", TestKind::Present) => {
            let any = maker.type_matches(&format!("^({}):", words.join("|")));
            Ok(vec![vec![test.clone()], vec![any]])
        }
        ("kind", _) => Err(no_set(test)),
        ("nodeType", TestKind::Compare(Op::Eq, value)) => Ok(type_is(maker, value)),
        ("nodeType", TestKind::In(values)) => {
            Ok(values.iter().flat_map(|value| type_is(maker, value)).collect())
        }
        ("nodeType", TestKind::Compare(Op::Ne, value)) => Ok(match based(value) {
            None => vec![vec![test.clone()]],
            Some((base, name)) => {
                let [old, new] = base.names();
                let kind = maker.test("kind", TestKind::Compare(Op::Ne, maker.text(name)));
                let types = [old, new].map(|word| maker.type_is_not(&format!("{word}:{name}")));
                let neither = std::iter::once(kind).chain(types).collect();
                vec![vec![maker.type_is_not(new)], neither]
            }
        }),
        ("nodeType", TestKind::NotIn(values)) if values.iter().any(|v| based(v).is_some()) => {
            let message = "in dialect 0.1 `BASE:NAME` counts the kind too, and dialect 1.0 has no \
                           form of this list that does";
            let hint = "several `!=` can be said";
            Err(SyntaxError::invalid(test.at.0, message).with_hint(hint))
        }
        _ => Ok(vec![vec![test.clone()]]),
    }
}

/// What a test of 1.0 is in 0.1.
pub(super) fn to_sets(test: &Test) -> Result<Alternatives, SyntaxError> {
    let maker = Maker(test.at);
    let unchanged = vec![vec![test.clone()]];
    match (test.name.text.as_str(), &test.kind) {
        ("kind", _) => Err(SyntaxError::invalid(
            test.at.0,
            "dialect 0.1 cannot ask for the header `kind` alone: it counts the type's name as well",
        )
        .with_hint("the same test in 0.1 also finds nodes of the type `cb:KIND`")),
        ("nodeType", TestKind::Compare(Op::Eq, value)) if based(value).is_some() => {
            Ok(vec![vec![maker.type_matches(&pattern(&[value]))]])
        }
        ("nodeType", TestKind::In(values)) if values.iter().any(|v| based(v).is_some()) => {
            let values: Vec<&Value> = values.iter().collect();
            let is_plain =
                |value: &&Value| text_of(value).is_some_and(|text| Base::from_name(text).is_none());
            match values.iter().all(is_plain) {
                true => Ok(vec![vec![maker.type_matches(&pattern(&values))]]),
                false => Err(no_type(test)),
            }
        }
        ("nodeType", TestKind::Compare(Op::Ne, value)) if based(value).is_some() => {
            Err(no_type(test))
        }
        ("nodeType", TestKind::NotIn(values)) if values.iter().any(|v| based(v).is_some()) => {
            Err(no_type(test))
        }
        _ => Ok(unchanged),
    }
}

/// The two ways in which a set of 0.1 holds one of these names.
fn kind_is(
    maker: Maker,
    test: &Test,
    values: &[&Value],
    words: &[&str],
) -> Result<Alternatives, SyntaxError> {
    let names: Option<Vec<&str>> = values.iter().map(|value| text_of(value)).collect();
    let names = names.ok_or_else(|| no_set(test))?;
    let types = names.iter().flat_map(|name| words.iter().map(move |w| format!("{w}:{name}")));
    let types = types.map(|text| maker.text(&text)).collect();
    Ok(vec![vec![test.clone()], vec![maker.test("nodeType", TestKind::In(types))]])
}

/// `nodeType='cb:x'` of 0.1: a block with this kind, or of this type.
fn type_is(maker: Maker, value: &Value) -> Alternatives {
    let Some((base, name)) = based(value) else {
        return vec![vec![maker.test("nodeType", TestKind::Compare(Op::Eq, value.clone()))]];
    };
    let [old, new] = base.names();
    let class = maker.test("nodeType", TestKind::Compare(Op::Eq, maker.text(new)));
    let kind = maker.test("kind", TestKind::Compare(Op::Eq, maker.text(name)));
    let types = [old, new].map(|word| maker.text(&format!("{word}:{name}"))).to_vec();
    vec![vec![class, kind], vec![maker.test("nodeType", TestKind::In(types))]]
}

/// The text that a value is compared as; none for null.
fn text_of(value: &Value) -> Option<&str> {
    match &value.kind {
        ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text) => Some(text),
        ValueKind::Null => None,
    }
}

/// The base and the name of `cb:x`.
fn based(value: &Value) -> Option<(Base, &str)> {
    let (ValueKind::Text(text) | ValueKind::Word(text)) = &value.kind else { return None };
    let (base, name) = text.split_once(':')?;
    Some((Base::from_name(base)?, name))
}

/// A pattern that these texts match and no others.
fn pattern(values: &[&Value]) -> String {
    let texts: Vec<String> =
        values.iter().filter_map(|value| text_of(value)).map(regex::escape).collect();
    format!("^({})$", texts.join("|"))
}

fn no_set(test: &Test) -> SyntaxError {
    let message = "in dialect 0.1 `kind` counts the type's name too, and dialect 1.0 has no form of \
                   this test that does";
    SyntaxError::invalid(test.at.0, message)
        .with_hint("`=`, `in`, `!=`, also with a list, and `[kind]` can be said")
}

fn no_type(test: &Test) -> SyntaxError {
    let message = "dialect 0.1 reads `BASE:NAME` as a kind too, and has no form of this test that \
                   does not";
    SyntaxError::invalid(test.at.0, message)
}

/// Makes tests that stand where another one stood.
#[derive(Clone, Copy)]
struct Maker(At);

impl Maker {
    fn text(self, text: &str) -> Value {
        Value { at: self.0, kind: ValueKind::Text(text.to_owned()) }
    }

    fn test(self, name: &str, kind: TestKind) -> Test {
        Test { at: self.0, name: AttrName { at: self.0, text: name.to_owned() }, kind }
    }

    fn type_is_not(self, text: &str) -> Test {
        self.test("nodeType", TestKind::Compare(Op::Ne, self.text(text)))
    }

    fn type_matches(self, pattern: &str) -> Test {
        self.test("nodeType", TestKind::Compare(Op::Match, self.text(pattern)))
    }
}
