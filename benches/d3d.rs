//! Direct3D bytecode → program, used slots included: `cargo bench --no-default-features --bench d3d`.
//!
//! | work | bar |
//! |---|---|
//! | decoding tokens, each of the three decoders | ≥ 200 MB/s of one core |
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

use aerogpu_replay::shader::d3d::{Dialect, decode, disassemble};
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

fn decoding(criterion: &mut Criterion) {
    print_best();
    let mut group = criterion.benchmark_group("d3d");
    for (name, shaders) in inputs() {
        group.throughput(Throughput::Bytes(token_bytes(&shaders)));
        group.bench_function(format!("decode, {name}"), |bencher| bencher.iter(|| decode_all(&shaders)));
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
