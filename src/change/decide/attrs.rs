//! Values of headers and custom attributes as edits may give them (R2.2, R2.3, R11).

use crate::change::ChangeError;
use crate::code::Code;
use crate::json::Json;
use crate::limits::{MAX_CONTENT_BYTES, MAX_NAME_BYTES, MAX_NUMBER, MAX_VALUE_NESTING};
use crate::model::{
    Class, DERIVED, HEADERS, Held, Name, Node, TextField, header, is_absent, with_article,
};
use crate::snapshot::{check_attr_size, check_node_size, content_bytes};

/// Judges a custom attribute.
pub fn check_attr(name: &str, value: &Json) -> Result<(), ChangeError> {
    if HEADERS.contains(&name) || DERIVED.contains(&name) {
        let message =
            format!("'{name}' is a header's name: set the header itself, or choose another name");
        return Err(ChangeError::new(Code::AttrReserved, message));
    }
    if !(name.starts_with("data_") || name.starts_with("content_") || name.contains(':')) {
        return Err(ChangeError::new(
            Code::AttrNamespace,
            format!(
                "the attribute '{name}' needs a namespace: data_{name}, content_{name} or x:{name}"
            ),
        ));
    }
    check_name("an attribute name", name)?;
    check_nesting(name, value)?;
    check_attr_size(name, value).map_err(too_large)
}

/// Judges a header that is kept among the attributes, for nodes of some classes. It is none if the
/// value means that.
pub fn check_header(
    name: &str,
    value: &Json,
    classes: impl IntoIterator<Item = Class>,
) -> Result<Option<Json>, ChangeError> {
    let invalid = |message: String| Err(ChangeError::new(Code::AttrInvalid, message));
    let (row, kind) = match header(name).map(|row| (row, row.held)) {
        Some((row, Held::Attr(kind))) => (row, kind),
        Some(_) => return invalid(format!("'{name}' is a header that has a field of its own")),
        None => return invalid(format!("there is no header '{name}'")),
    };
    if is_absent(value) {
        return Ok(None);
    }
    if !kind.fits(value) {
        let found = match value {
            Json::Int(number) => number.to_string(),
            other => other.type_name().to_owned(),
        };
        return invalid(format!("'{name}' must be {}, not {found}", kind.words()));
    }
    match classes.into_iter().find_map(|class| row.refused_by(class)) {
        Some(what) => invalid(what),
        None => Ok(Some(value.clone())),
    }
}

/// Judges a node as a whole, beside its content.
pub fn check_node(node: &Node) -> Result<(), ChangeError> {
    check_node_size(node).map_err(too_large)
}

fn too_large(message: String) -> ChangeError {
    ChangeError::new(Code::Limit, message)
}

/// Judges a name: a type, a role, a kind, a key, a tag.
pub fn check_name(what: &str, name: &str) -> Result<(), ChangeError> {
    if name.is_empty() {
        return Err(ChangeError::new(
            Code::AttrInvalid,
            format!("{what} cannot be empty: leave it out"),
        ));
    }
    if name.len() > MAX_NAME_BYTES {
        let message = format!("{what} has at most {MAX_NAME_BYTES} bytes, this one {}", name.len());
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(())
}

/// The text of a header.
pub fn text(field: TextField, value: Option<&str>) -> Result<Option<Name>, ChangeError> {
    value.map(|value| short(|| with_article(field.name()), value)).transpose()
}

/// A list of names, each of which is called by `what`.
pub fn names(what: &str, values: &[String]) -> Result<Vec<Name>, ChangeError> {
    values.iter().map(|value| short(|| what.to_owned(), value)).collect()
}

/// A name that may be empty.
fn short(what: impl Fn() -> String, name: &str) -> Result<Name, ChangeError> {
    if name.len() > MAX_NAME_BYTES {
        check_name(&what(), name)?;
    }
    Ok(Name::from(name))
}

/// A number with a least value.
pub fn number(name: &str, value: i64, least: i64) -> Result<i64, ChangeError> {
    if value < least {
        let message = format!("{name} must be at least {least}, not {value}");
        return Err(ChangeError::new(Code::AttrInvalid, message));
    }
    if !(-MAX_NUMBER..=MAX_NUMBER).contains(&value) {
        let message = format!("{name} must lie between ±{MAX_NUMBER}, {value} does not");
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(value)
}

/// Judges a content; returns its size.
pub fn check_content(content: &Json) -> Result<u64, ChangeError> {
    check_nesting("content", content)?;
    let bytes = content_bytes(content);
    if bytes > MAX_CONTENT_BYTES as u64 {
        let message =
            format!("a content has at most {MAX_CONTENT_BYTES} bytes, this one {bytes}: split it");
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(bytes)
}

fn check_nesting(name: &str, value: &Json) -> Result<(), ChangeError> {
    if value.nesting() > MAX_VALUE_NESTING {
        let message =
            format!("{name} nests deeper than {MAX_VALUE_NESTING} levels: make it flatter");
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(())
}
