//! `verify TRACE --shaders`: every frame drawn from its WGSL and from its GLSL ES 3.00, and the pictures compared.

use std::io::Write;

use serde_json::json;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::output::{JSON_SCHEMA, print_json};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{Difference, Tolerance, compare};
use crate::player::{Player, Until};

/// Steps of the ladder on which pictures count as the same, the strictest first.
const LADDER: [(&str, Tolerance); 2] =
    [("exact", Tolerance::EXACT), ("last bit of at most 0.1 % of the pixels", Tolerance::OTHER_MACHINE)];

/// Two players of one trace.
pub(super) struct Sources {
    pub wgsl: Player,
    pub glsl: Player,
}

impl Sources {
    /// Compares all frames, and names the first draw after which the first differing frame's pictures differ.
    pub fn compare_all(mut self, frames: u32, common: &CommonArgs, out: &mut impl Write) -> Result<Exit, Failure> {
        let mut on_step = [0u32; LADDER.len()];
        let mut differing = 0;
        for frame in (0..frames).map(FrameIndex) {
            let difference = self.difference(frame, Until::EndOfFrame)?;
            match LADDER.iter().zip(&mut on_step).find(|((_, tolerance), _)| difference.is_within(*tolerance)) {
                Some((_, count)) => *count += 1,
                None => {
                    differing += 1;
                    if common.json || differing == 1 {
                        self.tell(frame, &difference, common, out)?;
                    }
                }
            }
        }
        let [exact, within] = on_step;
        if common.json {
            let line = json!({
                "schema": JSON_SCHEMA, "type": "verify", "test": "shaders",
                "exact": exact, "within_last_bit": within, "differing": differing,
            });
            print_json(out, &line)?;
        } else {
            let [(strictest, _), (next, _)] = LADDER;
            writeln!(
                out,
                "shaders: {frames} frames from WGSL and from GLSL ES 3.00: {exact} {strictest}, {within} but for the \
                 {next}, {differing} different"
            )?;
        }
        Ok(if differing == 0 { Exit::Done } else { Exit::Different })
    }

    fn difference(&mut self, frame: FrameIndex, until: Until) -> Result<Difference, Failure> {
        let (wgsl, glsl) = (self.wgsl.render(frame, until)?, self.glsl.render(frame, until)?);
        compare(&wgsl, &glsl).map_err(|error| Failure::new(Exit::ReplayFailed, error))
    }

    /// The first draw of `frame` after which the pictures differ. Later draws may cover a difference, so they are
    /// gone through one by one. None if the frame differs only in what it took over from earlier ones, which were
    /// close enough.
    fn first_differing_draw(&mut self, frame: FrameIndex) -> Result<Option<u32>, Failure> {
        let draws = self.wgsl.index().draws_of(frame).count() as u32;
        for draw in 0..draws {
            let difference = self.difference(frame, Until::AfterDraw(draw))?;
            if !LADDER.iter().any(|(_, tolerance)| difference.is_within(*tolerance)) {
                return Ok(Some(draw));
            }
        }
        Ok(None)
    }

    fn tell(
        &mut self,
        frame: FrameIndex,
        difference: &Difference,
        common: &CommonArgs,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let draw = self.first_differing_draw(frame)?;
        let step = difference.worst.map_or(0, |worst| worst.largest_step());
        if common.json {
            let worst = difference.worst.map(|worst| json!({ "x": worst.x, "y": worst.y }));
            let line = json!({
                "schema": JSON_SCHEMA, "type": "difference", "test": "shaders", "frame": frame.0, "draw": draw,
                "pixels": difference.differing, "largest_step": step, "worst": worst,
            });
            print_json(out, &line)?;
            return Ok(());
        }
        let from = draw.map_or(String::new(), |draw| format!(" from draw {draw} on"));
        let at = difference.worst.map_or(String::new(), |worst| format!(" (column {}, row {})", worst.x, worst.y));
        let (differing, pixels) = (difference.differing, difference.pixels);
        writeln!(out, "shaders: frame {frame} differs{from}: {differing} of {pixels} pixels, by up to {step}{at}")?;
        Ok(())
    }
}
