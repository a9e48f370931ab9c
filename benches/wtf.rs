//! wtf-trace: the counting pass (bar: 30 M records/s on one core) and the full timeline (bar: 10 M records/s, 24 bytes
//! a record), over files of about 200 MB in a temporary folder, made by repeating the events of real traces with their
//! times moved on; and the same with times that go back, of which an export for Chrome and a list of all events take at most
//! three times those of times in order, from 12 to 200 MB. It ends with an error where such a bar is missed.
//!
//! Beside criterion's wall times, which others' work on the machine lengthens, it prints the best processor time of
//! several passes (where the system tells it): `cargo bench --bench wtf -- nothing` prints only those.
//!
//! Traces that are not in `fixtures/wtf` are looked for in `../shared/data/wtf` and left out where absent.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a bench without its input can only end")]
#![allow(missing_docs, reason = "criterion's macro makes public functions")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use aerogpu_replay::bytes::FileSource;
use aerogpu_replay::format::wtf::{Reader, count};
use aerogpu_replay::timeline::annotation::wtf::map_wtf;
use aerogpu_replay::timeline::{DumpForm, Exported, Placement, SelectedEvents, Selection, write_chrome, write_events};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use dev_recordings::wtf_orders;

use wtf_orders::{Order, repeat};

/// The size of files whose passes are measured, and the sizes at which orders are compared.
const MEASURED_BYTES: usize = 200 << 20;
const COMPARED_BYTES: [usize; 4] = [12 << 20, 20 << 20, 30 << 20, MEASURED_BYTES];
/// How long reading events in another order may take, beside the same events in order.
const ORDER_BAR: f64 = 3.0;
const TRACES: [&str; 5] = [
    "v3/seed_many.wtf-trace",
    "v3/seed_zones.wtf-trace",
    "cff/head_zones.wtf-trace",
    "cff_cpp/cpp_threads.wtf-trace",
    "cff_cpp/cpp_features.wtf-trace",
];

fn main_benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let generated = folder.path().join("generated.wtf-trace");
    let mut missed = Vec::new();
    for name in TRACES {
        let Some(path) = find(name) else { continue };
        let original = fs::read(path).expect("the trace");
        for size in COMPARED_BYTES {
            let mut in_order = None;
            for order in [Order::Rising, Order::Late, Order::Restarting, Order::Shuffled] {
                fs::write(&generated, repeat(&original, order, size)).expect("room for 200 MB");
                if size == MEASURED_BYTES {
                    measure(criterion, &format!("{name} {order:?}"), &generated);
                }
                let Some(nanos) = read_again_nanos(&generated) else { continue };
                let first = *in_order.get_or_insert(nanos);
                for (what, nanos, first) in [("export", nanos[0], first[0]), ("dump", nanos[1], first[1])] {
                    let ratio = nanos as f64 / first as f64;
                    let row = format!(
                        "{name} {order:?}, {} MB, {what}: {:.2} s, {ratio:.2} x in order (bar {ORDER_BAR})",
                        size >> 20,
                        nanos as f64 / 1e9
                    );
                    println!("{row}");
                    if ratio > ORDER_BAR {
                        missed.push(row);
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "missed: {missed:#?}");
}

fn find(name: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = [package.join("fixtures/wtf"), package.join("../shared/data/wtf")];
    roots.into_iter().map(|root| root.join(name)).find(|path| path.is_file())
}

fn measure(criterion: &mut Criterion, name: &str, path: &Path) {
    let source = FileSource::open(path).expect("the generated file");
    let summary = count(&mut Reader::new(&source));
    assert!(summary.error.is_none(), "{name}: {:?}", summary.error);
    let before = resident_bytes();
    let trace = map_wtf(&source);
    assert_eq!(trace.record_count, summary.records);
    println!(
        "{name}: {} records; timeline {:.1} bytes per record, {:.1} resident; in order: {}",
        summary.records,
        trace.timeline.event_memory_bytes() as f64 / summary.records as f64,
        resident_bytes().saturating_sub(before) as f64 / summary.records as f64,
        trace.figures.iter().all(|zone| zone.is_monotonic),
    );
    drop(trace);
    print_processor_time(&format!("{name} count"), summary.records, || count(&mut Reader::new(&source)).records);
    print_processor_time(&format!("{name} timeline"), summary.records, || map_wtf(&source).record_count);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(summary.records)).sample_size(10);
    group.bench_function("count", |bencher| bencher.iter(|| black_box(count(&mut Reader::new(&source)).records)));
    group.bench_function("timeline", |bencher| bencher.iter(|| black_box(map_wtf(&source).record_count)));
    group.finish();
}

const PASSES: usize = 5;

/// Prints the best of several passes.
fn print_processor_time(what: &str, records: u64, mut pass: impl FnMut() -> u64) {
    let best = (0..PASSES).filter_map(|_| {
        let before = thread_nanos()?;
        assert_eq!(black_box(pass()), records);
        Some(thread_nanos()? - before)
    });
    if let Some(nanos) = best.min() {
        println!("{what}: {:.1} M records per second of processor time", records as f64 * 1e3 / nanos as f64);
    }
}

/// Processor time of an export to nowhere, and of a list of all events with their arguments.
fn read_again_nanos(path: &Path) -> Option<[u64; 2]> {
    let source = FileSource::open(path).expect("the generated file");
    let start = thread_nanos()?;
    let trace = map_wtf(&source);
    let mapped = thread_nanos()? - start;
    let (placement, mut arguments) = (Placement::of_axis(&trace.timeline.axis), trace.arguments());
    let (timeline, shown) = (&trace.timeline, SelectedEvents::all());
    let before = thread_nanos()?;
    let exported = Exported { timeline, arguments: &mut arguments, placement: &placement, shown };
    write_chrome(&mut [exported], &mut std::io::sink()).expect("a sink");
    let exported = thread_nanos()? - before;
    let (selection, mut arguments) = (Selection::default(), trace.arguments());
    let before = thread_nanos()?;
    write_events(timeline, &mut arguments, &selection, DumpForm::Text, &mut std::io::sink()).expect("a sink");
    Some([mapped + exported, mapped + thread_nanos()? - before])
}

/// Time that this thread has run, where the system tells.
fn thread_nanos() -> Option<u64> {
    fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Memory of this process in bytes, where the system tells.
fn resident_bytes() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() * 1024
}

criterion_group!(benches, main_benches);
criterion_main!(benches);
