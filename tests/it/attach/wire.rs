//! The connection itself: who is let in, what is bounded, what ends.

use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{GenericFilePath, Stream, ToFsName};
use pactdb::attach::{Access, Attached, Sharing};
use pactdb::protocol::{Client, ClientExt, Envelope, GetStats, Selection, Watch};
use pactdb::{Add, Budget, Cancel, Code, Commit, Db, Error, Generation, Select};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

/// A store with many snapshots.
fn long() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    for i in 0..300 {
        db.add(Add::user(format!("message {i}"))).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    (folder, db)
}

/// A request that ends only if somebody ends it.
const ENDLESS: &str = "{\"op\":\"watch\",\"stream\":true,\"after\":0,\"rid\":\"slow\"}";

/// The socket of a store, found as somebody would who looks for it.
#[cfg(unix)]
fn socket(db: &Db) -> PathBuf {
    use std::os::unix::fs::MetadataExt;
    let file = std::fs::metadata(db.path().unwrap()).unwrap();
    let name = format!("{:x}-{:x}.sock", file.dev(), file.ino());
    let user = std::fs::metadata("/proc/self").map_or(0, |own| own.uid());
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folders = [
        runtime.map(|folder| folder.join("pactdb")),
        Some(PathBuf::from(format!("/run/user/{user}/pactdb"))),
        Some(std::env::temp_dir().join(format!("pactdb-{user}"))),
        Some(PathBuf::from(format!("/tmp/pactdb-{user}"))),
    ];
    let found = folders.into_iter().flatten().map(|folder| folder.join(&name));
    found.into_iter().find(|path| path.exists()).expect("a socket")
}

#[cfg(unix)]
fn connect(db: &Db) -> BufReader<Stream> {
    let path = socket(db);
    BufReader::new(Stream::connect(path.to_fs_name::<GenericFilePath>().unwrap()).unwrap())
}

fn send(stream: &BufReader<Stream>, text: &str) {
    let mut stream = stream.get_ref();
    stream.write_all(text.as_bytes()).unwrap();
}

fn line(stream: &mut BufReader<Stream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line
}

#[cfg(unix)]
#[test]
fn the_socket_is_private_and_goes_with_the_sharing() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, db) = long();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    let path = socket(&db);
    let folder = std::fs::metadata(path.parent().unwrap()).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    drop(sharing);
    assert!(!path.exists());
    let error = Attached::to(db.path().unwrap()).unwrap_err();
    assert_eq!(error.code, Code::StoreLocked);
    assert!(error.io_kind().is_some(), "{error}");
    // What somebody left who was killed is replaced.
    std::fs::write(&path, "left behind").unwrap();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    Attached::to(db.path().unwrap()).unwrap().ask(GetStats::default()).unwrap();
}

/// Systems tidy their temporary folders, and an agent runs for weeks.
#[cfg(unix)]
#[test]
fn a_socket_that_was_taken_away_keeps_nobody_from_ending() {
    let (_folder, db) = long();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    std::fs::remove_file(socket(&db)).unwrap();
    drop(sharing);
    let _again = Sharing::start(&db, Access::Write).unwrap();
    Attached::to(db.path().unwrap()).unwrap().ask(GetStats::default()).unwrap();
}

#[cfg(unix)]
#[test]
fn requests_are_answered_in_their_order_after_one_hello() {
    let (_folder, db) = long();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    let mut stream = connect(&db);
    let hello = line(&mut stream);
    let parsed: serde_json::Value = serde_json::from_str(&hello).unwrap();
    assert_eq!(parsed["protocol"], 1, "{hello}");
    assert_eq!(parsed["cycle"], 300);
    assert_eq!(parsed["process"], std::process::id());
    assert_eq!(parsed["store"], db.id().unwrap().unwrap());
    send(
        &stream,
        "{\"op\":\"select\",\"q\":\"#cb:1\",\"rid\":1}\nnonsense\n{\"op\":\"stats\",\"rid\":3}\n",
    );
    assert_eq!(line(&mut stream), "{\"rid\":1,\"ok\":[\"cb:1\"]}\n");
    assert!(line(&mut stream).contains("E_REQUEST_INVALID"));
    assert!(line(&mut stream).starts_with("{\"rid\":3,\"ok\":{"));
    // A line without its end was not meant yet.
    send(&stream, "{\"op\":\"add\",\"id\":\"half\",\"content\":\"x\"}");
    drop(stream);
    let other = Attached::to(db.path().unwrap()).unwrap();
    other.ask(Add::user("whole").id("whole")).unwrap();
    assert!(db.at(None).unwrap().node("half").unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_request_is_ended_by_its_rid_and_by_leaving() {
    let (_folder, db) = long();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    let mut stream = connect(&db);
    line(&mut stream);
    send(&stream, &format!("{ENDLESS}\n"));
    let part = line(&mut stream);
    assert!(part.starts_with("{\"rid\":\"slow\",\"part\":"), "{part}");
    send(
        &stream,
        "{\"cancel\":\"another\"}\n{\"cancel\":\"slow\"}\n{\"op\":\"stats\",\"rid\":2}\n",
    );
    let last = loop {
        let came = line(&mut stream);
        if !came.contains("\"part\"") {
            break came;
        }
    };
    assert!(last.contains("E_CANCELLED") && last.contains("\"rid\":\"slow\""), "{last}");
    assert!(line(&mut stream).starts_with("{\"rid\":2,\"ok\":{"), "the next one is answered");
    // Whoever leaves in the middle keeps nobody from closing the store.
    send(&stream, &format!("{ENDLESS}\n"));
    line(&mut stream);
    drop(stream);
    db.commit(Commit::new()).unwrap();
}

#[test]
fn the_budget_of_the_caller_ends_the_question_in_the_holder() {
    let (_folder, db) = long();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    let attached = Attached::to(db.path().unwrap()).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let watched = Budget::new()
        .cancelled_by(&cancel)
        .run(|| attached.ask_streaming(Watch::default(), &mut |_| Ok(())));
    assert!(watched.is_err_and(|error| error.code == Code::Cancelled));
    // A sink that refuses ends it too, and its own error comes back.
    let from_start = Watch { after: Some(0), ..Watch::default() };
    let refused = attached.ask_streaming(from_start, &mut |_| Err(Error::request("enough")));
    assert_eq!(refused.unwrap_err().message, "enough");
    let bounded =
        Envelope { timeout_ms: Some(30), stream: true, ..Envelope::new(Watch::default()) };
    let error = attached.call(bounded, &mut |_| Ok(())).result.unwrap_err();
    assert_eq!(error.code, Code::Timeout);
    let next = attached.ask(Select::new("#cb:1")).unwrap();
    assert_eq!(next, Selection::Ids(vec!["cb:1".into()]));
}

#[cfg(unix)]
#[test]
fn a_client_that_does_not_read_keeps_nobody_waiting() {
    let (_folder, db) = long();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    let mut idle = connect(&db);
    line(&mut idle);
    for i in 0..20 {
        send(&idle, &format!("{{\"op\":\"dump\",\"stream\":true,\"rid\":{i}}}\n"));
    }
    let other = Attached::to(db.path().unwrap()).unwrap();
    for i in 0..20 {
        other.ask(Add::user(format!("while nobody reads {i}"))).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    drop(sharing);
    assert_eq!(other.ask(GetStats::default()).unwrap_err().code, Code::StoreGone);
    drop(idle);
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let (_folder, db) = long();
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    let path = db.path().unwrap();
    let most = pactdb::limits::MAX_CONNECTIONS;
    let mut all: Vec<Attached> = (0..most).map(|_| Attached::to(path).unwrap()).collect();
    let refused = Attached::to(path).unwrap_err();
    assert_eq!(refused.code, Code::Limit);
    assert!(refused.message.contains(&most.to_string()), "{refused}");
    all.pop();
    // The holder hears of it a little later.
    let again = (0..1000).find_map(|_| {
        std::thread::yield_now();
        Attached::to(path).ok()
    });
    again.expect("a place was given back").ask(GetStats::default()).unwrap();
    all.first().unwrap().ask(GetStats::default()).unwrap();
}

#[test]
fn another_version_of_the_protocol_is_said_so() {
    // A holder of the future, at the place of this store's own.
    let (_folder, db) = long();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    #[cfg(unix)]
    {
        use interprocess::local_socket::ListenerOptions;
        use interprocess::local_socket::traits::Listener as _;
        let path = socket(&db);
        drop(sharing);
        let name = path.to_fs_name::<GenericFilePath>().unwrap();
        let listener = ListenerOptions::new().name(name).create_sync().unwrap();
        let other = std::thread::spawn(move || {
            for said in ["{\"pactdb\":\"9.0\",\"protocol\":9}\n", "hello\n", "{}\n", ""] {
                let mut stream = &listener.accept().unwrap();
                stream.write_all(said.as_bytes()).unwrap();
            }
        });
        let path = db.path().unwrap();
        let errors: Vec<_> = (0..4).map(|_| Attached::to(path).unwrap_err()).collect();
        assert!(errors[0].message.contains("version 9"), "{}", errors[0]);
        assert!(errors[1].message.contains("does not speak pactdb"), "{}", errors[1]);
        assert!(errors[2].message.contains("no version"), "{}", errors[2]);
        assert!(errors[3].io_kind().is_some(), "nobody was there: {}", errors[3]);
        other.join().unwrap();
    }
}
