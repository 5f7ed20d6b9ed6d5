//! How text may look: its width, and whether it has colours.

use super::text::{visible, visible_lines, wrapped};
use anstyle::{AnsiColor, Color, Style};
use std::borrow::Cow;
use std::io::IsTerminal;

/// How wide text is that goes nowhere in particular, such as into a file.
const PLAIN_WIDTH: usize = 100;

/// How an answer may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The columns that there are.
    pub width: usize,
    /// The lines that there are, on a terminal.
    pub height: Option<usize>,
    /// Whether to use colours.
    pub colour: bool,
}

/// What a piece of text is, from which its colour follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    Plain,
    /// Of less interest.
    Dim,
    /// A heading.
    Strong,
    /// The id of a node.
    Id,
    /// A region.
    Region,
    /// The role of the standing instructions.
    System,
    /// The role of the one who asks.
    User,
    /// The role of the one who answers.
    Assistant,
    /// Any other role.
    Tool,
    /// Something that came.
    Added,
    /// Something that went.
    Removed,
    /// Something that is not the same.
    Changed,
    /// Something that is about to happen, or a warning.
    Soon,
    /// Something that went wrong.
    Fault,
    /// What was searched for.
    Match,
}

impl Look {
    /// The look of standard output. `COLUMNS` decides where there is no terminal.
    pub fn of_output(colour: bool) -> Look {
        let size = terminal_size::terminal_size_of(std::io::stdout());
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        Look {
            width: size
                .map(|(width, _)| usize::from(width.0))
                .or(columns)
                .unwrap_or(PLAIN_WIDTH)
                .clamp(40, 400),
            height: size.map(|(_, height)| usize::from(height.0)),
            colour,
        }
    }

    /// Whether a stream should have colours when nobody said so: on a terminal that has them,
    /// unless `NO_COLOR` is set.
    pub fn wants_colour(stream: &impl IsTerminal) -> bool {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        stream.is_terminal() && !refused && !dumb
    }

    /// A text in one line, made visible, in the colour of its tone.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        let (style, text) = (style_of(tone), visible(text));
        if !self.colour || text.is_empty() || style == Style::new() {
            return text.into_owned();
        }
        format!("{style}{text}{style:#}")
    }

    /// Sentences as lines that fit: on a terminal they are broken between words, and elsewhere they stay as
    /// they are. Lines with codes in them stay too.
    pub fn wrap(&self, text: &str, indent: &str) -> String {
        if self.height.is_none() {
            return text.to_owned();
        }
        let line = |line: &str| match line.contains('\u{1b}') {
            true => line.to_owned(),
            false => wrapped(line, self.width, indent),
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    }

    /// A whole answer as it may go out: a terminal obeys nothing in it but the ends of lines and,
    /// where there are colours, the codes of the tones. Everything for people passes here last.
    pub fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.colour {
            return visible_lines(text);
        }
        let codes: Vec<String> = STYLES
            .iter()
            .flat_map(|(_, style)| [format!("{style}"), format!("{style:#}")])
            .filter(|code| !code.is_empty())
            .collect();
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find('\u{1b}') {
            let (before, code) = rest.split_at(at);
            let known = codes.iter().find(|known| code.starts_with(*known));
            let (code, after) = code.split_at(known.map_or(1, String::len));
            out.push_str(&visible_lines(before));
            out.push_str(&if known.is_some() { Cow::Borrowed(code) } else { visible(code) });
            rest = after;
        }
        out.push_str(&visible_lines(rest));
        Cow::Owned(out)
    }
}

impl Tone {
    /// The tone of a role.
    pub fn of_role(role: Option<&str>) -> Tone {
        match role {
            Some("system" | "developer") => Tone::System,
            Some("user") => Tone::User,
            Some("assistant") => Tone::Assistant,
            Some(_) => Tone::Tool,
            None => Tone::Plain,
        }
    }
}

/// The sixteen colours that every terminal's theme makes readable.
const STYLES: [(Tone, Style); 15] = [
    (Tone::Plain, Style::new()),
    (Tone::Dim, Style::new().dimmed()),
    (Tone::Strong, Style::new().bold()),
    (Tone::Id, colour(AnsiColor::Cyan)),
    (Tone::Region, colour(AnsiColor::Blue).bold()),
    (Tone::System, colour(AnsiColor::Magenta)),
    (Tone::User, colour(AnsiColor::Green)),
    (Tone::Assistant, colour(AnsiColor::Blue)),
    (Tone::Tool, colour(AnsiColor::Yellow)),
    (Tone::Changed, colour(AnsiColor::Yellow)),
    (Tone::Soon, colour(AnsiColor::Yellow)),
    (Tone::Added, colour(AnsiColor::Green)),
    (Tone::Removed, colour(AnsiColor::Red)),
    (Tone::Fault, colour(AnsiColor::Red).bold()),
    (Tone::Match, colour(AnsiColor::Yellow).bold()),
];

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

fn style_of(tone: Tone) -> Style {
    STYLES.iter().find(|(known, _)| *known == tone).map_or(Style::new(), |(_, style)| *style)
}
