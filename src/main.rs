//! The `aerogpu-replay` binary.

fn main() {}
