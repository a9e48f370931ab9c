//! How long a key takes to the picture that it asks for, in the inspector: `cargo bench --bench key_to_picture`.
//!
//! | measured | bar |
//! |---|---|
//! | from a key to the UI frame that holds the picture (layout, rendering, layout, tessellation), beside a player that renders the same frame | ≤ 2 × |
//!
//! Frames of 1280×720 with 50 draws, on the software adapter, each draw a triangle of the half or of a hundredth of the
//! target. Medians of pairs: a key, then the same frame by the player. Without `--bench` everything is done once.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a bench without its input can only end")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::{BlobKind, FrameIndex, Trace, TraceWriter};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::inspector::{
    Annotation, GpuChoice, Inspector, InspectorOptions, OpenTrace, Panels, Services, StateFolder,
};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{DrawSelection, Player};
use aerogpu_replay::replay::ShaderOptions;
use aerogpu_replay::timeline::Method;
use egui::{Context, Event, Key, Modifiers, RawInput, Rect, pos2, vec2};

const SIZE: Size = Size { width_px: 1280, height_px: 720 };
const DRAWS: u32 = 50;
const BAR: f64 = 2.0;
const TIMEOUT: Duration = Duration::from_secs(60);
const SHADER: &str = "
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn vs_main(@location(0) position: vec2f, @location(1) color: vec4f) -> Out {
    return Out(vec4f(position, 0.0, 1.0), color);
}
@fragment fn fs_main(in: Out) -> @location(0) vec4f { return in.color; }
";

fn main() -> ExitCode {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let pairs = if is_bench { 60 } else { 2 };
    let folder = tempfile::tempdir().expect("a folder");
    let mut are_met = true;
    for (what, side) in [("half of the target each", 2.0), ("a hundredth of the target each", 0.28)] {
        let path = folder.path().join("trace.bin");
        std::fs::write(&path, trace(pairs + 1, side)).expect("a file");
        let mut window = NoWindow::open(&path);
        let adapter = AdapterChoice::Name("llvmpipe".to_owned());
        let gpu = Arc::new(Gpu::open(BackendChoice::Vulkan, &adapter, TIMEOUT).expect("the software adapter"));
        let mut player = Player::new(open(&path).expect("a trace").trace, gpu, SIZE).expect("a player");
        player.render(FrameIndex(0)).expect("a picture");
        let (mut keys, mut renders) = (Vec::new(), Vec::new());
        for frame in (1..=pairs).map(FrameIndex) {
            keys.push(window.go_to_next_frame(frame));
            let start = Instant::now();
            player.render(frame).expect("a picture");
            renders.push(start.elapsed());
        }
        let [key, render] = [keys, renders].map(median);
        let ratio = key / render;
        let verdict = if ratio <= BAR { "met" } else { "missed" };
        println!("{DRAWS} draws, {what}: key {key:.2} ms, render {render:.2} ms, {ratio:.2} ×, bar {BAR}: {verdict}");
        are_met &= ratio <= BAR;
    }
    if are_met || !is_bench { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Frames of triangles, each of a colour of its own.
fn trace(frames: u32, side: f32) -> Vec<u8> {
    let meta = r#"{"emulator_version":"bench","command_abi_version":1}"#;
    let mut trace = TraceWriter::new(Vec::new(), 1, meta).expect("memory");
    let mut vertices = Vec::new();
    for number in 0..frames + DRAWS {
        let shade = (number % 17) as f32 / 16.0;
        let x = -1.0 + (2.0 - side) * (number % 7) as f32 / 6.0;
        for [x, y] in [[x, -1.0], [x + side, -1.0], [x, -1.0 + side]] {
            let vertex = [x, y, shade, 1.0 - shade, (number % 5) as f32 / 4.0, 1.0];
            vertices.extend(vertex.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    for frame in 0..frames {
        trace.begin_frame().expect("memory");
        let mut packets = Vec::new();
        if frame == 0 {
            let wgsl_blob_id = trace.blob(BlobKind::ShaderWgsl, SHADER.as_bytes()).expect("memory").0;
            let blob_id = trace.blob(BlobKind::BufferData, &vertices).expect("memory").0;
            let size_bytes = vertices.len() as u32;
            for stage in [0, 1] {
                let shader =
                    Packet::CreateShader { shader_id: stage, stage, glsl_blob_id: 0, wgsl_blob_id, dxbc_blob_id: 0 };
                packets.push(shader);
            }
            packets.extend([
                Packet::CreatePipeline { pipeline_id: 0, vs_shader_id: 0, fs_shader_id: 1 },
                Packet::CreateBuffer { buffer_id: 0, size_bytes, usage: 0 },
                Packet::UploadBuffer { buffer_id: 0, offset_bytes: 0, data_len_bytes: size_bytes, blob_id },
                Packet::SetPipeline { pipeline_id: 0 },
                Packet::SetVertexBuffer {
                    buffer_id: 0,
                    stride_bytes: 24,
                    position_offset_bytes: 0,
                    color_offset_bytes: 8,
                },
            ]);
        }
        packets.push(Packet::SetViewport { width_px: SIZE.width_px, height_px: SIZE.height_px });
        packets.push(Packet::Clear { r: 0.0, g: 0.0, b: 0.0, a: 1.0 });
        packets.extend((frame..frame + DRAWS).map(|draw| Packet::Draw { vertex_count: 3, first_vertex: 3 * draw }));
        packets.push(Packet::Present {});
        for packet in packets {
            let mut bytes = Vec::new();
            packet.write(&mut bytes);
            trace.packet(&bytes).expect("memory");
        }
        trace.present().expect("memory");
    }
    trace.finish().expect("memory")
}

fn open(path: &Path) -> Result<OpenTrace, String> {
    let trace = Trace::open(path).map_err(|error| error.to_string())?;
    let shaders = ShaderOptions::default();
    Ok(OpenTrace { path: path.to_owned(), trace: Arc::new(trace), size: SIZE, shaders, problems: Vec::new() })
}

/// A program that keeps nothing.
struct NoHost;

const NOTHING: &str = "this bench has none";

impl Services for NoHost {
    fn open_example(&self) -> Result<OpenTrace, String> {
        Err("the benchmark opens traces of its own".to_owned())
    }

    fn open_trace(&self, path: &Path) -> Result<OpenTrace, String> {
        open(path)
    }

    fn annotation(&self, _: &Path, _: &Method) -> Result<Annotation, String> {
        Err(NOTHING.to_owned())
    }

    fn save_picture(&self, _: &Path, _: &str, _: &Picture) -> Result<PathBuf, String> {
        Err(NOTHING.to_owned())
    }

    fn replacements_folder(&self, trace: &Path) -> PathBuf {
        trace.with_extension("shaders")
    }

    fn golden(&self, _: &Path, _: FrameIndex) -> Result<(PathBuf, Picture), String> {
        Err(NOTHING.to_owned())
    }

    fn command_line(&self, _: &Path, view: &str) -> String {
        view.to_owned()
    }

    fn state_folder(&self) -> StateFolder {
        StateFolder::Unwanted
    }
}

/// The inspector up to triangles, drawn when it asks for it.
struct NoWindow {
    context: Context,
    inspector: Inspector,
    woken: Receiver<()>,
}

impl NoWindow {
    /// Opens a trace and waits until nothing is worked out any more.
    fn open(path: &Path) -> Self {
        let adapter = AdapterChoice::Name("llvmpipe".to_owned());
        let gpu = GpuChoice { backend: BackendChoice::Vulkan, adapter, timeout: TIMEOUT };
        let options = InspectorOptions {
            open: open(path).expect("a trace"),
            annotations: Vec::new(),
            compared: None,
            first_place: None,
            draws: DrawSelection::All,
            fps: 60.0,
            plays: false,
            panels: Panels::Shown,
            gpu,
        };
        let (wake, woken) = channel();
        let wake = Mutex::new(wake);
        let wake = Arc::new(move || {
            if let Ok(wake) = wake.lock() {
                // A window that is closed hears nothing.
                let _ = wake.send(());
            }
        });
        let inspector = Inspector::new(Arc::new(NoHost), options, wake).expect("threads");
        let mut window = Self { context: Context::default(), inspector, woken };
        window.settle();
        window
    }

    fn draw(&mut self, events: Vec<Event>) {
        let screen_rect = Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1280.0, 840.0)));
        let input = RawInput { screen_rect, events, ..RawInput::default() };
        let mut output = self.context.run_ui(input, |ui| self.inspector.ui(ui));
        output.textures_delta.clear();
        self.context.tessellate(output.shapes, output.pixels_per_point);
    }

    /// Draws until everything is known and has come to rest.
    fn settle(&mut self) {
        let mut at_rest = 0;
        while at_rest < 20 {
            self.draw(Vec::new());
            at_rest = if self.inspector.is_idle() { at_rest + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(2));
        }
        while self.woken.try_recv().is_ok() {}
    }

    /// The time from the key to the picture of the frame.
    fn go_to_next_frame(&mut self, frame: FrameIndex) -> Duration {
        let (key, modifiers) = (Key::ArrowRight, Modifiers::NONE);
        let press = |pressed| Event::Key { key, physical_key: Some(key), pressed, repeat: false, modifiers };
        let start = Instant::now();
        self.draw(vec![press(true), press(false)]);
        while self.inspector.shown_picture().is_none_or(|(place, _)| place != Place::end_of(frame)) {
            self.woken.recv_timeout(TIMEOUT).expect("a picture in time");
            self.draw(Vec::new());
        }
        let taken = start.elapsed();
        self.settle();
        taken
    }
}
