//! `ui` and `.ui`: the page in the browser, for one store, from a server of its own on this machine.
//!
//! The address that is printed has the server's token. The browser is opened with an invitation instead,
//! which is good once: other users of the machine can see with what a program was started.

use crate::args::UiArgs;
use crate::connect::{Connection, is_there};
use crate::context::Context;
use crate::signals;
use pactdb::remote::is_address;
use pactdb::serve::{OpenStore, Server, Settings, Stop, Tokens};
use pactdb::{Code, Error, Result};
use std::io::IsTerminal;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Serves the page until a signal comes.
pub fn run(context: &Context, args: UiArgs) -> Result<()> {
    let store = args.file.unwrap_or_else(|| context.store.clone());
    if let Some(address) = page_of(&store) {
        context.say(&serde_json::json!({"address": address}), &format!("{address}\n"))?;
        if !args.no_open {
            open(&address);
        }
        return Ok(());
    }
    if !is_there(&store) {
        let message = format!("there is no store {}", store.display());
        let mut error = Error::new(Code::StoreIo, message);
        error.details.hint = Some("`pactdb demo` makes one to look at".into());
        return Err(error);
    }
    let settings = |tokens| Settings {
        attach: context.wish.attach,
        share: context.wish.share,
        ..reading(args.port, vec![store.clone()], tokens)
    };
    let (server, token) = bind(settings)?;
    let address = format!("{}?token={token}", server.url());
    context.say(&serde_json::json!({"address": address}), &format!("{address}\n"))?;
    if !args.no_open {
        open(&server.invitation(&token)?);
    }
    let stop = server.stop();
    let _watcher = signals::tell(move || stop.stop());
    server.run()
}

/// A page that is there as long as this is.
pub struct Page {
    /// Where it is, with its token.
    pub address: String,
    stop: Option<Stop>,
}

impl Page {
    /// Serves a store that this process uses, in a thread of its own, and opens the browser.
    pub fn start(context: &Context, name: String, client: &Connection) -> Result<Page> {
        if let Some(address) = page_of(&context.store) {
            return Ok(Page { address, stop: None });
        }
        let (server, token) = match client.process() {
            // Another process has the store, and is asked on connections of the page's own.
            Some(_) => bind(|tokens| reading(0, vec![context.store.clone()], tokens))?,
            None => {
                let open = vec![OpenStore { name: addressable(&name), client: client.clone() }];
                bind(|tokens| Settings { open, ..reading(0, Vec::new(), tokens) })?
            }
        };
        let address = format!("{}?token={token}", server.url());
        let page = Page { address, stop: Some(server.stop()) };
        open(&server.invitation(&token)?);
        std::thread::spawn(move || server.run());
        Ok(page)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(stop) = &self.stop {
            stop.stop();
        }
    }
}

/// A name that can stand in an address.
fn addressable(name: &str) -> String {
    let plain = name.replace(['/', '\\', ':'], "_");
    match plain.trim_start_matches('.') {
        "" => "store".to_owned(),
        name => name.chars().take(50).collect(),
    }
}

/// The page of a store that is behind HTTP: the server there has one.
fn page_of(store: &Path) -> Option<String> {
    let address = store.to_str().filter(|store| is_address(store))?;
    let (server, name) = address.trim_end_matches('/').rsplit_once('/')?;
    Some(format!("{server}/#/{name}"))
}

/// Settings of a server that others cannot reach and that only reads.
fn reading(port: u16, places: Vec<PathBuf>, tokens: Tokens) -> Settings {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Settings { read_only: true, ..Settings::new(listen, places, tokens) }
}

/// A server with a token of its own.
fn bind(settings: impl FnOnce(Tokens) -> Settings) -> Result<(Server, String)> {
    let (tokens, token) = Tokens::generate()?;
    Ok((Server::bind(settings(tokens))?, token))
}

/// Opens an address in the browser, if there is somebody to look at it. Where that does not work, the
/// address was printed.
fn open(address: &str) {
    if !std::io::stdout().is_terminal() {
        return;
    }
    let given = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/c", "start", ""])
    } else if given("DISPLAY") || given("WAYLAND_DISPLAY") {
        ("xdg-open", &[])
    } else {
        return;
    };
    let mut command = Command::new(program);
    command.args(before).arg(address);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut child) = child {
        std::thread::spawn(move || child.wait());
    }
}
