//! What was imported from an API's format comes out for that API byte for byte.

use super::imports::take;
use crate::support::life::{CLOCK, ask};
use crate::support::seeded::{Random, scaled};
use crate::support::storage::Memory;
use crate::support::wire;
use pactdb::json::{canonical_string, parse};
use pactdb::session::{Format, ImportRequest, ThreadFormat, thread};
use pactdb::{Db, Options};
use serde_json::{Value, json};

fn imported(document: &Value, format: Format) -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let request = ImportRequest { format: Some(format), ..ImportRequest::default() };
    take(&db, &document.to_string(), &request).unwrap();
    db
}

struct Talk {
    random: Random,
    calls: u64,
}

impl Talk {
    fn one(&mut self, of: &[Value]) -> Value {
        of[self.random.below(of.len() as u64) as usize].clone()
    }

    fn chance(&mut self, of: u64) -> bool {
        self.random.below(of) == 0
    }

    fn text(&mut self) -> Value {
        self.one(&[json!("Look."), json!(" two\nlines"), json!("⚠️ \u{7f}"), json!("{\"a\": 1}")])
    }

    /// A conversation of the chat API.
    fn openai(&mut self) -> Value {
        let mut messages = Vec::new();
        for _ in 0..1 + self.random.below(8) {
            match self.random.below(6) {
                0 => {
                    let role = self.one(&[json!("system"), json!("developer")]);
                    messages.push(json!({"role": role, "content": self.text()}));
                }
                1 | 2 => {
                    let parts = json!([
                        {"type": "text", "text": "part"},
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "mp3"}},
                        {"type": "file", "file": {"file_id": "f"}},
                    ]);
                    let said = self.text();
                    let mut message = json!({"role": "user", "content": self.one(&[said, parts])});
                    if self.chance(3) {
                        message["name"] = json!("ann");
                    }
                    messages.push(message);
                }
                3 => {
                    let parts =
                        json!([{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}]);
                    let said = self.text();
                    let mut message =
                        json!({"role": "assistant", "content": self.one(&[said, parts])});
                    if self.chance(4) {
                        message["refusal"] = self.one(&[json!("no"), Value::Null]);
                        message["audio"] = self.one(&[json!({"id": "a"}), Value::Null]);
                    }
                    messages.push(message);
                }
                4 => self.openai_calls(&mut messages),
                _ => {
                    let arguments = self.one(&[json!("{}"), json!("{ \"n\":1 }")]);
                    let called = json!({"name": "look", "arguments": arguments});
                    messages.push(
                        json!({"role": "assistant", "content": null, "function_call": called}),
                    );
                    messages
                        .push(json!({"role": "function", "name": "look", "content": self.text()}));
                }
            }
        }
        json!(messages)
    }

    fn openai_calls(&mut self, messages: &mut Vec<Value>) {
        let mut message = json!({"role": "assistant"});
        let said = self.text();
        match self.random.below(3) {
            0 => {}
            1 => message["content"] = Value::Null,
            _ => message["content"] = said,
        }
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(3) {
            self.calls += 1;
            let id = format!("call_{}", self.calls);
            let arguments = self.one(&[json!("{}"), json!("{ \"n\":1 }")]);
            let function = json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}});
            let custom =
                json!({"id": id, "type": "custom", "custom": {"name": "look", "input": "sky"}});
            calls.push(self.one(&[function.clone(), function, custom]));
            let parts =
                json!([{"type": "text", "text": "seen"}, {"type": "text", "text": "twice"}]);
            let said = self.text();
            results.push(
                json!({"role": "tool", "tool_call_id": id, "content": self.one(&[said, parts])}),
            );
        }
        message["tool_calls"] = json!(calls);
        if self.chance(2) {
            results.reverse();
        }
        messages.push(message);
        messages.extend(results);
    }

    /// The messages and instructions of the Anthropic API.
    fn anthropic(&mut self) -> Value {
        let mut messages = vec![json!({"role": "user", "content": self.text()})];
        for _ in 0..self.random.below(6) {
            let mut said = Vec::new();
            let mut results = Vec::new();
            if self.chance(2) {
                said.push(json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}));
            }
            for _ in 0..1 + self.random.below(4) {
                match self.random.below(4) {
                    0 | 1 => said.push(self.block()),
                    2 => {
                        let id = format!("srvtoolu_{}", self.random.below(1 << 40));
                        said.push(json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "sky"}}));
                        said.push(json!({"type": "web_search_tool_result", "tool_use_id": id, "content": [
                            {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "e"}]}));
                    }
                    _ => {
                        self.calls += 1;
                        let id = format!("toolu_{}", self.calls);
                        said.push(json!({"type": "tool_use", "id": id, "name": "look", "input": {"n": self.calls}}));
                        results.push(self.result(&id));
                    }
                }
            }
            if self.chance(2) {
                results.reverse();
            }
            let plain = said.len() == 1 && said[0].get("text").is_some() && self.chance(2);
            let content = if plain { said[0]["text"].clone() } else { json!(said) };
            messages.push(json!({"role": "assistant", "content": content}));
            if results.is_empty() || self.chance(2) {
                results.push(self.block());
                results.push(json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}));
            }
            messages.push(json!({"role": "user", "content": results}));
        }
        let mut thread = json!({"messages": messages});
        match self.random.below(3) {
            0 => thread["system"] = self.text(),
            1 => thread["system"] = json!([self.block(), {"type": "text", "text": "Be kind."}]),
            _ => {}
        }
        thread
    }

    fn block(&mut self) -> Value {
        let mut block = json!({"type": "text", "text": self.text()});
        if self.chance(9) {
            block["cache_control"] = Value::Null;
        }
        block
    }

    fn result(&mut self, id: &str) -> Value {
        let mut result = json!({"type": "tool_result", "tool_use_id": id});
        let said = self.text();
        match self.random.below(3) {
            0 => {}
            1 => result["content"] = said,
            _ => {
                result["content"] = json!([{"type": "text", "text": said},
                {"type": "image", "source": {"type": "url", "url": "https://example.org/b.png"}}])
            }
        }
        if self.chance(3) {
            result["is_error"] = json!(self.chance(2));
        }
        result
    }
}

#[test]
fn conversations_of_an_api_come_out_for_it_byte_for_byte() {
    let mut talk = Talk { random: Random::new(7), calls: 0 };
    for _ in 0..scaled(60) {
        let messages = talk.openai();
        wire::openai(&messages).unwrap_or_else(|rule| panic!("{rule} in {messages}"));
        let db = imported(&json!({"messages": messages}), Format::OpenaiChat);
        let said = thread(&db.working_state(), ThreadFormat::Openai).unwrap();
        let canonical = canonical_string(&parse(&messages.to_string()).unwrap());
        assert_eq!(said.text, canonical);
        assert_eq!(said.warnings, [""; 0]);
        let reply = ask(&db, &json!({"op": "thread", "format": "anthropic"}));
        if wire::says_something(&reply["ok"]) {
            wire::anthropic(&reply["ok"]).unwrap_or_else(|rule| panic!("{rule} in {reply}"));
        }

        let document = talk.anthropic();
        wire::anthropic(&document).unwrap_or_else(|rule| panic!("{rule} in {document}"));
        let db = imported(&document, Format::Anthropic);
        let said = thread(&db.working_state(), ThreadFormat::Anthropic).unwrap();
        let canonical = |text: &str| canonical_string(&parse(text).unwrap());
        assert_eq!(canonical(&said.text), canonical(&document.to_string()));
        assert_eq!(said.warnings, [""; 0]);
        // The other API accepts it too.
        let reply = ask(&db, &json!({"op": "thread", "format": "openai"}));
        wire::openai(&reply["ok"]).unwrap_or_else(|rule| panic!("{rule} in {reply}"));
    }
}
