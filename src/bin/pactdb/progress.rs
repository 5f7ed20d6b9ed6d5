//! A progress bar on a terminal, and nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use pactdb::protocol::{Answered, Client, ClientExt, Envelope, Notice, Operation, Reply, Request};
use pactdb::session::ImportProgress;
use pactdb::{Progress, Result, protocol};
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

    /// How far the opening of a store has come.
    pub fn show(&self, progress: Progress) {
        let step = format!("{:?}", progress.step).to_lowercase();
        self.set(&step, progress.done, progress.total);
    }

    /// How far an operation has come.
    pub fn tell(&self, progress: &protocol::Progress) {
        self.set(&progress.step, progress.done, progress.total);
    }

    /// How far the reading of a document of so many bytes has come.
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

    fn notice(&self, notice: Notice) -> Result<()> {
        if let Notice::Progress(progress) = notice {
            self.tell(&progress);
        }
        Ok(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Asks for something long, with a bar.
pub fn ask_with_bar<O: Operation>(client: &dyn Client, asked: O) -> Result<Answered<O::Reply>> {
    let bar = Bar::new();
    client.ask_streaming(asked, &mut |notice| bar.notice(notice))
}

/// The reply to a request; with a bar if it is one that tells of its progress and has no parts.
pub fn call(client: &dyn Client, request: Request) -> Reply {
    let stream = matches!(
        request,
        Request::Verify(_) | Request::Rebuild(_) | Request::Compact(_) | Request::Import(_)
    );
    let bar = Bar::new();
    client.call(Envelope { stream, ..Envelope::new(request) }, &mut |notice| bar.notice(notice))
}
