//! Enums whose members have names: all members, the name of each, and the way back.
//!
//! Knows nothing of what is named. Invariant: `from_name(x.name()) == Some(x)` for every member.

/// Makes such an enum.
macro_rules! named {
    ($(
        $(#[$about:meta])*
        pub enum $type:ident { $($(#[$member_about:meta])* $member:ident = $name:literal,)* }
    )*) => {$(
        $(#[$about])*
        pub enum $type {
            $($(#[$member_about])* $member,)*
        }

        impl $type {
            /// All of them, in the order of their definition.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$member),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$member => $name,)*
                }
            }

            /// The one of that name.
            pub fn from_name(name: &str) -> Option<$type> {
                $type::ALL.into_iter().find(|member| member.name() == name)
            }
        }
    )*};
}
pub(crate) use named;
