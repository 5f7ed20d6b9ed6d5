//! A text for people that comes piece by piece: as it is, or through a pager once it is longer than the
//! screen.

use crate::output;
use crate::render::Look;
use pactdb::{Code, Error, Result};
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// A text on its way.
pub struct Pages {
    look: Look,
    way: Way,
}

enum Way {
    /// It is printed as it comes.
    Printed,
    /// It may still fit the screen, which has so many lines.
    Held(String, usize),
    /// A pager shows it. It is held as well until the pager is known to work.
    Paged(Child, String),
}

impl Pages {
    /// A text that is paged if it has more lines than a screen of that height, and printed if there is
    /// none.
    pub fn new(look: Look, height: Option<usize>) -> Pages {
        let way = height.map_or(Way::Printed, |height| Way::Held(String::new(), height));
        Pages { look, way }
    }

    /// One more piece. An error says that nobody reads on.
    pub fn write(&mut self, text: &str) -> Result<()> {
        let text = self.look.clean(text);
        match &mut self.way {
            Way::Printed => return output::exact(&text).map(drop),
            Way::Held(held, _) => held.push_str(&text),
            Way::Paged(child, held) => {
                held.push_str(&text);
                let input = child.stdin.as_mut();
                let written = input.map(|input| input.write_all(text.as_bytes()));
                // Whoever leaves the pager early has seen enough.
                return match written {
                    Some(Ok(())) => Ok(()),
                    _ => Err(Error::new(Code::Cancelled, "the pager was left")),
                };
            }
        }
        if let Way::Held(held, height) = &mut self.way
            && held.lines().count() >= *height
        {
            let held = std::mem::take(held);
            self.way = match pager(&held) {
                Some(child) => Way::Paged(child, held),
                None => {
                    output::exact(&held)?;
                    Way::Printed
                }
            };
        }
        Ok(())
    }

    /// The text is complete.
    pub fn finish(self) -> Result<()> {
        match self.way {
            Way::Printed => Ok(()),
            Way::Held(held, _) => output::exact(&held).map(drop),
            Way::Paged(mut child, held) => {
                drop(child.stdin.take());
                // A pager that fails, or that the shell does not find, has shown nothing.
                let ended = child.wait();
                match ended.is_ok_and(|status| matches!(status.code(), None | Some(0))) {
                    true => Ok(()),
                    false => output::exact(&held).map(drop),
                }
            }
        }
    }
}

/// A pager with a text to begin with; none if there is none.
fn pager(text: &str) -> Option<Child> {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    let pager = pager.unwrap_or_else(|| "less".to_owned());
    let child = Command::new("sh")
        .args(["-c", &pager])
        .env("LESS", std::env::var("LESS").unwrap_or_else(|_| "FRX".to_owned()))
        .stdin(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    if let Some(input) = &mut child.stdin {
        // Whoever leaves it before that is seen by the next piece, or at the end.
        let _ = input.write_all(text.as_bytes());
    }
    Some(child)
}
