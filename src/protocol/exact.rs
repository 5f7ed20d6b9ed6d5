//! JSON whose very bytes are fixed: an export or a thread.

use crate::json::{Json, canonical_string};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The text of a JSON value, to the byte.
///
/// Read from another value than a line of the protocol it has that value's canonical text, which is
/// the same unless the order of keys is fixed otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact(pub String);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Exact, D::Error> {
        Ok(Exact(canonical_string(&Json::deserialize(deserializer)?)))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Exact {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Exact".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A JSON value whose very bytes are fixed: an export or a thread."
        })
    }
}
