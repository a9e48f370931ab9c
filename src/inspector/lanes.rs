//! The lanes of the timeline: the trace itself, and annotations beside it.

use std::cell::LazyCell;
use std::path::PathBuf;
use std::sync::Arc;

use super::services::{Annotation, OpenTrace, Services};
use super::timeline::{Lane, LaneAlignment, LaneArguments};
use crate::bytes::Diagnostics;
use crate::format::aerogpu::Trace;
use crate::timeline::aerogpu::{AerogpuArguments, map_aerogpu, uploads_of_frames};
use crate::timeline::{
    Alignment, Argument, ArgumentError, ArgumentSource, CommonAxis, Method, NoArguments, RecordOffset, Timeline,
    align_with, health,
};

/// An annotation to read, and how it is to be laid beside the trace.
#[derive(Clone, Debug)]
pub struct AnnotationChoice {
    /// The file.
    pub path: PathBuf,
    /// How.
    pub method: Method,
}

/// The lanes, and what went wrong on the way.
#[derive(Clone)]
pub(super) struct Lanes {
    pub lanes: Vec<Lane>,
    pub problems: Vec<String>,
}

/// Reads everything. An annotation that does not fit is shown all the same, on an axis of its own.
pub(super) fn read_lanes(open: &OpenTrace, choices: &[AnnotationChoice], services: &dyn Services) -> Lanes {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mapped = map_aerogpu(&open.trace, &name(&open.path), &mut Diagnostics::new());
    let reference = Arc::new(mapped.timeline);
    let mut lanes = vec![Lane {
        title: name(&open.path),
        timeline: reference.clone(),
        alignment: LaneAlignment::Reference,
        arguments: Some(Arc::new(TraceArguments(open.trace.clone()))),
        draw_name: Some("DRAW"),
    }];
    let mut problems = Vec::new();
    let own_uploads = LazyCell::new(|| uploads_of_frames(&open.trace));
    for AnnotationChoice { path, method } in choices {
        let Annotation { timeline, uploads, arguments, problem } = match services.annotation(path, method) {
            Ok(annotation) => annotation,
            Err(message) => {
                problems.push(message);
                continue;
            }
        };
        problems.extend(problem);
        let findings = health(&timeline).into_iter();
        problems.extend(findings.map(|finding| format!("{}: {}", path.display(), finding.in_words(&timeline))));
        let own_uploads: &[_] = if method.compares_contents() { &own_uploads } else { &[] };
        let alignment = match align_with((&reference, own_uploads), (&timeline, &uploads), method) {
            Ok(alignment) => LaneAlignment::Aligned(alignment),
            Err(error) => {
                problems.push(format!("{}: {error}", path.display()));
                LaneAlignment::Unaligned(error.to_string())
            }
        };
        lanes.push(Lane { title: name(path), timeline, alignment, arguments: Some(arguments), draw_name: None });
    }
    refuse_offsets(&reference, &mut lanes, &mut problems);
    Lanes { lanes, problems }
}

/// An offset in time means something only where one of the others has a clock.
fn refuse_offsets(reference: &Timeline, lanes: &mut [Lane], problems: &mut Vec<String>) {
    let timelines: Vec<Arc<Timeline>> = lanes.iter().map(|lane| lane.timeline.clone()).collect();
    let aligned = |lanes: &[Lane]| -> Vec<(usize, Alignment)> {
        let aligned = lanes.iter().enumerate().filter_map(|(number, lane)| match &lane.alignment {
            LaneAlignment::Aligned(alignment) => Some((number, alignment.clone())),
            _ => None,
        });
        aligned.collect()
    };
    let alignments = aligned(lanes);
    let pairs: Vec<(&Timeline, &Alignment)> =
        alignments.iter().filter_map(|(number, alignment)| Some((&**timelines.get(*number)?, alignment))).collect();
    let Err(error) = CommonAxis::new(reference, &pairs).check_offsets(&pairs) else { return };
    for lane in lanes.iter_mut() {
        if matches!(&lane.alignment, LaneAlignment::Aligned(alignment) if alignment.offset_us.is_some()) {
            problems.push(format!("{}: {error}", lane.title));
            lane.alignment = LaneAlignment::Unaligned(error.to_string());
        }
    }
}

/// Arguments of a lane's events, for what reads many of them. What cannot be decoded has no arguments that could match.
pub(super) fn argument_source(arguments: Option<Arc<dyn LaneArguments>>) -> Box<dyn ArgumentSource> {
    match arguments {
        Some(arguments) => Box::new(LaneArgumentSource(arguments)),
        None => Box::new(NoArguments),
    }
}

struct LaneArgumentSource(Arc<dyn LaneArguments>);

impl ArgumentSource for LaneArgumentSource {
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        *into = match record.is_none() {
            true => Vec::new(),
            false => self.0.arguments(record).unwrap_or_default(),
        };
        Ok(())
    }
}

/// Arguments of the trace's own packets.
struct TraceArguments(Arc<Trace>);

impl LaneArguments for TraceArguments {
    fn arguments(&self, record: RecordOffset) -> Result<Vec<Argument>, String> {
        let mut arguments = Vec::new();
        let read = AerogpuArguments::new(&self.0).arguments(record, &mut arguments);
        read.map(|()| arguments).map_err(|error| error.to_string())
    }
}
