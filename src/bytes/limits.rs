//! Every cap on what a file may make us allocate or do, with its reason.
//!
//! A cap is either bounded by the file's own length (then it needs no constant) or stands here. Going over one is
//! exit code 10, and the message names the cap.

/// Findings kept by [`super::Diagnostics`]; more are counted only. A screenful is read, a thousand are grepped.
pub const MAX_FINDINGS: usize = 1000;
