//! Every part of a tree knows exactly which bytes it was read from.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Dialect;
use pactdb::language::ast::*;
use pactdb::language::ast::{Visit, visit_selector};
use pactdb::language::parse_selector;

/// Lists the pieces of the text that the parts claim, in the order of the walk.
struct Pieces<'a> {
    text: &'a str,
    found: Vec<String>,
}

impl Pieces<'_> {
    fn add(&mut self, what: &str, at: At) {
        self.found.push(format!("{what} {}", at.0.of(self.text)));
    }
}

impl Visit for Pieces<'_> {
    fn time(&mut self, time: &Time) {
        self.add("time", time.at);
    }
    fn step(&mut self, step: &Step) {
        self.add("step", step.at());
    }
    fn hop(&mut self, hop: &Hop) {
        self.add("hop", hop.at);
    }
    fn root(&mut self, at: At, _: Root) {
        self.add("root", at);
    }
    fn id(&mut self, id: &Id) {
        self.add("id", id.at);
    }
    fn type_name(&mut self, name: &TypeName) {
        self.add("type", name.at);
    }
    fn attrs(&mut self, filter: &AttrFilter) {
        self.add("attrs", filter.at);
        for test in &filter.tests {
            self.add("test", test.at);
            self.add("name", test.name.at);
            match &test.kind {
                TestKind::Present => {}
                TestKind::Compare(_, value) => self.add("value", value.at),
                TestKind::In(values) | TestKind::NotIn(values) => {
                    values.iter().for_each(|value| self.add("value", value.at))
                }
            }
        }
    }
    fn tag(&mut self, tag: &Tag) {
        self.add("tag", tag.at);
    }
    fn pseudo(&mut self, at: At, _: &Pseudo) {
        self.add("pseudo", at);
    }
    fn depth(&mut self, depth: &DepthExpr) {
        self.add("depth", depth.at);
    }
    fn control(&mut self, control: &Control) {
        self.add("control", control.at);
    }
}

fn check(text: &str, expected: &str) {
    let tree = parse_selector(text, Dialect::V1_0).unwrap();
    let mut pieces = Pieces { text, found: Vec::new() };
    pieces.add("selector", tree.at);
    for group in &tree.groups {
        pieces.add("group", group.at);
        group.chains.iter().for_each(|chain| pieces.add("chain", chain.at));
    }
    visit_selector(&tree, &mut pieces);
    assert_eq!(pieces.found.join(" | "), expected, "{text}");
}

#[test]
fn parts_know_their_place() {
    check("  ^ah  ", "selector ^ah | group ^ah | chain ^ah | step ^ah | root ^ah");
    check(
        "@t0  .a:b#'x y' > +t:nth( 2 ) , .c @limit=3 ",
        "selector @t0  .a:b#'x y' > +t:nth( 2 ) , .c @limit=3 | group .a:b#'x y' > +t:nth( 2 ) | \
         chain .a:b#'x y' > +t:nth( 2 ) | group .c | chain .c | time @t0 | step .a:b#'x y' | \
         type .a:b | id #'x y' | step +t:nth( 2 ) | tag +t | pseudo :nth( 2 ) | step .c | type .c | \
         control @limit=3",
    );
    check(
        ".a ?? ( .b [ c = 'd' ] ) {e in [ f , 1 ]} @first +g ",
        "selector .a ?? ( .b [ c = 'd' ] ) {e in [ f , 1 ]} @first +g | \
         group .a ?? ( .b [ c = 'd' ] ) {e in [ f , 1 ]} | chain .a | \
         chain ( .b [ c = 'd' ] ) {e in [ f , 1 ]} | step .a | type .a | step .b | type .b | \
         attrs [ c = 'd' ] | test c = 'd' | name c | value 'd' | attrs {e in [ f , 1 ]} | \
         test e in [ f , 1 ] | name e | value f | value 1 | control @first | tag +g",
    );
    check(
        "( d1..d2 , cb ( a ) , *:x ) d0",
        "selector ( d1..d2 , cb ( a ) , *:x ) d0 | group ( d1..d2 , cb ( a ) , *:x ) d0 | \
         chain ( d1..d2 , cb ( a ) , *:x ) d0 | depth d1..d2 | hop cb ( a ) | type cb | attrs ( a ) | \
         test a | name a | hop *:x | type *:x | step d0 | depth d0",
    );
}
