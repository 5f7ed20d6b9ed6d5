//! Opening: which store, who has it, and what becomes of it if it is not there yet.
//!
//! The one file that knows whether the store is open in this process or in another, or behind HTTP.
//! Everybody else holds a [`Connection`] and asks. Whoever finds the store held attaches to its holder; when that one
//! leaves, the next request opens the store or attaches to who did. No request is sent twice.

use crate::progress::Bar;
use crate::render::Look;
use crate::{output, signals};
use pactdb::attach::{self, Access, Found, Held};
use pactdb::language::nearest_word;
use pactdb::protocol::{Client, Envelope, LocalClient, Reply, Sink};
use pactdb::remote::{Remote, is_address};
use pactdb::{Clock, Code, Db, Error, Generation, Options, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Somebody who answers, wherever the store is.
pub type Connection = Arc<dyn Client>;

/// How a store is opened, and what is asked of it.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The store's file, or its address.
    pub store: PathBuf,
    /// Milliseconds for one answer, for requests that bring no bound of their own; 0 and nothing are
    /// no bound.
    pub timeout_ms: Option<u64>,
    /// Whether to attach to a process that has the store open.
    pub attach: bool,
    /// Whether edits are refused.
    pub read_only: bool,
    /// What others may do while this process has the store open for long.
    pub share: Option<Access>,
}

/// What becomes of a store that is not there.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Refuse,
    Make(Generation),
}

impl Wish {
    /// A store that must be there.
    pub fn existing(self) -> Result<Connection> {
        Wish { share: None, ..self }.existing_for_long()
    }

    /// The same for a process that stays: it shares the store if it has it open.
    pub fn existing_for_long(self) -> Result<Connection> {
        if !is_there(&self.store) {
            return Err(missing(&self.store));
        }
        Link::open(self, Missing::Refuse)
    }

    /// A store for a script: one that is not there is made by the first edit, and by nothing else.
    pub fn once_edited(self) -> Result<Connection> {
        if is_there(&self.store) || self.read_only {
            return self.existing_for_long();
        }
        let way = Way::Unmade(Generation::default());
        Ok(Arc::new(Link { wish: self, way: Mutex::new(way) }))
    }

    /// A store that is made on first use, and is then of that generation.
    pub fn existing_or_new(self, generation: Generation) -> Result<Connection> {
        match self.read_only {
            true => self.existing(),
            false => Link::open(Wish { share: None, ..self }, Missing::Make(generation)),
        }
    }

    /// The same for a process that stays.
    pub fn for_long(self) -> Result<Connection> {
        let missing = match self.read_only {
            true => Missing::Refuse,
            false => Missing::Make(Generation::default()),
        };
        Link::open(self, missing)
    }
}

/// A store that must not be there yet.
pub fn new(path: &Path, generation: Generation) -> Result<Connection> {
    if let Some(address) = address(path) {
        let remote = Remote::new(address, token()?)?;
        remote.create(generation)?;
        return Ok(Arc::new(remote));
    }
    Ok(Arc::new(LocalClient::new(Db::create(path, generation)?)))
}

/// A store that must not be there yet and has a clock of its own.
pub fn new_with_clock(path: &Path, clock: impl Clock + 'static) -> Result<Connection> {
    Ok(Arc::new(LocalClient::new(Options::new().clock(clock).create(path)?)))
}

/// The address of a store that is behind HTTP.
fn address(store: &Path) -> Option<&str> {
    store.to_str().filter(|store| is_address(store))
}

/// Whether a store is behind HTTP.
pub fn is_behind_http(store: &Path) -> bool {
    address(store).is_some()
}

/// Whether there is such a store. One behind HTTP is taken to be there until it is asked.
pub fn is_there(store: &Path) -> bool {
    address(store).is_some() || store.exists()
}

/// The token for servers: `PACTDB_TOKEN`, or the first word of the file in `PACTDB_TOKEN_FILE`.
pub fn token() -> Result<Option<String>> {
    let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(token) = given("PACTDB_TOKEN") {
        return Ok(Some(token));
    }
    let Some(file) = given("PACTDB_TOKEN_FILE") else { return Ok(None) };
    let text = std::fs::read_to_string(&file).map_err(|error| Error::io(&file, error))?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let word = line.and_then(|line| line.split_whitespace().next());
    word.map(|word| Some(word.to_owned()))
        .ok_or_else(|| Error::request(format!("{file} has no token")))
}

/// That there is no such store, and which one was probably meant.
fn missing(store: &Path) -> Error {
    let mut error = Error::new(Code::StoreIo, format!("there is no store {}", store.display()));
    error.details.hint = Some(match near(store) {
        Some(near) => format!("did you mean {near}?"),
        None => "`pactdb init` makes one, `pactdb demo` one to look at".to_owned(),
    });
    error
}

/// The file beside a store that is not there whose name is nearest to it.
pub fn near(store: &Path) -> Option<String> {
    let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = files.filter_map(|file| {
        let file = file.ok().filter(|file| file.path().is_file())?;
        file.file_name().into_string().ok()
    });
    let wanted = store.file_name()?.to_str()?;
    let others = names.filter(|name| name.ends_with(".pactdb") && name != wanted);
    let names: Vec<String> = others.collect();
    // Without its ending it is as good a name, and a shorter one has fewer slips.
    let stem = |name: &'_ str| name.trim_end_matches(".pactdb").to_owned();
    let stems: Vec<String> = names.iter().map(|name| stem(name)).collect();
    let by_stem = nearest_word(&stem(wanted), stems.iter().map(String::as_str));
    let name = match by_stem {
        Some(near) => format!("{near}.pactdb"),
        None => nearest_word(wanted, names.iter().map(String::as_str))?.to_owned(),
    };
    Some(folder.map_or(name.clone(), |folder| folder.join(name).display().to_string()))
}

/// A way to a store, which is found again if its holder leaves.
struct Link {
    wish: Wish,
    way: Mutex<Way>,
}

enum Way {
    /// Somebody answers.
    To(Connection),
    /// The holder has left.
    Lost,
    /// There is no store yet; the first edit makes one.
    Unmade(Generation),
}

impl Link {
    fn open(wish: Wish, missing: Missing) -> Result<Connection> {
        let way = Way::To(find(&wish, missing)?);
        Ok(Arc::new(Link { wish, way: Mutex::new(way) }))
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who answers. It is said if that is somebody else than before.
    fn current(&self, edits: bool) -> Result<Connection> {
        let mut way = self.way();
        let found = match &*way {
            Way::To(client) => return Ok(client.clone()),
            Way::Unmade(_) if !edits && !is_there(&self.wish.store) => {
                return Err(missing(&self.wish.store));
            }
            Way::Unmade(generation) => {
                let near = near(&self.wish.store);
                let found = find(&self.wish, Missing::Make(*generation))?;
                if let Some(near) = near {
                    let name = self.wish.store.display();
                    say(&format!("made the store {name}; there is also {near}"));
                }
                found
            }
            // The store was there, and is not made anew if it has gone.
            Way::Lost => {
                let found = find(&self.wish, Missing::Refuse)?;
                let now = match found.process() {
                    Some(process) => format!("attached to process {process} now"),
                    None => "this process has the store open now".to_owned(),
                };
                say(&format!("the process that held the store has ended: {now}"));
                found
            }
        };
        *way = Way::To(found.clone());
        Ok(found)
    }

    fn answer(&self, envelope: Envelope, sink: Sink<'_>) -> Result<Reply> {
        let edits = !envelope.request.only_reads();
        if self.wish.read_only && edits {
            let name = envelope.request.name();
            let message = format!("`{name}` changes the store, and --read-only was given");
            return Err(Error::new(Code::ReadOnly, message));
        }
        let client = self.current(edits)?;
        let timeout_ms = envelope.timeout_ms.or(self.wish.timeout_ms);
        let reply = client.call(Envelope { timeout_ms, ..envelope }, sink);
        let gone = reply.result.as_ref().is_err_and(|error| error.code == Code::StoreGone);
        // A server is asked again at the same address.
        if gone && address(&self.wish.store).is_none() {
            let mut way = self.way();
            if matches!(&*way, Way::To(held) if Arc::ptr_eq(held, &client)) {
                *way = Way::Lost;
            }
        }
        Ok(reply)
    }
}

impl Client for Link {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let rid = envelope.rid.clone();
        self.answer(envelope, sink).unwrap_or_else(|error| Reply::refused(rid, error))
    }

    fn process(&self) -> Option<u32> {
        match &*self.way() {
            Way::To(client) => client.process(),
            Way::Lost | Way::Unmade(_) => None,
        }
    }
}

/// Opens the store, or attaches to who has it open, or asks the server that has it. Who has it and does not share it is waited for.
fn find(wish: &Wish, missing: Missing) -> Result<Connection> {
    if let Some(address) = address(&wish.store) {
        let remote = Remote::new(address, token()?)?;
        return Ok(match missing {
            Missing::Refuse => Arc::new(remote),
            Missing::Make(generation) => Arc::new(remote.make(generation)),
        });
    }
    let held = |db| {
        let complain = |error| say(&format!("others cannot attach: {error}"));
        Arc::new(Held::new(db, wish.share, complain))
    };
    if !wish.attach {
        return Ok(held(open(wish, missing)?));
    }
    let found = attach::find(&wish.store, || open(wish, missing), || !signals::came_already());
    Ok(match found? {
        Found::Here(db) => held(db),
        Found::There(attached) => Arc::new(attached),
    })
}

/// Opens the store in this process.
fn open(wish: &Wish, missing: Missing) -> Result<Db> {
    let bar = Bar::new();
    let options = Options::new().progress(move |progress| bar.show(progress));
    match missing {
        Missing::Refuse => options.open(&wish.store),
        Missing::Make(generation) => options.generation(generation).open_or_create(&wish.store),
    }
}

/// Says something beside the answers.
fn say(text: &str) {
    let look = Look::of_output(Look::wants_colour(&std::io::stderr()));
    output::remark(look, &format!("{text}\n"));
}
