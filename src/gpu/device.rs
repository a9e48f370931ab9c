//! A device that reports instead of panicking.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(target_arch = "wasm32")]
use super::adapter::adapter_of_canvas;
use super::adapter::{AdapterChoice, AdapterSummary, BackendChoice, choose_adapter, new_instance};
use super::api_messages::take_errors_of_thread;
use super::device_record::{limits_of, record_of};
use super::driver_faults::{EARLY_COPIES, NINE_VERTICES, TWICE_THE_BIAS};
use super::error::{GpuError, LibraryError};
use super::freed_memory::keep_freed_memory;
use super::under_way::UnderWay;
use super::waiting::{NoEvent, block_on, event};
use crate::command::Location;
use crate::limits::MAX_FRAME_VERTICES;
use crate::replay::device_rules::Device;
use crate::shader::{Broken, ProvokingVertex, guarded};

/// As good as for ever, and drivers can still add it to a time. On a device with so much of it a frame may draw any number
/// of vertices, too.
pub const NO_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// An opened GPU.
pub struct Gpu {
    /// The instance, for surfaces.
    pub instance: wgpu::Instance,
    /// The adapter.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    summary: AdapterSummary,
    is_gl: bool,
    has_nine_vertices_fault: bool,
    has_twice_the_bias: bool,
    has_early_copies: bool,
    troubles: Arc<Mutex<Troubles>>,
    pipeline_progress: Option<fn(PipelineProgress)>,
    timeout: Duration,
    under_way: UnderWay,
    max_frame_vertices: Option<u64>,
    has_view_formats: bool,
    uniform_alignment: u64,
    record: Device,
}

/// What is asked of a device where its adapter has it: parts of Direct3D that not every API has, and clocks.
const WANTED_FEATURES: wgpu::Features = wgpu::Features::DUAL_SOURCE_BLENDING
    .union(wgpu::Features::POLYGON_MODE_LINE)
    .union(wgpu::Features::POLYGON_MODE_POINT)
    .union(wgpu::Features::DEPTH_CLIP_CONTROL)
    .union(wgpu::Features::CLIP_DISTANCES)
    .union(wgpu::Features::PRIMITIVE_INDEX)
    .union(wgpu::Features::SHADER_EARLY_DEPTH_TEST)
    .union(wgpu::Features::VERTEX_WRITABLE_STORAGE)
    .union(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES);

/// Objects that exist on a GPU: what only grows is leaked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    /// Buffers.
    pub buffers: usize,
    /// Textures.
    pub textures: usize,
    /// Render and compute pipelines.
    pub pipelines: usize,
    /// Shader modules.
    pub shader_modules: usize,
    /// Bind groups.
    pub bind_groups: usize,
    /// Query sets.
    pub query_sets: usize,
}

impl std::fmt::Display for ObjectCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { buffers, textures, pipelines, shader_modules, bind_groups, query_sets } = self;
        write!(f, "{buffers} buffers, {textures} textures, {pipelines} pipelines, {shader_modules} shader modules, ")?;
        write!(f, "{bind_groups} bind groups, {query_sets} query sets")
    }
}

/// Error that a scope has caught, once the library knows. A browser answers each from another process.
type PoppedScope = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

/// A thing made of which the library has not said yet whether it refuses it.
pub(crate) struct Unsettled<T> {
    /// To be used with other such things alone, until [`Self::settled`] gives it.
    pub(super) made: T,
    /// The innermost scope first.
    popped: Vec<PoppedScope>,
    message: Option<LibraryError>,
}

impl<T> Unsettled<T> {
    /// Waits for what the library says.
    pub(crate) fn settled(self) -> Result<T, LibraryError> {
        let Self { made, popped, message } = self;
        let error = popped.into_iter().rev().find_map(block_on).map(|error| LibraryError::of(&error));
        error.or(message).map_or(Ok(made), Err)
    }
}

/// Number of pipelines made, of those that are made together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineProgress {
    /// So many.
    pub made: u32,
    /// Of so many.
    pub of: u32,
}

/// What the driver reported outside of any call.
#[derive(Default)]
struct Troubles {
    first_error: Option<LibraryError>,
    lost: Option<String>,
}

impl Gpu {
    /// Opens an adapter for offscreen rendering. No wait for the GPU lasts longer than `timeout`.
    pub fn open(backend: BackendChoice, adapter: &AdapterChoice, timeout: Duration) -> Result<Self, GpuError> {
        try_backends(backend, adapter, |backends| {
            let instance = new_instance(backends, None);
            let (index, chosen) = choose_adapter(&instance, backend, adapter, None)?;
            Self::open_adapter(instance, index, chosen, timeout)
        })
    }

    /// Opens the WebGL2 of a canvas that nobody sees.
    #[cfg(target_arch = "wasm32")]
    pub fn open_in_canvas(canvas: wgpu::web_sys::OffscreenCanvas) -> Result<Self, GpuError> {
        let instance = new_instance(wgpu::Backends::GL, None);
        let chosen = adapter_of_canvas(&instance, canvas)?;
        Self::open_adapter(instance, 0, chosen, Duration::MAX)
    }

    /// This device, held to the record of another: what that one lacks is drawn in another way or refused here too.
    pub fn held_to(self, record: Device) -> Self {
        Self { record, ..self }
    }

    /// Opens a device that draws nothing and has these limits and features: it decides about commands as the device does that
    /// the record is of.
    pub fn open_noop_as(record: &Device, timeout: Duration) -> Result<Self, GpuError> {
        let (backend, adapter) = (BackendChoice::Noop, AdapterChoice::Best);
        let instance = new_instance(backend.backends(), None);
        let (index, chosen) = choose_adapter(&instance, backend, &adapter, None)?;
        let limits = limits_of(record);
        let gpu = Self::open_with_limits(instance, index, chosen, (Some(limits), timeout))?;
        Ok(Self { record: *record, ..gpu })
    }

    /// Opens an adapter that can present to the surface which `make_surface` makes. `make_display` gives the
    /// connection that the window lives on.
    pub fn open_for_surface(
        backend: BackendChoice,
        adapter: &AdapterChoice,
        timeout: Duration,
        make_display: impl Fn() -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle>,
        make_surface: impl Fn(&wgpu::Instance) -> Result<wgpu::Surface<'static>, wgpu::CreateSurfaceError>,
    ) -> Result<(Self, wgpu::Surface<'static>), GpuError> {
        try_backends(backend, adapter, |backends| {
            let instance = new_instance(backends, Some(make_display()));
            let no_surface = |error: wgpu::CreateSurfaceError| GpuError::NoAdapter {
                wanted: "one that can show a window".to_owned(),
                found: error.to_string(),
            };
            let surface = make_surface(&instance).map_err(no_surface)?;
            let (index, chosen) = choose_adapter(&instance, backend, adapter, Some(&surface))?;
            Ok((Self::open_adapter(instance, index, chosen, timeout)?, surface))
        })
    }

    /// Whether textures can be seen in another format than their own, sRGB or not.
    pub(super) fn has_view_formats(&self) -> bool {
        self.has_view_formats
    }

    fn open_adapter(
        instance: wgpu::Instance,
        index: usize,
        adapter: wgpu::Adapter,
        timeout: Duration,
    ) -> Result<Self, GpuError> {
        Self::open_with_limits(instance, index, adapter, (None, timeout))
    }

    /// Opens an adapter with these limits, or with all that it has.
    fn open_with_limits(
        instance: wgpu::Instance,
        index: usize,
        adapter: wgpu::Adapter,
        (limits, timeout): (Option<wgpu::Limits>, Duration),
    ) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        if info.device_type == wgpu::DeviceType::Cpu && info.backend == wgpu::Backend::Vulkan {
            keep_freed_memory();
        }
        let summary = AdapterSummary::new(index, &info);
        // The noop adapter claims limits that its own device does not accept.
        let is_noop = info.backend == wgpu::Backend::Noop;
        let all = || if is_noop { wgpu::Limits::default() } else { adapter.limits() };
        let required_limits = limits.unwrap_or_else(all);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("aerogpu-replay"),
            required_limits,
            required_features: adapter.features() & WANTED_FEATURES,
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let asked = adapter.clone();
        let opened = block_on(async move { asked.request_device(&descriptor).await });
        let (device, queue) = opened.map_err(|error| GpuError::NoDevice {
            adapter: summary.to_string(),
            message: super::error::one_line(&error),
        })?;
        let troubles = Arc::new(Mutex::new(Troubles::default()));
        let on_error = troubles.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            lock(&on_error).first_error.get_or_insert_with(|| LibraryError::of(&error));
        }));
        let on_lost = troubles.clone();
        device.set_device_lost_callback(move |reason, message| {
            // Dropping a device "loses" it too, and that is nobody's trouble.
            if reason != wgpu::DeviceLostReason::Destroyed {
                let reason = if message.is_empty() { "the driver gives no reason".to_owned() } else { message };
                lock(&on_lost).lost.get_or_insert(reason);
            }
        });
        let max_frame_vertices = (timeout < NO_TIMEOUT).then_some(MAX_FRAME_VERTICES);
        let is_gl = info.backend == wgpu::Backend::Gl;
        let downlevel = adapter.get_downlevel_capabilities();
        let has_view_formats = downlevel.flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS);
        let uniform_alignment = u64::from(device.limits().min_uniform_buffer_offset_alignment).max(1);
        let record = record_of(&device, downlevel.flags, (is_gl, summary.is_browsers_own()));
        let has_nine_vertices_fault = summary.has(&NINE_VERTICES);
        let has_twice_the_bias = summary.has(&TWICE_THE_BIAS);
        let has_early_copies = summary.has(&EARLY_COPIES);
        Ok(Self {
            instance,
            adapter,
            device,
            queue,
            summary,
            is_gl,
            has_nine_vertices_fault,
            has_twice_the_bias,
            has_early_copies,
            troubles,
            pipeline_progress: None,
            timeout,
            under_way: UnderWay::default(),
            max_frame_vertices,
            has_view_formats,
            uniform_alignment,
            record,
        })
    }

    /// The adapter in use.
    pub fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// Whether the API is OpenGL or OpenGL ES.
    pub(super) fn is_gl(&self) -> bool {
        self.is_gl
    }

    /// The vertex of a triangle that the API takes flat values from.
    pub(super) fn provoking_vertex(&self) -> ProvokingVertex {
        if self.is_gl { ProvokingVertex::Last } else { ProvokingVertex::First }
    }

    /// Limits and features, by which commands are drawn as they are, drawn in another way, or refused.
    pub fn record(&self) -> &Device {
        &self.record
    }

    /// Whether its driver moves depths of 24 bits by twice the bias.
    pub(super) fn has_twice_the_bias(&self) -> bool {
        self.has_twice_the_bias
    }

    /// Whether its driver copies texels before draws to them are done.
    pub(super) fn has_early_copies(&self) -> bool {
        self.has_early_copies
    }

    /// Asked for every draw.
    pub(super) fn has_nine_vertices_fault(&self) -> bool {
        self.has_nine_vertices_fault
    }

    /// How many vertices may be drawn for one picture, if not any number.
    pub fn max_frame_vertices(&self) -> Option<u64> {
        self.max_frame_vertices
    }

    /// Has `told` called as pipelines are made that are made together, which can take long.
    pub fn tell_pipelines(&mut self, told: fn(PipelineProgress)) {
        self.pipeline_progress = Some(told);
    }

    /// Tells how many pipelines are made.
    pub(super) fn tell_pipeline(&self, progress: PipelineProgress) {
        self.pipeline_progress.iter().for_each(|told| told(progress));
    }

    /// How long a wait for the GPU may last.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// What it was given and is not known to have done.
    pub fn under_way(&self) -> &UnderWay {
        &self.under_way
    }

    /// The error of a wait that was too long.
    pub(super) fn timed_out(&self) -> GpuError {
        GpuError::Timeout { timeout: self.timeout, work: self.under_way.work() }
    }

    /// How many objects live on the instance; `None` where the library does not count them.
    pub fn object_counts(&self) -> Option<ObjectCounts> {
        let hub = self.instance.generate_report()?.hub;
        Some(ObjectCounts {
            buffers: hub.buffers.num_allocated,
            textures: hub.textures.num_allocated,
            pipelines: hub.render_pipelines.num_allocated + hub.compute_pipelines.num_allocated,
            shader_modules: hub.shader_modules.num_allocated,
            bind_groups: hub.bind_groups.num_allocated,
            query_sets: hub.query_sets.num_allocated,
        })
    }

    /// Bytes of which the place of bound constants is a multiple.
    pub(super) fn uniform_alignment(&self) -> u64 {
        self.uniform_alignment
    }

    /// The largest side of a texture, in pixels.
    pub fn largest_side_px(&self) -> u32 {
        self.record.max_texture_side_px
    }

    /// Makes something for which drivers compile, recursively and not always carefully: on a thread with a deep stack, and
    /// with errors that are of this alone, whatever other threads do meanwhile.
    pub(super) fn compile<T: Send>(&self, make: impl FnOnce() -> T + Send) -> Result<T, LibraryError> {
        self.compile_unsettled(make)?.settled()
    }

    /// Does the same without a wait: whether the library refuses it is asked of what was made.
    pub(super) fn compile_unsettled<T: Send>(
        &self,
        make: impl FnOnce() -> T + Send,
    ) -> Result<Unsettled<T>, LibraryError> {
        guarded(|| self.caught(make)).map_err(|broken| match broken {
            Broken::Panic(panic) => LibraryError::Panic(panic),
            Broken::NoThread { .. } => LibraryError::NoThread(broken),
        })
    }

    /// Calls `make`. The error that the library reports meanwhile is told with what was made instead of at the next
    /// [`Gpu::check`].
    pub(crate) fn caught<T>(&self, make: impl FnOnce() -> T) -> Unsettled<T> {
        self.collect_messages();
        let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory];
        let scopes = scopes.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        // Scopes are popped innermost first.
        let popped = scopes.into_iter().rev().map(|scope| Box::pin(scope.pop()) as PoppedScope).collect();
        // What the driver said of it besides is known by the error.
        let message = take_errors_of_thread().map(LibraryError::Message);
        Unsettled { made, popped, message }
    }

    /// Keeps what the API said to this thread for the next [`Gpu::check`].
    fn collect_messages(&self) {
        if let Some(message) = take_errors_of_thread() {
            lock(&self.troubles).first_error.get_or_insert(LibraryError::Message(message));
        }
    }

    /// Turns what the driver has reported since the last call into an error about the command at `at`.
    pub fn check(&self, what: &'static str, at: Location) -> Result<(), GpuError> {
        self.collect_messages();
        let mut troubles = lock(&self.troubles);
        if let Some(reason) = troubles.lost.clone() {
            return Err(GpuError::DeviceLost(reason));
        }
        match troubles.first_error.take() {
            Some(error) => Err(GpuError::Reported { what, at, error }),
            None => Ok(()),
        }
    }

    /// The error of a device that is lost, if it is.
    pub(super) fn lost(&self) -> Option<GpuError> {
        lock(&self.troubles).lost.clone().map(GpuError::DeviceLost)
    }

    /// Whether [`Gpu::check`] has an error to tell.
    pub fn is_in_trouble(&self) -> bool {
        self.collect_messages();
        let troubles = lock(&self.troubles);
        troubles.lost.is_some() || troubles.first_error.is_some()
    }

    /// Loses the device, as a driver does that tells a reason.
    #[cfg(test)]
    pub(crate) fn lose(&self, reason: &str) {
        self.device.destroy();
        lock(&self.troubles).lost.get_or_insert(reason.to_owned());
    }

    /// Keeps device and queue for good: letting go of them waits for the GPU, which does not answer.
    fn never_let_go(&self) {
        std::mem::forget((self.device.clone(), self.queue.clone()));
    }

    /// Waits until the GPU has finished a submission, or everything. After a wait that was too long, the device is never let go
    /// of.
    pub fn wait(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        if self.summary.is_browsers_own() {
            return self.wait_for_browser();
        }
        match self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(self.timeout) }) {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => {
                self.never_let_go();
                Err(self.timed_out())
            }
            Err(error) => Err(GpuError::DeviceLost(super::error::one_line(&error))),
        }
    }

    /// Waits until a browser says that all work is done: its devices cannot be asked.
    fn wait_for_browser(&self) -> Result<(), GpuError> {
        let (teller, done) = event();
        self.queue.on_submitted_work_done(move || teller.tell(()));
        done.wait(self.timeout).map_err(|missed| self.missed(missed, "the work was never done"))
    }

    /// The error of an event that did not come.
    pub(super) fn missed(&self, missed: NoEvent, never: &str) -> GpuError {
        match missed {
            NoEvent::TimedOut => self.timed_out(),
            NoEvent::NeverTold => GpuError::DeviceLost(never.to_owned()),
        }
    }
}

/// Opens with the backends that `backend` allows. Left to choose, OpenGL is asked last: it is slow to look for, and
/// its loader prints to stderr on machines without a display.
fn try_backends<T>(
    backend: BackendChoice,
    adapter: &AdapterChoice,
    open: impl Fn(wgpu::Backends) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    if backend == BackendChoice::Auto
        && *adapter == AdapterChoice::Best
        && let Ok(opened) = open(wgpu::Backends::PRIMARY)
    {
        return Ok(opened);
    }
    open(backend.backends())
}

fn lock(troubles: &Mutex<Troubles>) -> MutexGuard<'_, Troubles> {
    troubles.lock().unwrap_or_else(PoisonError::into_inner)
}
