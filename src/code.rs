//! The error codes of the specification (R11), two for work that was given up, two for stores that
//! other processes hold or that may only be read, four of servers, and two of questions in SQL. Every
//! error that a user can meet has one.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One row for each code: its name in Rust, and as it is written.
macro_rules! codes {
    ($($name:ident $text:literal)*) => {
        /// What went wrong, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each variant is the code that its name spells")]
        pub enum Code {
            $($name,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it is written: `E_NODE_NOT_FOUND`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    SelectorInvalid "E_SELECTOR_INVALID"
    SnapshotRangeKindMismatch "E_SNAPSHOT_RANGE_KIND_MISMATCH"
    SnapshotRangeWildcard "E_SNAPSHOT_RANGE_WILDCARD"
    SnapshotRangeLimit "E_SNAPSHOT_RANGE_LIMIT"
    SnapshotNotFound "E_SNAPSHOT_NOT_FOUND"
    NodeNotFound "E_NODE_NOT_FOUND"
    NodeExists "E_NODE_EXISTS"
    Ambiguous "E_AMBIGUOUS"
    InvalidParent "E_INVALID_PARENT"
    ParentNotContainer "E_PARENT_NOT_CONTAINER"
    CycleDetected "E_CYCLE_DETECTED"
    Placement "E_PLACEMENT"
    Sealed "E_SEALED"
    Referenced "E_REFERENCED"
    AttrReserved "E_ATTR_RESERVED"
    AttrNamespace "E_ATTR_NAMESPACE"
    AttrInvalid "E_ATTR_INVALID"
    ImportInvalid "E_IMPORT_INVALID"
    ImportConflict "E_IMPORT_CONFLICT"
    Conflict "E_CONFLICT"
    Pruned "E_PRUNED"
    RequestInvalid "E_REQUEST_INVALID"
    StoreLocked "E_STORE_LOCKED"
    StoreFormat "E_STORE_FORMAT"
    StoreIo "E_STORE_IO"
    LogCorrupt "E_LOG_CORRUPT"
    Limit "E_LIMIT"
    Cancelled "E_CANCELLED"
    Timeout "E_TIMEOUT"
    StoreGone "E_STORE_GONE"
    ReadOnly "E_READ_ONLY"
    Unauthorized "E_UNAUTHORIZED"
    Forbidden "E_FORBIDDEN"
    StoreNotFound "E_STORE_NOT_FOUND"
    Busy "E_BUSY"
    SqlInvalid "E_SQL_INVALID"
    SqlDenied "E_SQL_DENIED"
}

impl Code {
    /// The code that is written like this.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = String::deserialize(deserializer)?;
        let unknown = || serde::de::Error::custom(format!("there is no code {name}"));
        Code::from_name(&name).ok_or_else(unknown)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        schemars::json_schema!({ "type": "string", "enum": codes })
    }
}
