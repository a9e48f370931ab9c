//! Which part of a suite a machine tests, of several that share it.

use super::suite::FoundCase;
use crate::text::counted;

/// One of several machines that share a suite: `2/3` takes every third case, from the second on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
}

impl std::str::FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // silent: what is no shard is refused by who reads it
        let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index >= 1 && index <= count => Ok(Self { index, count }),
            _ => Err("expected I/N with I from 1 to N, such as 2/3"),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The variables by which an engine tells a job its number.
struct Engine {
    name: &'static str,
    index: &'static str,
    count: &'static str,
    /// The number of the first job.
    first: First,
}

enum First {
    Zero,
    One,
    /// What these variables say: the first number, and how far it is to the next.
    Told(&'static str, &'static str),
}

/// What people set themselves, where their engine tells nothing.
const OWN_INDEX: &str = "SHARD_INDEX";
const OWN_COUNT: &str = "SHARD_COUNT";

/// In this order; what people set goes before what an engine sets.
const ENGINES: [Engine; 6] = [
    Engine { name: "you", index: OWN_INDEX, count: OWN_COUNT, first: First::Zero },
    Engine { name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: First::One },
    Engine {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        count: "BUILDKITE_PARALLEL_JOB_COUNT",
        first: First::Zero,
    },
    Engine { name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL", first: First::Zero },
    Engine {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        count: "SLURM_ARRAY_TASK_COUNT",
        first: First::Told("SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"),
    },
    // It tells no count.
    Engine { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: OWN_COUNT, first: First::Zero },
];

impl Shard {
    /// The shard that the environment of a CI engine or a scheduler tells: `variable` gives the value of one. The error is a
    /// sentence.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let is_set = |engine: &&Engine| variable(engine.index).is_some();
        let Some(Engine { index, count, first, .. }) = ENGINES.iter().find(is_set) else {
            let names: Vec<_> = ENGINES.iter().skip(1).map(|engine| engine.name).collect();
            return Err(format!(
                "no variable gives this shard's number: expected {OWN_INDEX}, from 0, and {OWN_COUNT}, or those of {}",
                names.join(", ")
            ));
        };
        let number = |name: &str| -> Result<u32, String> {
            let text = variable(name).ok_or_else(|| format!("{index} is set, but {name} is not"))?;
            text.trim().parse().map_err(|_| format!("{name} is {text}: expected a number"))
        };
        let (found, count) = (number(index)?, number(count)?);
        let position = match first {
            First::Zero => Some(found),
            First::One => found.checked_sub(1),
            First::Told(first, step) => {
                let step = if variable(step).is_some() { number(step)? } else { 1 };
                found
                    .checked_sub(number(first)?)
                    .filter(|distance| distance % step.max(1) == 0)
                    .map(|far| far / step.max(1))
            }
        };
        match position {
            Some(position) if position < count => Ok(Self { index: position + 1, count }),
            _ => {
                Err(format!("{index} is {found}, but there are {count_shards}", count_shards = counted(count, "shard")))
            }
        }
    }

    /// The cases of this shard: none, if there are more shards than cases. Joined with the others they are all.
    pub fn of(self, cases: Vec<FoundCase>) -> Vec<FoundCase> {
        let is_mine = |case: &FoundCase| case.number % self.count as usize == self.index as usize - 1;
        cases.into_iter().filter(is_mine).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn shards_share_all_cases_and_each_once() {
        let case = |number| FoundCase { folder: PathBuf::from(format!("{number}")), number };
        let cases: Vec<FoundCase> = (0..10).map(case).collect();
        for count in 1..=10 {
            let mut all: Vec<FoundCase> =
                (1..=count).flat_map(|index| Shard { index, count }.of(cases.clone())).collect();
            all.sort();
            assert_eq!(all, cases);
        }
        assert_eq!(Shard { index: 3, count: 3 }.of(vec![case(0), case(1)]), []);
        for text in ["0/3", "4/3", "x", "1", "1/0", "-1/2"] {
            text.parse::<Shard>().unwrap_err();
        }
    }

    #[test]
    fn engines_tell_which_shard_it_is() {
        let shard = |variables: &[(&str, &str)]| {
            let all =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            Shard::of_environment(all).map(|shard| shard.to_string())
        };
        for (variables, expected) in [
            ([("SHARD_INDEX", "0"), ("SHARD_COUNT", "4")].as_slice(), "1/4"),
            (&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "3")], "1/3"),
            (&[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "3")], "3/3"),
            (&[("BUILDKITE_PARALLEL_JOB", "2"), ("BUILDKITE_PARALLEL_JOB_COUNT", "3")], "3/3"),
            (&[("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "2")], "1/2"),
            (&[("JOB_COMPLETION_INDEX", "4"), ("SHARD_COUNT", "5")], "5/5"),
            (&[("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_MIN", "1"), ("SLURM_ARRAY_TASK_COUNT", "8")], "1/8"),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "14"),
                    ("SLURM_ARRAY_TASK_MIN", "10"),
                    ("SLURM_ARRAY_TASK_COUNT", "3"),
                    ("SLURM_ARRAY_TASK_STEP", "2"),
                ],
                "3/3",
            ),
            // Set by hand, whatever the engine says.
            (&[("SHARD_INDEX", "1"), ("SHARD_COUNT", "2"), ("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "9")], "2/2"),
        ] {
            assert_eq!(shard(variables).as_deref(), Ok(expected), "{variables:?}");
        }
        for (variables, message) in [
            ([].as_slice(), "no variable gives this shard's number: expected SHARD_INDEX, from 0, and SHARD_COUNT, or"),
            // GitLab sets it in jobs that are one.
            (&[("CI_NODE_TOTAL", "1")], "no variable gives"),
            (&[("JOB_COMPLETION_INDEX", "0")], "JOB_COMPLETION_INDEX is set, but SHARD_COUNT is not"),
            (&[("SHARD_INDEX", "x"), ("SHARD_COUNT", "2")], "SHARD_INDEX is x: expected a number"),
            (&[("SHARD_INDEX", "2"), ("SHARD_COUNT", "2")], "SHARD_INDEX is 2, but there are 2 shards"),
            (&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")], "CI_NODE_INDEX is 0, but there are 2 shards"),
            (&[("SHARD_INDEX", "0"), ("SHARD_COUNT", "0")], "SHARD_INDEX is 0, but there are 0 shards"),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "11"),
                    ("SLURM_ARRAY_TASK_MIN", "10"),
                    ("SLURM_ARRAY_TASK_COUNT", "3"),
                    ("SLURM_ARRAY_TASK_STEP", "2"),
                ],
                "SLURM_ARRAY_TASK_ID is 11, but there are 3 shards",
            ),
        ] {
            let error = shard(variables).unwrap_err();
            assert!(error.starts_with(message) || error.contains(message), "{variables:?}: {error}");
        }
    }
}
