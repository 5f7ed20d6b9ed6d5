//! Parts and fields of the OpenAI chat API.

use super::shape::Shape::{Any, Base64, Image, Map, Word, Words};
use super::shape::{Field, Shape, kind, may, must};

const BREAKPOINT: Field = may(
    "prompt_cache_breakpoint",
    Map(&[must("mode", Word(&["explicit"])), may("ttl", Word(&["30m", "12h"]))]),
);

/// A text.
pub(crate) const TEXT: Shape = Map(&[kind("text"), must("text", Words), BREAKPOINT]);

/// A refusal of the assistant.
pub(crate) const REFUSAL: Shape = Map(&[kind("refusal"), must("refusal", Words)]);

/// What else a user can say.
pub(crate) const USER: Shape = Any(&[
    Map(&[
        kind("image_url"),
        must(
            "image_url",
            Map(&[must("url", Image), may("detail", Word(&["auto", "low", "high", "original"]))]),
        ),
        BREAKPOINT,
    ]),
    Map(&[
        kind("input_audio"),
        must("input_audio", Map(&[must("data", Base64), must("format", Word(&["wav", "mp3"]))])),
        BREAKPOINT,
    ]),
    Map(&[
        kind("file"),
        must(
            "file",
            Any(&[
                Map(&[must("file_id", Words)]),
                Map(&[must("file_data", Words), must("filename", Words)]),
            ]),
        ),
        BREAKPOINT,
    ]),
]);

/// An audio answer of the assistant.
pub(crate) const AUDIO: Shape = Map(&[must("id", Words)]);
