//! Statements: how they read, which operation each one is, and what is said about a mistake.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::ast::Statement;
use pactdb::language::{format, parse_selector, parse_statement};
use pactdb::protocol::{Request, statement_request};

/// The operation that a line asks for, or its code, what is underlined, and the hint.
fn ask(text: &str) -> Result<Request, (String, String, String)> {
    let shown = |span: (usize, usize), hint: Option<String>, code: String| {
        (code, text[span.0..span.1].to_owned(), hint.unwrap_or_default())
    };
    let statement = parse_statement(text, Dialect::V0_1).map_err(|error| {
        shown((error.span.start, error.span.end), error.hint, error.code.to_string())
    })?;
    statement_request(&statement, text, Dialect::V0_1).map_err(|error| {
        shown(error.details.span.unwrap(), error.details.hint.clone(), error.code.to_string())
    })
}

fn request(json: &str) -> Request {
    Request::from_json(pactdb::json::parse(json).unwrap()).unwrap()
}

#[test]
fn a_statement_is_the_operation_of_the_protocol() {
    for (text, json) in [
        (
            "add ^ah .cb {role='user', ttl=2} 'Hello'",
            r#"{"op":"add","to":"^ah","type":"cb","role":"user","ttl":2,"content":"Hello"}"#,
        ),
        ("add 'Hello'", r#"{"op":"add","content":"Hello"}"#),
        ("  add  {role=user}  \"it's\"  ", r#"{"op":"add","role":"user","content":"it's"}"#),
        ("add .cb:summary 'x'", r#"{"op":"add","type":"cb:summary","content":"x"}"#),
        ("add ^ah .log.entry 'x'", r#"{"op":"add","to":"^ah","type":"log.entry","content":"x"}"#),
        ("add (d0, .mc) .cb 'x'", r#"{"op":"add","to":"(d0, .mc)","type":"cb","content":"x"}"#),
        ("add ^sys 'line\nline'", r#"{"op":"add","to":"^sys","content":"line\nline"}"#),
        ("add ^ah > .mc 'x'", r#"{"op":"add","to":"^ah > .mc","content":"x"}"#),
        (
            "add ^seq .mt:first .cb {offset=-1}",
            r#"{"op":"add","to":"^seq .mt:first","type":"cb","offset":-1}"#,
        ),
        (
            "add #g ?? ^ah .note {container}",
            r##"{"op":"add","to":"#g ?? ^ah","type":"note","container":true}"##,
        ),
        (
            "add (d0, seg, end) .cb {tags=[a,'b c'], refs='cb:1', pinned=true} 'x'",
            r#"{"op":"add","to":"(d0, seg, end)","type":"cb","tags":["a","b c"],"refs":["cb:1"],"pinned":true,"content":"x"}"#,
        ),
        ("add (d0, +1) 'x'", r#"{"op":"add","to":"(d0, +1)","content":"x"}"#),
        (
            "add {data_n=+007, 'data_é'='u', x:y=[1, 2.50], content_z=null} json '{\"a\": \"it\\'s \\\"\\\\\\\" q\"}'",
            r#"{"op":"add","attrs":{"data_n":7,"data_é":"u","x:y":[1,2.5],"content_z":null},"content":{"a":"it's \"\\\" q"}}"#,
        ),
        ("set #cb:1 {ttl=null}", r##"{"op":"set","target":"#cb:1","ttl":null}"##),
        (
            "set .cb[role='user'] 'new'",
            r#"{"op":"set","target":".cb[role='user']","content":"new"}"#,
        ),
        (
            "set #x? {tags=null} json '[1]'",
            r##"{"op":"set","target":"#x?","tags":null,"content":[1]}"##,
        ),
        ("set .cb{key='k'} {key='l'}", r#"{"op":"set","target":".cb{key='k'}","key":"l"}"#),
        ("move #cb:1 to ^sys", r##"{"op":"move","target":"#cb:1","to":"^sys"}"##),
        (
            "move (d0,-1)? to #g {offset=3}",
            r##"{"op":"move","target":"(d0,-1)?","to":"#g","offset":3}"##,
        ),
        (
            "move #cb:1 to #g? {offset=3}",
            r##"{"op":"move","target":"#cb:1","to":"#g?","offset":3}"##,
        ),
        ("add #g? 'x'", r##"{"op":"add","to":"#g?","content":"x"}"##),
        ("add ^ah .note? 'x'", r#"{"op":"add","to":"^ah .note?","content":"x"}"#),
        (
            "add #g ? .note {ttl=1} 'x'",
            r##"{"op":"add","to":"#g ?","type":"note","ttl":1,"content":"x"}"##,
        ),
        ("add #g?{ttl=1}", r##"{"op":"add","to":"#g?","ttl":1}"##),
        (
            "add (d0, mc, +1)? .note {ttl=1}",
            r#"{"op":"add","to":"(d0, mc, +1)?","type":"note","ttl":1}"#,
        ),
        ("rm #cb:1", r##"{"op":"remove","target":"#cb:1"}"##),
        ("remove .cb+old force", r#"{"op":"remove","target":".cb+old","force":true}"#),
        ("commit", r#"{"op":"commit"}"#),
        ("commit {expected_cycle=3}", r#"{"op":"commit","expected_cycle":3}"#),
        ("undo", r#"{"op":"undo"}"#),
        ("restore @c4", r#"{"op":"restore","at":"@c4"}"#),
        ("restore @t-1 discard", r#"{"op":"restore","at":"@t-1","discard":true}"#),
        ("diff @t0 @t-5 .cb", r#"{"op":"diff","a":"@t0","b":"@t-5","q":".cb","dialect":"0.1"}"#),
        ("diff", r#"{"op":"diff","a":"@t0","dialect":"0.1"}"#),
        (
            "diff rich @c1 now ^ah .cb",
            r#"{"op":"diff","a":"@c1","q":"^ah .cb","rich":true,"dialect":"0.1"}"#,
        ),
        ("diff .cb", r#"{"op":"diff","a":"@t0","q":".cb","dialect":"0.1"}"#),
        ("policy", r#"{"op":"policy"}"#),
        ("policy none", r#"{"op":"policy","set":[]}"#),
        (
            "policy {region=seq, max_blocks=9}, {max_tokens=4000, protect_recent_turns=2}",
            r#"{"op":"policy","set":[{"region":"^seq","max_blocks":9},{"max_tokens":4000,"protect_recent_turns":2}]}"#,
        ),
        ("cadence end notes", r#"{"op":"cadence","end":"notes"}"#),
        ("cadence end 'any key'", r#"{"op":"cadence","end":"any key"}"#),
        ("@t0 .cb", r#"{"op":"nodes","q":"@t0 .cb","dialect":"0.1"}"#),
        ("@t-3..@t0 .cb", r#"{"op":"select","q":"@t-3..@t0 .cb","dialect":"0.1"}"#),
    ] {
        assert_eq!(ask(text), Ok(request(json)), "{text}");
    }
}

#[test]
fn a_mistake_is_underlined_and_explained() {
    for (text, code, under, hint) in [
        ("comit", "E_SELECTOR_INVALID", "comit", "`commit`"),
        ("ad 'x'", "E_SELECTOR_INVALID", "ad", "`add`"),
        ("delete #cb:1", "E_SELECTOR_INVALID", "delete", "`rm`"),
        ("cb", "E_SELECTOR_INVALID", "cb", "`.cb`"),
        ("ah .cb", "E_SELECTOR_INVALID", "ah", "`^ah`"),
        ("add", "E_SELECTOR_INVALID", "", "add ^ah"),
        ("add Hello", "E_SELECTOR_INVALID", "Hello", "quoted"),
        ("add 'x' {ttl=2}", "E_SELECTOR_INVALID", "{", "before the content"),
        ("add {ttl=2} .cb 'x'", "", "", ""),
        ("add @t0 'x'", "E_SELECTOR_INVALID", "@t0", "leave the time out"),
        ("add to ^sys 'x'", "E_SELECTOR_INVALID", "to", "directly behind"),
        ("add {role='u'", "E_SELECTOR_INVALID", "{", ""),
        ("add 'x", "E_SELECTOR_INVALID", "'", ""),
        ("add {ttl<=2} 'x'", "E_SELECTOR_INVALID", "ttl<=2", "touches its step"),
        ("add {ttl=2, ttl=3} 'x'", "E_SELECTOR_INVALID", "ttl=3", ""),
        ("add {rol='user'} 'x'", "E_ATTR_NAMESPACE", "rol", "`role`"),
        ("add {weather='wet'} 'x'", "E_ATTR_NAMESPACE", "weather", "`data_weather`"),
        ("add {ttl='soon'} 'x'", "E_ATTR_INVALID", "ttl='soon'", ""),
        ("add json '{nope}'", "E_SELECTOR_INVALID", "'{nope}'", "plain text"),
        ("set #cb:1", "E_SELECTOR_INVALID", "", "set #cb:1 {ttl=2}"),
        ("set #cb:1 {role='x'}", "E_ATTR_RESERVED", "role='x'", ""),
        ("move #cb:1", "E_SELECTOR_INVALID", "", ""),
        ("move #cb:1 ^sys", "", "", ""),
        ("move #cb:1 to", "E_SELECTOR_INVALID", "", "move #cb:1 to ^sys"),
        ("move #cb:1 to ^sys {offste=1}", "E_REQUEST_INVALID", "offste", "`offset`"),
        ("rm", "E_SELECTOR_INVALID", "", "rm #cb:1"),
        ("rm #cb:1 'x'", "E_SELECTOR_INVALID", "'x'", "`add` and `set`"),
        ("restore", "E_SELECTOR_INVALID", "", "restore @c4"),
        ("restore .cb", "E_SELECTOR_INVALID", ".cb", "restore @c4"),
        ("restore @c1..@c4", "E_SELECTOR_INVALID", "@c1..@c4", "one state"),
        ("diff @c1..@c4", "E_SELECTOR_INVALID", "@c1..@c4", "one state"),
        ("policy {max_block=1}", "E_REQUEST_INVALID", "max_block", "`max_blocks`"),
        ("policy {region=root}", "E_ATTR_INVALID", "region=root", ""),
        ("cadence notes", "E_SELECTOR_INVALID", "notes", ""),
        ("undo undo", "E_SELECTOR_INVALID", "undo", ""),
    ] {
        if code.is_empty() {
            // These read as something else than meant; they must read, and as no other statement.
            ask(text).unwrap_or_else(|(code, under, _)| {
                assert!(text.starts_with("move"), "{text}: {code} at {under}");
                request(r#"{"op":"undo"}"#)
            });
            continue;
        }
        let (found, underlined, hinted) = ask(text).expect_err(text);
        assert_eq!((found.as_str(), underlined.as_str()), (code, under), "{text} ({hinted})");
        assert!(hinted.contains(hint), "{text}: {hinted}");
    }
}

#[test]
fn every_selector_is_a_statement() {
    let file = include_str!("../../fixtures/selectors/accept.txt");
    let mut seen = 0;
    for line in file.lines() {
        let Some((which, text)) = line.split_once(' ') else { continue };
        for dialect in Dialect::ALL {
            if let Ok(selector) = parse_selector(text, dialect) {
                let statement = parse_statement(text, dialect);
                assert_eq!(statement, Ok(Statement::Select(selector)), "{which} {text}");
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn a_canonical_statement_stays_as_it_is() {
    for text in [
        "add ^ah .cb {role='user', tags=[a, 'b'], pinned} 'Hello'",
        "add json '{\"a\":[1,2]}'",
        "set #cb:1? {ttl=null}",
        "move .cb to (d0, end)",
        "rm #cb:1 force",
        "commit {expected_cycle=3}",
        "restore @c4 discard",
        "diff rich now @t-5 ^ah .cb",
        "policy {max_blocks=1} {region=sys}",
        "policy none",
        "cadence end 'notes'",
    ] {
        let statement = parse_statement(text, Dialect::V0_1).unwrap();
        assert_eq!(format(&statement, Dialect::V0_1), text);
    }
}

#[test]
fn a_long_content_fits_and_a_long_selector_does_not() {
    let content = format!("add '{}'", "x".repeat(1 << 20));
    assert!(parse_statement(&content, Dialect::V0_1).is_ok());
    let selector = format!("rm {}", ".a ".repeat(40_000));
    let error = parse_statement(&selector, Dialect::V0_1).unwrap_err();
    assert!(error.message.contains("65536 bytes outside quotes"), "{error}");
}
