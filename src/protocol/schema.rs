//! JSON Schema of requests and replies, from their types.

use super::envelope::Envelope;
use super::operation::schemas;
use super::reply::{Notice, Wire};
use crate::json::{Json, Map, to_json};
use schemars::generate::SchemaSettings;

/// One document: `operations` has the request and the `ok` of each operation by its name, beside
/// what goes around them, and `$defs` what they are made of.
pub fn schema() -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut operations = Map::new();
    for (name, request, ok) in schemas(&mut generator) {
        let one = [("request".to_owned(), json(&request)), ("ok".to_owned(), json(&ok))];
        operations.insert(name.to_owned(), Json::Map(Map::from(one)));
    }
    let around = [
        ("request".to_owned(), json(&generator.subschema_for::<Envelope>())),
        ("notice".to_owned(), json(&generator.subschema_for::<Notice>())),
        ("reply".to_owned(), json(&generator.subschema_for::<Wire>())),
    ];
    Json::Map(Map::from([
        ("$schema".to_owned(), Json::from("https://json-schema.org/draft/2020-12/schema")),
        ("title".to_owned(), Json::from("The operation protocol of pactdb")),
        ("operations".to_owned(), Json::Map(operations)),
        ("lines".to_owned(), Json::Map(Map::from(around))),
        ("$defs".to_owned(), json(&generator.take_definitions(true))),
    ]))
}

fn json<T: serde::Serialize>(value: &T) -> Json {
    // A schema is JSON already.
    to_json(value).unwrap_or(Json::Null)
}
