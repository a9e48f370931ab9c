//! The banks of constants of Direct3D 9, as values.

use super::super::context::Bank;
use super::super::shader::ShaderSlots;

/// What the three banks of a stage hold, up to the last register that was ever set, or that the shader reads. The others
/// are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LegacyConstants {
    /// Four floats a register, as they lie in memory.
    pub floats: Vec<u8>,
    /// Four integers a register.
    pub integers: Vec<u8>,
    /// A word a register: 0 or 1.
    pub booleans: Vec<u8>,
}

impl LegacyConstants {
    /// Takes over what banks hold, up to the last registers that may be read.
    pub(super) fn take(&mut self, banks: &[Bank; 3], used: &UsedRegisters) {
        let Self { floats, integers, booleans } = self;
        let sizes = [(floats, 16), (integers, 16), (booleans, 4)];
        for ((own, size), (bank, end)) in sizes.into_iter().zip(banks.iter().zip(used.ends)) {
            let held = bank.values.get(..end as usize * size).unwrap_or(&bank.values);
            own.clear();
            own.extend_from_slice(held);
        }
    }
}

impl LegacyConstants {
    /// The first lane of an `i#`.
    pub(super) fn first_integer(&self, number: u32) -> i32 {
        let words = self.integers.chunks_exact(16).nth(number as usize);
        words.and_then(<[u8]>::first_chunk).map_or(0, |word| i32::from_le_bytes(*word))
    }
}

/// Which registers a shader may read: of floats, integers and flags, those before these.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedRegisters {
    ends: [u32; 3],
}

impl UsedRegisters {
    /// Of a shader of Direct3D 9.
    pub(super) const fn of(shader: &ShaderSlots) -> Self {
        Self { ends: shader.register_ends }
    }

    /// All floats, for a constant buffer that stands for them.
    pub(super) const ALL_FLOATS: Self = Self { ends: [u32::MAX >> 8, 0, 0] };
}
