//! Sixty frames of a courtyard, in Direct3D 11.
//!
//! A frame is a shadow map, a lit scene, a bloom by two compute shaders, and an overlay. Frame 42 has a fault: its tree is
//! drawn over the pillars before it, because the packet that turns the depth test on again behind the lamp's halo is
//! missing.

mod assets;
mod frame;

use std::error::Error;

use self::frame::DepthTest;
use aerogpu_replay::abi::a3a0::ABI_VERSION;
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};

/// Frames of the trace.
const FRAMES: u32 = 60;
/// The frame with the fault.
pub const FAULTY: u32 = 42;

const META: &str = r#"{"emulator_version":"courtyard example","command_abi_version":65540,"notes":"sixty frames of a courtyard, with a fault in frame 42"}"#;

/// Bytes of the trace; the frame `faulty` leaves the depth test off.
pub fn courtyard(faulty: Option<u32>) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut trace = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META)?;
    let scene = assets::Assets::new();
    for number in 0..FRAMES {
        trace.begin_frame()?;
        let mut stream = if number == 0 { scene.load()? } else { Default::default() };
        let behind_halo = if faulty == Some(number) { DepthTest::LeftOff } else { DepthTest::OnAgain };
        frame::record(&mut stream, &scene, number, behind_halo);
        let cmd_stream = &stream.into_bytes()?[..];
        trace.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() })?;
        trace.present()?;
    }
    Ok(trace.finish()?)
}
