//! What a selector finds, as CSV and JSON lines for programs.

use super::rows::csv_lines;
use pactdb::{Error, Json, Map, RangeDiffLatestResult, Result, json};

/// The columns that nodes always have, in this order; others follow by name, and the content last.
const COLUMNS: [&str; 13] = [
    "id",
    "nodeType",
    "parent",
    "depth",
    "offset",
    "role",
    "kind",
    "key",
    "tags",
    "ttl",
    "priority",
    "cycle",
    "created_at_iso",
];

/// One of the forms for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// A line with the names of the columns, and one for each row.
    Csv,
    /// An object a line.
    JsonLines,
}

/// Ids.
pub fn listed_ids<'a>(form: ListForm, ids: impl Iterator<Item = &'a str>) -> Result<String> {
    listed(form, &["id"], ids.map(|id| vec![Json::from(id)]).collect())
}

/// What changed over a range, newest first.
pub fn listed_range(form: ListForm, range: &RangeDiffLatestResult) -> Result<String> {
    let mut rows = Vec::new();
    for block in &range.diffs {
        let changed = block.changed.iter().map(|changed| &changed.id);
        let ids = block.added_ids.iter().map(|id| ("added", id));
        let ids = ids.chain(block.removed_ids.iter().map(|id| ("removed", id)));
        for (change, id) in ids.chain(changed.map(|id| ("changed", id))) {
            let [newer, older] = [&block.from, &block.to].map(|state| Json::from(&*state.label));
            rows.push(vec![older, newer, Json::from(change), Json::from(&**id)]);
        }
    }
    listed(form, &["older", "newer", "change", "id"], rows)
}

/// Nodes; as JSON lines each with what it has.
pub fn listed_nodes(form: ListForm, nodes: &[Map]) -> Result<String> {
    if form == ListForm::JsonLines {
        return nodes.iter().map(line).collect();
    }
    let mut names: Vec<&str> = nodes.iter().flat_map(|node| node.keys()).map(|k| &**k).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !COLUMNS.contains(name) && *name != "content");
    let names: Vec<&str> = COLUMNS.into_iter().chain(names).chain(["content"]).collect();
    let cell = |node: &Map, name: &str| node.get(name).cloned().unwrap_or(Json::Null);
    let row = |node: &Map| names.iter().map(|name| cell(node, name)).collect();
    Ok(csv_lines(&names, &nodes.iter().map(row).collect::<Vec<_>>()))
}

fn listed(form: ListForm, names: &[&str], rows: Vec<Vec<Json>>) -> Result<String> {
    match form {
        ListForm::Csv => Ok(csv_lines(names, &rows)),
        ListForm::JsonLines => {
            let object = |row: Vec<Json>| names.iter().map(|name| (*name).to_owned()).zip(row);
            rows.into_iter().map(|row| line(&object(row).collect())).collect()
        }
    }
}

fn line(object: &Map) -> Result<String> {
    let line = json::line(object).map_err(|error| Error::request(error.to_string()))?;
    Ok(format!("{line}\n"))
}
