//! Input hashes of frames with submissions: equal where nothing that is seen differs, different where anything may.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, Bytes, Elements, Field, Layout, Names, RawPacket, Shape, Stream as Parsed, Text, VertexBufferBinding,
};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::Shown;
use aerogpu_replay::format::aerogpu::{
    BlobKind, CapturedMemory, FrameIndex, NewSubmission, RecordBody, Trace, TraceWriter,
};
use aerogpu_replay::replay::{DRAW_PARTS, DrawParts, InputHash, InputHasher, TraceIndex, picture_at_end};

use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::made::{
    DECLARATION, PIXEL_SHADER, Stream, StreamOfTests, VERTEX_SHADER, elements, floats, le_bytes, texture,
};
use crate::support::root;
use crate::support::streams::first_texel;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        what_is_not_seen_does_not_count,
        whatever_is_seen_counts,
        a_draw_of_nothing_has_no_hash,
        objects_made_alike_count_by_what_they_hold,
        ten_thousand_draws_over_each_other_have_hashes,
        frames_that_do_the_same_are_equal
    ];
    let is_missing = scenes().is_empty();
    trials.push(
        Trial::test("equal_hashes_mean_equal_pictures", equal_hashes_mean_equal_pictures).with_ignored_flag(is_missing),
    );
    trials.push(Trial::test("handles_of_scenes_do_not_count", handles_do_not_count).with_ignored_flag(is_missing));
    let parted = Trial::test("commands_of_pictures_are_parted", commands_of_pictures_are_parted);
    trials.push(parted.with_ignored_flag(is_missing));
    trials
}

/// The hashes of each frame and of its draws.
type Hashes = Vec<(InputHash, Vec<Option<InputHash>>)>;

fn hasher(bytes: Vec<u8>) -> (Arc<Trace>, InputHasher) {
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap();
    let trace = Arc::new(trace);
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    assert!(index.stop().is_none(), "{:?}", index.stop());
    (trace.clone(), InputHasher::new(trace, index))
}

fn frame_hashes(bytes: Vec<u8>) -> Vec<InputHash> {
    let (trace, mut hasher) = hasher(bytes);
    trace.frame_indices().map(|frame| hasher.frame(frame).unwrap().unwrap()).collect()
}

fn hashes(bytes: Vec<u8>) -> Hashes {
    let (trace, mut hasher) = hasher(bytes);
    let of_frame = |frame| (hasher.frame(frame).unwrap().unwrap(), hasher.draw_hashes(frame).unwrap());
    trace.frame_indices().map(of_frame).collect()
}

/// A triangle of vertices in guest memory, in the colour of a constant, on a texture with uploaded texels.
#[derive(Clone)]
struct Triangle {
    // What is not seen.
    first_handle: u32,
    context_id: u32,
    allocation: u32,
    gpa: u64,
    memory_behind: usize,
    has_marker: bool,
    has_unused_setting: bool,
    has_unused_object: bool,
    // What is.
    cull_mode: u32,
    memory_byte: u8,
    texel: u8,
    red: f32,
    vertex_count: u32,
    width_px: u32,
    shader_word: u32,
    stride_bytes: u32,
}

const TRIANGLE: Triangle = Triangle {
    first_handle: 1,
    context_id: 0,
    allocation: 7,
    gpa: 0x10_0000,
    memory_behind: 0,
    has_marker: false,
    has_unused_setting: false,
    has_unused_object: false,
    cull_mode: 1,
    memory_byte: 0,
    texel: 9,
    red: 1.0,
    vertex_count: 3,
    width_px: 16,
    shader_word: 0x800f_0800,
    stride_bytes: 12,
};

impl Triangle {
    fn hashes(&self) -> (InputHash, Option<InputHash>) {
        let found = hashes(self.trace());
        let [(frame, draws)] = &found[..] else { panic!("{found:?}") };
        let [draw] = draws[..] else { panic!("{draws:?}") };
        (*frame, draw)
    }

    /// Inputs of its draw, part by part.
    fn parts(&self) -> DrawParts {
        let (_, mut hasher) = hasher(self.trace());
        let [parts] = hasher.draw_parts(FrameIndex(0)).unwrap().try_into().unwrap();
        parts
    }

    fn trace(&self) -> Vec<u8> {
        let mut memory = floats(&[-1.0, -1.0, 0.5, 1.0, -1.0, 0.5, 0.0, 1.0, 0.5]);
        memory[0] = self.memory_byte;
        memory.resize(memory.len() + self.memory_behind, 0xee);
        let Self { allocation: alloc_id, gpa, context_id, .. } = *self;
        let memory = [CapturedMemory { alloc_id, flags: 0, gpa, bytes: &memory }];
        let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
        writer.begin_frame().unwrap();
        let cmd_stream = &self.stream();
        writer
            .submit(&NewSubmission { submit_flags: 1, context_id, cmd_stream, memory: &memory, ..Default::default() })
            .unwrap();
        writer.present().unwrap();
        writer.finish().unwrap()
    }

    fn stream(&self) -> Vec<u8> {
        let [target, buffer, unused] = [0, 1, 2].map(|number| self.first_handle + number);
        let [vs, ps, layout] = [10, 11, 0].map(|number| self.first_handle + number);
        let mut stream = Stream::new();
        let mut pixel = PIXEL_SHADER;
        pixel[2] = self.shader_word;
        let (vertex, pixel, color) = (le_bytes(&VERTEX_SHADER), le_bytes(&pixel), floats(&[self.red, 0.0, 0.0, 1.0]));
        let texels = [self.texel; 64];
        let (stride_bytes, offset_bytes, reserved) = (self.stride_bytes, 0, 0);
        let (buffer_count, binding) = elements(&[VertexBufferBinding { buffer, stride_bytes, offset_bytes, reserved }]);
        let create = |handle, backing_alloc_id| CreateBuffer {
            handle,
            usage: 1,
            size_bytes: 36,
            backing_alloc_id,
            backing_offset: 0,
            reserved: 0,
        };
        if self.has_unused_object {
            stream.put(create(unused, 0));
        }
        stream
            .put(CreateTexture2d {
                handle: target,
                usage: 0x10,
                format: 1,
                width: self.width_px,
                height: 16,
                mip_levels: 1,
                array_layers: 1,
                row_pitch: 0,
                backing_alloc_id: 0,
                backing_offset: 0,
                reserved: 0,
            })
            .put(create(buffer, self.allocation))
            .put(UploadResource { handle: target, reserved: 0, offset: 0, size_bytes: 64, data: Bytes::new(&texels) })
            .put(shader(vs, 0, &vertex))
            .put(shader(ps, 1, &pixel))
            .put(CreateInputLayout { handle: layout, blob_size: 16, reserved: 0, blob: Bytes::new(&DECLARATION) })
            .put(SetInputLayout { handle: layout, reserved: 0 })
            .put(SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&binding).unwrap() })
            .put(SetRenderState { state: 22, value: self.cull_mode })
            .put(SetPrimitiveTopology { topology: 4, reserved: 0 });
        if self.has_unused_setting {
            stream.put(SetPrimitiveTopology { topology: 1, reserved: 0 });
            stream.put(SetPrimitiveTopology { topology: 4, reserved: 0 });
        }
        if self.has_marker {
            stream.put(DebugMarker { text: Text(b"here") }).put(Nop {}).put(Flush { reserved0: 0, reserved1: 0 });
        }
        stream
            .put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [target, 0, 0, 0, 0, 0, 0, 0] })
            .put(SetViewport { x: 0.0, y: 0.0, width: 16.0, height: 16.0, min_depth: 0.0, max_depth: 1.0 })
            .put(BindShaders { vs, ps, cs: 0, reserved: 0, appended: None })
            .put(SetShaderConstantsF {
                stage: 1,
                start_register: 0,
                vec4_count: 1,
                stage_ex: 0,
                values: Elements::new(&color).unwrap(),
            })
            .put(Draw { vertex_count: self.vertex_count, instance_count: 1, first_vertex: 0, first_instance: 0 })
            .put(Present { scanout_id: 0, flags: 1 });
        stream.finish()
    }
}

/// Everything that a draw needs but for a target, with handles from 4 on.
fn bind_triangle(stream: &mut Stream) {
    let (vertex, pixel) = (le_bytes(&VERTEX_SHADER), le_bytes(&PIXEL_SHADER));
    let (buffer_count, binding) =
        elements(&[VertexBufferBinding { buffer: 4, stride_bytes: 12, offset_bytes: 0, reserved: 0 }]);
    stream
        .put(CreateBuffer { handle: 4, usage: 1, size_bytes: 36, backing_alloc_id: 0, backing_offset: 0, reserved: 0 })
        .put(shader(5, 0, &vertex))
        .put(shader(6, 1, &pixel))
        .put(CreateInputLayout { handle: 7, blob_size: 16, reserved: 0, blob: Bytes::new(&DECLARATION) })
        .put(SetInputLayout { handle: 7, reserved: 0 })
        .put(SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&binding).unwrap() })
        .put(BindShaders { vs: 5, ps: 6, cs: 0, reserved: 0, appended: None });
}

/// A draw over what was copied from one of two textures, which were made alike and written in these orders; gives its hash.
fn over_a_copy(uploads: &[(u32, u64, u8)], source: u32) -> InputHash {
    let mut stream = Stream::new();
    (1..=3).for_each(|handle| _ = stream.put(texture(handle, 8, 8)));
    for &(handle, offset, byte) in uploads {
        let data = [byte; 128];
        stream.put(UploadResource { handle, reserved: 0, offset, size_bytes: 128, data: Bytes::new(&data) });
    }
    stream.copy_texels(first_texel(3), first_texel(source), [8, 8]);
    bind_triangle(&mut stream);
    stream.put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [3, 0, 0, 0, 0, 0, 0, 0] }).put(Draw {
        vertex_count: 3,
        instance_count: 1,
        first_vertex: 0,
        first_instance: 0,
    });
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    writer.begin_frame().unwrap();
    let cmd_stream = &stream.finish();
    writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
    writer.present().unwrap();
    let found = hashes(writer.finish().unwrap());
    let [(_, draws)] = &found[..] else { panic!("{found:?}") };
    let [Some(draw)] = draws[..] else { panic!("{draws:?}") };
    draw
}

fn objects_made_alike_count_by_what_they_hold() {
    let (first, second) = ((1, 0, 7), (2, 0, 8));
    let plain = over_a_copy(&[first, second], 1);
    let same = [
        ("the other, written so", over_a_copy(&[(1, 0, 8), (2, 0, 7)], 2)),
        ("written in another order", over_a_copy(&[second, first], 1)),
        ("beside one that nobody wrote", over_a_copy(&[first], 1)),
    ];
    for (name, hash) in same {
        assert_eq!(hash, plain, "{name}");
    }
    let others = [
        ("plain", plain),
        ("the other", over_a_copy(&[first, second], 2)),
        ("its second half", over_a_copy(&[(1, 128, 7), second], 1)),
        ("half over half", over_a_copy(&[first, (1, 64, 9)], 1)),
        ("half under half", over_a_copy(&[(1, 64, 9), first], 1)),
        ("nothing", over_a_copy(&[], 1)),
    ];
    let mut known = BTreeMap::new();
    for (name, hash) in others {
        assert_eq!(known.insert(hash, name), None, "{name}");
    }
}

/// Each is drawn from all before it. Were it gone through anew for each, this would take an hour.
fn ten_thousand_draws_over_each_other_have_hashes() {
    const FRAMES: usize = 2;
    const DRAWS: usize = 10_000;
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    for frame in 0..FRAMES {
        let mut stream = Stream::new();
        if frame == 0 {
            bind_triangle(&mut stream);
            stream.put(texture(1, 8, 8)).put(SetRenderTargets {
                color_count: 1,
                depth_stencil: 0,
                color: [1, 0, 0, 0, 0, 0, 0, 0],
            });
        }
        for draw in 0..DRAWS {
            let color = floats(&[(draw % 7) as f32, 0.0, 0.0, 1.0]);
            let values = Elements::new(&color).unwrap();
            stream
                .put(SetShaderConstantsF { stage: 1, start_register: 0, vec4_count: 1, stage_ex: 0, values })
                .put(Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 });
        }
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let (trace, mut hasher) = hasher(writer.finish().unwrap());
    let of_frame = |frame| hasher.draw_hashes(frame).unwrap();
    let found: Vec<_> = trace.frame_indices().flat_map(of_frame).flatten().collect();
    assert_eq!(found.len(), FRAMES * DRAWS);
    // Each leaves the ones before it under it.
    let distinct: std::collections::BTreeSet<_> = found.iter().collect();
    assert_eq!(distinct.len(), found.len());
}

fn shader(handle: u32, stage: u32, code: &[u8]) -> CreateShaderDxbc<'_> {
    CreateShaderDxbc { handle, stage, size_bytes: code.len() as u32, stage_ex: 0, code: Bytes::new(code) }
}

fn what_is_not_seen_does_not_count() {
    let plain = TRIANGLE.hashes();
    assert!(plain.1.is_some());
    let changed = [
        ("handles", Triangle { first_handle: 0x7000_0001, ..TRIANGLE }),
        ("context", Triangle { context_id: 5, ..TRIANGLE }),
        ("allocation", Triangle { allocation: 9, gpa: 0xf000, ..TRIANGLE }),
        ("memory behind", Triangle { memory_behind: 100, ..TRIANGLE }),
        ("marker", Triangle { has_marker: true, ..TRIANGLE }),
        ("setting", Triangle { has_unused_setting: true, ..TRIANGLE }),
        ("object", Triangle { has_unused_object: true, ..TRIANGLE }),
    ];
    for (name, triangle) in changed {
        // A setting that is set again counts by its value.
        assert_eq!(triangle.hashes(), plain, "{name}");
        assert_eq!(triangle.parts(), TRIANGLE.parts(), "{name}");
    }
}

fn whatever_is_seen_counts() {
    let [_, fragment, reads, state] = DRAW_PARTS;
    let changed = [
        ("nothing", TRIANGLE, vec![]),
        ("memory", Triangle { memory_byte: 1, ..TRIANGLE }, vec![reads]),
        // It is drawn over it.
        ("texel", Triangle { texel: 10, ..TRIANGLE }, vec![]),
        ("render state", Triangle { cull_mode: 2, ..TRIANGLE }, vec![state]),
        ("constant", Triangle { red: 0.5, ..TRIANGLE }, vec![state]),
        ("vertex count", Triangle { vertex_count: 2, ..TRIANGLE }, vec![reads, state]),
        ("size", Triangle { width_px: 17, ..TRIANGLE }, vec![state]),
        ("shader", Triangle { shader_word: 0x8007_0800, ..TRIANGLE }, vec![fragment]),
        ("stride", Triangle { stride_bytes: 8, ..TRIANGLE }, vec![reads, state]),
    ];
    let mut frames = BTreeMap::new();
    let mut draws = BTreeMap::new();
    let plain = TRIANGLE.parts();
    for (name, triangle, expected) in changed {
        let parts = triangle.parts();
        let others = parts.iter().zip(&plain).filter(|(now, then)| now != then).map(|(now, _)| now.name);
        assert_eq!(others.collect::<Vec<_>>(), expected, "{name}");
        let (frame, draw) = triangle.hashes();
        assert_eq!(frames.insert(frame, name), None, "{name}");
        assert_eq!(draws.insert(draw, name), None, "{name}");
    }
}

fn a_draw_of_nothing_has_no_hash() {
    assert_eq!(Triangle { vertex_count: 0, ..TRIANGLE }.hashes().1, None);
}

/// Where a frame stands, and which commands it finds done, does not count.
fn frames_that_do_the_same_are_equal() {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    for (frame, r) in [1.0, 0.5, 1.0].into_iter().enumerate() {
        let mut stream = Stream::new();
        if frame == 0 {
            stream.put(CreateTexture2d {
                handle: 1,
                usage: 0x10,
                format: 1,
                width: 16,
                height: 16,
                mip_levels: 1,
                array_layers: 1,
                row_pitch: 0,
                backing_alloc_id: 0,
                backing_offset: 0,
                reserved: 0,
            });
        }
        stream
            .put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [1, 0, 0, 0, 0, 0, 0, 0] })
            .put(Clear { flags: 1, r, g: 0.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 })
            .put(Present { scanout_id: 0, flags: 0 });
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let [first, second, third] = frame_hashes(writer.finish().unwrap())[..] else { panic!("three frames") };
    assert_eq!(first, third);
    assert_ne!(first, second);
}

/// The traces of made scenes, whose pictures are known.
fn scenes() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("../shared/data/a3a0/scenes")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut scenes: Vec<PathBuf> =
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|is| is == "aerogputrace")).collect();
    scenes.sort();
    scenes
}

/// No two frames of all scenes have equal hashes and different pictures.
fn equal_hashes_mean_equal_pictures() -> Result<(), Failed> {
    let mut known: BTreeMap<InputHash, (String, String)> = BTreeMap::new();
    let (mut frames, mut equal) = (0, 0);
    for path in scenes() {
        let expected = fs::read_to_string(path.with_extension("expect"))?;
        let pictures: Vec<&str> = expected.lines().filter_map(|line| line.split_once(' ')).map(|(_, of)| of).collect();
        let found = frame_hashes(fs::read(&path)?);
        assert_eq!(found.len(), pictures.len(), "{}", path.display());
        frames += found.len();
        for (frame, (hash, picture)) in found.iter().zip(pictures).enumerate() {
            let here = format!("frame {frame} of {}", path.display());
            match known.get(hash) {
                Some((other, there)) => {
                    assert_eq!(picture, other, "{here} and {there}");
                    equal += 1;
                }
                None => _ = known.insert(*hash, (picture.to_owned(), here)),
            }
        }
    }
    println!("{frames} frames, {equal} with the inputs of another");
    Ok(())
}

/// Every handle of every stream gets another value. One that the tables miss names nothing then.
fn handles_do_not_count() -> Result<(), Failed> {
    for path in scenes().iter().filter(|path| !path.to_string_lossy().contains("5-long")) {
        let bytes = fs::read(path)?;
        let renamed = rename_handles(&bytes);
        assert_ne!(renamed, bytes);
        assert_eq!(hashes(renamed), hashes(bytes), "{}", path.display());
    }
    Ok(())
}

/// A frame's commands of a picture are those of all that lead to it, and the others are counted.
fn commands_of_pictures_are_parted() -> Result<(), Failed> {
    for path in scenes().iter().filter(|path| !path.to_string_lossy().contains("5-long")) {
        let (trace, _) = hasher(fs::read(path)?);
        let index = TraceIndex::build(&trace, |_| ());
        for frame in trace.frame_indices() {
            let own = index.commands_of(frame).ok_or("not indexed")?;
            let named = ["1", "2", "3"].map(|handle| Shown::Target(handle.parse().unwrap()));
            for shown in [Shown::default()].into_iter().chain(named) {
                let Ok(picture) = picture_at_end(&trace, &index, frame, shown)? else { continue };
                let what = format!("{}, frame {frame}, {shown:?}", path.display());
                let all = picture.commands(&index)?;
                let (earlier, of_frame) = all.split_at(all.partition_point(|number| number.0 < own.start));
                let draws: Vec<_> = index.draws_of(frame).filter(|draw| of_frame.contains(draw)).collect();
                let found = picture.own_commands(&index)?;
                let found: Vec<_> = index.draws_of(frame).filter(|draw| found.contains(draw)).collect();
                assert_eq!(found, draws, "{what}");
                assert_eq!(picture.count_earlier(&index, earlier.len())?, Some(earlier.len()), "{what}");
                if let Some(most) = earlier.len().checked_sub(1) {
                    assert_eq!(picture.count_earlier(&index, most)?, None, "{what}");
                }
            }
        }
    }
    Ok(())
}

fn rename_handles(bytes: &[u8]) -> Vec<u8> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let mut renamed = bytes.to_vec();
    let mut reader = trace.records(trace.stream());
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        let RecordBody::Blob(blob) = &record.body else { continue };
        if blob.kind != BlobKind::AerogpuCmdStream {
            continue;
        }
        let stream = &bytes[blob.bytes.start as usize..blob.bytes.end as usize];
        for packet in Parsed::parse(stream, blob.bytes.start).unwrap().packets() {
            rename_packet(&packet.unwrap(), &mut renamed);
        }
    }
    renamed
}

fn rename_packet(packet: &RawPacket<'_>, renamed: &mut [u8]) {
    let Some(layout) = Layout::of(packet.opcode) else { return };
    let mut rename = |at: u32| {
        let place = packet.offset as usize + at as usize;
        // Not the lowest byte, so that none becomes 0; tokens keep their upper half.
        if packet.number_at(at, 4) != 0 {
            renamed[place + 2] ^= 0x5a;
        }
    };
    let dwords = |at: u32, field: &Field| (at..at + field.size_bytes.min(64)).step_by(4);
    for (at, field) in layout.fields_in(packet.size_bytes()) {
        let is_token = field.name == "share_token";
        if let Some(Names::Handle(_)) = field.spec.names {
            dwords(at, field).take(if is_token { 1 } else { 8 }).for_each(&mut rename);
        }
    }
    let Some(rest) = layout.rest else { return };
    let Shape::Elements { members, .. } = rest.shape else { return };
    let count = rest
        .counted_by
        .and_then(|name| layout.field(name))
        .map_or(0, |(at, field)| packet.number_at(at, field.size_bytes));
    let start = layout.fixed_bytes();
    for element in 0..count as u32 {
        for (number, member) in (0..).zip(members) {
            if let Some(Names::Handle(_)) = member.spec.names {
                rename(start + 4 * (element * members.len() as u32 + number));
            }
        }
    }
}
