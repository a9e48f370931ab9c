//! The groups that markers make, and the names that they give.

use std::sync::Arc;

use aerogpu_replay::analysis::{Analysis, Direction, FrameEvents, RowId};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::listing::Filter;
use aerogpu_replay::replay::TraceIndex;
use aerogpu_replay::timeline::aerogpu::map_aerogpu;

use crate::support::harness::{Trial, trials_of};
use crate::support::streams::stream_of_markers;

pub fn trials() -> Vec<Trial> {
    trials_of![
        draws_stand_in_the_groups_of_their_context,
        rows_of_other_contexts_and_records_are_in_no_group,
        filters_and_searches_know_the_texts,
        resources_have_their_names_until_they_are_destroyed,
        a_timeline_shows_groups_around_their_draws,
    ]
}

fn ask() -> Analysis {
    let source = Arc::new(MemorySource::from(stream_of_markers()));
    let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    assert!(index.stop().is_none() && index.faults().0.is_empty(), "{:?}", index.faults());
    Analysis::new(trace, index)
}

fn frames(analysis: &Analysis) -> Vec<FrameEvents> {
    analysis.trace().frame_indices().map(|frame| analysis.events(frame).unwrap()).collect()
}

/// By frame and draw: the context and the texts, the outermost first.
const DRAWS: [&[(u32, &[&str])]; 2] = [
    &[
        (1, &["shadow pass", "cascade 0"]),
        (2, &["overlay"]),
        (1, &["shadow pass", "cascade 0"]),
        (1, &["shadow pass", "casters"]),
        (1, &[]),
        (1, &["bad \u{fffd}\u{fffd}"]),
    ],
    &[(2, &[]), (1, &["{ open"])],
];

fn draws_stand_in_the_groups_of_their_context() {
    for (events, expected) in frames(&ask()).iter().zip(DRAWS) {
        assert_eq!(events.draws.len(), expected.len());
        for (row, (context, texts)) in events.draws.iter().zip(expected) {
            assert_eq!(events.marker_path(*row), *texts, "frame {}, row {row}", events.frame);
            assert_eq!(events.rows[*row as usize].submission.unwrap().context(), *context);
        }
    }
}

fn rows_of_other_contexts_and_records_are_in_no_group() {
    for events in frames(&ask()) {
        for (number, row) in (0..).zip(&events.rows) {
            let path = events.marker_path(number);
            match row.submission.map(|submission| submission.context()) {
                None => assert!(path.is_empty(), "{row:?} {path:?}"),
                Some(2) => assert!(path.is_empty() || path == ["overlay"], "{path:?}"),
                Some(_) => assert_ne!(path, ["overlay"]),
            }
        }
    }
    // Markers are in the groups that they open or close themselves; names open none.
    let events = &frames(&ask())[0];
    let markers: Vec<Vec<&str>> = (0..)
        .zip(&events.rows)
        .filter(|(_, row)| row.kind.name() == "DEBUG_MARKER")
        .map(|(number, _)| events.marker_path(number))
        .collect();
    let (pass, cascade) = ("shadow pass", "cascade 0");
    let expected: [&[&str]; 10] = [
        &[],
        &[],
        &[pass],
        &[pass, cascade],
        &["overlay"],
        &[pass, cascade],
        &[pass, "casters"],
        &[pass],
        &[],
        &["bad \u{fffd}\u{fffd}"],
    ];
    assert_eq!(markers, expected);
}

fn filters_and_searches_know_the_texts() {
    let analysis = ask();
    let walk = |text: &str, direction| -> Vec<RowId> {
        let filter = Filter::parse(text).unwrap();
        let mut found = Vec::new();
        let mut from = None;
        while let Some(next) = analysis.find_event(&filter, from, direction, |_| true).unwrap() {
            found.push(next);
            from = Some(next);
        }
        found
    };
    let frames = frames(&analysis);
    let draw = |frame: usize, draw: usize| frames[frame].id_of(frames[frame].draws[draw]);
    for (text, expected) in [
        ("DRAW(marker =~ /shadow/)", vec![draw(0, 0), draw(0, 2), draw(0, 3)]),
        ("DRAW(marker == \"cascade 0\")", vec![draw(0, 0), draw(0, 2)]),
        ("DRAW(marker =~ /open/)", vec![draw(1, 1)]),
        ("DRAW and not *(marker =~ /./)", vec![draw(0, 4), draw(1, 0)]),
    ] {
        assert_eq!(walk(text, Direction::Forward), expected, "{text}");
        let reversed: Vec<RowId> = expected.into_iter().rev().collect();
        assert_eq!(walk(text, Direction::Backward), reversed, "{text}");
    }
    assert_eq!(walk("DEBUG_MARKER(text =~ /^name/)", Direction::Forward).len(), 3);
}

fn resources_have_their_names_until_they_are_destroyed() {
    let analysis = ask();
    let names = |place: Place| -> Vec<(u32, Option<String>)> {
        let objects = analysis.stream_state(place, None).unwrap().objects;
        objects
            .into_iter()
            .filter(|object| object.kind == "texture")
            .map(|object| (object.handle, object.name))
            .collect()
    };
    let named = |one: Option<&str>, six: Option<&str>| vec![(1, one.map(str::to_owned)), (6, six.map(str::to_owned))];
    let end = Place::end_of(FrameIndex(0));
    assert_eq!(names(Place::at_draw(FrameIndex(0), 0)), named(Some("shadow map"), Some("scratch")));
    assert_eq!(names(end), named(Some("shadow map"), Some("scratch")));
    assert_eq!(names(Place::at_draw(FrameIndex(1), 0)), named(Some("shadow map"), Some("scratch")));
    assert_eq!(names(Place::end_of(FrameIndex(1))), named(Some("colour"), None));
}

fn a_timeline_shows_groups_around_their_draws() {
    let analysis = ask();
    let timeline = map_aerogpu(analysis.trace(), "", &mut Diagnostics::new()).timeline;
    let text = |name| timeline.strings.text(name);
    let track = |title: &str| timeline.tracks.iter().find(|track| text(track.name) == title);
    for (context, other) in [(1, 2), (2, 1)] {
        let groups = &track(&format!("markers of context {context}")).unwrap().spans;
        assert!(groups.is_sorted_by_key(|span| span.begin()));
        for (events, expected) in frames(&analysis).iter().zip(DRAWS) {
            for (row, (of, texts)) in events.draws.iter().zip(expected) {
                let row = &events.rows[*row as usize];
                let around = groups
                    .iter()
                    .filter(|span| span.begin().0 <= row.offset && row.offset + row.size_bytes <= span.end().0);
                let around: Vec<String> = around.map(|span| text(span.name()).to_string()).collect();
                if *of == context {
                    assert_eq!(around, *texts, "frame {}, {row:?}", events.frame);
                } else {
                    assert_eq!(*of, other);
                }
            }
        }
    }
    assert!(track("markers of context 0").is_none());
}
