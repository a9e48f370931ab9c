//! `texture TRACE --frame N RESOURCE[:mip[:layer]]`: what a texture holds at a point of a trace, and who wrote it.

use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_reading;
use super::place::PlaceArgs;
use super::resource::{ResourceOutput, Rows};
use crate::command::ResourceName;

#[derive(Debug, clap::Args)]
pub(super) struct TextureArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The texture's or view's handle, and which of its mips and layers: 7, 7:2 or 7:2:5
    #[arg(value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub resource: ResourceName,
    /// Show the bytes too, as hex
    #[arg(long, conflicts_with = "raw")]
    pub hex: bool,
    /// Write the bytes, row after row, into the file that --out names
    #[arg(long, requires = "out")]
    pub raw: bool,
    /// Where --raw goes
    #[arg(long, value_name = "PATH", requires = "raw")]
    pub out: Option<PathBuf>,
}

pub(super) fn run(args: &TextureArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open_whole(common)?;
    let found = analysis.resource(place, args.resource)?;
    let range = 0..found.size_bytes();
    let output = ResourceOutput { analysis: &analysis, resource: &found, range, json: common.json };
    match &args.out {
        Some(path) => output.write_raw(path, &args.place.inputs())?,
        None => output.print(if args.hex { Rows::Hex } else { Rows::Origins })?,
    }
    Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common))
}
