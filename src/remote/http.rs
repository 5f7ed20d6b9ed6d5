//! One connection over HTTP/1.1: a request goes out, the lines of its answer come in.
//!
//! Whoever waits is asked again and again whether to wait any longer; to stop is to hang up.

use super::address::Address;
use crate::error::{Error, Result};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// How long it may take to take a part of the request.
const SEND: Duration = Duration::from_secs(60);

/// How often somebody who waits looks whether to wait any longer.
const LOOK: Duration = Duration::from_millis(20);

/// How long a connection is kept without use: servers hang up after a while.
const IDLE: Duration = Duration::from_secs(5);

/// The longest head of an answer.
const LONGEST_HEAD: usize = 64 << 10;

/// Why there is no more of an answer.
#[derive(Debug)]
pub(super) enum Ended {
    /// The other end has hung up, or what it sent is no HTTP.
    Broken,
    /// Whoever waits wants to wait no longer.
    Stopped(Error),
}

/// Says whether to wait any longer.
pub(super) type Wait<'a> = &'a mut dyn FnMut() -> Result<()>;

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    fn socket(&self) -> &TcpStream {
        match self {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => &stream.sock,
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.write_all(bytes),
            Stream::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }
}

/// How much of a body is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Bytes(u64),
    /// Of the chunk that is being read; others follow.
    Chunk(u64),
    /// All that comes.
    Rest,
    Nothing,
}

/// A connection to a server.
pub(super) struct Connection {
    stream: Stream,
    /// What came and is not read yet, from `at` on.
    came: Vec<u8>,
    at: usize,
    left: Left,
    /// Whether another request may follow.
    keep: bool,
    used: Instant,
}

impl Connection {
    pub(super) fn open(address: &Address) -> io::Result<Connection> {
        let mut failed = io::Error::from(ErrorKind::NotFound);
        for place in (&*address.host, address.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&place, CONNECT) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_read_timeout(Some(CONNECT))?;
                    socket.set_write_timeout(Some(SEND))?;
                    let stream = match address.tls {
                        false => Stream::Plain(socket),
                        true => Stream::Tls(Box::new(shake(address, socket)?)),
                    };
                    stream.socket().set_read_timeout(Some(LOOK))?;
                    return Ok(Connection {
                        stream,
                        came: Vec::new(),
                        at: 0,
                        left: Left::Nothing,
                        keep: true,
                        used: Instant::now(),
                    });
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Whether another request can be sent: its other end is still there, as far as can be known.
    pub(super) fn is_open(&self) -> bool {
        let socket = self.stream.socket();
        let over = self.left == Left::Nothing && self.at == self.came.len();
        if !self.keep
            || !over
            || self.used.elapsed() > IDLE
            || socket.set_nonblocking(true).is_err()
        {
            return false;
        }
        let ended = match socket.peek(&mut [0]) {
            Ok(0) => true,
            // Nothing was asked; encrypted connections have words of their own.
            Ok(_) => matches!(self.stream, Stream::Plain(_)),
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        };
        socket.set_nonblocking(false).is_ok() && !ended
    }

    /// Sends a request.
    pub(super) fn send(&mut self, head: &str, body: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(head.len() + body.len());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(body.as_bytes());
        self.stream.write_all(&bytes)
    }

    /// The status of the answer, whose body can be read then.
    pub(super) fn status(&mut self, wait: Wait<'_>) -> std::result::Result<u16, Ended> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut head = httparse::Response::new(&mut headers);
            match head.parse(&self.came[self.at..]) {
                Ok(httparse::Status::Complete(length)) => {
                    let status = head.code.unwrap_or(0);
                    // What comes before the answer is no answer.
                    if !(100..200).contains(&status) {
                        self.left = left(&head).ok_or(Ended::Broken)?;
                        self.keep = self.left != Left::Rest && !closes(&head);
                    }
                    self.at += length;
                    if status >= 200 {
                        return Ok(status);
                    }
                }
                Ok(httparse::Status::Partial) if self.came.len() < LONGEST_HEAD => {
                    self.more(wait)?;
                }
                _ => return Err(Ended::Broken),
            }
        }
    }

    /// The next line of the body, without its end; none after the last one.
    pub(super) fn line(&mut self, wait: Wait<'_>) -> std::result::Result<Option<String>, Ended> {
        let mut line = Vec::new();
        loop {
            let size = match self.left {
                Left::Nothing => break,
                Left::Bytes(0) => {
                    self.left = Left::Nothing;
                    break;
                }
                Left::Chunk(0) => {
                    self.next_chunk(wait)?;
                    continue;
                }
                Left::Bytes(size) | Left::Chunk(size) => size,
                Left::Rest => u64::MAX,
            };
            if self.at == self.came.len() {
                match self.more(wait) {
                    Err(Ended::Broken) if self.left == Left::Rest => self.left = Left::Nothing,
                    more => more?,
                }
                continue;
            }
            let there = &self.came[self.at..];
            let there = &there[..there.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
            let end = there.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(there.len(), |end| end + 1);
            line.extend_from_slice(&there[..end.unwrap_or(taken)]);
            self.at += taken;
            self.left = match self.left {
                Left::Bytes(size) => Left::Bytes(size - taken as u64),
                Left::Chunk(size) => Left::Chunk(size - taken as u64),
                left => left,
            };
            if end.is_some() {
                return text(line).map(Some);
            }
        }
        self.used = Instant::now();
        match line.is_empty() {
            true => Ok(None),
            false => text(line).map(Some),
        }
    }

    /// Reads the head of the next chunk, and what stands behind the last one.
    fn next_chunk(&mut self, wait: Wait<'_>) -> std::result::Result<(), Ended> {
        loop {
            let there = &self.came[self.at..];
            // The end of the chunk before it.
            let skip = if there.starts_with(b"\r\n") { 2 } else { 0 };
            let needed = there == b"\r";
            match httparse::parse_chunk_size(&there[skip..]) {
                Ok(httparse::Status::Complete((length, 0))) => {
                    let rest = &there[skip + length..];
                    if rest.starts_with(b"\r\n") {
                        self.at += skip + length + 2;
                        self.left = Left::Nothing;
                        return Ok(());
                    }
                    if rest.len() >= 2 {
                        return Err(Ended::Broken);
                    }
                }
                Ok(httparse::Status::Complete((length, size))) => {
                    self.at += skip + length;
                    self.left = Left::Chunk(size);
                    return Ok(());
                }
                Ok(httparse::Status::Partial) => {}
                Err(_) if needed => {}
                Err(_) => return Err(Ended::Broken),
            }
            self.more(wait)?;
        }
    }

    /// Waits for more.
    fn more(&mut self, wait: Wait<'_>) -> std::result::Result<(), Ended> {
        self.came.drain(..self.at);
        self.at = 0;
        let mut buffer = [0; 16 << 10];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Ended::Broken),
                Ok(count) => {
                    self.came.extend_from_slice(&buffer[..count]);
                    return Ok(());
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    wait().map_err(Ended::Stopped)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Ended::Broken),
            }
        }
    }
}

fn text(line: Vec<u8>) -> std::result::Result<String, Ended> {
    String::from_utf8(line).map_err(|_| Ended::Broken)
}

/// How the length of a body is told.
fn left(head: &httparse::Response<'_, '_>) -> Option<Left> {
    if header(head, "transfer-encoding").is_some_and(|how| how.eq_ignore_ascii_case("chunked")) {
        return Some(Left::Chunk(0));
    }
    match header(head, "content-length") {
        Some(length) => length.parse().ok().map(Left::Bytes),
        None => Some(Left::Rest),
    }
}

fn closes(head: &httparse::Response<'_, '_>) -> bool {
    head.version == Some(0)
        || header(head, "connection").is_some_and(|how| how.eq_ignore_ascii_case("close"))
}

fn header<'a>(head: &httparse::Response<'_, 'a>, name: &str) -> Option<&'a str> {
    let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    found.and_then(|header| std::str::from_utf8(header.value).ok()).map(str::trim)
}

/// Begins to encrypt. The certificates that are trusted are those of the system.
fn shake(
    address: &Address,
    mut socket: TcpStream,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
    let mut tls = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    while tls.is_handshaking() {
        tls.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(tls, socket))
}
