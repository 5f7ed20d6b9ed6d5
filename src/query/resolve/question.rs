//! A selector that is asked again and again: what it means in its dialect is found out once.
//!
//! Times, controls and options are settled each time that it is asked: they depend on the store and
//! on the asker.

use super::meaning::{Meaning, meaning_of};
use crate::language::ast::Selector;
use crate::language::{Dialect, parse_selector};
use crate::query::query_error::QueryError;
use std::ops::Deref;
use std::sync::OnceLock;

/// A selector and its dialect.
#[derive(Debug)]
pub struct Question {
    selector: Selector,
    dialect: Dialect,
    meaning: OnceLock<Meaning>,
}

impl Question {
    /// Reads a text.
    pub fn read(text: &str, dialect: Dialect) -> Result<Question, QueryError> {
        let selector = parse_selector(text, dialect)?;
        Ok(Question { selector, dialect, meaning: OnceLock::new() })
    }

    /// The dialect that it is in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What it means, but for times, controls and options.
    pub(super) fn meaning(&self) -> Result<&Meaning, QueryError> {
        match self.meaning.get() {
            Some(known) => Ok(known),
            None => {
                let found = meaning_of(&self.selector, self.dialect)?;
                Ok(self.meaning.get_or_init(|| found))
            }
        }
    }
}

impl Deref for Question {
    type Target = Selector;

    fn deref(&self) -> &Selector {
        &self.selector
    }
}
