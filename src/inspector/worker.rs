//! Threads that work beside the window, so that it never waits. Whatever takes long is done here.
//!
//! ```text
//!  panel ── ask(topic, job) ──► queue ──► thread: job(&mut subject, &cancel) ──► Promise ──► panel, at its next picture
//!                               newest of a topic wins; topics in order of urgency
//! ```
//!
//! Whoever holds a key down asks for a hundred frames and wants to see the last one: a newer job takes the place of
//! the one of the same topic that has not begun, and tells the one that has that nobody waits for it any more. So does
//! whoever drops a [`Promise`].

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::cancel::CancelToken;
use super::promise::Promise;

/// What a job on a trace is about: the smaller, the more urgent. One job a topic waits at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// Making the index, or taking it over.
    Index,
    /// Taking over how shaders are made.
    Shaders,
    /// Reading the timelines.
    Timelines,
    /// Watching the file.
    File,
    /// The picture to show.
    Show,
    /// What the panel in front asks.
    Question(u32),
    /// The other side of a comparison.
    Compare,
    /// The thumbnail of a frame, or of a draw of it.
    Thumbnail(u32, Option<u32>),
    /// Whether the picture of a frame is that of the one before.
    PictureChange(u32),
}

/// Called from other threads when there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

type Job<S> = Box<dyn FnOnce(&mut S, &CancelToken) + Send>;

struct QueuedJob<S> {
    job: Job<S>,
    cancel: CancelToken,
    what: String,
}

/// What a thread is at, in words that go with "waiting for", and since when.
#[derive(Clone, Debug)]
pub(super) struct Busy {
    pub what: String,
    pub since: Instant,
}

/// What one of the threads does.
struct Running<T> {
    thread: usize,
    /// `None`: it makes its subject.
    topic: Option<T>,
    cancel: CancelToken,
    busy: Busy,
}

struct Queue<S, T> {
    jobs: BTreeMap<T, QueuedJob<S>>,
    running: Vec<Running<T>>,
    has_closed: bool,
}

struct Shared<S, T> {
    queue: Mutex<Queue<S, T>>,
    changed: Condvar,
}

impl<S, T> Shared<S, T> {
    fn lock(&self) -> MutexGuard<'_, Queue<S, T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A queue of jobs, and the thread that does them on its subject; or several threads, where there is no subject.
pub(super) struct Worker<S, T = Topic> {
    shared: Arc<Shared<S, T>>,
    wake: Wake,
    /// Disconnects when the last thread is gone, and its subject with it.
    ended: Receiver<()>,
}

impl<S: 'static, T: Copy + Ord + Send + 'static> Worker<S, T> {
    /// Starts a thread that makes its subject and then waits for jobs.
    pub(crate) fn start(name: &str, make: impl FnOnce() -> S + Send + 'static, wake: Wake) -> std::io::Result<Self> {
        let (alive, ended) = channel();
        let worker = Self::without_threads(wake, ended);
        worker.spawn(name, 0, make, alive)?;
        Ok(worker)
    }

    fn without_threads(wake: Wake, ended: Receiver<()>) -> Self {
        let queue = Queue { jobs: BTreeMap::new(), running: Vec::new(), has_closed: false };
        Self { shared: Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() }), wake, ended }
    }

    fn spawn(
        &self,
        name: &str,
        thread: usize,
        make: impl FnOnce() -> S + Send + 'static,
        alive: Sender<()>,
    ) -> std::io::Result<()> {
        let busy = Busy { what: format!("starting the {name}"), since: Instant::now() };
        self.shared.lock().running.push(Running { thread, topic: None, cancel: CancelToken::default(), busy });
        let shared = self.shared.clone();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            work(&shared, thread, make());
            drop(alive);
        })?;
        Ok(())
    }

    /// Queues a job; `what` says what is done, as in "drawing frame 3". The answer comes with the next wake-up, or never
    /// if a newer job of the topic comes first. Nothing is done for a promise that is dropped before.
    pub(crate) fn ask<A: Send + Sync + 'static>(
        &self,
        topic: T,
        what: impl Into<String>,
        job: impl FnOnce(&mut S, &CancelToken) -> A + Send + 'static,
    ) -> Promise<A> {
        let cancel = CancelToken::default();
        let (promise, setter) = Promise::new(cancel.clone());
        let wake = self.wake.clone();
        let job: Job<S> = Box::new(move |subject, cancel| {
            if setter.is_awaited() {
                setter.set(job(subject, cancel));
                wake();
            }
        });
        self.queue(topic, QueuedJob { job, cancel, what: what.into() });
        promise
    }

    /// Queues a job that nobody waits for.
    pub(crate) fn tell(&self, topic: T, what: impl Into<String>, job: impl FnOnce(&mut S) + Send + 'static) {
        let wake = self.wake.clone();
        let job: Job<S> = Box::new(move |subject, _| {
            job(subject);
            wake();
        });
        self.queue(topic, QueuedJob { job, cancel: CancelToken::default(), what: what.into() });
    }

    fn queue(&self, topic: T, job: QueuedJob<S>) {
        let mut queue = self.shared.lock();
        for running in queue.running.iter().filter(|running| running.topic == Some(topic)) {
            running.cancel.set();
        }
        queue.jobs.insert(topic, job);
        drop(queue);
        self.shared.changed.notify_one();
    }
}

impl<T: Copy + Ord + Send + 'static> Worker<(), T> {
    /// Starts several threads that take jobs from one queue. An error if there is not even one.
    pub(crate) fn start_pool(name: &str, threads: NonZeroUsize, wake: Wake) -> std::io::Result<Self> {
        let (alive, ended) = channel();
        let worker = Self::without_threads(wake, ended);
        for thread in 0..threads.get() {
            worker.spawn(name, thread, || (), alive.clone())?;
        }
        Ok(worker)
    }
}

impl<S, T> Worker<S, T> {
    /// Whether nothing waits and nothing is being done.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.shared.lock();
        queue.jobs.is_empty() && queue.running.is_empty()
    }

    /// What its threads have been at for the longest, if they are at anything.
    pub(crate) fn busy(&self) -> Option<Busy> {
        let queue = self.shared.lock();
        queue.running.iter().map(|running| &running.busy).min_by_key(|busy| busy.since).cloned()
    }

    /// Waits for the threads to be gone, as long as `patience` lasts, and says whether they are: drivers crash in threads
    /// that outlive `main`.
    pub(crate) fn close(self, patience: Duration) -> bool {
        self.stop();
        // Nothing is ever sent.
        self.ended.recv_timeout(patience) == Err(RecvTimeoutError::Disconnected)
    }

    fn stop(&self) {
        let mut queue = self.shared.lock();
        queue.has_closed = true;
        queue.jobs.clear();
        queue.running.iter().for_each(|running| running.cancel.set());
        drop(queue);
        self.shared.changed.notify_all();
    }
}

impl<S, T> Drop for Worker<S, T> {
    fn drop(&mut self) {
        // Not joined: the job being done may wait for a GPU, and the window does not.
        self.stop();
    }
}

fn work<S, T: Copy + Ord>(shared: &Shared<S, T>, thread: usize, mut subject: S) {
    loop {
        let mut queue = shared.lock();
        queue.running.retain(|running| running.thread != thread);
        let (job, cancel) = loop {
            if queue.has_closed {
                return;
            }
            match queue.jobs.pop_first() {
                Some((topic, QueuedJob { job, cancel, what })) => {
                    let busy = Busy { what, since: Instant::now() };
                    queue.running.push(Running { thread, topic: Some(topic), cancel: cancel.clone(), busy });
                    break (job, cancel);
                }
                None => queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(queue);
        job(&mut subject, &cancel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_job_of_a_topic_wins_and_urgent_topics_come_first() {
        let (started, has_started) = channel();
        let (go_on, may_go_on) = channel::<()>();
        let (woken, wakes) = channel();
        let wake: Wake = Arc::new(move || woken.send(()).unwrap());
        let worker = Worker::start("test", Vec::new, wake).unwrap();
        let first = worker.ask(Topic::Show, "the first", move |done: &mut Vec<u32>, cancel| {
            started.send(()).unwrap();
            may_go_on.recv().unwrap();
            done.push(0);
            cancel.is_set()
        });
        has_started.recv().unwrap();
        assert_eq!(worker.busy().map(|busy| busy.what).as_deref(), Some("the first"));
        let push = |number: u32| move |done: &mut Vec<u32>| done.push(number);
        worker.tell(Topic::Thumbnail(3, None), "", push(4));
        let replaced = worker.ask(Topic::Show, "", |done: &mut Vec<u32>, _| done.push(1));
        worker.tell(Topic::Question(7), "", push(3));
        worker.tell(Topic::Show, "", push(2));
        drop(worker.ask(Topic::Question(8), "", |done: &mut Vec<u32>, _| done.push(5)));
        go_on.send(()).unwrap();
        let all = worker.ask(Topic::Thumbnail(9, None), "", |done: &mut Vec<u32>, _| done.clone());
        for _ in 0..5 {
            wakes.recv().unwrap();
        }
        assert_eq!(first.get(), Some(&true), "the job that was being done learns that a newer one waits");
        assert_eq!(replaced.get(), None);
        assert_eq!(all.get(), Some(&vec![0, 2, 3, 4]), "and nothing is done that nobody waits for");
    }

    #[test]
    fn dropping_a_promise_or_the_worker_tells_the_job() {
        let two = NonZeroUsize::new(2).unwrap();
        let worker: Worker<(), u32> = Worker::start_pool("test", two, Arc::new(|| ())).unwrap();
        let (told, was_told) = channel();
        let wait = || {
            let told = told.clone();
            move |(): &mut (), cancel: &CancelToken| {
                told.send(false).unwrap();
                told.send(cancel.wait(Duration::from_secs(60))).unwrap();
            }
        };
        let (first, second) = (worker.ask(1, "one", wait()), worker.ask(2, "the other", wait()));
        assert_eq!((was_told.recv(), was_told.recv()), (Ok(false), Ok(false)), "both threads are at work");
        drop(first);
        assert_eq!(was_told.recv(), Ok(true));
        assert!(worker.close(Duration::from_secs(60)));
        assert_eq!((was_told.try_recv(), second.get()), (Ok(true), Some(&())));
    }
}
