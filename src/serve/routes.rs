//! The addresses of the server, and what each does.

use super::body::{self, Held};
use super::call::{About, Asked, Running, Told, start};
use super::catalogue::check_name;
use super::guard::{HEALTH, PAGE, SESSION, check_store, guard};
use super::metrics::Now;
use super::openapi::openapi;
use super::page;
use super::record;
use super::response::{EVENTS, JSON, LINES, line, refuse, refuse_as, response, text_of};
use super::shared::Shared;
use super::stream::{Form, Streamed};
use super::tokens::Grant;
use crate::attach::Access;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{Json, Map};
use crate::model::Generation;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an answer that streams waits with its status: what is refused is refused by then.
const HEAD_START: Duration = Duration::from_millis(300);

type Shares = State<Arc<Shared>>;
type Params = BTreeMap<String, String>;

/// The store of an address. It may be any text.
struct Name(String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &S,
    ) -> std::result::Result<Name, Response> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        let unreadable = |_| refuse(Error::request("the name of the store cannot be read"));
        name.map(|Path(name)| Name(name)).map_err(unreadable)
    }
}

/// All addresses, guarded.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(PAGE, get(page::index))
        .route("/web/{*file}", get(page::asset))
        .route(SESSION, post(page::sign_in).delete(page::sign_out))
        .route("/v1/stores", get(stores))
        .route("/v1/stores/{name}", post(operate).put(make))
        .route("/v1/stores/{name}/watch", get(watch))
        .route("/v1/openapi.json", get(description))
        .route("/metrics", get(metrics))
        .route(HEALTH, get(async || response(StatusCode::OK, "text/plain", "ok\n")))
        .fallback(async || {
            refuse_as(StatusCode::NOT_FOUND, Error::request("there is nothing at this address"))
        })
        .method_not_allowed_fallback(async || {
            let error = Error::request("this address does not take the method");
            refuse_as(StatusCode::METHOD_NOT_ALLOWED, error)
        })
        .layer(from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// `GET /v1/stores`: the names that the token is for.
async fn stores(State(shared): Shares, Extension(grant): Extension<Grant>) -> Response {
    let names = match shared.stores.names().await {
        Ok(names) => names,
        Err(error) => return refuse(error),
    };
    let names = names.into_iter().filter(|name| grant.has(name)).map(Json::Str).collect();
    ok(Map::from([("stores".to_owned(), Json::List(names))]))
}

/// `POST /v1/stores/NAME`: an operation, or a list of them. With `?create=0.1` a store that is not
/// there is made.
async fn operate(
    State(shared): Shares,
    Extension(grant): Extension<Grant>,
    Name(name): Name,
    Query(params): Query<Params>,
    request: Request,
) -> Response {
    let began = Instant::now();
    let run = async {
        check(&grant, &name)?;
        let make = params.get("create").map(|spec| generation(spec)).transpose()?;
        let make = make.filter(|_| may_edit(&shared, &grant));
        let (head, body) = request.into_parts();
        let body = body::read(&shared, &head.headers, body).await?;
        let lease = shared.stores.open(&name, make).await?;
        let (store, text) = (name.clone(), params.contains_key("text"));
        let about = About { store, access: grant.access, text, began };
        start(&shared, lease, Asked { about, body }).await
    };
    match run.await {
        Ok(running) => streamed(running, Form::Lines).await,
        Err(error) => refused(&shared, &name, error),
    }
}

/// `PUT /v1/stores/NAME`: makes a store.
async fn make(
    State(shared): Shares,
    Extension(grant): Extension<Grant>,
    Name(name): Name,
    Query(params): Query<Params>,
) -> Response {
    let run = async {
        check(&grant, &name)?;
        if !may_edit(&shared, &grant) {
            let message = "the token allows reading alone, and this would make a store";
            return Err(Error::new(Code::ReadOnly, message));
        }
        if !shared.settings.create {
            let message = "the server makes no stores: it was started without --create";
            return Err(Error::new(Code::Forbidden, message));
        }
        let spec = params.get("spec").map_or("0.1", String::as_str);
        shared.stores.make(&name, generation(spec)?).await?;
        Ok(spec.to_owned())
    };
    match run.await {
        Ok(spec) => ok(Map::from([
            ("store".to_owned(), Json::Str(name)),
            ("spec".to_owned(), Json::Str(spec)),
        ])),
        Err(error) => refused(&shared, &name, error),
    }
}

/// `GET /v1/stores/NAME/watch`: the operation `watch` with the fields that stand in the address.
async fn watch(
    State(shared): Shares,
    Extension(grant): Extension<Grant>,
    Name(name): Name,
    Query(params): Query<Params>,
    headers: HeaderMap,
) -> Response {
    let began = Instant::now();
    let run = async {
        check(&grant, &name)?;
        let lease = shared.stores.open(&name, None).await?;
        let body = Held::own(&shared, watch_request(params, &headers).into_bytes());
        let about = About { store: name.clone(), access: Access::Read, text: false, began };
        start(&shared, lease, Asked { about, body }).await
    };
    match run.await {
        Ok(running) => streamed(running, Form::Events).await,
        Err(error) => refused(&shared, &name, error),
    }
}

fn watch_request(params: Params, headers: &HeaderMap) -> String {
    let number = |text: &str| text.parse().ok().map(Json::Int);
    let field = |(name, value): (String, String)| {
        let numbered = ["after", "limit", "timeout_ms"].contains(&&*name);
        let value = number(&value).filter(|_| numbered).unwrap_or(Json::Str(value));
        (name, value)
    };
    let fields = params.into_iter().filter(|(name, _)| name != "token");
    let mut request: Map = fields.map(field).collect();
    // A browser that has lost its connection says how far it had come.
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok());
    if let Some(after) = last.and_then(number) {
        request.remove("from");
        request.insert("after".to_owned(), after);
    }
    request.insert("op".to_owned(), "watch".into());
    request.insert("stream".to_owned(), true.into());
    text_of(&Json::Map(request))
}

async fn metrics(State(shared): Shares) -> Response {
    let (open_stores, store_bytes) = shared.stores.figures();
    let limits = &shared.settings.limits;
    let connections = limits.connections.saturating_sub(shared.seats.available_permits());
    let text = shared.metrics.text(&Now { open_stores, store_bytes, connections });
    response(StatusCode::OK, "text/plain; version=0.0.4", text)
}

async fn description() -> Response {
    line(StatusCode::OK, JSON, text_of(&openapi()))
}

/// The answer of a request: with its status, if its reply is there at once, and else as it comes.
async fn streamed(mut running: Running, form: Form) -> Response {
    let first = match running.next().await {
        Told::Begun => tokio::time::timeout(HEAD_START, running.next()).await.ok(),
        first @ Told::Line(_) => Some(first),
        Told::Done(text, status) => return line(status, JSON, text),
    };
    match (first, form) {
        (Some(Told::Done(text, status)), Form::Events) => line(status, JSON, text),
        (Some(Told::Done(text, status)), Form::Lines) => line(status, LINES, text),
        (first, form) => {
            let kind = if form == Form::Lines { LINES } else { EVENTS };
            response(StatusCode::OK, kind, Body::new(Streamed::new(running, form, first)))
        }
    }
}

fn check(grant: &Grant, name: &str) -> Result<()> {
    check_name(name)?;
    check_store(grant, name)
}

fn may_edit(shared: &Shared, grant: &Grant) -> bool {
    grant.access == Access::Write && !shared.settings.read_only
}

fn generation(spec: &str) -> Result<Generation> {
    match spec {
        "0.1" => Ok(Generation::V0_1),
        "1.0" => Ok(Generation::V1_0),
        _ => Err(Error::request("a store is made for the specification 0.1 or 1.0")),
    }
}

fn ok(value: Map) -> Response {
    let reply = Json::Map(Map::from([("ok".to_owned(), Json::Map(value))]));
    line(StatusCode::OK, JSON, text_of(&reply))
}

/// The answer to a request that came to no store.
fn refused(shared: &Shared, name: &str, error: Error) -> Response {
    shared.metrics.refused(error.code);
    record::refused(if check_name(name).is_ok() { name } else { "" }, error.code);
    refuse(error)
}
