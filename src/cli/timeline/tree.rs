//! `timeline tree FILE`: what lies inside the same scopes, added up.

use std::io::Write;

use super::args::TreeArgs;
use super::file::File;
use super::selection::ticks_of_frames;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::text::{Harmless, JsonLine};
use crate::timeline::{CallNode, call_tree, call_trees};

/// A scope that lies deeper is set in as far as this.
const DEEPEST_SHOWN: usize = 64;

pub(super) fn run(args: &TreeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let mapped = file.map(common)?;
    let timeline = mapped.timeline();
    let ticks = ticks_of_frames(args.frames.as_ref(), timeline)?;
    let unit = timeline.axis.unit.name();
    let track_name = |track| timeline.track(track).map(|track| timeline.text(track.name).into_owned());
    let trees: Vec<(Option<String>, Vec<CallNode>)> = match args.by_track {
        true => call_trees(timeline, &ticks).into_iter().map(|(track, nodes)| (track_name(track), nodes)).collect(),
        false => vec![(None, call_tree(timeline, &ticks))],
    };
    let mut out = stdout();
    if !common.json && !args.folded {
        writeln!(
            out,
            "{:>10} {:>14} {:>7} {:>14} {:>7}  scope (lengths in {unit})",
            "count", "total", "%", "own", "%"
        )?;
    }
    for (track, nodes) in &trees {
        let tree = PrintedTree { track: track.as_deref(), nodes, least: args.min_percent, unit };
        match (common.json, args.folded) {
            (true, _) => tree.write_json(&mut out)?,
            (false, true) => tree.write_folded(&mut out)?,
            (false, false) => tree.write_text(&mut out)?,
        }
    }
    out.flush()?;
    mapped.conclude(&file, common)
}

struct PrintedTree<'t> {
    /// Its track, if it is of one.
    track: Option<&'t str>,
    nodes: &'t [CallNode],
    /// What has a smaller share of the whole is left out.
    least: f64,
    unit: &'static str,
}

impl PrintedTree<'_> {
    fn share(&self, ticks: u64) -> f64 {
        let whole: u64 = self.nodes.iter().map(|node| node.own_ticks).sum();
        100.0 * ticks as f64 / whole.max(1) as f64
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &CallNode)> {
        let shares = 100.0 / self.nodes.iter().map(|node| node.own_ticks).sum::<u64>().max(1) as f64;
        self.nodes.iter().enumerate().filter(move |(_, node)| node.total_ticks as f64 * shares >= self.least)
    }

    fn write_json(&self, out: &mut impl Write) -> Result<(), Failure> {
        for (_, node) in self.shown() {
            let more = [("unit".to_owned(), self.unit.into()), ("track".to_owned(), self.track.into())];
            print_json(out, &JsonLine::of("call-node", node)?.and(more))?;
        }
        Ok(())
    }

    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        if let Some(track) = self.track {
            writeln!(out, "{}", Harmless(if track.is_empty() { "(a track without a name)" } else { track }))?;
        }
        let whole = self.share(1);
        for (_, node) in self.shown() {
            let (total, own) = (node.total_ticks, node.own_ticks);
            let depth = node.depth.min(DEEPEST_SHOWN) * 2;
            writeln!(
                out,
                "{:>10} {total:>14} {:>7.2} {own:>14} {:>7.2}  {:depth$}{}",
                node.count,
                total as f64 * whole,
                own as f64 * whole,
                "",
                Harmless(&node.name)
            )?;
        }
        Ok(())
    }

    /// Scopes with nothing of their own are in the lines of those inside of them.
    fn write_folded(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut path: Vec<String> = Vec::new();
        for (_, node) in self.shown() {
            path.truncate(node.depth);
            path.push(Harmless(&node.name).to_string().replace(';', ","));
            if node.own_ticks > 0 {
                let track = self
                    .track
                    .map_or(String::new(), |track| format!("{};", Harmless(track).to_string().replace(';', ",")));
                writeln!(out, "{track}{} {}", path.join(";"), node.own_ticks)?;
            }
        }
        Ok(())
    }
}
