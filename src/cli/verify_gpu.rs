//! The half of `verify` that renders: seeking against playing, device against device, WGSL against GLSL ES 3.00.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{Backend, CommonArgs, GlslArgs, TargetSize, parse_adapter, parse_size};
use super::drawing::watched_player;
use super::exit::{Exit, Failure};
use super::output::print_json;
use super::progress::{Printing, Progress};
use super::shown::ShownArgs;
use super::verify_shaders::Sources;
use crate::command::Place;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{AdapterChoice, Gpu, NO_TIMEOUT};
use crate::pixels::{PictureHash, Size};
use crate::player::{Player, PlayerError};
use crate::replay::{DEFAULT_SIZE, NoPicture, ShaderOptions, largest_viewport};
use crate::shader::{LanguageChoice, ShaderLanguage};
use crate::text::{counted, json_line};

/// Times that `--draws` goes to each draw.
const ROUNDS: u64 = 3;

/// Frames that --seek goes to; of a longer trace a sample.
const SOUGHT_FRAMES: u32 = 1000;

#[derive(Debug, clap::Args)]
pub(super) struct VerifyGpuArgs {
    /// Compare seeking to a frame with playing up to it, for all frames or a sample of 1000
    #[arg(long)]
    pub seek: bool,
    /// With --seek, also go back and forth between N draws of all frames, and compare with playing up to them
    #[arg(
        long, value_name = "N", requires = "seek", num_args = 0..=1, default_missing_value = "1000",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub draws: Option<u32>,
    /// Render every frame on K new devices, 2 if no number is given, and compare (exit code 9 if they differ)
    #[arg(
        long, value_name = "K", num_args = 0..=1, default_missing_value = "2",
        value_parser = clap::value_parser!(u32).range(2..=100)
    )]
    pub determinism: Option<u32>,
    /// Draw every frame from its WGSL and its GLSL ES 3.00 texts and compare (exit code 1 if they differ)
    #[arg(long)]
    pub shaders: bool,
    #[command(flatten)]
    pub shown: ShownArgs,
    #[command(flatten)]
    pub glsl: GlslArgs,
    /// Size of the target; auto takes the trace's largest SET_VIEWPORT, else 64x64
    #[arg(long, value_name = "WxH|auto", default_value = "auto", value_parser = parse_size)]
    pub size: TargetSize,
    /// GPU to use: its number in `adapters`, or part of its name
    #[arg(long, value_name = "INDEX|NAME", value_parser = parse_adapter)]
    pub adapter: Option<AdapterChoice>,
    /// API to use; noop validates without drawing
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Longest time for a picture or an answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub timeout: u64,
    /// Do not limit the vertices of a frame (else a billion) or its time
    #[arg(long)]
    pub no_render_budget: bool,
}

impl VerifyGpuArgs {
    fn needs_playing(&self) -> bool {
        self.seek || self.determinism.is_some()
    }
}

pub(super) fn run(
    args: &VerifyGpuArgs,
    (path, trace): (&Path, &Arc<Trace>),
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<Exit, Failure> {
    if args.draws.is_some() && args.shown.are_given() {
        return Err(Failure::usage("--draws compares the draw targets: expected no --present, --scanout or --target"));
    }
    let verify = Verify { args, path, trace, common };
    if args.shaders {
        let exit = verify.shaders(out)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    if !args.needs_playing() {
        return Ok(Exit::Done);
    }
    let played = verify.play()?;
    if args.seek {
        let exit = verify.seek(&played, out)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    if let Some(count) = args.draws {
        let exit = verify.draws(count, out)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    match args.determinism {
        Some(renders) => verify.determinism(&played, renders, out),
        None => Ok(Exit::Done),
    }
}

struct Verify<'a> {
    args: &'a VerifyGpuArgs,
    path: &'a Path,
    trace: &'a Arc<Trace>,
    common: &'a CommonArgs,
}

impl Verify<'_> {
    fn player(&self) -> Result<Player, Failure> {
        let adapter = self.args.adapter.clone().unwrap_or_default();
        let timeout = if self.args.no_render_budget { NO_TIMEOUT } else { Duration::from_secs(self.args.timeout) };
        let gpu = Gpu::open(self.args.backend.into(), &adapter, timeout)?;
        let size: Size = match self.args.size {
            TargetSize::Fixed(size) => size,
            TargetSize::Auto => largest_viewport(self.trace).unwrap_or(DEFAULT_SIZE),
        };
        let mut player = watched_player(self.path, self.trace, Arc::new(gpu), size, self.common)?;
        player.set_shown(self.args.shown.shown());
        Ok(player)
    }

    /// The hash of all that is shown of a frame; nothing of one that has no such target or present.
    fn hash(&self, player: &mut Player, frame: FrameIndex) -> Result<Option<PictureHash>, Failure> {
        match player.render_surface(frame) {
            Ok(surface) => Ok(Some(surface.hash())),
            Err(PlayerError::NoTarget { .. } | PlayerError::NoPicture(NoPicture::Present { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn progress(&self, what: &'static str, steps: usize) -> Progress {
        Progress::of(what, steps, Printing::WhenDone, self.common)
    }

    fn frame_count(&self) -> u32 {
        self.trace.frames().len() as u32
    }

    /// The hash of every frame, front to back on a fresh device.
    fn play(&self) -> Result<Vec<Option<PictureHash>>, Failure> {
        let mut player = self.player()?;
        let frames = (0..self.frame_count()).map(FrameIndex);
        let mut progress = self.progress("playing", self.frame_count() as usize);
        let hashes = frames.map(|frame| self.hash(&mut player, frame)).inspect(|_| progress.step());
        let played: Vec<_> = hashes.collect::<Result<_, Failure>>()?;
        drop(progress);
        if self.args.shown.are_given() && played.iter().all(Option::is_none) {
            let shown = self.args.shown.shown().in_words();
            return Err(Failure::usage(format!(
                "none of {} has such a picture{shown}: nothing was compared",
                counted(played.len(), "frame")
            )));
        }
        Ok(played)
    }

    /// Draws every frame from either language.
    fn shaders(&self, out: &mut impl Write) -> Result<Exit, Failure> {
        let player_of = |language| -> Result<Player, Failure> {
            let mut player = self.player()?;
            let language = LanguageChoice::Only(language);
            let options = ShaderOptions { language, glsl: self.args.glsl.into(), ..ShaderOptions::default() };
            player.set_shader_options(options);
            Ok(player)
        };
        let (wgsl, glsl) = (player_of(ShaderLanguage::Wgsl)?, player_of(ShaderLanguage::Glsl)?);
        Sources { wgsl, glsl, trace: self.trace }.compare_all(self.common, out)
    }

    /// Goes to frames in an order in which none follows the one before it.
    fn seek(&self, played: &[Option<PictureHash>], out: &mut impl Write) -> Result<Exit, Failure> {
        let count = self.frame_count();
        let stride = count.div_ceil(SOUGHT_FRAMES).max(1);
        let mut frames: Vec<u32> = (0..count).step_by(stride as usize).collect();
        // Backwards, and every other one on a second way: neighbours are met from both sides.
        frames.reverse();
        let (even, odd): (Vec<u32>, Vec<u32>) = frames.iter().partition(|frame| (*frame / stride).is_multiple_of(2));
        let mut player = self.player()?;
        let mut differing = 0;
        let mut progress = self.progress("seeking", frames.len());
        for frame in even.iter().chain(&odd) {
            let hash = self.hash(&mut player, FrameIndex(*frame))?;
            let expected = played.get(*frame as usize);
            if expected != Some(&hash) {
                differing += 1;
                self.tell(out, "seek", *frame, None, differing == 1)?;
            }
            progress.step();
        }
        drop(progress);
        let what = format!("seeking to {} of {count} frames matches playing", frames.len());
        self.conclude(out, "seek", &what, differing, Exit::Different)
    }

    /// Goes to draws from wherever the draw before was: all backwards, then in orders that have none.
    fn draws(&self, count: u32, out: &mut impl Write) -> Result<Exit, Failure> {
        let mut player = self.player()?;
        let index = player.index();
        let frames = || (0..self.frame_count()).map(FrameIndex);
        let all =
            || frames().flat_map(|frame| (0..index.draws_of(frame).count() as u32).map(move |draw| (frame, draw)));
        let draw_count = all().count();
        let chosen: Vec<_> = all().step_by(draw_count.div_ceil(count as usize).max(1)).collect();
        let played = self.play_draws(&chosen)?;
        let mut differing = BTreeSet::new();
        let mut progress = self.progress("going to draws", chosen.len() * ROUNDS as usize);
        for round in 0..ROUNDS {
            let mut order: Vec<_> = (0u64..).zip(chosen.iter().zip(&played)).collect();
            order.reverse();
            if round > 0 {
                order.sort_by_key(|(place, _)| (place + 1).wrapping_mul(round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            }
            for (place, ((frame, draw), expected)) in order {
                let is_same = player.render(Place::at_draw(*frame, *draw))?.hash() == *expected;
                if !is_same && differing.insert(place) {
                    self.tell(out, "draws", frame.0, Some(*draw), differing.len() == 1)?;
                }
                progress.step();
            }
        }
        drop(progress);
        let what = format!("going back and forth between {} of {draw_count} draws matches playing", chosen.len());
        self.conclude(out, "draws", &what, differing.len() as u64, Exit::Different)
    }

    /// The hash after each of the draws, front to back on a fresh device.
    fn play_draws(&self, chosen: &[(FrameIndex, u32)]) -> Result<Vec<PictureHash>, Failure> {
        let mut player = self.player()?;
        let mut hashes = Vec::with_capacity(chosen.len());
        for frame in (0..self.frame_count()).map(FrameIndex) {
            let from = chosen.partition_point(|(other, _)| *other < frame);
            let of_frame = chosen.iter().skip(from).take_while(|(other, _)| *other == frame);
            hashes.extend(player.play_with_draws(frame, &of_frame.map(|(_, draw)| *draw).collect())?);
        }
        Ok(hashes)
    }

    /// Plays on further fresh devices.
    fn determinism(&self, played: &[Option<PictureHash>], renders: u32, out: &mut impl Write) -> Result<Exit, Failure> {
        let mut differing = 0;
        for _ in 1..renders {
            let again = self.play()?;
            for (frame, _) in (0..).zip(played.iter().zip(&again)).filter(|(_, (a, b))| a != b) {
                differing += 1;
                self.tell(out, "determinism", frame, None, differing == 1)?;
            }
        }
        let what = format!(
            "{renders} of {} on new devices are identical",
            counted(played.len(), "frame"),
            renders = counted(renders, "render")
        );
        self.conclude(out, "determinism", &what, differing, Exit::Nondeterministic)
    }

    /// Names a differing frame, or what it is after a draw; in text only the first.
    fn tell(
        &self,
        out: &mut impl Write,
        test: &str,
        frame: u32,
        draw: Option<u32>,
        is_first: bool,
    ) -> Result<(), Failure> {
        if self.common.json {
            let line = json_line!("difference", { "test": test, "frame": frame, "draw": draw });
            print_json(out, &line)?;
        } else if is_first {
            let after = draw.map_or(String::new(), |draw| format!(" after draw {draw}"));
            writeln!(out, "{test}: frame {frame} differs{after}")?;
        }
        Ok(())
    }

    fn conclude(
        &self,
        out: &mut impl Write,
        test: &str,
        what: &str,
        differing: u64,
        otherwise: Exit,
    ) -> Result<Exit, Failure> {
        if self.common.json {
            let line = json_line!("verify-test", { "test": test, "differing": differing });
            print_json(out, &line)?;
        } else if differing == 0 {
            writeln!(out, "{test}: {what}")?;
        } else {
            writeln!(out, "{test}: {differing_pictures} differ", differing_pictures = counted(differing, "picture"))?;
        }
        Ok(if differing == 0 { Exit::Done } else { otherwise })
    }
}
