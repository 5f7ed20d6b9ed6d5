//! What is known of the pages of a file, from the header on: which page must be found where, and of
//! which of them that is no longer certain.
//!
//! What was written, and what was cut off, is known no more, whoever names it. Nothing here reads
//! storage, or decides what a page that does not fit means.

use super::super::page_format::{Layout, Named, PAGE, Tree, read_header};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What is known of the pages of a file.
#[derive(Debug, Default)]
pub(super) struct State {
    /// There is one if the file can be checked at all.
    layout: Option<Layout>,
    /// What was named, by where it lies.
    pub(super) known: HashMap<u64, Known, BuildHasherDefault<PlaceHasher>>,
    trees: Vec<Tree>,
    /// One bit for each page that was written.
    written: Vec<u64>,
    /// The least length that the storage had since.
    cut: Option<u64>,
    pub(super) looked_through: bool,
    /// How many pages were read, and of how many of them something was known.
    #[cfg(test)]
    pub(super) counts: (u64, u64),
}

/// What is known of a page. Half of its checksum is enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    sum: u64,
    tree: u16,
    pub(super) order: u8,
}

impl State {
    /// Begins with what the header names.
    pub(super) fn begin(&mut self, header: &[u8]) {
        if self.layout.is_none()
            && let Some((layout, roots)) = read_header(header)
        {
            self.layout = Some(layout);
            self.learn(&roots);
        }
    }

    /// Takes note of what a page says that fits.
    pub(super) fn learn(&mut self, named: &[Named]) {
        self.known.reserve(named.len());
        for pages in named.chunk_by(|one, next| one.tree == next.tree) {
            let Ok(tree) = u16::try_from(self.place_of(pages[0].tree)) else { continue };
            for page in pages {
                let known = Known { sum: page.sum as u64, tree, order: page.order };
                self.known.entry(page.at).or_insert(known);
            }
        }
    }

    /// Where a tree is in the list of trees, which it is added to if need be.
    fn place_of(&mut self, tree: Tree) -> usize {
        self.trees.iter().position(|known| *known == tree).unwrap_or_else(|| {
            self.trees.push(tree);
            self.trees.len() - 1
        })
    }

    /// Where pages of some trees are, and how large.
    pub(super) fn places(&self, matters: impl Fn(Tree) -> bool) -> Vec<(u64, u8)> {
        let tree = |known: &Known| self.trees.get(usize::from(known.tree)).copied();
        let known = self.known.iter().filter(|(_, known)| tree(known).is_some_and(&matters));
        known.map(|(at, known)| (*at, known.order)).collect()
    }

    /// What must be found somewhere, if that is certain.
    pub(super) fn expected(&self, at: u64, len: u64) -> Option<(Layout, Tree, u64)> {
        let known = self.known.get(&at)?;
        let is_cut = self.cut.is_some_and(|cut| at + len > cut);
        if PAGE << known.order != len || is_cut || self.is_written(at, len) {
            return None;
        }
        Some((self.layout?, *self.trees.get(usize::from(known.tree))?, known.sum))
    }

    pub(super) fn is_written(&self, at: u64, len: u64) -> bool {
        let is_set = |page: u64| {
            self.written.get((page / 64) as usize).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
        };
        (at / PAGE..(at + len).div_ceil(PAGE)).any(is_set)
    }

    pub(super) fn write(&mut self, at: u64, len: u64) {
        for page in at / PAGE..(at + len).div_ceil(PAGE) {
            self.known.remove(&(page * PAGE));
            let word = (page / 64) as usize;
            if self.written.len() <= word {
                self.written.resize(word + 1, 0);
            }
            self.written[word] |= 1 << (page % 64);
        }
    }

    pub(super) fn cut_off(&mut self, len: u64) {
        self.cut = Some(self.cut.unwrap_or(len).min(len));
    }
}

/// A hasher of places, which are far from random but not chosen by anybody either: multiplication by
/// the golden ratio spreads them, and a rotation brings what it spread to both ends of the number,
/// where a table looks.
#[derive(Debug, Default)]
pub(super) struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, place: u64) {
        self.0 = (self.0 ^ place).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}
