//! What was being read when something went wrong.

/// What was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Selector,
    Target,
    Place,
    Time,
    Statement,
}

impl Subject {
    /// How a message calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Subject::Selector => "the selector",
            Subject::Target => "the target",
            Subject::Place => "the place",
            Subject::Time => "the time",
            Subject::Statement => "the statement",
        }
    }
}
