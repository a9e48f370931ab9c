//! Memory that the threads of a group share: zeros at first on every API, all that Direct3D has of it, and compiled in a time
//! that hardly depends on its size.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aerogpu_replay::abi::a3a0::bindings::SetShaderResourceBuffers;
use aerogpu_replay::abi::a3a0::shaders::BindShaders;
use aerogpu_replay::abi::a3a0::work::Dispatch;
use aerogpu_replay::abi::a3a0::{BufferBinding, Elements};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::Player;

use crate::gpu::kept::opened;
use crate::gpu::mismatched::shaders;
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

const SIDE: u32 = 8;
const THREADS: u32 = SIDE * SIDE;
const SCREEN: u32 = 10;
const BUFFER: u32 = 11;
/// All that Direct3D 11 has.
const MOST_BYTES: u32 = 32 << 10;
/// A small part of it.
const FEW_BYTES: u32 = 1 << 10;

pub fn trials() -> Vec<Trial> {
    type NamedTest = (&'static str, fn(Backend));
    let tests: [NamedTest; 4] = [
        ("group_memory_starts_as_zeros", group_memory_starts_as_zeros),
        ("group_memory_of_atomics_starts_as_zeros", group_memory_of_atomics_starts_as_zeros),
        ("threads_share_all_of_the_memory", threads_share_all_of_the_memory),
        ("large_group_memory_compiles_as_fast_as_small", large_group_memory_compiles_as_fast_as_small),
    ];
    let of = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    BACKENDS.iter().flat_map(|backend| of(*backend)).collect()
}

/// The words that the threads store in `u0`, thread by thread, and how long the frame took.
fn words_of(backend: Backend, declarations: &[String], lines: &[&str]) -> (Vec<u32>, Duration) {
    let declarations = [&["dcl_uav_raw u0".to_owned()], declarations].concat();
    let code = shaders::compute([THREADS, 1, 1], &declarations, lines);
    let mut stream = Stream::new();
    stream.texture(SCREEN, R8G8B8A8, [SIDE, SIDE], [1, 1]);
    stream.layout_of(3, &layout_of(&[Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 0, 16, 0)]));
    stream.buffer(4, &rectangle(WHOLE, 0.5, [[0.0; 4]; 4]));
    stream.targets(&[SCREEN], 0).viewport([0.0, 0.0, SIDE as f32, SIDE as f32]).use_layout(3);
    stream.vertex_buffer(0, 4, VERTEX_BYTES, 0).topology(TRIANGLE_LIST).put(unblended());
    stream.container(1, VERTEX, &shaders::vertex(&[])).container(2, PIXEL, &pixel_of_words());
    stream.container(5, COMPUTE, &code).empty_buffer(BUFFER, u64::from(THREADS) * 4).writes(COMPUTE, 0, BUFFER);
    stream.put(BindShaders { vs: 1, ps: 2, cs: 5, reserved: 0, appended: None });
    // A group before it leaves other words in the memory.
    stream.put(Dispatch { x: 2, y: 1, z: 1, stage_ex: 0 });
    let values = Elements::to_bytes(&[BufferBinding { buffer: BUFFER, offset_bytes: 0, size_bytes: 0, reserved: 0 }]);
    let values = Elements::new(&values).unwrap();
    stream.put(SetShaderResourceBuffers { stage: PIXEL, start_slot: 0, buffer_count: 1, stage_ex: 0, values });
    stream.draw(0, 6).present();
    let stream = stream.finish();
    let trace = Arc::new(opened(recording([&stream[..]])).unwrap());
    let size = Size { width_px: SIDE, height_px: SIDE };
    let mut player = Player::new(trace, backend.open_fresh(), size).unwrap();
    let start = Instant::now();
    let picture = player.render(FrameIndex(0)).unwrap();
    let took = start.elapsed();
    let texels = picture.rgba().as_chunks::<4>().0;
    (texels.iter().map(|texel| u32::from_le_bytes(*texel)).collect(), took)
}

/// A pixel shader that gives the bytes of the word that its pixel has in `t0`.
fn pixel_of_words() -> Vec<u8> {
    shaders::bytecode(&format!(
        "ps_5_0\n.input\n.param \"SV_Position\"[0].xyzw, v0.xyzw, float, position\n.output\n\
         .param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\ndcl_resource_raw t0\n\
         dcl_input_ps_siv linear noperspective v0.xyzw, position\ndcl_output o0.xyzw\ndcl_temps 2\n\
         ftou r0.xyzw, v0.xyzw\nimad r0.x, r0.y, l({SIDE}), r0.x\nishl r0.x, r0.x, l(2)\n\
         ld_raw r0.x, r0.x, t0.xxxx\nubfe r1.xyzw, l(8, 8, 8, 8), l(0, 8, 16, 24), r0.xxxx\nutof r1.xyzw, r1.xyzw\n\
         div o0.xyzw, r1.xyzw, l(255.0, 255.0, 255.0, 255.0)\nret\n"
    ))
}

/// Lines in which each thread adds up what it finds in its part of the memory, in `r0.y`; `load` loads `r1.x` from byte `r0.x`.
fn sum_of_own_part(words: u32, load: &str) -> String {
    format!(
        "dcl_input vThreadIDInGroupFlattened\nmov r0.x, vThreadIDInGroupFlattened.x\nishl r0.x, r0.x, l(2)\nmov r0.yz, l(0, 0, 0, 0)\n\
         loop\nuge r0.w, r0.z, l({})\nbreakc_nz r0.w\n{load}\niadd r0.y, r0.y, r1.x\niadd r0.x, r0.x, l({})\n\
         iadd r0.z, r0.z, l(1)\nendloop",
        words / THREADS,
        THREADS * 4,
    )
}

/// Words that each thread finds in memory that nobody has written yet.
fn found_at_first(backend: Backend, more: &[&str]) -> (Vec<u32>, Duration) {
    let memory = format!("dcl_tgsm_raw g0, {MOST_BYTES}");
    let sum = sum_of_own_part(MOST_BYTES / 4, "ld_raw r1.x, r0.x, g0.xxxx");
    let mut lines = vec![sum.as_str()];
    // Then it leaves something there.
    lines.extend(["ishl r0.x, vThreadIDInGroupFlattened.x, l(2)", "store_raw u0.x, r0.x, r0.y"]);
    lines.extend(more);
    words_of(backend, &[memory], &lines)
}

fn group_memory_starts_as_zeros(backend: Backend) {
    let (words, _) = found_at_first(backend, &["store_raw g0.x, r0.x, l(0x55555555)"]);
    assert_eq!(words, [0; THREADS as usize]);
}

fn group_memory_of_atomics_starts_as_zeros(backend: Backend) {
    let (words, _) = found_at_first(backend, &["atomic_or g0, r0.x, l(0x55555555)"]);
    assert_eq!(words, [0; THREADS as usize]);
}

fn shared(backend: Backend, bytes: u32) -> (Vec<u32>, Duration) {
    let memory = format!("dcl_tgsm_raw g0, {bytes}");
    // Word n is n, for the words n + 64 i of thread n. Then each thread adds up those of the thread across from it.
    let fill = sum_of_own_part(bytes / 4, "ushr r1.y, r0.x, l(2)\nstore_raw g0.x, r0.x, r1.y\nmov r1.x, l(0)");
    let sum = sum_of_own_part(bytes / 4, "ld_raw r1.x, r0.x, g0.xxxx");
    let across = format!("iadd r0.x, l({}), -vThreadIDInGroupFlattened.x", THREADS - 1);
    let sum = sum.replace("mov r0.x, vThreadIDInGroupFlattened.x", &across);
    let sum = sum.replace("dcl_input vThreadIDInGroupFlattened\n", "");
    let end = ["sync_g_t", &sum, "ishl r0.x, vThreadIDInGroupFlattened.x, l(2)", "store_raw u0.x, r0.x, r0.y"];
    let lines: Vec<&str> = [fill.as_str()].into_iter().chain(end).collect();
    words_of(backend, &[memory], &lines)
}

fn expected(bytes: u32) -> Vec<u32> {
    let own = |thread: u32| (0..bytes / 4).skip(thread as usize).step_by(THREADS as usize).sum();
    (0..THREADS).rev().map(own).collect()
}

fn threads_share_all_of_the_memory(backend: Backend) {
    assert_eq!(shared(backend, MOST_BYTES).0, expected(MOST_BYTES));
}

fn large_group_memory_compiles_as_fast_as_small(backend: Backend) {
    let (few, took_few) = shared(backend, FEW_BYTES);
    let (most, took_most) = shared(backend, MOST_BYTES);
    assert_eq!((few, most), (expected(FEW_BYTES), expected(MOST_BYTES)));
    // 32 times the memory: the square of that is a thousand times.
    let allowed = took_few * 4 + Duration::from_secs(2);
    eprintln!("{FEW_BYTES} bytes: {took_few:?}; {MOST_BYTES} bytes: {took_most:?}");
    assert!(took_most < allowed, "{FEW_BYTES} bytes take {took_few:?}, {MOST_BYTES} bytes {took_most:?}");
}
