//! The index of a trace, with a bar for whoever waits for it.

use std::sync::Arc;
use std::time::Instant;

use super::args::CommonArgs;
use super::progress::{Printing, Progress};
use crate::format::aerogpu::Trace;
use crate::replay::{IndexBuilder, TraceIndex};
use crate::text::counted;

/// The index of the whole trace.
pub(super) fn make_index(trace: &Arc<Trace>, common: &CommonArgs) -> Arc<TraceIndex> {
    make_index_up_to(trace, usize::MAX, common)
}

/// The index of at least the first `frame_count` frames.
pub(super) fn make_index_up_to(trace: &Arc<Trace>, frame_count: usize, common: &CommonArgs) -> Arc<TraceIndex> {
    let started = Instant::now();
    let mut builder = IndexBuilder::new(trace.clone());
    let (mut frames, total) = (0, trace.frames().len().min(frame_count));
    let mut progress = Progress::of("building the index", total, Printing::WhenDone, common);
    while frames < total && builder.next_frame() {
        frames += 1;
        progress.step();
    }
    drop(progress);
    let index = builder.finish();
    log::info!("index: {} in {:.1?}", counted(index.command_count(), "command"), started.elapsed());
    Arc::new(index)
}
