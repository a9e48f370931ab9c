//! Where exactly a triangle ends, held against exact arithmetic, on every backend.
//!
//! Inside of the viewport a triangle between whole pixels covers the pixels whose centres are inside, and those on a top
//! or a left edge. One that reaches outside is cut there by the driver, one side of the viewport after the other, and the
//! corners that this makes are rounded to 256ths of a pixel. The edges that were cut move by that little: a pixel whose
//! centre lies that close to one may be covered or not. These tests say that this is all.

use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;
use support::harness::Trial;
use support::random::Random;
use support::scene::{BLACK, GREEN, Scene, vertices};
use support::software::{BACKENDS, Backend};

const SIDE_PX: i64 = 64;
const SIZE: Size = Size { width_px: SIDE_PX as u32, height_px: SIDE_PX as u32 };
/// Corners that a driver makes are at whole multiples of a pixel divided by this.
const SUBPIXELS: i64 = 256;
/// Triangles of each reach.
const TRIANGLES: u32 = 300;

/// In subpixels, x right and y down.
type Point = [i64; 2];
type Triangle = [Point; 3];

/// Twice the area, positive if the corners go round clockwise.
fn area([a, b, c]: Triangle) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn centres() -> impl Iterator<Item = Point> {
    let centre = |pixel: i64| pixel * SUBPIXELS + SUBPIXELS / 2;
    (0..SIDE_PX).flat_map(move |y| (0..SIDE_PX).map(move |x| [centre(x), centre(y)]))
}

/// The pixels that a triangle covers, row by row.
fn covered(triangle: Triangle) -> Vec<bool> {
    let [a, b, c] = triangle;
    let clockwise = if area(triangle) < 0 { [a, c, b] } else { triangle };
    let is_inside = |centre: Point| {
        (0..3).all(|corner| {
            let (from, to) = (clockwise[corner], clockwise[(corner + 1) % 3]);
            let is_top_or_left = to[1] < from[1] || (to[1] == from[1] && to[0] > from[0]);
            let side = area([from, to, centre]);
            side > 0 || (side == 0 && is_top_or_left)
        })
    };
    centres().map(|centre| area(triangle) != 0 && is_inside(centre)).collect()
}

/// The corners of what is left of a triangle in the viewport.
fn cut(triangle: Triangle) -> Vec<Point> {
    type Corner = [f64; 2];
    let side = (SIDE_PX * SUBPIXELS) as f64;
    let distances: [&dyn Fn(Corner) -> f64; 4] = [&|at| side - at[0], &|at| at[0], &|at| side - at[1], &|at| at[1]];
    let mut corners: Vec<Corner> = triangle.map(|corner| corner.map(|way| way as f64)).to_vec();
    for distance in distances {
        let mut left = Vec::new();
        for (place, from) in corners.iter().enumerate() {
            let to = corners[(place + 1) % corners.len()];
            let (inside, next) = (distance(*from), distance(to));
            if inside >= 0.0 {
                left.push(*from);
            }
            if (inside < 0.0) != (next < 0.0) {
                let part = inside / (inside - next);
                left.push([0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis])));
            }
        }
        corners = left;
    }
    corners.into_iter().map(|corner| corner.map(|way| way.round() as i64)).collect()
}

/// The pixels that a triangle covers after a driver has cut it.
fn covered_when_cut(triangle: Triangle) -> Vec<bool> {
    let corners = cut(triangle);
    let mut all = vec![false; (SIDE_PX * SIDE_PX) as usize];
    for pair in corners.windows(2).skip(1) {
        for (pixel, more) in all.iter_mut().zip(covered([corners[0], pair[0], pair[1]])) {
            *pixel |= more;
        }
    }
    all
}

/// Whether a point is closer than a subpixel to the line through an edge that leaves the viewport.
fn is_at_cut_edge(centre: Point, triangle: Triangle) -> bool {
    let is_outside = |at: Point| at.iter().any(|way| !(0..=SIDE_PX * SUBPIXELS).contains(way));
    (0..3).any(|corner| {
        let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
        let length = ((to[0] - from[0]) as f64).hypot((to[1] - from[1]) as f64);
        (is_outside(from) || is_outside(to)) && (area([from, to, centre]).abs() as f64) < length
    })
}

/// Triangles with corners up to `reach_px` outside of the viewport, each in a frame of its own.
fn draw(backend: Backend, reach_px: i64, mut each: impl FnMut(Triangle, Vec<bool>)) {
    let mut random = Random::new(7);
    let mut scene = Scene::with_pipeline();
    scene.packet(Packet::CreateBuffer { buffer_id: 1, size_bytes: 72, usage: 0 }).bind(1);
    let corners = (SIDE_PX + 2 * reach_px + 1) as u32;
    let mut triangles = Vec::new();
    for frame in 0..TRIANGLES {
        if frame > 0 {
            scene.begin();
        }
        let triangle = [0; 3].map(|_| [0; 2].map(|_| i64::from(random.below(corners)) - reach_px));
        let half = SIDE_PX as f32 / 2.0;
        let positions = triangle.map(|[x, y]: Point| [x as f32 / half - 1.0, 1.0 - y as f32 / half]);
        scene.clear(BLACK).upload(1, 0, &vertices(&positions, GREEN)).draw(0, 3).end();
        triangles.push(triangle.map(|corner| corner.map(|way| way * SUBPIXELS)));
    }
    let trace = Arc::new(opened(scene.finish()).unwrap());
    let mut player = Player::new(trace, backend.open_fresh(), SIZE).unwrap();
    for (frame, triangle) in (0..).zip(triangles) {
        let picture: Picture = player.render(FrameIndex(frame)).unwrap();
        each(triangle, picture.rgba().as_chunks::<4>().0.iter().map(|rgba| *rgba == [0, 255, 0, 255]).collect());
    }
}

fn triangles_inside_are_exact(backend: Backend) {
    draw(backend, 0, |triangle, found| assert!(found == covered(triangle), "{triangle:?}"));
}

fn triangles_that_reach_outside_differ_at_cut_edges_alone(backend: Backend) {
    for reach_px in [1, 16, 256] {
        let mut differing = 0;
        draw(backend, reach_px, |triangle, found| {
            let exact = covered(triangle);
            // A driver that does not cut is better, and right too.
            assert!(found == exact || found == covered_when_cut(triangle), "reach {reach_px}: {triangle:?}");
            for ((centre, found), exact) in centres().zip(&found).zip(&exact) {
                assert!(found == exact || is_at_cut_edge(centre, triangle), "{triangle:?}, {centre:?}");
                differing += u32::from(found != exact);
            }
        });
        println!("{}: up to {reach_px} pixels outside: {differing} pixels differ", backend.name());
    }
}

pub fn trials() -> Vec<Trial> {
    type BackendTest = (&'static str, fn(Backend));
    let of_each: [BackendTest; 2] = [
        ("triangles_inside_are_exact", triangles_inside_are_exact),
        (
            "triangles_that_reach_outside_differ_at_cut_edges_alone",
            triangles_that_reach_outside_differ_at_cut_edges_alone,
        ),
    ];
    let mut trials = Vec::new();
    for backend in BACKENDS {
        let trial =
            |(name, test): BackendTest| backend.trial(format!("{}::{name}", backend.name()), move || test(backend));
        trials.extend(of_each.map(trial));
    }
    trials
}
