//! States that Direct3D 9 numbers: what it calls them, which values they have, and what was set.

use std::fmt;
use std::marker::PhantomData;

/// What the values of a state are.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// 0 is false, all else true.
    Flag,
    /// One of a list.
    OneOf(&'static [(u32, &'static str)]),
    /// The bits of a float.
    Float,
    /// A colour, alpha in the highest byte, blue in the lowest.
    Color,
    /// Channels that are written: bit 0 red to bit 3 alpha.
    Channels,
    /// The same of a target behind the first, where a 0 says nothing until another value was set.
    LaterChannels,
    /// Samples that are written.
    Samples,
    /// Bits that mean something each.
    Bits,
    /// A number.
    Number,
}

/// What draws make of a state. Half sentences tell the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// They do what it says.
    Honoured,
    /// They do what it says, or are refused: of what.
    HonouredOrRefused(&'static str),
    /// They do what it says, but for values that are taken as others: which, and how.
    Approximated(&'static [(u32, &'static str)]),
    /// It can change no picture here: why.
    WithoutEffect(&'static str),
    /// It is passed over where it could change a picture: what is drawn instead.
    PassedOver(&'static str),
}

/// One state.
pub struct NumberedState {
    /// Its number.
    pub number: u32,
    /// What Direct3D calls it.
    pub name: &'static str,
    pub(super) meaning: Meaning,
    pub(super) default: u32,
    /// What draws make of it.
    pub treatment: Treatment,
}

impl NumberedState {
    /// The state of a table, which is in order of the numbers.
    pub(super) fn find(table: &'static [Self], number: u32) -> Option<&'static Self> {
        table.get(table.partition_point(|state| state.number < number)).filter(|state| state.number == number)
    }

    /// Its default in Direct3D's words.
    pub fn default_value(&self) -> String {
        self.describe(self.default)
    }

    /// What is done with a value that is not as Direct3D 9 defines it, or not drawn as it says. A 0 is none of these: at its
    /// start the guest's driver sends one for most numbers.
    fn remark(&self, sent: u32) -> Option<String> {
        let (name, value) = (self.name, self.describe(sent));
        if self.value(sent).is_none() {
            return Some(format!("{name} = {sent} is taken as {}: the state has no such value", self.default_value()));
        }
        match self.treatment {
            Treatment::PassedOver(instead) if self.value(sent) != Some(self.default) => {
                Some(format!("{name} = {value} is passed over: {instead}"))
            }
            Treatment::Approximated(values) => {
                let known = values.iter().find(|(known, _)| *known == sent);
                known.map(|(_, instead)| format!("{name} = {value} is {instead}"))
            }
            _ => None,
        }
    }

    /// What a value stands for, if the state has it.
    fn value(&self, sent: u32) -> Option<u32> {
        match self.meaning {
            Meaning::Flag => Some(u32::from(sent != 0)),
            Meaning::OneOf(values) => values.iter().any(|(value, _)| *value == sent).then_some(sent),
            Meaning::Channels | Meaning::LaterChannels => Some(sent & 0xf),
            _ => Some(sent),
        }
    }

    /// Whether a 0 says nothing until another value was set.
    const fn starts_full(&self) -> bool {
        matches!(self.meaning, Meaning::LaterChannels | Meaning::Samples)
    }

    /// A value in Direct3D's words; what the state does not have is a plain number.
    pub(super) fn describe(&self, value: u32) -> String {
        match self.meaning {
            Meaning::Flag => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
            Meaning::OneOf(values) => {
                let name = values.iter().find(|(known, _)| *known == value).map(|(_, name)| (*name).to_owned());
                name.unwrap_or_else(|| value.to_string())
            }
            Meaning::Float => f32::from_bits(value).to_string(),
            Meaning::Color | Meaning::Samples => format!("{value:#010x}"),
            Meaning::Bits => format!("{value:#x}"),
            Meaning::Channels | Meaning::LaterChannels => channel_letters(value as u8),
            Meaning::Number => value.to_string(),
        }
    }
}

/// The channels of a mask by their letters, `none` without any.
pub(super) fn channel_letters(mask: u8) -> String {
    let letters: String =
        "RGBA".chars().enumerate().filter(|(bit, _)| mask >> bit & 1 != 0).map(|(_, letter)| letter).collect();
    if letters.is_empty() { "none".to_owned() } else { letters }
}

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
    const STATES: &'static [NumberedState];
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
        for (place, state) in (0..).zip(T::STATES) {
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
        if let Some(known) = self.values.get_mut(number as usize) {
            if let Some(state) = known.place.and_then(|place| T::STATES.get(usize::from(place))) {
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
        NumberedState::find(T::STATES, number).is_some()
    }

    /// Every number that Direct3D 9 defines, ascending.
    pub fn defined() -> impl Iterator<Item = u32> {
        T::STATES.iter().map(|state| state.number)
    }

    /// What is done with states and values that are not as Direct3D 9 defines them, or not drawn as they say, in the order
    /// of their numbers.
    pub fn remarks(&self) -> impl Iterator<Item = StateRemark> {
        self.all_sent().filter_map(|(number, value)| Self::remark(number, value))
    }

    /// What is done with one value of one state that is not as Direct3D 9 defines it, or not drawn as it says. A 0 is none
    /// of these: at its start the guest's driver sends one for most numbers.
    pub fn remark(number: u32, value: u32) -> Option<StateRemark> {
        let ignored = || format!("{} {number} = {value:#x} is ignored: Direct3D 9 defines no such state", T::NOUN);
        let state = NumberedState::find(T::STATES, number);
        let what = state.map_or_else(|| Some(ignored()), |state| state.remark(value));
        what.filter(|_| value != 0).map(|what| StateRemark { state: number, value, what })
    }

    /// All states that Direct3D 9 defines, in the order of their numbers.
    pub fn table() -> &'static [NumberedState] {
        T::STATES
    }
}
