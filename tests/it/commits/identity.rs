//! Times, numbers and ids of new nodes (R2.5, R2.6).

use super::*;
use pactdb::Move;

fn times(db: &Db, ids: &[&str]) -> Vec<(Json, Json)> {
    let read = |id: &&str| {
        let time = header(db, None, id, "created_at_ns").unwrap();
        (time, header(db, None, id, "creation_index").unwrap())
    };
    ids.iter().map(read).collect()
}

fn pairs(pairs: &[(i64, i64)]) -> Vec<(Json, Json)> {
    pairs.iter().map(|(time, index)| (Json::Int(*time), Json::Int(*index))).collect()
}

#[test]
fn times_only_grow_and_numbers_start_anew_in_each_cycle() {
    let db = store();
    add(&db, below("^sys", "a"));
    add(&db, Add { created_at_ns: Some(5000), ..below("^sys", "b") });
    add(&db, Add { created_at_ns: Some(3), ..below("^sys", "c") });
    add(&db, below("^sys", "d"));
    commit(&db);
    add(&db, below("^sys", "e"));
    let found = times(&db, &["a", "b", "c", "d", "mt:1", "mc:1", "e"]);
    let expected = [(1000, 0), (5000, 1), (5001, 2), (5002, 3), (5003, 4), (5004, 5), (5005, 0)];
    assert_eq!(found, pairs(&expected));
}

#[test]
fn a_core_that_an_edit_makes_comes_before_the_node_that_needed_it() {
    let db = store();
    add(&db, Add { created_at_ns: Some(2000), ..block("a") });
    assert_eq!(times(&db, &["mc:1", "a"]), pairs(&[(2000, 0), (2001, 1)]));
    db.commit(Commit { created_at_ns: Some(3000), ..Commit::default() }).unwrap();
    assert_eq!(times(&db, &["mt:1"]), pairs(&[(3000, 2)]));
    add(&db, below("^sys", "b"));
    let to = Move { target: "#b".into(), to: "^ah".into(), ..Move::default() };
    db.move_nodes(Move { created_at_ns: Some(9000), ..to }).unwrap();
    assert_eq!(times(&db, &["b", "mc:2"]), pairs(&[(3001, 0), (9000, 1)]));
}

#[test]
fn imports_raise_the_last_time_used() {
    let db = store();
    let sys = r#"{"id":"sys","nodeType":"^sys","children":[{"id":"a","created_at_ns":7000}]}"#;
    import(&db, &format!(r#"{{"root":{{"children":[{sys}]}}}}"#));
    add(&db, below("^sys", "b"));
    assert_eq!(times(&db, &["b"]), pairs(&[(7001, 0)]));
}

/// A time at the end of 64 bits once overflowed when a core was made with the node.
#[test]
fn no_time_is_given_after_which_nothing_could_be_made() {
    let db = store();
    let late = |created_at_ns| Add { created_at_ns: Some(created_at_ns), ..Add::default() };
    assert_eq!(code(db.add(late(i64::MAX))), Code::Limit);
    let request = Commit { created_at_ns: Some(i64::MAX - 1), ..Commit::default() };
    assert_eq!(code(db.commit(request)), Code::Limit);
    add(&db, late(pactdb::limits::MAX_TIME_NS));
    add(&db, late(i64::MIN));
    commit(&db);
    assert_eq!(times(&db, &["mc:1"]), pairs(&[(9_000_000_000_000_000_000, 0)]));
    let db = Options::new().clock(i64::MAX).create_on(Memory::default()).unwrap();
    add(&db, Add::default());
    commit(&db);
}

#[test]
fn ids_are_used_once_in_the_whole_history() {
    let db = store();
    add(&db, Add { offset: Some(1), ..block("a") });
    commit(&db);
    remove(&db, "#a");
    commit_to(&db, 3);
    assert_eq!(code(db.add(block("a"))), Code::NodeExists);
    add(&db, block("A"));
    let document =
        r#"{"root":{"children":[{"id":"sys","nodeType":"^sys","children":[{"id":"a"}]}]}}"#;
    commit(&db);
    import(&db, document);
    assert!(sketch(&db, None).starts_with("sys(a)"), "an import may continue a node");
}

#[test]
fn made_ids_are_short_and_the_engine_steps_over_used_ones() {
    let db = store();
    let made = |request: Add| db.add(request).unwrap().id.unwrap();
    let first = made(Add::default());
    assert!(first.starts_with("cb:") && first.len() < 6, "{first}");
    let free: Vec<String> = (1..40).map(|n| format!("cb:{n}")).filter(|id| *id != first).collect();
    for id in &free {
        add(&db, block(id));
    }
    let next = made(Add::default());
    assert!(next != first && !free.contains(&next), "{next}");
    let group = made(Add { id: None, ..container("^ah", "", 1) });
    assert!(group.starts_with("mc:") && group.len() < 8, "{group}");
    assert_eq!(code(db.add(block("mc:99"))), Code::AttrReserved, "that is the core of mt:99");
}

#[test]
fn a_turn_whose_name_an_import_took_gets_the_next_one() {
    let db = store();
    let taken = r#"{"id":"mt:2"},{"id":"mc:2"},{"id":"mt:2-2"}"#;
    let sys = format!(r#"{{"id":"sys","nodeType":"^sys","children":[{taken}]}}"#);
    import(&db, &format!(r#"{{"root":{{"children":[{sys}]}}}}"#));
    assert_eq!(commit(&db).turn.as_deref(), Some("mt:2-3"));
    assert_eq!(sketch(&db, None), "sys(mt:2 mc:2 mt:2-2) seq(mt:2-3(mc:2-2)) ah");
}

#[test]
fn regions_keep_the_names_that_an_import_gave_them() {
    let db = store();
    import(&db, r#"{"root":{"id":"r","children":[{"id":"s","nodeType":"^sys"}]}}"#);
    add(&db, below("^sys", "a"));
    assert_eq!(sketch(&db, None), "s(a) seq ah");
    assert_eq!(export(&db, None)["root"]["id"], "r");
}
