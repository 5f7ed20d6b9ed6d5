//! Nothing is silently empty: a name that nothing has is said, with what is near it, and never of a
//! name that something has. What a person types may ask for ages in the working state.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::storage::Memory;
use pactdb::protocol::handle_line;
use pactdb::{
    Add, Code, Commit, Db, Dialect, Json, Options, Remove, Select, SelectOptions, Selected,
};
use serde_json::{Value, json};

/// A store of so many cycles: a user and an assistant in each, a result that expires after two, a plan
/// in `^sys`.
fn store(cycles: u64) -> Db {
    let db = Options::new().create_on(Memory::default()).unwrap();
    db.add(Add::system("Be brief.").id("manner").key("manner").to("^sys")).unwrap();
    for cycle in 1..=cycles {
        db.add(Add::user(format!("question {cycle}")).id(format!("q{cycle}")).kind("ask")).unwrap();
        let mut answer = Add::assistant("so").id(format!("a{cycle}")).node_type("cb:summary");
        answer = answer.tags(["plan"]).attr("data_tool_name", Json::from("map"));
        db.add(answer).unwrap();
        db.add(Add::tool("rain").id(format!("r{cycle}")).ttl(2)).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    db
}

fn warnings(db: &Db, question: impl Into<Select>) -> Vec<String> {
    match db.select(question).unwrap() {
        Selected::Ids { warnings, .. } => warnings,
        Selected::Range(range) => range.warnings,
    }
}

fn typed(q: &str) -> Select {
    Select::new(q).options(SelectOptions { typed: true, ..SelectOptions::default() })
}

#[test]
fn a_name_that_nothing_has_is_said_with_what_is_near_it() {
    // Before the first checkpoint of the index, and long after it.
    for db in [store(5), store(150)] {
        for (q, said) in [
            (
                ".cb:nope",
                "`:nope` is no pseudo, and no node has this kind or type (there are `ask`, `summary`)",
            ),
            (".cb:sumary", "(did you mean `summary`?)"),
            ("@t0 .cb[role='uesr']", "no node has the role `uesr` (did you mean `user`?)"),
            ("@* .cb[role='uesr']", "no node has the role `uesr` (did you mean `user`?)"),
            (".cb+pln", "no node has the tag `pln` (did you mean `plan`?)"),
            ("+absolutely", "no node has the tag `absolutely` (there is `plan`)"),
            (".cb[kind=aks]", "no node has the kind `aks` (did you mean `ask`?)"),
            (".ask", "no node has the type `ask`; the kind is `[kind='ask']`"),
            (".blok", "no node has the type `blok` (did you mean `block`?)"),
            (".summari", "no node has the type `summari` (did you mean `summary`?)"),
            (".cb[nodeType='cb:x']", "`:x` is no pseudo"),
            ("#manne", "no node has the id `manne` (did you mean `#manner`?)"),
            ("[key='manne']", "no node has the key `manne` (did you mean `manner`?)"),
            (".cb[tool_nam=map]", "no node has the attribute `tool_nam`"),
            (".cb[data_tool_nam=map]", "(did you mean `data_tool_name`?)"),
            (".cb[size>100]", "bytes are counted by a stage"),
            ("@c1 .cb[role in ['a', 'user', 'uesr']] .cb", "no node has the role `a`"),
        ] {
            let found = warnings(&db, q);
            assert!(found.first().is_some_and(|first| first.contains(said)), "{q}: {found:?}");
        }
        assert!(warnings(&db, "@t-1..@t0 .cb[role='uesr']")[0].contains("`user`"));
    }
}

/// A kind that only expired nodes had was said to be unknown while the index did not have their turns
/// yet, also beside an answer with such nodes.
#[test]
fn what_nodes_had_that_are_gone_is_known() {
    for cycles in [5, 70, 150] {
        let db = store(cycles);
        db.add(Add::tool("wind").kind("forecast").tags(["weather"]).ttl(1)).unwrap();
        db.add(Add::system("Once.").key("once").to("^sys").ttl(1)).unwrap();
        for _ in 0..3 {
            db.commit(Commit::new()).unwrap();
        }
        for q in ["@t0 .cb[kind='forecast']", "@t0 .cb+weather", "@t0 .cb[key='once']"] {
            assert!(db.select(q).unwrap().ids().is_empty(), "{q}");
            assert_eq!(warnings(&db, typed(q)), [""; 0], "{q}");
        }
        let every = typed("@* .cb[kind='forecast']");
        assert_eq!(db.select(every.clone()).unwrap().ids().len(), 1);
        assert_eq!(warnings(&db, every), [""; 0]);
    }
}

#[test]
fn names_that_something_has_are_never_called_unknown() {
    for cycles in [1, 3, 70, 150] {
        let db = store(cycles);
        for at in ["", "@t0 ", "@c1 ", "@* "] {
            for q in [
                ".cb[role='user'] *",
                ".cb[role='tool'][role='user']",
                ".cb:ask .cb",
                ".cb:summary .cb",
                ".summary .cb",
                ".cb[type=summary] *",
                ".cb+plan *",
                "[data_tool_name=map] *",
                "[tool_name=map] *",
                "[key=manner] *",
                "#manner *",
                ".cb[content~'nowhere']",
                ".cb[ttl>9] .cb",
                "#q1 ?? #draft ?? .cb[ttl>9]",
            ] {
                let said = warnings(&db, format!("{at}{q}"));
                let about_draft = said.iter().filter(|said| !said.contains("`draft`"));
                assert_eq!(about_draft.count(), 0, "{at}{q} after {cycles} cycles: {said:?}");
            }
        }
    }
}

#[cfg(feature = "sql")]
#[test]
fn stages_name_what_nothing_has() {
    let db = store(5);
    let reply = ask(&db, json!({"op": "sql", "q": "@t0 .cb[role='uesr'] | count"}));
    assert_eq!(reply["ok"]["rows"], json!([[0]]));
    assert_eq!(reply["warnings"], json!(["no node has the role `uesr` (did you mean `user`?)"]));
    let reply = ask(&db, json!({"op": "sql", "q": ".cb[age>2][role='user'] | count"}));
    assert_eq!(
        reply,
        json!({"ok": {"columns": [{"name": "count", "type": null}],
        "rows": [[3]], "truncated": false}})
    );
}

#[test]
fn a_node_that_is_gone_is_said_to_have_been() {
    let db = store(80);
    db.remove(Remove::target("#manner")).unwrap();
    for (q, said) in [
        ("@t0 #r9", "`r9` is not in @c80; it ended in cycle 11 (expired): ask `@c10` or `@*`"),
        ("#r9", "`r9` is not in the working state; it ended in cycle 11 (expired)"),
        ("@c3 #r9", "`r9` is not in @c3; it came in cycle 9: ask `@c9` or `@*`"),
        ("#manner", "`manner` is not in the working state; an edit took it away after `@c80`"),
    ] {
        let found = warnings(&db, q);
        assert!(found.len() == 1 && found[0].starts_with(said), "{q}: {found:?}");
    }
    assert_eq!(warnings(&db, "@c10 #r9"), [""; 0]);
    assert_eq!(warnings(&db, "@* #r9"), [""; 0]);
}

#[test]
fn an_answer_that_found_something_says_it_only_to_people() {
    let db = store(5);
    assert_eq!(warnings(&db, "#q1, #q99"), [""; 0]);
    assert_eq!(warnings(&db, typed("#q1, #q99")).len(), 1);
    assert_eq!(warnings(&db, typed("#q99 ?? #q1")), [""; 0], "it has another way out");
    assert_eq!(warnings(&db, typed("#q1, #q2")), [""; 0]);
    let advice = db.explain("#q1, #q99", None).unwrap().advice;
    assert!(advice.iter().any(|line| line.contains("`q99`")), "{advice:?}");
}

#[test]
fn an_edit_that_matches_nothing_names_what_is_near() {
    let db = store(2);
    let error = db.remove(Remove::target("#manne")).unwrap_err();
    assert_eq!(error.code, Code::NodeNotFound);
    let said = "(no node has the id `manne` (did you mean `#manner`?); a target that ends in";
    assert!(error.message.contains(said), "{error}");
    let error = db.add(Add::user("x").to("#nowhere")).unwrap_err();
    assert_eq!(error.code, Code::InvalidParent);
    assert!(error.message.contains("no node has the id `nowhere`"), "{error}");
}

#[test]
fn people_ask_for_ages_in_the_working_state() {
    let db = store(5);
    let asked = |q: &str| db.select(typed(q)).map(|found| found.ids().to_vec());
    // Ages are counted to the cycle that the working state will get, as a tree shows them.
    for (q, ids) in [
        (".cb[age=5][role='user']", ["q1"]),
        (".cb[depth=1][role='user']", ["q5"]),
        (".cb[born_turn=3][role='user']", ["q3"]),
        (".cb[sdepth=2]", ["manner"]),
    ] {
        assert_eq!(asked(q).unwrap().iter().map(|id| &**id).collect::<Vec<_>>(), ids, "{q}");
        assert_eq!(db.select(q).unwrap_err().code, Code::SelectorInvalid, "{q}");
        let same = Select::new(format!("@t0 {q}")).dialect(Some(Dialect::V1_0));
        assert_eq!(db.select(same).unwrap().ids(), asked(q).unwrap(), "{q}");
    }
}

fn ask(db: &Db, request: Value) -> Value {
    serde_json::from_str(&handle_line(db, &request.to_string())).unwrap()
}

#[test]
fn an_answer_that_is_cut_can_be_counted() {
    let db = store(70);
    let count = |q: &str| {
        let state = ask(&db, json!({"op": "state", "q": q, "count": true}));
        (state["ok"]["total"].as_u64(), state["ok"]["more"].as_bool())
    };
    assert_eq!(count("@t0 .cb[role='user'] @limit=2"), (Some(70), None));
    assert_eq!(count("@* .cb[role='tool'] @skip=9"), (Some(70), None));
    assert_eq!(count(".cb[age>1][role='user'] @first"), (Some(69), None));
    assert_eq!(count("@t-1..@t0 .cb"), (None, None));
    let state = ask(&db, json!({"op": "state", "q": "@t0 .cb"}));
    assert!(state["ok"].get("total").is_none());
    let explained = ask(&db, json!({"op": "explain", "q": "@* .cb[role='tool'] @limit=6"}));
    let finds = &explained["ok"]["finds"];
    assert_eq!((&finds["results"], &finds["more"]), (&json!(6), &json!(false)));
    assert_eq!(finds["first"].as_array().unwrap().len(), 5);
}
