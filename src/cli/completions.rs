//! `completions SHELL`: verbs and flags for the Tab key, and `man`: what `--help` says as manual pages.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::output::stdout;
use super::whole_file::{Inputs, make_folder, write_file};
use crate::text::{counted, say};

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionsArgs {
    /// The shell that reads the output: source <(aerogpu-replay completions bash)
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// Write a page for the program and for each verb into this folder, aerogpu-replay.1 and so on
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

pub(super) fn run_completions(args: &CompletionsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    refuse_json(common)?;
    let (mut command, mut script) = (super::command(), Vec::new());
    clap_complete::generate(args.shell, &mut command, "aerogpu-replay", &mut script);
    if args.shell == Shell::Bash {
        // Where a program's name has a hyphen, its generator looks for verbs under another name than it gives them
        // (clap-rs/clap#6421), and completes nothing behind a verb.
        let text = String::from_utf8_lossy(&script);
        let text = text.replace("aerogpu__subcmd__replay", "aerogpu__replay");
        let hidden: Vec<String> = command
            .get_subcommands()
            .filter(|verb| verb.is_hide_set())
            .map(|verb| verb.get_name().to_owned())
            .collect();
        script = without_words(&text, &hidden).into_bytes();
    }
    print(&script)
}

/// The script without verbs that are nobody's business among its proposals: bash's generator proposes hidden ones too.
fn without_words(script: &str, hidden: &[String]) -> String {
    let line = |line: &str| match line.trim_start().starts_with("opts=\"") {
        true => {
            let words = line.split(' ').filter(|word| !hidden.iter().any(|name| name == word.trim_end_matches('"')));
            words.collect::<Vec<_>>().join(" ")
        }
        false => line.to_owned(),
    };
    script.lines().map(|text| line(text) + "\n").collect()
}

/// In one go: what comes in pieces would be lines.
fn print(text: &[u8]) -> Result<Exit, Failure> {
    let mut out = stdout();
    out.write_all(text)?;
    Ok(out.flush().map(|()| Exit::Done)?)
}

pub(super) fn run_man(args: &ManArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    refuse_json(common)?;
    let mut command = super::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return print(&page);
    };
    make_folder(folder)?;
    let mut count = 0_usize;
    let mut commands = VecDeque::from([command]);
    while let Some(command) = commands.pop_front() {
        commands.extend(command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned());
        let page = Man::new(command);
        write_file(&folder.join(page.get_filename()), &Inputs::default(), |out| Ok(page.render(out)?))?;
        count += 1;
    }
    if !common.quiet {
        say!("wrote {count_pages} to {}", folder.display(), count_pages = counted(count, "page"));
    }
    Ok(Exit::Done)
}

fn refuse_json(common: &CommonArgs) -> Result<(), Failure> {
    match common.json {
        true => Err(Failure::usage("the output is for another program: expected no --json")),
        false => Ok(()),
    }
}
