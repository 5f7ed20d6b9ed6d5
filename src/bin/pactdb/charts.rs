//! What is asked for a timeline: a range in words, and as many buckets as there are lines.

use crate::args::TimelineArgs;
use crate::clock;
use crate::render::Look;
use pactdb::Dialect;
use pactdb::protocol::Timeline;

/// How many lines a chart has where nobody says so and there is no terminal.
const LINES: u64 = 40;

/// The request for a range such as `@c10..@c400`, of which either side may be left out; one time
/// alone is where it begins.
pub fn request(args: TimelineArgs, lines: Option<u64>, dialect: Option<Dialect>) -> Timeline {
    let range = args.range.unwrap_or_default();
    let settled = clock::settle(&range);
    let (from, to) = settled.split_once("..").unwrap_or((&settled, ""));
    let side = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Timeline {
        from: side(from),
        to: side(to),
        buckets: args.buckets.or(lines),
        by: args.by.into(),
        tokens: args.tokens,
        format: args.format,
        dialect,
    }
}

/// How many lines a chart has if nobody says so.
pub fn lines(look: Look) -> u64 {
    // The names of the columns, what the signs mean, and the next prompt need a line each.
    look.height.map_or(LINES, |height| (height as u64).saturating_sub(4).max(8))
}
