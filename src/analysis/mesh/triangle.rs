//! What becomes of a triangle on its way to pixels.

use serde::Serialize;

use super::{MeshVertex, MeshViewport};
use crate::error::Internal;

/// One triangle of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeshTriangle {
    /// Places of its corners in [`super::Mesh::vertices`].
    pub vertices: [u32; 3],
    /// Its area in pixels, before clipping; `None` if a corner is not in front of the viewer.
    pub area_px: Option<f64>,
    /// Which side of it is seen.
    pub facing: Option<Facing>,
    /// What becomes of it.
    pub outcome: TriangleOutcome,
}

/// Which side of a triangle is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// Its front: its corners go counter-clockwise, or as the state of a submission's draw says.
    Front,
    /// Its back.
    Back,
}

/// What becomes of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriangleOutcome {
    /// It is drawn whole.
    Drawn,
    /// A part of it is outside the viewport or the depth range, the rest is drawn.
    Clipped,
    /// All of it is beyond one side of the viewport or of the depth range.
    Outside(ClipPlane),
    /// All of it is in the viewport and beyond the target.
    OutsideTarget,
    /// All of it is on the target and outside of the scissor's rectangle.
    OutsideScissor,
    /// The side that is seen is not drawn.
    Culled,
    /// The sample mask leaves out the only sample that targets have.
    Masked,
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

/// What becomes of triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriangleRules {
    /// Where anything is seen: from and to, in pixels, by axis.
    pub seen_px: [[f64; 2]; 2],
    /// What the scissor leaves of that.
    pub scissor_px: [[f64; 2]; 2],
    /// Whether clockwise triangles are seen from their front.
    pub is_front_clockwise: bool,
    /// The side that is not drawn.
    pub culled: Option<Facing>,
    /// Whether what lies before the near plane or behind the far one is not drawn.
    pub clips_depth: bool,
    /// Whether triangles are drawn as areas.
    pub is_filled: bool,
    /// Whether the sample mask leaves out every sample.
    pub is_masked: bool,
}

impl TriangleRules {
    /// Those of triangles that are drawn whichever side is seen.
    pub(super) fn within(viewport: &MeshViewport, target_px: [u32; 2], scissor_px: Option<[i32; 4]>) -> Self {
        let ([left, top], [width, height]) = (viewport.origin_px, viewport.size_px);
        let axis = |start: f32, length: f32, side: u32| {
            let (start, length, side) = (f64::from(start), f64::from(length), f64::from(side));
            [start.max(0.0), (start + length).min(side)]
        };
        let [target_width, target_height] = target_px;
        let seen_px = [axis(left.0, width.0, target_width), axis(top.0, height.0, target_height)];
        let [seen_x, seen_y] = seen_px;
        let within = |[low, high]: [f64; 2], start: i32, length: i32| {
            let (start, length) = (f64::from(start), f64::from(length));
            [low.max(start), high.min(start + length)]
        };
        let scissor_px = match scissor_px {
            Some([left, top, width, height]) => [within(seen_x, left, width), within(seen_y, top, height)],
            None => seen_px,
        };
        let (is_front_clockwise, culled, clips_depth, is_filled, is_masked) = (false, None, true, true, false);
        Self { seen_px, scissor_px, is_front_clockwise, culled, clips_depth, is_filled, is_masked }
    }
}

/// The triangles with these corners, which are places among vertices.
pub(super) fn triangles_of(
    vertices: &[MeshVertex],
    corners: impl IntoIterator<Item = [u32; 3]>,
    rules: &TriangleRules,
) -> Result<Vec<MeshTriangle>, Internal> {
    let lost = Internal::new("a corner of a mesh's triangle is not one of its vertices");
    let vertex = |place: u32| vertices.get(place as usize).ok_or(lost);
    let triangles = corners.into_iter().map(|places| {
        let [a, b, c] = places;
        Ok(MeshTriangle::new(places, [vertex(a)?, vertex(b)?, vertex(c)?], rules))
    });
    triangles.collect()
}

impl MeshTriangle {
    fn new(vertices: [u32; 3], corners: [&MeshVertex; 3], rules: &TriangleRules) -> Self {
        let clips = corners.map(|corner| corner.clip.map(|real| real.0));
        let is_in_front = clips.iter().all(|[.., w]| *w > 0.0);
        let window = corners.map(|corner| [corner.window[0].0, corner.window[1].0].map(f64::from));
        // The window's y goes down, so the sign is turned.
        let signed_px = is_in_front.then(|| -signed_area(window)).filter(|area| area.is_finite());
        let facing = signed_px.and_then(|area| match area.partial_cmp(&0.0)? {
            std::cmp::Ordering::Greater => Some(rules.is_front_clockwise),
            std::cmp::Ordering::Less => Some(!rules.is_front_clockwise),
            std::cmp::Ordering::Equal => None,
        });
        let facing = facing.map(|is_back| if is_back { Facing::Back } else { Facing::Front });
        let area_px = signed_px.map(f64::abs);
        let outcome = match rules.outcome(clips, area_px, window) {
            TriangleOutcome::NotFinite => TriangleOutcome::NotFinite,
            TriangleOutcome::Outside(plane) => TriangleOutcome::Outside(plane),
            _ if facing.is_some() && facing == rules.culled => TriangleOutcome::Culled,
            TriangleOutcome::Drawn | TriangleOutcome::Clipped if rules.is_masked => TriangleOutcome::Masked,
            outcome => outcome,
        };
        Self { vertices, area_px, facing, outcome }
    }
}

fn signed_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2.0
}

impl TriangleRules {
    fn outcome(&self, clips: [[f32; 4]; 3], area_px: Option<f64>, window: [[f64; 2]; 3]) -> TriangleOutcome {
        if clips.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
            return TriangleOutcome::NotFinite;
        }
        let is_clipping = |plane: &ClipPlane| self.clips_depth || !matches!(plane, ClipPlane::Near | ClipPlane::Far);
        let mut planes = PLANES.into_iter().filter(is_clipping);
        if let Some(plane) = planes.clone().find(|plane| clips.iter().all(|clip| plane.is_beyond(*clip))) {
            return TriangleOutcome::Outside(plane);
        }
        if area_px == Some(0.0) && self.is_filled {
            return TriangleOutcome::Degenerate;
        }
        let is_clipped = planes.any(|plane| clips.iter().any(|clip| plane.is_beyond(*clip)));
        if area_px.is_none() {
            // Behind the viewer in part: where it lies in the window is not known without clipping it.
            return TriangleOutcome::Clipped;
        }
        let bounds = [0, 1].map(|side: usize| {
            let along = window.map(|corner| corner.get(side).copied().unwrap_or(0.0));
            let low = along.into_iter().fold(f64::INFINITY, f64::min);
            (low, along.into_iter().fold(f64::NEG_INFINITY, f64::max))
        });
        let is_outside = |rectangle: [[f64; 2]; 2]| {
            bounds.into_iter().zip(rectangle).any(|((low, high), [start, end])| low >= end || high < start)
        };
        if is_outside(self.seen_px) {
            return TriangleOutcome::OutsideTarget;
        }
        if is_outside(self.scissor_px) {
            return TriangleOutcome::OutsideScissor;
        }
        // Centres lie at halves.
        let has_centre = |((low, high), [start, end]): ((f64, f64), [f64; 2])| {
            (low.max(start) - 0.5).ceil() <= (high.min(end) - 0.5).floor()
        };
        let has_centres = !self.is_filled || bounds.into_iter().zip(self.scissor_px).all(has_centre);
        match (has_centres, is_clipped) {
            (false, _) => TriangleOutcome::BetweenPixels,
            (true, true) => TriangleOutcome::Clipped,
            (true, false) => TriangleOutcome::Drawn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Real;

    fn outcome_of(corners: [[f32; 4]; 3]) -> MeshTriangle {
        let vertex = |clip: [f32; 4]| {
            let [x, y, z, w] = clip;
            let ndc = [x / w, y / w, z / w];
            let window = [(ndc[0] + 1.0) * 8.0, (1.0 - ndc[1]) * 8.0, ndc[2]];
            MeshVertex {
                index: 0,
                position: None,
                color: None,
                inputs: Vec::new(),
                clip: clip.map(Real),
                ndc: ndc.map(Real),
                window: window.map(Real),
                outputs: Vec::new(),
            }
        };
        let viewport =
            MeshViewport { origin_px: [Real(0.0); 2], size_px: [Real(16.0); 2], depth_range: [Real(0.0), Real(1.0)] };
        let rules = TriangleRules::within(&viewport, [12, 16], None);
        triangles_of(&corners.map(vertex), [[0, 1, 2]], &rules).unwrap()[0]
    }

    #[test]
    fn every_outcome_is_told() {
        let at = |x, y| [x, y, 0.0, 1.0];
        let whole = outcome_of([at(-0.5, -0.5), at(0.0, -0.5), at(-0.5, 0.0)]);
        assert_eq!(
            (whole.outcome, whole.facing, whole.area_px),
            (TriangleOutcome::Drawn, Some(Facing::Front), Some(8.0))
        );
        let turned = outcome_of([at(0.0, -0.5), at(-0.5, -0.5), at(-0.5, 0.0)]);
        assert_eq!((turned.facing, turned.area_px), (Some(Facing::Back), Some(8.0)));
        for (corners, expected) in [
            ([at(-2.0, 0.0), at(0.0, 0.0), at(0.0, 0.5)], TriangleOutcome::Clipped),
            ([at(-2.0, 0.0), at(-3.0, 0.0), at(-2.0, 5.0)], TriangleOutcome::Outside(ClipPlane::Left)),
            ([at(0.0, 2.0), at(0.5, 2.0), at(0.0, 3.0)], TriangleOutcome::Outside(ClipPlane::Top)),
            ([[0.0, 0.0, 2.0, 1.0]; 3], TriangleOutcome::Outside(ClipPlane::Far)),
            ([[0.0, 0.0, -0.5, 1.0]; 3], TriangleOutcome::Outside(ClipPlane::Near)),
            ([at(0.0, 0.0), at(0.25, 0.25), at(0.5, 0.5)], TriangleOutcome::Degenerate),
            ([at(0.0, 0.0), at(0.01, 0.0), at(0.0, 0.01)], TriangleOutcome::BetweenPixels),
            ([at(0.6, 0.0), at(0.9, 0.0), at(0.6, 0.5)], TriangleOutcome::OutsideTarget),
            ([at(0.0, 0.0), [f32::NAN, 0.0, 0.0, 1.0], at(0.0, 0.5)], TriangleOutcome::NotFinite),
            ([at(0.0, 0.0), [0.0, 0.0, 0.0, -1.0], at(0.5, 0.5)], TriangleOutcome::Clipped),
        ] {
            assert_eq!(outcome_of(corners).outcome, expected, "{corners:?}");
        }
        assert_eq!(outcome_of([at(0.0, 0.0), [0.0, 0.0, 0.0, -1.0], at(0.5, 0.5)]).area_px, None);
    }
}
