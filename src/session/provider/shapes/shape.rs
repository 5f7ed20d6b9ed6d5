//! The form of a value, and whether a value has it.

use crate::json::Json;
use crate::session::provider::unit::is_blank;

/// The form of a value.
pub(crate) enum Shape {
    /// Any text.
    Str,
    /// A text that says something.
    Words,
    /// Bytes in base64.
    Base64,
    /// An address on the web.
    Web,
    /// An address on the web, or the bytes of an image themselves.
    Image,
    Int,
    Bool,
    /// Any object.
    Object,
    /// This text.
    Is(&'static str),
    /// One of these texts.
    Word(&'static [&'static str]),
    /// An object with these fields and no others.
    Map(&'static [Field]),
    /// A list that is not empty.
    List(&'static Shape),
    /// One of these forms.
    Any(&'static [Shape]),
    Null,
}

/// A field of an object.
pub(crate) struct Field {
    name: &'static str,
    shape: Shape,
    needed: bool,
}

pub(super) const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, needed: true }
}

/// The field that says what an object is.
pub(super) const fn kind(name: &'static str) -> Field {
    Field { name: "type", shape: Shape::Is(name), needed: true }
}

pub(super) const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, needed: false }
}

impl Shape {
    /// Whether a value has this form.
    pub(crate) fn fits(&self, value: &Json) -> bool {
        match (self, value) {
            (Shape::Str, Json::Str(_))
            | (Shape::Int, Json::Int(_))
            | (Shape::Bool, Json::Bool(_))
            | (Shape::Object, Json::Map(_))
            | (Shape::Null, Json::Null) => true,
            (Shape::Words, Json::Str(text)) => !is_blank(text),
            (Shape::Base64, Json::Str(text)) => is_base64(text),
            (Shape::Web, Json::Str(text)) => is_web(text),
            (Shape::Image, Json::Str(text)) => is_web(text) || data_url(text).is_some(),
            (Shape::Is(word), Json::Str(text)) => text == word,
            (Shape::Word(words), Json::Str(text)) => words.contains(&text.as_str()),
            (Shape::List(shape), Json::List(items)) => {
                !items.is_empty() && items.iter().all(|item| shape.fits(item))
            }
            (Shape::Map(fields), Json::Map(map)) => {
                let known = |name: &String| fields.iter().any(|field| field.name == *name);
                let fits = |field: &Field| match map.get(field.name) {
                    Some(value) => field.shape.fits(value),
                    None => !field.needed,
                };
                map.keys().all(known) && fields.iter().all(fits)
            }
            (Shape::Any(shapes), value) => shapes.iter().any(|shape| shape.fits(value)),
            _ => false,
        }
    }
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !body.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() < 3
        && body.bytes().all(known)
}

fn is_web(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// The media type and the bytes of an address that holds an image itself.
pub(crate) fn data_url(text: &str) -> Option<(&str, &str)> {
    let (media, data) = text.strip_prefix("data:")?.split_once(";base64,")?;
    (IMAGES.contains(&media) && is_base64(data)).then_some((media, data))
}

pub(super) const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
