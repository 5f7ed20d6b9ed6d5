//! The help: every command from the table, every statement, and the language on one screen.

use super::arguments;
use super::hint::usage;
use super::meta::{self, COMMANDS, Command};
use super::session::{Outcome, Session};
use crate::render::{Look, Tone};
use pactdb::language::nearest_word;
use pactdb::language::words::Keyword;
use pactdb::protocol::statement_fields;
use pactdb::{Error, Result};

/// No line of the help is wider.
const WIDEST: usize = 90;

/// `.help [TOPIC]`
pub fn run(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let look = session.look();
    let topic = rest.trim_start_matches('.');
    let text = if rest.is_empty() {
        overview(look)
    } else if topic == "selectors" || topic == "selector" {
        SELECTORS.to_owned()
    } else if let Some(keyword) = Keyword::leading(topic).filter(|_| !rest.starts_with('.')) {
        about_statement(look, keyword)
    } else if let Some(command) = meta::named(topic) {
        about_command(look, command)
    } else {
        let names = topics();
        let mut error = Error::request(format!("there is no help on `{rest}`"));
        error.details.hint = Some(match nearest_word(topic, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `.help {near}`?"),
            None => "`.help` lists what there is".to_owned(),
        });
        return Err(error);
    };
    Ok(Outcome::Note(text))
}

/// What there is help on.
pub fn topics() -> Vec<String> {
    let statements = Keyword::LEADING.map(|keyword| keyword.name().to_owned());
    let commands = COMMANDS.iter().map(|command| command.name.to_owned());
    let mut topics: Vec<String> =
        std::iter::once("selectors".to_owned()).chain(statements).chain(commands).collect();
    topics.dedup();
    topics
}

fn overview(look: Look) -> String {
    let mut out = format!("{}\n", look.paint(Tone::Strong, "a selector is a question"));
    out.push_str(&rows(
        look,
        &[
            ("^ah .cb", "blocks of the turn in progress"),
            ("@t0 .mt:depth(1-3) .cb[role='user']", "what the user said in the last three turns"),
            ("@t-3..@t0 .cb", "what changed over the last snapshots"),
            (".help selectors", "the language on one screen"),
            ("select role, count(*) from pact('@t0 .cb') group by role", "SQL counts: see .tables"),
        ],
    ));
    out.push_str(&format!("{}\n", look.paint(Tone::Strong, "a statement changes or compares")));
    let statements = Keyword::LEADING.map(|keyword| (keyword.name(), statement_help(keyword)));
    out.push_str(&rows(look, &statements));
    out.push_str(&format!("{}\n", look.paint(Tone::Strong, "a command begins with a dot")));
    let names: Vec<String> = COMMANDS.iter().map(|command| format!(".{}", command.name)).collect();
    let commands: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(COMMANDS.iter().map(|command| command.help)).collect();
    out.push_str(&rows(look, &commands));
    out.push_str(KEYS);
    out
}

/// Two columns; the second is below the first where they do not fit beside each other.
fn rows(look: Look, rows: &[(&str, &str)]) -> String {
    const BELOW: &str = "      ";
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(40);
    let room = look.width.min(WIDEST);
    let mut out = String::new();
    for (name, help) in rows {
        let name_width = name.chars().count();
        let beside = name_width <= widest && 2 + widest + 2 + help.chars().count() <= room;
        if beside {
            let pad = " ".repeat(widest - name_width + 2);
            out.push_str(&format!("  {name}{pad}{}\n", look.paint(Tone::Dim, help)));
            continue;
        }
        out.push_str(&format!("  {name}\n"));
        for line in look.wrap(&format!("{BELOW}{help}"), BELOW).lines() {
            out.push_str(&format!("{}\n", look.paint(Tone::Dim, line)));
        }
    }
    out
}

fn about_command(look: Look, command: &Command) -> String {
    let usage = format!(".{} {}", command.name, command.usage);
    let help = look.wrap(&format!("  {}", command.help), "  ");
    let mut out = format!("{}\n{help}\n", look.paint(Tone::Strong, usage.trim_end()));
    if !command.aliases.is_empty() {
        let names: Vec<String> = command.aliases.iter().map(|name| format!(".{name}")).collect();
        out.push_str(&format!("  also {}\n", names.join(", ")));
    }
    if let Some(definition) = command.arguments {
        out.push_str(&flag_lines(look, &definition()));
    }
    out.push_str(&format!("  {} {}\n", look.paint(Tone::Dim, "for example"), command.example));
    out
}

/// The flags of a command, one a line.
fn flag_lines(look: Look, command: &clap::Command) -> String {
    let line = |flag: &clap::Arg| {
        let long = flag.get_long()?;
        let values = flag.get_value_names().filter(|_| flag.get_action().takes_values());
        let values = values.unwrap_or_default().iter().map(|name| format!(" {name}"));
        let name = format!("--{long}{}", values.collect::<String>());
        Some((name, flag.get_help().map(ToString::to_string).unwrap_or_default()))
    };
    let lines: Vec<(String, String)> = arguments::flags(command).filter_map(line).collect();
    let lines: Vec<(&str, &str)> =
        lines.iter().map(|(name, help)| (name.as_str(), help.as_str())).collect();
    rows(look, &lines)
}

fn about_statement(look: Look, keyword: Keyword) -> String {
    let usage = usage(keyword).unwrap_or_default();
    let head = format!("{} {usage}", keyword.name());
    format!(
        "{}\n  {}\n{}",
        look.paint(Tone::Strong, head.trim_end()),
        statement_help(keyword),
        details(keyword).replace("HEADERS", &field_lines(keyword))
    )
}

/// The headers that a statement takes in braces, in lines of the help.
fn field_lines(keyword: Keyword) -> String {
    let mut lines = vec![String::new()];
    for name in statement_fields(keyword).unwrap_or_default() {
        if lines.last().is_some_and(|line| line.len() + name.len() > WIDEST - 4) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if line.is_empty() { "  " } else { " " });
            line.push_str(name);
        }
    }
    lines.join("\n")
}

fn statement_help(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Add => "add a node, to the turn in progress unless a place is named",
        Keyword::Set => "change content, headers and attributes of nodes",
        Keyword::Move => "move nodes below another parent, or to another offset",
        Keyword::Remove => "remove nodes with everything below them",
        Keyword::Commit => "close the cycle: expire, prune, seal the turn, take a snapshot",
        Keyword::Undo => "take back the newest uncommitted edit, by an event of its own",
        Keyword::Restore => "make a past snapshot the newest one; history is kept",
        Keyword::Diff => "what changed between two states",
        Keyword::Policy => "show or set the policies by which a commit prunes",
        Keyword::Cadence => "stop a block from coming back",
        _ => "",
    }
}

fn details(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Add => ADD,
        Keyword::Set => SET,
        Keyword::Move => MOVE,
        Keyword::Remove => REMOVE,
        Keyword::Commit => {
            "\n  commit\n  commit {expected_cycle=41}     only if 41 is the last cycle\n  \
             commit {dry_run}               what it would do; nothing is changed\n"
        }
        Keyword::Undo => "\n  undo\n",
        Keyword::Restore => {
            "\n  restore @c4\n  restore @t-1 discard           throws uncommitted edits away\n"
        }
        Keyword::Diff => DIFF,
        Keyword::Policy => POLICY,
        Keyword::Cadence => "\n  cadence end notes\n  cadence end 'any key'\n",
        _ => "",
    }
}

const ADD: &str = "
  add 'Hello'
  add ^ah .cb {role='user', ttl=2} 'Hello'
  add ^sys {role=system, pinned} 'Be brief.'
  add .note {tags=[a, 'b c'], refs=['cb:1'], data_score=0.7} json '{\"any\": [\"value\"]}'
  add (d0, mc, +1) 'between the first and the second block of the core'
  add #notes? .note 'only if there is a node notes'

  A bare type at the end of the place is the type of the new node; braces behind it hold
HEADERS
  and attributes of your own (data_…, content_…, a:b). A name alone means true.
  In quotes \\' \\\" and \\\\ are escapes; a text may go over several lines.
  json '…' is a content that is no text; in it only \\' is an escape.
";

const SET: &str = "
  set #cb:1 {ttl=2, tags=[cold]}
  set #cb:1 'Be brief and kind.'
  set .cb[kind='result'] {ttl=null}      null takes a header away
  set #maybe? {priority=5}               no match is no error

  Braces that touch a step filter (.cb{ttl=1}); those that stand apart are what is set:
HEADERS
  content, and attributes of your own.
";

const MOVE: &str = "
  move #cb:3 to ^sys
  move .cb[kind='note'] to ^ah {offset=-1}
  move #cb:3? to #notes?                 no match is no error
";

const REMOVE: &str = "
  rm #cb:3
  rm ^ah .cb[role='tool']
  rm #cb:1 force                 also if other nodes refer to it
";

const DIFF: &str = "
  diff                           the newest snapshot and the working state
  diff @c4                       @c4 and the working state
  diff @t0 @t-5 .cb              two snapshots, and only blocks
  diff rich @c4 now              with parents, moves and offsets
  diff @e7 @e9                   the working state after two events
";

const POLICY: &str = "
  policy
  policy {max_tokens=4000, protect_recent_turns=2}
  policy {max_turns=200, max_nodes=5000}
  policy {region=seq, max_blocks=500} {region=sys, max_bytes=20000}
  policy none
";

const KEYS: &str = "
`.help add`, `.help .tree` and so on say more, with examples.
Tab completes, Up and Down walk through what you typed, Ctrl-R searches it,
Ctrl-C drops the line, Ctrl-D leaves. A `;` ends a statement. An open bracket or quote,
a `|` or a comma at the end goes on in the next line; an empty line sends it as it is.
";

const SELECTORS: &str = "\
[TIME] STEP STEP …     each STEP is looked for below the one before it;
                       > means directly below
A, B   A ?? B          both; or B where A finds nothing

time    (none) the working state   @t0 @t-3 counted back   @c42 a cycle
        @e7 right after event 7    @'2026-03-02 18:00' @-2h @today by the clock
        @* every snapshot          @t-3..@t0 @c10..@c20 @history what changed
where   ^sys ^seq ^ah ^root        (d1, 0, 2) a position; (d1..3, .cb)
what    .mt .mc .cb  (1.0: .seg .cont .block)  turn, container, block
        .cb:summary .note          a type or kind          * anything
        .log.entry                 a type with a dot
who     #cb:1 #'any text'          by id; in 1.0 by key
filter  [role='user'] {ttl<=1}     = != < <= > >=  ~ !~ a pattern  in, !=, = ['a', 'b']
        [key] has a key            .cb(role='user' kind='x')    +tag
        [author='x']               your data_author, if there is no author
place   :pre :core :post           before, in, behind the core of a turn
count   :first :last :nth(2)       test  :has(> .mc .cb) such below  :not(.cb, +x)
depth   :depth(1-3)  d1..d3        the newest turn is 1, the head is 0
end     @limit=5 @skip=5 @first @order=path|recent|id @mode=latest
stages  SELECTOR | where bytes > 99 | count, sum bytes by role | sort 2 desc | take 5

Only snapshots have age, born_turn, depth and sdepth: @t0 .cb[age>3]
A line that begins with a dot and a command's name is the command; *.log selects
nodes of the type log.
";
