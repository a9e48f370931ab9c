//! Encodes, hashes and writes pictures on threads of their own; results are printed in the order of the frames.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, Scope};

use super::exit::Failure;
use super::output::print_json;
use super::picture_output::PictureOutput;
use super::render::Job;
use super::whole_file::write_file;
use crate::error::ErrorKind;
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{PictureHash, Size, Surface};
use crate::text::json_line;

/// Pictures that wait for a thread, for each thread.
const WAITING: usize = 2;

/// What became of a picture.
struct Delivered {
    frame: FrameIndex,
    size: Size,
    hash: Option<PictureHash>,
    path: Option<PathBuf>,
    /// The encoded picture, if it goes to stdout.
    bytes: Vec<u8>,
}

/// A picture, and where its result goes.
struct Order {
    surface: Surface,
    frame: FrameIndex,
    reply: mpsc::SyncSender<Result<Delivered, Failure>>,
}

/// The threads, and what they work on.
pub(super) struct Delivery<'scope> {
    job: &'scope Job<'scope>,
    adapter: &'scope str,
    orders: Option<mpsc::SyncSender<Order>>,
    /// In the order of the frames.
    replies: VecDeque<mpsc::Receiver<Result<Delivered, Failure>>>,
    most_waiting: usize,
}

impl<'scope> Delivery<'scope> {
    /// Starts the threads, as many as there are processors, but no more than pictures.
    pub(crate) fn new<'env>(
        scope: &'scope Scope<'scope, 'env>,
        job: &'scope Job<'scope>,
        adapter: &'scope str,
        pictures: usize,
    ) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(pictures.saturating_sub(1));
        let (sender, receiver) = mpsc::sync_channel::<Order>(threads * WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let mut started = 0;
        for _ in 0..threads {
            let receiver = receiver.clone();
            let work = move || {
                loop {
                    let order = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Order { surface, frame, reply }) = order else { return };
                    // Nobody listens any more if the program is ending with an error.
                    let _ = reply.send(job.make(&surface, frame, adapter));
                }
            };
            started +=
                usize::from(thread::Builder::new().name("pictures".to_owned()).spawn_scoped(scope, work).is_ok());
        }
        let orders = (started > 0).then_some(sender);
        Self { job, adapter, orders, replies: VecDeque::new(), most_waiting: threads * (WAITING + 1) }
    }

    /// Takes over a picture. Prints what is done, and waits if too much is not.
    pub(crate) fn take(&mut self, surface: Surface, frame: FrameIndex, out: &mut impl Write) -> Result<(), Failure> {
        let Some(orders) = &self.orders else {
            return self.job.print(&self.job.make(&surface, frame, self.adapter)?, out);
        };
        let (reply, receiver) = mpsc::sync_channel(1);
        orders.send(Order { surface, frame, reply }).map_err(|_| lost())?;
        self.replies.push_back(receiver);
        while self.replies.len() > self.most_waiting {
            self.print_next(out)?;
        }
        Ok(())
    }

    /// Waits for the rest.
    pub(crate) fn finish(mut self, out: &mut impl Write) -> Result<(), Failure> {
        self.orders = None;
        while !self.replies.is_empty() {
            self.print_next(out)?;
        }
        Ok(())
    }

    fn print_next(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        let Some(reply) = self.replies.pop_front() else { return Ok(()) };
        let delivered = reply.recv().map_err(|_| lost())??;
        self.job.print(&delivered, out)
    }
}

fn lost() -> Failure {
    Failure::new(ErrorKind::Internal, anyhow::anyhow!("a thread that writes pictures ended early; please report it"))
}

impl Job<'_> {
    /// Hashes, encodes and writes a picture, as far as it is wanted.
    fn make(&self, surface: &Surface, frame: FrameIndex, adapter: &str) -> Result<Delivered, Failure> {
        let picture = match surface {
            Surface::Color(picture) => Cow::Borrowed(picture),
            Surface::Depth(_) => Cow::Owned(surface.picture()),
        };
        let hash = (self.common.json || self.args.hash).then(|| picture.hash());
        let mut delivered = Delivered { frame, size: picture.size(), hash, path: None, bytes: Vec::new() };
        let Some(output) = &self.output else { return Ok(delivered) };
        let texts = if self.args.png_info { self.png_texts(frame, adapter) } else { Vec::new() };
        let encode =
            |into: &mut dyn Write| -> Result<(), anyhow::Error> { Ok(output.format().write(surface, &texts, into)?) };
        match output.path_for(self.path, frame.0, self.shown()) {
            Some(path) => {
                write_file(&path, &self.inputs, encode)?;
                log::debug!("{}: frame {frame}", path.display());
                delivered.path = Some(path);
            }
            None => encode(&mut delivered.bytes).map_err(|error| Failure::new(ErrorKind::WriteFailed, error))?,
        }
        Ok(delivered)
    }

    fn print(&self, delivered: &Delivered, out: &mut impl Write) -> Result<(), Failure> {
        let Delivered { frame, size, hash, path, bytes } = delivered;
        if self.output == Some(PictureOutput::Stdout) {
            return Ok(out.write_all(bytes)?);
        }
        let Some(hash) = hash else { return Ok(()) };
        if self.common.json {
            let line = json_line!("picture", { "frame": frame.0, "frames": self.frame_count,
                "width": size.width_px, "height": size.height_px,
                "present": self.args.shown.present, "scanout": self.args.shown.scanout,
                "target": self.args.shown.target.map(|name| name.to_string()), "sha256": hash.to_string(), "out": path.as_ref().map(|path| path.display().to_string()),
            });
            print_json(out, &line)?;
        } else {
            writeln!(out, "frame {frame}{}: {size} sha256={hash}", self.shown().in_words())?;
        }
        Ok(())
    }

    fn png_texts(&self, frame: FrameIndex, adapter: &str) -> Vec<(String, String)> {
        let trace = self.path.file_name().unwrap_or_default().to_string_lossy();
        let texts = [
            ("Software", concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()),
            ("Source", trace.into_owned()),
            ("Frame", format!("{frame} of {}{}", self.frame_count, self.shown().in_words())),
            ("Adapter", adapter.to_owned()),
        ];
        texts.map(|(keyword, text)| (keyword.to_owned(), text)).into()
    }
}
