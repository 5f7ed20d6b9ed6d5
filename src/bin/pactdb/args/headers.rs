//! Flags of `add` and `set` for headers that have no argument of their own: the library says which
//! there are, so that a new header needs no line here.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use pactdb::protocol::{HeaderInfo, Headers};

/// The flags of an `add`, or of a `set`.
pub struct HeaderArgs<const SET: bool>(pub Headers);

impl<const SET: bool> HeaderArgs<SET> {
    fn known() -> impl Iterator<Item = HeaderInfo> {
        Headers::known().filter(|header| header.settable || !SET)
    }
}

impl<const SET: bool> Args for HeaderArgs<SET> {
    fn augment_args(command: Command) -> Command {
        let flag = |header: HeaderInfo| {
            Arg::new(header.name)
                .long(header.name)
                .help(header.about)
                .value_name("VALUE")
                .allow_negative_numbers(true)
        };
        command.args(Self::known().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const SET: bool> FromArgMatches for HeaderArgs<SET> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut headers = Headers::default();
        for header in Self::known() {
            if let Some(text) = matches.get_one::<String>(header.name) {
                headers.insert_spelled(header.name, text);
            }
        }
        Ok(HeaderArgs(headers))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
