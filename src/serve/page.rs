//! The page in the browser: its files, and how a browser comes to a session.
//!
//! The files tell nothing of a store and are there for everybody. A token in the address is exchanged
//! for a cookie at once and is gone from the address; so is one that is typed into the page.

use super::assets::{Asset, INDEX};
use super::guard::{Local, cookie_name, session_of};
use super::response::refuse_as;
use super::shared::Shared;
use super::tokens::Grant;
use crate::error::{Error, Result};
use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the page may load, and from where: its own files, and nothing that is written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// `GET /`: the page. A token or an invitation in the address begins a session first.
pub(super) async fn index(
    State(shared): State<Arc<Shared>>,
    Extension(local): Extension<Local>,
    Query(params): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let grant = match (params.get("token"), params.get("code")) {
        (Some(token), _) => shared.settings.tokens.grant(token).cloned(),
        (None, Some(code)) => shared.sessions.redeem(code),
        (None, None) => return file(INDEX, &headers),
    };
    // Whoever opens an old address again may still have the session that it once began.
    let known = session_of(&headers, local).is_some_and(|id| shared.sessions.grant(id).is_some());
    match grant {
        Some(grant) => match begin(&shared, local, &grant) {
            Ok(cookie) => redirect("/", Some(cookie)),
            Err(error) => refuse_as(StatusCode::INTERNAL_SERVER_ERROR, error),
        },
        None if known => redirect("/", None),
        None => redirect("/?refused", None),
    }
}

/// `GET /web/FILE`: a file of the page.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    file(&name, &headers)
}

/// `POST /session`: begins a session for the token that the request brings.
pub(super) async fn sign_in(
    State(shared): State<Arc<Shared>>,
    Extension(local): Extension<Local>,
    Extension(grant): Extension<Grant>,
) -> Response {
    match begin(&shared, local, &grant) {
        Ok(cookie) => with_cookie(plain(StatusCode::NO_CONTENT, Body::empty()), cookie),
        Err(error) => refuse_as(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

/// `DELETE /session`: ends the session.
pub(super) async fn sign_out(
    State(shared): State<Arc<Shared>>,
    Extension(local): Extension<Local>,
    headers: HeaderMap,
) -> Response {
    if let Some(id) = session_of(&headers, local) {
        shared.sessions.end(id);
    }
    let response = plain(StatusCode::NO_CONTENT, Body::empty());
    match cookie(&shared, local, "; Max-Age=0", "") {
        Ok(cookie) => with_cookie(response, cookie),
        Err(error) => refuse_as(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

fn begin(shared: &Shared, local: Local, grant: &Grant) -> Result<HeaderValue> {
    cookie(shared, local, "", &shared.sessions.begin(grant)?)
}

fn cookie(shared: &Shared, local: Local, more: &str, id: &str) -> Result<HeaderValue> {
    let secure = if shared.settings.tls.is_some() { "; Secure" } else { "" };
    let name = cookie_name(local);
    let text = format!("{name}={id}; Path=/; HttpOnly; SameSite=Strict{secure}{more}");
    HeaderValue::from_str(&text).map_err(|error| Error::request(error.to_string()))
}

fn redirect(to: &'static str, cookie: Option<HeaderValue>) -> Response {
    let mut response = plain(StatusCode::SEE_OTHER, Body::empty());
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(to));
    match cookie {
        Some(cookie) => with_cookie(response, cookie),
        None => response,
    }
}

fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// A file, unless the browser has this very one.
fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = Asset::named(name) else {
        let error = Error::request("the page has no such file");
        return refuse_as(StatusCode::NOT_FOUND, error);
    };
    let text = asset.text();
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let packed = if understands_zstd(headers) { asset.packed() } else { None };
    // Other bytes have another tag.
    let tag = format!("\"{}{}\"", &hash[..32], if packed.is_some() { "-zstd" } else { "" });
    let given = headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let same = given.is_some_and(|given| given.split(',').any(|one| one.trim() == tag));
    let is_packed = packed.is_some();
    let mut response = match packed {
        _ if same => plain(StatusCode::NOT_MODIFIED, Body::empty()),
        Some(packed) => plain(StatusCode::OK, Body::from(packed.into_owned())),
        None => plain(StatusCode::OK, Body::from(text.into_owned())),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed && !same {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("zstd"));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// Whether whoever asks says that zstd may be sent.
fn understands_zstd(headers: &HeaderMap) -> bool {
    let lists =
        headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let is_refused = weight.trim().strip_prefix("q=").and_then(|q| q.parse().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case("zstd") && !is_refused
    })
}

/// An answer to a browser that opens the page.
fn plain(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
