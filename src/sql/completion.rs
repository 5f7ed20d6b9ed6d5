//! What could be typed at a place in a question: tables, their columns, words of SQL.

use super::catalogue;

/// What could be typed at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One of these words, in place of what follows a byte.
    Words(usize, Vec<String>),
    /// A selector that begins at a byte.
    Selector(usize),
}

const KEYWORDS: [&str; 22] = [
    "and", "as", "between", "by", "case", "desc", "distinct", "from", "group by", "having", "in",
    "is", "join", "like", "limit", "not", "null", "on", "or", "order by", "regexp", "where",
];

const FUNCTIONS: [&str; 9] =
    ["avg(", "count(*)", "date(", "group_concat(", "length(", "max(", "min(", "sum(", "substr("];

/// What could be typed at the end of `text` behind the `|` of a stage: the words that begin one, and behind
/// such a word the columns of what the selector finds.
pub(crate) fn wanted_in_stage(text: &str) -> Wanted {
    let start = text.trim_end_matches(is_word).len();
    let before = text[..start].trim_end();
    if open_quote(text).is_some() {
        return Wanted::Words(text.len(), Vec::new());
    }
    let mut offers: Vec<String> = match before.ends_with('|') {
        true => STAGE_WORDS.iter().map(|word| format!("{word} ")).collect(),
        false => {
            let tables = catalogue();
            let nodes =
                tables.iter().filter(|table| ["pact", "each", "changes"].contains(&&*table.name));
            let columns = nodes.flat_map(|table| &table.columns).map(|(name, ..)| name.clone());
            columns.chain(IN_STAGES.iter().map(|word| (*word).to_owned())).collect()
        }
    };
    let typed = text[start..].to_ascii_lowercase();
    offers.retain(|offer| offer.to_ascii_lowercase().starts_with(&typed));
    offers.sort();
    offers.dedup();
    Wanted::Words(start, offers)
}

/// The words that begin a stage.
const STAGE_WORDS: [&str; 11] =
    ["where", "count", "sum", "min", "max", "avg", "sort", "take", "skip", "distinct", "show"];

/// Words inside of stages.
const IN_STAGES: [&str; 14] = [
    "and", "as", "avg", "by", "count", "desc", "in", "is", "like", "max", "min", "not", "or", "sum",
];

fn is_word(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// What could be typed at the end of `text`, which is a part of the question `whole`.
pub(crate) fn wanted(text: &str, whole: &str) -> Wanted {
    if let Some(quote) = open_quote(text) {
        let before = text[..quote].trim_end();
        let in_call = before.ends_with(['(', ',']);
        return match in_call {
            true => Wanted::Selector(quote + 1),
            false => Wanted::Words(text.len(), Vec::new()),
        };
    }
    let start = text.trim_end_matches(is_word).len();
    let before = text[..start].trim_end().to_ascii_lowercase();
    let words = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    let tables = catalogue();
    let calls = tables.iter().map(|table| match table.call.contains('(') {
        true => format!("{}('", table.name),
        false => table.name.clone(),
    });
    let mut offers: Vec<String> = match words {
        "from" | "join" => calls.collect(),
        _ => {
            let mentioned = |name: &str| whole.split(|c| !is_word(c)).any(|word| word == name);
            let named = tables.iter().any(|table| mentioned(&table.name));
            let used = tables.iter().filter(|table| !named || mentioned(&table.name));
            let columns = used.flat_map(|table| &table.columns).map(|(name, ..)| name.clone());
            let words = KEYWORDS.iter().chain(&FUNCTIONS).map(|word| (*word).to_owned());
            columns.chain(words).collect()
        }
    };
    let typed = text[start..].to_ascii_lowercase();
    offers.retain(|offer| offer.to_ascii_lowercase().starts_with(&typed));
    offers.sort();
    offers.dedup();
    Wanted::Words(start, offers)
}

/// Where a text in single quotes begins that is not closed.
fn open_quote(text: &str) -> Option<usize> {
    let mut open = None;
    for (at, _) in text.match_indices('\'') {
        // A doubled quote closes and opens again, which comes to the same.
        open = if open.is_some() { None } else { Some(at) };
    }
    open
}
