//! Which limit of a tolerance two pictures exceed, and by how much.

use std::fmt;

/// A limit of a [`Tolerance`](super::Tolerance) that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Excess {
    /// Pixels are too far apart.
    Outliers {
        /// How many.
        found: u64,
        /// Further than this.
        step: u8,
        /// How many may be.
        allowed: u64,
    },
    /// Such pixels lie together.
    Cluster {
        /// How many.
        found: u64,
        /// Further than this.
        step: u8,
        /// How many may.
        allowed: u64,
    },
    /// Too many pixels differ at all.
    Share {
        /// Which share of them.
        found: f64,
        /// Which share may.
        allowed: f64,
    },
    /// An edge has moved.
    Coverage {
        /// In how many pixels.
        found: u64,
        /// In how many it may.
        allowed: u64,
    },
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = |step: &u8| format!("{step} step{}", if *step == 1 { "" } else { "s" });
        let pixels = |count: &u64| format!("{count} pixel{}", if *count == 1 { "" } else { "s" });
        match self {
            Self::Outliers { found: 1, step, allowed } => {
                write!(f, "1 pixel exceeds {}, {allowed} allowed", steps(step))
            }
            Self::Outliers { found, step, allowed } => {
                write!(f, "{found} pixels exceed {}, {allowed} allowed", steps(step))
            }
            Self::Cluster { found, step, allowed } => {
                write!(f, "{} beyond {} touch each other, {allowed} allowed", pixels(found), steps(step))
            }
            Self::Share { found, allowed } => {
                write!(f, "{:.3} % of the pixels differ, {} % allowed", found * 100.0, allowed * 100.0)
            }
            Self::Coverage { found, allowed } => {
                write!(f, "an edge moved in {}, {allowed} allowed", pixels(found))
            }
        }
    }
}
