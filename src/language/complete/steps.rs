//! Completion outside brackets and in positions: roots, types, ids, tags, pseudos, times, controls
//! and the words of statements.

use super::candidates::{
    Completion, MOST_VALUES, base_word, last_word, step_starts, time_addresses, trailing,
};
use super::surroundings::Surroundings;
use crate::language::dialect::Dialect;
use crate::language::lexing::{Lexeme, Token, TokenClass};
use crate::language::words::{
    Base, CONTROLS, Keyword, NestingPseudo, PseudoName, Root, is_name_char, is_name_start,
};

impl Surroundings<'_> {
    pub(super) fn in_steps(&self) -> Completion {
        let text = self.text;
        let long = trailing(text, |c| is_name_char(c) || c == ':');
        let sigil = |typed: &str| text[..text.len() - typed.len()].chars().next_back();
        let start = text.len() - long.len();
        match sigil(long) {
            Some('^') => {
                let roots = Root::ALL.map(|root| format!("^{}", root.name()));
                match long.rfind(':') {
                    Some(colon) => self.pseudos(start + colon),
                    None => Completion::matching(text, start - 1, roots),
                }
            }
            Some('#') => {
                let ids = self.ids().into_iter().filter(|id| id.starts_with(long));
                let ids = ids.take(MOST_VALUES).map(|id| format!("#{}", quoted_if_needed(&id)));
                let candidates: Vec<String> = ids.collect();
                match (candidates.is_empty(), long.rfind(':')) {
                    (true, Some(colon)) => self.pseudos(start + colon),
                    _ => Completion::from_start(text, start - 1, candidates),
                }
            }
            Some('.') if text[..start].ends_with("..") => Completion::none(text.len()),
            Some('.') => {
                // A dotted name is one type, if the store has such.
                let dotted = trailing(text, is_type_char);
                match self.types(text.len() - dotted.len(), &dotted[1..]) {
                    completion
                        if dotted.len() > long.len() + 1 && !completion.candidates.is_empty() =>
                    {
                        completion
                    }
                    _ => self.types(start - 1, long),
                }
            }
            Some('+') => {
                let tags = self.words().values("tag").into_iter().map(|tag| format!("+{tag}"));
                Completion::matching(text, start - 1, tags)
            }
            _ if long.starts_with(':') => self.pseudos(start),
            Some(')' | ']' | '}' | '*') if long.is_empty() => Completion::none(text.len()),
            _ => self.at_or_word(),
        }
    }

    /// An element of a position: a type, `end`, or a chain.
    pub(super) fn in_position(&self) -> Completion {
        let elements = self.lexemes.iter().rposition(|lexeme| lexeme.token == Token::Comma);
        let element = elements.map_or("", |at| &self.text[self.lexemes[at].span.end..]);
        if element.trim_start().starts_with(['.', '#', '+']) {
            return self.in_steps();
        }
        let typed = trailing(self.text, is_type_char).trim_start_matches(':');
        let names = Base::ALL.map(|base| base_word(base, self.context.dialect).to_owned());
        let seen = self.words().values("type").into_iter().filter(|name| is_plain_type(name));
        let names = names.into_iter().chain(["end".to_owned()]).chain(seen);
        Completion::matching(self.text, self.text.len() - typed.len(), names)
    }

    fn pseudos(&self, start: usize) -> Completion {
        let counts = |name: &PseudoName| {
            matches!(name, PseudoName::First | PseudoName::Last | PseudoName::Nth)
        };
        let names = PseudoName::ALL.into_iter().filter(|name| !(self.nested && counts(name)));
        let names = names.map(|name| match name {
            PseudoName::Nth | PseudoName::Depth => format!(":{}(", name.name()),
            name => format!(":{}", name.name()),
        });
        let nesting = NestingPseudo::ALL.map(|name| format!(":{}(", name.name()));
        Completion::matching(self.text, start, names.chain(nesting))
    }

    fn types(&self, start: usize, typed: &str) -> Completion {
        let words = self.words();
        let plain = |name: &String| is_plain_type(name);
        let seen = words.values("type").into_iter().filter(plain).map(|name| format!(".{name}"));
        let own = Base::ALL.map(|base| format!(".{}", base_word(base, self.context.dialect)));
        let known: Vec<String> = own.into_iter().chain(seen).collect();
        let Some((base, _)) = typed.split_once(':') else {
            return Completion::matching(self.text, start, known);
        };
        let kinds = self.values("kind").into_iter().filter(plain);
        let kinds = kinds
            .filter(|_| self.context.dialect == Dialect::V0_1 && Base::from_name(base).is_some())
            .map(|kind| format!(".{base}:{kind}"));
        let stem = typed.rfind(':').map_or("", |colon| &typed[..colon]);
        let pseudos = self.pseudos(self.text.len()).candidates;
        let pseudos = pseudos.into_iter().map(|pseudo| format!(".{stem}{pseudo}"));
        Completion::matching(self.text, start, known.into_iter().chain(kinds).chain(pseudos))
    }

    /// What begins with `@`, or a word.
    fn at_or_word(&self) -> Completion {
        let text = self.text;
        let typed = last_word(text);
        if let Some(at) = typed.rfind('@') {
            if self.nested {
                return Completion::none(text.len());
            }
            let start = text.len() - typed.len() + at;
            let early = self.lexemes.iter().all(|Lexeme { token, span }| {
                span.end > start
                    || matches!(token, Token::Space | Token::Keyword(_))
                    || token.class() == TokenClass::Time
            });
            if !early {
                let controls = CONTROLS.map(|name| match name {
                    "first" | "unique" => format!("@{name}"),
                    name => format!("@{name}="),
                });
                let values = ["@order=path", "@order=recent", "@order=id", "@mode=latest"];
                let values = values.map(str::to_owned).into_iter().filter(|_| typed.contains('='));
                return Completion::matching(text, start, controls.into_iter().chain(values));
            }
            let all = ["@*", "@history"].map(str::to_owned);
            return Completion::matching(
                text,
                start,
                time_addresses(&self.words()).into_iter().chain(all),
            );
        }
        let start = text.len() - typed.len();
        if text[..start].trim().is_empty() {
            let keywords = Keyword::LEADING.map(|keyword| match keyword {
                Keyword::Commit | Keyword::Undo => keyword.name().to_owned(),
                keyword => format!("{} ", keyword.name()),
            });
            return Completion::matching(text, start, keywords);
        }
        let inner = self.leading().map(Keyword::inner).unwrap_or_default();
        let inner = inner.iter().map(|keyword| format!("{} ", keyword.name()));
        Completion::matching(text, start, inner.chain(step_starts(self.context.dialect)))
    }
}

fn is_type_char(c: char) -> bool {
    is_name_char(c) || c == ':' || c == '.'
}

/// Whether a type can be written as it is.
fn is_plain_type(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_type_char)
}

/// An id as it is written behind `#`.
fn quoted_if_needed(id: &str) -> String {
    let pseudo = id.rsplit(':').next().and_then(PseudoName::from_name).is_some();
    let plain = id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().all(|c| is_name_char(c) || c == ':')
        && !pseudo;
    if plain {
        id.to_owned()
    } else {
        format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}
