//! Vertices and indices of everything that is drawn, one object behind the other.
//!
//! | offset | vertex: 24 bytes |
//! |---:|---|
//! | 0 | position: three floats |
//! | 12 | normal, or colour of a letter: four signed bytes, 127 for 1 |
//! | 16 | texture coordinates: two floats |

use std::f32::consts::TAU;
use std::ops::Range;

use super::matrix::{Vector, along, cross, minus, rounded, unit};

/// Bytes of a vertex.
pub(crate) const VERTEX_BYTES: u32 = 24;

/// All vertices and indices.
#[derive(Default)]
pub(crate) struct Meshes {
    pub(crate) vertices: Vec<u8>,
    pub(crate) indices: Vec<u16>,
}

/// One vertex.
pub(crate) fn vertex(at: Vector, normal: Vector, uv: [f32; 2]) -> Vec<u8> {
    let mut bytes: Vec<u8> = at.iter().flat_map(|number| rounded(*number).to_le_bytes()).collect();
    bytes.extend(normal.map(|number| (number * 127.0).round() as i8 as u8));
    bytes.push(0);
    bytes.extend(uv.iter().flat_map(|number| rounded(*number).to_le_bytes()));
    bytes
}

/// The four vertices of a rectangle that is seen as it lies, and which part of a texture it shows.
pub(crate) fn flat_rectangle(
    [left, top, right, bottom]: [f32; 4],
    color: Vector,
    [u0, v0, u1, v1]: [f32; 4],
) -> Vec<u8> {
    let corners =
        [([left, top], [u0, v0]), ([right, top], [u1, v0]), ([left, bottom], [u0, v1]), ([right, bottom], [u1, v1])];
    corners.iter().flat_map(|([x, y], uv)| vertex([*x, *y, 0.0], color, *uv)).collect()
}

impl Meshes {
    fn count(&self) -> u16 {
        (self.vertices.len() / VERTEX_BYTES as usize) as u16
    }

    fn put(&mut self, at: Vector, normal: Vector, uv: [f32; 2]) {
        self.vertices.extend(vertex(at, normal, uv));
    }

    /// The indices that `make` adds.
    pub(crate) fn object(&mut self, make: impl FnOnce(&mut Self)) -> Range<u32> {
        let first = self.indices.len() as u32;
        make(self);
        first..self.indices.len() as u32
    }

    /// Two triangles of the last four vertices.
    fn quad(&mut self) {
        let first = self.count() - 4;
        self.indices.extend([0, 1, 2, 2, 1, 3].map(|corner| first + corner));
    }

    /// A rectangle around `center`, from `-across - down` to `across + down`.
    pub(crate) fn rectangle(&mut self, center: Vector, across: Vector, down: Vector, normal: Vector, uv: [f32; 2]) {
        for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            let at = along(along(center, across, s), down, t);
            self.put(at, normal, [(s + 1.0) / 2.0 * uv[0], (t + 1.0) / 2.0 * uv[1]]);
        }
        self.quad();
    }

    /// The sides and the top of a box; a texture covers `texture` units of it.
    pub(crate) fn block(&mut self, center: Vector, half: Vector, texture: f32) {
        let [x, y, z] = half;
        let faces = [
            ([x, 0.0, 0.0], [0.0, 0.0, z]),
            ([-x, 0.0, 0.0], [0.0, 0.0, -z]),
            ([0.0, 0.0, z], [-x, 0.0, 0.0]),
            ([0.0, 0.0, -z], [x, 0.0, 0.0]),
        ];
        for (out, across) in faces {
            let width = across.iter().map(|side| side.abs()).sum::<f32>();
            let uv = [2.0 * width / texture, 2.0 * y / texture];
            self.rectangle(along(center, out, 1.0), across, [0.0, -y, 0.0], unit(out), uv);
        }
        let uv = [2.0 * x / texture, 2.0 * z / texture];
        self.rectangle(along(center, [0.0, y, 0.0], 1.0), [x, 0.0, 0.0], [0.0, 0.0, z], [0.0, 1.0, 0.0], uv);
    }

    /// The side of a cylinder or cone that stands at `foot`; `radius` below and above.
    pub(crate) fn column(&mut self, foot: Vector, height: f32, radius: [f32; 2], sides: u32) {
        let first = self.count();
        for side in 0..=sides {
            let (sin, cos) = (TAU * side as f32 / sides as f32).sin_cos();
            let normal = [cos, 0.0, sin];
            let u = 2.0 * side as f32 / sides as f32;
            self.put(along(foot, normal, radius[0]), normal, [u, height]);
            self.put(along(along(foot, normal, radius[1]), [0.0, 1.0, 0.0], height), normal, [u, 0.0]);
        }
        for side in 0..sides as u16 {
            let below = first + 2 * side;
            self.indices.extend([below, below + 1, below + 2, below + 2, below + 1, below + 3]);
        }
    }

    /// A ball around the origin.
    pub(crate) fn ball(&mut self, radius: f32, rings: u32, sides: u32) {
        let first = self.count();
        for ring in 0..=rings {
            let (height, wide) = (TAU / 2.0 * ring as f32 / rings as f32).sin_cos();
            for side in 0..=sides {
                let (sin, cos) = (TAU * side as f32 / sides as f32).sin_cos();
                let normal = [height * cos, wide, height * sin];
                self.put(along([0.0; 3], normal, radius), normal, [0.0; 2]);
            }
        }
        let row = sides as u16 + 1;
        for ring in 0..rings as u16 {
            for side in 0..sides as u16 {
                let above = first + ring * row + side;
                let below = above + row;
                self.indices.extend([above, above + 1, below, below, above + 1, below + 1]);
            }
        }
    }

    /// Leaves around `center`, each a rectangle that shows the whole texture.
    pub(crate) fn crown(&mut self, center: Vector, radius: f32, leaves: u32) {
        let mut random = Random(7);
        for _ in 0..leaves {
            let out = random.direction();
            let at = along(center, out, radius * (0.55 + 0.45 * random.next()));
            let aside = unit(cross(random.direction(), out));
            let down = unit(minus(cross(out, aside), [out[0] * 0.6, out[1] * 0.6, out[2] * 0.6]));
            let size = 0.62 + 0.3 * random.next();
            self.rectangle(at, aside.map(|of| of * size), down.map(|of| of * size), out, [1.0; 2]);
        }
    }
}

/// Random numbers, the same everywhere.
struct Random(u32);

impl Random {
    /// The next one, from 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn direction(&mut self) -> Vector {
        loop {
            let at = [self.next() * 2.0 - 1.0, self.next() * 2.0 - 1.0, self.next() * 2.0 - 1.0];
            let square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
            if (0.01..1.0).contains(&square) {
                return unit(at);
            }
        }
    }
}
