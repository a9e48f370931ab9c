//! `TRACE --frame N --out PATH`: pictures and hashes, without a window.

use std::collections::{BTreeSet, VecDeque};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::args::{CommonArgs, PlayArgs, RenderArgs, TargetSize};
use super::delivery::Delivery;
use super::draw_set::DrawSet;
use super::drawing::watched_player;
use super::exit::{Exit, Failure};
use super::faults::end_of_playing;
use super::frame_set::FrameSet;
use super::index::make_index_up_to;
use super::open::{open_trace, report};
use super::output::stdout;
use super::picture_output::PictureOutput;
use super::progress::{Printing, Progress};
use super::whole_file::{Inputs, make_folder};
use crate::command::{Place, Point, Shown};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{Gpu, NO_TIMEOUT};
use crate::pixels::{Size, Surface};
use crate::player::{Player, Variant};
use crate::replay::{Aspect, CommandReader, DEFAULT_SIZE, DrawnTo, NamedTarget, largest_viewport};
use crate::text::{counted, describe_count, say};

pub(super) fn run(args: &PlayArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let path = trace_path(args)?;
    let trace = open_trace(path, common)?;
    let frames = choose_frames(args, &trace)?;
    let output = choose_output(&args.render, common, args.frames.is_some(), &frames)?;
    let size = choose_size(&args.render, &trace);
    let gpu = open_gpu(&args.render)?;
    let point = match (args.render.place, frames.as_slice()) {
        (Some(place), _) => place.point,
        (None, [frame]) => choose_point(&args.render, *frame, &trace, common)?,
        (None, _) => Point::End,
    };
    let mut player = watched_player(path, &trace, gpu, size, common)?;
    let options = args.render.drawn.options(&trace)?;
    let replaced_shaders = options.replacements.len();
    player.set_shader_options(options);
    // Frames from the first on, one after the other, are simply played.
    if frames.iter().zip(0..).any(|(frame, place)| frame.0 != place) {
        let frame_count = frames.last().map_or(0, |last| last.as_usize() + 1);
        player.set_index(make_index_up_to(&trace, frame_count, common));
    }
    player.set_shown(args.render.shown.shown());
    if args.render.draws.are_given() && args.render.shown.are_given() {
        return Err(Failure::usage(
            "--only-draws and --skip-draws need the picture that is usually shown: expected no --present, --scanout or --target",
        ));
    }
    let variant = args.render.draws.variant(&mut player, &frames)?;
    let job = Job {
        path,
        args: &args.render,
        common,
        frame_count: trace.frames().len(),
        output,
        inputs: inputs(args, path),
        variant,
        replaced_shaders,
    };
    let rendered = job.render(&mut player, &frames, point);
    if let (Ok(()), Point::Draw(draw), [frame], false) = (&rendered, point, &frames[..], args.render.shown.are_given())
    {
        note_depth_alone(&mut player, &trace, (*frame, draw), common)?;
    }
    let last = frames.iter().max().copied().unwrap_or_default();
    // What was gone on behind is told before what ended it.
    let exit = end_of_playing(&player, last, path, common);
    rendered.map_err(|failure| failure.context(path.display().to_string()))?;
    Ok(exit)
}

/// Says where a draw can be seen that has no colour target.
fn note_depth_alone(
    player: &mut Player,
    trace: &Arc<Trace>,
    (frame, draw): (FrameIndex, u32),
    common: &CommonArgs,
) -> Result<(), Failure> {
    let index = player.index();
    let number = index.draws_of(frame).nth(draw as usize);
    // Appendix A has the back buffer alone.
    let Some(number) = number.filter(|number| index.submission_of(*number).is_some()) else { return Ok(()) };
    let targets = index.drawn_to_by_name(number, &mut CommandReader::new(trace.clone()))?;
    let is_depth = |target: &NamedTarget| matches!(target.part, DrawnTo::Texture { aspect: Aspect::Depth, .. });
    let has_color = targets
        .iter()
        .any(|target| matches!(target.part, DrawnTo::BackBuffer | DrawnTo::Texture { aspect: Aspect::Color, .. }));
    if let Some(depth) = targets.iter().find(|target| is_depth(target)).filter(|_| !has_color)
        && let DrawnTo::Texture { id, .. } = depth.part
    {
        let id = id.number();
        common.messages().note(format!("draw {draw} has no colour target, only {depth}: --target {id} shows it"), None);
    }
    Ok(())
}

pub(super) fn trace_path(args: &PlayArgs) -> Result<&Path, Failure> {
    args.trace.as_deref().ok_or_else(|| Failure::usage("which trace?"))
}

/// The files that pictures are made from.
fn inputs(args: &PlayArgs, trace: &Path) -> Inputs {
    let draws =
        [&args.render.draws.skip_draws, &args.render.draws.only_draws].into_iter().flatten().map(DrawSet::frames);
    let sets = args.frame.iter().chain(&args.frames).chain(draws);
    args.render.drawn.add_to(sets.fold(Inputs::of([trace]), Inputs::and_set))
}

fn choose_frames(args: &PlayArgs, trace: &Trace) -> Result<Vec<FrameIndex>, Failure> {
    let frame_count = trace.frames().len() as u32;
    if let Some(place) = args.render.place {
        return Ok(vec![place.frame]);
    }
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
        None => return Err(Failure::usage("--out needs frames to write: expected --frame N or --frames SET")),
    };
    set.resolve(frame_count).map_err(Failure::usage)
}

/// The point of a frame that --draw or --packet names; without either, the frame's end.
pub(super) fn choose_point(
    args: &RenderArgs,
    frame: FrameIndex,
    trace: &Arc<Trace>,
    common: &CommonArgs,
) -> Result<Point, Failure> {
    Ok(match (args.draw, args.packet) {
        (Some(draw), _) => Point::Draw(draw.in_frame(frame, trace, common)?),
        (None, Some(packet)) => Point::Packet(packet),
        (None, None) => Point::End,
    })
}

fn choose_output(
    args: &RenderArgs,
    common: &CommonArgs,
    is_set: bool,
    frames: &[FrameIndex],
) -> Result<Option<PictureOutput>, Failure> {
    let Some(out) = &args.out else {
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
        make_folder(folder)?;
    }
    Ok(Some(output))
}

pub(super) fn choose_size(args: &RenderArgs, trace: &Trace) -> Size {
    let (size, why) = match args.size {
        TargetSize::Fixed(size) => (size, "--size"),
        TargetSize::Auto => match largest_viewport(trace) {
            Some(size) => (size, "the largest SET_VIEWPORT"),
            None => (DEFAULT_SIZE, "the default without a SET_VIEWPORT"),
        },
    };
    log::info!("target: {size} ({why}); a frame that presents a texture has the size of that");
    size
}

fn open_gpu(args: &RenderArgs) -> Result<Arc<Gpu>, Failure> {
    let adapter = args.adapter.clone().unwrap_or_default();
    let gpu = Gpu::open(args.backend.into(), &adapter, timeout(args))?;
    log::info!("adapter: {}", gpu.summary());
    Ok(Arc::new(gpu))
}

pub(super) fn timeout(args: &RenderArgs) -> Duration {
    if args.no_render_budget { NO_TIMEOUT } else { Duration::from_secs(args.timeout) }
}

/// What stays the same from frame to frame.
pub(super) struct Job<'a> {
    pub path: &'a Path,
    pub args: &'a RenderArgs,
    pub common: &'a CommonArgs,
    pub frame_count: usize,
    pub output: Option<PictureOutput>,
    pub inputs: Inputs,
    /// What the one frame is to be drawn as, if not as it is.
    pub variant: Option<Variant>,
    /// How many of the trace's shaders others stand in for.
    pub replaced_shaders: usize,
}

impl Job<'_> {
    /// Which picture of each frame is wanted.
    pub(super) fn shown(&self) -> Shown {
        self.args.shown.shown()
    }

    fn render(&self, player: &mut Player, frames: &[FrameIndex], point: Point) -> Result<(), Failure> {
        let mut out = stdout();
        let results = if self.args.hash || self.common.json { Printing::AsItGoes } else { Printing::WhenDone };
        let mut progress = Progress::of("drawing frames", frames.len(), results, self.common);
        let adapter = player.renderer().gpu().summary().to_string();
        let mut sizes = BTreeSet::new();
        let rendered = thread::scope(|scope| {
            let mut delivery = Delivery::new(scope, self, &adapter, frames.len());
            let rendered = self.render_all(player, frames, point, |picture, frame| {
                progress.step();
                let Size { width_px, height_px } = picture.size();
                sizes.insert([width_px, height_px]);
                delivery.take(picture, frame, &mut out)
            });
            // What was drawn before an error is delivered all the same.
            let delivered = delivery.finish(&mut out);
            rendered.and(delivered)
        });
        drop(progress);
        out.flush()?;
        rendered?;
        self.summarise(frames, point, &sizes);
        Ok(())
    }

    /// Draws the frames, a few ahead of the picture that is waited for.
    fn render_all(
        &self,
        player: &mut Player,
        frames: &[FrameIndex],
        point: Point,
        mut deliver: impl FnMut(Surface, FrameIndex) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if let (Some(variant), [frame]) = (&self.variant, frames) {
            let picture = player.render_variant(Place { frame: *frame, point }, variant);
            return deliver(Surface::Color(picture?), *frame);
        }
        if self.output.as_ref().is_some_and(|output| output.format().keeps_depth()) {
            return self.render_surfaces(player, frames, point, deliver);
        }
        let mut pending = VecDeque::new();
        let mut error = None;
        let mut frames = frames.iter();
        loop {
            let is_full = pending.len() >= player.most_pending();
            let next = if is_full || error.is_some() { None } else { frames.next() };
            if let Some(frame) = next {
                let started = player.start(Place { frame: *frame, point });
                match report(player.diagnostics(), self.common).and(started.map_err(Failure::from)) {
                    Ok(picture) => pending.push_back((*frame, picture)),
                    Err(failure) => error = Some(failure),
                }
            } else if let Some((frame, picture)) = pending.pop_front() {
                deliver(Surface::Color(player.finish(picture)?), frame)?;
            } else {
                return error.map_or(Ok(()), Err);
            }
        }
    }

    /// Draws the frames one after the other, for files that hold more than pictures do.
    fn render_surfaces(
        &self,
        player: &mut Player,
        frames: &[FrameIndex],
        point: Point,
        mut deliver: impl FnMut(Surface, FrameIndex) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for frame in frames {
            let surface = player.render_surface(Place { frame: *frame, point });
            report(player.diagnostics(), self.common)?;
            deliver(surface?, *frame)?;
        }
        Ok(())
    }

    /// Shaders of a folder that were drawn with: `, with 1 shader from edited`.
    fn replaced_in_words(&self) -> String {
        let folder = self.args.drawn.replace_shaders.as_ref();
        folder.map_or_else(String::new, |folder| {
            format!(", with {} from {}", counted(self.replaced_shaders, "shader"), folder.display())
        })
    }

    /// Says on stderr what was written; hashes and JSON have said it already.
    fn summarise(&self, frames: &[FrameIndex], point: Point, sizes: &BTreeSet<[u32; 2]>) {
        let Some(output) = &self.output else { return };
        if self.common.quiet || self.common.json || self.args.hash {
            return;
        }
        let all_sizes: Vec<String> = sizes.iter().map(|[width, height]| format!("{width}x{height}")).collect();
        let size = if sizes.len() > 3 { counted(sizes.len(), "size") } else { all_sizes.join(" and ") };
        match (frames, frames.first().and_then(|frame| output.path_for(self.path, frame.0, self.shown()))) {
            ([frame], Some(path)) => {
                let (place, shown) = (Place { frame: *frame, point }.in_words(), self.shown().in_words());
                let all = describe_count(self.frame_count as u64, "frame");
                let shaders = self.replaced_in_words();
                say!("wrote {}: {place}{shown}, {size}{shaders}; the trace has {all}", path.display());
            }
            (_, Some(first)) => {
                let (written, all) =
                    (counted(frames.len(), "picture"), describe_count(self.frame_count as u64, "frame"));
                let shaders = self.replaced_in_words();
                say!("wrote {written}, the first {}, {size}{shaders}; the trace has {all}", first.display());
            }
            (_, None) => {}
        }
    }
}
