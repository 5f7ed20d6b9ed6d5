//! The programs in `examples` run, and end well.

#![allow(clippy::unwrap_used)]

#[path = "../../examples/agent_loop.rs"]
mod agent_loop;
#[path = "../../examples/import_and_ask.rs"]
mod import_and_ask;
#[path = "../../examples/time_travel.rs"]
mod time_travel;
#[path = "../../examples/two_threads.rs"]
mod two_threads;

#[test]
fn an_agent_loops() {
    agent_loop::main().unwrap();
}

#[test]
fn a_conversation_is_imported_and_asked() {
    import_and_ask::main().unwrap();
}

#[test]
fn a_journey_in_time_comes_back() {
    time_travel::main().unwrap();
}

#[test]
fn two_threads_share_a_store() {
    two_threads::main().unwrap();
}
