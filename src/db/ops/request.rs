//! How requests are written down: a name, the fields that must be there, and those that may be
//! left out.
//!
//! Every request refuses fields that it does not know. An optional field that has its default is
//! not written, so a request that is read back is the same.

/// Makes plain types of requests. What is flattened reads the fields that the others do not know, and
/// refuses them itself.
macro_rules! request {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident $needed:tt $(optional $optional:tt)? $(flatten $flat:tt)?
    )*) => {
        $(request!(@ [$(#[$about])*] $name $needed [$($optional)?] [$($flat)?]);)*
    };
    (@ [$($about:tt)*] $name:ident $needed:tt $optional:tt []) => {
        request!(@@ [$($about)* #[serde(deny_unknown_fields)]] $name $needed $optional []);
    };
    (@ [$($about:tt)*] $name:ident $needed:tt $optional:tt $flat:tt) => {
        request!(@@ [
            $($about)* #[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
        ] $name $needed $optional $flat);
    };
    (@@ [$($about:tt)*] $name:ident
        { $($(#[$needed_about:meta])* $needed:ident: $needed_type:ty,)* }
        [$({ $($(#[$field_about:meta])* $field:ident: $field_type:ty,)* })?]
        [$({ $($(#[$flat_about:meta])* $flat:ident: $flat_type:ty,)* })?]
    ) => {
        #[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $($about)*
        pub struct $name {
            $($(#[$needed_about])* pub $needed: $needed_type,)*
            $($(
                $(#[$field_about])*
                #[serde(default, skip_serializing_if = "crate::db::is_default")]
                pub $field: $field_type,
            )*)?
            $($(
                $(#[$flat_about])*
                #[serde(flatten)]
                pub $flat: $flat_type,
            )*)?
        }
    };
}
pub(crate) use request;

/// Whether a field need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
