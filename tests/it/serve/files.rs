//! The files of the page: all of them are served, none reads text as markup or as code, nothing comes from
//! elsewhere, and a newcomer can read each.

use super::*;
use std::path::Path;

/// What makes markup or code out of text.
const FORBIDDEN: [&str; 14] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "createContextualFragment",
    "DOMParser",
    "setHTML",
    "srcdoc",
    "eval(",
    "Function(",
    "javascript:",
    "import(",
    "setTimeout(\"",
    "http-equiv",
];

/// The module that only exported pages have.
const EXPORTED: &str = "embedded.js";

/// Every file of `web/` by its place there.
fn files() -> Vec<(String, String)> {
    fn walk(folder: &Path, below: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, below, found);
                continue;
            }
            let name = path.strip_prefix(below).unwrap().to_str().unwrap().replace('\\', "/");
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((name, text));
        }
    }
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let mut found = Vec::new();
    walk(&web, &web, &mut found);
    found.retain(|(name, _)| [".html", ".css", ".js"].iter().any(|end| name.ends_with(end)));
    found.sort();
    found
}

#[test]
fn every_file_is_served_as_it_lies_there() {
    let served = Served::start(|_| {});
    for (name, text) in files() {
        let path = if name == "index.html" { "/".to_owned() } else { format!("/web/{name}") };
        let answer = served.send_as(&[], "GET", &path, "");
        assert_eq!(
            (answer.status, answer.body),
            (200, text),
            "{name} is not in src/serve/assets.rs"
        );
    }
    let sent = files().into_iter().filter(|(name, _)| name != EXPORTED);
    let sizes = sent.map(|(_, text)| {
        let packed = zstd::bulk::compress(text.as_bytes(), 12).unwrap();
        (text.len(), packed.len())
    });
    let (whole, packed) = sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(whole < 160_000 && packed < 75_000, "the page has {whole} bytes, packed {packed}");
}

#[test]
fn nothing_that_is_stored_is_read_as_markup_or_code() {
    for (name, text) in files() {
        for forbidden in FORBIDDEN {
            assert!(!text.contains(forbidden), "{name} has {forbidden}");
        }
        for (number, line) in text.lines().enumerate() {
            let handler = line.split(" on").skip(1).any(|rest| {
                let word = rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or("");
                rest[word.len()..].starts_with("=\"")
            });
            assert!(!handler, "{name}:{}: a handler inside of markup", number + 1);
            assert!(!name.ends_with(".html") || !line.contains("style="), "{name}: {line}");
            let foreign = ["http://", "https://", "//cdn"].iter().any(|place| line.contains(place));
            let namespace = line.contains("http://www.w3.org/2000/svg");
            assert!(!foreign || namespace, "{name}:{}: {line}", number + 1);
        }
    }
}

#[test]
fn files_can_be_read_by_a_newcomer() {
    let mut lines = 0;
    for (name, text) in files() {
        lines += text.lines().count();
        assert!(text.lines().count() <= 500, "{name} is too long");
        let second = text.lines().nth(1).unwrap_or("");
        let header = match name.rsplit_once('.').unwrap().1 {
            "js" => text.starts_with("// "),
            "css" => text.starts_with("/* "),
            _ => second.starts_with("<!-- "),
        };
        assert!(header, "{name} does not say what it is");
    }
    assert!(lines <= 4000, "the page has {lines} lines");
}

/// Browsers fetch modules one after the other as they find them, unless the page names them all.
#[test]
fn the_page_names_every_module() {
    let files = files();
    let page = &files.iter().find(|(name, _)| name == "index.html").unwrap().1;
    let others = files.iter().filter(|(name, _)| name != "index.html" && name != EXPORTED);
    for (name, _) in others {
        assert!(page.contains(&format!("\"/web/{name}\"")), "index.html does not name {name}");
    }
}
