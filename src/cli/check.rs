//! The flags that say how far apart pictures may be, for every verb that compares.

use clap::Args as ClapArgs;

use crate::pixels::{Check, Tolerance};

/// Without any of these, only identical pictures count as the same.
#[derive(Debug, Default, ClapArgs)]
pub(super) struct CheckArgs {
    /// Largest difference of a channel that still passes, of 255 [default: 0]
    #[arg(long, value_name = "STEPS")]
    pub tolerance: Option<u8>,
    /// Share of pixels that may differ at all, 0 to 1 [default: 0.001 if another limit is given]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub max_differing: Option<f64>,
    /// Number of pixels that may exceed --tolerance, or in which an edge may have moved [default: 0]
    #[arg(long, value_name = "N")]
    pub max_outliers: Option<u64>,
    /// Number of outliers that may touch each other [default: 4, or --max-outliers if that is less]
    #[arg(long, value_name = "N")]
    pub max_cluster: Option<u64>,
}

impl CheckArgs {
    /// The limits meant.
    pub(crate) fn tolerance(&self) -> Tolerance {
        let is_given = self.max_differing.is_some() || self.max_cluster.is_some();
        if self.tolerance.is_none() && self.max_outliers.is_none() && !is_given {
            return Tolerance::EXACT;
        }
        let outliers = self.max_outliers.unwrap_or(0);
        Tolerance {
            largest_step: self.tolerance.unwrap_or(0),
            share_of_pixels: self.max_differing.unwrap_or(Tolerance::OTHER_MACHINE.share_of_pixels),
            outliers,
            cluster: self.max_cluster.unwrap_or(Tolerance::DEFAULT_CLUSTER.min(outliers)),
        }
    }

    /// The limits meant, with what the perceptual metric must say beyond them.
    pub(crate) fn check(&self, min_similarity: Option<f64>) -> Check {
        Check { tolerance: self.tolerance(), min_similarity }
    }
}

/// A number from 0 to 1.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
