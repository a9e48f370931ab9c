//! File formats, one folder each: framing and validation, nothing about what the bytes mean.

pub mod aerogpu;
pub mod wip15;
pub mod wtf;
