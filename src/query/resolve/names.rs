//! What the names of a selector mean in its dialect, and the bound on its regular expressions.

use crate::language::ast::Base;
use crate::language::{Dialect, Span};
use crate::limits::MAX_PATTERNS;
use crate::model::Class;
use crate::query::plan::{Attr, Check, ClassSet, Test, TextAttr};
use crate::query::query_error::QueryError;

/// Gives names their meaning in a dialect, for one selector.
pub(super) struct Names {
    dialect: Dialect,
    patterns: usize,
}

impl Names {
    pub(super) fn new(dialect: Dialect) -> Names {
        Names { dialect, patterns: 0 }
    }

    /// Counts a regular expression against the bound.
    pub(super) fn count_pattern(&mut self, at: Span) -> Result<(), QueryError> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            let message = format!("a selector has at most {MAX_PATTERNS} regular expressions");
            return Err(QueryError::invalid(at, message));
        }
        Ok(())
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// `.base:name`: the class of the base, and the kind where kinds are sets, which hold what
    /// types say (R14.5); else one of the types that count (R6.3).
    pub(super) fn based_tests(&self, base: Base, name: &str) -> Vec<Test> {
        let named = if self.dialect.kind_is_a_set() {
            Test::Attr(Attr::Kinds, Check::OneText(std::iter::once(name.into()).collect()))
        } else {
            let spelled = base.names().map(|word| format!("{word}:{name}").into());
            let types = spelled.into_iter().chain([name.into()]).collect();
            Test::Attr(Attr::Text(TextAttr::NODE_TYPE), Check::OneText(types))
        };
        vec![Test::Class(ClassSet::of(&[class_of(base)])), named]
    }
}

pub(super) fn class_of(base: Base) -> Class {
    match base {
        Base::Turn => Class::Turn,
        Base::Container => Class::Container,
        Base::Block => Class::Block,
    }
}
