//! Instances: for each key the newest node that was made with it, alive or gone, and which cadences
//! run.
//!
//! Tables: `instances` and `running`.

use super::tables::{INSTANCES, RUNNING};
use super::view::View;
use crate::log::WholeNode;
use crate::model::{Instance, Name};
use crate::storage::{
    Readable, StoreError, Writer, check_neighbours, checked_bytes, decode, encode, insert_key,
    seal, unseal,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The newest instance of a key, as far as the table knows.
pub(crate) fn instance(view: &View, key: &str) -> Result<Option<Instance>, StoreError> {
    let table = view.open_table(INSTANCES)?;
    let Some(row) = table.get(key)? else {
        return check_neighbours(&table, INSTANCES, key).map(|()| None);
    };
    let what = || format!("the newest instance of the key {key}");
    let bytes = unseal(INSTANCES.name(), key.as_bytes(), row.value(), what)?;
    let (node, ended, removed): (WholeNode, bool, bool) = decode(bytes, &what())?;
    Ok(Some(Instance { node: Arc::new(node.into_node()?), ended, removed }))
}

/// Keys whose cadence runs, as far as the table knows.
pub(crate) fn running(view: &View) -> Result<Vec<Name>, StoreError> {
    let table = view.open_table(RUNNING)?;
    let names = table.iter()?.map(|entry| {
        let (key, row) = entry?;
        checked_bytes(RUNNING, &key, &row)?;
        Ok(Name::from(key.value()))
    });
    names.collect()
}

/// Writes new instances.
pub(super) fn write_instances(
    txn: &Writer,
    new: &BTreeMap<Name, Instance>,
) -> Result<(), StoreError> {
    let mut instances = txn.open_table(INSTANCES)?;
    let mut running = txn.open_table(RUNNING)?;
    for (key, instance) in new {
        let node = WholeNode::from(&*instance.node);
        let row = encode(&(node, instance.ended, instance.removed))?;
        let row = seal(INSTANCES.name(), key.as_bytes(), row);
        instances.insert(&**key, row.as_slice())?;
        if instance.runs() {
            insert_key(&mut running, RUNNING, &**key)?;
        } else {
            running.remove(&**key)?;
        }
    }
    Ok(())
}
