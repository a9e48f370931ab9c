//! What a frame *means*: one vocabulary for every command ABI, free of any wire encoding.
//!
//! ```
//! use aerogpu_trace::command::Location;
//! use aerogpu_trace::container::FrameIndex;
//!
//! let at = Location { offset: 0x583, frame: FrameIndex(0), packet: 10, submission: None };
//! assert_eq!(at.to_string(), "at 0x583 (frame 0, packet 10)");
//! ```
//!
//! It speaks in Direct3D's terms: resources, shaders, layouts, fixed state, targets, bindings, draws, presents. What an
//! ABI cannot say it says by constants: Appendix A draws lists of triangles, once, with a layout of two elements, to a
//! target that needs no name.
//!
//! A command is a few numbers. Texts, bytecode, constants and lists stay in the file, and the command says where
//! ([`FileBytes`], [`FileList`]).

mod binding;
mod bytes_in_file;
mod format;
mod id;
mod located;
mod marker;
mod numbered;
mod place;
mod resource;
mod shader;
mod shown;
mod state;
mod work;

pub use trace_base::direct3d::{AddressMode, Comparison, Filter};

pub use binding::{
    BufferSlot, BufferUse, CreateSampler, SamplerSlot, SetBuffers, SetIndexBuffer, SetRenderState, SetSamplerState,
    SetSamplers, SetTexture, SetVertexBuffers, Topology, VertexBufferSlot,
};
pub use bytes_in_file::{FileBytes, FileList, Payload};
pub use format::{IndexFormat, Semantic, TextureFormat, VertexAttribute, VertexElement, VertexFormat, VertexStep};
pub use id::{IdSpace, LayoutId, PipelineId, ResourceId, SamplerId, ShaderId};
pub use located::{Located, Location, SubmissionPlace};
pub use marker::{Marker, MarkerGroup, MarkerGroups};
pub use numbered::{LARGEST_POINT_PX, channel_letters, render_state_number, sampler_state_number};
pub use numbered::{NumberedState, StateMeaning, Treatment};
pub use place::{Place, PlaceError, PlaceText, Point};
pub use resource::{
    Allocation, Backing, CopyBuffer, CopyTexture, CreateBuffer, CreateTexture, CreateView, Refresh, ShareToken,
    Subresource, SubresourceRange, Upload,
};
pub use shader::{
    BindShaders, ConstantBank, CreateLayout, CreatePipeline, CreateShader, SetConstants, SetVertexBuffer, ShaderBlobs,
    ShaderCode, ShaderStage, VertexLayout,
};
pub use shown::{FramePicture, ResourceName, ResourceNameError, Shown};
pub use state::{
    BlendEquation, BlendFactor, BlendOp, CullMode, FillMode, MOST_COLOR_TARGETS, SetBlend, SetDepthStencil,
    SetRasterizer, SetScissor, SetTargets, Viewport,
};
pub use work::{Aspects, Clear, Dispatch, Draw, DrawIndexed, Present};

/// One command of the guest.
#[derive(Clone, Copy, Debug, PartialEq)]
// Behind a tag of one byte the rest would be moved in odd pieces.
#[repr(u32)]
pub enum Command {
    // Resources.
    /// Makes a buffer.
    CreateBuffer(CreateBuffer),
    /// Makes a texture.
    CreateTexture(CreateTexture),
    /// Names some mips and layers of a texture.
    CreateView(CreateView),
    /// Ends a buffer's or a texture's life under this name.
    DestroyResource(ResourceId),
    /// Ends a view's life.
    DestroyView(ResourceId),
    /// Writes bytes.
    Upload(Upload),
    /// Says that the guest has written to the memory behind a resource.
    Refresh(Refresh),
    /// Copies bytes between buffers.
    CopyBuffer(CopyBuffer),
    /// Copies texels between textures.
    CopyTexture(CopyTexture),
    /// Gives other processes a token for a texture.
    ExportShared {
        /// The texture.
        resource: ResourceId,
        /// The token.
        token: ShareToken,
    },
    /// Gives the texture behind a token another name.
    ImportShared {
        /// The new name.
        resource: ResourceId,
        /// The token.
        token: ShareToken,
    },
    /// Ends a token's life.
    ReleaseShared(ShareToken),

    // Shaders.
    /// Makes a shader.
    CreateShader(CreateShader),
    /// Ends a shader's life.
    DestroyShader(ShaderId),
    /// Joins two shaders as they are now.
    CreatePipeline(CreatePipeline),
    /// Draws from here on use this pipeline as it is now.
    SetPipeline(PipelineId),
    /// Chooses the shaders of all stages.
    BindShaders(BindShaders),
    /// Sets constants.
    SetConstants(SetConstants),
    /// Makes a layout of vertices.
    CreateLayout(CreateLayout),
    /// Ends a layout's life.
    DestroyLayout(LayoutId),
    /// Chooses the layout of vertices, or none.
    SetLayout(Option<LayoutId>),

    // Fixed state and targets.
    /// Sets how colours are blended.
    SetBlend(SetBlend),
    /// Sets the tests of depth and stencil.
    SetDepthStencil(SetDepthStencil),
    /// Sets which triangles are drawn, and how.
    SetRasterizer(SetRasterizer),
    /// Chooses what is drawn to.
    SetTargets(SetTargets),
    /// Sets the rectangle that clip space maps to.
    SetViewport(Viewport),
    /// Sets the rectangle outside of which nothing is drawn.
    SetScissor(SetScissor),
    /// Sets one of Direct3D 9's render states.
    SetRenderState(SetRenderState),
    /// Sets one of Direct3D 9's sampler states.
    SetSamplerState(SetSamplerState),

    // Bindings.
    /// Draws from here on read this buffer, laid out like this.
    SetVertexBuffer(SetVertexBuffer),
    /// Binds vertex buffers to slots.
    SetVertexBuffers(SetVertexBuffers),
    /// Binds the index buffer.
    SetIndexBuffer(SetIndexBuffer),
    /// Sets what vertices form.
    SetTopology(Topology),
    /// Binds a texture to a slot.
    SetTexture(SetTexture),
    /// Makes a sampler.
    CreateSampler(CreateSampler),
    /// Ends a sampler's life.
    DestroySampler(SamplerId),
    /// Binds samplers to slots.
    SetSamplers(SetSamplers),
    /// Binds buffers that shaders use to slots.
    SetBuffers(SetBuffers),

    // Work.
    /// Fills the targets.
    Clear(Clear),
    /// Draws.
    Draw(Draw),
    /// Draws by indices.
    DrawIndexed(DrawIndexed),
    /// Runs the compute shader.
    Dispatch(Dispatch),
    /// Shows the first colour target.
    Present(Present),
    /// Has everything before it carried out.
    Flush,
    /// A text for whoever reads the stream.
    Marker(FileBytes),
    /// Nothing.
    Nop,
    /// What this build does not know, and passes over.
    Unknown {
        /// The opcode in the stream.
        opcode: u32,
    },
}

impl Command {
    /// The command's name in the specification of the stream that it stands in.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CreateBuffer(_) => "CREATE_BUFFER",
            Self::CreateTexture(_) => "CREATE_TEXTURE2D",
            Self::CreateView(_) => "CREATE_TEXTURE_VIEW",
            Self::DestroyResource(_) => "DESTROY_RESOURCE",
            Self::DestroyView(_) => "DESTROY_TEXTURE_VIEW",
            Self::Upload(Upload { payload: Payload::Blob(_), .. }) => "UPLOAD_BUFFER",
            Self::Upload(Upload { payload: Payload::Inline(_), .. }) => "UPLOAD_RESOURCE",
            Self::Refresh(_) => "RESOURCE_DIRTY_RANGE",
            Self::CopyBuffer(_) => "COPY_BUFFER",
            Self::CopyTexture(_) => "COPY_TEXTURE2D",
            Self::ExportShared { .. } => "EXPORT_SHARED_SURFACE",
            Self::ImportShared { .. } => "IMPORT_SHARED_SURFACE",
            Self::ReleaseShared(_) => "RELEASE_SHARED_SURFACE",
            Self::CreateShader(CreateShader { code: ShaderCode::Texts(_), .. }) => "CREATE_SHADER",
            Self::CreateShader(CreateShader { code: ShaderCode::Bytecode(_), .. }) => "CREATE_SHADER_DXBC",
            Self::DestroyShader(_) => "DESTROY_SHADER",
            Self::CreatePipeline(_) => "CREATE_PIPELINE",
            Self::SetPipeline(_) => "SET_PIPELINE",
            Self::BindShaders(_) => "BIND_SHADERS",
            Self::SetConstants(SetConstants { bank, .. }) => match bank {
                ConstantBank::Float => "SET_SHADER_CONSTANTS_F",
                ConstantBank::Int => "SET_SHADER_CONSTANTS_I",
                ConstantBank::Bool | ConstantBank::WideBool => "SET_SHADER_CONSTANTS_B",
            },
            Self::CreateLayout(_) => "CREATE_INPUT_LAYOUT",
            Self::DestroyLayout(_) => "DESTROY_INPUT_LAYOUT",
            Self::SetLayout(_) => "SET_INPUT_LAYOUT",
            Self::SetBlend(_) => "SET_BLEND_STATE",
            Self::SetDepthStencil(_) => "SET_DEPTH_STENCIL_STATE",
            Self::SetRasterizer(_) => "SET_RASTERIZER_STATE",
            Self::SetTargets(_) => "SET_RENDER_TARGETS",
            Self::SetViewport(_) => "SET_VIEWPORT",
            Self::SetScissor(_) => "SET_SCISSOR",
            Self::SetRenderState(_) => "SET_RENDER_STATE",
            Self::SetSamplerState(_) => "SET_SAMPLER_STATE",
            Self::SetVertexBuffer(_) => "SET_VERTEX_BUFFER",
            Self::SetVertexBuffers(_) => "SET_VERTEX_BUFFERS",
            Self::SetIndexBuffer(_) => "SET_INDEX_BUFFER",
            Self::SetTopology(_) => "SET_PRIMITIVE_TOPOLOGY",
            Self::SetTexture(_) => "SET_TEXTURE",
            Self::CreateSampler(_) => "CREATE_SAMPLER",
            Self::DestroySampler(_) => "DESTROY_SAMPLER",
            Self::SetSamplers(_) => "SET_SAMPLERS",
            Self::SetBuffers(SetBuffers { usage, .. }) => match usage {
                BufferUse::Constants => "SET_CONSTANT_BUFFERS",
                BufferUse::Resource => "SET_SHADER_RESOURCE_BUFFERS",
                BufferUse::UnorderedAccess => "SET_UNORDERED_ACCESS_BUFFERS",
            },
            Self::Clear(_) => "CLEAR",
            Self::Draw(_) => "DRAW",
            Self::DrawIndexed(_) => "DRAW_INDEXED",
            Self::Dispatch(_) => "DISPATCH",
            Self::Present(Present { d3d9_flags: None, .. }) => "PRESENT",
            Self::Present(Present { d3d9_flags: Some(_), .. }) => "PRESENT_EX",
            Self::Flush => "FLUSH",
            Self::Marker(_) => "DEBUG_MARKER",
            Self::Nop => "NOP",
            Self::Unknown { .. } => "UNKNOWN",
        }
    }

    /// Whether it draws triangles, lines or points.
    pub fn is_draw(&self) -> bool {
        matches!(self, Self::Draw(_) | Self::DrawIndexed(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_few_numbers() {
        assert!(size_of::<Command>() <= 72, "{} bytes", size_of::<Command>());
        assert!(size_of::<Located<Command>>() <= 96, "{} bytes", size_of::<Located<Command>>());
    }
}
