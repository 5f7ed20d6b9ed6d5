//! What is asked for a timeline: a range in words, and as many buckets as there are lines.

use crate::clock;
use crate::render::Look;
use pactdb::Dialect;
use pactdb::protocol::Timeline;

/// How many lines a chart has where nobody says so and there is no terminal.
const LINES: u64 = 40;

/// The request for a range such as `@c10..@c400`, of which either side may be left out; one time
/// alone is where it begins.
pub fn request(range: &str, look: Look, dialect: Option<Dialect>) -> Timeline {
    let settled = clock::settle(range);
    let (from, to) = settled.split_once("..").unwrap_or((&settled, ""));
    let side = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    // The names of the columns, what the signs mean, and the next prompt need a line each.
    let lines = look.height.map_or(LINES, |height| (height as u64).saturating_sub(4).max(8));
    Timeline {
        from: side(from),
        to: side(to),
        buckets: Some(lines),
        dialect,
        ..Timeline::default()
    }
}
