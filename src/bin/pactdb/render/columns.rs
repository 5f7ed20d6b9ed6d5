//! Lines of cells in columns. The last column takes what is left of the width, and is cut there.

use super::look::{Look, Tone};
use super::text::{fit, padding, visible, width_of};

/// What lies between two columns.
const GAP: &str = "  ";

/// No column but the last is wider than this.
const WIDEST: usize = 44;

/// A text in one line, made visible, whose parts have tones.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    /// The tone of each part, and where the part ends.
    tones: Vec<(Tone, usize)>,
    right: bool,
}

impl Cell {
    /// A cell with one tone.
    pub fn new(tone: Tone, text: impl AsRef<str>) -> Cell {
        Cell::default().and(tone, text)
    }

    /// A cell that leans to the right, for numbers.
    pub fn right(tone: Tone, text: impl AsRef<str>) -> Cell {
        Cell { right: true, ..Cell::new(tone, text) }
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
}

impl Columns {
    /// Columns with a name each.
    pub fn with_head(names: &[&'static str]) -> Columns {
        Columns { head: names.to_vec(), rows: Vec::new() }
    }

    /// One more line.
    pub fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The text, each line with its end.
    pub fn render(self, look: Look) -> String {
        let Columns { head, mut rows } = self;
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        // A column in which nothing stands is no column.
        let used: Vec<bool> =
            (0..count).map(|i| rows.iter().any(|row| !is_empty(row.get(i)))).collect();
        if !head.is_empty() {
            rows.insert(0, head.iter().map(|name| Cell::new(Tone::Dim, *name)).collect());
        }
        for row in &mut rows {
            let mut flags = used.iter();
            row.retain(|_| *flags.next().unwrap_or(&true));
        }
        let count = used.iter().filter(|used| **used).count();
        let widths = widths(&rows, count, look.width);
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

/// How wide each column is. The last one gets the rest, but at least a third of the width: the
/// first ones give way.
fn widths(rows: &[Vec<Cell>], count: usize, width: usize) -> Vec<usize> {
    let in_columns = || rows.iter().filter(|row| row.len() > 1 || count == 1);
    let widest = |i: usize| in_columns().filter_map(|row| row.get(i)).map(Cell::width).max();
    let mut widths: Vec<usize> = (0..count).map(|i| widest(i).unwrap_or(0).min(WIDEST)).collect();
    let Some(last) = widths.last_mut() else { return widths };
    *last = widest(count - 1).unwrap_or(0);
    let gaps = GAP.len() * count.saturating_sub(1);
    let wanted = widths[count - 1].min(width / 3);
    loop {
        let fixed: usize = widths[..count - 1].iter().sum::<usize>() + gaps;
        if fixed + wanted <= width {
            widths[count - 1] = width - fixed;
            return widths;
        }
        match widths[..count - 1].iter_mut().max() {
            Some(widest) if *widest > 6 => *widest -= 1,
            _ => {
                widths[count - 1] = width.saturating_sub(fixed).max(8);
                return widths;
            }
        }
    }
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
