//! How much of a file is in use, found out beside whoever writes to it: no lock, no transaction, and
//! one page in about a hundred is read.
//!
//! The pages of the newest state on disk are followed from the header down. A page number says how
//! long its page is, so pages of rows are counted where they are named; a few of each table are looked
//! at to learn how full they are. The other pages are compared with what the page above them says: one
//! that does not fit was written anew meanwhile, which the header then shows, or the file is damaged.

use super::super::error::StoreError;
use super::super::page_format::{
    HEADER, Layout, Listed, Named, PAGE, is_branch, is_sound_leaf, named_by, read_roots, row_bytes,
    sum_of, tables,
};
use super::{Pages, damaged};
use redb::StorageBackend;
use std::io;

/// How many pages of rows of one size are looked at in each table, at least, if there are as many.
const LOOKED_AT: usize = 64;

/// How often to begin again where somebody writes faster than this reads.
const TRIES: usize = 64;

/// Trees of redb's have fewer levels by far; a damaged file may have any number.
const MAX_HEIGHT: usize = 64;

/// What a file holds, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Pages that belong to the newest state on disk.
    pub(crate) used: u64,
    /// Keys and values of the store's own tables. Of a table with more than a few dozen pages of rows
    /// it is reckoned from some of them.
    pub(crate) live: u64,
    /// Each of the store's own tables, by name.
    pub(crate) tables: Vec<MeasuredTable>,
}

/// What a table holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredTable {
    pub(crate) name: String,
    /// How many rows it has.
    pub(crate) rows: u64,
    /// Its pages, in bytes.
    pub(crate) used: u64,
    /// Its keys and values, in bytes.
    pub(crate) live: u64,
}

/// Why a page is of no use.
enum Unfit {
    /// It is not the one that was named.
    Another,
    /// It cannot be read.
    Unread(io::Error),
}

impl Pages {
    /// Measures the newest state on disk. It is cheaper for somebody who holds a view of it, because
    /// its pages stay where they are then.
    pub(in super::super) fn measure(&self) -> Result<Measured, StoreError> {
        for _ in 0..TRIES {
            let header = self.header()?;
            let unfit = match read_roots(&header) {
                Some((layout, roots)) => match self.measure_from(layout, roots) {
                    Ok(measured) => return Ok(measured),
                    Err(unfit) => unfit,
                },
                None => Unfit::Another,
            };
            if self.header()? == header {
                return Err(match unfit {
                    Unfit::Another => damaged(),
                    Unfit::Unread(error) => StoreError::Io(error.into()),
                });
            }
        }
        Err(StoreError::Io("the file changes faster than it can be measured: ask again".into()))
    }

    fn header(&self) -> Result<Vec<u8>, StoreError> {
        let mut header = vec![0; HEADER];
        let read = self.0.storage.read(0, &mut header);
        read.map_err(|error| StoreError::Io(error.into()))?;
        Ok(header)
    }

    fn measure_from(&self, layout: Layout, roots: Vec<Named>) -> Result<Measured, Unfit> {
        let mut measured = Measured::default();
        for list in roots {
            let mut listed = Vec::new();
            let mut tree = Measuring::of(self, layout);
            tree.list(list, MAX_HEIGHT, &mut listed)?;
            measured.used += tree.used;
            for Listed { name, rows, root } in listed {
                let mut tree = Measuring::of(self, layout);
                if let Some(root) = root {
                    let height = tree.height(root)?;
                    tree.walk(root, height)?;
                }
                measured.used += tree.used;
                if !list.tree.is_redbs {
                    let live = tree.live()?;
                    measured.live += live;
                    measured.tables.push(MeasuredTable { name, rows, used: tree.used, live });
                }
            }
        }
        Ok(measured)
    }

    /// The beginning of a page, which says of what sort it is and how full.
    fn beginning(&self, page: Named) -> Result<Vec<u8>, Unfit> {
        let mut bytes = vec![0; PAGE as usize];
        self.0.storage.read(page.at, &mut bytes).map_err(Unfit::Unread)?;
        Ok(bytes)
    }

    /// All of a page, which must be the one that was named. Damage is remembered, as of every page
    /// that is read.
    fn whole(&self, page: Named) -> Result<Vec<u8>, Unfit> {
        let mut bytes = vec![0; (PAGE << page.order) as usize];
        self.0.storage.read(page.at, &mut bytes).map_err(Unfit::Unread)?;
        self.look_at(page.at, &bytes);
        if sum_of(&bytes, page.tree) == Some(page.sum) { Ok(bytes) } else { Err(Unfit::Another) }
    }
}

/// A tree on its way to be measured.
struct Measuring<'a> {
    pages: &'a Pages,
    layout: Layout,
    used: u64,
    /// Its pages of rows, by their size.
    rows: Vec<Rows>,
}

/// Pages of rows of one size.
struct Rows {
    order: u8,
    count: u64,
    /// Some of them, each so many apart.
    some: Vec<Named>,
    apart: u64,
}

impl<'a> Measuring<'a> {
    fn of(pages: &'a Pages, layout: Layout) -> Measuring<'a> {
        Measuring { pages, layout, used: 0, rows: Vec::new() }
    }

    /// Goes through a tree that lists tables, and adds these to `listed`.
    fn list(&mut self, page: Named, deepest: usize, listed: &mut Vec<Listed>) -> Result<(), Unfit> {
        let bytes = self.pages.whole(page)?;
        self.used += PAGE << page.order;
        if !is_branch(&bytes) {
            listed.extend(tables(&bytes, page.tree, self.layout));
            return Ok(());
        }
        let deepest = deepest.checked_sub(1).ok_or(Unfit::Another)?;
        let children = named_by(&bytes, page.tree, self.layout);
        children.into_iter().try_for_each(|child| self.list(child, deepest, listed))
    }

    /// How many levels of branches a tree has at its left edge; it should have as many everywhere.
    fn height(&self, root: Named) -> Result<usize, Unfit> {
        let mut page = root;
        for height in 0..MAX_HEIGHT {
            let bytes = self.pages.beginning(page)?;
            if !is_branch(&bytes) {
                return Ok(height);
            }
            let bytes = self.pages.whole(page)?;
            page = *named_by(&bytes, page.tree, self.layout).first().ok_or(Unfit::Another)?;
        }
        Err(Unfit::Another)
    }

    fn walk(&mut self, page: Named, height: usize) -> Result<(), Unfit> {
        self.used += PAGE << page.order;
        let Some(below) = height.checked_sub(1) else {
            self.note(page);
            return Ok(());
        };
        let bytes = self.pages.whole(page)?;
        if !is_branch(&bytes) {
            self.note(page);
            return Ok(());
        }
        let children = named_by(&bytes, page.tree, self.layout);
        children.into_iter().try_for_each(|child| self.walk(child, below))
    }

    /// Counts a page of rows, and keeps some of them evenly.
    fn note(&mut self, page: Named) {
        let known = self.rows.iter().position(|rows| rows.order == page.order);
        let at = known.unwrap_or_else(|| {
            self.rows.push(Rows { order: page.order, count: 0, some: Vec::new(), apart: 1 });
            self.rows.len() - 1
        });
        let rows = &mut self.rows[at];
        if rows.count.is_multiple_of(rows.apart) {
            rows.some.push(page);
        }
        rows.count += 1;
        if rows.some.len() > 2 * LOOKED_AT {
            let mut even = false;
            rows.some.retain(|_| {
                even = !even;
                even
            });
            rows.apart *= 2;
        }
    }

    /// About how many bytes its keys and values take.
    fn live(&self) -> Result<u64, Unfit> {
        let mut live = 0;
        for rows in &self.rows {
            let mut looked_at = 0u64;
            for page in &rows.some {
                let bytes = self.pages.beginning(*page)?;
                let len = PAGE << page.order;
                // Rows have checks of their own, for whoever reads them.
                if page.order == 0 && !is_sound_leaf(&bytes, page.tree) || is_branch(&bytes) {
                    self.pages.whole(*page)?;
                }
                looked_at += row_bytes(&bytes, page.tree).map_or(len, |bytes| bytes.min(len));
            }
            let some = rows.some.len().max(1) as u64;
            live += (u128::from(looked_at) * u128::from(rows.count) / u128::from(some)) as u64;
        }
        Ok(live)
    }
}
