//! The parameters of a provider call are hashed and not kept (R14.13).

use super::*;
#[cfg(feature = "cli")]
use crate::support::program::Folder;

#[test]
fn the_hash_of_parameters_is_over_their_canonical_json() {
    let db = store();
    for (params, hash) in [
        // printf '{"a":[1.0,"\u00e9"],"b":null}' | sha256sum
        (
            json!({"b": null, "a": [1.0, "\u{e9}"]}),
            "8fbaca231d559dbad8ce82ee54b58ee82e00c6a5359155f79e931691bd920826",
        ),
        // printf null | sha256sum
        (json!(null), "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"),
    ] {
        let record = ok(&db, json!({"op": "attempt", "action": "start", "params": params}));
        assert_eq!(record["params_hash"], hash, "{params}");
        assert!(record.get("params").is_none());
    }
    assert!(!db.export(None).unwrap().contains("params"));
    for request in [
        json!({"op": "attempt", "action": "start", "params": 1, "params_hash": "00"}),
        json!({"op": "attempt", "action": "list", "params": 1}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "at:2", "params": 1}),
    ] {
        assert_eq!(refused(&db, request), "E_REQUEST_INVALID");
    }
}

#[cfg(feature = "cli")]
#[test]
fn a_flag_brings_parameters() {
    let folder = Folder::new();
    let reply = folder.ok(&["--json", "attempt", "start", "--params", "null"]);
    assert!(reply.contains("74234e98afe7498f"), "{reply}");
}
