//! A3A0 streams: `cargo bench --no-default-features --bench a3a0`.
//!
//! | work | bar |
//! |---|---|
//! | decoding small packets | ≥ 40 M packets/s of one core |
//!
//! Packets of 16 to 36 bytes as a D3D9 driver emits them between draws: render states, textures, topologies, draws. They
//! are decoded in two ways: to whole packets in memory, as whoever looks at all opcodes has them, and to the fields of
//! these five kinds. For comparison the same bytes are summed as 64-bit words, which is what reading them costs at least,
//! and copied.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::hint::black_box;

use aerogpu_replay::abi::a3a0::bindings::{BindingPacket, SetPrimitiveTopology, SetRenderState, SetTexture};
use aerogpu_replay::abi::a3a0::work::{Clear, Draw, WorkPacket};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Body, Stream, StreamWriter};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Larger than the caches next to a core, and the size at which recorders stop.
const STREAM_BYTES: usize = 64 << 20;

fn stream(bytes: usize) -> (Vec<u8>, u64) {
    let mut writer = StreamWriter::new(ABI_VERSION);
    let mut packets = 0;
    while writer.size_bytes() < bytes - 200 {
        let number = packets as u32;
        writer.packet(&SetRenderState { state: number % 256, value: number }.into()).unwrap();
        writer.packet(&SetTexture { stage: 1, slot: number % 16, texture: number, stage_ex: 0 }.into()).unwrap();
        writer.packet(&SetPrimitiveTopology { topology: 4, reserved: 0 }.into()).unwrap();
        let draw = Draw { vertex_count: 3, instance_count: 1, first_vertex: number, first_instance: 0 };
        writer.packet(&draw.into()).unwrap();
        let clear = Clear { flags: 1, r: 0.0, g: 0.5, b: 1.0, a: 1.0, depth: 1.0, stencil: number };
        writer.packet(&clear.into()).unwrap();
        packets += 5;
    }
    (writer.finish(), packets)
}

/// Looks at every field of every packet, so that none need not be decoded.
fn decode(bytes: &[u8]) -> u64 {
    let mut sum = 0;
    for packet in Stream::parse(bytes, 0).unwrap().packets() {
        sum += match packet.unwrap().decode().unwrap().body {
            Body::Binding(BindingPacket::SetRenderState(packet)) => u64::from(packet.state ^ packet.value),
            Body::Binding(BindingPacket::SetTexture(SetTexture { stage, slot, texture, stage_ex })) => {
                u64::from(stage ^ slot ^ texture ^ stage_ex)
            }
            Body::Binding(BindingPacket::SetPrimitiveTopology(packet)) => u64::from(packet.topology ^ packet.reserved),
            Body::Work(WorkPacket::Draw(draw)) => {
                u64::from(draw.vertex_count ^ draw.instance_count ^ draw.first_vertex ^ draw.first_instance)
            }
            Body::Work(WorkPacket::Clear(clear)) => {
                let floats = [clear.r, clear.g, clear.b, clear.a, clear.depth];
                floats.iter().fold(clear.flags ^ clear.stencil, |sum, float| sum ^ float.to_bits()).into()
            }
            _ => 0,
        };
    }
    sum
}

/// Makes every packet in memory, as whoever looks at all opcodes has it.
fn decode_whole(bytes: &[u8]) -> u64 {
    let mut packets = 0;
    for packet in Stream::parse(bytes, 0).unwrap().packets() {
        black_box(&packet.unwrap().decode().unwrap());
        packets += 1;
    }
    packets
}

fn sum_words(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.fold(0, u64::wrapping_add)
}

fn decoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a3a0");
    for (name, bytes) in [("256 KiB", 256 << 10), ("64 MiB", STREAM_BYTES)] {
        let (bytes, packets) = stream(bytes);
        group.throughput(Throughput::Elements(packets));
        group.bench_function(format!("packets, {name}"), |bencher| bencher.iter(|| decode_whole(black_box(&bytes))));
        group.bench_function(format!("fields, {name}"), |bencher| bencher.iter(|| decode(black_box(&bytes))));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(format!("sum of words, {name}"), |bencher| bencher.iter(|| sum_words(black_box(&bytes))));
        let mut copy = vec![0; bytes.len()];
        group.bench_function(format!("copy, {name}"), |bencher| {
            bencher.iter(|| black_box(&mut copy).copy_from_slice(black_box(&bytes)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = decoding
}
criterion_main!(benches);
