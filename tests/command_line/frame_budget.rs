//! Limits of a frame: memory beyond the budget is refused where the trace asks for it, whoever asks for the frame, on
//! every API, and what waits for the GPU is carried out before it piles up.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu, InFlightLimits};
use aerogpu_replay::pixels::{PictureHash, Size};
use aerogpu_replay::player::Player;
use serde_json::json;
use support::harness::{Trial, trials_of};
use support::program::run;
use support::random::Random;
use support::scene::{GREEN, RED, Scene, rectangle, vertices};
use support::serve_client::Client;
use support::software::BACKENDS;
use support::streams::{COMPUTE, R8G8B8A8, Stream, StreamOfTests as _, recording};

const MIB: u32 = 1 << 20;
/// With a target this large there are 1008 MiB for buffers.
const LARGE: &str = "8192x8192";
const TOLD: &str = "the size of all buffers in bytes, with a target this large (--size), is 1056964612: this \
    build's limit is 1056964608";

/// Frame 0 draws from as many buffers as fit beside a large target. Frame 1 makes another one. Frame 2 needs none of them.
fn full_frames(folder: &Path) -> String {
    let mut scene = Scene::with_pipeline();
    scene.clear(GREEN);
    let whole = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED);
    for (buffer_id, size_mib) in [(1, 256), (2, 256), (3, 256), (4, 240)] {
        scene.packet(Packet::CreateBuffer { buffer_id, size_bytes: size_mib * MIB, usage: 0 });
        scene.upload(buffer_id, size_mib * MIB - 144, &whole);
        let layout = (24, size_mib * MIB - 144);
        scene.packet(Packet::SetVertexBuffer {
            buffer_id,
            stride_bytes: layout.0,
            position_offset_bytes: layout.1,
            color_offset_bytes: layout.1 + 8,
        });
        scene.draw(0, 6);
    }
    scene.end().begin().packet(Packet::CreateBuffer { buffer_id: 5, size_bytes: 4, usage: 0 }).draw(0, 6);
    scene.end().begin().clear(GREEN);
    let path = folder.join("full.aerogputrace");
    fs::write(&path, scene.end_and_finish()).unwrap();
    path.display().to_string()
}

/// Two draws that together are over the budget of vertices.
fn many_vertices(folder: &Path) -> String {
    let vertex = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(); }";
    let fragment = "@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, vertex, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 }).draw(0, 600_000_000).draw(0, 400_000_001);
    let path = folder.join("many.aerogputrace");
    fs::write(&path, scene.end_and_finish()).unwrap();
    path.display().to_string()
}

fn buffers_beyond_the_budget_are_refused_where_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = full_frames(folder.path());
    let ways: [&[&str]; 7] = [
        &[&path, "--frame", "1", "--hash"],
        &[&path, "--frame", "1", "--hash", "--no-render-budget"],
        &[&path, "--frame", "2", "--hash"],
        &[&path, "--frames", "0-1", "--hash", "--backend", "noop"],
        &[&path, "--frames", "1-2", "--hash"],
        &["filmstrip", &path, "--frame", "1", "--out", "film"],
        &["golden", "new", &path, "--frames", "1"],
    ];
    for (way, backend) in ways.iter().flat_map(|way| ["vulkan", "gl"].map(|backend| (way, backend))) {
        let api: &[&str] = if way.contains(&"--backend") { &[] } else { &["--backend", backend] };
        let found = run(&[way, ["--size", LARGE].as_slice(), api].concat(), folder.path());
        assert_eq!(found.code, 10, "{way:?} {backend}: {found:?}");
        let place = "(frame 1, packet 0)";
        assert!(found.stderr.contains(TOLD) && found.stderr.contains(place), "{way:?} {backend}: {found:?}");
    }
    // Beside a small target there is room for more.
    for backend in ["vulkan", "gl", "noop"] {
        let found = run(&[&path, "--frame", "1", "--hash", "--backend", backend], folder.path());
        assert_eq!(found.code, 0, "{backend}: {found:?}");
    }
}

fn serve_refuses_as_the_command_line_does() {
    let folder = tempfile::tempdir().unwrap();
    let (full, many) = (full_frames(folder.path()), many_vertices(folder.path()));
    for backend in ["vulkan", "gl"] {
        let mut client = Client::start(&["--backend", backend]);
        let large = client.result("open", &json!({ "path": full, "size": LARGE }))["trace"].take();
        let many = client.result("open", &json!({ "path": many }))["trace"].take();
        for frame in [1, 2] {
            let error = client.error("hash", &json!({ "trace": large, "frame": frame }));
            assert_eq!(error["data"]["exit_code"], 10, "{backend}: {error}");
            assert!(error["message"].as_str().unwrap().contains(TOLD), "{backend}: {error}");
        }
        let error = client.error("hash", &json!({ "trace": many, "frame": 0 }));
        assert_eq!(error["data"]["exit_code"], 10, "{backend}: {error}");
        assert!(error["message"].as_str().unwrap().contains("the budget is 1000000000"), "{backend}: {error}");
    }
}

fn a_frame_that_just_fits_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = full_frames(folder.path());
    let hashes = ["vulkan", "gl"].map(|backend| {
        let found = run(&[&path, "--frame", "0", "--hash", "--size", LARGE, "--backend", backend], folder.path());
        assert_eq!(found.code, 0, "{backend}: {found:?}");
        found.stdout
    });
    assert_eq!(hashes[0], hashes[1]);
    let rgba = [255, 0, 0, 255].repeat(8192 * 8192);
    let size = Size { width_px: 8192, height_px: 8192 };
    let red = aerogpu_replay::pixels::Picture::new(size, rgba).unwrap().hash().to_string();
    assert!(hashes[0].contains(&red), "{hashes:?}");
}

fn a_question_about_too_large_a_target_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = full_frames(folder.path());
    let ask = |size: &str, backend: &str| {
        run(&["pixel", &path, "--frame", "0", "--at", "0,0", "--size", size, "--backend", backend], folder.path())
    };
    let told =
        "a question about a target of 16384x16384 takes 4848615424 bytes of memory: this build's limit is 2147483648";
    ask("16384x16384", "vulkan").expect(10, "", told);
    ask("16384x16384", "gl").expect(10, "", told);
    // The picture itself would fit.
    let told = "the size of all buffers in bytes, together with what a question about a target this large \
        (--size) needs, is 268435456: this build's limit is 251658240";
    ask(LARGE, "noop").expect(10, "", told);
}

/// Each draw of a film is within the budget; the frame is not.
fn a_film_is_refused_like_its_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = many_vertices(folder.path());
    let told = "its 400000001 vertices bring its frame to 1000000001: the budget is 1000000000";
    for backend in ["vulkan", "gl", "noop"] {
        let arguments = ["filmstrip", &path, "--frame", "0", "--out", "film", "--backend", backend];
        run(&arguments, folder.path()).expect(10, "", told);
        assert!(fs::read_dir(folder.path().join("film")).unwrap().next().is_none(), "nothing is drawn");
    }
    let lifted = ["filmstrip", &path, "--frame", "0", "--out", "film", "--backend", "noop", "--no-render-budget"];
    assert_eq!(run(&lifted, folder.path()).code, 0);
    let golden = run(&["golden", "new", &path, "--backend", "vulkan"], folder.path());
    assert!(golden.code == 10 && golden.stderr.contains(told), "{golden:?}");
}

/// 65,535 times 65,535 groups of Direct3D 11, on which a GPU would be at work for minutes.
fn a_dispatch_over_the_budget_is_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Stream::new();
    stream.texture(10, R8G8B8A8, [8, 8], [1, 1]).targets(&[10], 0).clear(1, [0.0; 4], 1.0);
    stream.shader(1, COMPUTE, "copy.cs").empty_buffer(2, 64).empty_buffer(3, 64);
    stream.read_buffer(COMPUTE, 0, (2, false)).writes(COMPUTE, 0, 3);
    stream.dispatch([0, 0, 1], [65_535, 65_535, 1]).present();
    let path = folder.path().join("dispatch.aerogputrace");
    fs::write(&path, recording([&stream.finish()[..]])).unwrap();
    for backend in ["vulkan", "gl"] {
        let run = run(&[path.to_str().unwrap(), "--frame", "0", "--hash", "--backend", backend], folder.path());
        assert_eq!(run.code, 10, "{run:?}");
        let is_told = run.stderr.contains("DISPATCH at 0x")
            && run.stderr.contains(" threads alone exceed the frame's budget of 1000000000 (");
        assert!(is_told && !run.stderr.contains("DRAW"), "{run:?}");
    }
}

const MILLION: u32 = 1_000_000;

/// Draws of frames, in millions of vertices; `None` is a CLEAR.
const FRAMES: &[&[Option<u32>]] = &[
    &[None, Some(600), Some(500)],
    &[None, Some(600)],
    // Shows more than a billion, of two frames that keep to it.
    &[Some(600)],
    &[Some(1), Some(1000)],
    // Shows a frame that does not keep to it.
    &[Some(1)],
    &[Some(1), None, Some(1)],
    &[Some(600), None, Some(600)],
    // Shows the half of such a frame.
    &[Some(1)],
    &[Some(900), Some(100)],
];

/// The places, as frame and draws, whose pictures take a frame of more than a billion vertices.
const REFUSED: &[(u32, Option<u32>)] =
    &[(0, None), (0, Some(1)), (3, None), (3, Some(1)), (4, None), (4, Some(0)), (5, Some(0)), (6, None), (6, Some(1))];

/// A frame is refused or not, whatever the player has drawn before, and what it has kept of that.
fn what_came_before_refuses_no_frame() {
    let vertex = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(); }";
    let fragment = "@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, vertex, fragment).pipeline(1, 1, 2).packet(Packet::SetPipeline { pipeline_id: 1 });
    for (number, frame) in FRAMES.iter().enumerate() {
        if number > 0 {
            scene.end().begin();
        }
        for command in *frame {
            match command {
                Some(millions) => scene.draw(0, millions * MILLION),
                None => scene.clear(GREEN),
            };
        }
    }
    let trace = Arc::new(
        Trace::from_source(Arc::new(MemorySource::from(scene.end_and_finish())), &mut Diagnostics::new()).unwrap(),
    );
    let gpu = Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(10)).unwrap());
    let fresh = || Player::new(trace.clone(), gpu.clone(), Size { width_px: 8, height_px: 8 }).unwrap();
    let mut places = Vec::new();
    for (frame, commands) in (0..).zip(FRAMES) {
        let draws = commands.iter().flatten().count() as u32;
        places.extend((0..draws).map(Some).chain([None]).map(|draw| (frame, draw)));
    }
    let is_refused = |player: &mut Player, (frame, draw): (u32, Option<u32>)| match player
        .seek(Place { frame: FrameIndex(frame), point: Point::after_draw(draw) })
    {
        Ok(()) => false,
        Err(error) => {
            assert!(error.to_string().contains("the budget is 1000000000"), "{error}");
            true
        }
    };
    for place in &places {
        assert_eq!(is_refused(&mut fresh(), *place), REFUSED.contains(place), "{place:?} at once");
    }
    let mut random = Random::new(12);
    for walk in 0..20 {
        let (mut player, mut way) = (fresh(), Vec::new());
        for _ in 0..100 {
            // Often from one end to the other, as whoever plays does.
            let next = way.last().and_then(|last| places.iter().position(|place| place == last)).map(|at| at + 1);
            let next = next.filter(|_| random.one_in(2)).unwrap_or(random.below(places.len() as u32) as usize);
            way.push(places[next % places.len()]);
            let place = *way.last().unwrap();
            assert_eq!(is_refused(&mut player, place), REFUSED.contains(&place), "walk {walk}: {way:?}");
        }
    }
}

fn play(gpu: &Arc<Gpu>, bytes: Vec<u8>, limits: InFlightLimits) -> (PictureHash, u64) {
    let trace = Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap());
    let mut player = Player::new(trace, gpu.clone(), Size { width_px: 64, height_px: 64 }).unwrap();
    player.set_in_flight_limits(limits);
    let picture = player.render(FrameIndex(0)).unwrap();
    (picture.hash(), player.renderer().submission_count())
}

/// Ten draws of 144 bytes each, of which `change` makes each leave something behind for the GPU.
fn ten_draws(change: impl Fn(&mut Scene, u32)) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.packet(Packet::CreateBuffer { buffer_id: 1, size_bytes: 288, usage: 0 });
    for draw in 0..10 {
        change(&mut scene, draw);
    }
    scene.end_and_finish()
}

fn what_waits_for_the_gpu_is_counted(gpu: &Arc<Gpu>) {
    let strip = |draw: u32| {
        let left = -1.0 + 0.2 * draw as f32;
        vertices(&rectangle(left, -1.0, left + 0.1, 1.0), if draw.is_multiple_of(2) { RED } else { GREEN })
    };
    let gathered = ten_draws(|scene, draw| {
        // One byte off: no API reads that in place.
        let buffer_id = 10 + draw;
        scene.packet(Packet::CreateBuffer { buffer_id, size_bytes: 145, usage: 0 }).upload(buffer_id, 1, &strip(draw));
        let (stride_bytes, position_offset_bytes, color_offset_bytes) = (24, 1, 9);
        scene.packet(Packet::SetVertexBuffer { buffer_id, stride_bytes, position_offset_bytes, color_offset_bytes });
        scene.draw(0, 6);
    });
    let overtaken = ten_draws(|scene, draw| {
        scene.upload(1, 0, &strip(draw)).bind(1).draw(0, 6);
    });
    let dropped = ten_draws(|scene, draw| {
        scene.packet(Packet::CreateBuffer { buffer_id: 1, size_bytes: 288, usage: 0 });
        scene.upload(1, 0, &strip(draw)).bind(1).draw(0, 6);
    });
    for (what, bytes, least) in [("gathered", gathered, 10), ("overtaken", overtaken, 5), ("dropped", dropped, 9)] {
        let usual = play(gpu, bytes.clone(), InFlightLimits::default());
        assert_eq!(usual.1, 2, "{what}: one submission draws, one reads back");
        let (hash, submissions) = play(gpu, bytes.clone(), InFlightLimits { held_bytes: 143, ..Default::default() });
        assert_eq!(hash, usual.0, "{what}");
        assert!(submissions >= least, "{what}: {submissions} submissions");
        let roomy = play(gpu, bytes, InFlightLimits { held_bytes: 288 * 10, ..Default::default() });
        assert_eq!(roomy, usual, "{what}");
    }
}

pub fn trials() -> Vec<Trial> {
    let tests: &[(&str, fn())] = &[
        (
            "buffers_beyond_the_budget_are_refused_where_they_are_made",
            buffers_beyond_the_budget_are_refused_where_they_are_made,
        ),
        ("serve_refuses_as_the_command_line_does", serve_refuses_as_the_command_line_does),
        ("a_frame_that_just_fits_is_drawn", a_frame_that_just_fits_is_drawn),
        ("a_question_about_too_large_a_target_is_refused", a_question_about_too_large_a_target_is_refused),
        ("a_film_is_refused_like_its_frame", a_film_is_refused_like_its_frame),
        ("a_dispatch_over_the_budget_is_called_one", a_dispatch_over_the_budget_is_called_one),
    ];
    let mut trials: Vec<_> = trials_of![what_came_before_refuses_no_frame];
    trials.extend(tests.iter().map(|(name, test)| support::software::trial(*name, |_| test())));
    trials.extend(BACKENDS.map(|backend| {
        let name = format!("{}::what_waits_for_the_gpu_is_counted", backend.name());
        backend.trial(name, move || what_waits_for_the_gpu_is_counted(&backend.open_fresh()))
    }));
    trials
}
