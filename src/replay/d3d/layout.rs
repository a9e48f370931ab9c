//! A layout of vertices.

use crate::command::{FileBytes, Semantic, VertexAttribute};

/// A layout of vertices.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Its bytes in the file.
    pub declaration: FileBytes,
    /// Its attributes, or why it cannot be used.
    pub attributes: Result<Vec<VertexAttribute>, Box<str>>,
}

impl Layout {
    /// Whether it is in Direct3D 9's form.
    pub fn is_d3d9(&self) -> bool {
        // silent: a layout that cannot be read has no form
        let attributes = self.attributes.as_deref().unwrap_or_default();
        attributes.iter().any(|attribute| matches!(attribute.semantic, Semantic::Usage { .. }))
    }
}
