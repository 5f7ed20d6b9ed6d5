//! Canonical JSON (R9.1), the content hash (R2.7) and the written form of a time (R2.1).

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::node::Node;

/// The bytes that Python's `json.dumps` gives with sorted keys, no spaces and ASCII only.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number_text(&number.to_string())),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut names: Vec<&String> = map.keys().collect();
            names.sort_by(|a, b| a.chars().cmp(b.chars()));
            out.push('{');
            for (i, name) in names.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                string(name, out);
                out.push(':');
                write(&map[name], out);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                let mut units = [0u16; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// A number from its text: without point and exponent it is an integer of any size, else a double.
fn number_text(text: &str) -> String {
    if text.contains(['.', 'e', 'E']) {
        return float_repr(text.parse().unwrap());
    }
    match text {
        "-0" => "0".to_string(),
        _ => text.to_string(),
    }
}

/// A double as Python prints it: the shortest digits, an exponent below 1e-4 and from 1e16 on.
pub(crate) fn float_repr(x: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "Infinity" } else { "-Infinity" }.to_string();
    }
    let scientific = shortest(x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if !(-4..16).contains(&exponent) {
        let point = if digits.len() > 1 { "." } else { "" };
        let mark = if exponent < 0 { '-' } else { '+' };
        let size = exponent.abs();
        return format!("{sign}{}{point}{}e{mark}{size:02}", &digits[..1], &digits[1..]);
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        let zeros = "0".repeat(whole - digits.len());
        return format!("{sign}{digits}{zeros}.0");
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}

/// The shortest digits that read back as `x`. Where two such texts are equally near, as for 1791770295115023.25, Python takes
/// the even last digit and `{:e}` does not; rounding to the same length does.
fn shortest(x: f64) -> String {
    let short = format!("{x:e}");
    let mantissa = short.split_once('e').map_or("", |(mantissa, _)| mantissa);
    let digits = mantissa.chars().filter(char::is_ascii_digit).count();
    let even = format!("{x:.*e}", digits.saturating_sub(1));
    if even.parse() == Ok(x) { even } else { short }
}

/// The hash of what a block says: content, kind, role and the attributes that belong to the content.
pub(crate) fn content_hash(node: &Node) -> String {
    let text = |value: &Option<String>| Value::String(value.clone().unwrap_or_default());
    let mut hashed = serde_json::Map::new();
    for (name, value) in &node.attrs {
        if name.starts_with("content_") || name.starts_with("data_") {
            hashed.insert(name.clone(), value.clone());
        }
    }
    hashed.insert("content".into(), node.content.clone().unwrap_or(Value::String(String::new())));
    hashed.insert("kind".into(), text(&node.kind));
    hashed.insert("role".into(), text(&node.role));
    sha256(&canonical(&Value::Object(hashed)))
}

/// In lower-case hex.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// UTC with nine digits of fraction, counted by hand from 1970.
pub(crate) fn iso(ns: i64) -> String {
    const SECOND: i64 = 1_000_000_000;
    let (seconds, fraction) = (ns.div_euclid(SECOND), ns.rem_euclid(SECOND));
    let (mut days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += year_length(year);
    }
    while days >= year_length(year) {
        days -= year_length(year);
        year += 1;
    }
    let mut month = 1;
    while days >= month_length(year, month) {
        days -= month_length(year, month);
        month += 1;
    }
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}Z", days + 1)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn year_length(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
