//! The passes of the frame: what each draws to, what it reads of others and writes for whom, over all frames.

use std::sync::Arc;

use egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::pass_chart::chart_ui;
use super::{Tab, TabContext, TabName};
use crate::analysis::{AnalysisError, FramePass, PassResource, PassResourceKind, ResourceRead, ResourceWrite};
use crate::command::{Place, Point, ResourceName};
use crate::format::aerogpu::FrameIndex;
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::replay::{PassId, PassKind, WriteFate};
use crate::text::counted;

pub(super) const NAME: TabName = TabName("Passes");

/// Passes that are listed one by one; nobody reads more of one frame.
const LISTED: usize = 500;

/// The passes of a frame; none if the question was given up.
type Passes = Option<Arc<Vec<FramePass>>>;

/// The passes of the frame.
#[derive(Default)]
pub(super) struct PassesTab {
    passes: Question<FrameIndex, Result<Passes, String>>,
}

impl Tab for PassesTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Trace
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let (frame, document) = (context.place.frame, context.document);
        let answer = self.passes.get(context.epoch, frame, || {
            document.ask_aside(QuestionKind::FramePasses, move |analysis, cancel| {
                Ok::<_, AnalysisError>(analysis.frame_passes(frame, || !cancel.is_set())?.map(Arc::new))
            })
        });
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| {
            let Some(passes) = &known.value else { return };
            let mut links = Links { document, frame, actions: context.actions };
            ScrollArea::vertical().id_salt("passes").auto_shrink(false).show(ui, |ui| {
                ui.strong(format!("frame {frame}: {}", counted(passes.len(), "pass")));
                let current = current_pass(passes, document, context.place);
                if let Some(pass) = chart_ui(ui, passes, current) {
                    links.actions.push(Action::GoTo(pass.place(frame)));
                }
                ui.separator();
                for pass in passes.iter().take(LISTED) {
                    pass_ui(ui, pass, current == Some(pass.pass), &mut links);
                }
                if passes.len() > LISTED {
                    ui.weak(format!("and {} more: `passes` lists all", passes.len() - LISTED));
                }
            });
        });
    }
}

/// The pass that a place is in: that of its draw.
fn current_pass(passes: &[FramePass], document: &Document, place: Place) -> Option<u32> {
    let draw = document.last_draw(place)?;
    passes.iter().find(|pass| pass.draws.contains(&draw)).map(|pass| pass.pass)
}

/// Sink of what is clicked in the list.
struct Links<'a> {
    document: &'a Document,
    frame: FrameIndex,
    actions: &'a mut Vec<Action>,
}

impl Links<'_> {
    /// A link to a pass of any frame.
    fn pass_ui(&mut self, ui: &mut Ui, place: PassId) {
        let text = match place.frame == self.frame {
            true => format!("pass {}", place.pass),
            false => format!("frame {} pass {}", place.frame, place.pass),
        };
        // A link that is broken over two lines is hard to hit.
        let text = text.replace(' ', "\u{a0}");
        if ui.link(text).on_hover_text("go to its end").clicked() {
            let draw = self.document.draw_of_packet(place.frame, place.packet);
            let point = draw.map_or(Point::Packet(place.packet), Point::Draw);
            self.actions.push(Action::GoTo(Place { frame: place.frame, point }));
        }
    }

    fn passes_ui(&mut self, ui: &mut Ui, word: &str, places: &[PassId]) {
        if !places.is_empty() {
            ui.weak(word);
            places.iter().for_each(|place| self.pass_ui(ui, *place));
        }
    }

    /// A resource; a texture is shown as it is behind the pass.
    fn resource_ui(&mut self, ui: &mut Ui, resource: &PassResource, pass: &FramePass) {
        match (resource.kind, resource.handle) {
            (PassResourceKind::Texture { .. }, Some(handle)) => {
                if ui.link(resource.to_string()).on_hover_text("show it as it is behind this pass").clicked() {
                    self.actions.push(Action::GoTo(pass.place(self.frame)));
                    self.actions.push(Action::ShowTexture(ResourceName::of(handle)));
                }
            }
            _ => {
                ui.label(resource.to_string());
            }
        }
    }
}

fn pass_ui(ui: &mut Ui, pass: &FramePass, is_current: bool, links: &mut Links<'_>) {
    let mut heading = RichText::new(pass.title());
    if is_current {
        heading = heading.strong();
    }
    if pass.is_for_nothing() || pass.could_join.is_some() {
        heading = heading.color(ui.visuals().warn_fg_color);
    }
    let header = CollapsingHeader::new(heading).id_salt(("pass", pass.pass)).default_open(true);
    header.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            if ui.link("go there").on_hover_text("show the picture behind this pass").clicked() {
                links.actions.push(Action::GoTo(pass.place(links.frame)));
            }
            if pass.kind == PassKind::Draws {
                ui.label(pass.targets_in_words());
            }
        });
        pass.reads.iter().for_each(|read| read_ui(ui, read, pass, links));
        pass.writes.iter().for_each(|write| write_ui(ui, write, pass, links));
        if let Some(earlier) = pass.could_join {
            let hint = "it draws to the same targets, and nothing between the two needs the order that they are in";
            let text = format!("could be one with pass {earlier}");
            ui.colored_label(ui.visuals().warn_fg_color, text).on_hover_text(hint);
        }
    });
}

fn read_ui(ui: &mut Ui, read: &ResourceRead, pass: &FramePass, links: &mut Links<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.weak(read.how.verb());
        links.resource_ui(ui, &read.resource, pass);
        links.passes_ui(ui, "from", &read.from);
        if read.has_unwritten {
            ui.colored_label(ui.visuals().warn_fg_color, read.unwritten());
        }
    });
}

fn write_ui(ui: &mut Ui, write: &ResourceWrite, pass: &FramePass, links: &mut Links<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.weak("writes");
        links.resource_ui(ui, &write.resource, pass);
        match write.fate {
            WriteFate::Read => links.passes_ui(ui, "for", &write.read_by),
            WriteFate::Own => {
                ui.weak(write.fate.text());
            }
            WriteFate::Overwritten | WriteFate::Unread => {
                ui.colored_label(ui.visuals().warn_fg_color, write.fate.text());
            }
        }
        if write.more_frames > 0 {
            ui.weak(format!("and {}", counted(write.more_frames, "further frame")));
        }
    });
}
