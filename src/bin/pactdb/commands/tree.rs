//! `tree`: a state, or what a selector finds in one, as a drawing.
//!
//! The command and the REPL share it. At a terminal it shows what fits there; elsewhere all.

use super::read::{typed, with_time};
use crate::answer::Answer;
use crate::args::TreeArgs;
use crate::clock;
use crate::context::Context;
use crate::render::{self, Look};
use crate::states::{self, Turns};
use pactdb::protocol::{Client, ClientExt, Selection, Tree};
use pactdb::{Code, Dialect, Error, Result, Select};

pub fn run(context: &Context, args: TreeArgs) -> Result<()> {
    let client = &*context.existing()?;
    let (dialect, wanted) = (context.dialect, Wanted::of(args)?);
    if context.json {
        let (at, q) = match wanted.q {
            None => (wanted.at, None),
            Some(q) => (None, Some(with_time(client, dialect, q, wanted.at)?)),
        };
        return context.reply(client, Tree { at, q, dialect });
    }
    context.show(draw(context.look, client, dialect, wanted)?)
}

/// What is to be drawn.
pub struct Wanted {
    /// The state; the working state if there is none.
    pub at: Option<String>,
    /// Only these nodes.
    pub q: Option<String>,
    turns: Option<u64>,
    all: bool,
}

impl Wanted {
    /// Whether it was said how many turns there should be.
    pub fn is_asked(&self) -> bool {
        self.all || self.turns.is_some()
    }

    /// What the arguments ask for.
    pub fn of(args: TreeArgs) -> Result<Wanted> {
        let mut wanted = Wanted { at: args.at, q: None, turns: args.turns, all: args.all };
        let Some(text) = args.q.as_deref().map(str::trim) else { return Ok(wanted) };
        let twice = |what: &str| Err(Error::request(format!("{what} is given twice")));
        if text == "all" {
            wanted.all = true;
        } else if let Ok(turns) = text.parse() {
            if wanted.turns.replace(turns).is_some() {
                return twice("how many turns");
            }
        } else if let Some(time) = time_alone(text) {
            if wanted.at.replace(time).is_some() {
                return twice("the time");
            }
        } else {
            wanted.q = Some(text.to_owned());
        }
        Ok(wanted)
    }
}

/// A text that is a time and nothing else.
fn time_alone(text: &str) -> Option<String> {
    let Ok(time) = clock::time(text);
    let alone = time.starts_with('@') && !time.contains(char::is_whitespace);
    alone.then_some(time)
}

/// The drawing.
pub fn draw(
    look: Look,
    client: &dyn Client,
    dialect: Option<Dialect>,
    wanted: Wanted,
) -> Result<Answer> {
    let (state, view) = match wanted.q {
        None => {
            let state = states::one_at(client, wanted.at.as_deref(), dialect)?;
            let turns = match (wanted.all, wanted.turns, look.height) {
                (false, Some(turns), _) => Turns::Newest(turns),
                (false, None, Some(height)) => Turns::Fitting(height),
                _ => Turns::All,
            };
            let view = states::tree(client, &state, turns)?;
            (state, view)
        }
        Some(q) => {
            let q = with_time(client, dialect, q, wanted.at)?;
            let state = states::of(client, &q, dialect)?;
            let selection = match states::is_one(&state) {
                true => client.ask(Select { q, dialect, options: typed() })?,
                false => Selection::Ids(Vec::new()),
            };
            let (Selection::Ids(ids), true) = (selection, states::is_one(&state)) else {
                let message = "a tree is of one state: give an address such as @t0, @c4 or @e7";
                return Err(Error::new(Code::SelectorInvalid, message));
            };
            let view = states::tree_of(client, &state, ids.iter().map(|id| &**id))?;
            (state, view)
        }
    };
    let text = render::tree(look, &view);
    Ok(Answer { text, source: Some(render::state_words(&state)), ..Answer::default() })
}
