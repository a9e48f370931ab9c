//! The inspector: frames, commands, state, resources and timelines side by side. One file per panel.
//!
//! ```
//! use std::path::Path;
//!
//! use aerogpu_replay::inspector::{AnnotationChoice, GpuChoice, InspectorOptions, Panels, Services};
//! use aerogpu_replay::player::DrawSelection;
//!
//! /// What the inspector starts with when nobody says more.
//! fn options(services: &dyn Services, trace: &Path, gpu: GpuChoice) -> Result<InspectorOptions, String> {
//!     Ok(InspectorOptions {
//!         open: services.open_trace(trace)?,
//!         annotations: Vec::<AnnotationChoice>::new(),
//!         compared: None,
//!         first_place: None,
//!         draws: DrawSelection::All,
//!         fps: 60.0,
//!         plays: false,
//!         panels: Panels::Shown,
//!         gpu,
//!     })
//! }
//! ```
//!
//! Nothing here knows the window system: [`crate::window`] feeds it events and puts on the screen what it draws, and
//! tests drive it without a display.
//!
//! ```text
//!   keys, buttons, pointer ──► Action ──► Inspector::act ──► Session: the trace that is open, place, selection
//!                                                              │ Question (newest wins)
//!   panels, tabs ◄── Promise ◄── wake-up ◄── Worker: player, analysis, timelines
//! ```
//!
//! A panel draws what is known and asks for what is not; it never waits. What it knew before stays, dimmed, until there
//! is something newer. What was asked about an earlier state of the document is known by its epoch.

mod action;
mod available_size;
mod back;
mod cancel;
mod compare;
mod current_picture;
mod differences;
mod dimming;
mod dispatch;
mod document;
mod draw_costs;
mod edits;
mod event_headings;
mod event_texts;
mod events;
mod example;
mod file_chooser;
mod file_watch;
mod finding;
mod following;
mod help;
mod keyboard;
mod keys;
mod lanes;
mod layout;
mod main_view;
mod navigation;
mod notes;
mod open_dialog;
mod opening;
mod other_trace;
mod overlay;
mod packet_details;
mod picture;
mod playback;
mod player_worker;
mod playing;
mod problems;
mod promise;
mod question;
mod saved_state;
mod services;
mod session;
mod start_page;
mod tabs;
mod thumbnails;
pub mod timeline;
mod toolbar;
mod trace_timeline;
mod unsaved;
mod viewed;
mod waiting;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Popup, Ui};

pub use self::action::{Action, CompareMode, Direction, Navigation};
use self::compare::Compare;
use self::document::Document;
use self::file_chooser::FileChooser;
use self::following::FollowedShaders;
use self::keyboard::Keyboard;
pub use self::lanes::AnnotationChoice;
pub use self::main_view::{FirstView, MainView, StartOptions};
pub use self::overlay::OverlayChoice;
use self::overlay::OverlaySettings;
use self::picture::PicturePanel;
use self::playback::Playback;
pub use self::player_worker::GpuChoice;
use self::saved_state::{PanelSizes, Preferences, StateStore};
use self::services::Environment;
pub use self::services::{Annotation, OpenTrace, Services, StateFolder};
use self::session::Session;
pub use self::tabs::TabName;
use self::trace_timeline::TraceTimeline;
use self::unsaved::CloseReason;
pub use self::worker::Wake;
use crate::command::{Place, ResourceName};
use crate::gpu::ObjectCounts;
use crate::pixels::{Picture, Surface};
use crate::player::{DrawSelection, PlayerError};

/// What the inspector starts with.
pub struct InspectorOptions {
    /// The trace to show.
    pub open: OpenTrace,
    /// What lies beside it on the timeline.
    pub annotations: Vec<AnnotationChoice>,
    /// Another trace, to compare with.
    pub compared: Option<PathBuf>,
    /// The place to show first; `None`: where one was the last time.
    pub first_place: Option<Place>,
    /// The draws of its frame that are drawn.
    pub draws: DrawSelection,
    /// Frames per second while playing.
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
    /// Whether something in the trace could not be carried out.
    pub has_faults: bool,
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
    environment: Environment,
    state_store: StateStore,
    preferences: Preferences,
    /// Everything about the trace that is open.
    session: Session,
    followed: Option<FollowedShaders>,
    /// How many traces were opened.
    opened: u64,
    playback: Playback,
    panels: Panels,
    sizes: PanelSizes,
    tab: TabName,
    has_help: bool,
    chooser: FileChooser,
    picture_panel: PicturePanel,
    /// Whether the picture panel, when it was last drawn, still lacked something of what it shows of the place.
    picture_waits: bool,
    compare: Compare,
    /// The trace to compare with, until there is an index.
    compared: Option<PathBuf>,
    timeline: TraceTimeline,
    timeline_has_keys: bool,
    keyboard: Keyboard,
    /// What waits for an answer about what was not saved.
    reason: Option<CloseReason>,
    message: Option<(String, Instant)>,
    has_quit: bool,
    first_error: Option<Arc<PlayerError>>,
}

impl Inspector {
    /// An inspector of a trace. `wake` is called from other threads when there is something new to draw.
    pub fn new(services: Arc<dyn Services>, options: InspectorOptions, wake: Wake) -> std::io::Result<Self> {
        let state_store = StateStore::new(services.state_folder());
        let mut preferences = state_store.preferences();
        let InspectorOptions { open, annotations, compared, first_place, draws, fps, plays, panels, gpu } = options;
        let environment = Environment { services, gpu, wake };
        let state = state_store.trace(&open.path);
        preferences.remember(&open.path);
        state_store.save_preferences(&preferences);
        let (sizes, tab, notes) = (state.sizes, state.tab_name(), state.notes(&state_store));
        let document = Document::new(1, open, annotations, &environment)?;
        let mut session = Session::new(document, state, notes);
        if let Some(place) = first_place {
            session.place = place;
        }
        session.overlay = OverlaySettings::of_draws(session.place.frame, draws);
        let followed = FollowedShaders::start(&environment)?;
        let chooser = FileChooser::new(&environment.services, &environment.wake)?;
        let mut inspector = Self {
            environment,
            followed,
            state_store,
            preferences,
            session,
            opened: 1,
            playback: Playback::new(fps),
            panels,
            sizes,
            tab,
            has_help: false,
            chooser,
            picture_panel: PicturePanel::default(),
            picture_waits: false,
            compare: Compare::default(),
            compared,
            timeline: TraceTimeline::default(),
            timeline_has_keys: false,
            keyboard: Keyboard::default(),
            reason: None,
            message: None,
            has_quit: false,
            first_error: None,
        };
        if plays {
            inspector.playback.play(Instant::now());
        }
        Ok(inspector)
    }

    /// What the window's title says.
    pub fn title(&self) -> String {
        let document = &self.session.document;
        let (name, last) = (document.name(), document.last_frame());
        let answer = self.session.picture.answer(document);
        let state = match answer.map(|answer| &answer.picture) {
            Some(Err(_)) => ", error",
            _ if self.playback.is_playing() => ", playing",
            _ => "",
        };
        let frame = answer.map_or(self.session.place, |answer| answer.place).frame;
        let adapter = match document.gpu.get() {
            Some(state) => match &state.adapter {
                Ok(adapter) => adapter.to_string(),
                Err(_) => "no GPU".to_owned(),
            },
            None => "opening the GPU".to_owned(),
        };
        format!("{name} – frame {frame} of 0–{last}{state} – {adapter}")
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
        self.session.place
    }

    /// The place and the picture that were shown last.
    pub fn shown_picture(&self) -> Option<(Place, &Arc<Picture>)> {
        let answer = self.session.picture.answer(&self.session.document)?;
        Some((answer.place, answer.picture.as_ref().ok()?))
    }

    /// The texture that is shown instead of the frame: its part, the place that it is as of, and what it holds.
    pub fn shown_texture(&mut self) -> Option<(ResourceName, Place, Arc<Surface>)> {
        let Session { document, place, viewed, .. } = &mut self.session;
        let viewed = viewed.as_mut()?;
        let answer = viewed.show(document, *place).filter(|answer| !answer.is_old)?;
        Some((viewed.name(), viewed.place(*place), answer.value.ok()?))
    }

    /// What lives on the player's GPU, as of the last picture.
    pub fn gpu_objects(&self) -> Option<ObjectCounts> {
        self.session.document.gpu.get()?.objects
    }

    /// What is said in the bar at the bottom.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(message, _)| message.as_str())
    }

    /// Whether nothing is being worked out.
    pub fn is_idle(&self) -> bool {
        !self.session.picture.is_asked() && self.session.document.is_idle() && self.timeline.busy().is_none()
    }

    /// Forgets what was on a GPU that is gone; it is made anew when it is drawn.
    pub fn forget_textures(&mut self) {
        self.picture_panel.forget_texture();
        self.session.thumbnails.forget_textures();
    }

    /// Draws everything and does what was asked for.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.keyboard.begin(ui);
        self.take_picture();
        self.play_on(ui);
        let is_asking = self.reason.is_some();
        let had_list = Popup::is_any_open(ui.ctx());
        if keys::take_quit(ui) && !is_asking {
            self.act(Action::Quit, ui);
        }
        if !is_asking {
            for action in self.keyboard.moves(ui) {
                self.act(action, ui);
            }
        }
        // Before the panels ask for theirs: the picture comes first.
        self.ask_for_picture();
        let mut actions = Vec::new();
        actions.extend(ui.input(|input| {
            let dropped = input.raw.dropped_files.first();
            dropped.map(|file| Action::Open(file.path().to_owned()))
        }));
        if self.session.document.has_changed() {
            self.file_changed(&mut actions);
        }
        self.follow_shaders(&mut actions);
        if let Some(path) = self.compared.take_if(|_| self.session.document.analysis().is_some()) {
            actions.push(Action::CompareWith(path));
        }
        if let Some(message) = self.session.events.take_found(&mut actions) {
            self.say(message);
        }
        self.session.shared.edits.advance(&self.session.document, &mut actions);
        self.layout(ui, &mut actions);
        let mut pressed = self.keyboard.pressed(ui);
        if had_list {
            // It has closed the list.
            pressed.retain(|action| !matches!(action, Action::Escape));
        }
        if self.timeline_has_keys {
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
        let has_ended =
            self.compare.close(deadline) & self.session.document.close(deadline) & self.timeline.close(deadline);
        let threads = if has_ended { Threads::Ended } else { Threads::Busy };
        let has_faults = self.session.shared.problems.has_faults();
        Closed { error: self.first_error, has_faults, threads }
    }
}
