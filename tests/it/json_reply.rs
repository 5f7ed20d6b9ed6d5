//! JSON as it is sent and shown: the same values as ever, with nothing in it that a terminal obeys.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::Json;
use pactdb::json::{is_unseen, line, parse, pretty};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn text() -> impl Strategy<Value = String> {
    let symbol = prop_oneof![
        any::<char>(),
        proptest::char::range('\0', '\u{a0}'),
        proptest::char::range('\u{2000}', '\u{2070}'),
        proptest::char::range('\u{e0000}', '\u{e01ff}'),
    ];
    proptest::collection::vec(symbol, 0..12).prop_map(|symbols| symbols.into_iter().collect())
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        text().prop_map(Json::Str),
        any::<i64>().prop_map(Json::Int),
        Just(Json::Null),
        Just(Json::Float(-0.5)),
        Just(Json::BigInt("123456789012345678901234567890".into())),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            proptest::collection::btree_map(text(), inner, 0..4)
                .prop_map(|map| Json::Map(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn escaped_values_read_back(value in value()) {
        let compact = line(&value).unwrap();
        prop_assert!(!compact.contains(is_unseen), "{compact:?}");
        prop_assert_eq!(parse(&compact).unwrap(), value.clone());
        let laid_out = pretty(&value).unwrap();
        prop_assert!(!laid_out.replace('\n', "").contains(is_unseen), "{laid_out:?}");
        prop_assert_eq!(parse(&laid_out).unwrap(), value);
    }
}

#[test]
fn escapes_have_four_digits_and_what_is_seen_stays() {
    let text = "\u{7f}\u{80}\u{9f}\u{a0}\u{202e}\u{2028}\u{e0041}é👨\u{200d}👩 ⚠\u{fe0f}";
    let escaped =
        "\"\\u007f\\u0080\\u009f\u{a0}\\u202e\\u2028\\udb40\\udc41é👨\u{200d}👩 ⚠\u{fe0f}\"";
    assert_eq!(line(text).unwrap(), escaped);
    let map = BTreeMap::from([(text.to_owned(), Json::Null)]);
    assert_eq!(line(&map).unwrap(), format!("{{{escaped}:null}}"));
}
