//! Ids that the engine makes (R2.6): a type prefix and a number in base 36.

use super::{ChangeError, State};
use crate::code::Code;
use crate::language::words::PseudoName;
use crate::limits::MAX_NAME_BYTES;
use crate::model::{Class, Id, ReadError};

/// How far ahead of the counter an id may lie and still move it: ids that look like the engine's
/// are stepped over at once, and a stray one does not make all later ids long.
const JUMP: u64 = 1 << 20;

/// The counter after an id came into use.
pub fn next_after(next: u64, id: &str) -> u64 {
    let number = match id.split_once(':') {
        Some(("cb" | "block", digits)) => digits,
        Some(("mc" | "cont", digits)) => digits.strip_prefix('g').unwrap_or(""),
        _ => "",
    };
    match u64::from_str_radix(number, 36) {
        Ok(number) if (next..next + JUMP).contains(&number) => number + 1,
        _ => next,
    }
}

/// The next free id for a node of a class.
pub fn fresh_id(state: &State, class: Class) -> Result<Id, ReadError> {
    let mut number = state.next_id;
    loop {
        // Containers get a letter before the number: `mc:42` is the core of turn 42.
        let mark = if class == Class::Container { "g" } else { "" };
        let id: Id = format!("{}:{mark}{}", state.word(class), base36(number)).into();
        number += 1;
        // A pseudo ends an unquoted id in a selector (R6.4): an id that the engine makes has none
        // there, so that everybody can write it down as it is.
        let ends_in_pseudo = PseudoName::ALL.iter().any(|pseudo| id.ends_with(pseudo.name()));
        if !ends_in_pseudo && !state.was_used(&id)? {
            return Ok(id);
        }
    }
}

/// The id of the turn of a cycle, or of its core: `mt:42`, or `mt:42-2` if that is taken.
pub fn cycle_id(state: &State, class: Class, cycle: u64) -> Result<Id, ReadError> {
    let word = state.word(class);
    let mut id: Id = format!("{word}:{cycle}").into();
    let mut number = 2;
    while state.was_used(&id)? {
        id = format!("{word}:{cycle}-{number}").into();
        number += 1;
    }
    Ok(id)
}

/// Judges an id that an edit supplies.
pub fn check_given_id(state: &State, id: &str) -> Result<(), ChangeError> {
    if id.is_empty() {
        return Err(ChangeError::new(
            Code::AttrInvalid,
            "an id cannot be empty: leave it out to have one made",
        ));
    }
    if id.len() > MAX_NAME_BYTES {
        let message = format!("an id has at most {MAX_NAME_BYTES} bytes, this one {}", id.len());
        return Err(ChangeError::new(Code::Limit, message));
    }
    if is_cycle_shaped(id) {
        return Err(ChangeError::new(
            Code::AttrReserved,
            format!("{id} is reserved for the turn of a cycle or its core; choose another id"),
        ));
    }
    if state.was_used(id)? {
        return Err(ChangeError::new(
            Code::NodeExists,
            format!("the id {id} was used before; ids are never given twice, so choose another"),
        ));
    }
    Ok(())
}

/// Whether an id looks like `mt:42` or `mc:42`, in either vocabulary.
fn is_cycle_shaped(id: &str) -> bool {
    let Some((word, number)) = id.split_once(':') else { return false };
    matches!(word, "mt" | "mc" | "seg" | "cont")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}
