//! Headers that a request has no field of its own for: those that the table of headers keeps among
//! the attributes. In JSON they stand beside the other fields, under their names.
//!
//! Names are looked up here, values are judged with all others when the request is run.

use crate::json::{Json, Map};
use crate::model::{HEADERS, Header, Held, SetBy, header, kept_as_attrs};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use std::fmt;

/// Headers by name that a request has no field of its own for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Headers(pub(crate) Map);

/// A header that a request has no field of its own for, as a front shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Whether a `set` takes it too.
    pub settable: bool,
}

impl Headers {
    /// Every header that there is of this sort.
    pub fn known() -> impl Iterator<Item = HeaderInfo> {
        let info = |row: &'static Header| {
            let Header { name, about, .. } = *row;
            HeaderInfo { name, about, settable: row.given == SetBy::Always }
        };
        kept_as_attrs().filter(|row| row.given != SetBy::Never).map(info)
    }

    /// Gives a header a value; null means that there is none.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        self.0.insert(name.into(), value.into());
    }

    /// The same with a value as it is spelled on a command line.
    pub fn insert_spelled(&mut self, name: &str, text: &str) {
        let value = match header(name).map(|row| row.held) {
            Some(Held::Attr(kind)) => kind.spelled(text),
            _ => Json::from(text),
        };
        self.insert(name, value);
    }
}

/// Reads those of an `add`.
pub(super) fn addable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
    deserializer.deserialize_map(Reader(|row| row.given != SetBy::Never))
}

/// Reads those of a `set`.
pub(super) fn settable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
    deserializer.deserialize_map(Reader(|row| row.given == SetBy::Always))
}

struct Reader(fn(&Header) -> bool);

impl<'de> Visitor<'de> for Reader {
    type Value = Headers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("headers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Headers, A::Error> {
        let mut headers = Headers::default();
        while let Some(name) = entries.next_key::<String>()? {
            let known = kept_as_attrs().any(|row| row.name == name && self.0(row));
            if !known {
                return Err(A::Error::unknown_field(&name, &HEADERS));
            }
            headers.0.insert(name, entries.next_value()?);
        }
        Ok(headers)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Headers {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Headers".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        use crate::model::AttrKind;
        use schemars::json_schema;
        let mut properties = serde_json::Map::new();
        for row in kept_as_attrs() {
            let Held::Attr(kind) = row.held else { continue };
            let mut one = match kind {
                AttrKind::Text => json_schema!({"type": ["string", "null"]}),
                AttrKind::Flag => json_schema!({"type": ["boolean", "null"]}),
                AttrKind::Integer { least, most } => {
                    json_schema!({"type": ["integer", "null"], "minimum": least, "maximum": most})
                }
            };
            one.insert("description".to_owned(), row.about.into());
            properties.insert(row.name.to_owned(), one.into());
        }
        json_schema!({"type": "object", "properties": properties})
    }
}
