//! What the end of a text leaves open, for a text that comes piece by piece.
//!
//! Each piece is looked at once. It agrees with [`unclosed`](super::unclosed), which reads a whole
//! text with the lexer, because a quote or a bracket is never part of another token; tests hold the
//! two against each other.

/// The brackets and the quote that the pieces so far leave open.
#[derive(Debug, Clone, Default)]
pub struct Unclosed {
    /// The ends of the open brackets.
    brackets: Vec<char>,
    quote: Option<char>,
    /// Whether the last character was a backslash that takes the next one with it.
    escaped: bool,
}

impl Unclosed {
    /// Reads the next piece.
    pub fn feed(&mut self, piece: &str) {
        for symbol in piece.chars() {
            match self.quote {
                Some(_) if self.escaped => self.escaped = false,
                Some(_) if symbol == '\\' => self.escaped = true,
                Some(quote) if symbol == quote => self.quote = None,
                Some(_) => {}
                None => self.bare(symbol),
            }
        }
    }

    fn bare(&mut self, symbol: char) {
        match symbol {
            '\'' | '"' => self.quote = Some(symbol),
            '(' => self.brackets.push(')'),
            '[' => self.brackets.push(']'),
            '{' => self.brackets.push('}'),
            // A bracket that fits nothing closes nothing.
            ')' | ']' | '}' => {
                self.brackets.pop_if(|open| *open == symbol);
            }
            _ => {}
        }
    }

    /// Whether a quote is open.
    pub fn in_quote(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether a bracket or a quote is open.
    pub fn is_open(&self) -> bool {
        self.in_quote() || !self.brackets.is_empty()
    }
}
