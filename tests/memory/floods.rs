//! Frames that ask for one thing very often: what is recorded for the GPU is handed in before it takes more than it may.
//!
//! Measured is what a process has in memory of its own, driver included, with an eighth of the usual limits: ten times as many
//! packets may take a tenth more, and no flood more than its peak.

use std::fs;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use aerogpu_replay::abi::a3a0::ABI_VERSION;
use aerogpu_replay::abi::a3a0::resources::{CopyBuffer, CreateBuffer, DestroyResource};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{CapturedMemory, FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::gpu::{Gpu, InFlightLimits};
use aerogpu_replay::limits::{MAX_HELD_BYTES, MAX_RECORDED_BYTES, MAX_STAGED_BYTES};
use aerogpu_replay::pixels::Picture;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::DEFAULT_SIZE;

use crate::support::harness::{Failed, Trial};
use crate::support::scene::Scene;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

/// Environment variable that names a flood to be measured, how often, and the API.
const MEASURED: &str = "MEASURED_FLOOD";
/// Divisor of the limits, so that small floods reach them.
const PART: u64 = 8;
/// Ratio of the two counts that are compared.
const FACTOR: u32 = 10;
/// Difference between two runs of one flood.
const NOISE_BYTES: usize = 3 << 20;
/// How often a flood is measured before it has failed.
const TRIES: u32 = 3;

/// A packet, or some, that stand in a frame very often.
struct Flood {
    name: &'static str,
    /// Number of repetitions: several times what the limits hold.
    count: u32,
    /// The most memory that the frame may take, in MiB.
    peak_mib: usize,
    make: fn(u32) -> Vec<u8>,
}

const FLOODS: &[Flood] = &[
    Flood {
        name: "clears",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, at| {
                stream.clear(1, [shade(at), 0.0, 0.0, 1.0], 1.0);
            })
        },
    },
    Flood {
        name: "changes_of_targets",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, at| {
                stream.targets(&[1 + at % 2], 0).draw(0, 3);
            })
        },
    },
    Flood {
        name: "dispatches",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, _| {
                stream.dispatch([10, 12, 11], [1, 1, 1]);
            })
        },
    },
    Flood {
        name: "presents",
        count: 50_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, _| {
                stream.present();
            })
        },
    },
    Flood {
        name: "textures_made_and_destroyed",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, _| {
                stream.texture(100, R8G8B8A8, [16, 16], [1, 1]).targets(&[100], 0).clear(1, [0.5; 4], 1.0);
                stream.targets(&[1], 0).put(DestroyResource { handle: 100, reserved: 0 });
            })
        },
    },
    Flood {
        name: "large_textures_made_and_destroyed",
        count: 50,
        peak_mib: 160,
        make: |count| {
            submitted(count, |stream, _| {
                stream.texture(100, R8G8B8A8, [1024, 1024], [1, 8]).targets(&[100], 0).clear(1, [0.5; 4], 1.0);
                stream.targets(&[1], 0).put(DestroyResource { handle: 100, reserved: 0 });
            })
        },
    },
    Flood {
        name: "buffers_made_and_destroyed",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, _| {
                stream.buffer(100, &[1; 64]).vertex_buffer(0, 100, VERTEX_BYTES, 0).draw(0, 3);
                stream.vertex_buffer(0, 20, VERTEX_BYTES, 0).put(DestroyResource { handle: 100, reserved: 0 });
            })
        },
    },
    Flood {
        name: "uploads_between_draws",
        count: 20_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, at| {
                stream.upload(20, 0, &floats(&[shade(at); 8])).draw(0, 3);
            })
        },
    },
    Flood {
        name: "texels_uploaded",
        count: 10_000,
        peak_mib: 56,
        make: |count| {
            submitted(count, |stream, at| {
                stream.upload(1, 0, &floats(&[shade(at); 256])).draw(0, 3);
            })
        },
    },
    Flood {
        name: "copies_of_texels",
        count: 50_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, _| {
                let texels = |texture| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
                stream.copy_texels(texels(1), texels(2), [16, 16]);
            })
        },
    },
    Flood {
        name: "copies_of_bytes",
        count: 50_000,
        peak_mib: 32,
        make: |count| {
            submitted(count, |stream, at| {
                let (dst_offset, src_offset) = (0, u64::from(at % 8) * 4);
                stream.put(CopyBuffer {
                    dst: 20,
                    src: 21,
                    dst_offset,
                    src_offset,
                    size_bytes: 16,
                    flags: 0,
                    reserved: 0,
                });
            })
        },
    },
    Flood {
        name: "copies_written_back",
        count: 20_000,
        peak_mib: 40,
        make: |count| {
            let mut stream = Stream::new();
            let (usage, size_bytes, backing_alloc_id, backing_offset) = (0x87, 64, 5, 0);
            stream.put(CreateBuffer { handle: 20, usage, size_bytes, backing_alloc_id, backing_offset, reserved: 0 });
            stream.empty_buffer(21, 64).texture(1, R8G8B8A8, [16, 16], [1, 1]).targets(&[1], 0);
            for at in 0..count {
                let (dst_offset, src_offset) = (0, u64::from(at % 8) * 4);
                stream.put(CopyBuffer {
                    dst: 20,
                    src: 21,
                    dst_offset,
                    src_offset,
                    size_bytes: 16,
                    flags: 1,
                    reserved: 0,
                });
            }
            stream.present();
            let cmd_stream = &stream.finish();
            let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
            writer.begin_frame().unwrap();
            let memory = &[CapturedMemory { alloc_id: 5, flags: 0, gpa: 0x1000, bytes: &[0; 64] }];
            writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, memory, ..Default::default() }).unwrap();
            writer.present().unwrap();
            writer.finish().unwrap()
        },
    },
    Flood {
        name: "appendix_a_clears",
        count: 10_000,
        peak_mib: 32,
        make: |count| {
            let mut scene = Scene::with_pipeline();
            for at in 0..count {
                scene.clear([shade(at), 0.0, 0.0, 1.0]);
            }
            scene.end_and_finish()
        },
    },
];

pub fn trials() -> Vec<Trial> {
    // Elsewhere nothing tells what a process has in memory.
    let floods = if cfg!(target_os = "linux") { FLOODS } else { &[] };
    let on = |flood: &'static Flood, api: Backend| {
        api.fallible_trial(format!("{}_on_{}", flood.name, api.name()), move || stays_below_its_peak(flood, api))
    };
    floods.iter().flat_map(|flood| BACKENDS.map(|api| on(flood, api))).collect()
}

/// The most of the few against the least of the many: under load the driver's threads hold more of what is handed to them, up to
/// the limits, now for one count and now for the other. What grows with the count grows each time.
fn stays_below_its_peak(flood: &Flood, api: Backend) -> Result<(), Failed> {
    let (name, peak_mib, few) = (flood.name, flood.peak_mib, flood.count / FACTOR);
    // The trace itself is held in memory, and listed.
    let growth = (flood.make)(flood.count).len() - (flood.make)(few).len();
    let (mut of_few, mut of_many, mut allowed) = (0, usize::MAX, 0);
    for _ in 0..TRIES {
        of_few = of_few.max(taken_by(flood, few, api)?);
        of_many = of_many.min(taken_by(flood, flood.count, api)?);
        allowed = (of_few + of_few / 10 + 3 * growth + NOISE_BYTES).min(peak_mib << 20);
        println!(
            "{name} on {api:?}: {few} take {} KiB, {FACTOR} times as many {} of {}",
            of_few >> 10,
            of_many >> 10,
            allowed >> 10
        );
        if of_many <= allowed {
            return Ok(());
        }
    }
    Err(format!("{name} on {api:?} takes {of_many} bytes; a tenth takes {of_few}, allowed are {allowed}").into())
}

/// Bytes that a flood takes in a process of its own: memory that trials before it have left in this one could be used again
/// unseen.
fn taken_by(flood: &Flood, count: u32, api: Backend) -> Result<usize, Failed> {
    let mut child = Command::new(std::env::current_exe()?);
    let output = child.env(MEASURED, format!("{} {count} {}", flood.name, api.name())).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .trim()
        .parse()
        .map_err(|_| format!("{} was not measured: {text}{}", flood.name, String::from_utf8_lossy(&output.stderr)))?)
}

/// Measures the flood that the environment names, and prints the bytes that it takes. Nothing where it names none.
pub fn measured() -> Option<ExitCode> {
    let named = std::env::var(MEASURED).ok()?;
    let measured = || -> Result<usize, Failed> {
        let [name, count, api] = named.split(' ').collect::<Vec<_>>()[..] else {
            return Err("no flood is named".into());
        };
        let flood = FLOODS.iter().find(|flood| flood.name == name).ok_or("no such flood")?;
        let api = BACKENDS.into_iter().find(|backend| backend.name() == api).ok_or("no such API")?;
        let bytes = (flood.make)(count.parse()?);
        let gpu = api.open_fresh();
        let (picture, taken) = peak_of(|| played(&gpu, bytes))?;
        if picture.rgba().is_empty() { Err("it has no picture".into()) } else { Ok(taken) }
    };
    Some(match measured() {
        Ok(taken) => {
            println!("{taken}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    })
}

fn played(gpu: &Arc<Gpu>, bytes: Vec<u8>) -> Result<Picture, Failed> {
    let source = Arc::new(MemorySource::from(bytes));
    let trace = Trace::from_source(source, &mut Diagnostics::new())?;
    let mut player = Player::new(Arc::new(trace), gpu.clone(), DEFAULT_SIZE)?;
    player.set_in_flight_limits(InFlightLimits {
        held_bytes: MAX_HELD_BYTES / PART,
        staged_bytes: MAX_STAGED_BYTES / PART,
        recorded_bytes: MAX_RECORDED_BYTES / PART,
        ..InFlightLimits::default()
    });
    Ok(player.render(FrameIndex(0))?)
}

/// The most bytes that this process has in memory during `work`, beyond what it has before.
fn peak_of<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<(T, usize), Failed> {
    let before = own_bytes()?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut peak = 0;
            while !is_over.load(Ordering::Relaxed) {
                peak = peak.max(own_bytes().unwrap_or(0));
                thread::sleep(Duration::from_millis(1));
            }
            peak
        });
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        let peak = watching.join().map_err(|_| "nobody watched the memory")?;
        Ok((done?, peak.saturating_sub(before)))
    })
}

/// The line `RssAnon: 1234 kB`.
fn own_bytes() -> Result<usize, Failed> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).ok_or("no RssAnon")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<usize>()? << 10)
}

fn shade(at: u32) -> f32 {
    (at % 256) as f32 / 255.0
}

/// `ps_2_0`: `def c0, …`, `mov oC0, c0`.
fn constant_color(at: u32) -> [u32; 11] {
    let (red, one) = (shade(at).to_bits(), 1.0f32.to_bits());
    [0xffff_0200, 0x0500_0051, 0xa00f_0000, red, 0, 0, one, 0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0xffff]
}

/// A frame with everything bound that a draw or a dispatch needs, and this so often.
fn submitted(count: u32, each: impl Fn(&mut Stream, u32)) -> Vec<u8> {
    let mut stream = Stream::new();
    for texture in [1, 2] {
        stream.texture(texture, R8G8B8A8, [16, 16], [1, 1]);
    }
    stream.targets(&[1], 0).viewport([0.0, 0.0, 16.0, 16.0]);
    stream.tokens(10, VERTEX, &VERTEX_SHADER_9).tokens(12, PIXEL, &constant_color(7)).shader(11, COMPUTE, "half_of.cs");
    stream.declaration_of_floats(30).use_layout(30).topology(TRIANGLE_LIST).shaders(10, 12);
    stream.vertices(20, &rectangle(WHOLE, 0.5, whole_texture(0.0))).empty_buffer(21, 64);
    (0..count).for_each(|at| each(&mut stream, at));
    stream.present();
    recording([&stream.finish()[..]])
}
