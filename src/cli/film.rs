//! `filmstrip TRACE --frame N --out DIR|strip.png`: the picture after every draw.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;

use super::args::CommonArgs;
use super::drawing::DrawingArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_playing;
use super::frame_set::FrameSet;
use super::open::open_trace;
use super::output::{print_json, stdout};
use super::place::frame_or_only;
use super::progress::{Printing, Progress};
use super::whole_file::{Inputs, is_stdout, is_written_into, make_folder, write_file_or_stdout};
use crate::command::{ResourceName, Shown};
use crate::error::ErrorKind;
use crate::golden::film::{Change, Shot, film, film_strip};
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::{Difference, Picture, Size, write_png};
use crate::text::{counted, json_line};

#[derive(Debug, ClapArgs)]
pub(super) struct FilmArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The frame [default: the only one, in a trace of one frame]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: Option<FrameSet>,
    /// Where pictures go: a folder (draw0000.png, …), or a .png that holds all of them; - for that on stdout [default: none
    /// are written, the list alone is printed]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Film this mip and layer of a texture instead of each draw's target
    #[arg(long, value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub target: Option<ResourceName>,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn run(args: &FilmArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let out_path = args.out.as_deref();
    let is_stdout = out_path.is_some_and(is_stdout);
    if is_stdout && common.json {
        return Err(Failure::usage("--out - takes stdout for the picture: expected no --json with it"));
    }
    let trace = open_trace(&args.trace, common)?;
    let frame = frame_or_only(args.frame.as_ref(), &trace)?;
    let mut player = args.drawing.player(&args.trace, &trace, common)?;
    if let Some(name) = args.target {
        player.set_shown(Shown::Target(name));
    }
    let is_png = |path: &Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let (strip, folder) = match out_path {
        Some(path) if is_stdout || is_written_into(path) || is_png(path) => (Some(path), None),
        path => (None, path),
    };
    folder.map_or(Ok(()), make_folder)?;
    let inputs = args.frame.iter().fold(Inputs::of([&args.trace]), Inputs::and_set);
    let inputs = args.drawing.drawn.add_to(inputs);
    let mut pictures: Vec<Picture> = Vec::new();
    let mut out = stdout();
    let draws = player.index().draws_of(frame).count();
    let mut progress = Progress::of("drawing", draws, Printing::AsItGoes, common);
    let count = film(&mut player, frame, |shot| -> Result<(), Failure> {
        progress.step();
        if !is_stdout {
            print(shot, common, &mut out)?;
        }
        if strip.is_some() {
            let sizes = || pictures.iter().map(Picture::size).chain([shot.picture.size()]);
            let longest = |side: fn(Size) -> u32| u64::from(sizes().map(side).max().unwrap_or(0));
            let place_bytes = longest(|size| size.width_px) * longest(|size| size.height_px) * 4;
            let found = place_bytes.saturating_mul(pictures.len() as u64 + 1);
            if found > MAX_PICTURE_BYTES {
                let message = format!(
                    "one picture of all draws would take {}: this build's limit is {MAX_PICTURE_BYTES}; expected a folder, \
                     which has no limit",
                    counted(found, "byte")
                );
                return Err(Failure::new(ErrorKind::OverLimit, anyhow::anyhow!(message)));
            }
            pictures.push(shot.picture.clone());
            return Ok(());
        }
        folder.map_or(Ok(()), |folder| {
            write_picture(&folder.join(format!("draw{:04}.png", shot.draw.draw)), &inputs, &shot.picture)
        })
    })?;
    drop(progress);
    if count == 0 {
        return Err(Failure::usage(format!("frame {frame} has no draws: there is nothing to film")));
    }
    if let Some(path) = strip {
        let picture = film_strip(&pictures).map_err(|error| Failure::new(ErrorKind::OverLimit, error))?;
        write_picture(path, &inputs, &picture)?;
    }
    out.flush()?;
    Ok(end_of_playing(&player, frame, &args.trace, common))
}

fn write_picture(path: &Path, inputs: &Inputs, picture: &Picture) -> Result<(), Failure> {
    write_file_or_stdout(path, inputs, |out| Ok(write_png(picture, &[], out)?))
}

fn print(shot: &Shot, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
    let hash = shot.picture.hash();
    let compared = match &shot.change {
        Change::SinceStart(difference) | Change::SinceDraw { difference, .. } => Some(difference),
        Change::OfCreated | Change::StartUnknown { .. } | Change::OtherTarget => None,
    };
    if common.json {
        let bounds = compared.and_then(|difference| difference.bounds);
        let line = json_line!("filmstrip-draw", { "draw": shot.draw.draw, "frame": shot.draw.at.frame.0,
            "offset": shot.draw.at.offset, "packet": shot.draw.at.packet, "sha256": hash.to_string(),
            "changed_pixels": compared.map(|difference| difference.differing),
            "bounds": bounds.map(|bounds| [bounds.x, bounds.y, bounds.width_px, bounds.height_px]),
            "shaders": shot.draw.purposes,
        });
        let line = line.and(shot.change.since().map(|draw| ("since_draw".to_owned(), json!(draw))));
        return Ok(print_json(out, &line)?);
    }
    let changes = |difference: &Difference| match difference.bounds {
        None => "changes nothing".to_owned(),
        Some(bounds) => format!("changes {} within {bounds}", counted(difference.differing as usize, "pixel")),
    };
    let change = match &shot.change {
        Change::SinceStart(difference) => format!("{} since the frame's start", changes(difference)),
        Change::OfCreated => {
            "first draw to a target that the frame creates, so it has nothing to be compared with".to_owned()
        }
        Change::StartUnknown { error } => format!("the frame's start is unknown: {error}"),
        Change::OtherTarget => "the target has another size than before".to_owned(),
        Change::SinceDraw { is_interrupted: false, difference, .. } => changes(difference),
        Change::SinceDraw { draw, difference, .. } => {
            format!("{} since draw {draw}, the last to its target", changes(difference))
        }
    };
    writeln!(out, "{}", shot.draw)?;
    if let Some(purposes) = shot.draw.purposes.fixed_functions() {
        writeln!(out, "  {purposes}")?;
    }
    // The whole hash is for programs.
    Ok(writeln!(out, "  {change}, sha256 {:.16}…", hash.to_string())?)
}
