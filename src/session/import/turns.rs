//! Records to turns: what a record says becomes blocks, and a user who speaks opens a turn.

use super::format::Format;
use super::message::{About, Block};
use super::{anthropic, claude_code, codex, flat, openai_chat, openai_responses};
use crate::db::{Add, ImportTurn, check_import};
use crate::json::Json;
use std::collections::BTreeMap;

/// Turns on their way.
pub(super) struct Builder {
    format: Format,
    turns: Vec<ImportTurn>,
    /// Whether the turn has a message, and whether anybody but the user spoke in it.
    said: bool,
    answered: bool,
    /// Whether anybody has spoken at all.
    begun: bool,
    /// How many messages there were: their number groups the blocks of one.
    messages: i64,
    pub(super) about: About,
    pub(super) left_out: BTreeMap<String, u64>,
}

impl Builder {
    pub(super) fn new(format: Format) -> Builder {
        Builder {
            format,
            turns: vec![ImportTurn::default()],
            said: false,
            answered: false,
            begun: false,
            messages: 0,
            about: About::default(),
            left_out: BTreeMap::new(),
        }
    }

    /// Takes a record; what is wrong with it comes back in words, and then nothing was taken.
    pub(super) fn take(&mut self, record: Json) -> Result<(), String> {
        self.messages += 1;
        let number = self.messages;
        let messages = match self.format {
            Format::Flat => vec![flat::message(record)?],
            Format::OpenaiChat => openai_chat::messages(record, number)?,
            Format::OpenaiResponses => openai_responses::messages(record)?,
            Format::Anthropic => anthropic::messages(record, number)?,
            Format::ClaudeCode => vec![claude_code::message(&mut self.about, record)?],
            Format::Codex => vec![codex::message(&mut self.about, record)?],
            Format::Pact => return Err("a snapshot is no message".into()),
        };
        let mut ready = Vec::new();
        for message in messages {
            let adds: Vec<Add> = message.blocks.into_iter().map(request).collect();
            for add in &adds {
                check_import(add).map_err(|error| error.message)?;
            }
            ready.push((adds, message.user_speaks, message.left_out));
        }
        for (adds, user_speaks, left_out) in ready {
            if let Some(kind) = left_out {
                *self.left_out.entry(kind).or_default() += 1;
            }
            self.push(adds, user_speaks);
        }
        Ok(())
    }

    fn push(&mut self, adds: Vec<Add>, user_speaks: bool) {
        // Session files begin with several messages in the user's name: they are one turn.
        let patient = matches!(self.format, Format::ClaudeCode | Format::Codex);
        if user_speaks && self.said && (self.answered || !patient) {
            self.turns.push(ImportTurn::default());
            (self.said, self.answered) = (false, false);
        }
        for mut add in adds {
            // The chat API takes instructions in the middle: they stay where they are.
            if self.begun && self.format == Format::OpenaiChat {
                add.to = Some("^ah".into());
            }
            let in_head = add.to.as_deref() == Some("^ah");
            self.begun |= in_head;
            let Some(turn) = self.turns.last_mut() else { return };
            turn.created_at_ns = turn.created_at_ns.max(add.created_at_ns);
            if in_head && !self.said {
                // The core is made with the first block and takes the nanosecond before it.
                add.created_at_ns = add.created_at_ns.map(|time| time.saturating_sub(1));
            }
            if in_head {
                self.said = true;
                self.answered |= add.role.as_deref() != Some("user");
            }
            turn.adds.push(add);
        }
    }

    /// Calls, results, and all blocks.
    pub(super) fn counts(&self) -> (u64, u64, u64) {
        let adds = || self.turns.iter().flat_map(|turn| &turn.adds);
        let of = |kind: &str| adds().filter(|add| add.kind.as_deref() == Some(kind)).count() as u64;
        (of("call"), of("result"), adds().count() as u64)
    }

    pub(super) fn finish(self) -> Vec<ImportTurn> {
        self.turns
    }
}

fn request(block: Block) -> Add {
    let mut attrs = block.attrs;
    let created_at_ns = block.time.as_ref().map(|(time, _)| *time);
    attrs.extend(block.time.map(|(_, written)| ("data_timestamp".to_owned(), written)));
    Add {
        to: Some(if block.standing { "^sys" } else { "^ah" }.to_owned()),
        role: Some(block.role),
        kind: block.kind,
        content: block.content,
        tags: block.tags,
        attrs,
        created_at_ns,
        ..Add::default()
    }
}
