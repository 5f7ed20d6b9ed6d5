//! Requests of the protocol from flags: every front sends the same objects.

use pactdb::json::Map;
use pactdb::protocol::{Op, parse_request};
use pactdb::{Json, Result};

/// A request that is being put together.
pub struct Request(Map);

impl Request {
    /// A request for an operation.
    pub fn new(op: &str) -> Request {
        Request(Map::from([("op".to_owned(), Json::from(op))]))
    }

    /// With a field, if there is a value.
    pub fn with<T: Into<Json>>(mut self, name: &str, value: Option<T>) -> Request {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
        self
    }

    /// With a field that is true, if it is.
    pub fn flag(self, name: &str, value: bool) -> Request {
        self.with(name, value.then_some(true))
    }

    /// With a list of texts, if it has any.
    pub fn list(self, name: &str, values: Vec<String>) -> Request {
        let list = Json::List(values.into_iter().map(Json::from).collect());
        self.with(name, Some(list).filter(|list| *list != Json::List(Vec::new())))
    }

    /// With a field whatever its value.
    pub fn set(self, name: &str, value: Json) -> Request {
        self.with(name, Some(value))
    }

    /// The operation.
    pub fn op(self) -> Result<Op> {
        parse_request(Json::Map(self.0))
    }
}

/// A count as JSON; one beyond 63 bits is beyond every limit anyway.
pub fn count(number: u64) -> Json {
    Json::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
