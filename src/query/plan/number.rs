//! Numbers as the language compares them (R13): integers exactly, whatever their size; decimals
//! as doubles; an integer and a decimal as doubles.

use crate::json::Json;
use std::cmp::Ordering;

/// A number of a selector or of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// An integer that fits.
    Int(i128),
    /// A greater one: an optional minus sign and digits without leading zeros.
    Big(Box<str>),
    /// A decimal.
    Double(f64),
}

impl Number {
    /// Reads `[+-]?digits[.digits]`; nothing else is a number.
    pub fn parse(text: &str) -> Option<Number> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !fraction.is_none_or(digits) {
            return None;
        }
        if fraction.is_some() {
            return text.parse().ok().map(Number::Double);
        }
        Some(text.parse().map(Number::Int).unwrap_or_else(|_| {
            let sign = if text.starts_with('-') { "-" } else { "" };
            Number::Big(format!("{sign}{}", whole.trim_start_matches('0')).into())
        }))
    }

    /// The number that a JSON value is, or that its text spells.
    pub fn of_json(value: &Json) -> Option<Number> {
        match value {
            Json::Int(n) => Some(Number::Int(i128::from(*n))),
            Json::BigInt(digits) => Number::parse(digits),
            Json::Float(n) => Some(Number::Double(*n)),
            Json::Str(text) => Number::parse(text),
            _ => None,
        }
    }

    /// How two numbers compare; none only if a double is not a number.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            (Number::Double(_), _) | (_, Number::Double(_)) => {
                self.as_double().partial_cmp(&other.as_double())
            }
            (Number::Big(a), Number::Big(b)) => Some(compare_digits(a, b)),
            // A big one lies beyond every other integer, on the side of its sign.
            (Number::Big(a), _) => Some(side(a)),
            (_, Number::Big(b)) => Some(side(b).reverse()),
        }
    }

    fn as_double(&self) -> f64 {
        match self {
            Number::Int(n) => *n as f64,
            Number::Big(digits) => digits.parse().unwrap_or(f64::NAN),
            Number::Double(n) => *n,
        }
    }
}

fn side(digits: &str) -> Ordering {
    if digits.starts_with('-') { Ordering::Less } else { Ordering::Greater }
}

fn compare_digits(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => (a.len(), a).cmp(&(b.len(), b)),
        (Some(a), Some(b)) => (b.len(), b).cmp(&(a.len(), a)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
    }
}
