//! Making a store and looking after its file.

use crate::args::Spec;
use crate::context::{Context, name_of};
use crate::progress::Bar;
use crate::render::{plural, size, visible};
use pactdb::{Db, Result};

pub fn init(context: &Context, spec: Spec) -> Result<()> {
    let store = &context.store;
    let db = Db::create(store, spec.into())?;
    let spec = db.generation().name();
    let text = format!("made {} for PACT {spec}\n", visible(&name_of(store)));
    context.say(&serde_json::json!({"store": name_of(store), "spec": spec}), &text)
}

pub fn verify(context: &Context) -> Result<()> {
    let db = context.existing()?;
    let bar = Bar::new();
    let verified = db.verify(|progress| bar.show(progress))?;
    drop(bar);
    let text = format!(
        "all is well: {}, {}, {}, {}\n",
        plural(verified.events, "event"),
        plural(verified.contents, "content"),
        plural(verified.commits, "commit"),
        plural(verified.rows, "derived row"),
    );
    context.say(&verified, &text)
}

pub fn rebuild(context: &Context) -> Result<()> {
    let db = context.existing()?;
    let bar = Bar::new();
    let rebuilt = db.rebuild(|progress| bar.show(progress))?;
    drop(bar);
    let (events, commits) = (plural(rebuilt.events, "event"), plural(rebuilt.commits, "commit"));
    context.say(&rebuilt, &format!("rebuilt from {events} and {commits}\n"))
}

pub fn compact(context: &Context) -> Result<()> {
    let db = context.existing()?;
    let before = db.stats()?.sizes.file_bytes;
    let bar = Bar::new();
    bar.set("packing", 0, 1);
    let packed = db.compact()?;
    drop(bar);
    let after = db.stats()?.sizes.file_bytes;
    let mut text = format!("{} before, {} now\n", size(before), size(after));
    if !packed {
        text += "the disk has no room to write the tables anew, so they stayed as they are\n";
    }
    context.say(&serde_json::json!({"before": before, "after": after, "packed": packed}), &text)
}
