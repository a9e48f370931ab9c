//! Writes recordings of applications that the tests of several crates read. Never part of what is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]

pub mod wip15_writer;
pub mod wtf_orders;
