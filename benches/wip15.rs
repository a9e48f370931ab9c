//! WIP15 at 200 MB: `cargo bench --no-default-features --bench wip15`.
//!
//! | work | bar |
//! |---|---|
//! | counting pass (names, frames, histogram) | ≥ 20 M calls/s |
//! | full timeline | ≥ 5 M calls/s, memory ≤ 1.5 × the file |
//! | Chrome JSON export | ≥ 100 MB/s of output |
//!
//! The file is made by looping the longest run of calls of a real trace that has no declarations in it: the fixture, and where it is present a trace of the shared data with larger calls.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use aerogpu_replay::bytes::{ByteSource, FileSource, MemorySource};
use aerogpu_replay::format::wip15::{BlobPolicy, Op, Reader, count_calls};
use aerogpu_replay::timeline::annotation::wip15::{Wip15Timeline, map_wip15};
use aerogpu_replay::timeline::{Exported, Placement, SelectedEvents, write_chrome};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const FILE_BYTES: usize = 200_000_000;

/// Absolute file offsets of the loop: the longest run of calls without a declaration.
fn loop_range(bytes: &[u8]) -> (usize, usize) {
    let source = MemorySource::from(bytes.to_vec());
    let mut reader = Reader::open(&source, BlobPolicy::Skip).unwrap();
    let (mut begin, mut longest, mut is_fresh) = (0, (0, 0), true);
    while let Some(Ok(op)) = reader.next_op() {
        match op {
            Op::Call(call) if is_fresh => (begin, is_fresh) = (call.offset as usize, false),
            Op::Call(call) if call.offset as usize - begin > longest.1 - longest.0 => {
                longest = (begin, call.offset as usize);
            }
            Op::Call(_) => {}
            _ => is_fresh = true,
        }
    }
    longest
}

fn looped(path: &Path) -> tempfile::NamedTempFile {
    let bytes = std::fs::read(path).unwrap();
    let (begin, end) = loop_range(&bytes);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&bytes[..end]).unwrap();
    let times = (FILE_BYTES - end) / (end - begin);
    let chunk = bytes[begin..end].repeat(times.min(1 << 16));
    let mut left = FILE_BYTES;
    while left > chunk.len() {
        file.write_all(&chunk).unwrap();
        left -= chunk.len();
    }
    file.flush().unwrap();
    file
}

fn traces() -> Vec<(&'static str, std::path::PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = [
        ("gears", root.join("fixtures/wip15/s1_glxgears_killed.trace")),
        ("two_windows", root.join("../shared/data/wip15/s1_two_windows_zlib60.trace")),
        ("features", root.join("../shared/data/wip15/s1_features_zlib60.trace")),
    ];
    all.into_iter().filter(|(_, path)| path.exists()).collect()
}

/// Peak memory of this process since the last call, in bytes, where the system says so.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    std::fs::write("/proc/self/clear_refs", "5").ok();
    Some(kib * 1024)
}

/// Writes everything as Chrome JSON once: seconds of work, so a sample of one says enough.
fn export(name: &str, mapped: &Wip15Timeline, source: &FileSource) {
    let placement = Placement::of_axis(&mapped.timeline.axis);
    let mut arguments = mapped.arguments(source);
    let exported = Exported {
        timeline: &mapped.timeline,
        arguments: &mut arguments,
        placement: &placement,
        shown: SelectedEvents::all(),
    };
    let mut sink = Counting(0);
    let before = peak_memory_bytes();
    let ((), seconds) = cpu_time(|| write_chrome(&mut [exported], &mut sink).unwrap());
    let megabytes = sink.0 as f64 / 1e6;
    let rate = megabytes / seconds;
    println!(
        "{name}: Chrome JSON {megabytes:.0} MB in {seconds:.2} s, {rate:.0} MB/s, peak {before:?} -> {:?}",
        peak_memory_bytes()
    );
}

struct Counting(u64);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What `work` gives and how much CPU time this process spent on it (wall time where the system doesn't say), in
/// seconds. The bars are meant for one core, and machines that build are shared.
fn cpu_time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let spent = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<f64> = stat.rsplit(')').next()?.split_whitespace().filter_map(|f| f.parse().ok()).collect();
        // utime and stime, the 14th and 15th field of the whole line, in hundredths of a second.
        Some((fields.get(10)? + fields.get(11)?) / 100.0)
    };
    let (start, before) = (Instant::now(), spent());
    let result = work();
    let seconds = before.zip(spent()).map_or(start.elapsed().as_secs_f64(), |(before, after)| after - before);
    (result, seconds)
}

fn wip15(criterion: &mut Criterion) {
    // `cargo test --all-targets` runs this too, without the flag; files of 200 MB are not for tests.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    for (name, path) in traces() {
        let file = looped(&path);
        let source = FileSource::open(file.path()).unwrap();
        peak_memory_bytes();
        let count = || count_calls(&mut Reader::open(&source, BlobPolicy::Skip).unwrap()).0.calls;
        let (calls, count_seconds) = cpu_time(count);
        let before = peak_memory_bytes();
        let (mapped, seconds) = cpu_time(|| map_wip15(&source, name, BlobPolicy::Skip).unwrap());
        let (size, peak) = (source.size_bytes() as f64, peak_memory_bytes());
        println!(
            "{name}: {size} bytes, {calls} calls, {} frames; count {:.1} M/s, timeline {:.1} M/s of CPU time, \
             {:.2} x the file in events, peak {peak:?} bytes of the process ({before:?} while counting)",
            mapped.timeline.frames.len(),
            calls as f64 / count_seconds / 1e6,
            calls as f64 / seconds / 1e6,
            mapped.timeline.event_memory_bytes() as f64 / size,
        );
        export(name, &mapped, &source);
        drop(mapped);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(calls)).sample_size(10).measurement_time(Duration::from_secs(5));
        group.bench_function("count", |bencher| {
            bencher.iter(|| count_calls(&mut Reader::open(&source, BlobPolicy::Skip).unwrap()));
        });
        group.bench_function("timeline", |bencher| {
            bencher.iter(|| map_wip15(&source, name, BlobPolicy::Skip).unwrap());
        });
        group.finish();
    }
}

criterion_group!(benches, wip15);
criterion_main!(benches);
