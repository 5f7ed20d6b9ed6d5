//! Watching: every event once and in order, from the past into the present, and only what concerns a
//! selector.

use pactdb::attach::{Access, Attached, Sharing};
use pactdb::json::from_json;
use pactdb::protocol::{Client, ClientExt, LocalClient, Notice, Watch, WatchedUntil};
use pactdb::session::{Watched, What};
use pactdb::{Add, Code, Commit, Db, Generation, Set};
use std::sync::mpsc::channel;

fn store() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    (folder, db)
}

/// Watches until the limit.
fn watched(client: &dyn Client, request: Watch) -> (Vec<Watched>, WatchedUntil) {
    let mut seen = Vec::new();
    let until = client.ask_streaming(request, &mut |notice| {
        if let Notice::Part(part) = notice {
            seen.push(from_json(part).unwrap());
        }
        Ok(())
    });
    (seen, until.unwrap().reply)
}

#[test]
fn there_is_no_gap_between_the_past_and_the_present() {
    let (_folder, db) = store();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    for i in 0..50 {
        db.add(Add::user(format!("{i}"))).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    let before = db.cycle_info(19).unwrap();
    let (first, total) = (before.seq + 1, 50 * 4);
    let clients: Vec<Box<dyn Client>> = vec![
        Box::new(LocalClient::new(db.clone())),
        Box::new(Attached::to(db.path().unwrap()).unwrap()),
        Box::new(Attached::to(db.path().unwrap()).unwrap()),
    ];
    std::thread::scope(|scope| {
        let limit = Some(total - before.seq);
        let request = Watch { from: Some("@c20".into()), limit, ..Watch::default() };
        let watching: Vec<_> = clients
            .iter()
            .map(|client| {
                let request = request.clone();
                scope.spawn(move || watched(&**client, request))
            })
            .collect();
        for i in 0..60 {
            db.add(Add::user(format!("later {i}"))).unwrap();
            db.commit(Commit::new()).unwrap();
        }
        for watching in watching {
            let (seen, until) = watching.join().unwrap();
            let seqs: Vec<u64> = seen.iter().map(|seen| seen.step.entry.seq).collect();
            assert_eq!(seqs, (first..first + total - before.seq).collect::<Vec<_>>());
            assert_eq!(until.after, *seqs.last().unwrap());
            assert_eq!(until.told, seqs.len() as u64);
        }
    });
}

#[test]
fn a_watch_begins_with_what_is_to_come() {
    let (_folder, db) = store();
    db.add(Add::user("before")).unwrap();
    db.commit(Commit::new()).unwrap();
    db.add(Add::user("uncommitted before")).unwrap();
    let mut watch = pactdb::session::Watch::new(&db, &Default::default()).unwrap();
    assert_eq!(watch.next_there().unwrap(), None);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || sender.send(watch.wait().unwrap()).unwrap());
        db.add(Add::user("after").id("after")).unwrap();
        let seen = receiver.recv().unwrap();
        assert_eq!((seen.step.entry.kind.as_str(), &*seen.step.changes[0].id), ("add", "after"));
    });
}

#[test]
fn a_selector_shows_what_changes_its_result() {
    let (_folder, db) = store();
    db.add(Add::tool("first").id("first").ttl(1)).unwrap();
    let request = pactdb::session::WatchRequest {
        select: Some(".cb[role='tool']".into()),
        ..Default::default()
    };
    let mut watch = pactdb::session::Watch::new(&db, &request).unwrap();
    db.add(Add::user("not meant").id("other")).unwrap();
    db.add(Add::tool("second").id("second")).unwrap();
    db.set(Set::target("#second").content("changed")).unwrap();
    db.commit(Commit::new()).unwrap();
    db.commit(Commit::new()).unwrap();
    db.add(Add::user("not meant either")).unwrap();
    let mut seen = vec![watch.wait().unwrap()];
    while let Some(step) = watch.next_there().unwrap() {
        seen.push(step);
    }
    let told: Vec<(&str, Vec<&str>, Vec<&str>)> = seen
        .iter()
        .map(|seen| {
            (
                seen.step.entry.kind.as_str(),
                seen.entered.iter().map(|id| &**id).collect(),
                seen.left.iter().map(|id| &**id).collect(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("add", vec!["second"], vec![]),
            ("set", vec![], vec![]),
            ("commit", vec![], vec!["first"]),
        ]
    );
    let expired = seen[2].step.changes.iter().find(|change| change.id == "first").unwrap();
    assert_eq!(expired.what, What::Expired);
}

#[test]
fn a_watch_that_cannot_be_is_refused() {
    let (_folder, db) = store();
    let client = LocalClient::new(db);
    assert_eq!(client.ask(Watch::default()).unwrap_err().code, Code::RequestInvalid);
    let both = Watch { from: Some("@c1".into()), after: Some(1), ..Watch::default() };
    let error = client.ask_streaming(both, &mut |_| Ok(())).unwrap_err();
    assert!(error.message.contains("both say where to begin"), "{error}");
    let wrong = Watch { q: Some(".cb[".into()), ..Watch::default() };
    assert_eq!(
        client.ask_streaming(wrong, &mut |_| Ok(())).unwrap_err().code,
        Code::SelectorInvalid
    );
}
