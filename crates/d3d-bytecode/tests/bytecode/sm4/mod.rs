//! SM4 and SM5, in Microsoft's encoding and in the emulator's.

mod calls;
mod coverage;
mod covering;
mod digest;
mod edited;
mod emulator_real;
mod hostile;
mod names;
mod round_trip;
mod slots;
mod vkd3d;

use dev_trials::Trial;

pub fn trials() -> Vec<Trial> {
    [
        calls::trials(),
        coverage::trials(),
        hostile::trials(),
        names::trials(),
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
