//! Sizes, times and counts as people read them.

use jiff::Timestamp;

/// Below this width a time is shortened.
const ROOMY: usize = 60;

/// Bytes in units that a person reads.
pub fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// A time in nanoseconds since 1970, to the second, in UTC.
pub fn instant(ns: i64) -> String {
    match Timestamp::from_nanosecond(i128::from(ns)) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        // Cannot happen: every 64-bit count lies between the years 1677 and 2262.
        Err(_) => ns.to_string(),
    }
}

/// The same, without the year and the seconds where there is little room.
pub fn instant_in(width: usize, ns: i64) -> String {
    let text = instant(ns);
    match (width < ROOMY, text.get(5..16)) {
        (true, Some(short)) => short.to_owned(),
        _ => text,
    }
}

/// A count with its noun: `1 turn`, `2 turns`, `1,204 turns`.
pub fn plural(count: u64, noun: &str) -> String {
    let ending = match (count, noun.ends_with('y')) {
        (1, _) => return format!("1 {noun}"),
        (_, true) => return format!("{} {}ies", grouped(count), noun.trim_end_matches('y')),
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(count))
}

/// A number with its thousands apart.
fn grouped(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}
