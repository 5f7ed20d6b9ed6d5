//! Nanoseconds since 1970 as the specification prints them. No clock is read here.

/// UTC, always with nine digits of fraction: `2026-01-31T12:00:00.000000000Z`.
pub fn iso_from_ns(ns: i64) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(ns)) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%S.%9fZ").to_string(),
        // Cannot happen: 64 bits of nanoseconds reach from 1677 to 2262.
        Err(_) => String::new(),
    }
}
