//! Which name means what, where.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::typed::{FunctionId, VariableId};
use super::super::types::Struct;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    /// A variable.
    Variable(VariableId),
    /// A struct type.
    Struct(Arc<Struct>),
    /// All overloads of a function.
    Functions(Vec<FunctionId>),
    /// Something whose declaration is wrong.
    Unknown,
}

/// Nested scopes, innermost last. The first holds what the language declares, the second what the text does.
pub(crate) struct Scopes<'a> {
    scopes: Vec<HashMap<&'a str, (Entity, u32)>>,
}

impl<'a> Scopes<'a> {
    /// One empty scope.
    pub(crate) fn new() -> Self {
        Self { scopes: vec![HashMap::new()] }
    }

    /// Opens a scope.
    pub(crate) fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes the innermost scope.
    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// How many scopes are open.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Closes scopes until so many are open.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        self.scopes.truncate(depth);
    }

    /// Declares a name outside functions.
    pub(crate) fn declare_globally(&mut self, name: &'a str, entity: Entity, position: u32) {
        if let Some(scope) = self.scopes.get_mut(1) {
            scope.insert(name, (entity, position));
        }
    }

    /// What a name means here.
    pub(crate) fn find(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).map(|(entity, _)| entity)
    }

    /// All names that mean something here.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'a str, &Entity)> {
        self.scopes.iter().flatten().map(|(name, (entity, _))| (*name, entity))
    }

    /// What a name means in the innermost scope, and where it was declared.
    pub(crate) fn find_innermost(&mut self, name: &str) -> Option<&mut (Entity, u32)> {
        self.scopes.last_mut()?.get_mut(name)
    }

    /// Declares a name in the innermost scope.
    pub(crate) fn declare(&mut self, name: &'a str, entity: Entity, position: u32) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, (entity, position));
        }
    }
}
