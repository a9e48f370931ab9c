//! The inspector: frames, commands, state, resources and timelines side by side. One file a panel.
//!
//! Nothing here knows the window system: [`crate::window`] feeds it events and puts on the screen what it draws, and
//! tests drive it without a display.
//!
//! ```text
//!   keys, buttons, pointer ──► Action ──► Inspector::act ──► place, settings
//!                                                              │ ask (newest wins)
//!   panels ◄── answers ◄── wake-up ◄── player's worker, analysis worker
//! ```
//!
//! A panel draws what is known and asks for what is not; it never waits. What it knew before stays, dimmed, until there
//! is something newer.

mod action;
mod available_size;
mod compare;
mod dimming;
mod dispatch;
mod document;
mod edits;
mod events;
mod file_watch;
mod help;
mod keyboard;
mod keys;
mod lanes;
mod layout;
mod mesh;
mod navigation;
mod notes;
mod open_dialog;
mod opening;
mod overlay;
mod picture;
mod pixel;
mod playback;
mod player_worker;
mod problems;
mod resources;
mod saved_state;
mod services;
mod shaders;
mod state;
mod thumbnails;
pub mod timeline;
mod toolbar;
mod unsaved;
mod waiting;
mod worker;

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::Ui;

pub use self::action::{Action, CompareMode, Direction, Navigation, Tab};
use self::compare::Compare;
use self::document::Document;
use self::events::EventsPanel;
use self::keyboard::Keyboard;
pub use self::lanes::AnnotationChoice;
use self::layout::TimelineOf;
use self::mesh::MeshTab;
use self::open_dialog::OpenDialog;
use self::overlay::OverlaySettings;
use self::picture::PicturePanel;
use self::pixel::PixelTab;
use self::playback::Playback;
use self::player_worker::Rendered;
pub use self::player_worker::{GpuChoice, Place};
use self::problems::Problems;
use self::resources::ResourcesPanel;
use self::saved_state::{Bookmark, PanelSizes, Preferences, StateStore};
pub use self::services::{Annotation, OpenTrace, Services, StateFolder};
use self::shaders::ShadersPanel;
use self::state::StateModel;
use self::thumbnails::ThumbnailStrip;
use self::timeline::TimelinePanel;
use self::unsaved::Leaving;
use self::worker::Promise;
pub use self::worker::Wake;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::ObjectCounts;
use crate::pixels::Picture;
use crate::player::{PlayerError, Until};

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

/// How long to wait for threads when the window is closed. One that is at rest ends at once.
const CLOSING_LASTS: Duration = Duration::from_secs(1);

/// What is left of an inspector when its window is closed.
pub struct Closed {
    /// The first error that a frame had, if one had.
    pub error: Option<Arc<PlayerError>>,
    /// What became of its threads.
    pub threads: Threads,
}

/// What became of the threads that worked for an inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// All of them have ended.
    Ended,
    /// One is in the middle of something, in a driver as like as not, and nothing can stop it.
    Busy,
}

/// The inspector of one window.
pub struct Inspector {
    services: Arc<dyn Services>,
    wake: Wake,
    choice: GpuChoice,
    state_store: StateStore,
    preferences: Preferences,
    document: Document,
    place: Place,
    /// Places before jumps.
    trail: Vec<Place>,
    asked: Option<(Place, Promise<Rendered>)>,
    /// The newest answer.
    shown: Option<Rendered>,
    /// The newest picture: it stays while the next one is made, and when that has an error.
    picture: Option<Arc<Picture>>,
    playback: Playback,
    panels: Panels,
    sizes: PanelSizes,
    tab: Tab,
    has_help: bool,
    dialog: Option<OpenDialog>,
    picture_panel: PicturePanel,
    compare: Compare,
    thumbnails: ThumbnailStrip,
    timeline: Option<TimelinePanel>,
    /// What the timeline is of, if it is not of this trace as it is now.
    timeline_is_of: TimelineOf,
    timeline_has_pointer: bool,
    events: EventsPanel,
    state: StateModel,
    overlay: OverlaySettings,
    pixel: PixelTab,
    mesh: MeshTab,
    resources: ResourcesPanel,
    shaders: ShadersPanel,
    problems: Problems,
    bookmarks: std::collections::BTreeMap<u8, Bookmark>,
    notes: String,
    /// The notes as they are on the disk.
    kept_notes: String,
    /// Why nothing could be kept the last time.
    not_saved: Option<String>,
    keyboard: Keyboard,
    /// What waits for an answer about what was not saved.
    leaving: Option<Leaving>,
    message: Option<(String, Instant)>,
    /// Whether to save the picture that is being made.
    saves_next: bool,
    has_quit: bool,
    first_error: Option<Arc<PlayerError>>,
}

impl Inspector {
    /// An inspector of a trace. `wake` is called from other threads when there is something new to draw.
    pub fn new(services: Arc<dyn Services>, options: InspectorOptions, wake: Wake) -> std::io::Result<Self> {
        let state_store = StateStore::new(services.state_folder());
        let preferences = state_store.preferences();
        let InspectorOptions { open, annotations, first_frame, fps, plays, panels, gpu } = options;
        let document = Document::new(open, annotations, gpu.clone(), services.clone(), &wake)?;
        let start = Place { frame: first_frame.unwrap_or_default(), until: Until::EndOfFrame };
        let mut inspector = Self {
            services,
            wake,
            choice: gpu,
            state_store,
            preferences,
            document,
            place: start,
            trail: Vec::new(),
            asked: None,
            shown: None,
            picture: None,
            playback: Playback::new(fps),
            panels,
            sizes: PanelSizes::default(),
            tab: Tab::default(),
            has_help: false,
            dialog: None,
            picture_panel: PicturePanel::default(),
            compare: Compare::default(),
            thumbnails: ThumbnailStrip::default(),
            timeline: None,
            timeline_is_of: TimelineOf::default(),
            timeline_has_pointer: false,
            events: EventsPanel::default(),
            state: StateModel::default(),
            overlay: OverlaySettings::default(),
            pixel: PixelTab::default(),
            mesh: MeshTab::default(),
            resources: ResourcesPanel::default(),
            shaders: ShadersPanel::default(),
            problems: Problems::default(),
            bookmarks: Default::default(),
            notes: String::new(),
            kept_notes: String::new(),
            not_saved: None,
            keyboard: Keyboard::default(),
            leaving: None,
            message: None,
            saves_next: false,
            has_quit: false,
            first_error: None,
        };
        inspector.remember_trace(first_frame.is_none());
        if plays {
            inspector.playback.play(Instant::now());
        }
        Ok(inspector)
    }

    /// What the window's title says.
    pub fn title(&self) -> String {
        let (name, count) = (self.document.name(), self.document.frame_count());
        let state = match &self.shown {
            Some(Rendered { picture: Err(_), .. }) => ", error",
            _ if self.playback.is_playing() => ", playing",
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
        self.asked.is_none() && self.document.player_worker.is_idle() && self.document.analysis_worker.is_idle()
    }

    /// Forgets what was on a GPU that is gone; it is made anew when it is drawn.
    pub fn forget_textures(&mut self) {
        self.picture_panel.forget_texture();
        self.thumbnails.clear();
    }

    /// Draws everything and does what was asked for.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.keyboard.begin(ui);
        self.take_answers();
        self.play_on(ui);
        // Before the panels ask for theirs: the picture comes first.
        self.ask_for_picture();
        let mut actions = Vec::new();
        actions.extend(ui.input(|input| {
            let dropped = input.raw.dropped_files.first();
            dropped.map(|file| Action::Open(file.path().to_owned()))
        }));
        if self.document.has_changed() {
            self.file_changed(&mut actions);
        }
        if let Some(message) = self.events.take_found(&mut actions) {
            self.say(message);
        }
        self.shaders.edits.advance(&self.document, &mut actions);
        let is_asking = self.leaving.is_some();
        self.layout(ui, &mut actions);
        let mut pressed = self.keyboard.pressed(ui);
        if self.timeline_has_pointer {
            // The timeline has keys of its own: w a s d f m / n.
            pressed.retain(Action::is_for_timeline_too);
        }
        // Nothing goes on behind a question.
        if !is_asking {
            actions.extend(pressed);
        }
        for action in actions {
            self.act(action, ui);
        }
        self.ask_for_picture();
        self.keyboard.end(ui);
        self.draw_again_in_time(ui);
    }

    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.message = Some((message.into(), Instant::now()));
    }

    /// Keeps what is to be taken up the next time, and ends the threads.
    pub fn close(mut self) -> Closed {
        self.save_everything();
        let deadline = Instant::now() + CLOSING_LASTS;
        let has_ended = self.compare.close(deadline) & self.document.close(deadline);
        let threads = if has_ended { Threads::Ended } else { Threads::Busy };
        Closed { error: self.first_error, threads }
    }
}
