//! `overlay TRACE --frame N --kind KIND --out PATH`: a picture about a frame's picture.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::args::CommonArgs;
use super::drawing::DrawingArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_playing;
use super::index::make_index_up_to;
use super::open::open_trace;
use super::output::{print_json, stdout};
use super::picture_output::PictureOutput;
use super::place::PlaceArgs;
use super::shown::ShownArgs;
use super::whole_file::{make_folder, write_file};
use crate::analysis::{LegendEntry, Overlay, OverlayKind, OverlayName, overlay};
use crate::command::Place;
use crate::error::ErrorKind;
use crate::pixels::Surface;
use crate::text::json_line;

#[derive(Debug, ClapArgs)]
pub(super) struct OverlayArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Overlay to draw; highlight, tests and sides need --draw, and wireframe accepts it [default: highlight with --draw, else overdraw]
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Destination of the picture: a .png or .rgba file, a directory, or - for stdout
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    #[command(flatten)]
    pub shown: ShownArgs,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

/// The value of --kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Pixels of one draw: those still visible, and those overwritten later
    Highlight,
    /// Tests that pixels of one draw pass or fail: culling, discard, stencil, depth
    Tests,
    /// Side of the triangles of one draw that is seen, whatever is culled
    Sides,
    /// Edges of the triangles of one draw, or of all draws
    Wireframe,
    /// Number of writes of each pixel in the frame
    Overdraw,
    /// Age of each pixel: the number of draws or frames since its last write
    Age,
}

pub(super) fn run(args: &OverlayArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let output = PictureOutput::parse(&args.out, false)?;
    if output == PictureOutput::Stdout && common.json {
        return Err(Failure::usage("--out - takes stdout for the picture: expected no --json with it"));
    }
    if let PictureOutput::Folder(folder, _) = &output {
        make_folder(folder)?;
    }
    let trace = open_trace(&args.place.trace, common)?;
    let usual = if args.place.draw.is_some() { Kind::Highlight } else { Kind::Overdraw };
    let (kind, place) = args.kind.unwrap_or(usual).question(args.place.choose(&trace, common)?)?;
    let shown = args.shown.shown();
    if args.shown.are_given() && kind.draw().is_some() {
        return Err(Failure::usage(
            "an overlay of one draw shows that draw's target: expected no --present, --scanout or --target",
        ));
    }
    let mut player = args.drawing.player(&args.place.trace, &trace, common)?;
    player.set_shown(shown);
    player.set_index(make_index_up_to(&trace, place.frame.as_usize() + 1, common));
    let made = overlay(&mut player, place, kind)?;
    let encode = |into: &mut dyn Write| -> Result<(), anyhow::Error> {
        Ok(output.format().write(&Surface::Color(made.picture.clone()), &legend_texts(&made), into)?)
    };
    let mut out = stdout();
    match output.path_for(&args.place.trace, place.frame.0, shown) {
        Some(path) => {
            write_file(&path, &args.drawing.drawn.add_to(args.place.inputs()), encode)?;
            write_legend(&made, common, &mut out)?;
        }
        None => encode(&mut out).map_err(|error| Failure::new(ErrorKind::WriteFailed, error))?,
    }
    out.flush()?;
    Ok(end_of_playing(&player, place.frame, &args.place.trace, common))
}

impl Kind {
    /// Kind of overlay, and the place to play to.
    fn question(self, place: Place) -> Result<(OverlayKind, Place), Failure> {
        let name = match self {
            Self::Highlight => OverlayName::Highlight,
            Self::Tests => OverlayName::Tests,
            Self::Sides => OverlayName::Sides,
            Self::Wireframe => OverlayName::Wireframe,
            Self::Overdraw => OverlayName::Overdraw,
            Self::Age => OverlayName::Age,
        };
        name.at(place).ok_or_else(|| Failure::usage(format!("--kind {}: expected --draw K", name.name())))
    }
}

fn legend_texts(made: &Overlay) -> Vec<(String, String)> {
    let line = |entry: &LegendEntry| format!("{} {}", entry.hex(), entry.meaning);
    let text = made.legend.iter().map(line).collect::<Vec<_>>().join("\n");
    vec![("Legend".to_owned(), text)]
}

fn write_legend(made: &Overlay, common: &CommonArgs, out: &mut impl Write) -> std::io::Result<()> {
    for entry in &made.legend {
        let (color, pixels, meaning) = (entry.hex(), entry.pixels, &entry.meaning);
        if common.json {
            let line = json_line!("legend", { "color": color, "pixels": pixels, "meaning": meaning,
            });
            print_json(out, &line)?;
        } else {
            writeln!(out, "{color} {pixels:>9} {:<6}  {meaning}", if pixels == 1 { "pixel" } else { "pixels" })?;
        }
    }
    Ok(())
}
