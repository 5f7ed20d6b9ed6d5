//! What every tree with a canonical text has in common.

use crate::language::dialect::Dialect;

/// A tree that has a canonical text.
pub trait Canonical {
    /// Writes the canonical text at the end of `out`.
    fn write(&self, out: &mut String, dialect: Dialect);
}

/// The canonical text of a tree, faithful to what was written.
pub fn format(tree: &impl Canonical, dialect: Dialect) -> String {
    let mut out = String::new();
    tree.write(&mut out, dialect);
    out
}

/// Writes each item, and `between` between two of them.
pub(crate) fn separated<T>(
    out: &mut String,
    between: &str,
    items: &[T],
    mut write: impl FnMut(&mut String, &T),
) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(between);
        }
        write(out, item);
    }
}
