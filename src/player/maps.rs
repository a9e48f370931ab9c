//! Facts about every pixel of a frame: which draw wrote it last, how often it was written, what a draw covers.

use super::gpu_context::GpuContext;
use super::offscreen_query::Basis;
use super::slice_run::{NOT_ASKED, SlicePlan, TargetWrite, WriteKind};
use super::submitted_query::AskedPicture;
use super::{DrawSelection, Player, PlayerError};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{DrawOverride, DrawTest, TriangleSide};
use crate::pixels::{Picture, Size};
use crate::replay::{CommandNumber, Executor};

/// What marks a pixel in a mask.
const MARKED: [u8; 4] = [255; 4];

/// A value a pixel, row by row, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelMap<T> {
    size: Size,
    values: Vec<T>,
}

/// Which command wrote each pixel last.
pub type WriterMap = PixelMap<Writer>;

/// What wrote a pixel last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// Nothing: it is as it was before the first frame.
    Nothing,
    /// A CLEAR or a DRAW.
    Command(CommandNumber),
}

impl<T: Copy> PixelMap<T> {
    pub(super) fn new(size: Size, values: Vec<T>) -> Self {
        Self { size, values }
    }

    pub(super) fn of_picture(picture: &Picture, value: impl Fn([u8; 4]) -> T) -> Self {
        let values = picture.rgba().as_chunks::<4>().0.iter().map(|rgba| value(*rgba)).collect();
        Self { size: picture.size(), values }
    }

    /// Two maps of the same target as one.
    pub fn zip<U: Copy, V>(&self, other: &PixelMap<U>, join: impl Fn(T, U) -> V) -> PixelMap<V> {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| join(*a, *b)).collect();
        PixelMap { size: self.size, values }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The values, row by row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The value of the pixel in column `x` of row `y`, if it is inside.
    pub fn at(&self, x: u32, y: u32) -> Option<T> {
        if x >= self.size.width_px {
            return None;
        }
        // silent: a pixel outside of the map
        let index = usize::try_from(u64::from(y) * u64::from(self.size.width_px) + u64::from(x)).ok()?;
        self.values.get(index).copied()
    }
}

impl Writer {
    /// Four bytes that stand for it: numbers are counted from 1, so that nothing is 0.
    pub(super) fn bytes(number: CommandNumber) -> [u8; 4] {
        number.0.wrapping_add(1).to_le_bytes()
    }

    pub(super) fn of_bytes(bytes: [u8; 4]) -> Self {
        match u32::from_le_bytes(bytes).checked_sub(1) {
            None => Self::Nothing,
            Some(number) => Self::Command(CommandNumber(number)),
        }
    }
}

impl Player {
    /// Which command wrote each pixel last, up to a place; back to the last CLEAR, also in earlier frames.
    pub fn map_writers(&mut self, place: impl Into<Place>) -> Result<WriterMap, PlayerError> {
        self.map_writers_of(place, AskedPicture::Shown)
    }

    /// The same for one of the pictures that commands up to a place draw.
    pub fn map_writers_of(&mut self, place: impl Into<Place>, asked: AskedPicture) -> Result<WriterMap, PlayerError> {
        let place = place.into();
        if self.is_about_submissions(place, asked)? {
            return self.map_submitted_writers(place, asked);
        }
        self.query_offscreen(place.frame, |player, offscreen| {
            let plan = player.plan_slice(offscreen, place, Basis::Visible(None))?;
            player.gpu.renderer.fill([0; 4]);
            let each = |write: TargetWrite, executor: &Executor, gpu: &mut GpuContext| {
                let number = Writer::bytes(write.number);
                match write.kind {
                    WriteKind::Clear => gpu.renderer.fill(number),
                    WriteKind::Draw(_) => {
                        gpu.renderer.set_draw_override(DrawOverride::Solid(number));
                        gpu.run_ops(executor)?;
                    }
                    WriteKind::Other => return Err(NOT_ASKED.into()),
                }
                Ok(())
            };
            player.run_slice(&plan, |_| false, each)?;
            Ok(PixelMap::of_picture(&player.gpu.renderer.read_back()?, Writer::of_bytes))
        })
    }

    /// How often each pixel is written by the `draws` of a frame, up to a place in it. Triangles of one draw that lie over
    /// each other count each.
    pub fn count_writes(
        &mut self,
        place: impl Into<Place>,
        draws: &DrawSelection,
    ) -> Result<PixelMap<u32>, PlayerError> {
        let place = place.into();
        if self.is_about_submissions(place, AskedPicture::Shown)? {
            return self.count_submitted_writes(place, AskedPicture::Shown, draws);
        }
        self.query_offscreen(place.frame, |player, offscreen| {
            let plan = player.plan_slice(offscreen, place, Basis::Frame)?;
            player.gpu.renderer.start_overdraw()?;
            player.draw_selected(&plan, draws)?;
            let counts = player.gpu.renderer.finish_overdraw()?;
            Ok(PixelMap::new(player.gpu.renderer.size(), counts))
        })
    }

    /// Which pixels of one of the pictures that commands up to a place draw are written by `draws`, whatever comes after them.
    pub fn mask_draws_of(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draws: &DrawSelection,
    ) -> Result<PixelMap<bool>, PlayerError> {
        self.mask(place, asked, draws, DrawOverride::Solid(MARKED))
    }

    /// The same for what the edges of triangles go through.
    pub fn mask_edges_of(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draws: &DrawSelection,
    ) -> Result<PixelMap<bool>, PlayerError> {
        self.mask(place, asked, draws, DrawOverride::Edges(MARKED))
    }

    /// Tests that the pixels of a draw pass, in one of the pictures that commands up to a place draw: the last test
    /// that any of them passes. `None`: it covers none of them. Every draw of Appendix A covers pixels, discards some or none,
    /// and has no other tests.
    pub fn map_tests_of(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draw: u32,
    ) -> Result<PixelMap<Option<DrawTest>>, PlayerError> {
        if self.is_about_submissions(place, asked)? {
            return self.map_submitted_tests(place, asked, draw);
        }
        let draws = DrawSelection::one(draw);
        let covered = self.mask(place, asked, &draws, DrawOverride::Silhouette(MARKED))?;
        let written = self.mask(place, asked, &draws, DrawOverride::Solid(MARKED))?;
        Ok(covered.zip(&written, |is_covered, is_written| match (is_written, is_covered) {
            (true, _) => Some(DrawTest::Depth),
            (false, true) => Some(DrawTest::Culling),
            (false, false) => None,
        }))
    }

    /// Side of its triangles that a draw shows at each pixel, were none culled, in one of the pictures that commands up to a place
    /// draw. Of two that lie over each other the depth test decides; where there is none, the front counts.
    pub fn map_sides_of(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draw: u32,
    ) -> Result<PixelMap<Option<TriangleSide>>, PlayerError> {
        if self.is_about_submissions(place, asked)? {
            return self.map_submitted_sides(place, asked, draw);
        }
        let draws = DrawSelection::one(draw);
        let [front, back] = [TriangleSide::Front, TriangleSide::Back].map(|side| DrawOverride::Side(side, MARKED));
        let front = self.mask(place, asked, &draws, front)?;
        let back = self.mask(place, asked, &draws, back)?;
        Ok(front.zip(&back, |is_front, is_back| match (is_front, is_back) {
            (true, _) => Some(TriangleSide::Front),
            (false, true) => Some(TriangleSide::Back),
            (false, false) => None,
        }))
    }

    /// Which pixels the `draws` of `frame` write, whatever comes after them.
    pub fn mask_draws(&mut self, frame: FrameIndex, draws: &DrawSelection) -> Result<PixelMap<bool>, PlayerError> {
        self.mask(Place::end_of(frame), AskedPicture::Shown, draws, DrawOverride::Solid(MARKED))
    }

    /// Which pixels the edges of the triangles of `draws` go through.
    pub fn mask_edges(&mut self, frame: FrameIndex, draws: &DrawSelection) -> Result<PixelMap<bool>, PlayerError> {
        self.mask(Place::end_of(frame), AskedPicture::Shown, draws, DrawOverride::Edges(MARKED))
    }

    fn mask(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draws: &DrawSelection,
        draw_override: DrawOverride,
    ) -> Result<PixelMap<bool>, PlayerError> {
        if self.is_about_submissions(place, asked)? {
            return self.mask_submitted(place, asked, draws, (draw_override, MARKED));
        }
        let frame = place.frame;
        let last = match draws {
            DrawSelection::Only(draws) => draws.last().copied(),
            DrawSelection::All | DrawSelection::Without(_) => None,
        };
        let place = Place { frame, point: Point::after_draw(last) };
        self.query_offscreen(frame, |player, offscreen| {
            let plan = player.plan_slice(offscreen, place, Basis::Frame)?;
            player.gpu.renderer.fill([0; 4]);
            player.gpu.renderer.set_draw_override(draw_override);
            player.draw_selected(&plan, draws)?;
            Ok(PixelMap::of_picture(&player.gpu.renderer.read_back()?, |rgba| rgba == MARKED))
        })
    }

    /// Draws some of a frame's draws, and nothing that comes before the frame.
    fn draw_selected(&mut self, plan: &SlicePlan, draws: &DrawSelection) -> Result<(), PlayerError> {
        self.run_frame(
            plan,
            |draw| !draws.contains(draw),
            |write, executor, gpu| match write.kind {
                WriteKind::Clear => Ok(()),
                WriteKind::Draw(_) => Ok(gpu.run_ops(executor)?),
                WriteKind::Other => Err(NOT_ASKED.into()),
            },
        )
    }
}
