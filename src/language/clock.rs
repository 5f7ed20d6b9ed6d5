//! Clock times in addresses: `@2026-03-02T18:00Z`.
//!
//! A moment is named by a date, a time and an offset from UTC, and by nothing else: what time it is
//! now, and in which zone, is known to whoever asks and not to the language. No clock is read here.

/// The moment that the text behind `@` names, in nanoseconds since 1970; none if it does not name one
/// by itself. It may be quoted, and a space may stand for the `T`.
pub(crate) fn moment(text: &str) -> Option<i64> {
    let text = text.trim_matches(['\'', '"']).trim();
    // Other spellings of the library that reads times are not part of the language.
    let plain = |c: char| c.is_ascii_digit() || "-:+.TtZz ".contains(c);
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.chars().all(plain) {
        return None;
    }
    let time: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(time.as_nanosecond()).ok()
}

/// The text of a moment, with as much of a fraction as it has.
pub(crate) fn text(ns: i64) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(ns)) {
        Ok(time) => format!("@{time}"),
        // Cannot happen: 64 bits of nanoseconds reach from 1677 to 2262.
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_a_date_a_time_and_an_offset() {
        for same in [
            "2026-03-02T18:00Z",
            "'2026-03-02 18:00Z'",
            "\"2026-03-02T19:00:00+01:00\"",
            "2026-03-02T12:30-05:30",
            "2026-03-02T18:00:00.000000000Z",
        ] {
            assert_eq!(moment(same), Some(1_772_474_400_000_000_000), "{same}");
        }
        assert_eq!(text(1_772_474_400_000_000_000), "@2026-03-02T18:00:00Z");
        assert_eq!(moment(&text(1_500_000_000)[1..]), Some(1_500_000_000));
        for none in
            ["2026-03-02", "2026-03-02T18:00", "-2h", "today", "''", "2026-13-02T18:00Z", ""]
        {
            assert_eq!(moment(none), None, "{none}");
        }
        assert_eq!(moment("2400-01-01T00:00Z"), None, "beyond 64 bits");
        assert_eq!(moment("2026-03-02T18:00+01[Europe/Berlin]"), None);
    }
}
