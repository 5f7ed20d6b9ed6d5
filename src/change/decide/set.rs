//! Setting headers of nodes (R3.3).

use super::decided::Decided;
use super::target::{check_editable, check_refs, target};
use super::{add, attrs};
use crate::change::apply::changed;
use crate::change::{Change, ChangeError, Context, Event, Set, State};
use crate::code::Code;
use crate::json::Json;
use crate::model::{Class, ContentRef, Lifetime, Name, Node, TextField};
use crate::snapshot::{Contents, content_hash};

pub(super) fn decide(
    state: &State,
    set: Set,
    contents: &dyn Contents,
    context: Context,
) -> Result<Decided, ChangeError> {
    let mut change = change_of(state, &set, context)?;
    let new_content = set.content.unwrap_or_default();
    // The other headers are small.
    let grows = !change.attrs.is_empty() || change.tags.is_some() || change.refs.is_some();
    let touches_hash = change.content.is_some() || !change.attrs.is_empty();
    for id in &set.targets {
        let found = target(state, id)?;
        check_editable(state, &found, "changed")?;
        let after = changed(found.node(), &change, None);
        // An import may have brought a cad without a key; other edits leave that alone.
        if change.cad.is_some() || change.texts.contains_key(&TextField::Key) {
            add::check_cad(&after)?;
        }
        add::check_class(&after)?;
        for (name, value) in &set.headers {
            attrs::check_header(name, value, [after.class])?;
        }
        if grows {
            attrs::check_node(&after)?;
        }
        if touches_hash {
            let hash = hash_after(&after, &change, new_content.as_ref(), contents)?;
            change.hashes.push(hash);
        }
    }
    Ok(Decided {
        ids: set.targets.clone(),
        event: Event::Changed { ids: set.targets, change },
        contents: new_content.into_iter().collect(),
    })
}

/// What the nodes are to be given, each value judged by itself.
fn change_of(state: &State, set: &Set, context: Context) -> Result<Change, ChangeError> {
    let mut change = Change::default();
    if let Some(content) = &set.content {
        change.content = Some(match content {
            Some(content) => {
                let bytes = attrs::check_content(content)?;
                Some(ContentRef { seq: context.seq, item: 1, bytes })
            }
            None => None,
        });
    }
    if let Some(ttl) = set.ttl {
        change.lifetime = Some(match ttl {
            Some(ttl) => {
                Some(Lifetime::starting(attrs::number("ttl", ttl, 0)? as u64, state.cycle()))
            }
            None => None,
        });
    }
    change.priority = set.priority;
    for (field, text) in set.texts() {
        if let Some(text) = text {
            change.texts.insert(field, attrs::text(field, text.as_deref())?);
        }
    }
    change.tags = set.tags.as_ref().map(|tags| attrs::names("a tag", tags)).transpose()?;
    if let Some(cad) = set.cad {
        let cad = cad.map(|cad| attrs::number("cad", cad, 1)).transpose()?;
        change.cad = Some(cad.map(|cad| cad as u64));
    }
    if let (Some(Some(_)), Some(None)) = (change.cad, change.texts.get(&TextField::Key)) {
        let message = "a cad needs a key, by which its instances are known: set both";
        return Err(ChangeError::new(Code::AttrInvalid, message));
    }
    change.pinned = set.pinned;
    change.refs = set.refs.as_ref().map(|refs| check_refs(state, refs)).transpose()?;
    for (name, value) in &set.attrs {
        attrs::check_attr(name, value)?;
        change.attrs.insert(Name::from(name.as_str()), (!value.is_null()).then(|| value.clone()));
    }
    for (name, value) in &set.headers {
        let value = attrs::check_header(name, value, [])?;
        change.attrs.insert(Name::from(name.as_str()), value);
    }
    Ok(change)
}

/// The content hash of a node once the change is made.
fn hash_after(
    after: &Node,
    change: &Change,
    new_content: Option<&Json>,
    contents: &dyn Contents,
) -> Result<Option<[u8; 32]>, ChangeError> {
    if after.class != Class::Block && after.content.is_none() {
        return Ok(None);
    }
    let old = match (&change.content, &after.content) {
        (None, Some(content)) => Some(contents.content(content)?),
        _ => None,
    };
    let content = old.as_deref().or(new_content);
    Ok(Some(content_hash(content, after.kind.as_deref(), after.role.as_deref(), &after.attrs)))
}
