//! The tokens of the selector language.
//!
//! A token borrows its text and interprets nothing beyond its own spelling: numbers stay text,
//! quoted text keeps its quotes. Tokens know nothing of the grammar or of dialects. Brackets carry
//! what they open, because the lexer has to know it anyway and the grammar is simpler for it.

use crate::language::span::Span;
use crate::language::words::{Keyword, NestingPseudo, Op, PseudoName, Root};

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme<'a> {
    /// What it is.
    pub token: Token<'a>,
    /// Where it is.
    pub span: Span,
}

/// One token; the text inside excludes the sigil (`.`, `#`, `+`, `@`) and includes quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A run of white space, as the lexer finds it.
    Space,
    /// White space that means something; only the layout stage makes these.
    Gap(Gap),
    /// `@t-3`: the signed number.
    TimeRelative(&'a str),
    /// `@t-*`
    TimeOldest,
    /// `@c42`: the number.
    TimeCycle(&'a str),
    /// `@e7`: the number.
    TimeEvent(&'a str),
    /// `@2026-03-02T18:00Z`, `@'2026-03-02 18:00'`, `@-2h`, `@today`: what stands behind the `@`.
    TimeClock(&'a str),
    /// `@*`
    TimeAll,
    /// `@history`
    TimeHistory,
    /// `..` or `:` between two time addresses.
    RangeMark,
    /// The second end of a range without its `@t` or `@c`.
    BareEnd(&'a str),
    /// `-*` as the second end of a range.
    BareOldest,
    /// `^ah`
    Root(Root),
    /// `.cb:summary`: the name with its colon, without pseudos that follow.
    Type(&'a str),
    /// `#x`
    Id(&'a str),
    /// `#'any text'`
    QuotedId(&'a str),
    /// `+audit`
    Tag(&'a str),
    /// `*`
    Star,
    /// `*:cb` inside a position: the type.
    Deep(&'a str),
    /// `:first`; those with an argument are followed by [`Bracket::Args`].
    Pseudo(PseudoName),
    /// `:has` before [`Bracket::Has`], `:not` before [`Bracket::Not`].
    Nesting(NestingPseudo),
    /// `d-1`: the signed number.
    Depth(&'a str),
    /// `depth` as a step or first element of a position.
    DepthWord,
    /// `..` between depths.
    Dots,
    /// `-` between depths.
    Dash,
    /// A bare word: a type in a position, a value, or a mistake.
    Word(&'a str),
    /// The name of an attribute.
    Name(&'a str),
    /// Quoted text with its quotes.
    Text(&'a str),
    /// `[+-]?digits[.digits]`
    Number(&'a str),
    /// `+1` or `-1` as the last element of a place; only the layout stage makes these.
    InsertAt(&'a str),
    /// `end` inside a position.
    End,
    /// An opening bracket and what it opens.
    Open(Bracket),
    /// `)`
    CloseRound,
    /// `]`
    CloseSquare,
    /// `}`
    CloseBrace,
    /// `,`
    Comma,
    /// `>` between steps.
    Child,
    /// `??`
    Fallback,
    /// `?`
    Optional,
    /// An operator in a filter, or the `=` of a control.
    Op(Op),
    /// `in`
    In,
    /// `@limit`
    Control(&'a str),
    /// A word of a statement; only [`crate::language::statement_tokens`] makes these.
    Keyword(Keyword),
    /// Something that is no token.
    Fault(Fault<'a>),
}

/// What an opening bracket opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `[` of an attribute filter.
    Square,
    /// `{` of an attribute filter.
    Brace,
    /// `[` of a list of values.
    Array,
    /// `{` of a set of depths.
    Set,
    /// `(` directly after a type.
    Group,
    /// `(` of `:depth`, `:nth` and `depth`.
    Args,
    /// `(` of `:has`.
    Has,
    /// `(` of `:not`.
    Not,
    /// `(` that begins with a depth.
    Position,
    /// Any other `(`: a chain, or a set of positions.
    Chain,
}

impl Bracket {
    /// The token that closes it.
    pub fn close(self) -> Token<'static> {
        match self {
            Bracket::Square | Bracket::Array => Token::CloseSquare,
            Bracket::Brace | Bracket::Set => Token::CloseBrace,
            Bracket::Group
            | Bracket::Args
            | Bracket::Has
            | Bracket::Not
            | Bracket::Position
            | Bracket::Chain => Token::CloseRound,
        }
    }

    /// Whether white space inside it joins steps.
    pub fn holds_steps(self) -> bool {
        matches!(self, Bracket::Chain | Bracket::Has | Bracket::Not)
    }
}

/// White space that means something, named for what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// After a time prefix.
    Time,
    /// Before a step.
    Step,
    /// Before a detached filter.
    Filter,
    /// Before `[` in dialect 0.1, where only the grammar knows which of the two it is.
    Bracket,
    /// Before a control.
    Control,
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault<'a> {
    /// A quote that is never closed; the span runs on to the end of the text.
    UnclosedQuote,
    /// A closing bracket that fits no open one.
    Unmatched,
    /// `^` and a word that is no root.
    UnknownRoot(&'a str),
    /// `:` and a word that is no pseudo.
    UnknownPseudo(&'a str),
    /// `@t`, `@c` or `@e` and something that is no number.
    BadTime(&'a str),
    /// Digits that run on into something else.
    BadNumber(&'a str),
    /// A sigil without its name; the text says what should follow.
    MissingName(&'static str),
    /// A character that means nothing here.
    Unexpected(char),
}

/// How a token is shown to people, for highlighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenClass {
    /// White space.
    Space,
    /// A time address or part of a range.
    Time,
    /// A region.
    Root,
    /// A type.
    Type,
    /// An id or key.
    Id,
    /// A tag.
    Tag,
    /// A pseudo.
    Pseudo,
    /// A depth.
    Depth,
    /// The name of an attribute.
    Attribute,
    /// Quoted text.
    Text,
    /// A number.
    Number,
    /// A bare word.
    Word,
    /// A combinator or an operator.
    Operator,
    /// A bracket or a comma.
    Bracket,
    /// A control.
    Control,
    /// A word of a statement.
    Keyword,
    /// What is no token.
    Fault,
}

impl Token<'_> {
    /// The class of this token.
    pub fn class(&self) -> TokenClass {
        match self {
            Token::Space | Token::Gap(_) => TokenClass::Space,
            Token::TimeRelative(_)
            | Token::TimeOldest
            | Token::TimeCycle(_)
            | Token::TimeEvent(_)
            | Token::TimeClock(_)
            | Token::TimeAll
            | Token::TimeHistory
            | Token::RangeMark
            | Token::BareEnd(_)
            | Token::BareOldest => TokenClass::Time,
            Token::Root(_) => TokenClass::Root,
            Token::Type(_) | Token::Deep(_) | Token::Star => TokenClass::Type,
            Token::Id(_) | Token::QuotedId(_) => TokenClass::Id,
            Token::Tag(_) => TokenClass::Tag,
            Token::Pseudo(_) | Token::Nesting(_) => TokenClass::Pseudo,
            Token::Depth(_) | Token::DepthWord => TokenClass::Depth,
            Token::Word(_) | Token::End => TokenClass::Word,
            Token::Name(_) => TokenClass::Attribute,
            Token::Text(_) => TokenClass::Text,
            Token::Number(_) | Token::InsertAt(_) => TokenClass::Number,
            Token::Dots
            | Token::Dash
            | Token::Child
            | Token::Fallback
            | Token::Optional
            | Token::Op(_)
            | Token::In => TokenClass::Operator,
            Token::Open(_)
            | Token::CloseRound
            | Token::CloseSquare
            | Token::CloseBrace
            | Token::Comma => TokenClass::Bracket,
            Token::Control(_) => TokenClass::Control,
            Token::Keyword(_) => TokenClass::Keyword,
            Token::Fault(_) => TokenClass::Fault,
        }
    }

    /// Whether an element of a position that begins with this is a chain (R14.16).
    pub fn begins_chain(&self) -> bool {
        matches!(
            self,
            Token::Type(_)
                | Token::Id(_)
                | Token::QuotedId(_)
                | Token::Tag(_)
                | Token::Open(Bracket::Square | Bracket::Brace)
        )
    }

    /// Whether this is the end of a time prefix.
    pub(crate) fn ends_time(&self) -> bool {
        self.class() == TokenClass::Time && *self != Token::RangeMark
    }
}
