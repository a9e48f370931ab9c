//! The texts of the draw's shaders, side by side, and editing them.
//!
//! An edited text is tried as soon as it is typed. While it has errors the old one stays in use, and the errors stand
//! below the text; when it has none, the picture follows at once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use egui::{FontId, ScrollArea, TextEdit, TextFormat, Ui};

use super::action::Action;
use super::desk::{Asked, Pending};
use super::document::{Document, Question};
use crate::inquiry::{DrawShaders, Moment, ShaderEdit, ShaderIssue, ShaderTexts, TextInfo, write_replacements};
use crate::replay::{CommandNumber, ShaderOptions};

/// Longer texts are shown without colours and can't be edited here: laying them out takes longer than a picture.
const MAX_EDITED_BYTES: usize = 200_000;

/// Which text of a shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    Wgsl,
    Glsl,
    /// What GLSL was translated to.
    Translated,
    /// WGSL and GLSL next to each other.
    Both,
}

type Tried = Result<ShaderEdit, Vec<ShaderIssue>>;

/// The panel, and the texts being edited.
#[derive(Default)]
pub(super) struct ShadersPanel {
    stage: ShaderStageChoice,
    shown: Shown,
    shaders: Asked<Moment, Result<DrawShaders, String>>,
    /// Texts that differ from the trace's, by their record.
    edited: BTreeMap<u64, String>,
    trying: Option<Pending<Result<Tried, String>>>,
    /// Another edit to try, once the one before is done.
    next: Option<(CommandNumber, u64)>,
    issues: Vec<ShaderIssue>,
    saved: Option<Pending<Result<Vec<PathBuf>, String>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShaderStageChoice {
    Vertex,
    #[default]
    Fragment,
}

impl ShadersPanel {
    /// Forgets everything: another trace.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Shaders are made in another way: what they compile to is asked for again.
    pub fn options_changed(&mut self) {
        self.shaders.clear();
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, document: &Document, moment: Moment, actions: &mut Vec<Action>) {
        self.take_tried(actions);
        self.try_next(document);
        let answer = document.inquiry().and_then(|_| {
            self.shaders.get_or_last(moment, || {
                let asked = document.ask(Question::Shaders, move |inquiry, _| {
                    inquiry.shaders(moment).map_err(|error| error.to_string())
                });
                asked.unwrap_or_else(|| Pending::ready(Err("the index is not there yet".to_owned())))
            })
        });
        let shaders = match answer {
            None => {
                ui.weak("…");
                return;
            }
            Some(Err(message)) => {
                ui.colored_label(ui.visuals().error_fg_color, message);
                return;
            }
            Some(Ok(shaders)) => shaders.clone(),
        };
        self.head_ui(ui, document, &shaders, actions);
        let texts = match self.stage {
            ShaderStageChoice::Vertex => &shaders.vertex,
            ShaderStageChoice::Fragment => &shaders.fragment,
        };
        ui.separator();
        self.issues_ui(ui, &shaders);
        self.texts_ui(ui, &shaders, texts);
    }

    fn head_ui(&mut self, ui: &mut Ui, document: &Document, shaders: &DrawShaders, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            ui.strong(shaders.pipeline.to_string());
            let stages = [(ShaderStageChoice::Vertex, "vertex"), (ShaderStageChoice::Fragment, "fragment")];
            for (stage, name) in stages {
                ui.selectable_value(&mut self.stage, stage, name);
            }
            ui.separator();
            for (shown, name) in
                [(Shown::Wgsl, "WGSL"), (Shown::Glsl, "GLSL"), (Shown::Both, "both"), (Shown::Translated, "translated")]
            {
                ui.selectable_value(&mut self.shown, shown, name);
            }
        });
        if self.edited.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{} edited", self.edited.len()));
            if ui.button("Save as replacements").on_hover_text("a folder for --replace-shaders").clicked() {
                self.save(document);
            }
            if ui.button("Back to the trace's texts").clicked() {
                self.edited.clear();
                self.issues.clear();
                let options = ShaderOptions { replacements: Default::default(), ..document.open.shaders.clone() };
                actions.push(Action::SetShaders(Box::new(options)));
            }
        });
        if let Some(saved) = self.saved.as_ref().and_then(Pending::get) {
            match saved {
                Ok(paths) => {
                    let folder = paths.first().and_then(|path| path.parent());
                    let folder = folder.map_or(String::new(), |folder| folder.display().to_string());
                    ui.label(format!("{} texts are in {folder}: --replace-shaders {folder}", paths.len()));
                }
                Err(message) => {
                    ui.colored_label(ui.visuals().error_fg_color, message);
                }
            }
        }
    }

    fn issues_ui(&self, ui: &mut Ui, shaders: &DrawShaders) {
        let of_trace = shaders.compiled.iter().filter(|pair| pair.is_used).flat_map(|pair| &pair.issues);
        let issues: Vec<&ShaderIssue> = self.issues.iter().chain(of_trace).collect();
        for issue in issues {
            let place = match (issue.line, issue.column) {
                (Some(line), Some(column)) => format!("line {line}, column {column}: "),
                _ => String::new(),
            };
            let stage = issue.stage.map_or(String::new(), |stage| format!("{stage}: "));
            ui.colored_label(ui.visuals().error_fg_color, format!("{stage}{place}{}", issue.message));
        }
        for pair in shaders.compiled.iter().filter(|pair| pair.is_used) {
            for remark in &pair.remarks {
                ui.weak(remark);
            }
        }
    }

    fn texts_ui(&mut self, ui: &mut Ui, shaders: &DrawShaders, texts: &ShaderTexts) {
        let find = |language: &str| texts.texts.iter().find(|text| text.language == language);
        match self.shown {
            Shown::Wgsl => self.text_ui(ui, shaders, find("wgsl"), "WGSL"),
            Shown::Glsl => self.text_ui(ui, shaders, find("glsl"), "GLSL"),
            Shown::Both => ui.columns(2, |columns| {
                if let [left, right] = columns {
                    self.text_ui(left, shaders, find("wgsl"), "WGSL");
                    self.text_ui(right, shaders, find("glsl"), "GLSL");
                }
            }),
            Shown::Translated => {
                let translated = shaders.compiled.iter().find_map(|pair| pair.translated.as_ref());
                let text = translated.map(|[vertex, fragment]| match self.stage {
                    ShaderStageChoice::Vertex => vertex.as_str(),
                    ShaderStageChoice::Fragment => fragment.as_str(),
                });
                if let Some(mut text) = text {
                    code_ui(ui, "translated", &mut text, false);
                } else {
                    ui.weak("there is no GLSL text, or it does not compile");
                }
            }
        }
    }

    fn text_ui(&mut self, ui: &mut Ui, shaders: &DrawShaders, info: Option<&TextInfo>, language: &str) {
        let Some(info) = info else {
            ui.weak(format!("no {language} in the trace"));
            return;
        };
        let Some(original) = info.replacement.as_ref().or(info.text.as_ref()) else {
            ui.weak("longer than any shader may be");
            return;
        };
        let used = shaders.compiled.iter().any(|pair| pair.is_used && pair.language == info.language);
        let state = if used { "drawn with" } else { "not drawn with" };
        ui.weak(format!("blob {} at {:#x}, {} bytes, {state}", info.blob, info.text_offset, info.size_bytes));
        let mut text = self.edited.get(&info.record_offset).unwrap_or(original).clone();
        if code_ui(ui, (language, info.record_offset), &mut text, true) {
            self.edited.insert(info.record_offset, text);
            self.next = Some((shaders.creation, info.record_offset));
        }
    }

    /// Tries what was typed last; what was typed before it nobody waits for.
    fn try_next(&mut self, document: &Document) {
        if self.trying.is_some() {
            return;
        }
        let Some((creation, record)) = self.next.take() else { return };
        let Some(text) = self.edited.get(&record).cloned() else { return };
        self.trying = document.ask(Question::TryShader, move |inquiry, _| {
            inquiry.try_shader_text(creation, record, text.into_bytes()).map_err(|error| error.to_string())
        });
    }

    fn take_tried(&mut self, actions: &mut Vec<Action>) {
        let Some(tried) = self.trying.as_ref().and_then(Pending::get).cloned() else { return };
        self.trying = None;
        match tried {
            Ok(Ok(edit)) => {
                self.issues.clear();
                actions.push(Action::SetShaders(Box::new(edit.options)));
            }
            Ok(Err(issues)) => self.issues = issues,
            Err(message) => {
                self.issues = vec![ShaderIssue { stage: None, line: None, column: None, message }];
            }
        }
    }

    fn save(&mut self, document: &Document) {
        let folder = document.replacements_folder.clone();
        let replacements = document.open.shaders.replacements.clone();
        self.saved = document.ask(Question::SaveShaders, move |inquiry, _| {
            write_replacements(inquiry, &replacements, &folder).map_err(|error| error.to_string())
        });
    }
}

/// A text with colours; says whether it was changed.
fn code_ui(
    ui: &mut Ui,
    id: impl std::hash::Hash + std::fmt::Debug,
    text: &mut dyn egui::TextBuffer,
    is_editable: bool,
) -> bool {
    let is_short = text.as_str().len() <= MAX_EDITED_BYTES;
    let theme = egui_extras::syntax_highlighting::CodeTheme::from_style(ui.style());
    let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _width: f32| {
        let mut job = if is_short {
            // Both languages read like Rust and C to a highlighter of words.
            egui_extras::syntax_highlighting::highlight(ui.ctx(), ui.style(), &theme, text.as_str(), "rs")
        } else {
            let format = TextFormat::simple(FontId::monospace(12.0), ui.visuals().text_color());
            egui::text::LayoutJob::single_section(text.as_str().to_owned(), format)
        };
        job.wrap.max_width = f32::INFINITY;
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    // Errors come and go above the text; it is the same text all the same, and keeps the keyboard.
    let id = egui::Id::unique(("code", format!("{id:?}")));
    let area = ScrollArea::both().id_salt(id).auto_shrink(false);
    let output = area.show(ui, |ui| {
        let field = TextEdit::multiline(text).id(id).code_editor().desired_width(f32::INFINITY);
        ui.add(field.layouter(&mut layouter).interactive(is_editable && is_short))
    });
    output.inner.changed()
}
