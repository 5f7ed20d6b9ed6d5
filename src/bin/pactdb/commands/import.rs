//! `import`: a history that somebody else wrote.

use crate::args::ImportArgs;
use crate::connect::is_there;
use crate::context::Context;
use crate::histories::read_document;
use pactdb::Result;
use pactdb::session::{Format, ImportRequest};

pub fn run(context: &Context, args: ImportArgs) -> Result<()> {
    let request = ImportRequest {
        format: args.kind.or(args.format).map(Format::from),
        skip_bad: args.skip_bad,
        again: args.again,
        ..ImportRequest::default()
    };
    let read = || read_document(args.file.as_deref(), request);
    let (import, generation) = context.budget().run(read)?;
    let made = !is_there(&context.store);
    let client = context.open_or_create_as(generation)?;
    let said = context.ask(&*client, import);
    if said.is_err() && made {
        // A store that was only made for this holds nothing, and goes with it.
        drop(client);
        let _ = std::fs::remove_file(&context.store);
    }
    context.print_said(said?)
}
