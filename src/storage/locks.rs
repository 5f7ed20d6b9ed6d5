//! Locks on ranges of a file, for storage that passes them on to the storage below it.

/// The methods of `StorageBackend` that lock, each passed on.
macro_rules! pass_locks_on {
    ($self:ident => $below:expr) => {
        pass_locks_on! { $self => $below,
            try_lock_range -> bool,
            try_lock_shared_range -> bool,
            lock_range -> (),
            lock_shared_range -> (),
            unlock_range -> (),
            query_lock_range -> bool,
        }
    };
    ($self:ident => $below:expr, $($name:ident -> $done:ty,)*) => {
        $(fn $name(
            &$self,
            start: std::ops::Bound<u64>,
            end: std::ops::Bound<u64>,
        ) -> Result<$done, redb::BackendError> {
            $below.$name(start, end)
        })*
    };
}

pub(super) use pass_locks_on;
