//! What Tab offers: the language's own words, and those that this store has.
//!
//! The lexer says which bracket the cursor is in and what stands before it; the store's words are
//! asked for only where they are needed.

use super::meta::{self, COMMANDS, Takes};
use super::words::Words;
use pactdb::protocol::{COMMIT_FIELDS, MOVE_FIELDS, POLICY_FIELDS, add_fields, set_fields};
use pactdb::query::words::{
    Base, CONTROLS, DERIVED_FACETS, Keyword, PseudoName, Root, is_name_char, is_name_start,
};
use pactdb::query::{Bracket, Dialect, Fault, Lexeme, Token, statement_tokens};
use std::rc::Rc;

/// Most ids that are offered at once.
const MOST_IDS: usize = 50;

/// Attributes of every node that a filter can name.
const ATTRIBUTES: [&str; 16] = [
    "id",
    "nodeType",
    "type",
    "role",
    "kind",
    "key",
    "tag",
    "ttl",
    "cad",
    "offset",
    "priority",
    "cycle",
    "pinned",
    "content",
    "refs",
    "created_at_ns",
];

/// What completion may ask.
pub struct Source<'a> {
    /// The dialect of questions.
    pub dialect: Dialect,
    /// The store's own, which edits are in.
    pub own: Dialect,
    /// The words of the store.
    pub words: &'a dyn Fn() -> Rc<Words>,
}

/// Where the replaced text begins, and what could replace it.
#[derive(Debug, PartialEq, Eq)]
pub struct Offer {
    /// The first byte that is replaced.
    pub start: usize,
    /// The candidates.
    pub candidates: Vec<String>,
}

impl Offer {
    fn none(at: usize) -> Offer {
        Offer { start: at, candidates: Vec::new() }
    }

    /// The candidates that begin with what is typed.
    fn of(text: &str, start: usize, candidates: impl IntoIterator<Item = String>) -> Offer {
        let typed = &text[start..];
        let mut kept: Vec<String> = Vec::new();
        for candidate in candidates {
            if candidate.starts_with(typed) && !kept.contains(&candidate) {
                kept.push(candidate);
            }
        }
        Offer { start, candidates: kept }
    }
}

/// What could stand at the end of `text`, the line up to the cursor. Files are not known here.
pub fn complete(text: &str, source: &Source<'_>) -> Offer {
    let lead = text.len() - text.trim_start().len();
    let word_only = !text[lead..].contains(char::is_whitespace);
    if text[lead..].starts_with('.') && word_only {
        let commands = COMMANDS.iter().map(|command| match command.usage {
            "" => format!(".{}", command.name),
            _ => format!(".{} ", command.name),
        });
        let types = complete_steps(text, lead, source);
        let commands = Offer::of(text, lead, commands);
        return match types.start == lead {
            true => Offer::of(text, lead, types.candidates.into_iter().chain(commands.candidates)),
            false => types,
        };
    }
    let Some((command, arguments)) = meta::of_line(text) else {
        return complete_steps(text, 0, source);
    };
    let at = text.len() - text[lead..].trim_start_matches(|c: char| !c.is_whitespace()).len();
    let start = text.len() - last_word(text).len();
    match command.takes {
        Takes::Nothing | Takes::File => Offer::none(text.len()),
        Takes::Words(words) => Offer::of(text, start, words.iter().map(|&word| word.to_owned())),
        Takes::Id => Offer::of(text, start, (source.words)().ids.iter().take(MOST_IDS).cloned()),
        Takes::Topic => Offer::of(text, start, super::help::topics()),
        Takes::Address => {
            let now = std::iter::once("now".to_owned()).filter(|_| command.name == "at");
            Offer::of(text, start, times(source).chain(now))
        }
        Takes::Selector if arguments.is_empty() => Offer::of(text, start, starts(source.dialect)),
        Takes::Selector => complete_steps(text, at, source),
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or("")
}

/// Completion of a selector or a statement that begins at `from`.
fn complete_steps(text: &str, from: usize, source: &Source<'_>) -> Offer {
    let lexemes: Vec<Lexeme<'_>> = statement_tokens(&text[from..]);
    let mut open: Vec<(Bracket, usize)> = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        match lexeme.token {
            Token::Open(bracket) => open.push((bracket, index)),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    let scene = Scene { text, from, lexemes: &lexemes, source };
    if let Some(last) = lexemes.last()
        && last.token == Token::Fault(Fault::UnclosedQuote)
    {
        return scene.in_quotes(last);
    }
    match open.last() {
        None | Some((Bracket::Chain, _)) => scene.in_steps(),
        Some((Bracket::Square | Bracket::Brace | Bracket::Group, at)) => scene.in_filter(*at),
        Some((Bracket::Array, at)) => scene.value_of(scene.name_before(*at)),
        Some((Bracket::Position, _)) => scene.in_position(),
        Some((Bracket::Args | Bracket::Set, _)) => Offer::none(text.len()),
    }
}

/// The end of a text that is made of these characters.
fn run(text: &str, keep: impl Fn(char) -> bool) -> &str {
    let start = text.char_indices().rev().take_while(|(_, c)| keep(*c)).last();
    start.map_or("", |(start, _)| &text[start..])
}

fn word(base: Base, dialect: Dialect) -> &'static str {
    let [old, new] = base.names();
    if dialect == Dialect::V0_1 { old } else { new }
}

/// Ways to begin a step.
fn starts(dialect: Dialect) -> Vec<String> {
    let roots = Root::ALL.map(|root| format!("^{}", root.name()));
    let types = Base::ALL.map(|base| format!(".{}", word(base, dialect)));
    roots.into_iter().skip(1).chain(types).collect()
}

fn times(source: &Source<'_>) -> impl Iterator<Item = String> + use<> {
    let fixed = ["@t0", "@t-1", "@t-2"].map(str::to_owned);
    let words = (source.words)();
    let cycles: Vec<String> = words.cycles.iter().map(|cycle| format!("@c{cycle}")).collect();
    fixed.into_iter().chain(cycles).chain([format!("@e{}", words.event)])
}

struct Scene<'a> {
    text: &'a str,
    from: usize,
    lexemes: &'a [Lexeme<'a>],
    source: &'a Source<'a>,
}

impl Scene<'_> {
    fn leading(&self) -> Option<Keyword> {
        match self.lexemes.iter().find(|lexeme| lexeme.token != Token::Space)?.token {
            Token::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }

    fn words(&self) -> Rc<Words> {
        (self.source.words)()
    }

    /// The last token before `end`, a place in the text, that is not white space.
    fn before(&self, end: usize) -> Option<Token<'_>> {
        let ends = |lexeme: &&Lexeme<'_>| self.from + lexeme.span.end <= end;
        self.lexemes.iter().filter(ends).map(|l| l.token).rfind(|token| *token != Token::Space)
    }

    /// The name of the attribute whose operator stands before the token at `index`.
    fn name_before(&self, index: usize) -> Option<String> {
        self.lexemes[..index].iter().rev().find_map(|lexeme| match lexeme.token {
            Token::Name(name) => Some(name.to_owned()),
            Token::Text(quoted) => Some(quoted.trim_matches(['\'', '"']).to_owned()),
            _ => None,
        })
    }

    fn in_quotes(&self, quote: &Lexeme<'_>) -> Offer {
        let piece = quote.span.of(&self.text[self.from..]);
        let is_id = piece.starts_with('#');
        let open = usize::from(is_id) + 1;
        let start = self.from + quote.span.start + open;
        let mark = piece[..open].chars().last().unwrap_or('\'');
        let index = self.lexemes.len() - 1;
        let last = self.before(self.from + quote.span.start);
        let values = match last {
            _ if is_id => self.ids(),
            Some(Token::Op(_) | Token::Open(Bracket::Array) | Token::Comma) => {
                self.name_before(index).map(|name| self.values(&name)).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let closed = values.into_iter().map(|value| format!("{value}{mark}"));
        Offer::of(self.text, start, closed)
    }

    fn in_filter(&self, open: usize) -> Offer {
        let typed = run(self.text, |c| is_name_char(c) || c == ':');
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
                Offer::of(self.text, start, names)
            }
            _ => Offer::none(self.text.len()),
        }
    }

    /// Names of fields in the braces of a statement, of attributes in a filter.
    fn names(&self, open: usize) -> Vec<String> {
        let detached =
            open == 0 || matches!(self.lexemes[open - 1].token, Token::Space | Token::Keyword(_));
        let is_brace = self.lexemes[open].token == Token::Open(Bracket::Brace);
        let fields: Vec<&str> = match self.leading().filter(|_| detached && is_brace) {
            Some(Keyword::Add) => add_fields(),
            Some(Keyword::Set) => set_fields(),
            Some(Keyword::Move) => MOVE_FIELDS.to_vec(),
            Some(Keyword::Commit) => COMMIT_FIELDS.to_vec(),
            Some(Keyword::Policy) => POLICY_FIELDS.to_vec(),
            _ => {
                let words = self.words();
                let known = ATTRIBUTES.iter().chain(&DERIVED_FACETS).map(|&name| name.to_owned());
                let known = known.chain(words.attributes().map(str::to_owned));
                return known.chain(self.short_names()).collect();
            }
        };
        fields.iter().map(|name| format!("{name}=")).collect()
    }

    /// Names of attributes without their `data_`, once one is being typed.
    fn short_names(&self) -> Vec<String> {
        if run(self.text, is_name_char).is_empty() {
            return Vec::new();
        }
        let words = self.words();
        words
            .attributes()
            .filter_map(|name| name.strip_prefix("data_"))
            .map(str::to_owned)
            .collect()
    }

    /// Values that an attribute was seen with, as filters read it.
    fn values(&self, name: &str) -> Vec<String> {
        let words = self.words();
        let mut values = words.values(name);
        if name == "kind" && self.source.dialect.kind_is_a_set() {
            let types = words.values("type");
            let based = types.iter().filter_map(|name| name.split_once(':'));
            let based = based.filter(|(base, _)| Base::from_name(base).is_some());
            values.extend(based.map(|(_, name)| name.to_owned()));
            values.sort();
            values.dedup();
        }
        values
    }

    /// An element of a position: a type, `end`, or a chain.
    fn in_position(&self) -> Offer {
        let elements = self.lexemes.iter().rposition(|lexeme| lexeme.token == Token::Comma);
        let element = elements.map_or("", |at| &self.text[self.from + self.lexemes[at].span.end..]);
        if element.trim_start().starts_with(['.', '#', '+']) {
            return self.in_steps();
        }
        let typed = run(self.text, is_type_char).trim_start_matches(':');
        let names = Base::ALL.map(|base| word(base, self.source.dialect).to_owned());
        let seen = self.words().values("type").into_iter().filter(|name| is_plain_type(name));
        let names = names.into_iter().chain(["end".to_owned()]).chain(seen);
        Offer::of(self.text, self.text.len() - typed.len(), names)
    }

    /// Values of an attribute, in quotes.
    fn value_of(&self, name: Option<String>) -> Offer {
        let typed = run(self.text, |c| is_name_char(c) || c == ':');
        let start = self.text.len() - typed.len();
        let Some(name) = name else { return Offer::none(self.text.len()) };
        let values: Vec<String> = match name.as_str() {
            "pinned" | "removable" | "container" => vec!["true".to_owned(), "false".to_owned()],
            "region" => vec!["sys".to_owned(), "seq".to_owned(), "ah".to_owned()],
            name => {
                let seen = self.values(name);
                let kept = seen.into_iter().filter(|value| value.starts_with(typed));
                let kept =
                    kept.take(MOST_IDS).map(|value| format!("'{}'", value.replace('\'', "\\'")));
                return Offer { start, candidates: kept.collect() };
            }
        };
        Offer::of(self.text, start, values)
    }

    fn in_steps(&self) -> Offer {
        let text = self.text;
        let long = run(text, |c| is_name_char(c) || c == ':');
        let sigil = |typed: &str| text[self.from..text.len() - typed.len()].chars().next_back();
        let start = text.len() - long.len();
        match sigil(long) {
            Some('^') => {
                let roots = Root::ALL.map(|root| format!("^{}", root.name()));
                Offer::of(text, start - 1, roots)
            }
            Some('#') => {
                let ids = self.ids().into_iter().filter(|id| id.starts_with(long));
                let ids = ids.take(MOST_IDS).map(|id| format!("#{}", quoted_if_needed(&id)));
                let candidates: Vec<String> = ids.collect();
                match (candidates.is_empty(), long.rfind(':')) {
                    (true, Some(colon)) => self.pseudos(start + colon),
                    _ => Offer { start: start - 1, candidates },
                }
            }
            Some('.') if text[..start].ends_with("..") => Offer::none(text.len()),
            Some('.') => {
                // A dotted name is one type, if the store has such.
                let dotted = run(text, is_type_char);
                match self.types(text.len() - dotted.len(), &dotted[1..]) {
                    offer if dotted.len() > long.len() + 1 && !offer.candidates.is_empty() => offer,
                    _ => self.types(start - 1, long),
                }
            }
            Some('+') => {
                let tags = self.words().values("tag").into_iter().map(|tag| format!("+{tag}"));
                Offer::of(text, start - 1, tags)
            }
            _ if long.starts_with(':') => self.pseudos(start),
            Some(')' | ']' | '}' | '*') if long.is_empty() => Offer::none(text.len()),
            _ => self.at_or_word(),
        }
    }

    fn pseudos(&self, start: usize) -> Offer {
        let names = PseudoName::ALL.map(|name| match name {
            PseudoName::Nth | PseudoName::Depth => format!(":{}(", name.name()),
            name => format!(":{}", name.name()),
        });
        Offer::of(self.text, start, names)
    }

    fn types(&self, start: usize, typed: &str) -> Offer {
        let words = self.words();
        let plain = |name: &String| is_plain_type(name);
        let seen = words.values("type").into_iter().filter(plain).map(|name| format!(".{name}"));
        let own = Base::ALL.map(|base| format!(".{}", word(base, self.source.dialect)));
        let known: Vec<String> = own.into_iter().chain(seen).collect();
        let Some((base, _)) = typed.split_once(':') else {
            return Offer::of(self.text, start, known);
        };
        let kinds = self.values("kind").into_iter().filter(plain);
        let kinds = kinds
            .filter(|_| self.source.dialect == Dialect::V0_1 && Base::from_name(base).is_some())
            .map(|kind| format!(".{base}:{kind}"));
        let front = typed.rfind(':').map_or("", |colon| &typed[..colon]);
        let pseudos = self.pseudos(self.text.len()).candidates;
        let pseudos = pseudos.into_iter().map(|pseudo| format!(".{front}{pseudo}"));
        Offer::of(self.text, start, known.into_iter().chain(kinds).chain(pseudos))
    }

    /// What begins with `@`, or a word.
    fn at_or_word(&self) -> Offer {
        let text = self.text;
        let typed = last_word(text);
        if let Some(at) = typed.rfind('@') {
            let start = text.len() - typed.len() + at;
            let early = self.lexemes.iter().all(|Lexeme { token, span }| {
                self.from + span.end > start
                    || matches!(token, Token::Space | Token::Keyword(_))
                    || token.class() == pactdb::query::TokenClass::Time
            });
            if !early {
                let controls = CONTROLS.map(|name| match name {
                    "first" | "unique" => format!("@{name}"),
                    name => format!("@{name}="),
                });
                let values = ["@order=path", "@order=recent", "@order=id", "@mode=latest"];
                let values = values.map(str::to_owned).into_iter().filter(|_| typed.contains('='));
                return Offer::of(text, start, controls.into_iter().chain(values));
            }
            let all = ["@*", "@history"].map(str::to_owned);
            return Offer::of(text, start, times(self.source).chain(all));
        }
        let start = text.len() - typed.len();
        if text[self.from..start].trim().is_empty() {
            let keywords = Keyword::LEADING.map(|keyword| match keyword {
                Keyword::Commit | Keyword::Undo => keyword.name().to_owned(),
                keyword => format!("{} ", keyword.name()),
            });
            return Offer::of(text, start, keywords);
        }
        let inner = self.leading().map(Keyword::inner).unwrap_or_default();
        let inner = inner.iter().map(|keyword| format!("{} ", keyword.name()));
        Offer::of(text, start, inner.chain(starts(self.source.dialect)))
    }

    /// What `#` names: ids, or keys.
    fn ids(&self) -> Vec<String> {
        let words = self.words();
        let dialect = match self.leading() {
            None | Some(Keyword::Diff) => self.source.dialect,
            Some(_) => self.source.own,
        };
        if dialect.hash_is_key() { words.values("key") } else { words.ids.clone() }
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
