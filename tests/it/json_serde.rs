//! Values through serde and back: every digit stays, and what does not fit is told with its field.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::json::{canonical_string, from_json, line, parse, to_json};
use pactdb::{Json, Map};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

const NUMBERS: [&str; 14] = [
    "12345678901234567890123",
    "-12345678901234567890123",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "0",
    "1e+16",
    "1e-07",
    "1.0",
    "-0.0",
    "0.1",
    "1.7976931348623157e+308",
    "5e-324",
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Holder {
    value: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<Json>,
    list: Vec<Json>,
    map: Map,
    either: Either,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Text(String),
    Any(Json),
}

#[test]
fn numbers_keep_their_spelling_on_every_way() {
    for number in NUMBERS {
        let value = parse(number).unwrap();
        assert_eq!(canonical_string(&value), number);
        assert_eq!(line(&value).unwrap(), number);
        assert_eq!(to_json(&value).unwrap(), value);
        assert_eq!(from_json::<Json>(value.clone()).unwrap(), value);
        let holder = Holder {
            value: value.clone(),
            maybe: Some(value.clone()),
            list: vec![value.clone()],
            map: Map::from([("a".to_owned(), value.clone())]),
            either: Either::Any(value),
        };
        let json = to_json(&holder).unwrap();
        assert_eq!(line(&json).unwrap().matches(number).count(), 5, "{number}");
        assert_eq!(line(&holder).unwrap().matches(number).count(), 5, "{number}");
        assert_eq!(from_json::<Holder>(json).unwrap(), holder);
    }
}

/// The name of a `RawValue` is private to `serde_json`: if it changes, this says so.
#[test]
fn raw_values_are_taken_for_what_they_say() {
    let raw = serde_json::value::RawValue::from_string("[1e400000, {}]".to_owned()).unwrap();
    assert!(to_json(&raw).is_err(), "no double is that large");
    let raw = serde_json::value::RawValue::from_string("[1.50, {\"b\": 2}]".to_owned()).unwrap();
    assert_eq!(line(&to_json(&raw).unwrap()).unwrap(), "[1.5,{\"b\":2}]");
}

#[test]
fn variants_are_objects_and_names() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Point,
        Circle(u64),
        Line(i64, i64),
        Box { width: u64 },
    }
    let shapes = [Shape::Point, Shape::Circle(1), Shape::Line(-1, 2), Shape::Box { width: 3 }];
    let json = to_json(&shapes).unwrap();
    assert_eq!(
        line(&json).unwrap(),
        r#"["Point",{"Circle":1},{"Line":[-1,2]},{"Box":{"width":3}}]"#
    );
    assert_eq!(from_json::<Vec<Shape>>(json).unwrap(), shapes);
}

#[test]
fn what_does_not_fit_is_told_with_its_field() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "it is only read into")]
    struct Wanted {
        ttl: Option<i64>,
        limit: Option<u64>,
        name: String,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        on: bool,
        #[serde(default)]
        inner: Option<Box<Wanted>>,
    }
    for (text, message) in [
        (r#"{"name":"a","ttl":"x"}"#, "'ttl' must be an integer, not a string"),
        (r#"{"name":"a","ttl":1.5}"#, "'ttl' must be an integer, not a decimal number"),
        (r#"{"name":"a","ttl":12345678901234567890}"#, "'ttl' must fit into 64 bits"),
        (r#"{"name":"a","limit":-2}"#, "'limit' cannot be negative, -2 is"),
        (r#"{"name":1}"#, "'name' must be a string, not an integer"),
        (r#"{"name":null}"#, "'name' must be a string, not null"),
        (r#"{"name":"a","tags":"b"}"#, "'tags' must be a list, not a string"),
        (r#"{"name":"a","tags":[1]}"#, "'tags' must be a string, not an integer"),
        (r#"{"name":"a","on":0}"#, "'on' must be true or false, not an integer"),
        (r#"{"ttl":1}"#, "the field 'name' is missing"),
        (r#"{"a":1,"name":2}"#, "'name' must be a string, not an integer"),
        (r#"{"name":"a","inner":{"name":[]}}"#, "'name' must be a string, not a list"),
        (r#"{"name":"a","inner":[]}"#, "'inner' must be an object, not a list"),
        (r#"[]"#, "the value must be an object, not a list"),
    ] {
        let error = from_json::<Wanted>(parse(text).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = from_json::<Wanted>(parse(r#"{"name":"a","other":1}"#).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("unknown field `other`, expected one of `ttl`"));
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Json::Str),
        any::<i64>().prop_map(Json::Int),
        any::<bool>().prop_map(Json::Bool),
        Just(Json::Null),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Json::Float),
        "-?[1-9][0-9]{19,40}".prop_map(|digits| parse(&digits).unwrap()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            proptest::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Json::Map(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_survive(value in value()) {
        prop_assert_eq!(&to_json(&value).unwrap(), &value);
        prop_assert_eq!(&from_json::<Json>(value.clone()).unwrap(), &value);
        prop_assert_eq!(&parse(&line(&value).unwrap()).unwrap(), &value);
        prop_assert_eq!(&parse(&pactdb::json::laid_out(&value)).unwrap(), &value);
    }
}

/// A patch is made by a library whose numbers are narrower than ours; it says them as they are all the same.
#[test]
fn a_patch_has_the_numbers_of_the_contents() {
    use crate::support::storage::Memory;
    let db = pactdb::Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let ask = |request: &str| pactdb::protocol::handle_line(&db, request);
    ask(
        r#"{"op":"add","to":"^sys","id":"n","content":{"a":12345678901234567890123,"b":1,"c":"\u0000n1","d":0.0}}"#,
    );
    ask(r#"{"op":"commit"}"#);
    ask(
        r##"{"op":"set","target":"#n","content":{"a":12345678901234567890124,"b":1e16,"c":"\u0000s2","d":-0.0}}"##,
    );
    ask(r#"{"op":"commit"}"#);
    let options = r#"{"includeContent":true,"contentMode":"jsonpatch"}"#;
    let reply = ask(&format!("{{\"op\":\"select\",\"q\":\"@c2..@c1 #n\",\"options\":{options}}}"));
    for value in ["12345678901234567890124", "1e+16", "\"\\u0000s2\"", "-0.0"] {
        let change = format!("\"value\":{value}}}");
        assert!(reply.contains(&change), "{change} in {reply}");
    }
}
