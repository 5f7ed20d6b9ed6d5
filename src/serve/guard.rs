//! What comes in: the name under which the server was reached, the site that sent the request, the
//! token.
//!
//! A browser that has shown its token once brings the cookie of its session instead, with which it may
//! only read.
//!
//! A web site can make a browser send requests to this machine. It cannot choose the `Host` of another
//! name than its own, and cannot hide its `Origin`.

use super::response::refuse;
use super::shared::Shared;
use super::tokens::Grant;
use crate::code::Code;
use crate::error::{Error, Result};
use axum::extract::{Query, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Where nothing of a store is told, and no token is needed.
pub(super) const HEALTH: &str = "/healthz";

/// The page, which looks at its own address for a token.
pub(super) const PAGE: &str = "/";

/// The files of the page, which tell nothing of a store.
pub(super) const FILES: &str = "/web/";

/// Where sessions begin and end.
pub(super) const SESSION: &str = "/session";

/// The address of this machine to which a request came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local(pub(super) SocketAddr);

/// Lets a request in, or answers why not.
pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    match admit(&shared, &request) {
        Ok(Some(grant)) => {
            request.extensions_mut().insert(grant);
            next.run(request).await
        }
        Ok(None) => next.run(request).await,
        Err(error) => {
            shared.metrics.refused(error.code);
            refuse(error)
        }
    }
}

fn admit(shared: &Shared, request: &Request) -> Result<Option<Grant>> {
    let headers = request.headers();
    let host = one(headers, header::HOST)?
        .ok_or_else(|| Error::request("a request needs the header Host"))?;
    let local = request.extensions().get::<Local>().map(|local| local.0.ip());
    if !is_own(host, local, &shared.settings.hosts) {
        let message =
            "the server is not reached under this name: --allow-host NAME allows another one";
        return Err(Error::new(Code::Forbidden, message));
    }
    if let Some(origin) = one(headers, header::ORIGIN)?
        && !is_same(origin, host)
    {
        return Err(Error::new(Code::Forbidden, "another web site has sent this"));
    }
    let path = request.uri().path();
    if path == HEALTH || path == PAGE || path.starts_with(FILES) {
        return Ok(None);
    }
    let secret = secret(headers, request.method(), request.uri())?;
    let grant = match &secret {
        Some(secret) => shared.settings.tokens.grant(secret).cloned(),
        None => session(shared, request),
    };
    match grant {
        Some(grant) => Ok(Some(grant)),
        None => {
            let message = match secret {
                None => "a request needs a token: Authorization: Bearer TOKEN",
                Some(_) => "nobody has this token",
            };
            Err(Error::new(Code::Unauthorized, message))
        }
    }
}

/// A header that may be there once.
fn one(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>> {
    let mut values = headers.get_all(&name).iter();
    let value = values.next().map(|value| value.to_str());
    match (value.transpose(), values.next()) {
        (Ok(value), None) => Ok(value),
        _ => Err(Error::request(format!("the header {name} must be there once, and be a text"))),
    }
}

/// Whether a `Host` is a name of this server.
fn is_own(host: &str, local: Option<IpAddr>, allowed: &[String]) -> bool {
    let Ok(host) = host.parse::<Authority>() else { return false };
    let name = host.host();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => {
            address.is_loopback()
                || Some(address) == local
                || allowed.iter().any(|allowed| allowed == bare)
        }
        Err(_) => {
            let named = |allowed: &&str| allowed.eq_ignore_ascii_case(name);
            ["localhost"].into_iter().chain(allowed.iter().map(String::as_str)).any(|a| named(&a))
        }
    }
}

/// Whether a page of this origin came from the same server.
fn is_same(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// The token of a request. One in the address is for browsers, which can send no header when an
/// address is opened.
fn secret(headers: &HeaderMap, method: &Method, uri: &Uri) -> Result<Option<String>> {
    if let Some(value) = one(headers, header::AUTHORIZATION)? {
        let scheme = value.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer "));
        return match scheme {
            Some(_) => Ok(Some(value[7..].trim().to_owned())),
            None => Err(Error::new(Code::Unauthorized, "a token comes as Bearer TOKEN")),
        };
    }
    if method != Method::GET {
        return Ok(None);
    }
    let query = Query::<HashMap<String, String>>::try_from_uri(uri);
    Ok(query.ok().and_then(|Query(mut query)| query.remove("token")))
}

/// What the session of a request allows. A session begins with a token, not with another session; and
/// its cookie counts only where the browser does not say that another site, or another port of this
/// machine, has sent the request.
fn session(shared: &Shared, request: &Request) -> Option<Grant> {
    let headers = request.headers();
    let from = headers.get("sec-fetch-site").map(|from| from.as_bytes());
    let own = matches!(from, None | Some(b"same-origin" | b"none"));
    let begins = request.uri().path() == SESSION && request.method() == Method::POST;
    let local = *request.extensions().get::<Local>()?;
    let id = session_of(headers, local).filter(|_| own && !begins)?;
    shared.sessions.grant(id)
}

/// The id of the session in a request's cookies.
pub(super) fn session_of(headers: &HeaderMap, local: Local) -> Option<&str> {
    let name = cookie_name(local);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(&name)?.strip_prefix('='))
}

/// The name of the cookie. Browsers send cookies to every port of a machine, so it has the port.
pub(super) fn cookie_name(local: Local) -> String {
    format!("pactdb-{}", local.0.port())
}

/// Refuses a store that the token is not for. Whether there is such a store is not told.
pub(super) fn check_store(grant: &Grant, store: &str) -> Result<()> {
    match grant.has(store) {
        true => Ok(()),
        false => Err(Error::new(Code::Forbidden, "the token is not for this store")),
    }
}
