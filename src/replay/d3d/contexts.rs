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
    /// By number; nothing of those that have not come up.
    all: Vec<Option<DrawingContext>>,
    /// By id. A slice of the trace may leave out the first commands of a context, which keeps its number nonetheless.
    numbers: HashMap<u32, ContextNumber>,
    /// The one that was last entered: a submission has one for all of its commands.
    entered: Option<(u32, ContextNumber)>,
}

impl Contexts {
    /// The number of the context with this id, which comes up now if it has not before.
    #[inline]
    pub(super) fn enter(&mut self, id: u32) -> Result<ContextNumber, Internal> {
        match self.entered(id) {
            Some(number) => Ok(number),
            None => self.enter_another(id),
        }
    }

    #[cold]
    fn enter_another(&mut self, id: u32) -> Result<ContextNumber, Internal> {
        let number = self.number_of(id);
        let at = number.0 as usize;
        if self.all.len() <= at {
            self.all.resize_with(at + 1, || None);
        }
        let slot = self.all.get_mut(at).ok_or(Internal::new("a context has no place"))?;
        slot.get_or_insert_with(|| {
            let context = Context::new(ObjectKey::back_buffer(number));
            DrawingContext { context, uses: DrawUses::default() }
        });
        self.entered = Some((id, number));
        Ok(number)
    }

    /// The number of the context with this id, if it was entered last.
    #[inline]
    pub(super) fn entered(&self, id: u32) -> Option<ContextNumber> {
        self.entered.filter(|(entered, _)| *entered == id).map(|(_, number)| number)
    }

    /// The number of the context with this id, whether it has come up or not.
    pub(super) fn number_of(&mut self, id: u32) -> ContextNumber {
        let next = ContextNumber(self.numbers.len() as u32);
        *self.numbers.entry(id).or_insert(next)
    }

    /// No context has come up. Each keeps its number.
    pub(super) fn restarted(self) -> Self {
        Self { numbers: self.numbers, ..Self::default() }
    }

    /// The context with an id, if it has come up.
    pub(super) fn of_id(&self, id: u32) -> Option<&Context> {
        let number = self.numbers.get(&id)?;
        Some(&self.all.get(number.0 as usize)?.as_ref()?.context)
    }

    /// The ids of all, ascending.
    pub(super) fn ids(&self) -> Vec<u32> {
        let has_come_up = |number: &ContextNumber| self.all.get(number.0 as usize).is_some_and(Option::is_some);
        let known = self.numbers.iter().filter(|(_, number)| has_come_up(number));
        let mut ids: Vec<u32> = known.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn at(&self, number: ContextNumber) -> Result<&DrawingContext, Internal> {
        self.all.get(number.0 as usize).and_then(Option::as_ref).ok_or(Internal::new("a command's context is missing"))
    }

    pub(super) fn at_mut(&mut self, number: ContextNumber) -> Result<&mut DrawingContext, Internal> {
        self.all
            .get_mut(number.0 as usize)
            .and_then(Option::as_mut)
            .ok_or(Internal::new("a command's context is missing"))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Context> {
        self.all.iter_mut().flatten().map(|drawing| &mut drawing.context)
    }
}
