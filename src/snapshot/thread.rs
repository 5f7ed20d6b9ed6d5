//! The provider thread of a state (R9.5): one object for each block, in canonical order.

use super::Contents;
use crate::json::{Json, write_canonical, write_canonical_str};
use crate::model::{Class, Generation, Place, ReadError, Tree};

/// The exact bytes of the thread.
pub fn thread(
    tree: &Tree,
    generation: Generation,
    contents: &dyn Contents,
) -> Result<String, ReadError> {
    let mut out = String::from("[");
    for place in tree.places() {
        let default_role = if place == Place::Sys { "system" } else { "user" };
        for entry in tree.subtree(place)?.entries() {
            let node = &entry.node;
            if node.class != Class::Block {
                continue;
            }
            if out.len() > 1 {
                out.push(',');
            }
            let role = match generation {
                Generation::V0_1 => Some(node.role.as_deref().unwrap_or(default_role)),
                Generation::V1_0 => node.role.as_deref(),
            };
            out.push_str("{\"id\":");
            write_canonical_str(&node.id, &mut out);
            for (name, value) in [("role", role), ("kind", node.kind.as_deref())] {
                if let Some(value) = value {
                    out.push_str(",\"");
                    out.push_str(name);
                    out.push_str("\":");
                    write_canonical_str(value, &mut out);
                }
            }
            out.push_str(",\"content\":");
            match &node.content {
                Some(content) => write_canonical(&*contents.content(content)?, &mut out),
                None => write_canonical(&Json::from(""), &mut out),
            }
            out.push('}');
        }
    }
    out.push(']');
    Ok(out)
}
