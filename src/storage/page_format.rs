//! How redb lays out its pages (file format 3), as far as it takes to tell whether a page is the one
//! that its parent names.
//!
//! redb keeps a checksum of every page in the page above it: a branch has those of its children, the
//! pages that list tables have those of the tables' roots, and the header of the file has those of the
//! two lists, of a store's own tables and of redb's. It looks at them only when it repairs a file.
//!
//! This is about bytes alone: nothing here reads or remembers anything, or knows what a store keeps.
//! Whatever the bytes are, a function answers; what it does not know it answers with nothing.

use xxhash_rust::xxh3::xxh3_128;

/// The size of the smallest page.
pub(super) const PAGE: u64 = 4096;

/// How much of the first page is the header.
pub(super) const HEADER: usize = 320;

const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
const VERSION: u8 = 3;

/// Bits of the byte behind the magic number: which of the two slots counts, and whether everything
/// that it names was on disk before it did.
const SECOND_SLOT: u8 = 1;
const TWO_PHASES: u8 = 4;

/// Where the slots lie, and how long they are without their checksum.
const SLOTS: [usize; 2] = [64, 192];
const SLOT: usize = 112;

const LEAF: u8 = 1;
const BRANCH: u8 = 2;

/// A table that has one value for each key. pactdb and redb itself use no other.
const TABLE: u8 = 3;

/// Pages of more than 2^20 pages do not exist.
const MAX_ORDER: u8 = 20;

/// The tree that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tree {
    /// The widths of keys and values, where they are fixed.
    pub(super) key: Option<u32>,
    value: Option<u32>,
    /// Whether its values say where tables are.
    pub(super) lists_tables: bool,
    /// Whether it is one of those that redb keeps for itself: which pages are free, and since when.
    pub(super) is_redbs: bool,
}

/// What a parent says about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    /// Where it lies in the file, and the logarithm of how many times the smallest page it is long.
    pub(super) at: u64,
    pub(super) order: u8,
    pub(super) sum: u128,
    pub(super) tree: Tree,
}

/// Where pages lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    region: u64,
    region_header: u64,
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes_at(bytes, at).map(|bytes| usize::from(u16::from_le_bytes(bytes)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn offset_at(bytes: &[u8], at: usize) -> Option<usize> {
    u32_at(bytes, at).map(|offset| offset as usize)
}

fn sum_at(bytes: &[u8], at: usize) -> Option<u128> {
    bytes_at(bytes, at).map(u128::from_le_bytes)
}

impl Layout {
    /// The page with the number at an offset.
    fn page(self, bytes: &[u8], at: usize) -> Option<(u64, u8)> {
        let number = bytes_at(bytes, at).map(u64::from_le_bytes)?;
        let order = (number >> 59) as u8;
        if order > MAX_ORDER {
            return None;
        }
        let index = number & (0xF_FFFF >> order);
        let region = (number >> 20) & 0xF_FFFF;
        let start = PAGE + region * self.region + self.region_header;
        Some((start + index * (PAGE << order), order))
    }

    /// A root: the number of its page, its checksum, and how much is in its tree.
    fn root(self, bytes: &[u8], at: usize, tree: Tree) -> Option<Named> {
        let (page, order) = self.page(bytes, at)?;
        Some(Named { at: page, order, sum: sum_at(bytes, at + 8)?, tree })
    }
}

/// Where pages lie, and the roots of the two lists of tables. Nothing if that is not certain: if the
/// file is not of the one format that is known, or if a crash may have left what the header names
/// half written. redb checks such a file itself, page by page, when it opens it.
pub(super) fn read_header(header: &[u8]) -> Option<(Layout, Vec<Named>)> {
    let flags = *header.get(MAGIC.len())?;
    if flags & TWO_PHASES == 0 { None } else { read_roots(header) }
}

/// The same of a file that was found to be whole when it was opened.
pub(super) fn read_roots(header: &[u8]) -> Option<(Layout, Vec<Named>)> {
    let flags = *header.get(MAGIC.len())?;
    if !header.starts_with(MAGIC) || u64::from(u32_at(header, 12)?) != PAGE {
        return None;
    }
    let (header_pages, pages) = (u32_at(header, 16)?, u32_at(header, 20)?);
    if pages == 0 || pages > 1 << 20 || header_pages > 1 << 20 {
        return None;
    }
    let region_header = u64::from(header_pages) * PAGE;
    let layout = Layout { region: region_header + u64::from(pages) * PAGE, region_header };
    let at = SLOTS[usize::from(flags & SECOND_SLOT != 0)];
    let slot = header.get(at..at + SLOT)?;
    if slot[0] != VERSION || sum_at(header, at + SLOT)? != xxh3_128(slot) {
        return None;
    }
    let mut roots = Vec::new();
    for (is_there, root, is_redbs) in [(slot[1], 8, false), (slot[2], 40, true)] {
        if is_there != 0 {
            let tree = Tree { key: None, value: None, lists_tables: true, is_redbs };
            roots.push(layout.root(slot, root, tree)?);
        }
    }
    Some((layout, roots))
}

/// The checksum of a page, as redb reckons it.
pub(super) fn sum_of(page: &[u8], tree: Tree) -> Option<u128> {
    used(page, tree).map(xxh3_128)
}

/// The part of a page that its checksum covers.
fn used(page: &[u8], tree: Tree) -> Option<&[u8]> {
    let end = match *page.first()? {
        LEAF => Leaf::of(page, tree)?.end(),
        BRANCH => {
            let count = u16_at(page, 2)?;
            let keys = 8 + 24 * (count + 1);
            match tree.key {
                Some(width) => Some(keys + width as usize * count),
                None => offset_at(page, keys + 4 * count.checked_sub(1)?),
            }
        }
        _ => None,
    };
    page.get(..end?)
}

/// A page with rows: how many there are, where keys and values end, the keys, the values.
struct Leaf<'a> {
    page: &'a [u8],
    tree: Tree,
    count: usize,
}

impl<'a> Leaf<'a> {
    fn of(page: &'a [u8], tree: Tree) -> Option<Leaf<'a>> {
        let count = u16_at(page, 2)?;
        (page.first() == Some(&LEAF) && count > 0).then_some(Leaf { page, tree, count })
    }

    /// Where the keys begin.
    fn keys(&self) -> usize {
        let offsets = usize::from(self.tree.key.is_none()) + usize::from(self.tree.value.is_none());
        4 + 4 * offsets * self.count
    }

    fn key_end(&self, row: usize) -> Option<usize> {
        match self.tree.key {
            Some(width) => Some(self.keys() + width as usize * (row + 1)),
            None => offset_at(self.page, 4 + 4 * row),
        }
    }

    fn value_end(&self, row: usize) -> Option<usize> {
        let before = if self.tree.key.is_none() { self.count } else { 0 };
        match self.tree.value {
            Some(width) => Some(self.key_end(self.count - 1)? + width as usize * (row + 1)),
            None => offset_at(self.page, 4 + 4 * (before + row)),
        }
    }

    fn end(&self) -> Option<usize> {
        self.value_end(self.count - 1)
    }

    fn key(&self, row: usize) -> Option<&'a [u8]> {
        let start = match row {
            0 => Some(self.keys()),
            _ => self.key_end(row - 1),
        };
        self.page.get(start?..self.key_end(row)?)
    }

    fn value(&self, row: usize) -> Option<&'a [u8]> {
        let start = match row {
            0 => self.key_end(self.count - 1),
            _ => self.value_end(row - 1),
        };
        self.page.get(start?..self.value_end(row)?)
    }
}

/// Whether a page has rows, each where it can be. What is in them is not looked at.
pub(super) fn is_sound_leaf(page: &[u8], tree: Tree) -> bool {
    let Some(leaf) = Leaf::of(page, tree) else { return false };
    // Keys of one width are in order by themselves: where the last one ends is enough.
    let first = if tree.key.is_some() { leaf.count - 1 } else { 0 };
    let ends = (first..leaf.count).map(|row| leaf.key_end(row));
    let ends = ends.chain((0..leaf.count).map(|row| leaf.value_end(row)));
    let mut last = leaf.keys();
    for end in ends {
        match end {
            Some(end) if end >= last && end <= page.len() => last = end,
            _ => return false,
        }
    }
    true
}

/// How many bytes the keys and values of a page of rows take. Its beginning is enough.
pub(super) fn row_bytes(page: &[u8], tree: Tree) -> Option<u64> {
    let leaf = Leaf::of(page, tree)?;
    Some(leaf.end()?.checked_sub(leaf.keys())? as u64)
}

/// Whether a page names other pages of its tree.
pub(super) fn is_branch(page: &[u8]) -> bool {
    page.first() == Some(&BRANCH)
}

/// The pages that a page names, which must fit.
pub(super) fn named_by(page: &[u8], tree: Tree, layout: Layout) -> Vec<Named> {
    match page.first() {
        Some(&BRANCH) => children(page, tree, layout).unwrap_or_default(),
        Some(&LEAF) if tree.lists_tables => {
            tables(page, tree, layout).into_iter().filter_map(|table| table.root).collect()
        }
        _ => Vec::new(),
    }
}

fn children(page: &[u8], tree: Tree, layout: Layout) -> Option<Vec<Named>> {
    let count = u16_at(page, 2)? + 1;
    let child = |i: usize| {
        let (at, order) = layout.page(page, 8 + 16 * count + 8 * i)?;
        Some(Named { at, order, sum: sum_at(page, 8 + 16 * i)?, tree })
    };
    let mut children = Vec::with_capacity(count);
    for i in 0..count {
        children.push(child(i)?);
    }
    Some(children)
}

/// A table in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    /// How many rows it says that it has.
    pub(super) rows: u64,
    /// There is none if it is empty.
    pub(super) root: Option<Named>,
}

/// The tables in a list. A row is: its sort, how many rows the table has, whether there is a root,
/// the root, and of keys and values whether they have a fixed width, and which.
pub(super) fn tables(page: &[u8], tree: Tree, layout: Layout) -> Vec<Listed> {
    let Some(leaf) = Leaf::of(page, tree) else { return Vec::new() };
    let listed = |at: usize| {
        let row = leaf.value(at)?;
        if *row.first()? != TABLE {
            return None;
        }
        let name = String::from_utf8_lossy(leaf.key(at)?).into_owned();
        let rows = bytes_at(row, 1).map(u64::from_le_bytes)?;
        let width = |at: usize| {
            let width = u32_at(row, at + 1)?;
            Some((*row.get(at)? != 0).then_some(width))
        };
        let (key, value) = (width(42)?, width(47)?);
        let tree = Tree { key, value, lists_tables: false, is_redbs: tree.is_redbs };
        let root = if *row.get(9)? == 0 { None } else { Some(layout.root(row, 10, tree)?) };
        Some(Listed { name, rows, root })
    };
    (0..leaf.count).filter_map(listed).collect()
}
