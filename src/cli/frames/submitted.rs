//! Frames with submissions, and their draws.

use serde_json::json;

use super::{ListedDraw, Listing, needs, range};
use crate::analysis::DrawRow;
use crate::cli::exit::Failure;
use crate::cli::line_width::LINE_COLUMNS;
use crate::command::{Command, Draw, SubmissionPlace};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{Aspect, DrawnTo, FrameContents, NamedTarget, NoPicture};
use crate::text::{Harmless, counted, json_line};

impl Listing<'_> {
    pub(super) fn submitted_frame(&mut self, frame: FrameIndex) -> Result<(), Failure> {
        let lost = Internal::new("a frame of the index is not in the trace");
        let span = self.trace.frame(frame).cloned().ok_or(lost)?;
        let contents = self.index.contents_of(frame).ok_or(lost)?;
        let picture = match self.picture(frame)? {
            None => {
                let earlier = self.earlier_commands(|index, most| index.count_earlier(frame, most))?;
                Ok((earlier, self.hasher.frame(frame)?.ok_or(lost)?))
            }
            Some(Ok(picture)) => {
                let earlier = self.earlier_commands(|index, most| picture.count_earlier(index, most))?;
                Ok((earlier, self.hasher.picture(&picture)?))
            }
            Some(Err(none)) => Err(none),
        };
        let (start, end) = (span.bytes.start, span.bytes.end);
        let FrameContents { commands, submissions, draws, dispatches, uploads, presents } = contents;
        let line = json_line!("frame-contents", { "frame": frame.0, "offset": start, "size_bytes": end - start,
            "present_offset": span.present_offset, "submissions": submissions, "commands": commands, "draws": draws,
            "dispatches": dispatches, "uploads": uploads, "presents": presents,
            "self_contained": picture.as_ref().ok().map(|(earlier, _)| earlier.is_all && earlier.count == 0),
            "earlier_commands": picture.as_ref().ok().map(|(earlier, _)| earlier.count),
            "earlier_commands_are_all": picture.as_ref().ok().map(|(earlier, _)| earlier.is_all),
            "input_sha256": picture.as_ref().ok().map(|(_, hash)| hash.to_string()),
            "no_picture": picture.as_ref().err().map(NoPicture::to_string),
        });
        let hash = picture.as_ref().ok().map(|(_, hash)| hash.to_string());
        self.line((&format!("frame {frame}"), &[]), &line, hash.as_deref(), || {
            let counts = [
                (submissions, "submission"),
                (commands, "packet"),
                (draws, "draw"),
                (dispatches, "dispatch"),
                (uploads, "upload"),
                (presents, "present"),
            ];
            // Most frames have one submission and one present, and neither dispatches nor uploads.
            let usual = |noun: &str| match noun {
                "submission" | "present" => Some(1),
                "dispatch" | "upload" => Some(0),
                _ => None,
            };
            let told = counts.into_iter().filter(|(count, noun)| usual(noun) != Some(*count));
            let counts: Vec<String> = told.map(|(count, noun)| counted(count as usize, noun)).collect();
            let size = counted(end - start, "byte");
            let picture = match picture {
                Ok((earlier, _)) => needs(earlier),
                Err(none) => none.to_string(),
            };
            format!("frame {frame}: {start:#x}, {size}, {}, {picture}", counts.join(", "))
        })
    }

    /// The line of a draw of a submission.
    pub(super) fn submitted_draw(&mut self, listed: &ListedDraw) -> Result<(), Failure> {
        let ListedDraw { row, hash } = listed;
        let DrawRow { draw, at, command, markers, targets, .. } = row;
        let (frame, hash, name) = (at.frame, hash.map(|hash| hash.to_string()), command.name());
        let has_contexts = self.has_contexts;
        let line = json_line!("submitted-draw", { "frame": frame.0, "draw": draw, "offset": at.offset,
            "packet": at.packet, "submission": at.submission.map(SubmissionPlace::number),
            "context": at.submission.map(SubmissionPlace::context), "markers": markers, "name": name,
            "input_sha256": hash, "targets": targets, "shaders": row.shader_handles(),
        })
        .and(row.ranges().iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        // Groups and targets are what a person calls a draw by.
        let target_names = targets.iter().filter_map(|target| target.name.as_deref());
        let further_names: Vec<&str> = markers.iter().map(String::as_str).chain(target_names).collect();
        self.line((name, &further_names), &line, hash.as_deref(), || {
            let mut text = format!("frame {frame} draw {draw}: {:#x}", at.offset);
            if let Some(submission) = at.submission.filter(|_| has_contexts) {
                text += &format!(", context {}", submission.context());
            }
            text += &format!(", packet {}{}, to ", at.packet, covered(command));
            let line = |shown, groups: &str| format!("{text}{}{groups}", targets_in_words(targets, shown));
            let whole = match markers.join("\" / \"") {
                path if path.is_empty() => path,
                path => format!(", in \"{path}\""),
            };
            let innermost = match markers.as_slice() {
                [_, .., innermost] => format!(", in … / \"{innermost}\""),
                _ => whole.clone(),
            };
            let fits = |line: &String| line.chars().count() <= LINE_COLUMNS;
            let named = [(ShownNames::All, &whole), (ShownNames::All, &innermost), (ShownNames::OfColor, &innermost)];
            let mut lines = named.into_iter().map(|(shown, groups)| line(shown, groups));
            lines.find(fits).unwrap_or_else(|| line(ShownNames::None, &innermost))
        })
    }
}

/// Range that a draw covers, without the usual counts: `, indices 0 to 35, 4 instances`.
fn covered(command: &Command) -> String {
    let (vertices, [instances, first_instance]) = match *command {
        Command::Draw(Draw { vertex_count, first_vertex, instance_count, first_instance }) => {
            (range("vertex", first_vertex, vertex_count), [instance_count, first_instance])
        }
        Command::DrawIndexed(draw) => {
            let mut indices = range("index", draw.first_index, draw.index_count);
            if draw.base_vertex != 0 {
                indices += &format!(" from vertex {}", draw.base_vertex);
            }
            (indices, [draw.instance_count, draw.first_instance])
        }
        _ => return String::new(),
    };
    match [instances, first_instance] {
        [1, 0] => format!(", {vertices}"),
        [_, 0] => format!(", {vertices}, {}", counted(instances as usize, "instance")),
        _ => format!(", {vertices}, {}", range("instance", first_instance, instances)),
    }
}

/// Targets whose names a line has, which has fewer where it would be too wide with all.
#[derive(Clone, Copy, PartialEq)]
enum ShownNames {
    All,
    OfColor,
    None,
}

/// Targets as `--target` names them: `texture 5 "scene", depth 6`, `textures 5, 7:1, depth 6`.
fn targets_in_words(targets: &[NamedTarget], shown: ShownNames) -> String {
    let (mut colors, mut others) = (Vec::new(), Vec::new());
    for NamedTarget { part, name } in targets {
        match part {
            DrawnTo::BackBuffer => others.push("the back buffer".to_owned()),
            DrawnTo::Texture { id, aspect, mip, layer, .. } => {
                let mut number = match (mip, layer) {
                    (0, 0) => id.number().to_string(),
                    (_, 0) => format!("{}:{mip}", id.number()),
                    _ => format!("{}:{mip}:{layer}", id.number()),
                };
                let is_named = shown == ShownNames::All || shown == ShownNames::OfColor && *aspect == Aspect::Color;
                if let Some(name) = name.as_ref().filter(|_| is_named) {
                    number += &format!(" \"{}\"", Harmless(name));
                }
                match aspect {
                    Aspect::Color => colors.push(number),
                    Aspect::Depth | Aspect::Stencil => others.push(format!("{} {number}", aspect.name())),
                }
            }
        }
    }
    let colors = match colors.as_slice() {
        [] => None,
        [one] => Some(format!("texture {one}")),
        all => Some(format!("textures {}", all.join(", "))),
    };
    let all: Vec<String> = colors.into_iter().chain(others).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}
