//! What `lint` says of submissions: each rule finds what was planted for it, and nothing is said of a sound scene.

use std::fs;

use aerogpu_replay::abi::a3a0::bindings::SetTexture;
use aerogpu_replay::abi::a3a0::resources::{CreateBuffer, ResourceDirtyRange, UploadResource};
use aerogpu_replay::abi::a3a0::shaders::{BindShaders, CreateShaderDxbc};
use aerogpu_replay::abi::a3a0::state::SetViewport;
use aerogpu_replay::abi::a3a0::work::{Draw, Present};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Body, Bytes, Packet, StreamWriter};
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};

use crate::support::fixture;
use crate::support::harness::{Trial, trials_of};
use crate::support::program::{Run, run};
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_rule_finds_what_was_planted,
        a_sound_scene_is_left_in_peace,
        damage_is_listed_and_ends_with_its_code
    ]
}

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
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    for cmd_stream in streams {
        writer.submit(&NewSubmission { cmd_stream, ..Default::default() }).unwrap();
    }
    writer.present().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("planted.aerogputrace");
    fs::write(&path, writer.finish().unwrap()).unwrap();
    run(&["lint", path.to_str().unwrap()], folder.path())
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

fn every_rule_finds_what_was_planted() {
    let code: Vec<u8> = SAMPLING.iter().flat_map(|token| token.to_le_bytes()).collect();
    let data = [0; 16];
    let viewport = || SetViewport { x: 0.0, y: 0.0, width: 8.0, height: 8.0, min_depth: 0.0, max_depth: 1.0 }.into();
    let upload = UploadResource { handle: 1, reserved: 0, offset: 0, size_bytes: 16, data: Bytes::new(&data) };
    let shader =
        CreateShaderDxbc { handle: 5, stage: 1, size_bytes: code.len() as u32, stage_ex: 0, code: Bytes::new(&code) };
    let packets = [
        buffer(1),
        upload.into(),
        ResourceDirtyRange { handle: 1, reserved: 0, offset: 0, size_bytes: 4 }.into(),
        SetTexture { stage: 1, slot: 3, texture: 77, stage_ex: 0 }.into(),
        viewport(),
        viewport(),
        viewport(),
        shader.into(),
        BindShaders { vs: 0, ps: 5, cs: 0, reserved: 0, appended: None }.into(),
        draw(),
        draw(),
        Packet::new(Body::Unknown { opcode: 0x333, bytes: &[] }),
        Present { scanout_id: 0, flags: 0 }.into(),
    ];
    let run = lint(&[stream(&packets)]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let found: Vec<&str> = run.stdout.lines().map(|line| line.split_once(": ").unwrap().1).collect();
    let expected = [
        "unused-object: nothing uses resource 1",
        "unread-upload: UPLOAD_RESOURCE: nothing reads what it writes",
        "dirty-range-without-backing: RESOURCE_DIRTY_RANGE of resource 1, which has no guest memory behind it",
        "unknown-handle: SET_TEXTURE names resource 77, which does not exist",
        "redundant-state: SET_VIEWPORT in context 0 sets what is set already, 2 times, here first",
        "unbound-slot: DRAW: pixel shader 5 reads texture 0, and nothing is bound there",
        "unknown-opcode: opcode 0x333 is none that this build knows: 1 packets are passed over",
        "present-without-target: PRESENT in context 0: no colour target is bound",
    ];
    assert_eq!(found, expected);
}

fn a_sound_scene_is_left_in_peace() {
    let run = run(&["lint", fixture("a3a0/scene").to_str().unwrap()], root());
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}

/// A stream cut inside a packet, before one that is whole.
fn damage_is_listed_and_ends_with_its_code() {
    let mut cut = stream(&[draw()]);
    cut.extend_from_slice(&[1, 6, 0, 0, 9, 0, 0, 0]);
    let size = cut.len() as u32;
    cut[8..12].copy_from_slice(&size.to_le_bytes());
    let run = lint(&[cut, stream(&[Present { scanout_id: 0, flags: 0 }.into()])]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.contains("damage: frame 0: DRAW has size_bytes 9"), "{}", run.stdout);
    assert!(run.stdout.contains("present-without-target"), "{}", run.stdout);
}
