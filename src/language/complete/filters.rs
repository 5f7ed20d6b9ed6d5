//! Completion inside brackets, braces and quotes: names of attributes and their values.

use super::candidates::{Completion, MOST_VALUES, trailing};
use super::surroundings::Surroundings;
use crate::language::lexing::{Bracket, Lexeme, Token};
use crate::language::words::is_name_char;
use crate::model::{DERIVED, Held, TABLE, header};

impl Surroundings<'_> {
    pub(super) fn in_quotes(&self, quote: &Lexeme<'_>) -> Completion {
        let piece = quote.span.of(self.text);
        let is_id = piece.starts_with('#');
        let open = usize::from(is_id) + 1;
        let start = quote.span.start + open;
        let mark = piece[..open].chars().last().unwrap_or('\'');
        let index = self.lexemes.len() - 1;
        let last = self.before(quote.span.start);
        let values = match last {
            _ if is_id => self.ids(),
            Some(Token::Op(_) | Token::Open(Bracket::Array) | Token::Comma) => {
                self.name_before(index).map(|name| self.values(&name)).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let closed = values.into_iter().map(|value| format!("{value}{mark}"));
        Completion::matching(self.text, start, closed)
    }

    pub(super) fn in_filter(&self, open: usize) -> Completion {
        let typed = trailing(self.text, |c| is_name_char(c) || c == ':');
        let start = self.text.len() - typed.len();
        match self.before(start) {
            Some(Token::Op(_)) => {
                let index = self.lexemes.len();
                let operator = self.lexemes[..index]
                    .iter()
                    .rposition(|lexeme| matches!(lexeme.token, Token::Op(_)));
                self.value_of(operator.and_then(|at| self.name_before(at)))
            }
            Some(Token::Open(_) | Token::Comma) => {
                let names = self.names(open);
                Completion::matching(self.text, start, names)
            }
            _ => Completion::none(self.text.len()),
        }
    }

    /// Values of an attribute, in quotes.
    pub(super) fn value_of(&self, name: Option<String>) -> Completion {
        let typed = trailing(self.text, |c| is_name_char(c) || c == ':');
        let start = self.text.len() - typed.len();
        let Some(name) = name else { return Completion::none(self.text.len()) };
        let is_flag = |name| header(name).is_some_and(|row| row.is_flag());
        let values: Vec<String> = match name.as_str() {
            name if name == "container" || is_flag(name) => {
                vec!["true".to_owned(), "false".to_owned()]
            }
            "region" => vec!["sys".to_owned(), "seq".to_owned(), "ah".to_owned()],
            name => {
                let seen = self.values(name);
                let kept = seen.into_iter().filter(|value| value.starts_with(typed));
                let kept =
                    kept.take(MOST_VALUES).map(|value| format!("'{}'", value.replace('\'', "\\'")));
                return Completion::from_start(self.text, start, kept);
            }
        };
        Completion::matching(self.text, start, values)
    }

    /// Names of fields in the braces of a statement, of attributes in a filter.
    fn names(&self, open: usize) -> Vec<String> {
        let detached =
            open == 0 || matches!(self.lexemes[open - 1].token, Token::Space | Token::Keyword(_));
        let is_brace = self.lexemes[open].token == Token::Open(Bracket::Brace);
        let statement = self.leading().filter(|_| detached && is_brace);
        match statement.and_then(|keyword| self.context.vocabulary.fields(keyword)) {
            Some(fields) => fields.iter().map(|name| format!("{name}=")).collect(),
            None => {
                let words = self.words();
                // No filter asks for children, and a parent is no attribute.
                let headers = TABLE.iter().filter(|header| header.held != Held::Children);
                let derived = DERIVED.into_iter().filter(|name| *name != "parent");
                let known = headers.map(|header| header.name).chain(derived).map(str::to_owned);
                let known = known.chain(words.attributes().map(str::to_owned));
                known.chain(self.short_names()).collect()
            }
        }
    }

    /// Names of attributes without their `data_`, once one is being typed.
    fn short_names(&self) -> Vec<String> {
        if trailing(self.text, is_name_char).is_empty() {
            return Vec::new();
        }
        let words = self.words();
        words
            .attributes()
            .filter_map(|name| name.strip_prefix("data_"))
            .map(str::to_owned)
            .collect()
    }
}
