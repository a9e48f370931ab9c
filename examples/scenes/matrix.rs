//! Matrices of four rows, which are multiplied by columns: `clip = matrix · position`.

/// A place or a direction.
pub(crate) type Vector = [f32; 3];
/// Four rows of four.
pub(crate) type Matrix = [[f32; 4]; 4];

/// A number as every machine's sine gives it: the last bits of it differ between them.
pub(crate) fn rounded(number: f32) -> f32 {
    (number * 16384.0).round() / 16384.0
}

pub(crate) fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a + b · times`
pub(crate) fn along(a: Vector, b: Vector, times: f32) -> Vector {
    [a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    [a[0] / length, a[1] / length, a[2] / length]
}

/// A camera's right, up and forward.
pub(crate) struct View {
    pub(crate) right: Vector,
    pub(crate) up: Vector,
    pub(crate) forward: Vector,
    pub(crate) eye: Vector,
}

impl View {
    pub(crate) fn new(eye: Vector, at: Vector) -> Self {
        let forward = unit(minus(at, eye));
        let right = unit(cross([0.0, 1.0, 0.0], forward));
        Self { right, up: cross(forward, right), forward, eye }
    }

    fn rows(&self) -> Matrix {
        let row = |axis: Vector| [axis[0], axis[1], axis[2], -dot(axis, self.eye)];
        [row(self.right), row(self.up), row(self.forward), [0.0, 0.0, 0.0, 1.0]]
    }

    /// From the world into the clip space of a camera whose picture is `aspect` times as wide as high, and that sees
    /// `1 / scale` up for each unit of distance.
    pub(crate) fn perspective(&self, scale: f32, aspect: f32, near: f32, far: f32) -> Matrix {
        let depth = far / (far - near);
        let [x, y, z, _] = self.rows();
        let z_clip = [z[0] * depth, z[1] * depth, z[2] * depth, z[3] * depth - near * depth];
        round([x.map(|of| of * scale / aspect), y.map(|of| of * scale), z_clip, z])
    }

    /// From the world into the clip space of parallel rays, `side` to each side.
    pub(crate) fn parallel(&self, side: f32, far: f32) -> Matrix {
        let [x, y, z, w] = self.rows();
        round([x.map(|of| of / side), y.map(|of| of / side), z.map(|of| of / far), w])
    }
}

/// A turn about the upright axis, and a place.
pub(crate) fn turned(angle: f32, [x, y, z]: Vector) -> Matrix {
    let (sin, cos) = angle.sin_cos();
    round([[cos, 0.0, sin, x], [0.0, 1.0, 0.0, y], [-sin, 0.0, cos, z], [0.0, 0.0, 0.0, 1.0]])
}

fn round(matrix: Matrix) -> Matrix {
    matrix.map(|row| row.map(rounded))
}

/// The bytes of rows.
pub(crate) fn bytes(rows: &[[f32; 4]]) -> Vec<u8> {
    rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}
