//! Provider calls and policies.

use super::bytes::Cursor;
use super::document::Document;

#[derive(Default)]
pub(super) struct Attempt {
    pub(super) id: String,
    pub(super) cycle: u64,
    pub(super) status: u8,
    times: (i64, Option<i64>),
    names: [Option<String>; 3],
    tokens: [Option<u64>; 2],
    error: Option<String>,
    at_event: Option<u64>,
    thread_format: Option<String>,
    thread_sha256: Option<[u8; 32]>,
}

pub(super) struct Policy {
    region: u8,
    limits: [Option<u64>; 4],
    /// Turns and nodes.
    more: [Option<u64>; 2],
}

fn text(bytes: &mut Cursor<'_>) -> String {
    bytes.text()
}

fn marked(bytes: &mut Cursor<'_>) -> u64 {
    bytes.marked()
}

impl Attempt {
    pub(super) fn in_record(bytes: &mut Cursor<'_>) -> Attempt {
        Attempt {
            id: bytes.text(),
            cycle: bytes.marked(),
            status: bytes.byte(),
            times: (bytes.marked_signed(), bytes.option(|bytes| bytes.marked_signed())),
            names: [bytes.option(text), bytes.option(text), bytes.option(text)],
            tokens: [bytes.option(marked), bytes.option(marked)],
            error: bytes.option(text),
            ..Attempt::default()
        }
    }

    pub(super) fn with_later(self, bytes: &mut Cursor<'_>) -> Attempt {
        Attempt {
            at_event: bytes.option(marked),
            thread_format: bytes.option(text),
            thread_sha256: bytes.option(|bytes| bytes.array()),
            ..self
        }
    }

    /// The form in the derived tables.
    pub(super) fn whole(bytes: &mut Cursor<'_>) -> Attempt {
        let attempt = Attempt::in_record(bytes);
        attempt.with_later(bytes)
    }

    pub(super) fn dumped(&self) -> Document {
        let text = |text: &Option<String>| text.as_deref().map(Document::text);
        let status = ["running", "completed", "canceled", "error"][usize::from(self.status)];
        let [provider, model, params_hash] = &self.names;
        Document::map([
            ("attempt_id", Some(Document::text(&self.id))),
            ("cycle_id", Some(Document::number(self.cycle))),
            ("status", Some(Document::text(status))),
            ("started_at", Some(Document::number(self.times.0))),
            ("ended_at", self.times.1.map(Document::number)),
            ("provider", text(provider)),
            ("model", text(model)),
            ("params_hash", text(params_hash)),
            ("token_in", self.tokens[0].map(Document::number)),
            ("token_out", self.tokens[1].map(Document::number)),
            ("error", text(&self.error)),
            ("at_event", self.at_event.map(Document::number)),
            ("thread_format", text(&self.thread_format)),
            ("thread_sha256", self.thread_sha256.map(|hash| Document::hex(&hash))),
        ])
    }
}

impl Policy {
    fn read(bytes: &mut Cursor<'_>) -> Policy {
        let (region, limits) = (bytes.byte(), [(); 4].map(|()| bytes.option(marked)));
        Policy { region, limits, more: [None; 2] }
    }

    /// A list of policies; an entry for region 4 belongs to the one before it.
    pub(super) fn list(bytes: &mut Cursor<'_>) -> Vec<Policy> {
        let mut policies: Vec<Policy> = Vec::new();
        for entry in bytes.list(Policy::read) {
            match entry {
                Policy { region: 4, limits: [turns, nodes, None, None], .. } => {
                    policies.last_mut().expect("a policy before its further limits").more =
                        [turns, nodes];
                }
                policy => policies.push(policy),
            }
        }
        policies
    }

    pub(super) fn dumped(&self) -> Document {
        let region = [None, Some("^sys"), Some("^seq"), Some("^ah")][usize::from(self.region)];
        let [blocks, size, tokens, recent] = self.limits.map(|limit| limit.map(Document::number));
        let [turns, nodes] = self.more.map(|limit| limit.map(Document::number));
        Document::map([
            ("region", region.map(Document::text)),
            ("max_blocks", blocks),
            ("max_bytes", size),
            ("max_tokens", tokens),
            ("max_turns", turns),
            ("max_nodes", nodes),
            ("protect_recent_turns", recent),
        ])
    }
}
