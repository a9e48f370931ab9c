//! Files that were read into a timeline, whatever their format.

use super::{ArgumentSource, Timeline, UploadedBytes};
use trace_base::error::Classified;

/// A file as a timeline, with what it takes to decode the arguments of its events.
pub trait MappedFile {
    /// Tracks, frames, flows. What is damaged ends early.
    fn timeline(&self) -> &Timeline;

    /// The timeline, to be taken out.
    fn timeline_mut(&mut self) -> &mut Timeline;

    /// Decodes the arguments of the timeline's events.
    fn arguments(&self) -> Box<dyn ArgumentSource + '_>;

    /// What the file says of the frames that were shown, as far as it takes more than the timeline to know.
    fn uploads(&self) -> Vec<Vec<UploadedBytes>> {
        Vec::new()
    }

    /// What was survived, half a sentence for each kind of it, with how often it occurred.
    fn warnings(&self) -> Vec<String>;

    /// What ended the file early; the timeline holds everything before it.
    fn damage(&self) -> Option<&dyn Classified>;

    /// What is wrong inside the file, first of all, where what follows it was read all the same.
    fn damage_within(&self) -> Option<&dyn Classified> {
        None
    }
}
