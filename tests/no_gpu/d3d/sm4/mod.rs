//! SM4 and SM5, in Microsoft's encoding and in the emulator's.

pub mod assemble;
mod calls;
#[cfg(feature = "cli")]
mod command_line;
mod container;
mod coverage;
mod covering;
mod digest;
mod edited;
mod emulator;
mod emulator_real;
mod hostile;
mod names;
mod round_trip;
mod slots;
mod text;
mod vkd3d;

use crate::support::harness::Trial;

pub fn trials() -> Vec<Trial> {
    [
        calls::trials(),
        coverage::trials(),
        hostile::trials(),
        names::trials(),
        #[cfg(feature = "cli")]
        command_line::trials(),
        digest::trials(),
        edited::trials(),
        emulator_real::trials(),
        round_trip::trials(),
        slots::trials(),
        vkd3d::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
