//! Contents in an API's words: a text, or a list of parts. A part that the API has no place for is
//! a text that shows it.

use super::notes::Notes;
use super::shapes::{self, Shape, data_url};
use super::unit::{Unit, is_blank, label};
use crate::json::{Json, canonical_string};

pub(super) type Map = crate::json::Map;

/// The most bytes of JSON that are shown of a part which the API does not take.
const SHOWN: usize = 4096;

/// Whose content it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    User,
    Assistant,
    Instruction,
    Result,
}

/// What becomes of a part.
pub(super) enum Part {
    /// It is said as it is.
    Same,
    /// It is said in this form.
    Other(Json),
    /// It says nothing.
    Blank,
    /// The API does not take it.
    Unknown,
}

/// How an API takes a part.
pub(super) type Taking = fn(&Map, Whose) -> Part;

/// An object.
pub(super) fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A part that is a text; both APIs write it alike.
pub(super) fn text_part(text: impl Into<String>) -> Json {
    object([("type", Json::from("text")), ("text", Json::Str(text.into()))])
}

/// A content in the words of an API: a text or a list of parts, `None` if it says nothing.
pub(super) fn content(unit: &Unit, whose: Whose, take: Taking, notes: &mut Notes) -> Option<Json> {
    let Some(items) = items(unit) else {
        let text = unit.text();
        if is_blank(&text) {
            return None;
        }
        return Some(Json::Str(match &unit.label {
            Some(label) => format!("[{label}] {text}"),
            None => text,
        }));
    };
    let mut parts = Vec::with_capacity(items.len());
    for part in items {
        match take(part, whose) {
            Part::Same => parts.push(Json::Map(part.clone())),
            Part::Other(other) => {
                let form = "said in this API's form";
                match unit.attr("data_block") {
                    Some(_) => notes.mended(unit, fault(unit, part), form),
                    None => notes.mention(unit, &fault(unit, part), form),
                }
                parts.push(other);
            }
            Part::Blank => notes.mended(unit, "has a part that is empty", "left out"),
            Part::Unknown => {
                notes.mended(unit, fault(unit, part), "said as a text");
                parts.push(text_part(shown(unit, part)));
            }
        }
    }
    if let Some(label) = unit.label.as_ref().filter(|_| !parts.is_empty()) {
        parts.insert(0, text_part(format!("[{label}]")));
    }
    (!parts.is_empty()).then_some(Json::List(parts))
}

/// The parts of a content, unless it is a text or just a value.
fn items(unit: &Unit) -> Option<Vec<&Map>> {
    match unit.content.as_deref()? {
        Json::Map(map) if unit.attr("data_block").is_some() => Some(vec![map]),
        Json::List(items) if !items.is_empty() => items.iter().map(typed).collect(),
        _ => None,
    }
}

fn typed(item: &Json) -> Option<&Map> {
    match item {
        Json::Map(map) if map.contains_key("type") => Some(map),
        _ => None,
    }
}

/// The type of a part.
pub(super) fn kind(part: &Map) -> String {
    label(part.get("type").and_then(Json::as_str).unwrap_or("unknown"))
}

fn fault(unit: &Unit, part: &Map) -> String {
    match (unit.attr("data_block"), part.get("type").and_then(Json::as_str)) {
        (Some(form), _) => format!("is a block of the {} API alone", label(form)),
        (None, Some(_)) => format!("has a part of the type {}", kind(part)),
        (None, None) => "has a part without a type".to_owned(),
    }
}

/// A part as a text: its type and its JSON, or its size if that is long.
fn shown(unit: &Unit, part: &Map) -> String {
    let of_block = unit.attr("data_block").and(unit.node.kind.as_deref()).map(label);
    let kind = of_block.unwrap_or_else(|| kind(part));
    show(&kind, &Json::Map(part.clone()))
}

/// A value that the API does not take, as a text.
pub(super) fn show(kind: &str, value: &Json) -> String {
    let json = canonical_string(value);
    match json.len() {
        0..=SHOWN => format!("[{kind}] {json}"),
        bytes => format!("[{kind}: {bytes} bytes that cannot be said here]"),
    }
}

/// Texts of either API, which all others are told apart from first.
fn plain(part: &Map, exact: &Shape) -> Option<Part> {
    let name = match part.get("type").and_then(Json::as_str)? {
        "text" | "input_text" | "output_text" => "text",
        "refusal" => "refusal",
        _ => return None,
    };
    let Some(Json::Str(text)) = part.get(name) else { return Some(Part::Unknown) };
    Some(match exact.fits(&Json::Map(part.clone())) {
        true => Part::Same,
        false if is_blank(text) => Part::Blank,
        false => Part::Other(text_part(text.as_str())),
    })
}

/// How the OpenAI chat API takes a part.
pub(super) fn openai(part: &Map, whose: Whose) -> Part {
    use shapes::openai::{REFUSAL, TEXT, USER};
    let value = Json::Map(part.clone());
    if whose == Whose::Assistant && REFUSAL.fits(&value) {
        return Part::Same;
    }
    if let Some(text) = plain(part, &TEXT) {
        return text;
    }
    if whose == Whose::User && USER.fits(&value) {
        return Part::Same;
    }
    let source = match part.get("source") {
        Some(Json::Map(source)) => source,
        _ => return Part::Unknown,
    };
    let field = |name: &str| source.get(name).and_then(Json::as_str).unwrap_or_default();
    let text = |text: &str| match is_blank(text) {
        true => Part::Unknown,
        false => Part::Other(text_part(text)),
    };
    let image = |url: String| match Shape::Image.fits(&Json::from(url.as_str())) {
        true => Part::Other(object([
            ("type", Json::from("image_url")),
            ("image_url", object([("url", Json::Str(url))])),
        ])),
        false => Part::Unknown,
    };
    match (kind(part).as_str(), field("type")) {
        ("image", "url") if whose == Whose::User => image(field("url").to_owned()),
        ("image", "base64") if whose == Whose::User => {
            image(format!("data:{};base64,{}", field("media_type"), field("data")))
        }
        ("document", "text") => text(field("data")),
        _ => Part::Unknown,
    }
}

/// How the Anthropic API takes a part.
pub(super) fn anthropic(part: &Map, whose: Whose) -> Part {
    use shapes::anthropic::{REFERENCE, SERVED, SHOWN, TEXT, UPLOAD};
    if let Some(text) = plain(part, &TEXT) {
        return text;
    }
    let value = Json::Map(part.clone());
    let fits = match whose {
        Whose::User => SHOWN.fits(&value) || UPLOAD.fits(&value),
        Whose::Result => SHOWN.fits(&value) || REFERENCE.fits(&value),
        Whose::Assistant => SERVED.fits(&value),
        Whose::Instruction => false,
    };
    if fits {
        return Part::Same;
    }
    let may_show = matches!(whose, Whose::User | Whose::Result);
    match image(part).filter(|_| may_show && kind(part) == "image_url") {
        Some(image) => Part::Other(image),
        None => Part::Unknown,
    }
}

/// An image of the chat API: an address, or the bytes themselves.
fn image(part: &Map) -> Option<Json> {
    let url = match part.get("image_url")? {
        Json::Map(image) => image.get("url").and_then(Json::as_str)?,
        Json::Str(url) => url.as_str(),
        _ => return None,
    };
    let source = match data_url(url) {
        Some((media, data)) => object([
            ("type", Json::from("base64")),
            ("media_type", Json::from(media)),
            ("data", Json::from(data)),
        ]),
        None if Shape::Web.fits(&Json::from(url)) => {
            object([("type", Json::from("url")), ("url", Json::from(url))])
        }
        None => return None,
    };
    Some(object([("type", Json::from("image")), ("source", source)]))
}
