//! What is made once, by whichever thread comes first.

use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use foldhash::{HashMap, HashMapExt};

/// Values by what they are made from. A thread that wants what another is making waits for it, and helps with other work
/// meanwhile, if there is some; what cannot be made is not remembered, so that whoever asks learns why.
pub(super) struct Memo<K, V> {
    /// Nothing where a thread is at work.
    values: Mutex<HashMap<K, Option<V>>>,
    settled: Condvar,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { values: Mutex::new(HashMap::new()), settled: Condvar::new() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    /// The value, if it is made.
    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.lock().get(key).cloned().flatten()
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
            match values.get(key) {
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
        values.insert(key.clone(), None);
        drop(values);
        let mut work = Work { memo: self, key, made: None };
        let made = make()?;
        work.made = Some(made.clone());
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Option<V>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
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
            Some(made) => drop(values.insert(self.key.clone(), Some(made))),
            None => drop(values.remove(self.key)),
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

    #[test]
    fn several_threads_make_it_once() {
        let (memo, calls) = (&Memo::<u32, u32>::default(), &AtomicU32::new(0));
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
    fn what_failed_or_broke_is_made_again() {
        let memo = Memo::<u32, u32>::default();
        assert_eq!(memo.get_or_make(&7, || Err("why"), || false), Err("why"));
        let broken = thread::scope(|scope| {
            let thread = scope.spawn(|| memo.get_or_make(&7, || -> Result<u32, ()> { panic!("half made") }, || false));
            thread.join()
        });
        assert!(broken.is_err());
        assert_eq!(memo.get_or_make(&7, || Ok::<u32, ()>(70), || false), Ok(70));
    }
}
