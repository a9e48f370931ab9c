//! The texts of the draw's shaders, side by side, and editing them.
//!
//! What is typed is the user's own and always to be seen; what is known about it (errors, the translation, whether it
//! is drawn with) is an answer, and dimmed as long as it is about an older text. While the cursor is in a text the
//! panel stays with its draw, wherever playing leads.

use std::sync::Arc;

use egui::{FontId, ScrollArea, TextEdit, TextFormat, TextStyle, Ui};

use super::bytecode::bytecode_ui;
use super::issue_marks::{Mark, marks, paint, underlined};
use super::line_numbers::{number_margin, paint_numbers};
use super::{Tab, TabContext, TabName};
use crate::analysis::{BoundShaders, DrawShaders, ShaderTexts, TextInfo};
use crate::command::{Place, ShaderStage};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::edits::{EditedShader, Edits};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::shader::{ShaderIssue, ShaderLanguage};

pub(super) const NAME: TabName = TabName("Shaders");

/// Longer texts are shown line by line, without colours, and can't be edited here: laying them out takes longer than a
/// picture.
pub(super) const MAX_EDITED_BYTES: usize = 200_000;

/// Which text of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextChoice {
    /// The one in this language.
    Only(ShaderLanguage),
    /// What its text was translated to, where the language is one that is.
    Translated,
    /// Those in all languages, next to each other.
    SideBySide,
}

impl Default for TextChoice {
    fn default() -> Self {
        Self::Only(ShaderLanguage::default())
    }
}

/// What the choice of all texts is called.
const SIDE_BY_SIDE: &str = if ShaderLanguage::ALL.len() == 2 { "both" } else { "all" };

/// Shaders, and the draw that they are the shaders of.
type PlacedShaders = (Place, Arc<BoundShaders>);

/// The texts of a draw's shaders.
#[derive(Default)]
pub(super) struct ShadersTab {
    stage: ShaderStageChoice,
    /// The stage whose bytecode is shown.
    bytecode_stage: BytecodeStage,
    shown: TextChoice,
    shaders: Question<(Place, Option<u32>), Result<PlacedShaders, String>>,
    /// The draw whose text the cursor is in.
    typed_at: Option<Place>,
}

/// The stage whose bytecode is shown, if it has any.
struct BytecodeStage(ShaderStage);

impl Default for BytecodeStage {
    fn default() -> Self {
        Self(ShaderStage::Fragment)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShaderStageChoice {
    Vertex,
    #[default]
    Fragment,
}

impl Tab for ShadersTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let place = self.typed_at.take().unwrap_or(context.place());
        let chosen = context.shared.selection.context;
        let answer = self.shaders.get(context.epoch, (place, chosen), || {
            context.document.ask(QuestionKind::Shaders, move |analysis, _| {
                Ok((place, Arc::new(analysis.bound_shaders(place, chosen)?)))
            })
        });
        let Some(Answer { value: (place, bound), is_old }) = known_ui(ui, answer).map(Answer::cloned) else {
            return;
        };
        let shaders = match &*bound {
            BoundShaders::Texts(shaders) => shaders,
            BoundShaders::Bytecode(bound) => {
                edits_ui(ui, context);
                let is_old = is_old || context.shared.edits.is_trying();
                answer_ui(ui, &Answer { value: (), is_old }, |ui| {
                    context.shared.edits.issues().for_each(|issue| issue_ui(ui, issue));
                });
                let BytecodeStage(stage) = &mut self.bytecode_stage;
                if bytecode_ui(ui, bound, stage, context) {
                    self.typed_at = Some(place);
                }
                return;
            }
        };
        self.head_ui(ui, shaders);
        edits_ui(ui, context);
        let edits = &mut context.shared.edits;
        let shaders = Answer { value: &**shaders, is_old: is_old || edits.is_trying() };
        let texts = match self.stage {
            ShaderStageChoice::Vertex => &shaders.value.vertex,
            ShaderStageChoice::Fragment => &shaders.value.fragment,
        };
        ui.separator();
        answer_ui(ui, &shaders, |ui| issues_ui(ui, edits, shaders.value));
        if (TextsUi { shaders: &shaders, edits }).ui(ui, self.shown, self.stage, texts) {
            self.typed_at = Some(place);
        }
    }
}

impl ShadersTab {
    fn head_ui(&mut self, ui: &mut Ui, shaders: &DrawShaders) {
        ui.horizontal_wrapped(|ui| {
            ui.strong(shaders.pipeline.to_string());
            let stages = [(ShaderStageChoice::Vertex, "vertex"), (ShaderStageChoice::Fragment, "fragment")];
            for (stage, name) in stages {
                ui.selectable_value(&mut self.stage, stage, name);
            }
            ui.separator();
            let only = |language: ShaderLanguage| (TextChoice::Only(language), language.facts().short_title);
            let others = [(TextChoice::SideBySide, SIDE_BY_SIDE), (TextChoice::Translated, "translated")];
            for (shown, name) in ShaderLanguage::ALL.map(only).into_iter().chain(others) {
                ui.selectable_value(&mut self.shown, shown, name);
            }
        });
    }
}

/// What is edited and not saved, and saving it.
fn edits_ui(ui: &mut Ui, context: &mut TabContext<'_>) {
    let (document, edits) = (context.document, &mut context.shared.edits);
    if edits.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let unsaved = match edits.unsaved() {
            0 => String::new(),
            unsaved => format!(", {unsaved} not saved"),
        };
        ui.label(format!("{} edited{unsaved}", edits.count()));
        if ui.button("Save as replacements").on_hover_text("a folder for --replace-shaders").clicked() {
            edits.save(document, &document.replacements_folder);
        }
        if ui.button("Back to the trace's texts").clicked() {
            context.actions.push(Action::SetShaders(Box::new(edits.give_up(&document.open.shaders))));
        }
    });
    match edits.saved() {
        Some(Ok(paths)) => {
            let folder = document.replacements_folder.display();
            ui.label(format!("{} texts are in {folder}: --replace-shaders {folder}", paths.len()));
        }
        Some(Err(message)) => {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        None => {}
    }
}

fn issues_ui(ui: &mut Ui, edits: &Edits, shaders: &DrawShaders) {
    let of_trace = shaders.compiled.iter().filter(|pair| pair.is_used).flat_map(|pair| &pair.issues);
    let issues: Vec<&ShaderIssue> = edits.issues().chain(of_trace).collect();
    issues.into_iter().for_each(|issue| issue_ui(ui, issue));
    for pair in shaders.compiled.iter().filter(|pair| pair.is_used) {
        for remark in &pair.remarks {
            ui.weak(remark);
        }
    }
}

fn issue_ui(ui: &mut Ui, issue: &ShaderIssue) {
    let place = match (issue.line, issue.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        _ => String::new(),
    };
    let stage = issue.stage.map_or(String::new(), |stage| format!("{stage}: "));
    ui.colored_label(ui.visuals().error_fg_color, format!("{stage}{place}{}", issue.message));
}

/// The texts, and what is typed into them.
struct TextsUi<'a> {
    shaders: &'a Answer<&'a DrawShaders>,
    edits: &'a mut Edits,
}

impl TextsUi<'_> {
    /// Draws the texts; says whether the cursor is in one of them.
    fn ui(&mut self, ui: &mut Ui, shown: TextChoice, stage: ShaderStageChoice, texts: &ShaderTexts) -> bool {
        let shaders = self.shaders;
        let find = |language: ShaderLanguage| texts.texts.iter().find(|text| text.language == language.name());
        match shown {
            TextChoice::Only(language) => self.text_ui(ui, find(language), texts.stage, language.facts().short_title),
            TextChoice::SideBySide => ui.columns(ShaderLanguage::ALL.len(), |columns| {
                let shown = columns.iter_mut().zip(ShaderLanguage::ALL);
                // Every text is drawn, whichever the cursor is in.
                shown.fold(false, |has_focus, (column, language)| {
                    self.text_ui(column, find(language), texts.stage, language.facts().short_title) | has_focus
                })
            }),
            TextChoice::Translated => {
                let translated = shaders.value.compiled.iter().find_map(|pair| pair.translated.as_ref());
                let text = translated.map(|[vertex, fragment]| match stage {
                    ShaderStageChoice::Vertex => vertex.as_str(),
                    ShaderStageChoice::Fragment => fragment.as_str(),
                });
                answer_ui(ui, shaders, |ui| match text {
                    Some(text) if text.len() > MAX_EDITED_BYTES => lines_ui(ui, "translated", text),
                    Some(mut text) => {
                        code_ui(ui, "translated", &mut text, &[]);
                    }
                    None => {
                        let rewritten = ShaderLanguage::ALL.into_iter().filter(|of| of.facts().rewrite.is_some());
                        let titles: Vec<&str> = rewritten.map(|of| of.facts().short_title).collect();
                        ui.weak(format!("there is no {} text, or it does not compile", titles.join(" or ")));
                    }
                });
                false
            }
        }
    }

    /// What is wrong with the trace's own texts in a language.
    fn issues_of_trace(&self, language: &str) -> &[ShaderIssue] {
        let compiled = &self.shaders.value.compiled;
        compiled.iter().find(|pair| pair.language == language).map(|pair| &*pair.issues).unwrap_or_default()
    }

    fn text_ui(&mut self, ui: &mut Ui, info: Option<&TextInfo>, stage: ShaderStage, language: &str) -> bool {
        let shaders = self.shaders;
        let Some(info) = info else {
            ui.weak(format!("no {language} in the trace"));
            return false;
        };
        let Some(original) = info.replacement.as_ref().or(info.text.as_ref()) else {
            ui.weak("longer than any shader may be");
            return false;
        };
        answer_ui(ui, shaders, |ui| {
            let used = shaders.value.compiled.iter().any(|pair| pair.is_used && pair.language == info.language);
            let state = if used { "drawn with" } else { "not drawn with" };
            ui.weak(format!("blob {} at {:#x}, {} bytes, {state}", info.blob, info.text_offset, info.size_bytes));
        });
        let record = info.record_offset;
        if original.len() > MAX_EDITED_BYTES {
            ui.weak("too long to be edited here");
            lines_ui(ui, (language, record), original);
            return false;
        }
        let mut text = self.edits.text(record).unwrap_or(original).to_owned();
        let issues = self.edits.issues_of(record).unwrap_or_else(|| self.issues_of_trace(info.language));
        let marks = marks(&text, issues.iter().filter(|issue| issue.stage == Some(stage)));
        let field = code_ui(ui, (language, record), &mut text, &marks);
        if field.changed() {
            self.edits.set(record, original, text, EditedShader::Text(shaders.value.creation));
        }
        field.has_focus()
    }
}

/// A text with colours, in a field.
pub(super) fn code_ui(
    ui: &mut Ui,
    id: impl std::hash::Hash + std::fmt::Debug,
    text: &mut dyn egui::TextBuffer,
    marks: &[Mark],
) -> egui::Response {
    let (colour, row_height) = (ui.visuals().error_fg_color, ui.text_style_height(&TextStyle::Monospace));
    let theme = egui_extras::syntax_highlighting::CodeTheme::from_style(ui.style());
    let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _width: f32| {
        let mut job = if text.as_str().len() <= MAX_EDITED_BYTES {
            // The languages read like Rust and C to a highlighter of words.
            egui_extras::syntax_highlighting::highlight(ui.ctx(), ui.style(), &theme, text.as_str(), "rs")
        } else {
            let format = TextFormat::simple(FontId::monospace(12.0), ui.visuals().text_color());
            egui::text::LayoutJob::single_section(text.as_str().to_owned(), format)
        };
        job.wrap.max_width = f32::INFINITY;
        let job = underlined(job, marks, colour, row_height);
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    // Errors come and go above the text; it is the same text all the same, and keeps the keyboard.
    let id = egui::Id::unique(("code", format!("{id:?}")));
    let area = ScrollArea::both().id_salt(id).auto_shrink(false);
    let margin = number_margin(ui, text.as_str());
    let output = area.show(ui, |ui| {
        let field = TextEdit::multiline(text).id(id).code_editor().desired_width(f32::INFINITY);
        let output = field.margin(margin).layouter(&mut layouter).show(ui);
        paint(ui, &output, marks, colour, row_height);
        paint_numbers(ui, &output, row_height);
        output.response.response
    });
    output.inner
}

/// A long text, of which only the lines on the screen are laid out.
pub(super) fn lines_ui(ui: &mut Ui, id: impl std::hash::Hash + std::fmt::Debug, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let height = ui.text_style_height(&TextStyle::Monospace);
    let area = ScrollArea::both().id_salt(("lines", format!("{id:?}"))).auto_shrink(false);
    area.show_rows(ui, height, lines.len(), |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let digits = lines.len().to_string().len();
        for (number, line) in (rows.start + 1..).zip(lines.get(rows).unwrap_or_default()) {
            ui.horizontal(|ui| {
                ui.weak(egui::RichText::new(format!("{number:digits$}")).monospace());
                ui.monospace(*line);
            });
        }
    });
}
