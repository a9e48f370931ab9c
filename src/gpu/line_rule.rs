//! The rule by which an API draws lines, where it is another than Direct3D's.

use super::device::Gpu;
use crate::replay::LineRemark;

impl Gpu {
    /// A remark on lines whose pixels may differ from Direct3D's.
    pub fn line_remark(&self) -> Option<LineRemark> {
        match self.summary().backend.as_str() {
            "vulkan" => Some(LineRemark {
                what: "Vulkan draws lines as rectangles: at ends and on slopes they may differ by a pixel from those of \
                       Direct3D and OpenGL",
                is_of_flat_values: false,
            }),
            "gl" => Some(LineRemark {
                what: "OpenGL draws lines with flat colours from end to start, because their colours come from the second \
                       end: pixels at the ends may differ",
                is_of_flat_values: true,
            }),
            _ => None,
        }
    }
}
