//! What the language says about selectors that it reads: advice, derived facets, tokens, carets.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::{
    AdviceKind, Span, TokenClass, advise, derived_facet, parse_selector, tokens, unclosed,
};

fn check_advice(dialect: Dialect, text: &str, expected: &[(AdviceKind, &str)]) {
    let tree = parse_selector(text, dialect).unwrap();
    let found = advise(&tree, dialect);
    let found: Vec<(AdviceKind, &str)> =
        found.iter().map(|advice| (advice.kind, advice.span.of(text))).collect();
    assert_eq!(found, expected, "{text} in {dialect}");
}

#[test]
fn advice_names_what_is_unwise_or_read_differently() {
    use AdviceKind::*;
    let (old, new) = (Dialect::V0_1, Dialect::V1_0);
    check_advice(old, ".cb[ttl=1]", &[]);
    check_advice(
        old,
        ".cb {ttl=1, a=2, cad}",
        &[(BehaviourInBraces, "ttl=1"), (BehaviourInBraces, "cad")],
    );
    check_advice(new, "{ttl>1}", &[(BehaviourInBraces, "ttl>1")]);
    check_advice(old, ".cb @limt=3 @x", &[(UnknownControl, "@limt=3"), (UnknownControl, "@x")]);
    check_advice(old, "@t0 .cb", &[(RelativeTime, "@t0")]);
    check_advice(old, "@t0 .block", &[(TimeOfOtherDialect, "@t0")]);
    check_advice(new, "@t-1..@t0 .mt", &[(TimeOfOtherDialect, "@t-1..@t0")]);
    check_advice(new, "@c4 .mt", &[]);
    check_advice(old, ".cb:summary", &[(TypeSuffix, ".cb:summary")]);
    check_advice(new, ".block:summary", &[(TypeSuffix, ".block:summary")]);
    check_advice(new, ".custom:note", &[]);
    check_advice(old, ".cb:frist", &[(LikelyPseudo, ".cb:frist")]);
    check_advice(old, ".x:list", &[]);
    check_advice(old, ".cb[rol='user', kin]", &[(LikelyHeader, "rol"), (LikelyHeader, "kin")]);
    check_advice(old, ".cb[page=1, data_rol=1, x:kin, role, tag='a', b]", &[]);
    check_advice(
        old,
        ".cb[priority='high', ttl>soon, age=x]",
        &[(NotANumber, "'high'"), (NotANumber, "soon"), (NotANumber, "x")],
    );
    check_advice(old, ".cb[ttl='2', cad=null, priority>-1.5, ttl~'x', role=high]", &[]);
    check_advice(old, "#cb:1", &[]);
    check_advice(new, "#cb:1", &[(KeyLooksLikeId, "#cb:1")]);
    check_advice(new, "#theme", &[]);
    check_advice(old, ".a [b]", &[(DetachedBracket, "[b]")]);
    check_advice(new, ".a [b]", &[(DetachedBracket, "[b]")]);
    check_advice(old, ".a[b]", &[]);
    check_advice(new, ".seg:depth(1)", &[(Legacy, ":depth(1)")]);
    check_advice(new, "(d1, cont[offset=0], *)", &[(Legacy, "cont[offset=0]")]);
    check_advice(old, "(d1, mc[offset=0], *)", &[]);
    check_advice(old, ".cb @*", &[(UnknownControl, "@*")]);
}

#[test]
fn a_filter_on_a_region_is_advised_the_space_that_was_meant() {
    let asked = ".mt:depth(<0)[key='policy-banner']";
    for (dialect, text, suggestion) in [
        (Dialect::V0_1, asked, Some(".mt:depth(<0) [key='policy-banner']")),
        (Dialect::V1_0, asked, Some(".mt:depth(<0) *[key='policy-banner']")),
        (Dialect::V0_1, ".seg(key='K'):depth(-1, 0)", Some(".seg:depth(-1, 0) *[key='K']")),
        (Dialect::V0_1, "^ah.mt+t:depth(0):first", Some("^ah.mt:depth(0) *+t:first")),
        (Dialect::V0_1, ".mt:depth(<=1)[key='K']", None),
        (Dialect::V0_1, ".mt:depth(<0)", None),
        (Dialect::V0_1, ".mt:depth(<0) [key='K']", None),
        (Dialect::V0_1, ".cb:depth(<0)[key='K']", None),
        (Dialect::V0_1, ".mt:depth(-2)[key='K']", None),
    ] {
        let found = advise(&parse_selector(text, dialect).unwrap(), dialect);
        let found = found.iter().find(|advice| advice.kind == AdviceKind::FilterOnRegion);
        assert_eq!(found.and_then(|advice| advice.suggestion.as_deref()), suggestion, "{text}");
        if let Some(suggestion) = suggestion {
            parse_selector(suggestion, dialect).unwrap();
        }
    }
    assert!(!AdviceKind::FilterOnRegion.is_warning());
}

#[test]
fn an_unknown_control_gets_a_guess() {
    let tree = parse_selector(".cb @limt=3", Dialect::V0_1).unwrap();
    assert_eq!(advise(&tree, Dialect::V0_1)[0].suggestion.as_deref(), Some("@limit"));
}

#[test]
fn derived_facets_are_found_wherever_they_hide() {
    for (text, facet) in [
        (".cb[age<2]", Some("age")),
        (".cb(ttl=1 depth=2)", Some("depth")),
        ("( .a {sdepth=1} ) .b", Some("sdepth")),
        ("(d1, cb[born_turn=3])", Some("born_turn")),
        (".cb @first [age=1]", Some("age")),
        (".cb:depth(1)", None),
        (".cb[x='age']", None),
    ] {
        let error = derived_facet(&parse_selector(text, Dialect::V0_1).unwrap());
        assert_eq!(error.map(|e| e.span.of(text).to_owned()).as_deref(), facet, "{text}");
    }
}

#[test]
fn a_line_that_is_being_typed_shows_what_is_open() {
    for (text, open) in [
        (".cb", None),
        (".cb[role='user']", None),
        (".cb[", Some((3, 4))),
        (".cb[role='us", Some((9, 12))),
        ("( .a [b=1]", Some((0, 1))),
        ("(d1, cb[a in ['x',", Some((13, 14))),
        ("add ^ah .cb {role='user', ttl=2", Some((12, 13))),
    ] {
        assert_eq!(unclosed(text), open.map(|(a, b)| Span::new(a, b)), "{text}");
    }
}

#[test]
fn every_token_has_a_class() {
    use TokenClass::*;
    let text = "@t0 ^ah .cb:x#a+t:first d1 > [n='v', m=w]?? % @limit=3";
    let classes: Vec<TokenClass> =
        tokens(text).map(|lexeme| lexeme.token.class()).filter(|class| *class != Space).collect();
    let expected = [
        Time, Root, Type, Id, Tag, Pseudo, Depth, Operator, Bracket, Attribute, Operator, Text,
        Bracket, Attribute, Operator, Word, Bracket, Operator, Fault, Control, Operator, Number,
    ];
    assert_eq!(classes, expected);
}

#[test]
fn a_caret_points_at_the_part() {
    for (text, shown) in [
        (
            ".cb :frist",
            ".cb :frist\n    ^^^^^^\n`:frist` is no pseudo\nhint: did you mean `:first`?",
        ),
        (
            ".cb[a='é' b]",
            ".cb[a='é' b]\n          ^\n`b` cannot stand here: expected `,` or `]`\n\
             hint: separate tests by a comma",
        ),
        ("\t.a >", "\t.a >\n\t    ^\nthe selector ends too early: expected a step"),
        (".a\n  .b $\n .c", "  .b $\n     ^\n`$` means nothing here"),
    ] {
        let error = parse_selector(text, Dialect::V0_1).unwrap_err();
        assert_eq!(error.render(text), shown);
    }
}

#[test]
fn the_message_of_an_error_is_one_line_with_its_place() {
    let error = parse_selector(".cb :frist", Dialect::V0_1).unwrap_err();
    assert_eq!(error.to_string(), "at byte 4: `:frist` is no pseudo (did you mean `:first`?)");
    assert_eq!(error.code.code(), "E_SELECTOR_INVALID");
}
