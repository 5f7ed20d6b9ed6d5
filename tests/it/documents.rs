//! What documents promise about files, rules and bytes, as far as a machine can tell: links lead somewhere, files that
//! are named exist, rules that are cited can be looked up, and examples are rows of a real store.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Documents in which every path below `src/`, `tests/`, `benches/`, `fixtures/` and `grammar/` must exist.
const PATHS_ARE_CHECKED: [&str; 5] =
    ["CONTRIBUTING.md", "README.md", "docs/architecture.md", "docs/glossary.md", "docs/storage.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below some folders with one of some extensions.
fn files(folders: &[&str], extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = left.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                left.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no files below {folders:?}");
    found
}

/// The documents, each with its text.
fn documents() -> Vec<(PathBuf, String)> {
    let top = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        top.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    found.extend(files(&["docs", "fixtures", "tests"], &["md"]));
    assert!(found.len() > 8, "documents are missing: {found:?}");
    found.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The text outside of fenced blocks, and the fenced blocks with the word after their fence.
fn prose_and_blocks(text: &str) -> (String, Vec<(String, String)>) {
    let (mut prose, mut blocks) = (String::new(), Vec::new());
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(word), None) => open = Some((word.trim().to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, block))) => *block += &format!("{line}\n"),
            (None, None) => prose += &format!("{line}\n"),
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    (prose, blocks)
}

/// The name that a heading gets as an anchor.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(text: &str) -> BTreeSet<String> {
    let (prose, _) = prose_and_blocks(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn relative_links_lead_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in documents() {
        let (prose, _) = prose_and_blocks(&text);
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let linked = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let found = match place {
                "" => linked.exists(),
                place => std::fs::read_to_string(&linked)
                    .is_ok_and(|text| anchors(&text).contains(place)),
            };
            if !found {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The paths that a text names in backticks.
fn paths(text: &str) -> BTreeSet<&str> {
    let folders = ["src/", "tests/", "benches/", "fixtures/", "grammar/"];
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| folders.iter().any(|folder| word.starts_with(folder))).collect()
}

#[test]
fn files_that_documents_name_exist() {
    for document in PATHS_ARE_CHECKED {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let (prose, _) = prose_and_blocks(&text);
        for path in paths(&prose) {
            assert!(root().join(path).exists(), "{document} names {path}, which does not exist");
        }
    }
    assert_eq!(paths("see `src/x` and `y`, `tests/it`"), BTreeSet::from(["src/x", "tests/it"]));
}

/// The page for newcomers names files as they lie below `src`.
#[test]
fn the_architecture_leads_to_files_that_exist() {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let src = root().join("src");
    let mut named = 0;
    for word in text.split('`').skip(1).step_by(2).filter(|word| word.contains('/')) {
        let Some((folder, _)) = word.split_once('/') else { continue };
        if src.join(folder).is_dir() && !word.contains(char::is_whitespace) {
            assert!(src.join(word).exists(), "docs/architecture.md names {word}");
            named += 1;
        }
    }
    assert!(named > 25, "only {named} places are named");
}

/// The numbers of rules in a text, such as R5.3, or R10 for a chapter.
fn rules(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut last = ' ';
    for (at, symbol) in text.char_indices() {
        let begins = symbol == 'R' && !last.is_alphanumeric() && last != '_';
        last = symbol;
        if !begins {
            continue;
        }
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        let rest = &text[at + 1..];
        let chapter = digits(rest);
        let is_rule = (1..=2).contains(&chapter)
            && !rest[chapter..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if !is_rule {
            continue;
        }
        let number = rest[chapter..].strip_prefix('.').map_or(0, digits);
        let end = if number > 0 { chapter + 1 + number } else { chapter };
        found.insert(format!("R{}", &rest[..end]));
    }
    found
}

/// The numbers that `docs/semantics.md` defines: those of headings, and those in bold that begin a rule.
fn defined(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
    let bold = text.split("**").skip(1).step_by(2);
    headings.chain(bold).filter(|words| words.starts_with('R')).flat_map(rules).collect()
}

#[test]
fn cited_rules_can_be_looked_up() {
    assert_eq!(
        rules("R5.3, (R10) R6.11. xR1 R2D2 R100"),
        ["R10", "R5.3", "R6.11"].map(String::from).into()
    );
    let text = std::fs::read_to_string(root().join("docs/semantics.md")).unwrap();
    let defined = defined(&text);
    let own = Path::new(file!()).file_name().unwrap();
    let mut missing = BTreeSet::new();
    for path in files(&["src", "tests", "grammar", "benches", "docs"], &["rs", "lalrpop", "md"]) {
        if path.file_name() == Some(own) {
            continue;
        }
        let cited = rules(&std::fs::read_to_string(&path).unwrap());
        let unknown = cited.into_iter().filter(|rule| !defined.contains(rule));
        missing.extend(unknown.map(|rule| format!("{rule} in {}", path.display())));
    }
    assert!(missing.is_empty(), "docs/semantics.md does not have {missing:#?}");
}

/// The examples of rows in `docs/storage.md` are rows of the golden store, byte for byte.
#[test]
fn rows_in_documents_are_real() {
    let text = std::fs::read_to_string(root().join("docs/storage.md")).unwrap();
    let golden = ["rows.txt", "indexes.txt"].map(|name| {
        std::fs::read_to_string(root().join("fixtures/golden_store").join(name)).unwrap()
    });
    let (_, blocks) = prose_and_blocks(&text);
    let examples: Vec<String> = blocks
        .iter()
        .filter(|(word, _)| word == "text")
        .map(|(_, block)| {
            let (key, lines) = block.split_once('\n').unwrap();
            // What is spelled stands before two spaces, what it means behind them.
            let spelled = lines.lines().filter_map(|line| line.split("  ").next());
            format!("{key} {}", spelled.collect::<String>().replace(' ', ""))
        })
        .collect();
    assert!(examples.len() > 5, "{examples:#?}");
    for example in examples {
        assert!(golden.iter().any(|rows| rows.lines().any(|row| row == example)), "{example}");
    }
}
