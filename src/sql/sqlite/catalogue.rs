//! Which tables there are, for people and for completion.

use super::tables::shapes;
use crate::sql::answer::SqlTable;

/// Every table that questions can read.
pub fn catalogue() -> Vec<SqlTable> {
    let table = |shape: &super::table::Shape| SqlTable {
        call: shape.call(),
        name: shape.name.to_owned(),
        about: shape.about.to_owned(),
        columns: shape
            .columns
            .iter()
            .map(|column| (column.name.into(), column.kind.word().into(), column.about.into()))
            .collect(),
    };
    shapes().into_iter().map(|shape| table(shape)).collect()
}
