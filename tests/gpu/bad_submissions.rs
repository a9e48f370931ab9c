//! Submissions that ask for what cannot be: each ends with a sentence that names the command at fault, the same whatever
//! draws, and the device goes on as if nothing had been.

use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::a3a0::shaders::{SetInputLayout, SetShaderConstantsI};
use aerogpu_replay::abi::a3a0::state::SetBlendState;
use aerogpu_replay::abi::a3a0::work::{Draw, DrawIndexed};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{Player, PlayerError};

use crate::gpu::kept::opened;
use crate::support::fixture;
use crate::support::harness::{Failed, Trial};
use crate::support::program::run;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

const TARGET: u32 = 1;
const OTHER: u32 = 10;
const SIZE: [u32; 2] = [8, 8];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Formats of the protocol.
const B5G6R5: u32 = 5;
const D32: u32 = 33;
const BC1: u32 = 64;

/// A fault that is planted.
struct Fault {
    what: &'static str,
    /// The command at fault, behind others that it takes.
    commands: &'static [fn(&mut Stream)],
    /// The program's exit code.
    code: i32,
    sentence: &'static str,
}

const fn fault(what: &'static str, commands: &'static [fn(&mut Stream)], code: i32, sentence: &'static str) -> Fault {
    Fault { what, commands, code, sentence }
}

const SIDE_PX: u32 = 16384;
const OVER_SIZE: &str = "a texture's size in bytes is";
const OVER_ALL: &str = "the size in bytes of all resources at one time is";

const FAULTS: &[Fault] = &[
    fault("all mips of the largest texture", &[|s| largest(s, OTHER, R8G8B8A8, [15, 1])], 10, OVER_SIZE),
    fault("two layers of the largest texture", &[|s| largest(s, OTHER, R8G8B8A8, [1, 2])], 10, OVER_SIZE),
    fault("all layers of the largest texture", &[|s| largest(s, OTHER, R8G8B8A8, [15, 2048])], 10, OVER_SIZE),
    fault(
        "more layers than there may be",
        &[|s| texture(s, OTHER, R8G8B8A8, [1, 2049])],
        10,
        "a texture's number of layers is 2049",
    ),
    fault(
        "a longer side than there may be",
        &[|s| _ = s.texture(OTHER, R8G8B8A8, [SIDE_PX + 1, 1], [1, 1])],
        10,
        "a texture's longest side in texels is 16385",
    ),
    fault("more mips than there are", &[|s| texture(s, OTHER, R8G8B8A8, [5, 1])], 6, "5 mips"),
    fault(
        "two textures of the largest size",
        &[|s| half(s, OTHER, R8G8B8A8, 4), |s| half(s, OTHER + 1, R8G8B8A8, 4)],
        10,
        OVER_ALL,
    ),
    // In guest memory they take an eighth of it.
    fault("blocks that take more as texels", &[|s| half(s, OTHER, BC1, 16)], 10, OVER_ALL),
    fault(
        "a view of a mip that is not there",
        &[|s| view(s, R8G8B8A8, [1, 1], [0, 1])],
        6,
        "has 1 mip: expected mip 1",
    ),
    fault(
        "a view of layers past the last",
        &[|s| view(s, R8G8B8A8, [0, 1], [0, 2])],
        6,
        "has 1 layer: expected layer 1",
    ),
    fault(
        "a view of layers past all numbers",
        &[|s| view(s, R8G8B8A8, [0, 1], [u32::MAX, 2])],
        6,
        "has 1 layer: expected layer 4294967296",
    ),
    fault(
        "a view of other bytes",
        &[|s| view(s, B5G6R5, [0, 1], [0, 1])],
        6,
        "expected a format with texels of the same size",
    ),
    fault(
        "targets of two sizes",
        &[
            |s| _ = s.texture(OTHER, R8G8B8A8, [4, 4], [1, 1]),
            |s| _ = s.targets(&[TARGET, OTHER], 0),
            |s| draw(s, 6, 1),
        ],
        6,
        "the targets are 8x8 and 4x4: expected the same size",
    ),
    fault(
        "depth of another size",
        &[|s| _ = s.texture(OTHER, D32, [16, 8], [1, 1]), |s| _ = s.targets(&[TARGET], OTHER), |s| draw(s, 6, 1)],
        6,
        "the targets are 8x8 and 16x8: expected the same size",
    ),
    fault(
        "a target of blocks",
        &[|s| texture(s, OTHER, BC1, [1, 1]), |s| _ = s.targets(&[OTHER], 0), |s| draw(s, 6, 1)],
        6,
        "is of",
    ),
    fault("a copy to 16 bits a texel", &[|s| texture(s, OTHER, B5G6R5, [1, 1]), copy], 6, "expected the same format"),
    fault("a copy to blocks", &[|s| texture(s, OTHER, BC1, [1, 1]), copy], 6, "expected the same format"),
    fault("a copy to depth", &[|s| texture(s, OTHER, D32, [1, 1]), copy], 6, "expected the same format"),
    fault(
        "no layout",
        &[|s| _ = s.put(SetInputLayout { handle: 0, reserved: 0 }), |s| draw(s, 6, 1)],
        6,
        "the vertex shader reads inputs, but no layout is bound",
    ),
    fault("a pixel shader alone", &[|s| _ = s.shaders(0, 2), |s| draw(s, 6, 1)], 6, "expected both"),
    fault(
        "no shaders, and vertices of no known form",
        &[|s| _ = s.shaders(0, 0), |s| draw(s, 6, 1)],
        4,
        "the vertex stride is 32 bytes",
    ),
    fault(
        "vertices that their draw writes",
        &[|s| writing(s, 3), |s| draw(s, 6, 1)],
        4,
        "a buffer that a draw writes and reads as vertices",
    ),
    fault(
        "indices that their draw writes",
        &[|s| indices(s, &[0; 6]), |s| writing(s, 30), |s| indexed(s, 6)],
        4,
        "a buffer that a draw writes and reads as indices",
    ),
    fault(
        "constants that their draw writes",
        &[
            |s| _ = s.shader(22, PIXEL, "constant.ps").empty_buffer(31, 64).constants(31, 0, 0),
            |s| _ = s.shader(23, VERTEX, "store.vs").writes(VERTEX, 0, 31).shaders(23, 22),
            |s| draw(s, 6, 1),
        ],
        4,
        "a buffer that a draw writes and reads as constants",
    ),
    fault(
        "a vertex shader that writes for no pixel",
        &[
            |s| _ = s.shader(23, VERTEX, "store.vs").empty_buffer(31, 64).writes(VERTEX, 0, 31).shaders(23, 2),
            |s| _ = s.put(SetBlendState { sample_mask: Some(0), ..unblended() }),
            |s| draw(s, 6, 1),
        ],
        4,
        "a draw of no pixels whose vertex shader writes buffers",
    ),
    fault("indices without a buffer", &[|s| indexed(s, 6)], 6, "no index buffer is bound"),
    fault("as many vertices as numbers", &[|s| draw(s, u32::MAX, u32::MAX)], 10, "18446744065119617025 vertices"),
    fault("many instances", &[|s| draw(s, 6, 1 << 30)], 10, "6442450944 vertices"),
    fault(
        "three loops within each other",
        &[|s| turns(s, "rep i0\nrep i1\nrep i0\nadd r0, r0, c0\nendrep\nendrep\nendrep", 255), |s| draw(s, 6, 1)],
        10,
        "the number of iterations of a shader's loops is 16646655: this build's limit is 65536",
    ),
    fault(
        "a loop within a function that a loop calls",
        &[
            |s| {
                turns(
                    s,
                    "rep i0\nrep i0\ncall l0\nendrep\nendrep\nmov oC0, r0\nret\nlabel l0\nrep i1\nadd r0, r0, c0\nendrep",
                    41,
                )
            },
            |s| draw(s, 6, 1),
        ],
        10,
        "the number of iterations of a shader's loops is 70643: this build's limit is 65536",
    ),
    fault("many indices", &[|s| indices(s, &[0; 6]), |s| indexed(s, u32::MAX)], 10, "4294967295 vertices"),
];

/// A pixel shader that writes this buffer.
fn writing(stream: &mut Stream, buffer: u32) {
    stream.shader(22, PIXEL, "count.ps").shaders(1, 22).writes(PIXEL, 1, buffer);
}

/// A pixel shader of Direct3D 9 with loops of `i0`, which turn `count` times, and of its own `i1`.
fn turns(stream: &mut Stream, lines: &str, count: u32) {
    let tokens = |text: &str| {
        let bytes = assemble(text, Lengths::Microsoft);
        bytes.as_chunks().0.iter().map(|token| u32::from_le_bytes(*token)).collect::<Vec<u32>>()
    };
    let vertex = tokens("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0");
    let end = if lines.contains("oC0") { "ret" } else { "mov oC0, r0" };
    let pixel = tokens(&format!("ps_3_0\ndefi i1, {}, 0, 0, 0\nmov r0, c0\n{lines}\n{end}", count.min(255)));
    let counts: Vec<u8> = [count, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let values = Elements::new(&counts).unwrap();
    stream
        .tokens(24, VERTEX, &vertex)
        .tokens(25, PIXEL, &pixel)
        .shaders(24, 25)
        .declaration_9(24)
        .use_layout(24)
        .put(SetShaderConstantsI { stage: PIXEL, start_register: 0, vec4_count: 1, stage_ex: 0, values });
}

fn texture(stream: &mut Stream, handle: u32, format: u32, parts: [u32; 2]) {
    stream.texture(handle, format, SIZE, parts);
}

fn largest(stream: &mut Stream, handle: u32, format: u32, parts: [u32; 2]) {
    stream.texture(handle, format, [SIDE_PX; 2], parts);
}

fn half(stream: &mut Stream, handle: u32, format: u32, layers: u32) {
    stream.texture(handle, format, [SIDE_PX / 2; 2], [1, layers]);
}

fn view(stream: &mut Stream, format: u32, mips: [u32; 2], layers: [u32; 2]) {
    stream.view(OTHER, TARGET, format, mips, layers);
}

fn copy(stream: &mut Stream) {
    let at = |texture: u32| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
    stream.copy_texels(at(OTHER), at(TARGET), [4, 4]);
}

fn draw(stream: &mut Stream, vertex_count: u32, instance_count: u32) {
    stream.put(Draw { vertex_count, instance_count, first_vertex: 0, first_instance: 0 });
}

fn indices(stream: &mut Stream, indices: &[u16]) {
    let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    stream.buffer(30, &bytes).put(SetIndexBuffer { buffer: 30, format: 0, offset: 0, reserved: 0 });
}

fn indexed(stream: &mut Stream, index_count: u32) {
    stream.put(DrawIndexed { index_count, instance_count: 1, first_index: 0, base_vertex: 0, first_instance: 0 });
}

/// A green target, drawn by all that a draw takes.
fn sound() -> Stream {
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "color.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, 8.0, 8.0])
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .shaders(1, 2)
        .vertices(3, &[rectangle(WHOLE, 0.5, [GREEN; 4]), rectangle(WHOLE, 0.5, [RED; 4])].concat())
        .draw(0, 6);
    stream
}

/// A trace of one frame, and where in it the command at fault starts.
fn faulty(fault: &Fault) -> (Vec<u8>, u64) {
    let (last, before) = fault.commands.split_last().unwrap();
    let up_to_it = || {
        let mut stream = sound();
        before.iter().for_each(|command| command(&mut stream));
        stream
    };
    let skipped = up_to_it().finish().len();
    let mut stream = up_to_it();
    last(&mut stream);
    stream.present();
    let stream = stream.finish();
    let file = recording([&stream[..]]);
    let start = file.windows(stream.len()).position(|window| window == stream).unwrap();
    (file, (start + skipped) as u64)
}

/// A device that only checks what it is given.
fn noop() -> Arc<Gpu> {
    Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(60)).unwrap())
}

fn player(gpu: &Arc<Gpu>, file: Vec<u8>) -> Player {
    let trace = opened(file).unwrap();
    Player::new(Arc::new(trace), gpu.clone(), Size { width_px: 8, height_px: 8 }).unwrap()
}

fn picture(gpu: &Arc<Gpu>, file: Vec<u8>) -> Result<Picture, PlayerError> {
    player(gpu, file).render(FrameIndex(0))
}

/// Fault in the way that a fault is told, if there is one.
fn mistold(gpu: &Arc<Gpu>, fault: &Fault) -> ControlFlow<String> {
    let (file, at) = faulty(fault);
    let error = match picture(gpu, file) {
        Ok(_) => return ControlFlow::Break("it is drawn".to_owned()),
        Err(error) => error,
    };
    let text = error.to_string();
    if !text.contains(fault.sentence) || text.contains('\n') {
        return ControlFlow::Break(format!("{text:?} instead of {:?}", fault.sentence));
    }
    if error.offset() != Some(at) {
        return ControlFlow::Break(format!("{text:?} is of {:?} instead of {at:#x}", error.offset()));
    }
    ControlFlow::Continue(())
}

/// All of them on one device, which then draws as ever.
fn are_told(gpu: &Arc<Gpu>) {
    let wrong: Vec<String> = FAULTS
        .iter()
        .filter_map(|fault| Some(format!("{}: {}", fault.what, mistold(gpu, fault).break_value()?)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let mut stream = sound();
    // As many turns as two loops can take.
    turns(&mut stream, "rep i0\nrep i1\nadd r0, r0, c0\nendrep\nendrep", u32::MAX >> 1);
    draw(&mut stream, 6, 1);
    stream.present();
    picture(gpu, recording([&stream.finish()[..]])).unwrap();
}

/// Limits that other devices have and this one has not.
const OVER_DEVICE: &[Fault] = &[
    fault(
        "the longest side",
        &[|s| largest(s, OTHER, R8G8B8A8, [1, 1])],
        10,
        "a texture's longest side in texels is 16384: the device's limit is 8192",
    ),
    fault(
        "all layers",
        &[|s| texture(s, OTHER, R8G8B8A8, [1, 2048])],
        10,
        "a texture's number of layers is 2048: the device's limit is 256",
    ),
];

fn over_the_device() {
    let gpu = noop();
    for fault in OVER_DEVICE {
        assert_eq!(mistold(&gpu, fault), ControlFlow::Continue(()), "{}", fault.what);
        let error = picture(&gpu, faulty(fault).0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverLimit);
        assert!(error.to_string().contains(": the device's limit is "), "{error}");
    }
}

fn every_fault_has_its_exit_code(backend: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for fault in FAULTS {
        let (file, at) = faulty(fault);
        fs::write(folder.path().join("t.aerogputrace"), file).unwrap();
        let done = run(&[&["t.aerogputrace", "--frame", "0", "--hash"], backend].concat(), folder.path());
        assert_eq!(done.code, fault.code, "{}: {}", fault.what, done.stderr);
        let words = [fault.sentence, &format!("{at:#x}")];
        assert!(words.iter().all(|words| done.stderr.contains(words)), "{}: {}", fault.what, done.stderr);
    }
}

/// Vertices that are past every buffer here. Mesa's software drivers take a vertex's place modulo 4 GiB, so that numbers of
/// 2^27 and more, times 32 bytes, lead back into the buffer: those are not drawn here.
const FAR: i32 = 1 << 20;

/// Indices past their buffer are 0, and vertices past theirs have zeros: the triangles of both have no area.
fn indices_past_their_buffer(gpu: &Arc<Gpu>) -> Vec<Picture> {
    type Indexed = (&'static [u16], DrawIndexed);
    let of = |index_count, first_index, base_vertex| DrawIndexed {
        index_count,
        instance_count: 1,
        first_index,
        base_vertex,
        first_instance: 0,
    };
    let draws: [Indexed; 6] = [
        (&[6, 7, 8], of(6, 0, 0)),
        (&[6, 7, 8, 9, 10, 11], of(6, 3, 0)),
        (&[0, 1, 2], of(6, u32::MAX - 2, 0)),
        (&[60000, 65000, 65534], of(3, 0, 0)),
        (&[6, 7, 8], of(3, 0, FAR)),
        (&[6, 7, 8], of(3, 0, -FAR)),
    ];
    let render = |(of_buffer, draw): Indexed| {
        let mut stream = sound();
        indices(&mut stream, of_buffer);
        stream.put(draw).present();
        picture(gpu, recording([&stream.finish()[..]])).unwrap()
    };
    draws.map(render).into()
}

fn past_is_zero(backend: Backend) {
    let gpu = backend.open_fresh();
    let (green, red) = ([0, 255, 0, 255], [255, 0, 0, 255]);
    for (number, picture) in indices_past_their_buffer(&gpu).iter().enumerate() {
        let texels = picture.rgba().as_chunks::<4>().0;
        // The first has a triangle of its own before the indices end, the second half of one.
        let expected: Vec<[u8; 4]> =
            (0..64).map(|at| if number < 2 && is_in_half(number, at) { red } else { green }).collect();
        assert_eq!(texels, expected, "draw {number}");
    }
}

/// Whether a texel of the target lies in one half of the rectangle, by its corner.
fn is_in_half(half: usize, at: usize) -> bool {
    let (x, y) = (at % 8, at / 8);
    match half {
        0 => x + y < 7,
        // The diagonal goes through texels' centres: those are of the triangle to its right.
        _ => x + y >= 7,
    }
}

/// A pixel shader that reads a texture through two samplers, which OpenGL joins with one each.
fn of_two_samplers() {
    let file = fs::read(fixture("a3a0/two_samplers")).unwrap();
    let [vulkan, gl] = BACKENDS.map(|backend| picture(&backend.open_fresh(), file.clone()).unwrap());
    assert_eq!(gl, vulkan);
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for backend in BACKENDS {
        let mut add = |name: &str, test: fn(Backend)| {
            trials.push(backend.trial(format!("{}::{name}", backend.name()), move || test(backend)));
        };
        add("faults_are_told", |backend| are_told(&backend.open_fresh()));
        add("faults_have_their_exit_codes", |backend| every_fault_has_its_exit_code(backend.arguments()));
        add("what_is_past_a_buffer_is_zero", past_is_zero);
    }
    trials.push(Backend::Gl.trial("a_texture_of_two_samplers".to_owned(), of_two_samplers));
    let mut add = |name: &str, test: fn()| {
        let run = move || {
            test();
            Ok::<(), Failed>(())
        };
        trials.push(Trial::test(format!("noop::{name}"), run));
    };
    add("faults_are_told", || are_told(&noop()));
    add("what_is_past_a_buffer_is_taken", || _ = indices_past_their_buffer(&noop()));
    add("what_is_over_the_device_is_told", over_the_device);
    trials
}
