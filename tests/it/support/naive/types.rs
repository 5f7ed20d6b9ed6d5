//! Types by name (R6.3).

use super::Reader;
use super::tree::Class;
use pactdb::Dialect;
use pactdb::language::ast::TypeName;

/// The class of a canonical word, and both words for it.
pub(crate) fn base_class(word: &str) -> Option<(Class, [&'static str; 2])> {
    match word {
        "mt" | "seg" => Some((Class::Turn, ["mt", "seg"])),
        "mc" | "cont" => Some((Class::Container, ["mc", "cont"])),
        "cb" | "block" => Some((Class::Block, ["cb", "block"])),
        _ => None,
    }
}

/// `.base` and `.base:name`.
pub(crate) fn type_holds(reader: &Reader<'_>, node: usize, name: &TypeName) -> bool {
    let it = &reader.tree.nodes[node];
    let node_type = it.object["nodeType"].as_str().unwrap();
    match (base_class(&name.base), &name.name) {
        (Some((class, _)), None) => it.class == class,
        (Some(_), Some(rest)) => based(reader, node, &name.base, rest),
        (None, None) if name.base == "sys" => it.class == Class::Sys,
        (None, rest) => {
            let wanted = match rest {
                Some(rest) => format!("{}:{rest}", name.base),
                None => name.base.clone(),
            };
            node_type == wanted || node_type.ends_with(&format!(":{wanted}"))
        }
    }
}

/// `.base:name` with a canonical base, in the reader's dialect.
pub(crate) fn based(reader: &Reader<'_>, node: usize, base: &str, name: &str) -> bool {
    let it = &reader.tree.nodes[node];
    let node_type = it.object["nodeType"].as_str().unwrap();
    let (class, words) = base_class(base).unwrap();
    let spelled = words.iter().any(|word| node_type == format!("{word}:{name}"));
    let other = match reader.dialect {
        Dialect::V0_1 => it.get("kind").as_str() == Some(name),
        Dialect::V1_0 => node_type == name,
    };
    it.class == class && (spelled || other)
}

/// `[nodeType='…']`.
pub(crate) fn node_type_equals(reader: &Reader<'_>, node: usize, wanted: &str) -> bool {
    let it = &reader.tree.nodes[node];
    if let Some((class, _)) = base_class(wanted) {
        return it.class == class;
    }
    match wanted.split_once(':') {
        Some((base, name)) if reader.dialect == Dialect::V0_1 && base_class(base).is_some() => {
            based(reader, node, base, name)
        }
        _ => it.object["nodeType"].as_str() == Some(wanted),
    }
}
