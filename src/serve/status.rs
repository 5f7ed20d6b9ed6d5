//! The HTTP status of every code.

use crate::code::Code;
use axum::http::StatusCode;

/// The HTTP status of a reply with this code.
pub fn status(code: Code) -> u16 {
    status_of(code).as_u16()
}

pub(super) fn status_of(code: Code) -> StatusCode {
    match code {
        // What was sent is wrong, whatever is in the store.
        Code::SelectorInvalid
        | Code::SnapshotRangeKindMismatch
        | Code::SnapshotRangeWildcard
        | Code::Ambiguous
        | Code::AttrReserved
        | Code::AttrNamespace
        | Code::AttrInvalid
        | Code::ImportInvalid
        | Code::RequestInvalid
        | Code::SqlInvalid => StatusCode::BAD_REQUEST,
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::Forbidden | Code::ReadOnly | Code::SqlDenied => StatusCode::FORBIDDEN,
        Code::SnapshotNotFound | Code::NodeNotFound | Code::StoreNotFound => StatusCode::NOT_FOUND,
        // What is in the store does not allow it.
        Code::NodeExists
        | Code::InvalidParent
        | Code::ParentNotContainer
        | Code::CycleDetected
        | Code::Placement
        | Code::Sealed
        | Code::Referenced
        | Code::ImportConflict
        | Code::Conflict => StatusCode::CONFLICT,
        Code::Pruned => StatusCode::GONE,
        Code::SnapshotRangeLimit | Code::Limit => StatusCode::PAYLOAD_TOO_LARGE,
        Code::StoreLocked => StatusCode::LOCKED,
        Code::StoreFormat | Code::StoreIo | Code::LogCorrupt => StatusCode::INTERNAL_SERVER_ERROR,
        // Whoever asked has gone, or the server is about to.
        Code::Cancelled | Code::StoreGone | Code::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Code::Timeout => StatusCode::GATEWAY_TIMEOUT,
    }
}
