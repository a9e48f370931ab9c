//! Objects that submissions have made: a texture as a picture, a buffer as bytes, and who wrote them.

use std::ops::Range;
use std::sync::Arc;

use egui::{CollapsingHeader, RichText, ScrollArea, Sense, TextStyle, TextureHandle, Ui, Vec2};

use super::packet_link;
use super::vertex_rows::VertexRows;
use crate::analysis::{Analysis, AnalysisError, PartOrigin, PartStretch, StreamObject, StreamStateAt};
use crate::command::{Place, ResourceName};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::picture::{Content, Look, to_texture};
use crate::inspector::player_worker::InspectorError;
use crate::inspector::question::{Answer, Epoch, Question};
use crate::inspector::viewed::part_ui;
use crate::pixels::Surface;

const HEX_COLUMNS: u64 = 16;
/// Rows that are read at once, twice as many as the step in which they are asked for: what is on the screen lies in one
/// reading.
const READ_ROWS: u64 = 1024;
/// Writers of a texture that are listed.
const LISTED_WRITERS: usize = 12;

/// The kinds of objects, and what a list of them is called.
const KINDS: [(&str, &str); 6] = [
    ("texture", "Textures"),
    ("view", "Views"),
    ("buffer", "Buffers"),
    ("shader", "Shaders"),
    ("layout", "Layouts"),
    ("sampler", "Samplers"),
];

/// What is shown of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BufferForm {
    #[default]
    Bytes,
    /// As the slots that hold it read it.
    Vertices,
}

/// What is shown of objects of submissions.
#[derive(Default)]
pub(super) struct StreamResources {
    selected: Option<(&'static str, u32)>,
    mip: u32,
    layer: u32,
    /// The first row of bytes that is read.
    first_row: u64,
    form: BufferForm,
    vertices: VertexRows,
    bytes: Question<(Place, ResourceName, u64), Result<Arc<ReadBytes>, String>>,
    picture: Question<(Place, ResourceName), Result<Arc<Surface>, InspectorError>>,
    image: Option<(Content, TextureHandle)>,
}

/// Some bytes of a resource, and where they come from.
struct ReadBytes {
    name: ResourceName,
    description: String,
    size_bytes: u64,
    /// Where all of it comes from.
    origins: Vec<PartStretch>,
    /// The stretches of what is read, which is a part of a large resource, with their bytes.
    stretches: Vec<(PartStretch, Option<Vec<u8>>)>,
}

/// What objects are asked about.
#[derive(Clone, Copy)]
pub(super) struct AskedAt<'a> {
    pub document: &'a Document,
    pub epoch: Epoch,
    pub place: Place,
}

impl StreamResources {
    /// Draws the list, and the object that is selected.
    pub(super) fn ui(&mut self, ui: &mut Ui, at: AskedAt<'_>, state: &StreamStateAt, actions: &mut Vec<Action>) {
        let height = ui.available_height();
        ScrollArea::vertical().id_salt("objects").auto_shrink([false, true]).max_height(height * 0.4).show(ui, |ui| {
            for (kind, title) in KINDS {
                self.kind_ui(ui, &state.objects, kind, title, actions);
            }
        });
        ui.separator();
        let is_selected = |object: &&StreamObject| self.selected == Some((object.kind, object.handle));
        let Some(object) = state.objects.iter().find(is_selected) else {
            ui.weak("Select an object to see its contents and the commands that wrote them.");
            return;
        };
        match object.kind {
            "buffer" => self.buffer_ui(ui, at, object, actions),
            "texture" | "view" => self.texture_ui(ui, at, object, actions),
            _ => {
                ui.strong(object.title());
                ui.label(&object.description);
            }
        }
    }

    fn kind_ui(&mut self, ui: &mut Ui, objects: &[StreamObject], kind: &str, title: &str, actions: &mut Vec<Action>) {
        let of_kind = || objects.iter().filter(move |object| object.kind == kind);
        let count = of_kind().count();
        if count == 0 {
            return;
        }
        CollapsingHeader::new(format!("{title} ({count})")).id_salt(title).default_open(true).show(ui, |ui| {
            for object in of_kind() {
                ui.horizontal_wrapped(|ui| {
                    let key = (object.kind, object.handle);
                    if ui.selectable_label(self.selected == Some(key), object.title()).clicked()
                        && self.selected != Some(key)
                    {
                        (self.selected, self.mip, self.layer, self.first_row) = (Some(key), 0, 0, 0);
                    }
                    ui.weak(&object.description);
                    if let Some(at) = object.created_at {
                        packet_link(ui, at, actions);
                    }
                });
            }
        });
    }

    /// A texture's mip as the GPU has it.
    fn texture_ui(&mut self, ui: &mut Ui, at: AskedAt<'_>, object: &StreamObject, actions: &mut Vec<Action>) {
        if let Some([mips, layers]) = object.subresources {
            ui.horizontal_wrapped(|ui| {
                ui.strong(object.title());
                part_ui(ui, "mip", &mut self.mip, mips);
                part_ui(ui, "layer", &mut self.layer, layers);
            });
        }
        let name = ResourceName { handle: object.handle, mip: self.mip, layer: self.layer };
        if ui.button("show large").on_hover_text("show it where the frame is").clicked() {
            actions.push(Action::ShowTexture(name));
        }
        let answer = self.picture.get(at.epoch, (at.place, name), || {
            let place = at.place;
            Some(at.document.ask_player(QuestionKind::Texture, move |thread| thread.texture(place, name)))
        });
        if let Some(picture) = known_ui(ui, answer).map(Answer::cloned) {
            let content = Content::Texture(picture.value.clone());
            if answer_ui(ui, &picture, |ui| image_ui(ui, &mut self.image, &content)) {
                actions.push(Action::ShowTexture(name));
            }
        }
        let Some(read) = self.read(ui, at, name) else { return };
        answer_ui(ui, &read, |ui| {
            ui.label(&read.value.description);
            writers_ui(ui, &read.value.origins, actions);
        });
    }

    /// A buffer's bytes, those that only a GPU knows as dots.
    fn buffer_ui(&mut self, ui: &mut Ui, at: AskedAt<'_>, object: &StreamObject, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.form, BufferForm::Bytes, "bytes");
            ui.selectable_value(&mut self.form, BufferForm::Vertices, "vertices");
        });
        if self.form == BufferForm::Vertices {
            return self.vertices.ui(ui, at, object.handle);
        }
        let Some(read) = self.read(ui, at, ResourceName::of(object.handle)) else { return };
        answer_ui(ui, &read, |ui| {
            ui.strong(object.title());
            ui.label(&read.value.description);
            let height = ui.text_style_height(&TextStyle::Monospace);
            let count = read.value.size_bytes.div_ceil(HEX_COLUMNS) as usize;
            ScrollArea::both().id_salt("stream hex").auto_shrink(false).show_rows(ui, height, count, |ui, rows| {
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
                self.first_row = rows.start as u64 / (READ_ROWS / 2) * (READ_ROWS / 2);
                for row in rows {
                    hex_row_ui(ui, &read.value, row as u64, actions);
                }
            });
        });
    }

    fn read(&mut self, ui: &mut Ui, at: AskedAt<'_>, name: ResourceName) -> Option<Answer<Arc<ReadBytes>>> {
        let (place, first_row) = (at.place, self.first_row);
        let answer = self.bytes.get(at.epoch, (place, name, first_row), || {
            at.document.ask(QuestionKind::Buffer, move |analysis, _| {
                ReadBytes::read(analysis, place, name, first_row).map(Arc::new)
            })
        });
        let read = known_ui(ui, answer).map(Answer::cloned)?;
        // What is shown meanwhile may be another resource's.
        (read.value.name == name).then_some(read)
    }
}

impl ReadBytes {
    fn read(analysis: &Analysis, place: Place, name: ResourceName, first_row: u64) -> Result<Self, AnalysisError> {
        let resource = analysis.resource(place, name)?;
        let size_bytes = resource.size_bytes();
        let start = first_row.saturating_mul(HEX_COLUMNS).min(size_bytes);
        let end = start.saturating_add(READ_ROWS * HEX_COLUMNS).min(size_bytes);
        let contents = analysis.contents(&resource, start..end)?;
        let with_bytes = |stretch: PartStretch| {
            let bytes = analysis.read_stretch(&stretch)?;
            Ok((stretch, bytes))
        };
        let stretches: Result<_, AnalysisError> = contents.ranges.into_iter().map(with_bytes).collect();
        let origins = analysis.contents(&resource, 0..size_bytes)?.ranges;
        Ok(Self { name, description: resource.description, size_bytes, origins, stretches: stretches? })
    }

    /// The stretches with something of `bytes`, each with what is known of its part of them.
    fn stretches_in(&self, bytes: Range<u64>) -> impl Iterator<Item = (&PartStretch, u64, Option<&[u8]>)> {
        self.stretches.iter().filter_map(move |(stretch, known)| {
            let (start, end) = (stretch.start.max(bytes.start), stretch.end.min(bytes.end));
            (start < end).then(|| {
                let own = (start - stretch.start) as usize..(end - stretch.start) as usize;
                (stretch, end - start, known.as_ref().and_then(|known| known.get(own)))
            })
        })
    }
}

/// The picture, as large as there is room for; says whether it was clicked on twice.
fn image_ui(ui: &mut Ui, image: &mut Option<(Content, TextureHandle)>, content: &Content) -> bool {
    if image.as_ref().is_none_or(|(shown, _)| shown != content) {
        let texture = to_texture(ui, "texture", content.view(), &Look::default());
        *image = Some((content.clone(), texture));
    }
    let size = content.size();
    let [width, height] = [size.width_px as f32, size.height_px as f32];
    let room = Vec2::new(ui.available_width(), (ui.available_height() - 80.0).max(64.0));
    let scale = (room.x / width).min(room.y / height).max(f32::MIN_POSITIVE);
    let is_wanted = image.as_ref().is_some_and(|(_, texture)| {
        let shown = egui::Image::new((texture.id(), Vec2::new(width * scale, height * scale)));
        ui.add(shown.sense(Sense::click())).double_clicked()
    });
    ui.weak(format!("{width}×{height}, alpha ignored"));
    is_wanted
}

fn writers_ui(ui: &mut Ui, stretches: &[PartStretch], actions: &mut Vec<Action>) {
    for stretch in stretches.iter().take(LISTED_WRITERS) {
        ui.horizontal_wrapped(|ui| origin_ui(ui, stretch, actions));
    }
    if stretches.len() > LISTED_WRITERS {
        ui.weak(format!("and {} more", stretches.len() - LISTED_WRITERS));
    }
}

fn origin_ui(ui: &mut Ui, stretch: &PartStretch, actions: &mut Vec<Action>) {
    ui.label(format!("bytes {:#x} to {:#x}:", stretch.start, stretch.end));
    let (what, at) = match stretch.origin {
        PartOrigin::Zeros => ("never written", None),
        PartOrigin::File { at, .. } => ("uploaded at", Some(at)),
        PartOrigin::Cleared { at } => ("cleared at", Some(at)),
        PartOrigin::Drawn { at } => ("written by draws, last at", Some(at)),
    };
    ui.label(what);
    if let Some(at) = at {
        packet_link(ui, at, actions);
    }
}

fn hex_row_ui(ui: &mut Ui, read: &ReadBytes, row: u64, actions: &mut Vec<Action>) {
    let start = row * HEX_COLUMNS;
    let bytes = start..(start + HEX_COLUMNS).min(read.size_bytes);
    let (mut hex, mut text) = (Vec::new(), String::new());
    for (_, length, known) in read.stretches_in(bytes.clone()) {
        match known {
            Some(known) => {
                hex.extend(known.iter().map(|byte| format!("{byte:02x}")));
                text.extend(known.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' }));
            }
            None => {
                hex.extend((0..length).map(|_| "··".to_owned()));
                text.extend((0..length).map(|_| '·'));
            }
        }
    }
    let is_unwritten = read.stretches_in(bytes.clone()).all(|(stretch, ..)| stretch.origin == PartOrigin::Zeros);
    let line = RichText::new(format!("{start:08x}  {:<47}  {text}", hex.join(" "))).monospace();
    let label = ui.label(if is_unwritten { line.weak() } else { line });
    label.on_hover_ui(|ui| {
        let first = read.origins.partition_point(|stretch| stretch.end <= bytes.start);
        for stretch in read.origins.iter().skip(first).take_while(|stretch| stretch.start < bytes.end) {
            ui.horizontal(|ui| origin_ui(ui, stretch, actions));
        }
    });
}
