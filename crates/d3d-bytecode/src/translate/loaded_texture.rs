//! Textures whose texels are loaded one by one and joined by the stage: depth, and cubes, on a device that samples neither as
//! Direct3D does.
//!
//! Of a place between texels the four around it are loaded. Beside an edge they are those that the sampler's address mode
//! names, or of a cube those of the face on the other side; beyond a corner, where three faces meet, there is none, and the
//! mean of the other three is taken.

use naga::{BinaryOperator, Expression, MathFunction, ScalarKind, SwizzleComponent};

use super::builder::ValueHandle;
use super::cube_faces::Face;
use super::interface::SamplerRule;
use super::mips::Levels;
use super::stage::{Stage, Texture};
use crate::Stage as ShaderStage;
use trace_base::direct3d::{AddressMode, Filter};

/// A place in a texture that is loaded.
pub(super) struct Loaded {
    pub texture: Texture,
    pub sampler: SamplerRule,
    pub place: LoadedPlace,
}

/// Where texels are loaded.
pub(super) enum LoadedPlace {
    /// In two dimensions.
    Flat {
        /// Two floats, 0 to 1 across the texture.
        coordinate: ValueHandle,
        /// The layer as it is stored, where the texture is an array.
        layer: Option<ValueHandle>,
        /// Texels that are added: two floats.
        offset: Option<ValueHandle>,
    },
    /// On a face of a cube.
    Cube {
        /// Three floats.
        direction: ValueHandle,
        /// The face that the direction meets.
        face: Face,
        /// s and t on the face, from −1 to 1.
        on_face: [ValueHandle; 2],
        /// The layer of the cube's first face as it is stored.
        first_face: Option<ValueHandle>,
        edges: CubeEdges,
    },
}

/// Texels beyond the edges of a face.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CubeEdges {
    /// Those of the next face, as in Direct3D 10 and 11.
    Joined,
    /// The last ones of the face itself, as in Direct3D 9.
    Apart,
}

/// The level of detail of a place that is loaded.
pub(super) enum LoadedLevel {
    /// The largest mip that the sampler allows.
    Largest,
    /// By the pixels beside it, a bias added.
    Auto(Option<ValueHandle>),
    /// A level.
    Exact(ValueHandle),
    /// By the changes along x and y, a bias added.
    Gradient([ValueHandle; 2], Option<ValueHandle>),
}

/// One mip of a place.
struct Mip {
    /// Its number.
    level: ValueHandle,
    /// Texels along each side.
    size: [ValueHandle; 2],
    /// The place in texels.
    at: [ValueHandle; 2],
}

impl Stage<'_> {
    /// Four floats of a texture as a sampler reads it.
    pub(super) fn loaded_sample(&mut self, of: &Loaded, level: LoadedLevel) -> ValueHandle {
        let size = self.loaded_size(of);
        let last = self.mip_count(&of.texture);
        let one = self.build.uint(1);
        let last = self.build.binary(BinaryOperator::Subtract, last, one);
        let last = self.build.convert(last, ScalarKind::Float);
        let lambda = self.loaded_lambda(of, level, size);
        let build = &mut self.build;
        let (largest, zero) = (build.float(of.sampler.largest_mip as f32), build.float(0.0));
        let largest = build.math2(MathFunction::Min, largest, last);
        let lambda = build.math2(MathFunction::Max, lambda, largest);
        let is_larger = build.binary(BinaryOperator::LessEqual, lambda, zero);
        let lambda = build.math2(MathFunction::Min, lambda, last);
        let levels = Levels { lambda, largest, last };
        self.joined_mips(of.sampler.mip, levels, |stage, mip| stage.loaded_mip(of, is_larger, mip))
    }

    /// One colour of the four texels around a place in the largest mip, in the order of `gather4`.
    pub(super) fn loaded_gather(&mut self, of: &Loaded, color: SwizzleComponent) -> ValueHandle {
        let zero = self.build.float(0.0);
        let mip = self.mip_of(of, zero);
        let ([left_top, right_top, left_bottom, right_bottom], _) = self.four_texels(of, &mip);
        let lane = color as u32;
        let texels = [left_bottom, right_bottom, right_top, left_top].map(|texel| self.build.part(texel, lane));
        self.build.compose(self.types.float4, texels.to_vec())
    }

    /// Four floats of one mip as a sampler reads it. `is_larger`: whether the texture is made larger.
    pub(super) fn loaded_mip(&mut self, of: &Loaded, is_larger: ValueHandle, level: ValueHandle) -> ValueHandle {
        let mip = self.mip_of(of, level);
        match (of.sampler.mag, of.sampler.min) {
            (Filter::Nearest, Filter::Nearest) => self.nearest_texel(of, &mip),
            (Filter::Linear, Filter::Linear) => self.joined_texels(of, &mip),
            (mag, _) => {
                let (nearest, joined) = (self.nearest_texel(of, &mip), self.joined_texels(of, &mip));
                let (larger, smaller) = if mag == Filter::Nearest { (nearest, joined) } else { (joined, nearest) };
                self.build.select(is_larger, larger, smaller)
            }
        }
    }

    /// A place on a cube, and in an array of them on the one that is named.
    pub(super) fn place_on_cube(
        &mut self,
        texture: &Texture,
        (direction, cube): (ValueHandle, Option<ValueHandle>),
        edges: CubeEdges,
    ) -> LoadedPlace {
        let (face, on_face) = self.face_of(direction);
        let layer = cube.map(|cube| {
            let cube = self.layer_within(texture, cube);
            let faces = self.build.int(6);
            self.build.binary(BinaryOperator::Multiply, cube, faces)
        });
        let first_face = self.stored_layer(texture, layer);
        LoadedPlace::Cube { direction, face, on_face, first_face, edges }
    }

    fn loaded_size(&mut self, of: &Loaded) -> ValueHandle {
        let size = self.extent(of.texture.image);
        self.build.convert(size, ScalarKind::Float)
    }

    fn loaded_lambda(&mut self, of: &Loaded, level: LoadedLevel, size: ValueHandle) -> ValueHandle {
        let is_pixel = self.program.version().stage == ShaderStage::Pixel;
        let along = match of.place {
            LoadedPlace::Flat { coordinate, .. } => coordinate,
            LoadedPlace::Cube { direction, .. } => direction,
        };
        let (changes, bias) = match level {
            LoadedLevel::Exact(level) => return level,
            LoadedLevel::Gradient(changes, bias) => (changes, bias),
            LoadedLevel::Auto(bias) if is_pixel => (self.derivatives(along), bias),
            // Nothing lies beside a vertex.
            LoadedLevel::Auto(_) | LoadedLevel::Largest => return self.build.float(0.0),
        };
        let lambda = match &of.place {
            LoadedPlace::Flat { .. } => self.flat_lambda(changes, size),
            LoadedPlace::Cube { face, .. } => {
                let edge_texels = self.build.part(size, 0);
                self.face_lambda((along, face.axis()), changes, edge_texels)
            }
        };
        bias.map_or(lambda, |bias| self.build.binary(BinaryOperator::Add, lambda, bias))
    }

    /// A place in a mip, in texels.
    fn mip_of(&mut self, of: &Loaded, level: ValueHandle) -> Mip {
        use BinaryOperator as B;
        let largest = self.loaded_size(of);
        let build = &mut self.build;
        let smaller = build.unary(naga::UnaryOperator::Negate, level);
        let smaller = build.math(MathFunction::Exp2, smaller);
        let one = build.float(1.0);
        let size = [0, 1].map(|lane| {
            let size = build.part(largest, lane);
            let size = build.binary(B::Multiply, size, smaller);
            let size = build.math(MathFunction::Floor, size);
            build.math2(MathFunction::Max, size, one)
        });
        let at = match of.place {
            LoadedPlace::Flat { coordinate, offset, .. } => {
                let ([u, v], [width, height]) = (of.sampler.address, size);
                let x = self.texels_along(0, (coordinate, offset), u, width);
                [x, self.texels_along(1, (coordinate, offset), v, height)]
            }
            LoadedPlace::Cube { on_face, .. } => self.texels_of_face(on_face, size),
        };
        Mip { level, size, at }
    }

    /// One lane of a coordinate in texels, with those that are added.
    fn texels_along(
        &mut self,
        lane: u32,
        (coordinate, offset): (ValueHandle, Option<ValueHandle>),
        address: AddressMode,
        size: ValueHandle,
    ) -> ValueHandle {
        let mut at = self.build.part(coordinate, lane);
        if let Some(offset) = offset {
            let texels = self.build.part(offset, lane);
            let moved = self.build.binary(BinaryOperator::Divide, texels, size);
            at = self.build.binary(BinaryOperator::Add, at, moved);
        }
        let at = self.addressed(at, address);
        self.build.binary(BinaryOperator::Multiply, at, size)
    }

    /// s and t in texels.
    fn texels_of_face(&mut self, place: [ValueHandle; 2], [size, _]: [ValueHandle; 2]) -> [ValueHandle; 2] {
        let build = &mut self.build;
        let half = build.float(0.5);
        place.map(|lane| {
            let lane = build.binary(BinaryOperator::Multiply, lane, half);
            let lane = build.binary(BinaryOperator::Add, lane, half);
            build.binary(BinaryOperator::Multiply, lane, size)
        })
    }

    /// A coordinate from 0 to 1, for one outside of that.
    fn addressed(&mut self, at: ValueHandle, address: AddressMode) -> ValueHandle {
        let build = &mut self.build;
        match address {
            AddressMode::Repeat => build.math(MathFunction::Fract, at),
            AddressMode::MirrorRepeat => {
                // The distance to the nearest even number.
                let (half, two) = (build.float(0.5), build.float(2.0));
                let pairs = build.binary(BinaryOperator::Multiply, at, half);
                let pairs = build.math(MathFunction::Round, pairs);
                let even = build.binary(BinaryOperator::Multiply, pairs, two);
                let distance = build.binary(BinaryOperator::Subtract, at, even);
                build.math(MathFunction::Abs, distance)
            }
            AddressMode::ClampToEdge | AddressMode::MirrorOnce | AddressMode::Border => {
                build.math(MathFunction::Saturate, at)
            }
        }
    }

    fn nearest_texel(&mut self, of: &Loaded, mip: &Mip) -> ValueHandle {
        let at = mip.at.map(|lane| self.build.math(MathFunction::Floor, lane));
        // The end of the texture belongs to its last texel.
        let at = self.clamped(at, mip);
        self.texel_at(of, mip, at)
    }

    /// The four texels around a place, joined by how near they are.
    fn joined_texels(&mut self, of: &Loaded, mip: &Mip) -> ValueHandle {
        let ([left_top, right_top, left_bottom, right_bottom], [x, y]) = self.four_texels(of, mip);
        let top = self.mixed(left_top, right_top, x);
        let bottom = self.mixed(left_bottom, right_bottom, x);
        self.mixed(top, bottom, y)
    }

    /// The four texels around a place: two rows, from the left; and how far the place lies from the first of them.
    fn four_texels(&mut self, of: &Loaded, mip: &Mip) -> ([ValueHandle; 4], [ValueHandle; 2]) {
        use BinaryOperator as B;
        let (half, one) = (self.build.float(0.5), self.build.float(1.0));
        let from = mip.at.map(|lane| self.build.binary(B::Subtract, lane, half));
        let [left, top] = from.map(|lane| self.build.math(MathFunction::Floor, lane));
        let parts = [(from[0], left), (from[1], top)].map(|(at, first)| self.build.binary(B::Subtract, at, first));
        let [right, bottom] = [left, top].map(|first| self.build.binary(B::Add, first, one));
        let places = [[left, top], [right, top], [left, bottom], [right, bottom]];
        let texels = match &of.place {
            LoadedPlace::Cube { face, edges: CubeEdges::Joined, .. } => {
                self.joined_across_edges((of, face), mip, places)
            }
            _ => places.map(|at| {
                let at = self.wrapped(of, mip, at);
                self.texel_at(of, mip, at)
            }),
        };
        (texels, parts)
    }

    /// A whole place in texels, one beyond an edge at most, as one within the texture.
    fn wrapped(&mut self, of: &Loaded, mip: &Mip, at: [ValueHandle; 2]) -> [ValueHandle; 2] {
        let wrapped = match of.place {
            LoadedPlace::Cube { .. } => at,
            LoadedPlace::Flat { .. } => {
                let ([x, y], [width, height], [u, v]) = (at, mip.size, of.sampler.address);
                [(x, width, u), (y, height, v)].map(|(at, size, address)| match address {
                    AddressMode::Repeat => self.beyond_the_other_edge(at, size),
                    _ => at,
                })
            }
        };
        self.clamped(wrapped, mip)
    }

    /// The texel at the other end, for one that is beyond an edge.
    fn beyond_the_other_edge(&mut self, at: ValueHandle, size: ValueHandle) -> ValueHandle {
        use BinaryOperator as B;
        let build = &mut self.build;
        let zero = build.float(0.0);
        let (more, less) = (build.binary(B::Add, at, size), build.binary(B::Subtract, at, size));
        let (is_before, is_behind) = (build.binary(B::Less, at, zero), build.binary(B::GreaterEqual, at, size));
        let at = build.select(is_behind, less, at);
        build.select(is_before, more, at)
    }

    /// A whole place in texels within the texture.
    fn clamped(&mut self, at: [ValueHandle; 2], mip: &Mip) -> [ValueHandle; 2] {
        let build = &mut self.build;
        let (zero, one) = (build.float(0.0), build.float(1.0));
        [(at[0], mip.size[0]), (at[1], mip.size[1])].map(|(at, size)| {
            let last = build.binary(BinaryOperator::Subtract, size, one);
            let at = build.math2(MathFunction::Min, at, last);
            build.math2(MathFunction::Max, at, zero)
        })
    }

    /// Four texels of a cube, each on the face that it lies on. Beyond a corner it is the mean of the other three.
    fn joined_across_edges(
        &mut self,
        (of, face): (&Loaded, &Face),
        mip: &Mip,
        places: [[ValueHandle; 2]; 4],
    ) -> [ValueHandle; 4] {
        use BinaryOperator as B;
        let found = places.map(|at| {
            let texel = self.texel_across_edges(of, face, mip, at);
            let [x, y] = [(at[0], mip.size[0]), (at[1], mip.size[1])].map(|(at, size)| self.is_beyond(at, size));
            (texel, self.build.binary(B::LogicalAnd, x, y))
        });
        let sum = found.iter().map(|(texel, _)| *texel).reduce(|sum, texel| self.build.binary(B::Add, sum, texel));
        let Some(sum) = sum else { return found.map(|(texel, _)| texel) };
        let third = self.build.float(1.0 / 3.0);
        let third = self.build.splat(third);
        found.map(|(texel, is_corner)| {
            let others = self.build.binary(B::Subtract, sum, texel);
            let mean = self.build.binary(B::Multiply, others, third);
            self.build.select(is_corner, mean, texel)
        })
    }

    fn is_beyond(&mut self, at: ValueHandle, size: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let zero = build.float(0.0);
        let is_before = build.binary(BinaryOperator::Less, at, zero);
        let is_behind = build.binary(BinaryOperator::GreaterEqual, at, size);
        build.binary(BinaryOperator::LogicalOr, is_before, is_behind)
    }

    /// A texel beside a face, or on it. The direction of its middle meets the next face less than half a texel from the
    /// middle of the one that lies there.
    fn texel_across_edges(&mut self, of: &Loaded, face: &Face, mip: &Mip, at: [ValueHandle; 2]) -> ValueHandle {
        use BinaryOperator as B;
        let (two, one) = (self.build.float(2.0), self.build.float(1.0));
        let place = at.map(|lane| {
            let build = &mut self.build;
            let twice = build.binary(B::Multiply, lane, two);
            let middle = build.binary(B::Add, twice, one);
            let whole = build.binary(B::Divide, middle, mip.size[0]);
            build.binary(B::Subtract, whole, one)
        });
        let direction = self.direction_of(face, place);
        let (face, place) = self.face_of(direction);
        let at = self.texels_of_face(place, mip.size);
        let at = at.map(|lane| self.build.math(MathFunction::Floor, lane));
        let at = self.clamped(at, mip);
        let layer = self.layer_of_face(of, &face);
        self.load_at(of, mip, at, layer)
    }

    /// A texel of the layer, or of the face, that a place lies on.
    fn texel_at(&mut self, of: &Loaded, mip: &Mip, at: [ValueHandle; 2]) -> ValueHandle {
        let layer = match &of.place {
            LoadedPlace::Flat { layer, .. } => *layer,
            LoadedPlace::Cube { face, .. } => self.layer_of_face(of, face),
        };
        self.load_at(of, mip, at, layer)
    }

    fn layer_of_face(&mut self, of: &Loaded, face: &Face) -> Option<ValueHandle> {
        let LoadedPlace::Cube { first_face, .. } = of.place else { return None };
        let number = self.face_number(face);
        first_face.map(|first| self.build.binary(BinaryOperator::Add, first, number))
    }

    fn load_at(&mut self, of: &Loaded, mip: &Mip, at: [ValueHandle; 2], layer: Option<ValueHandle>) -> ValueHandle {
        let at = self.build.compose(self.types.float2, at.to_vec());
        let at = self.build.convert(at, ScalarKind::Sint);
        let level = self.build.convert(mip.level, ScalarKind::Sint);
        let found = self.build.value(Expression::ImageLoad {
            image: of.texture.image,
            coordinate: at,
            array_index: layer,
            sample: None,
            level: Some(level),
        });
        self.texel(&of.texture, found)
    }

    /// Texels that are added to a place: two floats.
    pub(super) fn loaded_offset(&mut self, offsets: [i8; 3]) -> Option<ValueHandle> {
        let [x, y, _] = offsets;
        if [x, y] == [0, 0] {
            return None;
        }
        let lanes = [x, y].map(|lane| self.build.float(f32::from(lane))).to_vec();
        Some(self.build.compose(self.types.float2, lanes))
    }
}
