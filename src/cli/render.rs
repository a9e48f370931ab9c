//! `TRACE --frame N --out PATH`: pictures and hashes, without a window.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::json;

use super::args::{CommonArgs, PlayArgs, RenderArgs, TargetSize};
use super::exit::{Exit, Failure, exit_now};
use super::frame_set::FrameSet;
use super::open::{completeness, open_trace, report};
use super::output::{JSON_SCHEMA, print_json, stdout};
use super::picture_output::{PictureFormat, PictureOutput};
use super::whole_file::write_file;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{Gpu, GpuError};
use crate::pixels::{Picture, Size, write_png, write_raw};
use crate::player::{Player, PlayerError, Until, Watchdog};
use crate::replay::{DEFAULT_SIZE, largest_viewport};

pub(super) fn run(args: &PlayArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let path = trace_path(args)?;
    let trace = open_trace(path, common)?;
    let frames = choose_frames(args, &trace)?;
    let output = choose_output(&args.render, common, args.frames.is_some(), &frames)?;
    let size = choose_size(&args.render, &trace);
    let gpu = open_gpu(&args.render)?;
    let until = args.render.draw.map_or(Until::EndOfFrame, Until::AfterDraw);
    let mut player = Player::new(trace.clone(), gpu, size)?;
    player.set_watchdog(make_watchdog(&args.render));
    player.set_shader_options(args.render.shaders.into());
    let job = Job { path, args: &args.render, common, frame_count: trace.frames().len(), output };
    job.render(player, &frames, until).map_err(|failure| failure.context(path.display().to_string()))?;
    Ok(completeness(&trace))
}

pub(super) fn trace_path(args: &PlayArgs) -> Result<&Path, Failure> {
    args.trace.as_deref().ok_or_else(|| Failure::usage("which trace?"))
}

fn choose_frames(args: &PlayArgs, trace: &Trace) -> Result<Vec<FrameIndex>, Failure> {
    let frame_count = trace.frames().len() as u32;
    if let Some(frame) = &args.frame {
        let one = frame.resolve_one(frame_count).map_err(Failure::usage)?;
        return one
            .map(|frame| vec![frame])
            .ok_or_else(|| Failure::usage(format!("--frame {frame}: expected one frame; --frames takes several")));
    }
    let all = FrameSet::all();
    let set = match &args.frames {
        Some(set) => set,
        None if args.render.out.is_none() => &all,
        None => return Err(Failure::usage("--out needs to know what: expected --frame N or --frames SET")),
    };
    set.resolve(frame_count).map_err(Failure::usage)
}

fn choose_output(
    args: &RenderArgs,
    common: &CommonArgs,
    is_set: bool,
    frames: &[FrameIndex],
) -> Result<Option<PictureOutput>, Failure> {
    let Some(out) = &args.out else {
        if !args.hash {
            return Err(Failure::usage("nothing to do: expected --out PATH, --hash or both"));
        }
        return Ok(None);
    };
    let output = PictureOutput::parse(out, is_set && frames.len() != 1)?;
    if output == PictureOutput::Stdout && (args.hash || common.json) {
        return Err(Failure::usage("--out - takes stdout for the picture: expected no --hash and no --json with it"));
    }
    if output == PictureOutput::Stdout && frames.len() != 1 {
        return Err(Failure::usage("--out - takes one picture: expected one frame"));
    }
    if let PictureOutput::Folder(folder, _) = &output {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::new(Exit::ReplayFailed, error).context(format!("cannot make {}", folder.display()))
        })?;
    }
    Ok(Some(output))
}

pub(super) fn choose_size(args: &RenderArgs, trace: &Trace) -> Size {
    let (size, why) = match args.size {
        TargetSize::Fixed(size) => (size, "--size"),
        TargetSize::Auto => match largest_viewport(trace) {
            Some(size) => (size, "the largest SET_VIEWPORT"),
            None => (DEFAULT_SIZE, "no SET_VIEWPORT says"),
        },
    };
    log::info!("target: {size} ({why})");
    size
}

fn open_gpu(args: &RenderArgs) -> Result<Arc<Gpu>, Failure> {
    let adapter = args.adapter.clone().unwrap_or_default();
    let gpu = Gpu::open(args.backend.into(), &adapter, timeout(args))?;
    log::info!("adapter: {}", gpu.summary());
    Ok(Arc::new(gpu))
}

pub(super) fn timeout(args: &RenderArgs) -> Duration {
    Duration::from_secs(args.timeout)
}

/// Ends the process when a frame takes longer than --timeout.
pub(super) fn make_watchdog(args: &RenderArgs) -> Watchdog {
    // The wait for the GPU ends first and says the same in its own words; this is for calls that never end.
    let grace = Duration::from_secs(2);
    let seconds = args.timeout;
    Watchdog::new(timeout(args) + grace, move || {
        eprintln!("error: the GPU driver did not come back within {seconds} s (--timeout)");
        exit_now(Exit::Timeout)
    })
}

/// What stays the same from frame to frame.
struct Job<'a> {
    path: &'a Path,
    args: &'a RenderArgs,
    common: &'a CommonArgs,
    frame_count: usize,
    output: Option<PictureOutput>,
}

impl Job<'_> {
    fn render(&self, mut player: Player, frames: &[FrameIndex], until: Until) -> Result<(), Failure> {
        let mut out = stdout();
        let progress = self.progress(frames.len());
        for frame in frames {
            let rendered = player.render(*frame, until);
            report(player.diagnostics(), self.common)?;
            let picture = match rendered {
                Ok(picture) => picture,
                Err(error) => {
                    // What was printed for the frames before stays printed.
                    out.flush()?;
                    return Err(self.give_up(error, player));
                }
            };
            self.deliver(&picture, *frame, &player, &mut out)?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        out.flush()?;
        self.summarise(frames, player.renderer().size());
        Ok(())
    }

    /// Says on stderr what was written; hashes and JSON have said it already.
    fn summarise(&self, frames: &[FrameIndex], size: Size) {
        let Some(output) = &self.output else { return };
        if self.common.quiet || self.common.json || self.args.hash {
            return;
        }
        match (frames, frames.first().and_then(|frame| output.path_for(self.path, frame.0))) {
            ([frame], Some(path)) => {
                eprintln!("wrote {}: frame {frame} of {}, {size}", path.display(), self.frame_count);
            }
            (_, Some(_)) => eprintln!("wrote {} of {} frames, {size}", frames.len(), self.frame_count),
            (_, None) => {}
        }
    }

    fn give_up(&self, error: PlayerError, player: Player) -> Failure {
        if matches!(error, PlayerError::Gpu(GpuError::Timeout(_))) {
            // Letting go of a device waits for it, and this one does not answer.
            std::mem::forget(player);
        }
        error.into()
    }

    fn deliver(
        &self,
        picture: &Picture,
        frame: FrameIndex,
        player: &Player,
        out: &mut BufWriter<Stdout>,
    ) -> Result<(), Failure> {
        let written = match &self.output {
            Some(output) => self.write(output, picture, frame, player, out)?,
            None => None,
        };
        if self.common.json {
            let line = json!({
                "schema": JSON_SCHEMA, "type": "frame", "frame": frame.0, "frames": self.frame_count,
                "width": picture.size().width_px, "height": picture.size().height_px,
                "sha256": picture.hash().to_string(), "out": written.map(|path| path.display().to_string()),
            });
            print_json(out, &line)?;
        } else if self.args.hash {
            writeln!(out, "frame {frame}: {} sha256={}", picture.size(), picture.hash())?;
        }
        Ok(())
    }

    fn write(
        &self,
        output: &PictureOutput,
        picture: &Picture,
        frame: FrameIndex,
        player: &Player,
        out: &mut BufWriter<Stdout>,
    ) -> Result<Option<PathBuf>, Failure> {
        let texts = if self.args.png_info { self.png_texts(frame, player) } else { Vec::new() };
        let encode = |into: &mut dyn Write| -> Result<(), anyhow::Error> {
            match output.format() {
                PictureFormat::Png => Ok(write_png(picture, &texts, into)?),
                PictureFormat::Raw => Ok(write_raw(picture, into)?),
            }
        };
        let Some(path) = output.path_for(self.path, frame.0) else {
            encode(out).map_err(|error| Failure::new(Exit::ReplayFailed, error))?;
            return Ok(None);
        };
        write_file(&path, encode)?;
        log::debug!("{}: frame {frame}", path.display());
        Ok(Some(path))
    }

    fn png_texts(&self, frame: FrameIndex, player: &Player) -> Vec<(String, String)> {
        let trace = self.path.file_name().unwrap_or_default().to_string_lossy();
        let texts = [
            ("Software", concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()),
            ("Source", trace.into_owned()),
            ("Frame", format!("{frame} of {}", self.frame_count)),
            ("Adapter", player.renderer().gpu().summary().to_string()),
        ];
        texts.map(|(keyword, text)| (keyword.to_owned(), text)).into()
    }

    /// A bar on a terminal, if there is something to wait for and nothing else writes there.
    fn progress(&self, frames: usize) -> ProgressBar {
        let is_shown = frames > 1 && !self.common.quiet && io::stderr().is_terminal();
        let shares_terminal = (self.args.hash || self.common.json) && io::stdout().is_terminal();
        if is_shown && !shares_terminal { ProgressBar::new(frames as u64) } else { ProgressBar::hidden() }
    }
}
