//! The timeline panel as people use it: pointer, wheel and keys go in, what is seen and asked for comes out.
//!
//! The picture needs software Vulkan; everything else needs nothing.

mod demo;

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use crate::support;
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::inspector::timeline::{
    Keys, Lane, RangeChange, Target, TimelineContext, TimelinePanel, TimelineResponse, View,
};
use aerogpu_replay::pixels::{Check, Picture, Size, judge, read_png, write_png};
use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Shape, TouchPhase, Vec2, pos2, vec2};
use egui_kittest::Harness;
use support::harness::Trial;
use support::{is_blessing, root, software};

const SIZE: Vec2 = vec2(1100.0, 720.0);

/// The panel, what it was told, and everything that it asked for.
struct App {
    panel: TimelinePanel,
    context: TimelineContext,
    answers: Vec<TimelineResponse>,
}

type Panel<'a> = Harness<'a, App>;

fn app(lanes: Vec<Lane>) -> App {
    App { panel: TimelinePanel::new(lanes).unwrap(), context: TimelineContext::default(), answers: Vec::new() }
}

fn show(ui: &mut egui::Ui, app: &mut App) {
    let answer = app.panel.ui(ui, &app.context);
    app.answers.push(answer);
}

/// The panel with all workers done.
fn harness<'a>(lanes: Vec<Lane>) -> Panel<'a> {
    let builder = Harness::builder().with_size(SIZE).with_step_dt(1.0 / 60.0).with_max_steps(200);
    let mut harness = builder.build_ui_state(show, app(lanes));
    settle(&mut harness);
    harness
}

/// Runs until nothing is under way.
fn settle(harness: &mut Panel<'_>) {
    for _ in 0..2000 {
        harness.step();
        let delay = harness.output().viewport_output.values().map(|output| output.repaint_delay).min();
        if harness.state().panel.is_indexed() && delay.is_none_or(|delay| delay > std::time::Duration::from_secs(1)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("the panel never comes to rest");
}

fn texts(harness: &Panel<'_>) -> Vec<(String, Pos2)> {
    fn collect(shape: &Shape, into: &mut Vec<(String, Pos2)>) {
        match shape {
            Shape::Text(text) => into.push((text.galley.text().to_owned(), text.pos)),
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    harness.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut all));
    all
}

fn shows(harness: &Panel<'_>, text: &str) -> bool {
    texts(harness).iter().any(|(shown, _)| shown.contains(text))
}

#[track_caller]
fn place_of(harness: &Panel<'_>, text: &str) -> Pos2 {
    let found = texts(harness).into_iter().find(|(shown, _)| shown == text);
    found.unwrap_or_else(|| panic!("{text:?} is not shown")).1 + vec2(3.0, 6.0)
}

fn hover(harness: &mut Panel<'_>, at: Pos2) {
    harness.hover_at(at);
    harness.step();
    harness.step();
}

fn wheel(harness: &mut Panel<'_>, delta: Vec2, modifiers: Modifiers) {
    let unit = MouseWheelUnit::Point;
    let source = egui::MouseWheelSource::Wheel;
    harness.event_modifiers(Event::MouseWheel { unit, delta, phase: TouchPhase::Move, source, modifiers }, modifiers);
    // The wheel is smoothed over several UI frames.
    harness.run_steps(60);
}

fn click(harness: &mut Panel<'_>, at: Pos2) {
    harness.hover_at(at);
    for pressed in [true, false] {
        harness.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    harness.step();
    // The next click is no double click.
    harness.run_steps(60);
}

fn drag(harness: &mut Panel<'_>, from: Pos2, to: Pos2, button: PointerButton) {
    harness.hover_at(from);
    harness.event(Event::PointerButton { pos: from, button, pressed: true, modifiers: Modifiers::NONE });
    for step in 1..=10 {
        harness.hover_at(from + (to - from) * (step as f32 / 10.0));
    }
    harness.event(Event::PointerButton { pos: to, button, pressed: false, modifiers: Modifiers::NONE });
    harness.step();
    settle(harness);
}

fn middle(harness: &Panel<'_>) -> Pos2 {
    harness.state().panel.tracks_rect().center()
}

fn view(harness: &Panel<'_>) -> View {
    harness.state().panel.view()
}

fn zoom_keeps_what_is_under_the_pointer() {
    let mut harness = harness(demo::lanes());
    for share in [0.2, 0.5, 0.9] {
        let rect = harness.state().panel.tracks_rect();
        let at = pos2(rect.left() + rect.width() * share, rect.center().y - 150.0);
        hover(&mut harness, at);
        let (before, place) = (view(&harness), harness.state().panel.place_at(at.x));
        wheel(&mut harness, vec2(0.0, 120.0), Modifiers::COMMAND);
        let near = before.length() * 1e-4;
        assert!(view(&harness).length() < before.length() * 0.8);
        assert!((harness.state().panel.place_at(at.x) - place).abs() < near);
        let closer = view(&harness);
        harness.key_down(Key::W);
        harness.run_steps(10);
        harness.key_up(Key::W);
        harness.step();
        assert!(view(&harness).length() < closer.length() * 0.8);
        assert!((harness.state().panel.place_at(at.x) - place).abs() < near);
        harness.key_down(Key::S);
        harness.run_steps(60);
        harness.key_up(Key::S);
        harness.step();
        assert!(view(&harness).length() > closer.length() * 1.5);
        harness.state_mut().panel.fit_all();
        harness.step();
        assert_eq!(view(&harness), before);
    }
}

fn the_view_moves_by_keys_wheel_and_middle_button() {
    let mut harness = harness(demo::lanes());
    let at = middle(&harness) - vec2(0.0, 150.0);
    hover(&mut harness, at);
    harness.state_mut().panel.fit_frames(2, 3);
    harness.step();
    let start = view(&harness);
    harness.key_down(Key::D);
    harness.run_steps(5);
    harness.key_up(Key::D);
    harness.step();
    let right = view(&harness);
    assert!(right.begin > start.begin && (right.length() / start.length() - 1.0).abs() < 1e-9);
    harness.key_press(Key::A);
    harness.step();
    assert!(view(&harness).begin < right.begin);
    let before = view(&harness);
    wheel(&mut harness, vec2(0.0, -80.0), Modifiers::SHIFT);
    assert!(view(&harness).begin > before.begin, "{before:?} {:?}", view(&harness));
    let before = view(&harness);
    drag(&mut harness, at, at + vec2(100.0, 0.0), PointerButton::Middle);
    let moved = (before.begin - view(&harness).begin) / before.length();
    let expected = 100.0 / f64::from(harness.state().panel.tracks_rect().width());
    assert!((moved - expected).abs() < 1e-3, "{moved} {expected}");
}

fn annotations_are_on_top_and_the_wheel_scrolls_to_the_trace() {
    let mut harness = harness(demo::lanes());
    let (notes, trace) = (place_of(&harness, "game.wtf-trace"), |harness: &Panel<'_>| {
        texts(harness).into_iter().find(|(text, _)| text == "reference").map(|(_, at)| at)
    });
    assert!(trace(&harness).is_none_or(|at| at.y > notes.y), "the trace lies above its annotations");
    let before = view(&harness);
    let at = middle(&harness);
    hover(&mut harness, at);
    wheel(&mut harness, vec2(0.0, -4000.0), Modifiers::NONE);
    assert_eq!(view(&harness), before, "the wheel zooms");
    assert!(trace(&harness).is_some(), "{:?}", texts(&harness));
}

fn the_view_never_leaves_the_recording() {
    let mut harness = harness(demo::lanes());
    harness.state_mut().panel.fit_all();
    let all = view(&harness);
    let panel = &mut harness.state_mut().panel;
    for (begin, end) in [(-50.0, 1e3), (all.begin - 9.0, all.begin + 1.0), (all.end - 1.0, all.end + 9.0)] {
        let asked = View { begin, end };
        panel.set_view(asked);
        let shown = panel.view();
        let is_within = shown.begin >= all.begin && shown.end <= all.end + all.length() * 1e-12;
        assert!(is_within, "{asked:?} shows {shown:?} of {all:?}");
        let length = asked.length().min(all.length());
        assert!((shown.length() - length).abs() < length * 1e-9, "{asked:?} shows {shown:?}");
    }
    // By keys as well.
    let at = middle(&harness);
    hover(&mut harness, at);
    harness.state_mut().panel.fit_frames(0, 0);
    for key in [Key::A, Key::S] {
        harness.key_down(key);
        harness.run_steps(120);
        harness.key_up(key);
        harness.step();
        assert!(view(&harness).begin >= all.begin && view(&harness).length() <= all.length());
    }
    assert_eq!(view(&harness), all);
}

fn dragging_selects_a_range_and_counts_it() {
    let mut harness = harness(demo::lanes());
    // Room for the whole table.
    harness.set_size(vec2(SIZE.x, 3000.0));
    settle(&mut harness);
    let tracks = harness.state().panel.tracks_rect();
    let (left, _) = harness.state().panel.frame_px(1).unwrap();
    let (_, right) = harness.state().panel.frame_px(2).unwrap();
    let y = tracks.top() + 60.0;
    drag(&mut harness, pos2(left + 1.5, y), pos2(right - 1.5, y), PointerButton::Primary);
    // Ends near a frame's begin are meant to be there.
    let range = harness.state().panel.selected_range().unwrap();
    assert!((range.begin_frame - 1.0).abs() < 1e-9 && (range.end_frame - 3.0).abs() < 1e-9, "{range:?}");
    let told = harness.state().answers.iter().find_map(|answer| answer.range);
    assert_eq!(told, Some(RangeChange::Selected(range)));
    // Two frames hold eight draws of 64 bytes.
    for text in ["33.33 ms selected, frames 1.000 to 3.000", "DRAW", "512", "UPLOAD_BUFFER"] {
        assert!(shows(&harness, text), "{text}");
    }
    hover(&mut harness, pos2(tracks.center().x, y));
    harness.key_press(Key::F);
    settle(&mut harness);
    assert_eq!(harness.state().panel.visible_frames(), 0..4);
    harness.key_press(Key::Escape);
    settle(&mut harness);
    assert_eq!(harness.state().panel.selected_range(), None);
    assert_eq!(harness.state().answers.iter().rev().find_map(|answer| answer.range), Some(RangeChange::Cleared));
}

fn scopes_of_a_range_are_a_tree_and_a_flame_graph() {
    let mut harness = harness(demo::lanes());
    harness.set_size(vec2(SIZE.x, 3000.0));
    settle(&mut harness);
    let tracks = harness.state().panel.tracks_rect();
    let (left, right) = harness.state().panel.frame_px(1).unwrap();
    let y = tracks.top() + 60.0;
    drag(&mut harness, pos2(left + 1.5, y), pos2(right - 1.5, y), PointerButton::Primary);
    // Room for all trees: the edge of their panel is above the heading.
    let heading = texts(&harness).into_iter().find(|(text, _)| text.contains(" selected, frames ")).expect("a range").1;
    let edge = heading - vec2(0.0, 5.0);
    drag(&mut harness, edge, edge - vec2(0.0, 1800.0), PointerButton::Primary);
    let at = place_of(&harness, "tree");
    click(&mut harness, at);
    settle(&mut harness);
    // The scopes of one frame on each thread: 40 steps in each of six scopes, of which three names come twice.
    for text in ["game.wtf-trace › main thread", "game.wtf-trace › worker", "6.30 ms", "stream textures", "80"] {
        let is_shown = texts(&harness).iter().any(|(shown, _)| shown.trim() == text || shown.ends_with(text));
        assert!(is_shown, "{text:?} is not among {:?}", texts(&harness));
    }
    let physics = |harness: &Panel<'_>| texts(harness).iter().filter(|(text, _)| text.ends_with(" physics")).count();
    assert_eq!(physics(&harness), 1);
    let update = texts(&harness).into_iter().find(|(text, _)| text == "⏷ update").expect("an open node").1;
    click(&mut harness, update + vec2(3.0, 6.0));
    assert_eq!(physics(&harness), 0, "its insides are hidden");
    let at = place_of(&harness, "flame");
    click(&mut harness, at);
    settle(&mut harness);
    let bars = |harness: &Panel<'_>, name: &str| -> Vec<Pos2> {
        let heading = place_of(harness, "game.wtf-trace › main thread").y;
        let found = texts(harness).into_iter().filter(|(text, at)| text == name && at.y > heading);
        found.map(|(_, at)| at).collect()
    };
    let [render] = bars(&harness, "render")[..] else { panic!("{:?}", texts(&harness)) };
    let [update] = bars(&harness, "update")[..] else { panic!("{:?}", texts(&harness)) };
    let [frame] = bars(&harness, "frame")[..] else { panic!("{:?}", texts(&harness)) };
    assert!(render.y == update.y && frame.y < render.y, "inside of the frame, side by side");
    click(&mut harness, render + vec2(3.0, 4.0));
    assert!(bars(&harness, "update").is_empty() && bars(&harness, "submit draws").len() == 1);
    let at = place_of(&harness, "⏴ everything");
    click(&mut harness, at);
    assert_eq!(bars(&harness, "update").len(), 1);
    // Without a range: everything.
    hover(&mut harness, pos2(tracks.center().x, y));
    harness.key_press(Key::Escape);
    settle(&mut harness);
    let at = place_of(&harness, "statistics");
    click(&mut harness, at);
    settle(&mut harness);
    let at = place_of(&harness, "tree");
    click(&mut harness, at);
    settle(&mut harness);
    // The scopes of the first frame lie in one that was never entered.
    assert!(shows(&harness, &((demo::FRAMES - 1) * 80).to_string()), "the steps of the other frames");
}

fn frames_have_the_colour_of_their_budget() {
    let filled = |harness: &Panel<'_>, y: f32| -> Vec<egui::Color32> {
        fn collect(shape: &Shape, y: f32, into: &mut Vec<(f32, egui::Color32)>) {
            match shape {
                Shape::Mesh(mesh) => {
                    let of_row = |vertex: &&egui::epaint::Vertex| (vertex.pos.y - y).abs() < 0.6;
                    into.extend(mesh.vertices.iter().filter(of_row).map(|vertex| (vertex.pos.x, vertex.color)));
                }
                Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, y, into)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        harness.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, y, &mut all));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut colours: Vec<egui::Color32> = all.into_iter().map(|(_, colour)| colour).collect();
        colours.dedup();
        colours
    };
    let mut harness = harness(demo::lanes_of_lengths(&[10_000, 20_000, 40_000, 10_000]));
    settle(&mut harness);
    let strip = harness.state().panel.tracks_rect().top() - 18.0;
    let colours = filled(&harness, strip);
    let [within, beyond, far, again] = colours[..] else { panic!("{colours:?}") };
    assert!(within == again && within.g() > within.r(), "{colours:?}");
    assert!(beyond.r() > beyond.g() && beyond.g() > beyond.b() && far.r() > 2 * far.g(), "{colours:?}");
    assert!(shows(&harness, "1 over") && shows(&harness, "1 over twice"), "{:?}", texts(&harness));
    // Where nobody recorded time there is no budget to keep.
    let harness = self::harness(demo::lanes_without_clock());
    assert!(!shows(&harness, "budget"), "{:?}", texts(&harness));
}

fn clicking_selects_and_seeks() {
    let mut harness = harness(demo::lanes());
    // Room for the annotations and the trace below them.
    harness.set_size(vec2(SIZE.x, 1200.0));
    harness.state_mut().panel.fit_frames(3, 3);
    settle(&mut harness);
    let draws: Vec<Pos2> = texts(&harness).into_iter().filter(|(text, _)| text == "DRAW").map(|(_, at)| at).collect();
    assert_eq!(draws.len() as u64, demo::DRAWS);
    for (index, at) in draws.iter().enumerate() {
        harness.state_mut().answers.clear();
        click(&mut harness, *at + vec2(4.0, 5.0));
        let answer = harness.state().answers.iter().find_map(|answer| answer.seek).unwrap();
        assert_eq!(answer.place, Place::at_draw(FrameIndex(3), index as u32));
        assert!(answer.record.is_some());
        assert!(shows(&harness, "offset"), "arguments are decoded");
    }
    // A click on an annotation seeks to the frame beside it.
    harness.state_mut().panel.fit_frames(4, 4);
    harness.state_mut().answers.clear();
    settle(&mut harness);
    let physics = place_of(&harness, "render");
    click(&mut harness, physics);
    let answer = harness.state().answers.iter().find_map(|answer| answer.seek).unwrap();
    assert_eq!((answer.place, answer.record), (Place::end_of(FrameIndex(4)), None));
    let hit = harness.state().answers.iter().find_map(|answer| answer.selected).unwrap();
    assert!(matches!(hit.target, Target::Span(_)));
}

fn marks_are_set_and_cleared_at_the_pointer() {
    let mut harness = harness(demo::lanes());
    let rect = harness.state().panel.tracks_rect();
    let (left, right) = harness.state().panel.frame_px(2).unwrap();
    for x in [left + (right - left) * 0.5, rect.center().x + 200.0] {
        hover(&mut harness, pos2(x, rect.top() + 40.0));
        harness.key_press(Key::M);
        harness.step();
    }
    let marks = harness.state().panel.marks();
    assert_eq!(marks.len(), 2);
    assert!((marks[0] - 2.5).abs() < 0.02, "{marks:?}");
    assert!(shows(&harness, "2 · +"), "the distance between marks is shown");
    assert!(harness.state().answers.iter().filter(|answer| answer.has_new_marks).count() == 2);
    harness.key_press(Key::M);
    harness.step();
    assert_eq!(harness.state().panel.marks().len(), 1);
    harness.state_mut().panel.set_marks(&[4.25, 1.0]);
    let marks = harness.state().panel.marks();
    assert!((marks[0] - 1.0).abs() < 1e-9 && (marks[1] - 4.25).abs() < 1e-9);
}

fn alignment_stands_in_the_corner() {
    let mut harness = harness(demo::lanes());
    assert!(shows(&harness, "unaligned"));
    assert!(shows(&harness, "expected 6 frames as in the trace, found 3 in the annotation"));
    assert!(shows(
        &harness,
        "frame 0 is frame 0 of the trace (frames:0=0): 6 of 6 frames matched; second best: frames:0=1"
    ));
    assert!(shows(&harness, "axis: time as recorded in game.wtf-trace"));
    // What is not aligned has its own axis: zooming there leaves the common one alone.
    let (before, at) = (view(&harness), place_of(&harness, "other.wip15"));
    let at = pos2(middle(&harness).x, at.y + 40.0);
    hover(&mut harness, at);
    wheel(&mut harness, vec2(0.0, 100.0), Modifiers::COMMAND);
    assert_eq!(view(&harness), before);
    let only = vec![demo::beside("x", &demo::trace(), demo::calls(2))];
    let alone = self::harness(only);
    assert!(shows(&alone, "unaligned"));
}

fn names_fold_tracks_away() {
    let mut harness = harness(demo::lanes());
    let groups = |harness: &Panel<'_>| texts(harness).iter().filter(|(text, _)| text == "debug groups").count();
    assert_eq!(groups(&harness), 2);
    let at = place_of(&harness, "context 0x1");
    click(&mut harness, at);
    assert_eq!(groups(&harness), 1);
    click(&mut harness, at);
    assert_eq!(groups(&harness), 2);
    let at = place_of(&harness, "game.wtf-trace");
    click(&mut harness, pos2(20.0, at.y));
    assert!(!shows(&harness, "main thread") && shows(&harness, "game.wtf-trace"));
}

fn filters_find_and_step_through_matches() {
    let mut harness = harness(demo::lanes());
    harness.state_mut().panel.set_filter("DRAW");
    settle(&mut harness);
    assert_eq!(harness.state().panel.match_count(), Some(demo::FRAMES * demo::DRAWS));
    harness.state_mut().panel.set_view(View { begin: 0.0, end: 1e3 });
    let at = middle(&harness) - vec2(0.0, 150.0);
    hover(&mut harness, at);
    let mut seen = Vec::new();
    for (key, count) in [(Modifiers::NONE, 6), (Modifiers::SHIFT, 3)] {
        for _ in 0..count {
            harness.state_mut().answers.clear();
            harness.key_press_modifiers(key, Key::N);
            harness.step();
            let seek = harness.state().answers.iter().find_map(|answer| answer.seek).unwrap();
            let Point::Draw(draw) = seek.place.point else { panic!("{}", seek.place) };
            seen.push((seek.place.frame.0, draw));
        }
    }
    assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 0), (0, 3), (0, 2)]);
    harness.state_mut().panel.set_filter("glDrawElements or vsync");
    settle(&mut harness);
    let calls: u64 = (0..demo::FRAMES).chain(0..3).map(|frame| (20 + frame * 5) / 3).sum();
    assert_eq!(harness.state().panel.match_count(), Some(calls + demo::FRAMES));
    harness.state_mut().panel.set_filter("*(offset == 88)");
    settle(&mut harness);
    assert_eq!(harness.state().panel.match_count(), Some(1));
    harness.state_mut().panel.set_filter("a b");
    settle(&mut harness);
    assert!(shows(&harness, "expected and, or, or the end, found 'b', at byte 2 of the filter"));
}

fn hovering_tells_what_is_there() {
    let mut harness = harness(demo::lanes());
    harness.state_mut().panel.fit_frames(0, 0);
    settle(&mut harness);
    let at = place_of(&harness, "update");
    hover(&mut harness, at);
    harness.run_steps(60);
    assert!(shows(&harness, "depth 1") && shows(&harness, "length 6.30 ms"), "{:?}", texts(&harness));
    let at = place_of(&harness, "boot");
    hover(&mut harness, at);
    harness.run_steps(60);
    assert!(shows(&harness, "no beginning: the recording began inside this event"));
    // A file without a clock says nothing of milliseconds, whoever beside it has one.
    let at = place_of(&harness, "UPLOAD_BUFFER");
    hover(&mut harness, at);
    harness.run_steps(60);
    let told: Vec<String> = texts(&harness).into_iter().map(|(text, _)| text).collect();
    let length = told.iter().position(|text| text == "length 200 bytes");
    let begin = length.and_then(|length| told.get(length - 1)).unwrap_or_else(|| panic!("{told:?}"));
    assert!(begin.starts_with("byte 112 (frame 0.") && !begin.contains(" ms"), "{begin}");
}

fn keys_are_left_alone_where_they_belong_to_others() {
    let mut harness = harness(demo::lanes());
    let start = view(&harness);
    harness.key_press(Key::W);
    harness.step();
    assert_eq!(view(&harness), start, "the pointer is elsewhere");
    harness.state_mut().context.keys = Keys::Never;
    let at = middle(&harness);
    hover(&mut harness, at);
    harness.key_press(Key::W);
    harness.step();
    assert_eq!(view(&harness), start);
    harness.state_mut().context.keys = Keys::Always;
    harness.remove_cursor();
    harness.step();
    harness.key_press(Key::W);
    harness.step();
    assert!(view(&harness).length() < start.length());
    // While a text is typed, letters are letters.
    let before = view(&harness);
    harness.key_press(Key::Slash);
    harness.step();
    harness.step();
    harness.event(Event::Text("w".into()));
    harness.key_press(Key::W);
    harness.step();
    assert_eq!((view(&harness), harness.state().panel.filter()), (before, "w"));
}

fn odd_timelines_are_shown_too() {
    let mut lanes = vec![demo::reference()];
    lanes.push(demo::beside("endless", &demo::trace(), demo::endless()));
    let mut harness = harness(lanes);
    let at = middle(&harness);
    hover(&mut harness, at);
    wheel(&mut harness, vec2(0.0, -5000.0), Modifiers::NONE);
    wheel(&mut harness, vec2(0.0, 5000.0), Modifiers::COMMAND);
    wheel(&mut harness, vec2(0.0, -9000.0), Modifiers::COMMAND);
    assert!(view(&harness).begin.is_finite() && view(&harness).length() > 0.0);
    let mut nothing = self::harness(Vec::new());
    let at = middle(&nothing);
    click(&mut nothing, at);
    drag(&mut nothing, at, at + vec2(50.0, 5.0), PointerButton::Primary);
    harness.set_size(vec2(60.0, 40.0));
    settle(&mut harness);
}

/// Everything that a track can hold, with a selection, marks and the player's place.
fn picture(_: Arc<Gpu>) {
    let size = vec2(SIZE.x, 920.0);
    let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).with_max_steps(200).wgpu();
    let mut harness = builder.build_ui_state(show, app(demo::lanes()));
    settle(&mut harness);
    let context = TimelineContext {
        place: Some(Place::at_draw(FrameIndex(3), 1)),
        thumbnails_height_px: 0.0,
        keys: Keys::Hovered,
    };
    harness.state_mut().context = context;
    harness.state_mut().panel.set_marks(&[1.5, 4.25]);
    let (left, _) = harness.state().panel.frame_px(2).unwrap();
    let (_, right) = harness.state().panel.frame_px(2).unwrap();
    let y = harness.state().panel.tracks_rect().top() + 30.0;
    drag(&mut harness, pos2(left, y), pos2(right, y), PointerButton::Primary);
    let at = place_of(&harness, "render");
    click(&mut harness, at);
    harness.remove_cursor();
    settle(&mut harness);
    compare(&mut harness, "timeline");
}

/// A hundred thousand spans at once, in the light, with something looked for.
fn picture_of_many(_: Arc<Gpu>) {
    let size = vec2(SIZE.x, 420.0);
    let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).with_max_steps(200);
    let lanes = vec![demo::reference(), demo::beside("many.wtf-trace", &demo::trace(), demo::many())];
    let mut harness = builder.with_theme(egui::Theme::Light).wgpu().build_ui_state(show, app(lanes));
    settle(&mut harness);
    harness.state_mut().panel.set_filter("job");
    settle(&mut harness);
    assert!(shows(&harness, "found"));
    compare(&mut harness, "timeline_many");
}

/// Holds what is drawn against a picture that was looked at; `BLESS=1` writes it.
fn compare(harness: &mut Panel<'_>, name: &str) {
    let image = harness.render().unwrap();
    let size = Size { width_px: image.width(), height_px: image.height() };
    let found = Picture::new(size, image.into_raw()).unwrap();
    let path = root().join(format!("golden/inspector/{name}.png"));
    if is_blessing() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_png(&found, &[], File::create(&path).unwrap()).unwrap();
        return;
    }
    let missing = format!("{} is missing: BLESS=1 cargo test --test gpu inspector_timeline::", path.display());
    let expected = read_png(BufReader::new(File::open(&path).expect(&missing))).unwrap();
    let judgement = judge(&expected, &found, &[], Check::OTHER_MACHINE);
    assert!(judgement.is_same, "{judgement}");
}

pub fn trials() -> Vec<Trial> {
    let tests: &[(&str, fn())] = &[
        ("zoom_keeps_what_is_under_the_pointer", zoom_keeps_what_is_under_the_pointer),
        ("the_view_moves_by_keys_wheel_and_middle_button", the_view_moves_by_keys_wheel_and_middle_button),
        (
            "annotations_are_on_top_and_the_wheel_scrolls_to_the_trace",
            annotations_are_on_top_and_the_wheel_scrolls_to_the_trace,
        ),
        ("the_view_never_leaves_the_recording", the_view_never_leaves_the_recording),
        ("dragging_selects_a_range_and_counts_it", dragging_selects_a_range_and_counts_it),
        ("scopes_of_a_range_are_a_tree_and_a_flame_graph", scopes_of_a_range_are_a_tree_and_a_flame_graph),
        ("frames_have_the_colour_of_their_budget", frames_have_the_colour_of_their_budget),
        ("clicking_selects_and_seeks", clicking_selects_and_seeks),
        ("marks_are_set_and_cleared_at_the_pointer", marks_are_set_and_cleared_at_the_pointer),
        ("alignment_stands_in_the_corner", alignment_stands_in_the_corner),
        ("names_fold_tracks_away", names_fold_tracks_away),
        ("filters_find_and_step_through_matches", filters_find_and_step_through_matches),
        ("hovering_tells_what_is_there", hovering_tells_what_is_there),
        ("keys_are_left_alone_where_they_belong_to_others", keys_are_left_alone_where_they_belong_to_others),
        ("odd_timelines_are_shown_too", odd_timelines_are_shown_too),
    ];
    let plain = tests.iter().map(|(name, test)| {
        let test = *test;
        Trial::test(*name, move || {
            test();
            Ok(())
        })
    });
    let pictures = [software::trial("picture", picture), software::trial("picture_of_many", picture_of_many)];
    plain.chain(pictures).collect()
}
