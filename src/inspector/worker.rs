//! A thread that works through queue, so that the window never waits.
//!
//! ```text
//!  panel ── ask(topic, job) ──► queue ──► thread: job(&mut subject) ──► Promise ──► panel, at its next picture
//!                               newest of a topic wins; topics in order of urgency
//! ```
//!
//! Whoever holds a key down asks for a hundred frames and wants to see the last one: a newer job takes the place of
//! the one of the same topic that has not begun, and tells the one that has that nobody waits for it any more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What a job is about: the smaller, the more urgent. One job a topic waits at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// Replacing what the answers are worked out from (index, shaders).
    Groundwork,
    /// The picture to show.
    Show,
    /// What the panel in front asks.
    Question(u32),
    /// The other side of a comparison.
    Compare,
    /// The thumbnail of a frame.
    Thumbnail(u32),
}

/// Set when nobody waits for a job any more.
#[derive(Clone, Debug, Default)]
pub(super) struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An answer that may not be there yet.
#[derive(Debug)]
pub(super) struct Promise<T>(Arc<OnceLock<T>>);

impl<T> Promise<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// An answer that is there.
    pub(crate) fn ready(value: T) -> Self {
        Self(Arc::new(OnceLock::from(value)))
    }
}

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The newest answer to a question that changes. An old one stays until the next one is there.
#[derive(Debug)]
pub(super) struct Asked<K, T> {
    /// `None` as a question: the same one would be answered in another way by now.
    asked: Option<(Option<K>, Promise<T>)>,
    last: Option<Promise<T>>,
}

/// An answer to what is asked now, or to what was asked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer<T> {
    pub value: T,
    pub is_old: bool,
}

impl<K, T> Default for Asked<K, T> {
    fn default() -> Self {
        Self { asked: None, last: None }
    }
}

impl<K: PartialEq, T> Asked<K, T> {
    /// Asks if this is another question than the last one. The answer, or meanwhile that to the question before.
    pub(crate) fn get(&mut self, question: K, ask: impl FnOnce() -> Promise<T>) -> Option<Answer<&T>> {
        if self.asked.as_ref().is_none_or(|(asked, _)| asked.as_ref() != Some(&question)) {
            if let Some((_, answer)) = self.asked.take()
                && answer.get().is_some()
            {
                self.last = Some(answer);
            }
            self.asked = Some((Some(question), ask()));
        }
        let newest = self.asked.as_ref().and_then(|(_, answer)| answer.get());
        match newest {
            Some(value) => Some(Answer { value, is_old: false }),
            None => self.last.as_ref()?.get().map(|value| Answer { value, is_old: true }),
        }
    }

    /// Has the next question asked even if it is the same: it would be answered in another way by now.
    pub(crate) fn outdate(&mut self) {
        if let Some((question, _)) = &mut self.asked {
            *question = None;
        }
    }

    /// Forgets question and answers.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Called from other threads when there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

type Job<S> = Box<dyn FnOnce(&mut S, &CancelToken) + Send>;

struct QueuedJob<S> {
    job: Job<S>,
    cancelled: CancelToken,
    what: String,
}

struct Running {
    topic: Topic,
    cancelled: CancelToken,
}

/// What a thread is at, in words that go with "waiting for", and since when.
#[derive(Clone, Debug)]
pub(super) struct Busy {
    pub what: String,
    pub since: Instant,
}

struct Queue<S> {
    jobs: BTreeMap<Topic, QueuedJob<S>>,
    running: Option<Running>,
    busy: Option<Busy>,
    has_closed: bool,
}

struct Shared<S> {
    queue: Mutex<Queue<S>>,
    changed: Condvar,
}

impl<S> Shared<S> {
    fn lock(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where jobs are left, and the thread that does them on its subject.
pub(super) struct Worker<S> {
    shared: Arc<Shared<S>>,
    wake: Wake,
    /// Hangs up when the thread is gone, and its subject with it.
    ended: Receiver<()>,
}

impl<S: 'static> Worker<S> {
    /// Starts a thread that makes its subject and then waits for jobs.
    pub(crate) fn start(name: &str, make: impl FnOnce() -> S + Send + 'static, wake: Wake) -> std::io::Result<Self> {
        let busy = Some(Busy { what: format!("starting the {name}"), since: Instant::now() });
        let queue = Queue { jobs: BTreeMap::new(), running: None, busy, has_closed: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() });
        let theirs = shared.clone();
        let (alive, ended) = channel();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            work(&theirs, make());
            drop(alive);
        })?;
        Ok(Self { shared, wake, ended })
    }

    /// Leaves a job; `what` says what is done, as in "drawing frame 3". The answer comes with the next wake-up, or never
    /// if a newer job of the topic comes first.
    pub(crate) fn ask<T: Send + Sync + 'static>(
        &self,
        topic: Topic,
        what: impl Into<String>,
        job: impl FnOnce(&mut S, &CancelToken) -> T + Send + 'static,
    ) -> Promise<T> {
        let answer = Arc::new(OnceLock::new());
        let (theirs, wake) = (answer.clone(), self.wake.clone());
        let job: Job<S> = Box::new(move |subject, cancelled| {
            let value = job(subject, cancelled);
            // Set once: this is the only place that sets it.
            let _ = theirs.set(value);
            wake();
        });
        let mut queue = self.shared.lock();
        if let Some(running) = &queue.running
            && running.topic == topic
        {
            running.cancelled.set();
        }
        queue.jobs.insert(topic, QueuedJob { job, cancelled: CancelToken::default(), what: what.into() });
        drop(queue);
        self.shared.changed.notify_one();
        Promise(answer)
    }

    /// Takes back the jobs of some topics that have not begun.
    pub(crate) fn forget(&self, is_unwanted: impl Fn(Topic) -> bool) {
        self.shared.lock().jobs.retain(|topic, _| !is_unwanted(*topic));
    }

    /// Tells the job of a topic, if it is being done, that nobody waits for it any more.
    pub(crate) fn cancel(&self, topic: Topic) {
        if let Some(running) = &self.shared.lock().running
            && running.topic == topic
        {
            running.cancelled.set();
        }
    }

    /// Whether nothing waits and nothing is being done.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.shared.lock();
        queue.jobs.is_empty() && queue.running.is_none()
    }
}

impl<S> Worker<S> {
    /// What the thread is at, if it is at anything.
    pub(crate) fn busy(&self) -> Option<Busy> {
        self.shared.lock().busy.clone()
    }

    /// Waits for the thread to be gone, as long as `patience` lasts, and says whether it is: drivers crash in threads
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
        if let Some(running) = &queue.running {
            running.cancelled.set();
        }
        drop(queue);
        self.shared.changed.notify_one();
    }
}

impl<S> Drop for Worker<S> {
    fn drop(&mut self) {
        // Not joined: the job being done may wait for a GPU, and the window does not.
        self.stop();
    }
}

fn work<S>(shared: &Shared<S>, mut subject: S) {
    loop {
        let mut queue = shared.lock();
        (queue.running, queue.busy) = (None, None);
        let (job, cancelled) = loop {
            if queue.has_closed {
                return;
            }
            match queue.jobs.pop_first() {
                Some((topic, QueuedJob { job, cancelled, what })) => {
                    queue.running = Some(Running { topic, cancelled: cancelled.clone() });
                    queue.busy = Some(Busy { what, since: Instant::now() });
                    break (job, cancelled);
                }
                None => queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(queue);
        job(&mut subject, &cancelled);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn the_newest_job_of_a_topic_wins_and_urgent_topics_come_first() {
        let (started, has_started) = channel();
        let (go_on, may_go_on) = channel::<()>();
        let (woken, wakes) = channel();
        let wake: Wake = Arc::new(move || woken.send(()).unwrap());
        let worker = Worker::start("test", Vec::new, wake).unwrap();
        let first = worker.ask(Topic::Show, "the first", move |done: &mut Vec<u32>, cancelled| {
            started.send(()).unwrap();
            may_go_on.recv().unwrap();
            done.push(0);
            cancelled.is_set()
        });
        has_started.recv().unwrap();
        assert_eq!(worker.busy().map(|busy| busy.what).as_deref(), Some("the first"));
        let push = |number: u32| move |done: &mut Vec<u32>, _: &CancelToken| done.push(number);
        worker.ask(Topic::Thumbnail(3), "", push(4));
        let replaced = worker.ask(Topic::Show, "", push(1));
        worker.ask(Topic::Question(7), "", push(3));
        worker.ask(Topic::Show, "", push(2));
        go_on.send(()).unwrap();
        let all = worker.ask(Topic::Thumbnail(9), "", |done: &mut Vec<u32>, _| done.clone());
        for _ in 0..5 {
            wakes.recv().unwrap();
        }
        assert_eq!(first.get(), Some(&true), "the job that was being done hears that a newer one waits");
        assert_eq!(replaced.get(), None);
        assert_eq!(all.get(), Some(&vec![0, 2, 3, 4]));
    }

    #[test]
    fn an_old_answer_stays_until_the_next_one_is_there() {
        let mut asked = Asked::default();
        let (first, second, third) = (Promise::ready(10), Promise(Arc::default()), Promise(Arc::default()));
        let (new, old) = (|value| Some(Answer { value, is_old: false }), |value| Some(Answer { value, is_old: true }));
        assert_eq!(asked.get(1, || first), new(&10));
        assert_eq!(asked.get(2, || second.clone()), old(&10));
        second.0.set(20).unwrap();
        assert_eq!(asked.get(2, || unreachable!()), new(&20));
        asked.outdate();
        assert_eq!(asked.get(2, || third.clone()), old(&20));
        third.0.set(21).unwrap();
        assert_eq!(asked.get(2, || unreachable!()), new(&21));
        asked.clear();
        assert_eq!(asked.get(2, || Promise(Arc::default())), None);
    }
}
