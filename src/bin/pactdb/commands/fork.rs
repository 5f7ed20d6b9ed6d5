//! `fork`, `dump` and `load`: whole histories from store to store.

use crate::args::{DumpArgs, ForkArgs, LoadArgs};
use crate::context::{Context, name_of};
use crate::histories::{dump_to_file, fork_to, open_document};
use crate::progress::Bar;
use crate::render::{plural, visible};
use pactdb::Result;
use pactdb::protocol::{Copied, Dump, dump_to, load};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

pub fn run(context: &Context, args: ForkArgs) -> Result<()> {
    let client = &*context.existing()?;
    let at = args.at.or(args.time);
    let forked = fork_to(&context.store, client, at, context.dialect, &args.new)?;
    said(context, &forked, &args.new, "forked into")
}

pub fn dump_store(context: &Context, args: &DumpArgs) -> Result<()> {
    let client = &*context.existing()?;
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        let bar = Bar::new();
        let mut out = BufWriter::new(Reader { out: std::io::stdout().lock(), left: false });
        let dumped = dump_to(client, Dump::default(), &mut out, &mut |told| bar.tell(&told));
        let left = out.get_ref().left;
        return if left { Ok(()) } else { dumped.map(drop) };
    };
    let dumped = dump_to_file(client, path)?;
    let name = name_of(path);
    let text = format!("dumped {} to {}\n", plural(dumped.events, "event"), visible(&name));
    context.say(&dumped, &text)
}

/// Somebody who reads standard output, and may leave at any time.
struct Reader<W> {
    out: W,
    left: bool,
}

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out
            .write(bytes)
            .inspect_err(|error| self.left |= error.kind() == ErrorKind::BrokenPipe)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush().inspect_err(|error| self.left |= error.kind() == ErrorKind::BrokenPipe)
    }
}

pub fn load_store(context: &Context, args: &LoadArgs) -> Result<()> {
    let (input, _, _) = open_document(args.file.as_deref())?;
    let bar = Bar::new();
    let loaded = context.budget().run(|| load(input, &args.new, &mut |told| bar.tell(&told)))?;
    drop(bar);
    said(context, &loaded, &args.new, "loaded into")
}

/// What a new store holds.
pub fn said(context: &Context, made: &Copied, path: &Path, what: &str) -> Result<()> {
    let (name, cycle) = (name_of(path), made.cycle);
    let value = serde_json::json!({"store": name, "events": made.events, "cycle": cycle});
    let events = plural(made.events, "event");
    let text = format!("{what} {}: {events}, newest cycle {cycle}\n", visible(&name));
    context.say(&value, &text)
}
