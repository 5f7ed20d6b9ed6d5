//! Completion scripts and the manual page, both from the one description of the command line.

use crate::args::Arguments;
use crate::context::Context;
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use pactdb::{Code, Error, Result};

pub fn completions(context: &Context, shell: Shell) -> Result<()> {
    let mut text = Vec::new();
    generate(shell, &mut Arguments::command(), "pactdb", &mut text);
    context.print(&String::from_utf8_lossy(&text))
}

/// One page with every command, each with its own options and examples.
pub fn man(context: &Context) -> Result<()> {
    let failed = |error: std::io::Error| Error::new(Code::StoreIo, error.to_string());
    let mut command = Arguments::command();
    command.build();
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text).map_err(failed)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = format!("pactdb {}", sub.get_name());
        text.extend(format!(".SH \"{}\"\n", name.to_uppercase()).bytes());
        let page = Man::new(sub.clone());
        page.render_description_section(&mut text).map_err(failed)?;
        page.render_synopsis_section(&mut text).map_err(failed)?;
        page.render_options_section(&mut text).map_err(failed)?;
        page.render_extra_section(&mut text).map_err(failed)?;
    }
    context.print(&String::from_utf8_lossy(&text))
}
