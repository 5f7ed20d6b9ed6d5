//! The query language: text to a syntax tree and back, and from there to an answer.
//!
//! Front half: `text -> lexer -> layout -> grammar -> ast`, one type for each stage.
//! [`parse_selector`] and its siblings run the whole way and answer with one error that has a
//! code, a span, what was expected and a hint. [`format()`] goes back; [`advise`] says what is
//! legal but unwise. It knows no store.
//!
//! Back half: `ast -> resolve -> plan -> eval -> ids | nodes | range`. A store shows itself as a
//! [`Timeline`]; [`select`], [`nodes`], [`diff()`] and [`explain()`] answer from it, and
//! [`resolve_target`] and [`resolve_place`] serve edits from a working tree. A plan has cycles
//! and no sugar. Asking changes nothing, and the same question gets the same bytes. Each planned
//! answer has a plain twin that reads everything ([`select_whole`], [`find_whole`]); they are the
//! same.

mod advice;
mod asked;
pub mod ast;
mod bounds;
mod construct;
mod controls;
mod diagnose;
mod dialect;
mod diff;
mod edit;
mod error;
mod eval;
mod expect;
mod explain;
mod facets;
mod format;
mod format_parts;
mod format_statement;
mod hint;
mod history;
mod keywords;
mod layout;
mod lexer;
mod nearest;
mod normalize;
mod options;
mod parse;
pub mod plan;
mod query_error;
mod range;
mod resolve;
mod scan;
mod select;
mod span;
mod timeline;
mod token;
mod unclosed;
pub mod walk;
pub mod words;
mod words_of;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::unwrap_used, clippy::expect_used, missing_docs)]
    #[allow(unreachable_pub, unused_qualifications, unused)]
    grammar,
    "/selector.rs"
);

use std::borrow::Cow;

pub use advice::{Advice, AdviceKind, advise};
pub use asked::{Asked, asked};
pub use dialect::{Dialect, UnknownDialect};
pub use diff::{
    ChangedFields, Diff, Moved, ParentChanged, ParentDiff, RichChanged, RichDiff, diff, rich_diff,
    state_of,
};
pub use edit::{resolve_parent, resolve_place, resolve_target};
pub use error::{SelectorError, SelectorErrorKind};
pub use eval::{Hit, find, find_whole};
pub use explain::{Explanation, Ran, explain};
pub use facets::derived_facet;
pub use format::{Canonical, format};
pub use keywords::statement_tokens;
pub use lexer::Lexer;
pub use normalize::normalized;
pub use options::{ContentMode, Material, Options};
pub use query_error::QueryError;
pub use range::{
    Changed, ContentDiff, ContentSummary, Delta, DiffBlock, Field, FromTo, Hunk, Limits,
    RangeDiffLatestResult, RangeError, SnapshotRef, Stats, TokenOp,
};
pub use resolve::{resolve, resolve_time, resolve_timeless};
pub use select::{Nodes, Selected, answer, nodes, select, select_whole};
pub use span::{At, Span};
pub use timeline::{EventState, Moment, Tally, Timeline};
pub use token::{Bracket, Fault, Gap, Lexeme, Token, TokenClass};
pub use unclosed::Unclosed;

/// Reads a selector.
pub fn parse_selector(text: &str, dialect: Dialect) -> Result<ast::Selector, SelectorError> {
    parse::selector(text, dialect)
}

/// Reads a statement: a selector, or a line that begins with a word such as `add`.
pub fn parse_statement(text: &str, dialect: Dialect) -> Result<ast::Statement, SelectorError> {
    parse::statement(text, dialect)
}

/// Reads the target of an edit: a selector without a time, which may end in `?`.
pub fn parse_target(text: &str, dialect: Dialect) -> Result<ast::Target, SelectorError> {
    parse::target(text, dialect)
}

/// Reads the place of a new node: a selector without a time, or a position that ends in an
/// insertion. A signed last element of a position is always an insertion here.
pub fn parse_place(text: &str, dialect: Dialect) -> Result<ast::Place, SelectorError> {
    parse::place(text, dialect)
}

/// Reads a time address or a range on its own.
pub fn parse_time(text: &str) -> Result<ast::Time, SelectorError> {
    parse::time(text)
}

/// The id that somebody means who names one node: `cb:1`, `#cb:1`, or in quotes as a selector has
/// them, `#'cb:pre'`.
pub fn named_id(text: &str) -> Cow<'_, str> {
    let mut tokens = tokens(text);
    match (tokens.next().map(|lexeme| lexeme.token), tokens.next()) {
        (Some(Token::QuotedId(quoted) | Token::Text(quoted)), None) => {
            Cow::Owned(construct::unquoted(quoted))
        }
        _ => Cow::Borrowed(text.strip_prefix('#').unwrap_or(text)),
    }
}

/// The tokens of any text, white space and faults included; their spans cover all of it.
pub fn tokens(text: &str) -> Lexer<'_> {
    Lexer::new(text)
}

/// Where the innermost bracket or quote begins that the end of the text leaves open; none if
/// nothing is open. A line editor goes on reading while there is one.
pub fn unclosed(text: &str) -> Option<Span> {
    let lexemes: Vec<Lexeme<'_>> = tokens(text).collect();
    match lexemes.last() {
        Some(Lexeme { token: Token::Fault(Fault::UnclosedQuote), span }) => Some(*span),
        _ => layout::unclosed(&lexemes).pop(),
    }
}

/// The candidate that a misspelt word was probably meant to be.
pub fn nearest_word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    nearest::nearest(word, candidates)
}
