//! Rows on a device: drawn, and judged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thiserror::Error;

use super::outcome::Outcome;
use super::row::{ConformanceRow, Expectation};
use crate::bytes::{Diagnostics, MemorySource};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{AdapterSummary, Gpu, GpuError};
use crate::pixels::{Picture, compare};
use crate::player::{Player, PlayerError};
use crate::text::counted;

/// The picture of a row on a device, or why it has none.
#[derive(Clone, Debug)]
pub enum RowResult {
    /// Its picture.
    Drawn(Picture),
    /// An outcome that needs no comparison.
    Ended(Outcome),
}

/// Rows that cannot be drawn at all.
#[derive(Debug, Error)]
pub enum ConformanceError {
    /// The device cannot be opened.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A broken invariant.
    #[error(transparent)]
    Internal(#[from] Internal),
}

impl Classified for ConformanceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Gpu(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// Characters of a message that are kept.
const LONGEST_MESSAGE: usize = 400;

/// Opens a device.
type Opener = Box<dyn Fn() -> Result<Arc<Gpu>, GpuError> + Send>;

/// Rows on one adapter. They are drawn on a thread of their own: a driver that compiles a shader for minutes, as Mesa's
/// OpenGL does with shared memory, is left alone, and the next row has a device of its own.
pub struct ConformanceRun {
    open: Opener,
    patience: Duration,
    thread: Option<DrawingThread>,
    /// Rows that took too long, by group and first value.
    slow: BTreeMap<(&'static str, Option<&'static str>), u32>,
}

/// Of rows with the same group and first value so many take too long before the others are left out.
const MOST_SLOW_ROWS: u32 = 2;

struct DrawingThread {
    rows: Sender<ConformanceRow>,
    results: Receiver<Result<RowResult, Internal>>,
    adapter: AdapterSummary,
    handle: JoinHandle<()>,
}

impl ConformanceRun {
    /// Rows are drawn on devices that `open` opens, each within `patience`.
    pub fn new(open: impl Fn() -> Result<Arc<Gpu>, GpuError> + Send + 'static, patience: Duration) -> Self {
        Self { open: Box::new(open), patience, thread: None, slow: BTreeMap::new() }
    }

    /// The adapter.
    pub fn adapter(&mut self) -> Result<AdapterSummary, ConformanceError> {
        Ok(self.thread()?.adapter.clone())
    }

    fn thread(&mut self) -> Result<&DrawingThread, ConformanceError> {
        let thread = match self.thread.take() {
            Some(thread) => thread,
            None => DrawingThread::start((self.open)()?)?,
        };
        Ok(self.thread.insert(thread))
    }

    /// Draws a row.
    pub fn draw(&mut self, row: &ConformanceRow) -> Result<RowResult, ConformanceError> {
        let patience = self.patience;
        let alike = (row.group(), row.values().first().copied());
        if self.slow.get(&alike).is_some_and(|count| *count >= MOST_SLOW_ROWS) {
            let message =
                format!("{MOST_SLOW_ROWS} rows like it took longer than {}", counted(patience.as_secs(), "second"));
            return Ok(RowResult::Ended(Outcome::NotJudged { message }));
        }
        let thread = self.thread()?;
        let ended = || Internal::new("the thread that draws rows has ended");
        thread.rows.send(*row).map_err(|_| ended())?;
        match thread.results.recv_timeout(patience) {
            Ok(result) => {
                let result = result?;
                if matches!(result, RowResult::Ended(Outcome::Failed { .. })) {
                    // The device may be lost.
                    self.end_thread();
                }
                Ok(result)
            }
            Err(RecvTimeoutError::Timeout) => {
                *self.slow.entry(alike).or_default() += 1;
                // The device is at work still, and may be for ever.
                self.thread = None;
                let message = format!("no picture within {}", counted(patience.as_secs(), "second"));
                Ok(RowResult::Ended(Outcome::Failed { message }))
            }
            Err(RecvTimeoutError::Disconnected) => Err(ended().into()),
        }
    }

    /// Waits until the device of a thread that draws nothing is gone.
    fn end_thread(&mut self) {
        if let Some(DrawingThread { rows, handle, .. }) = self.thread.take() {
            drop(rows);
            // A panic there was told as its row's result.
            let _ = handle.join();
        }
    }
}

impl Drop for ConformanceRun {
    /// A driver that is still taken down when the process ends crashes it.
    fn drop(&mut self) {
        self.end_thread();
    }
}

impl DrawingThread {
    fn start(gpu: Arc<Gpu>) -> Result<Self, Internal> {
        let (rows, to_draw) = channel::<ConformanceRow>();
        let (drawn, results) = channel();
        let adapter = gpu.summary().clone();
        let work = move || {
            while let Ok(row) = to_draw.recv() {
                if drawn.send(draw(&gpu, &row)).is_err() {
                    // Nobody waits any more.
                    break;
                }
            }
        };
        let started = thread::Builder::new().name("conformance".to_owned()).spawn(work);
        let handle = started.map_err(|_| Internal::new("no thread is drawing rows"))?;
        Ok(Self { rows, results, adapter, handle })
    }
}

fn draw(gpu: &Arc<Gpu>, row: &ConformanceRow) -> Result<RowResult, Internal> {
    let made = row.trace()?;
    let source = Arc::new(MemorySource::from(made.file));
    let trace = Trace::from_source(source, &mut Diagnostics::new());
    let trace = trace.map_err(|_| Internal::new("a row's trace cannot be read"))?;
    let drawn = Player::new(Arc::new(trace), gpu.clone(), made.size).and_then(|mut player| {
        player.set_shown(made.shown);
        player.render(FrameIndex(0))
    });
    Ok(match drawn {
        Ok(picture) => RowResult::Drawn(picture),
        Err(error) => RowResult::Ended(outcome_of(&error)),
    })
}

fn outcome_of(error: &PlayerError) -> Outcome {
    // Compilers list every function that they have.
    let message: String = error.to_string().chars().take(LONGEST_MESSAGE).collect();
    match error.kind() {
        ErrorKind::Unsupported | ErrorKind::OverLimit => Outcome::Refused { message },
        _ => Outcome::Failed { message },
    }
}

impl RowResult {
    /// The outcome of a row, with Vulkan's result for rows whose picture is not computed.
    pub fn judge(&self, row: &ConformanceRow, of_vulkan: Option<&Self>) -> Result<Outcome, Internal> {
        let picture = match self {
            Self::Drawn(picture) => picture,
            Self::Ended(outcome) => return Ok(outcome.clone()),
        };
        let expected = row.expectation()?;
        let expected = match (&expected, of_vulkan) {
            (Expectation::Computed(picture), _) | (Expectation::OfVulkan, Some(Self::Drawn(picture))) => picture,
            (Expectation::OfVulkan, _) => {
                let message = "Vulkan has no picture to compare with".to_owned();
                return Ok(Outcome::NotJudged { message });
            }
        };
        Ok(match compare(expected, picture) {
            Ok(difference) => match difference.largest_step() {
                0 => Outcome::Right,
                1 => Outcome::OneStep,
                steps => Outcome::Differs { steps },
            },
            Err(error) => Outcome::Failed { message: error.to_string() },
        })
    }
}
