//! What flows in and out of a stage by name.

use super::numbered::numbered;
use super::operand::{Mask, MinPrecision};

numbered! {
    /// The type of a signature element.
    pub enum ComponentType {
        /// Nothing said, as the emulator writes.
        Unknown = 0, "unknown";
        /// Unsigned integers.
        Uint = 1, "uint";
        /// Signed integers.
        Sint = 2, "int";
        /// Floats.
        Float = 3, "float";
    }

    /// A value that the pipeline itself makes or takes. The numbers are those of declarations; signatures count the
    /// tessellation factors otherwise.
    pub enum SystemValue {
        /// A position.
        Position = 1, "position";
        /// Distances to clip planes.
        ClipDistance = 2, "clip_distance";
        /// Distances to cull planes.
        CullDistance = 3, "cull_distance";
        /// The layer to draw to.
        RenderTargetArrayIndex = 4, "rendertarget_array_index";
        /// The viewport to draw to.
        ViewportArrayIndex = 5, "viewport_array_index";
        /// The vertex's number.
        VertexId = 6, "vertex_id";
        /// The primitive's number.
        PrimitiveId = 7, "primitive_id";
        /// The instance's number.
        InstanceId = 8, "instance_id";
        /// Whether the triangle's front is seen.
        IsFrontFace = 9, "is_front_face";
        /// The sample's number.
        SampleIndex = 10, "sampleIndex";
        /// A factor of a quad's edge.
        FinalQuadUEq0EdgeTessFactor = 11, "finalQuadUeq0EdgeTessFactor";
        /// A factor of a quad's edge.
        FinalQuadVEq0EdgeTessFactor = 12, "finalQuadVeq0EdgeTessFactor";
        /// A factor of a quad's edge.
        FinalQuadUEq1EdgeTessFactor = 13, "finalQuadUeq1EdgeTessFactor";
        /// A factor of a quad's edge.
        FinalQuadVEq1EdgeTessFactor = 14, "finalQuadVeq1EdgeTessFactor";
        /// A factor of a quad's inside.
        FinalQuadUInsideTessFactor = 15, "finalQuadUInsideTessFactor";
        /// A factor of a quad's inside.
        FinalQuadVInsideTessFactor = 16, "finalQuadVInsideTessFactor";
        /// A factor of a triangle's edge.
        FinalTriUEq0EdgeTessFactor = 17, "finalTriUeq0EdgeTessFactor";
        /// A factor of a triangle's edge.
        FinalTriVEq0EdgeTessFactor = 18, "finalTriVeq0EdgeTessFactor";
        /// A factor of a triangle's edge.
        FinalTriWEq0EdgeTessFactor = 19, "finalTriWeq0EdgeTessFactor";
        /// The factor of a triangle's inside.
        FinalTriInsideTessFactor = 20, "finalTriInsideTessFactor";
        /// How finely lines are cut.
        FinalLineDetailTessFactor = 21, "finalLineDetailTessFactor";
        /// How many lines there are.
        FinalLineDensityTessFactor = 22, "finalLineDensityTessFactor";
        /// A colour target.
        Target = 64, "target";
        /// The depth.
        Depth = 65, "depth";
        /// The samples covered or written.
        Coverage = 66, "coverage";
        /// A depth not below the primitive's.
        DepthGreaterEqual = 67, "depthge";
        /// A depth not above the primitive's.
        DepthLessEqual = 68, "depthle";
        /// The stencil reference.
        StencilRef = 69, "stencilref";
        /// Whether the pixel is covered whole.
        InnerCoverage = 70, "innercoverage";
    }
}

/// A stage's signatures. A bare token stream has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signatures {
    /// What the stage reads (ISGN, ISG1).
    pub input: Vec<SignatureElement>,
    /// What the stage writes (OSGN, OSG5, OSG1).
    pub output: Vec<SignatureElement>,
    /// What belongs to a whole patch (PCSG, PSG1): an output of hull shaders, an input of domain shaders.
    pub patch: Vec<SignatureElement>,
}

/// One row of a signature: some lanes of a register, and what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureElement {
    /// The semantic's name without its number.
    pub name: Box<str>,
    /// The semantic's number.
    pub index: u32,
    /// What the pipeline makes of it: by its number in the file, or, where that is 0, by its name.
    pub system_value: Option<SystemValue>,
    /// Its type.
    pub component_type: ComponentType,
    /// The register; `None` where it has a register of its own kind, as depth does.
    pub register: Option<u32>,
    /// The lanes it takes.
    pub mask: Mask,
    /// Of an input, the lanes that are read; of an output, the lanes that are never written.
    pub read_or_unwritten: Mask,
    /// The stream of a geometry shader.
    pub stream: u8,
    /// The least precision asked for.
    pub precision: MinPrecision,
}

impl SignatureElement {
    /// The semantic with its number, `TEXCOORD0` say.
    pub fn full_name(&self) -> String {
        format!("{}{}", self.name, self.index)
    }
}
