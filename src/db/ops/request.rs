//! How requests are written down: a name, the fields that must be there, and those that may be
//! left out.
//!
//! Every request refuses fields that it does not know. An optional field that has its default is
//! not written, so a request that is read back is the same.

/// Makes plain types of requests.
macro_rules! request {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$needed_about:meta])* $needed:ident: $needed_type:ty,)* }
        $(optional { $($(#[$field_about:meta])* $field:ident: $field_type:ty,)* })?
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$needed_about])* pub $needed: $needed_type,)*
            $($(
                $(#[$field_about])*
                #[serde(default, skip_serializing_if = "crate::db::is_default")]
                pub $field: $field_type,
            )*)?
        }
    )*};
}
pub(crate) use request;

/// Whether a field need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
