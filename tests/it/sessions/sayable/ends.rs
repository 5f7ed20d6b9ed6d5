//! What stands for a result that is gone, at every moment after it.

use super::{call, commit, lines, result, said, say, store};
use crate::support::life::must;
use serde_json::{Value, json};

/// How results ended, as the thread after them tells it.
#[test]
fn a_result_that_is_gone_says_how_it_ended() {
    let asked = || vec![said("user", "Look."), call("c", "k")];
    let seen = |more: Value| result("r", "k", more);
    let turns = |count: usize| vec![commit(); count];
    let group = json!({"op": "add", "id": "g", "type": "mc", "offset": 1, "ttl": 3});
    let inside = json!({"op": "add", "id": "r", "to": "#g", "kind": "result", "role": "tool",
        "content": "seen", "attrs": {"data_call_id": "k"}});
    let none = json!({"op": "policy", "set": [{"max_blocks": 2}]});
    let cases: Vec<(&str, Vec<Vec<Value>>)> = vec![
        ("[no result]", vec![turns(2)]),
        ("[no result]", vec![vec![seen(json!({})), json!({"op": "undo"})]]),
        ("[no result]", vec![vec![seen(json!({})), json!({"op": "undo"})], turns(2)]),
        ("[removed]", vec![vec![seen(json!({})), json!({"op": "remove", "target": "#r"})]]),
        (
            "[removed]",
            vec![vec![seen(json!({})), json!({"op": "remove", "target": "#r"})], turns(2)],
        ),
        ("[expired after 0 cycles]", vec![vec![seen(json!({"ttl": 0}))], turns(3)]),
        ("[expired after 1 cycle]", vec![vec![seen(json!({"ttl": 1}))], turns(2)]),
        ("[expired after 5 cycles]", vec![vec![seen(json!({"ttl": 5}))], turns(9)]),
        // With the group that it lies in.
        ("[expired after 3 cycles]", vec![vec![group, inside], turns(5)]),
        // It came in the turn after the call's.
        ("[expired after 2 cycles]", vec![turns(1), vec![seen(json!({"ttl": 2}))], turns(3)]),
        // Something that still refers to it kept it longer.
        (
            "[expired after 4 cycles]",
            vec![
                vec![seen(json!({"ttl": 1}))],
                vec![json!({"op": "add", "id": "s", "content": "so", "refs": ["r"], "ttl": 4})],
                turns(6),
            ],
        ),
        // A policy took it, early or late.
        ("[pruned]", vec![vec![seen(json!({"priority": -1})), none.clone()], turns(1)]),
        ("[pruned]", vec![vec![seen(json!({"priority": -1}))], turns(2), vec![none], turns(1)]),
        // An edit took it, from beside the core of a sealed turn.
        (
            "[removed]",
            vec![
                vec![seen(json!({"offset": 1}))],
                turns(1),
                vec![json!({"op": "remove", "target": "#r"})],
            ],
        ),
        (
            "[removed]",
            vec![
                vec![seen(json!({"offset": 1}))],
                turns(1),
                vec![json!({"op": "remove", "target": "#r"})],
                turns(2),
            ],
        ),
        // A state without it was restored.
        (
            "[removed]",
            vec![
                turns(1),
                vec![json!({"op": "add", "id": "r", "to": "#mt:1", "offset": 1, "kind": "result",
                    "content": "seen", "attrs": {"data_call_id": "k"}})],
                turns(1),
                vec![json!({"op": "restore", "at": "@c1"})],
            ],
        ),
    ];
    for (expected, more) in cases {
        let mut requests = asked();
        requests.extend(more.concat());
        let db = store(&requests);
        for format in ["openai", "anthropic"] {
            let (thread, warnings) = say(&db, format, None);
            let line = &lines(&thread)[2];
            let text = line.split_once(": ").unwrap().1;
            assert_eq!(text.trim_start_matches("result "), expected, "{requests:?}");
            let warning = format!(
                "c: is a call without a result right after it: its result is {expected} here"
            );
            assert!(warnings.contains(&warning), "{warnings:?}");
        }
    }
}

#[test]
fn results_of_calls_with_one_id_are_told_apart() {
    // The first call was never answered; the second one's result has expired.
    let db = store(&[
        said("user", "Look."),
        call("a", "k"),
        commit(),
        call("b", "k"),
        result("r", "k", json!({"ttl": 1})),
        commit(),
        commit(),
    ]);
    let (thread, _) = say(&db, "openai", None);
    assert_eq!(
        lines(&thread),
        [
            "user: Look.",
            "assistant: call k",
            "tool: [no result]",
            "assistant: call k_2",
            "tool: [expired after 1 cycle]"
        ]
    );
}

/// What the assistant said after a result is not said before it once the result is gone.
#[test]
fn the_order_of_calls_and_words_outlives_the_results() {
    let db = store(&[
        said("user", "Look."),
        call("a", "k1"),
        result("r1", "k1", json!({"ttl": 1})),
        call("b", "k2"),
        call("c", "k3"),
        result("r2", "k2", json!({"ttl": 1})),
        result("r3", "k3", json!({"ttl": 1})),
        said("assistant", "Done."),
        commit(),
        commit(),
        call("d", "k4"),
    ]);
    let before = lines(&say(&db, "openai", Some("@c1")).0);
    let after = lines(&say(&db, "openai", None).0);
    let short = |lines: &[String]| lines.join("; ").replace("[expired after 1 cycle]", "seen");
    assert_eq!(
        short(&before),
        "user: Look.; assistant: call k1; tool: seen; assistant: call k2 | call k3; tool: seen; \
         tool: seen; assistant: Done."
    );
    assert_eq!(short(&after), short(&before) + "; assistant: call k4; tool: [no result]");
    assert_eq!(
        lines(&say(&db, "anthropic", None).0),
        [
            "user: Look.",
            "assistant: call k1",
            "user: result [expired after 1 cycle]",
            "assistant: call k2 | call k3",
            "user: result [expired after 1 cycle] | result [expired after 1 cycle]",
            "assistant: Done. | call k4",
            "user: result [no result]",
        ]
    );
}

#[test]
fn the_thread_of_a_moment_tells_what_was_known_then() {
    let db = store(&[said("user", "Look."), call("c", "k")]);
    let asked = db.events();
    must(&db, &result("r", "k", json!({"ttl": 0})));
    let answered = db.events();
    must(&db, &json!({"op": "remove", "target": "#r"}));
    let removed = db.events();
    must(&db, &json!({"op": "undo"}));
    let undone = db.events();
    must(&db, &commit());
    must(&db, &commit());
    let cases = [
        (format!("@e{asked}"), "[no result]"),
        (format!("@e{answered}"), "seen"),
        (format!("@e{removed}"), "[removed]"),
        (format!("@e{undone}"), "seen"),
        ("@c1".to_owned(), "[expired after 0 cycles]"),
        ("@t0".to_owned(), "[expired after 0 cycles]"),
    ];
    for (at, expected) in cases {
        for format in ["openai", "anthropic"] {
            let line = lines(&say(&db, format, Some(&at)).0)[2].clone();
            assert!(line.ends_with(expected), "{at}: {line}, not {expected}");
        }
    }
}
