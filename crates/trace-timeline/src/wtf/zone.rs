//! Zones: threads, workers, processes; whatever the application calls so.
//!
//! They are told apart by wire id, as long as it keeps name, type and location. (The framework tells them apart by these
//! alone, and so mixes up two workers that are called alike.)

use super::error::{Problem, WtfError};
use super::id_index::IdIndex;
use super::warning::{WarningClass, Warnings};

/// Position of a zone in the [`ZoneTable`]: the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ZoneIndex(pub u32);

/// One zone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Zone {
    /// Its number in the file; none for the zone that nobody created.
    pub wire: Option<u32>,
    /// Name, if it has one.
    pub name: Option<Box<str>>,
    /// Type: `script`, `native_gpu`, `TASK` or any other word.
    pub kind: Option<Box<str>>,
    /// Where its code comes from.
    pub location: Option<Box<str>>,
}

/// The zones that were created so far, and which one is current.
///
/// Events before the first `wtf.zone#set` belong to the zone that is created first, even if that happens later, and to
/// a nameless one if none is ever created.
#[derive(Clone, Debug, Default)]
pub struct ZoneTable {
    zones: Vec<Zone>,
    by_wire: IdIndex,
    current: Option<ZoneIndex>,
    has_homeless_events: bool,
}

impl ZoneTable {
    /// All zones in the order of their creation.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// The zone of an event that happens now.
    #[inline]
    pub(super) fn zone_of_event(&mut self) -> ZoneIndex {
        self.current.unwrap_or_else(|| {
            self.has_homeless_events = true;
            ZoneIndex(0)
        })
    }

    /// Creates a zone. A repetition changes nothing; the same id with another name, type or
    /// location is another zone from there on.
    pub(super) fn create(&mut self, zone: Zone, offset: u64, warnings: &mut Warnings) {
        let wire = zone.wire.unwrap_or_default();
        if let Some(known) = self.by_wire.get(wire).and_then(|index| self.zones.get(index as usize)) {
            if *known != zone {
                let name =
                    |zone: &Zone| zone.name.as_ref().map_or("without a name".to_owned(), |name| format!("{name:?}"));
                let what = format!("expected zone {wire} to stay {}, found {}", name(known), name(&zone));
                warnings.note(WarningClass::ZoneRedefined, offset, what);
            } else {
                return;
            }
        }
        self.by_wire.insert(wire, self.zones.len() as u32);
        self.zones.push(zone);
    }

    /// Notes the deletion of a zone, which has no effect.
    pub(super) fn delete(&self, wire: u32, offset: u64, warnings: &mut Warnings) {
        if self.by_wire.get(wire).is_none() {
            let what = format!("expected the id of a created zone to delete, found {wire}");
            warnings.note(WarningClass::ZoneDeleteUndefined, offset, what);
        }
    }

    /// Makes a zone current until the next call.
    pub(super) fn set(&mut self, wire: u32, offset: u64) -> Result<(), WtfError> {
        match self.by_wire.get(wire) {
            Some(index) => self.current = Some(ZoneIndex(index)),
            None => return Err(WtfError::new(offset, Problem::ZoneUndefined { found: wire })),
        }
        Ok(())
    }

    /// Gives events without any zone the nameless one. At the end of the trace.
    pub(super) fn finish(&mut self) {
        if self.zones.is_empty() && self.has_homeless_events {
            self.zones.push(Zone::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(wire: u32, name: &str) -> Zone {
        Zone { wire: Some(wire), name: Some(name.into()), ..Zone::default() }
    }

    #[test]
    fn zones_are_told_apart_by_wire_id() {
        let (mut table, mut warnings) = (ZoneTable::default(), Warnings::default());
        assert_eq!(table.zone_of_event(), ZoneIndex(0));
        table.create(zone(5, "Worker"), 0, &mut warnings);
        table.create(zone(6, "Worker"), 0, &mut warnings);
        table.create(zone(6, "Worker"), 0, &mut warnings);
        assert!(warnings.names().is_empty());
        table.create(zone(6, "Else"), 0, &mut warnings);
        table.delete(9, 0, &mut warnings);
        assert_eq!(warnings.names(), ["zone_delete_undefined", "zone_redefined"]);
        table.set(6, 0).unwrap();
        assert_eq!(table.zone_of_event(), ZoneIndex(2), "the zone that has the id now");
        assert_eq!(table.set(7, 0x99).unwrap_err().offset, 0x99);
        table.finish();
        assert_eq!(table.zones().len(), 3);
    }

    #[test]
    fn events_without_any_zone_get_a_nameless_one() {
        let mut table = ZoneTable::default();
        table.zone_of_event();
        table.finish();
        assert_eq!(table.zones(), [Zone::default()]);
    }
}
