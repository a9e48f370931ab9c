//! States that Direct3D 9 numbers: what it calls them, which values they have, and what draws make of them.

mod render_states;
mod sampler_states;

pub use render_states::{LARGEST_POINT_PX, number as render_state_number};
pub use sampler_states::number as sampler_state_number;

/// What the values of a state are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateMeaning {
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
    /// What its values are.
    pub meaning: StateMeaning,
    /// The value that it has until it is set.
    pub default: u32,
    /// What draws make of it.
    pub treatment: Treatment,
}

impl NumberedState {
    /// Every render state that Direct3D 9 defines, in the order of their numbers.
    pub fn render_states() -> &'static [Self] {
        &render_states::RENDER_STATES
    }

    /// Every sampler state that Direct3D 9 defines, in the order of their numbers.
    pub fn sampler_states() -> &'static [Self] {
        &sampler_states::SAMPLER_STATES
    }

    /// The render state of this number, if Direct3D 9 defines it.
    pub fn render_state(number: u32) -> Option<&'static Self> {
        Self::find(Self::render_states(), number)
    }

    /// The sampler state of this number, if Direct3D 9 defines it.
    pub fn sampler_state(number: u32) -> Option<&'static Self> {
        Self::find(Self::sampler_states(), number)
    }

    /// The state of a table, which is in order of the numbers.
    pub fn find(table: &'static [Self], number: u32) -> Option<&'static Self> {
        table.get(table.partition_point(|state| state.number < number)).filter(|state| state.number == number)
    }

    /// Its default in Direct3D's words.
    pub fn default_value(&self) -> String {
        self.describe(self.default)
    }

    /// What is done with a value that is not as Direct3D 9 defines it, or not drawn as it says. A 0 is none of these: at its
    /// start the guest's driver sends one for most numbers.
    pub fn remark(&self, sent: u32) -> Option<String> {
        let (name, value) = (self.name, self.describe(sent));
        if self.value(sent).is_none() {
            return Some(format!(
                "{name} = {sent} is treated as {}: the state has no such value",
                self.default_value()
            ));
        }
        match self.treatment {
            Treatment::PassedOver(instead) if self.value(sent) != Some(self.default) => {
                Some(format!("{name} = {value} is ignored: {instead}"))
            }
            Treatment::Approximated(values) => {
                let known = values.iter().find(|(known, _)| *known == sent);
                known.map(|(_, instead)| format!("{name} = {value} is {instead}"))
            }
            _ => None,
        }
    }

    /// What a value stands for, if the state has it.
    pub fn value(&self, sent: u32) -> Option<u32> {
        match self.meaning {
            StateMeaning::Flag => Some(u32::from(sent != 0)),
            StateMeaning::OneOf(values) => values.iter().any(|(value, _)| *value == sent).then_some(sent),
            StateMeaning::Channels | StateMeaning::LaterChannels => Some(sent & 0xf),
            _ => Some(sent),
        }
    }

    /// Whether a 0 says nothing until another value was set.
    pub const fn starts_full(&self) -> bool {
        matches!(self.meaning, StateMeaning::LaterChannels | StateMeaning::Samples)
    }

    /// The name of a value: `LESSEQUAL` for 4 of D3DRS_ZFUNC, of a mask of channels their letters. Nothing for numbers,
    /// and for values that the state does not have.
    pub fn name_of(&self, value: u32) -> Option<String> {
        match self.meaning {
            StateMeaning::Flag => Some(if value == 0 { "FALSE" } else { "TRUE" }.to_owned()),
            StateMeaning::OneOf(values) => {
                values.iter().find(|(known, _)| *known == value).map(|(_, name)| (*name).to_owned())
            }
            StateMeaning::Channels | StateMeaning::LaterChannels => Some(channel_letters(value as u8)),
            StateMeaning::Float
            | StateMeaning::Color
            | StateMeaning::Samples
            | StateMeaning::Bits
            | StateMeaning::Number => None,
        }
    }

    /// A value in Direct3D's words: by its [name](Self::name_of), floats as floats, colours and bits in hexadecimal. What
    /// the state does not have is a plain number.
    pub fn describe(&self, value: u32) -> String {
        self.name_of(value).unwrap_or_else(|| match self.meaning {
            StateMeaning::Float => f32::from_bits(value).to_string(),
            StateMeaning::Color | StateMeaning::Samples => format!("{value:#010x}"),
            StateMeaning::Bits => format!("{value:#x}"),
            _ => value.to_string(),
        })
    }
}

/// The channels of a mask by their letters, `none` without any.
pub fn channel_letters(mask: u8) -> String {
    let letters: String =
        "RGBA".chars().enumerate().filter(|(bit, _)| mask >> bit & 1 != 0).map(|(_, letter)| letter).collect();
    if letters.is_empty() { "none".to_owned() } else { letters }
}
