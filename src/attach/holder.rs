//! The process that has the store open, and answers others.

use super::connection;
use super::hello::Access;
use super::place::Places;
use super::shared::{Seat, Shared};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::protocol::LocalClient;
use interprocess::local_socket::traits::{Listener as _, Stream as _};
use interprocess::local_socket::{Listener, ListenerOptions, Stream};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A store that answers other processes of the same user, until this is dropped.
///
/// ```
/// use pactdb::attach::{Access, Attached, Sharing};
/// use pactdb::protocol::ClientExt;
/// use pactdb::{Add, Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// let db = Db::create(&path, Generation::V0_1)?;
/// let _sharing = Sharing::start(&db, Access::Write)?;
/// // Another process may do this meanwhile.
/// let attached = Attached::to(&path)?;
/// attached.ask(Add::user("Where is the key?").id("q1"))?;
/// assert!(db.at(None)?.node("q1")?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sharing {
    shared: Arc<Shared>,
    places: Places,
    listening: Option<JoinHandle<()>>,
}

impl Sharing {
    /// Shares an open store, which lies in a file.
    pub fn start(db: &Db, access: Access) -> Result<Sharing> {
        let path = db.path().ok_or_else(|| {
            Error::request("only a store in a file can be shared with other processes")
        })?;
        let failed = |error| Error::io("the store cannot be shared", error);
        let places = Places::of(path).map_err(failed)?;
        let listener = places.first(|place| {
            place.clear()?;
            ListenerOptions::new().name(place.name()?).create_sync()
        });
        let listener = listener.map_err(failed)?;
        let shared = Arc::new(Shared::new(LocalClient::new(db.clone()), access));
        let listened = shared.clone();
        let thread = std::thread::Builder::new().name("pactdb-attach".into());
        let listening = thread.spawn(move || listen(&listener, &listened)).map_err(failed)?;
        Ok(Sharing { shared, places, listening: Some(listening) })
    }

    /// Whether another process is attached.
    pub fn is_attended(&self) -> bool {
        self.shared.is_attended()
    }
}

impl Drop for Sharing {
    /// Ends what others asked, waits for what they edit, and takes the socket away; then the store may
    /// be closed.
    fn drop(&mut self) {
        self.shared.close();
        // Whoever listens looks up when somebody comes. If somebody took the socket away, nobody can
        // come, and there is nobody to wait for.
        let woken = self.places.first(|place| Stream::connect(place.name()?)).is_ok();
        if let Some(listening) = self.listening.take().filter(|_| woken) {
            let _ = listening.join();
        }
        self.shared.end_all();
    }
}

fn listen(listener: &Listener, shared: &Arc<Shared>) {
    loop {
        let came = listener.accept();
        if shared.is_closed() {
            return;
        }
        let Ok(stream) = came else {
            // Too many files are open: those who wait are still there a little later.
            std::thread::sleep(RETRY);
            continue;
        };
        let stream = Arc::new(stream);
        let Some(seat) = Seat::take(shared, &stream) else {
            connection::refuse(&stream);
            continue;
        };
        let thread = std::thread::Builder::new().name("pactdb-attached".into());
        // Without a thread the stream is dropped, and the client is told that way.
        let _ = thread.spawn(move || connection::answer(&stream, &seat));
    }
}

/// How long to wait when the system cannot take a connection.
const RETRY: std::time::Duration = std::time::Duration::from_millis(50);
