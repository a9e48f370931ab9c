//! Checks JSON against a JSON Schema: the part of the language that our own schema is written in. A keyword that is not
//! understood fails, so that nothing in a schema is passed over.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A schema, and what its `$ref`s name.
pub struct Schema {
    root: Value,
}

/// Keywords that say nothing about a value.
const ANNOTATIONS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

impl Schema {
    pub fn parse(text: &str) -> Self {
        Self { root: serde_json::from_str(text).unwrap() }
    }

    /// Definitions under `$defs`.
    pub fn definitions(&self) -> &Map<String, Value> {
        self.root["$defs"].as_object().unwrap()
    }

    /// The `type`s that lines have: the constant of each definition that the root chooses from.
    pub fn root_types(&self) -> BTreeSet<String> {
        let chosen = self.root["oneOf"].as_array().unwrap().iter().map(|one| one["$ref"].as_str().unwrap());
        let definition = |reference: &str| &self.definitions()[reference.strip_prefix("#/$defs/").unwrap()];
        chosen.map(|one| definition(one)["properties"]["type"]["const"].as_str().unwrap().to_owned()).collect()
    }

    /// Faults of a value, with the place in it; empty if there are none.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        self.check(&self.root, value, "$")
    }

    /// Faults of a value, by one of the definitions.
    pub fn errors_of(&self, definition: &str, value: &Value) -> Vec<String> {
        match self.definitions().get(definition) {
            Some(schema) => self.check(schema, value, "$"),
            None => vec![format!("no definition is called {definition:?}")],
        }
    }

    fn check(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let schema = schema.as_object().unwrap_or_else(|| panic!("no schema: {schema}"));
        schema.iter().flat_map(|(keyword, rule)| self.keyword(schema, keyword, rule, value, at)).collect()
    }

    fn keyword(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Vec<String> {
        let unless = |holds: bool| {
            if holds { Vec::new() } else { vec![format!("{at}: expected {keyword} {rule}, found {value}")] }
        };
        match keyword {
            _ if ANNOTATIONS.contains(&keyword) => Vec::new(),
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                self.check(&self.definitions()[name], value, at)
            }
            "type" => unless(match rule {
                Value::Array(types) => types.iter().any(|one| is_of(value, one)),
                one => is_of(value, one),
            }),
            "const" => unless(value == rule),
            "enum" => unless(rule.as_array().unwrap().contains(value)),
            "pattern" => {
                let pattern = regex::Regex::new(rule.as_str().unwrap()).unwrap();
                unless(value.as_str().is_none_or(|text| pattern.is_match(text)))
            }
            "minItems" => unless(value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap())),
            "maxItems" => unless(value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap())),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                items.flat_map(|(index, item)| self.check(rule, item, &format!("{at}[{index}]"))).collect()
            }
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                let missing =
                    names.filter(|name| value.as_object().is_some_and(|members| !members.contains_key(*name)));
                missing.map(|name| format!("{at}: {name:?} is missing")).collect()
            }
            "properties" => {
                let properties = rule.as_object().unwrap().iter();
                let there = properties.filter_map(|(name, rule)| Some((name, rule, value.get(name)?)));
                there.flat_map(|(name, rule, value)| self.check(rule, value, &format!("{at}.{name}"))).collect()
            }
            "additionalProperties" => self.additional(schema, rule, value, at),
            "oneOf" => {
                let all: Vec<Vec<String>> =
                    rule.as_array().unwrap().iter().map(|one| self.check(one, value, at)).collect();
                match all.iter().filter(|errors| errors.is_empty()).count() {
                    1 => Vec::new(),
                    // What fits best says most about what is wrong.
                    0 => all
                        .into_iter()
                        .min_by_key(Vec::len)
                        .unwrap_or_else(|| vec![format!("{at}: oneOf has no schema")]),
                    count => vec![format!("{at}: {count} of oneOf hold")],
                }
            }
            _ => panic!("the schema has the keyword {keyword:?}, which this checker does not know"),
        }
    }

    fn additional(&self, schema: &Map<String, Value>, rule: &Value, value: &Value, at: &str) -> Vec<String> {
        let known = |name: &str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
        let members = value.as_object().into_iter().flatten().filter(|(name, _)| !known(name));
        match rule {
            Value::Bool(true) => Vec::new(),
            Value::Bool(false) => members.map(|(name, _)| format!("{at}: {name:?} is not in the schema")).collect(),
            rule => members.flat_map(|(name, value)| self.check(rule, value, &format!("{at}.{name}"))).collect(),
        }
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        kind => panic!("no type: {kind}"),
    }
}
