//! Where two texts differ, line by line.

use serde::Serialize;

use super::alignment::equal_pairs;

/// Lines that both have, shown around those that one has.
const AROUND: usize = 3;

/// Which of two texts a line is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum LineSide {
    /// The first alone.
    #[serde(rename = "a")]
    First,
    /// The second alone.
    #[serde(rename = "b")]
    Second,
    /// Both.
    #[serde(rename = "both")]
    Both,
}

/// A line of two texts beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedLine {
    /// Which text it is in.
    pub side: LineSide,
    /// Its number there, counted from 1; of one that is in both, in the first.
    pub number: usize,
    /// The line.
    pub text: String,
}

/// The lines that one of two texts has alone, with some around them: a group for each place where they differ. None of equal
/// texts.
pub fn differing_lines(first: &str, second: &str) -> Vec<Vec<ComparedLine>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (first.lines().collect(), second.lines().collect());
    let some = |lines: &[&'_ str]| lines.iter().map(|line| Some(hash_of(line))).collect::<Vec<_>>();
    let mut all = Vec::new();
    let (mut at_a, mut at_b) = (0, 0);
    let line = |side, number: usize, text: &str| ComparedLine { side, number: number + 1, text: text.to_owned() };
    for (next_a, next_b) in equal_pairs(&some(&a), &some(&b)).into_iter().chain([(a.len(), b.len())]) {
        let alone = |lines: &[&str], range: std::ops::Range<usize>, side| -> Vec<ComparedLine> {
            let found = range.filter_map(|number| Some((number, *lines.get(number)?)));
            found.map(|(number, text)| line(side, number, text)).collect()
        };
        all.extend(alone(&a, at_a..next_a, LineSide::First));
        all.extend(alone(&b, at_b..next_b, LineSide::Second));
        all.extend(a.get(next_a).map(|text| line(LineSide::Both, next_a, text)));
        (at_a, at_b) = (next_a + 1, next_b + 1);
    }
    in_groups(all)
}

/// Lines are compared by their hashes and lengths; two of one text in a billion billions are taken for equal.
fn hash_of(line: &str) -> u64 {
    use std::hash::BuildHasher;
    foldhash::quality::FixedState::default().hash_one(line)
}

/// Leaves out what is far from all that differs.
fn in_groups(all: Vec<ComparedLine>) -> Vec<Vec<ComparedLine>> {
    let differs = |at: usize| all.get(at).is_some_and(|line| line.side != LineSide::Both);
    let is_near = |at: usize| (at.saturating_sub(AROUND)..=at + AROUND).any(differs);
    let shown: Vec<bool> = (0..all.len()).map(is_near).collect();
    let mut groups: Vec<Vec<ComparedLine>> = Vec::new();
    let mut is_open = false;
    for (line, is_shown) in all.into_iter().zip(shown) {
        if is_shown && !is_open {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut().filter(|_| is_shown) {
            group.push(line);
        }
        is_open = is_shown;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> Vec<String> {
        let line = |ComparedLine { side, number, text }: &ComparedLine| match side {
            LineSide::First => format!("-{number} {text}"),
            LineSide::Second => format!("+{number} {text}"),
            LineSide::Both => format!(" {number} {text}"),
        };
        let groups = differing_lines(first, second);
        groups.iter().map(|group| group.iter().map(line).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn what_one_text_has_alone_is_told_with_its_surroundings() {
        assert_eq!(told("a\nb\n", "a\nb\n"), [""; 0]);
        assert_eq!(told("a\nb\nc", "a\nx\nc"), [" 1 a|-2 b|+2 x| 3 c"]);
        assert_eq!(told("", "a"), ["+1 a"]);
        assert_eq!(told("a\nb", ""), ["-1 a|-2 b"]);
        let long: String = (0..20).map(|number| format!("{number}\n")).collect();
        let changed = long.replace("\n3\n", "\n").replace("\n15\n", "\n15\nnew\n");
        assert_eq!(
            told(&long, &changed),
            [" 1 0| 2 1| 3 2|-4 3| 5 4| 6 5| 7 6", " 14 13| 15 14| 16 15|+16 new| 17 16| 18 17| 19 18"]
        );
        assert_eq!(told("}\n}\n}", "}\n}"), [" 1 }| 2 }|-3 }"]);
    }
}
