//! Blocks and fields of the Anthropic API.

use super::shape::Shape::{Any, Base64, Bool, Int, List, Map, Null, Object, Str, Web, Word, Words};
use super::shape::{Field, IMAGES, Shape, kind, may, must};

/// A breakpoint of the prompt cache, or none.
pub(crate) const CACHE: Shape =
    Any(&[Null, Map(&[kind("ephemeral"), may("ttl", Word(&["5m", "1h"]))])]);

const CACHED: Field = may("cache_control", CACHE);
/// A name, or none.
pub(crate) const NAME: Shape = Any(&[Str, Null]);
const CITED: Field = must("cited_text", Str);
const INDEX: Field = must("document_index", Int);
const TITLE: Field = must("document_title", NAME);

/// The citations of a text, or none.
pub(crate) const CITATIONS: Shape = Any(&[Null, CITED_PLACES]);

const CITED_PLACES: Shape = List(&Any(&[
    Map(&[
        kind("char_location"),
        must("start_char_index", Int),
        must("end_char_index", Int),
        CITED,
        INDEX,
        TITLE,
    ]),
    Map(&[
        kind("page_location"),
        must("start_page_number", Int),
        must("end_page_number", Int),
        CITED,
        INDEX,
        TITLE,
    ]),
    Map(&[
        kind("content_block_location"),
        must("start_block_index", Int),
        must("end_block_index", Int),
        CITED,
        INDEX,
        TITLE,
    ]),
    Map(&[
        kind("web_search_result_location"),
        must("encrypted_index", Str),
        must("title", NAME),
        must("url", Str),
        CITED,
    ]),
    Map(&[
        kind("search_result_location"),
        must("start_block_index", Int),
        must("end_block_index", Int),
        must("search_result_index", Int),
        must("source", Str),
        must("title", NAME),
        CITED,
    ]),
]));

/// A text.
pub(crate) const TEXT: Shape =
    Map(&[kind("text"), must("text", Words), may("citations", CITATIONS), CACHED]);

const IMAGE: Shape = Map(&[
    kind("image"),
    must(
        "source",
        Any(&[
            Map(&[kind("base64"), must("media_type", Word(IMAGES)), must("data", Base64)]),
            Map(&[kind("url"), must("url", Web)]),
            Map(&[kind("file"), must("file_id", Words)]),
        ]),
    ),
    may("transformations", TRANSFORMATIONS),
    CACHED,
]);

const TRANSFORMATIONS: Shape =
    Any(&[Null, Map(&[may("oversized_image", Word(&["downsize", "error"]))])]);

const CITING: Field = may("citations", Map(&[may("enabled", Bool)]));

const DOCUMENT: Shape = Map(&[
    kind("document"),
    must(
        "source",
        Any(&[
            Map(&[
                kind("base64"),
                must("media_type", Word(&["application/pdf"])),
                must("data", Base64),
            ]),
            Map(&[kind("text"), must("media_type", Word(&["text/plain"])), must("data", Words)]),
            Map(&[kind("url"), must("url", Web)]),
            Map(&[kind("file"), must("file_id", Words)]),
            Map(&[kind("content"), must("content", Any(&[Words, List(&Any(&[TEXT, IMAGE]))]))]),
        ]),
    ),
    may("title", NAME),
    may("context", NAME),
    CITING,
    CACHED,
]);

const FOUND: Shape = Map(&[
    kind("search_result"),
    must("source", Words),
    must("title", Words),
    must("content", List(&TEXT)),
    CITING,
    CACHED,
]);

/// What a user can say, and a tool too.
pub(crate) const SHOWN: Shape = Any(&[IMAGE, DOCUMENT, FOUND]);

/// A file for the provider's own tools, from the user.
pub(crate) const UPLOAD: Shape = Map(&[kind("container_upload"), must("file_id", Words), CACHED]);

/// The name of a tool, as a result.
pub(crate) const REFERENCE: Shape =
    Map(&[kind("tool_reference"), must("tool_name", Words), CACHED]);

/// Who called a tool, if it was not the model itself.
pub(crate) const CALLER: Shape = Any(&[
    Map(&[kind("direct")]),
    Map(&[
        must("type", Word(&["code_execution_20250825", "code_execution_20260120"])),
        must("tool_id", Words),
    ]),
]);

/// A call of a tool that the provider runs itself, and its result.
pub(crate) const SERVED: Shape = Any(&[
    Map(&[
        kind("server_tool_use"),
        must("id", Words),
        must(
            "name",
            Word(&[
                "web_search",
                "web_fetch",
                "code_execution",
                "bash_code_execution",
                "text_editor_code_execution",
                "tool_search_tool_regex",
                "tool_search_tool_bm25",
            ]),
        ),
        must("input", Object),
        may("caller", CALLER),
        CACHED,
    ]),
    Map(&[
        kind("web_search_tool_result"),
        must("tool_use_id", Words),
        must("content", Any(&[PAGES, Object])),
        may("caller", CALLER),
        CACHED,
    ]),
    Map(&[
        must(
            "type",
            Word(&[
                "web_fetch_tool_result",
                "code_execution_tool_result",
                "bash_code_execution_tool_result",
                "text_editor_code_execution_tool_result",
                "tool_search_tool_result",
            ]),
        ),
        must("tool_use_id", Words),
        must("content", Object),
        may("caller", CALLER),
        CACHED,
    ]),
]);

const PAGES: Shape = List(&Map(&[
    kind("web_search_result"),
    must("encrypted_content", Str),
    must("title", Str),
    must("url", Str),
    may("page_age", NAME),
]));
