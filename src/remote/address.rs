//! Where a store is: `http://host:7350/NAME`, or `https://…`.

use crate::error::{Error, Result};

/// A store behind HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) tls: bool,
    /// The host without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// The host and the port as they were written.
    pub(super) authority: String,
    /// The path of the store on the server.
    pub(super) path: String,
}

/// Whether a text names a store behind HTTP and not a file.
pub fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

impl Address {
    /// Reads an address. What stands before the name is where a proxy has the server.
    pub(super) fn read(text: &str) -> Result<Address> {
        let wrong = |why: &str| {
            Error::request(format!("a store behind HTTP is http://HOST:PORT/NAME: {why}"))
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("there is no scheme"))?;
        let tls = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(wrong("the scheme is http or https")),
        };
        let (authority, path) = rest.split_once('/').ok_or_else(|| wrong("there is no name"))?;
        if path.contains(['?', '#']) {
            return Err(wrong("nothing follows the name; a token comes in PACTDB_TOKEN"));
        }
        let (before, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.is_empty() {
            return Err(wrong("there is no name"));
        }
        let (host, port) = split(authority).ok_or_else(|| wrong("the host cannot be read"))?;
        let slash = if before.is_empty() { "" } else { "/" };
        Ok(Address {
            tls,
            host: host.to_owned(),
            port: port.unwrap_or(if tls { 443 } else { 80 }),
            authority: authority.to_owned(),
            path: format!("{slash}{}/v1/stores/{}", encoded(before), encoded(name)),
        })
    }
}

/// The host and the port, if there is one.
fn split(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            (host, rest.strip_prefix(':').or(rest.is_empty().then_some(""))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    let named = |symbol: char| symbol.is_ascii_alphanumeric() || "-._~:%".contains(symbol);
    if host.is_empty() || !host.chars().all(named) {
        return None;
    }
    match port {
        "" => Some((host, None)),
        port => Some((host, Some(port.parse().ok()?))),
    }
}

/// A path as a request has it.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
