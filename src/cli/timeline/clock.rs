//! Words for where the times on a common axis come from; files have the names that the command line gave them.

use super::aligned::Aligned;
use crate::listing::AxisUnit;
use crate::timeline::ClockSource;

/// Where the times of the common axis come from.
pub(super) fn clock_in_words(clock: ClockSource, aligned: &[Aligned<'_>]) -> String {
    match clock {
        ClockSource::Reference => "time as recorded in the trace".to_owned(),
        ClockSource::Annotation(index) => format!("time as recorded in {}", name_of(index, aligned)),
        ClockSource::Timestamps(index) => {
            format!("GPU time from the timestamps in {}, interpolated between them", name_of(index, aligned))
        }
        ClockSource::None => "1 ms shown = 1 frame; no file records time".to_owned(),
    }
}

/// Where the events of the reference are placed on the axis, for a file of this name whose ticks are of this unit.
pub(super) fn placement_in_words(name: &str, unit: AxisUnit, clock: ClockSource, aligned: &[Aligned<'_>]) -> String {
    let (events, order) = match unit {
        AxisUnit::Microseconds | AxisUnit::Nanoseconds => return format!("{name}: time as recorded"),
        AxisUnit::Bytes => ("packets", "size"),
        AxisUnit::Calls => ("calls", "order"),
    };
    if aligned.is_empty() {
        return format!("{name}: no times recorded; its {events} are spread by {order}");
    }
    let frames = match clock {
        ClockSource::Reference | ClockSource::None => "are equally long because no file records time".to_owned(),
        ClockSource::Annotation(index) => format!("have their times from {}", name_of(index, aligned)),
        ClockSource::Timestamps(index) => {
            format!("have their times from the GPU timestamps in {}", name_of(index, aligned))
        }
    };
    format!("{name}: no times recorded; its frames {frames}, and its {events} are spread over their frame by {order}")
}

fn name_of(index: usize, aligned: &[Aligned<'_>]) -> String {
    aligned.get(index).map(|one| one.file.name()).unwrap_or_default()
}
