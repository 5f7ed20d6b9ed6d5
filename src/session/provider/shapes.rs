//! The forms of parts and fields that the APIs take, as tables. What does not fit is said in
//! another way; what fits is passed on as it is.

use super::units::is_blank;
use crate::json::Json;

/// The form of a value.
pub(super) enum Shape {
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
pub(super) struct Field {
    name: &'static str,
    shape: Shape,
    needed: bool,
}

const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, needed: true }
}

const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, needed: false }
}

impl Shape {
    /// Whether a value has this form.
    pub(super) fn fits(&self, value: &Json) -> bool {
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
pub(super) fn data_url(text: &str) -> Option<(&str, &str)> {
    let (media, data) = text.strip_prefix("data:")?.split_once(";base64,")?;
    (IMAGES.contains(&media) && is_base64(data)).then_some((media, data))
}

const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Parts and fields of the OpenAI chat API.
pub(super) mod openai {
    use super::{Field, Shape, may, must};

    const BREAKPOINT: Field = may(
        "prompt_cache_breakpoint",
        Shape::Map(&[
            must("mode", Shape::Word(&["explicit"])),
            may("ttl", Shape::Word(&["30m", "12h"])),
        ]),
    );

    /// A text.
    pub(in super::super) const TEXT: Shape =
        Shape::Map(&[must("type", Shape::Word(&["text"])), must("text", Shape::Words), BREAKPOINT]);

    /// A refusal of the assistant.
    pub(in super::super) const REFUSAL: Shape =
        Shape::Map(&[must("type", Shape::Word(&["refusal"])), must("refusal", Shape::Words)]);

    /// What else a user can say.
    pub(in super::super) const USER: Shape = Shape::Any(&[
        Shape::Map(&[
            must("type", Shape::Word(&["image_url"])),
            must(
                "image_url",
                Shape::Map(&[
                    must("url", Shape::Image),
                    may("detail", Shape::Word(&["auto", "low", "high", "original"])),
                ]),
            ),
            BREAKPOINT,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["input_audio"])),
            must(
                "input_audio",
                Shape::Map(&[
                    must("data", Shape::Base64),
                    must("format", Shape::Word(&["wav", "mp3"])),
                ]),
            ),
            BREAKPOINT,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["file"])),
            must(
                "file",
                Shape::Any(&[
                    Shape::Map(&[must("file_id", Shape::Words)]),
                    Shape::Map(&[must("file_data", Shape::Words), must("filename", Shape::Words)]),
                ]),
            ),
            BREAKPOINT,
        ]),
    ]);

    /// An audio answer of the assistant.
    pub(in super::super) const AUDIO: Shape = Shape::Map(&[must("id", Shape::Words)]);
}

/// Blocks and fields of the Anthropic API.
pub(super) mod anthropic {
    use super::{Field, IMAGES, Shape, may, must};

    /// A breakpoint of the prompt cache, or none.
    pub(in super::super) const CACHE: Shape = Shape::Any(&[
        Shape::Null,
        Shape::Map(&[
            must("type", Shape::Word(&["ephemeral"])),
            may("ttl", Shape::Word(&["5m", "1h"])),
        ]),
    ]);

    const CACHED: Field = may("cache_control", CACHE);
    /// A name, or none.
    pub(in super::super) const NAME: Shape = Shape::Any(&[Shape::Str, Shape::Null]);
    const CITED: Field = must("cited_text", Shape::Str);
    const INDEX: Field = must("document_index", Shape::Int);
    const TITLE: Field = must("document_title", NAME);

    /// The citations of a text, or none.
    pub(in super::super) const CITATIONS: Shape = Shape::Any(&[Shape::Null, CITED_PLACES]);

    const CITED_PLACES: Shape = Shape::List(&Shape::Any(&[
        Shape::Map(&[
            must("type", Shape::Word(&["char_location"])),
            must("start_char_index", Shape::Int),
            must("end_char_index", Shape::Int),
            CITED,
            INDEX,
            TITLE,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["page_location"])),
            must("start_page_number", Shape::Int),
            must("end_page_number", Shape::Int),
            CITED,
            INDEX,
            TITLE,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["content_block_location"])),
            must("start_block_index", Shape::Int),
            must("end_block_index", Shape::Int),
            CITED,
            INDEX,
            TITLE,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["web_search_result_location"])),
            must("encrypted_index", Shape::Str),
            must("title", NAME),
            must("url", Shape::Str),
            CITED,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["search_result_location"])),
            must("start_block_index", Shape::Int),
            must("end_block_index", Shape::Int),
            must("search_result_index", Shape::Int),
            must("source", Shape::Str),
            must("title", NAME),
            CITED,
        ]),
    ]));

    /// A text.
    pub(in super::super) const TEXT: Shape = Shape::Map(&[
        must("type", Shape::Word(&["text"])),
        must("text", Shape::Words),
        may("citations", CITATIONS),
        CACHED,
    ]);

    const IMAGE: Shape = Shape::Map(&[
        must("type", Shape::Word(&["image"])),
        must(
            "source",
            Shape::Any(&[
                Shape::Map(&[
                    must("type", Shape::Word(&["base64"])),
                    must("media_type", Shape::Word(IMAGES)),
                    must("data", Shape::Base64),
                ]),
                Shape::Map(&[must("type", Shape::Word(&["url"])), must("url", Shape::Web)]),
                Shape::Map(&[must("type", Shape::Word(&["file"])), must("file_id", Shape::Words)]),
            ]),
        ),
        may("transformations", TRANSFORMATIONS),
        CACHED,
    ]);

    const TRANSFORMATIONS: Shape = Shape::Any(&[
        Shape::Null,
        Shape::Map(&[may("oversized_image", Shape::Word(&["downsize", "error"]))]),
    ]);

    const CITING: Field = may("citations", Shape::Map(&[may("enabled", Shape::Bool)]));

    const DOCUMENT: Shape = Shape::Map(&[
        must("type", Shape::Word(&["document"])),
        must(
            "source",
            Shape::Any(&[
                Shape::Map(&[
                    must("type", Shape::Word(&["base64"])),
                    must("media_type", Shape::Word(&["application/pdf"])),
                    must("data", Shape::Base64),
                ]),
                Shape::Map(&[
                    must("type", Shape::Word(&["text"])),
                    must("media_type", Shape::Word(&["text/plain"])),
                    must("data", Shape::Words),
                ]),
                Shape::Map(&[must("type", Shape::Word(&["url"])), must("url", Shape::Web)]),
                Shape::Map(&[must("type", Shape::Word(&["file"])), must("file_id", Shape::Words)]),
                Shape::Map(&[
                    must("type", Shape::Word(&["content"])),
                    must(
                        "content",
                        Shape::Any(&[Shape::Words, Shape::List(&Shape::Any(&[TEXT, IMAGE]))]),
                    ),
                ]),
            ]),
        ),
        may("title", NAME),
        may("context", NAME),
        CITING,
        CACHED,
    ]);

    const FOUND: Shape = Shape::Map(&[
        must("type", Shape::Word(&["search_result"])),
        must("source", Shape::Words),
        must("title", Shape::Words),
        must("content", Shape::List(&TEXT)),
        CITING,
        CACHED,
    ]);

    /// What a user can say, and a tool too.
    pub(in super::super) const SHOWN: Shape = Shape::Any(&[IMAGE, DOCUMENT, FOUND]);

    /// A file for the provider's own tools, from the user.
    pub(in super::super) const UPLOAD: Shape = Shape::Map(&[
        must("type", Shape::Word(&["container_upload"])),
        must("file_id", Shape::Words),
        CACHED,
    ]);

    /// The name of a tool, as a result.
    pub(in super::super) const REFERENCE: Shape = Shape::Map(&[
        must("type", Shape::Word(&["tool_reference"])),
        must("tool_name", Shape::Words),
        CACHED,
    ]);

    /// Who called a tool, if it was not the model itself.
    pub(in super::super) const CALLER: Shape = Shape::Any(&[
        Shape::Map(&[must("type", Shape::Word(&["direct"]))]),
        Shape::Map(&[
            must("type", Shape::Word(&["code_execution_20250825", "code_execution_20260120"])),
            must("tool_id", Shape::Words),
        ]),
    ]);

    /// A call of a tool that the provider runs itself, and its result.
    pub(in super::super) const SERVED: Shape = Shape::Any(&[
        Shape::Map(&[
            must("type", Shape::Word(&["server_tool_use"])),
            must("id", Shape::Words),
            must(
                "name",
                Shape::Word(&[
                    "web_search",
                    "web_fetch",
                    "code_execution",
                    "bash_code_execution",
                    "text_editor_code_execution",
                    "tool_search_tool_regex",
                    "tool_search_tool_bm25",
                ]),
            ),
            must("input", Shape::Object),
            may("caller", CALLER),
            CACHED,
        ]),
        Shape::Map(&[
            must("type", Shape::Word(&["web_search_tool_result"])),
            must("tool_use_id", Shape::Words),
            must("content", Shape::Any(&[PAGES, Shape::Object])),
            may("caller", CALLER),
            CACHED,
        ]),
        Shape::Map(&[
            must(
                "type",
                Shape::Word(&[
                    "web_fetch_tool_result",
                    "code_execution_tool_result",
                    "bash_code_execution_tool_result",
                    "text_editor_code_execution_tool_result",
                    "tool_search_tool_result",
                ]),
            ),
            must("tool_use_id", Shape::Words),
            must("content", Shape::Object),
            may("caller", CALLER),
            CACHED,
        ]),
    ]);

    const PAGES: Shape = Shape::List(&Shape::Map(&[
        must("type", Shape::Word(&["web_search_result"])),
        must("encrypted_content", Shape::Str),
        must("title", Shape::Str),
        must("url", Shape::Str),
        may("page_age", NAME),
    ]));
}
