//! Axes of the table, and which of their values go together.

use trace_base::named;

/// An axis: a name, and its values in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// Names of its values.
    pub values: &'static [&'static str],
}

/// Makes a group of rows: a value of each axis.
macro_rules! group {
    ($(#[$doc:meta])* $row:ident = $name:literal { $($field:ident: $axis:ident = $axis_name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "a field is named as its axis is")]
        pub struct $row {
            $(pub $field: $axis,)*
        }

        impl $row {
            /// Name of the group.
            pub const NAME: &'static str = $name;

            /// Axes of the group.
            pub const AXES: &'static [Axis] = &[$(Axis { name: $axis_name, values: $axis::NAMES },)*];

            /// Names of the values, in the order of the axes.
            pub fn values(&self) -> Vec<&'static str> {
                vec![$(self.$field.name(),)*]
            }

            /// Row of these values.
            pub(super) fn of_values(values: &[&str]) -> Option<Self> {
                let mut values = values.iter();
                let row = Self {
                    $($field: {
                        let value = values.next()?;
                        $axis::ALL.iter().copied().find(|known| known.name() == *value)?
                    },)*
                };
                (values.next().is_none() && row.goes_together()).then_some(row)
            }

            /// Every row whose values go together.
            pub(super) fn all() -> Vec<Self> {
                let mut all = vec![Vec::new()];
                for axis in Self::AXES {
                    let longer = |row: Vec<&'static str>| {
                        axis.values.iter().map(move |value| [row.as_slice(), &[*value]].concat())
                    };
                    all = all.into_iter().flat_map(longer).collect();
                }
                all.iter().filter_map(|values| Self::of_values(values)).collect()
            }
        }
    };
}

/// Makes an axis: an enumeration that lists its names, too.
macro_rules! axis {
    ($(#[$doc:meta])* $name:ident { $($value:ident = $text:literal,)* }) => {
        named! { $(#[$doc])* $name { $($value = $text,)* } }

        impl $name {
            /// Names of all values.
            pub const NAMES: &'static [&'static str] = &[$($text),*];
        }
    };
}

axis! {
    /// Kind of texture that a shader reads, with its number of layers.
    TextureKind {
        Plane = "2d",
        Array1 = "array-1",
        Array2 = "array-2",
        Array6 = "array-6",
        Array7 = "array-7",
        Array12 = "array-12",
        Array18 = "array-18",
        Cube = "cube",
        CubeEdges = "cube-edges",
        CubeArray2 = "cube-array-2",
    }
}

axis! {
    /// Sides of a texture.
    TextureSides { Square = "square", Oblong = "oblong", }
}

axis! {
    /// Mips of a texture.
    TextureMips { One = "one-mip", All = "all-mips", }
}

axis! {
    /// Mips and layers of a texture that are seen.
    TextureView {
        Direct = "no-view",
        Whole = "whole",
        OneLayer = "one-layer",
        OneMip = "one-mip",
        MipOfLayer = "mip-of-layer",
        Layers = "range-of-layers",
    }
}

axis! {
    /// Way in which a texture is used.
    TextureUse {
        Sampled = "sampled",
        Loaded = "loaded",
        Gathered = "gathered",
        Compared = "compared",
        DrawnTo = "drawn-to",
        AlsoTarget = "also-a-target",
        Copied = "copied",
        ReadBack = "read-back",
    }
}

axis! {
    /// Format of a texture.
    FormatAxis {
        Rgba8 = "rgba8",
        Bgra8 = "bgra8",
        Rgba8Srgb = "rgba8-srgb",
        B5g6r5 = "b5g6r5",
        B5g5r5a1 = "b5g5r5a1",
        Bc1 = "bc1",
        D24S8 = "d24s8",
        D32 = "d32",
    }
}

axis! {
    /// Filter of a sampler.
    FilterAxis { Point = "point", Linear = "linear", }
}

axis! {
    /// Address mode of a sampler.
    AddressAxis { Clamp = "clamp", Wrap = "wrap", Mirror = "mirror", }
}

group! {
    /// A texture that is used in one way.
    TextureRow = "texture" {
        kind: TextureKind = "kind",
        sides: TextureSides = "sides",
        mips: TextureMips = "mips",
        view: TextureView = "view",
        used: TextureUse = "use",
        format: FormatAxis = "format",
        filter: FilterAxis = "filter",
        address: AddressAxis = "address",
    }
}

impl TextureKind {
    /// Number of layers.
    pub const fn layers(self) -> u32 {
        match self {
            Self::Plane | Self::Array1 => 1,
            Self::Array2 => 2,
            Self::Array6 | Self::Cube | Self::CubeEdges => 6,
            Self::Array7 => 7,
            Self::Array12 | Self::CubeArray2 => 12,
            Self::Array18 => 18,
        }
    }

    /// Whether shaders take it for a cube, or for several.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeEdges | Self::CubeArray2)
    }
}

impl FormatAxis {
    /// Whether it holds depth.
    pub const fn is_depth(self) -> bool {
        matches!(self, Self::D24S8 | Self::D32)
    }
}

impl TextureUse {
    /// Whether a shader samples or loads it.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::Sampled | Self::Loaded | Self::Gathered | Self::Compared)
    }
}

impl TextureRow {
    fn goes_together(&self) -> bool {
        self.view_fits() && self.use_fits() && self.sampler_fits()
    }

    fn view_fits(&self) -> bool {
        let (layers, all_mips) = (self.kind.layers(), self.mips == TextureMips::All);
        let is_cube = self.kind.is_cube();
        let fits = match self.view {
            TextureView::Direct | TextureView::Whole => true,
            // A shader that declares a cube reads six layers.
            TextureView::OneLayer => layers > 1 && !(is_cube && self.used.is_read()),
            TextureView::OneMip => all_mips,
            TextureView::MipOfLayer => all_mips && layers > 1 && !(is_cube && self.used.is_read()),
            TextureView::Layers => layers > 1 && self.kind != TextureKind::Cube && self.kind != TextureKind::CubeEdges,
        };
        fits && (!is_cube || self.sides == TextureSides::Square)
    }

    fn use_fits(&self) -> bool {
        let is_plain = matches!(self.format, FormatAxis::Rgba8 | FormatAxis::Bgra8 | FormatAxis::Rgba8Srgb);
        let fits = match self.used {
            TextureUse::Sampled | TextureUse::Copied | TextureUse::ReadBack => true,
            // Direct3D has no Load of cubes.
            TextureUse::Loaded => !self.kind.is_cube(),
            TextureUse::Gathered => self.kind != TextureKind::CubeEdges,
            TextureUse::Compared => self.format.is_depth() && self.kind != TextureKind::CubeEdges,
            TextureUse::DrawnTo => is_plain || self.format.is_depth(),
            TextureUse::AlsoTarget => {
                // A part is left that can be drawn to.
                let is_part = !matches!(self.view, TextureView::Direct | TextureView::Whole);
                is_plain
                    && is_part
                    && self.kind != TextureKind::CubeEdges
                    && !(self.kind.is_cube() && matches!(self.view, TextureView::OneLayer | TextureView::MipOfLayer))
            }
        };
        fits && (self.kind != TextureKind::CubeEdges || self.used == TextureUse::Sampled)
    }

    fn sampler_fits(&self) -> bool {
        let is_sampled = self.used == TextureUse::Sampled;
        let takes_address = (is_sampled || self.used == TextureUse::Gathered) && !self.kind.is_cube();
        (is_sampled || self.filter == FilterAxis::Point) && (takes_address || self.address == AddressAxis::Clamp)
    }
}

axis! {
    /// Viewport, of a target of 16×16.
    ViewportAxis {
        Whole = "whole",
        Inner = "inner",
        Fractional = "fractional",
        FractionalSize = "fractional-size",
        Beyond = "beyond-the-target",
        Huge = "larger-than-textures",
        Zeros = "zeros",
        Empty = "empty",
    }
}

axis! {
    /// Scissor.
    ScissorAxis { Off = "no-scissor", Inner = "scissor", Beyond = "scissor-beyond", Empty = "empty-scissor", }
}

axis! {
    /// Range of depths of the viewport.
    DepthRangeAxis { Full = "depth-0-1", Part = "depth-part", Flat = "depth-flat", Outside = "depth-outside", }
}

axis! {
    /// Bias of depth.
    DepthBiasAxis { None = "no-bias", Nearer = "bias-nearer", Farther = "bias-farther", }
}

axis! {
    /// Primitives that vertices form.
    TopologyAxis {
        Triangles = "triangle-list",
        OddTriangles = "triangle-list-of-7",
        Strip = "triangle-strip",
        StripRestart = "triangle-strip-restart",
        Fan = "triangle-fan",
        Lines = "line-list",
        OddLines = "line-list-of-5",
        LineStrip = "line-strip",
        LineStripRestart = "line-strip-restart",
        Points = "point-list",
    }
}

axis! {
    /// Way from the colours of vertices to those of pixels.
    ColorsAxis { Smooth = "smooth-colors", Flat = "flat-colors", }
}

axis! {
    /// Format of the depth surface.
    DepthFormatAxis { None = "no-depth", D24S8 = "depth-d24s8", D32 = "depth-d32", }
}

group! {
    /// A draw through one viewport, scissor and topology.
    RasterRow = "raster" {
        topology: TopologyAxis = "topology",
        viewport: ViewportAxis = "viewport",
        scissor: ScissorAxis = "scissor",
        depth: DepthFormatAxis = "depth",
        range: DepthRangeAxis = "depth-range",
        bias: DepthBiasAxis = "depth-bias",
        colors: ColorsAxis = "colors",
    }
}

impl TopologyAxis {
    /// Whether it forms lines.
    pub const fn is_lines(self) -> bool {
        matches!(self, Self::Lines | Self::OddLines | Self::LineStrip | Self::LineStripRestart)
    }

    /// Whether it forms triangles.
    pub const fn is_triangles(self) -> bool {
        matches!(self, Self::Triangles | Self::OddTriangles | Self::Strip | Self::StripRestart | Self::Fan)
    }
}

impl RasterRow {
    fn goes_together(&self) -> bool {
        let has_depth = self.depth != DepthFormatAxis::None;
        let is_plain = self.range == DepthRangeAxis::Full && self.bias == DepthBiasAxis::None;
        has_depth || is_plain
    }
}

axis! {
    /// Kind of binding.
    BoundKind {
        Textures = "textures",
        ArrayTextures = "array-textures",
        Cubes = "cubes",
        DepthTextures = "depth-textures",
        Samplers = "samplers",
        Constants = "constant-buffers",
        Buffers = "buffers",
        Elements = "vertex-elements",
    }
}

axis! {
    /// Number of bindings.
    BoundCount {
        One = "1",
        Eight = "8",
        Fourteen = "14",
        Sixteen = "16",
        Seventeen = "17",
        ThirtyTwo = "32",
        SixtyFour = "64",
        Most = "128",
    }
}

axis! {
    /// Stage that reads bindings.
    BoundStage { Vertex = "vertex", Pixel = "pixel", }
}

axis! {
    /// Whether something is bound.
    BoundState { Bound = "bound", Unbound = "unbound", }
}

group! {
    /// A number of bindings of a stage.
    BindingRow = "binding" {
        kind: BoundKind = "kind",
        count: BoundCount = "count",
        stage: BoundStage = "stage",
        state: BoundState = "state",
    }
}

impl BoundCount {
    /// The number.
    pub const fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Eight => 8,
            Self::Fourteen => 14,
            Self::Sixteen => 16,
            Self::Seventeen => 17,
            Self::ThirtyTwo => 32,
            Self::SixtyFour => 64,
            Self::Most => 128,
        }
    }
}

impl BindingRow {
    fn goes_together(&self) -> bool {
        let (count, is_vertex) = (self.count.number(), self.stage == BoundStage::Vertex);
        let is_bound = self.state == BoundState::Bound;
        match self.kind {
            BoundKind::Textures | BoundKind::ArrayTextures | BoundKind::Cubes | BoundKind::DepthTextures => true,
            BoundKind::Buffers => count <= 64,
            // Which sampler stands for none is left open.
            BoundKind::Samplers => count <= 16 && is_bound,
            BoundKind::Constants => count <= 14,
            BoundKind::Elements => count <= 32 && is_vertex && is_bound,
        }
    }
}

axis! {
    /// Memory that a thread group shares.
    SharedBytes { Word = "4-bytes", Kibi = "1-kib", Half = "16-kib", Most = "32-kib", }
}

axis! {
    /// Threads of a group.
    SharedThreads { One = "1-thread", Warp = "32-threads", Square = "8x8-threads", Most = "1024-threads", Deep = "4x4x64-threads", }
}

axis! {
    /// Form of shared memory.
    SharedForm { Raw = "raw", Structured = "structured", }
}

axis! {
    /// Thread groups of a dispatch.
    SharedGroups { One = "1-group", Three = "3-groups", Cube = "2x2x2-groups", None = "no-groups", }
}

group! {
    /// A compute shader whose threads share memory.
    SharedRow = "shared" {
        bytes: SharedBytes = "bytes",
        threads: SharedThreads = "threads",
        form: SharedForm = "form",
        groups: SharedGroups = "groups",
    }
}

impl SharedBytes {
    /// The number.
    pub const fn number(self) -> u32 {
        match self {
            Self::Word => 4,
            Self::Kibi => 1024,
            Self::Half => 16 << 10,
            Self::Most => 32 << 10,
        }
    }
}

impl SharedThreads {
    /// Threads along each axis.
    pub const fn by_axis(self) -> [u32; 3] {
        match self {
            Self::One => [1, 1, 1],
            Self::Warp => [32, 1, 1],
            Self::Square => [8, 8, 1],
            Self::Most => [1024, 1, 1],
            Self::Deep => [4, 4, 64],
        }
    }
}

impl SharedGroups {
    /// Groups along each axis.
    pub const fn by_axis(self) -> [u32; 3] {
        match self {
            Self::One => [1, 1, 1],
            Self::Three => [3, 1, 1],
            Self::Cube => [2, 2, 2],
            Self::None => [0, 1, 1],
        }
    }
}

impl SharedRow {
    fn goes_together(&self) -> bool {
        true
    }
}
