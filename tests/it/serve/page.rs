//! What docs/serve.md says: its examples are sent, and its table of statuses is the one of the server.

use super::*;
use pactdb::Code;
use pactdb::serve::status;

fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/serve.md");
    std::fs::read_to_string(path).unwrap()
}

/// Each `$ curl` of the page, and the lines that it prints.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => examples.push((command.to_owned(), String::new())),
                None => examples.last_mut().unwrap().1 += &format!("{line}\n"),
            }
        }
    }
    examples.retain(|(command, _)| command.starts_with("curl "));
    examples
}

#[test]
fn the_examples_say_what_the_server_says() {
    let served = Served::start(|_| {});
    let examples = examples(&page());
    assert!(examples.len() >= 4, "{examples:?}");
    for (command, expected) in examples {
        let (before, data) = command.split_once(" -d '").unwrap_or((&command, ""));
        let data = data.strip_suffix('\'').unwrap_or("");
        let path = before.split("http://127.0.0.1:7350").nth(1).unwrap();
        let method = match (before.contains("-X PUT"), data) {
            (true, _) => "PUT",
            (false, "") => "GET",
            (false, _) => "POST",
        };
        let answer = served.send(method, path.trim_matches(['"', '\'']), data);
        assert_eq!(answer.body, expected, "{command}");
    }
}

#[test]
fn every_code_is_in_the_table_of_statuses() {
    let page = page();
    for code in Code::ALL {
        let status = status(*code).to_string();
        let row = page.lines().find(|line| line.starts_with(&format!("| {status} |")));
        let row = row.unwrap_or_else(|| panic!("there is no row for {status}"));
        assert!(row.contains(&format!("`{code}`")), "{code} has the status {status}: {row}");
    }
}
