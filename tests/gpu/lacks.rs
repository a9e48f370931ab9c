//! A device held to what WebGL2 has: elements that the CPU gathers, indices in buffers of their own, red before blue. What is
//! drawn is what the whole device draws; the rest is refused by the lack's name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::analysis::pixel_history;
use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::pixels::Picture;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::device_rules::DeviceFeatures;
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};

use crate::support::harness::Trial;
use crate::support::root;
use crate::support::software::Backend;

/// Frames of each trace that are drawn, and strides that are taken, as WebGL2 takes them.
const FRAMES: u32 = 6;
const STRIDE_BYTES: u32 = 255;

/// Traces with colours half way between two steps, which llvmpipe rounds by the order of the stored channels.
const HALF_WAY: [&str; 2] = ["d11_many_frames", "d9_process_vertices"];

pub fn trials() -> Vec<Trial> {
    let folders = ["fixtures/aerogpu", "fixtures/d3d"];
    folders.map(|folder| Backend::Vulkan.trial(folder, move || draws_the_same(&root().join(folder)))).into()
}

fn traces_below(folder: &Path) -> Vec<PathBuf> {
    let entries: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|path| path.is_dir());
    let traces = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "aerogputrace"));
    traces.chain(folders.iter().flat_map(|folder| traces_below(folder))).collect()
}

fn largest_step(expected: &Picture, found: &Picture) -> u8 {
    assert_eq!(expected.size(), found.size());
    let channels = expected.rgba().iter().zip(found.rgba());
    channels.map(|(expected, found)| expected.abs_diff(*found)).max().unwrap_or(0)
}

fn draws_the_same(folder: &Path) {
    let whole = Backend::Vulkan.open_fresh();
    let adapter = AdapterChoice::Name("llvmpipe".to_owned());
    let lacking = Gpu::open(BackendChoice::Vulkan, &adapter, Duration::from_secs(60)).unwrap();
    let mut record = *lacking.record();
    record.max_vertex_stride_bytes = STRIDE_BYTES;
    record.features = DeviceFeatures {
        compute: false,
        shared_index_buffers: false,
        blue_first: false,
        base_vertex: false,
        zero_strides: false,
        independent_blending: false,
        opengl_es_31: false,
        loaded_depth: false,
        curve_copies: false,
        occlusion_queries: false,
        ..record.features
    };
    let lacking = Arc::new(lacking.held_to(record));
    let (mut same, mut refused, mut late) = (0, 0, 0);
    for path in traces_below(folder) {
        let trace = Arc::new(Trace::open(&path).unwrap());
        let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
        let player = |gpu: &Arc<Gpu>| Player::new(trace.clone(), gpu.clone(), size).unwrap();
        let (mut whole, mut lacking) = (player(&whole), player(&lacking));
        // A pixel that cannot be followed is refused, and never followed by half.
        match (pixel_history(&mut whole, 0, 0, 0), pixel_history(&mut lacking, 0, 0, 0)) {
            (Ok(expected), Ok(found)) => assert_eq!(expected.events, found.events, "{}", path.display()),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) => {
                let error = error.to_string();
                let is_late = error.ends_with("which WebGL2 answers too late");
                assert!(is_late || error.ends_with("which this device lacks"), "{}: {error}", path.display());
                late += u32::from(is_late);
            }
            (Err(error), Ok(_)) => panic!("{}: only the whole device fails: {error}", path.display()),
        }
        for frame in 0..(trace.frames().len() as u32).min(FRAMES) {
            let name = format!("{}, frame {frame}", path.display());
            match (whole.render(frame), lacking.render(frame)) {
                (Ok(expected), Ok(found)) => {
                    let most = u8::from(HALF_WAY.iter().any(|half| name.contains(half)));
                    let step = largest_step(&expected, &found);
                    assert!(step <= most, "{name}: the pictures differ by {step}");
                    same += 1;
                }
                (Err(expected), Err(found)) if expected.to_string() == found.to_string() => {}
                (_, Err(error)) => {
                    let error = error.to_string();
                    let is_lack = error.ends_with("which this device lacks") || error.contains("limit is 255");
                    assert!(is_lack, "{name}: {error}");
                    refused += 1;
                }
                (Err(error), Ok(_)) => panic!("{name}: only the whole device fails: {error}"),
            }
        }
    }
    assert!(late > 10, "{late} pixels cannot be followed");
    assert!(same > 2 * refused && refused > 0, "{same} pictures are the same, and {refused} are refused");
}
