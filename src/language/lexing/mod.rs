//! Lexing: any text at all to tokens.
//!
//! `lexer` makes tokens of a text, with the rules for single tokens in `lex_token`; `token` has
//! their types. It never gives up, so that an editor can colour a line that is being typed.
//! `keywords` then finds the words of statements, and `layout` keeps the white space that means
//! something: that is what the grammar reads. `unclosed` and `quotes` answer small questions about
//! texts without parsing them. Nothing here knows the syntax tree.

mod keywords;
mod layout;
mod lex_token;
mod lexer;
mod quotes;
mod token;
mod unclosed;

pub use keywords::statement_tokens;
pub(super) use layout::{Reading, layout};
pub(super) use lex_token::without_pseudos;
pub use lexer::{Lexer, tokens};
pub use quotes::named_id;
pub(super) use quotes::unquoted;
pub use token::{Bracket, Fault, Gap, Lexeme, Token, TokenClass};
pub(super) use unclosed::unclosed_brackets;
pub use unclosed::{Unclosed, unclosed};
