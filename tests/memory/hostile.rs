//! Files that mean harm: each is a value or a typed error, within the memory budget, and never a panic or a hang.
//!
//! Replay goes through wgpu's `noop` backend: everything is validated, nothing is drawn, no driver is needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::MEMORY;
use crate::support;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{BlobKind, DamageTolerance, FrameIndex, RecordBody, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::player::{Player, PlayerError};
use aerogpu_replay::replay::{CommandStream, DEFAULT_SIZE, Executor, Flow, ProgramLibrary, ReplayError};
use support::harness::{Trial, trials_of};
use support::raw::RawTrace;
use support::scene::{FRAGMENT_WGSL, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use support::{fixture, fixtures};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_fixture_replays,
        every_truncation_is_a_value_or_an_error,
        every_changed_byte_is_a_value_or_an_error,
        other_values_of_every_structural_byte_are_values_or_errors,
        every_changed_byte_of_a_shader_is_a_value_or_an_error,
        huge_claims_cost_nothing,
        every_wrong_command_is_named,
        commands_that_lack_something_are_named,
        packets_that_cannot_be_decoded_are_named,
        packets_outside_frames_are_named,
        other_abis_are_recognised_by_their_bytes,
        buffers_that_nobody_can_name_are_dropped,
    ]
}

static NOOP: LazyLock<Arc<Gpu>> =
    LazyLock::new(|| Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(10)).unwrap()));

fn source(bytes: Vec<u8>) -> Arc<MemorySource> {
    Arc::new(MemorySource::from(bytes))
}

/// Opens and plays everything there is.
fn replay(bytes: Vec<u8>) -> Result<(), String> {
    replay_typed(bytes).map_err(|(_, text)| text)
}

fn replay_typed(bytes: Vec<u8>) -> Result<(), (Option<ErrorKind>, String)> {
    let mut diagnostics = Diagnostics::new();
    let trace = Trace::open_or_recover(source(bytes), DamageTolerance::AnyDamagedEnd, &mut diagnostics)
        .map_err(|error| (Some(error.kind()), error.to_string()))?;
    let frame_count = trace.frames().len() as u32;
    let mut player = Player::new(Arc::new(trace), NOOP.clone(), DEFAULT_SIZE).unwrap();
    for frame in 0..frame_count {
        player.seek(FrameIndex(frame)).map_err(|error| {
            let kind = match &error {
                PlayerError::Replay(error) => Some(error.kind()),
                _ => None,
            };
            (kind, error.to_string())
        })?;
    }
    Ok(())
}

/// An error is one sentence with an offset, and no panic's text got into it.
fn assert_sentence(error: &str, what: &str) {
    assert!(error.contains("at 0x"), "{what}: no offset: {error}");
    assert!(!error.contains("please report"), "{what}: {error}");
}

fn every_fixture_replays() {
    for (name, make) in fixtures::REPLAYABLE {
        replay(make()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

fn every_truncation_is_a_value_or_an_error() {
    for (name, make) in fixtures::all() {
        let whole = make();
        for length in 0..whole.len() {
            if let Err(error) = replay(whole[..length].to_vec()) {
                assert_sentence(&error, &format!("{name} cut to {length}"));
            }
        }
    }
}

fn every_changed_byte_is_a_value_or_an_error() {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let triangle = std::fs::read(fixture("triangle")).unwrap();
    let others = fixtures::all().into_iter().map(|(name, make)| (name, make(), false));
    let mut refused = 0;
    // Every byte of the small one in three ways, every byte of the others in one.
    for (name, whole, is_small) in [("triangle", triangle, true)].into_iter().chain(others) {
        for at in 0..whole.len() {
            let changes: &[u8] = if is_small { &[0x01, 0x80, 0xff] } else { &[[0x01, 0x80, 0xff, 0x10][at % 4]] };
            for change in changes {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                if let Err(error) = replay(bytes) {
                    assert_sentence(&error, &format!("{name}, byte {at:#x} ^ {change:#x}"));
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1000, "only {refused} changes were noticed");
    let used = MEMORY.peak_usage().saturating_sub(before);
    assert!(used < 64 << 20, "a file of a few kilobytes took {used} bytes");
}

/// Carries out everything there is, on the CPU alone. `programs` may know programs of other traces, as long as equal
/// places hold equal texts in them.
fn carry_out(bytes: Vec<u8>, programs: &mut ProgramLibrary) -> Result<(), String> {
    let mut diagnostics = Diagnostics::new();
    let trace = Trace::open_or_recover(source(bytes), DamageTolerance::AnyDamagedEnd, &mut diagnostics)
        .map_err(|error| error.to_string())?;
    let trace = Arc::new(trace);
    let mut stream = CommandStream::new(trace.clone());
    let mut executor = Executor::with_programs(trace.clone(), std::mem::take(programs));
    let played = trace.frame_indices().try_for_each(|frame| {
        stream.read_frame(frame, &mut executor, |command, executor| {
            executor.apply(command)?;
            Ok::<Flow, ReplayError>(Flow::Continue)
        })
    });
    *programs = executor.replace_programs(ProgramLibrary::new());
    played.map_err(|error| error.to_string())
}

/// The places of a trace's bytes that mean something, and those of its shader texts. What is left is vertex data: bytes
/// that are copied, and legal whatever they are.
fn structure_and_texts(whole: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let trace = Trace::from_source(source(whole.to_vec()), &mut Diagnostics::new()).unwrap();
    let mut reader = trace.records(trace.stream());
    let (mut is_structure, mut texts) = (vec![true; whole.len()], Vec::new());
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Blob(blob) = record.body {
            let bytes = blob.bytes.start as usize..blob.bytes.end as usize;
            is_structure[bytes.clone()].fill(false);
            if blob.kind != BlobKind::BufferData {
                texts.extend(bytes);
            }
        }
    }
    let structure = (0..whole.len()).filter(|place| is_structure[*place]).collect();
    (structure, texts)
}

/// Does `work` for every place, on all processors.
fn at_every_place<S: Default>(places: &[usize], work: impl Fn(&mut S, usize) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut state = S::default();
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(&mut state, *place);
                }
            });
        }
    });
}

/// Bits to flip in the byte at a place: all 255 combinations, or each bit, all of them, and 23 that no byte near by has.
fn changes(at: usize, wants_all: bool) -> Vec<u8> {
    if wants_all {
        return (1..=255).collect();
    }
    let mut changes = vec![0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff];
    changes.extend((0..23usize).map(|n| ((at % 11) * 23 + n) as u8).filter(|change| *change != 0));
    changes
}

/// Every byte of header, metadata, records, packets, blob headers, TOC and footer: all 255 other values in the triangle,
/// 32 in the other fixtures, or all there too with `HOSTILE=all` (three million traces, two minutes of CPU time).
fn other_values_of_every_structural_byte_are_values_or_errors() {
    let triangle = std::fs::read(fixture("triangle")).unwrap();
    let others = fixtures::all().into_iter().map(|(name, make)| (name, make()));
    let is_thorough = std::env::var_os("HOSTILE").is_some_and(|value| value == "all");
    let (checked, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    for (name, whole) in [("triangle", triangle)].into_iter().chain(others) {
        let (structure, _) = structure_and_texts(&whole);
        at_every_place(&structure, |programs: &mut ProgramLibrary, at| {
            for change in changes(at, is_thorough || name == "triangle") {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                checked.fetch_add(1, Ordering::Relaxed);
                if let Err(error) = carry_out(bytes, programs) {
                    assert_sentence(&error, &format!("{name}, byte {at:#x} ^ {change:#x}"));
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    let (checked, refused) = (checked.into_inner(), refused.into_inner());
    println!("{refused} of {checked} changes are refused");
    assert!(checked > 400_000 && refused > checked / 2, "only {refused} of {checked}");
    let used = MEMORY.peak_usage().saturating_sub(before);
    assert!(used < 64 << 20, "a file of a few kilobytes took {used} bytes");
}

/// Shader texts are compiled anew for each change, so that there are fewer of them: every bit, and every byte inverted.
fn every_changed_byte_of_a_shader_is_a_value_or_an_error() {
    for name in ["triangle", "glsl_only"] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let (_, texts) = structure_and_texts(&whole);
        at_every_place(&texts, |(): &mut (), at| {
            for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                if let Err(error) = carry_out(bytes, &mut ProgramLibrary::new()) {
                    assert_sentence(&error, &format!("{name}, byte {at:#x} ^ {change:#x}"));
                }
            }
        });
    }
}

fn huge_claims_cost_nothing() {
    let triangle = std::fs::read(fixture("triangle")).unwrap();
    drop(replay(triangle.clone()));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    for at in (0..triangle.len() - 8).step_by(1) {
        for value in [1u64 << 31, u64::MAX, u64::from(u32::MAX)] {
            let mut bytes = triangle.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let trace = Trace::open_or_recover(source(bytes), DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new());
            if let Ok(trace) = trace {
                let mut reader = trace.records(trace.stream());
                while let Ok(Some(_)) = reader.next_record(&mut Diagnostics::new()) {}
            }
        }
    }
    let used = MEMORY.peak_usage().saturating_sub(before);
    assert!(used < 1 << 20, "claims took {used} bytes");
}

/// Everything a command can get wrong: the text of the error, and what kind of trouble it is.
fn every_wrong_command_is_named() {
    let expect = |change: &dyn Fn(&mut Scene), kind: ErrorKind, expected: &str| {
        let mut scene = Scene::with_pipeline();
        scene.buffer(3, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0)[..3], RED)).bind(3);
        change(&mut scene);
        scene.end();
        let (found_kind, error) = replay_typed(scene.finish()).expect_err(expected);
        assert_sentence(&error, expected);
        assert!(error.contains(expected), "expected {expected:?} in {error:?}");
        assert_eq!(found_kind, Some(kind), "{error}");
    };
    use ErrorKind::{OverLimit, ReplayFailed, Unsupported};
    use aerogpu_replay::abi::reference::Packet as P;
    let upload = |buffer_id, offset_bytes, data_len_bytes, blob_id| P::UploadBuffer {
        buffer_id,
        offset_bytes,
        data_len_bytes,
        blob_id,
    };
    let shader =
        |stage, wgsl_blob_id| P::CreateShader { shader_id: 9, stage, glsl_blob_id: 0, wgsl_blob_id, dxbc_blob_id: 0 };

    expect(&|s| _ = s.draw(1, 3), ReplayFailed, "reads 96 bytes of buffer 3, which has 72");
    expect(&|s| _ = s.draw(u32::MAX - 3, 3), ReplayFailed, "reads 103079215080 bytes of buffer 3, which has 72");
    expect(&|s| _ = s.bind_layout(3, u32::MAX, u32::MAX, 8).draw(0, 1), ReplayFailed, "of buffer 3, which has 72");
    expect(&|s| _ = s.draw(u32::MAX, 2), ReplayFailed, "draws 2 vertices from 4294967295: expected a sum below 2^32");
    expect(&|s| _ = s.bind(4), ReplayFailed, "buffer 4 does not exist: expected an earlier CREATE_BUFFER");
    expect(&|s| _ = s.pipeline(1, 8, 2), ReplayFailed, "shader 8 does not exist: expected an earlier CREATE_SHADER");
    expect(&|s| _ = s.pipeline(1, 2, 1), ReplayFailed, "shader 2 is a fragment shader: expected a vertex shader");
    let set = P::SetPipeline { pipeline_id: 5 };
    expect(&|s| _ = s.packet(set), ReplayFailed, "pipeline 5 does not exist: expected an earlier CREATE_PIPELINE");
    expect(&|s| _ = s.packet(upload(3, 0, 4, 99)), ReplayFailed, "blob 99 does not exist");
    expect(&|s| _ = s.packet(upload(3, 0, 4, 0)), ReplayFailed, "blob 0 does not exist");
    expect(&|s| _ = s.packet(upload(3, 0, 71, 3)), ReplayFailed, "blob 3 has 72 bytes: expected 71");
    expect(&|s| _ = s.packet(upload(3, 1, 72, 3)), ReplayFailed, "writes bytes 1 to 73 of buffer 3, which has 72");
    expect(
        &|s| _ = s.packet(upload(3, u32::MAX, 72, 3)),
        ReplayFailed,
        "writes bytes 4294967295 to 4294967367 of buffer 3",
    );
    expect(&|s| _ = s.packet(upload(3, 0, 72, 1)), ReplayFailed, "blob 1 holds ShaderWgsl: expected BufferData");
    expect(&|s| _ = s.packet(shader(0, 3)), ReplayFailed, "blob 3 holds BufferData: expected ShaderWgsl");
    expect(&|s| _ = s.packet(shader(0, 99)), ReplayFailed, "blob 99 does not exist");
    let big = P::CreateBuffer { buffer_id: 1, size_bytes: u32::MAX, usage: 0 };
    expect(
        &|s| _ = s.packet(big),
        OverLimit,
        "a buffer's size in bytes is 4294967295: this build's limit is 268435456",
    );
    let many = |s: &mut Scene| {
        (10..15).for_each(|buffer_id| _ = s.packet(P::CreateBuffer { buffer_id, size_bytes: 1 << 28, usage: 0 }));
    };
    expect(&many, OverLimit, "the size of all buffers in bytes is");
    let draw_with = |s: &mut Scene, stage: u32, wgsl: &str| {
        s.shader(9, stage, wgsl);
        let (vertex, fragment) = if stage == 0 { (9, 2) } else { (1, 9) };
        s.pipeline(1, vertex, fragment).packet(P::SetPipeline { pipeline_id: 1 }).draw(0, 3);
    };
    expect(&|s| draw_with(s, 1, "fn nonsense("), ReplayFailed, "fragment shader does not compile as WGSL: expected");
    expect(
        &|s| draw_with(s, 1, VERTEX_WGSL),
        ReplayFailed,
        "fragment shader has no @fragment entry point: found vs_main (vertex)",
    );
    expect(
        &|s| draw_with(s, 0, FRAGMENT_WGSL),
        ReplayFailed,
        "vertex shader has no @vertex entry point: found fs_main (fragment)",
    );
    let uv = "@vertex fn v(@location(2) uv: vec2f) -> @builtin(position) vec4f { return vec4f(uv, 0, 1); }";
    let flat = "@fragment fn f() -> @location(0) vec4f { return vec4f(); }";
    let with_uv = |s: &mut Scene| {
        s.shader(8, 1, flat).shader(9, 0, uv).pipeline(1, 9, 8).packet(P::SetPipeline { pipeline_id: 1 }).draw(0, 3);
    };
    expect(&with_uv, Unsupported, "the vertex shader reads @location(2) uv: vec2<f32>: the command ABI has position");
    let storage = "@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
        @fragment fn f() { textureStore(image, vec2u(), vec4f()); }";
    expect(&|s| draw_with(s, 1, storage), Unsupported, "the fragment shader uses storage texture image");
    let deep = format!("@fragment fn f() {{ let a = {}1; }}", "-".repeat(100_000));
    expect(
        &|s| draw_with(s, 1, &deep),
        OverLimit,
        "chain of operators or else branches is 2001: this build's limit is 2000",
    );
    let private = "var<private> g: array<f32, 300000000>;
        @fragment fn f() -> @location(0) vec4f { return vec4f(g[3]); }";
    let told = "fragment shader's private variable's size in bytes is 1200000000: this build's limit is 262144";
    expect(&|s| draw_with(s, 1, private), OverLimit, told);
    for group in [8, 10_000_000, u32::MAX] {
        let text = format!(
            "@group({group}) @binding(0) var t: texture_2d<f32>;
            @fragment fn f() -> @location(0) vec4f {{ return textureLoad(t, vec2i(), 0); }}"
        );
        let told = format!("fragment shader's bind group number is {group}: this build's limit is 7");
        expect(&|s| draw_with(s, 1, &text), OverLimit, &told);
    }
    expect(&|s| draw_with(s, 1, &" ".repeat(5 << 20)), OverLimit, "a shader's size in bytes is 5242880");
    let glsl_only = |s: &mut Scene| {
        let glsl_blob_id = s.blob(aerogpu_replay::format::aerogpu::BlobKind::ShaderGlslEs300, b"#version 300 es\n");
        s.packet(P::CreateShader { shader_id: 9, stage: 1, glsl_blob_id, wgsl_blob_id: 0, dxbc_blob_id: 0 });
        s.pipeline(1, 1, 9).packet(P::SetPipeline { pipeline_id: 1 }).draw(0, 3);
    };
    expect(
        &glsl_only,
        Unsupported,
        "shader 1 has WGSL only, shader 9 has GLSL ES 3.00 only: expected WGSL for both or GLSL ES 3.00 for both",
    );
}

fn commands_that_lack_something_are_named() {
    let mut scene = Scene::new();
    scene.begin().draw(0, 3).end();
    let error = replay(scene.finish()).unwrap_err();
    assert!(error.contains("(frame 0, packet 0): no pipeline is set"), "{error}");
    let mut scene = Scene::with_pipeline();
    scene.draw(0, 3).end();
    let error = replay(scene.finish()).unwrap_err();
    assert!(
        error.contains("(frame 0, packet 4): the vertex shader reads attributes, but no vertex buffer is set"),
        "{error}"
    );
}

fn packets_that_cannot_be_decoded_are_named() {
    let of = |dwords: &[u32]| {
        let mut trace = RawTrace::new();
        let start = trace.offset();
        trace.begin(0).packet(dwords).frame_since(start);
        replay_typed(trace.finish()).unwrap_err()
    };
    let (kind, error) = of(&[77, 2]);
    assert_eq!(kind, Some(ErrorKind::Unsupported));
    assert_eq!(error, "frame 0: unknown opcode 0x004d: expected 0x0001 (CREATE_BUFFER) to 0x000a (PRESENT), at 0x67");
    for (total, expected) in [(0, "0"), (1, "1"), (3, "3"), (u32::MAX, "4294967295")] {
        let (kind, error) = of(&[10, total, 0]);
        assert_eq!(kind, Some(ErrorKind::Malformed));
        assert_eq!(error, format!("frame 0: PRESENT has total_dwords {expected}: expected 2, at 0x6b"));
    }
    let (kind, error) = of(&[3, 10, 1, 2, 0, 0, 0, 0, 0, 0]);
    assert_eq!(kind, Some(ErrorKind::Malformed));
    assert_eq!(error, "frame 0: CREATE_SHADER has stage 2: expected 0 (vertex) or 1 (fragment), at 0x67");
}

fn packets_outside_frames_are_named() {
    let mut trace = RawTrace::new();
    trace.packet(&[10, 2]);
    let start = trace.offset();
    trace.begin(0).frame_since(start);
    let error = replay(trace.finish()).unwrap_err();
    assert_eq!(error, "Packet record lies outside every frame of the TOC: expected it inside a frame, at 0x53");
}

fn other_abis_are_recognised_by_their_bytes() {
    let contexts = std::fs::read(crate::support::fixture("a3a0/contexts")).unwrap();
    replay_typed(contexts).unwrap();
    let retired = "Packet record has an A0E0 packet (AGPC), a retired ABI";
    let cases = [
        (b"ACMD", ErrorKind::Malformed, "the stream has 4 bytes: expected at least 24, its header"),
        (b"AGPC", ErrorKind::Unsupported, retired),
    ];
    for (magic, expected, words) in cases {
        let mut trace = RawTrace::new();
        let start = trace.offset();
        trace.record(3, magic).frame_since(start);
        let (kind, error) = replay_typed(trace.finish()).unwrap_err();
        assert_eq!(kind, Some(expected));
        assert!(error.contains(words), "{error}");
    }
}

/// A million re-creations of one id, each bound, cost one buffer.
fn buffers_that_nobody_can_name_are_dropped() {
    let mut payload = Vec::new();
    for _ in 0..200_000 {
        for dword in [1u32, 5, 1, 1 << 20, 0, 6, 6, 1, 24, 0, 8] {
            payload.extend_from_slice(&dword.to_le_bytes());
        }
    }
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.record(3, &payload).frame_since(start);
    let bytes = trace.finish();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    replay(bytes).unwrap();
    let used = MEMORY.peak_usage().saturating_sub(before);
    assert!(used < 40 << 20, "took {used} bytes");
}
