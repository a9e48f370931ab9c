//! Escape goes back: it leaves what was done last in front, one thing after the other, and never the window.

use std::sync::Arc;

use aerogpu_replay::command::Point;
use aerogpu_replay::gpu::Gpu;
use egui::{Key, Modifiers, vec2};

use super::IN_PICTURE;
use super::stage::{Setup, Stage};
use super::support::fixture;

fn start<'a>(name: &str) -> Stage<'a> {
    let mut stage = Setup::of(fixture(name)).start();
    stage.harness.hover_at(IN_PICTURE);
    stage.settle();
    stage
}

pub fn escape_leaves_one_thing_after_the_other(_: Arc<Gpu>) {
    let mut stage = start("frames");
    let on_ruler = stage.places().into_iter().find(|(text, _)| text == "0.5").expect("a ruler").1;
    let has_range = |stage: &Stage| stage.texts().iter().any(|text| text.contains(" selected, frames "));
    let compares = |stage: &Stage| stage.shows("difference from previous frame");
    let has_overlay = |stage: &Stage| stage.shows("no overlay");
    let has_pixel = |stage: &Stage| !stage.shows("Click a pixel");
    stage.key(Key::F6);
    assert!(!has_pixel(&stage), "{:?}", stage.texts());
    stage.key(Key::End);
    stage.drag(on_ruler + vec2(0.0, 40.0), on_ruler + vec2(80.0, 40.0));
    stage.click_at(IN_PICTURE);
    stage.key(Key::O);
    stage.key(Key::Num1);
    let known = |stage: &Stage| [compares(stage), has_overlay(stage), has_range(stage), has_pixel(stage)];
    assert_eq!(known(&stage), [true; 4], "{:?}", stage.texts());
    for left in [[false, true, true, true], [false, false, true, true], [false, false, false, true], [false; 4]] {
        stage.assert_at(3, Point::End);
        stage.key(Key::Escape);
        assert_eq!(known(&stage), left, "{:?}", stage.texts());
    }
    stage.assert_at(3, Point::End);
    stage.key(Key::Escape);
    stage.assert_at(0, Point::End);
    for _ in 0..3 {
        stage.key(Key::Escape);
        stage.assert_at(0, Point::End);
    }
    assert!(!stage.inspector().has_quit());
}

pub fn escape_closes_the_dialog_and_a_list(_: Arc<Gpu>) {
    let mut stage = start("frames");
    stage.key(Key::O);
    assert!(stage.shows("no overlay"));
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.strokes("some/path");
    stage.key(Key::Escape);
    assert!(!stage.shows("Open a trace") && stage.shows("no overlay"), "{:?}", stage.texts());
    // Without the keyboard in its field, too.
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.click("Open a trace");
    stage.key(Key::Escape);
    assert!(!stage.shows("Open a trace") && stage.shows("no overlay"), "{:?}", stage.texts());
    stage.click("overlay: overdraw");
    assert!(stage.shows("pixel age"), "{:?}", stage.texts());
    stage.key(Key::Escape);
    assert!(!stage.shows("pixel age") && stage.shows("no overlay"), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.inspector().has_quit(), "in the dialog, too");
}
