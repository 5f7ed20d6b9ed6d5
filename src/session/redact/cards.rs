//! Numbers of payment cards in a text: 13 to 19 digits, alone or in groups, with the right check
//! digit.

use std::ops::Range;

/// How many digits a number of a card has.
const DIGITS: std::ops::RangeInclusive<usize> = 13..=19;

/// Where numbers of cards are. Each begins and ends where a group of digits does.
pub(super) fn cards(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let word_goes_on = at > 0 && is_word(bytes[at - 1]);
        if !bytes[at].is_ascii_digit() || word_goes_on {
            at += 1;
            continue;
        }
        match card_at(bytes, at) {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at = group_end(bytes, at),
        }
    }
    found
}

/// Where the longest number that begins here ends.
fn card_at(bytes: &[u8], start: usize) -> Option<usize> {
    if !(b'2'..=b'6').contains(&bytes[start]) {
        return None;
    }
    let (mut digits, mut at, mut longest) = (Vec::new(), start, None);
    loop {
        let end = group_end(bytes, at);
        digits.extend_from_slice(&bytes[at..end.min(at + DIGITS.end() + 1)]);
        if digits.len() > *DIGITS.end() {
            return longest;
        }
        let ends = bytes.get(end).is_none_or(|next| !is_word(*next));
        if ends && DIGITS.contains(&digits.len()) && checks(&digits) {
            longest = Some(end);
        }
        let goes_on = matches!(bytes.get(end), Some(b' ' | b'-'))
            && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !goes_on {
            return longest;
        }
        at = end + 1;
    }
}

/// Where the digits that begin here end.
fn group_end(bytes: &[u8], start: usize) -> usize {
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit());
    start + digits.count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether the check digit is right (Luhn).
fn checks(digits: &[u8]) -> bool {
    let doubled = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let values = digits.iter().rev().map(|digit| u32::from(digit - b'0')).enumerate();
    let sum: u32 = values.map(|(i, digit)| if i % 2 == 1 { doubled(digit) } else { digit }).sum();
    sum.is_multiple_of(10)
}
