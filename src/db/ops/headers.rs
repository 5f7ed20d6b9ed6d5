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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
            HeaderInfo { name, about, settable: in_set(row) }
        };
        kept_as_attrs().filter(|row| in_add(row)).map(info)
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

fn in_add(row: &Header) -> bool {
    row.given != SetBy::Never
}

fn in_set(row: &Header) -> bool {
    row.given == SetBy::Always
}

/// Reads those of an `add`.
pub(super) fn addable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
    deserializer.deserialize_map(Reader(in_add))
}

/// Reads those of a `set`.
pub(super) fn settable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
    deserializer.deserialize_map(Reader(in_set))
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

/// The schema of those of an `add`.
#[cfg(feature = "schema")]
pub(super) fn addable_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schema_of(in_add)
}

/// The schema of those of a `set`.
#[cfg(feature = "schema")]
pub(super) fn settable_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schema_of(in_set)
}

#[cfg(feature = "schema")]
fn schema_of(taken: fn(&Header) -> bool) -> schemars::Schema {
    use crate::model::AttrKind;
    use schemars::json_schema;
    let mut properties = serde_json::Map::new();
    for row in kept_as_attrs().filter(|row| taken(row)) {
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
