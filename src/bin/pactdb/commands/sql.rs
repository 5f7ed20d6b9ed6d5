//! `sql`: a question, its answer as a table, CSV or JSON.

use crate::args::SqlArgs;
use crate::context::Context;
use crate::render::{self, ListForm};
use crate::signals::Input;
use pactdb::limits::MAX_SQL_TEXT_BYTES;
use pactdb::protocol::{Client, ClientExt, Sql};
use pactdb::{Error, Json, Result, json, sql};
use std::io::{BufReader, IsTerminal, Read};

/// Every row: the greatest number that a request can bring.
pub const ALL: u64 = i64::MAX as u64;

pub fn run(context: &Context, args: SqlArgs) -> Result<()> {
    if context.json && (args.csv || args.jsonl) {
        return Err(Error::request("--json, --jsonl and --csv are three forms: give one"));
    }
    let Some(q) = args.q.filter(|_| !args.tables) else {
        return context.say(&sql::catalogue(), &render::tables(context.look, None)?);
    };
    let q = if q == "-" { standard_input()? } else { q };
    let params = args.params.iter().map(|text| value(text)).collect::<Vec<Json>>();
    let params = (!params.is_empty()).then_some(Json::List(params));
    // What goes into a pipe is not cut.
    let piped = !std::io::stdout().is_terminal() && !context.json;
    let limit = args.limit.or(piped.then_some(ALL));
    let request = Sql { q, params, limit, explain: args.explain };
    let client = &*context.existing()?;
    match (args.csv, args.jsonl) {
        (true, _) => listed(context, client, request, ListForm::Csv),
        (_, true) => listed(context, client, request, ListForm::JsonLines),
        _ => context.run(client, request),
    }
}

/// Asks, and prints the rows for programs.
pub fn listed(context: &Context, client: &dyn Client, request: Sql, form: ListForm) -> Result<()> {
    let answered = client.ask_fully(request)?;
    let text = match form {
        ListForm::Csv => render::csv(&answered.reply),
        ListForm::JsonLines => render::json_lines(&answered.reply)?,
    };
    context.print(&text)?;
    context.warn(&answered.warnings);
    context.warn(&render::truncated(&answered.reply));
    Ok(())
}

fn value(text: &str) -> Json {
    json::parse(text).unwrap_or_else(|_| Json::from(text))
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    let most = MAX_SQL_TEXT_BYTES as u64 + 1;
    BufReader::new(Input)
        .take(most)
        .read_to_string(&mut text)
        .map_err(|error| Error::io("standard input", error))?;
    Ok(text)
}
