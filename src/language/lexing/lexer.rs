//! Text to tokens, for any text at all.
//!
//! The lexer never gives up: what is no token becomes a [`Token::Fault`] and it goes on behind it,
//! so that a highlighter can colour a line that is still being typed. The spans of its tokens
//! cover the text without gaps or overlaps. It knows which bracket it is in, because `>`, `:` and
//! `-` mean different things there, and nothing else of the grammar; it knows no dialect.
//! Each character is looked at a bounded number of times.

use super::lex_token::{self, Cursor};
use super::token::{Bracket, Fault, Lexeme, Token};
use crate::language::span::Span;
use crate::language::words::{NestingPseudo, Op, PseudoName, Root, is_name_start};

/// Reads one text from front to back.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    cursor: Cursor<'a>,
    open: Vec<Bracket>,
    /// The last token that is not white space.
    last: Option<Token<'a>>,
    /// Whether white space stands between `last` and the cursor.
    spaced: bool,
}

/// Which of the little languages the cursor is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Steps,
    Position,
    Filter,
    Depths,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Lexer { cursor: Cursor::new(text), open: Vec::new(), last: None, spaced: false }
    }

    fn mode(&self) -> Mode {
        match self.open.last() {
            None | Some(Bracket::Chain | Bracket::Has | Bracket::Not) => Mode::Steps,
            Some(Bracket::Position) => Mode::Position,
            Some(Bracket::Args | Bracket::Set) => Mode::Depths,
            Some(Bracket::Square | Bracket::Brace | Bracket::Array | Bracket::Group) => {
                Mode::Filter
            }
        }
    }

    fn token(&mut self, first: char) -> Token<'a> {
        if first.is_whitespace() {
            self.cursor.take_while(char::is_whitespace);
            return Token::Space;
        }
        if self.begins_chain(first)
            && let Some(open) = self.open.last_mut()
        {
            // What follows up to the closing parenthesis is lexed like any chain.
            *open = Bracket::Chain;
        }
        match first {
            '\'' | '"' => return lex_token::quoted(&mut self.cursor),
            '(' | '[' | '{' => return self.opening(first),
            ')' => return self.closing(Token::CloseRound),
            ']' => return self.closing(Token::CloseSquare),
            '}' => return self.closing(Token::CloseBrace),
            ',' => return self.single(Token::Comma),
            _ => {}
        }
        match self.mode() {
            Mode::Steps if self.after_control() => self.control_value(first),
            Mode::Steps => self.step_token(first),
            Mode::Position => self.position_token(first),
            Mode::Filter => self.filter_token(first),
            Mode::Depths => self.depth_token(first),
        }
    }

    /// Whether the cursor is at an element of a position that is a chain (R14.16).
    fn begins_chain(&self, first: char) -> bool {
        self.mode() == Mode::Position
            && self.last == Some(Token::Comma)
            && match first {
                '.' | '#' | '[' | '{' => true,
                '+' => lex_token::begins_tag(self.cursor.rest()),
                _ => false,
            }
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.cursor.bump();
        token
    }

    fn unexpected(&mut self, c: char) -> Token<'a> {
        self.single(Token::Fault(Fault::Unexpected(c)))
    }

    fn opening(&mut self, c: char) -> Token<'a> {
        self.cursor.bump();
        let bracket = match (c, self.mode()) {
            ('[', Mode::Filter) => Bracket::Array,
            ('[', _) => Bracket::Square,
            ('{', Mode::Depths) => Bracket::Set,
            ('{', _) => Bracket::Brace,
            (_, Mode::Filter) => Bracket::Group,
            (_, Mode::Depths) => Bracket::Args,
            (_, mode) => self.round(mode),
        };
        self.open.push(bracket);
        Token::Open(bracket)
    }

    /// What `(` opens: that depends on what it touches and, failing that, on what it begins with.
    fn round(&self, mode: Mode) -> Bracket {
        if !self.spaced || mode == Mode::Position {
            match self.last {
                Some(Token::DepthWord | Token::Pseudo(_)) => return Bracket::Args,
                Some(Token::Nesting(NestingPseudo::Has)) => return Bracket::Has,
                Some(Token::Nesting(NestingPseudo::Not)) => return Bracket::Not,
                Some(Token::Type(name) | Token::Word(name))
                    if !lex_token::ends_in_nesting(name) =>
                {
                    return Bracket::Group;
                }
                Some(Token::Deep(name)) if !lex_token::ends_in_nesting(&format!(":{name}")) => {
                    return Bracket::Group;
                }
                _ => {}
            }
        }
        if lex_token::begins_with_depth(self.cursor.rest()) {
            Bracket::Position
        } else {
            Bracket::Chain
        }
    }

    fn closing(&mut self, token: Token<'a>) -> Token<'a> {
        self.cursor.bump();
        match self.open.last() {
            Some(open) if open.close() == token => {
                self.open.pop();
                token
            }
            _ => Token::Fault(Fault::Unmatched),
        }
    }

    fn step_token(&mut self, c: char) -> Token<'a> {
        match c {
            '@' => lex_token::at(&mut self.cursor),
            '^' => self.root(),
            '#' => lex_token::id(&mut self.cursor),
            // The second end of `d-1..+1`.
            '+' | '-'
                if self.last == Some(Token::Dots) && lex_token::is_number(self.cursor.rest()) =>
            {
                lex_token::number(&mut self.cursor, false)
            }
            '+' => lex_token::tag(&mut self.cursor),
            '*' => self.single(Token::Star),
            '>' => self.single(Token::Child),
            '.' if self.cursor.eat("..") => Token::Dots,
            '.' => {
                self.cursor.bump();
                lex_token::type_name(&mut self.cursor)
                    .map_or(Token::Fault(Fault::MissingName("a type")), Token::Type)
            }
            '?' if self.cursor.eat("??") => Token::Fallback,
            '?' => self.single(Token::Optional),
            '=' if matches!(self.last, Some(Token::Control(_))) && !self.spaced => {
                self.single(Token::Op(Op::Eq))
            }
            ':' => self.pseudo(),
            '0'..='9' => lex_token::number(&mut self.cursor, false),
            _ if is_name_start(c) => lex_token::word(&mut self.cursor),
            _ => self.unexpected(c),
        }
    }

    fn position_token(&mut self, c: char) -> Token<'a> {
        match c {
            '*' => {
                self.cursor.bump();
                lex_token::deep_type(&mut self.cursor).map_or(Token::Star, Token::Deep)
            }
            '+' | '-' if self.begins_element() && lex_token::is_number(self.cursor.rest()) => {
                lex_token::number(&mut self.cursor, false)
            }
            _ => self.step_token(c),
        }
    }

    /// Whether the cursor touches no element of the position, so that a sign is no tag.
    fn begins_element(&self) -> bool {
        self.spaced || matches!(self.last, None | Some(Token::Comma | Token::Open(_)))
    }

    fn filter_token(&mut self, c: char) -> Token<'a> {
        if let Some(op) = Op::prefix_of(self.cursor.rest()) {
            self.cursor.eat(op.name());
            return Token::Op(op);
        }
        let value =
            matches!(self.last, Some(Token::Op(_))) || self.open.last() == Some(&Bracket::Array);
        match c {
            '0'..='9' => lex_token::number(&mut self.cursor, true),
            '+' | '-' if lex_token::is_number(self.cursor.rest()) => {
                lex_token::number(&mut self.cursor, true)
            }
            _ if is_name_start(c) => {
                let word = lex_token::filter_word(&mut self.cursor);
                let follows_name = matches!(self.last, Some(Token::Name(_) | Token::Text(_)));
                if word == "in" && follows_name && self.cursor.next_is('[') {
                    Token::In
                } else if value {
                    Token::Word(word)
                } else {
                    Token::Name(word)
                }
            }
            _ => self.unexpected(c),
        }
    }

    fn depth_token(&mut self, c: char) -> Token<'a> {
        if let Some(op) = Op::prefix_of(self.cursor.rest()) {
            self.cursor.eat(op.name());
            return Token::Op(op);
        }
        match c {
            '-' if matches!(self.last, Some(Token::Number(_))) => self.single(Token::Dash),
            '0'..='9' => lex_token::number(&mut self.cursor, false),
            '+' | '-' if lex_token::is_number(self.cursor.rest()) => {
                lex_token::number(&mut self.cursor, false)
            }
            '.' if self.cursor.eat("..") => Token::Dots,
            _ if is_name_start(c) => lex_token::word(&mut self.cursor),
            _ => self.unexpected(c),
        }
    }

    fn after_control(&self) -> bool {
        matches!(self.last, Some(Token::Op(Op::Eq))) && !self.spaced
    }

    fn control_value(&mut self, c: char) -> Token<'a> {
        match c {
            '0'..='9' => lex_token::number(&mut self.cursor, true),
            '+' | '-' if lex_token::is_number(self.cursor.rest()) => {
                lex_token::number(&mut self.cursor, true)
            }
            _ if is_name_start(c) => Token::Word(lex_token::filter_word(&mut self.cursor)),
            _ => self.unexpected(c),
        }
    }

    fn root(&mut self) -> Token<'a> {
        self.cursor.bump();
        match lex_token::name(&mut self.cursor) {
            "" => Token::Fault(Fault::MissingName("a root")),
            name => {
                Root::from_name(name).map_or(Token::Fault(Fault::UnknownRoot(name)), Token::Root)
            }
        }
    }

    fn pseudo(&mut self) -> Token<'a> {
        self.cursor.bump();
        if let Some(nesting) = lex_token::nesting(self.cursor.rest()) {
            self.cursor.eat(nesting.name());
            return Token::Nesting(nesting);
        }
        match lex_token::name(&mut self.cursor) {
            "" => Token::Fault(Fault::MissingName("a pseudo")),
            name => PseudoName::from_name(name)
                .map_or(Token::Fault(Fault::UnknownPseudo(name)), Token::Pseudo),
        }
    }

    /// The rest of a range after its first address: the mark, and a bare second end.
    fn range_token(&mut self) -> Option<Token<'a>> {
        if self.spaced {
            return None;
        }
        match self.last? {
            Token::RangeMark => lex_token::bare_end(&mut self.cursor),
            last if last.ends_time() && self.cursor.eat("..") => Some(Token::RangeMark),
            // A clock time may have colons of its own.
            Token::TimeClock(_) => None,
            last if last.ends_time() && self.cursor.eat(":") => Some(Token::RangeMark),
            _ => None,
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Lexeme<'a>;

    fn next(&mut self) -> Option<Lexeme<'a>> {
        let start = self.cursor.at();
        let first = self.cursor.peek()?;
        let token = match self.range_token() {
            Some(token) => token,
            None => self.token(first),
        };
        if token == Token::Space {
            self.spaced = true;
        } else {
            self.spaced = false;
            self.last = Some(token);
        }
        Some(Lexeme { token, span: Span::new(start, self.cursor.at()) })
    }
}

/// The tokens of any text, white space and faults included; their spans cover all of it.
pub fn tokens(text: &str) -> Lexer<'_> {
    Lexer::new(text)
}
