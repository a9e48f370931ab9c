//! What markers call resources.

use super::objects::Objects;
use crate::command::Marker;

impl Objects {
    /// Takes in the text of a marker: it may name a resource, or take its name away.
    pub(super) fn mark(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        // silent: other markers are for whoever reads them
        let Marker::Name { resource, name } = Marker::parse(&text) else { return };
        match self.names.get(&resource) {
            Some(named) if !name.is_empty() => {
                self.labels.insert(resource, (named.named, name.to_owned()));
            }
            _ => {
                self.labels.remove(&resource);
            }
        }
    }

    /// What a marker has called the resource that a handle names, unless the handle has named another one since.
    pub fn label(&self, handle: u32) -> Option<&str> {
        let (named, text) = self.labels.get(&handle)?;
        let name = self.names.get(&handle)?;
        (name.named == *named).then_some(text.as_str())
    }
}
