//! What stands around the cursor: the tokens before it, and the words that may be asked for.

use super::vocabulary::{Vocabulary, Words};
use crate::language::dialect::Dialect;
use crate::language::lexing::{Lexeme, Token};
use crate::language::words::{Base, Keyword};
use std::rc::Rc;

/// What completion depends on beside the text.
#[derive(Clone, Copy)]
pub struct CompletionContext<'a> {
    /// The dialect of questions.
    pub dialect: Dialect,
    /// The store's own dialect, which edits are in.
    pub store_dialect: Dialect,
    /// Who knows the words of the store.
    pub vocabulary: &'a dyn Vocabulary,
}

/// A text up to the cursor.
pub(super) struct Surroundings<'a> {
    pub(super) text: &'a str,
    pub(super) lexemes: &'a [Lexeme<'a>],
    /// Whether the cursor is inside `:has(…)` or `:not(…)`, which have no times, no controls and nothing
    /// that counts.
    pub(super) nested: bool,
    pub(super) context: &'a CompletionContext<'a>,
}

impl Surroundings<'_> {
    /// The keyword that the text begins with.
    pub(super) fn leading(&self) -> Option<Keyword> {
        match self.lexemes.iter().find(|lexeme| lexeme.token != Token::Space)?.token {
            Token::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }

    /// The words of the store.
    pub(super) fn words(&self) -> Rc<Words> {
        self.context.vocabulary.words()
    }

    /// The last token before `end`, a place in the text, that is not white space.
    pub(super) fn before(&self, end: usize) -> Option<Token<'_>> {
        let ends = |lexeme: &&Lexeme<'_>| lexeme.span.end <= end;
        self.lexemes.iter().filter(ends).map(|l| l.token).rfind(|token| *token != Token::Space)
    }

    /// The name of the attribute whose operator stands before the token at `index`.
    pub(super) fn name_before(&self, index: usize) -> Option<String> {
        self.lexemes[..index].iter().rev().find_map(|lexeme| match lexeme.token {
            Token::Name(name) => Some(name.to_owned()),
            Token::Text(quoted) => Some(quoted.trim_matches(['\'', '"']).to_owned()),
            _ => None,
        })
    }

    /// What `#` names: ids, or keys.
    pub(super) fn ids(&self) -> Vec<String> {
        let words = self.words();
        let dialect = match self.leading() {
            None | Some(Keyword::Diff) => self.context.dialect,
            Some(_) => self.context.store_dialect,
        };
        if dialect.hash_is_key() { words.values("key") } else { words.ids.clone() }
    }

    /// Values that an attribute was seen with, as filters read it.
    pub(super) fn values(&self, name: &str) -> Vec<String> {
        let words = self.words();
        let mut values = words.values(name);
        if name == "kind" && self.context.dialect.kind_is_a_set() {
            let types = words.values("type");
            let based = types.iter().filter_map(|name| name.split_once(':'));
            let based = based.filter(|(base, _)| Base::from_name(base).is_some());
            values.extend(based.map(|(_, name)| name.to_owned()));
            values.sort();
            values.dedup();
        }
        values
    }
}
