//! Making a store.

use crate::args::Spec;
use crate::connect;
use crate::context::{Context, name_of};
use crate::render::visible;
use pactdb::Result;
use pactdb::protocol::{ClientExt, State};

pub fn init(context: &Context, spec: Spec) -> Result<()> {
    let store = &context.store;
    let client = connect::new(store, spec.into())?;
    let spec = client.ask(State::default())?.store.spec;
    let text = format!("made {} for PACT {spec}\n", visible(&name_of(store)));
    context.say(&serde_json::json!({"store": name_of(store), "spec": spec}), &text)
}
