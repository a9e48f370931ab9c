//! Direct3D bytecode → program, used slots included: `cargo bench --no-default-features --bench d3d`.
//!
//! | work | bar |
//! |---|---|
//! | decoding tokens, each of the three decoders | ≥ 200 MB/s of one core |
//! | translating both stages of a draw | ≤ 3 × naga's time to read WGSL of the same |
//!
//! What people compile: arithmetic, constants, texture reads, in programs of 64 KiB and of 400 bytes; then the committed
//! programs, which have everything there is. With the shaders beside the checkout, these too. The disassembly is measured
//! beside it, and has no bar: people read it.
//!
//! Beside criterion's mean times, which others' work on the machine lengthens, it prints the best of many short passes:
//! `cargo bench --no-default-features --bench d3d -- nothing` prints only those.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use aerogpu_replay::shader::d3d::{Dialect, DrawOptions, Program, decode, disassemble, translate_draw};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const LARGE_BYTES: usize = 64 << 10;
const SMALL_BYTES: usize = 400;
const PASSES: usize = 500;

/// Instructions of ps_3_0: `texld r0, v1, s0`, `mul r1, r0, c3`, `mad r2, r1.xxxx, c4, -r0`, `dp3 r3.w, r2, v0`,
/// `mov oC0, r3`.
const SM3: [&[u32]; 5] = [
    &[0x0300_0042, 0x800f_0000, 0x90e4_0001, 0xa0e4_0800],
    &[0x0300_0005, 0x800f_0001, 0x80e4_0000, 0xa0e4_0003],
    &[0x0400_0004, 0x800f_0002, 0x8000_0001, 0xa0e4_0004, 0x81e4_0000],
    &[0x0300_0008, 0x8008_0003, 0x80e4_0002, 0x90e4_0000],
    &[0x0200_0001, 0x800f_0800, 0x80e4_0003],
];

/// The same of ps_4_0: `sample r0.xyzw, v1.xyxx, t0.xyzw, s0`, `mul r1.xyzw, r0.xyzw, cb0[3].xyzw`,
/// `mad r2.xyzw, r1.xxxx, cb0[4].xyzw, -r0.xyzw`, `dp3 r3.w, r2.xyzx, v0.xyzx`, `mov o0.xyzw, l(1.0, …)`.
const SM4: [&[u32]; 5] = [
    &[0x0900_0045, 0x0010_00f2, 0, 0x0010_1046, 1, 0x0010_7e46, 0, 0x0010_6000, 0],
    &[0x0800_0038, 0x0010_00f2, 1, 0x0010_0e46, 0, 0x0020_8e46, 0, 3],
    &[0x0b00_0032, 0x0010_00f2, 2, 0x0010_0006, 1, 0x0020_8e46, 0, 4, 0x8010_0e46, 0x41, 0],
    &[0x0700_0010, 0x0010_0082, 3, 0x0010_0246, 2, 0x0010_1246, 0],
    &[0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, 0x3f80_0000, 0, 0, 0x3f80_0000],
];

/// The same in the emulator's encoding.
const EMULATOR: [&[u32]; 5] = [
    &[0x45 | 9 << 11, 0x0010_f002, 0, 0x0010_4016, 1, 0x001e_4076, 0, 0x0010_0060, 0],
    &[0x05 | 8 << 11, 0x0010_f002, 1, 0x001e_4006, 0, 0x002e_4086, 0, 3],
    &[0x04 | 11 << 11, 0x0010_f002, 2, 0x0010_0006, 1, 0x002e_4086, 0, 4, 0x801e_4006, 0x40, 0],
    &[0x08 | 7 << 11, 0x0010_8002, 3, 0x0012_4006, 2, 0x0012_4016, 0],
    &[0x01 | 8 << 11, 0x0010_f022, 0, 0x0000_0042, 0x3f80_0000, 0, 0, 0x3f80_0000],
];

fn bytes_of(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Instructions over and over.
fn body(instructions: &[&[u32]], size_bytes: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for instruction in instructions.iter().cycle() {
        words.extend_from_slice(instruction);
        if words.len() * 4 >= size_bytes {
            return words;
        }
    }
    words
}

fn sm3(size_bytes: usize) -> Vec<u8> {
    bytes_of([0xffff_0300].into_iter().chain(body(&SM3, size_bytes)).chain([0xffff]))
}

/// The driver's lengths count the opcode token, and its operands have no bit 31.
fn total_length(size_bytes: usize) -> Vec<u8> {
    let of_driver = |instruction: &&[u32]| {
        let operands = instruction[1..].iter().map(|word| word & !(1 << 31));
        [instruction[0] + (1 << 24)].into_iter().chain(operands).collect::<Vec<u32>>()
    };
    let instructions: Vec<Vec<u32>> = SM3.iter().map(of_driver).collect();
    let instructions: Vec<&[u32]> = instructions.iter().map(Vec::as_slice).collect();
    bytes_of([0xffff_0300].into_iter().chain(body(&instructions, size_bytes)).chain([0xffff]))
}

fn sm4_like(instructions: &[&[u32]], ret: u32, size_bytes: usize) -> Vec<u8> {
    let body = body(instructions, size_bytes);
    bytes_of([0x40, body.len() as u32 + 3].into_iter().chain(body).chain([ret]))
}

fn sm4(size_bytes: usize) -> Vec<u8> {
    sm4_like(&SM4, 0x0100_003e, size_bytes)
}

fn emulator(size_bytes: usize) -> Vec<u8> {
    sm4_like(&EMULATOR, 0x3e | 1 << 11, size_bytes)
}

/// The shaders of a folder that can be read and are chosen by what they say.
fn folder(path: &str, is_chosen: impl Fn(Dialect, bool) -> bool) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let files = fs::read_dir(path).into_iter().flatten().flatten();
    let shaders = files.filter_map(|file| fs::read(file.path()).ok());
    shaders
        .filter(|bytes| decode(bytes, 0).is_ok_and(|program| is_chosen(program.dialect(), program.version().is_d3d9())))
        .collect()
}

/// Makes a shader of about so many bytes.
type MakeShader = fn(usize) -> Vec<u8>;

/// What is decoded, by name. None but what is beside the checkout may be absent.
fn inputs() -> Vec<(String, Vec<Vec<u8>>)> {
    let made: [(&str, MakeShader, Dialect); 4] = [
        ("SM1 to SM3", sm3, Dialect::Microsoft),
        ("SM1 to SM3, total length", total_length, Dialect::TotalLength),
        ("SM4 and SM5", sm4, Dialect::Microsoft),
        ("emulator's SM4", emulator, Dialect::Emulator),
    ];
    let mut inputs = Vec::new();
    for (name, make, dialect) in made {
        for (size, size_bytes) in [("64 KiB", LARGE_BYTES), ("400 bytes", SMALL_BYTES)] {
            let shader = make(size_bytes);
            assert_eq!(decode(&shader, 0).unwrap().dialect(), dialect, "{name}");
            inputs.push((format!("{name}, {size}"), vec![shader]));
        }
    }
    let old = |_, is_d3d9| is_d3d9;
    inputs.push(("SM1 to SM3, committed".to_owned(), folder("fixtures/d3d/legacy", old)));
    inputs.push(("SM4 and SM5, committed".to_owned(), folder("fixtures/d3d/sm4", |_, is_d3d9| !is_d3d9)));
    inputs.push(("SM1 to SM3, cases".to_owned(), folder("../shared/data/dxbc", old)));
    inputs.push(("SM4 and SM5, cases".to_owned(), folder("../shared/data/dxbc", |_, is_d3d9| !is_d3d9)));
    inputs.push(("driver's shaders".to_owned(), folder("../shared/data/a3a0/shaders", old)));
    inputs.retain(|(_, shaders)| !shaders.is_empty());
    inputs
}

fn decode_all(shaders: &[Vec<u8>]) -> u32 {
    shaders.iter().map(|shader| decode(black_box(shader), 0).unwrap().used_slots().inputs.len()).sum()
}

/// Bytes of tokens: containers hold more.
fn token_bytes(shaders: &[Vec<u8>]) -> u64 {
    shaders.iter().map(|shader| u64::from(decode(shader, 0).unwrap().size_bytes())).sum()
}

/// The best of many passes, each shorter than what a busy machine takes away at once.
fn print_best() {
    for (name, shaders) in inputs() {
        let pass = || {
            let started = Instant::now();
            decode_all(&shaders);
            started.elapsed().as_secs_f64()
        };
        let best = (0..PASSES).map(|_| pass()).fold(f64::INFINITY, f64::min);
        println!("{name}: {:.0} MB/s at best", token_bytes(&shaders) as f64 / best / 1e6);
    }
}

/// Shaders of `fixtures/d3d/programs`, and the same in WGSL.
const TRANSLATED: [(&str, &str); 3] = [
    (
        "blinn_four_lights",
        "struct C { c: array<vec4f, 16> } @group(0) @binding(0) var<uniform> b: C;
        @vertex fn v(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
        @fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let uv = p.xy / 16.0;
            let n = normalize(vec3f(uv * 2.0 - 1.0, 0.7));
            var sum = vec3f();
            for (var i = 0; i < 4; i++) {
                let d = b.c[i].xyz * 2.0 - vec3f(uv, 0.0);
                let a = 1.0 / (1.0 + dot(d, d));
                let l = normalize(d);
                let h = normalize(l + vec3f(0.0, 0.0, 1.0));
                sum += a * (max(dot(n, l), 0.0) * abs(b.c[i + 4].rgb) + pow(max(dot(n, h), 0.0), 8.0));
            }
            return vec4f(sum, 1.0);
        }",
    ),
    (
        "julia",
        "@vertex fn v(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
        @fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let uv = p.xy / 16.0;
            var z = uv * 3.0 - 1.5;
            var n = 0;
            while n < 24 && dot(z, z) < 4.0 {
                z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2f(-0.4, 0.6);
                n++;
            }
            return vec4f(f32(n & 3) / 3.0, f32((n >> 2u) & 3) / 3.0, f32(n) / 24.0, 1.0);
        }",
    ),
    (
        "sobel",
        "@group(0) @binding(0) var t: texture_2d<f32>;
        @vertex fn v(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
        @fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let q = vec2u(p.xy);
            var g: array<f32, 9>;
            for (var k = 0u; k < 9u; k++) {
                g[k] = textureLoad(t, vec2u((q.x + k % 3u) & 7u, (q.y + k / 3u) & 7u), 0).r;
            }
            let dx = g[2] + 2.0 * g[5] + g[8] - g[0] - 2.0 * g[3] - g[6];
            let dy = g[6] + 2.0 * g[7] + g[8] - g[0] - 2.0 * g[1] - g[2];
            return vec4f(abs(dx) * 0.25, abs(dy) * 0.25, sqrt(dx * dx + dy * dy) * 0.2, 1.0);
        }",
    ),
];

/// Draws that are translated ahead on threads.
const AHEAD: usize = 1000;

/// The stages of a draw of `fixtures/d3d/programs`.
fn stages(name: &str) -> [Program; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/d3d/programs");
    ["fill.vs.dxbc".to_owned(), format!("{name}.ps.dxbc")].map(|file| {
        let bytes = fs::read(folder.join(file)).unwrap();
        decode(&bytes, 0).unwrap()
    })
}

fn translate([vertex, pixel]: &[Program; 2]) -> usize {
    let translated = translate_draw(black_box(vertex), Some(pixel), &DrawOptions::default()).unwrap();
    translated.pixel.map_or(0, |pixel| pixel.bindings.len())
}

/// The shortest of many times that something takes, in microseconds.
fn best_micros(mut work: impl FnMut() -> usize) -> f64 {
    let once = |_| {
        let started = Instant::now();
        black_box(work());
        started.elapsed().as_secs_f64() * 1e6
    };
    (0..PASSES).map(once).fold(f64::INFINITY, f64::min)
}

fn print_translation() {
    for (name, wgsl) in TRANSLATED {
        let programs = stages(name);
        let ours = best_micros(|| translate(&programs));
        let naga = best_micros(|| naga::front::wgsl::parse_str(black_box(wgsl)).unwrap().entry_points.len());
        println!(
            "translate {name}: {ours:.0} µs at best, naga {naga:.0} µs for WGSL of the same, {:.2} ×",
            ours / naga
        );
    }
    let all: Vec<[Program; 2]> = TRANSLATED.iter().map(|(name, _)| stages(name)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for first in 0..threads {
            let all = &all;
            scope.spawn(move || {
                (first..AHEAD).step_by(threads).map(|of| translate(&all[of % all.len()])).sum::<usize>()
            });
        }
    });
    println!("translate {AHEAD} draws on {threads} threads: {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
}

fn decoding(criterion: &mut Criterion) {
    print_best();
    print_translation();
    let mut group = criterion.benchmark_group("d3d");
    for (name, shaders) in inputs() {
        group.throughput(Throughput::Bytes(token_bytes(&shaders)));
        group.bench_function(format!("decode, {name}"), |bencher| bencher.iter(|| decode_all(&shaders)));
    }
    for (name, _) in TRANSLATED {
        let programs = stages(name);
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("translate, {name}"), |bencher| bencher.iter(|| translate(&programs)));
    }
    for (name, shader) in [("SM1 to SM3", sm3(LARGE_BYTES)), ("SM4 and SM5", sm4(LARGE_BYTES))] {
        let program = decode(&shader, 0).unwrap();
        group.throughput(Throughput::Bytes(shader.len() as u64));
        group.bench_function(format!("disassemble, {name}"), |bencher| {
            bencher.iter(|| disassemble(black_box(&program)).len());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = decoding
}
criterion_main!(benches);
