//! Importing a flat log of messages (R9.4): a head that is filled and committed, again and again.

use serde_json::Value;

use super::fail::{Codes, Fail, Res};
use super::node::{Class, Node};
use super::{Made, Model, fields};

impl Model {
    pub(super) fn import_messages(
        &mut self,
        messages: &Value,
        given_ns: Option<i64>,
        codes: &mut Codes,
        made: Made<'_>,
    ) -> Res<i64> {
        if self.is_dirty() {
            codes.add("E_IMPORT_CONFLICT");
        }
        let read: Res<Vec<(String, Option<Value>)>> = match messages.as_array() {
            Some(messages) => messages.iter().map(read_message).collect(),
            None => Err(Fail::any(&["E_IMPORT_INVALID", "E_REQUEST_INVALID"])),
        };
        let read = codes.keep(read).unwrap_or_default();
        codes.finish()?;
        let mut is_first = true;
        for (role, content) in read {
            let is_system = role == "system";
            if role == "user" && !is_first {
                self.close_cycle(given_ns, made);
            }
            if !is_system {
                is_first = false;
            }
            let parent = match is_system {
                true => self.state.tree.region(Class::Sys),
                false => self.head_core(given_ns),
            };
            let word = self.word(Class::Block);
            let id = self.fresh(word, made);
            let mut node = Node::new(&id, Class::Block, word);
            node.parent = Some(parent);
            node.role = Some(role);
            node.content = content;
            self.create(node, given_ns);
        }
        self.close_cycle(given_ns, made);
        Ok(self.state.last_cycle)
    }
}

fn read_message(message: &Value) -> Res<(String, Option<Value>)> {
    let role = fields::given(message, "role").or(fields::given(message, "tag"));
    let role = role.and_then(Value::as_str).ok_or(Fail::one("E_IMPORT_INVALID"))?;
    Ok((role.to_string(), fields::given(message, "content").cloned()))
}
