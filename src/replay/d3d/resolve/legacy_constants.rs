//! The banks of constants of Direct3D 9, as values.

use super::super::context::Bank;

/// What the three banks of a stage hold, up to the last register that was ever set. The others are 0.
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
    pub(super) fn of([floats, integers, booleans]: &[Bank; 3]) -> Self {
        let [floats, integers, booleans] = [floats, integers, booleans].map(|bank| bank.values.clone());
        Self { floats, integers, booleans }
    }
}
