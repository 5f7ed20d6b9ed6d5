//! JSON as exports and dumps write it: sorted keys, no spaces, ASCII alone.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Document {
    /// What is written as it stands: a number, a word, or JSON that a row has as a text.
    Raw(String),
    Text(String),
    List(Vec<Document>),
    Map(BTreeMap<String, Document>),
}

impl Document {
    pub(super) fn null() -> Document {
        Document::Raw("null".to_owned())
    }

    pub(super) fn number(number: impl ToString) -> Document {
        Document::Raw(number.to_string())
    }

    pub(super) fn text(text: &str) -> Document {
        Document::Text(text.to_owned())
    }

    pub(super) fn texts(list: &[String]) -> Document {
        Document::List(list.iter().map(|text| Document::text(text)).collect())
    }

    pub(super) fn hex(bytes: &[u8]) -> Document {
        Document::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// An object with those of the fields that are there.
    pub(super) fn map<const N: usize>(fields: [(&str, Option<Document>); N]) -> Document {
        let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Document::Map(there.collect())
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Document::Raw(text) => out.push_str(text),
            Document::Text(text) => write_text(text, out),
            Document::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Document::Map(fields) => {
                out.push('{');
                for (i, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'"') => out.push_str("\\\""),
            Ok(b'\\') => out.push_str("\\\\"),
            Ok(b'\n') => out.push_str("\\n"),
            Ok(b'\r') => out.push_str("\\r"),
            Ok(b'\t') => out.push_str("\\t"),
            Ok(8) => out.push_str("\\b"),
            Ok(12) => out.push_str("\\f"),
            Ok(byte @ b' '..=b'~') => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
}
