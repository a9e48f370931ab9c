//! Events as filters see them.

use super::Argument;
use trace_base::listing::{Length, Subject, Value};

/// An event of a timeline.
#[derive(Clone, Copy, Debug)]
pub struct EventSubject<'a> {
    /// Its name.
    pub name: &'a str,
    /// From begin to end.
    pub length: Length,
    /// How many spans it lies in.
    pub depth: u32,
    /// Its arguments; they may be left out unless [`Filter::needs_arguments`](trace_base::listing::Filter::needs_arguments).
    pub arguments: &'a [Argument],
}

impl Subject for EventSubject<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn length(&self) -> Option<Length> {
        Some(self.length)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        self.arguments.iter().any(|argument| *argument.name == *name && passes(&argument.value))
    }
}
