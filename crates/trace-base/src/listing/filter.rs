//! Which rows to show: one small grammar for every listing.
//!
//! ```text
//!  expression = all { "or" all }
//!  all        = part { "and" part }
//!  part       = "not" part | "(" expression ")" | test
//!  test       = /regex/  |  word  |  "quoted"                     the name matches or contains
//!             | name "(" argument operator value ")"              an argument of events so named ("*": of any)
//!             | "@duration" operator number [ns us µs ms s]       the length; without unit in ticks
//!             | "@depth" operator number
//!  operator   = == != < <= > >= =~ !~
//!  value      = number | true | false | null | word | "quoted" | /regex/
//! ```
//!
//! What has names is filtered as a [`Subject`]: events of timelines, packets, rows of listings.

mod parse;

use regex::Regex;
use thiserror::Error;

use super::{AxisUnit, Length, Subject, Value};
use crate::error::{Classified, ErrorKind};

/// A filter that was parsed.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Any(Vec<Node>),
    All(Vec<Node>),
    Not(Box<Node>),
    Name(Pattern),
    Argument { name: Option<Pattern>, argument: String, test: Test },
    Duration { operator: Operator, amount: f64, unit_nanos: Option<f64> },
    Depth { operator: Operator, amount: f64 },
}

#[derive(Clone, Debug)]
enum Pattern {
    Contains(String),
    Matches(Regex),
}

#[derive(Clone, Debug)]
enum Test {
    Compare(Operator, Literal),
    Matches(Regex, bool),
}

#[derive(Clone, Debug)]
enum Literal {
    /// Ids and addresses have more digits than a float keeps apart.
    Integer(i128),
    Number(f64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
    Unlike,
}

/// Why a filter can't be used. Positions are bytes of the filter's text.
#[derive(Clone, Debug, Error)]
pub enum FilterError {
    /// The text does not follow the grammar.
    #[error("expected {expected}, found {found}, at byte {position} of the filter")]
    Syntax {
        /// What could have stood there.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// Where.
        position: usize,
    },
    /// An argument is compared outside of parentheses.
    #[error(
        "expected parentheses around a comparison, as in *({text}), found {text}, at byte {position} of the filter"
    )]
    BareComparison {
        /// The comparison.
        text: String,
        /// Where.
        position: usize,
    },
    /// A regular expression is not valid.
    #[error("expected a regular expression, found /{text}/, at byte {position} of the filter")]
    Regex {
        /// The expression.
        text: String,
        /// Where.
        position: usize,
    },
    /// Expressions nest too deep.
    #[error("expected at most {MAX_DEPTH} nested groups, found more, at byte {position} of the filter")]
    TooDeep {
        /// Where.
        position: usize,
    },
    /// The filter asks for a time, and the file records none.
    #[error("expected a duration in {unit}, found a unit of time: this file records no time")]
    NoTime {
        /// The unit of the file's axis.
        unit: &'static str,
    },
    /// The filter asks for a length, and what is listed has none.
    #[error("expected tests of names and arguments, found @duration: these rows have no duration")]
    NoLength,
}

impl Classified for FilterError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

const MAX_DEPTH: usize = 100;

impl Filter {
    /// Parses the text of a filter.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Ok(Self { root: parse::parse_filter(text)? })
    }

    /// Whether the filter looks at arguments.
    pub fn needs_arguments(&self) -> bool {
        self.root.any(&|node| matches!(node, Node::Argument { .. }))
    }

    /// Whether the filter makes sense for subjects whose lengths are in `unit`, or which have none.
    pub fn check(&self, unit: Option<AxisUnit>) -> Result<(), FilterError> {
        let asks_length = self.root.any(&|node| matches!(node, Node::Duration { .. }));
        let asks_time = self.root.any(&|node| matches!(node, Node::Duration { unit_nanos: Some(_), .. }));
        match unit {
            None if asks_length => Err(FilterError::NoLength),
            Some(unit) if asks_time && unit.nanos_per_tick().is_none() => {
                Err(FilterError::NoTime { unit: unit.name() })
            }
            _ => Ok(()),
        }
    }

    /// Whether the filter lets `subject` pass.
    pub fn accepts(&self, subject: &dyn Subject) -> bool {
        self.root.accepts(subject)
    }
}

impl Node {
    fn any(&self, is: &dyn Fn(&Node) -> bool) -> bool {
        is(self)
            || match self {
                Self::Any(nodes) | Self::All(nodes) => nodes.iter().any(|node| node.any(is)),
                Self::Not(node) => node.any(is),
                _ => false,
            }
    }

    fn accepts(&self, subject: &dyn Subject) -> bool {
        match self {
            Self::Any(nodes) => nodes.iter().any(|node| node.accepts(subject)),
            Self::All(nodes) => nodes.iter().all(|node| node.accepts(subject)),
            Self::Not(node) => !node.accepts(subject),
            Self::Name(pattern) => subject.any_name(&mut |name| pattern.accepts(name)),
            Self::Argument { name, argument, test } => {
                name.as_ref().is_none_or(|pattern| subject.any_name(&mut |name| pattern.accepts(name)))
                    && subject.any_argument(argument, &mut |value| test.accepts(value))
            }
            Self::Duration { operator, amount, unit_nanos } => {
                let Some(Length { ticks, unit }) = subject.length() else { return false };
                match (unit_nanos, unit.nanos_per_tick()) {
                    (None, _) => operator.holds((ticks as f64).partial_cmp(amount)),
                    (Some(unit), Some(nanos)) => {
                        operator.holds((ticks as f64 * nanos as f64).partial_cmp(&(amount * unit)))
                    }
                    (Some(_), None) => false,
                }
            }
            Self::Depth { operator, amount } => operator.holds(f64::from(subject.depth()).partial_cmp(amount)),
        }
    }
}

impl Pattern {
    fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Contains(part) => text.contains(part),
            Self::Matches(regex) => regex.is_match(text),
        }
    }
}

impl Test {
    fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::List(values)) => values.iter().any(|value| self.accepts(value)),
            (Self::Matches(regex, wanted), value) => regex.is_match(&plain(value)) == *wanted,
            (Self::Compare(operator, Literal::Integer(number)), value) => operator.holds(match as_integer(value) {
                Some(value) => Some(value.cmp(number)),
                None => as_number(value).and_then(|value| value.partial_cmp(&(*number as f64))),
            }),
            (Self::Compare(operator, Literal::Number(number)), value) => {
                operator.holds(as_number(value).and_then(|value| value.partial_cmp(number)))
            }
            (Self::Compare(operator, Literal::Text(text)), value) => {
                operator.holds(Some(plain(value).as_str().cmp(text)))
            }
        }
    }
}

fn as_integer(value: &Value) -> Option<i128> {
    match value {
        Value::UInt(number) | Value::Address(number) | Value::Named { number, .. } => Some((*number).into()),
        Value::Int(number) => Some((*number).into()),
        Value::Blob { size_bytes, .. } => Some((*size_bytes).into()),
        Value::Text(text) | Value::Json(text) => text.parse().ok(),
        _ => None,
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::UInt(number) | Value::Address(number) | Value::Named { number, .. } => Some(*number as f64),
        Value::Int(number) => Some(*number as f64),
        Value::F32(number) => Some(f64::from(*number)),
        Value::F64(number) => Some(*number),
        Value::Blob { size_bytes, .. } => Some(*size_bytes as f64),
        Value::Text(text) | Value::Json(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Function | Value::List(_) => None,
    }
}

/// A value as people type it.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Json(text) => text.clone(),
        Value::Named { name, .. } => name.to_string(),
        value => {
            let mut out = Vec::new();
            super::json_text::push_value(&mut out, value);
            String::from_utf8_lossy(&out).trim_matches('"').to_owned()
        }
    }
}

impl Operator {
    fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        let Some(order) = order else { return self == Self::NotEqual };
        match self {
            Self::Equal | Self::Like => order.is_eq(),
            Self::NotEqual | Self::Unlike => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row<'a> {
        name: &'a str,
        length_ticks: u64,
        arguments: &'a [(&'a str, Value)],
    }

    impl Subject for Row<'_> {
        fn name(&self) -> &str {
            self.name
        }

        fn any_name(&self, passes: &mut dyn FnMut(&str) -> bool) -> bool {
            [self.name, "the shadow pass"].into_iter().any(passes)
        }

        fn length(&self) -> Option<Length> {
            Some(Length { ticks: self.length_ticks, unit: AxisUnit::Microseconds })
        }

        fn depth(&self) -> u32 {
            2
        }

        fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
            self.arguments.iter().any(|(own, value)| *own == name && passes(value))
        }
    }

    fn accepts(filter: &str, name: &str, length_ticks: u64, arguments: &[(&str, Value)]) -> bool {
        Filter::parse(filter).unwrap().accepts(&Row { name, length_ticks, arguments })
    }

    #[test]
    fn the_grammar_says_what_it_says() {
        let number = [
            ("size", Value::UInt(70)),
            ("name", Value::Text("a b".into())),
            ("id", Value::UInt(u64::MAX)),
            ("x", Value::F32(-2.5)),
        ];
        for (filter, expected) in [
            ("draw", true),
            ("Draw", false),
            ("/^gl.*s$/", true),
            ("not glClear", true),
            ("glClear or draw and @duration > 5ms", true),
            ("glClear or draw and @duration > 7ms", false),
            ("(glClear or draw) and @duration <= 6000", true),
            ("@depth==2 and \"gl_draw\"", true),
            ("gl(size >= 70)", true),
            ("gl(size > 70)", false),
            ("*(name == 'a b')", true),
            ("*(name =~ /^a/)", true),
            ("gl(name !~ b)", false),
            ("other(size == 70)", false),
            ("gl(nothing == 1)", false),
            ("gl(size != 0x46)", false),
            ("gl(id == 0xffffffffffffffff)", true),
            ("gl(id == 18446744073709551614)", false),
            ("gl(x < -2)", true),
            ("gl(x == -2.5)", true),
            ("shadow", true),
            ("/^the shadow/(x < -2)", true),
            ("not shadow or light", false),
        ] {
            assert_eq!(accepts(filter, "gl_draws", 6000, &number), expected, "{filter}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (filter, message) in [
            ("", "expected a name, /regex/, @duration or @depth, found the end, at byte 0 of the filter"),
            ("a and", "expected a name, /regex/, @duration or @depth, found the end, at byte 5 of the filter"),
            ("@duration 5", "expected an operator, found '5', at byte 10 of the filter"),
            ("(a", "expected a closing parenthesis, found the end, at byte 2 of the filter"),
            ("a b", "expected and, or, or the end, found 'b', at byte 2 of the filter"),
            ("/(/", "expected a regular expression, found /(/, at byte 0 of the filter"),
            (
                "draws > 3 and a",
                "expected parentheses around a comparison, as in *(draws > 3), found draws > 3, at byte 0 of the filter",
            ),
            (
                "a and b=/c/ or d",
                "expected parentheses around a comparison, as in *(b=/c/), found b=/c/, at byte 6 of the filter",
            ),
            ("'a", "expected a closing quote, found the end, at byte 2 of the filter"),
        ] {
            assert_eq!(Filter::parse(filter).unwrap_err().to_string(), message);
        }
        assert!(matches!(Filter::parse(&"(".repeat(100_000)), Err(FilterError::TooDeep { .. })));
        assert!(matches!(Filter::parse(&"not ".repeat(100_000)), Err(FilterError::TooDeep { .. })));
    }

    #[test]
    fn lengths_are_asked_only_of_what_has_them() {
        let check = |filter: &str, unit| Filter::parse(filter).unwrap().check(unit);
        assert!(check("@duration > 5", Some(AxisUnit::Calls)).is_ok());
        assert!(check("a or not @duration > 5ms", Some(AxisUnit::Microseconds)).is_ok());
        let no_time = check("a or not @duration > 5ms", Some(AxisUnit::Calls));
        assert!(matches!(no_time, Err(FilterError::NoTime { unit: "calls" })));
        assert!(matches!(check("a and @duration > 5", None), Err(FilterError::NoLength)));
        assert!(check("a and @depth > 5 and *(b == 1)", None).is_ok());
    }
}
