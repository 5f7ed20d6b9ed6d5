//! JSON as it is sent and shown: what a terminal would obey, or what nobody can see, is escaped.
//!
//! JSON itself escapes the control characters below U+0020 alone. A reply may be looked at, so the
//! others are written as `\u009b` too, which every parser reads as the same text. The canonical
//! serializer beside this one needs no such care: it writes ASCII.

use super::{Json, canonical_string};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{Result, Write};

/// A value as one line.
pub fn line<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    write(value, Escaping(Numbers(CompactFormatter)))
}

/// A value laid out over lines.
pub fn pretty<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    write(value, Escaping(Numbers(PrettyFormatter::new())))
}

/// A value laid out over lines, for whoever looks at its text: nothing but what JSON itself escapes
/// is escaped.
pub fn laid_out(value: &Json) -> String {
    write(value, Numbers(PrettyFormatter::new())).unwrap_or_default()
}

/// Whether a character is obeyed or not seen: the control characters, those that set the direction
/// of text or end a line, and other marks without a shape. Joiners and variation selectors are
/// none of them: they shape what stands beside them.
pub fn is_unseen(symbol: char) -> bool {
    matches!(
        symbol,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}'
    )
}

fn write<T: Serialize + ?Sized>(value: &T, layout: impl Formatter) -> serde_json::Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, layout))?;
    String::from_utf8(out).map_err(serde::ser::Error::custom)
}

/// What a layout that changes something else leaves to the one inside it.
macro_rules! layout {
    (all) => {
        layout! {
            begin_array() end_array() begin_array_value(first) end_array_value()
            begin_object() end_object() begin_object_key(first) begin_object_value()
            end_object_value()
        }
    };
    ($($method:ident($($first:ident)?))*) => {$(
        fn $method<W: Write + ?Sized>(&mut self, out: &mut W $(, $first: bool)?) -> Result<()> {
            self.0.$method(out $(, $first)?)
        }
    )*};
}

/// A layout whose texts are escaped as this module says.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, text: &str) -> Result<()> {
        // The common case goes out in one piece.
        if text.is_ascii() && !text.as_bytes().contains(&0x7f) {
            return out.write_all(text.as_bytes());
        }
        let mut plain = 0;
        for (at, symbol) in text.char_indices().filter(|(_, symbol)| is_unseen(*symbol)) {
            out.write_all(&text.as_bytes()[plain..at])?;
            for unit in symbol.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            plain = at + symbol.len_utf8();
        }
        out.write_all(&text.as_bytes()[plain..])
    }

    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, number: f64) -> Result<()> {
        self.0.write_f64(out, number)
    }

    layout!(all);
}

/// A layout whose numbers are spelled as everywhere else: `1e+16`.
struct Numbers<F>(F);

impl<F: Formatter> Formatter for Numbers<F> {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, number: f64) -> Result<()> {
        out.write_all(canonical_string(&Json::Float(number)).as_bytes())
    }

    layout!(all);
}
