//! Lines from outside: a bound that is found without reading on, and a field of what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Json;
use pactdb::json::{Line, field, parse, read_line};
use std::io::BufRead;

#[test]
fn a_line_is_read_up_to_its_bound_and_no_further() {
    let text = b"12345\n123456\n\n1234567890\nlast";
    let mut input = &text[..];
    let mut line = Vec::new();
    let mut next = |input: &mut &[u8], most| {
        line.clear();
        let came = read_line(input, &mut line, most).unwrap();
        (came, String::from_utf8(line.clone()).unwrap())
    };
    assert_eq!(next(&mut input, 5), (Line::Whole, "12345\n".into()));
    assert_eq!(next(&mut input, 5), (Line::TooLong, "123456".into()));
    input.skip_until(b'\n').unwrap();
    assert_eq!(next(&mut input, 5), (Line::Whole, "\n".into()));
    assert_eq!(next(&mut input, 5), (Line::TooLong, "123456".into()));
    assert_eq!(input, b"7890\nlast", "what is behind the bound is not read");
    input.skip_until(b'\n').unwrap();
    assert_eq!(next(&mut input, 4), (Line::Whole, "last".into()));
    assert_eq!(next(&mut input, 4), (Line::End, String::new()));
}

#[test]
fn a_field_is_known_wherever_the_text_breaks_off() {
    let lines = [
        r#"{"rid":12,"op":"add","content":"a \" b \\"}"#,
        r#" { "op" : [1,{"rid":5},"]"], "rid" : {"a":[1,"}"],"b":null} , "c":1.5e3}"#,
        r#"{"rid":"\"rid\":7","x":"\\\\","y":"é\u00e9"}"#,
        r#"{"content":"a","rid":null}"#,
        r#"{"op":"add"}"#,
        r#"["rid",1]"#,
    ];
    for line in lines {
        let whole = match parse(line).unwrap() {
            Json::Map(mut map) => map.remove("rid"),
            _ => None,
        };
        assert_eq!(field(line.as_bytes(), "rid"), whole, "{line}");
        let mut known = false;
        for end in 0..line.len() {
            let found = field(&line.as_bytes()[..end], "rid");
            assert!(found.is_none() || found == whole, "{line} up to {end}: {found:?}");
            assert!(found.is_some() || !known, "{line} up to {end}: known before");
            known = found.is_some();
        }
    }
    assert_eq!(field(b"{\"rid\":1,\"rid\":2}", "rid"), Some(Json::Int(2)), "the last one counts");
    assert_eq!(field(b"{\"rid\":}", "rid"), None);
    assert_eq!(field(b"{\"rid\":1e999}", "rid"), None);
}
