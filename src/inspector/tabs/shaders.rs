//! The texts of the draw's shaders, side by side, and editing them.
//!
//! What is typed is the user's own and always to be seen; what is known about it (errors, the translation, whether it
//! is drawn with) is an answer, and dimmed as long as it is about an older text. While the cursor is in a text the
//! panel stays with its draw, wherever playing leads.

use std::sync::Arc;

use egui::{RichText, Ui};

use super::bytecode::bytecode_ui;
use super::code::{MAX_EDITED_BYTES, TextSearch, code_ui, lines_ui};
use super::issue_marks::marks;
use super::{Tab, TabContext, TabName};
use crate::analysis::{BoundShaders, CompiledPair, DrawShaders, ShaderTexts, TextInfo};
use crate::command::{Place, ShaderStage};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::edits::{EditedShader, Edits};
use crate::inspector::problems::color_of;
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::shader::{ShaderIssue, ShaderLanguage};
use crate::text::counted;

pub(super) const NAME: TabName = TabName("Shaders");

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
    /// `None`: the text that is drawn with.
    shown: Option<TextChoice>,
    shaders: Question<(Place, Option<u32>), Result<PlacedShaders, String>>,
    search: TextSearch,
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

impl ShaderStageChoice {
    fn of(stage: ShaderStage) -> Option<Self> {
        match stage {
            ShaderStage::Vertex => Some(Self::Vertex),
            ShaderStage::Fragment => Some(Self::Fragment),
            _ => None,
        }
    }
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
                let BytecodeStage(stage) = &mut self.bytecode_stage;
                answer_ui(ui, &Answer { value: (), is_old }, |ui| {
                    let issues = context.shared.edits.issues();
                    if let Some(issue) = issues_ui(ui, issues) {
                        *stage = issue.stage.unwrap_or(*stage);
                        self.search.go_to(issue);
                    }
                });
                if bytecode_ui(ui, bound, stage, &mut self.search, context) {
                    self.typed_at = Some(place);
                }
                return;
            }
        };
        let shown = self.shown.unwrap_or_else(|| TextChoice::Only(language_of(shaders)));
        self.head_ui(ui, shaders, shown, &mut context.shared.searches_texts);
        edits_ui(ui, context);
        let edits = &mut context.shared.edits;
        let shaders = Answer { value: &**shaders, is_old: is_old || edits.is_trying() };
        ui.separator();
        answer_ui(ui, &shaders, |ui| {
            let used = || shaders.value.compiled.iter().filter(|pair| pair.is_used);
            let of_trace = used().flat_map(CompiledPair::said);
            if let Some(issue) = issues_ui(ui, edits.issues().chain(of_trace)) {
                self.stage = issue.stage.and_then(ShaderStageChoice::of).unwrap_or(self.stage);
                self.search.go_to(issue);
            }
        });
        let texts = match self.stage {
            ShaderStageChoice::Vertex => &shaders.value.vertex,
            ShaderStageChoice::Fragment => &shaders.value.fragment,
        };
        let search = &mut self.search;
        if (TextsUi { shaders: &shaders, edits, search }).ui(ui, shown, self.stage, texts) {
            self.typed_at = Some(place);
        }
    }
}

impl ShadersTab {
    fn head_ui(&mut self, ui: &mut Ui, shaders: &DrawShaders, shown: TextChoice, gets_keyboard: &mut bool) {
        ui.horizontal_wrapped(|ui| {
            ui.strong(shaders.pipeline.to_string());
            let stages = [(ShaderStageChoice::Vertex, "vertex"), (ShaderStageChoice::Fragment, "fragment")];
            for (stage, name) in stages {
                ui.selectable_value(&mut self.stage, stage, name);
            }
            ui.separator();
            let only = |language: ShaderLanguage| (TextChoice::Only(language), language.facts().short_title);
            let others = [(TextChoice::SideBySide, SIDE_BY_SIDE), (TextChoice::Translated, "translated")];
            for (choice, name) in ShaderLanguage::ALL.map(only).into_iter().chain(others) {
                if ui.selectable_label(choice == shown, name).clicked() {
                    self.shown = Some(choice);
                }
            }
            ui.separator();
            self.search.ui(ui, gets_keyboard);
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
        if ui
            .button("Save as replacements")
            .on_hover_text("saves the edited texts in a folder for --replace-shaders")
            .clicked()
        {
            edits.save(document, &document.replacements_folder);
        }
        if ui.button("Restore the trace's texts").clicked() {
            context.actions.push(Action::SetShaders(Box::new(edits.give_up(&document.open.shaders))));
        }
    });
    match edits.saved() {
        Some(Ok(paths)) => {
            let folder = document.replacements_folder.display();
            ui.label(format!("{} saved in {folder}: --replace-shaders {folder}", counted(paths.len(), "text")));
        }
        Some(Err(message)) => {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        None => {}
    }
}

/// The language that is drawn with, or of a text that there is.
fn language_of(shaders: &DrawShaders) -> ShaderLanguage {
    let used = shaders.compiled.iter().find(|pair| pair.is_used).map(|pair| pair.language);
    let name = used.or_else(|| shaders.fragment.texts.first().map(|text| text.language));
    name.and_then(ShaderLanguage::from_name).unwrap_or_default()
}

/// Lists what is wrong or odd; gives what was clicked.
fn issues_ui<'i>(ui: &mut Ui, issues: impl Iterator<Item = &'i ShaderIssue>) -> Option<&'i ShaderIssue> {
    let mut clicked = None;
    for issue in issues {
        let place = match (issue.line, issue.column) {
            (Some(line), Some(column)) => format!("line {line}, column {column}: "),
            (Some(line), None) => format!("line {line}: "),
            _ => String::new(),
        };
        let stage = issue.stage.map_or(String::new(), |stage| format!("{stage}: "));
        let text = RichText::new(format!("{stage}{place}{}", issue.message)).color(color_of(issue.severity, ui));
        if issue.range.is_none() {
            ui.label(text);
        } else if ui.link(text).on_hover_text("go to the line").clicked() {
            clicked = Some(issue);
        }
    }
    clicked
}

/// The texts, and what is typed into them.
struct TextsUi<'a> {
    shaders: &'a Answer<&'a DrawShaders>,
    edits: &'a mut Edits,
    search: &'a mut TextSearch,
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
                    Some(text) if text.len() > MAX_EDITED_BYTES => lines_ui(ui, "translated", text, self.search),
                    Some(mut text) => {
                        code_ui(ui, "translated", &mut text, &[], self.search);
                    }
                    None => {
                        let rewritten = ShaderLanguage::ALL.into_iter().filter(|of| of.facts().rewrite.is_some());
                        let titles: Vec<&str> = rewritten.map(|of| of.facts().short_title).collect();
                        ui.weak(format!("there is no {} text, or the text does not compile", titles.join(" or ")));
                    }
                });
                false
            }
        }
    }

    /// What is wrong with a text in a language, or else what is said of the pair that is drawn with.
    fn issues_of(&self, record: u64, language: &str) -> Vec<&ShaderIssue> {
        match self.edits.issues_of(record) {
            Some(issues) if !issues.is_empty() => issues.iter().collect(),
            _ => {
                let compiled = &self.shaders.value.compiled;
                compiled.iter().filter(|pair| pair.language == language).flat_map(CompiledPair::said).collect()
            }
        }
    }

    fn text_ui(&mut self, ui: &mut Ui, info: Option<&TextInfo>, stage: ShaderStage, language: &str) -> bool {
        let shaders = self.shaders;
        let Some(info) = info else {
            ui.weak(format!("the trace has no {language} text"));
            return false;
        };
        let Some(original) = info.replacement.as_ref().or(info.text.as_ref()) else {
            ui.weak("the text is longer than the limit for shaders");
            return false;
        };
        answer_ui(ui, shaders, |ui| {
            let used = shaders.value.compiled.iter().any(|pair| pair.is_used && pair.language == info.language);
            let state = if used { "in use" } else { "not in use" };
            ui.weak(format!(
                "blob {} at {:#x}, {}, {state}",
                info.blob,
                info.text_offset,
                counted(info.size_bytes, "byte")
            ));
        });
        let record = info.record_offset;
        if original.len() > MAX_EDITED_BYTES {
            ui.weak("too long to edit here");
            lines_ui(ui, (language, record), original, self.search);
            return false;
        }
        let mut text = self.edits.text(record).unwrap_or(original).to_owned();
        let issues = self.issues_of(record, info.language).into_iter();
        let marks = marks(&text, issues.filter(|issue| issue.stage == Some(stage)));
        let field = code_ui(ui, (language, record), &mut text, &marks, self.search);
        if field.changed() {
            self.edits.set(record, original, text, EditedShader::Text(shaders.value.creation));
        }
        field.has_focus()
    }
}
