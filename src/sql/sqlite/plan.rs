//! What of a question a table takes: as SQLite keeps it between planning and running, and in words.

use super::table::{Op, Shape};
use std::fmt;

/// What a table takes, in the order of the values that it gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The table.
    pub(super) table: String,
    /// The columns that are looked at, a bit for each; the last bit is for all from the 64th on.
    pub(super) used: u64,
    pub(super) taken: Vec<Taken>,
}

/// One thing that a table takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// An argument, by its number.
    Arg(usize),
    /// A condition on a column.
    Condition(usize, Op),
    /// How many rows are wanted.
    Limit,
    /// How many are left out before these.
    Offset,
}

/// Rows of a table of which nothing is known. It decides only which table of a join is gone through
/// first.
const MANY: f64 = 1e6;

impl Plan {
    /// How many rows are to be expected.
    pub(super) fn estimate(&self) -> f64 {
        self.taken.iter().fold(MANY, |rows, taken| match taken {
            Taken::Condition(_, Op::Equal) => rows / 1e5,
            Taken::Condition(..) => rows / 4.0,
            Taken::Arg(_) | Taken::Limit | Taken::Offset => rows,
        })
    }

    /// Read back. What cannot be read was not written here.
    pub(super) fn read(text: &str) -> Plan {
        let mut words = text.split_whitespace();
        let table = words.next().unwrap_or_default().to_owned();
        let used = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
        let taken = words.filter_map(|word| {
            let (mark, rest) = word.split_at_checked(1)?;
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = || rest[..digits].parse().ok();
            Some(match mark {
                "a" => Taken::Arg(number()?),
                "c" => Taken::Condition(number()?, Op::of(&rest[digits..])?),
                "l" => Taken::Limit,
                "o" => Taken::Offset,
                _ => return None,
            })
        });
        Plan { table, used: used.unwrap_or(u64::MAX), taken: taken.collect() }
    }

    /// What reaches the engine beside the arguments, in words; empty if nothing does.
    pub(super) fn words(&self, shape: &Shape) -> Vec<String> {
        let words = self.taken.iter().filter_map(|taken| match taken {
            Taken::Arg(_) => None,
            Taken::Condition(column, op) => {
                Some(format!("{} {} …", shape.columns.get(*column)?.name, op.sign()))
            }
            Taken::Limit => Some("limit".to_owned()),
            Taken::Offset => Some("offset".to_owned()),
        });
        words.collect()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:x}", self.table, self.used)?;
        for taken in &self.taken {
            match taken {
                Taken::Arg(arg) => write!(f, " a{arg}")?,
                Taken::Condition(column, op) => write!(f, " c{column}{}", op.sign())?,
                Taken::Limit => f.write_str(" l")?,
                Taken::Offset => f.write_str(" o")?,
            }
        }
        Ok(())
    }
}
