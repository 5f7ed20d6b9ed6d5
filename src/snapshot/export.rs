//! A state of the tree as canonical JSON (R9.2).

use crate::json::{Json, Map, write_canonical, write_canonical_str};
use crate::model::{ContentRef, Generation, Node, Place, ReadError, Subtree, TABLE, Tree};
use std::sync::Arc;

/// Who has the contents of blocks.
pub trait Contents {
    /// The content that a reference names.
    fn content(&self, content: &ContentRef) -> Result<Arc<Json>, ReadError>;

    /// Gives many contents to `each`, with their numbers in the list, which is in the order of the
    /// log. Sizes in the list need not be right.
    fn each(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), ReadError> {
        for (i, content) in list.iter().enumerate() {
            each(i, Body::of(&*self.content(content)?));
        }
        Ok(())
    }
}

/// A content as it is lent to somebody who looks at many.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// A text.
    Text(&'a str),
    /// Anything else.
    Json(&'a Json),
}

impl<'a> Body<'a> {
    /// The content of a block.
    pub fn of(content: &'a Json) -> Body<'a> {
        match content {
            Json::Str(text) => Body::Text(text),
            other => Body::Json(other),
        }
    }
}

/// The exact bytes of a snapshot export, or of the working state's. `cycle` is the last one
/// committed, and what remains of each ttl is counted to it.
pub fn export(
    tree: &Tree,
    generation: Generation,
    cycle: u64,
    contents: &dyn Contents,
) -> Result<String, ReadError> {
    let mut out = String::new();
    out.push_str("{\"cycle\":");
    out.push_str(&cycle.to_string());
    out.push_str(",\"root\":");
    let mut writer = Writer { out, cycle, contents };
    writer.node(tree.root(), &mut |writer| {
        writer.subtree(tree.sys()?, 0)?;
        writer.out.push(',');
        writer.node(tree.seq(), &mut |writer| {
            for (i, slot) in tree.spine().iter().enumerate() {
                if i > 0 {
                    writer.out.push(',');
                }
                writer.subtree(&*tree.subtree(Place::Turn(slot))?, 0)?;
            }
            Ok(())
        })?;
        writer.out.push(',');
        writer.subtree(tree.ah()?, 0)
    })?;
    let mut out = writer.out;
    out.push_str(",\"spec_version\":");
    write_canonical_str(generation.spec_version(), &mut out);
    out.push('}');
    Ok(out)
}

/// The object of one node, without children. `content` is its content, if it has any.
pub fn node_object(node: &Node, cycle: u64, content: Option<&Json>) -> Map {
    let mut map: Map = Map::new();
    // Custom attributes first: an import may have kept one under a name that a header uses later.
    for (name, value) in &node.attrs {
        map.insert(name.to_string(), value.clone());
    }
    for header in TABLE {
        let value = header.value(node, cycle);
        if let Some(value) = value.or(header.always.then_some(Json::Null)) {
            map.insert(header.name.to_owned(), value);
        }
    }
    if let Some(content) = content {
        map.insert("content".to_owned(), content.clone());
    }
    map
}

struct Writer<'a> {
    out: String,
    cycle: u64,
    contents: &'a dyn Contents,
}

impl Writer<'_> {
    fn subtree(&mut self, part: &Subtree, index: usize) -> Result<(), ReadError> {
        self.node(part.node(index), &mut |writer| {
            for (i, child) in part.children(index).enumerate() {
                if i > 0 {
                    writer.out.push(',');
                }
                writer.subtree(part, child)?;
            }
            Ok(())
        })
    }

    fn node(
        &mut self,
        node: &Node,
        children: &mut dyn FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let content = match &node.content {
            Some(content) => Some(self.contents.content(content)?),
            None => None,
        };
        let object = node_object(node, self.cycle, content.as_deref());
        let mut children_pending = node.class.has_children();
        self.out.push('{');
        let mut first = true;
        for (name, value) in &object {
            if children_pending && name.as_str() > "children" {
                self.children(&mut first, children)?;
                children_pending = false;
            }
            self.comma(&mut first);
            write_canonical_str(name, &mut self.out);
            self.out.push(':');
            write_canonical(value, &mut self.out);
        }
        if children_pending {
            self.children(&mut first, children)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn children(
        &mut self,
        first: &mut bool,
        children: &mut dyn FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.comma(first);
        self.out.push_str("\"children\":[");
        children(self)?;
        self.out.push(']');
        Ok(())
    }

    fn comma(&mut self, first: &mut bool) {
        if !*first {
            self.out.push(',');
        }
        *first = false;
    }
}
