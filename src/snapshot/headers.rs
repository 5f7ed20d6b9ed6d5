//! The headers of one object of a document: their types, their bounds, and which nodes may have them.

use super::document::{Given, ImportError};
use super::hash::content_bytes;
use super::size::check_attr_size;
use crate::json::{Json, Map};
use crate::limits::{
    MAX_CONTENT_BYTES, MAX_NAME_BYTES, MAX_NUMBER, MAX_TIME_NS, MAX_VALUE_NESTING,
};
use crate::model::{
    Class, FlagField, HEADERS, Held, Lifetime, ListField, Name, Node, TABLE, TextField, is_absent,
    iso_from_ns, kept_as_attrs,
};

/// The fields of an object, and where it stands.
pub(super) struct Fields<'a> {
    pub(super) object: &'a Map,
    pub(super) path: &'a str,
}

impl<'a> Fields<'a> {
    /// A node with the headers that need nothing but the object. `index` counts the nodes before it.
    pub(super) fn headers(&self, cycle: u64, index: u64) -> Result<Node, ImportError> {
        let mut node = Node::bare("".into(), "".into(), Class::Block);
        node.offset = self.int("offset", -MAX_NUMBER)?.unwrap_or(0);
        let ttl = self.int("ttl", 0)?;
        node.lifetime = ttl.map(|ttl| Lifetime::starting(ttl as u64, cycle).settled(cycle));
        node.priority = self.int("priority", i64::MIN)?.unwrap_or(0);
        node.cycle = self.int("cycle", 0)?.map_or(cycle, |cycle| cycle as u64);
        node.created_at_ns = self.int("created_at_ns", i64::MIN)?.unwrap_or(0);
        let iso = self.text("created_at_iso")?;
        node.created_at_iso =
            iso.filter(|iso| *iso != iso_from_ns(node.created_at_ns)).map(Name::from);
        node.creation_index = self.int("creation_index", 0)?.map_or(index, |index| index as u64);
        for field in TextField::ALL {
            *field.of_mut(&mut node) = self.text(field.name())?.map(Name::from);
        }
        for field in ListField::ALL {
            *field.of_mut(&mut node) = self.texts(field.name())?;
        }
        node.cad = self.int("cad", 1)?.map(|cad| cad as u64);
        for field in FlagField::ALL {
            *field.of_mut(&mut node) = self.flag(field.name())?;
        }
        for row in kept_as_attrs() {
            let value = self.object.get(row.name).filter(|value| !is_absent(value));
            if let (Some(value), Held::Attr(kind)) = (value, row.held) {
                if !kind.fits(value) {
                    return Err(self.fault(row.name, &kind.words(), value));
                }
                node.attrs.insert(row.name.into(), value.clone());
            }
        }
        for (name, value) in self.object {
            if !HEADERS.contains(&name.as_str()) {
                if name.len() > MAX_NAME_BYTES {
                    return Err(fault(self.path, too_long(name)));
                }
                if value.nesting() > MAX_VALUE_NESTING {
                    return Err(fault(&format!("{}.{name}", self.path), too_deep()));
                }
                check_attr_size(name, value)
                    .map_err(|what| too_large(&format!("{}.{name}", self.path), what))?;
                node.attrs.insert(name.as_str().into(), value.clone());
            }
        }
        Ok(node)
    }

    pub(super) fn fault(&self, name: &str, expected: &str, value: &Json) -> ImportError {
        fault(
            &format!("{}.{name}", self.path),
            format!("expected {expected}, found {}", show(value)),
        )
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, ImportError> {
        match self.object.get(name) {
            None => Ok(None),
            Some(value) if is_absent(value) => Ok(None),
            Some(Json::Str(text)) if text.len() > MAX_NAME_BYTES => {
                Err(fault(&format!("{}.{name}", self.path), too_long(text)))
            }
            Some(Json::Str(text)) => Ok(Some(text)),
            Some(other) => Err(self.fault(name, "a string", other)),
        }
    }

    /// Which of the headers of its birth it has.
    pub(super) fn given(&self) -> Given {
        let has = |name: &str| self.object.contains_key(name);
        let iso = self.object.get("created_at_iso").is_some_and(|iso| !is_absent(iso));
        Given { cycle: has("cycle"), time: has("created_at_ns"), iso, index: has("creation_index") }
    }

    fn texts(&self, name: &str) -> Result<Vec<Name>, ImportError> {
        let items = match self.object.get(name) {
            None => return Ok(Vec::new()),
            Some(value) if is_absent(value) => return Ok(Vec::new()),
            Some(Json::List(items)) => items,
            Some(other) => return Err(self.fault(name, "a list of strings", other)),
        };
        let text = |item: &Json| match item {
            Json::Str(text) if text.len() <= MAX_NAME_BYTES => Ok(text.as_str().into()),
            other => Err(self.fault(name, "a list of short strings", other)),
        };
        items.iter().map(text).collect()
    }

    fn flag(&self, name: &str) -> Result<bool, ImportError> {
        match self.object.get(name) {
            None => Ok(false),
            Some(value) if is_absent(value) => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.fault(name, "true or false", other)),
        }
    }

    fn int(&self, name: &str, least: i64) -> Result<Option<i64>, ImportError> {
        // Priorities may use all 64 bits; sums are made of the others.
        let most = match name {
            "created_at_ns" => MAX_TIME_NS,
            "priority" => i64::MAX,
            _ => MAX_NUMBER,
        };
        match self.object.get(name) {
            None => Ok(None),
            Some(Json::Null) if name == "ttl" => Ok(None),
            Some(value) if name == "cad" && is_absent(value) => Ok(None),
            Some(Json::Int(value)) if (least..=most).contains(value) => Ok(Some(*value)),
            Some(other) => {
                Err(self.fault(name, &format!("an integer from {least} to {most}"), other))
            }
        }
    }
}

/// Rules of R2.2 that tie a header to a class.
pub(super) fn check_class_rules(node: &Node, fields: &Fields<'_>) -> Result<(), ImportError> {
    let wrong = |name: &str, message: &str| {
        Err(fault(
            &format!("{}.{name}", fields.path),
            format!("{} has a {name}: {message}", node.id),
        ))
    };
    if node.class.is_region() && node.lifetime.is_some() {
        return wrong("ttl", "regions never expire");
    }
    if node.class.is_region() && node.priority != 0 {
        return wrong("priority", "regions have 0");
    }
    if (node.class.is_region() || node.class == Class::Turn) && node.offset != 0 {
        return wrong("offset", "regions and turns are at 0");
    }
    for header in TABLE {
        let Some((class, words)) = header.only else { continue };
        // A hash is derived: a document that has one where there is none is wrong.
        let has = match header.name {
            "content_hash" => fields.object.get(header.name).is_some_and(|hash| !is_absent(hash)),
            _ => header.value(node, 0).is_some(),
        };
        if has && node.class != class {
            return wrong(header.name, words);
        }
    }
    Ok(())
}

pub(super) fn fault(path: &str, message: String) -> ImportError {
    ImportError { limit: false, path: path.to_owned(), message }
}

/// A fault that is none of the document's: it goes beyond a bound.
pub(super) fn too_large(path: &str, message: String) -> ImportError {
    ImportError { limit: true, path: path.to_owned(), message }
}

/// What is wrong with a content, of a node or of a message.
pub fn check_content(content: &Json) -> Result<(), String> {
    if content.nesting() > MAX_VALUE_NESTING {
        return Err(too_deep());
    }
    match content_bytes(content) {
        bytes if bytes > MAX_CONTENT_BYTES as u64 => {
            Err(format!("a content has at most {MAX_CONTENT_BYTES} bytes, this one {bytes}"))
        }
        _ => Ok(()),
    }
}

fn too_deep() -> String {
    format!("lists and objects nest deeper than {MAX_VALUE_NESTING} levels")
}

fn too_long(text: &str) -> String {
    let start: String = text.chars().take(20).collect();
    format!("\"{start}…\" is longer than {MAX_NAME_BYTES} bytes")
}

/// A value in a message, cut short.
pub(super) fn show(value: &Json) -> String {
    let text = crate::json::canonical_string(value);
    if text.len() > 40 { value.type_name().to_owned() } else { text }
}
