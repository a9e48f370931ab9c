//! `passes` on streams whose passes are known.

use std::fs;

use aerogpu_replay::abi::a3a0::bindings::SetVertexBuffers;
use aerogpu_replay::abi::a3a0::resources::{CopyTexture2d, CreateBuffer, UploadResource};
use aerogpu_replay::abi::a3a0::sharing::ExportSharedSurface;
use aerogpu_replay::abi::a3a0::state::SetRenderTargets;
use aerogpu_replay::abi::a3a0::work::{Draw, Present};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, Elements, Packet, StreamWriter, VertexBufferBinding};
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};

use crate::support::harness::{Trial, trials_of};
use crate::support::made;
use crate::support::program::{Run, run};

pub fn trials() -> Vec<Trial> {
    trials_of![
        passes_read_what_others_write_over_frames,
        halves_of_a_pass_are_found_where_no_order_is_needed,
        what_other_processes_have_is_read
    ]
}

const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;

/// Runs `passes` on a trace of these frames.
fn passes_of(frames: &[Vec<Packet<'_>>], flags: &[&str]) -> Run {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for packets in frames {
        let mut stream = StreamWriter::new(ABI_VERSION);
        packets.iter().for_each(|packet| stream.packet(packet).unwrap());
        writer.begin_frame().unwrap();
        writer.submit(&NewSubmission { cmd_stream: &stream.finish(), ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.aerogputrace");
    fs::write(&path, writer.finish().unwrap()).unwrap();
    let run = run(&[&["passes", path.to_str().unwrap()], flags].concat(), folder.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

fn texture(handle: u32) -> Packet<'static> {
    made::texture(handle, 8, 8).into()
}

fn targets(color: u32) -> Packet<'static> {
    SetRenderTargets { color_count: 1, depth_stencil: 0, color: [color, 0, 0, 0, 0, 0, 0, 0] }.into()
}

fn clear() -> Packet<'static> {
    made::clear([0.5; 4]).into()
}

fn draw() -> Packet<'static> {
    Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 }.into()
}

fn present() -> Packet<'static> {
    Present { scanout_id: 0, flags: 0 }.into()
}

fn buffer(handle: u32) -> Packet<'static> {
    CreateBuffer { handle, usage: 1, size_bytes: 96, backing_alloc_id: 0, backing_offset: 0, reserved: 0 }.into()
}

fn upload(handle: u32, data: &[u8]) -> Packet<'_> {
    let size_bytes = data.len() as u64;
    UploadResource { handle, reserved: 0, offset: 0, size_bytes, data: Bytes::new(data) }.into()
}

fn copy(dst: u32, src: u32) -> Packet<'static> {
    CopyTexture2d {
        dst,
        src,
        dst_mip: 0,
        dst_layer: 0,
        src_mip: 0,
        src_layer: 0,
        dst_x: 0,
        dst_y: 0,
        src_x: 0,
        src_y: 0,
        width: 8,
        height: 8,
        flags: 0,
        reserved: 0,
    }
    .into()
}

/// A binding whose stride draws without shaders know.
fn vertices() -> (u32, Vec<u8>) {
    made::elements(&[VertexBufferBinding { buffer: 9, stride_bytes: 24, offset_bytes: 0, reserved: 0 }])
}

fn set_vertices((buffer_count, binding): &(u32, Vec<u8>)) -> Packet<'_> {
    SetVertexBuffers { start_slot: 0, buffer_count: *buffer_count, values: Elements::new(binding).unwrap() }.into()
}

fn passes_read_what_others_write_over_frames() {
    let (bound, bytes) = (vertices(), [7; 96]);
    let first = vec![
        buffer(9),
        texture(1),
        texture(2),
        upload(9, &bytes),
        set_vertices(&bound),
        targets(1),
        clear(),
        draw(),
        // Between draws of one pass.
        upload(9, &bytes),
        draw(),
        copy(2, 1),
        targets(2),
        present(),
    ];
    // Drawn over the picture before, and never shown.
    let second = vec![targets(1), draw(), clear(), targets(2), draw(), present()];
    let told = passes_of(&[first, second], &[]).stdout;
    let format = "B8G8R8A8_UNORM";
    let [one, two] = [1, 2].map(|handle| format!("texture {handle} (8x8 {format})"));
    let expected = format!(
        "frame 0: 5 passes
pass 0: uploads, 1 command
  writes buffer 9 (96 bytes), for pass 1
pass 1: draws 0 to 1 to texture 1
  reads buffer 9 (96 bytes), from pass 0, pass 2
  writes {one}, for pass 3, frame 1 pass 0
pass 2: uploads, 1 command
  writes buffer 9 (96 bytes), for pass 1, frame 1 pass 0
pass 3: copies, 1 command
  reads {one}, from pass 1
  writes {two}, for pass 4, frame 1 pass 1
pass 4: present
  reads {two}, from pass 3
frame 1: 3 passes
pass 0: draw 0 to texture 1
  reads buffer 9 (96 bytes), from frame 0 pass 2
  writes over {one}, from frame 0 pass 1
  writes {one}: nothing reads it
pass 1: draw 1 to texture 2
  reads buffer 9 (96 bytes), from frame 0 pass 2
  writes over {two}, from frame 0 pass 3
  writes {two}, for pass 2
pass 2: present
  reads {two}, from pass 1
"
    );
    assert_eq!(lines(&told), lines(&expected));
}

fn halves_of_a_pass_are_found_where_no_order_is_needed() {
    let (bound, bytes) = (vertices(), [7; 96]);
    let begin = || vec![buffer(9), texture(1), texture(2), upload(9, &bytes), set_vertices(&bound)];
    let joined = |middle: Vec<Packet<'_>>, last: Vec<Packet<'_>>| {
        let ends = [targets(1), clear(), draw()].into_iter().chain(middle).chain([targets(1)]).chain(last);
        let frame = begin().into_iter().chain(ends).chain([draw(), present()]).collect();
        let told = passes_of(&[frame], &["--json"]);
        let passes = told.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let joined: Vec<_> = passes.filter(|pass| !pass["could_join"].is_null()).collect();
        joined.iter().map(|pass| (pass["pass"].as_u64(), pass["could_join"].as_u64())).collect::<Vec<_>>()
    };
    let other = || vec![targets(2), clear(), draw()];
    assert_eq!(joined(other(), vec![]), [(Some(3), Some(1))]);
    // It needs what is brought in between, which can be brought before as well; and which cannot, for the first half reads what
    // is overwritten.
    let unread = |packets: Vec<Packet<'static>>| [buffer(8), upload(8, &[1; 96])].into_iter().chain(packets).collect();
    assert_eq!(joined(unread(other()), vec![]), [(Some(4), Some(1))]);
    assert_eq!(joined([vec![upload(9, &bytes)], other()].concat(), vec![]), []);
    // The first half is copied from, or written to, before the second; the second begins anew.
    assert_eq!(joined(vec![copy(2, 1)], vec![]), []);
    assert_eq!(joined([other(), vec![copy(1, 2)]].concat(), vec![]), []);
    assert_eq!(joined(other(), vec![clear()]), []);
}

fn what_other_processes_have_is_read() {
    let bound = vertices();
    let export = || ExportSharedSurface { resource: 1, reserved: 0, share_token: 9 }.into();
    let begin = || vec![buffer(9), texture(1), set_vertices(&bound), targets(1), clear(), draw()];
    let fates = |frames: &[Vec<Packet<'_>>]| {
        let told = passes_of(frames, &["--json", "--filter", "draws"]).stdout;
        let passes = told.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        passes.map(|pass| pass["writes"][0]["fate"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fates(&[begin()]), ["unread"]);
    assert_eq!(fates(&[begin().into_iter().chain([export()]).collect()]), ["read"]);
    assert_eq!(fates(&[begin(), vec![export(), clear(), draw()]]), ["read", "read"]);
    assert_eq!(fates(&[begin(), vec![clear(), draw(), export()]]), ["overwritten", "read"]);
}
