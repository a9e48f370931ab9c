//! The inspector: frames, commands, state, resources and timelines side by side. One file a panel.
//!
//! Nothing here knows the window system: [`crate::window`] feeds it events and puts on the screen what it draws, and
//! tests drive it without a display.
//!
//! ```text
//!   keys, buttons, pointer ──► Action ──► Inspector::act ──► place, settings
//!                                                              │ ask (newest wins)
//!   panels ◄── answers ◄── wake-up ◄── player's thread, clerk's thread
//! ```
//!
//! A panel draws what is known and asks for what is not; it never waits.

mod action;
mod compare;
mod desk;
mod document;
mod events;
mod help;
mod host;
mod keys;
mod lanes;
mod layout;
mod look;
mod memory;
mod mesh;
mod moving;
mod notes;
mod open_dialog;
mod pacing;
mod picture;
mod pixel;
mod problems;
mod resources;
mod shaders;
mod state;
mod strip;
mod studio;
pub mod timeline;
mod toolbar;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::Ui;

pub use self::action::{Action, CompareMode, Direction, Step, Tab};
use self::compare::Compare;
use self::desk::Pending;
pub use self::desk::Wake;
use self::document::Document;
use self::events::EventsPanel;
pub use self::host::{Annotation, Host, OpenTrace};
pub use self::lanes::AnnotationChoice;
use self::look::Look;
use self::memory::{Bookmark, Memory, PanelSizes, Preferences, TraceMemory};
use self::mesh::MeshTab;
use self::open_dialog::OpenDialog;
use self::pacing::Pacing;
use self::picture::PicturePanel;
use self::pixel::PixelTab;
use self::problems::{Problems, Severity};
use self::resources::ResourcesPanel;
use self::shaders::ShadersPanel;
use self::state::StateModel;
use self::strip::Strip;
use self::studio::Shown;
pub use self::studio::{GpuChoice, Place};
use self::timeline::TimelinePanel;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::ObjectCounts;
use crate::pixels::Picture;
use crate::player::{PlayerError, Until, Watchdog};
use crate::replay::ShaderOptions;

/// What the inspector starts with.
pub struct InspectorOptions {
    /// The trace to show.
    pub open: OpenTrace,
    /// What lies beside it on the timeline.
    pub annotations: Vec<AnnotationChoice>,
    /// The frame to show first; `None`: where one was the last time.
    pub first_frame: Option<FrameIndex>,
    /// Frames a second while playing.
    pub fps: f64,
    /// Whether to play from the start.
    pub plays: bool,
    /// Whether there is anything but the picture.
    pub panels: Panels,
    /// The GPU that pictures are made on.
    pub gpu: GpuChoice,
    /// Watches over each frame; the player takes it.
    pub watchdog: Option<Watchdog>,
}

/// Whether there is anything but the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// Everything.
    Shown,
    /// Only the picture.
    Hidden,
}

/// A message in the bar at the bottom stays for so long.
const MESSAGE_STAYS: Duration = Duration::from_secs(6);

/// How long to wait for a thread when the window is closed.
const CLOSING_LASTS: Duration = Duration::from_secs(5);

/// The inspector of one window.
pub struct Inspector {
    host: Arc<dyn Host>,
    wake: Wake,
    choice: GpuChoice,
    memory: Memory,
    preferences: Preferences,
    document: Document,
    place: Place,
    /// Places before jumps.
    trail: Vec<Place>,
    asked: Option<(Place, Pending<Shown>)>,
    /// The newest answer.
    shown: Option<Shown>,
    /// The newest picture: it stays while the next one is made, and when that has an error.
    picture: Option<Arc<Picture>>,
    pacing: Pacing,
    panels: Panels,
    sizes: PanelSizes,
    tab: Tab,
    has_help: bool,
    dialog: Option<OpenDialog>,
    picture_panel: PicturePanel,
    compare: Compare,
    strip: Strip,
    timeline: Option<TimelinePanel>,
    timeline_has_pointer: bool,
    events: EventsPanel,
    state: StateModel,
    look: Look,
    pixel: PixelTab,
    mesh: MeshTab,
    resources: ResourcesPanel,
    shaders: ShadersPanel,
    problems: Problems,
    bookmarks: std::collections::BTreeMap<u8, Bookmark>,
    notes: String,
    message: Option<(String, Instant)>,
    /// Whether to save the picture that is being made.
    saves_next: bool,
    has_quit: bool,
    first_error: Option<Arc<PlayerError>>,
}

impl Inspector {
    /// An inspector of a trace. `wake` is called from other threads when there is something new to draw.
    pub fn new(host: Arc<dyn Host>, options: InspectorOptions, wake: Wake) -> std::io::Result<Self> {
        let memory = Memory::new(host.memory_folder());
        let preferences = memory.preferences();
        let InspectorOptions { open, annotations, first_frame, fps, plays, panels, gpu, watchdog } = options;
        let document = Document::new(open, annotations, gpu.clone(), watchdog, host.clone(), &wake)?;
        let start = Place { frame: first_frame.unwrap_or_default(), until: Until::EndOfFrame };
        let mut inspector = Self {
            host,
            wake,
            choice: gpu,
            memory,
            preferences,
            document,
            place: start,
            trail: Vec::new(),
            asked: None,
            shown: None,
            picture: None,
            pacing: Pacing::new(fps),
            panels,
            sizes: PanelSizes::default(),
            tab: Tab::default(),
            has_help: false,
            dialog: None,
            picture_panel: PicturePanel::default(),
            compare: Compare::default(),
            strip: Strip::default(),
            timeline: None,
            timeline_has_pointer: false,
            events: EventsPanel::default(),
            state: StateModel::default(),
            look: Look::default(),
            pixel: PixelTab::default(),
            mesh: MeshTab::default(),
            resources: ResourcesPanel::default(),
            shaders: ShadersPanel::default(),
            problems: Problems::default(),
            bookmarks: Default::default(),
            notes: String::new(),
            message: None,
            saves_next: false,
            has_quit: false,
            first_error: None,
        };
        inspector.remember_trace(first_frame.is_none());
        if plays {
            inspector.pacing.play(Instant::now());
        }
        Ok(inspector)
    }

    /// What the window's title says.
    pub fn title(&self) -> String {
        let (name, count) = (self.document.name(), self.document.frame_count());
        let state = match &self.shown {
            Some(Shown { picture: Err(_), .. }) => ", error",
            _ if self.pacing.is_playing() => ", playing",
            _ => "",
        };
        let frame = self.shown.as_ref().map_or(self.place.frame, |shown| shown.place.frame);
        let adapter = match self.document.gpu.get() {
            Some(state) => match &state.adapter {
                Ok(adapter) => adapter.to_string(),
                Err(_) => "no GPU".to_owned(),
            },
            None => "opening the GPU".to_owned(),
        };
        format!("{name} – frame {frame}/{count}{state} – {adapter}")
    }

    /// Whether the user wants the window closed.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// The first error that a frame had, if one had: what the program ends with.
    pub fn first_error(&self) -> Option<&Arc<PlayerError>> {
        self.first_error.as_ref()
    }

    /// Where one is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The place and the picture that were shown last.
    pub fn shown_picture(&self) -> Option<(Place, &Arc<Picture>)> {
        let shown = self.shown.as_ref()?;
        Some((shown.place, shown.picture.as_ref().ok()?))
    }

    /// What lives on the player's GPU, as of the last picture.
    pub fn gpu_objects(&self) -> Option<ObjectCounts> {
        self.document.gpu.get()?.objects
    }

    /// What is said in the bar at the bottom.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(message, _)| message.as_str())
    }

    /// Whether nothing is being worked out.
    pub fn is_idle(&self) -> bool {
        self.asked.is_none() && self.document.studio.is_idle() && self.document.clerk.is_idle()
    }

    /// Forgets what was on a GPU that is gone; it is made anew when it is drawn.
    pub fn forget_textures(&mut self) {
        self.picture_panel.forget_texture();
        self.strip.clear();
    }

    /// Draws everything and does what was asked for.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.take_answers();
        self.play_on(ui);
        let mut actions = Vec::new();
        actions.extend(ui.input(|input| {
            let dropped = input.raw.dropped_files.first();
            dropped.map(|file| Action::Open(file.path().to_owned()))
        }));
        if self.document.has_changed() {
            actions.push(Action::Reload);
        }
        if let Some(message) = self.events.take_found(&mut actions) {
            self.say(message);
        }
        self.layout(ui, &mut actions);
        if !self.timeline_has_pointer {
            actions.extend(keys::pressed(ui));
        } else {
            // The timeline has keys of its own: w a s d f m / n.
            actions.extend(keys::pressed(ui).into_iter().filter(Action::is_for_timeline_too));
        }
        for action in actions {
            self.act(action, ui);
        }
        self.ask_for_picture();
        // The file is looked at now and then, also when nothing else happens.
        ui.ctx().request_repaint_after(Duration::from_secs(1));
    }

    /// Does what the user asks for.
    pub fn act(&mut self, action: Action, ui: &Ui) {
        match action {
            Action::TogglePlay => self.toggle_play(),
            Action::Step(step) => self.step(step),
            Action::GoTo(place) => self.jump(place),
            Action::GoToOffset(offset) => self.go_to_offset(offset),
            Action::ToggleHidden | Action::ToggleAlone => {
                let Some(draw) = self.document.last_draw(self.place.frame, self.place.until) else { return };
                if matches!(action, Action::ToggleHidden) {
                    self.look.toggle_hidden(self.place, draw);
                } else {
                    self.look.toggle_alone(self.place, draw);
                }
            }
            Action::CancelIndex => self.document.cancel_index(),
            Action::ResetLook => self.look.reset(),
            Action::Back => self.go_back(),
            Action::Save => self.save(),
            Action::CopyCommandLine => self.copy_command_line(ui),
            Action::Compare(mode) => self.compare.mode = mode,
            Action::TogglePanels => {
                self.panels = if self.panels == Panels::Shown { Panels::Hidden } else { Panels::Shown };
            }
            Action::ToggleHelp => self.has_help = !self.has_help,
            Action::ToggleTheme => {
                self.preferences.is_light = !self.preferences.is_light;
                self.memory.keep_preferences(&self.preferences);
            }
            Action::GoToBookmark(number) => self.go_to_bookmark(number),
            Action::SetBookmark(number) => self.set_bookmark(number),
            Action::FocusFilter => {
                self.panels = Panels::Shown;
                self.events.focus_filter();
            }
            Action::Find(direction) => {
                if let Err(message) = self.events.find(&self.document, self.place, direction) {
                    self.say(message);
                }
            }
            Action::SelectEvent(event) => self.select_event(event),
            Action::ShowTab(tab) => self.show_tab(tab),
            Action::ShowObject(_, creation) => {
                self.resources.select(creation);
                self.show_tab(Tab::Resources);
            }
            Action::SetShaders(options) => self.set_shaders(*options),
            Action::SelectPixel(pixel) => {
                self.picture_panel.selected = Some(pixel);
                self.show_tab(Tab::Pixel);
            }
            Action::ToggleGrid => self.picture_panel.toggle_grid(),
            Action::FitPicture => self.picture_panel.fit(),
            Action::ActualSize => self.picture_panel.actual_size(),
            Action::Zoom(direction) => self.picture_panel.zoom(direction),
            Action::ShowOpenDialog => {
                let folder = self.document.open.path.parent().unwrap_or(Path::new("."));
                self.dialog = Some(OpenDialog::new(folder));
            }
            Action::Open(path) => self.open(&path),
            Action::Reload => self.reload(),
            Action::Escape => {
                let had_something_in_front = std::mem::take(&mut self.has_help) | self.dialog.take().is_some();
                self.has_quit |= !had_something_in_front;
            }
            Action::Quit => self.has_quit = true,
        }
    }

    /// Has everything drawn anew with shaders made in another way.
    fn set_shaders(&mut self, options: ShaderOptions) {
        self.document.set_shaders(options);
        self.shaders.options_changed();
        self.state.clear();
        self.look.clear();
        self.pixel.clear();
        self.mesh.clear();
        self.strip.clear();
        self.compare.clear();
        // The picture stays until there is a new one, but is not what is asked for any more.
        self.asked = None;
        self.shown = None;
    }

    fn show_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.panels = Panels::Shown;
    }

    fn say(&mut self, message: impl Into<String>) {
        self.message = Some((message.into(), Instant::now()));
    }

    /// Saves the picture of the place, as soon as it is there.
    fn save(&mut self) {
        self.saves_next = self.asked.is_some() || self.shown.as_ref().is_none_or(|shown| shown.place != self.place);
        if self.saves_next {
            return;
        }
        let Some((place, picture)) = self.shown_picture() else { return };
        let draw = match place.until {
            Until::EndOfFrame => String::new(),
            Until::AfterDraw(draw) => format!(".draw{draw:04}"),
            Until::AfterPacket(packet) => format!(".packet{packet:05}"),
        };
        let name = format!("frame{:04}{draw}", place.frame.0);
        let saved = self.host.save_picture(&self.document.open.path, &name, picture);
        match saved {
            Ok(path) => {
                eprintln!("saved {}", path.display());
                self.say(format!("saved {}", path.display()));
            }
            Err(error) => {
                eprintln!("error: {error}");
                self.say(error);
            }
        }
    }

    fn copy_command_line(&mut self, ui: &Ui) {
        let draw = self.place_draw().map_or(String::new(), |draw| format!(" --draw {draw}"));
        let view = format!("--frame {}{draw} --out png", self.place.frame);
        let line = self.host.command_line(&self.document.open.path, &view);
        self.say(format!("copied: {line}"));
        ui.ctx().copy_text(line);
    }

    fn open(&mut self, path: &Path) {
        let opened = self.host.open_trace(path);
        self.replace_document(opened);
        self.remember_trace(true);
    }

    /// Reads the trace again and stays where one is, as far as that place still exists.
    fn reload(&mut self) {
        let path = self.document.open.path.clone();
        let place = self.place;
        let opened = self.host.open_trace(&path);
        if self.replace_document(opened) {
            self.say("the trace was read again");
            let frame = place.frame.min(self.document.last_frame());
            let until = if frame == place.frame { place.until } else { Until::EndOfFrame };
            self.place = Place { frame, until };
        }
    }

    /// Takes over another trace; what is open stays if it can't be opened.
    fn replace_document(&mut self, opened: Result<OpenTrace, String>) -> bool {
        let made = opened.and_then(|open| {
            // Annotations are of one trace: another one has none, the same one read again keeps them.
            let is_same = open.path == self.document.open.path;
            let annotations = if is_same { self.document.annotations.clone() } else { Vec::new() };
            let made = Document::new(open, annotations, self.choice.clone(), None, self.host.clone(), &self.wake);
            made.map_err(|error| error.to_string())
        });
        match made {
            Ok(document) => {
                self.keep_memory();
                self.document = document;
                self.asked = None;
                self.shown = None;
                self.picture = None;
                self.trail.clear();
                self.strip.clear();
                self.timeline = None;
                self.events.clear();
                self.state.clear();
                (self.look, self.pixel, self.mesh) = Default::default();
                self.picture_panel.selected = None;
                self.resources.clear();
                self.shaders.clear();
                self.compare.clear();
                self.problems.clear();
                self.note_problems_of_file();
                true
            }
            Err(message) => {
                self.problems.add(Severity::Error, &message, None);
                self.say(message);
                false
            }
        }
    }

    fn note_problems_of_file(&mut self) {
        for problem in &self.document.open.problems {
            self.problems.add(Severity::Warning, problem, None);
        }
    }

    /// Takes up what was left the last time; the place only if `takes_place`.
    fn remember_trace(&mut self, takes_place: bool) {
        self.note_problems_of_file();
        let path = self.document.open.path.clone();
        let TraceMemory { frame, draw, sizes, tab, bookmarks, notes, filter, .. } = self.memory.trace(&path);
        if takes_place {
            let frame = FrameIndex(frame).min(self.document.last_frame());
            self.place = Place { frame, until: draw.map_or(Until::EndOfFrame, Until::AfterDraw) };
        }
        (self.sizes, self.tab, self.bookmarks, self.notes) = (sizes, tab, bookmarks, notes);
        self.events.set_filter(filter);
        self.preferences.remember(&path);
        self.memory.keep_preferences(&self.preferences);
    }

    /// Keeps what is to be taken up the next time, and ends the threads. A thread that does not come back is left to
    /// itself after a while.
    pub fn close(self) -> Option<Arc<PlayerError>> {
        self.keep_memory();
        self.compare.close(CLOSING_LASTS);
        self.document.close(CLOSING_LASTS);
        self.first_error
    }

    /// Keeps what is to be taken up the next time.
    pub fn keep_memory(&self) {
        let path = std::path::absolute(&self.document.open.path).unwrap_or_default();
        let draw = self.place_draw();
        let memory = TraceMemory {
            path,
            frame: self.place.frame.0,
            draw,
            sizes: self.sizes,
            tab: self.tab,
            bookmarks: self.bookmarks.clone(),
            notes: self.notes.clone(),
            filter: self.events.filter_text.clone(),
        };
        self.memory.keep_trace(&self.document.open.path, &memory);
    }
}
