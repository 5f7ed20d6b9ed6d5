//! Lines of cells in columns. The last column takes what is left of the width, and is cut there; where there
//! is too little, columns that matter less are left out, and names and times stay whole.

use super::look::{Look, Tone};
use super::text::{cut, fit, longest_word, padding, visible, width_of};
use super::widths::{Need, WORD, share};

/// What lies between two columns.
const GAP: &str = "  ";

/// No column but the last is wider than this.
const WIDEST: usize = 44;

/// What the last column has at least.
const A_FEW_WORDS: usize = 12;

/// A text in one line, made visible, whose parts have tones.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    /// The tone of each part, and where the part ends.
    tones: Vec<(Tone, usize)>,
    right: bool,
    /// Whether it is one thing although it has spaces in it, such as a time.
    whole: bool,
}

impl Cell {
    /// A cell with one tone.
    pub fn new(tone: Tone, text: impl AsRef<str>) -> Cell {
        Cell::default().and(tone, text)
    }

    /// A cell that leans to the right, for numbers.
    pub fn right(tone: Tone, text: impl AsRef<str>) -> Cell {
        Cell { right: true, whole: true, ..Cell::new(tone, text) }
    }

    /// A cell that is not cut at its spaces.
    pub fn whole(tone: Tone, text: impl AsRef<str>) -> Cell {
        Cell { whole: true, ..Cell::new(tone, text) }
    }

    /// A cell with nothing in it.
    pub fn empty() -> Cell {
        Cell::default()
    }

    /// The cell with more text after it.
    pub fn and(mut self, tone: Tone, text: impl AsRef<str>) -> Cell {
        self.text.push_str(&visible(text.as_ref()));
        self.tones.push((tone, self.text.len()));
        self
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        width_of(&self.text)
    }

    /// How wide it has to be for no word in it to be broken.
    fn least(&self) -> usize {
        let word = if self.whole { self.width() } else { longest_word(&self.text) };
        word.min(WORD)
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text in at most so many columns, and the spaces that are left of them.
    fn paint(&self, look: Look, columns: usize) -> (String, String) {
        let (kept, mark) = fit(&self.text, columns);
        let shown = format!("{}{mark}", &self.text[..kept]);
        let (mut out, mut start) = (String::new(), 0);
        for (tone, end) in &self.tones {
            // What was left out is marked in the tone of the part that it is missing from.
            let end = if *end >= kept { shown.len() } else { *end };
            out.push_str(&look.paint(*tone, &shown[start..end]));
            start = end;
        }
        (out, padding(&shown, columns))
    }
}

/// Lines of cells. A line of one cell is not in columns: it may be as wide as all of them.
#[derive(Debug, Default)]
pub struct Columns {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    /// The columns that can be left out, the first of them first.
    optional: Vec<usize>,
}

impl Columns {
    /// Columns with a name each.
    pub fn with_head(names: &[&'static str]) -> Columns {
        Columns { head: names.to_vec(), ..Columns::default() }
    }

    /// With columns that are left out where there is no room for all, in this order.
    pub fn optional(self, columns: &[usize]) -> Columns {
        Columns { optional: columns.to_vec(), ..self }
    }

    /// One more line.
    pub fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The text, each line with its end.
    pub fn render(self, look: Look) -> String {
        let Columns { head, mut rows, optional } = self;
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        // A column in which nothing stands is no column.
        let mut used: Vec<bool> =
            (0..count).map(|i| rows.iter().any(|row| !is_empty(row.get(i)))).collect();
        if !head.is_empty() {
            rows.insert(0, head.iter().map(|name| Cell::new(Tone::Dim, *name)).collect());
        }
        let mut leaves = optional.into_iter();
        let needs = loop {
            let shown: Vec<usize> = (0..count).filter(|i| used[*i]).collect();
            let mut needs: Vec<Need> = shown.iter().map(|i| need(&rows, *i, count)).collect();
            for need in needs.iter_mut().rev().skip(1) {
                need.most = need.most.min(WIDEST);
            }
            if let Some(last) = needs.last_mut() {
                last.least = last.most.min(A_FEW_WORDS.max(look.width / 4));
            }
            let least = needs.iter().map(|need| need.least).sum::<usize>() + gaps(needs.len());
            match leaves.next().filter(|_| least > look.width) {
                Some(column) => used[column] = false,
                None => break needs,
            }
        };
        for row in rows.iter_mut().filter(|row| row.len() > 1) {
            let mut flags = used.iter();
            row.retain(|_| *flags.next().unwrap_or(&true));
        }
        let mut widths = widths(&needs, look.width);
        tighten(&mut widths, &rows, look.width);
        // Numbers stand beside what they belong to, and not at the far edge.
        let leans = |row: &Vec<Cell>| row.len() < 2 || row.last().is_none_or(|cell| cell.right);
        let body = if head.is_empty() { &rows[..] } else { &rows[1..] };
        if let (Some(last), Some(need), true) =
            (widths.last_mut(), needs.last(), body.iter().all(leans))
        {
            *last = need.most.min(*last);
        }
        let mut out = String::new();
        for row in &rows {
            line(row, &widths, look, &mut out);
        }
        out
    }
}

fn is_empty(cell: Option<&Cell>) -> bool {
    cell.is_none_or(Cell::is_empty)
}

fn gaps(columns: usize) -> usize {
    GAP.len() * columns.saturating_sub(1)
}

/// What a column needs. Lines of one cell are not in columns.
fn need(rows: &[Vec<Cell>], column: usize, count: usize) -> Need {
    let in_columns = rows.iter().filter(|row| row.len() > 1 || count == 1);
    let mut need = Need { least: 0, most: 0 };
    for cell in in_columns.filter_map(|row| row.get(column)) {
        need.least = need.least.max(cell.least());
        need.most = need.most.max(cell.width());
    }
    need
}

/// How wide each column is. The last one gets the rest, but at least a third of the width, for which the
/// first ones give way; less than that where their words would be broken.
fn widths(needs: &[Need], width: usize) -> Vec<usize> {
    let Some((last, first)) = needs.split_last() else { return Vec::new() };
    let room = width.saturating_sub(gaps(needs.len()));
    let least: usize = first.iter().map(|need| need.least).sum();
    let fits = |kept: &usize| least + kept <= room;
    let kept = [width / 3, width / 4, A_FEW_WORDS].map(|kept| kept.min(last.most));
    let kept = kept.into_iter().find(fits).unwrap_or(kept[2]);
    let mut widths = share(first, room.saturating_sub(kept));
    let taken: usize = widths.iter().sum();
    widths.push(room.saturating_sub(taken).max(8));
    widths
}

/// Gives the last column what cutting between words has left over in the others.
fn tighten(widths: &mut [usize], rows: &[Vec<Cell>], width: usize) {
    let gaps = gaps(widths.len());
    let Some((last, first)) = widths.split_last_mut() else { return };
    for (i, room) in first.iter_mut().enumerate() {
        let cells = rows.iter().filter(|row| row.len() > 1).filter_map(|row| row.get(i));
        let shown = cells.map(|cell| width_of(&cut(&cell.text, *room)));
        *room = shown.max().unwrap_or(0);
    }
    let taken: usize = first.iter().sum();
    *last = width.saturating_sub(gaps + taken).max(*last);
}

fn line(row: &[Cell], widths: &[usize], look: Look, out: &mut String) {
    if let [alone] = row {
        out.push_str(&alone.paint(look, look.width).0);
        out.push('\n');
        return;
    }
    let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    for (i, cell) in row.iter().take(last + 1).enumerate() {
        let room = widths.get(i).copied().unwrap_or(0);
        let (text, padding) = cell.paint(look, room);
        match (cell.right, i == last) {
            (true, _) => out.extend([padding.as_str(), &text]),
            (false, true) => out.push_str(&text),
            (false, false) => out.extend([text.as_str(), &padding]),
        }
        if i < last {
            out.push_str(GAP);
        }
    }
    out.push('\n');
}
