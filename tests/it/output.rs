//! What reaches a screen: no stored text is an order to a terminal, every line has the width that
//! it should have, and no stream, however broken, makes the program panic.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod escapes;
mod shapes;
mod streams;

/// The program's own renderer. It is part of the program, which has no tests of its own.
#[allow(dead_code, unused_imports, unused_qualifications, unreachable_pub)]
#[path = "../../src/bin/pactdb/render/mod.rs"]
mod render;

/// What the program asks for to show it.
#[allow(dead_code, unused_qualifications, unreachable_pub)]
#[path = "../../src/bin/pactdb/states.rs"]
mod states;

/// A text with everything that a terminal would obey, or nobody would see; it has a name in it by
/// which it is found again.
fn hostile(name: &str) -> String {
    format!(
        "{name}\u{1b}[31m\u{1b}]0;{name}\u{7}\r\n\t\0\u{7f}\u{85}\u{9b}2J\u{202e}\u{2066}\u{200f}\
         \u{2028}\u{2029}\u{feff}\u{200b}\u{e0041}⚠️ لا {name}"
    )
}

/// Whether a character has no business in what is shown, except at the end of a line.
fn is_raw(symbol: char) -> bool {
    // Written out here because the program's own list is what is tested.
    symbol.is_control()
        || "\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{feff}".contains(symbol)
        || matches!(symbol, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(symbol, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The first raw character of an output, with what stands around it.
fn raw(text: &str) -> Option<String> {
    let (at, _) = text.char_indices().find(|(_, symbol)| *symbol != '\n' && is_raw(*symbol))?;
    let before: String = text[..at].chars().rev().take(30).collect();
    let before: String = before.chars().rev().collect();
    Some(format!("{before:?} then {:?}", text[at..].chars().take(30).collect::<String>()))
}

/// A text without the codes of colours.
fn without_colours(text: &str) -> String {
    regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(text, "").into_owned()
}
