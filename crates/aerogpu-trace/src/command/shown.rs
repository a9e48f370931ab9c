//! Which picture of a place is meant: what a screen shows, or part of a texture that need not be presented.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "reader")]
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::container::FrameIndex;
use trace_base::error::{Classified, ErrorKind};

/// A handle, and which mip and layer of a texture is meant: `7`, `7:2` or `7:2:5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize), serde(into = "String", try_from = "String"))]
pub struct ResourceName {
    /// The handle of a buffer, a texture or a view.
    pub handle: u32,
    /// The mip; of a view counted from its first.
    pub mip: u32,
    /// The layer; of a view counted from its first.
    pub layer: u32,
}

impl ResourceName {
    /// The resource `handle`, and of a texture its first mip and layer.
    pub fn of(handle: u32) -> Self {
        Self { handle, mip: 0, layer: 0 }
    }
}

/// A text that names no resource.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected HANDLE, HANDLE:MIP or HANDLE:MIP:LAYER")]
pub struct ResourceNameError;

impl Classified for ResourceNameError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl FromStr for ResourceName {
    type Err = ResourceNameError;

    fn from_str(text: &str) -> Result<Self, ResourceNameError> {
        let numbers: Result<Vec<u32>, _> = text.split(':').map(str::parse).collect();
        match numbers.map_err(|_| ResourceNameError)?.as_slice() {
            [handle] => Ok(Self::of(*handle)),
            [handle, mip] => Ok(Self { handle: *handle, mip: *mip, layer: 0 }),
            [handle, mip, layer] => Ok(Self { handle: *handle, mip: *mip, layer: *layer }),
            _ => Err(ResourceNameError),
        }
    }
}

impl fmt::Display for ResourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.handle, self.mip, self.layer)
    }
}

impl From<ResourceName> for String {
    fn from(name: ResourceName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for ResourceName {
    type Error = ResourceNameError;

    fn try_from(text: String) -> Result<Self, ResourceNameError> {
        text.parse()
    }
}

/// Which picture of a place is meant.
///
/// In JSON it is up to three fields, `present`, `scanout` and `target`, of which those are there that say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize), serde(into = "ShownFields", try_from = "ShownFields"))]
pub enum Shown {
    /// What is presented; in the middle of a frame, what is drawn to then.
    Screen {
        /// The screen that counts; without one, the lowest that the trace presents to.
        scanout: Option<u32>,
        /// Which of the frame's presents to it, counted from 0; without one, the last. It names a place in the frame.
        present: Option<u32>,
    },
    /// Part of a texture, as it is then.
    Target(ResourceName),
}

impl Default for Shown {
    fn default() -> Self {
        Self::Screen { scanout: None, present: None }
    }
}

impl Shown {
    /// What tells its file apart from those of other pictures of its frame: `scanout1.present0`, `target7`,
    /// `target7-1-2`; nothing for what is usual.
    pub fn file_part(self) -> Option<String> {
        let numbered = |name: &str, number: Option<u32>| number.map(|number| format!("{name}{number}"));
        match self {
            Self::Screen { scanout, present } => {
                let parts = [numbered("scanout", scanout), numbered("present", present)];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                (!parts.is_empty()).then(|| parts.join("."))
            }
            Self::Target(ResourceName { handle, mip: 0, layer: 0 }) => Some(format!("target{handle}")),
            Self::Target(ResourceName { handle, mip, layer }) => Some(format!("target{handle}-{mip}-{layer}")),
        }
    }

    /// What a sentence adds to the place: `, present 1 to screen 0`, `, target 7:0:0`; nothing for what is usual.
    pub fn in_words(self) -> impl fmt::Display {
        fmt::from_fn(move |f| match self {
            Self::Screen { scanout: None, present: None } => Ok(()),
            Self::Screen { scanout: None, present: Some(present) } => write!(f, ", present {present}"),
            Self::Screen { scanout: Some(scanout), present: None } => write!(f, ", screen {scanout}"),
            Self::Screen { scanout: Some(scanout), present: Some(present) } => {
                write!(f, ", present {present} to screen {scanout}")
            }
            Self::Target(name) => write!(f, ", target {name}"),
        })
    }
}

/// A [`Shown`] as JSON has it.
#[cfg(feature = "reader")]
#[derive(Serialize, Deserialize)]
struct ShownFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    present: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scanout: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<ResourceName>,
}

#[cfg(feature = "reader")]
impl From<Shown> for ShownFields {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Screen { scanout, present } => Self { present, scanout, target: None },
            Shown::Target(name) => Self { present: None, scanout: None, target: Some(name) },
        }
    }
}

#[cfg(feature = "reader")]
impl TryFrom<ShownFields> for Shown {
    type Error = &'static str;

    fn try_from(fields: ShownFields) -> Result<Self, &'static str> {
        match fields {
            ShownFields { present, scanout, target: None } => Ok(Self::Screen { scanout, present }),
            ShownFields { present: None, scanout: None, target: Some(name) } => Ok(Self::Target(name)),
            _ => Err("a target is not presented: expected it without a present or a scanout"),
        }
    }
}

/// One of the pictures of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize))]
pub struct FramePicture {
    /// The frame.
    pub frame: FrameIndex,
    /// Which of its pictures.
    #[cfg_attr(feature = "reader", serde(flatten))]
    pub shown: Shown,
}

impl From<FrameIndex> for FramePicture {
    /// The usual picture.
    fn from(frame: FrameIndex) -> Self {
        Self { frame, shown: Shown::default() }
    }
}

impl fmt::Display for FramePicture {
    /// What comes after the word frame: `3`, `3, present 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.frame, self.shown.in_words())
    }
}

#[cfg(all(test, feature = "reader"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = ["7", "7:2", "7:2:5"].map(|text| text.parse::<ResourceName>().unwrap().to_string());
        assert_eq!(names, ["7:0:0", "7:2:0", "7:2:5"]);
        for text in ["", "x", "7:", "7:1:2:3", "-1", "4294967296"] {
            assert_eq!(text.parse::<ResourceName>(), Err(ResourceNameError), "{text}");
        }
    }

    #[test]
    fn each_picture_of_a_frame_has_a_name_of_its_own() {
        let target = |text: &str| Shown::Target(text.parse().unwrap());
        let screen = |scanout, present| Shown::Screen { scanout, present };
        let shown = [
            (Shown::default(), None, ""),
            (screen(None, Some(1)), Some("present1"), ", present 1"),
            (screen(Some(2), None), Some("scanout2"), ", screen 2"),
            (screen(Some(2), Some(0)), Some("scanout2.present0"), ", present 0 to screen 2"),
            (target("7"), Some("target7"), ", target 7:0:0"),
            (target("7:1:2"), Some("target7-1-2"), ", target 7:1:2"),
        ];
        for (shown, file_part, words) in shown {
            assert_eq!(shown.file_part().as_deref(), file_part);
            assert_eq!(shown.in_words().to_string(), words);
            let picture = FramePicture { frame: FrameIndex(3), shown };
            let json = serde_json::to_value(picture).unwrap();
            assert_eq!(serde_json::from_value::<FramePicture>(json).unwrap(), picture);
            assert_eq!(picture.to_string(), format!("3{words}"));
        }
        let usual = FramePicture::from(FrameIndex(3));
        assert_eq!(serde_json::to_value(usual).unwrap(), serde_json::json!({ "frame": 3 }));
        let both = serde_json::json!({ "frame": 3, "present": 0, "target": "7" });
        assert!(serde_json::from_value::<FramePicture>(both).is_err());
    }
}
