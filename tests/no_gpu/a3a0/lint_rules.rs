//! Findings of `lint` in submissions: each rule finds what was planted for it, and nothing is said of a sound scene.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::{
    SetRenderState, SetSamplerState, SetTexture, SetUnorderedAccessBuffers, SetVertexBuffers,
};
use aerogpu_replay::abi::a3a0::resources::{CopyBuffer, CreateBuffer, ResourceDirtyRange, UploadResource};
use aerogpu_replay::abi::a3a0::shaders::{BindShaders, CreateInputLayout, CreateShaderDxbc, SetInputLayout};
use aerogpu_replay::abi::a3a0::sharing::ExportSharedSurface;
use aerogpu_replay::abi::a3a0::state::{SetRenderTargets, SetScissor, SetViewport};
use aerogpu_replay::abi::a3a0::work::{Draw, Present};
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, Body, Bytes, Elements, Packet, StreamWriter, UnorderedAccessBinding, VertexBufferBinding,
};
use aerogpu_replay::format::aerogpu::{NewSubmission, Trace, TraceWriter};
use aerogpu_replay::replay::{CommandNumber, EffectKind, ResolvedCommand, TraceIndex};
use serde_json::Value;

use crate::support::fixture;
use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::made;
use crate::support::program::{Run, run};
use crate::support::root;
use crate::support::streams::stream_of_markers;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        every_rule_finds_what_was_planted,
        a_counter_that_is_set_again_is_not_redundant,
        writes_for_nothing_are_found,
        what_another_process_may_read_is_not_for_nothing,
        a_sound_scene_is_left_in_peace,
        damage_is_listed_and_ends_with_its_code,
        errors_say_what_they_end,
        states_that_are_not_followed_are_told,
        clears_beyond_the_viewport_are_told,
        markers_that_do_not_pair_are_told,
    ];
    let scenes = root().join("../shared/data/a3a0/scenes");
    let is_missing = !scenes.is_dir();
    trials.push(
        Trial::test("nothing_that_is_seen_of_scenes_is_written_for_nothing", move || {
            of_scenes(&scenes);
            Ok::<(), Failed>(())
        })
        .with_ignored_flag(is_missing),
    );
    let streams = root().join("../shared/data/a3a0");
    let is_missing = !streams.is_dir();
    trials.push(
        Trial::test("no_state_of_real_streams_is_unexplained", move || {
            of_real_streams(&streams);
            Ok::<(), Failed>(())
        })
        .with_ignored_flag(is_missing),
    );
    trials
}

/// Frames and pictures of a trace whose slices are looked at.
const MOST_LOOKED_AT: usize = 24;
const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;
/// `ps_2_0`: dcl_2d s0, dcl t0.xy, texld r0, t0, s0, mov oC0, r0.
const SAMPLING: [u32; 15] = [
    0xffff_0200,
    0x0200_001f,
    0x9000_0000,
    0xa00f_0800,
    0x0200_001f,
    0x8000_0000,
    0xb003_0000,
    0x0300_0042,
    0x800f_0000,
    0xb0e4_0000,
    0xa0e4_0800,
    0x0200_0001,
    0x800f_0800,
    0x80e4_0000,
    0x0000_ffff,
];

fn lint(streams: &[Vec<u8>]) -> Run {
    lint_with(streams, &[])
}

fn lint_with(streams: &[Vec<u8>], flags: &[&str]) -> Run {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    for cmd_stream in streams {
        writer.submit(&NewSubmission { cmd_stream, ..Default::default() }).unwrap();
    }
    writer.present().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("planted.aerogputrace");
    fs::write(&path, writer.finish().unwrap()).unwrap();
    run(&[&["lint", path.to_str().unwrap()], flags].concat(), folder.path())
}

fn stream(packets: &[Packet<'_>]) -> Vec<u8> {
    let mut writer = StreamWriter::new(ABI_VERSION);
    packets.iter().for_each(|packet| writer.packet(packet).unwrap());
    writer.finish()
}

fn buffer(handle: u32) -> Packet<'static> {
    CreateBuffer { handle, usage: 1, size_bytes: 16, backing_alloc_id: 0, backing_offset: 0, reserved: 0 }.into()
}

fn draw() -> Packet<'static> {
    Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 }.into()
}

/// A binding that sets a counter does something each time: whatever shaders have counted since.
fn a_counter_that_is_set_again_is_not_redundant() {
    let bind = |initial_count: u32| {
        let bound = UnorderedAccessBinding { buffer: 1, offset_bytes: 0, size_bytes: 0, initial_count };
        let values = Elements::to_bytes(&[bound]);
        let values = Elements::new(&values).unwrap();
        let set = SetUnorderedAccessBuffers { stage: 2, start_slot: 0, uav_count: 1, stage_ex: 0, values };
        stream(&[set.into()])
    };
    let created = stream(&[buffer(1)]);
    for (count, is_redundant) in [(0, false), (u32::MAX, true)] {
        let run = lint(&[created.clone(), bind(count), bind(count)]);
        assert_eq!(
            run.stdout.contains("redundant-state: SET_UNORDERED_ACCESS_BUFFERS"),
            is_redundant,
            "{}",
            run.stdout
        );
    }
}

fn every_rule_finds_what_was_planted() {
    let code: Vec<u8> = SAMPLING.iter().flat_map(|token| token.to_le_bytes()).collect();
    let data = [0; 16];
    let viewport = || SetViewport { x: 0.0, y: 0.0, width: 8.0, height: 8.0, min_depth: 0.0, max_depth: 1.0 }.into();
    let upload = UploadResource { handle: 1, reserved: 0, offset: 0, size_bytes: 16, data: Bytes::new(&data) };
    let shader =
        CreateShaderDxbc { handle: 5, stage: 1, size_bytes: code.len() as u32, stage_ex: 0, code: Bytes::new(&code) };
    let code = made::le_bytes(&made::VERTEX_SHADER);
    let vertex_shader =
        CreateShaderDxbc { handle: 6, stage: 0, size_bytes: code.len() as u32, stage_ex: 0, code: Bytes::new(&code) };
    let packets = [
        buffer(1),
        upload.into(),
        ResourceDirtyRange { handle: 1, reserved: 0, offset: 0, size_bytes: 4 }.into(),
        SetTexture { stage: 1, slot: 3, texture: 77, stage_ex: 0 }.into(),
        viewport(),
        viewport(),
        viewport(),
        shader.into(),
        vertex_shader.into(),
        CreateInputLayout { handle: 8, blob_size: 16, reserved: 0, blob: Bytes::new(&made::DECLARATION) }.into(),
        SetInputLayout { handle: 8, reserved: 0 }.into(),
        BindShaders { vs: 6, ps: 5, cs: 0, reserved: 0, appended: None }.into(),
        draw(),
        draw(),
        Packet::new(Body::Unknown { opcode: 0x333, bytes: &[] }),
        Present { scanout_id: 0, flags: 0 }.into(),
    ];
    let run = lint_with(&[stream(&packets)], &["--json"]);
    assert_eq!(run.code, 0, "{} {}", run.stderr, run.stdout);
    let expected = [
        "unused-object: nothing uses resource 1",
        "unread-upload: UPLOAD_RESOURCE of resource 1: nothing reads what it writes",
        "dirty-range-without-backing: RESOURCE_DIRTY_RANGE of resource 1, which has no guest memory",
        "unknown-handle: SET_TEXTURE names resource 77, which does not exist",
        "redundant-state: SET_VIEWPORT in context 0 changes nothing",
        "unbound-slot: DRAW: pixel shader 5 reads texture 0, but nothing is bound there",
        "unknown-opcode: unknown opcode 0x333: the packet is ignored",
        "present-without-target: PRESENT in context 0: no colour target is bound",
    ];
    assert_eq!(told(&run), expected);
    // For people in the order of the rules, with counts and places.
    let stdout = lint(&[stream(&packets)]).stdout;
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{stdout}");
    let opcode = "unknown-opcode: unknown opcode 0x333: the packet is ignored, at frame 0, packet 14 ";
    assert!(lines[0].starts_with(opcode), "{stdout}");
    let viewport = "redundant-state: 2 × SET_VIEWPORT in context 0 changes nothing, first at frame 0, packet 5 (";
    assert!(lines.iter().any(|line| line.starts_with(viewport)), "{stdout}");
}

/// Rules and words of the findings, in file order, by the lines of `--json`.
fn told(run: &Run) -> Vec<String> {
    let found = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = |line: Value| format!("{}: {}", line["rule"].as_str().unwrap(), line["message"].as_str().unwrap());
    found.map(of).collect()
}

/// Each remark once, whatever the sampler; zeros are what the driver sends at its start.
fn states_that_are_not_followed_are_told() {
    let state = |state, value| SetRenderState { state, value }.into();
    let sampler = |slot, state, value| SetSamplerState { stage: 1, slot, state, value }.into();
    let packets: Vec<Packet<'_>> = vec![
        state(128, 0),
        state(128, 3),
        state(128, 3),
        state(26, 1),
        state(176, 1),
        state(7, 2),
        state(23, 12),
        state(18, 1),
        state(137, 1),
        state(300, 5),
        sampler(0, 5, 8),
        sampler(3, 5, 8),
        sampler(0, 1, 9),
    ];
    let run = lint_with(&[stream(&packets)], &["--json"]);
    let told = told(&run).into_iter().filter_map(|line| Some(line.strip_prefix("unexplained-state: ")?.to_owned()));
    let expected = [
        "D3DRS_WRAP0 = 0x3 is ignored: texture coordinates are interpolated without wrapping",
        "D3DRS_ANTIALIASEDLINEENABLE = TRUE is ignored: lines are not antialiased",
        "D3DRS_ZENABLE = USEW is treated as TRUE: depth is compared by z",
        "D3DRS_ZFUNC = 12 is treated as LESSEQUAL: the state has no such value",
        "render state 18 = 0x1 is ignored: Direct3D 9 has no such state",
        "render state 300 = 0x5 is ignored: Direct3D 9 has no such state",
        "D3DSAMP_MAGFILTER = CONVOLUTIONMONO is treated as LINEAR",
        "D3DSAMP_ADDRESSU = 9 is treated as WRAP: the state has no such value",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected, "{}", run.stderr);
}

fn clears_beyond_the_viewport_are_told() {
    let state = |state, value| SetRenderState { state, value }.into();
    let viewport =
        |[x, y, width, height]: [f32; 4]| SetViewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 }.into();
    let clear = || made::clear([0.0; 4]).into();
    let texture = made::texture(1, 16, 16);
    let packets: Vec<Packet<'_>> = vec![
        texture.into(),
        targets(1),
        viewport([0.0, 0.0, 8.0, 8.0]),
        // Before anything of Direct3D 9 came, viewports are none of a CLEAR's.
        clear(),
        state(22, 1),
        clear(),
        viewport([0.0, 0.0, 16.0, 16.0]),
        clear(),
        viewport([4.0, 4.0, 8.0, 8.0]),
        SetScissor { x: 4, y: 4, width: 8, height: 8 }.into(),
        state(174, 1),
        clear(),
        viewport([4.0, 4.0, 4.0, 8.0]),
        clear(),
        Present { scanout_id: 0, flags: 0 }.into(),
    ];
    let run = lint_with(&[stream(&packets)], &["--json"]);
    let told = told(&run).into_iter().filter_map(|line| Some(line.strip_prefix("clear-beyond-viewport: ")?.to_owned()));
    let expected = [
        "it fills 16x16 of the target at 0,0; Direct3D 9 fills only the part in the viewport of 8x8 at 0,0",
        "it fills 8x8 of the target at 4,4; Direct3D 9 fills only the part in the viewport of 4x8 at 4,4",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected, "{}{}", run.stdout, run.stderr);
}

/// Scenes of Direct3D 9, and what the guest's driver sends.
fn of_real_streams(folder: &Path) {
    let mut count = 0;
    for folder in [folder.join("scenes/3-with-d3d9"), folder.join("driver")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "aerogputrace") {
                continue;
            }
            count += 1;
            let run = run(&["lint", path.to_str().unwrap()], root());
            let unexplained: Vec<&str> = run.stdout.lines().filter(|line| line.contains("unexplained-state")).collect();
            assert!(unexplained.is_empty(), "{}: {unexplained:#?}", path.display());
        }
    }
    assert!(count > 20, "{count}");
}

fn a_sound_scene_is_left_in_peace() {
    let run = run(&["lint", fixture("a3a0/scene").to_str().unwrap()], root());
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}

/// A stream cut inside a packet, before one that is whole.
fn damage_is_listed_and_ends_with_its_code() {
    let mut cut = stream(&[SetScissor { x: 0, y: 0, width: 1, height: 1 }.into()]);
    cut.extend_from_slice(&[1, 6, 0, 0, 9, 0, 0, 0]);
    let size = cut.len() as u32;
    cut[8..12].copy_from_slice(&size.to_le_bytes());
    let run = lint(&[cut, stream(&[Present { scanout_id: 0, flags: 0 }.into()])]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.contains("damage: frame 0: DRAW has size_bytes 9"), "{}", run.stdout);
    assert!(run.stdout.contains("present-without-target"), "{}", run.stdout);
}

fn upload(handle: u32, data: &[u8]) -> Packet<'_> {
    let data = UploadResource { handle, reserved: 0, offset: 0, size_bytes: data.len() as u64, data: Bytes::new(data) };
    data.into()
}

/// Vertices of a stride that draws without shaders know.
fn vertices() -> (u32, Vec<u8>) {
    made::elements(&[VertexBufferBinding { buffer: 9, stride_bytes: 24, offset_bytes: 0, reserved: 0 }])
}

fn targets(color: u32) -> Packet<'static> {
    let color_count = u32::from(color != 0);
    SetRenderTargets { color_count, depth_stencil: 0, color: [color, 0, 0, 0, 0, 0, 0, 0] }.into()
}

fn copy(dst: u32, src: u32) -> Packet<'static> {
    CopyBuffer { dst, src, dst_offset: 0, src_offset: 0, size_bytes: 16, flags: 0, reserved: 0 }.into()
}

fn present() -> Packet<'static> {
    Present { scanout_id: 0, flags: 0 }.into()
}

/// Findings of `lint` about writes, without where.
fn of_writes(run: &Run) -> Vec<String> {
    let is_of_writes =
        |line: &String| ["dead-write", "unread-upload", "unused-draw-target"].iter().any(|rule| line.starts_with(rule));
    told(run).into_iter().filter(is_of_writes).collect()
}

fn writes_for_nothing_are_found() {
    let clear = || made::clear([0.5; 4]).into();
    let texture = |handle| made::texture(handle, 8, 8).into();
    let (first, second) = ([1; 16], [2; 16]);
    let (buffer_count, binding) = vertices();
    let set_vertices =
        SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&binding).unwrap() }.into();
    let packets = [
        buffer(9),
        set_vertices,
        texture(1),
        texture(2),
        buffer(3),
        buffer(4),
        buffer(5),
        // Overwritten whole before the copy reads it; the second is read by a copy that nothing reads.
        upload(3, &first),
        upload(3, &second),
        copy(4, 3),
        // Half of it shows through.
        upload(5, &first),
        upload(5, &second[..8]),
        copy(4, 5),
        targets(1),
        clear(),
        draw(),
        clear(),
        draw(),
        present(),
        // Drawn to, and never shown.
        targets(2),
        clear(),
        draw(),
        draw(),
        // For the next picture, which does not come.
        targets(1),
        draw(),
    ];
    let run = lint_with(&[stream(&packets)], &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = [
        "unread-upload: UPLOAD_RESOURCE of resource 3: everything it writes is overwritten before it is read",
        "dead-write: COPY_BUFFER of resource 4: everything it writes is overwritten before it is read",
        "dead-write: COPY_BUFFER of resource 4: nothing reads what it writes",
        "dead-write: CLEAR of resource 1: everything it writes is overwritten before it is read",
        "dead-write: DRAW of resource 1: everything it writes is overwritten before it is read",
        "unused-draw-target: 2 draws draw to texture 2, which is never read or shown",
        "dead-write: DRAW of resource 1: nothing reads what it writes",
    ];
    assert_eq!(of_writes(&run), expected);
}

fn what_another_process_may_read_is_not_for_nothing() {
    let export = ExportSharedSurface { resource: 1, reserved: 0, share_token: 9 };
    let texture = || made::texture(1, 8, 8).into();
    let (buffer_count, binding) = vertices();
    let set_vertices =
        || SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&binding).unwrap() }.into();
    let clear = || made::clear([0.5; 4]).into();
    let alone = lint_with(&[stream(&[buffer(9), set_vertices(), texture(), targets(1), clear(), draw()])], &["--json"]);
    let unused = "unused-draw-target: 1 draw draws to texture 1, which is never read or shown";
    assert_eq!(of_writes(&alone), [unused], "{alone:?}");
    let before = lint_with(
        &[stream(&[buffer(9), set_vertices(), texture(), export.into(), targets(1), clear(), draw()])],
        &["--json"],
    );
    assert_eq!(of_writes(&before), [""; 0], "{before:?}");
    let export = ExportSharedSurface { resource: 1, reserved: 0, share_token: 9 };
    let behind = lint_with(
        &[stream(&[buffer(9), set_vertices(), texture(), targets(1), clear(), draw(), export.into()])],
        &["--json"],
    );
    assert_eq!(of_writes(&behind), [""; 0], "{behind:?}");
}

/// A draw fails alone, a copy past its buffer's end ends its submission, and the next is looked at.
fn errors_say_what_they_end() {
    let past = CopyBuffer { dst: 1, src: 2, dst_offset: 8, src_offset: 0, size_bytes: 16, flags: 0, reserved: 0 };
    let bound = BindShaders { vs: 7, ps: 0, cs: 0, reserved: 0, appended: None };
    let shader = CreateShaderDxbc { handle: 7, stage: 0, size_bytes: 4, stage_ex: 0, code: Bytes::new(&[1; 4]) };
    let packets = [buffer(1), buffer(2), shader.into(), bound.into(), draw(), past.into(), copy(1, 2)];
    let run = lint(&[stream(&packets), stream(&[upload(1, &[3; 16])])]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains("the replay skips")).collect();
    let [alone, ends] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(
        alone.starts_with("contract: DRAW at 0x") && alone.ends_with("; an error: the replay skips this command"),
        "{alone}"
    );
    let rest = "; an error: the replay skips the rest of the submission";
    assert!(ends.starts_with("contract: COPY_BUFFER at 0x") && ends.ends_with(rest), "{ends}");
    let json = lint_with(&[stream(&packets), stream(&[upload(1, &[3; 16])])], &["--json"]);
    let faults = json.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let faults: Vec<Value> = faults.filter(|line| !line["kind"].is_null()).collect();
    let ends: Vec<_> = faults.iter().map(|fault| fault["ends_submission"].clone()).collect();
    assert_eq!(ends, [false, true].map(Value::from), "{faults:?}");
    assert_eq!(of_writes(&json), ["unread-upload: UPLOAD_RESOURCE of resource 1: nothing reads what it writes"]);
}

/// No slice of a frame, and no picture, has a command that is said to write for nothing.
fn of_scenes(scenes: &Path) {
    let (mut traces, mut dead_count, mut needed) = (0, 0, 0);
    for folder in fs::read_dir(scenes).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|extension| extension != "aerogputrace") {
                continue;
            }
            let trace = Arc::new(Trace::open(&path).unwrap());
            let index = TraceIndex::build(&trace, |_| ());
            assert!(index.stop().is_none(), "{}", path.display());
            let vain = index.written_in_vain().unwrap();
            let dead: BTreeSet<CommandNumber> = vain.writes.iter().map(|write| write.command).collect();
            let shows =
                |step: &ResolvedCommand| matches!(step, ResolvedCommand::Submitted { kind: EffectKind::Present, .. });
            let pictures: Vec<CommandNumber> = index.numbers_in(0..index.command_count(), shows).collect();
            // Of a long trace a sample is enough.
            let step = pictures.len().div_ceil(MOST_LOOKED_AT).max(1);
            let slices = trace.frame_indices().step_by(step).map(|frame| {
                let end = index.commands_of(frame).unwrap().end;
                index.slice(frame, end, None).unwrap().unwrap().earlier
            });
            let shown = pictures.iter().step_by(step).map(|present| index.inputs_of_present(*present).unwrap());
            for needs in slices.chain(shown) {
                let found: Vec<_> = needs.iter().filter(|number| dead.contains(number)).collect();
                assert!(found.is_empty(), "{}: {found:?}", path.display());
                needed += needs.len();
            }
            (traces, dead_count) = (traces + 1, dead_count + dead.len());
        }
    }
    assert!(traces > 50 && dead_count > 1000 && needed > 10_000, "{traces} traces, {dead_count} dead, {needed} needed");
}

/// Of two contexts and two frames: one `}` too many, and one `{` that the frame's end closes.
fn markers_that_do_not_pair_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("markers");
    fs::write(&path, stream_of_markers()).unwrap();
    let run = run(&["lint", "markers", "--json", "--filter", "/^unbalanced-marker$/"], folder.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = [
        "unbalanced-marker: marker `}` in context 1 closes nothing",
        "unbalanced-marker: marker `{ { open` in context 1 is open at the end of its frame",
    ];
    assert_eq!(told(&run), expected);
    let frames: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["frame"].clone()).collect();
    assert_eq!(frames, [0, 1]);
}
