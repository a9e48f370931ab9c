//! `bisect TRACE --frame N --a SPEC --b SPEC`: the first draw after which two sides differ; with `--by input`, what two
//! traces are drawn from ([`super::bisect_input`]).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::{Value, json};

use super::args::{Backend, CommonArgs, GlslArgs};
use super::bisect_input::{self, By};
use super::check::CheckArgs;
use super::diff::read;
use super::drawing::watched_player;
use super::exit::{Exit, Failure};
use super::faults::tell_faults;
use super::frame_set::FrameSet;
use super::golden::{DeviceArgs, SizeArgs};
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use super::place::frame_or_only;
use super::shader_language::{language_names, side_help};
use crate::analysis::DrawRecord;
use crate::command::{ResourceName, Shown};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::golden::Blame;
use crate::golden::bisect::{FirstDraw, Found, SameAgain, Side, bisect};
use crate::pixels::{Difference, Size};
use crate::replay::{DrawnTo, FaultSummary, ShaderOptions};
use crate::shader::{LanguageChoice, ShaderLanguage};
use crate::text::{JsonLine, counted, json_line};

#[derive(Debug, ClapArgs)]
pub(super) struct BisectArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Basis of the comparison [default: picture]
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// The frame; without it, the only one
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: Option<FrameSet>,
    #[arg(long, value_name = "SPEC", help = side_help())]
    pub a: Option<SideSpec>,
    /// Side b, in the words of --a
    #[arg(long, value_name = "SPEC")]
    pub b: SideSpec,
    /// Compare this mip and layer of a texture instead of each draw's target; neither side may be a .png
    #[arg(long, value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub target: Option<ResourceName>,
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub glsl: GlslArgs,
    /// GPU of the sides that do not name one
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// What a side is. A new kind of side gets its spelling here and its player in [`BisectArgs::side`].
#[derive(Clone, Debug)]
pub(super) enum SideSpec {
    Device(Backend, Option<String>),
    Shaders(ShaderLanguage),
    Picture(PathBuf),
    Trace(PathBuf),
}

impl std::str::FromStr for SideSpec {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (backend, adapter) = match text.split_once(':') {
            Some((backend, adapter)) => (backend, Some(adapter.to_owned())),
            None => (text, None),
        };
        if let Ok(backend) = Backend::from_str(backend, true) {
            return Ok(Self::Device(backend, adapter));
        }
        if let Some(language) = ShaderLanguage::from_name(text) {
            return Ok(Self::Shaders(language));
        }
        let path = PathBuf::from(text);
        let is_picture = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
        Ok(if is_picture { Self::Picture(path) } else { Self::Trace(path) })
    }
}

pub(super) fn run(args: &BisectArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if args.by == Some(By::Input) {
        if args.target.is_some() {
            return Err(Failure::usage(
                "--target chooses a picture to compare, and --by input compares no pictures: expected one of the two flags",
            ));
        }
        return args.run_by_input(common);
    }
    let own = || SideSpec::Device(args.device.backend, args.device.adapter.clone());
    let spec = &args.a.clone().unwrap_or_else(own);
    let trace = open_trace(&args.trace, common)?;
    let frame = frame_or_only(args.frame.as_ref(), &trace)?;
    let size = args.size.choose(&trace);
    let mut a = args.side(spec, &trace, size, common)?;
    let mut b = args.side(&args.b, &trace, size, common)?;
    let found = bisect(&mut a, &mut b, frame, args.check.tolerance())?;
    let mut out = stdout();
    if common.json {
        print_json(&mut out, &to_json(&found))?;
    } else {
        write_text(&found, &mut out)?;
    }
    out.flush()?;
    let exit = if matches!(found, Found::Same { .. }) { Exit::Done } else { Exit::Different };
    if !common.keep_going {
        return Ok(exit);
    }
    let told = args.tell_faults([(spec, &a), (&args.b, &b)], frame, common);
    Ok(exit.worse(told.unwrap_or_else(|| completeness(&trace))))
}

impl BisectArgs {
    /// Both sides are traces; where side a is not said it is the trace.
    fn run_by_input(&self, common: &CommonArgs) -> Result<Exit, Failure> {
        let path = |side: &SideSpec| match side {
            SideSpec::Trace(path) => Ok(path.clone()),
            _ => Err(Failure::usage("--by input compares two traces: expected a trace for --a and for --b")),
        };
        let a = self.a.as_ref().map(path).transpose()?.unwrap_or_else(|| self.trace.clone());
        bisect_input::run([&a, &path(&self.b)?], self.frame.as_ref(), common)
    }

    /// Tells what the sides went on behind, of each trace once.
    fn tell_faults(&self, sides: [(&SideSpec, &Side); 2], frame: FrameIndex, common: &CommonArgs) -> Option<Exit> {
        let mut by_path: Vec<(&Path, FaultSummary)> = Vec::new();
        for (spec, side) in sides {
            let path = if let SideSpec::Trace(path) = spec { path } else { &self.trace };
            let faults = side.faults_until(frame);
            match by_path.iter_mut().find(|(known, _)| *known == path) {
                Some((_, known)) => known.merge_until(&faults, frame),
                None => by_path.push((path, faults)),
            }
        }
        let told = by_path.iter().filter_map(|(path, faults)| tell_faults(faults, &path.display().to_string(), common));
        told.reduce(Exit::worse)
    }

    fn side(&self, spec: &SideSpec, trace: &Arc<Trace>, size: Size, common: &CommonArgs) -> Result<Side, Failure> {
        let played = |path: &Path, trace: &Arc<Trace>, device: &DeviceArgs, language| -> Result<Side, Failure> {
            let mut player = Box::new(watched_player(path, trace, device.open_shared()?, size, common)?);
            if let Some(name) = self.target {
                player.set_shown(Shown::Target(name));
            }
            player.set_shader_options(ShaderOptions { language, glsl: self.glsl.into(), ..ShaderOptions::default() });
            Ok(Side::Played { player })
        };
        match spec {
            SideSpec::Device(backend, adapter) => {
                let device = DeviceArgs { adapter: adapter.clone(), backend: *backend, ..self.device.clone() };
                played(&self.trace, trace, &device, LanguageChoice::Auto)
            }
            SideSpec::Shaders(language) => played(&self.trace, trace, &self.device, LanguageChoice::Only(*language)),
            SideSpec::Trace(path) => played(path, &self.other_trace(path, common)?, &self.device, LanguageChoice::Auto),
            SideSpec::Picture(path) => Ok(Side::Picture { path: path.clone(), picture: read(path)? }),
        }
    }

    fn other_trace(&self, path: &Path, common: &CommonArgs) -> Result<Arc<Trace>, Failure> {
        if !path.exists() {
            let (path, languages) = (path.display(), language_names());
            return Err(Failure::usage(format!(
                "{path} is not a side: expected a backend, {languages}, a .png or another trace"
            )));
        }
        open_trace(path, common)
    }
}

pub(super) fn write_text(found: &Found, out: &mut impl Write) -> std::io::Result<()> {
    match found {
        Found::Same { compared } => {
            writeln!(out, "the sides are identical ({} compared)", counted(*compared, "picture"))
        }
        Found::Draw(first) => write_first(first, out),
        Found::MoreDraws { a, b, draw } => {
            writeln!(out, "side a has {}, side b has {b}; the common draws are identical", counted(*a, "draw"))?;
            draw.iter().try_for_each(|draw| writeln!(out, "the first draw that only one side has: {draw}"))
        }
        Found::OtherSizes { draw, sizes } => {
            draw.iter().try_for_each(|draw| writeln!(out, "the first draw that differs: {draw}"))?;
            writeln!(out, "  {sizes}")
        }
        Found::NoDraws { difference } => {
            writeln!(out, "the frames differ, but after no draw: the cause is a CLEAR or an earlier frame")?;
            writeln!(out, "  {difference}")
        }
        Found::AgainstPicture { difference, blame } => {
            writeln!(out, "the finished frame differs from the picture, which cannot be compared draw by draw")?;
            writeln!(out, "  {difference}")?;
            match blame {
                Some(blame) => writeln!(out, "{blame}"),
                None if difference.differing > 0 => {
                    writeln!(out, "the last writer is not known: the target holds depth")
                }
                None => writeln!(out, "no pixel differs"),
            }
        }
    }
}

fn write_first(first: &FirstDraw, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "the sides first differ after {}", first.draw)?;
    if let Some(draw_b) = &first.draw_b {
        writeln!(out, "  on side b: {draw_b}")?;
    }
    writeln!(out, "  {}", first.difference)?;
    if let Some(worst) = first.difference.worst {
        let [a, b] = [worst.a, worst.b].map(|pixel| pixel.map(|channel| channel.to_string()).join(","));
        let target = first.draw.first_target();
        let of_target = target.map_or_else(String::new, |target| format!(" of {target}"));
        let (x, y, frame) = (worst.x, worst.y, first.draw.at.frame);
        writeln!(out, "  worst pixel {x},{y}{of_target}: {a} on side a, {b} on side b")?;
        if let Some(DrawnTo::Texture { id, .. }) = target {
            let id = id.number();
            writeln!(out, "  `pixel TRACE --frame {frame} --at {x},{y} --target {id}` lists what wrote it on a side")?;
        }
    }
    match first.scanned_from {
        0 => writeln!(out, "  all earlier draws were compared")?,
        from => writeln!(out, "  draws from {from} on were compared one by one, earlier ones only in part")?,
    }
    if let Some(same_again) = first.same_again {
        let SameAgain { after, differs_again_at } = same_again;
        match differs_again_at {
            Some(again) => writeln!(out, "  the difference ends after draw {after} and returns after draw {again}")?,
            None => writeln!(out, "  the difference ends after draw {after}")?,
        }
    }
    if !first.differs_at_end {
        writeln!(out, "  the finished frames are identical")?;
    }
    if first.previous_frame_differs {
        writeln!(out, "  the previous frame already differs: bisect that frame first")?;
    }
    Ok(())
}

pub(super) fn to_json(found: &Found) -> JsonLine {
    match found {
        Found::Same { compared } => json_line!("bisect-identical", { "compared": compared }),
        Found::Draw(first) => json_line!("bisect-draw", {
            "draw": draw_json(&first.draw), "draw_b": first.draw_b.as_ref().map(draw_json),
            "difference": difference_json(&first.difference), "identical_after": first.same_again.map(|same| same.after),
            "differs_again_at": first.same_again.and_then(|same| same.differs_again_at), "scanned_from": first.scanned_from,
            "differs_at_end": first.differs_at_end, "previous_frame_differs": first.previous_frame_differs,
        }),
        Found::MoreDraws { a, b, draw } => {
            json_line!("bisect-more-draws", { "a": a, "b": b, "draw": draw.as_ref().map(draw_json) })
        }
        Found::OtherSizes { draw, sizes } => {
            let [a, b] = [sizes.a, sizes.b].map(|size| [size.width_px, size.height_px]);
            json_line!("bisect-sizes", { "draw": draw.as_ref().map(draw_json), "a": a, "b": b })
        }
        Found::NoDraws { difference } => {
            json_line!("bisect-no-draws", { "difference": difference_json(difference) })
        }
        Found::AgainstPicture { difference, blame } => json_line!("bisect-picture", {
            "difference": difference_json(difference),
            "cause": blame.as_ref().map(|blame| blame.cause.to_string()),
            "draw": blame.as_ref().and_then(Blame::draw).map(draw_json),
            "caused_pixels": blame.as_ref().map(|blame| blame.pixels),
        }),
    }
}

fn draw_json(draw: &DrawRecord) -> Value {
    let (vertex_count, first_vertex) = draw.counts();
    json!({
        "draw": draw.draw, "offset": draw.at.offset, "frame": draw.at.frame.0, "packet": draw.at.packet,
        "vertex_count": vertex_count, "first_vertex": first_vertex, "bindings": draw.bindings.to_string(),
    })
}

fn difference_json(difference: &Difference) -> Value {
    json!({
        "pixels": difference.pixels, "differing": difference.differing, "largest_steps": difference.largest_steps,
        "bounds": difference.bounds.map(|bounds| [bounds.x, bounds.y, bounds.width_px, bounds.height_px]),
        "worst": difference.worst.map(|worst| json!({ "x": worst.x, "y": worst.y, "a": worst.a, "b": worst.b })),
    })
}
