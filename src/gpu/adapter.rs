//! Which GPUs there are, and which one to use.

use std::fmt;
use std::sync::OnceLock;

use super::error::GpuError;
use super::waiting::block_on;

/// The API to go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// Vulkan, Metal or Direct3D 12; OpenGL only where there is none of them.
    #[default]
    Auto,
    /// Vulkan.
    Vulkan,
    /// OpenGL or OpenGL ES.
    Gl,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// No GPU at all: everything is validated, nothing is drawn.
    Noop,
}

/// The adapter to use among those of the backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The first of the best kind: discrete, integrated, virtual, software.
    #[default]
    Best,
    /// The one with this number in the list of adapters.
    Index(usize),
    /// The first whose name contains this text, whatever the case.
    Name(String),
}

/// An adapter, as listings show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Its number, for [`AdapterChoice::Index`].
    pub index: usize,
    /// The device's name.
    pub name: String,
    /// The API: `vulkan`, `gl`, ….
    pub backend: String,
    /// The kind of device: `discrete`, `integrated`, `virtual`, `cpu`, `other`.
    pub kind: &'static str,
    /// The driver's name and version.
    pub driver: String,
}

impl fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}", self.name, self.backend, self.kind)?;
        if !self.driver.is_empty() {
            write!(f, ", {}", self.driver)?;
        }
        f.write_str(")")
    }
}

impl AdapterSummary {
    pub(super) fn new(index: usize, info: &wgpu::AdapterInfo) -> Self {
        let driver = format!("{} {}", info.driver, info.driver_info);
        Self {
            index,
            // Browsers do not tell.
            name: if info.name.is_empty() { "unnamed".to_owned() } else { info.name.clone() },
            backend: info.backend.to_str().to_owned(),
            kind: kind_name(info.device_type),
            driver: driver.trim().to_owned(),
        }
    }

    /// Says whether it is a browser's WebGPU, which sees to its devices itself.
    pub(super) fn is_browsers_own(&self) -> bool {
        self.backend == wgpu::Backend::BrowserWebGpu.to_str()
    }
}

impl BackendChoice {
    pub(super) fn backends(self) -> wgpu::Backends {
        match self {
            Self::Auto => wgpu::Backends::all().difference(wgpu::Backends::NOOP),
            Self::Vulkan => wgpu::Backends::VULKAN,
            Self::Gl => wgpu::Backends::GL,
            Self::Metal => wgpu::Backends::METAL,
            Self::Dx12 => wgpu::Backends::DX12,
            Self::Noop => wgpu::Backends::NOOP,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "any backend",
            Self::Vulkan => "backend vulkan",
            Self::Gl => "backend gl",
            Self::Metal => "backend metal",
            Self::Dx12 => "backend dx12",
            Self::Noop => "backend noop",
        }
    }
}

/// Every adapter of the chosen backend, best first. The order is the same on every call.
pub fn list_adapters(backend: BackendChoice) -> Vec<AdapterSummary> {
    let instance = new_instance(backend.backends(), None);
    let adapters = enumerate(&instance, backend);
    adapters.iter().enumerate().map(|(index, adapter)| AdapterSummary::new(index, &adapter.get_info())).collect()
}

/// The first instance, for as long as the process lasts: with the last one Vulkan's libraries are unloaded, and NVIDIA's
/// driver finds no adapter when it is loaded again.
static KEEPS_DRIVERS_LOADED: OnceLock<wgpu::Instance> = OnceLock::new();

pub(super) fn new_instance(
    backends: wgpu::Backends,
    display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
) -> wgpu::Instance {
    // One of GL is a context of its own, and one with a display keeps its connection.
    let can_be_kept = display.is_none() && !backends.contains(wgpu::Backends::GL);
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    // A browser's OpenGL is done when it is asked for what was drawn: it says so at once, and nobody need wait for it.
    if cfg!(target_arch = "wasm32") {
        descriptor.backend_options.gl.fence_behavior = wgpu::GlFenceBehavior::AutoFinish;
    }
    descriptor.backend_options.noop.enable = backends == wgpu::Backends::NOOP;
    descriptor.display = display;
    // Nothing is drawn indirectly; and for its checks wgpu wants compute shaders, without which OpenGL 3.3 gave no device.
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    let instance = wgpu::Instance::new(descriptor);
    if can_be_kept && backends.contains(wgpu::Backends::VULKAN) {
        KEEPS_DRIVERS_LOADED.get_or_init(|| instance.clone());
    }
    instance
}

fn enumerate(instance: &wgpu::Instance, backend: BackendChoice) -> Vec<wgpu::Adapter> {
    let mut adapters = block_on(instance.enumerate_adapters(backend.backends()));
    adapters.sort_by_key(|adapter| {
        let info = adapter.get_info();
        (kind_rank(info.device_type), backend_rank(info.backend), info.name)
    });
    adapters
}

/// Finds the adapter asked for; `surface` is what it must be able to present to.
pub(super) fn choose_adapter(
    instance: &wgpu::Instance,
    backend: BackendChoice,
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<(usize, wgpu::Adapter), GpuError> {
    let adapters = enumerate(instance, backend);
    let summaries: Vec<AdapterSummary> =
        adapters.iter().enumerate().map(|(index, adapter)| AdapterSummary::new(index, &adapter.get_info())).collect();
    let presents = |adapter: &wgpu::Adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface));
    let wanted = |summary: &AdapterSummary| match choice {
        AdapterChoice::Best => true,
        AdapterChoice::Index(index) => summary.index == *index,
        AdapterChoice::Name(name) => summary.name.to_lowercase().contains(&name.to_lowercase()),
    };
    let mut candidates = adapters.into_iter().enumerate().zip(&summaries);
    let found = candidates.find(|((_, adapter), summary)| wanted(summary) && presents(adapter));
    if let Some((indexed, _)) = found {
        return Ok(indexed);
    }
    let wanted = match choice {
        AdapterChoice::Best => "an adapter".to_owned(),
        AdapterChoice::Index(index) => format!("adapter {index}"),
        AdapterChoice::Name(name) => format!("an adapter named \"{name}\""),
    };
    let shown = if surface.is_some() { " that can show a window" } else { "" };
    let names: Vec<String> = summaries.iter().map(|summary| format!("{}: {summary}", summary.index)).collect();
    let found = if names.is_empty() { "none".to_owned() } else { names.join("; ") };
    Err(GpuError::NoAdapter { wanted: format!("{wanted} of {}{shown}", backend.name()), found })
}

/// The WebGL2 of a canvas, which browsers give no other way.
#[cfg(target_arch = "wasm32")]
pub(super) fn adapter_of_canvas(
    instance: &wgpu::Instance,
    canvas: wgpu::web_sys::OffscreenCanvas,
) -> Result<wgpu::Adapter, GpuError> {
    let none = |found: String| GpuError::NoAdapter { wanted: "WebGL2".to_owned(), found };
    let surface = instance
        .create_surface(wgpu::SurfaceTarget::OffscreenCanvas(canvas))
        .map_err(|error| none(super::error::one_line(&error)))?;
    let asked = instance.clone();
    block_on(async move {
        let options = wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        asked.request_adapter(&options).await
    })
    .map_err(|error| none(super::error::one_line(&error)))
}

fn kind_name(kind: wgpu::DeviceType) -> &'static str {
    match kind {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "cpu",
        wgpu::DeviceType::Other => "other",
    }
}

fn kind_rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn backend_rank(backend: wgpu::Backend) -> u8 {
    match backend {
        wgpu::Backend::Vulkan | wgpu::Backend::Metal | wgpu::Backend::Dx12 => 0,
        _ => 1,
    }
}
