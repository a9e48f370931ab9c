//! Table of what WebGPU demands and Direct3D does not, by the names of wgpu's errors.

/// A demand of WebGPU's that a stream can fail to meet.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRule {
    /// Names of wgpu's errors, which nobody sees.
    pub errors: &'static [&'static str],
    /// The demand.
    pub demand: &'static str,
    /// Direct3D's rule, where it differs.
    pub direct3d: &'static str,
    /// The answer of this program.
    pub answer: Answer,
}

/// Answer to a demand that a stream does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Drawn as Direct3D draws it, in the way that is said.
    Drawn(&'static str),
    /// Refused by name before anything of the command is recorded, with exit code 4 or 10.
    Refused(&'static str),
    /// An error of the contract between guest and host, with exit code 6.
    Contract(&'static str),
}

impl Answer {
    /// One word for it, and the way.
    pub fn in_words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Drawn(how) => ("drawn", how),
            Self::Refused(how) => ("refused", how),
            Self::Contract(how) => ("contract", how),
        }
    }
}

use Answer::{Contract, Drawn, Refused};

/// Every demand.
pub const DEVICE_RULES: &[DeviceRule] = &[
    // Targets.
    DeviceRule {
        errors: &["AttachmentsDimensionMismatch"],
        demand: "all attachments of a pass have one size",
        direct3d: "Direct3D 9: a depth surface is at least as large as the colour targets, and of any size while nothing tests or writes it",
        answer: Drawn(
            "colours are drawn to textures as large as the depth surface and copied back; a depth surface that is not used is left out; any other mismatch is an error of the contract",
        ),
    },
    DeviceRule {
        errors: &["SubresourceOverlap"],
        demand: "no mip of a layer is two colour targets of one pass",
        direct3d: "undefined",
        answer: Refused("4, with both slots"),
    },
    DeviceRule {
        errors: &["TooMany", "TooManyBytesPerSample", "ColorAttachmentLocationTooLarge"],
        demand: "a limit of colour targets, and of bytes in all of them",
        direct3d: "eight targets",
        answer: Refused("10, with number and limit"),
    },
    DeviceRule {
        errors: &["MissingAttachments", "NoTargetSpecified"],
        demand: "a pass has an attachment",
        direct3d: "nothing is drawn without a target",
        answer: Drawn("not at all: there are no pixels"),
    },
    DeviceRule {
        errors: &[
            "InvalidFormat",
            "FormatNotRenderable",
            "FormatNotColor",
            "InvalidDepthStencilAttachmentFormat",
            "TextureViewIsNotRenderable",
        ],
        demand: "a target has a format that can be drawn to",
        direct3d: "the same",
        answer: Contract("the target's format and the expected one"),
    },
    DeviceRule {
        errors: &["ClearValueOutOfRange"],
        demand: "depth is cleared to 0 to 1",
        direct3d: "clamped",
        answer: Drawn("clamped; a NaN is 0"),
    },
    // Viewport and scissor.
    DeviceRule {
        errors: &["InvalidViewportRectSize", "InvalidViewportRectPosition"],
        demand: "a viewport is no larger than the largest texture, and not far outside",
        direct3d: "any size and place",
        answer: Drawn(
            "the viewport covers the target, the vertex stage moves positions to it, and the scissor is the guest's viewport",
        ),
    },
    DeviceRule {
        errors: &[],
        demand: "a viewport has whole pixels, on OpenGL",
        direct3d: "Direct3D 10 and 11: fractions",
        answer: Drawn("in the same way"),
    },
    DeviceRule {
        errors: &["InvalidViewportDepth"],
        demand: "depths of a viewport are 0 to 1, and in order",
        direct3d: "clamped",
        answer: Drawn("clamped; the far one is no nearer than the near one"),
    },
    DeviceRule {
        errors: &["InvalidScissorRect"],
        demand: "the scissor is within the target",
        direct3d: "any rectangle",
        answer: Drawn("the part inside the target, which may be empty"),
    },
    // Fixed state.
    DeviceRule {
        errors: &["MissingFragDepthAttachment"],
        demand: "a shader that gives depth has a depth attachment",
        direct3d: "outputs without a target are dropped",
        answer: Drawn("the shader gives no depth"),
    },
    DeviceRule {
        errors: &["DepthBiasWithIncompatibleTopology"],
        demand: "lines and points have no bias of depth",
        direct3d: "a bias is set but not added to them",
        answer: Drawn("without the bias"),
    },
    DeviceRule {
        errors: &["InvalidMinMaxBlendFactor"],
        demand: "a minimum or maximum is blended with factors of one",
        direct3d: "factors are set but ignored",
        answer: Drawn("with factors of one"),
    },
    DeviceRule {
        errors: &[
            "BlendFactorOnUnsupportedTarget",
            "DualSourceBlendingWithMultipleColorTargets",
            "InvalidDualSourceBlending",
        ],
        demand: "a second colour is blended in one target alone",
        direct3d: "the same in Direct3D 10 and 11",
        answer: Refused("4 with several targets"),
    },
    DeviceRule {
        errors: &["MissingFeatures", "MissingDownlevelFlags", "MissingCapabilities"],
        demand: "a device has the feature",
        direct3d: "every device has it",
        answer: Refused(
            "4, with the feature's name; clip distances are then tested in the pixel stage, strides of 0 become one element for the draw",
        ),
    },
    DeviceRule {
        errors: &["StripIndexFormatForNonStripTopology", "UnmatchedStripIndexFormat"],
        demand: "a pipeline of strips knows the size of indices",
        direct3d: "given by the index buffer",
        answer: Drawn("with one pipeline for each size"),
    },
    // Vertices.
    DeviceRule {
        errors: &[
            "VertexStrideTooLarge",
            "VertexAttributeStrideTooLarge",
            "UnalignedVertexStride",
            "InvalidVertexAttributeOffset",
            "UnalignedVertexBuffer",
        ],
        demand: "strides and offsets are multiples of four within a limit, and an element ends within its stride",
        direct3d: "any stride, 0 among them, and any offset",
        answer: Drawn("elements are gathered by a compute shader where they do not lie so"),
    },
    DeviceRule {
        errors: &[
            "VertexBeyondLimit",
            "InstanceBeyondLimit",
            "IndexBeyondLimit",
            "UnalignedIndexBuffer",
            "MissingVertexBuffer",
            "MissingIndexBuffer",
        ],
        demand: "a draw reads within its buffers",
        direct3d: "values past the end, or without a buffer, are 0",
        answer: Drawn(
            "elements and indices are gathered, with zeros past the end; an indexed draw without an index buffer is an error of the contract",
        ),
    },
    DeviceRule {
        errors: &[
            "TooManyVertexBuffers",
            "TooManyBindGroupsPlusVertexBuffers",
            "TooManyVertexAttributes",
            "VertexAttributeLocationTooLarge",
        ],
        demand: "limits of vertex buffers and elements",
        direct3d: "16 or 32 of each",
        answer: Refused("10, with number and limit"),
    },
    // Stages.
    DeviceRule {
        errors: &[
            "TooManyUserDefinedVertexOutputs",
            "VertexOutputLocationTooLarge",
            "TooManyUserDefinedFragmentInputs",
            "FragmentInputLocationTooLarge",
        ],
        demand: "a limit of values between the stages, by number and by location",
        direct3d: "32 registers",
        answer: Refused("10, with number and limit; locations are counted without gaps"),
    },
    DeviceRule {
        errors: &["IncompatibleFormat"],
        demand: "a shader writes the type of its target: floats, or integers",
        direct3d: "undefined",
        answer: Drawn("the bits of integers are reinterpreted as floats"),
    },
    DeviceRule {
        errors: &["Input", "BindingError", "Binding"],
        demand: "stages and bindings have the types that shaders declare",
        direct3d: "values that no stage writes are 0",
        answer: Drawn("both stages are translated for each other, and layouts follow from them"),
    },
    DeviceRule {
        errors: &["Filtering"],
        demand: "integers are not filtered",
        direct3d: "undefined",
        answer: Drawn("a sample of integers is 0"),
    },
    DeviceRule {
        errors: &["TooManyBindings", "BufferRangeTooLarge"],
        demand: "limits of textures, samplers, buffers and constants that a stage binds (on OpenGL both stages of a draw together), and of their sizes",
        direct3d: "128 textures, 16 samplers, 14 constant buffers, 8 or 64 buffers that are written",
        answer: Refused("10, with number and limit"),
    },
    DeviceRule {
        errors: &["InvalidWorkgroupSize", "InvalidGroupSize"],
        demand: "limits of threads, of shared memory and of thread groups",
        direct3d: "1024 threads, 32 KiB, 65535 groups along each axis",
        answer: Refused("10, with number and limit"),
    },
    // What is bound.
    DeviceRule {
        errors: &[
            "InvalidTextureSampleType",
            "InvalidTextureDimension",
            "InvalidTextureMultisample",
            "InvalidCubemapTextureDepth",
            "InvalidCubemapArrayTextureDepth",
            "InvalidCubeTextureViewSize",
            "InvalidTextureViewDimension",
        ],
        demand: "a texture is of the kind that the shader declares",
        direct3d: "what is read is undefined; the frame continues",
        answer: Drawn(
            "a texture of one texel of zeros is read; Texture1D reads the first row of a texture of two dimensions, Texture2DMS its only sample",
        ),
    },
    DeviceRule {
        errors: &["DepthStencilAspect", "FormatReinterpretation", "InvalidAspect"],
        demand: "a view shows one aspect, in a format that the texture was made for",
        direct3d: "depth is read as the first component; sRGB is a matter of the view or sampler",
        answer: Drawn(
            "depth alone is seen; the other curve is seen through a view, or a copy where the device has no such views",
        ),
    },
    DeviceRule {
        errors: &["ResourceUsageCompatibility (texture)"],
        demand: "no mip of a layer is drawn to and read in one pass",
        direct3d: "undefined in Direct3D 9; Direct3D 10 and 11 unbind one of them",
        answer: Drawn("a copy is read; bindings that Direct3D 10 and 11 remove are removed"),
    },
    DeviceRule {
        errors: &["ResourceUsageCompatibility (buffer)"],
        demand: "no buffer is written and read in one pass",
        direct3d: "the later binding unbinds the earlier one; undefined within one draw",
        answer: Refused("4, with how it is read; a draw that writes buffers has a pass of its own"),
    },
    DeviceRule {
        errors: &[
            "UnalignedBufferOffset",
            "UnalignedEffectiveBufferBindingSizeForStorage",
            "BindingSizeTooSmall",
            "BindingZeroSize",
        ],
        demand: "parts of buffers are bound at the device's alignment, and are as long as the shader declares",
        direct3d: "any part; past its end are zeros",
        answer: Drawn(
            "constants are copied and padded with zeros; other buffers are bound whole, and shaders receive the range",
        ),
    },
    DeviceRule {
        errors: &[
            "InvalidLodMinClamp",
            "InvalidLodMaxClamp",
            "InvalidAnisotropy",
            "InvalidFilterModeWithAnisotropy",
            "InvalidMipmapFilterModeWithAnisotropy",
        ],
        demand: "the LOD limits of samplers are in order, and anisotropy needs linear filters",
        direct3d: "any",
        answer: Drawn("clamped; without anisotropy where a filter is not linear"),
    },
    // Resources and copies.
    DeviceRule {
        errors: &["MaxBufferSize", "LimitExceeded"],
        demand: "limits of sizes",
        direct3d: "2 GiB, 16384 texels a side, 2048 layers",
        answer: Refused("10, with number and limit"),
    },
    DeviceRule {
        errors: &[
            "Zero",
            "InvalidMipLevelCount",
            "InvalidTextureMipLevel",
            "TextureOverrun",
            "BufferStartOffsetOverrun",
            "BufferEndOffsetOverrun",
        ],
        demand: "sizes, mips and copies lie within a resource",
        direct3d: "the same",
        answer: Contract("the expected and the found value"),
    },
    DeviceRule {
        errors: &[
            "NotMultipleOfBlockWidth",
            "NotMultipleOfBlockHeight",
            "UnalignedCopyWidth",
            "UnalignedCopyHeight",
            "UnalignedCopyOriginX",
            "UnalignedCopyOriginY",
        ],
        demand: "textures of blocks have sides that are multiples of four",
        direct3d: "any size",
        answer: Drawn("blocks are decoded"),
    },
    DeviceRule {
        errors: &["UnalignedCopySize", "UnalignedBytesPerRow", "InvalidBytesPerRow"],
        demand: "copies of bytes are multiples of four, rows of 256",
        direct3d: "any byte",
        answer: Drawn("bytes are copied by a compute shader, rows with room between them"),
    },
    DeviceRule {
        errors: &["SameSourceDestinationBuffer", "InvalidCopyWithinSameTexture", "TextureFormatsNotCopyCompatible"],
        demand: "a copy has two buffers, two subresources, one format",
        direct3d: "the same",
        answer: Contract("the expected and the found value"),
    },
    // OpenGL, which differs in silence.
    DeviceRule {
        errors: &[],
        demand: "a texture is shown with all its layers: one is no array, a multiple of six is a cube, on OpenGL",
        direct3d: "a view shows any layers, as an array or as cubes",
        answer: Drawn(
            "stages find the layers that are seen by a parameter, and faces of cubes by their numbers; square arrays of six layers have a seventh, which all devices count in memory",
        ),
    },
    DeviceRule {
        errors: &[],
        demand: "cubes are filtered within a face, on OpenGL",
        direct3d: "Direct3D 9: the same; Direct3D 10 and 11: across edges and corners",
        answer: Drawn("texels of cubes are loaded and joined by the stage"),
    },
    DeviceRule {
        errors: &[],
        demand: "depth is compared and not read, on OpenGL",
        direct3d: "depth is read as the first component",
        answer: Drawn("texels of depth are loaded and joined by the stage"),
    },
    DeviceRule {
        errors: &[],
        demand: "a texture has one sampler, on OpenGL",
        direct3d: "any sampler reads any texture",
        answer: Drawn("the texture is bound once for each of its samplers"),
    },
    DeviceRule {
        errors: &[],
        demand: "colours are copied, and depth is not, on OpenGL",
        direct3d: "depth is copied whole",
        answer: Refused("4, also where depth is read that is drawn to at the same time"),
    },
    DeviceRule {
        errors: &[
            "UnsupportedPartialTransfer",
            "CopyFromForbiddenTextureFormat",
            "CopyFromForbiddenTextureFormatAspect",
        ],
        demand: "depth is copied whole, and not into buffers",
        direct3d: "Direct3D also refuses partial copies",
        answer: Refused("4"),
    },
    DeviceRule {
        errors: &[],
        demand: "elements are gathered by compute shaders, which WebGL2 lacks",
        direct3d: "any stride and offset",
        answer: Drawn("gathered by the CPU, which knows all bytes there"),
    },
    DeviceRule {
        errors: &[],
        demand: "buffers of indices hold nothing else, and nothing is added to indices, on WebGL2",
        direct3d: "a buffer holds anything",
        answer: Drawn("indices are copied to a buffer of their own, with what is added to them"),
    },
    DeviceRule {
        errors: &[],
        demand: "red comes before blue, on WebGL2",
        direct3d: "either",
        answer: Drawn("red and blue change places when texels are written, and in the vertex stage"),
    },
    DeviceRule {
        errors: &[],
        demand: "all targets of a draw are blended and masked alike, on WebGL2",
        direct3d: "each by itself",
        answer: Refused("4"),
    },
    DeviceRule {
        errors: &[],
        demand: "shaders are those of OpenGL ES 3.0, on WebGL2",
        direct3d: "numbers of samples, gathered texels, reversed bits, values that ignore perspective",
        answer: Refused("4"),
    },
    DeviceRule {
        errors: &[],
        demand: "depth is compared and not loaded, on WebGL2",
        direct3d: "depth is read as the first component",
        answer: Refused("4"),
    },
];
