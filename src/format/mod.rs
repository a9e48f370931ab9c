//! File formats, one folder each: framing and validation. None of them knows another, or a GPU.

pub mod wtf;
