//! A progress bar on a terminal, and nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use pactdb::Progress;
use pactdb::session::ImportProgress;
use std::io::IsTerminal;

/// A bar on standard error. It goes away when it is dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that shows nothing yet.
    pub fn new() -> Bar {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new(0),
            false => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{msg:10} {bar:40} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar(bar)
    }

    /// How far a step has come.
    pub fn show(&self, progress: Progress) {
        let step = format!("{:?}", progress.step).to_lowercase();
        self.set(&step, progress.done, progress.total);
    }

    /// How far an import of so many bytes has come.
    pub fn show_import(&self, progress: ImportProgress, size: u64) {
        match progress {
            ImportProgress::Reading { bytes, .. } => self.set("reading", bytes, size.max(bytes)),
            ImportProgress::Writing { done, total } => self.set("writing", done, total),
        }
    }

    /// The same in words of the caller.
    pub fn set(&self, what: &str, done: u64, total: u64) {
        self.0.set_message(what.to_owned());
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
