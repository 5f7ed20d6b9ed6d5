//! What Tab offers: the words of the language, and those of this store.

use super::{Terminal, started};
use crate::support::program::Folder;
use crate::support::terminal::{ENTER, TAB};

/// A store with something to offer.
fn stocked() -> (Folder, Terminal) {
    let folder = Folder::new();
    let terminal = started(&folder);
    for line in [
        "add ^sys {role='system', key='manner', tags=[tone]} 'Be brief.'",
        "add {role='user', kind='question', data_mood='curious'} 'Where is the key?'",
        "commit",
        "add .note {id='n:1', role='assistant'} 'Under the mat.'",
        "add .log.entry {id='e:pre', role='tool'} 'Found.'",
        "add .cb:verdict 'The key.'",
    ] {
        terminal.enter(line);
    }
    (folder, terminal)
}

#[test]
fn tab_completes_from_the_language_and_the_store() {
    let (_folder, terminal) = stocked();
    for (typed, becomes) in [
        // Statements and commands.
        ("com", "commit"),
        ("rest", "restore"),
        ("move #cb:1 t", "move #cb:1 to"),
        (".timi", ".timing"),
        (".timing of", ".timing off"),
        (".help sel", ".help selectors"),
        (".log --ki", ".log --kind"),
        (".open x --cr", ".open x --create"),
        (".stats; .log --rev", ".stats; .log --reverse"),
        // Stages, and the columns in them.
        ("@t0 .cb | dis", "@t0 .cb | distinct"),
        ("@t0 .cb | sum byt", "@t0 .cb | sum bytes"),
        ("@t0 .cb | count by ro", "@t0 .cb | count by role"),
        ("add 'x'; com", "add 'x'; commit"),
        (".at @c", ".at @c1"),
        (".at @e", ".at @e7"),
        // Roots, types, pseudos, ids, tags, times, controls.
        ("^s", "^s"),
        ("^se", "^seq"),
        (".no", ".note"),
        (".cb:fi", ".cb:first"),
        (".cb:que", ".cb:question"),
        ("#n", "#n:1"),
        (".cb +t", ".cb +tone"),
        ("@hi", "@history"),
        (".cb @li", ".cb @limit="),
        ("^ah .m", "^ah .m"),
        ("(d1, m", "(d1, m"),
        (".log.e", ".log.entry"),
        ("#e", "#'e:pre'"),
        ("(d1, log", "(d1, log.entry"),
        ("(d1, .no", "(d1, .note"),
        ("(d1, .mt +t", "(d1, .mt +tone"),
        // Attributes and their values.
        (".cb[mo", ".cb[mood"),
        (".cb[mood='c", ".cb[mood='curious'"),
        (".cb[kind='v", ".cb[kind='verdict'"),
        (".cb:ver", ".cb:verdict"),
        (".cb[ki", ".cb[kind"),
        (".cb[data_", ".cb[data_mood"),
        (".cb[kind='q", ".cb[kind='question'"),
        (".cb{key='man", ".cb{key='manner'"),
        (".cb[role in ['us", ".cb[role in ['user'"),
        ("add {pri", "add {priority="),
        ("set #cb:1 {pin", "set #cb:1 {pinned="),
        ("policy {max_b", "policy {max_b"),
        ("add ^ah .cb {role='as", "add ^ah .cb {role='assistant'"),
    ] {
        terminal.press(typed);
        terminal.press(TAB);
        // A character behind it shows that the completion is done and where the cursor is.
        terminal.press("!");
        let line = terminal.line_has("!");
        let fits = [format!("> {becomes}!"), format!("> {becomes} !")];
        assert!(fits.iter().any(|fit| line.contains(fit)), "{typed} -> {line}");
        terminal.cancel();
    }
}

#[test]
fn tab_lists_what_there_is_to_choose_from() {
    let (_folder, terminal) = stocked();
    for (typed, offers) in [
        ("^", &["^root", "^sys", "^seq", "^ah"][..]),
        (".cb[role=", &["'assistant'", "'system'", "'user'"]),
        ("@", &["@t0", "@t-1", "@c1", "@history"]),
        ("policy {", &["region=", "max_blocks=", "protect_recent_turns="]),
        (".last ", &["table", "tree", "json", "ids"]),
        (".h", &[".help", ".history"]),
    ] {
        terminal.press(typed);
        terminal.press(TAB);
        terminal.press(TAB);
        for offer in offers {
            terminal.shows(offer);
        }
        terminal.cancel();
    }
}

#[test]
fn tab_completes_the_names_of_files() {
    let (folder, terminal) = stocked();
    folder.write("conversation.json", r#"[{"role":"user","content":"Hi"}]"#);
    terminal.press(".import conv");
    terminal.press(TAB);
    terminal.line_is("pactdb memory*> .import conversation.json");
    terminal.press(ENTER);
    terminal.shows("E_IMPORT_CONFLICT: ");
}
