//! `--filter` of every verb that lists something.

use clap::Args;
use serde_json::{Map, Value as Json};

use super::exit::Failure;
use crate::error::ErrorKind;
use crate::listing::{Filter, FilterError, Length, Subject};
use crate::text::JsonLine;
use crate::timeline::{AxisUnit, Value};

/// Said below the help of verbs that filter.
pub(super) const FILTER_GRAMMAR: &str = "EXPR combines tests with and, or, not and parentheses: a word or \
    \"text\" (contained in the name), /regex/, name(argument operator value) (* for any name), @duration operator N[ns|us|ms|s] (ticks without a unit), @depth operator N. Operators: == != < <= > >= =~ !~.";

/// The flag.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct FilterArgs {
    /// Only rows that match EXPR
    #[arg(long, value_name = "EXPR", value_parser = parse_filter)]
    pub filter: Option<Filter>,
}

fn parse_filter(text: &str) -> Result<Filter, FilterError> {
    Filter::parse(text)
}

impl FilterArgs {
    /// Refuses tests of a length where the rows' lengths, in `unit`, can't answer them.
    pub(crate) fn check(&self, unit: Option<AxisUnit>) -> Result<(), Failure> {
        self.filter
            .as_ref()
            .map_or(Ok(()), |filter| filter.check(unit))
            .map_err(|error| Failure::new(ErrorKind::Usage, error))
    }

    /// Whether a row is to be shown.
    pub(crate) fn accepts(&self, row: &Row<'_>) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.accepts(row))
    }

    /// Whether a row called `name` is to be shown, whose arguments are the members of a JSON object.
    pub(crate) fn accepts_object(&self, name: &str, object: &JsonLine) -> bool {
        self.filter.is_none()
            || self.accepts(&Row {
                name,
                length: None,
                depth: 0,
                argument: &|path| member(object.members(), path).map(Value::from),
            })
    }
}

/// A row of a listing, as filters see it.
pub(super) struct Row<'a> {
    pub name: &'a str,
    pub length: Option<Length>,
    pub depth: u32,
    /// The argument of a name.
    pub argument: &'a dyn Fn(&str) -> Option<Value>,
}

impl Subject for Row<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn length(&self) -> Option<Length> {
        self.length
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        (self.argument)(name).is_some_and(|argument| passes(&argument))
    }
}

/// `vertex.shader_id` is the member `shader_id` of the member `vertex`.
fn member<'a>(object: &'a Map<String, Json>, path: &str) -> Option<&'a Json> {
    let mut names = path.split('.');
    let first = object.get(names.next()?)?;
    names.try_fold(first, |object, name| object.get(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::text::json_line;

    #[test]
    fn members_are_arguments_also_of_members() {
        let object = json_line!("a", { "draws": 3, "vertex": json!({ "shader_id": 7 }), "ids": [1, 2], "ok": true, "none": Json::Null });
        for (filter, expected) in [
            ("frame(draws >= 3)", true),
            ("*(vertex.shader_id == 7)", true),
            ("*(vertex =~ shader)", true),
            ("*(ids == 2) and not *(ids == 3)", true),
            ("*(ok == true) and *(none == null)", true),
            ("*(ok.further == 1) or *(missing == 1)", false),
        ] {
            let args = FilterArgs { filter: Some(Filter::parse(filter).unwrap()) };
            assert_eq!(args.accepts_object("frame 1", &object), expected, "{filter}");
        }
        assert!(FilterArgs::default().accepts_object("", &json_line!("a", {})));
    }
}
