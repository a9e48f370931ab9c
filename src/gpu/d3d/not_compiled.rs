//! Errors of shaders and pipelines that were not made: the driver's, the guest's or our own.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::command::Location;
use crate::error::{ErrorKind, Internal};
use crate::gpu::device::Gpu;
use crate::gpu::error::{GpuError, LibraryError, one_line};
use crate::shader::d3d::TranslatedStage;
use crate::shader::{Broken, guarded};

/// The error of shaders that were not made.
pub(super) fn refused(gpu: &Gpu, error: LibraryError, (what, at): (&'static str, Location)) -> GpuError {
    match error {
        LibraryError::Panic(panic) => bug(at, &panic),
        error => gpu.lost().unwrap_or(GpuError::NotCompiled { what, at, error }),
    }
}

/// The error of a shader compiler that refuses what was translated.
pub(super) fn bug(at: Location, message: &str) -> GpuError {
    let message = format!("{}: {message}", Internal::new("the translated shaders are rejected"));
    GpuError::Shader { at, kind: ErrorKind::Internal, message }
}

/// An error of making these stages: a mistake of ours if they were refused and no device could take one of them.
pub(super) fn blamed<'s>(
    error: GpuError,
    stages: impl IntoIterator<Item = &'s TranslatedStage>,
    at: Location,
) -> GpuError {
    let invalid = |stage: &TranslatedStage| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let valid = guarded(|| validator.validate(&stage.module).map_err(|error| one_line(error.as_inner())));
        match valid {
            Ok(valid) => valid.err(),
            Err(Broken::Panic(message)) => Some(message),
            // The stage was not looked at.
            Err(Broken::NoThread { .. }) => None,
        }
    };
    match error {
        GpuError::NotCompiled { .. } | GpuError::Reported { .. } => {
            stages.into_iter().find_map(invalid).map_or(error, |message| bug(at, &message))
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Classified;
    use crate::shader::d3d::SlotSet;

    fn stage_of(module: naga::Module) -> TranslatedStage {
        let (inputs, outputs) = (SlotSet::default(), SlotSet::default());
        TranslatedStage { module, bindings: Vec::new(), parameters: None, inputs, outputs, writes_depth: false }
    }

    #[test]
    fn a_module_that_no_device_takes_is_our_mistake() {
        let at = Location { offset: 0x40, ..Location::default() };
        let error = || LibraryError::Driver("no".to_owned());
        let refused = || GpuError::NotCompiled { what: "shaders of the draw", at, error: error() };
        let valid = naga::front::wgsl::parse_str("@fragment fn main() {}").unwrap();
        let mut invalid = valid.clone();
        invalid.entry_points[0].function.body.push(naga::Statement::Break, naga::Span::UNDEFINED);

        let stages = [stage_of(valid), stage_of(invalid)];
        let error = blamed(refused(), &stages, at);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Internal, Some(0x40)));
        let text = error.to_string();
        assert!(text.contains("this is a bug: please report it with this line"), "{text}");
        // What a device does not have is not.
        assert_eq!(blamed(refused(), &stages[..1], at).kind(), ErrorKind::ReplayFailed);
        assert_eq!(blamed(GpuError::DeviceLost("gone".to_owned()), &stages, at).kind(), ErrorKind::ReplayFailed);
    }
}
