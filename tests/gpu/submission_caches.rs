//! Submissions that lead astray whoever keeps something from one draw to the next: pictures are computed here.
//!
//! A picture is a row of columns. Each is drawn on its own, with a texture and a tint; a texture has one colour.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, Bytes, Elements, Packet, StreamWriter, TableEntry, TableWriter, VertexBufferBinding,
};
use aerogpu_replay::format::aerogpu::{CapturedMemory, FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{DECLARATION_9, PIXEL_SHADER_9, VERTEX_SHADER_9, floats};

const HEIGHT_PX: u32 = 4;
const PIXEL: u32 = 1;
const VERTICES: u32 = 1;
const FIRST_TEXTURE: u32 = 10;
/// Textures of the scene that binds more ways than are kept: each pixel another one.
const MANY: u32 = 4200;
const ALLOCATION: u32 = 7;
const WHITE: [u8; 4] = [255; 4];

type Test = fn(Backend);

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 14] = [
        ("a_texture_that_is_made_again_is_another", made_again),
        ("surfaces_that_rotate_by_handle_are_what_they_hold", rotated),
        ("a_texture_written_between_two_draws_is_two", written_between),
        ("constants_of_each_draw_are_its_own", constants),
        ("draws_go_back_and_forth_between_shaders_and_states", back_and_forth),
        ("shaders_that_read_more_of_the_same_vertices_are_fed", fed),
        ("vertices_written_between_two_draws_are_two", vertices_between),
        ("vertices_that_indices_choose_are_two_as_well", indexed_between),
        ("a_buffer_copied_to_between_two_draws_is_two", copied_between),
        ("more_groups_than_are_kept_are_drawn", many_groups),
        ("memory_that_has_not_changed_is_not_brought_again", equal_memory),
        ("memory_is_brought_again_where_something_was_drawn", memory_behind_draws),
        ("a_texture_made_again_has_its_new_rows", other_rows),
        ("blocks_made_again_have_their_new_rows", other_rows_of_blocks),
    ];
    let on = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    BACKENDS.into_iter().flat_map(on).collect()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The six vertices of a column.
fn column(number: u32, columns: u32) -> Vec<u8> {
    let x = |column: u32| column as f32 / columns as f32 * 2.0 - 1.0;
    let (left, right) = (x(number), x(number + 1));
    let corners = [[left, -1.0], [right, -1.0], [left, 1.0], [left, 1.0], [right, -1.0], [right, 1.0]];
    corners.iter().flat_map(|[x, y]| floats(&[*x, *y, 0.0, 1.0, 0.5, 0.5])).collect()
}

/// A frame under construction.
struct Stream(StreamWriter);

impl Stream {
    fn new() -> Self {
        Self(StreamWriter::new(ABI_VERSION))
    }

    fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) {
        self.0.packet(&packet.into()).unwrap();
    }

    /// Everything but textures, for a picture of so many columns of one pixel.
    fn begin(&mut self, columns: u32) {
        let bytes: Vec<u8> = (0..columns).flat_map(|number| column(number, columns)).collect();
        self.buffer(VERTICES, bytes.len() as u64);
        self.upload(VERTICES, 0, &bytes);
        for (handle, stage, code) in [(2, 0, words(&VERTEX_SHADER_9)), (3, PIXEL, words(&PIXEL_SHADER_9))] {
            let size_bytes = code.len() as u32;
            self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) });
        }
        self.put(BindShaders { vs: 2, ps: 3, cs: 0, reserved: 0, appended: None });
        let (blob, blob_size) = (Bytes::new(&DECLARATION_9), DECLARATION_9.len() as u32);
        self.put(CreateInputLayout { handle: 4, blob_size, reserved: 0, blob });
        self.put(SetInputLayout { handle: 4, reserved: 0 });
        let slot = VertexBufferBinding { buffer: VERTICES, stride_bytes: 24, offset_bytes: 0, reserved: 0 };
        let slots = Elements::to_bytes(&[slot]);
        self.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: Elements::new(&slots).unwrap() });
        self.put(SetPrimitiveTopology { topology: 4, reserved: 0 });
        // Nothing is culled.
        self.put(SetRenderState { state: 22, value: 1 });
        let (width, height) = (columns as f32, HEIGHT_PX as f32);
        self.put(SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 });
        self.tint([1.0; 4]);
    }

    fn buffer(&mut self, handle: u32, size_bytes: u64) {
        let (backing_alloc_id, backing_offset) = (0, 0);
        self.put(CreateBuffer { handle, usage: 1, size_bytes, backing_alloc_id, backing_offset, reserved: 0 });
    }

    /// A texture of R8G8B8A8.
    fn texture(&mut self, handle: u32, [width, height]: [u32; 2], backing_alloc_id: u32) {
        let row_pitch = if backing_alloc_id == 0 { 0 } else { width * 4 };
        self.rows(handle, 3, [width, height], [backing_alloc_id, row_pitch]);
    }

    /// A texture of a format that lies in an allocation, with so many bytes from one row to the next.
    fn rows(&mut self, handle: u32, format: u32, [width, height]: [u32; 2], [backing_alloc_id, row_pitch]: [u32; 2]) {
        self.put(CreateTexture2d {
            handle,
            usage: 0x18,
            format,
            width,
            height,
            mip_levels: 1,
            array_layers: 1,
            row_pitch,
            backing_alloc_id,
            backing_offset: 0,
            reserved: 0,
        });
    }

    fn upload(&mut self, handle: u32, offset: u64, bytes: &[u8]) {
        let size_bytes = bytes.len() as u64;
        self.put(UploadResource { handle, reserved: 0, offset, size_bytes, data: Bytes::new(bytes) });
    }

    /// A texture of one texel.
    fn colored(&mut self, handle: u32, rgba: [u8; 4]) {
        self.texture(handle, [1, 1], 0);
        self.upload(handle, 0, &rgba);
    }

    fn sample(&mut self, texture: u32) {
        self.put(SetTexture { stage: PIXEL, slot: 0, texture, stage_ex: 0 });
    }

    fn tint(&mut self, rgba: [f32; 4]) {
        let values = floats(&rgba);
        let values = Elements::new(&values).unwrap();
        self.put(SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 1, stage_ex: 0, values });
    }

    fn target(&mut self, texture: u32) {
        let color_count = u32::from(texture != 0);
        self.put(SetRenderTargets { color_count, depth_stencil: 0, color: [texture, 0, 0, 0, 0, 0, 0, 0] });
    }

    fn draw_column(&mut self, number: u32) {
        self.put(Draw { vertex_count: 6, instance_count: 1, first_vertex: number * 6, first_instance: 0 });
    }

    fn present(mut self) -> Vec<u8> {
        self.put(Present { scanout_id: 0, flags: 0 });
        self.0.finish()
    }
}

/// A trace of frames, each with what the guest's memory holds then.
fn trace(frames: &[(Vec<u8>, Option<Vec<u8>>)]) -> Arc<Trace> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    for (cmd_stream, memory) in frames {
        let (gpa, flags, alloc_id) = (0x10_0000, 0, ALLOCATION);
        let captured = memory.iter().map(|bytes| CapturedMemory { alloc_id, flags, gpa, bytes });
        let captured: Vec<CapturedMemory<'_>> = captured.collect();
        let table = memory.as_ref().map(|bytes| {
            let mut table = TableWriter::new(ABI_VERSION);
            let size_bytes = bytes.len() as u64;
            table.entry(&TableEntry { alloc_id, flags, gpa, size_bytes, reserved: 0 }, &[]).unwrap();
            table.finish(&[]).unwrap()
        });
        writer.begin_frame().unwrap();
        let submission = NewSubmission {
            submit_flags: 1,
            cmd_stream,
            alloc_table: table.as_deref(),
            memory: &captured,
            ..Default::default()
        };
        writer.submit(&submission).unwrap();
        writer.present().unwrap();
    }
    Arc::new(opened(writer.finish().unwrap()).unwrap())
}

fn player(backend: Backend, trace: Arc<Trace>, columns: u32) -> Player {
    let size = Size { width_px: columns, height_px: HEIGHT_PX };
    Player::new(trace, backend.open_fresh(), size).unwrap()
}

/// Every column is as it has to be, from top to bottom.
fn expect(picture: &Picture, expected: &[[u8; 4]], what: &str) {
    assert_eq!(picture.size(), Size { width_px: expected.len() as u32, height_px: HEIGHT_PX }, "{what}");
    for (row, pixels) in picture.rgba().as_chunks::<4>().0.chunks(expected.len()).enumerate() {
        assert_eq!(pixels, expected, "{what}, row {row}");
    }
}

/// Plays frames and expects their columns, then again by going back and forth.
fn play(backend: Backend, frames: Vec<Vec<u8>>, expected: &[Vec<[u8; 4]>]) {
    let frames: Vec<_> = frames.into_iter().map(|stream| (stream, None)).collect();
    let mut player = player(backend, trace(&frames), expected[0].len() as u32);
    assert_eq!(frames.len(), expected.len());
    let all = 0..expected.len();
    for frame in all.clone().chain(all.clone().rev()).chain(all) {
        let picture = player.render(FrameIndex(frame as u32)).unwrap();
        expect(&picture, &expected[frame], &format!("frame {frame}"));
    }
}

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

/// A bound handle stays the same and names another texture.
fn made_again(backend: Backend) {
    let mut stream = Stream::new();
    stream.begin(3);
    for (number, rgba) in [RED, GREEN, BLUE].into_iter().enumerate() {
        stream.colored(FIRST_TEXTURE, rgba);
        stream.sample(FIRST_TEXTURE);
        stream.draw_column(number as u32);
        stream.put(DestroyResource { handle: FIRST_TEXTURE, reserved: 0 });
    }
    let mut second = Stream::new();
    second.colored(FIRST_TEXTURE, BLUE);
    second.sample(FIRST_TEXTURE);
    second.draw_column(0);
    play(backend, vec![stream.present(), second.present()], &[vec![RED, GREEN, BLUE], vec![BLUE, GREEN, BLUE]]);
}

/// Two textures take turns in being drawn to and read. Each frame adds a column in a darker tint to what the other holds.
fn rotated(backend: Backend) {
    let (mut frames, mut expected) = (Vec::new(), Vec::new());
    let mut held = [[[0; 4]; 2]; 2];
    for frame in 0..6_usize {
        let mut stream = Stream::new();
        if frame == 0 {
            stream.begin(2);
            stream.colored(20, WHITE);
            (0..2).for_each(|number| stream.texture(FIRST_TEXTURE + number, [2, HEIGHT_PX], 0));
        }
        let (drawn, read) = (frame % 2, 1 - frame % 2);
        let level = 1.0 - frame as f32 * 0.125;
        stream.target(FIRST_TEXTURE + drawn as u32);
        stream.sample(20);
        stream.tint([level, 0.0, 0.0, 1.0]);
        stream.draw_column(0);
        stream.sample(FIRST_TEXTURE + read as u32);
        stream.tint([1.0; 4]);
        stream.draw_column(1);
        // Coordinates are those of the middle, between two texels: the right one is the nearest.
        held[drawn] = [[(level * 255.0).round() as u8, 0, 0, 255], held[read][1]];
        expected.push(held[drawn].to_vec());
        frames.push(stream.present());
    }
    play(backend, frames, &expected);
}

/// The first draw reads what was there before.
fn written_between(backend: Backend) {
    let mut stream = Stream::new();
    stream.begin(3);
    stream.colored(FIRST_TEXTURE, RED);
    stream.sample(FIRST_TEXTURE);
    stream.draw_column(0);
    stream.upload(FIRST_TEXTURE, 0, &GREEN);
    stream.draw_column(1);
    stream.upload(FIRST_TEXTURE, 0, &BLUE);
    stream.draw_column(2);
    // With nothing bound anew.
    let mut second = Stream::new();
    second.draw_column(0);
    second.upload(FIRST_TEXTURE, 0, &RED);
    second.draw_column(1);
    // Written before anything of the frame reads it.
    let mut third = Stream::new();
    third.upload(FIRST_TEXTURE, 0, &GREEN);
    third.draw_column(2);
    third.upload(FIRST_TEXTURE, 0, &WHITE);
    third.draw_column(0);
    let frames = vec![stream.present(), second.present(), third.present()];
    play(backend, frames, &[vec![RED, GREEN, BLUE], vec![BLUE, RED, BLUE], vec![WHITE, RED, GREEN]]);
}

/// More constants than one buffer of them holds; every third draw has those of the one before.
fn constants(backend: Backend) {
    let level = |number: u32| (number - number % 3) % 256;
    let mut frames = Vec::new();
    for frame in 0..2 {
        let mut stream = Stream::new();
        if frame == 0 {
            stream.begin(600);
            stream.colored(FIRST_TEXTURE, WHITE);
            stream.sample(FIRST_TEXTURE);
        }
        for number in 0..600 {
            stream.tint([level(number + frame) as f32 / 255.0, 0.0, 1.0, 1.0]);
            stream.draw_column(number);
        }
        frames.push(stream.present());
    }
    let columns = |frame: u32| (0..600_u32).map(|number| [level(number + frame) as u8, 0, 255, 255]).collect();
    play(backend, frames, &[columns(0), columns(1)]);
}

/// Everything that draws are told apart by is one of few things, and comes again: shaders, textures, constants, which channels
/// are written, and where vertices lie.
fn back_and_forth(backend: Backend) {
    const COLUMNS: u32 = 60;
    const ONLY_CONSTANTS: u32 = 6;
    const MIRRORED: u32 = 7;
    const COLOR_WRITE_ENABLE: u32 = 168;
    // `ps_2_0`: `mov r0, c1`, `mov oC0, r0`.
    let code = [0xffff_0200, 0x0200_0001, 0x800f_0000, 0xa0e4_0001, 0x0200_0001, 0x800f_0800, 0x80e4_0000, 0x0000_ffff];
    let mut random = Random::new(5);
    let (mut textured, mut is_mirrored, mut mask, mut texture) = (true, false, 15, 0);
    let (mut tint, mut plain) = ([255; 4], [0; 4]);
    let mut columns = vec![[0; 4]; COLUMNS as usize];
    let (mut frames, mut expected) = (Vec::new(), Vec::new());
    for frame in 0..4 {
        let mut stream = Stream::new();
        if frame == 0 {
            stream.begin(COLUMNS);
            let (code, size_bytes) = (words(&code), code.len() as u32 * 4);
            let (handle, stage_ex, code) = (ONLY_CONSTANTS, 0, Bytes::new(&code));
            stream.put(CreateShaderDxbc { handle, stage: PIXEL, size_bytes, stage_ex, code });
            let mirrored: Vec<u8> = (0..COLUMNS).rev().flat_map(|number| column(number, COLUMNS)).collect();
            stream.buffer(MIRRORED, mirrored.len() as u64);
            stream.upload(MIRRORED, 0, &mirrored);
            [RED, GREEN, WHITE].into_iter().zip(FIRST_TEXTURE..).for_each(|(rgba, at)| stream.colored(at, rgba));
            stream.sample(FIRST_TEXTURE);
        }
        for number in 0..COLUMNS {
            // Most draws change one or two of them.
            if random.below(2) == 0 {
                textured = !textured;
                let ps = if textured { 3 } else { ONLY_CONSTANTS };
                stream.put(BindShaders { vs: 2, ps, cs: 0, reserved: 0, appended: None });
            }
            if random.below(3) == 0 {
                mask = [15, 9, 14][random.below(3) as usize];
                stream.put(SetRenderState { state: COLOR_WRITE_ENABLE, value: mask });
            }
            if random.below(4) == 0 {
                is_mirrored = !is_mirrored;
                let buffer = if is_mirrored { MIRRORED } else { VERTICES };
                let slots = Elements::to_bytes(&[VertexBufferBinding {
                    buffer,
                    stride_bytes: 24,
                    offset_bytes: 0,
                    reserved: 0,
                }]);
                let values = Elements::new(&slots).unwrap();
                stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values });
            }
            if random.below(3) == 0 {
                texture = random.below(3);
                stream.sample(FIRST_TEXTURE + texture);
            }
            let levels = [0, 255, 51];
            let mut rgba = || [(); 4].map(|()| levels[random.below(3) as usize]);
            let (first, second) = (rgba(), rgba());
            if random.below(4) == 0 {
                tint = first;
                stream.tint(tint.map(|level| f32::from(level) / 255.0));
            }
            if random.below(4) == 0 {
                plain = second;
                let values = floats(&plain.map(|level| f32::from(level) / 255.0));
                let values = Elements::new(&values).unwrap();
                stream.put(SetShaderConstantsF { stage: PIXEL, start_register: 1, vec4_count: 1, stage_ex: 0, values });
            }
            stream.draw_column(number);
            let texel = [RED, GREEN, WHITE][texture as usize];
            let product: [u8; 4] = std::array::from_fn(|channel| if texel[channel] == 0 { 0 } else { tint[channel] });
            let drawn = if textured { product } else { plain };
            let place = if is_mirrored { COLUMNS - 1 - number } else { number };
            for (channel, (held, drawn)) in columns[place as usize].iter_mut().zip(drawn).enumerate() {
                if mask >> channel & 1 != 0 {
                    *held = drawn;
                }
            }
        }
        expected.push(columns.clone());
        frames.push(stream.present());
    }
    play(backend, frames, &expected);
}

/// In one pass, with the same buffers bound, one vertex shader reads positions alone of what it declares, the next one all.
fn fed(backend: Backend) {
    const ONLY_POSITIONS: u32 = 6;
    const ONLY_TINT: u32 = 7;
    // `vs_2_0`: `dcl_position v0`, `dcl_texcoord v1`, `mov oPos, v0`.
    let declarations = [0x0200_001f, 0x8000_0000, 0x900f_0000, 0x0200_001f, 0x8000_0005, 0x900f_0001];
    let positions = [&[0xfffe_0200], &declarations[..], &[0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0000_ffff]].concat();
    // `ps_2_0`: `mov r0, c0`, `mov oC0, r0`.
    let tint = [0xffff_0200, 0x0200_0001, 0x800f_0000, 0xa0e4_0000, 0x0200_0001, 0x800f_0800, 0x80e4_0000, 0x0000_ffff];
    let mut stream = Stream::new();
    stream.begin(4);
    for (handle, stage, code) in [(ONLY_POSITIONS, 0, words(&positions)), (ONLY_TINT, PIXEL, words(&tint))] {
        let (size_bytes, code) = (code.len() as u32, Bytes::new(&code));
        stream.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code });
    }
    stream.colored(FIRST_TEXTURE, GREEN);
    stream.sample(FIRST_TEXTURE);
    for (number, tint) in [(0, [1.0, 0.0, 0.0, 1.0]), (2, [0.0, 0.0, 1.0, 1.0])] {
        stream.put(BindShaders { vs: ONLY_POSITIONS, ps: ONLY_TINT, cs: 0, reserved: 0, appended: None });
        stream.tint(tint);
        stream.draw_column(number);
        stream.put(BindShaders { vs: 2, ps: 3, cs: 0, reserved: 0, appended: None });
        stream.tint([1.0; 4]);
        stream.draw_column(number + 1);
    }
    play(backend, vec![stream.present()], &[vec![RED, GREEN, BLUE, GREEN]]);
}

/// Equal vertices of one buffer are another column each time. The buffer is small, or too large to be known on the CPU.
fn vertices_between(backend: Backend) {
    for size_bytes in [6 * 24, 100_000] {
        let mut stream = Stream::new();
        stream.begin(4);
        stream.colored(FIRST_TEXTURE, WHITE);
        stream.sample(FIRST_TEXTURE);
        stream.buffer(5, size_bytes);
        let slot = VertexBufferBinding { buffer: 5, stride_bytes: 24, offset_bytes: 0, reserved: 0 };
        let slots = Elements::to_bytes(&[slot]);
        stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: Elements::new(&slots).unwrap() });
        for (number, tint) in (0..).zip([1.0, 0.0, 0.0, 1.0]) {
            stream.upload(5, 0, &column(number, 4));
            stream.tint([tint, 1.0, 0.0, 1.0]);
            stream.draw_column(0);
        }
        // With nothing bound anew: the last column, then the second.
        let mut second = Stream::new();
        second.tint([0.0, 0.0, 1.0, 1.0]);
        second.draw_column(0);
        second.upload(5, 0, &column(1, 4));
        second.draw_column(0);
        // Written before anything of the frame reads it.
        let mut third = Stream::new();
        third.upload(5, 0, &column(2, 4));
        third.tint([1.0; 4]);
        third.draw_column(0);
        third.upload(5, 0, &column(0, 4));
        third.draw_column(0);
        let (yellow, green) = ([255, 255, 0, 255], GREEN);
        let expected =
            [vec![yellow, green, green, yellow], vec![yellow, BLUE, green, BLUE], vec![WHITE, BLUE, WHITE, BLUE]];
        play(backend, vec![stream.present(), second.present(), third.present()], &expected);
    }
}

/// Indices may choose vertices that no draw before them has read, of the same buffer as it was bound for that.
fn indexed_between(backend: Backend) {
    const INDICES: u32 = 6;
    const CHOSEN: u16 = 1000;
    let mut stream = Stream::new();
    stream.begin(4);
    stream.colored(FIRST_TEXTURE, WHITE);
    stream.sample(FIRST_TEXTURE);
    stream.buffer(5, 100_000);
    let slot = VertexBufferBinding { buffer: 5, stride_bytes: 24, offset_bytes: 0, reserved: 0 };
    let slots = Elements::to_bytes(&[slot]);
    stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: Elements::new(&slots).unwrap() });
    stream.buffer(INDICES, 12);
    let indices: Vec<u8> = (CHOSEN..CHOSEN + 6).flat_map(u16::to_le_bytes).collect();
    stream.upload(INDICES, 0, &indices);
    stream.put(SetIndexBuffer { buffer: INDICES, format: 0, offset: 0, reserved: 0 });
    stream.upload(5, 0, &column(0, 4));
    stream.tint([1.0, 0.0, 0.0, 1.0]);
    stream.draw_column(0);
    for (number, tint) in [(1, [0.0, 1.0, 0.0, 1.0]), (2, [0.0, 0.0, 1.0, 1.0]), (3, [1.0; 4])] {
        stream.upload(5, u64::from(CHOSEN) * 24, &column(number, 4));
        stream.tint(tint);
        let (index_count, instance_count) = (6, 1);
        stream.put(DrawIndexed { index_count, instance_count, first_index: 0, base_vertex: 0, first_instance: 0 });
    }
    play(backend, vec![stream.present()], &[vec![RED, GREEN, BLUE, WHITE]]);
}

/// Contents of the buffer known on the CPU hold no more once the GPU has written to it, and again after an upload.
fn copied_between(backend: Backend) {
    let mut stream = Stream::new();
    stream.begin(4);
    stream.colored(FIRST_TEXTURE, RED);
    stream.sample(FIRST_TEXTURE);
    stream.buffer(5, 6 * 24);
    let slot = VertexBufferBinding { buffer: 5, stride_bytes: 24, offset_bytes: 0, reserved: 0 };
    let slots = Elements::to_bytes(&[slot]);
    stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: Elements::new(&slots).unwrap() });
    let first = column(0, 4);
    stream.upload(5, 0, &first);
    stream.draw_column(0);
    stream.put(CopyBuffer {
        dst: 5,
        src: VERTICES,
        dst_offset: 0,
        src_offset: 6 * 24,
        size_bytes: 6 * 24,
        flags: 0,
        reserved: 0,
    });
    stream.draw_column(0);
    // What was uploaded before, and is not there any more.
    stream.upload(5, 0, &first);
    stream.tint([0.0, 0.0, 0.0, 1.0]);
    stream.draw_column(0);
    let nothing = [0; 4];
    let expected = vec![[0, 0, 0, 255], RED, nothing, nothing];
    play(backend, vec![stream.present()], &[expected]);
}

fn many_groups(backend: Backend) {
    let rgba = |number: u32| [number as u8, (number >> 8) as u8, 7, 255];
    let mut stream = Stream::new();
    stream.begin(MANY);
    for number in 0..MANY {
        stream.colored(FIRST_TEXTURE + number, rgba(number));
        stream.sample(FIRST_TEXTURE + number);
        stream.draw_column(number);
    }
    let mut second = Stream::new();
    for number in 0..MANY {
        second.sample(FIRST_TEXTURE + MANY - 1 - number);
        second.draw_column(number);
    }
    let columns: Vec<[u8; 4]> = (0..MANY).map(rgba).collect();
    let reversed = columns.iter().rev().copied().collect();
    play(backend, vec![stream.present(), second.present()], &[columns, reversed]);
}

/// A frame that says that the guest has written to a texture's memory, and draws with the texture.
fn dirty_frame(first: bool, side_px: u32) -> Vec<u8> {
    let mut stream = Stream::new();
    if first {
        stream.begin(1);
        stream.texture(FIRST_TEXTURE, [side_px; 2], ALLOCATION);
        stream.sample(FIRST_TEXTURE);
    }
    let size_bytes = u64::from(side_px * side_px * 4);
    stream.put(ResourceDirtyRange { handle: FIRST_TEXTURE, reserved: 0, offset: 0, size_bytes });
    stream.draw_column(0);
    stream.present()
}

/// The second frame has the same memory; the third has equal bytes at another place of the file, the fourth others.
fn equal_memory(backend: Backend) {
    const SIDE_PX: u32 = 128;
    let memory = |rgba: [u8; 4]| rgba.repeat((SIDE_PX * SIDE_PX) as usize);
    // One byte longer, and so another blob.
    let longer = [memory(RED), vec![0]].concat();
    let memories = [memory(RED), memory(RED), longer, memory(BLUE)];
    let frames: Vec<_> = (0..)
        .zip(memories)
        .map(|(frame, memory): (u32, Vec<u8>)| (dirty_frame(frame == 0, SIDE_PX), Some(memory)))
        .collect();
    let mut player = player(backend, trace(&frames), 1);
    let mut brought = Vec::new();
    for (frame, expected) in (0..).zip([RED, RED, RED, BLUE]) {
        let before = player.renderer().brought_bytes();
        expect(&player.render(FrameIndex(frame)).unwrap(), &[expected], &format!("frame {frame}"));
        brought.push(player.renderer().brought_bytes() - before);
    }
    let texels = u64::from(SIDE_PX * SIDE_PX * 4);
    assert!(brought[0] >= texels && brought[3] == texels, "{brought:?}");
    assert_eq!(brought[1..3], [0, 0], "what has not changed is brought again");
}

/// The texture is cleared in between, so that the same memory is not what it holds.
fn memory_behind_draws(backend: Backend) {
    let mut second = Stream::new();
    second.target(FIRST_TEXTURE);
    second.put(Clear { flags: 1, r: 0.0, g: 1.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 });
    second.target(0);
    second.sample(FIRST_TEXTURE);
    second.draw_column(0);
    let memory = || Some(RED.repeat(4));
    let frames = [(dirty_frame(true, 2), memory()), (second.present(), memory()), (dirty_frame(false, 2), memory())];
    let mut player = player(backend, trace(&frames), 1);
    for (frame, expected) in (0..).zip([RED, GREEN, RED]) {
        expect(&player.render(FrameIndex(frame)).unwrap(), &[expected], &format!("frame {frame}"));
    }
}

/// One block of memory is read with other distances between rows, back and forth.
fn other_rows(backend: Backend) {
    const SIZE: [u32; 2] = [2, HEIGHT_PX];
    let memory: Vec<u8> = (1..=64).collect();
    let pitches = [8, 12, 16, 8];
    let frames = pitches.map(|pitch| {
        let mut stream = Stream::new();
        stream.rows(FIRST_TEXTURE, 3, SIZE, [ALLOCATION, pitch]);
        let size_bytes = u64::from(pitch * HEIGHT_PX);
        // All have the same stretch of bytes, and the others what lies behind it.
        for (offset, size_bytes) in [(0, 32), (32, size_bytes - 32)].into_iter().filter(|(_, size)| *size > 0) {
            stream.put(ResourceDirtyRange { handle: FIRST_TEXTURE, reserved: 0, offset, size_bytes });
        }
        stream.target(FIRST_TEXTURE);
        (stream.present(), Some(memory.clone()))
    });
    let mut player = player(backend, trace(&frames), 2);
    for frame in [0, 1, 2, 3, 2, 1, 0, 3, 1] {
        let rows = memory.chunks(pitches[frame] as usize).take(HEIGHT_PX as usize);
        let expected: Vec<u8> = rows.flat_map(|row| row[..8].to_vec()).collect();
        let picture = player.render(FrameIndex(frame as u32)).unwrap();
        assert_eq!(picture.rgba(), expected, "frame {frame}");
    }
}

/// Two colours of a block are written where it lies now; which texel has which stays what was written where it lay before.
fn other_rows_of_blocks(backend: Backend) {
    const BC1: u32 = 64;
    let colors = |first: u16, second: u16| [first.to_le_bytes(), second.to_le_bytes()].concat();
    let (red, green, blue) = (0xf800, 0x07e0, 0x001f);
    let mut first = Stream::new();
    first.begin(1);
    first.rows(FIRST_TEXTURE, BC1, [8, 8], [ALLOCATION, 16]);
    // Every texel of the last block has the second colour, of all others the first.
    let second_everywhere = [0x55; 4];
    let block = [colors(blue, blue), vec![0; 4]].concat();
    let blocks = [block.repeat(3), colors(red, green), second_everywhere.to_vec()].concat();
    first.upload(FIRST_TEXTURE, 0, &blocks);
    first.sample(FIRST_TEXTURE);
    first.draw_column(0);
    let mut second = Stream::new();
    second.rows(FIRST_TEXTURE, BC1, [8, 8], [ALLOCATION, 24]);
    second.upload(FIRST_TEXTURE, 24 + 8, &colors(red, blue));
    second.draw_column(0);
    let frames = [first, second].map(|stream| (stream.present(), Some(vec![0; 48])));
    let mut player = player(backend, trace(&frames), 1);
    for (frame, expected) in [(0, GREEN), (1, BLUE), (0, GREEN), (1, BLUE)] {
        expect(&player.render(FrameIndex(frame)).unwrap(), &[expected], &format!("frame {frame}"));
    }
}
