//! What is linked into a program that uses pactdb: licences, bans and sources as `deny.toml` has them,
//! and nothing of a terminal or of a server below the library.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(arguments: &[&str]) -> String {
    let ran = Command::new(env!("CARGO")).current_dir(root()).args(arguments).output().unwrap();
    assert!(ran.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn metadata() -> Value {
    // The crates of other systems are not needed to build this, and may have to be fetched.
    let arguments = ["metadata", "--format-version", "1", "--locked", "--all-features"];
    serde_json::from_str(&cargo(&arguments)).unwrap()
}

fn rules() -> toml::Table {
    std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap()
}

fn texts(value: &toml::Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Whether a licence expression can be satisfied with what is allowed.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let parsed = spdx::Expression::parse_mode(expression, spdx::ParseMode::LAX);
    parsed.unwrap().evaluate(|wanted| allowed.contains(&wanted.to_string()))
}

#[test]
fn every_licence_is_an_allowed_one() {
    let allowed = texts(&rules()["licenses"]["allow"]);
    assert!(is_allowed("MIT/Apache-2.0", &allowed) && !is_allowed("MIT AND GPL-3.0", &allowed));
    for package in metadata()["packages"].as_array().unwrap() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(
            licence != "none" && is_allowed(licence, &allowed),
            "{} is licensed under {licence}: see deny.toml",
            package["name"]
        );
    }
}

#[test]
fn nothing_is_linked_that_is_banned() {
    let (rules, metadata) = (rules(), metadata());
    let packages = metadata["packages"].as_array().unwrap();
    for ban in rules["bans"]["deny"].as_array().unwrap() {
        let banned = ban["crate"].as_str().unwrap();
        let (name, version) = banned.split_once(':').unwrap_or((banned, ""));
        let found = packages.iter().any(|package| {
            package["name"] == name && (version.is_empty() || package["version"] == version)
        });
        assert!(!found, "{banned} is banned: see deny.toml");
    }
    let registries = texts(&rules["sources"]["allow-registry"]);
    for package in packages {
        let source =
            package["source"].as_str().map(|source| source.trim_start_matches("registry+"));
        let own = source.is_none() && package["name"] == "pactdb";
        let known = source.is_some_and(|source| registries.iter().any(|known| known == source));
        assert!(own || known, "{} comes from {source:?}", package["name"]);
    }
    for rule in rules["bans"]["features"].as_array().unwrap() {
        let name = rule["crate"].as_str().unwrap();
        let id = &packages.iter().find(|package| package["name"] == name).unwrap()["id"];
        let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
        for banned in texts(&rule["deny"]) {
            let features = node["features"].as_array().unwrap();
            assert!(!features.contains(&Value::from(&*banned)), "{name} has the feature {banned}");
        }
    }
}

#[test]
fn the_library_alone_brings_nothing_of_a_terminal_or_a_server() {
    let tree = cargo(&[
        "tree",
        "--locked",
        "--offline",
        "--no-default-features",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]);
    let names: BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("redb") && names.contains("pactdb"), "{names:?}");
    for foreign in [
        "anstyle",
        "axum",
        "bpe-openai",
        "clap",
        "ctrlc",
        "hyper",
        "indicatif",
        "rusqlite",
        "rustls",
        "rustyline",
        "signal-hook",
        "terminal_size",
        "tokio",
        "tracing",
        "unicode-width",
    ] {
        assert!(!names.contains(foreign), "the library brings {foreign}");
    }
}
