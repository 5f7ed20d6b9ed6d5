//! Roles, as far as sizes are told apart by them. The language knows nothing of this: a role is any
//! text there.

use crate::named::named;

named! {
    /// Whose words a block has, as far as sizes are told apart.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Speaker {
        /// `system`
        System = "system",
        /// `user`
        User = "user",
        /// `assistant`
        Assistant = "assistant",
        /// `tool`
        Tool = "tool",
        /// Any other role, and none.
        Other = "other",
    }
}

/// The bytes of contents by speaker, in the order of [`Speaker::ALL`].
pub type RoleBytes = [u64; Speaker::ALL.len()];
