//! Sessions of browsers: random ids that stand for a token, so that no page and no address has the token.
//!
//! A session may read what its token may read, and nothing else. Sessions are kept in memory, by the
//! hashes of their ids; there is a bounded number of them, and one that is not used for a day ends. An
//! invitation begins a session once: it is for an address that a program hands to a browser, where other
//! users of the machine may see it.

use super::tokens::{Grant, random};
use crate::error::Result;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many sessions there are at most; the one that was not used for the longest time goes first.
const MOST: usize = 64;

/// How many invitations wait at most.
const MOST_INVITED: usize = 8;

/// How long a session lasts without use.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// How long an invitation waits.
const INVITED: Duration = Duration::from_secs(120);

/// The sessions of a server.
#[derive(Default)]
pub(super) struct Sessions {
    /// The one that was used last is at the end.
    begun: Mutex<VecDeque<Entry>>,
    invited: Mutex<VecDeque<Entry>>,
}

struct Entry {
    id: blake3::Hash,
    grant: Grant,
    used: Instant,
}

impl Sessions {
    /// Begins a session for whoever showed a token: its id.
    pub(super) fn begin(&self, grant: &Grant) -> Result<String> {
        add(&mut lock(&self.begun), MOST, grant.reading())
    }

    /// What a session allows.
    pub(super) fn grant(&self, id: &str) -> Option<Grant> {
        let mut begun = lock(&self.begun);
        let mut entry = take(&mut begun, id, IDLE)?;
        entry.used = Instant::now();
        let grant = entry.grant.clone();
        begun.push_back(entry);
        Some(grant)
    }

    /// Ends a session.
    pub(super) fn end(&self, id: &str) {
        take(&mut lock(&self.begun), id, IDLE);
    }

    /// Makes an invitation.
    pub(super) fn invite(&self, grant: &Grant) -> Result<String> {
        add(&mut lock(&self.invited), MOST_INVITED, grant.reading())
    }

    /// What an invitation allows. It is used up by this.
    pub(super) fn redeem(&self, code: &str) -> Option<Grant> {
        take(&mut lock(&self.invited), code, INVITED).map(|entry| entry.grant)
    }
}

fn lock(entries: &Mutex<VecDeque<Entry>>) -> MutexGuard<'_, VecDeque<Entry>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(entries: &mut VecDeque<Entry>, most: usize, grant: Grant) -> Result<String> {
    let id = random()?;
    while entries.len() >= most {
        entries.pop_front();
    }
    let hash = blake3::hash(id.as_bytes());
    entries.push_back(Entry { id: hash, grant, used: Instant::now() });
    Ok(id)
}

/// Takes out the entry with this id, if it is young enough, and every one that is not.
fn take(entries: &mut VecDeque<Entry>, id: &str, idle: Duration) -> Option<Entry> {
    entries.retain(|entry| entry.used.elapsed() < idle);
    let hash = blake3::hash(id.as_bytes());
    let place = entries.iter().position(|entry| entry.id == hash)?;
    entries.remove(place)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::attach::Access;
    use crate::serve::tokens::{Scope, Tokens};

    fn grant() -> Grant {
        let mut tokens = Tokens::new();
        tokens.add("a-token-of-a-test", Access::Write, Scope::All).unwrap();
        tokens.grant("a-token-of-a-test").unwrap().clone()
    }

    #[test]
    fn the_oldest_session_makes_room() {
        let (sessions, grant) = (Sessions::default(), grant());
        let first = sessions.begin(&grant).unwrap();
        let second = sessions.begin(&grant).unwrap();
        assert_eq!(sessions.grant(&first).unwrap().access, Access::Read);
        for _ in 0..MOST - 1 {
            sessions.begin(&grant).unwrap();
        }
        assert!(sessions.grant(&first).is_some() && sessions.grant(&second).is_none());
        sessions.end(&first);
        assert!(sessions.grant(&first).is_none());
    }

    #[test]
    fn an_invitation_is_good_once() {
        let (sessions, grant) = (Sessions::default(), grant());
        let code = sessions.invite(&grant).unwrap();
        assert!(sessions.grant(&code).is_none(), "it is no session");
        assert!(sessions.redeem(&code).is_some() && sessions.redeem(&code).is_none());
    }

    #[test]
    fn what_is_too_old_is_gone() {
        let mut entries = VecDeque::new();
        let id = add(&mut entries, 4, grant()).unwrap();
        assert!(take(&mut entries, &id, Duration::ZERO).is_none() && entries.is_empty());
    }
}
