//! Frames and draws of Appendix A.

use super::{ListedDraw, Listing, needs, range};
use crate::analysis::DrawRow;
use crate::cli::exit::Failure;
use crate::command::{Command, Draw};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::text::{counted, json_line};

impl Listing<'_> {
    pub(super) fn frame(&mut self, frame: FrameIndex) -> Result<(), Failure> {
        let lost = Internal::new("a frame of the index is not in the trace");
        let span = self.trace.frame(frame).cloned().ok_or(lost)?;
        let own = self.index.commands_of(frame).ok_or(lost)?;
        let earlier = self.earlier_commands(|index, most| index.count_earlier(frame, most))?;
        let hash = self.hasher.frame(frame)?.ok_or(lost)?.to_string();
        let contents = self.index.contents_of(frame).ok_or(lost)?;
        let (draws, uploads) = (contents.draws as usize, contents.uploads as usize);
        let (start, end) = (span.bytes.start, span.bytes.end);
        let line = json_line!("frame", { "frame": frame.0, "offset": start, "size_bytes": end - start,
            "present_offset": span.present_offset, "commands": own.len(), "draws": draws, "uploads": uploads,
            "self_contained": earlier.is_all && earlier.count == 0, "earlier_commands": earlier.count,
            "earlier_commands_are_all": earlier.is_all, "input_sha256": hash,
        });
        self.line((&format!("frame {frame}"), &[]), &line, Some(&hash), || {
            let (draws, uploads, needs) = (counted(draws, "draw"), counted(uploads, "upload"), needs(earlier));
            let size = counted(end - start, "byte");
            format!("frame {frame}: {start:#x}, {size}, {draws}, {uploads}, {needs}")
        })
    }

    /// The line of a draw of no submission.
    pub(super) fn packet_draw(&mut self, listed: &ListedDraw) -> Result<(), Failure> {
        let ListedDraw { row: DrawRow { draw, at, command, .. }, hash } = listed;
        let frame = at.frame;
        let not_a_draw = Internal::at("a draw of Appendix A is none", at.offset);
        let Command::Draw(Draw { vertex_count, first_vertex, .. }) = *command else { return Err(not_a_draw.into()) };
        let hash = hash.ok_or(not_a_draw)?.to_string();
        let line = json_line!("draw", { "frame": frame.0, "draw": draw, "offset": at.offset,
            "packet": at.packet, "vertex_count": vertex_count, "first_vertex": first_vertex,
            "input_sha256": hash,
        });
        self.line(("DRAW", &[]), &line, Some(&hash), || {
            let (offset, packet) = (at.offset, at.packet);
            let vertices = range("vertex", first_vertex, vertex_count);
            format!("frame {frame} draw {draw}: {offset:#x}, packet {packet}, {vertices}")
        })
    }
}
