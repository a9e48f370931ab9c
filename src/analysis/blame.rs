//! Which frames of a trace to look at first: what the application's own traces say of each, what it draws, and whether
//! it is drawn from anything else than the frame before.
//!
//! ```text
//!  trace       │ frame 0 │ frame 1        │ frame 2 │   draws, uploads, input hashes
//!  annotation  │ ▬▬▬ ▬▬  │ ▬▬▬▬▬▬▬▬▬▬ ▬▬  │ ▬▬ ▬▬   │   times, and the scope that took most of each
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use foldhash::HashMap;

use super::{Analysis, AnalysisError};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::listing::{AxisUnit, Filter};
use crate::replay::{FrameContents, InputHash, InputHasher};
use crate::text::Harmless;
use crate::timeline::{
    Alignment, ArgumentSource, CommonAxis, GpuTime, GpuTimes, ScopeShare, Tick, Timeline, longest_own,
    touched_stretches,
};

/// A trace's frames, and where they lie in the files beside it.
pub struct Blame<'a> {
    analysis: &'a Analysis,
    reference: &'a Timeline,
    /// Frames of the index: behind one that is damaged there is no other.
    frame_count: usize,
    files: Vec<FileBeside<'a>>,
}

/// An annotation, and where the trace's frames lie in it.
struct FileBeside<'a> {
    timeline: &'a Timeline,
    alignment: &'a Alignment,
    /// By frame of the trace, up to the begin of the next one.
    stretches: Vec<Option<(Tick, Tick)>>,
    /// Ends of the annotation's own frames, by the tick at which each begins.
    own_ends: BTreeMap<u64, Tick>,
    /// By the tick at which they begin: the numbers that the application gave its frames.
    numbers: HashMap<u64, u64>,
    /// What the application asked the GPU for.
    gpu_times: GpuTimes,
}

/// A frame of the trace, and what each of the files beside it says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameBlame {
    /// Which frame.
    pub frame: FrameIndex,
    /// What it consists of.
    pub contents: FrameContents,
    /// By annotation; `None` where it has no such frame.
    pub beside: Vec<Option<FrameBeside>>,
}

/// A frame of the trace as an annotation has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameBeside {
    /// Which of the annotation's frames it is, counted from 0, if it is tied to one.
    pub frame: Option<u64>,
    /// The number that the application gave it.
    pub number: Option<u64>,
    /// Where it begins.
    pub begin: Tick,
    /// Where it ends: its own end where the recording has one, else the begin of the next frame.
    pub end: Tick,
    /// What ticks are.
    pub unit: AxisUnit,
    /// What the application's queries have measured of the GPU's work in it.
    pub gpu_time: Option<GpuTime>,
    /// The scope, or call, with most ticks of its own.
    pub longest: Option<ScopeShare>,
}

/// What a frame is drawn from, beside the frame before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameInputs {
    /// The hash of all of it.
    pub hash: InputHash,
    /// Whether the frame before is drawn from the same; `None` of the first frame.
    pub is_as_before: Option<bool>,
}

/// The hashes of what frames are drawn from; the last one is kept, for most frames are asked about in a row.
pub struct InputsOfFrames {
    hasher: InputHasher,
    last: Option<(FrameIndex, InputHash)>,
}

const LOST: Internal = Internal::new("a frame of the index is not in the trace");

impl Analysis {
    /// The trace's frames beside `annotations`; `reference` is the trace's own timeline.
    pub fn blame<'a>(&'a self, reference: &'a Timeline, annotations: &[(&'a Timeline, &'a Alignment)]) -> Blame<'a> {
        let axis = CommonAxis::new(reference, annotations);
        let frame_count = self.index().frame_count();
        let file = |&(timeline, alignment): &(&'a Timeline, &'a Alignment)| FileBeside {
            timeline,
            alignment,
            stretches: (0..frame_count).map(|frame| axis.frame_ticks(timeline, alignment, frame)).collect(),
            own_ends: alignment.own_ends(timeline),
            numbers: timeline.frames.iter().map(|frame| (frame.begin.0, frame.number)).collect(),
            gpu_times: GpuTimes::of(timeline),
        };
        Blame { analysis: self, reference, frame_count, files: annotations.iter().map(file).collect() }
    }

    /// To ask what frames are drawn from.
    pub fn inputs_of_frames(&self) -> InputsOfFrames {
        InputsOfFrames { hasher: InputHasher::new(self.trace().clone(), self.index().clone()), last: None }
    }
}

impl Blame<'_> {
    /// How many frames there are rows for.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// By frame, whether any file has something in it that `filter` accepts. `arguments` are those of the trace's own
    /// events, and then of the annotations'. A file whose lengths are of another kind has nothing that a test of lengths
    /// accepts.
    ///
    /// # Errors
    /// No file can answer the filter's tests, or arguments cannot be read again.
    pub fn touched(
        &self,
        filter: &Filter,
        arguments: &mut [Box<dyn ArgumentSource + '_>],
    ) -> Result<Vec<bool>, AnalysisError> {
        let frames = self.reference.frames.iter().take(self.frame_count);
        let own: Vec<_> = frames.map(|frame| Some((frame.begin, frame.end))).collect();
        let beside = self.files.iter().map(|file| (file.timeline, file.stretches.as_slice()));
        let files = std::iter::once((self.reference, own.as_slice())).chain(beside);
        let mut touched = vec![false; self.frame_count];
        let (mut refused, mut is_asked) = (None, false);
        for ((timeline, stretches), arguments) in files.zip(arguments) {
            if let Err(error) = filter.check(Some(timeline.axis.unit)) {
                refused = refused.or(Some(error));
                continue;
            }
            is_asked = true;
            let found = touched_stretches(timeline, &mut **arguments, filter, stretches)?;
            touched.iter_mut().zip(found).for_each(|(touched, found)| *touched |= found);
        }
        match refused.filter(|_| !is_asked) {
            Some(error) => Err(error.into()),
            None => Ok(touched),
        }
    }

    /// The rows of `frames`, the worst first: longest in the first annotation with a clock; without one, longest on the GPU
    /// by the first that asked it; else most draws.
    pub fn rows(&self, frames: &[FrameIndex]) -> Result<Vec<FrameBlame>, AnalysisError> {
        let longest: Vec<_> = self.files.iter().map(|file| file.longest(frames)).collect();
        let row = |&frame: &FrameIndex| {
            let contents = self.analysis.index().contents_of(frame).ok_or(LOST)?;
            let beside = self.files.iter().zip(&longest).map(|(file, longest)| file.frame(frame, longest)).collect();
            Ok(FrameBlame { frame, contents, beside })
        };
        let mut rows = frames.iter().map(row).collect::<Result<Vec<_>, AnalysisError>>()?;
        // Frames without a time come last.
        rows.sort_by_key(|row| {
            let gpu = row.gpu_time().map(GpuTime::nanos);
            (Reverse(row.nanos()), Reverse(gpu), Reverse(row.contents.draws), row.frame)
        });
        Ok(rows)
    }
}

impl FileBeside<'_> {
    fn stretch(&self, frame: FrameIndex) -> Option<(Tick, Tick)> {
        self.stretches.get(frame.as_usize()).copied().flatten()
    }

    /// The end of a frame that begins and ends there: its own one, as `timeline stats` measures frames, where the recording
    /// has one.
    fn own_end(&self, (begin, end): (Tick, Tick)) -> Tick {
        self.own_ends.get(&begin.0).copied().unwrap_or(end)
    }

    /// By frame of the trace, of those asked for.
    fn longest(&self, frames: &[FrameIndex]) -> Vec<Option<ScopeShare>> {
        let mut wanted = vec![None; self.stretches.len()];
        // A frame may end after the next one has begun.
        let own = |(begin, end): (Tick, Tick)| (begin, self.own_end((begin, end)).min(end));
        for frame in frames {
            wanted.get_mut(frame.as_usize()).into_iter().for_each(|wanted| *wanted = self.stretch(*frame).map(own));
        }
        longest_own(self.timeline, &wanted)
    }

    fn frame(&self, frame: FrameIndex, longest: &[Option<ScopeShare>]) -> Option<FrameBeside> {
        let (begin, end) = self.stretch(frame)?;
        Some(FrameBeside {
            frame: self.alignment.matched(u64::from(frame.0)).map(|matched| matched.annotation),
            number: self.numbers.get(&begin.0).copied(),
            begin,
            end: self.own_end((begin, end)),
            unit: self.timeline.axis.unit,
            gpu_time: self.gpu_times.within(begin, end),
            longest: longest.get(frame.as_usize()).cloned().flatten(),
        })
    }
}

impl FrameBlame {
    /// How long the application took, by the first of its traces that records time.
    pub fn nanos(&self) -> Option<u64> {
        self.beside.iter().flatten().find_map(FrameBeside::nanos)
    }

    /// How long the GPU took, by the first of the application's traces with queries of that.
    pub fn gpu_time(&self) -> Option<GpuTime> {
        self.beside.iter().flatten().find_map(|beside| beside.gpu_time)
    }
}

impl FrameBeside {
    /// How long it took, if that is recorded.
    pub fn nanos(&self) -> Option<u64> {
        let tick = self.unit.nanos_per_tick()?;
        Some(self.length_ticks().saturating_mul(tick))
    }

    fn length_ticks(&self) -> u64 {
        self.end.0.saturating_sub(self.begin.0)
    }

    /// A length in words.
    fn length(&self, ticks: u64, unit: TimeUnit) -> String {
        match self.unit.nanos_per_tick() {
            Some(nanos) => unit.in_words(ticks.saturating_mul(nanos)),
            None => format!("{ticks} {}", self.unit.name()),
        }
    }

    /// Which frame of the annotation it is.
    pub fn place_in_words(&self) -> String {
        let text = match self.frame {
            Some(frame) => format!("frame {frame}"),
            None => format!("tick {}", self.begin.0),
        };
        match self.number.filter(|number| self.frame.is_none_or(|frame| frame != *number)) {
            Some(number) => format!("{text} (number {number})"),
            None => text,
        }
    }

    /// How long it is, and on the GPU, if that was measured.
    pub fn length_in_words(&self, unit: TimeUnit) -> String {
        let length = self.length(self.length_ticks(), unit);
        match self.gpu_time {
            Some(time) => format!("{length}, GPU {} by {}", unit.in_words(time.nanos()), time.source()),
            None => length,
        }
    }

    /// What took most of it.
    pub fn longest_in_words(&self, unit: TimeUnit) -> Option<String> {
        let ScopeShare { name, track, own_ticks } = self.longest.as_ref()?;
        let on = if track.is_empty() { String::new() } else { format!(" on {}", Harmless(track)) };
        Some(format!("{} {}{on}", Harmless(name), self.length(*own_ticks, unit)))
    }
}

/// Unit of the times in a table of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Milliseconds.
    Milliseconds,
    /// Microseconds, where all times are below a millisecond.
    Microseconds,
}

impl TimeUnit {
    /// The unit that the times of `rows` need.
    pub fn of(rows: &[FrameBlame]) -> Self {
        let beside = || rows.iter().flat_map(|row| row.beside.iter().flatten());
        let gpu = beside().filter_map(|beside| beside.gpu_time.map(GpuTime::nanos));
        match beside().filter_map(FrameBeside::nanos).chain(gpu).max() {
            Some(longest) if longest < 1_000_000 => Self::Microseconds,
            _ => Self::Milliseconds,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Microseconds => "µs",
        }
    }

    /// A time as a number of this unit.
    pub fn number(self, nanos: u64) -> String {
        match self {
            Self::Milliseconds => format!("{:.3}", nanos as f64 / 1e6),
            Self::Microseconds if nanos.is_multiple_of(1000) => (nanos / 1000).to_string(),
            Self::Microseconds => format!("{:.3}", nanos as f64 / 1e3),
        }
    }

    /// A time with its unit.
    pub fn in_words(self, nanos: u64) -> String {
        format!("{} {}", self.number(nanos), self.name())
    }
}

impl InputsOfFrames {
    /// Those of a frame.
    pub fn of(&mut self, frame: FrameIndex) -> Result<FrameInputs, AnalysisError> {
        let before = match frame.0.checked_sub(1).map(FrameIndex) {
            Some(before) => Some(self.hash(before)?),
            None => None,
        };
        let hash = self.hash(frame)?;
        self.last = Some((frame, hash));
        Ok(FrameInputs { hash, is_as_before: before.map(|before| before == hash) })
    }

    fn hash(&mut self, frame: FrameIndex) -> Result<InputHash, AnalysisError> {
        match self.last {
            Some((last, hash)) if last == frame => Ok(hash),
            _ => Ok(self.hasher.frame(frame)?.ok_or(LOST)?),
        }
    }
}
