//! The player on its thread. A device that is lost is opened anew, and the player goes back to where it was.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::draw_costs::TimedFrame;
use super::overlay::OverlayPicture;
use super::promise::Promise;
use super::services::OpenTrace;
use super::worker::{Topic, Wake, Worker};
use crate::analysis::{Analysis, Mesh, OverlayKind, PixelHistory, draw_mesh, overlay, pixel_history};
use crate::command::{Place, Point, ResourceName, Shown};
use crate::error::Classified;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{AdapterChoice, AdapterSummary, BackendChoice, Gpu, GpuError, ObjectCounts};
use crate::pixels::{Picture, Surface};
use crate::player::{DrawSelection, FaultPolicy, Player, PlayerError, Variant};
use crate::replay::{FaultSummary, ShaderOptions, TraceIndex};

/// How often a frame is carried out to time its draws, and how long there is time to begin once more.
const TIMED_RUNS: u32 = 5;
const TIMING_PATIENCE: Duration = Duration::from_secs(2);

/// Which GPU pictures are made on.
#[derive(Clone)]
pub struct GpuChoice {
    /// The API to go through.
    pub backend: BackendChoice,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// Longest wait for the GPU.
    pub timeout: Duration,
}

impl GpuChoice {
    fn open(&self) -> Result<Arc<Gpu>, GpuError> {
        Gpu::open(self.backend, &self.adapter, self.timeout).map(Arc::new)
    }
}

/// A picture, or why there is none.
#[derive(Clone)]
pub(super) struct Rendered {
    /// What was asked for.
    pub place: Place,
    /// The picture.
    pub picture: Result<Arc<Picture>, InspectorError>,
    /// What was odd on the way: file offset and sentence.
    pub findings: Vec<(u64, String)>,
    /// Faults of the trace, as far as they are known.
    pub faults: FaultSummary,
    /// Frames and packets that were not carried out.
    pub fault_places: BTreeSet<(FrameIndex, u32)>,
    /// How many devices had to be opened so far.
    pub devices: u32,
}

/// An error as the inspector shows it.
#[derive(Clone, Debug)]
pub(super) struct InspectorError {
    /// The sentence.
    pub message: String,
    /// The file offset it is about.
    pub offset: Option<u64>,
    /// What the player said, if it was the player.
    pub error: Option<Arc<PlayerError>>,
}

impl InspectorError {
    /// An error that is not about the trace.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), offset: None, error: None }
    }
}

fn lost_twice() -> InspectorError {
    InspectorError::new("the GPU was lost twice in a row: the commands at this place may crash its driver")
}

impl fmt::Display for InspectorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<PlayerError> for InspectorError {
    fn from(error: PlayerError) -> Self {
        Self { message: error.to_string(), offset: error.offset(), error: Some(Arc::new(error)) }
    }
}

/// A viewer shows what can be shown, and lists what cannot.
const FAULTS: FaultPolicy = FaultPolicy::KeepGoing;

/// What the thread owns.
pub(super) struct PlayerThread {
    open: OpenTrace,
    choice: GpuChoice,
    index: Option<Arc<TraceIndex>>,
    player: Result<Box<Player>, InspectorError>,
    /// Shows textures, so that the other one can stay where it is.
    texture_player: Option<Box<Player>>,
    /// Devices opened so far: more than one means that one was lost.
    devices: u32,
}

/// Which GPU is in use, and how often one had to be opened.
#[derive(Clone, Debug)]
pub(super) struct GpuState {
    pub adapter: Result<AdapterSummary, InspectorError>,
    /// What lives on it.
    pub objects: Option<ObjectCounts>,
    pub devices: u32,
}

impl PlayerThread {
    /// Starts the thread.
    pub(crate) fn start(open: OpenTrace, choice: GpuChoice, wake: Wake) -> std::io::Result<Worker<Self>> {
        let make = move || {
            let player = Err(InspectorError::new("opening the GPU"));
            let mut thread = Self { open, choice, index: None, player, texture_player: None, devices: 0 };
            thread.open_player();
            thread
        };
        Worker::start("player", make, wake)
    }

    fn open_player(&mut self) {
        self.devices += 1;
        self.texture_player = None;
        let made = self.choice.open().map_err(PlayerError::from);
        let made = made.and_then(|gpu| Player::new(self.open.trace.clone(), gpu, self.open.size));
        self.player = match made {
            Ok(mut player) => {
                player.set_fault_policy(FAULTS);
                player.set_shader_options(self.open.shaders.clone());
                if let Some(index) = &self.index {
                    player.set_index(index.clone());
                }
                Ok(Box::new(player))
            }
            Err(error) => Err(error.into()),
        };
    }

    /// Does something on the player; once more on a new device if this one is lost on the way.
    pub(crate) fn with_player<T>(
        &mut self,
        mut work: impl FnMut(&mut Player) -> Result<T, PlayerError>,
    ) -> Result<T, InspectorError> {
        for _ in 0..2 {
            let player = self.player.as_mut().map_err(|error| error.clone())?;
            match work(player) {
                Err(PlayerError::Gpu(GpuError::DeviceLost(reason))) => {
                    log::warn!("the device was lost ({reason}): reopening it");
                    self.open_player();
                }
                done => return done.map_err(InspectorError::from),
            }
        }
        Err(lost_twice())
    }

    /// Which GPU is in use.
    pub(crate) fn gpu(&self) -> GpuState {
        let adapter = match &self.player {
            Ok(player) => Ok(player.renderer().gpu().summary().clone()),
            Err(error) => Err(error.clone()),
        };
        let objects = self.player.as_ref().ok().and_then(|player| player.renderer().gpu().object_counts());
        GpuState { adapter, objects, devices: self.devices }
    }

    fn show(&mut self, place: Place) -> Rendered {
        let (mut findings, mut faults, mut fault_places) = (Vec::new(), FaultSummary::default(), BTreeSet::new());
        let picture = self.with_player(|player| {
            let picture = player.render(place);
            faults = player.faults_until(FrameIndex(u32::MAX));
            fault_places = player.fault_places().collect();
            let noted = player.diagnostics().take();
            findings = noted.findings().iter().map(|finding| (finding.offset, finding.to_string())).collect();
            picture
        });
        Rendered { place, picture: picture.map(Arc::new), findings, faults, fault_places, devices: self.devices }
    }

    /// The picture at a place, for another purpose than showing it.
    pub(crate) fn picture(&mut self, place: Place) -> Result<Arc<Picture>, InspectorError> {
        self.show(place).picture
    }

    /// The picture at a place with something laid over it.
    pub(crate) fn overlay(&mut self, place: Place, kind: OverlayKind) -> Result<OverlayPicture, InspectorError> {
        let made = self.with_player(|player| overlay(player, place, kind))?;
        Ok(OverlayPicture { picture: Arc::new(made.picture), legend: made.legend })
    }

    /// The picture at a place, made of some draws only.
    pub(crate) fn variant(&mut self, place: Place, draws: DrawSelection) -> Result<OverlayPicture, InspectorError> {
        let variant = Variant { draws, ..Variant::default() };
        let picture = self.with_player(|player| player.render_variant(place, &variant))?;
        Ok(OverlayPicture { picture: Arc::new(picture), legend: Vec::new() })
    }

    /// What a texture of submissions holds at a place.
    pub(crate) fn texture(&mut self, place: Place, name: ResourceName) -> Result<Arc<Surface>, InspectorError> {
        self.with_texture_player(name, |player| player.render_surface(place)).map(Arc::new)
    }

    /// Does something on the player that shows part of a texture; once more on a new device if this one is lost on the way.
    fn with_texture_player<T>(
        &mut self,
        name: ResourceName,
        mut work: impl FnMut(&mut Player) -> Result<T, PlayerError>,
    ) -> Result<T, InspectorError> {
        for _ in 0..2 {
            let player = match self.texture_player.take() {
                Some(player) => player,
                None => Box::new(self.another_player()?),
            };
            let player = self.texture_player.insert(player);
            player.set_shown(Shown::Target(name));
            match work(player) {
                Err(PlayerError::Gpu(GpuError::DeviceLost(reason))) => {
                    log::warn!("the device was lost ({reason}): reopening it");
                    self.open_player();
                }
                done => return done.map_err(InspectorError::from),
            }
        }
        Err(lost_twice())
    }

    /// Another player on the same GPU, before the first frame.
    fn another_player(&self) -> Result<Player, InspectorError> {
        let gpu = self.player.as_ref().map_err(InspectorError::clone)?.renderer().gpu().clone();
        let mut player = Player::new(self.open.trace.clone(), gpu, self.open.size)?;
        player.set_fault_policy(FAULTS);
        player.set_shader_options(self.open.shaders.clone());
        if let Some(index) = &self.index {
            player.set_index(index.clone());
        }
        Ok(player)
    }

    /// How long the draws of a frame take; `None` if the device has no clock.
    pub(crate) fn time_draws(&mut self, frame: FrameIndex) -> Result<Option<Arc<TimedFrame>>, InspectorError> {
        self.with_player(|player| {
            let times = player.time_draws(frame, TIMED_RUNS, TIMING_PATIENCE)?;
            let index = player.index();
            let start = index.commands_of(frame).map_or(0, |own| own.start);
            let draw_packets = index.draws_of(frame).map(|draw| draw.0 - start).collect();
            Ok(times.map(|times| Arc::new(TimedFrame { times, draw_packets })))
        })
    }

    /// History of a pixel of the frame's picture, or of part of a texture.
    pub(crate) fn pixel_history(
        &mut self,
        place: Place,
        texture: Option<ResourceName>,
        [x, y]: [u32; 2],
    ) -> Result<Arc<PixelHistory>, InspectorError> {
        let history = |player: &mut Player| pixel_history(player, place, x, y);
        let made = match texture {
            Some(name) => self.with_texture_player(name, history),
            None => self.with_player(history),
        };
        made.map(Arc::new)
    }

    /// What the vertex shader of a draw makes of its vertices.
    pub(crate) fn mesh(
        &mut self,
        analysis: &Analysis,
        place: Place,
        instance: u32,
    ) -> Result<Arc<Mesh>, InspectorError> {
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        let made = draw_mesh(analysis, player, place, instance);
        made.map(Arc::new).map_err(|error| InspectorError::new(error.to_string()))
    }

    fn set_shaders(&mut self, shaders: ShaderOptions) {
        self.open.shaders = shaders;
        self.texture_player = None;
        // Whatever was made of the old texts is on the old player.
        match self.another_player() {
            Ok(player) => self.player = Ok(Box::new(player)),
            Err(_) => self.open_player(),
        }
    }
}

impl Worker<PlayerThread> {
    /// The picture at `place`.
    pub(crate) fn show(&self, place: Place) -> Promise<Rendered> {
        self.ask(Topic::Show, format!("drawing {}", place.in_words()), move |thread, _| thread.show(place))
    }

    /// Whether a frame shows anything else than the one before it, asked when there is nothing else to do; `None` of one
    /// that cannot be drawn, or is behind such a one.
    pub(crate) fn picture_change(&self, frame: FrameIndex) -> Promise<Option<bool>> {
        let what = format!("drawing frame {frame} and the previous frame to compare them");
        self.ask(Topic::PictureChange(frame.0), what, move |thread, _| {
            let mut show = |frame| thread.show(Place::end_of(frame)).picture.ok();
            let before = show(FrameIndex(frame.0.checked_sub(1)?))?;
            Some(show(frame)? != before)
        })
    }

    /// The picture at a place, when there is nothing else to do.
    pub(crate) fn thumbnail(&self, place: Place) -> Promise<Option<Arc<Picture>>> {
        let draw = match place.point {
            Point::Draw(draw) => Some(draw),
            Point::Start | Point::Packet(_) | Point::End => None,
        };
        let what = format!("drawing {} for the strip", place.in_words());
        self.ask(Topic::Thumbnail(place.frame.0, draw), what, move |thread, _| thread.show(place).picture.ok())
    }

    /// Gives the player an index made elsewhere.
    pub(crate) fn set_index(&self, index: Arc<TraceIndex>) {
        self.tell(Topic::Index, "receiving the index", move |thread| {
            for player in thread.player.as_mut().ok().into_iter().chain(&mut thread.texture_player) {
                player.set_index(index.clone());
            }
            thread.index = Some(index);
        });
    }

    /// Has shaders made in another way from here on.
    pub(crate) fn set_shaders(&self, shaders: ShaderOptions) {
        self.tell(Topic::Shaders, "applying the shaders", move |thread| thread.set_shaders(shaders));
    }

    /// Which GPU is in use.
    pub(crate) fn gpu(&self) -> Promise<GpuState> {
        self.ask(Topic::Question(u32::MAX), "reading the state of the GPU", |thread, _| thread.gpu())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bytes::{Diagnostics, FileSource};
    use crate::format::aerogpu::Trace;
    use crate::replay::DEFAULT_SIZE;

    /// What the player's thread owns, on the backend that draws nothing and is everywhere.
    fn thread() -> PlayerThread {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aerogpu/frames.aerogputrace");
        let source = Arc::new(FileSource::open(&path).unwrap());
        let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
        let (size, shaders, problems) = (DEFAULT_SIZE, ShaderOptions::default(), Vec::new());
        let open = OpenTrace { path, trace, size, shaders, problems };
        let choice = GpuChoice {
            backend: BackendChoice::Noop,
            adapter: AdapterChoice::default(),
            timeout: Duration::from_secs(10),
        };
        let player = Err(InspectorError::new(""));
        let mut thread = PlayerThread { open, choice, index: None, player, texture_player: None, devices: 0 };
        thread.open_player();
        thread
    }

    #[test]
    fn a_lost_device_is_opened_anew_and_the_work_done_there() {
        let mut thread = thread();
        let place = Place::end_of(FrameIndex(2));
        assert_eq!(thread.show(place).devices, 1);
        let mut tries = 0;
        let done = thread.with_player(|player| {
            tries += 1;
            if tries == 1 {
                return Err(GpuError::DeviceLost("pulled out".to_owned()).into());
            }
            player.render(place)
        });
        assert!(done.is_ok(), "{:?}", done.err());
        assert_eq!((tries, thread.devices), (2, 2));
        let shown = thread.show(place);
        assert!(shown.picture.is_ok() && shown.devices == 2);
    }

    #[test]
    fn a_device_that_is_lost_again_and_again_is_given_up() {
        let mut thread = thread();
        let lost = |_: &mut Player| -> Result<(), PlayerError> { Err(GpuError::DeviceLost("gone".to_owned()).into()) };
        let error = thread.with_player(lost).unwrap_err();
        assert!(error.message.contains("lost twice in a row"), "{}", error.message);
    }
}
