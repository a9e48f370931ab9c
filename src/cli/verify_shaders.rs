//! `verify TRACE --shaders`: every frame drawn from its WGSL and from its GLSL ES 3.00, and the pictures compared.

use std::io::Write;
use std::sync::Arc;

use serde_json::json;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::report;
use super::output::print_json;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::golden::bisect::{Found, bisect_played};
use crate::pixels::{Difference, Tolerance, compare};
use crate::player::Player;
use crate::text::{counted, json_line};

/// What pictures may be the same by, the strictest first.
const TOLERANCES: [(&str, Tolerance); 2] =
    [("exact", Tolerance::EXACT), ("last bit of at most 0.1 % of the pixels", Tolerance::OTHER_MACHINE)];

/// Two players of one trace.
pub(super) struct Sources<'t> {
    pub wgsl: Player,
    pub glsl: Player,
    pub trace: &'t Arc<Trace>,
}

impl Sources<'_> {
    /// Compares all frames, and names the first draw after which the first differing frame's pictures differ.
    ///
    /// What the GLSL texts leave open, and how it was decided, is said when a program is first used: once per program.
    pub(crate) fn compare_all(mut self, common: &CommonArgs, out: &mut impl Write) -> Result<Exit, Failure> {
        let frames = self.trace.frames().len() as u32;
        let mut by_tolerance = [0u32; TOLERANCES.len()];
        let mut differing = 0;
        for frame in (0..frames).map(FrameIndex) {
            let difference = self.difference(frame);
            self.report(common)?;
            let difference = difference?;
            match TOLERANCES.iter().zip(&mut by_tolerance).find(|((_, tolerance), _)| difference.is_within(*tolerance))
            {
                Some((_, count)) => *count += 1,
                None => {
                    differing += 1;
                    if common.json || differing == 1 {
                        self.tell(frame, &difference, common, out)?;
                    }
                }
            }
        }
        let [exact, within] = by_tolerance;
        if common.json {
            let line = json_line!("verify-shaders", { "test": "shaders",
                "exact": exact, "within_one_step": within, "differing": differing,
            });
            print_json(out, &line)?;
        } else {
            let [(strictest, _), (next, _)] = TOLERANCES;
            writeln!(
                out,
                "shaders: {frames} from WGSL and from GLSL ES 3.00: {exact} {strictest}, {within} except for the {next}, {differing} different",
                frames = counted(frames, "frame")
            )?;
        }
        Ok(if differing == 0 { Exit::Done } else { Exit::Different })
    }

    fn difference(&mut self, frame: FrameIndex) -> Result<Difference, Failure> {
        let wgsl = self.wgsl.render(frame)?;
        let glsl = self.glsl.render(frame)?;
        Ok(compare(&wgsl, &glsl)?)
    }

    /// Says what was noticed. Most of it concerns the trace, not its texts, and both players notice it.
    fn report(&mut self, common: &CommonArgs) -> Result<(), Failure> {
        let wgsl = self.wgsl.diagnostics().take();
        let mut all = self.glsl.diagnostics().take();
        for finding in wgsl.findings() {
            if !all.findings().contains(finding) {
                all.push(finding.clone());
            }
        }
        report(&mut all, common)
    }

    /// The first draw of `frame` after which the pictures differ, by halving, with a look at the draws around it. None
    /// if the frame differs only in what it took over from earlier ones, which were close enough.
    fn first_differing_draw(&mut self, frame: FrameIndex) -> Result<Option<u32>, Failure> {
        let [_, (_, widest)] = TOLERANCES;
        let found = bisect_played(&mut self.wgsl, &mut self.glsl, [frame; 2], widest);
        // What was noticed on the way was said when the whole frame was drawn.
        self.wgsl.diagnostics().take();
        self.glsl.diagnostics().take();
        Ok(match found? {
            Found::Draw(first) => Some(first.draw.draw),
            _ => None,
        })
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
            let line = json_line!("shader-difference", { "test": "shaders", "frame": frame.0, "draw": draw,
                "differing": difference.differing, "largest_step": step, "worst": worst,
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
