//! All contexts of a trace.

use foldhash::HashMap;

use super::context::Context;
use super::draw_uses::DrawUses;
use super::effect::{ContextNumber, ObjectKey};
use crate::error::Internal;

/// A context, and what its last draw used.
pub(super) struct DrawingContext {
    pub context: Context,
    pub uses: DrawUses,
}

/// The contexts that have come up.
#[derive(Default)]
pub(super) struct Contexts {
    all: Vec<DrawingContext>,
    /// By id.
    numbers: HashMap<u32, ContextNumber>,
    /// The one that was last entered: a submission has one for all of its commands.
    entered: Option<(u32, ContextNumber)>,
}

impl Contexts {
    /// The number of the context with this id, which comes up now if it has not before.
    pub(super) fn enter(&mut self, id: u32) -> ContextNumber {
        if let Some((_, number)) = self.entered.filter(|(entered, _)| *entered == id) {
            return number;
        }
        let next = ContextNumber(self.all.len() as u32);
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            let context = Context::new(ObjectKey::back_buffer(next));
            self.all.push(DrawingContext { context, uses: DrawUses::default() });
        }
        self.entered = Some((id, number));
        number
    }

    /// The context with an id, if it has come up.
    pub(super) fn of_id(&self, id: u32) -> Option<&Context> {
        let number = self.numbers.get(&id)?;
        Some(&self.all.get(number.0 as usize)?.context)
    }

    /// The ids of all, ascending.
    pub(super) fn ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.numbers.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn at(&self, number: ContextNumber) -> Result<&DrawingContext, Internal> {
        self.all.get(number.0 as usize).ok_or(Internal::new("a command's context is not there"))
    }

    pub(super) fn at_mut(&mut self, number: ContextNumber) -> Result<&mut DrawingContext, Internal> {
        self.all.get_mut(number.0 as usize).ok_or(Internal::new("a command's context is not there"))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Context> {
        self.all.iter_mut().map(|drawing| &mut drawing.context)
    }
}
