//! Batches, and the cycle that a caller expects.

use serde_json::{Value, json};

use super::fail::{Codes, Fail, Res};
use super::{Effect, Made, Model, fields};

impl Model {
    /// All or nothing; the roll-back is the caller's.
    pub(super) fn batch(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["ops", "expected_cycle"], &mut codes);
        let Some(ops) = request.get("ops").and_then(Value::as_array) else {
            codes.add("E_REQUEST_INVALID");
            return Err(codes.finish().unwrap_err());
        };
        for (i, op) in ops.iter().enumerate() {
            match fields::op(op) {
                Ok("add" | "set" | "move" | "remove" | "policy" | "cadence") => {}
                Ok("commit") if i + 1 == ops.len() && op["dry_run"] != true => {}
                _ => codes.add("E_REQUEST_INVALID"),
            }
        }
        self.expect_cycle(request, &mut codes)?;
        let (mut results, mut effect) = (Vec::new(), Effect::Nothing);
        for op in ops {
            match self.run_edit(op, made) {
                Ok((reply, did)) => {
                    results.push(reply);
                    effect = effect.max(did);
                }
                Err(fail) => {
                    let cycle = fail.cycle;
                    codes.add_all(&fail.codes);
                    let fail = codes.finish().unwrap_err();
                    return Err(Fail { cycle, ..fail });
                }
            }
        }
        codes.finish()?;
        Ok((json!({ "results": results }), effect))
    }

    /// E_CONFLICT if the caller counts on another last cycle.
    pub(super) fn expect_cycle(&self, request: &Value, codes: &mut Codes) -> Res<()> {
        match request.get("expected_cycle") {
            None | Some(Value::Null) => Ok(()),
            Some(expected) => match expected.as_i64() {
                Some(cycle) if cycle == self.state.last_cycle => Ok(()),
                Some(_) => {
                    Err(Fail { codes: vec!["E_CONFLICT"], cycle: Some(self.state.last_cycle) })
                }
                None => {
                    codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
                    Ok(())
                }
            },
        }
    }
}
