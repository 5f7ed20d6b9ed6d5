//! The closed word lists of the language: roots, pseudos, operators, base types, controls.
//!
//! The lexer recognises them, the tree carries them, the formatter prints them and a completer
//! offers them; this is the only place where they are spelled. Nothing here knows of positions in
//! a text. Invariant: `from_name(x.name()) == Some(x)` for every member of every list.

/// A region, or the root above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// `^root`
    Root,
    /// `^sys`
    Sys,
    /// `^seq`
    Seq,
    /// `^ah`
    Ah,
}

impl Root {
    /// Every root, in the order of the tree.
    pub const ALL: [Root; 4] = [Root::Root, Root::Sys, Root::Seq, Root::Ah];

    /// The word after `^`.
    pub fn name(self) -> &'static str {
        match self {
            Root::Root => "root",
            Root::Sys => "sys",
            Root::Seq => "seq",
            Root::Ah => "ah",
        }
    }

    /// The root with this word.
    pub fn from_name(name: &str) -> Option<Root> {
        Root::ALL.into_iter().find(|root| root.name() == name)
    }
}

/// The word after `:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PseudoName {
    /// `:pre`, offset below zero
    Pre,
    /// `:core`, offset zero
    Core,
    /// `:post`, offset above zero
    Post,
    /// `:first`
    First,
    /// `:last`
    Last,
    /// `:nth(n)`
    Nth,
    /// `:depth(expr)`
    Depth,
}

impl PseudoName {
    /// Every pseudo.
    pub const ALL: [PseudoName; 7] = [
        PseudoName::Pre,
        PseudoName::Core,
        PseudoName::Post,
        PseudoName::First,
        PseudoName::Last,
        PseudoName::Nth,
        PseudoName::Depth,
    ];

    /// The word after `:`.
    pub fn name(self) -> &'static str {
        match self {
            PseudoName::Pre => "pre",
            PseudoName::Core => "core",
            PseudoName::Post => "post",
            PseudoName::First => "first",
            PseudoName::Last => "last",
            PseudoName::Nth => "nth",
            PseudoName::Depth => "depth",
        }
    }

    /// The pseudo with this word.
    pub fn from_name(name: &str) -> Option<PseudoName> {
        PseudoName::ALL.into_iter().find(|pseudo| pseudo.name() == name)
    }
}

/// A comparison between an attribute and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `~`, a regular-expression search
    Match,
}

impl Op {
    /// Every operator, the longer spelling before its own prefix.
    pub const ALL: [Op; 7] = [Op::Ne, Op::Le, Op::Ge, Op::Eq, Op::Lt, Op::Gt, Op::Match];

    /// The operator as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Match => "~",
        }
    }

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

/// A word that makes a line a statement, or that belongs to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keyword {
    /// `add`
    Add,
    /// `set`
    Set,
    /// `move`
    Move,
    /// `rm`, or `remove`
    Remove,
    /// `commit`
    Commit,
    /// `undo`
    Undo,
    /// `restore`
    Restore,
    /// `diff`
    Diff,
    /// `policy`
    Policy,
    /// `cadence`
    Cadence,
    /// `to`, in a move
    To,
    /// `json`, before the content of an add or a set
    Json,
    /// `force`, behind a rm
    Force,
    /// `discard`, behind a restore
    Discard,
    /// `rich`, in a diff
    Rich,
    /// `now`, the working state in a diff
    Now,
    /// `none`, in a policy
    NoPolicy,
    /// `end`, in a cadence
    End,
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

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Add => "add",
            Keyword::Set => "set",
            Keyword::Move => "move",
            Keyword::Remove => "rm",
            Keyword::Commit => "commit",
            Keyword::Undo => "undo",
            Keyword::Restore => "restore",
            Keyword::Diff => "diff",
            Keyword::Policy => "policy",
            Keyword::Cadence => "cadence",
            Keyword::To => "to",
            Keyword::Json => "json",
            Keyword::Force => "force",
            Keyword::Discard => "discard",
            Keyword::Rich => "rich",
            Keyword::Now => "now",
            Keyword::NoPolicy => "none",
            Keyword::End => "end",
        }
    }

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
