//! What filters are asked about.

use super::{AxisUnit, Value};

/// Anything that can be listed: it has a name, and maybe a length, a depth and arguments.
///
/// A listing implements this for its rows, and its filter is the same as everybody's:
///
/// ```
/// use trace_base::listing::{Filter, Subject, Value};
///
/// struct Draw {
///     vertex_count: u64,
/// }
///
/// impl Subject for Draw {
///     fn name(&self) -> &str {
///         "DRAW"
///     }
///
///     fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
///         name == "vertex_count" && passes(&Value::UInt(self.vertex_count))
///     }
/// }
///
/// let filter = Filter::parse("DRAW(vertex_count > 100) or CLEAR")?;
/// filter.check(None)?;
/// assert!(filter.accepts(&Draw { vertex_count: 300 }));
/// assert!(!filter.accepts(&Draw { vertex_count: 3 }));
/// # Ok::<(), trace_base::listing::FilterError>(())
/// ```
pub trait Subject {
    /// Name of the row.
    fn name(&self) -> &str;

    /// Whether the row has a name that `passes`; rows may be known by further names.
    fn any_name(&self, passes: &mut dyn FnMut(&str) -> bool) -> bool {
        passes(self.name())
    }

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
