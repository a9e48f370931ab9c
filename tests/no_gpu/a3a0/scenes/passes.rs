//! Passes of frames, held against what the program knows by other ways: who reads is found backwards and forwards, and what is
//! for nothing by `lint` as well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::generator::random_scene;
use super::index_of;
use crate::support::harness::{Trial, trials_of};
use crate::support::random::random_trace;
use crate::support::root;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::replay::{
    CommandNumber, EffectKind, LinkedPasses, ObjectKey, PassId, PassKind, PassUse, ResolvedCommand, TraceIndex,
    WriteFate,
};

const SCENES: u64 = 150;
/// Readers that the program tells of one write.
const MOST_READERS: usize = 16;

pub fn trials() -> Vec<Trial> {
    trials_of![
        passes_of_random_scenes_agree,
        passes_of_random_packets_agree,
        passes_of_traces_on_disk_agree,
        a_question_that_nobody_waits_for_has_no_answer
    ]
}

#[derive(Debug, Default)]
struct Seen {
    passes: usize,
    across_frames: usize,
    within: usize,
    for_nothing: usize,
    overwritten: usize,
    own: usize,
    split: usize,
    finer_than_lint: usize,
    more_frames: usize,
}

fn passes_of_random_scenes_agree() {
    let mut seen = Seen::default();
    for seed in 0..SCENES {
        agree(&format!("scene {seed}"), &index_of(&random_scene(seed)), &mut seen);
    }
    println!("{seen:?}");
    let Seen { passes, across_frames, within, for_nothing, overwritten, own, split, finer_than_lint, .. } = seen;
    let counts = [passes, across_frames, within, for_nothing, overwritten, own, split];
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    assert!(finer_than_lint * 20 < for_nothing, "{finer_than_lint} of {for_nothing}");
}

fn passes_of_random_packets_agree() {
    let mut seen = Seen::default();
    for seed in 0..SCENES {
        agree(&format!("trace {seed}"), &index_of_bytes(random_trace(seed)), &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.passes > 300 && seen.across_frames > 30 && seen.within > 300, "{seen:?}");
}

fn passes_of_traces_on_disk_agree() {
    let mut seen = Seen::default();
    let mut files = Vec::new();
    for folder in ["fixtures/aerogpu", "fixtures/aerogpu/a3a0", "fixtures/aerogpu/mixed", "fixtures/examples"] {
        files.extend(traces_in(&root().join(folder)));
    }
    assert!(files.len() > 20, "{files:?}");
    for file in files {
        agree(&file.display().to_string(), &index_of_bytes(std::fs::read(&file).unwrap()), &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.across_frames > 100 && seen.within > 100 && seen.more_frames > 100, "{seen:?}");
}

fn a_question_that_nobody_waits_for_has_no_answer() {
    let index = index_of_bytes(std::fs::read(root().join("fixtures/examples/courtyard.aerogputrace")).unwrap());
    assert_eq!(index.linked_passes(0..1, || false).unwrap(), None);
    assert!(index.linked_passes(0..1, || true).unwrap().is_some());
}

fn traces_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|name| name == "aerogputrace")).collect()
}

fn index_of_bytes(bytes: Vec<u8>) -> TraceIndex {
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap();
    TraceIndex::build(&Arc::new(trace), |_| ())
}

fn agree(name: &str, index: &TraceIndex, seen: &mut Seen) {
    let all = 0..index.frame_count() as u32;
    let frames: Vec<LinkedPasses> =
        all.clone().flat_map(|frame| index.linked_passes(frame..frame + 1, || true).unwrap().unwrap()).collect();
    assert!(index.linked_passes(all, || true).unwrap().unwrap() == frames, "{name}: together they are others");
    for (frame, linked) in (0..).map(FrameIndex).zip(&frames) {
        commands_are_parted(name, index, frame, linked);
        seen.passes += linked.links.len();
        seen.split += halves_need_no_order(name, frame, linked);
    }
    links_go_both_ways(name, &frames, seen);
    what_is_for_nothing_is(name, index, &frames, seen);
}

/// Returns the number of passes that could be one with an earlier one, which read nothing that a pass between writes but uploads.
fn halves_need_no_order(name: &str, frame: FrameIndex, linked: &LinkedPasses) -> usize {
    let passes = linked.passes.passes();
    let mut halves = 0;
    for (pass, links) in (0..).zip(&linked.links) {
        let Some(earlier) = passes[pass as usize].could_join else { continue };
        halves += 1;
        assert_eq!(passes[pass as usize].targets, passes[earlier as usize].targets, "{name}, pass {pass}");
        for between in earlier + 1..pass {
            let is_upload = passes[between as usize].kind == PassKind::Uploads;
            let is_read =
                links.writes.iter().flat_map(|write| &write.read_by).any(|reader| named(reader) == (frame, between));
            assert!(is_upload || !is_read, "{name}: pass {between} reads of {pass}, which is behind it");
            let mut from = links.reads.iter().flat_map(|read| &read.from);
            assert!(is_upload || from.all(|from| named(from) != (frame, between)), "{name}: {pass} reads of {between}");
            let of_earlier = linked.links[between as usize].reads.iter();
            let on_targets =
                of_earlier.filter(|read| passes[pass as usize].targets.iter().any(|(of, _)| *of == read.object));
            let mut from = on_targets.flat_map(|read| &read.from);
            assert!(
                from.all(|from| named(from) != (frame, earlier)),
                "{name}: {between} reads of {earlier} what {pass} changes"
            );
        }
    }
    halves
}

/// Every command that works is of one pass, and draws of passes follow each other.
fn commands_are_parted(name: &str, index: &TraceIndex, frame: FrameIndex, linked: &LinkedPasses) {
    let passes = linked.passes.passes();
    let own = index.commands_of(frame).unwrap();
    let of_passes: u32 = passes.iter().map(|pass| pass.commands).sum();
    let with_pass = own.clone().filter(|number| linked.passes.pass_of(CommandNumber(*number)).is_some()).count();
    assert_eq!(of_passes as usize, with_pass, "{name}, frame {frame}");
    let mut next = 0;
    for pass in passes.iter().filter(|pass| !pass.draws.is_empty()) {
        assert_eq!((pass.kind, pass.draws.start), (PassKind::Draws, next), "{name}, frame {frame}");
        next = pass.draws.end;
    }
    assert_eq!(next as usize, index.draws_of(frame).count(), "{name}, frame {frame}");
    for number in own.map(CommandNumber) {
        let works = match index.command(number).unwrap() {
            ResolvedCommand::Submitted { kind, .. } => !matches!(kind, EffectKind::Setting | EffectKind::Creation),
            ResolvedCommand::Upload { .. } | ResolvedCommand::Draw { .. } | ResolvedCommand::Clear { .. } => true,
            ResolvedCommand::Present => true,
            _ => false,
        };
        // Creations and settings that write are among the uploads.
        assert!(linked.passes.pass_of(number).is_some() || !works, "{name}, command {number}");
    }
}

/// A pass by its frame and number.
type Named = (FrameIndex, u32);

fn named(place: &PassId) -> Named {
    (place.frame, place.pass)
}

fn links_go_both_ways(name: &str, frames: &[LinkedPasses], seen: &mut Seen) {
    // From the histories of objects: who reads, of whom, what.
    let mut backwards: BTreeMap<(Named, ObjectKey), BTreeSet<Named>> = BTreeMap::new();
    for (frame, linked) in (0..).map(FrameIndex).zip(frames) {
        for (pass, links) in (0..).zip(&linked.links) {
            for read in &links.reads {
                for from in &read.from {
                    backwards.entry((named(from), read.object)).or_default().insert((frame, pass));
                }
            }
        }
    }
    // From the walk through what follows.
    for (frame, linked) in (0..).map(FrameIndex).zip(frames) {
        for (pass, links) in (0..).zip(&linked.links) {
            let place = (frame, pass);
            for write in &links.writes {
                let expected = backwards.get(&(place, write.object)).cloned().unwrap_or_default();
                let mut told = Vec::new();
                for reader in &expected {
                    if reader.0 == frame || told.last().is_none_or(|last: &Named| last.0 != reader.0) {
                        told.push(*reader);
                    }
                }
                let not_told = told.iter().skip(MOST_READERS);
                let more_frames = not_told.filter(|reader| reader.0 != frame).count();
                told.truncate(MOST_READERS);
                seen.more_frames += more_frames;
                let object = write.object;
                let read_by: Vec<Named> = write.read_by.iter().map(named).collect();
                assert_eq!(read_by, told, "{name}: {object:?} of {place:?}");
                assert_eq!(write.more_frames as usize, more_frames, "{name}: {object:?} of {place:?}");
                seen.across_frames += told.iter().filter(|reader| reader.0 != frame).count();
                seen.within += told.iter().filter(|reader| reader.0 == frame).count();
            }
        }
    }
    let uses = frames.iter().flat_map(|linked| &linked.links).flat_map(|links| &links.reads);
    assert!(uses.filter(|read| read.from.is_empty()).all(|read| read.has_unwritten), "{name}");
}

/// A pass all of whose commands `lint` finds to be for nothing has nothing that is read, and the other way round.
fn what_is_for_nothing_is(name: &str, index: &TraceIndex, frames: &[LinkedPasses], seen: &mut Seen) {
    let vain = index.written_in_vain().unwrap();
    let dead: BTreeSet<CommandNumber> = vain.writes.iter().map(|write| write.command).collect();
    let unused: BTreeSet<ObjectKey> = vain.targets.iter().map(|target| target.object).collect();
    for (frame, linked) in (0..).map(FrameIndex).zip(frames) {
        for (pass, links) in (0..).zip(&linked.links) {
            let fates: Vec<WriteFate> = links.writes.iter().map(|write| write.fate).collect();
            seen.overwritten += fates.iter().filter(|fate| **fate == WriteFate::Overwritten).count();
            seen.own += fates.iter().filter(|fate| **fate == WriteFate::Own).count();
            // Of Appendix A `lint` tells uploads alone.
            let is_submitted = index.submission_of(linked.passes.passes()[pass].first).is_some();
            let is_told = links.writes.iter().any(|write| unused.contains(&write.object));
            if !is_submitted || fates.is_empty() || is_told {
                continue;
            }
            let own = index.commands_of(frame).unwrap().map(CommandNumber);
            let own = own.filter(|number| linked.passes.pass_of(*number) == Some(pass as u32));
            // A draw of nothing is not for nothing by `lint`, and creations and settings are not looked at.
            let is_looked_at = |number: &CommandNumber| {
                let Some(ResolvedCommand::Submitted { kind, .. }) = index.command(*number) else { return false };
                !matches!(kind, EffectKind::FailedDraw | EffectKind::Setting | EffectKind::Creation)
            };
            let own: Vec<CommandNumber> = own.filter(is_looked_at).collect();
            let dead_by_lint = own.iter().filter(|number| dead.contains(number)).count();
            let by_passes = fates.iter().all(|fate| matches!(fate, WriteFate::Overwritten | WriteFate::Unread));
            let is_dead_by_lint = dead_by_lint == linked.passes.passes()[pass].commands as usize;
            assert!(by_passes || !is_dead_by_lint, "{name}, frame {frame}, pass {pass}: {links:?}");
            // `lint` takes all that one command lets through as one, and so finds a little less.
            seen.finer_than_lint += usize::from(by_passes && !own.is_empty() && dead_by_lint == 0);
            seen.for_nothing += usize::from(by_passes);
        }
    }
    let tests = frames.iter().flat_map(|linked| &linked.links).flat_map(|links| &links.reads);
    assert!(tests.clone().all(|read| !(read.how == PassUse::Tests && read.from.is_empty() && !read.has_unwritten)));
}
