//! The selector language: text to a syntax tree and back.
//!
//! The way of a text is `text -> lexing -> layout -> grammar -> ast`, with one type for each stage:
//!
//! - [`words`] has the closed word lists, `dialect` the two generations, `span` places in a text.
//! - `lexing` makes tokens of any text and keeps the white space that means something.
//! - `parse` drives the generated parser; its constructors make the tree.
//! - [`ast`] is the syntax tree, with a visitor.
//! - `diagnostics` turns failures into a [`SyntaxError`]: what was expected, a caret, a hint.
//! - `canonical` writes a tree back in its one spelling; `rewrite` gives it the canonical form, also
//!   in the other dialect.
//! - `advice` says what is legal but unwise; `facets` finds attributes that only snapshots have;
//!   `mentions` the names that only a store can know.
//! - `complete` says what could be typed at a place in a text.
//!
//! Nothing here knows a store, a plan or an answer: what a selector means is found out in
//! `query`. The same text in the same dialect always gives the same tree.
//!
//! In this folder and in its subfolders a file may use the files beside it as long as no two need
//! each other, also over others. A `mod.rs` uses the files of its folder and is used by none of them:
//! what they share stands in a file of its own.

mod advice;
pub mod ast;
mod canonical;
mod clock;
pub mod complete;
mod diagnostics;
mod dialect;
mod facets;
mod lexing;
mod mentions;
mod parse;
mod rewrite;
mod span;
mod syntax_error;
pub mod words;

pub use advice::{Advice, AdviceKind, advise};
pub use canonical::{Canonical, format, normalized};
pub use diagnostics::nearest as nearest_word;
pub use dialect::{Dialect, UnknownDialect};
pub use facets::derived_facet;
pub(crate) use facets::derived_facet_of_position;
pub use lexing::{
    Bracket, Fault, Gap, Lexeme, Lexer, Token, TokenClass, Unclosed, named_id, statement_tokens,
    tokens, unclosed,
};
pub(crate) use mentions::{Mention, MentionKind, mentions};
pub use parse::{parse_place, parse_selector, parse_statement, parse_target, parse_time};
pub use rewrite::{NotRewritten, Rewritten, canonical_form, rewrite};
pub use span::{At, Span};
pub use syntax_error::{SyntaxError, SyntaxErrorKind};
