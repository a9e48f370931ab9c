//! The draws of a frame by what they draw to: the structure of a frame whose author has marked none.

use std::fmt;
use std::ops::Range;

use super::{Analysis, AnalysisError};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandReader, DrawnTo, NamedTarget};

/// Draws that follow each other and draw to the same targets. A draw that leaves the last of them as they are, as most do that
/// blend over depth, belongs to the pass too.
///
/// ```
/// use aerogpu_replay::analysis::DrawPass;
/// use aerogpu_replay::replay::{DrawnTo, NamedTarget};
///
/// let targets = vec![NamedTarget { part: DrawnTo::BackBuffer, name: None }];
/// assert_eq!(DrawPass { draws: 0..3, targets }.to_string(), "the back buffer");
/// assert_eq!(DrawPass { draws: 3..4, targets: Vec::new() }.to_string(), "no target");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DrawPass {
    /// Their numbers in the frame.
    pub draws: Range<u32>,
    /// Colour targets first, then depth and stencil.
    pub targets: Vec<NamedTarget>,
}

impl fmt::Display for DrawPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, target) in self.targets.iter().enumerate() {
            write!(f, "{}{target}", if number == 0 { "" } else { ", " })?;
        }
        if self.targets.is_empty() { f.write_str("no target") } else { Ok(()) }
    }
}

impl DrawPass {
    /// A draw to `targets` belongs to it: the one list begins with the other.
    fn has(&self, targets: &[NamedTarget]) -> bool {
        let is_empty = self.targets.is_empty() || targets.is_empty();
        match is_empty {
            true => self.targets.len() == targets.len(),
            false => self.targets.starts_with(targets) || targets.starts_with(&self.targets),
        }
    }
}

impl Analysis {
    /// The passes of a frame, each as long as its draws follow each other. Draws of Appendix A draw to the back buffer.
    pub fn passes(&self, frame: FrameIndex) -> Result<Vec<DrawPass>, AnalysisError> {
        let mut reader = CommandReader::new(self.trace.clone());
        let mut passes: Vec<DrawPass> = Vec::new();
        for (draw, number) in (0..).zip(self.index.draws_of(frame)) {
            let targets = match self.index.submission_of(number) {
                Some(_) => self.index.drawn_to_by_name(number, &mut reader)?,
                None => vec![NamedTarget { part: DrawnTo::BackBuffer, name: None }],
            };
            match passes.last_mut() {
                Some(pass) if pass.has(&targets) => {
                    pass.draws.end = draw + 1;
                    if targets.len() > pass.targets.len() {
                        pass.targets = targets;
                    }
                }
                _ => passes.push(DrawPass { draws: draw..draw + 1, targets }),
            }
        }
        Ok(passes)
    }
}
