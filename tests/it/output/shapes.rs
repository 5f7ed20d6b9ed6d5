//! Cutting, filling up and pointing: over all of Unicode, at all widths, for everything that
//! prints.

use super::render::{self, Look, NodeView, cut, visible, width_of};
use super::{is_raw, raw, states, without_colours};
use crate::support::storage::Memory;
use pactdb::protocol::{LocalClient, handle_line};
use pactdb::session::{Replay, ReplayRequest, life};
use pactdb::{AttemptAction, AttemptRequest, Code, Db, Diff, Error, Log, Options, Selected};
use proptest::prelude::*;
use serde_json::json;
use unicode_segmentation::UnicodeSegmentation;

fn look(width: usize, colour: bool) -> Look {
    Look { width, height: None, colour }
}

/// Pieces that are wider or narrower together than apart, and those that are hard to show.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "⚠\u{fe0f}",
        "❤\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "👨\u{200d}👩\u{200d}👧",
        "🇩🇪",
        "لا",
        "ل",
        "ا",
        "e\u{301}",
        "\u{301}",
        "\u{200d}",
        "\u{200c}",
        "\u{fe0e}",
        "\u{fe0f}",
        "日本",
        "각",
        "ᄀ",
        "ᅡ",
        "\u{3164}",
        "\t",
        "\u{1b}[31m",
        "\0",
        "\r\n",
        "\u{85}",
        "\u{9b}",
        "\u{202e}",
        "\u{2069}",
        "\u{2028}",
        "\u{ad}",
        "\u{e0041}",
        "word ",
        "a",
        " ",
        "'",
        "\\",
        "\"",
    ];
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_text_keeps_its_width_and_its_characters(text in text(), columns in 0usize..60) {
        let shown = visible(&text);
        prop_assert!(!shown.contains(is_raw), "{shown:?}");
        prop_assert_eq!(visible(&shown), shown.clone(), "made visible twice");
        let kept = cut(&shown, columns);
        prop_assert!(width_of(&kept) <= columns, "{kept:?} is {} wide", width_of(&kept));
        if kept != shown && columns > 0 {
            let kept = kept.strip_suffix('…').unwrap();
            let ends = shown.grapheme_indices(true).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert!(shown.starts_with(kept) && ends.contains(&kept.len()), "{kept:?}");
        }
    }

    #[test]
    fn a_caret_stands_below_its_fault(
        before in text(), fault in text(), after in text(), width in 1usize..200
    ) {
        let text = format!("{before}{fault}{after}");
        let mut error = Error::new(Code::SelectorInvalid, text.clone());
        error.details.span = Some((before.len(), before.len() + fault.len()));
        error.details.text = Some(text);
        error.details.hint = Some(fault.clone());
        let plain = render::error(look(width, false), &error);
        prop_assert_eq!(raw(&plain), None);
        let coloured = look(width, true).clean(&render::error(look(width, true), &error)).into_owned();
        prop_assert_eq!(&without_colours(&coloured), &plain);
        let lines: Vec<&str> = plain.lines().collect();
        let (line, carets) = (lines[1], lines[2]);
        prop_assert!(width < 8 || width_of(line).max(carets.len()) <= width, "{line:?}\n{carets:?}");
        // Where the whole line is shown, the columns above the first caret are what is before it.
        let first = before.rsplit('\n').next().unwrap();
        if !line.contains('…') && !text_has(&before, '…') {
            let lead = format!("  {}", visible(first));
            prop_assert!(line.starts_with(&lead));
            prop_assert_eq!(carets.find('^').unwrap(), width_of(&lead));
        }
    }
}

fn text_has(text: &str, symbol: char) -> bool {
    text.contains(symbol)
}

/// A store with these texts in every place that takes one.
fn store(texts: &[String; 8]) -> Db {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let [id, role, kind, key, tag, attr, content, other] = texts;
    let named = |text: &String, name: &str| format!("{name}{text}");
    let seen = json!({"id": named(tag, "d"), "nodeType": named(kind, "x:"), "content": content,
        named(attr, "u"): other});
    let root = json!({"id": "root", "nodeType": "^root", "children": [
        {"id": "sys", "nodeType": "^sys", "children": [seen]}]});
    let requests = [
        json!({"op": "import", "snapshot": {"cycle": 1, "root": root}}),
        json!({"op": "add", "id": named(id, "n"), "role": named(role, "r"), "kind": kind, "ttl": 3,
            "key": named(key, "k"), "tags": [named(tag, "t"), other], "content": content,
            "attrs": {named(attr, "data_"): other}, "provenance": other}),
        json!({"op": "add", "type": "x:y", "offset": -1, "content": {other: [content]}}),
        json!({"op": "commit"}),
        json!({"op": "add", "id": named(other, "m"), "to": "^sys", "content": content}),
        json!({"op": "attempt", "action": "start", "attempt_id": id, "provider": role,
            "model": kind, "params_hash": key}),
        json!({"op": "attempt", "action": "finish", "attempt_id": id, "status": "error",
            "error": content}),
        json!({"op": "commit"}),
        json!({"op": "set", "target": "^sys .cb", "content": other, "key": tag}),
        json!({"op": "commit"}),
    ];
    for request in requests {
        // Not every text is allowed everywhere; what was refused is not shown.
        let reply = handle_line(&db, &request.to_string());
        assert_eq!(raw(&reply), None);
    }
    db
}

/// Everything that is shown of a store: in columns, and as running text.
fn shown(look: Look, db: &Db) -> (Vec<String>, Vec<String>) {
    let ask = |q: &str| db.nodes(q).unwrap().nodes;
    let nodes = ask("*");
    let views: Vec<NodeView> = nodes.iter().map(NodeView::of).collect();
    let client = &LocalClient::new(db.clone());
    let at = |address: Option<&str>| states::at(client, address, None).unwrap();
    let steps = Replay::new(db, &ReplayRequest::default()).unwrap();
    let steps: Vec<_> = steps.collect::<pactdb::Result<_>>().unwrap();
    let lists = db.attempt(AttemptRequest::new(AttemptAction::List)).unwrap();
    let mut columns = vec![
        render::tree(look, &states::tree(client, &at(None), states::Turns::All).unwrap()),
        render::nodes(look, &views, Some(4)),
        render::log(look, &db.log(&Log::new()).unwrap()),
        render::steps(look, &steps),
        render::cycles(look, &steps),
    ];
    columns.extend(
        views.iter().filter_map(|view| Some(render::life(look, &life(db, &view.id).ok()?))),
    );
    let request = Diff { a: Some("@c1".into()), ..Diff::default() };
    let diff = db.rich_diff(&request).unwrap();
    let sides = states::sides(client, &at(Some("@c1")), &at(None), &diff).unwrap();
    let mut running = vec![
        render::attempts(look, &lists),
        render::diff(look, &sides, &diff),
        render::stats(look, &db.stats().unwrap()),
        render::ids(views.iter().map(|view| view.id.as_str())),
    ];
    if let Ok(Selected::Range(range)) = db.select("@c1..@c4 *") {
        let sides = states::sides_of_range(client, &range, db.last_cycle()).unwrap();
        running.push(render::range(look, &sides, &range));
    }
    for view in &views {
        let id = view.id.replace('\\', "\\\\").replace('\'', "\\'");
        running
            .extend(db.explain(&format!("#'{id}'"), None).map(|e| render::explanation(look, &e)));
        running.extend(db.select(format!("#{}[", view.id)).err().map(|e| render::error(look, &e)));
    }
    (columns, running)
}

fn check(db: &Db, width: usize) {
    let (columns, running) = shown(look(width, false), db);
    let (coloured, more) = shown(look(width, true), db);
    for text in &columns {
        // Below this there is no room for the columns that do not give way.
        let widest = text.lines().map(width_of).max().unwrap_or(0);
        assert!(width < 60 || widest <= width, "{widest} columns of {width}:\n{text}");
    }
    let plain = columns.iter().chain(&running);
    for (plain, coloured) in plain.zip(coloured.iter().chain(&more)) {
        assert_eq!(raw(plain), None, "{plain}");
        assert_eq!(&without_colours(coloured), plain, "colours change nothing else");
        assert_eq!(look(width, true).clean(coloured), *coloured, "nothing is left to clean");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_that_prints_takes_every_text(
        texts in proptest::array::uniform8(text()), width in 1usize..160
    ) {
        let db = store(&texts);
        check(&db, width);
        check(&db, 100);
    }
}

#[test]
fn ordinary_signs_are_cut_at_every_width() {
    // Each of these made the width of what was kept larger than the room that it was cut for.
    let signs = ["⚠️", "❤️", "✔️", "1️⃣", "لا", "\t", "\u{1b}", "\0"];
    let texts = signs.map(|sign| format!("{sign} {}", "word ".repeat(40)));
    let db = store(&texts);
    assert!(db.nodes(".cb").unwrap().nodes.len() >= 3);
    for width in (0..130).step_by(7).chain([400]) {
        check(&db, width);
    }
}

#[test]
fn a_narrow_list_of_attempts_keeps_its_times() {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    for request in [
        json!({"op": "attempt", "action": "start", "attempt_id": "attempt-01", "model": "m",
            "started_at": 1_700_000_000_000_000_000i64}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "attempt-01", "status": "error",
            "error": "the provider closed the connection"}),
    ] {
        let reply = handle_line(&db, &request.to_string());
        assert!(reply.contains("\"ok\""), "{reply}");
    }
    let list = db.attempt(AttemptRequest::new(AttemptAction::List)).unwrap();
    let wide = render::attempts(look(120, false), &list);
    assert!(wide.contains("  error  "), "{wide}");
    let narrow = render::attempts(look(40, false), &list);
    for whole in ["attempt-01", "11-14 22:13", "the provider"] {
        assert!(narrow.contains(whole), "{whole} is broken:\n{narrow}");
    }
}

/// A table of turns ends in their ages, which once stood at the far edge of the screen.
#[test]
fn numbers_at_the_end_of_a_table_stand_beside_the_rest() {
    let db = Options::new().create_on(Memory::default()).unwrap();
    for _ in 0..12 {
        handle_line(&db, &json!({"op": "add", "role": "user", "content": "hello"}).to_string());
        handle_line(&db, &json!({"op": "commit"}).to_string());
    }
    let nodes = db.nodes("@t0 .mt").unwrap().nodes;
    let views: Vec<NodeView> = nodes.iter().map(NodeView::of).collect();
    let table = render::nodes(look(120, false), &views, Some(12));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 13, "{table}");
    assert_eq!(lines[1], "mt:1   d12   11", "{table}");
    assert_eq!(lines[12], "mt:12  d1     0", "{table}");
}
