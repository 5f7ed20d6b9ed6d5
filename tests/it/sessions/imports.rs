//! Foreign histories: each fixture is recognised and gives the tree that is written beside it.

use super::dumps::{loaded, text};
use crate::support::life::{CLOCK, must};
use crate::support::storage::Memory;
use pactdb::internals::model::{Class, iso_from_ns};
use pactdb::json::{canonical_string, parse};
use pactdb::session::{
    Format, ImportProgress, ImportReport, ImportRequest, ThreadFormat, ThreadRequest, import,
    thread,
};
use pactdb::{Code, Db, Json, Options, Result};
use serde_json::json;
use std::path::PathBuf;

fn store() -> Db {
    Options::new().clock(CLOCK).create_on(Memory::default()).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/import").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).unwrap()
}

pub(super) fn take(db: &Db, document: &str, request: &ImportRequest) -> Result<ImportReport> {
    import(db, document.as_bytes(), request, &mut |_| {})
}

/// The newest snapshot: a line for each region and turn, and below it one for each block.
fn drawn(db: &Db) -> String {
    let state = db.working_state();
    let mut out = String::new();
    for place in state.tree().places() {
        let part = state.tree().subtree(place).unwrap();
        if part.len() == 1 {
            continue;
        }
        for entry in part.entries() {
            let node = &entry.node;
            if node.class == Class::Container {
                continue;
            }
            if node.class != Class::Block {
                out += &format!("{} {}\n", node.node_type, node.id);
                continue;
            }
            let word =
                |name: &Option<std::sync::Arc<str>>| name.as_deref().unwrap_or("-").to_owned();
            let content = state.content(node).unwrap();
            let content = content.map_or("-".into(), |content| canonical_string(&content));
            let attrs = node.attrs.iter().map(|(name, value)| (name.to_string(), value.clone()));
            let time = match node.created_at_ns > 1_700_000_000_000_000_000 {
                true => format!(" at {}", iso_from_ns(node.created_at_ns)),
                false => String::new(),
            };
            let tags = node.tags.iter().map(|tag| format!(" +{tag}")).collect::<String>();
            out += &format!(
                "  {} {}/{} {content} {}{tags}{time}\n",
                node.id,
                word(&node.role),
                word(&node.kind),
                canonical_string(&Json::Map(attrs.collect())),
            );
        }
    }
    out
}

/// What the report says, in a line.
fn said(report: &ImportReport) -> String {
    let left: Vec<String> =
        report.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    format!(
        "{} session={} records={} blocks={} calls={} results={} commits={} left out: {}\n",
        report.format,
        report.session.as_deref().unwrap_or("-"),
        report.records,
        report.blocks,
        report.calls,
        report.results,
        report.reply.commits,
        left.join(", ")
    )
}

fn check(name: &str, format: Format) -> Db {
    let db = store();
    let report = take(&db, &read(name), &ImportRequest::default()).unwrap();
    assert_eq!(report.format, format.name(), "{name}");
    let found = said(&report) + &drawn(&db);
    let path = fixture(&format!("{name}.tree"));
    if std::env::var_os("PACTDB_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
    db.verify(|_| {}).unwrap();
    db
}

/// What is said in another way is an error.
fn strict(format: ThreadFormat) -> ThreadRequest {
    ThreadRequest { strict: true, ..ThreadRequest::from(format) }
}

#[test]
fn flat_logs() {
    check("flat/array.json", Format::Flat);
    check("flat/lines.jsonl", Format::Flat);
}

#[test]
fn times_of_a_flat_log() {
    let take_one = |name: &str, value: &str| {
        let db = store();
        let record = format!("{{\"role\":\"user\",\"content\":\"x\",\"{name}\":{value}}}");
        let taken = take(&db, &record, &ImportRequest::default());
        taken.map(|_| {
            let nodes = db.nodes("@t0 .cb").unwrap();
            nodes.nodes[0]["created_at_ns"].as_i64().unwrap()
        })
    };
    // A field that says its unit has that unit, however small the number.
    assert_eq!(take_one("created_at_ns", "5"), Ok(5));
    assert_eq!(take_one("created_at_ns", "1772442000000000001"), Ok(1_772_442_000_000_000_001));
    assert_eq!(take_one("timestamp", "5"), Ok(5_000_000_000));
    assert_eq!(take_one("timestamp", "1.5"), Ok(1_500_000_000));
    // Times before 1970 go up to the first time that a store can have, and not round to 2139.
    assert!(take_one("timestamp", "-1.5").unwrap() < 1_000);
    for (name, value) in [
        ("timestamp", "-9999999999.5"),
        ("timestamp", "99999999999.0"),
        ("created_at_ns", "1.5"),
        ("created_at_ns", "99999999999999999999"),
    ] {
        let error = take_one(name, value).unwrap_err();
        assert_eq!(error.code, Code::ImportInvalid, "{value}");
        assert!(error.message.contains(&format!("'{name}' is no time of ours")), "{error}");
    }
}

#[test]
fn the_chat_api_in_and_out_again() {
    let db = check("openai-chat/tools.json", Format::OpenaiChat);
    let Json::Map(document) = parse(&read("openai-chat/tools.json")).unwrap() else { panic!() };
    let out = thread(&db.working_state(), strict(ThreadFormat::Openai)).unwrap().text;
    assert_eq!(out, canonical_string(&document["messages"]));
}

#[test]
fn the_responses_api() {
    let db = check("openai-responses/items.jsonl", Format::OpenaiResponses);
    let error = thread(&db.working_state(), strict(ThreadFormat::Anthropic)).unwrap_err();
    assert!(error.message.contains("cb:8"), "{error}");
    check("openai-responses/response.json", Format::OpenaiResponses);
}

#[test]
fn the_anthropic_api_in_and_out_again() {
    let db = check("anthropic/tools.json", Format::Anthropic);
    let Json::Map(mut document) = parse(&read("anthropic/tools.json")).unwrap() else { panic!() };
    document.remove("model");
    let out = thread(&db.working_state(), strict(ThreadFormat::Anthropic)).unwrap().text;
    assert_eq!(parse(&out).unwrap(), Json::Map(document));
    // The instructions come first.
    assert!(out.starts_with("{\"system\":\"You keep the archive.\",\"messages\":["), "{out}");
}

#[test]
fn session_files_of_coding_agents() {
    let db = check("claude-code/session.jsonl", Format::ClaudeCode);
    let out = thread(&db.working_state(), strict(ThreadFormat::Anthropic)).unwrap().text;
    assert!(parse(&out).is_ok(), "{out}");
    let db = check("codex/session.jsonl", Format::Codex);
    let out = thread(&db.working_state(), strict(ThreadFormat::Openai)).unwrap().text;
    assert!(out.contains("\"tool_call_id\":\"call_1\""), "{out}");
}

/// What the fixtures do not have: asides, summaries, tools of other sorts.
#[test]
fn asides_summaries_and_other_tools() {
    let check = |document: &[&str], format: Format, expected: &[&str]| {
        let db = store();
        let report = take(&db, &document.join("\n"), &ImportRequest::default()).unwrap();
        assert_eq!(report.format, format.name());
        let drawn = drawn(&db);
        let words = drawn.lines().map(|line| match line.trim().split_once(" at 2026") {
            Some((words, _)) => words,
            None => line.trim(),
        });
        assert_eq!(words.collect::<Vec<_>>(), expected, "{drawn}");
    };
    check(
        &[
            r#"{"type":"user","uuid":"a","sessionId":"s","isMeta":true,"message":{"role":"user","content":"caveat"}}"#,
            r#"{"type":"user","uuid":"b","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"so far"}}"#,
            r#"{"type":"assistant","uuid":"c","sessionId":"s","message":{"content":[{"type":"text","text":"ok"}]}}"#,
            r#"{"type":"user","uuid":"d","sessionId":"s","isSidechain":true,"message":{"role":"user","content":"sub"}}"#,
            r#"{"type":"user","uuid":"e","sessionId":"s","message":{"role":"user","content":"next"}}"#,
        ],
        Format::ClaudeCode,
        &[
            "mt mt:1",
            r#"cb:1 user/- "caveat" {"data_uuid":"a"} +meta"#,
            r#"cb:2 user/summary "so far" {"data_uuid":"b"}"#,
            r#"cb:3 assistant/- "ok" {"data_message":"c","data_uuid":"c"}"#,
            r#"cb:4 user/- "sub" {"data_uuid":"d"} +sidechain"#,
            "mt mt:2",
            r#"cb:5 user/- "next" {"data_uuid":"e"}"#,
        ],
    );
    check(
        &[
            r#"{"type":"compacted","payload":{"message":"so far"}}"#,
            r#"{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"k","name":"patch","input":"*** x"}}"#,
            r#"{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"k","output":"done"}}"#,
            r#"{"type":"response_item","payload":{"type":"local_shell_call","call_id":"l","action":{"command":["ls"]}}}"#,
            r#"{"type":"response_item","payload":{"type":"local_shell_call_output","call_id":"l","output":[{"type":"output_text","text":"x"}]}}"#,
        ],
        Format::Codex,
        &[
            "mt mt:1",
            r#"cb:1 user/summary "so far" {}"#,
            r#"cb:2 assistant/call "*** x" {"data_call_id":"k","data_tool_name":"patch","data_tool_type":"custom"}"#,
            r#"cb:3 tool/result "done" {"data_call_id":"k"}"#,
            r#"cb:4 assistant/call {"command":["ls"]} {"data_call_id":"l","data_tool_name":"local_shell","data_tool_type":"local_shell_call"}"#,
            r#"cb:5 tool/result "x" {"data_call_id":"l"}"#,
        ],
    );
    check(
        &[
            r#"{"role":"user","content":"hi"}"#,
            r#"{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{}"}}"#,
            r#"{"role":"function","name":"f","content":"1"}"#,
            r#"{"role":"assistant","content":null,"refusal":"no"}"#,
        ],
        Format::OpenaiChat,
        &[
            "mt mt:1",
            r#"cb:1 user/- "hi" {}"#,
            r#"cb:2 assistant/call "{}" {"data_message":2,"data_tool_name":"f"}"#,
            r#"cb:3 function/result "1" {"data_tool_name":"f"}"#,
            r#"cb:4 assistant/- - {"data_extra":{"refusal":"no"}}"#,
        ],
    );
}

#[test]
fn a_series_of_snapshots() {
    let db = check("pact/series.jsonl", Format::Pact);
    assert_eq!(db.history().iter().collect::<Vec<_>>(), [2, 5]);
    // Export and import again is the same, as a series too.
    let exports: Vec<String> = [2, 5].map(|c| db.snapshot(c).unwrap().export().unwrap()).to_vec();
    let copy = store();
    take(&copy, &exports.join("\n"), &ImportRequest::default()).unwrap();
    for (cycle, export) in [2, 5].into_iter().zip(&exports) {
        assert_eq!(&copy.snapshot(cycle).unwrap().export().unwrap(), export);
    }
    // The same series again is of cycles that are there already.
    let error = take(&copy, &exports.join("\n"), &ImportRequest::default()).unwrap_err();
    assert_eq!(error.code, Code::ImportConflict);
}

#[test]
fn the_same_session_is_taken_once() {
    let files = [
        "flat/array.json",
        "openai-chat/tools.json",
        "openai-responses/items.jsonl",
        "anthropic/tools.json",
        "claude-code/session.jsonl",
        "codex/session.jsonl",
    ];
    let db = store();
    for name in files {
        let first = ImportRequest { name: Some(name.into()), ..ImportRequest::default() };
        take(&db, &read(name), &first).unwrap();
        let before = text(&db);
        let error = take(&db, &read(name), &ImportRequest::default()).unwrap_err();
        assert_eq!(error.code, Code::ImportConflict, "{error}");
        assert!(error.message.contains(name), "{error}");
        assert_eq!(text(&db), before);
    }
    // A session that went on meanwhile is still the same session.
    let longer = read("claude-code/session.jsonl")
        + r#"{"type":"user","uuid":"u-8","sessionId":"s-1","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"More."}}"#;
    let error = take(&db, &longer, &ImportRequest::default()).unwrap_err();
    assert!(error.message.contains("the session s-1"), "{error}");
    // The log remembers, whatever happens to it.
    let copy = loaded(&text(&db)).unwrap();
    copy.rebuild(|_| {}).unwrap();
    let error = take(&copy, &read("flat/array.json"), &ImportRequest::default()).unwrap_err();
    assert_eq!(error.code, Code::ImportConflict);
    let again = ImportRequest { again: true, ..ImportRequest::default() };
    let cycles = copy.last_cycle();
    assert_eq!(take(&copy, &longer, &again).unwrap().reply.cycle, cycles + 2);
    copy.verify(|_| {}).unwrap();
}

#[test]
fn a_bad_record_is_named_by_line_and_nothing_is_taken() {
    let good = r#"{"role":"user","content":"a"}"#;
    let cases = [
        (format!("{good}\n{{\"role\":\n{good}\n"), "line 2: it is not JSON"),
        (format!("{good}\n[1]\n"), "line 2: a message must be an object"),
        (format!("{good}\n\n{{\"role\":5}}\n"), "line 3: its role is a string"),
        (format!("[{good},\n{good},\n {{\"content\":\"x\"}}]"), "line 3: it needs a \"role\""),
        (format!("[{good},\n {{\"role\":}},\n{good}]"), "line 2: it is not JSON"),
        (format!("[{good},,{good}]"), "line 1: it is not JSON"),
        (format!("{good}\n{{\"role\":\"user\",\"timestamp\":\"soon\"}}\n"), "line 2: 'timestamp' is no time"),
        (
            format!("{good}\n{{\"role\":\"assistant\",\"tool_calls\":[{{\"type\":\"function\"}}]}}"),
            "line 2: tool_calls[0]: 'id' is missing",
        ),
        (
            r#"{"system":"s","messages":[{"role":"user","content":[{"type":"text"}]}]}"#.into(),
            "line 1: messages[0]: content[0]: 'text' is missing",
        ),
        (
            "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"x\"}}\n{\"type\":\"user\",\"uuid\":\"v\"}".into(),
            "line 2: 'message' is missing",
        ),
        ("{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\"}}".into(), "line 1: 'call_id' is missing"),
        (format!("{}\n{{\"root\":{{\"id\":\"r\",\"children\":[{{}}]}}}}\n", read("pact/series.jsonl").lines().next().unwrap()), "line 2: "),
    ];
    for (document, message) in cases {
        let db = store();
        let before = text(&db);
        let error = take(&db, &document, &ImportRequest::default()).unwrap_err();
        assert_eq!(error.code, Code::ImportInvalid, "{error}");
        assert!(error.message.starts_with(message), "{error}, not {message}");
        assert_eq!(text(&db), before);
        let skip = ImportRequest { skip_bad: true, ..ImportRequest::default() };
        let report = take(&db, &document, &skip).unwrap();
        let line: u64 = message[5..6].parse().unwrap();
        assert_eq!(report.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [line], "{document}");
    }
}

#[test]
fn documents_that_are_none_of_these() {
    let cases = [
        ("", "the document is empty"),
        (" \n ", "the document is empty"),
        ("{\"a\":1}", "the format is not one of"),
        ("[{\"role\":\"user\",\"content\":\"a\"}", "the list is never closed"),
        ("[]x", "line 1: something follows"),
        ("[}]", "line 1: this bracket closes nothing"),
        ("{\"events\":1,\"hash\":\"\",\"pactdb_dump\":1}", "this is a dump"),
    ];
    for (document, message) in cases {
        let error = take(&store(), document, &ImportRequest::default()).unwrap_err();
        assert_eq!(error.code, Code::ImportInvalid, "{error}");
        assert!(error.message.starts_with(message), "{error}");
    }
    let db = store();
    must(&db, &json!({"op": "add", "content": "not committed"}));
    let error = take(&db, "[{\"role\":\"user\"}]", &ImportRequest::default()).unwrap_err();
    assert_eq!(error.code, Code::ImportConflict);
}

#[test]
fn progress_is_reported_while_reading_and_writing() {
    let line = |i: u64| format!("{{\"role\":\"user\",\"content\":\"turn {i}\"}}\n");
    let document: String = (0..600).map(line).collect();
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let report =
        import(&store(), document.as_bytes(), &ImportRequest::default(), &mut |p| match p {
            ImportProgress::Reading { records, .. } => read.push(records),
            ImportProgress::Writing { done, total } => written.push((done, total)),
        });
    assert_eq!(report.unwrap().reply.commits, 600);
    assert_eq!(read, [256, 512, 600]);
    assert_eq!((written.len(), written.last()), (600, Some(&(600, 600))));
}
