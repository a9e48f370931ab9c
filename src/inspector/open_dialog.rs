//! Choosing a file to open: folders, files, a path to type, and what was open lately.

use std::path::{Path, PathBuf};

use egui::{Align2, Id, Key, Modifiers, ScrollArea, TextEdit, Ui, Window};

use super::action::Action;

/// A folder with more entries than this is shown in part.
const MOST_ENTRIES: usize = 5000;

/// What a file is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenPurpose {
    /// To be shown.
    Show,
    /// To be compared with the one that is shown.
    Compare,
}

impl OpenPurpose {
    /// Title of the dialog.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Show => "Open a trace",
            Self::Compare => "Compare with another trace",
        }
    }

    /// Does it with the file that was chosen.
    pub(super) fn action(self, path: PathBuf) -> Action {
        match self {
            Self::Show => Action::Open(path),
            Self::Compare => Action::CompareWith(path),
        }
    }
}

/// The dialog, while it is open.
pub(super) struct OpenDialog {
    purpose: OpenPurpose,
    folder: PathBuf,
    typed: String,
    entries: Result<Vec<Entry>, String>,
    needs_focus: bool,
}

struct Entry {
    name: String,
    path: PathBuf,
    is_folder: bool,
}

impl OpenDialog {
    /// Opens in `folder`.
    pub(crate) fn new(folder: &Path, purpose: OpenPurpose) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let entries = list(&folder);
        Self { purpose, typed: folder.display().to_string(), folder, entries, needs_focus: true }
    }

    fn enter(&mut self, folder: &Path) {
        *self = Self::new(folder, self.purpose);
    }

    /// Draws it; says whether it stays open.
    pub(crate) fn ui(&mut self, ui: &Ui, recent: &[PathBuf], actions: &mut Vec<Action>) -> bool {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            return false;
        }
        let mut chosen = None;
        let mut is_open = true;
        let window = Window::new(self.purpose.title()).anchor(Align2::CENTER_CENTER, [0.0, 0.0]).collapsible(false);
        window.open(&mut is_open).default_size([560.0, 420.0]).show(ui.ctx(), |ui| {
            let field =
                TextEdit::singleline(&mut self.typed).id(Id::unique("path to open")).desired_width(f32::INFINITY);
            let field = ui.add(field.hint_text("path"));
            if self.needs_focus {
                field.request_focus();
                // A window is laid out once before it is shown, and takes no input then.
                self.needs_focus = ui.is_sizing_pass();
            }
            if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                chosen = Some(PathBuf::from(&self.typed));
            }
            if !recent.is_empty() {
                ui.collapsing("recent", |ui| {
                    for path in recent {
                        if ui.link(path.display().to_string()).clicked() {
                            chosen = Some(path.clone());
                        }
                    }
                });
            }
            ui.separator();
            if let Some(path) = self.list_ui(ui) {
                chosen = Some(path);
            }
        });
        let Some(path) = chosen else { return is_open };
        if path.is_dir() {
            self.enter(&path);
            return is_open;
        }
        actions.push(self.purpose.action(path));
        false
    }

    fn list_ui(&self, ui: &mut Ui) -> Option<PathBuf> {
        let mut chosen = None;
        if let Some(parent) = self.folder.parent()
            && ui.link("⏶ ..").on_hover_text("the folder above").clicked()
        {
            chosen = Some(parent.to_owned());
        }
        match &self.entries {
            Err(message) => {
                ui.colored_label(ui.visuals().error_fg_color, message);
            }
            Ok(entries) => {
                let height = ui.text_style_height(&egui::TextStyle::Body);
                let area = ScrollArea::vertical().auto_shrink(false).max_height(320.0);
                area.show_rows(ui, height, entries.len(), |ui, rows| {
                    for entry in entries.get(rows).unwrap_or_default() {
                        let name = if entry.is_folder { format!("{}/", entry.name) } else { entry.name.clone() };
                        if ui.link(name).clicked() {
                            chosen = Some(entry.path.clone());
                        }
                    }
                });
            }
        }
        chosen
    }
}

/// Folders first, both by name; what is hidden stays hidden.
fn list(folder: &Path) -> Result<Vec<Entry>, String> {
    let read = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let entry = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let is_folder = path.is_dir();
        (!name.starts_with('.')).then_some(Entry { name, path, is_folder })
    };
    let mut entries: Vec<Entry> = read.flatten().filter_map(entry).take(MOST_ENTRIES).collect();
    entries.sort_by(|a, b| (!a.is_folder, &a.name).cmp(&(!b.is_folder, &b.name)));
    Ok(entries)
}
