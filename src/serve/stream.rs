//! What is sent while a request is being answered: lines of JSON, or server-sent events.

use super::call::{Running, Told};
use crate::json::raw_field;
use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// How often an event says that nothing has happened, so that nobody in between hangs up.
const PING: Duration = Duration::from_secs(15);

/// How notices and the reply are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A line for each.
    Lines,
    /// An event for each, named by what it is.
    Events,
}

/// The body of an answer that is not finished yet.
pub(super) struct Streamed {
    running: Running,
    form: Form,
    /// What was told before the answer began.
    first: Option<Told>,
    ended: bool,
    ping: Option<Pin<Box<Sleep>>>,
}

impl Streamed {
    pub(super) fn new(running: Running, form: Form, first: Option<Told>) -> Streamed {
        let ping = (form == Form::Events).then(|| Box::pin(tokio::time::sleep(PING)));
        Streamed { running, form, first, ended: false, ping }
    }

    fn poll_told(&mut self, cx: &mut Context<'_>) -> Poll<Told> {
        match self.first.take() {
            Some(first) => Poll::Ready(first),
            None => self.running.poll_next(cx),
        }
    }

    fn text(&mut self, told: Told) -> String {
        match (told, self.form) {
            (Told::Begun, Form::Lines) => String::new(),
            (Told::Begun, Form::Events) => ":\n\n".to_owned(),
            (Told::Line(line), Form::Lines) => line + "\n",
            (Told::Line(line), Form::Events) => event(&line),
            (Told::Done(line, _), form) => {
                self.ended = true;
                match form {
                    Form::Lines => line + "\n",
                    Form::Events => format!("event: reply\ndata: {line}\n\n"),
                }
            }
        }
    }
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let me = &mut *self;
        if me.ended {
            return Poll::Ready(None);
        }
        let text = match me.poll_told(cx) {
            Poll::Ready(told) => me.text(told),
            Poll::Pending => {
                let Some(ping) = &mut me.ping else { return Poll::Pending };
                if ping.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                ping.as_mut().reset(Instant::now() + PING);
                ":\n\n".to_owned()
            }
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(text)))))
    }
}

/// The event of a notice: its name is the field of the line, its data the value. What has a number in
/// the log has it as its id, from which a browser goes on that lost its connection.
fn event(line: &str) -> String {
    let notice = line.strip_prefix("{\"").and_then(|line| line.strip_suffix('}'));
    let Some((name, value)) = notice.and_then(|notice| notice.split_once("\":")) else {
        return format!("data: {line}\n\n");
    };
    match raw_field(value, "seq") {
        Some(seq) => format!("id: {seq}\nevent: {name}\ndata: {value}\n\n"),
        None => format!("event: {name}\ndata: {value}\n\n"),
    }
}
