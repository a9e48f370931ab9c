//! Numbers that compilers and the graphics library take for lengths of lists: groups, bindings, locations.

use naga::{Binding, Module, TypeInner};

use super::{Exceeded, start_of};
use crate::limits::{MAX_SHADER_BINDINGS, MAX_SHADER_GROUPS, MAX_SHADER_LOCATIONS};

/// Checks the numbers of a module's resources and of what enters and leaves its stages.
pub(super) fn check(module: &Module) -> Result<(), Exceeded> {
    for (handle, global) in module.global_variables.iter() {
        let place = start_of(module.global_variables.get_span(handle));
        if let Some(binding) = global.binding {
            below("bind group number", binding.group, MAX_SHADER_GROUPS, place)?;
            below("binding number", binding.binding, MAX_SHADER_BINDINGS, place)?;
        }
    }
    for (handle, ty) in module.types.iter() {
        if let TypeInner::Struct { members, .. } = &ty.inner {
            let place = start_of(module.types.get_span(handle));
            members.iter().try_for_each(|member| location(member.binding.as_ref(), place))?;
        }
    }
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        function.arguments.iter().try_for_each(|argument| location(argument.binding.as_ref(), None))?;
        location(function.result.as_ref().and_then(|result| result.binding.as_ref()), None)?;
    }
    Ok(())
}

fn location(binding: Option<&Binding>, place: Option<usize>) -> Result<(), Exceeded> {
    match binding {
        Some(Binding::Location { location, .. }) => below("location number", *location, MAX_SHADER_LOCATIONS, place),
        Some(Binding::BuiltIn(_)) | None => Ok(()),
    }
}

/// An error if a number is not below the count of those there are.
fn below(what: &'static str, found: u32, count: u32, place: Option<usize>) -> Result<(), Exceeded> {
    Exceeded::above(what, u64::from(found), u64::from(count) - 1, place)
}
