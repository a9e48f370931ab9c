//! What was set of the states that Direct3D 9 numbers, and what it comes to.

use std::fmt;
use std::marker::PhantomData;

use crate::command::{NumberedState, render_state_number as number};

/// Something about a state that was set which whoever looks at a trace may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRemark {
    /// The state's number.
    pub state: u32,
    /// Its value as it was sent.
    pub value: u32,
    /// What is done with it, as half a sentence.
    pub what: String,
}

impl fmt::Display for StateRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// A state of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateValue {
    sent: Option<u32>,
    effective: u32,
    /// Where the state stands in its table, if it is defined: most commands of a trace set states.
    place: Option<u8>,
}

impl StateValue {
    fn set(&mut self, state: &NumberedState, value: u32) {
        // Once a mask was set, it is other than full, or the value before was another one than 0.
        let is_unset = self.effective == state.default && self.sent.is_none_or(|before| before == 0);
        if !(state.starts_full() && is_unset && value == 0) {
            self.effective = state.value(value).unwrap_or(state.default);
        }
    }
}

/// States that Direct3D 9 numbers and defines: render states, or sampler states.
pub trait StateTable: 'static {
    /// All that are defined, in the order of their numbers.
    fn states() -> &'static [NumberedState];
    /// What each of them is.
    const NOUN: &'static str;
}

/// What was set of the states with numbers below `COUNT`, and what it comes to.
///
/// * Higher numbers are ignored, and so are those that Direct3D 9 does not define.
/// * A value that an enumeration does not have is the enumeration's default: 0 in one that starts at 1 silently, all
///   others with one of the [`remarks`](Self::remarks).
/// * Any value other than 0 is true in a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateValues<T, const COUNT: usize> {
    values: [StateValue; COUNT],
    table: PhantomData<T>,
}

impl<T: StateTable, const COUNT: usize> Default for StateValues<T, COUNT> {
    fn default() -> Self {
        let undefined = StateValue { sent: None, effective: 0, place: None };
        let mut values = [undefined; COUNT];
        for (place, state) in (0..).zip(T::states()) {
            // silent: numbers beyond all states are ignored
            if let Some(value) = values.get_mut(state.number as usize) {
                *value = StateValue { effective: state.default, place: Some(place), ..undefined };
            }
        }
        Self { values, table: PhantomData }
    }
}

impl<T: StateTable, const COUNT: usize> StateValues<T, COUNT> {
    /// Sets a state.
    pub fn set(&mut self, number: u32, value: u32) {
        // silent: numbers beyond all states are ignored
        if let Some(known) = self.values.get_mut(number as usize) {
            // silent: Direct3D 9 does not define a state of this number
            if let Some(state) = known.place.and_then(|place| T::states().get(usize::from(place))) {
                known.set(state, value);
            }
            known.sent = Some(value);
        }
    }

    /// What a state comes to; 0 for one that Direct3D 9 does not define.
    pub fn get(&self, number: u32) -> u32 {
        self.values.get(number as usize).map_or(0, |known| known.effective)
    }

    /// The value that a state was last sent, whether or not it is defined.
    pub fn sent(&self, number: u32) -> Option<u32> {
        self.values.get(number as usize)?.sent
    }

    /// Each state that was sent, with its value as it was sent, in the order of their numbers.
    pub fn all_sent(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.values).filter_map(|(number, known)| Some((number, known.sent?)))
    }

    /// Whether Direct3D 9 defines a state of this number: the same as [`Self::is_defined`], without a search.
    pub(in crate::replay) fn defines(&self, number: u32) -> bool {
        self.values.get(number as usize).is_some_and(|known| known.place.is_some())
    }

    /// Whether Direct3D 9 defines a state of this number.
    pub fn is_defined(number: u32) -> bool {
        NumberedState::find(T::states(), number).is_some()
    }

    /// Every number that Direct3D 9 defines, ascending.
    pub fn defined() -> impl Iterator<Item = u32> {
        T::states().iter().map(|state| state.number)
    }

    /// What is done with states and values that are not as Direct3D 9 defines them, or not drawn as they say, in the order
    /// of their numbers.
    pub fn remarks(&self) -> impl Iterator<Item = StateRemark> {
        self.all_sent().filter_map(|(number, value)| Self::remark(number, value))
    }

    /// What is done with one value of one state that is not as Direct3D 9 defines it, or not drawn as it says. A 0 is none
    /// of these: at its start the guest's driver sends one for most numbers.
    pub fn remark(number: u32, value: u32) -> Option<StateRemark> {
        let ignored = || format!("{} {number} = {value:#x} is ignored: Direct3D 9 has no such state", T::NOUN);
        let state = NumberedState::find(T::states(), number);
        let what = state.map_or_else(|| Some(ignored()), |state| state.remark(value));
        what.filter(|_| value != 0).map(|what| StateRemark { state: number, value, what })
    }
}

/// Render states below this number are kept.
const RENDER_STATE_COUNT: usize = 256;

/// Sampler states below this number are kept.
const SAMPLER_STATE_COUNT: usize = 14;

/// Direct3D 9's render states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderStateTable;

impl StateTable for RenderStateTable {
    fn states() -> &'static [NumberedState] {
        NumberedState::render_states()
    }

    const NOUN: &'static str = "render state";
}

/// What SET_RENDER_STATE has set in a context, by the numbers of Direct3D 9.
///
/// * The guest's driver sends nearly all numbers up to 255 at its start. 18, in which the emulator's executor sees a front
///   that is counter-clockwise, is one of those that Direct3D 9 does not define.
/// * The masks 162 and 190 to 192 have all bits set until they are first set to something other than 0. The executor
///   takes the 0 that the driver sends at its start for a mask that lets nothing through. Of 168, the mask of the first
///   target, the driver sends what it means: a 0 lets nothing through.
pub type RenderStates = StateValues<RenderStateTable, RENDER_STATE_COUNT>;

impl RenderStates {
    /// The masks, in which a 0 counts only after another value.
    pub const MASKS: [u32; 4] =
        [number::MULTISAMPLEMASK, number::COLORWRITEENABLE1, number::COLORWRITEENABLE2, number::COLORWRITEENABLE3];
}

/// Direct3D 9's sampler states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerStateTable;

impl StateTable for SamplerStateTable {
    fn states() -> &'static [NumberedState] {
        NumberedState::sampler_states()
    }

    const NOUN: &'static str = "sampler state";
}

/// What SET_SAMPLER_STATE has set of one sampler, by the numbers of Direct3D 9.
pub type SamplerStates = StateValues<SamplerStateTable, SAMPLER_STATE_COUNT>;
