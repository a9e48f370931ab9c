//! The other side of a comparison.

use std::sync::Arc;
use std::time::Instant;

use egui::{ComboBox, Ui};

use super::action::{Action, CompareMode};
use super::document::{Document, Question};
use super::player_worker::{GpuChoice, Place, PlayerThread, Trouble};
use super::services::Services;
use super::worker::{Busy, Promise, Topic, Wake, Worker};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::BackendChoice;
use crate::pixels::{Difference, Picture, amplify, compare};
use crate::player::Until;
use crate::replay::ShaderLanguage;

/// What one step of a channel becomes in the amplified difference.
const GAIN: u8 = 32;

/// What the trace's picture is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Side {
    /// The accepted picture of the same frame.
    #[default]
    Golden,
    /// The end of the frame before.
    PreviousFrame,
    /// The same trace, its shaders made of other texts.
    Shaders(ShaderLanguage),
    /// The same trace through another API.
    Backend(BackendChoice),
}

impl Side {
    const ALL: [Self; 6] = [
        Self::Golden,
        Self::PreviousFrame,
        Self::Shaders(ShaderLanguage::Wgsl),
        Self::Shaders(ShaderLanguage::Glsl),
        Self::Backend(BackendChoice::Vulkan),
        Self::Backend(BackendChoice::Gl),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Golden => "golden",
            Self::PreviousFrame => "previous frame",
            Self::Shaders(ShaderLanguage::Wgsl) => "WGSL shaders",
            Self::Shaders(ShaderLanguage::Glsl) => "GLSL shaders",
            Self::Shaders(ShaderLanguage::Auto) => "the same shaders",
            Self::Backend(BackendChoice::Gl) => "OpenGL",
            Self::Backend(_) => "Vulkan",
        }
    }
}

type Answer = Result<Arc<Picture>, Trouble>;

/// The comparison that is going on, if one is.
#[derive(Default)]
pub(super) struct Compare {
    pub side: Side,
    pub mode: CompareMode,
    /// A second player, for sides that need one.
    other: Option<(Side, Worker<PlayerThread>)>,
    asked: Option<(Side, Place, Promise<Answer>)>,
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
pub(super) struct Compared {
    /// The picture; `None` while it is worked out, or if there is none.
    pub picture: Option<Arc<Picture>>,
    /// What to say about it.
    pub verdict: String,
}

/// What a comparison needs from around it.
pub(super) struct Around<'a> {
    pub document: &'a Document,
    pub services: &'a Arc<dyn Services>,
    pub choice: &'a GpuChoice,
    pub wake: &'a Wake,
}

impl Compare {
    /// Whether anything but the trace's own picture is shown.
    pub(crate) fn is_on(&self) -> bool {
        self.mode != CompareMode::A
    }

    /// Ends the second player's thread, and says whether it is gone.
    pub(crate) fn close(self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        self.other.is_none_or(|(_, player_worker)| player_worker.close(left))
    }

    /// What the second player is at.
    pub(crate) fn busy(&self) -> Option<Busy> {
        self.other.as_ref()?.1.busy()
    }

    /// Forgets what was worked out: another trace, or other shaders.
    pub(crate) fn clear(&mut self) {
        (self.other, self.asked, self.difference) = (None, None, None);
    }

    /// The choice of the other side and of what is shown.
    pub(crate) fn ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let combo = ComboBox::from_id_salt("compare with").selected_text(self.side.name()).width(110.0);
        combo.show_ui(ui, |ui| {
            for side in Side::ALL {
                if ui.selectable_value(&mut self.side, side, side.name()).changed() {
                    self.clear();
                }
            }
        });
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

    /// What to show in place of `own`, the picture at `place`.
    pub(crate) fn show(&mut self, own: &Arc<Picture>, place: Place, around: &Around<'_>) -> Compared {
        let answer = match &self.asked {
            Some((side, asked_for, answer)) if (*side, *asked_for) == (self.side, place) => answer.get().cloned(),
            _ => {
                let answer = self.ask(place, around);
                self.asked = Some((self.side, place, answer));
                None
            }
        };
        let name = self.side.name();
        let other = match answer {
            None => return Compared { picture: None, verdict: format!("{name}: being made") },
            Some(Err(trouble)) => return Compared { picture: None, verdict: format!("{name}: {}", trouble.message) },
            Some(Ok(other)) => other,
        };
        let judged = self.judge(own, &other, around.document);
        let verdict = match judged.get() {
            None => format!("{name}: being compared"),
            Some(Err(message)) => format!("{name}: {message}"),
            Some(Ok((_, difference))) if difference.differing == 0 => format!("{name}: the same, pixel for pixel"),
            Some(Ok((_, difference))) => {
                let (count, step) = (difference.differing, difference.largest_step());
                let bounds = difference.bounds.map_or(String::new(), |bounds| format!(" within {bounds}"));
                format!("{name}: {count} pixels differ{bounds}, by {step} of 255 at most")
            }
        };
        let picture = match self.mode {
            CompareMode::A => Some(own.clone()),
            CompareMode::B => Some(other),
            _ => judged.get().and_then(|judged| Some(judged.as_ref().ok()?.0.clone())),
        };
        Compared { picture, verdict }
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

    fn ask(&mut self, place: Place, around: &Around<'_>) -> Promise<Answer> {
        let not_there = |message: &str| Promise::ready(Err(Trouble::new(message)));
        match self.side {
            Side::Golden if place.until != Until::EndOfFrame => {
                not_there("goldens are of whole frames; go to the end of the frame")
            }
            Side::Golden => {
                let (services, path) = (around.services.clone(), around.document.open.path.clone());
                let topic = Topic::Question(Question::Golden as u32);
                around.document.analysis_worker.ask(topic, Question::Golden.doing(), move |(), _| {
                    let golden = services.golden(&path, place.frame).map_err(Trouble::new)?;
                    Ok(Arc::new(golden.1))
                })
            }
            Side::PreviousFrame => match place.frame.0.checked_sub(1) {
                None => not_there("there is none"),
                Some(frame) => {
                    let place = Place { frame: FrameIndex(frame), until: Until::EndOfFrame };
                    around.document.player_worker.picture(Topic::Compare, place)
                }
            },
            Side::Shaders(_) | Side::Backend(_) => match self.other_player_worker(around) {
                Ok(player_worker) => player_worker.picture(Topic::Compare, place),
                Err(error) => not_there(&error.to_string()),
            },
        }
    }

    /// The second player, made at the first question.
    fn other_player_worker(&mut self, around: &Around<'_>) -> std::io::Result<&Worker<PlayerThread>> {
        let is_other = self.other.as_ref().is_none_or(|(side, _)| *side != self.side);
        if is_other {
            let (mut open, mut choice) = (around.document.open.clone(), around.choice.clone());
            match self.side {
                Side::Shaders(language) => open.shaders.language = language,
                Side::Backend(backend) => {
                    choice.backend = backend;
                    choice.adapter = Default::default();
                }
                Side::Golden | Side::PreviousFrame => {}
            }
            let player_worker = PlayerThread::start(open, choice, around.wake.clone())?;
            if let Some(index) = around.document.index() {
                player_worker.set_index(index.clone());
            }
            self.other = Some((self.side, player_worker));
        }
        let made = self.other.as_ref().map(|(_, player_worker)| player_worker);
        made.ok_or_else(|| std::io::Error::other("no second player"))
    }
}
