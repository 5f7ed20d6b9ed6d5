//! `serve`: stores over HTTP, until a signal comes.

use crate::args::{LogForm, ServeArgs};
use crate::connect::token;
use crate::context::Context;
use crate::signals;
use pactdb::attach::Access;
use pactdb::serve::{Limits, Scope, Server, Settings, TlsFiles, Tokens};
use pactdb::{Error, Result};
use std::path::Path;
use std::time::Duration;

pub fn run(context: &Context, args: ServeArgs) -> Result<()> {
    if let Some(form) = args.log {
        log(form);
    }
    let (tokens, generated) = tokens(context, args.token_file.as_deref())?;
    let default = Limits::default();
    let asked = context.wish.timeout_ms.filter(|time| *time > 0).map(Duration::from_millis);
    let timeout = asked.unwrap_or(default.timeout);
    let limits = Limits {
        idle: args.idle,
        open_stores: args.open_stores,
        connections: args.connections,
        cache_bytes: args.cache.saturating_mul(1 << 20),
        body_bytes: args.max_body.saturating_mul(1 << 20),
        timeout,
        longest_timeout: args.max_timeout.max(timeout),
        grace: args.grace,
        ..default
    };
    let tls = args.tls_cert.zip(args.tls_key);
    let server = Server::bind(Settings {
        create: args.create,
        hosts: args.allow_host,
        tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
        attach: context.wish.attach,
        share: context.wish.share,
        read_only: context.wish.read_only,
        limits,
        ..Settings::new(args.listen, args.places, tokens)
    })?;
    if !server.address().ip().is_loopback() && !server.is_encrypted() {
        let warning =
            "others on the way can read tokens and contents: --tls-cert and --tls-key encrypt them";
        context.warn(&[warning.to_owned()]);
    }
    say_where(context, &server, generated.as_deref())?;
    let stop = server.stop();
    let _watcher = signals::tell(move || stop.stop());
    server.run()
}

/// The one line that is printed: where the server is, with the token if it was made now.
fn say_where(context: &Context, server: &Server, token: Option<&str>) -> Result<()> {
    let query = token.map(|token| format!("?token={token}")).unwrap_or_default();
    let address = format!("{}{query}", server.url());
    context.say(&serde_json::json!({"address": address}), &format!("{address}\n"))
}

/// The tokens of the file, or the one of the environment, or a new one, which is given back too.
fn tokens(context: &Context, file: Option<&Path>) -> Result<(Tokens, Option<String>)> {
    if let Some(file) = file {
        let text =
            std::fs::read_to_string(file).map_err(|error| Error::io(file.display(), error))?;
        if others_can_read(file) {
            let warning = format!("other users can read {}: chmod 600", file.display());
            context.warn(&[warning]);
        }
        return Ok((Tokens::from_text(&text)?, None));
    }
    if let Some(secret) = token()? {
        let mut tokens = Tokens::new();
        tokens.add(&secret, Access::Write, Scope::All)?;
        return Ok((tokens, None));
    }
    let (tokens, secret) = Tokens::generate()?;
    Ok((tokens, Some(secret)))
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

/// Logs on standard error from now on.
fn log(form: LogForm) {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false);
    let log = log.with_target(false);
    // Nobody else in this program has set one up.
    let _ = match form {
        LogForm::Text => log.try_init(),
        LogForm::Json => log.json().flatten_event(true).try_init(),
    };
}
