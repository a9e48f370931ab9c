//! What an API draws by another rule than Direct3D or another API.

use super::device::Gpu;
use crate::replay::{DeviceRemark, RemarkedDraws};

const ON_VULKAN: [DeviceRemark; 1] = [DeviceRemark {
    what: "Vulkan draws lines as rectangles: at ends and on slopes they may differ by a pixel from those of Direct3D and \
           OpenGL",
    about: RemarkedDraws::Lines,
}];

const ON_OPENGL: [DeviceRemark; 2] = [
    DeviceRemark {
        what: "OpenGL draws lines with flat colours from end to start, because their colours come from the second end: \
               pixels at the ends may differ",
        about: RemarkedDraws::FlatLines,
    },
    DeviceRemark {
        what: "OpenGL interpolates from another corner of a triangle than Vulkan: values may be rounded differently, and a \
               pixel may change where a shader or a test compares them",
        about: RemarkedDraws::Triangles,
    },
];

impl Gpu {
    /// Remarks on draws whose pixels may differ from those of Direct3D or another API.
    pub fn drawing_remarks(&self) -> &'static [DeviceRemark] {
        match self.summary().backend.as_str() {
            "vulkan" => &ON_VULKAN,
            "gl" => &ON_OPENGL,
            _ => &[],
        }
    }
}
