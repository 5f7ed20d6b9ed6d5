//! docs/protocol.md: the tables of fields are those of the schema, and its examples are run in order on one store.

use super::check_file;
use crate::support::storage::Memory;
use pactdb::protocol::{LocalClient, Request, handle_streaming};
use pactdb::{Db, Options};
#[cfg(feature = "schema")]
use pactdb::{Json, Map};

#[test]
fn the_page_has_every_operation_and_its_examples_are_true() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/protocol.md");
    let page = std::fs::read_to_string(path).unwrap();
    for name in Request::NAMES {
        assert!(page.contains(&format!("\n### {name}\n")), "docs/protocol.md lacks `{name}`");
        assert!(page.contains(&format!("> {{\"op\":\"{name}\"")), "`{name}` has no example");
    }
    check_file("protocol.md", &with_tables(&with_replies(&page)));
}

/// The page with the replies that the store gives. A line with `…` stays if it says the same.
fn with_replies(page: &str) -> String {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let (mut out, mut inside) = (String::new(), false);
    let mut replies: Vec<String> = Vec::new();
    let mut written: Vec<String> = Vec::new();
    let flush = |out: &mut String, replies: &mut Vec<String>, written: &mut Vec<String>| {
        for (i, reply) in std::mem::take(replies).into_iter().enumerate() {
            let kept = written.get(i).filter(|line| says(line, &reply)).cloned();
            out.push_str(&format!("< {}\n", kept.unwrap_or(reply)));
        }
        written.clear();
    };
    for line in page.lines() {
        match line.strip_prefix("< ") {
            Some(reply) if inside => {
                written.push(reply.to_owned());
                continue;
            }
            _ => flush(&mut out, &mut replies, &mut written),
        }
        out.push_str(line);
        out.push('\n');
        inside = (inside || line == "```protocol") && line != "```";
        if let (Some(request), true) = (line.strip_prefix("> "), inside) {
            // Without SQLite the page has more than can be run.
            match cfg!(feature = "sql") || !request.contains("\"op\":\"sql\"") {
                true => replies = answers(&db, request),
                false => inside = false,
            }
        }
    }
    out
}

fn answers(db: &Db, request: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let client = LocalClient::new(db.clone());
    let last = handle_streaming(&client, request.as_bytes().to_vec(), &mut |before| {
        lines.push(before.to_owned());
        Ok(())
    });
    lines.push(last);
    lines
}

/// Whether a line says what a reply says; `…` stands for anything.
fn says(line: &str, reply: &str) -> bool {
    if !line.contains('…') {
        return false;
    }
    let mut rest = reply;
    line.split('…').enumerate().all(|(i, part)| match rest.find(part) {
        Some(at) if i > 0 || at == 0 => {
            rest = &rest[at + part.len()..];
            true
        }
        _ => false,
    }) && (line.ends_with('…') || rest.is_empty())
}

/// The page with the table of the fields of each operation behind its `<!-- fields -->`.
#[cfg(not(feature = "schema"))]
fn with_tables(page: &str) -> String {
    page.to_owned()
}

#[cfg(feature = "schema")]
fn with_tables(page: &str) -> String {
    let Json::Map(schema) = pactdb::protocol::schema() else { panic!("a schema is an object") };
    let (Json::Map(operations), Json::Map(defs)) = (&schema["operations"], &schema["$defs"]) else {
        panic!("a schema has operations and definitions")
    };
    let (mut out, mut name, mut skipping) = (String::new(), String::new(), false);
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            name = heading.to_owned();
        }
        skipping &= line != "<!-- end -->";
        if skipping {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if line == "<!-- fields -->" {
            out.push_str(&table(&name, operations, defs));
            skipping = true;
        }
    }
    out
}

#[cfg(feature = "schema")]
fn table(name: &str, operations: &Map, defs: &Map) -> String {
    let Json::Map(operation) = &operations[name] else { panic!("{name}") };
    let request = resolved(&operation["request"], defs);
    let required: Vec<&str> = match request.get("required") {
        Some(Json::List(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let mut out = String::new();
    match request.get("properties") {
        Some(Json::Map(fields)) => {
            out.push_str("| field | type | |\n| --- | --- | --- |\n");
            for (field, schema) in fields {
                let Json::Map(about) = schema else { continue };
                let words = about.get("description").and_then(Json::as_str).unwrap_or_default();
                let mark = if required.contains(&field.as_str()) { " (needed)" } else { "" };
                let words = words.replace('\n', " ");
                out.push_str(&format!("| `{field}`{mark} | {} | {words} |\n", type_of(about)));
            }
        }
        _ => out.push_str("It has no fields.\n"),
    }
    let Json::Map(ok) = &operation["ok"] else { panic!("{name}") };
    out.push_str(&format!("\n`ok`: {} of [schema.json](schema.json).\n", type_of(ok)));
    out
}

#[cfg(feature = "schema")]
fn resolved<'a>(schema: &'a Json, defs: &'a Map) -> &'a Map {
    let Json::Map(map) = schema else { panic!("a schema is an object") };
    match map.get("$ref").and_then(Json::as_str).and_then(|path| path.rsplit('/').next()) {
        Some(name) => resolved(&defs[name], defs),
        None => map,
    }
}

/// The type of a schema in a few words.
#[cfg(feature = "schema")]
fn type_of(schema: &Map) -> String {
    let word = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    if let Some(Json::Str(path)) = schema.get("$ref") {
        return format!("`{}`", path.rsplit('/').next().unwrap_or(path));
    }
    if let Some(Json::List(either)) = schema.get("anyOf") {
        let either = either.iter().filter_map(|one| match one {
            Json::Map(one) => Some(type_of(one)),
            _ => None,
        });
        return either.filter(|word| word != "null").collect::<Vec<_>>().join(" or ");
    }
    let types: Vec<String> = match schema.get("type") {
        Some(Json::List(types)) => types.iter().map(word).collect(),
        Some(one) => vec![word(one)],
        None => return "any value".to_owned(),
    };
    let mut words: Vec<String> = types.into_iter().filter(|word| word != "null").collect();
    if let (Some("array"), Some(Json::Map(items))) =
        (words.first().map(String::as_str), schema.get("items"))
    {
        words = vec![format!("list of {}", type_of(items))];
    }
    match words.is_empty() {
        true => "null".to_owned(),
        false => words.join(" or "),
    }
}
