//! Cadence (R4.7): nodes that come back.

use super::*;

fn repeating(id: &str, key: &str, cad: i64) -> Add {
    Add { key: Some(key.into()), cad: Some(cad), ..block(id) }
}

#[test]
fn an_instance_comes_back_every_cad_cycles() {
    let db = store();
    add(&db, repeating("a", "k", 2));
    assert!(commit(&db).materialized.is_empty(), "1 + 1 - 1 is no multiple of 2");
    let made = commit(&db).materialized;
    assert_eq!(made.len(), 1);
    assert_eq!(header(&db, None, &made[0], "cycle"), number(3));
    assert!(commit(&db).materialized.is_empty());
    assert_eq!(commit(&db).materialized.len(), 1, "counted from the newest instance");
}

#[test]
fn an_instance_has_the_headers_of_the_one_before() {
    let db = store();
    add(&db, below("^sys", "target"));
    add(&db, below("^sys", "passing"));
    add(
        &db,
        Add {
            node_type: Some("cb:note".into()),
            role: Some("user".into()),
            kind: Some("text".into()),
            content: Some("again".into()),
            tags: vec!["t".into()],
            ttl: Some(3),
            priority: Some(7),
            offset: Some(-2),
            pinned: true,
            refs: vec!["passing".into(), "target".into()],
            provenance: Some("me".into()),
            attrs: [("data_x".to_owned(), Json::Int(1))].into(),
            ..repeating("a", "k", 1)
        },
    );
    db.remove(Remove { target: "#passing".into(), force: true }).unwrap();
    let made = commit(&db).materialized;
    let (Some(Json::Map(old)), Some(Json::Map(new))) =
        (db.snapshot(1).unwrap().node("a").unwrap(), db.working_state().node(&made[0]).unwrap())
    else {
        panic!("both are there")
    };
    for (name, value) in &old {
        match name.as_str() {
            "id" | "cycle" | "created_at_ns" | "created_at_iso" | "creation_index" => {
                assert_ne!(new.get(name), Some(value), "{name}");
            }
            "refs" => assert_eq!(new["refs"], Json::List(vec!["target".into()]), "those alive"),
            "provenance" => assert_eq!(new.get(name), None),
            _ => assert_eq!(new.get(name), Some(value), "{name}"),
        }
    }
    assert!(sketch(&db, None).ends_with(&format!("ah({}@-2)", made[0])));
}

#[test]
fn it_comes_back_after_it_has_expired_and_with_the_ttl_that_was_given() {
    let db = store();
    add(&db, Add { ttl: Some(1), ..repeating("a", "k", 2) });
    commit(&db);
    let reply = commit(&db);
    assert_eq!(reply.expired, ["a"]);
    assert_eq!(ttl(&db, None, &reply.materialized[0]), number(1));
}

#[test]
fn instances_come_in_the_order_of_their_keys() {
    let db = store();
    for (id, key) in [("a", "z"), ("b", "m"), ("c", "Z")] {
        add(&db, repeating(id, key, 1));
    }
    let made = commit(&db).materialized;
    let keys: Vec<_> = made.iter().map(|id| header(&db, None, id, "key").unwrap()).collect();
    assert_eq!(keys, ["Z", "m", "z"].map(Json::from));
}

#[test]
fn three_edits_end_a_cadence() {
    let end: [fn(&Db, &str); 4] = [
        |db, newest| remove(db, &format!("#{newest}")),
        |db, newest| {
            db.set(Set { cad: Some(None), ..set(&format!("#{newest}")) }).unwrap();
        },
        |db, _| {
            db.end_cadence("k").unwrap();
        },
        |db, _| add(db, Add { key: Some("k".into()), ..block("other") }),
    ];
    for end in end {
        let db = store();
        add(&db, repeating("a", "k", 1));
        let made = commit(&db).materialized;
        end(&db, &made[0]);
        assert!(commit(&db).materialized.is_empty());
        assert!(commit(&db).materialized.is_empty());
    }
}

#[test]
fn an_import_fires_no_cadence_and_a_later_commit_does() {
    let db = store();
    let sys = r#"{"id":"sys","nodeType":"^sys","children":[{"id":"a","key":"k","cad":1}]}"#;
    import(&db, &format!(r#"{{"cycle":4,"root":{{"children":[{sys}]}}}}"#));
    assert!(sketch(&db, None).ends_with("ah"), "{}", sketch(&db, None));
    let made = commit(&db).materialized;
    assert!(sketch(&db, None).ends_with(&format!("ah(mc:6({}))", made[0])), "into the head's core");
}

#[test]
fn instances_are_edits_that_undo_leaves_alone() {
    let db = store();
    add(&db, repeating("a", "k", 1));
    commit(&db);
    assert_eq!(code(db.undo()), Code::NodeNotFound, "they belong to the commit");
    let document = json::parse(r#"{"root":{}}"#).unwrap();
    assert_eq!(code(db.import_snapshot(&document)), Code::ImportConflict);
}
