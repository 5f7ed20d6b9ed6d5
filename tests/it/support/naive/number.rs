//! Numbers as texts: integers of any size compare exactly, decimals as doubles (R13).

use std::cmp::Ordering;

/// Whether a text is `[+-]?digits[.digits]`.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match digits.split_once('.') {
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => all_digits(digits),
    }
}

/// Compares two texts of numbers, of a selector or of a document.
pub(crate) fn compare_numbers(a: &str, b: &str) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some((a_below, a)), Some((b_below, b))) => {
            let size = a.len().cmp(&b.len()).then(a.cmp(&b));
            Some(match (a_below, b_below) {
                (false, false) => size,
                (true, true) => size.reverse(),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            })
        }
        _ => a.parse::<f64>().ok()?.partial_cmp(&b.parse::<f64>().ok()?),
    }
}

/// Whether it is below zero, and its digits without zeros in front.
fn integer(text: &str) -> Option<(bool, String)> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    Some((text.starts_with('-') && !digits.is_empty(), digits.to_owned()))
}
