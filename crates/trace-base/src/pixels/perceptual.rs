//! How similar two pictures look: as similar as their least similar tile.
//!
//! A mean over the whole picture hides much: an object that is missing from a large one hardly moves it. So the pictures
//! are cut into tiles of 16×16 pixels, and the worst tile of the worst channel is the answer. Of a tile count
//!
//! * its **mean**: 1 − |μₐ − μᵦ| / 255, which sees another colour or brightness, on a bright surface as on a dark one;
//! * its **structure**, as SSIM has it: (2σₐᵦ + C) / (σₐ² + σᵦ² + C), C = (0.06 · 255)², which sees what has appeared,
//!   has gone or looks otherwise, the more the calmer its surroundings are,
//!
//! whichever is lower. (SSIM's own C is a quarter of that, made for a mean over all tiles, in which the noise of one
//! hardly counts; and its term of brightness lets bright surfaces change by twenty steps, hence the means.) Channels are red, green and blue multiplied by alpha, and alpha: what is invisible doesn't count.
//!
//! ```text
//!        a          b, the same place and its eight neighbours       A tile is compared with what lies in the other
//!   ┌────┬────┐    ┌────┬────┐                                       picture at the same place or up to one pixel from
//!   │    │▒▒▒▒│    │   ▒┼▒▒▒ │     the best of nine counts           there, so that fine noise and edges may move by
//!   └────┴────┘    └────┴────┘                                       one pixel. Both ways, tiles of a in b and tiles of
//!                                                                    b in a, or a thin line at a tile's edge of which
//!                                                                    the other knows nothing could be dodged.
//! ```
//!
//! What a number catches, at least:
//!
//! | similarity | all of a tile off by more than | half of a calm tile | one pixel of a calm tile |
//! |---|---|---|---|
//! | 0.999 | 0.26 steps | 1 step | 8 steps |
//! | 0.99 | 2.6 steps | 3.1 steps | 25 steps |
//! | 0.95 | 13 steps | 7 steps | 57 steps |
//! | 0.9 | 26 steps | 11 steps | 82 steps |
//!
//! It lets pass: whatever moves by one pixel, dithering and noise of a step or two, edges smoothed a little otherwise. For
//! colours that are off by a step everywhere a `tolerance` is the better check.

use std::borrow::Cow;

use super::picture::{Picture, Size};

/// How similar two pictures are, and where they are least so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// 1 for pictures that look equal, towards 0 the more they differ.
    pub score: f64,
    /// Column and row of the least similar tile's first pixel.
    pub worst_tile: [u32; 2],
}

/// The width and height of a tile, in pixels.
const TILE: u32 = 16;

/// The variance below which a tile is calm: what keeps it from being judged by its noise.
const CALM: f64 = (0.06 * 255.0) * (0.06 * 255.0);

/// The similarity of two pictures of one size.
pub(super) fn similarity(a: &Picture, b: &Picture) -> Similarity {
    let (first, second) = (Plane::of(a), Plane::of(b));
    let mut worst = Similarity { score: 1.0, worst_tile: [0, 0] };
    for y in tile_starts(a.size().height_px) {
        for x in tile_starts(a.size().width_px) {
            for (here, there) in [(&first, &second), (&second, &first)] {
                // A tile that is no worse than the worst so far is none to look at any closer.
                let score = best_of_nine([x, y], here, there, worst.score);
                if score < worst.score {
                    worst = Similarity { score, worst_tile: [x, y] };
                }
            }
        }
    }
    worst
}

/// The last tile ends with the picture, and may overlap the one before it.
fn tile_starts(length: u32) -> impl Iterator<Item = u32> {
    (0..length.div_ceil(TILE)).map(move |n| (n * TILE).min(length.saturating_sub(TILE)))
}

/// The similarity of the tile of `here` at `place` with the most similar one of `there`, or any that is `enough`.
fn best_of_nine(place: [u32; 2], here: &Plane<'_>, there: &Plane<'_>, enough: f64) -> f64 {
    let shifts = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
    let mut best: f64 = 0.0;
    for shift in shifts {
        best = best.max(compare_tile(place, shift, here, there));
        if best >= enough {
            break;
        }
    }
    best
}

/// The similarity of a tile of `here` with that of `there` which lies `shift` columns and rows on.
fn compare_tile([x, y]: [u32; 2], (across, down): (i32, i32), here: &Plane<'_>, there: &Plane<'_>) -> f64 {
    let Size { width_px, height_px } = here.size;
    let (Some(columns), Some(rows)) = (overlap(x, across, width_px), overlap(y, down, height_px)) else { return 0.0 };
    let pairs = || {
        (0..rows.count).map(|n| {
            let a = here.row(columns.from, rows.from + n, columns.count);
            (a, there.row(columns.to, rows.to + n, columns.count))
        })
    };
    let mut within = [Sums::default(); 4];
    if !pairs().all(|(a, b)| a == b) {
        pairs().for_each(|(a, b)| add_pixels(&mut within, a, b));
    }
    let mut outside = [Sums::default(); 4];
    let (end_x, end_y) = ((x + TILE).min(width_px), (y + TILE).min(height_px));
    for row in y..end_y {
        let is_within = (rows.from..rows.from + rows.count).contains(&row);
        let gaps = match is_within {
            true => [(x, columns.from), (columns.from + columns.count, end_x)],
            false => [(x, end_x), (end_x, end_x)],
        };
        for (from, to) in gaps.into_iter().filter(|(from, to)| from < to) {
            add_pixels(&mut outside, here.row(from, row, to - from), there.row(from, row, to - from));
        }
    }
    let within = within.iter().map(Sums::similarity);
    within.chain(outside.iter().map(Sums::likeness)).fold(1.0, f64::min)
}

fn add_pixels(sums: &mut [Sums; 4], a: &[[u8; 4]], b: &[[u8; 4]]) {
    for (a, b) in a.iter().zip(b) {
        for ((sums, a), b) in sums.iter_mut().zip(a).zip(b) {
            sums.add(*a, *b);
        }
    }
}

/// Pixels of a tile that lie in both pictures, along one axis.
struct Overlap {
    /// The first of them in the tile's picture.
    from: u32,
    /// Where that one lies in the other picture.
    to: u32,
    /// How many there are.
    count: u32,
}

/// What is left of the tile that begins at `start` when it is shifted in a picture of this length.
fn overlap(start: u32, shift: i32, length: u32) -> Option<Overlap> {
    let end = (start + TILE).min(length);
    // Shifted to the left, the first pixel may fall outside; to the right, the last.
    let from = start.max(u32::from(shift < 0));
    let count = end.min(length - u32::from(shift > 0)).checked_sub(from).filter(|count| *count > 0)?;
    Some(Overlap { from, to: from.checked_add_signed(shift)?, count })
}

/// What means and variances are made of.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: u32,
    a: u32,
    b: u32,
    aa: u32,
    bb: u32,
    ab: u32,
}

impl Sums {
    fn add(&mut self, a: u8, b: u8) {
        let (a, b) = (u32::from(a), u32::from(b));
        self.count += 1;
        self.a += a;
        self.b += b;
        self.aa += a * a;
        self.bb += b * b;
        self.ab += a * b;
    }

    fn means(&self) -> [f64; 5] {
        let count = f64::from(self.count.max(1));
        [self.a, self.b, self.aa, self.bb, self.ab].map(|sum| f64::from(sum) / count)
    }

    /// Mean and structure; 1 if there is nothing to compare.
    fn similarity(&self) -> f64 {
        let [a, b, aa, bb, ab] = self.means();
        let structure = (2.0 * (ab - a * b) + CALM) / (aa - a * a + bb - b * b + CALM);
        structure.min(1.0 - (a - b).abs() / 255.0).max(0.0)
    }

    /// For pixels that a shift takes out of the picture, at most 31 of a tile. They have nothing to be compared with one
    /// by one, so means may be as far apart as chance can make them, and spreads must be of one order. A line along the
    /// picture's border that is missing is seen by that.
    fn likeness(&self) -> f64 {
        let [a, b, aa, bb, _] = self.means();
        let (spread_a, spread_b) = ((aa - a * a).max(0.0), (bb - b * b).max(0.0));
        let contrast = (2.0 * (spread_a * spread_b).sqrt() + CALM) / (spread_a + spread_b + CALM);
        if contrast < 0.5 {
            return contrast;
        }
        let chance = 5.0 * ((spread_a + spread_b) / f64::from(self.count.max(1))).sqrt();
        1.0 - ((a - b).abs() - chance).max(0.0) / 255.0
    }
}

/// A picture whose colours are multiplied by alpha.
struct Plane<'p> {
    size: Size,
    pixels: Cow<'p, [[u8; 4]]>,
}

impl<'p> Plane<'p> {
    fn of(picture: &'p Picture) -> Self {
        let pixels = picture.rgba().as_chunks::<4>().0;
        let is_opaque = pixels.iter().all(|[.., alpha]| *alpha == 255);
        let pixels = if is_opaque { Cow::Borrowed(pixels) } else { pixels.iter().map(multiplied).collect() };
        Self { size: picture.size(), pixels }
    }

    fn row(&self, x: u32, y: u32, count: u32) -> &[[u8; 4]] {
        let start = y as usize * self.size.width_px as usize + x as usize;
        self.pixels.get(start..start + count as usize).unwrap_or(&[])
    }
}

fn multiplied([red, green, blue, alpha]: &[u8; 4]) -> [u8; 4] {
    let times = |color: u8| ((u32::from(color) * u32::from(*alpha) + 127) / 255) as u8;
    [times(*red), times(*green), times(*blue), *alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width_px: u32, height_px: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
        let pixel = &pixel;
        let pixels = (0..height_px).flat_map(|y| (0..width_px).flat_map(move |x| pixel(x, y)));
        Picture::new(Size { width_px, height_px }, pixels.collect()).unwrap()
    }

    /// A byte that looks like chance.
    fn noise(x: u32, y: u32, seed: u32) -> u8 {
        let mixed = (x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ seed).wrapping_mul(0xc2b2_ae3d);
        ((mixed ^ (mixed >> 15)).wrapping_mul(0x27d4_eb2f) >> 24) as u8
    }

    /// A scene with surfaces, slopes, edges and texture.
    fn scene(x: u32, y: u32) -> [u8; 4] {
        match (x / 40 % 3, y / 30 % 2) {
            (0, 0) => [60, 90, 180, 255],
            (1, _) => [(x % 256) as u8, (y % 256) as u8, 80, 255],
            (2, 1) => [90 + noise(x, y, 1) / 8, 120 + noise(x, y, 2) / 8, 40, 255],
            _ => [230, 225, 210, 255],
        }
    }

    #[track_caller]
    fn expect(name: &str, a: &Picture, b: &Picture, range: std::ops::RangeInclusive<f64>) {
        let (there, back) = (similarity(a, b), similarity(b, a));
        assert!(range.contains(&there.score), "{name}: {there:?}");
        assert_eq!(there.score, back.score, "{name}: it matters which comes first");
    }

    #[test]
    fn a_block_in_a_large_picture_is_seen() {
        // Rows that repeat, as making so many pixels takes longer than comparing them.
        let rows = picture(1920, 60, scene).rgba().repeat(18);
        let size = Size { width_px: 1920, height_px: 1080 };
        let mut with_block = rows.clone();
        for y in 411..511 {
            let start = (y * 1920 + 903) * 4;
            with_block[start..start + 400].copy_from_slice(&[255, 0, 255, 255].repeat(100));
        }
        let (whole, block) = (Picture::new(size, rows).unwrap(), Picture::new(size, with_block).unwrap());
        expect("a magenta block", &whole, &block, 0.0..=0.5);
        let [x, y] = similarity(&whole, &block).worst_tile;
        assert!((888..1003).contains(&x) && (396..511).contains(&y), "{x},{y}");
    }

    #[test]
    fn what_people_see_fails_at_99_percent() {
        let base = picture(200, 150, scene);
        let of = |change: &dyn Fn(u32, u32, [u8; 4]) -> [u8; 4]| picture(200, 150, |x, y| change(x, y, scene(x, y)));
        let others: [(&str, Picture); 12] = [
            ("the last column missing", of(&|x, _, pixel| if x == 199 { [0, 0, 0, 255] } else { pixel })),
            ("the first row missing", of(&|_, y, pixel| if y == 0 { [0, 0, 0, 255] } else { pixel })),
            ("a pixel in the corner", of(&|x, y, pixel| if (x, y) == (0, 0) { [0, 0, 0, 255] } else { pixel })),
            ("red and blue exchanged", of(&|_, _, [r, g, b, a]| [b, g, r, a])),
            ("three steps brighter", of(&|_, _, [r, g, b, a]| [r.saturating_add(3), g, b, a])),
            ("alpha gone", of(&|_, _, [r, g, b, _]| [r, g, b, 0])),
            ("a little of alpha gone", of(&|_, _, [r, g, b, _]| [r, g, b, 250])),
            ("one wrong pixel", of(&|x, y, pixel| if (x, y) == (20, 15) { [90, 90, 180, 255] } else { pixel })),
            ("a thin line at a tile's edge", of(&|x, _, pixel| if x == 16 { [0, 0, 0, 255] } else { pixel })),
            ("a thin line beside it", of(&|x, _, pixel| if x == 15 { [0, 0, 0, 255] } else { pixel })),
            ("edges moved by three pixels", of(&|x, y, _| scene(x + 3, y))),
            ("other noise", of(&|x, y, pixel| if pixel[2] == 40 { scene(x + 7, y + 120) } else { pixel })),
        ];
        for (name, other) in &others {
            expect(name, &base, other, 0.0..=0.9899);
        }
    }

    #[test]
    fn what_people_don_t_see_passes_at_99_percent() {
        let base = picture(200, 150, scene);
        let grain = |x, y| [noise(x, y, 1), noise(x, y, 2), noise(x, y, 3), 255];
        for (across, down) in [(1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (0, 0), (2, 2)] {
            let name = format!("noise shifted by {across},{down}");
            let moved = picture(200, 150, |x, y| grain(x + across, y + down));
            expect(&name, &picture(200, 150, |x, y| grain(x + 1, y + 1)), &moved, 0.99..=1.0);
        }
        let is_far = picture(200, 150, |x, y| grain(x + 2, y));
        expect("noise shifted by two", &picture(200, 150, grain), &is_far, 0.0..=0.5);
        let dither = |x: u32, y: u32, [r, g, b, a]: [u8; 4]| [r, g + noise(x, y, 9) % 3, b + noise(x, y, 8) % 2, a];
        expect("dithered", &base, &picture(200, 150, |x, y| dither(x, y, scene(x, y))), 0.99..=1.0);
        let of_width = |by| picture(190, 150, move |x, y| scene(x + by, y));
        expect("shifted", &of_width(0), &of_width(1), 0.99..=1.0);
        // What nobody can see: colours where alpha is nothing.
        let clear = |red| picture(40, 40, move |_, _| [red, 7, 7, 0]);
        expect("invisible colours", &clear(0), &clear(255), 1.0..=1.0);
    }

    /// The table above, from both sides of each number.
    #[test]
    fn a_number_catches_what_the_table_says() {
        let calm = picture(64, 64, |_, _| [100; 4]);
        let score = |change: &dyn Fn(u32, u32) -> u8| {
            let other = picture(64, 64, |x, y| [100, 100 + change(x, y), 100, 100]);
            similarity(&picture(64, 64, |_, _| [100, 100, 100, 100]), &other).score
        };
        assert_eq!(similarity(&calm, &calm).score, 1.0);
        let opaque = |change: &dyn Fn(u32, u32) -> u8| {
            let of = |change: &dyn Fn(u32, u32) -> u8| picture(64, 64, |x, y| [100, 100 + change(x, y), 100, 255]);
            similarity(&of(&|_, _| 0), &of(change)).score
        };
        assert!(score(&|_, _| 40) > opaque(&|_, _| 40), "half-transparent colours count by alpha");
        for (number, all, half, one) in [(0.999, 0, 0, 7), (0.99, 2, 3, 24), (0.95, 12, 7, 56), (0.9, 25, 10, 81)] {
            for (steps, name) in [(all, "all"), (half, "half"), (one, "one")] {
                let is_in = |x: u32, y: u32| match name {
                    "all" => true,
                    "half" => y % 16 < 8,
                    _ => (x, y) == (24, 24),
                };
                let of = |steps: u8| opaque(&|x, y| if is_in(x, y) { steps } else { 0 });
                let (within, beyond) = (of(steps), of(steps + 1));
                assert!(within >= number && beyond < number, "{number}, {name}, {steps}: {within} {beyond}");
            }
        }
    }

    #[test]
    fn small_pictures_have_tiles_too() {
        for (width, height) in [(1, 1), (1, 40), (17, 3), (16, 16), (33, 1)] {
            let grey = |at: [u32; 2]| picture(width, height, move |x, y| if [x, y] == at { [0; 4] } else { [128; 4] });
            expect("one pixel gone", &grey([9999, 0]), &grey([width - 1, height - 1]), 0.0..=0.9);
            expect("the same", &grey([0, 0]), &grey([0, 0]), 1.0..=1.0);
        }
    }
}
