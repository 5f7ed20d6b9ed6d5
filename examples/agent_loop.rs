//! An agent's loop: what the user says, a tool's result that expires, and the thread for a provider.
//!
//! The model here is a function that makes its answer up; a program of yours would send the thread to
//! a provider instead. Run it with `cargo run --example agent_loop`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example prints, and needs a folder"
)]

use pactdb::session::{ThreadFormat, thread};
use pactdb::{Add, AttemptRequest, AttemptStatus, Commit, Db, Generation, Result};

/// Runs three turns of a conversation.
pub fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let db = Db::create(folder.path().join("agent.pactdb"), Generation::V0_1)?;

    // Standing instructions live in `^sys`, before everything else, and stay.
    db.add(Add::system("You help people to find things."))?;

    for (turn, question) in ["Where is the key?", "And the door?", "Thank you."].iter().enumerate()
    {
        db.add(Add::user(*question))?;

        // A tool says a lot that is soon of no use: it goes by itself, two commits after this one.
        if turn == 0 {
            db.add(Add::tool("mat: key, dust; shelf: books, …").id("search").ttl(2))?;
        }

        // What a provider would be sent: everything that is alive, in its own format.
        let sent = thread(&db.working_state(), ThreadFormat::Openai)?;
        let call = db.attempt(AttemptRequest::start().provider("made-up").model("parrot"))?;
        let answer = ask_the_model(&sent.text);
        for started in &call {
            let end = AttemptRequest::finish(&started.attempt_id);
            db.attempt(end.status(AttemptStatus::Completed).token_out(answer.len() as u64))?;
        }
        db.add(Add::assistant(answer))?;

        // The turn is sealed: it becomes part of an immutable snapshot.
        let commit = db.commit(Commit::new())?;
        println!(
            "cycle {}: sent {} bytes, expired {:?}",
            commit.cycle,
            sent.text.len(),
            commit.expired
        );
    }

    // The tool's result has gone from what the model reads, and is still there in the past.
    assert!(db.working_state().node("search")?.is_none());
    assert!(db.snapshot(1)?.node("search")?.is_some());
    Ok(())
}

fn ask_the_model(thread: &str) -> String {
    format!("I have read {} bytes.", thread.len())
}
