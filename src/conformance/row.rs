//! Rows of the table: names, traces, and the pictures that they should have.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::axes::{Axis, BindingRow, RasterRow, SharedRow, TextureRow};
use super::stream::{
    Element, FLOAT4, PIXEL, R8G8B8A8, Stream, TRIANGLE_LIST, VERTEX, floats, layout_of, recording, unblended,
};
use super::{binding, raster, shared, texture};
use crate::command::Shown;
use crate::error::{Classified, ErrorKind, Internal};
use crate::pixels::{Picture, Size};

/// A row: one value of each axis of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConformanceRow {
    /// A texture that is used in one way.
    Texture(TextureRow),
    /// A draw through one viewport, scissor and topology.
    Raster(RasterRow),
    /// A number of bindings of a stage.
    Binding(BindingRow),
    /// A compute shader whose threads share memory.
    Shared(SharedRow),
}

/// The trace of a row.
#[derive(Clone, Debug)]
pub struct RowTrace {
    /// Its file: one frame.
    pub file: Vec<u8>,
    /// Size of the picture that is presented.
    pub size: Size,
    /// The picture of the frame that is looked at.
    pub shown: Shown,
}

/// The picture that a row should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// A computed one.
    Computed(Picture),
    /// The one that Vulkan draws.
    OfVulkan,
}

/// A text that names no row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected the name of a row: a group and a value for each of its axes, separated by slashes")]
pub struct RowNameError;

impl Classified for RowNameError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl ConformanceRow {
    /// Names of the groups, in their order.
    pub const GROUPS: [&'static str; 4] = [TextureRow::NAME, RasterRow::NAME, BindingRow::NAME, SharedRow::NAME];

    /// Name of its group.
    pub const fn group(&self) -> &'static str {
        match self {
            Self::Texture(_) => TextureRow::NAME,
            Self::Raster(_) => RasterRow::NAME,
            Self::Binding(_) => BindingRow::NAME,
            Self::Shared(_) => SharedRow::NAME,
        }
    }

    /// Axes of its group.
    pub const fn axes(&self) -> &'static [Axis] {
        match self {
            Self::Texture(_) => TextureRow::AXES,
            Self::Raster(_) => RasterRow::AXES,
            Self::Binding(_) => BindingRow::AXES,
            Self::Shared(_) => SharedRow::AXES,
        }
    }

    /// Its values, in the order of the axes.
    pub fn values(&self) -> Vec<&'static str> {
        match self {
            Self::Texture(row) => row.values(),
            Self::Raster(row) => row.values(),
            Self::Binding(row) => row.values(),
            Self::Shared(row) => row.values(),
        }
    }

    /// Its value of an axis.
    pub fn value(&self, axis: &str) -> Option<&'static str> {
        let place = self.axes().iter().position(|known| known.name == axis)?;
        self.values().get(place).copied()
    }

    /// Numbers of its values among those of each axis.
    pub(super) fn value_numbers(&self) -> Vec<u8> {
        let values = self.values();
        let number = |(axis, value): (&Axis, &&str)| axis.values.iter().position(|known| known == value);
        self.axes().iter().zip(&values).filter_map(number).map(|number| number as u8).collect()
    }

    /// Its name: the group, and its values.
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// Its trace.
    pub fn trace(&self) -> Result<RowTrace, Internal> {
        let (mut stream, mut shown) = (Stream::new(), Shown::default());
        let size = Size { width_px: SIDE, height_px: SIDE };
        stream.texture(SCREEN, R8G8B8A8, [SIDE; 2], [1, 1]).targets(&[SCREEN], 0).clear(1, BACKGROUND, 1.0);
        stream.layout_of(LAYOUT, &layout_of(&ELEMENTS)).use_layout(LAYOUT).topology(TRIANGLE_LIST).put(unblended());
        stream.viewport([0.0, 0.0, SIDE as f32, SIDE as f32]).rasterizer(0, 0).depth_test(None);
        match self {
            Self::Texture(row) => shown = texture::write(row, &mut stream)?,
            Self::Raster(row) => raster::write(row, &mut stream)?,
            Self::Binding(row) => binding::write(row, &mut stream)?,
            Self::Shared(row) => shared::write(row, &mut stream)?,
        }
        stream.targets(&[SCREEN], 0).present();
        let stream = stream.into_bytes().map_err(|_| Internal::new("a row's stream cannot be written"))?;
        let file = recording([&stream[..]]).map_err(|_| Internal::new("a row's trace cannot be written"))?;
        Ok(RowTrace { file, size, shown })
    }

    /// The picture that it should have.
    pub fn expectation(&self) -> Result<Expectation, Internal> {
        let computed = match self {
            Self::Texture(row) => texture::expected(row),
            Self::Raster(row) => raster::expected(row),
            Self::Binding(row) => Some(binding::expected(row)),
            Self::Shared(row) => Some(shared::expected(row)),
        };
        let Some((size, rgba)) = computed else { return Ok(Expectation::OfVulkan) };
        let picture = Picture::new(size, rgba).map_err(|_| Internal::new("a row's picture has a different size"))?;
        Ok(Expectation::Computed(picture))
    }
}

/// Side of the target that rows present.
pub(super) const SIDE: u32 = 16;
/// The target that rows present.
pub(super) const SCREEN: u32 = 10;
/// Colour that it is cleared to.
pub(super) const BACKGROUND: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Handles of shaders, vertices and their layout.
pub(super) const VERTEX_SHADER: u32 = 1;
pub(super) const PIXEL_SHADER: u32 = 2;
pub(super) const LAYOUT: u32 = 3;
pub(super) const VERTICES: u32 = 4;
/// Bytes of a vertex: a position and twice four floats.
pub(super) const ROW_VERTEX_BYTES: u32 = 48;
const ELEMENTS: [Element; 3] =
    [Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 0, 16, 0), Element("NORMAL", FLOAT4, 0, 32, 0)];

/// A vertex: its position, and twice four floats.
pub(super) type RowVertex = [[f32; 4]; 3];

/// Vertices of a rectangle whose corners have these floats: left and right upper, left and right lower.
pub(super) fn rectangle_of(
    [left, top, right, bottom]: [f32; 4],
    depth: f32,
    corners: [[[f32; 4]; 2]; 4],
) -> [RowVertex; 6] {
    let places = [[left, top], [right, top], [left, bottom], [right, bottom]];
    let [left_top, right_top, left_bottom, right_bottom] =
        std::array::from_fn(|corner| match (places.get(corner), corners.get(corner)) {
            (Some([x, y]), Some([a, b])) => [[*x, *y, depth, 1.0], *a, *b],
            _ => [[0.0; 4]; 3],
        });
    [left_top, right_top, left_bottom, left_bottom, right_top, right_bottom]
}

/// Binds a buffer of these vertices.
pub(super) fn bind_vertices(stream: &mut Stream, vertices: &[RowVertex]) {
    let bytes = floats(vertices.as_flattened().as_flattened());
    stream.buffer(VERTICES, &bytes).vertex_buffer(0, VERTICES, ROW_VERTEX_BYTES, 0);
}

/// Binds shaders of this bytecode.
pub(super) fn bind_shaders(stream: &mut Stream, vertex: &[u8], pixel: &[u8]) {
    stream.container(VERTEX_SHADER, VERTEX, vertex).container(PIXEL_SHADER, PIXEL, pixel);
    stream.shaders(VERTEX_SHADER, PIXEL_SHADER);
}

impl fmt::Display for ConformanceRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group(), self.values().join("/"))
    }
}

impl FromStr for ConformanceRow {
    type Err = RowNameError;

    fn from_str(text: &str) -> Result<Self, RowNameError> {
        let (group, values) = text.split_once('/').ok_or(RowNameError)?;
        let values: Vec<&str> = values.split('/').collect();
        let row = match group {
            TextureRow::NAME => TextureRow::of_values(&values).map(Self::Texture),
            RasterRow::NAME => RasterRow::of_values(&values).map(Self::Raster),
            BindingRow::NAME => BindingRow::of_values(&values).map(Self::Binding),
            SharedRow::NAME => SharedRow::of_values(&values).map(Self::Shared),
            _ => None,
        };
        row.ok_or(RowNameError)
    }
}
