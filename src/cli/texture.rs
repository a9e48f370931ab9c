//! `texture TRACE --frame N RESOURCE[:mip[:layer]]`: what a texture holds at a point of a trace, and who wrote it.

#[cfg(feature = "gpu")]
mod drawn;
mod file;

use std::path::PathBuf;

use self::file::TextureFile;
use super::args::CommonArgs;
#[cfg(feature = "gpu")]
use super::drawing::DrawingArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_reading;
use super::place::PlaceArgs;
use super::resource::{ResourceOutput, Rows, list_live};
use crate::command::ResourceName;
use crate::pixels::TextureFileFormat;

#[derive(Debug, clap::Args)]
pub(super) struct TextureArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The texture's or view's handle, and which of its mips and layers: 7, 7:2 or 7:2:5; without it the live textures are
    /// listed
    #[arg(value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub resource: Option<ResourceName>,
    /// Show the bytes too, as hex
    #[arg(long, requires = "resource", conflicts_with_all = ["raw", "out"])]
    pub hex: bool,
    /// Write the bytes of one mip of one layer, row after row, into the file that --out names
    #[arg(long, requires = "out")]
    pub raw: bool,
    /// Write all mips and layers, or those that are named, into a .dds or .ktx2 file
    #[arg(long, requires = "resource", value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Write every six layers as the faces of a cube: a trace does not say which textures are read as cubes
    #[arg(long, requires = "out", conflicts_with = "raw")]
    pub cube: bool,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn run(args: &TextureArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let format = match &args.out {
        Some(path) if !args.raw => Some((path, format_of(path)?)),
        _ => None,
    };
    let (analysis, place) = args.place.open_whole(common)?;
    let Some(resource) = args.resource else {
        list_live(&analysis, place, &["texture", "view"], common)?;
        return Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common));
    };
    if let Some((path, format)) = format {
        TextureFile { args, resource, analysis: &analysis, place, common }.write(path, format)?;
    } else {
        let found = analysis.resource(place, resource)?;
        let range = 0..found.size_bytes();
        let output = ResourceOutput { analysis: &analysis, resource: &found, range, json: common.json };
        match &args.out {
            Some(path) => output.write_raw(path, &args.place.inputs())?,
            None => output.print(if args.hex { Rows::Hex } else { Rows::Origins })?,
        }
    }
    Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common))
}

fn format_of(path: &std::path::Path) -> Result<TextureFileFormat, Failure> {
    TextureFileFormat::of_path(path).ok_or_else(|| {
        Failure::usage(format!(
            "--out {}: expected a name that ends in .dds or .ktx2; --raw writes the bytes of one mip",
            path.display()
        ))
    })
}
