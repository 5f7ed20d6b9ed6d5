//! docs/schema.json is made from the types.

use super::check_file;
use pactdb::Json;
use pactdb::json::{parse, pretty};
use pactdb::protocol::{Request, schema};

#[test]
fn the_schema_is_that_of_the_types() {
    let schema = schema();
    let Json::Map(map) = &schema else { panic!("a schema is an object") };
    let Json::Map(operations) = &map["operations"] else { panic!("operations are an object") };
    assert_eq!(operations.len(), Request::NAMES.len());
    check_file("schema.json", &format!("{}\n", pretty(&schema).unwrap()));
}

/// What a schema says of fields is what a request takes.
#[test]
fn every_field_of_the_schema_is_taken_and_no_other() {
    let schema = schema();
    let Json::Map(map) = &schema else { panic!("a schema is an object") };
    let Json::Map(definitions) = &map["$defs"] else { panic!("definitions are an object") };
    for name in Request::NAMES {
        let error =
            Request::from_json(parse(&format!("{{\"op\":\"{name}\",\"wrong\":1}}")).unwrap());
        let message = error.unwrap_err().message;
        assert!(message.contains("wrong") || message.contains("needs"), "{name}: {message}");
    }
    assert!(definitions.len() > 40, "{}", definitions.len());
}
