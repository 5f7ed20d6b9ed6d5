//! Refusals. The rules say that where several errors apply any of their codes is right, so a refusal
//! carries every code that the model found, in the order of finding.

use serde_json::{Value, json};

/// The code for what the model does not understand, as opposed to what the rules forbid.
pub(crate) const UNSUPPORTED: &str = "MODEL_UNSUPPORTED";

pub(crate) type Res<T> = Result<T, Fail>;

/// Why a request was refused.
#[derive(Clone, Debug)]
pub(crate) struct Fail {
    pub(crate) codes: Vec<&'static str>,
    /// The store's last cycle, when the caller expected another one.
    pub(crate) cycle: Option<i64>,
}

impl Fail {
    pub(crate) fn one(code: &'static str) -> Fail {
        Fail { codes: vec![code], cycle: None }
    }

    pub(crate) fn any(codes: &[&'static str]) -> Fail {
        Fail { codes: codes.to_vec(), cycle: None }
    }

    /// The error object: `code` is one of `codes`; an engine may answer with any of them.
    pub(crate) fn json(&self) -> Value {
        let code = match self.codes.contains(&UNSUPPORTED) {
            true => UNSUPPORTED,
            false => self.codes[0],
        };
        let mut error =
            json!({"code": code, "codes": self.codes, "message": "refused by the model"});
        if let Some(cycle) = self.cycle {
            error["cycle"] = json!(cycle);
        }
        error
    }
}

/// Collects codes while a request is looked at from all sides.
#[derive(Default)]
pub(crate) struct Codes(Vec<&'static str>);

impl Codes {
    pub(crate) fn add(&mut self, code: &'static str) {
        if !self.0.contains(&code) {
            self.0.push(code);
        }
    }

    pub(crate) fn add_all(&mut self, codes: &[&'static str]) {
        codes.iter().for_each(|code| self.add(code));
    }

    /// Notes a failure and goes on without the value.
    pub(crate) fn keep<T>(&mut self, result: Res<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(fail) => {
                self.add_all(&fail.codes);
                None
            }
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(&self) -> Res<()> {
        match self.is_clean() {
            true => Ok(()),
            false => Err(Fail { codes: self.0.clone(), cycle: None }),
        }
    }
}
