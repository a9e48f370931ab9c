//! Names of the resources that rows are about, as markers give them.

use std::collections::BTreeMap;

use super::{EventArgument, EventRow, Meaning};
use crate::abi::FieldValue;
use crate::analysis::Analysis;
use crate::format::aerogpu::FrameIndex;
use crate::replay::CommandNumber;
use crate::text::Harmless;

/// Names of resources by their handles.
pub type ResourceNames = BTreeMap<u32, String>;

impl Analysis {
    /// Names that markers have given the resources of a row's arguments, as far as they have one where the row begins.
    pub fn resource_names(&self, frame: FrameIndex, row: &EventRow, arguments: &[EventArgument]) -> ResourceNames {
        let own = self.index.commands_of(frame).filter(|_| row.submission.is_some());
        let Some(number) = own.map(|own| CommandNumber(own.start.saturating_add(row.packet))) else {
            return ResourceNames::new();
        };
        let handles = arguments.iter().flat_map(EventArgument::resources);
        let named = |handle: u32| Some((handle, self.index.resource_name(handle, number)?.to_owned()));
        handles.filter_map(named).collect()
    }
}

impl EventArgument {
    /// Handles of resources that it holds.
    fn resources(&self) -> Vec<u32> {
        match (self.meaning, &self.value) {
            (Meaning::Resource, FieldValue::Number(handle)) => u32::try_from(*handle).ok().into_iter().collect(),
            (Meaning::Resource, FieldValue::Numbers(handles)) => handles.clone(),
            _ => Vec::new(),
        }
    }

    /// Its value, with the names of the resources that it holds: `7 "shadow map"`.
    pub fn value_in_words(&self, names: &ResourceNames) -> String {
        let word = |handle: u32| match names.get(&handle) {
            Some(name) => format!("{handle} \"{}\"", Harmless(name)),
            None => handle.to_string(),
        };
        match (self.resources().as_slice(), &self.value) {
            ([], value) => value.to_string(),
            (handles, FieldValue::Numbers(_)) => {
                format!("[{}]", handles.iter().map(|handle| word(*handle)).collect::<Vec<_>>().join(", "))
            }
            (handles, _) => handles.iter().map(|handle| word(*handle)).collect(),
        }
    }
}
