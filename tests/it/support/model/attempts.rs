//! Attempts (R10): records beside the tree, touched by nothing else.

use serde_json::{Map, Value, json};

use super::canon::{canonical, sha256};
use super::fail::{Codes, Fail, Res};
use super::fields;
use super::{Made, Model};

const FIELDS: [&str; 13] = [
    "action",
    "attempt_id",
    "provider",
    "model",
    "params_hash",
    "params",
    "started_at",
    "status",
    "ended_at",
    "token_in",
    "token_out",
    "error",
    "cycle",
];

impl Model {
    pub(super) fn attempt(&mut self, request: &Value, made: Made<'_>) -> Res<Value> {
        let mut codes = Codes::default();
        fields::only(request, &FIELDS, &mut codes);
        codes.finish()?;
        match request.get("action").and_then(Value::as_str) {
            Some("start") => self.start_attempt(request, made),
            Some(_) if request.get("params").is_some() => Err(Fail::one("E_REQUEST_INVALID")),
            Some("finish") => self.finish_attempt(request),
            Some("list") => {
                let cycle = fields::given(request, "cycle");
                let of_cycle =
                    |record: &&Value| cycle.is_none_or(|cycle| record["cycle_id"] == *cycle);
                Ok(json!(self.attempts.iter().filter(of_cycle).collect::<Vec<_>>()))
            }
            _ => Err(Fail::one("E_REQUEST_INVALID")),
        }
    }

    fn start_attempt(&mut self, request: &Value, made: Made<'_>) -> Res<Value> {
        let id = match fields::given(request, "attempt_id") {
            None => made("attempt"),
            Some(Value::String(id)) => id.clone(),
            Some(_) => return Err(Fail::any(&["E_ATTR_INVALID", "E_REQUEST_INVALID"])),
        };
        if self.attempts.iter().any(|record| record["attempt_id"] == id.as_str()) {
            return Err(Fail::one("E_NODE_EXISTS"));
        }
        if request.get("params").is_some() && fields::given(request, "params_hash").is_some() {
            return Err(Fail::one("E_REQUEST_INVALID"));
        }
        let mut record = Map::new();
        let known = |name: &&str| !matches!(*name, "action" | "cycle" | "params");
        for name in FIELDS.into_iter().filter(known) {
            record.insert(name.into(), request.get(name).cloned().unwrap_or(Value::Null));
        }
        if let Some(params) = request.get("params") {
            record.insert("params_hash".into(), json!(sha256(&canonical(params))));
        }
        record.insert("attempt_id".into(), json!(id));
        record.insert("cycle_id".into(), json!(self.state.last_cycle + 1));
        record.insert("status".into(), json!("running"));
        self.attempts.push(Value::Object(record.clone()));
        Ok(Value::Object(record))
    }

    fn finish_attempt(&mut self, request: &Value) -> Res<Value> {
        let id = fields::given(request, "attempt_id").ok_or(Fail::one("E_REQUEST_INVALID"))?;
        let status = request.get("status").and_then(Value::as_str).unwrap_or_default();
        if !matches!(status, "completed" | "canceled" | "error") {
            return Err(Fail::any(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]));
        }
        let record = self.attempts.iter_mut().find(|record| record["attempt_id"] == *id);
        let record = record.ok_or(Fail::one("E_NODE_NOT_FOUND"))?;
        if record["status"] != "running" {
            return Err(Fail::one("E_CONFLICT"));
        }
        for name in ["status", "ended_at", "token_in", "token_out", "error"] {
            if let Some(value) = fields::given(request, name) {
                record[name] = value.clone();
            }
        }
        Ok(record.clone())
    }
}
