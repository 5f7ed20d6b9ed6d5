//! Canonical JSON is Python's, to the byte (R9.1), and so are content hashes (R2.7): against recorded vectors always,
//! against Python itself where there is one. What cannot be kept is refused.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::storage::Memory;
use pactdb::internals::snapshot::{content_hash, hex};
use pactdb::json::{JsonError, canonical_string, parse};
use pactdb::limits::MAX_JSON_NESTING;
use pactdb::protocol::handle_line;
use pactdb::{Json, Map, Options};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

const VECTORS: &str = include_str!("../../fixtures/json/vectors.jsonl");
const HASHES: &str = include_str!("../../fixtures/json/hashes.jsonl");

/// The text of a field of a recorded line.
fn field(line: &str, name: &str) -> String {
    let Json::Map(map) = parse(line).unwrap() else { unreachable!("a line is an object") };
    map[name].as_str().unwrap().to_owned()
}

fn hash_of(node: &Map) -> String {
    let text = |name: &str| node.get(name).and_then(Json::as_str);
    let attrs =
        node.iter().map(|(name, value)| (Arc::from(name.as_str()), value.clone())).collect();
    let content = node.get("content").filter(|content| !content.is_null());
    hex(&content_hash(content, text("kind"), text("role"), &attrs))
}

#[test]
fn recorded_vectors_have_the_bytes_that_python_printed() {
    for line in VECTORS.lines() {
        let text = field(line, "text");
        let value = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let canonical = canonical_string(&value);
        assert_eq!(canonical, field(line, "canonical"), "of {text}");
        let again = parse(&canonical).unwrap();
        assert_eq!(again, value, "{canonical} reads back");
        assert_eq!(canonical_string(&again), canonical, "it is a fixed point");
    }
}

#[test]
fn replies_keep_the_digits_and_the_keys_of_requests() {
    // A parser that gives one key of an object a meaning of its own once turned such contents into numbers.
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    for (i, line) in VECTORS.lines().enumerate() {
        let text = field(line, "canonical");
        if i % 7 != 0 && !text.contains("private") || text == "null" || text.len() > 5000 {
            continue;
        }
        // The last vector of brackets nests deeper than a content may.
        if parse(&text).unwrap().nesting() > 100 {
            continue;
        }
        let request = format!(r#"{{"op":"add","to":"^sys","id":"n{i}","content":{text}}}"#);
        let reply = handle_line(&db, &request);
        assert_eq!(reply, format!(r#"{{"ok":{{"id":"n{i}"}}}}"#), "{text}");
        let Some(Json::Map(node)) = db.working_state().node(&format!("n{i}")).unwrap() else {
            unreachable!("it was just added")
        };
        assert_eq!(canonical_string(&node["content"]), text);
    }
    let Json::Map(reply) = parse(&handle_line(&db, r#"{"op":"export"}"#)).unwrap() else {
        unreachable!("a reply is an object")
    };
    assert_eq!(canonical_string(&reply["ok"]), db.export(None).unwrap());
}

#[test]
fn recorded_content_hashes_are_python_s() {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let mut blocks = Vec::new();
    for (i, line) in HASHES.lines().enumerate() {
        let (node, hash) = (field(line, "node"), field(line, "hash"));
        let Json::Map(mut node) = parse(&node).unwrap() else {
            unreachable!("a node is an object")
        };
        assert_eq!(hash_of(&node), hash, "of {line}");
        node.insert("id".into(), Json::Str(format!("b{i}")));
        node.insert("nodeType".into(), Json::from("cb"));
        node.insert("content_hash".into(), Json::Str(hash));
        blocks.push(Json::Map(node));
    }
    // An import checks every hash that a document gives.
    let list = canonical_string(&Json::List(blocks.clone()));
    let sys = format!(r#"{{"id":"sys","nodeType":"^sys","children":{list}}}"#);
    let document = parse(&format!(r#"{{"root":{{"children":[{sys}]}}}}"#)).unwrap();
    db.import_snapshot(&document).unwrap();
    for (i, block) in blocks.iter().enumerate() {
        let (Json::Map(block), Some(Json::Map(node))) =
            (block, db.working_state().node(&format!("b{i}")).unwrap())
        else {
            unreachable!("it was just imported")
        };
        assert_eq!(node["content_hash"], block["content_hash"]);
    }
}

/// A JSON text in one of the many ways to write it.
fn any_text() -> impl Strategy<Value = String> {
    let digits = |range| prop::collection::vec(0u8..10, range);
    let integer = (any::<bool>(), 1u8..10, digits(0..40)).prop_map(|(minus, first, rest)| {
        let rest: String = rest.iter().map(u8::to_string).collect();
        format!("{}{first}{rest}", if minus { "-" } else { "" })
    });
    let double = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    let tie =
        (any::<i64>(), 1i32..8).prop_map(|(n, shift)| (n >> 10) as f64 / f64::from(1 << shift));
    let number = prop_oneof![
        integer,
        double.prop_map(|x| format!("{x:e}")),
        tie.prop_map(|x| format!("{x:?}")),
        any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}")),
        (any::<i32>(), digits(1..25), -330i32..300)
            .prop_map(|(whole, fraction, exponent)| {
                let fraction: String = fraction.iter().map(u8::to_string).collect();
                format!("{whole}.{fraction}E{exponent}")
            })
            .prop_filter("finite", |text| text.parse::<f64>().is_ok_and(f64::is_finite)),
    ];
    let leaf = prop_oneof![
        1 => prop::sample::select(vec!["null", "true", "false"]).prop_map(String::from),
        4 => number,
        4 => any_string(),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((any_string(), inner), 0..6).prop_map(|pairs| {
                let pairs: Vec<String> =
                    pairs.into_iter().map(|(key, value)| format!("{key} :{value}")).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    })
}

fn any_string() -> impl Strategy<Value = String> {
    let symbol = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => prop::char::range('\0', '\u{a0}'),
        1 => prop::char::range('\u{2000}', '\u{2040}'),
        1 => prop::char::range('\u{d700}', '\u{e100}'),
        1 => prop::char::range('\u{fff0}', '\u{1000f}'),
        1 => any::<char>(),
    ];
    prop::collection::vec((symbol, any::<bool>()), 0..8).prop_map(|symbols| {
        let mut out = String::from("\"");
        for (symbol, escaped) in symbols {
            if escaped || symbol < ' ' || symbol == '"' || symbol == '\\' {
                let mut units = [0; 2];
                for unit in symbol.encode_utf16(&mut units) {
                    out += &format!("\\u{unit:04X}");
                }
            } else {
                out.push(symbol);
            }
        }
        out + "\""
    })
}

/// What one Python process answers to these lines, in order; `None` where there is no Python.
fn python(script: &str, lines: &[String]) -> Option<Vec<String>> {
    let mut child = Command::new("python3")
        .args(["-c", script])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let text = lines.join("\n");
    let feeder = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let mut output = String::new();
    child.stdout.take()?.read_to_string(&mut output).unwrap();
    // A stub that only tells how to install Python is no Python.
    let (fed, status) = (feeder.join().unwrap(), child.wait().unwrap());
    if output.is_empty() && !status.success() {
        return None;
    }
    fed.unwrap();
    assert!(status.success(), "python3 failed: {status}");
    Some(output.lines().map(str::to_owned).collect())
}

#[test]
fn random_values_have_the_bytes_that_python_prints() {
    const SCRIPT: &str = "
import hashlib, json, sys
def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
for line in sys.stdin.buffer.read().decode('utf-8').split('\\n'):
    value = json.loads(line)
    fields = {'content': '' if value is None else value, 'kind': 'k', 'role': '', 'data_x': value}
    print(canonical(value), hashlib.sha256(canonical(fields).encode()).hexdigest())
";
    let mut runner = TestRunner::deterministic();
    let strategy = any_text();
    let texts: Vec<String> =
        (0..4000).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let Some(answers) = python(SCRIPT, &texts) else { return };
    assert_eq!(answers.len(), texts.len());
    for (text, answer) in texts.iter().zip(answers) {
        let value = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let node = Map::from([
            ("content".to_owned(), value.clone()),
            ("kind".to_owned(), Json::from("k")),
            ("data_x".to_owned(), value.clone()),
        ]);
        assert_eq!(format!("{} {}", canonical_string(&value), hash_of(&node)), answer, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Another parser of JSON agrees on what is JSON, whatever was cut, doubled or replaced in a good text.
    #[test]
    fn what_is_json_is_what_another_parser_takes(
        text in any_text(),
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec![
            "", "\"", "\\", "[", "]", "{", "}", ",", ":", "0", "-", "+", ".", "e", "\\u", "\\ud800", "\\udc00",
            "\n", "\u{1}", "\u{a0}", " ", "nul", "NaN", "x", "//",
        ]),
        cut in 0usize..2,
    ) {
        let mut symbols: Vec<String> = text.chars().map(String::from).collect();
        let at = at.index(symbols.len());
        symbols.splice(at..at + cut, [with.to_owned()]);
        let changed = symbols.concat();
        let other = serde_json::from_str::<serde_json::Value>(&changed);
        match parse(&changed) {
            Ok(value) => {
                let other = other.unwrap_or_else(|error| panic!("{changed}: {error}"));
                prop_assert!(same(&value, &other), "{}", changed);
            }
            Err(JsonError::NotFinite(_)) => {}
            Err(error) => prop_assert!(other.is_err(), "{}: {}", changed, error),
        }
    }
}

/// Whether another parser read the same. It reads numbers as doubles, and not always the nearest.
fn same(ours: &Json, other: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (ours, other) {
        (Json::Int(_) | Json::BigInt(_) | Json::Float(_), Value::Number(other)) => {
            let (ours, other): (f64, f64) =
                (canonical_string(ours).parse().unwrap(), other.as_f64().unwrap());
            (ours - other).abs() <= ours.abs() * 1e-15
        }
        (Json::List(ours), Value::Array(other)) => {
            ours.len() == other.len() && ours.iter().zip(other).all(|(a, b)| same(a, b))
        }
        (Json::Map(ours), Value::Object(other)) => {
            ours.len() == other.len()
                && ours.iter().all(|(key, a)| other.get(key).is_some_and(|b| same(a, b)))
        }
        (ours, other) => serde_json::to_value(ours).unwrap() == *other,
    }
}

#[test]
fn lone_surrogate_escapes_are_refused() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\udbff\ud800""#,
        r#""\udc00\ud800""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#"{"\udfff":1}"#,
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.to_string().contains("surrogate"), "{text}: {error}");
    }
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let reply = handle_line(&db, r#"{"op":"add","content":"half \ud83d"}"#);
    assert!(reply.contains("E_REQUEST_INVALID") && reply.contains("surrogate"), "{reply}");
}

#[test]
fn numbers_beyond_a_double_are_refused() {
    for text in
        ["1e309", "-1e309", "1.8e308", "1e999999999999", "[1, {\"a\": 17976931348623159e292}]"]
    {
        let error = parse(text).unwrap_err();
        assert!(matches!(error, JsonError::NotFinite(_)), "{text}: {error}");
    }
    assert_eq!(parse("1e-400"), Ok(Json::Float(0.0)), "too small is not too large");
    for text in ["NaN", "Infinity", "-Infinity", "[nan]"] {
        assert!(matches!(parse(text), Err(JsonError::Syntax(_))), "{text}");
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    for (text, message) in [
        ("", "expected a value (line 1, byte 1)"),
        ("{\"a\":1,\n \"b\" 2}", "expected ':' after the key (line 2, byte 6)"),
        ("[1 2]", "expected ',' or ']' (line 1, byte 4)"),
        ("{a:1}", "expected a key in double quotes (line 1, byte 2)"),
        ("[1,]", "expected a value (line 1, byte 4)"),
        ("01", "expected the end, because the value is complete (line 1, byte 2)"),
        ("1.", "expected a digit (line 1, byte 3)"),
        ("\"abc", "expected '\"' at the end of the string (line 1, byte 5)"),
        ("\"\\x\"", "expected one of \" \\ / b f n r t u after the backslash (line 1, byte 3)"),
        ("\"\\u12g4\"", "expected four hexadecimal digits after \\u (line 1, byte 3)"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

/// Keys in any order, some of them twice: an object is what a tree of its entries would be.
#[test]
fn an_object_is_its_entries_sorted_and_the_last_of_a_key_counts() {
    let keys = proptest::collection::vec("[a-dé]{0,2}", 0..40);
    let mut runner = TestRunner::default();
    let checked = runner.run(&keys, |keys| {
        let entries = || keys.iter().cloned().zip((0..).map(Json::Int));
        let expected: BTreeMap<String, Json> = entries().collect();
        let texts: Vec<String> =
            entries().map(|(k, v)| format!("\"{k}\":{}", canonical_string(&v))).collect();
        let parsed = parse(&format!("{{{}}}", texts.join(","))).unwrap();
        let (mut one_by_one, mut at_once) = (Map::new(), Map::new());
        for (key, value) in entries() {
            one_by_one.insert(key, value);
        }
        at_once.extend(entries());
        for map in [one_by_one, at_once, entries().collect()] {
            prop_assert_eq!(&Json::Map(map.clone()), &parsed);
            prop_assert!(map.iter().eq(&expected));
            prop_assert!(keys.iter().all(|key| map.get(key) == expected.get(key)));
        }
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn deep_nesting_is_an_error_and_not_the_end_of_the_stack() {
    let nested = |n: usize, open: &str, close: &str| open.repeat(n) + "0" + &close.repeat(n);
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":[", "]}]")] {
        assert_eq!(parse(&nested(100_000, open, close)), Err(JsonError::TooDeep));
        assert_eq!(parse(&open.repeat(100_000)), Err(JsonError::TooDeep));
        let levels = open.matches(['[', '{']).count();
        let deepest = nested(MAX_JSON_NESTING / levels, open, close);
        assert_eq!(canonical_string(&parse(&deepest).unwrap()), deepest);
    }
    assert_eq!(parse(&nested(MAX_JSON_NESTING + 1, "[", "]")), Err(JsonError::TooDeep));
    let closed = "[".repeat(200) + &"]".repeat(200);
    let twice = format!("[{closed},{closed},\"{}\"]", "[".repeat(1000));
    assert!(parse(&twice).is_ok(), "brackets that are closed, or in strings, do not count");

    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let brackets = nested(100_000, "[", "]");
    let reply = handle_line(&db, &format!(r#"{{"op":"add","content":{brackets}}}"#));
    assert!(reply.contains("E_LIMIT") && reply.contains("256 levels"), "{reply}");
}

/// Python reads a bare `-0` as the integer 0, and only `-0.0` has a sign.
#[test]
fn a_bare_minus_zero_is_the_integer_zero() {
    assert_eq!(parse("-0").unwrap(), Json::Int(0));
    assert_eq!(canonical_string(&parse(r#"{"f":-0.0,"n":-0}"#).unwrap()), r#"{"f":-0.0,"n":0}"#);

    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    // As a content, in an attribute, and as numbers of the request.
    let add = r#"{"op":"add","id":"x","to":"^sys","priority":-0,"offset":-0,"content":{"n":-0},"attrs":{"data_n":[-0,-0.0]}}"#;
    assert_eq!(handle_line(&db, add).trim_end(), r#"{"ok":{"id":"x"}}"#);
    handle_line(&db, r#"{"op":"commit","expected_cycle":-0}"#);
    let export = db.export(Some("@c1")).unwrap();
    for part in [r#""content":{"n":0}"#, r#""data_n":[0,-0.0]"#, r#""offset":0"#, r#""priority":0"#]
    {
        assert!(export.contains(part), "{part} in {export}");
    }
    let other = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let signed = export.replace(r#"{"n":0}"#, r#"{"n":-0}"#);
    assert_ne!(signed, export);
    let reply = handle_line(&other, &format!(r#"{{"op":"import","snapshot":{signed}}}"#));
    assert!(reply.contains("\"ok\""), "{reply}");
    assert_eq!(other.export(Some("@c1")).unwrap(), export, "the hash is that of the integer 0");
    let found = handle_line(&db, r#"{"op":"select","q":"@c1 [priority=-0]"}"#);
    assert!(found.contains("\"x\""), "{found}");
}
