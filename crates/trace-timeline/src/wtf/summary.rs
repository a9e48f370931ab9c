//! The counting pass: what is in a trace, without keeping any of it.

use std::collections::BTreeMap;

use super::error::WtfError;
use super::event_type::Role;
use super::reader::Reader;

/// Counts over the records that can be read.
#[derive(Debug, Default)]
pub struct Summary {
    /// All records, definitions and zone records among them.
    pub records: u64,
    /// Records per event name.
    pub type_counts: BTreeMap<String, u64>,
    /// Event types, the one that needs no definition among them.
    pub event_types: usize,
    /// Records per zone, without definitions and zone records.
    pub zone_events: Vec<u64>,
    /// Least time of those records in microseconds; none if there are none.
    pub time_min_micros: Option<u32>,
    /// Greatest time of those records in microseconds.
    pub time_max_micros: Option<u32>,
    /// How often records were lost while tracing.
    pub discontinuities: u64,
    /// Frame starts.
    pub frame_starts: u64,
    /// What ended the trace early.
    pub error: Option<WtfError>,
}

/// Reads the trace to its end or to the damage, counting.
pub fn count(reader: &mut Reader<'_>) -> Summary {
    let mut summary = Summary::default();
    let mut per_type: Vec<u64> = Vec::new();
    let (mut least, mut greatest) = (u32::MAX, 0);
    loop {
        let event = match reader.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(error) => {
                summary.error = Some(error);
                break;
            }
        };
        bump(&mut per_type, event.type_index.0 as usize);
        let Some(zone) = event.zone else { continue };
        bump(&mut summary.zone_events, zone.0 as usize);
        least = least.min(event.time_micros);
        greatest = greatest.max(event.time_micros);
    }
    summary.records = reader.record_count();
    summary.event_types = reader.types().types().len();
    if least <= greatest {
        (summary.time_min_micros, summary.time_max_micros) = (Some(least), Some(greatest));
    }
    for (event_type, &count) in reader.types().types().iter().zip(&per_type).filter(|&(_, &count)| count > 0) {
        *summary.type_counts.entry(event_type.name.to_string()).or_default() += count;
        match event_type.role {
            Role::Discontinuity => summary.discontinuities += count,
            Role::FrameStart => summary.frame_starts += count,
            _ => {}
        }
    }
    summary
}

#[inline]
fn bump(counts: &mut Vec<u64>, index: usize) {
    if index >= counts.len() {
        counts.resize(index + 1, 0);
    }
    if let Some(count) = counts.get_mut(index) {
        *count += 1;
    }
}
