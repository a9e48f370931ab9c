//! Answers to what people ask about a frame: what is bound, what touched this pixel, what lies in this buffer.
//!
//! Each answer is plain data, worked out on a [`crate::player::Player`] or without a GPU; verbs print it, the inspector
//! shows it, `serve` sends it.
