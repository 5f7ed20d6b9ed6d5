//! Tokens that older texts wrote and the grammar does not have, mended in the text itself.
//!
//! `c@N` becomes `N`, `*@+` and `*@-` become tests of the offset; quoted texts are left alone.
//! `cont[offset=N]` and `.block:TYPE` are read like anything else, and are mended in the tree.

/// A text without legacy tokens, and what was mended.
pub(super) fn mended(text: &str) -> (String, Vec<String>) {
    let (mut out, mut notes) = (String::with_capacity(text.len()), Vec::new());
    let mut quote: Option<char> = None;
    let mut at = 0;
    while let Some(symbol) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut len = symbol.len_utf8();
        match quote {
            Some(_) if symbol == '\\' => {
                len += rest[len..].chars().next().map_or(0, char::len_utf8);
            }
            Some(open) if symbol == open => quote = None,
            Some(_) => {}
            None if matches!(symbol, '\'' | '"') => quote = Some(symbol),
            None => {
                if let Some((old, new)) = token(rest).filter(|_| begins_a_word(&text[..at])) {
                    notes.push(format!("`{old}` is written `{new}`"));
                    out.push_str(&new);
                    at += old.len();
                    continue;
                }
            }
        }
        out.push_str(&rest[..len]);
        at += len;
    }
    (out, notes)
}

/// The legacy token that a text begins with, and what it becomes.
fn token(text: &str) -> Option<(&str, String)> {
    if let Some(sign) = text.strip_prefix("*@").and_then(|rest| rest.chars().next()) {
        let test = match sign {
            '+' => "*[offset>0]",
            '-' => "*[offset<0]",
            _ => return None,
        };
        return Some((&text[..3], test.to_owned()));
    }
    let digits = text.strip_prefix("c@")?;
    let signed = digits.strip_prefix('-').unwrap_or(digits);
    let len = signed.find(|c: char| !c.is_ascii_digit()).unwrap_or(signed.len());
    let end = text.len() - signed.len() + len;
    (len > 0).then(|| (&text[..end], text[2..end].to_owned()))
}

/// Whether a token may begin behind this text: `c@0` is one, `abc@0` is not.
fn begins_a_word(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ',' | '>'))
}
