//! How large a node may be beside its content. Contents are stored apart and bounded on their own;
//! everything else of a node is read, hashed and written with the whole part that it is in.

use super::hash::content_bytes;
use crate::json::Json;
use crate::limits::{MAX_ATTR_BYTES, MAX_ATTRS, MAX_LIST_ITEMS, MAX_NODE_BYTES};
use crate::model::{Node, TextField};

/// What is too large about the value of an attribute.
pub fn check_attr_size(name: &str, value: &Json) -> Result<(), String> {
    match content_bytes(value) {
        bytes if bytes > MAX_ATTR_BYTES as u64 => Err(format!(
            "the attribute {name} has {bytes} bytes, and at most {MAX_ATTR_BYTES} are allowed: \
             put it into a content"
        )),
        _ => Ok(()),
    }
}

/// What is too large about a node as a whole.
pub fn check_node_size(node: &Node) -> Result<(), String> {
    let names = TextField::ALL.iter().map(|field| field.of(node)).chain([&node.created_at_iso]);
    let names = names.flatten().chain([&node.id, &node.node_type]);
    let names = names.chain(&node.tags).chain(&node.refs).map(|name| &**name);
    let attrs = node.attrs.iter().map(|(name, value)| (&**name, value));
    check_size(names, [node.tags.len(), node.refs.len()], attrs)
}

/// What is too large about texts, the lengths of tags and refs, and attributes that belong together.
pub fn check_size<'a>(
    texts: impl Iterator<Item = &'a str>,
    [tags, refs]: [usize; 2],
    attrs: impl ExactSizeIterator<Item = (&'a str, &'a Json)>,
) -> Result<(), String> {
    for (name, count) in [("tags", tags), ("refs", refs)] {
        if count > MAX_LIST_ITEMS {
            return Err(format!(
                "{name} has {count} items, and at most {MAX_LIST_ITEMS} are allowed"
            ));
        }
    }
    if attrs.len() > MAX_ATTRS {
        let count = attrs.len();
        return Err(format!("a node has at most {MAX_ATTRS} attributes, this one {count}"));
    }
    let mut bytes: u64 = texts.map(|text| text.len() as u64).sum();
    for (name, value) in attrs {
        bytes += name.len() as u64 + content_bytes(value);
    }
    match bytes > MAX_NODE_BYTES as u64 {
        true => Err(format!(
            "a node has at most {MAX_NODE_BYTES} bytes beside its content, this one {bytes}: put \
             some of it into a content"
        )),
        false => Ok(()),
    }
}
