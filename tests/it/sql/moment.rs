//! A statement reads one moment: what is committed while it runs does not show in any of its tables.

use super::rows;
use crate::support::storage::Memory;
use pactdb::{Add, AttemptAction, AttemptRequest, Commit, Json, Options};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn all_tables_of_a_statement_are_of_one_moment() {
    let db = Options::new().create_on(Memory::default()).unwrap();
    for i in 0..20 {
        db.add(Add::user(format!("{i}"))).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    let stop = AtomicBool::new(false);
    let sql = "select
        (select max(cycle) from commits),
        (select max(at) from pact('@t0 .mt')),
        (select count(*) from pact('@t0 .mt')),
        (select max(at) from each('@*', '.mt')),
        (select max(cycle) from changes('@history .mt')),
        (select count(*) from lives where type = 'mt'),
        (select count(*) from events where kind = 'commit'),
        (select max(cycle) from commits),
        (select count(*) from pact('^ah .cb')),
        (select count(*) from lives where type = 'cb'),
        (select count(*) from events where kind = 'add'),
        (select count(*) from attempts),
        (select count(distinct summary) from events where kind = 'attempt' and summary like '%running%'),
        (select count(*) from attempts where status = 'completed'),
        (select count(*) from events where kind = 'attempt' and summary like '%completed%')";
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut i = 0;
            while !stop.load(Ordering::Relaxed) && i < 200 {
                i += 1;
                db.add(Add::user(format!("more {i}"))).unwrap();
                let name = Some(format!("at{i}"));
                let start = AttemptRequest { attempt_id: name.clone(), ..AttemptRequest::start() };
                db.attempt(start).unwrap();
                db.commit(Commit::new()).unwrap();
                let end = AttemptRequest {
                    attempt_id: name,
                    action: AttemptAction::Finish,
                    ..AttemptRequest::start()
                };
                db.attempt(end).unwrap();
            }
        });
        for _ in 0..8 {
            let row = rows(&db, sql).pop().unwrap();
            let number = |i: usize| row[i].as_i64().unwrap();
            let cycle = number(0);
            for i in 1..8 {
                assert_eq!(number(i), cycle, "{i} of {row:?}");
            }
            assert_eq!(number(9), number(10), "{row:?}");
            assert_eq!(number(9) - number(8), cycle, "{row:?}");
            assert_eq!(row[11], row[12], "{row:?}");
            assert_eq!(row[13], row[14], "{row:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_ne!(rows(&db, "select max(cycle) from commits")[0][0], Json::Int(20));
}
