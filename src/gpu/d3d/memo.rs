//! Values made once, by whichever thread comes first, as long as they are used.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use lru::LruCache;

/// Values by what they are made from. A thread that wants what another is making waits for it, and helps with other work
/// meanwhile, if there is some; what cannot be made is not remembered, so that whoever asks learns why. Past a number of
/// values the one that was asked for least recently is let go.
pub(super) struct Memo<K, V> {
    values: Mutex<Values<K, V>>,
    settled: Condvar,
}

struct Values<K, V> {
    /// Nothing where a thread is at work.
    kept: LruCache<K, Option<V>, RandomState>,
    let_go: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    /// Keeps so many values.
    pub(super) fn of_at_most(count: NonZeroUsize) -> Self {
        let kept = LruCache::with_hasher(count, RandomState::default());
        Self { values: Mutex::new(Values { kept, let_go: 0 }), settled: Condvar::new() }
    }

    /// The value, if it is made.
    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.lock().kept.get(key).cloned().flatten()
    }

    /// Keeps a value that was made elsewhere.
    pub(super) fn put(&self, key: K, value: V) {
        self.lock().put(key, Some(value));
    }

    /// Number of values that were evicted so far.
    pub(super) fn let_go(&self) -> u64 {
        self.lock().let_go
    }

    /// The value, which `make` makes if nobody has. `help` does something else while another thread makes it; `false` if
    /// there is nothing to do.
    pub(super) fn get_or_make<E>(
        &self,
        key: &K,
        make: impl FnOnce() -> Result<V, E>,
        help: impl Fn() -> bool,
    ) -> Result<V, E> {
        let mut values = self.lock();
        let mut can_help = true;
        loop {
            match values.kept.get(key) {
                Some(Some(made)) => return Ok(made.clone()),
                Some(None) if can_help => {
                    drop(values);
                    can_help = help();
                    values = self.lock();
                }
                Some(None) => values = self.settled.wait(values).unwrap_or_else(PoisonError::into_inner),
                None => break,
            }
        }
        values.put(key.clone(), None);
        drop(values);
        let mut work = Work { memo: self, key, made: None };
        let made = make()?;
        work.made = Some(made.clone());
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Values<K, V>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V> Values<K, V> {
    fn put(&mut self, key: K, value: Option<V>) {
        let is_new = !self.kept.contains(&key);
        let is_full = self.kept.len() == self.kept.cap().get();
        self.kept.put(key, value);
        self.let_go += u64::from(is_new && is_full);
    }
}

/// A value being made. However that ends, nobody waits for it any longer.
struct Work<'m, K: Clone + Eq + Hash, V: Clone> {
    memo: &'m Memo<K, V>,
    key: &'m K,
    made: Option<V>,
}

impl<K: Clone + Eq + Hash, V: Clone> Drop for Work<'_, K, V> {
    fn drop(&mut self) {
        let mut values = self.memo.lock();
        match self.made.take() {
            Some(made) => values.put(self.key.clone(), Some(made)),
            None => drop(values.kept.pop(self.key)),
        }
        self.memo.settled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    const MANY: NonZeroUsize = NonZeroUsize::new(100).unwrap();

    #[test]
    fn several_threads_make_it_once() {
        let (memo, calls) = (&Memo::<u32, u32>::of_at_most(MANY), &AtomicU32::new(0));
        let (started, has_started) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let first = scope.spawn(move || {
                let make = || {
                    calls.fetch_add(1, Ordering::Relaxed);
                    started.send(()).unwrap();
                    goes_on.recv().unwrap();
                    Ok::<u32, ()>(70)
                };
                memo.get_or_make(&7, make, || false)
            });
            has_started.recv().unwrap();
            assert_eq!(memo.get(&7), None, "it is not made yet, and nobody is kept waiting who only looks");
            assert_eq!(memo.get_or_make(&8, || Ok::<u32, ()>(80), || false), Ok(80), "others are made meanwhile");
            // The first goes on once the second helps, which it can do no more after that.
            let help = move || go_on.send(()).is_err();
            let second = scope.spawn(move || memo.get_or_make(&7, || Err("made twice"), help));
            assert_eq!((first.join().unwrap(), second.join().unwrap()), (Ok(70), Ok(70)));
        });
        assert_eq!((memo.get(&7), calls.load(Ordering::Relaxed)), (Some(70), 1));
    }

    #[test]
    fn the_value_asked_for_least_recently_is_let_go() {
        let memo = Memo::<u32, u32>::of_at_most(NonZeroUsize::new(2).unwrap());
        let make = |key: u32| memo.get_or_make(&key, || Ok::<u32, ()>(key * 10), || false);
        assert_eq!((make(1), make(2), memo.get(&1), memo.let_go()), (Ok(10), Ok(20), Some(10), 0));
        assert_eq!((make(3), memo.let_go()), (Ok(30), 1));
        assert_eq!((memo.get(&1), memo.get(&2), memo.get(&3)), (Some(10), None, Some(30)));
        assert_eq!((make(2), memo.let_go()), (Ok(20), 2), "it is made again");
    }

    #[test]
    fn what_failed_or_broke_is_made_again() {
        let memo = Memo::<u32, u32>::of_at_most(MANY);
        assert_eq!(memo.get_or_make(&7, || Err("why"), || false), Err("why"));
        let broken = thread::scope(|scope| {
            let thread = scope.spawn(|| memo.get_or_make(&7, || -> Result<u32, ()> { panic!("half made") }, || false));
            thread.join()
        });
        assert!(broken.is_err());
        assert_eq!(memo.get_or_make(&7, || Ok::<u32, ()>(70), || false), Ok(70));
    }
}
