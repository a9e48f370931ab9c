//! Faults of a trace are refused at the same place, as the same kind and in the same words, whether the trace is
//! checked, indexed, played, sought or trimmed.
//!
//! Traces of both ABIs have packets changed at random. `REFUSALS=4000 cargo test --test gpu refusals -- --nocapture` tries
//! more than usual; `REFUSALS_SEED=17` begins with another seed; `REFUSALS_OUT=folder` keeps the mutants about which two
//! ways disagree.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::Shown;
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::{FaultPolicy, Player, PlayerError};
use aerogpu_replay::replay::{CheckDepth, Checked, TraceIndex, check_trace, write_trimmed};

use crate::gpu::made_programs::setting;
use crate::gpu::random_streams::generated_file;
use crate::support::harness::Trial;
use crate::support::packet_mutate::packet_mutant;
use crate::support::random::Random;
use crate::support::{fixture, software};

/// Mutants of a usual run.
const USUAL_COUNT: u64 = 200;
/// Frames of each that are sought and trimmed.
const FRAMES: usize = 5;
const SIZE: Size = Size { width_px: 16, height_px: 16 };
/// Of each a few frames.
const FILES: [&str; 12] = [
    "frames",
    "clears",
    "redefinition",
    "upload_between_draws",
    "loose_records",
    "layouts",
    "a3a0/contexts",
    "a3a0/scene",
    "a3a0/every_packet",
    "scenes/seed-102",
    "scenes/seed-200",
    "scenes/seed-212",
];

pub fn trials() -> Vec<Trial> {
    vec![software::trial("all_ways_refuse_alike", all_ways_refuse_alike)]
}

/// A refusal, without offsets and numbers of places in its words.
#[derive(Clone, Debug, PartialEq)]
struct Refusal {
    kind: ErrorKind,
    words: String,
}

impl Refusal {
    fn of(error: &impl Classified) -> Self {
        Self { kind: error.kind(), words: error.to_string() }
    }

    /// This refusal in words that are the same wherever it stands.
    fn anywhere(&self) -> Self {
        let mut words = String::new();
        for word in self.words.split(' ') {
            let place = word.strip_prefix("0x").filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
            let before = words.rsplit(' ').next().unwrap_or("").trim_start_matches('(').to_owned();
            let is_number = ["frame", "packet", "submission"].contains(&before.as_str());
            words += if words.is_empty() { "" } else { " " };
            // Of a frame's vertices those count that are drawn with it: a trim draws those of several frames in one.
            words += if place.is_some() || is_number || before == "make" { "#" } else { word };
        }
        // A blob may stand in a damaged record of the trace, which no trim has.
        let missing =
            words.split_once(" cannot look up blob ").and_then(|(at, rest)| Some((at, rest.split_once(':')?.0)));
        match missing {
            None => Self { kind: self.kind, words },
            Some((at, blob)) => Self {
                kind: ErrorKind::ReplayFailed,
                words: format!("{at} blob {blob} does not exist: expected a Blob record with that id in the trace"),
            },
        }
    }

    /// Whether it is one that only whoever draws can tell.
    fn is_of_drawing(&self) -> bool {
        ["DRAW", "DISPATCH", "CLEAR", "PRESENT"].iter().any(|command| self.words.starts_with(command))
            || self.words.starts_with("at 0x")
            || matches!(self.kind, ErrorKind::OverLimit)
    }
}

fn all_ways_refuse_alike(gpu: Arc<Gpu>) {
    let (count, first) = (setting("REFUSALS").unwrap_or(USUAL_COUNT), setting("REFUSALS_SEED").unwrap_or(0));
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut opened, mut refused) = (0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let (name, whole) = original(&mut random);
        let bytes = packet_mutant(&whole, &mut random);
        let source = Arc::new(MemorySource::from(bytes.clone()));
        let Ok(trace) = Trace::from_source(source, &mut Diagnostics::new()) else {
            continue;
        };
        opened += 1;
        let mut mutant = Mutant::new(Arc::new(trace), &gpu);
        mutant.compare();
        if let Some(folder) = std::env::var_os("REFUSALS_OUT").filter(|_| !mutant.wrong.is_empty()) {
            fs::write(Path::new(&folder).join(format!("{seed}.aerogputrace")), &bytes).unwrap();
        }
        refused += u64::from(!mutant.goes_on.is_empty() || mutant.index.stop().is_some());
        for (what, told) in mutant.wrong {
            wrong.entry(what).or_default().push(format!("seed {seed}, {name}: {what}: {told}"));
        }
    }
    let counts: Vec<String> = wrong.iter().map(|(what, all)| format!("{what} {}", all.len())).collect();
    println!("{count} mutants from seed {first}: {opened} opened, {refused} refused, disagreements: {counts:?}");
    let shown: Vec<String> = wrong.values().flat_map(|all| all.iter().take(6).cloned()).collect();
    assert!(wrong.is_empty(), "{counts:?}\n{}", shown.join("\n"));
    assert!(count < 100 || refused > count / 5, "only {refused} of {count} are refused");
}

fn original(random: &mut Random) -> (String, Vec<u8>) {
    match random.below(FILES.len() as u32 + 6) as usize {
        number if number < FILES.len() => (FILES[number].to_owned(), fs::read(fixture(FILES[number])).unwrap()),
        _ => {
            let seed = u64::from(random.below(200));
            (format!("random stream {seed}"), generated_file(seed))
        }
    }
}

struct Mutant<'g> {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    gpu: &'g Arc<Gpu>,
    /// Faults that playing on behind everything has found, by frame.
    goes_on: BTreeMap<u32, Vec<Refusal>>,
    wrong: Vec<(&'static str, String)>,
}

impl<'g> Mutant<'g> {
    fn new(trace: Arc<Trace>, gpu: &'g Arc<Gpu>) -> Self {
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        Self { trace, index, gpu, goes_on: BTreeMap::new(), wrong: Vec::new() }
    }

    fn compare(&mut self) {
        self.compare_checked();
        let played = self.play();
        self.compare_played(played.as_ref());
        self.goes_on = self.play_on();
        for frame in self.frames(played.as_ref().map(|(frame, _)| *frame)) {
            self.compare_sought(frame, played.as_ref());
            self.compare_sought_on(frame);
            self.compare_trimmed(frame);
        }
    }

    fn differ(&mut self, what: &'static str, told: String) {
        self.wrong.push((what, told));
    }

    fn player(&self, trace: &Arc<Trace>, policy: FaultPolicy) -> Player {
        let mut player = Player::new(trace.clone(), self.gpu.clone(), SIZE).unwrap();
        player.set_fault_policy(policy);
        player
    }

    fn frame_count(&self) -> u32 {
        self.trace.frames().len() as u32
    }

    /// The frames around what is wrong, and some others.
    fn frames(&self, refused: Option<u32>) -> Vec<u32> {
        let count = self.frame_count();
        let fault = self.index.faults().0.first().map(|fault| fault.at.frame.0);
        let around = [refused, fault].into_iter().flatten().flat_map(|frame| [frame, frame + 1]);
        let mut frames: Vec<u32> = around.chain([count.saturating_sub(1), 0, count / 2]).collect();
        let mut seen = Vec::new();
        frames.retain(|frame| {
            *frame < count && !seen.contains(frame) && {
                seen.push(*frame);
                true
            }
        });
        frames.truncate(FRAMES);
        frames
    }

    /// Faults that a check without a GPU finds are those that the index knows.
    fn compare_checked(&mut self) {
        let mut checked = Vec::new();
        let each = |found: Checked<'_>| {
            if let Checked::Wrong(error) = found {
                checked.push(Refusal::of(&error));
            }
        };
        let ended = check_trace(&self.trace, CheckDepth::References, &mut Diagnostics::new(), each);
        let ended = ended.err().map(|error| Refusal::of(&error));
        let faults = self.index.faults().0.iter();
        let indexed: Vec<Refusal> =
            faults.map(|fault| Refusal { kind: fault.kind, words: fault.message.clone() }).collect();
        let stop = self.stop();
        // What comes behind the last frame is in no index.
        let is_whole = self.index.stop().is_some() || self.index.frame_count() < self.trace.frames().len();
        if checked != indexed {
            self.differ("checked and indexed", format!("{checked:?}\n  {indexed:?}"));
        }
        if is_whole && ended != stop {
            self.differ("check and index end", format!("{ended:?}\n  {stop:?}"));
        }
    }

    fn stop(&self) -> Option<Refusal> {
        self.index.stop().map(|stop| Refusal { kind: stop.kind, words: stop.message.clone() })
    }

    /// The first that the index knows, and its frame.
    fn first_known(&self) -> Option<(u32, Refusal)> {
        let fault = self.index.faults().0.first();
        let fault = fault.map(|fault| (fault.at.frame.0, Refusal { kind: fault.kind, words: fault.message.clone() }));
        fault.or_else(|| Some((self.index.stop()?.frame.0, self.stop()?)))
    }

    /// Plays until something is refused.
    fn play(&mut self) -> Option<(u32, Refusal)> {
        let mut player = self.player(&self.trace, FaultPolicy::Stop);
        (0..self.frame_count()).find_map(|frame| Some((frame, Refusal::of(&player.seek(FrameIndex(frame)).err()?))))
    }

    fn compare_played(&mut self, played: Option<&(u32, Refusal)>) {
        let known = self.first_known();
        match (played, &known) {
            (Some((_, played)), _)
                if played.is_of_drawing() && Some(played) != known.as_ref().map(|(_, known)| known) => {}
            (played, known) if played == known.as_ref() => {}
            (played, known) => self.differ("played and indexed", format!("{played:?}\n  {known:?}")),
        }
    }

    /// Plays all on behind what is wrong; gives that by frame.
    fn play_on(&mut self) -> BTreeMap<u32, Vec<Refusal>> {
        let mut player = self.player(&self.trace, FaultPolicy::KeepGoing);
        let mut found = BTreeMap::new();
        for frame in 0..self.frame_count() {
            if let Err(error) = player.seek(FrameIndex(frame)) {
                self.differ("playing on ends", format!("frame {frame}: {error}"));
                break;
            }
            let errors: Vec<Refusal> = player.take_faults().errors.iter().map(Refusal::of).collect();
            if !errors.is_empty() {
                found.insert(frame, errors);
            }
        }
        found
    }

    fn sought(&self, frame: u32, policy: FaultPolicy) -> (Result<(), PlayerError>, Vec<Refusal>) {
        let mut player = self.player(&self.trace, policy);
        player.set_index(self.index.clone());
        // Whoever goes there at once plays nothing before it.
        let sought = player.seek(FrameIndex(frame));
        (sought, player.take_faults().errors.iter().map(Refusal::of).collect())
    }

    fn compare_sought(&mut self, frame: u32, played: Option<&(u32, Refusal)>) {
        if frame == 0 {
            return;
        }
        let sought = self.sought(frame, FaultPolicy::Stop).0.err().map(|error| Refusal::of(&error));
        let expected = played.filter(|(refused, _)| *refused <= frame);
        let is_hidden = |refused: &(u32, Refusal)| refused.0 < frame && refused.1.is_of_drawing();
        match (&sought, expected) {
            (sought, expected) if sought.as_ref() == expected.map(|(_, refusal)| refusal) => {}
            // A draw of an earlier frame is looked at only if it is seen.
            (_, Some(refused)) if is_hidden(refused) => {}
            _ => self.differ("sought and played", format!("frame {frame}: {sought:?}\n  {expected:?}")),
        }
    }

    fn own(&self, frame: u32) -> Vec<Refusal> {
        self.goes_on.get(&frame).cloned().unwrap_or_default()
    }

    fn compare_sought_on(&mut self, frame: u32) {
        if frame == 0 || frame as usize >= self.index.frame_count() {
            return;
        }
        let (sought, found) = self.sought(frame, FaultPolicy::KeepGoing);
        let (marker, expected) = (format!("frame {frame}"), self.own(frame));
        // A record that is damaged has no frame in its words.
        let is_own = |refusal: &&Refusal| refusal.words.contains(&marker) || expected.contains(refusal);
        let own: Vec<Refusal> = found.iter().filter(is_own).cloned().collect();
        if sought.is_err() || own != expected {
            let sought = sought.err();
            self.differ("sought on and played on", format!("frame {frame}: {sought:?} {own:?}\n  {expected:?}"));
        }
        let earlier: Vec<Refusal> = self.goes_on.range(..frame).flat_map(|(_, refusals)| refusals.clone()).collect();
        if let Some(other) = found.iter().find(|refusal| {
            // Of vertices of an earlier frame those count that are drawn again.
            !own.contains(refusal) && !earlier.iter().any(|earlier| earlier.anywhere() == refusal.anywhere())
        }) {
            self.differ("sought on finds what is not there", format!("frame {frame}: {other:?}"));
        }
    }

    /// Whether it is of a damaged record before a frame, which a trim leaves out.
    fn stands_before(&self, frame: u32, refusal: &Refusal) -> bool {
        let start = self.trace.frames()[frame as usize].bytes.start;
        let offset = refusal.words.strip_prefix("record spans ").and_then(|words| words.split_once(", at 0x"));
        offset.is_some_and(|(_, at)| u64::from_str_radix(at, 16).unwrap() < start)
    }

    fn compare_trimmed(&mut self, frame: u32) {
        let trimmed = write_trimmed(&self.trace, &self.index, &[FrameIndex(frame)], Shown::default(), Vec::new());
        let bytes = match trimmed {
            Ok(trimmed) => trimmed.sink,
            Err(error) => {
                let stop = self.index.stop().map(|stop| stop.message.clone()).unwrap_or_default();
                // A frame with a record that is damaged cannot be written.
                let is_own = self.own(frame).iter().any(|own| *own == Refusal::of(&error));
                let is_behind = frame as usize >= self.index.frame_count() && error.to_string().contains(&stop);
                if !is_own && !is_behind {
                    self.differ("trim is refused", format!("frame {frame}: {error}"));
                }
                return;
            }
        };
        let trace = match Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()) {
            Ok(trace) => Arc::new(trace),
            Err(error) => return self.differ("a trim cannot be opened", format!("frame {frame}: {error}")),
        };
        let mut player = self.player(&trace, FaultPolicy::KeepGoing);
        if let Err(error) = player.seek(FrameIndex(0)) {
            return self.differ("a trim cannot be played", format!("frame {frame}: {error}"));
        }
        let found: Vec<Refusal> =
            player.take_faults().errors.iter().map(|error| Refusal::of(error).anywhere()).collect();
        let anywhere = |refusals: &[Refusal]| refusals.iter().map(Refusal::anywhere).collect::<Vec<_>>();
        let mut in_frame = self.own(frame);
        in_frame.retain(|refusal| !self.stands_before(frame, refusal));
        let expected = anywhere(&in_frame);
        // What earlier frames have drawn comes along, and what is wrong with it.
        let earlier: Vec<Refusal> = self.goes_on.range(..frame).flat_map(|(_, refusals)| anywhere(refusals)).collect();
        let is_known =
            found.strip_suffix(&*expected).is_some_and(|carried| carried.iter().all(|one| earlier.contains(one)));
        if !is_known {
            self.differ("trimmed and played on", format!("frame {frame}: {found:?}\n  {expected:?}"));
        }
    }
}
