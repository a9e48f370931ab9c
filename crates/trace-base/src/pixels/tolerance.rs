//! How far apart two pictures may be and still count as the same.

/// Four limits, all of which hold. Widening any of them never turns "the same" into "different".
///
/// Coverage has no limit of its own: a pixel whose coverage has moved ([`Difference::coverage_moved`]) needs one of the
/// allowed outliers, however many steps are tolerated. A tolerance is about colours; an edge that moved is not one.
///
/// [`Difference::coverage_moved`]: super::Difference::coverage_moved
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The largest difference of a channel, in steps of 1/255; a pixel beyond it is an outlier.
    pub largest_step: u8,
    /// The share of pixels that may differ at all, 0 to 1.
    pub share_of_pixels: f64,
    /// How many outliers there may be, and in how many pixels coverage may have moved.
    pub outliers: u64,
    /// How many outliers may touch each other. Noise is scattered; a cluster is something that moved.
    pub cluster: u64,
}

impl Tolerance {
    /// Not a single bit may differ.
    pub const EXACT: Tolerance = Tolerance { largest_step: 0, share_of_pixels: 0.0, outliers: 0, cluster: 0 };

    /// What another CPU's vector width, or another API of the same driver, may change: the last bit of one pixel in
    /// a thousand. Coverage never moves: a moved edge is more than one step, or turns transparent what was not. (Where
    /// the colours on its two sides are a single step apart, no picture can tell it from noise.)
    pub const OTHER_MACHINE: Tolerance = Tolerance { largest_step: 1, share_of_pixels: 0.001, outliers: 0, cluster: 0 };

    /// The largest cluster allowed where outliers are allowed and nobody said how they may lie: a 2×2 block.
    pub const DEFAULT_CLUSTER: u64 = 4;
}

#[cfg(test)]
mod tests {
    use super::super::difference::{compare, compare_beyond};
    use super::super::picture::{Picture, Size};
    use super::*;

    const SIZE: Size = Size { width_px: 50, height_px: 40 };

    /// Two different gradients across, down and in alpha, so that no error can hide in symmetry.
    fn scene() -> Picture {
        let rgba = (0..SIZE.height_px).flat_map(|y| {
            (0..SIZE.width_px)
                .flat_map(move |x| [(x * 4) as u8 + 9, (y * 5) as u8 + 9, ((x + 2 * y) % 97) as u8 + 90, 200])
        });
        Picture::new(SIZE, rgba.collect()).unwrap()
    }

    fn changed(change: impl Fn(&mut Vec<u8>)) -> Picture {
        let mut rgba = scene().rgba().to_vec();
        change(&mut rgba);
        Picture::new(SIZE, rgba).unwrap()
    }

    fn each_pixel(change: impl Fn(&mut [u8; 4])) -> Picture {
        changed(|rgba| rgba.as_chunks_mut::<4>().0.iter_mut().for_each(&change))
    }

    fn steps_at(places: &[usize], step: u8) -> Picture {
        changed(|rgba| places.iter().for_each(|place| rgba[place * 4 + 1] += step))
    }

    const CLUSTER: &[usize] = &[0, 1, 2, 50, 51, 52, 100, 101, 102];
    const SCATTERED: &[usize] = &[0, 10, 20, 200, 210, 220, 400, 410, 420];

    /// Every injected error, and whether the default for other machines lets it pass.
    fn errors() -> Vec<(&'static str, Picture, bool)> {
        let gamma = |byte: u8| (255.0 * (f64::from(byte) / 255.0).powf(1.0 / 2.2)).round() as u8;
        let row = SIZE.width_px as usize * 4;
        vec![
            ("one step in one pixel", changed(|rgba| rgba[4 * 777] += 1), true),
            ("two steps in one pixel", changed(|rgba| rgba[4 * 777] += 2), false),
            ("one step in three of 2000 pixels", steps_at(&[1, 500, 900], 1), false),
            ("one row shifted", changed(|rgba| rgba[row * 20..row * 21].rotate_right(4)), false),
            ("all rows shifted", changed(|rgba| rgba.rotate_right(row)), false),
            ("channels swapped", each_pixel(|pixel| pixel.swap(0, 2)), false),
            ("alpha only", each_pixel(|pixel| pixel[3] -= 2), false),
            ("alpha of one pixel gone", changed(|rgba| rgba[3] = 0), false),
            ("blue only", each_pixel(|pixel| pixel[2] += 2), false),
            ("gamma twice", each_pixel(|pixel| (0..3).for_each(|c| pixel[c] = gamma(gamma(pixel[c])))), false),
            ("all zero", changed(|rgba| rgba.fill(0)), false),
            ("a cluster", steps_at(CLUSTER, 40), false),
            ("scattered", steps_at(SCATTERED, 40), false),
            ("an edge appears", changed(|rgba| rgba[row * 10 + 40..row * 10 + 80].fill(255)), false),
        ]
    }

    #[test]
    fn every_injected_error_is_caught() {
        for (name, picture, passes_elsewhere) in errors() {
            let difference = compare(&scene(), &picture).unwrap();
            assert!(!difference.is_within(Tolerance::EXACT), "{name}");
            assert_eq!(difference.is_within(Tolerance::OTHER_MACHINE), passes_elsewhere, "{name}: {difference}");
        }
        assert!(compare(&scene(), &scene()).unwrap().is_within(Tolerance::EXACT));
    }

    #[test]
    fn one_row_more_or_less_and_transposed_are_not_comparable() {
        let (row, all) = (SIZE.width_px as usize * 4, scene().rgba().to_vec());
        let less = Picture::new(Size { height_px: 39, ..SIZE }, all[row..].to_vec()).unwrap();
        let more = Picture::new(Size { height_px: 41, ..SIZE }, [&all[..row], &all].concat()).unwrap();
        let transposed = Picture::new(Size { width_px: 40, height_px: 50 }, all).unwrap();
        for other in [less, more, transposed] {
            compare(&scene(), &other).unwrap_err();
        }
    }

    #[test]
    fn a_square_picture_transposed_is_different() {
        let size = Size { width_px: 16, height_px: 16 };
        let of = |f: &dyn Fn(u8, u8) -> [u8; 4]| {
            Picture::new(size, (0..16).flat_map(|y| (0..16).flat_map(move |x| f(x, y))).collect()).unwrap()
        };
        let (upright, transposed) = (of(&|x, y| [x, y, 0, 255]), of(&|x, y| [y, x, 0, 255]));
        assert!(!compare(&upright, &transposed).unwrap().is_within(Tolerance::OTHER_MACHINE));
    }

    #[test]
    fn transparent_against_one_step_of_alpha_is_moved_coverage() {
        let size = Size { width_px: 64, height_px: 64 };
        let clear = Picture::new(size, vec![0; 64 * 64 * 4]).unwrap();
        let mut rgba = clear.rgba().to_vec();
        rgba[3] = 1;
        let touched = Picture::new(size, rgba).unwrap();
        let difference = compare(&clear, &touched).unwrap();
        assert_eq!(difference.coverage_moved, 1);
        assert!(!difference.is_within(Tolerance::OTHER_MACHINE), "{difference}");
    }

    /// An opaque square of `color` on an opaque background, its left edge in column `left`.
    fn square(left: u32, color: u8) -> Picture {
        let inside = |x: u32, y: u32| (left..40).contains(&x) && (8..32).contains(&y);
        let rgba = (0..SIZE.height_px).flat_map(|y| {
            (0..SIZE.width_px).flat_map(move |x| match inside(x, y) {
                // A gradient too, as interpolated colours have it.
                true => [color, color / 2 + x as u8, 60, 255],
                false => [20, 20, 20, 255],
            })
        });
        Picture::new(SIZE, rgba.collect()).unwrap()
    }

    #[test]
    fn a_moved_edge_between_opaque_colours_is_caught_and_named() {
        // One column, both, and both with what of the three between them lies at the corners.
        for (by, moved) in [(1, 24), (2, 48), (5, 54)] {
            let difference = compare_beyond(&square(10, 90), &square(10 + by, 90), 1).unwrap();
            assert!(!difference.is_within(Tolerance::OTHER_MACHINE), "{difference}");
            assert!(difference.to_string().ends_with(&format!("; an edge moved in {moved} pixels")), "{difference}");
        }
    }

    #[test]
    fn no_tolerance_of_colours_lets_an_edge_move() {
        // 25 steps of contrast, 80 tolerated: the colours would pass.
        let wide = Tolerance { largest_step: 80, share_of_pixels: 1.0, outliers: 0, cluster: 0 };
        let moved = compare_beyond(&square(10, 45), &square(11, 45), 80).unwrap();
        assert_eq!((moved.histogram.beyond(80), moved.coverage_moved), (0, 24));
        assert!(!moved.is_within(wide), "{moved}");
        assert!(moved.is_within(Tolerance { outliers: 24, ..wide }), "unless so many outliers are allowed");
        // Another colour in the same place is a matter of tolerance alone.
        let brighter = compare_beyond(&square(10, 45), &square(10, 75), 80).unwrap();
        assert_eq!(brighter.coverage_moved, 0);
        assert!(brighter.is_within(wide), "{brighter}");
    }

    #[test]
    fn noise_on_a_gradient_is_no_moved_edge() {
        // The scene's slopes are 4 and 5 steps per pixel; noise of as many makes pixels look like their neighbours.
        let noisy = changed(|rgba| {
            let channels = rgba.iter_mut().enumerate().filter(|(place, _)| place % 4 < 2);
            channels.for_each(|(place, byte)| *byte += [0, 4, 0, 5, 3][place / 4 % 5]);
        });
        let difference = compare(&scene(), &noisy).unwrap();
        assert_eq!(difference.coverage_moved, 0, "{difference}");
    }

    #[test]
    fn a_cluster_is_not_the_same_number_scattered() {
        let allowed =
            Tolerance { outliers: 9, cluster: Tolerance::DEFAULT_CLUSTER, share_of_pixels: 1.0, largest_step: 2 };
        let difference = |places| compare_beyond(&scene(), &steps_at(places, 40), 2).unwrap();
        let (cluster, scattered) = (difference(CLUSTER), difference(SCATTERED));
        assert_eq!((cluster.largest_cluster, scattered.largest_cluster), (9, 1));
        assert_eq!((cluster.is_within(allowed), scattered.is_within(allowed)), (false, true));
    }

    #[test]
    fn comparing_is_symmetric() {
        for (name, picture, _) in errors() {
            let mut there = compare(&scene(), &picture).unwrap();
            let mut back = compare(&picture, &scene()).unwrap();
            let (a, b) = (there.worst.take().unwrap(), back.worst.take().unwrap());
            assert_eq!((a.x, a.y, a.a, a.b), (b.x, b.y, b.b, b.a), "{name}");
            assert_eq!(there, back, "{name}");
        }
    }

    #[test]
    fn widening_never_turns_pass_into_fail() {
        let shares = [0.0, 0.0005, 0.001, 0.1, 1.0];
        let (steps, counts) = ([0, 1, 2, 39, 40, 255], [0, 1, 8, 9, 4000]);
        let all = || {
            steps.into_iter().flat_map(move |largest_step| {
                shares.into_iter().flat_map(move |share_of_pixels| {
                    counts.into_iter().flat_map(move |outliers| {
                        counts.map(|cluster| Tolerance { largest_step, share_of_pixels, outliers, cluster })
                    })
                })
            })
        };
        let is_wider = |wide: &Tolerance, narrow: &Tolerance| {
            wide.largest_step >= narrow.largest_step
                && wide.share_of_pixels >= narrow.share_of_pixels
                && wide.outliers >= narrow.outliers
                && wide.cluster >= narrow.cluster
        };
        for (name, picture, _) in errors() {
            let differences = steps.map(|step| compare_beyond(&scene(), &picture, step).unwrap());
            let passes = |tolerance: &Tolerance| {
                let of_step = differences.iter().find(|difference| difference.cluster_step == tolerance.largest_step);
                of_step.unwrap().is_within(*tolerance)
            };
            let passing: Vec<Tolerance> = all().filter(passes).collect();
            let failing: Vec<Tolerance> = all().filter(|tolerance| !passes(tolerance)).collect();
            let found =
                passing.iter().find_map(|narrow| Some((narrow, failing.iter().find(|wide| is_wider(wide, narrow))?)));
            assert_eq!(found, None, "{name}");
        }
    }
}
