//! Blocks and fields of the Anthropic API.

use super::shape::{Field, IMAGES, Shape, may, must};

/// A breakpoint of the prompt cache, or none.
pub(crate) const CACHE: Shape = Shape::Any(&[
    Shape::Null,
    Shape::Map(&[
        must("type", Shape::Word(&["ephemeral"])),
        may("ttl", Shape::Word(&["5m", "1h"])),
    ]),
]);

const CACHED: Field = may("cache_control", CACHE);
/// A name, or none.
pub(crate) const NAME: Shape = Shape::Any(&[Shape::Str, Shape::Null]);
const CITED: Field = must("cited_text", Shape::Str);
const INDEX: Field = must("document_index", Shape::Int);
const TITLE: Field = must("document_title", NAME);

/// The citations of a text, or none.
pub(crate) const CITATIONS: Shape = Shape::Any(&[Shape::Null, CITED_PLACES]);

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
pub(crate) const TEXT: Shape = Shape::Map(&[
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
pub(crate) const SHOWN: Shape = Shape::Any(&[IMAGE, DOCUMENT, FOUND]);

/// A file for the provider's own tools, from the user.
pub(crate) const UPLOAD: Shape = Shape::Map(&[
    must("type", Shape::Word(&["container_upload"])),
    must("file_id", Shape::Words),
    CACHED,
]);

/// The name of a tool, as a result.
pub(crate) const REFERENCE: Shape = Shape::Map(&[
    must("type", Shape::Word(&["tool_reference"])),
    must("tool_name", Shape::Words),
    CACHED,
]);

/// Who called a tool, if it was not the model itself.
pub(crate) const CALLER: Shape = Shape::Any(&[
    Shape::Map(&[must("type", Shape::Word(&["direct"]))]),
    Shape::Map(&[
        must("type", Shape::Word(&["code_execution_20250825", "code_execution_20260120"])),
        must("tool_id", Shape::Words),
    ]),
]);

/// A call of a tool that the provider runs itself, and its result.
pub(crate) const SERVED: Shape = Shape::Any(&[
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
