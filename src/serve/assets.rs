//! The files of the page, as they lie in `web/`, inside the program.
//!
//! Knows nothing of stores, tokens or requests. A debug build reads the files from where they were
//! compiled, so that a change shows without a build. Whoever understands zstd gets fewer bytes.

use std::borrow::Cow;
use std::sync::OnceLock;

/// How hard packing tries. A file is packed once, when it is first asked for.
const LEVEL: i32 = 12;

/// A file of the page.
pub(super) struct Asset {
    /// Its place below `web/`.
    pub(super) name: &'static str,
    compiled: &'static str,
    packed: OnceLock<Option<Vec<u8>>>,
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        [$(Asset {
            name: $name,
            compiled: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $name)),
            packed: OnceLock::new(),
        }),*]
    };
}

/// The page itself.
pub(super) const INDEX: &str = "index.html";

/// Every file. Modules stand behind those that they import.
pub(super) static ASSETS: [Asset; 30] = assets![
    "index.html",
    "style.css",
    "views.css",
    "route.js",
    "api.js",
    "source.js",
    "embedded.js",
    "watch.js",
    "parts/dom.js",
    "parts/format.js",
    "parts/chart.js",
    "parts/chunks.js",
    "parts/follow.js",
    "parts/json.js",
    "parts/question.js",
    "parts/complete.js",
    "parts/result.js",
    "parts/row.js",
    "parts/words.js",
    "views/attempts.js",
    "views/node.js",
    "views/compare.js",
    "views/ask.js",
    "views/help.js",
    "views/lifelines.js",
    "views/stores.js",
    "views/timeline.js",
    "views/tree.js",
    "views/transcript.js",
    "app.js",
];

impl Asset {
    /// The file with this name.
    pub(super) fn named(name: &str) -> Option<&'static Asset> {
        ASSETS.iter().find(|asset| asset.name == name)
    }

    /// What is in it.
    pub(super) fn text(&self) -> Cow<'static, str> {
        if cfg!(debug_assertions) {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/");
            if let Ok(text) = std::fs::read_to_string(format!("{path}{}", self.name)) {
                return Cow::Owned(text);
            }
        }
        Cow::Borrowed(self.compiled)
    }

    /// What is in it, packed by zstd; none if that fails.
    pub(super) fn packed(&'static self) -> Option<Cow<'static, [u8]>> {
        let packed = |text: &str| zstd::bulk::compress(text.as_bytes(), LEVEL).ok();
        match self.text() {
            Cow::Owned(text) => packed(&text).map(Cow::Owned),
            Cow::Borrowed(text) => {
                self.packed.get_or_init(|| packed(text)).as_deref().map(Cow::Borrowed)
            }
        }
    }

    /// Its media type.
    pub(super) fn kind(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/javascript; charset=utf-8",
        }
    }
}
