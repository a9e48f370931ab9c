//! The other side of a comparison.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use egui::{ComboBox, Ui};

use super::action::{Action, CompareMode};
use super::document::{Document, QuestionKind};
use super::file_watch::FileWatch;
use super::other_trace::OtherTrace;
use super::player_worker::{InspectorError, PlayerThread};
use super::promise::Promise;
use super::question::{DependsOn, Epoch};
use super::services::{Environment, Services};
use super::worker::{Busy, Topic, Worker};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::BackendChoice;
use crate::pixels::{Difference, Picture, amplify, compare};
use crate::shader::{LanguageChoice, ShaderLanguage};

/// What one step of a channel becomes in the amplified difference.
const GAIN: u8 = 32;

/// Space before what is said above the picture, in points.
const CAPTION_MARGIN: f32 = 4.0;

/// What the trace's picture is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Side {
    /// The end of the frame before: there is one of nearly every frame, where many traces have no golden.
    #[default]
    PreviousFrame,
    /// The accepted picture of the same frame.
    Golden,
    /// The same trace, its shaders made of other texts.
    Shaders(ShaderLanguage),
    /// The same trace through another API.
    Backend(BackendChoice),
    /// Another trace, at the frame that belongs to this one's.
    Trace,
}

impl Side {
    fn all() -> impl Iterator<Item = Self> {
        let backends = [BackendChoice::Vulkan, BackendChoice::Gl].map(Self::Backend);
        let shaders = ShaderLanguage::ALL.map(Self::Shaders);
        [Self::PreviousFrame, Self::Golden].into_iter().chain(shaders).chain(backends)
    }

    fn name(self) -> String {
        let name = match self {
            Self::Shaders(language) => return format!("{} shaders", language.facts().short_title),
            Self::Golden => "golden",
            Self::PreviousFrame => "previous frame",
            Self::Trace => "another trace",
            Self::Backend(BackendChoice::Gl) => "OpenGL",
            Self::Backend(_) => "Vulkan",
        };
        name.to_owned()
    }
}

type Answer = Result<OtherPicture, InspectorError>;

/// The picture of the other side.
#[derive(Clone)]
struct OtherPicture {
    picture: Arc<Picture>,
    /// The file that it was read from, if it was.
    path: Option<PathBuf>,
}

/// The comparison that is going on, if one is.
#[derive(Default)]
pub(super) struct Compare {
    pub side: Side,
    pub mode: CompareMode,
    other_trace: Option<OtherTrace>,
    /// A second player, for sides that need one.
    other: Option<(Epoch, Side, Worker<PlayerThread>)>,
    asked: Option<(Epoch, Side, Place, Promise<Answer>)>,
    /// Whether the other trace was not open yet when it was asked.
    waits_for_trace: bool,
    /// The golden that is shown, if it is followed.
    watch: Option<(PathBuf, FileWatch)>,
    /// By the pictures it is of and how it is shown.
    difference: Option<(DifferenceKey, Promise<Judged>)>,
}

/// Holds the pictures, so that no others can come to lie where they lie.
struct DifferenceKey {
    a: Arc<Picture>,
    b: Arc<Picture>,
    mode: CompareMode,
}

impl DifferenceKey {
    fn is(&self, a: &Arc<Picture>, b: &Arc<Picture>, mode: CompareMode) -> bool {
        Arc::ptr_eq(&self.a, a) && Arc::ptr_eq(&self.b, b) && self.mode == mode
    }
}

/// The picture of a difference, and what it amounts to.
type Judged = Result<(Arc<Picture>, Difference), String>;

/// What the panel shows.
pub(super) struct ComparisonView {
    /// The picture; `None` while it is worked out, or if there is none.
    pub picture: Option<Arc<Picture>>,
    /// What was found, without saying of what.
    finding: String,
    /// The same as a sentence of its own.
    pub verdict: String,
    /// Whether there is more to come.
    pub is_waiting: bool,
}

impl ComparisonView {
    fn of(side: &str, picture: Option<Arc<Picture>>, finding: impl Into<String>) -> Self {
        let finding = finding.into();
        Self { picture, verdict: format!("{side}: {finding}"), finding, is_waiting: false }
    }
}

impl Compare {
    /// Whether anything but the trace's own picture is shown.
    pub(crate) fn is_on(&self) -> bool {
        self.mode != CompareMode::A
    }

    /// Ends the second player's thread, and says whether it is gone.
    pub(crate) fn close(self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        self.other.is_none_or(|(_, _, player)| player.close(left))
    }

    /// What the second player is at.
    pub(crate) fn busy(&self) -> Option<Busy> {
        self.other.as_ref()?.2.busy()
    }

    /// Another trace is the other side.
    pub(crate) fn compare_with(
        &mut self,
        path: &Path,
        document: &Document,
        services: &Arc<dyn Services>,
    ) -> Result<(), String> {
        let other = OtherTrace::open(path, document, services);
        let other = other.ok_or("comparing needs the index: Ctrl R builds it")?;
        (self.other_trace, self.side, self.other, self.asked) = (Some(other), Side::Trace, None, None);
        if !self.is_on() {
            self.mode = CompareMode::Difference;
        }
        Ok(())
    }

    fn side_name(&self) -> String {
        match (self.side, &self.other_trace) {
            (Side::Trace, Some(other)) => other.name(),
            (side, _) => side.name(),
        }
    }

    /// The choice of the other side and of what is shown.
    pub(crate) fn ui(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        // A player that draws something else by now only holds a GPU.
        let (epoch, side) = (document.epoch(DependsOn::Shaders), self.side);
        self.other.take_if(|(made_in, made_for, _)| (*made_in, *made_for) != (epoch, side));
        // In few words as long as nothing is compared, so that all choices have one row.
        let name = if self.is_on() { format!("compare with: {}", self.side_name()) } else { "compare".to_owned() };
        ComboBox::from_id_salt("compare with").width(0.0).height(400.0).selected_text(name).show_ui(ui, |ui| {
            for side in Side::all() {
                ui.selectable_value(&mut self.side, side, side.name());
            }
            if let Some(other) = &self.other_trace {
                ui.selectable_value(&mut self.side, Side::Trace, other.name());
            }
            if ui.selectable_label(false, "another trace…").clicked() {
                actions.push(Action::ShowCompareDialog);
            }
            ui.separator();
            self.modes_ui(ui, actions);
        });
        if self.is_on() {
            self.modes_ui(ui, actions);
        }
    }

    fn modes_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let modes = [
            (CompareMode::Difference, "difference", "1"),
            (CompareMode::Amplified, "amplified", "2"),
            (CompareMode::A, "A", "3: this trace"),
            (CompareMode::B, "B", "4: the other side"),
        ];
        for (mode, name, key) in modes {
            if ui.selectable_label(self.mode == mode, name).on_hover_text(key).clicked() {
                actions.push(Action::Compare(mode));
            }
        }
    }

    /// What is shown, in words.
    fn caption(&self) -> String {
        let name = self.side_name();
        match self.mode {
            CompareMode::A => "this trace".to_owned(),
            CompareMode::B => name,
            CompareMode::Difference => format!("difference from {name}"),
            CompareMode::Amplified => format!("difference from {name}, ×{GAIN}"),
        }
    }

    /// Draws what is compared, above the picture.
    pub(crate) fn caption_ui(
        &mut self,
        ui: &mut Ui,
        view: &ComparisonView,
        document: &Document,
        place: Place,
        actions: &mut Vec<Action>,
    ) {
        if let Some(other) = self.other_trace.as_mut().filter(|_| self.side == Side::Trace) {
            ui.horizontal_wrapped(|ui| {
                ui.add_space(CAPTION_MARGIN);
                other.ui(ui, document, place, actions);
            });
        }
        ui.horizontal_wrapped(|ui| {
            ui.add_space(CAPTION_MARGIN);
            ui.strong(self.caption());
            ui.label(&view.finding);
            if view.picture.is_none() {
                ui.colored_label(ui.visuals().warn_fg_color, "shown: this trace's own picture");
            }
        });
    }

    /// What to show in place of `own`, the picture at `place`.
    pub(crate) fn show(
        &mut self,
        own: &Arc<Picture>,
        place: Place,
        document: &Document,
        environment: &Environment,
    ) -> ComparisonView {
        if self.watch.as_mut().is_some_and(|(_, watch)| watch.take_change()) {
            self.asked = None;
        }
        if let Some(old) = self.other_trace.as_ref().filter(|other| other.is_old(document))
            && let Some(other) = OtherTrace::open(&old.path, document, &environment.services)
        {
            (self.other_trace, self.other, self.waits_for_trace) = (Some(other), None, true);
        }
        if self.waits_for_trace && self.other_trace.as_ref().is_some_and(|other| other.opened().is_ok()) {
            (self.waits_for_trace, self.asked) = (false, None);
        }
        let now = (document.epoch(DependsOn::Shaders), self.side, place);
        let answer = match &self.asked {
            Some((epoch, side, asked_for, answer)) if (*epoch, *side, *asked_for) == now => answer.get().cloned(),
            _ => {
                let promise = self.ask(place, document, environment);
                let answer = promise.get().cloned();
                self.asked = Some((now.0, now.1, now.2, promise));
                answer
            }
        };
        let other = match answer {
            None => {
                return ComparisonView {
                    is_waiting: true, ..ComparisonView::of(&self.side_name(), None, "drawing…")
                };
            }
            Some(Err(error)) => return ComparisonView::of(&self.side_name(), None, error.message),
            Some(Ok(OtherPicture { picture, path })) => {
                self.follow(path, environment);
                picture
            }
        };
        let judged = self.judge(own, &other, document);
        let is_waiting = judged.get().is_none();
        let finding = match judged.get() {
            None => "comparing…".to_owned(),
            Some(Err(message)) => message.clone(),
            Some(Ok((_, difference))) if difference.differing == 0 => "identical".to_owned(),
            Some(Ok((_, difference))) => {
                let (count, step) = (difference.differing, difference.largest_step());
                let bounds = difference.bounds.map_or(String::new(), |bounds| format!(" within {bounds}"));
                let pixels = if count == 1 { "pixel differs" } else { "pixels differ" };
                format!("{count} {pixels}{bounds}, by at most {step} of 255")
            }
        };
        let picture = match self.mode {
            CompareMode::A => Some(own.clone()),
            CompareMode::B => Some(other),
            _ => judged.get().and_then(|judged| Some(judged.as_ref().ok()?.0.clone())),
        };
        ComparisonView { is_waiting, ..ComparisonView::of(&self.side_name(), picture, finding) }
    }

    fn judge(&mut self, own: &Arc<Picture>, other: &Arc<Picture>, document: &Document) -> Promise<Judged> {
        match &self.difference {
            Some((known, judged)) if known.is(own, other, self.mode) => judged.clone(),
            _ => {
                let gain = if self.mode == CompareMode::Amplified { GAIN } else { 1 };
                let (a, b) = (own.clone(), other.clone());
                let judged = document.analysis_worker.ask(Topic::Compare, "comparing the pictures", move |(), _| {
                    let difference = compare(&a, &b).map_err(|error| error.to_string())?;
                    let picture = amplify(&a, &b, gain).map_err(|error| error.to_string())?;
                    Ok((Arc::new(picture), difference))
                });
                let key = DifferenceKey { a: own.clone(), b: other.clone(), mode: self.mode };
                self.difference = Some((key, judged.clone()));
                judged
            }
        }
    }

    fn ask(&mut self, place: Place, document: &Document, environment: &Environment) -> Promise<Answer> {
        let not_there = |message: &str| Promise::ready(Err(InspectorError::new(message)));
        match self.side {
            Side::Golden if place.point != Point::End => {
                not_there("goldens cover whole frames: go to the end of the frame")
            }
            Side::Golden => {
                let (services, path) = (environment.services.clone(), document.open.path.clone());
                let topic = Topic::Question(QuestionKind::Golden as u32);
                document.analysis_worker.ask(topic, QuestionKind::Golden.doing(), move |(), _| {
                    let golden = services.golden(&path, place.frame).map_err(InspectorError::new)?;
                    let (path, picture) = golden;
                    Ok(OtherPicture { picture: Arc::new(picture), path: Some(path) })
                })
            }
            Side::PreviousFrame => match place.frame.0.checked_sub(1) {
                None => not_there("the first frame has no previous frame"),
                Some(frame) => {
                    let place = Place::end_of(FrameIndex(frame));
                    drawn(&document.player_worker, place)
                }
            },
            Side::Trace => {
                let Some(other) = &self.other_trace else { return not_there("no other trace is open") };
                match other.place_beside(document, place) {
                    // It is asked again when it is open.
                    Err(message) => {
                        let is_coming = other.opened().is_err();
                        self.waits_for_trace = is_coming;
                        not_there(&message)
                    }
                    Ok(beside) => match self.other_player(document, environment) {
                        Ok(player) => drawn(player, beside),
                        Err(error) => not_there(&error.to_string()),
                    },
                }
            }
            Side::Shaders(_) | Side::Backend(_) => match self.other_player(document, environment) {
                Ok(player) => drawn(player, place),
                Err(error) => not_there(&error.to_string()),
            },
        }
    }

    /// Follows the file that is shown, where that is wanted.
    fn follow(&mut self, path: Option<PathBuf>, environment: &Environment) {
        let path = path.filter(|_| environment.services.follows_goldens());
        if self.watch.as_ref().map(|(known, _)| known) != path.as_ref() {
            // Without a thread it is not followed.
            self.watch =
                path.and_then(|path| Some((path.clone(), FileWatch::start(&path, environment.wake.clone()).ok()?)));
        }
    }

    /// The second player, made at the first question.
    fn other_player(
        &mut self,
        document: &Document,
        environment: &Environment,
    ) -> std::io::Result<&Worker<PlayerThread>> {
        let (epoch, side) = (document.epoch(DependsOn::Shaders), self.side);
        let player = match self.other.take() {
            Some((made_in, made_for, player)) if (made_in, made_for) == (epoch, side) => player,
            _ => start_other_player(side, self.other_trace.as_ref(), document, environment)?,
        };
        let (_, _, player) = self.other.insert((epoch, side, player));
        Ok(player)
    }
}

/// What a player draws at a place.
fn drawn(player: &Worker<PlayerThread>, place: Place) -> Promise<Answer> {
    let what = format!("drawing {}, to compare", place.in_words());
    player.ask(Topic::Compare, what, move |thread, _| Ok(OtherPicture { picture: thread.picture(place)?, path: None }))
}

fn start_other_player(
    side: Side,
    other_trace: Option<&OtherTrace>,
    document: &Document,
    environment: &Environment,
) -> std::io::Result<Worker<PlayerThread>> {
    let (mut open, mut gpu) = (document.open.clone(), environment.gpu.clone());
    let mut index = document.index().cloned();
    match side {
        Side::Trace => {
            if let Some((other, of_other)) = other_trace.and_then(|other| other.opened().ok()) {
                (open, index) = (other.clone(), Some(of_other.clone()));
            }
        }
        Side::Shaders(language) => open.shaders.language = LanguageChoice::Only(language),
        Side::Backend(backend) => {
            gpu.backend = backend;
            gpu.adapter = Default::default();
        }
        Side::Golden | Side::PreviousFrame => {}
    }
    let player = PlayerThread::start(open, gpu, environment.wake.clone())?;
    if let Some(index) = index {
        player.set_index(index);
    }
    Ok(player)
}
