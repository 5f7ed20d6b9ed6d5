//! Bounds on what a node has beside its content, at their edges: in edits, in snapshots and in messages.

use super::*;
use pactdb::limits::{MAX_ATTR_BYTES, MAX_ATTRS, MAX_LIST_ITEMS, MAX_NODE_BYTES};
use pactdb::{Add, Code, Json, Map, Result, Set};

fn text(bytes: usize) -> Json {
    Json::Str("x".repeat(bytes))
}

fn with_attrs(attrs: Vec<(String, Json)>) -> Add {
    Add { attrs: attrs.into_iter().collect(), ..Add::default() }
}

/// Imports a head with one block that has these fields beside its id.
fn import(db: &Db, id: &str, fields: Vec<(String, Json)>) -> Result<()> {
    let object = |fields: Vec<(&str, Json)>| {
        Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let mut block: Map = fields.into_iter().collect();
    block.insert("id".into(), id.into());
    let head = object(vec![
        ("id", "ah".into()),
        ("nodeType", "^ah".into()),
        ("children", Json::List(vec![Json::Map(block)])),
    ]);
    let root = object(vec![("children", Json::List(vec![head]))]);
    db.import_snapshot(&object(vec![("root", root)])).map(drop)
}

/// It is refused for a bound, with these words, and nothing happens.
fn beyond<T: std::fmt::Debug>(db: &Db, words: &str, edit: impl FnOnce(&Db) -> Result<T>) {
    let before = db.stats().unwrap().events;
    let error = edit(db).unwrap_err();
    assert_eq!(error.code, Code::Limit, "{}", error.message);
    assert!(error.message.contains(words), "{}", error.message);
    assert_eq!(db.stats().unwrap().events, before);
}

#[test]
fn an_attribute_has_a_bound() {
    let db = store();
    let one = |value: Json| vec![("x:y".to_owned(), value)];
    // Two quotes, two brackets: a list counts as its canonical text.
    let list = |bytes: usize| Json::List(vec![text(bytes - 4)]);
    let words = "the attribute x:y has 4194305 bytes";
    for value in [text as fn(usize) -> Json, list] {
        db.add(with_attrs(one(value(MAX_ATTR_BYTES)))).unwrap();
        beyond(&db, words, |db| db.add(with_attrs(one(value(MAX_ATTR_BYTES + 1)))));
    }
    let attrs = one(text(MAX_ATTR_BYTES + 1)).into_iter().collect();
    let set = Set { target: ".cb".into(), attrs, ..Set::default() };
    beyond(&db, words, |db| db.set(set));
    ok(&db, json!({"op": "commit"}));
    import(&db, "a", one(text(MAX_ATTR_BYTES))).unwrap();
    beyond(&db, words, |db| import(db, "b", one(text(MAX_ATTR_BYTES + 1))));
    let path = import(&db, "b", one(text(MAX_ATTR_BYTES + 1))).unwrap_err().details.path;
    assert_eq!(path.as_deref(), Some("$.root.children[0].children[0].x:y"));
}

#[test]
fn lists_and_the_number_of_attributes_have_bounds() {
    let db = store();
    let tags = |count: usize| vec!["t".to_owned(); count];
    let tagged = |count| Add { tags: tags(count), ..Add::default() };
    db.add(tagged(MAX_LIST_ITEMS)).unwrap();
    beyond(&db, "tags has 65537 items", |db| db.add(tagged(MAX_LIST_ITEMS + 1)));
    let set = |refs: usize| Set {
        target: ".cb".into(),
        refs: Some(vec!["sys".to_owned(); refs]),
        ..Set::default()
    };
    beyond(&db, "refs has 65537 items", |db| db.set(set(MAX_LIST_ITEMS + 1)));
    let many = |count: usize| (0..count).map(|i| (format!("data_{i}"), Json::Int(1))).collect();
    db.add(with_attrs(many(MAX_ATTRS))).unwrap();
    beyond(&db, "at most 4096 attributes", |db| db.add(with_attrs(many(MAX_ATTRS + 1))));
    let more = Set {
        target: ".cb:last".into(),
        attrs: [("data_more".to_owned(), Json::Null)].into(),
        ..Set::default()
    };
    db.set(more.clone()).unwrap();
    let more = Set { attrs: [("data_more".to_owned(), Json::Int(1))].into(), ..more };
    beyond(&db, "at most 4096 attributes", |db| db.set(more));
    ok(&db, json!({"op": "commit"}));
    let listed = |count: usize| vec![("refs".to_owned(), Json::List(vec!["gone".into(); count]))];
    import(&db, "a", listed(MAX_LIST_ITEMS)).unwrap();
    beyond(&db, "refs has 65537 items", |db| import(db, "b", listed(MAX_LIST_ITEMS + 1)));
    beyond(&db, "at most 4096 attributes", |db| import(db, "b", many(MAX_ATTRS + 1)));
}

#[test]
fn a_node_has_a_bound_beside_its_content() {
    let db = store();
    // What the block has beside these attributes: its id `a` and its type `cb`.
    let attrs = |total: usize| {
        let names = ["x:1", "x:2", "x:3", "x:4", "x:5"];
        let mut left = total - "acb".len() - names.len() * 3;
        let value = |name: &str| {
            let bytes = left.min(MAX_ATTR_BYTES);
            left -= bytes;
            (name.to_owned(), text(bytes))
        };
        names.map(value).to_vec()
    };
    let named = |total| Add { id: Some("a".into()), ..with_attrs(attrs(total)) };
    let words = "at most 16777216 bytes beside its content, this one 16777217";
    beyond(&db, words, |db| db.add(named(MAX_NODE_BYTES + 1)));
    db.add(named(MAX_NODE_BYTES)).unwrap();
    let key = Set { target: "#a".into(), tags: Some(vec!["t".into()]), ..Set::default() };
    beyond(&db, words, |db| db.set(key));
    ok(&db, json!({"op": "undo"}));
    beyond(&db, words, |db| import(db, "a", attrs(MAX_NODE_BYTES + 1)));
    import(&db, "a", attrs(MAX_NODE_BYTES)).unwrap();
}
