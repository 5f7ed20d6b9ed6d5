//! Attribute tests: names to attributes, values to what they are compared as (R6.3, R6.5).

use super::names::{Names, class_of};
use crate::language::Dialect;
use crate::language::Span;
use crate::language::ast::{self, AttrFilter, Base, Op, TestKind, ValueKind};
use crate::limits::MAX_PATTERN_BYTES;
use crate::model::{EngineText, HEADERS, Held, TextField, header};
use crate::query::plan::{
    Attr, Check, ClassSet, CustomAttr, Number, NumberAttr, Test, TextAttr, Value, ValueText,
};
use crate::query::query_error::QueryError;
use regex::RegexBuilder;

/// The attribute tests of one compound, before they are resolved together.
#[derive(Default)]
pub(super) struct AttrTests<'a> {
    tests: Vec<&'a ast::Test>,
}

impl<'a> AttrTests<'a> {
    pub(super) fn add(&mut self, filter: &'a AttrFilter) {
        self.tests.extend(&filter.tests);
    }

    /// Whether one of them says what the key is.
    pub(super) fn pins_key(&self) -> bool {
        self.tests.iter().any(|test| equal_text(test, "key").is_some())
    }

    pub(super) fn tests(self, names: &mut Names) -> Result<Vec<Test>, QueryError> {
        self.tests.into_iter().map(|test| resolve_test(test, names)).collect()
    }
}

/// The text that a test says an attribute is.
fn equal_text<'a>(test: &'a ast::Test, name: &str) -> Option<&'a str> {
    match &test.kind {
        TestKind::Compare(Op::Eq, value) if test.name.text == name => match &value.kind {
            ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text) => Some(text),
            ValueKind::Null => None,
        },
        _ => None,
    }
}

fn resolve_test(test: &ast::Test, names: &mut Names) -> Result<Test, QueryError> {
    let attr = attr_of(&test.name.text, names.dialect());
    Ok(match (&attr, &test.kind) {
        (Attr::Custom(_), TestKind::Present) if test.name.text == "ephemeral" => Test::Ephemeral,
        (Attr::Custom(_), TestKind::Present) if test.name.text == "sticky" => Test::Sticky,
        (_, TestKind::Present) => Test::Attr(attr, Check::Present),
        (Attr::Text(TextAttr::NODE_TYPE), TestKind::Compare(Op::Eq, value)) => {
            type_is(&value.kind, names)
        }
        (Attr::Text(TextAttr::NODE_TYPE), TestKind::Compare(Op::Ne, value)) => {
            Test::Not(Box::new(type_is(&value.kind, names)))
        }
        (_, TestKind::Compare(Op::Match, value)) => {
            let check = pattern(&value.kind, value.at.0, names)?;
            Test::Attr(attr, check)
        }
        (_, TestKind::Compare(Op::NotMatch, value)) => {
            match pattern(&value.kind, value.at.0, names)? {
                Check::Match(pattern) => Test::Attr(attr, Check::NotMatch(pattern)),
                check => Test::Not(Box::new(Test::Attr(attr, check))),
            }
        }
        (_, TestKind::Compare(op, value)) => compare(attr, *op, value_of(&value.kind)),
        (_, TestKind::In(values)) => is_among(attr, values, names),
        (_, TestKind::NotIn(values)) => Test::Not(Box::new(is_among(attr, values, names))),
    })
}

/// Whether an attribute equals one of some values.
fn is_among(attr: Attr, values: &[ast::Value], names: &Names) -> Test {
    match attr {
        Attr::Text(TextAttr::NODE_TYPE) => {
            Test::Any(values.iter().map(|value| type_is(&value.kind, names)).collect())
        }
        attr => one_of(attr, values.iter().map(|value| value_of(&value.kind)).collect()),
    }
}

/// `[nodeType='x']`: a canonical word tests the class.
fn type_is(value: &ValueKind, names: &Names) -> Test {
    if let ValueKind::Text(text) | ValueKind::Word(text) = value {
        if let Some(base) = Base::from_name(text) {
            return Test::Class(ClassSet::of(&[class_of(base)]));
        }
        let parts =
            text.split_once(':').and_then(|(base, name)| Some((Base::from_name(base)?, name)));
        if let (true, Some((base, name))) = (names.dialect().kind_is_a_set(), parts) {
            return Test::All(names.based_tests(base, name));
        }
    }
    compare(Attr::Text(TextAttr::NODE_TYPE), Op::Eq, value_of(value))
}

fn compare(attr: Attr, op: Op, value: Value) -> Test {
    match (&attr, op, value) {
        (Attr::Text(_) | Attr::Kinds, Op::Eq, Value::Given(text)) => {
            one_of(attr, vec![Value::Given(text)])
        }
        (_, op, value) => Test::Attr(attr, Check::Compare(op, value)),
    }
}

fn one_of(attr: Attr, values: Vec<Value>) -> Test {
    let texts = |values: Vec<Value>| {
        let text = |value| match value {
            Value::Given(given) => Some(given.text),
            Value::Null => None,
        };
        values.into_iter().filter_map(text).collect()
    };
    match &attr {
        Attr::Text(_) | Attr::Tags | Attr::Kinds if !values.contains(&Value::Null) => match attr {
            Attr::Text(TextAttr::Engine(EngineText::Id)) => Test::Ids(texts(values)),
            attr => Test::Attr(attr, Check::OneText(texts(values))),
        },
        _ => Test::Attr(attr, Check::OneOf(values)),
    }
}

fn pattern(value: &ValueKind, at: Span, names: &mut Names) -> Result<Check, QueryError> {
    let (ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text)) = value else {
        return Ok(Check::Never);
    };
    names.count_pattern(at)?;
    let built = RegexBuilder::new(text)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build();
    built.map(Check::Match).map_err(|error| {
        let message = match error {
            regex::Error::CompiledTooBig(_) => {
                format!("the regular expression takes more than {MAX_PATTERN_BYTES} bytes")
            }
            error => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or("").trim_start_matches("error: ");
                format!("not a regular expression: {reason}")
            }
        };
        QueryError::invalid(at, message)
    })
}

fn value_of(kind: &ValueKind) -> Value {
    let given = |text: &String, bare_number| {
        Value::Given(ValueText {
            text: text.as_str().into(),
            bare_number,
            number: Number::parse(text),
        })
    };
    match kind {
        ValueKind::Null => Value::Null,
        ValueKind::Text(text) | ValueKind::Word(text) => given(text, false),
        ValueKind::Number(text) => given(text, true),
    }
}

/// The attribute with this name.
fn attr_of(name: &str, dialect: Dialect) -> Attr {
    match (name, header(name).map(|header| header.held)) {
        ("depth", _) => Attr::Number(NumberAttr::Depth),
        ("sdepth", _) => Attr::Number(NumberAttr::Sdepth),
        ("age", _) => Attr::Number(NumberAttr::Age),
        ("born_turn", _) => Attr::Number(NumberAttr::BornTurn),
        ("type", _) => Attr::Text(TextAttr::Type),
        ("tag", _) => Attr::Tags,
        (_, Some(Held::Text(TextField::Kind))) if dialect.kind_is_a_set() => Attr::Kinds,
        (_, Some(Held::Text(field))) => Attr::Text(TextAttr::Header(field)),
        (_, Some(Held::EngineText(text))) => Attr::Text(TextAttr::Engine(text)),
        (_, Some(Held::Number(field))) => Attr::Number(NumberAttr::Header(field)),
        (_, Some(Held::List(field))) => Attr::List(field),
        (_, Some(Held::Flag(field))) => Attr::Flag(field),
        (_, Some(Held::Content)) => Attr::Content,
        (_, Some(Held::Attr(_) | Held::Children) | None) => {
            Attr::Custom(CustomAttr { name: name.into(), long: long_name(name) })
        }
    }
}

/// What a name may be short for (R14.11): names of headers and of what is derived never are, nor
/// names that say whose they are.
fn long_name(name: &str) -> Option<Box<str>> {
    let own = name.contains(':') || name.starts_with("data_") || name.starts_with("content_");
    let known = HEADERS.contains(&name) || name == "parent";
    (!own && !known).then(|| format!("data_{name}").into())
}
