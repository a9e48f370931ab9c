//! The name of a blob.

use std::fmt;

#[cfg(feature = "reader")]
use serde::Serialize;

/// Names the bytes of a Blob record; command packets refer to it. 0 means "no blob".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize))]
pub struct BlobId(pub u64);

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
