//! The index of a trace, with a bar for whoever waits for it.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::args::CommonArgs;
use crate::format::aerogpu::Trace;
use crate::replay::{IndexBuilder, TraceIndex};

/// When to show that something is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// The index of the whole trace.
pub(super) fn make_index(trace: &Arc<Trace>, common: &CommonArgs) -> Arc<TraceIndex> {
    make_index_up_to(trace, usize::MAX, common)
}

/// The index of at least the first `frame_count` frames.
pub(super) fn make_index_up_to(trace: &Arc<Trace>, frame_count: usize, common: &CommonArgs) -> Arc<TraceIndex> {
    let started = Instant::now();
    let mut builder = IndexBuilder::new(trace.clone());
    let mut progress: Option<ProgressBar> = None;
    let (mut frames, total) = (0, trace.frames().len().min(frame_count) as u64);
    while frames < total && builder.next_frame() {
        frames += 1;
        if let Some(progress) = &progress {
            progress.set_position(frames);
        } else if started.elapsed() > PATIENCE && !common.quiet && std::io::stderr().is_terminal() {
            progress = Some(ProgressBar::new(total));
        }
    }
    if let Some(progress) = progress {
        progress.finish_and_clear();
    }
    let index = builder.finish();
    log::info!("index: {} commands in {:.1?}", index.command_count(), started.elapsed());
    Arc::new(index)
}
