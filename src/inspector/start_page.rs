//! The page that the window begins with where no trace is named: what to open, and what to try.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Align, Button, CentralPanel, Key, Layout, Modifiers, Response, RichText, ScrollArea, Ui, vec2};

use super::action::Action;
use super::example::{ABOUT, ExampleTask};
use super::file_chooser::FileChooser;
use super::open_dialog::OpenPurpose;
use super::promise::Promise;
use super::saved_state::{Preferences, StateStore};
use super::services::Services;
use super::worker::{Topic, Wake, Worker};
use super::{keys, layout};

/// Width of the page, in points; a narrow window has less.
const WIDTH: f32 = 640.0;
/// Space at both sides at least.
const MARGIN: f32 = 16.0;
/// Width of the button that forgets a file.
const FORGET_WIDTH: f32 = 28.0;

/// Choice on the page.
pub(super) enum StartChoice {
    Trace(PathBuf),
    Example(ExampleTask),
}

/// The page.
pub(super) struct StartPage {
    state_store: StateStore,
    preferences: Preferences,
    /// Recent files that are there no more. Looking for them may take long where they lie on a network.
    missing: Promise<BTreeSet<PathBuf>>,
    _looking: Worker<()>,
    chooser: FileChooser,
    message: Option<String>,
    has_quit: bool,
    needs_focus: bool,
}

impl StartPage {
    pub(crate) fn new(services: &Arc<dyn Services>, wake: &Wake) -> std::io::Result<Self> {
        let state_store = StateStore::new(services.state_folder());
        let preferences = state_store.preferences();
        let looking = Worker::start("recent files", || (), wake.clone())?;
        let recent = preferences.recent.clone();
        let missing = looking.ask(Topic::File, "looking for recent files", move |(), _| {
            recent.into_iter().filter(|path| !path.exists()).collect()
        });
        let chooser = FileChooser::new(services, wake)?;
        Ok(Self {
            state_store,
            preferences,
            missing,
            _looking: looking,
            chooser,
            message: None,
            has_quit: false,
            needs_focus: true,
        })
    }

    pub(crate) fn say(&mut self, message: String) {
        self.message = Some(message);
    }

    pub(crate) fn quit(&mut self) {
        self.has_quit = true;
    }

    pub(crate) fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// Draws the page; says what was chosen.
    pub(crate) fn ui(&mut self, ui: &mut Ui) -> Option<StartChoice> {
        layout::set_theme(ui.ctx(), self.preferences.is_light);
        if keys::take_quit(ui) {
            self.quit();
        }
        let mut choice = self.keys(ui);
        choice = choice.or(ui.input(|input| {
            let dropped = input.raw.dropped_files.first();
            dropped.map(|file| StartChoice::Trace(file.path().to_owned()))
        }));
        CentralPanel::default().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                let width = (ui.available_width() - 2.0 * MARGIN).min(WIDTH);
                let margin = (ui.available_width() - width) / 2.0;
                ui.horizontal_top(|ui| {
                    ui.add_space(margin);
                    ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
                        ui.set_width(width);
                        choice = choice.take().or(self.page_ui(ui));
                    });
                });
            });
        });
        let mut actions = Vec::new();
        self.chooser.ui(ui, &self.preferences.recent, &mut actions);
        for action in actions {
            if let Action::Open(path) = action {
                choice = Some(StartChoice::Trace(path));
            }
        }
        choice
    }

    /// The page's own keys. A dialog in front has them all.
    fn keys(&mut self, ui: &Ui) -> Option<StartChoice> {
        if self.chooser.is_open() {
            return None;
        }
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        if pressed(Modifiers::COMMAND, Key::O) {
            self.show_dialog();
        }
        if pressed(Modifiers::COMMAND, Key::L) {
            self.preferences.is_light = !self.preferences.is_light;
            self.state_store.save_preferences(&self.preferences);
        }
        if pressed(Modifiers::NONE, Key::Escape) {
            self.message = None;
        }
        let task = ExampleTask::ALL.into_iter().find(|task| pressed(Modifiers::NONE, task.key()));
        task.map(StartChoice::Example)
    }

    /// Asks for a file, first where the newest of the recent ones lies.
    fn show_dialog(&mut self) {
        let folder = self.preferences.recent.first().and_then(|path| path.parent()).filter(|folder| folder.is_dir());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        self.chooser.show(&folder, OpenPurpose::Show);
    }

    fn page_ui(&mut self, ui: &mut Ui) -> Option<StartChoice> {
        ui.add_space(24.0);
        ui.label(RichText::new("aerogpu-replay").heading().size(24.0).strong());
        ui.label("Shows any frame of an AeroGPU trace, and which command wrote each pixel.");
        ui.add_space(12.0);
        let open = ui.horizontal(|ui| {
            let open = ui.add(Button::new(RichText::new("Open…").size(16.0)).right_text("Ctrl O"));
            ui.weak("or drop a trace on the window");
            open
        });
        if open.inner.clicked() {
            self.show_dialog();
        }
        if let Some(message) = &self.message {
            ui.add_space(6.0);
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        let recent = self.recent_ui(ui);
        ui.add_space(16.0);
        ui.label(RichText::new("Example").strong());
        ui.label(ABOUT);
        let (mut chosen, mut first) = (None, None);
        for task in ExampleTask::ALL {
            let shown = task_ui(ui, task);
            if shown.clicked() {
                chosen = Some(StartChoice::Example(task));
            }
            first.get_or_insert(shown);
        }
        ui.add_space(16.0);
        ui.weak(
            "Tab and the arrow keys move, Enter opens, Delete removes a recent file from the list. Ctrl L: light or dark. Ctrl Q: quit.",
        );
        ui.add_space(16.0);
        if self.needs_focus
            && !ui.is_sizing_pass()
            && let Some(first) = recent.first.or(first)
        {
            // Enter opens the trace of the last time, or the example.
            first.request_focus();
            self.needs_focus = false;
        }
        recent.chosen.map(StartChoice::Trace).or(chosen)
    }

    fn recent_ui(&mut self, ui: &mut Ui) -> Recent {
        let mut recent = Recent { first: None, chosen: None };
        if self.preferences.recent.is_empty() {
            return recent;
        }
        ui.add_space(16.0);
        ui.label(RichText::new("Recent").strong());
        let mut forgotten = None;
        for path in &self.preferences.recent {
            let is_missing = self.missing.get().is_some_and(|missing| missing.contains(path));
            let (file, forget) = recent_file_ui(ui, path, is_missing);
            let deletes = file.has_focus() && ui.input(|input| input.key_pressed(Key::Delete));
            if forget.clicked() || deletes {
                forgotten = Some(path.clone());
            } else if file.clicked() && is_missing {
                self.message = Some(format!("{} is missing: Delete removes it from the list", path.display()));
            } else if file.clicked() {
                recent.chosen = Some(path.clone());
            }
            recent.first.get_or_insert(file);
        }
        if let Some(path) = forgotten {
            self.preferences.recent.retain(|known| *known != path);
            self.state_store.save_preferences(&self.preferences);
            // The keyboard goes to what is first by now.
            self.needs_focus = true;
            ui.ctx().request_repaint();
        }
        recent
    }
}

/// The list of recent files as it was drawn.
struct Recent {
    first: Option<Response>,
    chosen: Option<PathBuf>,
}

/// A recent file, and what forgets it.
fn recent_file_ui(ui: &mut Ui, path: &Path, is_missing: bool) -> (Response, Response) {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new("")).display();
    let (name, beside) = match is_missing {
        true => (RichText::new(name).weak().strikethrough(), RichText::new(format!("missing: {folder}")).weak()),
        // A pale text could not be read on a button.
        false => (RichText::new(name), RichText::new(folder.to_string()).small()),
    };
    ui.horizontal(|ui| {
        let width = ui.available_width() - FORGET_WIDTH;
        let file = Button::new(name).right_text(beside).truncate();
        let file = ui.add(file.min_size(vec2(width, 0.0)));
        let file = file.on_hover_text(path.display().to_string());
        let forget = ui.add(Button::new("✖").frame(false)).on_hover_text("remove this file from the list");
        (file, forget)
    })
    .inner
}

/// Action on the example: a button and its effect.
fn task_ui(ui: &mut Ui, task: ExampleTask) -> Response {
    ui.add_space(6.0);
    let button = Button::new(RichText::new(task.title()).size(15.0)).right_text(task.key().name());
    let shown = ui.add(button.min_size(vec2(ui.available_width(), 0.0)));
    ui.weak(task.meaning());
    shown
}
