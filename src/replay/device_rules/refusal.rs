//! Refusals: what a device cannot draw, told before anything of it is recorded.

use std::borrow::Cow;

use thiserror::Error;

use crate::error::{Classified, ErrorKind};

/// A command that a device cannot carry out as Direct3D does.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A number above the device's limit.
    #[error("{what} is {found}: the device's limit is {limit}")]
    OverLimit {
        /// The number.
        what: Cow<'static, str>,
        /// Its value.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A feature that the device lacks.
    #[error("{what} needs the feature {feature}, which this device lacks")]
    Lacks {
        /// The part of the command that needs it.
        what: &'static str,
        /// The feature's name in wgpu.
        feature: &'static str,
    },
    /// A combination that no device of WebGPU has.
    #[error("{what} is not supported by this build")]
    Unsupported {
        /// The combination.
        what: Cow<'static, str>,
    },
}

impl Classified for Refusal {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::Lacks { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
        }
    }

    fn offset(&self) -> Option<u64> {
        // The command has the place.
        None
    }
}

impl Refusal {
    /// Refuses a number above a limit.
    pub(super) fn above(what: impl Into<Cow<'static, str>>, found: u64, limit: u64) -> Result<(), Self> {
        match found > limit {
            true => Err(Self::OverLimit { what: what.into(), found, limit }),
            false => Ok(()),
        }
    }

    /// Refuses a combination.
    pub(super) fn unsupported(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Unsupported { what: what.into() }
    }

    /// Refuses a part of a command where the device has not its feature.
    pub(super) fn without(has_feature: bool, what: &'static str, feature: &'static str) -> Result<(), Self> {
        match has_feature {
            true => Ok(()),
            false => Err(Self::Lacks { what, feature }),
        }
    }
}
