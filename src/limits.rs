//! Every bound of the engine, with its reason. Errors quote the figure that they enforce.

/// Longest text of a selector, in bytes. A selector is a line that a person or a model writes;
/// this leaves room for machine-made lists of ids and keeps each parse under a millisecond or so.
pub(crate) const MAX_SELECTOR_BYTES: usize = 64 * 1024;

/// Deepest nesting of brackets of any kind. The tree of a chain in parentheses is walked and
/// dropped by recursion; this keeps that far from the end of any stack.
pub(crate) const MAX_NESTING: usize = 32;

/// Most steps of one selector, over all its groups: each one may cost a pass over the tree.
pub(crate) const MAX_STEPS: usize = 1024;

/// Most tests of one selector, tags and ids included: each one is tried on every candidate.
pub(crate) const MAX_TESTS: usize = 4096;

/// Most numbers in the depth expressions of one selector: they are searched one after the other.
pub(crate) const MAX_DEPTH_NUMBERS: usize = 1024;

/// Most values in the lists of one selector.
pub(crate) const MAX_LIST_VALUES: usize = 8192;
