//! What people call a time, as a moment: `@'2026-03-02 18:00'`, `@-2h`, `@today`.
//!
//! The engine knows neither the hour nor the zone. Whoever types an address does, and so it is made whole
//! here, before it is sent: in the zone of this machine unless another offset is written.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, ToSpan, Zoned};
use pactdb::language::{Token, tokens};
use std::borrow::Cow;
use std::convert::Infallible;

/// A text with its clock times made whole, as of this moment. What cannot be understood stays as it is,
/// and is refused by who reads it.
pub fn settle(text: &str) -> Cow<'_, str> {
    settle_at(text, Zoned::now)
}

/// The same for an argument of the command line.
pub fn argument(text: &str) -> Result<String, Infallible> {
    Ok(settle(text).into_owned())
}

/// The same for an argument that is a time and nothing else: `12` and `c12` are `@c12`, `t-3` is `@t-3`,
/// and `2026-03-02 18:00` is what people call a time.
pub fn time(text: &str) -> Result<String, Infallible> {
    Ok(time_at(text.trim(), Zoned::now))
}

fn time_at(text: &str, now: impl Fn() -> Zoned + Copy) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let digits = text.get(1..).unwrap_or_default();
    let short = match text.as_bytes().first() {
        Some(b'c' | b'e') => is_number(digits),
        Some(b't') => is_number(digits.strip_prefix('-').unwrap_or(digits)),
        _ => false,
    };
    if is_number(text) {
        return format!("@c{text}");
    }
    if short {
        return format!("@{text}");
    }
    let quoted = format!("@'{}'", text.trim_matches(['\'', '"']));
    match settle_at(&quoted, now) {
        Cow::Owned(moment) if !text.starts_with('@') && text != "now" => moment,
        _ => settle_at(text, now).into_owned(),
    }
}

fn settle_at(text: &str, now: impl Fn() -> Zoned) -> Cow<'_, str> {
    let mut settled = String::new();
    let mut upto = 0;
    for lexeme in tokens(text) {
        let Token::TimeClock(written) = lexeme.token else { continue };
        let Some(moment) = moment(written, &now()) else { continue };
        settled.push_str(&text[upto..lexeme.span.start]);
        settled.push_str(&format!("@{}", moment.timestamp()));
        upto = lexeme.span.end;
    }
    if upto == 0 {
        return Cow::Borrowed(text);
    }
    settled.push_str(&text[upto..]);
    Cow::Owned(settled)
}

/// The moment that somebody means who is at this one.
fn moment(written: &str, now: &Zoned) -> Option<Zoned> {
    let text = written.trim_matches(['\'', '"']).trim();
    if let Some(distance) = text.strip_prefix('-') {
        return now.checked_sub(span(distance)?).ok();
    }
    if text == "now" {
        return Some(now.clone());
    }
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.to_zoned(now.time_zone().clone()));
    }
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (day, Some(time.trim())),
        None if text.contains(':') && !text.contains('-') => ("today", Some(text)),
        None => (text, None),
    };
    let date = match day {
        "today" => now.date(),
        "yesterday" => now.date().yesterday().ok()?,
        day => day.parse::<Date>().ok()?,
    };
    let time = time.map_or(Some(Time::midnight()), hour)?;
    DateTime::from_parts(date, time).to_zoned(now.time_zone().clone()).ok()
}

/// An hour of the day; one digit is enough for it.
fn hour(text: &str) -> Option<Time> {
    let text = if text.find(':') == Some(1) { format!("0{text}") } else { text.to_owned() };
    text.parse().ok()
}

/// A distance such as `2h`, `90m` or `1d12h`.
fn span(mut text: &str) -> Option<Span> {
    let mut span = Span::new();
    while !text.is_empty() {
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let amount: i64 = text[..digits].parse().ok()?;
        let rest = &text[digits..];
        let unit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let more = match &rest[..unit] {
            "s" => 1.second(),
            "m" | "min" => 1.minute(),
            "h" => 1.hour(),
            "d" => 1.day(),
            "w" => 1.week(),
            _ => return None,
        };
        span = span
            .checked_add((
                more.checked_mul(amount).ok()?,
                jiff::SpanRelativeTo::days_are_24_hours(),
            ))
            .ok()?;
        text = &rest[unit..];
    }
    Some(span)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A Wednesday in winter, at half past nine in Berlin's offset.
    fn now() -> Zoned {
        "2026-11-18T09:30:00+01:00[+01:00]".parse().unwrap()
    }

    fn settled(text: &str) -> String {
        settle_at(text, now).into_owned()
    }

    #[test]
    fn what_people_call_a_time_becomes_a_moment() {
        for (written, meant) in [
            ("@'2026-03-02 18:00' .cb", "@2026-03-02T17:00:00Z .cb"),
            ("@2026-03-02 .cb", "@2026-03-01T23:00:00Z .cb"),
            ("@2026-03-02T18:00Z", "@2026-03-02T18:00:00Z"),
            ("@-2h .cb", "@2026-11-18T06:30:00Z .cb"),
            ("@-1d2h", "@2026-11-17T06:30:00Z"),
            ("@-90m", "@2026-11-18T07:00:00Z"),
            ("@today..@now .cb", "@2026-11-17T23:00:00Z..@2026-11-18T08:30:00Z .cb"),
            ("@'yesterday 18:00'", "@2026-11-17T17:00:00Z"),
            ("@'9:05'", "@2026-11-18T08:05:00Z"),
            ("diff @-1w @t0", "diff @2026-11-11T08:30:00Z @t0"),
        ] {
            assert_eq!(settled(written), meant, "{written}");
        }
    }

    #[test]
    fn an_argument_that_is_a_time_needs_no_sign() {
        for (written, meant) in [
            ("12", "@c12"),
            ("c12", "@c12"),
            ("t0", "@t0"),
            ("t-3", "@t-3"),
            ("e7", "@e7"),
            ("@c12", "@c12"),
            ("-2h", "@2026-11-18T06:30:00Z"),
            ("@-2h", "@2026-11-18T06:30:00Z"),
            ("2026-03-02 18:00", "@2026-03-02T17:00:00Z"),
            ("'2026-03-02 18:00'", "@2026-03-02T17:00:00Z"),
            ("now", "now"),
            ("working", "working"),
            ("@c1..@c5", "@c1..@c5"),
            ("soon", "soon"),
            ("", ""),
        ] {
            assert_eq!(time_at(written, now), meant, "{written}");
        }
    }

    #[test]
    fn what_is_no_clock_time_stays() {
        for text in
            ["@t-2 .cb", "@c4..@c9 *", "add '@today is fine'", ".cb @limit=2", "#x", "@today=1"]
        {
            assert_eq!(settled(text), text);
        }
    }

    #[test]
    fn what_cannot_be_understood_stays_too() {
        for text in ["@-2x .cb", "@'some day'", "@2026-13-01", "@'25:00'", "@-99999999999999w"] {
            assert_eq!(settled(text), text);
        }
    }
}
