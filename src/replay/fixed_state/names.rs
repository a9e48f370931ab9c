//! Direct3D 9's names for the states that it numbers, and for their values.

use super::numbered::NumberedState;
use super::render_states::RENDER_STATES;
use super::sampler_states::SAMPLER_STATES;

/// What Direct3D calls a render state: `D3DRS_ZENABLE` for 7. Nothing for numbers that it does not define.
pub fn render_state_name(state: u32) -> Option<&'static str> {
    NumberedState::find(&RENDER_STATES, state).map(|state| state.name)
}

/// A render state's value in Direct3D's words: `LESSEQUAL` for 4 of state 23, floats as floats, colours in hexadecimal,
/// masks of channels by their letters. Other values, and those of states that are not defined, are plain numbers.
pub fn describe_render_state(state: u32, value: u32) -> String {
    describe(&RENDER_STATES, state, value)
}

/// What Direct3D calls a sampler state: `D3DSAMP_ADDRESSU` for 1. Nothing for numbers that it does not define.
pub fn sampler_state_name(state: u32) -> Option<&'static str> {
    NumberedState::find(&SAMPLER_STATES, state).map(|state| state.name)
}

/// A sampler state's value in Direct3D's words, as [`describe_render_state`] has them: `WRAP` for 1 of state 1.
pub fn describe_sampler_state(state: u32, value: u32) -> String {
    describe(&SAMPLER_STATES, state, value)
}

fn describe(table: &'static [NumberedState], number: u32, value: u32) -> String {
    NumberedState::find(table, number).map_or_else(|| value.to_string(), |state| state.describe(value))
}
