//! The one table of headers: what requests, statements and diffs know of headers is what it says.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod everywhere;

use pactdb::internals::model::{
    AttrKind, DERIVED, FlagField, HEADERS, Held, ListField, PARENT_TRACKED, SetBy, TABLE,
    TextField, header, header_of, is_fixed, settable,
};
use pactdb::protocol::{Request, add_fields, set_fields};
use pactdb::{Code, Json, Map, Set};
use std::collections::BTreeSet;

/// A value that a header can have.
fn sample(held: Held) -> Json {
    match held {
        Held::Text(_) | Held::EngineText(_) => Json::from("x"),
        Held::Number(_) => Json::Int(1),
        Held::List(_) => Json::List(vec![Json::from("x")]),
        Held::Flag(_) | Held::Attr(AttrKind::Flag) => Json::Bool(true),
        Held::Attr(AttrKind::Integer { least, .. }) => Json::Int(least),
        Held::Attr(AttrKind::Text) => Json::from("x"),
        Held::Content | Held::Children => Json::List(Vec::new()),
    }
}

fn request(op: &str, name: &str, value: Json) -> pactdb::Result<Request> {
    let mut map = Map::from([("op".to_owned(), Json::from(op)), (name.to_owned(), value)]);
    if op == "set" {
        map.insert("target".to_owned(), Json::from("*"));
    }
    Request::from_json(Json::Map(map))
}

#[test]
fn requests_take_the_headers_that_the_table_says() {
    for row in TABLE {
        let added = request("add", row.name, sample(row.held));
        assert_eq!(added.is_ok(), row.given != SetBy::Never, "add {}: {added:?}", row.name);
        let set = request("set", row.name, sample(row.held));
        match row.given {
            SetBy::Always => assert!(set.is_ok(), "set {}: {set:?}", row.name),
            _ => assert_eq!(set.unwrap_err().code, Code::AttrReserved, "set {}", row.name),
        }
        assert_eq!(is_fixed(row.name), row.given != SetBy::Always, "{}", row.name);
        assert_eq!(header(row.name).map(|row| row.name), Some(row.name));
    }
    assert!(["type", "container", "parent"].into_iter().all(is_fixed));
}

#[test]
fn what_can_be_set_can_be_cleared() {
    for row in settable() {
        let mut cleared = Set { target: "*".into(), ..Set::default() };
        cleared.clear(row.name).unwrap();
        let by_null = request("set", row.name, Json::Null).unwrap();
        assert_eq!(Request::from(cleared), by_null, "{}", row.name);
    }
    let message = Set::default().clear("role").unwrap_err().message;
    let names: Vec<&str> = settable().iter().map(|row| row.name).collect();
    assert!(message.ends_with(&format!("{}, not role", names.join(", "))), "{message}");
}

#[test]
fn statements_offer_what_requests_take() {
    for name in add_fields() {
        let value = header(name).map_or(Json::Null, |row| sample(row.held));
        assert!(request("add", name, value).is_ok(), "{name}");
    }
    for name in set_fields() {
        assert!(request("set", name, Json::Null).is_ok(), "{name}");
    }
}

#[test]
fn the_table_has_every_field_of_nodes_under_its_name() {
    let names = |held: fn(&Held) -> Option<&'static str>| -> BTreeSet<&str> {
        TABLE.iter().filter(|row| held(&row.held) == Some(row.name)).map(|row| row.name).collect()
    };
    let texts = names(|held| match held {
        Held::Text(field) => Some(field.name()),
        _ => None,
    });
    assert_eq!(texts, TextField::ALL.iter().map(|field| field.name()).collect());
    let lists = names(|held| match held {
        Held::List(field) => Some(field.name()),
        _ => None,
    });
    assert_eq!(lists, ListField::ALL.iter().map(|field| field.name()).collect());
    let flags = names(|held| match held {
        Held::Flag(field) => Some(field.name()),
        _ => None,
    });
    assert_eq!(flags, FlagField::ALL.iter().map(|field| field.name()).collect());
    for row in TABLE {
        assert_eq!(header_of(row.held).map(|found| found.name), Some(row.name));
    }
    assert!(DERIVED.iter().all(|name| header(name).is_none()));
}

#[test]
fn a_diff_tracks_every_header_once_but_the_id_and_the_children() {
    let mut places: Vec<u8> = TABLE.iter().map(|row| row.tracked).filter(|at| *at > 0).collect();
    places.push(PARENT_TRACKED);
    places.sort_unstable();
    assert_eq!(places, (1..=places.len() as u8).collect::<Vec<u8>>());
    let untracked: Vec<&str> =
        TABLE.iter().filter(|row| row.tracked == 0).map(|row| row.name).collect();
    assert_eq!(untracked, ["id", "children"]);
    assert_eq!(HEADERS.len(), TABLE.len());
}
