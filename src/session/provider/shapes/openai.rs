//! Parts and fields of the OpenAI chat API.

use super::shape::{Field, Shape, may, must};

const BREAKPOINT: Field = may(
    "prompt_cache_breakpoint",
    Shape::Map(&[
        must("mode", Shape::Word(&["explicit"])),
        may("ttl", Shape::Word(&["30m", "12h"])),
    ]),
);

/// A text.
pub(crate) const TEXT: Shape =
    Shape::Map(&[must("type", Shape::Word(&["text"])), must("text", Shape::Words), BREAKPOINT]);

/// A refusal of the assistant.
pub(crate) const REFUSAL: Shape =
    Shape::Map(&[must("type", Shape::Word(&["refusal"])), must("refusal", Shape::Words)]);

/// What else a user can say.
pub(crate) const USER: Shape = Shape::Any(&[
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
pub(crate) const AUDIO: Shape = Shape::Map(&[must("id", Shape::Words)]);
