//! A question whose answer stays on the screen until the next one is there.

use super::promise::Promise;

/// What an answer depends on, beside the question itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DependsOn {
    /// The trace that is open, and its size.
    Trace,
    /// How its shaders are made, too: options, replacements, edited texts.
    Shaders,
}

/// When something was asked, as far as its answer depends on that: in another epoch there may be another answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    document: u64,
    /// `None`: whatever the shaders are.
    shaders: Option<u64>,
}

/// Counts what answers depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epochs {
    document: u64,
    shaders: u64,
}

impl Epochs {
    /// Those of the `document`th trace that was opened.
    pub(crate) fn of_document(document: u64) -> Self {
        Self { document, shaders: 0 }
    }

    /// Shaders are made in another way from here on.
    pub(crate) fn change_shaders(&mut self) {
        self.shaders += 1;
    }

    pub(crate) fn now(&self, depends_on: DependsOn) -> Epoch {
        let shaders = match depends_on {
            DependsOn::Trace => None,
            DependsOn::Shaders => Some(self.shaders),
        };
        Epoch { document: self.document, shaders }
    }
}

/// A question that changes, and the newest answer to it. An old one stays until the next one is there.
#[derive(Debug)]
pub(super) struct Question<K, T> {
    asked: Option<(Epoch, K, Promise<T>)>,
    /// The answer to a question before that.
    last: Option<Promise<T>>,
}

/// An answer to what is asked now, or to what was asked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer<T> {
    pub value: T,
    pub is_old: bool,
}

impl<T> Answer<T> {
    pub(crate) fn by_ref(&self) -> Answer<&T> {
        Answer { value: &self.value, is_old: self.is_old }
    }
}

impl<T: Clone> Answer<&T> {
    pub(crate) fn cloned(self) -> Answer<T> {
        Answer { value: self.value.clone(), is_old: self.is_old }
    }
}

impl<K, T> Default for Question<K, T> {
    fn default() -> Self {
        Self { asked: None, last: None }
    }
}

impl<K: PartialEq, T> Question<K, T> {
    /// Asks if this is another question than the last one, or another epoch. The answer, or meanwhile that to the
    /// question before. `None` of `ask`: nobody can be asked yet.
    pub(crate) fn get(&mut self, epoch: Epoch, key: K, ask: impl FnOnce() -> Option<Promise<T>>) -> Option<Answer<&T>> {
        let mut is_current =
            self.asked.as_ref().is_some_and(|(asked_in, asked, _)| (*asked_in, asked) == (epoch, &key));
        if !is_current && let Some(promise) = ask() {
            is_current = true;
            let before = self.asked.replace((epoch, key, promise));
            self.last =
                before.map(|(_, _, before)| before).filter(|before| before.get().is_some()).or(self.last.take());
        }
        match self.asked.as_ref().and_then(|(_, _, promise)| promise.get()) {
            Some(value) => Some(Answer { value, is_old: !is_current }),
            None => self.last.as_ref()?.get().map(|value| Answer { value, is_old: true }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspector::cancel::CancelToken;

    #[test]
    fn an_old_answer_stays_until_the_next_one_is_there_and_never_looks_current() {
        let mut epochs = Epochs::of_document(1);
        let now = |epochs: &Epochs| epochs.now(DependsOn::Shaders);
        let mut question = Question::default();
        let later = || Promise::new(CancelToken::default());
        let (new, old) = (|value| Some(Answer { value, is_old: false }), |value| Some(Answer { value, is_old: true }));
        assert_eq!(question.get(now(&epochs), 1, || None), None);
        assert_eq!(question.get(now(&epochs), 1, || Some(Promise::ready(10))), new(&10));
        let (second, setter) = later();
        assert_eq!(question.get(now(&epochs), 2, || Some(second)), old(&10));
        setter.set(20);
        assert_eq!(question.get(now(&epochs), 2, || unreachable!()), new(&20));
        // The same question, while nobody can be asked, and then in another epoch.
        epochs.change_shaders();
        assert_eq!(question.get(now(&epochs), 2, || None), old(&20));
        let (third, setter) = later();
        assert_eq!(question.get(now(&epochs), 2, || Some(third)), old(&20));
        setter.set(21);
        assert_eq!(question.get(now(&epochs), 2, || unreachable!()), new(&21));
        // Another document; shaders are nothing to what depends on the trace alone.
        let trace = epochs.now(DependsOn::Trace);
        epochs.change_shaders();
        assert_eq!(epochs.now(DependsOn::Trace), trace);
        assert_ne!(Epochs::of_document(2).now(DependsOn::Trace), trace);
    }
}
