//! `timeline tree FILE`: the call tree.

use std::io::Write;

use super::args::TreeArgs;
use super::file::File;
use super::selection::ticks_of_frames;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::text::{Harmless, JsonLine};
use crate::timeline::call_tree;

/// A scope that lies deeper is set in as far as this.
const DEEPEST_SHOWN: usize = 64;

pub(super) fn run(args: &TreeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let mapped = file.map(common)?;
    let timeline = mapped.timeline();
    let nodes = call_tree(timeline, &ticks_of_frames(args.frames.as_ref(), timeline)?);
    let unit = timeline.axis.unit.name();
    let whole: u64 = nodes.iter().map(|node| node.own_ticks).sum();
    let share = |ticks: u64| 100.0 * ticks as f64 / whole.max(1) as f64;
    let mut out = stdout();
    if !common.json {
        writeln!(
            out,
            "{:>10} {:>14} {:>7} {:>14} {:>7}  scope (lengths in {unit})",
            "count", "total", "%", "own", "%"
        )?;
    }
    for node in nodes.iter().filter(|node| share(node.total_ticks) >= args.least) {
        if common.json {
            print_json(&mut out, &JsonLine::of("call-node", node)?.and([("unit".to_owned(), unit.into())]))?;
            continue;
        }
        let (total, own) = (node.total_ticks, node.own_ticks);
        let depth = node.depth.min(DEEPEST_SHOWN) * 2;
        writeln!(
            out,
            "{:>10} {total:>14} {:>7.2} {own:>14} {:>7.2}  {:depth$}{}",
            node.count,
            share(total),
            share(own),
            "",
            Harmless(&node.name)
        )?;
    }
    out.flush()?;
    mapped.conclude(&file, common)
}
