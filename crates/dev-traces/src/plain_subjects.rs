//! The traces that random questions are asked about: a driver's, the same with faults, and one of both ABIs.

use super::plain_trace::PlainTrace;
use super::root;

/// Handle that no trace has.
pub const NO_HANDLE: u32 = 0xdead_beef;

/// A trace by its name, and the number of its faults.
pub struct PlainSubject {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub planted: usize,
}

/// A packet that is refused.
pub struct PlantedFault {
    pub frame: usize,
    /// The packet that it stands before, by its number in the submission.
    before: usize,
    packets: Vec<u8>,
}

/// Packets that are refused, with those that undo what they change. Behind the last packet of a submission nothing is left
/// that an error could end.
pub fn planted_faults() -> [PlantedFault; 3] {
    let packets = |dwords: &[u32]| dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect::<Vec<u8>>();
    let bind = |vertex, pixel| [0x202, 24, vertex, pixel, 0, 0];
    let draw = [0x601, 24, 3, 1, 0, 0];
    let fault = |frame, before, dwords: &[u32]| PlantedFault { frame, before, packets: packets(dwords) };
    [
        // COPY_TEXTURE2D of one texel.
        fault(3, usize::MAX, &[0x106, 64, NO_HANDLE, NO_HANDLE, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
        // DRAW with a shader that does not exist. The trace's own are 4 and 5.
        fault(17, 6, &[bind(NO_HANDLE, 5), draw, bind(4, 5)].concat()),
        // CLEAR that is cut off.
        fault(40, usize::MAX, &[0x600, 12, 1]),
    ]
}

/// The three traces.
pub fn plain_subjects() -> [PlainSubject; 3] {
    let driver = std::fs::read(root().join("fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace")).unwrap();
    let mixed = std::fs::read(root().join("fixtures/aerogpu/mixed/abis.aerogputrace")).unwrap();
    let (mut faulty, faults) = (driver.clone(), planted_faults());
    for PlantedFault { frame, before, packets } in &faults {
        faulty = PlainTrace::read(faulty).with_packets(*frame, *before, packets);
    }
    [
        PlainSubject { name: "driver", bytes: driver, planted: 0 },
        PlainSubject { name: "faulty", bytes: faulty, planted: faults.len() },
        PlainSubject { name: "mixed", bytes: mixed, planted: 0 },
    ]
}
