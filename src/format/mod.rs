//! File formats: framing and validation, one format a folder. No format knows another, and none knows a GPU.

pub mod wip15;
pub mod wtf;
