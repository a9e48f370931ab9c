//! What filters are asked about.

use crate::timeline::{Argument, AxisUnit, Value};

/// Anything that can be listed: it has a name, and maybe a length, a depth and arguments.
///
/// A listing implements this for its rows, and its filter is the same as everybody's:
///
/// ```
/// use aerogpu_replay::abi::reference::Packet;
/// use aerogpu_replay::timeline::Filter;
/// use aerogpu_replay::timeline::aerogpu::PacketSubject;
///
/// let filter = Filter::parse("DRAW(vertex_count > 100) or CLEAR").unwrap();
/// filter.check(None).unwrap();
/// let draw = Packet::Draw { vertex_count: 300, first_vertex: 0 };
/// assert!(filter.accepts(&PacketSubject(&draw)));
/// assert!(!filter.accepts(&PacketSubject(&Packet::Present {})));
/// ```
pub trait Subject {
    /// What tests of the name look at.
    fn name(&self) -> &str;

    /// What `@duration` looks at. Without a length no such test holds.
    fn length(&self) -> Option<Length> {
        None
    }

    /// What `@depth` looks at.
    fn depth(&self) -> u32 {
        0
    }

    /// Whether an argument called `name` has a value that `passes`. A name may stand for several arguments.
    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        let _ = (name, passes);
        false
    }
}

/// A length on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// How many of the axis' ticks.
    pub ticks: u64,
    /// What a tick is.
    pub unit: AxisUnit,
}

/// An event of a timeline.
#[derive(Clone, Copy, Debug)]
pub struct EventSubject<'a> {
    /// Its name.
    pub name: &'a str,
    /// From begin to end.
    pub length: Length,
    /// How many spans it lies in.
    pub depth: u32,
    /// Its arguments; they may be left out unless [`Filter::needs_arguments`](super::Filter::needs_arguments).
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
