//! A scan finds what looks like a secret wherever the log has it, and never says the text.

use pactdb::json::parse;
use pactdb::session::{Scanned, scan};
use pactdb::{Add, Code, Commit, Db, Generation, Json, Set};

fn store() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    (folder, db)
}

fn scanned(db: &Db, names: &[&str], own: &[&str]) -> Scanned {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    scan(db, &texts(names), &texts(own), &mut |_, _| Ok(())).unwrap()
}

/// Pattern, id, cycle, attribute, count.
fn rows(scanned: &Scanned) -> Vec<(&str, &str, u64, Option<&str>, u64)> {
    let found = scanned.found.iter();
    found.map(|s| (&*s.pattern, &*s.id, s.cycle, s.attr.as_deref(), s.count)).collect()
}

#[test]
fn each_pattern_finds_its_own_and_nothing_else() {
    let long = "a1B2".repeat(10);
    let secrets = [
        ("api-key", format!("sk-proj-{long}")),
        ("aws-key", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("github-token", format!("ghp_{long}")),
        ("google-key", format!("AIza{}", &long[..35])),
        ("slack-token", "xoxb-123456789012-abcdef".to_owned()),
        ("bearer", format!("Authorization: Bearer {long}")),
        ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl".to_owned()),
        (
            "private-key",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".into(),
        ),
        ("private-key", "-----BEGIN PRIVATE KEY-----\ncut off".into()),
        ("card", "4111 1111 1111 1111".to_owned()),
        ("card", "pay 3782-822463-10005, please".to_owned()),
    ];
    let (_folder, db) = store();
    for (i, (_, secret)) in secrets.iter().enumerate() {
        db.add(Add::user(format!("it is {secret}.")).id(format!("n{i}"))).unwrap();
    }
    let innocent = [
        "sk-short",
        "AKIA",
        "task-sk-ipped",
        "4111 1111 1111 1112",
        "x4111111111111111",
        "41111111111111110000000",
        "somebody@example.org",
        "eyJ.eyJ.",
        "1234567890123",
    ];
    for text in innocent {
        db.add(Add::user(text)).unwrap();
    }
    let found = scanned(&db, &[], &[]);
    let expected: Vec<_> = (0..secrets.len()).map(|i| (secrets[i].0, format!("n{i}"))).collect();
    let got: Vec<_> = found.found.iter().map(|s| (&*s.pattern, s.id.clone())).collect();
    assert_eq!(got, expected);
    let said = format!("{found:?}");
    assert!(secrets.iter().all(|(_, secret)| !said.contains(&secret[secret.len() - 8..])));
}

#[test]
fn it_looks_at_all_of_history_and_inside_of_values() {
    let (_folder, db) = store();
    let card = "5555555555554444";
    db.add(Add::user(card).id("undone")).unwrap();
    db.undo().unwrap();
    db.add(Add::user("hello").id("kept").attr("data_note", Json::from(card))).unwrap();
    db.commit(Commit::new()).unwrap();
    let value = parse(&format!(r#"{{"a":[{card},"{card} {card}"],"{card}":1}}"#)).unwrap();
    db.add(Add::system("before").id("rule").key("tone").cad(1).to("^sys")).unwrap();
    db.set(Set { content: Some(Some(value)), ..Set::target("#rule") }).unwrap();
    db.set(Set { content: Some(Some(Json::from("harmless"))), ..Set::target("#rule") }).unwrap();
    db.commit(Commit::new()).unwrap();
    db.commit(Commit::new()).unwrap();
    let found = scanned(&db, &[], &[]);
    let expected = vec![
        ("card", "undone", 1, None, 1),
        ("card", "kept", 1, Some("data_note"), 1),
        ("card", "rule", 2, None, 4),
    ];
    assert_eq!(rows(&found), expected);
    assert_eq!(found.events, db.events());

    // The same snapshot elsewhere: what it brings is found by its own event.
    let (_other_folder, other) = store();
    other.import_snapshot(&parse(&db.export(Some("@c1")).unwrap()).unwrap()).unwrap();
    assert_eq!(rows(&scanned(&other, &[], &[])), [("card", "kept", 1, Some("data_note"), 1)]);
}

#[test]
fn names_and_expressions_are_chosen() {
    let (_folder, db) = store();
    db.add(Add::user("ACME-123456 for somebody@example.org, 4111111111111111").id("n")).unwrap();
    let own = scanned(&db, &[], &["ACME-[0-9]{6}", "nowhere"]);
    assert_eq!(own.patterns, ["own-1", "own-2"]);
    assert_eq!(rows(&own), [("own-1", "n", 1, None, 1)]);
    assert_eq!(rows(&scanned(&db, &["email"], &[])), [("email", "n", 1, None, 1)]);
    for (names, own, words) in [
        (vec!["nothing".to_owned()], vec![], "there is no pattern 'nothing'"),
        (vec![], vec!["(".to_owned()], "own pattern 1"),
        (vec![], vec!["a*".to_owned()], "own pattern 1: it matches nothing at all"),
        (vec![], vec![r"(a)\1".to_owned()], "own pattern 1"),
        (vec![], vec!["a{1000}{1000}".to_owned()], "own pattern 1"),
        (vec![], vec!["a".to_owned(); 65], "at most 64"),
    ] {
        let error = scan(&db, &names, &own, &mut |_, _| Ok(())).unwrap_err();
        assert_eq!(error.code, Code::RequestInvalid);
        assert!(error.message.contains(words), "{}", error.message);
    }
}

#[test]
fn a_long_report_is_cut_and_counts_the_rest() {
    let (_folder, db) = store();
    for _ in 0..1003 {
        db.add(Add::user("AKIAIOSFODNN7EXAMPLE")).unwrap();
    }
    let found = scanned(&db, &[], &[]);
    assert_eq!((found.found.len(), found.more), (1000, 3));
}
