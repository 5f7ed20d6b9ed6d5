//! The description of the server for other programs, from the types of the protocol.

use super::guard::HEALTH;
use super::response::{EVENTS, JSON, LINES};
use super::status::status_of;
use crate::code::Code;
use crate::json::{Json, Map};
use crate::protocol::schema;
use std::collections::BTreeSet;

/// An OpenAPI 3.1 document. The `ok` of each operation is the schema `OPERATION.ok`.
pub fn openapi() -> Json {
    let mut schemas = Map::new();
    let (mut request, mut reply) = (Json::Null, Json::Null);
    if let Json::Map(mut all) = with_references(schema()) {
        if let Some(Json::Map(defined)) = all.remove("$defs") {
            schemas.extend(defined);
        }
        if let Some(Json::Map(operations)) = all.remove("operations") {
            for (name, one) in operations {
                if let Json::Map(mut one) = one
                    && let Some(ok) = one.remove("ok")
                {
                    schemas.insert(format!("{name}.ok"), ok);
                }
            }
        }
        if let Some(Json::Map(mut lines)) = all.remove("lines") {
            request = lines.remove("request").unwrap_or(Json::Null);
            reply = lines.remove("reply").unwrap_or(Json::Null);
        }
    }
    object([
        ("openapi", "3.1.0".into()),
        (
            "info",
            object([
                ("title", "pactdb".into()),
                ("version", env!("CARGO_PKG_VERSION").into()),
                ("license", object([("name", "MIT OR Apache-2.0".into())])),
            ]),
        ),
        ("security", Json::List(vec![object([("token", Json::List(Vec::new()))])])),
        ("paths", paths(&request, &reply)),
        (
            "components",
            object([
                ("schemas", Json::Map(schemas)),
                (
                    "securitySchemes",
                    object([(
                        "token",
                        object([("type", "http".into()), ("scheme", "bearer".into())]),
                    )]),
                ),
            ]),
        ),
    ])
}

fn paths(request: &Json, reply: &Json) -> Json {
    let list = |of: &Json| object([("type", "array".into()), ("items", of.clone())]);
    let either = |one: &Json| object([("oneOf", Json::List(vec![one.clone(), list(one)]))]);
    let name = || Json::List(vec![parameter("name", "path", true)]);
    let answers = || answers(&either(reply), reply);
    let post = object([
        ("summary", "One operation, or a list of them".into()),
        ("parameters", name()),
        (
            "requestBody",
            object([("required", true.into()), ("content", content(JSON, either(request)))]),
        ),
        ("responses", answers()),
    ]);
    let put = object([
        ("summary", "Make a store".into()),
        (
            "parameters",
            Json::List(vec![parameter("name", "path", true), parameter("spec", "query", false)]),
        ),
        ("responses", answers()),
    ]);
    let watch = object([
        ("summary", "What happens, as server-sent events".into()),
        (
            "parameters",
            Json::List(vec![
                parameter("name", "path", true),
                parameter("q", "query", false),
                parameter("from", "query", false),
            ]),
        ),
        (
            "responses",
            object([(
                "200",
                object([
                    ("description", "Events".into()),
                    ("content", content(EVENTS, object([("type", "string".into())]))),
                ]),
            )]),
        ),
    ]);
    let plain = |summary: &str, kind: &str| {
        let ok = object([
            ("description", summary.into()),
            ("content", content(kind, Json::Map(Map::new()))),
        ]);
        object([(
            "get",
            object([("summary", summary.into()), ("responses", object([("200", ok)]))]),
        )])
    };
    object([
        ("/v1/stores", plain("The names of the stores", JSON)),
        ("/v1/stores/{name}", object([("post", post), ("put", put)])),
        ("/v1/stores/{name}/watch", object([("get", watch)])),
        ("/v1/openapi.json", plain("This document", JSON)),
        ("/", plain("The page in the browser", "text/html")),
        ("/metrics", plain("Figures for Prometheus", "text/plain")),
        (HEALTH, plain("Whether the server is there", "text/plain")),
    ])
}

/// The answers to an operation: every status that a code has.
fn answers(either: &Json, reply: &Json) -> Json {
    let streamed = [
        (JSON.to_owned(), object([("schema", either.clone())])),
        (LINES.to_owned(), object([("schema", reply.clone())])),
    ];
    let ok = object([
        ("description", "The reply; lines of notices before it if the request streams".into()),
        ("content", Json::Map(Map::from(streamed))),
    ]);
    let mut answers = Map::from([("200".to_owned(), ok)]);
    let statuses: BTreeSet<u16> = Code::ALL.iter().map(|code| status_of(*code).as_u16()).collect();
    for status in statuses {
        let of_it = Code::ALL.iter().filter(|code| status_of(**code).as_u16() == status);
        let codes: Vec<&str> = of_it.map(|code| code.as_str()).collect();
        let answer = object([
            ("description", codes.join(", ").into()),
            ("content", content(JSON, reply.clone())),
        ]);
        answers.insert(status.to_string(), answer);
    }
    Json::Map(answers)
}

fn parameter(name: &str, place: &str, required: bool) -> Json {
    object([
        ("name", name.into()),
        ("in", place.into()),
        ("required", required.into()),
        ("schema", object([("type", "string".into())])),
    ])
}

fn content(kind: &str, schema: Json) -> Json {
    object([(kind, object([("schema", schema)]))])
}

fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// References go to where OpenAPI has its schemas.
fn with_references(value: Json) -> Json {
    match value {
        Json::Map(map) => Json::Map(
            map.into_iter()
                .map(|(name, value)| match (name.as_str(), value) {
                    ("$ref", Json::Str(place)) => {
                        let place = place.replace("#/$defs/", "#/components/schemas/");
                        (name, Json::Str(place))
                    }
                    (_, value) => (name, with_references(value)),
                })
                .collect(),
        ),
        Json::List(list) => Json::List(list.into_iter().map(with_references).collect()),
        other => other,
    }
}
