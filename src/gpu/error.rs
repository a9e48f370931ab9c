//! What can go wrong between a resolved op and the picture.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::under_way::Work;
use crate::bytes::ReadError;
use crate::command::Location;
use crate::error::{Classified, ErrorKind, Internal};
use crate::replay::device_rules::Refusal;
use crate::shader::Broken;

/// Rendering that cannot go on.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No adapter fits what was asked for.
    #[error("no usable adapter: expected {wanted}, found {found}")]
    NoAdapter {
        /// The adapter asked for, in words.
        wanted: String,
        /// The adapters there are, in words.
        found: String,
    },
    /// The adapter gave no device.
    #[error("cannot open a device on adapter {adapter}: {message}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        message: String,
    },
    /// A question that takes occlusion queries, where a device has none that are answered in time.
    #[error("the history of a pixel needs occlusion queries, which WebGL2 answers too late")]
    NoVisibility,
    /// An error that the API or its driver reported outside of any call: what was recorded by then is lost.
    #[error("{what} {at}: {error}")]
    Reported {
        /// What was being done.
        what: &'static str,
        /// The command that asked for it.
        at: Location,
        /// The error.
        error: LibraryError,
    },
    /// Shaders that cannot be translated.
    #[error("{at}: {message}")]
    Shader {
        /// The draw.
        at: Location,
        /// The kind of trouble.
        kind: ErrorKind,
        /// What is wrong with them.
        message: String,
    },
    /// Something that this build, or this device, cannot draw.
    #[error("{at}: {what} is not supported by this build")]
    Unsupported {
        /// What it is.
        what: Box<str>,
        /// The command.
        at: Location,
    },
    /// A command that this device cannot carry out.
    #[error("{at}: {refusal}")]
    Refusal {
        /// The reason.
        refusal: Refusal,
        /// The command.
        at: Location,
    },
    /// A command that uses a resource which could not be made.
    #[error("{at}: the command uses a resource that could not be made {made_at}")]
    NotMade {
        /// The command.
        at: Location,
        /// The command that should have made the resource.
        made_at: Location,
        /// The kind of error that it was refused with.
        kind: ErrorKind,
    },
    /// Shaders or a pipeline that the API or its driver does not compile.
    #[error("{what} {at}: {error}")]
    NotCompiled {
        /// The object.
        what: &'static str,
        /// The command that needs it.
        at: Location,
        /// The error.
        error: LibraryError,
    },
    /// Something needs more than the device has.
    #[error("{what} is {found}: the device's limit is {limit}")]
    OverDeviceLimit {
        /// The thing that is too large.
        what: &'static str,
        /// Its size in bytes.
        found: u64,
        /// The device's limit.
        limit: u64,
    },
    /// A command asks for more than there is.
    #[error("{what} is {found} {at}: {whose} limit is {limit}")]
    OverLimit {
        /// The thing that is too large.
        what: &'static str,
        /// The command.
        at: Location,
        /// Its size in bytes.
        found: u64,
        /// Whose limit it is: "this build's" or "the device's".
        whose: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A draw or dispatch that would take the frame over its budget.
    #[error("{work} {at}: {} (--no-render-budget lifts it)", over_budget(*work, *count, *found, *limit))]
    OverBudget {
        /// The command.
        work: BudgetedWork,
        /// Its place.
        at: Location,
        /// Its vertices, each as often as there are instances, or its threads.
        count: u64,
        /// Vertices and threads with those before it in its frame.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
    },
    /// A viewport larger than the device can set.
    #[error(
        "DRAW {at}: the viewport is {} by {} pixels: the device's limit is {limit} on a side",
        size_px[0],
        size_px[1]
    )]
    ViewportTooLarge {
        /// The draw.
        at: Location,
        /// Width and height.
        size_px: [u32; 2],
        /// The device's limit.
        limit: u32,
    },
    /// The device is gone.
    #[error("the device was lost: {0}")]
    DeviceLost(String),
    /// The GPU did not finish in time.
    #[error("the GPU did not finish {work} within {} s (--timeout)", timeout.as_secs())]
    Timeout {
        /// How long it was waited for.
        timeout: Duration,
        /// What it was given.
        work: Work,
    },
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
    /// The trace could not be read while uploading.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Classified for GpuError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoAdapter { .. } | Self::NoDevice { .. } => ErrorKind::NoAdapter,
            Self::DeviceLost(_) => ErrorKind::ReplayFailed,
            Self::Unsupported { .. } | Self::NoVisibility => ErrorKind::Unsupported,
            Self::Shader { kind, .. } | Self::NotMade { kind, .. } => *kind,
            Self::Refusal { refusal, .. } => refusal.kind(),
            Self::NotCompiled { error, .. } | Self::Reported { error, .. } => error.kind(),
            Self::OverDeviceLimit { .. }
            | Self::OverLimit { .. }
            | Self::ViewportTooLarge { .. }
            | Self::OverBudget { .. } => ErrorKind::OverLimit,
            Self::Timeout { .. } => ErrorKind::Timeout,
            Self::Read(error) => error.kind(),
            Self::Internal(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Reported { at, .. }
            | Self::NotCompiled { at, .. }
            | Self::Refusal { at, .. }
            | Self::NotMade { at, .. }
            | Self::Shader { at, .. }
            | Self::Unsupported { at, .. }
            | Self::OverLimit { at, .. }
            | Self::ViewportTooLarge { at, .. }
            | Self::OverBudget { at, .. } => Some(at.offset),
            Self::Read(error) => error.offset(),
            Self::Internal(error) => error.at,
            Self::NoAdapter { .. }
            | Self::NoDevice { .. }
            | Self::NoVisibility
            | Self::OverDeviceLimit { .. }
            | Self::DeviceLost(_)
            | Self::Timeout { .. } => None,
        }
    }
}

/// Command whose work counts against the budget of its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetedWork {
    /// A draw without indices.
    Draw,
    /// A draw by indices.
    DrawIndexed,
    /// A dispatch of a compute shader.
    Dispatch,
}

/// Says how a command goes over the budget. The frame's sum is left out where the command alone is too much: it depends on
/// which of the earlier commands are drawn again, as a seek and a trim leave out those that nothing shows.
fn over_budget(work: BudgetedWork, count: u64, found: u64, limit: u64) -> String {
    let unit = work.unit();
    if count > limit {
        format!("its {count} {unit} alone exceed the frame's budget of {limit}")
    } else {
        format!("its {count} {unit} bring its frame to {found}: the budget is {limit}")
    }
}

impl BudgetedWork {
    /// The things that are counted.
    fn unit(self) -> &'static str {
        match self {
            Self::Draw | Self::DrawIndexed => "vertices",
            Self::Dispatch => "threads",
        }
    }
}

impl fmt::Display for BudgetedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draw => "DRAW",
            Self::DrawIndexed => "DRAW_INDEXED",
            Self::Dispatch => "DISPATCH",
        })
    }
}

/// An error of the GPU library.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LibraryError {
    /// Its validation refuses what our own rules let through.
    #[error("this is a bug of aerogpu-replay: please report it with this line: the GPU library rejected it: {0}")]
    Validation(String),
    /// It refuses a text of the guest's, which it compiles itself.
    #[error("the GPU library rejected it: {0}")]
    GuestText(String),
    /// The driver fails.
    #[error("the driver failed: {0}")]
    Driver(String),
    /// The driver tells an error of a call, which did nothing, in a message of its own.
    #[error("the driver reports: {0}")]
    Message(String),
    /// There is too little memory.
    #[error("out of memory")]
    OutOfMemory,
    /// A compiler could not be started.
    #[error(transparent)]
    NoThread(Broken),
    /// A compiler panicked.
    #[error("the shader compiler crashed ({0}); please report it")]
    Panic(String),
}

impl Classified for LibraryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Validation(_) | Self::Panic(_) => ErrorKind::Internal,
            Self::GuestText(_) | Self::Driver(_) | Self::Message(_) | Self::OutOfMemory | Self::NoThread(_) => {
                ErrorKind::ReplayFailed
            }
        }
    }

    fn offset(&self) -> Option<u64> {
        // The command has the place.
        None
    }
}

impl LibraryError {
    pub(super) fn of(error: &wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory,
            wgpu::Error::Validation { .. } => Self::Validation(describe(error)),
            wgpu::Error::Internal { source, description } => {
                Self::Driver(first_complaint(&told(&**source, description)))
            }
        }
    }

    /// Blames an error of validation on the driver, or on the window system behind it.
    #[cfg(feature = "window")]
    pub(crate) fn of_driver(self) -> Self {
        match self {
            Self::Validation(message) => Self::Driver(message),
            other => other,
        }
    }

    /// Blames an error of validation on the guest's own shader text.
    pub(super) fn of_guest_text(self) -> Self {
        match self {
            Self::Validation(message) | Self::Driver(message) => Self::GuestText(message),
            other => other,
        }
    }
}

/// An error and its causes in one line.
pub(super) fn one_line(error: &(dyn Error + 'static)) -> String {
    in_one_line(&with_causes(error))
}

/// An error and its causes, in as many lines as they have.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut whole = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        // Some messages already contain those of their causes.
        if !whole.contains(&text) {
            if !whole.is_empty() {
                whole.push_str(": ");
            }
            whole.push_str(&text);
        }
        next = error.source();
    }
    whole
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first complaint in a driver's text, in one line; the whole text, if it has more, goes to the log.
fn first_complaint(whole: &str) -> String {
    let (complaint, more) = complaint_of(whole);
    if more > 0 {
        log::info!("the driver's full message:");
        whole.lines().for_each(|line| log::info!("  {}", line.trim_end()));
    }
    complaint
}

/// The first line in which a driver's text names an error, and how many lines it has besides. wgpu puts before it what it was
/// doing, up to "shader: ".
fn complaint_of(whole: &str) -> (String, usize) {
    const BEFORE: &str = " shader: ";
    let (doing, text) = match whole.split_once(BEFORE) {
        Some((doing, text)) if !doing.contains('\n') => (format!("{doing}{BEFORE}"), text),
        _ => (String::new(), whole),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let names_error = |line: &&&str| line.to_ascii_lowercase().contains("error");
    match lines.iter().find(names_error).or(lines.first()) {
        Some(first) => {
            let more = lines.len() - 1;
            let note = if more > 0 { " (--verbose shows the full message)" } else { "" };
            (in_one_line(&format!("{doing}{first}{note}")), more)
        }
        None => (in_one_line(whole), 0),
    }
}

/// Text of an error of the library, in as many lines as it has. A browser's has no cause, but for an object that says nothing;
/// of WebGL2 the library's own words stand in front.
fn told(source: &(dyn Error + 'static), description: &str) -> String {
    match cfg!(target_arch = "wasm32") {
        true => description.trim_start_matches("Validation Error").trim_start_matches("\n\nCaused by:\n").to_owned(),
        false => with_causes(source),
    }
}

/// What a wgpu error says, in one line.
pub(super) fn describe(error: &wgpu::Error) -> String {
    match error {
        wgpu::Error::OutOfMemory { .. } => "out of memory".to_owned(),
        wgpu::Error::Validation { source, description } | wgpu::Error::Internal { source, description } => {
            in_one_line(&told(&**source, description))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of Mesa 22.3.6 about shaders and programs, and one in the form of NVIDIA's driver.
    #[test]
    fn a_page_of_a_compiler_is_its_first_complaint() {
        const MORE: &str = " (--verbose shows the full message)";
        let fragment = "Internal error in ShaderStages(FRAGMENT) shader: ";
        let undeclared = "0:2(14): error: `foo' undeclared\n0:2(14): error: value of type int cannot be assigned to variable of \
                          type error\n0:2(23): error: no function with name 'bar'\n";
        let said = |text: &str| complaint_of(&format!("{fragment}{text}"));
        assert_eq!(said(undeclared), (format!("{fragment}0:2(14): error: `foo' undeclared{MORE}"), 2));
        // A link.
        let samplers = "error: Too many fragment shader texture samplers\n";
        assert_eq!(said(samplers), (format!("{fragment}error: Too many fragment shader texture samplers"), 0));
        let warned = "\n0(3) : warning C7050: \"r\" might be used before being initialized\n\
                      0(12) : error C1008: undefined variable \"foo\"\n";
        assert_eq!(said(warned), (format!("{fragment}0(12) : error C1008: undefined variable \"foo\"{MORE}"), 1));
        // What names no error is not left out, nor is what wgpu says alone.
        assert_eq!(said("no binary\nat all"), (format!("{fragment}no binary{MORE}"), 1));
        assert_eq!(complaint_of("Device is lost"), ("Device is lost".to_owned(), 0));
        assert_eq!(complaint_of(""), (String::new(), 0));
        assert_eq!(said(""), (fragment.trim_end().to_owned(), 0));
    }
}
