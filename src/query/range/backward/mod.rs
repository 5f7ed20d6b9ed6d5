//! A backward scan: committed neighbours compared from the newest back.
//!
//! It is for questions whose answer in each part depends on that part alone. `scan` keeps what was
//! found in the newer snapshot and looks only at what the commit between changed; `pages` compares
//! changed turns by the turn index where that says enough; `findings` are what both collect.

mod findings;
mod pages;
mod scan;

pub(super) use scan::BackwardScan;
