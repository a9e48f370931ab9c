//! The index of a trace: from the file beside it, or made now.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::args::CommonArgs;
use super::whole_file::write_file;
use crate::bytes::limits::MAX_INDEX_FILE_BYTES;
use crate::format::aerogpu::Trace;
use crate::replay::{IndexBuilder, IndexKey, TraceIndex};

/// An index that took longer to make is kept: reading it back is faster then, and nobody wants a file beside each of a
/// thousand small traces.
const WORTH_KEEPING: Duration = Duration::from_millis(200);
/// When to show that something is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the file beside the trace may be used.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct CacheArgs {
    /// Neither read nor write TRACE.index, which keeps what takes long to find out about a trace
    #[arg(long)]
    pub no_cache: bool,
}

/// The index of the whole trace at `path`.
pub(super) fn open_index(path: &Path, trace: &Arc<Trace>, cache: CacheArgs, common: &CommonArgs) -> Arc<TraceIndex> {
    open_index_up_to(path, trace, usize::MAX, cache, common)
}

/// The index of at least the first `frame_count` frames of the trace at `path`.
pub(super) fn open_index_up_to(
    path: &Path,
    trace: &Arc<Trace>,
    frame_count: usize,
    cache: CacheArgs,
    common: &CommonArgs,
) -> Arc<TraceIndex> {
    let cache = Cache::new(path, trace, cache);
    if let Some(index) = cache.read(trace) {
        return Arc::new(index);
    }
    let started = Instant::now();
    let index = build(trace, frame_count, common);
    cache.keep(&index, trace, started.elapsed());
    Arc::new(index)
}

/// The file beside a trace that keeps its index.
struct Cache {
    path: PathBuf,
    /// `None`: neither to be read nor written.
    key: Option<IndexKey>,
}

impl Cache {
    fn new(trace_path: &Path, trace: &Trace, cache: CacheArgs) -> Self {
        let modified = fs::metadata(trace_path).and_then(|metadata| metadata.modified()).ok();
        let key = if cache.no_cache { None } else { IndexKey::of(trace, modified).ok().flatten() };
        Self { path: cache_path(trace_path), key }
    }

    fn read(&self, trace: &Arc<Trace>) -> Option<TraceIndex> {
        read_cache(&self.path, self.key.as_ref()?, trace)
    }

    /// Keeps an index that took `elapsed` to make, if that is worth it.
    fn keep(&self, index: &TraceIndex, trace: &Trace, elapsed: Duration) {
        let is_worth_keeping = index.frame_count() == trace.frames().len() && elapsed >= WORTH_KEEPING;
        let key = self.key.as_ref().filter(|_| is_worth_keeping);
        let Some(bytes) = key.and_then(|key| index.to_cache(key)) else { return };
        // Without it the next run takes a little longer; that is no reason to fail.
        match write_file(&self.path, |into| Ok(into.write_all(&bytes)?)) {
            Ok(()) => log::info!("{}: kept the index for the next time", self.path.display()),
            Err(failure) => log::info!("{failure}"),
        }
    }
}

/// The index of the whole trace at `path`, made without a word. `progress` hears how many frames are done, and says
/// whether to go on.
#[cfg(feature = "gpu")]
pub(super) fn open_index_watched(
    path: &Path,
    trace: &Arc<Trace>,
    cache: CacheArgs,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Option<Arc<TraceIndex>> {
    let cache = Cache::new(path, trace, cache);
    if let Some(index) = cache.read(trace) {
        return Some(Arc::new(index));
    }
    let started = Instant::now();
    let mut builder = IndexBuilder::new(trace.clone());
    let mut frames = 0;
    while builder.next_frame() {
        frames += 1;
        if !progress(frames) {
            return None;
        }
    }
    let index = builder.finish();
    cache.keep(&index, trace, started.elapsed());
    Some(Arc::new(index))
}

fn cache_path(trace: &Path) -> PathBuf {
    let mut name = trace.as_os_str().to_owned();
    name.push(".index");
    name.into()
}

fn read_cache(path: &Path, key: &IndexKey, trace: &Arc<Trace>) -> Option<TraceIndex> {
    let size = fs::metadata(path).ok().filter(|metadata| metadata.is_file())?.len();
    if size > MAX_INDEX_FILE_BYTES {
        return None;
    }
    let index = TraceIndex::from_cache(&fs::read(path).ok()?, key, trace);
    match &index {
        Some(_) => log::info!("index: from {}", path.display()),
        None => log::info!("index: {} is stale or damaged, making it anew", path.display()),
    }
    index
}

fn build(trace: &Arc<Trace>, frame_count: usize, common: &CommonArgs) -> TraceIndex {
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
    index
}
