//! `--filter` of every verb that lists something.

use std::cell::RefCell;

use clap::Args;
use serde_json::{Map, Value as Json};

use super::args::CommonArgs;
use super::exit::Failure;
use crate::error::ErrorKind;
use crate::listing::{Filter, FilterError, Length, Subject};
use crate::text::JsonLine;
use crate::timeline::{AxisUnit, Value};

/// The grammar for rows without a length, whose names are as described.
macro_rules! row_grammar {
    ($names:literal) => {
        concat!(
            "EXPR combines tests with and, or, not and parentheses: a word or \"text\" (contained in ",
            $names,
            "), /regex/, name(argument operator value) (* for any name). Operators: == != < <= > >= =~ !~. \
             Arguments are the members of a row of --json."
        )
    };
}

/// Said below the help of verbs whose rows have no length.
pub(super) const ROW_FILTER_GRAMMAR: &str = row_grammar!("the name");

/// Said below the help of `draws`.
pub(super) const DRAW_FILTER_GRAMMAR: &str = row_grammar!("the name of the packet, a marker or a target");

/// Said below the help of verbs that filter what has a length.
pub(super) const FILTER_GRAMMAR: &str = "EXPR combines tests with and, or, not and parentheses: a word or \
    \"text\" (contained in the name), /regex/, name(argument operator value) (* for any name), @duration operator N[ns|us|ms|s] (ticks without a unit), @depth operator N. Operators: == != < <= > >= =~ !~.";

/// The flag.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct FilterArgs {
    /// Only rows that match EXPR
    #[arg(long, value_name = "EXPR", value_parser = parse_filter)]
    pub filter: Option<Filter>,
    #[arg(skip)]
    seen: RefCell<SeenRows>,
}

/// Rows that a filter did not let pass, and whether it let any.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenRows {
    /// Whether any row was let pass.
    pub has_match: bool,
    /// Different names, the first of them.
    names: Vec<String>,
    /// Arguments of the first row that has any.
    arguments: Vec<String>,
}

/// Names of rows that are given as examples.
const EXAMPLES: usize = 8;

impl SeenRows {
    /// Whether no row was kept out so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Takes in a row that the filter did not let pass.
    pub(crate) fn add(&mut self, name: &str, arguments: impl FnOnce() -> Vec<String>) {
        if self.names.len() < EXAMPLES && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        if self.arguments.is_empty() {
            self.arguments = arguments();
        }
    }

    /// Says what there would have been to match, if nothing was let pass.
    pub(crate) fn note(&self, common: &CommonArgs) {
        // A program that reads JSON counts the lines.
        let Some(first) = self.names.first().filter(|_| !self.has_match && !common.json) else { return };
        let names = self.names.join(", ");
        let message = match self.arguments.as_slice() {
            [] => format!("no row matches --filter; rows are named {names}"),
            [argument, ..] => format!(
                "no row matches --filter; rows are named {names}; arguments are {}, as in {}({argument} == 1)",
                self.arguments.join(", "),
                if first.contains(' ') { "*" } else { first }
            ),
        };
        common.messages().note(message, None);
    }
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
        self.accepts_named(name, &[], object)
    }

    /// Whether a row with further names, such as those of the groups that it is in, is to be shown.
    pub(crate) fn accepts_named(&self, name: &str, further_names: &[&str], object: &JsonLine) -> bool {
        if self.filter.is_none() {
            return true;
        }
        let argument = |path: &str| member(object.members(), path).map(Value::from);
        let accepts = self.accepts(&Row { name, further_names, length: None, depth: 0, argument: &argument });
        let mut seen = self.seen.borrow_mut();
        seen.has_match |= accepts;
        if !seen.has_match {
            let is_argument = |member: &&String| !matches!(member.as_str(), "schema" | "type");
            seen.add(name, || object.members().keys().filter(is_argument).cloned().collect());
        }
        accepts
    }

    /// Says what there would have been to match, if there were rows and none was shown.
    pub(crate) fn note_if_nothing_matched(&self, common: &CommonArgs) {
        if self.filter.is_some() {
            self.seen.borrow().note(common);
        }
    }
}

/// A row of a listing, as filters see it.
pub(super) struct Row<'a> {
    pub name: &'a str,
    pub further_names: &'a [&'a str],
    pub length: Option<Length>,
    pub depth: u32,
    /// The argument of a name.
    pub argument: &'a dyn Fn(&str) -> Option<Value>,
}

impl Subject for Row<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn any_name(&self, passes: &mut dyn FnMut(&str) -> bool) -> bool {
        passes(self.name) || self.further_names.iter().any(|name| passes(name))
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
            let args = FilterArgs { filter: Some(Filter::parse(filter).unwrap()), ..FilterArgs::default() };
            assert_eq!(args.accepts_object("frame 1", &object), expected, "{filter}");
        }
        assert!(FilterArgs::default().accepts_object("", &json_line!("a", {})));
    }
}
