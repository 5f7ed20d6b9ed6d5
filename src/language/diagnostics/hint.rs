//! What to write instead, where the tokens around a failure show what was meant.
//!
//! Each rule knows one mistake that people make, often the other generation's way of writing.
//! The first rule that applies wins, so the special ones come first.

use super::subject::Subject;
use crate::language::lexing::{Bracket, Token};
use crate::language::words::{Keyword, PseudoName, Root};

/// The tokens around a failure.
pub(crate) struct Scene<'a> {
    /// What was being read.
    pub(crate) subject: Subject,
    /// The token before `before`, gaps included.
    pub(crate) earlier: Option<Token<'a>>,
    /// The last token that fitted, gaps aside.
    pub(crate) before: Option<Token<'a>>,
    /// Whether white space stands before the token that did not fit.
    pub(crate) gap: bool,
    /// The token that did not fit; none at the end of the text.
    pub(crate) found: Option<Token<'a>>,
    /// The bracket around it.
    pub(crate) inside: Option<Bracket>,
    /// Whether that is a position, and a chain, its last element, has begun.
    pub(crate) in_last_chain: bool,
    /// Whether a step, or more of one, could stand there.
    pub(crate) step_may_follow: bool,
}

/// Advice for this failure, if a rule knows it.
pub(crate) fn hint(scene: &Scene<'_>) -> Option<String> {
    let Some(found) = scene.found else { return early_end_hint(scene) };
    nested_hint(scene, found)
        .or_else(|| statement_hint(scene, found))
        .or_else(|| time_hint(scene, found))
        .or_else(|| depth_hint(scene, found))
        .or_else(|| position_hint(scene, found))
        .or_else(|| filter_hint(scene, found))
        .or_else(|| step_hint(scene, found))
}

/// What cannot stand inside `:has(…)` and `:not(…)`.
fn nested_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    let name = match scene.inside {
        Some(Bracket::Has) => "has",
        Some(Bracket::Not) => "not",
        _ => return None,
    };
    Some(match found {
        found if found.ends_time() || found == Token::RangeMark => {
            format!("`:{name}(…)` asks the same state: put the time in front of everything")
        }
        Token::Control(_) => "controls stand at the end of the whole selector".to_owned(),
        Token::Fallback if scene.inside == Some(Bracket::Has) => {
            "a comma inside `:has(…)` means any of them".to_owned()
        }
        Token::Open(Bracket::Chain | Bracket::Position) => {
            format!("`:{name}(…)` holds steps without parentheses around them")
        }
        Token::Depth(_) | Token::DepthWord if scene.inside == Some(Bracket::Not) => {
            "a depth inside `:not(…)` is `:depth(…)`".to_owned()
        }
        Token::Word(word) if Root::from_name(word).is_none() => {
            format!(
                "a type begins with a dot, and filters stand in brackets: `:{name}(.{word})`, \
                 `:{name}([{word}])`"
            )
        }
        _ if scene.inside == Some(Bracket::Not) && (scene.gap || found == Token::Child) => {
            "`:not(…)` holds steps with commas between them, and no way down: for what lies below \
             write `:not(:has(…))`"
                .to_owned()
        }
        _ => return None,
    })
}

/// What is missing from a statement that stops behind its keyword.
fn early_end_hint(scene: &Scene<'_>) -> Option<String> {
    let Some(Token::Keyword(keyword)) = scene.before else { return None };
    Some(format!("for example `{}`", example(keyword)?))
}

/// A statement that shows the shape of its kind.
fn example(keyword: Keyword) -> Option<&'static str> {
    Some(match keyword {
        Keyword::Add => "add ^ah .cb {role='user'} 'Hello'",
        Keyword::Set => "set #cb:1 {ttl=2}",
        Keyword::Move | Keyword::To => "move #cb:1 to ^sys",
        Keyword::Remove => "rm #cb:1",
        Keyword::Restore => "restore @c4",
        Keyword::Cadence | Keyword::End => "cadence end notes",
        Keyword::Json => "json '[1, 2]'",
        _ => return None,
    })
}

fn statement_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    if scene.subject != Subject::Statement || scene.inside.is_some() {
        return None;
    }
    match (scene.before, found) {
        (Some(Token::Keyword(Keyword::Add)), Token::Word("to")) => {
            Some("the place comes directly behind `add`".to_owned())
        }
        (Some(Token::Keyword(Keyword::Restore)), _) => {
            Some("name a snapshot: `restore @c4`".to_owned())
        }
        (Some(Token::Text(_)), Token::Open(Bracket::Brace)) => {
            Some("fields come before the content".to_owned())
        }
        (Some(Token::CloseBrace), Token::Type(_)) => {
            Some("the type comes before the fields".to_owned())
        }
        (Some(_), Token::Text(_)) => {
            Some("a content is for `add` and `set`, at the end".to_owned())
        }
        (_, found) if found.ends_time() => {
            Some("an edit addresses the working state: leave the time out".to_owned())
        }
        (_, Token::Word(_) | Token::Fault(_)) => {
            Some("text is quoted: `add 'Hello'`; types begin with a dot".to_owned())
        }
        _ => None,
    }
}

fn time_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    let after_time = scene.before.is_some_and(|before| before.ends_time());
    if found.ends_time() {
        return Some(match scene.subject {
            Subject::Target | Subject::Place | Subject::Statement => {
                "an edit addresses the working state: leave the time out".to_owned()
            }
            _ if scene.before == Some(Token::RangeMark) => return None,
            _ => "a time stands once, in front of everything else".to_owned(),
        });
    }
    if scene.before == Some(Token::RangeMark) {
        return Some(match found {
            Token::Word(word) if word.starts_with(['t', 'c']) && word.len() < 4 => {
                format!("write `@{word}`")
            }
            Token::Word(_) => {
                "`:` after a time begins a range: put a space before a step".to_owned()
            }
            _ => "a range has two ends, as in `@t-3..@t0`".to_owned(),
        });
    }
    match scene.subject {
        Subject::Time => Some("a time is one address or one range".to_owned()),
        _ if after_time && found == Token::RangeMark => {
            Some("a range has two ends, and `@history` is one already".to_owned())
        }
        _ if after_time && !scene.gap => Some("white space must follow a time".to_owned()),
        _ => None,
    }
}

fn depth_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    match (scene.earlier, scene.before, found) {
        (_, _, Token::Depth(n)) if matches!(scene.inside, Some(Bracket::Args | Bracket::Set)) => {
            Some(format!("write the plain number, `{n}`"))
        }
        (_, _, Token::Depth(_)) if scene.inside == Some(Bracket::Position) => {
            Some("a depth may only come first in a position".to_owned())
        }
        (
            _,
            Some(Token::Depth(_)),
            Token::Open(Bracket::Square | Bracket::Brace)
            | Token::Tag(_)
            | Token::Pseudo(_)
            | Token::Type(_)
            | Token::Star,
        ) if !scene.gap && scene.inside != Some(Bracket::Position) => {
            Some("nothing is attached to a depth step: put a space behind it".to_owned())
        }
        (_, Some(Token::Pseudo(PseudoName::Nth)), _) => {
            Some("`:nth` takes a number: `:nth(2)`".to_owned())
        }
        (_, Some(Token::Pseudo(PseudoName::Depth)), _) => {
            Some("`:depth` takes depths: `:depth(1)`, `:depth(1..3)`, `:depth(>0)`".to_owned())
        }
        (_, Some(Token::DepthWord), _) => {
            Some("`depth` takes depths: `depth(0)`, `depth(1..3)`".to_owned())
        }
        (_, Some(Token::Pseudo(pseudo)), Token::Open(Bracket::Args)) => {
            Some(format!("`:{}` takes no argument", pseudo.name()))
        }
        _ => None,
    }
}

fn position_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    const INSERTION: &str = "an insertion (`end`, `+1`, `-1` or a comma at the end) is only for \
                             the place of a new node, as its last element";
    let in_position = scene.inside == Some(Bracket::Position) && !scene.in_last_chain;
    match found {
        Token::InsertAt(_) => Some(INSERTION.to_owned()),
        Token::End | Token::CloseRound if in_position => Some(INSERTION.to_owned()),
        Token::Comma if scene.in_last_chain => {
            Some("an element that begins like a step is a chain, and must be the last".to_owned())
        }
        Token::Type(_) | Token::Word(_) | Token::Star if in_position => {
            Some("commas separate the elements of a position".to_owned())
        }
        Token::Child if in_position => {
            Some("a position goes down by commas; only its last element may be a chain".to_owned())
        }
        Token::Comma | Token::Fallback if scene.inside == Some(Bracket::Chain) => {
            Some("parentheses hold one chain, or positions only".to_owned())
        }
        Token::Open(Bracket::Chain)
            if matches!(scene.before, Some(Token::Type(_))) && scene.gap =>
        {
            Some(
                "filters in parentheses must touch their type; a chain in parentheses comes first"
                    .to_owned(),
            )
        }
        Token::Open(Bracket::Chain | Bracket::Position)
            if scene.before == Some(Token::CloseRound) && !scene.gap =>
        {
            Some(
                "a type takes one pair of parentheses; add more tests inside it, or `[…]`"
                    .to_owned(),
            )
        }
        Token::Open(Bracket::Chain | Bracket::Position) => {
            Some("parentheses may only begin a chain".to_owned())
        }
        Token::Gap(_) => None,
        _ if scene.before == Some(Token::CloseRound) && !scene.gap && !in_position => {
            Some("only filters may touch a closing parenthesis: put a space behind it".to_owned())
        }
        _ => None,
    }
}

fn filter_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    let in_filter = matches!(scene.inside, Some(Bracket::Square | Bracket::Brace | Bracket::Group));
    match found {
        Token::Name("not") if in_filter => {
            Some("none of a list is `!=`: `role!=['a', 'b']`".to_owned())
        }
        Token::Name("in") if in_filter => Some("`in` takes a list: `in ['a', 'b']`".to_owned()),
        Token::Name(_) | Token::Text(_) if in_filter => {
            Some("separate tests by a comma".to_owned())
        }
        Token::Op(_) if matches!(scene.before, Some(Token::Op(_))) => {
            Some("an operator is one of `=` `!=` `<` `<=` `>` `>=` `~` `!~`".to_owned())
        }
        _ => None,
    }
}

fn step_hint(scene: &Scene<'_>, found: Token<'_>) -> Option<String> {
    let after_filter =
        matches!(scene.before, Some(Token::CloseSquare | Token::CloseBrace | Token::Tag(_)));
    match found {
        Token::Optional => {
            Some("`?` is only for the target and the place of an edit, at its end".to_owned())
        }
        Token::Control(_) if !scene.gap => Some("put a space before a control".to_owned()),
        Token::Word(word) if Root::from_name(word).is_some() => {
            Some(format!("a region begins with a caret: `^{word}`"))
        }
        Token::Word(word) => Some(format!("a type begins with a dot: `.{word}`")),
        Token::Text(_) => Some("text stands in a filter, or after `#` for an id or key".to_owned()),
        Token::Number(n) => Some(format!("a depth is `d{n}`; an offset is `[offset={n}]`")),
        _ if after_filter && !scene.step_may_follow => Some(
            "only filters and controls may follow a filter that stands apart; attach it to its \
             step or move it to the end"
                .to_owned(),
        ),
        _ => None,
    }
}
