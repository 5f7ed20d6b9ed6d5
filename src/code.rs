//! The error codes of the specification (R11), and two for work that was given up. Every error that a user can meet has one.

/// What went wrong, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the code that its name spells")]
pub enum Code {
    SelectorInvalid,
    SnapshotRangeKindMismatch,
    SnapshotRangeWildcard,
    SnapshotRangeLimit,
    SnapshotNotFound,
    NodeNotFound,
    NodeExists,
    Ambiguous,
    InvalidParent,
    ParentNotContainer,
    CycleDetected,
    Placement,
    Sealed,
    Referenced,
    AttrReserved,
    AttrNamespace,
    AttrInvalid,
    ImportInvalid,
    ImportConflict,
    Conflict,
    Pruned,
    RequestInvalid,
    StoreLocked,
    StoreFormat,
    StoreIo,
    LogCorrupt,
    Limit,
    Cancelled,
    Timeout,
}

impl Code {
    /// The code as it is written: `E_NODE_NOT_FOUND`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::SelectorInvalid => "E_SELECTOR_INVALID",
            Code::SnapshotRangeKindMismatch => "E_SNAPSHOT_RANGE_KIND_MISMATCH",
            Code::SnapshotRangeWildcard => "E_SNAPSHOT_RANGE_WILDCARD",
            Code::SnapshotRangeLimit => "E_SNAPSHOT_RANGE_LIMIT",
            Code::SnapshotNotFound => "E_SNAPSHOT_NOT_FOUND",
            Code::NodeNotFound => "E_NODE_NOT_FOUND",
            Code::NodeExists => "E_NODE_EXISTS",
            Code::Ambiguous => "E_AMBIGUOUS",
            Code::InvalidParent => "E_INVALID_PARENT",
            Code::ParentNotContainer => "E_PARENT_NOT_CONTAINER",
            Code::CycleDetected => "E_CYCLE_DETECTED",
            Code::Placement => "E_PLACEMENT",
            Code::Sealed => "E_SEALED",
            Code::Referenced => "E_REFERENCED",
            Code::AttrReserved => "E_ATTR_RESERVED",
            Code::AttrNamespace => "E_ATTR_NAMESPACE",
            Code::AttrInvalid => "E_ATTR_INVALID",
            Code::ImportInvalid => "E_IMPORT_INVALID",
            Code::ImportConflict => "E_IMPORT_CONFLICT",
            Code::Conflict => "E_CONFLICT",
            Code::Pruned => "E_PRUNED",
            Code::RequestInvalid => "E_REQUEST_INVALID",
            Code::StoreLocked => "E_STORE_LOCKED",
            Code::StoreFormat => "E_STORE_FORMAT",
            Code::StoreIo => "E_STORE_IO",
            Code::LogCorrupt => "E_LOG_CORRUPT",
            Code::Limit => "E_LIMIT",
            Code::Cancelled => "E_CANCELLED",
            Code::Timeout => "E_TIMEOUT",
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
