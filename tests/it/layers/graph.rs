//! Which file of the library uses which: the imports as the compiler would follow them, as far as that
//! can be read off the text.
//!
//! Paths begin with `crate`, `self`, `super` or the name of a child module; a name that a `mod.rs`
//! re-exports leads to the file that defines it. Code under `#[cfg(test)]`, which stands at the end
//! of a file, is left out.

use std::collections::{BTreeMap, BTreeSet};

/// A path of modules from the root of the crate.
type Path = Vec<String>;

/// The modules of a crate and what they import.
pub struct Graph {
    modules: BTreeMap<Path, Module>,
}

struct Module {
    /// The file below `src`.
    file: String,
    code: String,
    imports: Vec<Import>,
}

/// A path, and the name that it has in the file: `*` for a glob, none where it is only mentioned.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
pub struct Import {
    pub path: Path,
    pub name: Option<String>,
}

impl Graph {
    /// The graph of some files: their names below `src`, and their code without comments.
    pub fn of(files: impl IntoIterator<Item = (String, String)>) -> Graph {
        let mut modules = BTreeMap::new();
        for (file, code) in files {
            let code = code.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            let stem = file.trim_end_matches(".rs");
            let mut path: Path = stem.split('/').map(str::to_owned).collect();
            if matches!(path.last().map(String::as_str), Some("mod" | "lib")) {
                path.pop();
            }
            let imports = imports(&code);
            modules.insert(path, Module { file, code, imports });
        }
        Graph { modules }
    }

    /// A cycle among what stands side by side in a folder or in one below it, in words.
    pub fn cycles_below(&self, folder: &str) -> Vec<String> {
        let is_inside = |path: &&Path| path.first().is_some_and(|first| first == folder);
        let folders = self.modules.iter().filter(|(_, module)| module.file.ends_with("mod.rs"));
        folders
            .map(|(path, _)| path)
            .filter(is_inside)
            .filter_map(|path| self.cycle(path))
            .collect()
    }

    /// A cycle among the files and folders of one folder, its `mod.rs` being one of the files.
    fn cycle(&self, folder: &Path) -> Option<String> {
        let name_in = |path: &Path| match path.strip_prefix(&folder[..])? {
            [] => Some("mod".to_owned()),
            [name, ..] => Some(name.clone()),
        };
        let mut edges: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let Some(from) = name_in(path) else { continue };
            for import in &module.imports {
                let Some(target) = self.resolve(path, &import.path, 0) else { continue };
                let Some(to) = name_in(&target).filter(|to| *to != from) else { continue };
                let why = format!("{} uses {}", module.file, self.modules[&target].file);
                edges.entry(from.clone()).or_default().entry(to).or_insert(why);
            }
        }
        let mut done = BTreeSet::new();
        edges.keys().find_map(|start| search(start, &edges, &mut Vec::new(), &mut done))
    }

    /// The module that defines what a path names, as seen from a module; none if it is of another
    /// crate or is local.
    fn resolve(&self, from: &Path, path: &[String], hops: usize) -> Option<Path> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Path::new(),
            "self" => from.clone(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            child => self.child(from, child)?,
        };
        while let Some((name, after)) = rest.split_first() {
            rest = after;
            if name == "super" {
                at.pop()?;
            } else if let Some(child) = self.child(&at, name) {
                at = child;
            } else {
                return Some(self.exporter(&at, name, hops).unwrap_or(at));
            }
        }
        self.modules.contains_key(&at).then_some(at)
    }

    fn child(&self, at: &Path, name: &str) -> Option<Path> {
        let mut child = at.clone();
        child.push(name.to_owned());
        self.modules.contains_key(&child).then_some(child)
    }

    /// Where a name comes from that a module imports.
    fn exporter(&self, at: &Path, name: &str, hops: usize) -> Option<Path> {
        let module = self.modules.get(at).filter(|_| hops < 8)?;
        let named = |import: &&Import| import.name.as_deref() == Some(name);
        if let Some(import) = module.imports.iter().find(named) {
            return self.resolve(at, &import.path, hops + 1);
        }
        let globs = module.imports.iter().filter(|import| import.name.as_deref() == Some("*"));
        let mut sources = globs.filter_map(|import| self.resolve(at, &import.path, hops + 1));
        sources.find(|source| self.modules[source].defines(name))
    }
}

impl Module {
    fn defines(&self, name: &str) -> bool {
        let words: Vec<String> = words(&self.code);
        let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        words.windows(2).any(|pair| kinds.contains(&pair[0].as_str()) && pair[1] == name)
    }
}

/// A way from a node back to one that it has passed, in words.
fn search(
    node: &str,
    edges: &BTreeMap<String, BTreeMap<String, String>>,
    way: &mut Vec<(String, String)>,
    done: &mut BTreeSet<String>,
) -> Option<String> {
    if let Some(start) = way.iter().position(|(passed, _)| passed == node) {
        let steps: Vec<&str> = way[start..].iter().map(|(_, why)| why.as_str()).collect();
        return Some(steps.join(", "));
    }
    if done.contains(node) {
        return None;
    }
    for (next, why) in edges.get(node).into_iter().flatten() {
        way.push((node.to_owned(), why.clone()));
        if let Some(found) = search(next, edges, way, done) {
            return Some(found);
        }
        way.pop();
    }
    done.insert(node.to_owned());
    None
}

/// Names and signs, `::` as one.
fn words(code: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    let mut chars = code.chars().peekable();
    while let Some(symbol) = chars.next() {
        let is_word = symbol.is_alphanumeric() || symbol == '_';
        match words.last_mut() {
            Some(last) if is_word && joins => last.push(symbol),
            _ if symbol == ':' && chars.peek() == Some(&':') => {
                chars.next();
                words.push("::".to_owned());
            }
            _ if !symbol.is_whitespace() => words.push(symbol.to_string()),
            _ => {}
        }
        joins = is_word;
    }
    words
}

/// Every path in a file that may lead to another one.
pub fn imports(code: &str) -> Vec<Import> {
    let words = words(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at] == "use" {
            at = use_tree(&words, at + 1, &Path::new(), &mut found);
        } else if is_name(&words[at]) && words.get(at + 1).is_some_and(|next| next == "::") {
            let is_visibility = at >= 2 && words[at - 2] == "(" && words[at - 1] == "in";
            let mut path = vec![words[at].clone()];
            while words.get(at + 1).is_some_and(|next| next == "::")
                && words.get(at + 2).is_some_and(|next| is_name(next))
            {
                path.push(words[at + 2].clone());
                at += 2;
            }
            // `pub(in path)` says who may see something, and uses nothing.
            if !is_visibility {
                found.push(Import { path, name: None });
            }
            at += 1;
        } else {
            at += 1;
        }
    }
    found
}

/// Reads a tree of a `use` from a word on; returns the word behind it.
fn use_tree(words: &[String], mut at: usize, prefix: &Path, found: &mut Vec<Import>) -> usize {
    let mut path = prefix.clone();
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "{" => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at = use_tree(words, at, &path, found);
                    at += usize::from(words.get(at).is_some_and(|word| word == ","));
                }
                return at + 1;
            }
            "*" => {
                found.push(Import { path, name: Some("*".to_owned()) });
                return at + 1;
            }
            "as" => {
                found.push(Import { path, name: words.get(at + 1).cloned() });
                return at + 2;
            }
            "::" => at += 1,
            word if is_name(word) => {
                // `a::{self}` is `a`.
                if word != "self" || path.is_empty() {
                    path.push(word.to_owned());
                }
                at += 1;
            }
            _ => break,
        }
    }
    let name = path.last().cloned();
    found.push(Import { path, name });
    at
}

fn is_name(word: &str) -> bool {
    word.starts_with(|symbol: char| symbol.is_alphabetic() || symbol == '_')
}
