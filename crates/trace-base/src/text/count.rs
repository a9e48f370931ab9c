//! Numbers of things in words.

/// A number of things.
pub trait Countable: Copy {
    /// The number.
    fn count(self) -> u64;
}

macro_rules! countable {
    ($($number:ty),*) => {
        $(impl Countable for $number {
            fn count(self) -> u64 {
                self as u64
            }
        })*
    };
}

countable!(u8, u16, u32, u64, usize);

impl<T: Countable> Countable for &T {
    fn count(self) -> u64 {
        T::count(*self)
    }
}

/// "no frames", "1 frame (0)", "3 frames (0 to 2)".
pub fn describe_count(count: u64, noun: &str) -> String {
    match count {
        0 => format!("no {}", plural(noun)),
        1 => format!("1 {noun} (0)"),
        _ => format!("{count} {} (0 to {})", plural(noun), count - 1),
    }
}

/// "1 draw", "2 draws", "2 dispatches", "0 vertices".
///
/// ```
/// use trace_base::text::counted;
///
/// assert_eq!((counted(1_u32, "byte"), counted(2_u64, "entry")), ("1 byte".to_owned(), "2 entries".to_owned()));
/// ```
pub fn counted(count: impl Countable, noun: &str) -> String {
    match count.count() {
        1 => format!("1 {noun}"),
        count => format!("{count} {}", plural(noun)),
    }
}

/// The plural of a noun, or of a phrase that ends with one.
pub fn plural(noun: &str) -> String {
    let endings = [("vertex", "ex", "ices"), ("index", "ex", "ices"), ("ay", "", "s"), ("y", "y", "ies")];
    let ending = endings.iter().find(|(end, ..)| noun.ends_with(end));
    let (last, ending) = match ending {
        Some((_, last, ending)) => (*last, *ending),
        None if ["ch", "sh", "s", "x"].iter().any(|end| noun.ends_with(end)) => ("", "es"),
        None => ("", "s"),
    };
    format!("{}{ending}", noun.strip_suffix(last).unwrap_or(noun))
}

/// Groups the digits of a number in threes: "1 234 567", with spaces at which no line breaks.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// Ascending numbers as ranges: `0,2-5`.
pub fn ranges(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut().filter(|(_, last)| last.checked_add(1) == Some(number)) {
            Some((_, last)) => *last = number,
            None => runs.push((number, number)),
        }
    }
    let run = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_numbers() {
        let nouns = ["draw", "dispatch", "pass", "vertex", "index", "entry", "array", "mip", "square pixel", "hash"];
        let plurals = [
            "draws",
            "dispatches",
            "passes",
            "vertices",
            "indices",
            "entries",
            "arrays",
            "mips",
            "square pixels",
            "hashes",
        ];
        assert_eq!(nouns.map(plural), plurals);
        assert_eq!([0, 1, 2_u8].map(|count| counted(count, "vertex")), ["0 vertices", "1 vertex", "2 vertices"]);
        assert_eq!(
            [0, 1, 2].map(|count| describe_count(count, "frame")),
            ["no frames", "1 frame (0)", "2 frames (0 to 1)"]
        );
    }

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 12, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1\u{2009}000", "123\u{2009}456", "1\u{2009}234\u{2009}567"]);
    }
}
