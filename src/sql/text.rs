//! What a text is: a question in SQL, a selector with stages and where these begin, or neither.

use crate::language::{Fault, Token, tokens};

/// Whether a line is a question in SQL: it begins with `select` or `with`.
pub fn is_sql(line: &str) -> bool {
    let line = line.trim_start();
    let word = line.split(char::is_whitespace).next().unwrap_or_default();
    word.len() < line.len()
        && ["select", "with"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a text is a selector with stages: a lone `|` stands outside of quotes and brackets.
///
/// ```
/// assert!(pactdb::sql::has_stages("@t0 .cb | count by role"));
/// assert!(!pactdb::sql::has_stages(".cb[content~'a|b']"));
/// ```
pub fn has_stages(text: &str) -> bool {
    first_stage(text).is_some()
}

/// Whether a text is answered with rows: SQL, or a selector with stages.
pub fn is_question(text: &str) -> bool {
    is_sql(text) || has_stages(text)
}

/// Where the `|` of the first stage stands.
pub fn first_stage(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for lexeme in tokens(text) {
        match lexeme.token {
            Token::Open(_) => depth += 1,
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                depth = depth.saturating_sub(1);
            }
            Token::Fault(Fault::Unexpected('|')) if depth == 0 => return Some(lexeme.span.start),
            _ => {}
        }
    }
    None
}
