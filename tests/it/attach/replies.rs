//! Whoever is attached is answered as in this process.

use crate::protocol::clients::everything;
use crate::support::model::Model;
use crate::support::ops;
use pactdb::attach::{Access, Attached, Sharing};
use pactdb::protocol::{ClientExt, LocalClient, Nodes, handle_line, handle_streaming};
use pactdb::{Add, Code, Commit, Db, Generation, Options, Select};
use proptest::prelude::*;

/// Two stores that are alike, the second one shared.
fn stores(generation: Generation) -> (tempfile::TempDir, Db, Db) {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let options = Options::new().generation(generation).clock(1000);
        options.create(folder.path().join(name)).unwrap()
    };
    let (near, far) = (make("near.pactdb"), make("far.pactdb"));
    (folder, near, far)
}

#[test]
fn every_operation_is_answered_to_the_byte() {
    let (_folder, near, far) = stores(Generation::V0_1);
    let _sharing = Sharing::start(&far, Access::Write).unwrap();
    let attached = Attached::to(far.path().unwrap()).unwrap();
    everything(&LocalClient::new(near), &attached);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The random operations of the model, over a socket.
    #[test]
    fn random_operations_are_answered_to_the_byte(steps in ops::sequence(1..40)) {
        let (_folder, near, far) = stores(Generation::V0_1);
        let _sharing = Sharing::start(&far, Access::Write).unwrap();
        let attached = Attached::to(far.path().unwrap()).unwrap();
        let model = Model::with_clock("0.1", 1000);
        for step in steps {
            let line = step.request(&model).to_string();
            let expected = handle_line(&near, &line);
            let reply = handle_streaming(&attached, line.clone().into_bytes(), &mut |_| Ok(()));
            prop_assert_eq!(reply, expected, "{}", line);
        }
        prop_assert_eq!(near.export(None).unwrap(), far.export(None).unwrap());
    }
}

#[test]
fn an_error_points_into_the_text_that_was_sent() {
    let (_folder, near, far) = stores(Generation::V0_1);
    let _sharing = Sharing::start(&far, Access::Write).unwrap();
    let attached = Attached::to(far.path().unwrap()).unwrap();
    let wrong = Nodes { q: ".cb[role='user".into(), ..Nodes::default() };
    let error = attached.ask(wrong.clone()).unwrap_err();
    let expected = LocalClient::new(near).ask(wrong).unwrap_err();
    assert!(error.details.text.is_some());
    assert_eq!(error, expected, "the details too");
}

#[test]
fn a_store_that_is_shared_for_reading_takes_no_edits_of_others() {
    let (_folder, _, far) = stores(Generation::V0_1);
    let _sharing = Sharing::start(&far, Access::Read).unwrap();
    let attached = Attached::to(far.path().unwrap()).unwrap();
    assert_eq!(attached.hello().access, Access::Read);
    let error = attached.ask(Add::user("x")).unwrap_err();
    assert_eq!(error.code, Code::ReadOnly);
    assert!(error.message.contains("`add`"), "{error}");
    far.add(Add::user("mine").id("mine")).unwrap();
    attached.ask(Commit::new().dry_run()).unwrap();
    attached.ask(Select::new("^ah .cb")).unwrap();
}

#[test]
fn somebody_who_was_overtaken_is_told() {
    let (_folder, _, far) = stores(Generation::V0_1);
    let _sharing = Sharing::start(&far, Access::Write).unwrap();
    let attached = Attached::to(far.path().unwrap()).unwrap();
    attached.ask(Add::user("one")).unwrap();
    let seen = far.stats().unwrap().events;
    far.add(Add::user("two")).unwrap();
    let error = attached.ask(Commit::new().expecting_event(seen)).unwrap_err();
    assert_eq!(error.code, Code::Conflict);
    assert!(error.message.contains("somebody else edited"), "{error}");
    let undo = pactdb::protocol::Undo { expected_event: Some(seen as i64) };
    assert_eq!(attached.ask(undo).unwrap_err().code, Code::Conflict);
    attached.ask(Commit::new().expecting_event(seen + 1)).unwrap();
}

#[test]
fn every_store_has_an_id_of_its_own_and_so_has_its_copy() {
    let (folder, near, far) = stores(Generation::V0_1);
    let id = |db: &Db| db.id().unwrap().unwrap();
    assert_eq!(id(&near).len(), 32);
    assert_ne!(id(&near), id(&far));
    let mut text = Vec::new();
    pactdb::session::dump(&near, &mut text, &mut |_, _| {}).unwrap();
    let copy = folder.path().join("copy.pactdb");
    pactdb::protocol::load(&text[..], &copy, &mut |_| {}).unwrap();
    let copy = Db::open(copy).unwrap();
    assert_ne!(id(&copy), id(&near));
    let before = id(&near);
    let path = near.path().unwrap().to_owned();
    drop(near);
    assert_eq!(id(&Db::open(path).unwrap()), before);
}
