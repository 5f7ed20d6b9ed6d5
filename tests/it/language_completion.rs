//! Completion as an operation of the library: a text, a cursor and a store's words to candidates and the span that they
//! replace.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::Span;
use pactdb::language::complete::{CompletionContext, Vocabulary, Words, complete};
use pactdb::language::words::Keyword;
use std::cell::Cell;
use std::rc::Rc;

/// Words of a store that does not exist, and how often they were asked for.
#[derive(Default)]
struct Known {
    asked: Cell<u32>,
}

impl Vocabulary for Known {
    fn words(&self) -> Rc<Words> {
        self.asked.set(self.asked.get() + 1);
        let mut words = Words::new(vec![3, 2], 9);
        words.ids = vec!["cb:1".to_owned(), "e:pre".to_owned()];
        words.add_value("role", "user");
        words.add_value("role", "tool");
        words.add_value("key", "manner");
        words.add_value("tag", "tone");
        words.add_value("type", "note");
        words.add_value("data_mood", "curious");
        words.add_attribute("content");
        Rc::new(words)
    }

    fn fields(&self, statement: Keyword) -> Option<Vec<&'static str>> {
        (statement == Keyword::Add).then(|| vec!["role", "ttl"])
    }
}

/// Completes at the `|` of a text; the candidates, and the text that they replace.
fn completed(marked: &str, dialect: Dialect) -> (String, Vec<String>) {
    let cursor = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    let known = Known::default();
    let context = CompletionContext { dialect, store_dialect: dialect, vocabulary: &known };
    let found = complete(&text, cursor, &context);
    assert_eq!(found.span.end, cursor, "{marked}");
    (found.span.of(&text).to_owned(), found.candidates)
}

#[test]
fn candidates_come_with_the_text_that_they_replace() {
    for (marked, replaced, candidates) in [
        ("^se|", "^se", &["^seq"][..]),
        (".no|", ".no", &[".note"]),
        ("#c|", "#c", &["#cb:1"]),
        ("#e|", "#e", &["#'e:pre'"]),
        (".cb+t|", "+t", &["+tone"]),
        ("@c|", "@c", &["@c3", "@c2"]),
        (".cb @lim|", "@lim", &["@limit="]),
        (".cb:fi|", ".cb:fi", &[".cb:first"]),
        (".cb:ha|", ".cb:ha", &[".cb:has("]),
        ("^ah:no|", ":no", &[":not("]),
        ("#cb:1:ha|", ":ha", &[":has("]),
        (".mt:has(.no|", ".no", &[".note"]),
        (".mt:has(.cb+t|", "+t", &["+tone"]),
        (".mt:not([ro|", "ro", &["role"]),
        (".mt:has(.cb[role!=['u|", "u", &["user'"]),
        // What counts is refused inside, and so are times and controls.
        (".cb:not(.cb:fi|", ".cb:fi", &[]),
        (".cb:not(.cb):fi|", ":fi", &[":first"]),
        (".mt:has(.cb @li|", "", &[]),
        ("[ro|]", "ro", &["role"]),
        ("[role=|]", "", &["'tool'", "'user'"]),
        ("[role='u|", "u", &["user'"]),
        ("[mood=|]", "", &["'curious'"]),
        ("add ^ah {r|}", "r", &["role="]),
        ("com|", "com", &["commit"]),
        ("move #cb:1 t|", "t", &["to "]),
        // What follows the cursor does not matter.
        ("^se| .cb[role='user']", "^se", &["^seq"]),
    ] {
        let expected: Vec<String> = candidates.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(completed(marked, Dialect::V0_1), (replaced.to_owned(), expected), "{marked}");
    }
    let keys = vec!["#manner".to_owned()];
    assert_eq!(completed("#|", Dialect::V1_0), ("#".to_owned(), keys));
}

#[test]
fn a_store_is_asked_only_where_its_words_matter() {
    for (text, asked) in [("^s", false), ("com", false), (".cb:depth(", false), (".cb +", true)] {
        let known = Known::default();
        let dialect = Dialect::V0_1;
        let context = CompletionContext { dialect, store_dialect: dialect, vocabulary: &known };
        complete(text, text.len(), &context);
        assert_eq!(known.asked.get() > 0, asked, "{text}");
    }
}

#[test]
fn a_cursor_outside_the_text_or_inside_a_character_is_no_error() {
    let known = Known::default();
    let dialect = Dialect::V0_1;
    let context = CompletionContext { dialect, store_dialect: dialect, vocabulary: &known };
    assert_eq!(complete("", 0, &context).span, Span::new(0, 0));
    for text in ["^s", "é", "[role='é", ".é"] {
        for cursor in 0..text.len() + 3 {
            complete(text, cursor, &context);
        }
    }
}
