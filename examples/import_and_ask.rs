//! Importing a conversation that another program wrote, and asking it questions.
//!
//! Run it with `cargo run --example import_and_ask`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example prints, and needs a folder"
)]

use pactdb::session::{ImportRequest, import};
use pactdb::{Db, Generation, Result, Select};

/// A conversation as the chat API of OpenAI has it. The format is recognised.
const CONVERSATION: &str = r#"{"messages": [
    {"role": "system", "content": "You help people to find things."},
    {"role": "user", "content": "Where is the key?"},
    {"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{\"place\":\"mat\"}"}}
    ]},
    {"role": "tool", "tool_call_id": "call_1", "content": "a key, some dust"},
    {"role": "assistant", "content": "Under the mat."},
    {"role": "user", "content": "And the door?"},
    {"role": "assistant", "content": "It is green."}
]}"#;

/// Imports the conversation, and asks.
pub fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let db = Db::create(folder.path().join("memory.pactdb"), Generation::V0_1)?;

    // Each user message begins a turn, and each turn is a cycle of its own.
    let request = ImportRequest::new().name("example");
    let report = import(&db, CONVERSATION.as_bytes(), &request, &mut |_| {})?;
    println!("{}: {} blocks in {} cycles", report.format, report.blocks, report.reply.commits);

    // What did the user say? By role, in the newest snapshot.
    for node in db.nodes("@t0 .cb[role='user']")?.nodes {
        println!("the user: {:?}", node["content"]);
    }
    // Who spoke of a mat? By a pattern over contents; only the first answer.
    let mats = db.select(Select::new("@t0 .cb[content~'mat']").limit(1))?;
    println!("about a mat: {:?}", mats.ids());
    // How will that be answered?
    let explained = db.explain("@t0 .cb[content~'mat']", None)?;
    println!("{}", explained.plan.join("\n"));

    assert_eq!(db.select("@t0 .cb[role='user']")?.ids().len(), 2);
    assert_eq!(mats.ids().len(), 1);
    Ok(())
}
