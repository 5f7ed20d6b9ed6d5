//! The one canonical serializer (R9.1): the bytes that Python's `json.dumps` writes with sorted
//! keys, no spaces and ASCII escapes. Digests and exports rest on every byte of it.

use super::value::Json;
use std::borrow::Cow;
use std::fmt::Write;

/// The canonical bytes of a value.
pub fn canonical(value: &Json) -> Vec<u8> {
    canonical_string(value).into_bytes()
}

/// The canonical text of a value; it is plain ASCII.
pub fn canonical_string(value: &Json) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

/// Appends the canonical text of a value.
pub fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Int(number) => push(out, format_args!("{number}")),
        Json::BigInt(digits) => out.push_str(digits),
        Json::Float(number) => write_float(*number, out),
        Json::Str(text) => write_canonical_str(text, out),
        Json::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Json::Map(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical_str(key, out);
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
    }
}

/// Appends the canonical text of a string, quotes included.
pub fn write_canonical_str(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, symbol) in text.char_indices() {
        // Printable ASCII, the common case, is copied in runs.
        if matches!(symbol, ' '..='~') && symbol != '"' && symbol != '\\' {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + symbol.len_utf8();
        match symbol {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => {
                let mut units = [0u16; 2];
                for unit in symbol.encode_utf16(&mut units) {
                    push(out, format_args!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

/// Appends a double as Python's `repr` prints it: the shortest digits that read back, an exponent
/// of at least two digits below 1e-4 and from 1e16 on, and always a point or an exponent.
fn write_float(number: f64, out: &mut String) {
    let scientific = shortest(number);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    out.push_str(sign);
    if !(-4..16).contains(&exponent) {
        let (mark, size) = if exponent < 0 { ('-', -exponent) } else { ('+', exponent) };
        push(out, format_args!("{mantissa}e{mark}{size:02}"));
        return;
    }
    let digits: String = mantissa.chars().filter(|symbol| *symbol != '.').collect();
    if exponent < 0 {
        out.push_str("0.");
        for _ in 0..(-exponent - 1) {
            out.push('0');
        }
        out.push_str(&digits);
        return;
    }
    // unwrap-free: the exponent is 0..=15 here, so the cast cannot lose anything.
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.push_str(&digits);
        for _ in digits.len()..whole {
            out.push('0');
        }
        out.push_str(".0");
    } else {
        out.push_str(&digits[..whole]);
        out.push('.');
        out.push_str(&digits[whole..]);
    }
}

/// The shortest digits that read back as the same double, and of those the nearest to it; half
/// way between two, the even one.
fn shortest(number: f64) -> String {
    let digits = format!("{number:e}");
    let count = digits.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    // The standard library breaks such a tie upwards, its exact formatting breaks it to even.
    let even = format!("{number:.*e}", count.saturating_sub(1));
    if even.parse() == Ok(number) { even } else { digits }
}

/// Writing to a `String` cannot fail; this says so in one place.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

impl Json {
    /// What a pattern is looked for in: a string's own text, else the canonical one.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Json::Str(text) => Cow::Borrowed(text),
            other => Cow::Owned(canonical_string(other)),
        }
    }
}
