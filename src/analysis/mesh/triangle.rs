//! What becomes of a triangle on its way to pixels.

use serde::Serialize;

use super::MeshVertex;

/// One triangle of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeshTriangle {
    /// Places of its corners in [`super::Mesh::vertices`].
    pub vertices: [u32; 3],
    /// Its area in pixels, before clipping; `None` if a corner is not in front of the viewer.
    pub area_px: Option<f64>,
    /// Which way round its corners go, as seen.
    pub facing: Option<Facing>,
    /// What becomes of it.
    pub fate: TriangleFate,
}

/// Which way round a triangle's corners go, as seen. Nothing is culled by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// Counter-clockwise: WebGPU's front.
    Front,
    /// Clockwise.
    Back,
}

/// What becomes of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TriangleFate {
    /// It is drawn whole.
    Drawn,
    /// A part of it is outside the viewport or the depth range, the rest is drawn.
    Clipped,
    /// All of it is beyond one side of the viewport or of the depth range.
    Outside(ClipPlane),
    /// All of it is in the viewport and beyond the target.
    OutsideTarget,
    /// Its corners lie on a line.
    Degenerate,
    /// It is so small, or so placed, that there is no pixel centre in its bounding box.
    BetweenPixels,
    /// A corner has a coordinate that is no finite number.
    NotFinite,
}

/// A side of the space that is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipPlane {
    /// x < −w
    Left,
    /// x > w
    Right,
    /// y < −w
    Bottom,
    /// y > w
    Top,
    /// z < 0
    Near,
    /// z > w
    Far,
}

impl Facing {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Back => "back",
        }
    }
}

impl ClipPlane {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Bottom => "bottom",
            Self::Top => "top",
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

const PLANES: [ClipPlane; 6] =
    [ClipPlane::Left, ClipPlane::Right, ClipPlane::Bottom, ClipPlane::Top, ClipPlane::Near, ClipPlane::Far];

impl ClipPlane {
    fn is_beyond(self, clip: [f32; 4]) -> bool {
        let [x, y, z, w] = clip;
        match self {
            Self::Left => x < -w,
            Self::Right => x > w,
            Self::Bottom => y < -w,
            Self::Top => y > w,
            Self::Near => z < 0.0,
            Self::Far => z > w,
        }
    }
}

/// The triangles of a list of vertices.
pub(super) fn triangles_of(vertices: &[MeshVertex], viewport_px: [u32; 2], target_px: [u32; 2]) -> Vec<MeshTriangle> {
    let seen_px = [0, 1].map(|side: usize| {
        let sides = [viewport_px, target_px].map(|size| size.get(side).copied().unwrap_or(0));
        f64::from(sides.into_iter().min().unwrap_or(0))
    });
    let corners = vertices.as_chunks::<3>().0;
    let triangle = |(number, corners): (u32, &[MeshVertex; 3])| {
        let first = number * 3;
        MeshTriangle::new([first, first + 1, first + 2], corners, seen_px)
    };
    (0..).zip(corners).map(triangle).collect()
}

impl MeshTriangle {
    fn new(vertices: [u32; 3], corners: &[MeshVertex; 3], seen_px: [f64; 2]) -> Self {
        let clips = corners.each_ref().map(|corner| corner.clip.map(|real| real.0));
        let is_in_front = clips.iter().all(|[.., w]| *w > 0.0);
        let window = corners.each_ref().map(|corner| [corner.window[0].0, corner.window[1].0].map(f64::from));
        // The window's y goes down, so the sign is turned.
        let signed_px = is_in_front.then(|| -signed_area(window)).filter(|area| area.is_finite());
        let facing = signed_px.and_then(|area| match area.partial_cmp(&0.0)? {
            std::cmp::Ordering::Greater => Some(Facing::Front),
            std::cmp::Ordering::Less => Some(Facing::Back),
            std::cmp::Ordering::Equal => None,
        });
        let area_px = signed_px.map(f64::abs);
        Self { vertices, area_px, facing, fate: fate(clips, area_px, window, seen_px) }
    }
}

fn signed_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2.0
}

fn fate(clips: [[f32; 4]; 3], area_px: Option<f64>, window: [[f64; 2]; 3], seen_px: [f64; 2]) -> TriangleFate {
    if clips.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
        return TriangleFate::NotFinite;
    }
    if let Some(plane) = PLANES.into_iter().find(|plane| clips.iter().all(|clip| plane.is_beyond(*clip))) {
        return TriangleFate::Outside(plane);
    }
    if area_px == Some(0.0) {
        return TriangleFate::Degenerate;
    }
    let is_clipped = clips.iter().any(|clip| PLANES.iter().any(|plane| plane.is_beyond(*clip)));
    if area_px.is_none() {
        // Behind the viewer in part: where it lies in the window is not known without clipping it.
        return TriangleFate::Clipped;
    }
    let bounds = [0, 1].map(|side: usize| {
        let along = window.map(|corner| corner.get(side).copied().unwrap_or(0.0));
        let low = along.into_iter().fold(f64::INFINITY, f64::min);
        (low, along.into_iter().fold(f64::NEG_INFINITY, f64::max))
    });
    let sides = || bounds.into_iter().zip(seen_px);
    if sides().any(|((low, _), seen)| low >= seen) {
        return TriangleFate::OutsideTarget;
    }
    // Centres lie at halves.
    let has_centre =
        |((low, high), seen): ((f64, f64), f64)| (low.max(0.0) - 0.5).ceil() <= (high.min(seen) - 0.5).floor();
    match (sides().all(has_centre), is_clipped) {
        (false, _) => TriangleFate::BetweenPixels,
        (true, true) => TriangleFate::Clipped,
        (true, false) => TriangleFate::Drawn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Real;

    fn fate_of(corners: [[f32; 4]; 3]) -> MeshTriangle {
        let vertex = |clip: [f32; 4]| {
            let [x, y, z, w] = clip;
            let ndc = [x / w, y / w, z / w];
            let window = [(ndc[0] + 1.0) * 8.0, (1.0 - ndc[1]) * 8.0, ndc[2]];
            MeshVertex {
                index: 0,
                position: None,
                color: None,
                clip: clip.map(Real),
                ndc: ndc.map(Real),
                window: window.map(Real),
                outputs: Vec::new(),
            }
        };
        triangles_of(&corners.map(vertex), [16, 16], [12, 16])[0]
    }

    #[test]
    fn every_fate_is_told() {
        let at = |x, y| [x, y, 0.0, 1.0];
        let whole = fate_of([at(-0.5, -0.5), at(0.0, -0.5), at(-0.5, 0.0)]);
        assert_eq!((whole.fate, whole.facing, whole.area_px), (TriangleFate::Drawn, Some(Facing::Front), Some(8.0)));
        let turned = fate_of([at(0.0, -0.5), at(-0.5, -0.5), at(-0.5, 0.0)]);
        assert_eq!((turned.facing, turned.area_px), (Some(Facing::Back), Some(8.0)));
        for (corners, expected) in [
            ([at(-2.0, 0.0), at(0.0, 0.0), at(0.0, 0.5)], TriangleFate::Clipped),
            ([at(-2.0, 0.0), at(-3.0, 0.0), at(-2.0, 5.0)], TriangleFate::Outside(ClipPlane::Left)),
            ([at(0.0, 2.0), at(0.5, 2.0), at(0.0, 3.0)], TriangleFate::Outside(ClipPlane::Top)),
            ([[0.0, 0.0, 2.0, 1.0]; 3], TriangleFate::Outside(ClipPlane::Far)),
            ([[0.0, 0.0, -0.5, 1.0]; 3], TriangleFate::Outside(ClipPlane::Near)),
            ([at(0.0, 0.0), at(0.25, 0.25), at(0.5, 0.5)], TriangleFate::Degenerate),
            ([at(0.0, 0.0), at(0.01, 0.0), at(0.0, 0.01)], TriangleFate::BetweenPixels),
            ([at(0.6, 0.0), at(0.9, 0.0), at(0.6, 0.5)], TriangleFate::OutsideTarget),
            ([at(0.0, 0.0), [f32::NAN, 0.0, 0.0, 1.0], at(0.0, 0.5)], TriangleFate::NotFinite),
            ([at(0.0, 0.0), [0.0, 0.0, 0.0, -1.0], at(0.5, 0.5)], TriangleFate::Clipped),
        ] {
            assert_eq!(fate_of(corners).fate, expected, "{corners:?}");
        }
        assert_eq!(fate_of([at(0.0, 0.0), [0.0, 0.0, 0.0, -1.0], at(0.5, 0.5)]).area_px, None);
    }
}
