//! The server: it takes connections, and ends as it was told to.
//!
//! When it stops, nobody new is let in; what runs may end; what does not end in time is ended, and
//! answered with `E_CANCELLED`; then the stores are closed.

use super::guard::Local;
use super::patient::Patient;
use super::record;
use super::routes::router;
use super::settings::{Settings, TlsFiles};
use super::shared::Shared;
use crate::error::{Error, Result};
use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// How long requests have to answer that they were ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long to wait when the system cannot take a connection.
const RETRY: Duration = Duration::from_millis(50);

/// What whoever comes when there is no room is told.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-type: application/json\r\ncontent-length: 82\r\n\r\n{\"error\":{\"code\":\"E_BUSY\",\"message\":\"there are too many connections: try later\"}}\n";

/// Stores over HTTP.
pub struct Server {
    shared: Arc<Shared>,
    listener: std::net::TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    stop: Stop,
}

/// Stops a server. Clones stop the same one.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Tells the server to end. It does not wait for that.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Takes the address. Nobody is answered before [`Server::run`].
    pub fn bind(settings: Settings) -> Result<Server> {
        if settings.tokens.are_none() {
            return Err(Error::request("a server needs a token"));
        }
        if !settings.listen.ip().is_loopback() && settings.tokens.are_generated() {
            let message = "others can reach this address: give tokens of your own";
            return Err(Error::request(message));
        }
        let tls = settings.tls.as_ref().map(acceptor).transpose()?;
        let about = |error| Error::io(settings.listen, error);
        let listener = std::net::TcpListener::bind(settings.listen).map_err(about)?;
        listener.set_nonblocking(true).map_err(about)?;
        let address = listener.local_addr().map_err(about)?;
        let stop = Stop(Arc::new(watch::Sender::new(false)));
        Ok(Server { shared: Arc::new(Shared::new(settings)?), listener, address, tls, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// An address that opens the page once, for a browser: whoever opens it may read what `token` may.
    pub fn invitation(&self, token: &str) -> Result<String> {
        let grant = self.shared.settings.tokens.grant(token);
        let grant = grant.ok_or_else(|| Error::request("the server does not know this token"))?;
        let code = self.shared.sessions.invite(grant)?;
        Ok(format!("{}?code={code}", self.url()))
    }

    /// The address of its page.
    pub fn url(&self) -> String {
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        format!("{scheme}://{}/", self.address)
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is stopped.
    pub fn run(self) -> Result<()> {
        let limits = &self.shared.settings.limits;
        // Beside those who answer there are some who open and close stores.
        let blocking = limits.workers + limits.watches + 16;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("pactdb-serve")
            .max_blocking_threads(blocking)
            .build()
            .map_err(|error| Error::io("the server cannot start", error))?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> Result<()> {
        let Server { shared, listener, tls, stop, .. } = self;
        let listener = TcpListener::from_std(listener)
            .map_err(|error| Error::io("the server cannot start", error))?;
        let sweeping = shared.clone();
        let sweeper = tokio::spawn(async move { sweeping.stores.sweep().await });
        let mut stopped = stop.0.subscribe();
        let mut connections = JoinSet::new();
        let router = router(shared.clone());
        record::server("started");
        loop {
            tokio::select! {
                came = listener.accept() => match came {
                    Ok((stream, _)) => {
                        if let Some(seat) = seat(&shared, &stream) {
                            let connection = Connection {
                                shared: shared.clone(),
                                router: router.clone(),
                                tls: tls.clone(),
                                stopped: stop.0.subscribe(),
                                _seat: seat,
                            };
                            connections.spawn(connection.talk(stream));
                        }
                    }
                    // Too many files are open: those who wait are still there a little later.
                    Err(_) => tokio::time::sleep(RETRY).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                _ = stopped.wait_for(|stop| *stop) => break,
            }
        }
        drop(listener);
        record::server("stopping");
        end(&shared, &mut connections).await;
        sweeper.abort();
        shared.stores.close_all().await;
        record::server("stopped");
        Ok(())
    }
}

/// Lets connections end, and ends them.
async fn end(shared: &Shared, connections: &mut JoinSet<()>) {
    shared.watches_end.cancel();
    let grace = shared.settings.limits.grace;
    if tokio::time::timeout(grace, all_ended(connections)).await.is_err() {
        shared.stopping.cancel();
        let _ = tokio::time::timeout(LAST_WORDS, all_ended(connections)).await;
    }
    connections.shutdown().await;
}

async fn all_ended(connections: &mut JoinSet<()>) {
    while connections.join_next().await.is_some() {}
}

/// One of the connections that there may be; whoever gets none is told so.
fn seat(shared: &Shared, stream: &TcpStream) -> Option<OwnedSemaphorePermit> {
    match shared.seats.clone().try_acquire_owned() {
        Ok(seat) => {
            shared.metrics.connections.fetch_add(1, Ordering::Relaxed);
            Some(seat)
        }
        Err(_) => {
            shared.metrics.turned_away.fetch_add(1, Ordering::Relaxed);
            // A new connection has room for this, and if not, it is closed without a word.
            let _ = stream.try_write(FULL);
            None
        }
    }
}

struct Connection {
    shared: Arc<Shared>,
    router: Router,
    tls: Option<TlsAcceptor>,
    stopped: watch::Receiver<bool>,
    _seat: OwnedSemaphorePermit,
}

impl Connection {
    async fn talk(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else { return };
        let limits = self.shared.settings.limits.clone();
        match self.tls.clone() {
            None => self.answer(Patient::new(stream, limits.read_time), local).await,
            Some(tls) => {
                let shaken = tokio::time::timeout(limits.head_time, tls.accept(stream)).await;
                let Ok(Ok(stream)) = shaken else { return };
                self.answer(Patient::new(stream, limits.read_time), local).await;
            }
        }
    }

    async fn answer<S>(mut self, stream: S, local: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let limits = &self.shared.settings.limits;
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.head_time)
            .max_buf_size(limits.head_bytes.max(8 << 10));
        let routes = TowerToHyperService::new(self.router.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Local(local));
            routes.call(request.map(axum::body::Body::new) as Request)
        });
        let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
        tokio::select! {
            // What goes wrong with a connection is for its other end to know.
            _ = connection.as_mut() => return,
            _ = self.stopped.wait_for(|stop| *stop) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// Reads a certificate and its key.
fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor> {
    let TlsFiles { certificate, key } = files;
    let about = |path: &std::path::Path, error: &dyn std::fmt::Display| {
        Error::request(format!("{}: {error}", path.display()))
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| about(certificate, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| about(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| about(certificate, &error))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| about(certificate, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
