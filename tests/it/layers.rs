//! What can be a test is a test: the layers of the crate, no import cycles inside its folders, a header in every file,
//! no forgotten test file, and the few places that may know bincode and redb or print.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod graph;

use graph::Graph;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders and files of `src`, lowest first: each may use only what stands before it.
const LAYERS: [&str; 25] = [
    "limits",
    "named",
    "cause",
    "code",
    "budget",
    "json",
    "model",
    "language",
    "lifecycle",
    "snapshot",
    "change",
    "storage",
    "log",
    "index",
    "store",
    "query",
    "error",
    "db",
    "session",
    "sql",
    "protocol",
    "attach",
    "remote",
    "serve",
    "bin",
];

/// The folders of `src` in which no files or folders that stand side by side may need each other. In them a `mod.rs`
/// may use what is in its folder and is used by none of it.
const FREE_OF_CYCLES: [&str; 18] = [
    "attach",
    "json",
    "model",
    "language",
    "lifecycle",
    "snapshot",
    "change",
    "storage",
    "log",
    "index",
    "store",
    "query",
    "db",
    "session",
    "sql",
    "protocol",
    "remote",
    "serve",
];

/// No file is longer.
const MOST_LINES_OF_A_FILE: usize = 500;

/// No function is longer.
const MOST_LINES_OF_A_FUNCTION: usize = 70;

/// Functions that are longer and are to be split.
const LONG_FUNCTIONS: [&str; 0] = [];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    assert!(!found.is_empty(), "no files below {folder}");
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/")
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| match line.trim_start().starts_with("//") {
        true => "",
        false => line.split(" // ").next().unwrap_or(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_word(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// Whether a path that begins with this crate or module is used.
fn uses(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].trim_start();
        !before.is_some_and(|symbol| is_word(symbol) || symbol == ':' || symbol == '.')
            && (after.starts_with("::") || code[..at].trim_end().ends_with("use"))
    })
}

/// The first names after each `crate::`, those in braces too.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, text) in code.match_indices("crate::") {
        let rest = code[at + text.len()..].trim_start();
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(rest.chars().take_while(|symbol| is_word(*symbol)).collect());
            continue;
        };
        let (mut depth, mut word) = (0, String::new());
        for symbol in list.chars() {
            match symbol {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => found.extend([std::mem::take(&mut word)]),
                symbol if depth == 0 => word.push(symbol),
                _ => {}
            }
        }
        found.insert(word);
    }
    let first = |path: &String| path.trim().split("::").next().unwrap_or_default().to_owned();
    found.iter().map(first).filter(|name| !name.is_empty()).collect()
}

#[test]
fn no_folder_uses_one_above_it() {
    let rank = |layer: &str| LAYERS.iter().position(|known| *known == layer);
    let mut upward = Vec::new();
    for path in files("src") {
        let name = name(&path);
        let layer =
            name.trim_start_matches("src/").split('/').next().unwrap().trim_end_matches(".rs");
        // The program is a crate of its own: what it names with `crate::` is its own too.
        if layer == "lib" || layer == "bin" {
            continue;
        }
        let own =
            rank(layer).unwrap_or_else(|| panic!("{name} belongs to no layer: add it to the list"));
        for used in imports(&code(&path)) {
            // A name that is no layer is re-exported by lib.rs, which only programs may use.
            let allowed = match (layer, rank(&used)) {
                (_, Some(other)) if other > own => false,
                // Queries never see the log: of what is stored they know the index's pure types.
                ("query", Some(_)) if ["storage", "log", "store"].contains(&&*used) => false,
                (_, Some(_)) => true,
                (_, None) => false,
            };
            if !allowed {
                upward.push(format!("{name} uses crate::{used}"));
            }
        }
    }
    assert!(upward.is_empty(), "imports that go up:\n{}", upward.join("\n"));
}

/// The files of the library by their names below `src`, and the grammar as the module that is made of it.
fn sources() -> Vec<(String, String)> {
    // Tests of a module beside it may use whatever it uses.
    let is_library =
        |path: &PathBuf| !name(path).starts_with("src/bin/") && !path.ends_with("tests.rs");
    let files = files("src").into_iter().filter(is_library);
    let mut sources: Vec<(String, String)> = files
        .map(|path| (name(&path).trim_start_matches("src/").to_owned(), code(&path)))
        .collect();
    let grammar = code(&root().join("grammar/selector.lalrpop"));
    sources.push(("language/parse/grammar.rs".to_owned(), grammar));
    sources
}

#[test]
fn no_files_of_a_folder_need_each_other() {
    let graph = Graph::of(sources());
    let cycles: Vec<String> =
        FREE_OF_CYCLES.iter().flat_map(|folder| graph.cycles_below(folder)).collect();
    assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
}

#[test]
fn a_cycle_is_found_however_it_is_spelled() {
    let cycles = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(file, code)| ((*file).to_owned(), (*code).to_owned()));
        Graph::of(files).cycles_below("room")
    };
    let room = ("room/mod.rs", "mod a; mod b; pub use a::A; pub use b::{self, B as Other};");
    let a = ("room/a.rs", "use super::b::B;");
    for b in [
        "use super::a::A;",
        "use crate::room::{a::{A, C}};",
        // Through what the folder re-exports.
        "use super::A;",
        "use crate::room::A;",
        "fn f() { crate::room::a::g() }",
        "fn f() -> self::super::a::A { }",
        "use super::super::room::a;",
    ] {
        assert_eq!(cycles(&[room, a, ("room/b.rs", b)]).len(), 1, "{b}");
    }
    for b in [
        "use super::super::other::A;",
        "use crate::other::A;",
        "pub(in crate::room::a) struct B;",
        "use std::a::A;",
    ] {
        let files = [room, a, ("room/b.rs", b), ("other.rs", "pub struct A;")];
        assert_eq!(cycles(&files), Vec::<String>::new(), "{b}");
    }
    // A child that uses what the `mod.rs` defines which uses the child.
    let own = ("room/mod.rs", "mod a; use a::A; pub struct Own;");
    assert_eq!(cycles(&[own, ("room/a.rs", "use super::Own;")]).len(), 1);
    // Two folders, over a file in each, and three files in a ring.
    let folders = [
        ("room/mod.rs", "mod x; mod y;"),
        ("room/x/mod.rs", "mod one; pub use one::*;"),
        ("room/x/one.rs", "use crate::room::y::two::Two; pub struct One;"),
        ("room/y/mod.rs", "pub mod two;"),
        ("room/y/two.rs", "use super::super::x::One; pub struct Two;"),
    ];
    let found = cycles(&folders).join("");
    assert_eq!(found, "room/x/one.rs uses room/y/two.rs, room/y/two.rs uses room/x/one.rs");
    let ring = [
        ("room/mod.rs", "mod a; mod b; mod c;"),
        ("room/a.rs", "use super::b;"),
        ("room/b.rs", "use super::c::C;"),
        ("room/c.rs", "use super::a::A;"),
    ];
    assert_eq!(cycles(&ring).len(), 1);
}

#[test]
fn the_reader_of_imports_sees_all_of_them() {
    let code =
        "use crate::{model::{A, B}, log, query::x};\nfn f() { crate::db::g() }\nuse crate::json;";
    let found: Vec<String> = imports(code).into_iter().collect();
    assert_eq!(found, ["db", "json", "log", "model", "query"]);
    assert!(
        uses("use redb::Key;", "redb")
            && uses("x: redb::Error", "redb")
            && uses("use redb;", "redb")
    );
    assert!(!uses("let redb = 1; a::redb::b; myredb::c", "redb"));
}

#[test]
fn every_file_opens_with_a_header() {
    for path in files("src").iter().chain(&files("tests")) {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("//! "), "{} does not say what it is for", name(path));
    }
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = files("src")
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES_OF_A_FILE)
        .map(|(name, lines)| format!("{name} has {lines} lines"))
        .collect();
    assert!(long.is_empty(), "files to split:\n{}", long.join("\n"));
}

/// The functions of a file with their lengths, from the line with `fn` to the brace that closes it.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut words = line.split_whitespace().skip_while(|word| {
            word.starts_with("pub")
                || ["const", "async", "in"].contains(word)
                || word.ends_with(')')
        });
        let (Some("fn"), Some(rest)) = (words.next(), words.next()) else { continue };
        let name: String = rest.chars().take_while(|symbol| is_word(*symbol)).collect();
        let closes =
            |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
        // What ends in its first line, or has no body, is short.
        let is_open = lines[first..].iter().find(|line| line.ends_with(['{', ';', '}']));
        if is_open.is_some_and(|line| line.ends_with('{')) {
            let length = lines[first..].iter().position(closes).unwrap_or_default() + 1;
            found.push((name, length));
        }
    }
    found
}

#[test]
fn no_function_is_too_long() {
    let mut long = Vec::new();
    for path in files("src") {
        for (function, lines) in functions(&code(&path)) {
            let known = LONG_FUNCTIONS.contains(&&*format!("{}: {function}", name(&path)));
            if lines > MOST_LINES_OF_A_FUNCTION && !known {
                long.push(format!("{}: {function} has {lines} lines", name(&path)));
            }
        }
    }
    assert!(long.is_empty(), "functions to split:\n{}", long.join("\n"));
    let code = "impl A {\n    pub(super) fn a(\n        &self,\n    ) {\n        b();\n    }\n    fn c();\n}";
    assert_eq!(functions(code), [("a".to_owned(), 5)]);
}

#[test]
fn no_test_file_is_forgotten() {
    for path in files("tests/it") {
        let (stem, folder) = (path.file_stem().unwrap().to_str().unwrap(), path.parent().unwrap());
        if name(&path) == "tests/it/main.rs" {
            continue;
        }
        // `a/mod.rs` is the module `a` of the folder above.
        let (module, folder) = match stem {
            "mod" => (folder.file_name().unwrap().to_str().unwrap(), folder.parent().unwrap()),
            _ => (stem, folder),
        };
        let parents = [folder.join("main.rs"), folder.join("mod.rs"), folder.with_extension("rs")];
        let declared = parents.iter().filter(|parent| parent.is_file()).any(|parent| {
            code(parent).lines().any(|line| line.trim().ends_with(&format!("mod {module};")))
        });
        assert!(declared, "{} is in no mod line: it never runs", name(&path));
    }
}

#[test]
fn the_library_is_silent() {
    for path in files("src") {
        if name(&path).starts_with("src/bin/") {
            continue;
        }
        let code = code(&path);
        for word in ["println!", "eprintln!", "print!", "eprint!", "dbg!"] {
            assert!(!code.contains(word), "{} has {word}", name(&path));
        }
    }
}

#[test]
fn the_program_prints_in_one_place_and_writes_json_in_one_way() {
    for path in files("src") {
        let (name, code) = (name(&path), code(&path));
        if !name.starts_with("src/bin/") && !name.starts_with("src/protocol/") {
            continue;
        }
        for word in ["println!", "eprintln!", "print!", "eprint!", "dbg!"] {
            assert!(!code.contains(word), "{name} has {word}: go through src/bin/pactdb/output.rs");
        }
        let escapes = !code.contains("serde_json::to_string");
        assert!(escapes, "{name} writes JSON that escapes too little: see src/json/reply.rs");
    }
}

#[test]
fn one_file_goes_without_checks_and_one_folder_knows_sqlite() {
    // In two pieces, so that this file does not have what it looks for.
    let words = [concat!("unsafe", "_code"), concat!("un", "safe ")];
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains(&format!("{} = \"deny\"", words[0])), "it is not denied");
    for path in ["src", "tests", "benches", "examples"].into_iter().flat_map(files) {
        let (name, code) = (name(&path), code(&path));
        if name == "src/sql/sqlite/vtab.rs" {
            assert_eq!(code.matches(words[1]).count(), 2, "{name} has more than two impls");
            continue;
        }
        for word in words {
            assert!(!code.contains(word), "{name} has {word}: see src/sql/sqlite/vtab.rs");
        }
        if name.starts_with("src/") && !name.starts_with("src/sql/sqlite/") {
            assert!(!uses(&code, "rusqlite"), "{name} uses rusqlite: go through src/sql/sqlite");
        }
    }
}

#[test]
fn one_file_knows_the_codec_and_one_folder_the_storage() {
    for path in files("src") {
        let (name, code) = (name(&path), code(&path));
        if name != "src/storage/codec.rs" {
            assert!(
                !uses(&code, "bincode"),
                "{name} uses bincode: go through src/storage/codec.rs"
            );
        }
        if !name.starts_with("src/storage/") {
            assert!(!uses(&code, "redb"), "{name} uses redb: go through src/storage");
        }
    }
}
