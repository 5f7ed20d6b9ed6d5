//! The generation that a document names (R14.10).

use super::*;
#[cfg(feature = "cli")]
use crate::support::program::Folder;

fn document(version: Value) -> Value {
    json!({"op": "import", "snapshot": {"root": {}, "spec_version": version}})
}

#[test]
fn a_version_that_is_neither_generation_is_refused() {
    for version in ["PACT/2.0.0", "PACT/0.2", "pact/0.1.0", "PACT/1", "", "0.1", " PACT/0.1"] {
        assert_eq!(refused(&store(), document(json!(version))), "E_IMPORT_INVALID", "{version}");
    }
    for version in [json!(null), json!(1.0), json!(["PACT/0.1.0"]), json!({})] {
        let reply = ask(&store(), document(version.clone()));
        assert_eq!(reply["error"]["code"], "E_IMPORT_INVALID", "{version}");
        assert_eq!(reply["error"]["path"], "$.spec_version", "{version}");
    }
    for version in ["PACT/0.1", "PACT/0.1.0", "PACT/0.1.7-draft", "PACT/0.12"] {
        assert!(ask(&store(), document(json!(version))).get("warnings").is_none(), "{version}");
    }
    ok(&store(), json!({"op": "import", "snapshot": {"root": {}}}));
}

#[test]
fn a_store_of_the_other_generation_keeps_its_own() {
    let old = store();
    let reply = ask(&old, document(json!("PACT/1.2.0")));
    let warnings = reply["warnings"].as_array().unwrap();
    assert!(warnings[0].as_str().unwrap().contains("1.0"), "{reply}");
    assert!(reply["ok"].get("warnings").is_none());
    assert_eq!(export(&old, "@c1")["spec_version"], "PACT/0.1.0");
    let options = Options::new().clock(1000).generation(Generation::V1_0);
    let new = options.create_on(Memory::default()).unwrap();
    assert!(ask(&new, document(json!("PACT/1.0.0"))).get("warnings").is_none());
    assert!(ask(&new, document(json!("PACT/0.1.0"))).get("warnings").is_some());
    assert_eq!(export(&new, "@c2")["spec_version"], "PACT/1.0.0");
}

#[cfg(feature = "cli")]
#[test]
fn a_store_that_an_import_makes_takes_the_documents_generation() {
    let folder = Folder::new();
    folder.write("new.json", r#"{"root":{},"spec_version":"PACT/1.0.0"}"#);
    folder.write("old.json", r#"{"root":{},"spec_version":"PACT/0.1.0"}"#);
    folder.write("bad.json", r#"{"root":{},"spec_version":"PACT/3"}"#);
    let version = |store: &str| {
        let export = folder.ok(&["-s", store, "export"]);
        serde_json::from_str::<Value>(&export).unwrap()["spec_version"].clone()
    };
    for (file, store, expected) in
        [("new.json", "a", "PACT/1.0.0"), ("old.json", "b", "PACT/0.1.0")]
    {
        let ran = folder.run(&["-s", store, "import", file]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{file}");
        assert_eq!(version(store), expected);
    }
    let ran = folder.run(&["-s", "a", "import", "old.json"]);
    assert_eq!(ran.status, 0);
    assert!(ran.err.contains("stays one of 1.0"), "{}", ran.err);
    assert_eq!(version("a"), "PACT/1.0.0");
    let ran = folder.run(&["-s", "b", "--json", "import", "new.json"]);
    assert!(ran.out.contains(r#""warnings":["the document"#), "{}", ran.out);
    assert!(folder.fails(&["-s", "c", "import", "bad.json"]).contains("E_IMPORT_INVALID"));
    assert!(!folder.has("c"));
}
