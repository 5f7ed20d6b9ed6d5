//! `fmt`: selectors in canonical form, one or a line each. It needs no store; one that is there says
//! which dialect is meant.

use crate::args::FmtArgs;
use crate::context::{Context, line, name_of};
use crate::output;
use crate::render::{self, visible};
use crate::signals::Input;
use pactdb::language::{Rewritten, rewrite};
use pactdb::protocol::{ClientExt, Formatted, State};
use pactdb::{Dialect, Error, Result};
use serde::Serialize;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

pub fn run(context: &Context, args: FmtArgs) -> Result<ExitCode> {
    let from = dialect(context);
    let work = Work { context, from, to: args.to.map_or(from, Dialect::from), check: args.check };
    let mut clean = true;
    match args.q {
        Some(q) if q != "-" => {
            let formatted = work.format(&q)?;
            let changed = formatted.canonical != q.trim();
            context.warn(&formatted.notes);
            context.say(&formatted, &format!("{}\n", shown(&formatted.canonical)))?;
            clean = !(work.check && changed);
        }
        Some(_) => clean = work.lines("standard input", &standard_input()?)?,
        None => {
            for file in &args.write {
                clean &= work.rewrite(file)?;
            }
            for file in &args.files {
                let name = name_of(file);
                let text = std::fs::read_to_string(file).map_err(|e| Error::io(&name, e))?;
                clean &= work.lines(&name, &text)?;
            }
        }
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What became of a file, for programs.
#[derive(Serialize)]
struct Rewrote {
    file: String,
    /// How many lines changed.
    changed: u64,
}

/// Puts a text in the place of a file's, all of it or nothing; who may read and write it stays.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

struct Work<'a> {
    context: &'a Context,
    from: Dialect,
    to: Dialect,
    check: bool,
}

impl Work<'_> {
    fn format(&self, q: &str) -> Result<Formatted> {
        let made = rewrite(q, self.from, self.to);
        let Rewritten { text, notes } =
            made.map_err(|refused| Error::from(refused.error).in_text(&refused.text))?;
        Ok(Formatted { canonical: text, dialect: self.to, notes })
    }

    /// Formats each line; false if one cannot be, or would change where that is asked. A line that
    /// cannot be formatted stays as it is.
    fn lines(&self, name: &str, text: &str) -> Result<bool> {
        let (mut out, mut clean) = (String::new(), true);
        for (number, old) in (1..).zip(text.lines()) {
            if is_comment(old) {
                self.push(&mut out, old, None)?;
                continue;
            }
            let at = format!("{name}, line {number}");
            match self.format(old.trim()) {
                Ok(formatted) => {
                    let notes = formatted.notes.iter().map(|note| format!("{at}: {note}"));
                    self.context.warn(&notes.collect::<Vec<_>>());
                    if self.check && formatted.canonical != old {
                        clean = false;
                        out.push_str(&format!("{at}: {}\n", shown(&formatted.canonical)));
                    }
                    self.push(&mut out, &formatted.canonical, Some(&formatted))?;
                }
                Err(error) => {
                    clean = false;
                    let look = self.context.look;
                    output::remark(look, &format!("{at}: {}", render::error(look, &error)));
                    self.push(&mut out, old, None)?;
                }
            }
        }
        self.context.tell(&out)?;
        Ok(clean)
    }

    /// Rewrites a file in canonical form; false, and nothing is changed, if a line cannot be formatted.
    fn rewrite(&self, file: &Path) -> Result<bool> {
        let (name, look) = (name_of(file), self.context.look);
        let failed = |error| Error::io(&name, error);
        // What a link leads to is rewritten, and the link stays.
        let path = std::fs::canonicalize(file).map_err(failed)?;
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let (mut out, mut changed, mut clean) = (String::new(), 0u64, true);
        for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
            let old = whole.strip_suffix('\n').unwrap_or(whole);
            let old = old.strip_suffix('\r').unwrap_or(old);
            if is_comment(old) {
                out.push_str(whole);
                continue;
            }
            let at = format!("{name}, line {number}");
            match self.format(old.trim()) {
                Ok(Formatted { canonical, notes, .. }) => {
                    let notes = notes.iter().map(|note| format!("{at}: {note}"));
                    self.context.warn(&notes.collect::<Vec<_>>());
                    changed += u64::from(canonical != old);
                    out.push_str(&canonical);
                    out.push_str(&whole[old.len()..]);
                }
                Err(error) => {
                    clean = false;
                    output::remark(look, &format!("{at}: {}", render::error(look, &error)));
                }
            }
        }
        if !clean {
            output::remark(look, &format!("{name} stays as it is\n"));
            return Ok(false);
        }
        if changed > 0 {
            replace(&path, &out).map_err(failed)?;
        }
        let lines = if changed == 1 { "line" } else { "lines" };
        let report = Rewrote { file: name.clone(), changed };
        self.context.say(&report, &format!("{}: {changed} {lines} changed\n", visible(&name)))?;
        Ok(true)
    }

    /// Adds a line of the result; for programs only selectors are.
    fn push(&self, out: &mut String, text: &str, formatted: Option<&Formatted>) -> Result<()> {
        match (self.check, self.context.json, formatted) {
            (true, _, _) | (false, true, None) => {}
            (false, true, Some(formatted)) => {
                out.push_str(&format!("{{\"ok\":{}}}\n", line(formatted)?));
            }
            (false, false, _) => out.push_str(&format!("{}\n", shown(text))),
        }
        Ok(())
    }
}

/// A text as it may go out: its lines stay lines.
fn shown(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Whether a line is no selector: `#x` is one, `# x` is not.
fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line == "#" || line.starts_with("# ") || line.starts_with("//")
}

/// The dialect that was given, or that of the store that is there.
fn dialect(context: &Context) -> Dialect {
    let of_store =
        || -> Result<Dialect> { Ok(context.existing()?.ask(State::default())?.store.dialect) };
    context.dialect.unwrap_or_else(|| of_store().unwrap_or_default())
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    BufReader::new(Input)
        .read_to_string(&mut text)
        .map_err(|error| Error::io("standard input", error))?;
    Ok(text)
}
