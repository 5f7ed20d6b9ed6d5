//! `watch`: what happens, as it happens.

use crate::args::WatchArgs;
use crate::context::{Context, line};
use crate::output;
use crate::render::{self, Look};
use crate::signals;
use pactdb::json::from_json;
use pactdb::protocol::{Client, ClientExt, Notice, Watch};
use pactdb::session::Watched;
use pactdb::{Code, Error, Result};

pub fn run(context: &Context, args: WatchArgs) -> Result<()> {
    // Whoever watches keeps nobody from the store.
    let client = context.existing_to_stay()?;
    let request = Watch {
        q: args.q,
        from: args.from,
        after: args.after,
        limit: args.limit,
        dialect: context.dialect,
    };
    let watched = follow(&*client, request, &mut |watched| match context.json {
        true => output::exact(&format!("{}\n", line(watched)?)),
        false => output::exact(&context.look.clean(&text(context.look, watched))),
    });
    match watched {
        // That is how one ends it.
        Err(error) if error.code == Code::Cancelled && signals::came_already() => Ok(()),
        watched => watched,
    }
}

/// One event as lines for people.
pub fn text(look: Look, watched: &Watched) -> String {
    let mut text = render::steps(look, std::slice::from_ref(&watched.step));
    for (word, ids) in [("now in the result", &watched.entered), ("no longer", &watched.left)] {
        if !ids.is_empty() {
            text.push_str(&format!("  {word}: {}\n", render::visible(&ids.join(" "))));
        }
    }
    text
}

/// Gives every event to `each`, until it says that nobody looks any more.
pub fn follow(
    client: &dyn Client,
    request: Watch,
    each: &mut dyn FnMut(&Watched) -> Result<bool>,
) -> Result<()> {
    let mut left = false;
    let done = client.ask_streaming(request, &mut |notice| {
        let Notice::Part(part) = notice else { return Ok(()) };
        let watched: Watched = from_json(part)
            .map_err(|error| Error::request(format!("an event cannot be read: {error}")))?;
        left = !each(&watched)?;
        match left {
            true => Err(Error::new(Code::Cancelled, "nobody looks any more")),
            false => Ok(()),
        }
    });
    if left { Ok(()) } else { done.map(drop) }
}
