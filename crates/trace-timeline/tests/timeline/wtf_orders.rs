//! Recordings whose times go back are read about as often as recordings in order of time. Reads and bytes are counted, for
//! time depends on the machine; `benches/wtf.rs` measures it.

use std::fs;
use std::io::sink;

use trace_base::bytes::MemorySource;
use trace_timeline::annotation::wtf::map_wtf;
use trace_timeline::{Exported, Placement, SelectedEvents, write_chrome};

use dev_recordings::wtf_orders::{Order, repeat};
use dev_trials::Trial;
use dev_trials::counting::CountingSource;
use dev_trials::root;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &'static str| {
        let run = move || {
            check(name);
            Ok(())
        };
        Trial::test(name, run).with_kind("orders")
    };
    // Small chunks, smaller ones, and one buffer to the end of the file.
    ["cff/head_zones", "cff_cpp/cpp_features", "v3/seed_zones"].map(trial).into()
}

const SIZE_BYTES: usize = 12 << 20;
/// Bytes that events are read in again, in order of time.
const PIECE_BYTES: u64 = 1 << 20;
/// Part of a recording that is read before the first time that goes back shows, where each eighth begins anew: an eighth.
const SEEN_BEFORE: f64 = 1.2;

fn check(name: &str) {
    let original = fs::read(root().join(format!("fixtures/wtf/{name}.wtf-trace"))).unwrap();
    let mut in_order = None;
    for order in [Order::Rising, Order::Restarting, Order::Shuffled] {
        let source = CountingSource::new(MemorySource::from(repeat(&original, order, SIZE_BYTES)));
        let trace = map_wtf(&*source);
        let mapped = [source.take_reads(), source.take_read()];
        let (placement, mut arguments) = (Placement::of_axis(&trace.timeline.axis), trace.arguments());
        let (timeline, shown) = (&trace.timeline, SelectedEvents::all());
        let exported = Exported { timeline, arguments: &mut arguments, placement: &placement, shown };
        write_chrome(&mut [exported], &mut sink()).unwrap();
        let exported = [source.take_reads(), source.take_read()];
        let found = format!("{order:?}: {mapped:?} reads and bytes to map, {exported:?} to export");
        for (found_now, first) in mapped.iter().zip(*in_order.get_or_insert(mapped)) {
            assert!(*found_now as f64 <= first as f64 * SEEN_BEFORE, "{found}, {first} in order");
        }
        // Whatever the order, each piece is read once.
        assert!(exported[0] <= (SIZE_BYTES as u64).div_ceil(PIECE_BYTES) + 1, "{found}");
        assert!(exported[1] <= SIZE_BYTES as u64 + PIECE_BYTES, "{found}");
    }
}
