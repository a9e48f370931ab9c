//! Another trace beside the one that is open: which of its frames belongs to each of ours, what both are drawn from, and
//! its pictures.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use egui::{Button, Ui, Window};

use super::action::Action;
use super::differences::differences_ui;
use super::dimming::{answer_ui, known_ui};
use super::document::{Document, QuestionKind};
use super::promise::Promise;
use super::question::{Answer, DependsOn, Epoch, Question};
use super::services::{OpenTrace, Services};
use crate::analysis::{
    Analysis, FrameBesideFrame, InputDifference, InputSide, PlaceDifferences, TraceComparison, compare_places,
};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{ReplayError, TraceIndex};

/// Another trace.
pub(super) struct OtherTrace {
    pub path: PathBuf,
    /// Compared with the trace that was open then.
    made_in: Epoch,
    opened: Promise<Result<Option<Opened>, String>>,
    /// What each draw of a frame differs in.
    draws: Question<FrameIndex, Result<Differences, String>>,
    /// What places differ in: what is bound and set, and texts.
    places: Question<[Place; 2], Result<Arc<PlaceDifferences>, String>>,
    /// Whether that is shown.
    shows_places: bool,
}

/// By draw: in what; `None` where the other frame has no such draw.
type Differences = Arc<Vec<Option<Vec<&'static str>>>>;

/// A trace that is open, and compared with ours.
struct Opened {
    open: OpenTrace,
    index: Arc<TraceIndex>,
    analysis: Analysis,
    comparison: Arc<Mutex<TraceComparison>>,
    frames: Vec<FrameBesideFrame>,
    first: Option<InputDifference>,
}

impl OtherTrace {
    /// Opens it, where nobody waits; `None` as long as there is no index to compare with.
    pub(crate) fn open(path: &Path, document: &Document, services: &Arc<dyn Services>) -> Option<Self> {
        let (services, theirs) = (services.clone(), path.to_owned());
        let opened = document.ask_aside(QuestionKind::OtherTrace, move |analysis, cancel| {
            let goes_on = || !cancel.is_set();
            let open = services.open_trace(&theirs)?;
            let Some(index) = services.index(&open, &mut |_| goes_on()) else { return Ok(None) };
            let own = InputSide::new(analysis.trace().clone(), analysis.index().clone());
            let other = InputSide::new(open.trace.clone(), index.clone());
            let failed = |error: ReplayError| error.to_string();
            let Some(mut comparison) = TraceComparison::new([own, other], goes_on).map_err(failed)? else {
                return Ok(None);
            };
            let (frames, first) = (comparison.frames().to_vec(), comparison.first_difference().map_err(failed)?);
            let analysis = Analysis::new(open.trace.clone(), index.clone());
            let analysis = analysis.with_shader_options(open.shaders.clone());
            let comparison = Arc::new(Mutex::new(comparison));
            Ok::<_, String>(Some(Opened { open, index, analysis, comparison, frames, first }))
        })?;
        let made_in = document.epoch(DependsOn::Trace);
        let (draws, places) = Default::default();
        Some(Self { path: path.to_owned(), made_in, opened, draws, places, shows_places: false })
    }

    /// Whether it was compared with another trace than is open now.
    pub(crate) fn is_old(&self, document: &Document) -> bool {
        self.made_in != document.epoch(DependsOn::Trace)
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn known(&self) -> Result<&Opened, String> {
        match self.opened.get() {
            None => Err("opening and comparing…".to_owned()),
            Some(Err(message)) => Err(message.clone()),
            Some(Ok(None)) => Err("cancelled".to_owned()),
            Some(Ok(Some(opened))) => Ok(opened),
        }
    }

    /// The trace and its index, once it is open.
    pub(crate) fn opened(&self) -> Result<(&OpenTrace, &Arc<TraceIndex>), String> {
        self.known().map(|opened| (&opened.open, &opened.index))
    }

    /// The place in it that belongs to one of ours; or why there is none.
    pub(crate) fn place_beside(&self, document: &Document, Place { frame, point }: Place) -> Result<Place, String> {
        let opened = self.known()?;
        let beside = opened.frames.get(frame.as_usize()).and_then(|beside| beside.frame);
        let frame_beside = beside.ok_or_else(|| format!("{} has no match for frame {frame}", self.name()))?;
        // Packets have other numbers there.
        let point = match point {
            Point::Packet(_) => document.last_draw(Place { frame, point }).map_or(Point::Start, Point::Draw),
            point => point,
        };
        Ok(Place { frame: frame_beside, point })
    }

    /// Draws what is known of both at a place.
    pub(crate) fn ui(&mut self, ui: &mut Ui, document: &Document, place: Place, actions: &mut Vec<Action>) {
        let opened = match self.known() {
            Ok(opened) => opened,
            Err(message) => {
                ui.weak(message);
                return;
            }
        };
        if let Some(beside) = opened.frames.get(place.frame.as_usize())
            && let Some(frame) = beside.frame
        {
            let same = if beside.is_same { "identical inputs" } else { "different inputs" };
            ui.label(format!("frame {} matches frame {frame} of the other trace: {same}", place.frame));
        }
        let first = opened.first.clone();
        let comparison = opened.comparison.clone();
        if let Some(draw) = document.last_draw(place) {
            let frame = place.frame;
            let answer = self.draws.get(document.epoch(DependsOn::Trace), frame, || {
                document.ask_aside(QuestionKind::DrawDifferences, move |_, _| {
                    let mut comparison = comparison.lock().unwrap_or_else(PoisonError::into_inner);
                    Ok::<_, ReplayError>(Arc::new(comparison.draw_differences(frame)?))
                })
            });
            match answer.filter(|answer| !answer.is_old).map(|answer| answer.value) {
                Some(Ok(draws)) => match draws.get(draw as usize) {
                    Some(Some(parts)) if parts.is_empty() => _ = ui.label(format!("draw {draw} is identical")),
                    Some(Some(parts)) => _ = ui.label(format!("draw {draw} differs in {}", parts.join(", "))),
                    Some(None) => _ = ui.label(format!("the other trace has no draw {draw}")),
                    None => {}
                },
                Some(Err(message)) => _ = ui.colored_label(ui.visuals().error_fg_color, message),
                None => {}
            }
        }
        let hint = "differences in bindings, state and shader texts between the two places";
        let button = Button::new("state and shaders").small().selected(self.shows_places);
        if ui.add(button).on_hover_text(hint).clicked() {
            self.shows_places = !self.shows_places;
        }
        if self.shows_places {
            self.places_ui(ui, document, place);
        }
        match first {
            None => _ = ui.weak("all common frames have identical inputs"),
            Some(InputDifference { place: first, .. }) => {
                let button = ui.small_button("first difference");
                let hint = format!("{}: the first with different inputs", first.in_words());
                if button.on_hover_text(hint).clicked() {
                    actions.push(Action::GoTo(first));
                }
            }
        }
    }

    /// Draws a window with what a place of ours differs in from the one beside it.
    fn places_ui(&mut self, ui: &Ui, document: &Document, place: Place) {
        let place = document.place_asked(place);
        let (name, beside) = (self.name(), self.place_beside(document, place));
        let theirs = self.known().map(|opened| opened.analysis.clone());
        let mut is_open = true;
        let window =
            Window::new(format!("{} and {name}", place.in_words())).id(egui::Id::unique("places side by side"));
        let room = ui.ctx().content_rect().size();
        // Below what is said above the picture.
        let window = window.default_pos([room.x * 0.28, room.y * 0.4]).default_size([room.x * 0.6, room.y * 0.5]);
        let window = window.max_size([room.x - 40.0, room.y - 60.0]);
        window.open(&mut is_open).show(ui.ctx(), |ui| {
            let (beside, theirs) = match (beside, theirs) {
                (Ok(beside), Ok(theirs)) => (beside, theirs),
                (Err(message), _) | (_, Err(message)) => {
                    ui.weak(message);
                    return;
                }
            };
            let answer = self.places.get(document.epoch(DependsOn::Shaders), [place, beside], || {
                document.ask_aside(QuestionKind::PlaceDifferences, move |ours, _| {
                    compare_places([ours, &theirs], [place, beside]).map(Arc::new)
                })
            });
            let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
            answer_ui(ui, &known, |ui| differences_ui(ui, &known.value, ["here", &name]));
        });
        self.shows_places = is_open;
    }
}
