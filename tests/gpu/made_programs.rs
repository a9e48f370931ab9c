//! Common parts of all tests of made programs: how many there are, and what is said of those that are wrong.

/// Programs that a message names at most.
const MOST_TOLD: usize = 40;

/// A number from the environment.
pub fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value:?}: expected a number")))
}

/// The numbers of random programs: one of `RANDOM_PROGRAM`, as many as `RANDOM_PROGRAMS` says, or `usual` ones, from
/// `FIRST_PROGRAM` on.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let first = setting("FIRST_PROGRAM").unwrap_or(0);
    match (setting("RANDOM_PROGRAM"), setting("RANDOM_PROGRAMS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, count) => first..first + count.unwrap_or(usual),
    }
}

/// Panics with what is wrong, if anything is.
pub fn report(found: impl Iterator<Item = Result<(), String>>) {
    let all: Vec<_> = found.collect();
    let wrong: Vec<&String> = all.iter().filter_map(|found| found.as_ref().err()).collect();
    let first: Vec<&str> = wrong.iter().map(|text| text.as_str()).take(MOST_TOLD).collect();
    assert!(wrong.is_empty(), "{} of {} programs:\n{}", wrong.len(), all.len(), first.join("\n"));
}
