//! No text, however long, nested or broken, makes the front half panic, overflow or crawl.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::ast::Statement;
use pactdb::language::{
    Fault, Token, Unclosed, advise, format, parse_place, parse_selector, parse_statement,
    parse_target, parse_time, statement_tokens, tokens, unclosed,
};
use proptest::prelude::*;

/// A text that comes piece by piece leaves open what the whole of it does.
fn check_pieces(text: &str) {
    let open = unclosed(text).is_some();
    let last = tokens(text).last().map(|lexeme| lexeme.token);
    let in_quote = last == Some(Token::Fault(Fault::UnclosedQuote));
    for size in [1, 3, usize::MAX] {
        let (mut pieces, mut rest) = (Unclosed::default(), text);
        while !rest.is_empty() {
            let end = rest.char_indices().map(|(at, _)| at).nth(size).unwrap_or(rest.len());
            pieces.feed(&rest[..end]);
            rest = &rest[end..];
        }
        assert_eq!((pieces.is_open(), pieces.in_quote()), (open, in_quote), "{text:?}");
    }
}

/// Everything that may be asked of a text; it must answer and keep its promises.
fn check_any(text: &str) {
    let mut end = 0;
    for lexeme in tokens(text) {
        assert_eq!(lexeme.span.start, end, "tokens cover {text:?}");
        assert!(lexeme.span.end > end, "tokens move on in {text:?}");
        end = lexeme.span.end;
    }
    assert_eq!(end, text.len(), "tokens cover all of {text:?}");
    let spans = |lexemes: &[pactdb::language::Lexeme<'_>]| -> Vec<_> {
        lexemes.iter().map(|lexeme| lexeme.span).collect()
    };
    let plain: Vec<_> = tokens(text).collect();
    assert_eq!(spans(&statement_tokens(text)), spans(&plain), "{text:?}");
    unclosed(text);
    for dialect in Dialect::ALL {
        check_statement(text, dialect);
        match parse_selector(text, dialect) {
            Ok(tree) => {
                advise(&tree, dialect);
                let canonical = format(&tree, dialect);
                let again = parse_selector(&canonical, dialect);
                assert_eq!(again.as_ref(), Ok(&tree), "{text:?} -> {canonical:?}");
            }
            Err(error) => {
                assert!(error.span.end <= text.len(), "{text:?}: {error:?}");
                assert!(!error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
                error.render(text);
            }
        }
        let _ = parse_target(text, dialect);
        let _ = parse_place(text, dialect);
    }
    let _ = parse_time(text);
}

/// A selector is a statement; what else is one reads back, and what is none is explained.
fn check_statement(text: &str, dialect: Dialect) {
    let read = parse_statement(text, dialect);
    if let Ok(selector) = parse_selector(text, dialect) {
        assert_eq!(read, Ok(Statement::Select(selector)), "{text:?}");
        return;
    }
    match read {
        Ok(tree) => {
            let canonical = format(&tree, dialect);
            let again = parse_statement(&canonical, dialect);
            assert_eq!(again.as_ref(), Ok(&tree), "{text:?} -> {canonical:?}");
            // Whatever it asks for, it is an operation or an error with a code.
            let _ = pactdb::protocol::statement_request(&tree, text, dialect);
        }
        Err(error) => {
            assert!(error.span.end <= text.len(), "{text:?}: {error:?}");
            assert!(!error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
            error.render(text);
        }
    }
}

/// Pieces that make interesting mistakes when they are put together at random.
const PIECES: [&str; 56] = [
    " ", "  ", ",", ">", "??", "?", "(", ")", "[", "]", "{", "}", ".", "..", ":", "#", "+", "-",
    "*", "@", "^", "=", "!=", "<=", "~", "'", "\"", "\\", "d1", "d-1", "depth", ":depth(", ":nth(",
    ":has(", ":not(", "!~", ":first", ":pre", ".cb", ".cb:x", "#a:b", "^ah", "+tag", "@t0", "@t-3",
    "@c4", "@e4", "@*", "@limit=", "end", "in", "null", "1", "2.5", "é", "\n",
];

/// Pieces of statements.
const STATEMENTS: [&str; 24] = [
    "add",
    "set",
    "move",
    "rm",
    "commit",
    "undo",
    "restore",
    "diff",
    "policy",
    "cadence",
    " to ",
    " json ",
    " force",
    " rich ",
    " now ",
    " none",
    " end ",
    " {ttl=2}",
    " {tags=[a, 'b']}",
    " 'text'",
    " json '[1]'",
    " .cb",
    " ^ah",
    " #a",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_are_answered(indexes in prop::collection::vec(0..PIECES.len(), 0..24)) {
        let text: String = indexes.into_iter().map(|index| PIECES[index]).collect();
        check_any(&text);
    }

    #[test]
    fn statements_in_pieces_are_answered(
        leading in 0..STATEMENTS.len(),
        indexes in prop::collection::vec(0..PIECES.len() + STATEMENTS.len(), 0..16),
    ) {
        let piece = |index: usize| {
            if index < PIECES.len() { PIECES[index] } else { STATEMENTS[index - PIECES.len()] }
        };
        let rest: String = indexes.into_iter().map(piece).collect();
        check_any(&format!("{} {rest}", STATEMENTS[leading]));
    }

    #[test]
    fn any_characters_are_answered(text in "\\PC{0,40}") {
        check_any(&text);
    }

    #[test]
    fn accepted_selectors_survive_damage(line in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), piece in 0..PIECES.len(), cut in 0usize..6) {
        let file = include_str!("../../fixtures/selectors/accept.txt");
        let lines: Vec<&str> = file.lines().filter(|line| line.starts_with("both ")).collect();
        let text: Vec<char> = lines[line.index(lines.len())][5..].chars().collect();
        let start = at.index(text.len() + 1);
        let end = (start + cut).min(text.len());
        let damaged: String = text[..start].iter().copied().chain(PIECES[piece].chars()).chain(text[end..].iter().copied()).collect();
        check_any(&damaged);
    }
}

#[test]
fn long_and_deep_texts_are_answered() {
    let long = |unit: &str| unit.repeat(64 * 1024 / unit.len());
    let texts = [
        long("("),
        long("["),
        long("{"),
        long("( "),
        long("(("),
        long(":depth("),
        long(":has("),
        long(":not("),
        long(":has(.a,"),
        format!(".a{}", long(":not(.a)")),
        format!("{}.a{}", ":has(".repeat(32), ")".repeat(32)),
        long(".cb("),
        long("'"),
        long("\\"),
        long(" "),
        long("a"),
        long("#a:first"),
        long(":first"),
        long("d1.."),
        long("@t0.."),
        long(">"),
        long(".a "),
        long(".a>"),
        long(".a,"),
        long(".a??"),
        long("+t"),
        long("[a]"),
        long("in "),
        long("9"),
        long("#'x'"),
        long(")"),
        long("*:a"),
        long("é"),
        format!(".cb[a in [{}1]]", long("1,")),
        format!(".mt:depth({}1)", long("1,").split_at(60_000).0),
        format!("(d1{})", long(",0").split_at(60_000).0),
        format!(".cb[{}a]", long("a,").split_at(60_000).0),
        format!(".cb[a in [{}1]]", long("1,").split_at(60_000).0),
        format!(".cb(in{})", long(" in").split_at(60_000).0),
        "x".repeat(10_000_000),
    ];
    // What were worse than linear by much would not come to an end here.
    texts.iter().for_each(|text| check_any(text));
}

#[test]
fn bounds_are_quoted() {
    for (text, says) in [
        ("a".repeat(70_000), "at most 65536"),
        ("( ".repeat(40), "at most 32 deep"),
        (format!("{}.a{}", ":has(".repeat(33), ")".repeat(33)), "at most 32 deep"),
        (format!(".a:has({})", ".a,".repeat(1024) + ".a"), "at most 1024 steps"),
        (format!(".a{}", ":not(.b)".repeat(2048)), "at most 4096 tests"),
        (format!(".a[b!=[{}1]]", "1,".repeat(8192)), "at most 8192 values"),
        (".a ".repeat(1025), "at most 1024 steps"),
        (format!(".a{}", "[b]".repeat(4096)), "at most 4096 tests"),
        (format!(".a:depth({}1)", "1,".repeat(1024)), "at most 1024 depths"),
        (format!(".a[b in [{}1]]", "1,".repeat(8192)), "at most 8192 values"),
    ] {
        let error = parse_selector(&text, Dialect::V0_1).unwrap_err();
        assert!(error.message.contains(says), "{error}");
    }
}

proptest! {
    #[test]
    fn a_text_in_pieces_leaves_open_what_the_whole_does(
        text in "[a-c0-9 '\"\\\\()\\[\\]{}#@.:=>,+*^?~é\n\t-]{0,40}",
    ) {
        check_pieces(&text);
    }
}
