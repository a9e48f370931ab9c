//! `diff A B`: two pictures or textures, or all of two folders.

mod compared;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args as ClapArgs;

use self::compared::Compared;
use super::args::CommonArgs;
use super::check::{CheckArgs, parse_share};
use super::exit::{Exit, Failure};
use super::file_kind::{FileKind, start_of};
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use super::tone::Tone;
use super::whole_file::{Inputs, STDIO, is_stdout, make_folder, write_file_or_stdout};
use crate::bytes::{FileSource, open_input};
use crate::error::ErrorKind;
use crate::limits::MAX_PICTURE_BYTES;
#[cfg(feature = "gpu")]
use crate::pixels::{Picture, read_picture};
use crate::pixels::{PictureFileError, PictureFormat, StoredFile, TextureFileFormat, amplify, read_stored, write_png};
use crate::text::{Lines, json_line};

#[derive(Debug, ClapArgs)]
pub(super) struct DiffArgs {
    /// A picture (PNG, EXR, TIFF, WebP, QOI or .npy) or a texture (DDS or KTX2), - for stdin, or a folder of them
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The picture or folder to compare it with
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Write the amplified difference: a .png, - for stdout, or for folders a folder
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub check: CheckArgs,
    /// Largest difference of values that are floats: depth, and colours of an EXR that are no steps of 1/255
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = parse_difference)]
    pub float_tolerance: f32,
    /// Similarity required of the least similar 16x16 tile where pixels exceed the limits: 1 is equal, 0.99 accepts noise
    /// and shifts by a pixel
    #[arg(long, value_name = "S", value_parser = parse_share)]
    pub min_similarity: Option<f64>,
}

pub(super) fn run(args: &DiffArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    // Scripts ask one thing, as of diff and cmp: 0 same, 1 different, 2 trouble, of whatever kind.
    compare(args, common).map_err(|failure| failure.ending_in(Exit::Usage))
}

fn compare(args: &DiffArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let is_stdio = |path: &PathBuf| path == Path::new(STDIO);
    if is_stdio(&args.a) && is_stdio(&args.b) {
        return Err(Failure::usage("stdin holds one picture: expected another file beside it"));
    }
    if args.out.as_deref().is_some_and(is_stdout) && common.json {
        return Err(Failure::usage("--out - takes stdout for the picture: expected no --json with it"));
    }
    let mut out = stdout();
    let ended = match (args.a.is_dir(), args.b.is_dir()) {
        (true, true) => folders(args, common, &mut out),
        (false, false) => {
            let out_path = args.out.as_deref();
            pictures(args, [&args.a, &args.b], out_path, &Inputs::of([&args.a, &args.b]), common, &mut out)
        }
        _ => Err(Failure::usage("a picture and a folder: expected two pictures or two folders")),
    };
    out.flush()?;
    ended
}

/// Compares two files. What can't be compared is trouble, which is not "different".
fn pictures(
    args: &DiffArgs,
    [a, b]: [&Path; 2],
    out_path: Option<&Path>,
    inputs: &Inputs,
    common: &CommonArgs,
    out: &mut Lines,
) -> Result<Exit, Failure> {
    let (first, second) = (read_any(a)?, read_any(b)?);
    let check = args.check.check(args.min_similarity);
    let compared = Compared::of([&first, &second], [a, b], (check, args.float_tolerance))?;
    if !out_path.is_some_and(is_stdout) {
        print(a, b, &compared, common, out)?;
    }
    if let Some(path) = out_path {
        write_difference(path, inputs, &compared, common)?;
    }
    Ok(if compared.is_same() { Exit::Done } else { Exit::Different })
}

fn print(a: &Path, b: &Path, compared: &Compared, common: &CommonArgs, out: &mut Lines) -> Result<(), Failure> {
    let verdict = if compared.is_same() { "same" } else { "different" };
    let (criterion, message) = (compared.criterion(), compared.message());
    if common.json {
        let line = json_line!("diff", { "a": a.display().to_string(), "b": b.display().to_string(),
            "verdict": verdict, "criterion": criterion, "message": message,
        });
        return Ok(print_json(out, &line.and(compared.members()))?);
    }
    let tone = if compared.is_same() { Tone::Good } else { Tone::Bad };
    // Only limits need naming: without them, the same means equal.
    let by = match criterion {
        "tolerance" | "perceptual" if compared.is_same() => format!(" by {criterion}"),
        _ => String::new(),
    };
    let rest = format_args!("{by}: {} {}: {message}", a.display(), b.display());
    Ok(out.marked(&tone.on_stdout(verdict), rest)?)
}

fn write_difference(path: &Path, inputs: &Inputs, compared: &Compared, common: &CommonArgs) -> Result<(), Failure> {
    let colors = compared.colors().and_then(|(a, b, judgement)| Some((a, b, judgement.difference.as_ref()?)));
    let Some((a, b, difference)) = colors else {
        // Different they are all the same.
        common.messages().note(format!("{} is not written: {}", path.display(), compared.message()), None);
        return Ok(());
    };
    let gain = 255 / difference.largest_step().max(1);
    let picture = amplify(a, b, gain).map_err(Failure::usage)?;
    write_file_or_stdout(path, inputs, |out| Ok(write_png(&picture, &[], out)?))
}

fn folders(args: &DiffArgs, common: &CommonArgs, out: &mut Lines) -> Result<Exit, Failure> {
    if args.out.as_deref().is_some_and(is_stdout) {
        return Err(Failure::usage("--out - is for one picture: expected a folder"));
    }
    let mut names = BTreeSet::new();
    for folder in [&args.a, &args.b] {
        collect(folder, Path::new(""), &mut names).map_err(|error| {
            Failure::new(ErrorKind::Usage, error).context(format!("cannot read {}", folder.display()))
        })?;
    }
    if names.is_empty() {
        return Err(Failure::usage("no picture in either folder: nothing was compared"));
    }
    let inputs = Inputs::of([&args.a, &args.b].iter().flat_map(|folder| names.iter().map(|name| folder.join(name))));
    let mut ended = Exit::Done;
    let mut progress = Progress::of("comparing pictures", names.len(), Printing::AsItGoes, common);
    for name in &names {
        let (a, b) = (args.a.join(name), args.b.join(name));
        let compared = match (a.is_file(), b.is_file()) {
            (true, true) => compare_member(args, name, &inputs, common, out),
            (only_a, _) => {
                let only = if only_a { "a" } else { "b" };
                print_lone(only, name, common, out).map(|()| Exit::Different)
            }
        };
        // One broken file must not hide what the others show; but the end is trouble.
        match compared {
            Ok(Exit::Done) => {}
            Ok(exit) if ended == Exit::Done => ended = exit,
            Ok(_) => {}
            Err(failure) => {
                common.messages().failure(&failure);
                ended = Exit::Usage;
            }
        }
        progress.step();
    }
    Ok(ended)
}

fn compare_member(
    args: &DiffArgs,
    name: &Path,
    inputs: &Inputs,
    common: &CommonArgs,
    out: &mut Lines,
) -> Result<Exit, Failure> {
    let path = args.out.as_ref().map(|folder| folder.join(name));
    if let Some(parent) = path.as_ref().and_then(|path| path.parent()) {
        make_folder(parent)?;
    }
    let (a, b) = (args.a.join(name), args.b.join(name));
    pictures(args, [&a, &b], path.as_deref(), inputs, common, out)
}

fn print_lone(side: &str, name: &Path, common: &CommonArgs, out: &mut Lines) -> Result<(), Failure> {
    if common.json {
        let line = json_line!("diff-unmatched", { "only_in": side,
            "name": name.display().to_string(),
        });
        return Ok(print_json(out, &line)?);
    }
    Ok(out.marked(&Tone::Bad.on_stdout("different"), format_args!(": {} is only in {side}", name.display()))?)
}

/// The pictures under `folder/below`, as paths from `folder`.
fn collect(folder: &Path, below: &Path, into: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(folder, &name, into)?;
        } else if is_compared(&name) {
            into.insert(name);
        }
    }
    Ok(())
}

/// Whether files with a name are compared in folders: arrays and bare rows are for other programs.
fn is_compared(name: &Path) -> bool {
    let is_picture = |format| !matches!(format, PictureFormat::Raw | PictureFormat::Npy);
    TextureFileFormat::of_path(name).is_some() || PictureFormat::of_path(name).is_some_and(is_picture)
}

/// Reads a picture of colours from a command line, - from stdin; trouble is exit code 2.
#[cfg(feature = "gpu")]
pub(super) fn read(path: &Path) -> Result<Picture, Failure> {
    read_by(path, |from| read_picture(from))
}

fn read_any(path: &Path) -> Result<StoredFile, Failure> {
    read_by(path, |from| read_stored(from))
}

trait BufReadSeek: io::BufRead + io::Seek {}
impl<T: io::BufRead + io::Seek> BufReadSeek for T {}

fn read_by<T>(
    path: &Path,
    reading: impl Fn(&mut dyn BufReadSeek) -> Result<T, PictureFileError>,
) -> Result<T, Failure> {
    let read = || -> anyhow::Result<T> {
        if path != Path::new(STDIO) {
            return Ok(reading(&mut BufReader::new(open_input(path)?))?);
        }
        // Whoever reads a picture goes back and forth in it.
        let mut whole = Vec::new();
        io::stdin().lock().take(MAX_PICTURE_BYTES).read_to_end(&mut whole)?;
        Ok(reading(&mut Cursor::new(whole))?)
    };
    let found = read().with_context(|| format!("cannot read {}", path.display()));
    found.map_err(|error| other_file(path).unwrap_or_else(|| Failure::usage(format!("{error:#}"))))
}

/// A largest difference: no less than 0.
fn parse_difference(text: &str) -> Result<f32, String> {
    let difference = text.parse().ok().filter(|difference: &f32| *difference >= 0.0 && difference.is_finite());
    difference.ok_or_else(|| "expected a number of at least 0".to_owned())
}

/// Says what a file is that is no picture, and which verb compares such files.
fn other_file(path: &Path) -> Option<Failure> {
    if path == Path::new(STDIO) {
        return None;
    }
    let source = FileSource::open(path).ok()?;
    let kind = FileKind::of_start(&start_of(&source).ok()?)?;
    let verb = match kind {
        FileKind::Aerogpu => "compare A B",
        FileKind::Annotation(_) => "timeline diff A B",
    };
    let (name, title) = (path.display(), kind.title());
    Some(Failure::usage(format!(
        "{name} is {title}: expected a PNG; `diff` compares pictures, for traces use `{verb}`"
    )))
}
