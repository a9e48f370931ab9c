//! Ticks of a ruler: steps of 1, 2 and 5, in the unit that suits them.

use super::axis_map::View;
use crate::timeline::NANOS_PER_UNTIMED_TICK;

/// What the places of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    /// Frames, a million places each.
    Frames,
    /// Ticks of a file without time, a thousand places each; their plural.
    Ticks(&'static str),
}

/// Length of a frame on an axis of [`Unit::Frames`].
pub(super) const PLACES_PER_FRAME: f64 = 1e6;

/// A stroke of a ruler.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RulerTick {
    pub place: f64,
    pub label: String,
}

impl Unit {
    /// Its name and length in places, for lengths of about `length`.
    fn scale(self, length: f64) -> (&'static str, f64) {
        match self {
            Self::Time => {
                let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
                units.into_iter().rev().find(|(_, places)| length >= *places).unwrap_or(("ns", 1.0))
            }
            Self::Frames => ("frames", PLACES_PER_FRAME),
            Self::Ticks(name) => (name, NANOS_PER_UNTIMED_TICK as f64),
        }
    }

    /// A length in the unit that suits it, with three figures or so.
    pub(super) fn length(self, length: f64) -> String {
        let (name, places) = self.scale(length.abs());
        let amount = length / places;
        let decimals = match amount.abs() {
            amount if amount == amount.round() => 0,
            amount if amount >= 100.0 => 1,
            amount if amount >= 1.0 => 2,
            _ => 4,
        };
        format!("{amount:.decimals$} {name}")
    }

    /// A place, as exact as a pixel of the view is wide.
    pub(super) fn position(self, place: f64, precision: f64) -> String {
        let (name, places) = match self {
            Self::Time => self.scale(place.abs()),
            _ => self.scale(precision),
        };
        format!("{:.*} {name}", decimals(precision / places), place / places)
    }
}

fn decimals(step: f64) -> usize {
    // The excess keeps 0.001 from needing four.
    (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize
}

/// Strokes at least the share `apart` of the view from each other. Units are powers of ten of each other, so a round step
/// in places is round in every unit.
pub(super) fn ruler_ticks(view: View, unit: Unit, apart: f64) -> Vec<RulerTick> {
    let least = (view.length() * apart).max(f64::MIN_POSITIVE);
    let magnitude = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    let step = steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(least);
    let (name, places) = unit.scale(step * (1.0 + 1e-9));
    let decimals = decimals(step / places);
    let first = (view.begin / step).ceil();
    let count = ((view.end / step).floor() - first).clamp(-1.0, 1000.0) as i64;
    let stroke = |index: i64| {
        // Adding 0 turns -0 into 0.
        let place = (first + index as f64) * step + 0.0;
        let amount = place / places;
        let label = match unit {
            Unit::Frames => format!("{amount:.decimals$}"),
            Unit::Time | Unit::Ticks(_) => format!("{amount:.decimals$} {name}"),
        };
        RulerTick { place, label }
    };
    (0..=count).map(stroke).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(begin: f64, end: f64, unit: Unit) -> Vec<String> {
        ruler_ticks(View { begin, end }, unit, 0.2).into_iter().map(|stroke| stroke.label).collect()
    }

    #[test]
    fn steps_are_round_in_their_unit() {
        assert_eq!(labels(0.0, 10.0, Unit::Time), ["0 ns", "2 ns", "4 ns", "6 ns", "8 ns", "10 ns"]);
        assert_eq!(labels(1.5e6, 3e6, Unit::Time), ["1500 µs", "2000 µs", "2500 µs", "3000 µs"]);
        assert_eq!(labels(-1e9, 1e9, Unit::Time), ["-1000 ms", "-500 ms", "0 ms", "500 ms", "1000 ms"]);
        assert_eq!(labels(0.0, 2.5e6, Unit::Frames), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(labels(0.0, 3e6, Unit::Ticks("calls")), ["0 calls", "1000 calls", "2000 calls", "3000 calls"]);
    }

    #[test]
    fn a_ruler_is_bounded_at_every_zoom() {
        for exponent in -12..15 {
            let length = 10_f64.powi(exponent) * 1.7;
            let count = ruler_ticks(View { begin: 123.456, end: 123.456 + length }, Unit::Time, 0.07).len();
            assert!((4..=15).contains(&count), "{count} at 1.7e{exponent}");
        }
    }

    #[test]
    fn lengths_are_read_without_counting_zeros() {
        assert_eq!(Unit::Time.length(1_234_567.0), "1.23 ms");
        assert_eq!(Unit::Time.length(12.0), "12 ns");
        assert_eq!(Unit::Frames.length(250_000.0), "0.2500 frames");
        assert_eq!(Unit::Ticks("bytes").length(96_000.0), "96 bytes");
        assert_eq!(Unit::Time.position(3_400_200_000.0, 1000.0), "3.400200 s");
    }
}
