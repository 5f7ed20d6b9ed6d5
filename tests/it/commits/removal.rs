//! What a commit takes away: expiry (R4.1, R5.1), reference safety (R4.2), cascade (R4.3), pruning (R4.4).

use super::*;

fn mortal(id: &str, ttl: i64) -> Add {
    Add { ttl: Some(ttl), ..block(id) }
}

fn referring(id: &str, refs: &[&str]) -> Add {
    Add { refs: refs.iter().map(|id| id.to_string()).collect(), ..block(id) }
}

#[test]
fn a_ttl_of_0_never_reaches_a_snapshot() {
    let db = store();
    add(&db, mortal("a", 0));
    assert_eq!(sketch(&db, None), "sys seq ah(mc:1(a))");
    assert_eq!(commit(&db).expired, ["a"]);
    assert_eq!(sketch(&db, Some("@c1")), "sys seq(mt:1(mc:1)) ah");
}

#[test]
fn a_ttl_of_2_made_for_cycle_10_is_in_snapshots_10_and_11_and_gone_from_12() {
    let db = store();
    commit_to(&db, 9);
    add(&db, mortal("a", 2));
    assert_eq!(ttl(&db, None, "a"), number(2), "counted from the cycle it is made for");
    assert!(commit(&db).expired.is_empty());
    assert_eq!(ttl(&db, Some("@c10"), "a"), number(2));
    assert_eq!(ttl(&db, None, "a"), number(2));
    assert!(commit(&db).expired.is_empty());
    assert_eq!(ttl(&db, Some("@c11"), "a"), number(1));
    assert_eq!(commit(&db).expired, ["a"]);
    assert_eq!(ttl(&db, Some("@c12"), "a"), None);
    assert_eq!(ttl(&db, Some("@c10"), "a"), number(2), "the past reads as it did");
}

#[test]
fn a_ttl_that_is_set_later_counts_from_the_cycle_in_progress() {
    let db = store();
    add(&db, below("^sys", "a"));
    commit_to(&db, 4);
    db.set(Set { ttl: Some(Some(1)), ..set("#a") }).unwrap();
    assert_eq!(ttl(&db, None, "a"), number(1), "its base is cycle 5");
    assert!(commit(&db).expired.is_empty());
    assert_eq!(ttl(&db, Some("@c5"), "a"), number(1));
    db.set(Set { ttl: Some(None), ..set("#a") }).unwrap();
    assert!(commit(&db).expired.is_empty(), "a ttl can be taken back in time");
    assert_eq!(ttl(&db, None, "a"), Some(Json::Null));
}

#[test]
fn an_imported_ttl_counts_from_the_cycle_of_the_snapshot() {
    let db = store();
    import(
        &db,
        r#"{"cycle":7,"root":{"children":[{"id":"sys","nodeType":"^sys","children":[{"id":"a","ttl":1}]}]}}"#,
    );
    assert_eq!(ttl(&db, Some("@c7"), "a"), number(1));
    assert_eq!(commit(&db).expired, ["a"]);
}

#[test]
fn expired_names_the_roots_of_what_went_in_canonical_order() {
    let db = store();
    add(&db, Add { ttl: Some(1), ..below("^sys", "in sys") });
    add(&db, Add { offset: Some(5), ..mortal("late", 1) });
    add(&db, mortal("first", 1));
    add(&db, Add { ttl: Some(1), ..container("^ah", "box", 1) });
    add(&db, Add { ttl: Some(1), ..below("#box", "inner") });
    add(&db, below("#box", "immortal"));
    commit(&db);
    add(&db, mortal("head", 0));
    assert_eq!(commit(&db).expired, ["in sys", "first", "box", "late", "head"]);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1) mt:2(mc:2)) ah");
}

#[test]
fn a_node_that_a_survivor_refers_to_is_kept_until_nobody_does() {
    let db = store();
    add(&db, mortal("a", 1));
    add(&db, Add { to: Some("^sys".into()), ..referring("b", &["a"]) });
    commit_to(&db, 4);
    assert_eq!(ttl(&db, Some("@c4"), "a"), number(0), "overdue, and kept");
    remove(&db, "#b");
    assert_eq!(commit(&db).expired, ["a"]);
}

#[test]
fn a_container_with_a_referenced_node_in_it_is_deferred_as_a_whole() {
    let db = store();
    add(&db, Add { ttl: Some(1), ..container("^sys", "box", 0) });
    add(&db, below("#box", "a"));
    add(&db, below("#box", "other"));
    add(&db, Add { ttl: Some(1), ..below("#box", "due") });
    add(&db, Add { to: Some("^sys".into()), ..referring("b", &["a"]) });
    commit(&db);
    assert_eq!(commit(&db).expired, ["due"], "what is due inside still goes on its own");
    assert_eq!(sketch(&db, None), "sys(box(a other) b) seq(mt:1(mc:1) mt:2(mc:2)) ah");
    db.set(Set { refs: Some(vec![]), ..set("#b") }).unwrap();
    assert_eq!(commit(&db).expired, ["box"]);
}

#[test]
fn what_is_spared_spares_what_it_refers_to() {
    let db = store();
    add(&db, mortal("a", 1));
    add(&db, Add { ttl: Some(1), ..referring("b", &["a"]) });
    add(&db, referring("c", &["b"]));
    commit(&db);
    assert!(commit(&db).expired.is_empty(), "c keeps b, and b keeps a");
}

#[test]
fn due_nodes_that_refer_only_to_each_other_go_together() {
    let db = store();
    add(&db, mortal("a", 1));
    add(&db, Add { ttl: Some(1), ..referring("b", &["a"]) });
    db.set(Set { refs: Some(vec!["b".into(), "a".into()]), ..set("#a") }).unwrap();
    commit(&db);
    assert_eq!(commit(&db).expired, ["a", "b"]);
}

#[test]
fn removable_containers_go_with_their_last_child_from_the_inside_out() {
    let db = store();
    let removable =
        |parent: &str, id: &str, offset| Add { removable: true, ..container(parent, id, offset) };
    add(&db, removable("^ah", "outer", 1));
    add(&db, removable("#outer", "inner", 0));
    add(&db, Add { ttl: Some(1), ..below("#inner", "a") });
    add(&db, removable("^ah", "never filled", 2));
    add(&db, container("^ah", "stays", 3));
    add(&db, Add { ttl: Some(1), ..below("#stays", "b") });
    add(&db, removable("^ah", "named", 4));
    add(&db, Add { ttl: Some(1), ..below("#named", "c") });
    add(&db, Add { to: Some("^sys".into()), ..referring("r", &["named"]) });
    commit(&db);
    let reply = commit(&db);
    assert_eq!(reply.expired, ["a", "b", "c"]);
    assert_eq!(reply.cascaded, ["outer", "inner"], "in the order from before the commit");
    assert_eq!(
        sketch(&db, None),
        "sys(r) seq(mt:1(mc:1 never filled@2 stays@3 named@4) mt:2(mc:2)) ah"
    );
}

fn limit(policy: Policy) -> Vec<Policy> {
    vec![policy]
}

#[test]
fn pruning_takes_the_least_priority_then_the_oldest_then_the_least_id() {
    let db = store();
    let with = |id: &str, priority| Add { priority: Some(priority), ..block(id) };
    import(
        &db,
        r#"{"root":{"children":[{"id":"seq","nodeType":"^seq","children":[{"id":"t","nodeType":"mt","children":[
            {"id":"z","created_at_ns":5},{"id":"y","created_at_ns":5},{"id":"old","created_at_ns":4}]}]}]}}"#,
    );
    add(&db, with("low", -1));
    add(&db, with("high", 1));
    db.set_policies(limit(Policy { max_blocks: Some(1), ..Policy::default() })).unwrap();
    assert_eq!(commit(&db).pruned, ["low", "old", "y", "z"]);
    assert_eq!(sketch(&db, None), "sys seq(t mt:2(mc:2(high))) ah");
}

#[test]
fn pruning_leaves_pinned_referenced_recent_and_system_blocks_alone() {
    let db = store();
    add(&db, below("^sys", "system"));
    add(&db, Add { pinned: true, ..block("pinned") });
    add(&db, block("plain"));
    add(&db, block("named"));
    commit(&db);
    add(&db, block("recent"));
    commit(&db);
    add(&db, referring("head", &["named"]));
    let none = Policy { max_blocks: Some(0), ..Policy::default() };
    let policy = Policy { protect_recent_turns: Some(2), ..none.clone() };
    db.set_policies(limit(policy)).unwrap();
    assert_eq!(commit(&db).pruned, ["plain"], "the head is the newest turn, mt:2 the second");
    db.set_policies(limit(Policy { region: Some(Region::Sys), ..none.clone() })).unwrap();
    assert_eq!(commit(&db).pruned, ["system"], "a policy that names ^sys prunes it");
    db.set_policies(limit(none)).unwrap();
    assert_eq!(commit(&db).pruned, ["recent", "head", "named"], "named is free once head has gone");
    assert_eq!(sketch(&db, None).matches("pinned").count(), 1);
}

#[test]
fn limits_count_bytes_and_tokens_of_their_region() {
    let text = |id: &str, content: &str| Add { content: Some(content.into()), ..block(id) };
    let db = store();
    add(&db, text("a", "é1234"));
    add(&db, text("b", "12345"));
    add(&db, block("empty"));
    let policy = Policy { region: Some(Region::Ah), max_bytes: Some(11), ..Policy::default() };
    db.set_policies(limit(policy.clone())).unwrap();
    assert!(commit(&db).pruned.is_empty(), "6 + 5 bytes are within 11");
    assert!(commit(&db).pruned.is_empty(), "the turn is no longer in ^ah");
    db.set_policies(limit(Policy { region: Some(Region::Seq), max_bytes: Some(10), ..policy }))
        .unwrap();
    assert_eq!(commit(&db).pruned, ["a"]);

    let db = store();
    for id in ["a", "b", "c"] {
        add(&db, text(id, "12345"));
    }
    db.set_policies(limit(Policy { max_tokens: Some(4), ..Policy::default() })).unwrap();
    assert_eq!(commit(&db).pruned, ["a"], "five bytes are two tokens, each block for itself");
}

#[test]
fn pruning_cascades_too() {
    let db = store();
    add(&db, Add { removable: true, ..container("^ah", "box", 1) });
    add(&db, below("#box", "a"));
    db.set_policies(limit(Policy { max_blocks: Some(0), ..Policy::default() })).unwrap();
    let reply = commit(&db);
    assert_eq!((reply.pruned, reply.cascaded), (vec!["a".to_owned()], vec!["box".to_owned()]));
}

/// The second policy took up the block that the first had removed: it was listed twice, and counted
/// twice, so that a block stayed which had to go.
#[test]
fn a_block_goes_once_however_many_policies_ask_for_it() {
    let db = store();
    let policy = |max_blocks| Policy { max_blocks: Some(max_blocks), ..Policy::default() };
    db.set_policies(vec![policy(3), policy(1)]).unwrap();
    for id in ["a", "b", "c", "d"] {
        add(&db, block(id));
    }
    assert_eq!(commit(&db).pruned, ["a", "b", "c"]);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1(d))) ah");
    db.verify(|_| {}).unwrap();
}
