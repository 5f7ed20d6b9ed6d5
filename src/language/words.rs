//! The closed word lists of the language: roots, pseudos, operators, base types, controls.
//!
//! The lexer recognises them, the tree carries them, the formatter prints them and a completer
//! offers them; this is the only place where they are spelled. Nothing here knows of positions in
//! a text.

use crate::named::named;

named! {
    /// A region, or the root above them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Root {
        /// `^root`
        Root = "root",
        /// `^sys`
        Sys = "sys",
        /// `^seq`
        Seq = "seq",
        /// `^ah`
        Ah = "ah",
    }
}

named! {
    /// The word after `:`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PseudoName {
        /// `:pre`, offset below zero
        Pre = "pre",
        /// `:core`, offset zero
        Core = "core",
        /// `:post`, offset above zero
        Post = "post",
        /// `:first`
        First = "first",
        /// `:last`
        Last = "last",
        /// `:nth(n)`
        Nth = "nth",
        /// `:depth(expr)`
        Depth = "depth",
    }
}

named! {
    /// A pseudo that holds selectors. It is one only right before its `(`: elsewhere the word is part
    /// of a name, as it was before there were such pseudos.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum NestingPseudo {
        /// `:has(…)`
        Has = "has",
        /// `:not(…)`
        Not = "not",
    }
}

named! {
    /// A comparison between an attribute and a value; the longer spelling before its own prefix.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Op {
        /// `!=`
        Ne = "!=",
        /// `!~`, a regular expression that is found nowhere
        NotMatch = "!~",
        /// `<=`
        Le = "<=",
        /// `>=`
        Ge = ">=",
        /// `=`
        Eq = "=",
        /// `<`
        Lt = "<",
        /// `>`
        Gt = ">",
        /// `~`, a regular-expression search
        Match = "~",
    }
}

impl Op {
    /// The operator that `text` begins with.
    pub fn prefix_of(text: &str) -> Option<Op> {
        Op::ALL.into_iter().find(|op| text.starts_with(op.name()))
    }
}

/// What a canonical type word stands for (R6.3); both generations' words name the same classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// `mt`, `seg`
    Turn,
    /// `mc`, `cont`
    Container,
    /// `cb`, `block`
    Block,
}

impl Base {
    /// Every base.
    pub const ALL: [Base; 3] = [Base::Turn, Base::Container, Base::Block];

    /// Its words: generation 0.1's first, then 1.0's.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            Base::Turn => ["mt", "seg"],
            Base::Container => ["mc", "cont"],
            Base::Block => ["cb", "block"],
        }
    }

    /// The base that this word names in either generation.
    pub fn from_name(name: &str) -> Option<Base> {
        Base::ALL.into_iter().find(|base| base.names().contains(&name))
    }
}

/// Whether a type of this name is a test of the class alone, and no name of its own (R6.3).
pub fn is_canonical_type(name: &str) -> bool {
    name == "sys" || Base::from_name(name).is_some()
}

named! {
    /// A word that makes a line a statement, or that belongs to one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Keyword {
        /// `add`
        Add = "add",
        /// `set`
        Set = "set",
        /// `move`
        Move = "move",
        /// `rm`, or `remove`
        Remove = "rm",
        /// `commit`
        Commit = "commit",
        /// `undo`
        Undo = "undo",
        /// `restore`
        Restore = "restore",
        /// `diff`
        Diff = "diff",
        /// `policy`
        Policy = "policy",
        /// `cadence`
        Cadence = "cadence",
        /// `to`, in a move
        To = "to",
        /// `json`, before the content of an add or a set
        Json = "json",
        /// `force`, behind a rm
        Force = "force",
        /// `discard`, behind a restore
        Discard = "discard",
        /// `rich`, in a diff
        Rich = "rich",
        /// `now`, the working state in a diff
        Now = "now",
        /// `none`, in a policy
        NoPolicy = "none",
        /// `end`, in a cadence
        End = "end",
    }
}

impl Keyword {
    /// The words that a statement may begin with.
    pub const LEADING: [Keyword; 10] = [
        Keyword::Add,
        Keyword::Set,
        Keyword::Move,
        Keyword::Remove,
        Keyword::Commit,
        Keyword::Undo,
        Keyword::Restore,
        Keyword::Diff,
        Keyword::Policy,
        Keyword::Cadence,
    ];

    /// The statement that begins with this word.
    pub fn leading(word: &str) -> Option<Keyword> {
        match word {
            "remove" => Some(Keyword::Remove),
            _ => Keyword::LEADING.into_iter().find(|keyword| keyword.name() == word),
        }
    }

    /// The words that belong inside the statement that begins with this one.
    pub fn inner(self) -> &'static [Keyword] {
        match self {
            Keyword::Add | Keyword::Set => &[Keyword::Json],
            Keyword::Move => &[Keyword::To],
            Keyword::Remove => &[Keyword::Force],
            Keyword::Restore => &[Keyword::Discard],
            Keyword::Diff => &[Keyword::Rich, Keyword::Now],
            Keyword::Policy => &[Keyword::NoPolicy],
            Keyword::Cadence => &[Keyword::End],
            _ => &[],
        }
    }
}

/// The controls that mean something (R6.11), for completion and for guesses at typing errors.
pub const CONTROLS: [&str; 6] = ["limit", "skip", "first", "unique", "order", "mode"];

/// The depth of `^sys`, which nothing is below.
pub const LOWEST_DEPTH: i64 = -1;

/// The bare words that are null and not a string.
pub const NULLS: [&str; 3] = ["null", "none", "None"];

/// Attributes that exist only in snapshots (R5.5).
pub const DERIVED_FACETS: [&str; 4] = ["age", "born_turn", "depth", "sdepth"];

/// Whether an unquoted name may contain this character.
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether an unquoted name may begin with this character.
pub fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
