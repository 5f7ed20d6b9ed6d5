//! Selectors in the one form that the texts call canonical, in the dialect that they are written in or
//! in the other one.
//!
//! The canonical form has an explicit time where the dialect has an address for it, no sugar, the
//! generation's own words for types, brackets for groups, and tags in order. `own` makes it, `other`
//! says the same in the other dialect with the help of `kinds`, `legacy` mends what older texts wrote. What is rewritten finds
//! the same nodes, and is not changed by being rewritten again. Nothing here knows a store.

mod kinds;
mod legacy;
mod other;
mod own;

use super::ast::Selector;
use super::canonical::format;
use super::dialect::Dialect;
use super::parse::parse_selector;
use super::syntax_error::SyntaxError;
pub use own::canonical_form;

/// A selector, rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Its canonical text.
    pub text: String,
    /// What was done that is more than another spelling.
    pub notes: Vec<String>,
}

/// Why a selector is not rewritten: the error, and the text that it points into, in which legacy
/// tokens are mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRewritten {
    /// The error.
    pub error: SyntaxError,
    /// The text.
    pub text: String,
}

/// The canonical form of a selector, in the dialect that it is written in or in the other one. Where
/// the other one cannot say it, that is an error.
///
/// ```
/// use pactdb::Dialect;
/// use pactdb::language::rewrite;
///
/// let (old, new) = (Dialect::V0_1, Dialect::V1_0);
/// let form = |text, from, to| rewrite(text, from, to).map(|rewritten| rewritten.text);
/// assert_eq!(form(".cb(role='user')+b+a", old, old).unwrap(), ".cb[role='user']+a+b");
/// assert_eq!(form("@t0 #x > .cb", old, new).unwrap(), "@t-1 [id='x'] > .block");
/// assert!(form("@t0..@t-2 .block", new, old).is_err());
/// ```
pub fn rewrite(text: &str, from: Dialect, to: Dialect) -> Result<Rewritten, Box<NotRewritten>> {
    let (text, mut notes) = legacy::mended(text);
    let mut read = |text: &str| -> Result<String, SyntaxError> {
        let selector = canonical_form(&parse_selector(text, from)?, from);
        if from == to {
            return Ok(format(&selector, to));
        }
        let said: Selector = other::in_other_dialect(&selector, from, &mut notes)?;
        Ok(format(&canonical_form(&said, to), to))
    };
    match read(&text) {
        Ok(text) => Ok(Rewritten { text, notes }),
        Err(error) => Err(Box::new(NotRewritten { error, text })),
    }
}
