//! Recordings that were cut off, and what `repair` makes of them.

use std::fs;
use std::sync::Arc;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameSpan, RecordBody, Trace};

use crate::support::harness::{Trial, trials_of};
use crate::support::made;
use crate::support::program::program;
use crate::support::reading::{canonical, recovered};

pub fn trials() -> Vec<Trial> {
    trials_of![a_recording_is_repaired_wherever_it_was_cut]
}

/// Around every record's begin and in its middle: the file that `repair` makes has the whole frames and the whole
/// submissions of the one that was not finished, each packet as it was, and opens as if it had never been cut.
fn a_recording_is_repaired_wherever_it_was_cut() {
    let bytes = made::contexts();
    let frames = recovered(&bytes);
    let packets =
        |text: &str| text.lines().filter(|line| line.starts_with("cmd ")).map(str::to_owned).collect::<Vec<_>>();
    let whole = packets(&canonical(&bytes));
    let folder = tempfile::tempdir().unwrap();
    let (cut, mended) = (folder.path().join("cut.aerogputrace"), folder.path().join("mended.aerogputrace"));
    let records = record_places(&bytes);
    let first_end = records.iter().find(|(_, is_submission)| *is_submission).unwrap().0.end;
    let ends = records.iter().flat_map(|(record, _)| {
        let middle = (record.start + record.end) / 2;
        [record.start - 1, record.start, record.start + 1, middle]
    });
    let (mut repaired, mut unfinished) = (0, 0);
    for end in ends.filter(|end| *end >= first_end) {
        fs::write(&cut, &bytes[..end]).unwrap();
        let _ = fs::remove_file(&mended);
        let output = program().arg("repair").args([&cut, &mended]).output().unwrap();
        assert!(output.status.success(), "cut at {end:#x}: {output:?}");
        let mended = fs::read(&mended).unwrap();
        let mut expected: Vec<FrameSpan> =
            frames.iter().filter(|frame| frame.bytes.end <= end as u64).cloned().collect();
        let start = frames[expected.len()].bytes.start;
        let mut of_last = records.iter().filter(|(place, _)| place.start as u64 >= start && place.end <= end);
        let kept = of_last.clone().filter(|(_, is_submission)| *is_submission).count();
        let said = String::from_utf8(output.stdout).unwrap();
        let told = format!("frame {} is incomplete: {kept} submission", expected.len());
        assert_eq!(said.contains(&told), kept > 0, "cut at {end:#x}: {said}");
        if kept > 0 {
            let whole_to = of_last.next_back().unwrap().0.end as u64;
            assert!(said.contains(&format!("lost {} byte", end as u64 - whole_to)), "cut at {end:#x}: {said}");
            // A header of 8 bytes alone is a record in part, too.
            let cut = format!("the record at {whole_to:#x} is incomplete");
            assert_eq!(said.contains(&cut), whole_to < end as u64, "cut at {end:#x}: {said}");
            expected.push(FrameSpan { bytes: start..whole_to, present_offset: None });
            unfinished += 1;
        }
        let trace = Trace::from_source(Arc::new(MemorySource::from(mended.clone())), &mut Diagnostics::new()).unwrap();
        assert_eq!(trace.frames(), expected, "cut at {end:#x}");
        let records = trace.stream().end as usize;
        assert!(mended[..records] == bytes[..records], "cut at {end:#x}");
        let kept = packets(&canonical(&mended));
        assert!(!kept.is_empty() && whole.starts_with(&kept), "cut at {end:#x}");
        repaired += 1;
    }
    assert!(repaired > 50 && unfinished > 20, "{repaired} {unfinished}");
}

/// The bytes of each record, and whether it is a submission.
fn record_places(bytes: &[u8]) -> Vec<(std::ops::Range<usize>, bool)> {
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes.to_vec())), &mut Diagnostics::new()).unwrap();
    let mut reader = trace.records(trace.stream());
    let mut places = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        let is_submission = matches!(record.body, RecordBody::Submission(_));
        places.push((record.offset as usize..record.end as usize, is_submission));
    }
    places
}
