//! Room: in a small window, too, each panel has a place of its own, and most of it is the picture's.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use egui::{Color32, Key, Modifiers, Rect, Shape, Vec2, vec2};

use super::stage::{SIZE, Setup, Stage};
use super::support::fixture;

/// Colours of a panel, and of the space around the picture.
const PANEL: Color32 = Color32::from_gray(27);
const AROUND_THE_PICTURE: Color32 = Color32::from_gray(33);

/// Contrast that WCAG 2 asks for.
const LEAST_CONTRAST: f32 = 4.5;

/// Every rectangle on the screen that is filled with a colour.
fn filled(stage: &Stage, with: Color32) -> Vec<Rect> {
    fn collect(shape: &Shape, with: Color32, into: &mut Vec<Rect>) {
        match shape {
            Shape::Rect(shape) if shape.fill == with => into.push(shape.rect),
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, with, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    let shapes = &stage.harness.output().shapes;
    shapes.iter().for_each(|clipped| collect(&clipped.shape, with, &mut all));
    all
}

/// The panels. What surrounds all of them is the harness's own.
fn panels(stage: &Stage) -> Vec<Rect> {
    let mut panels = filled(stage, PANEL);
    let everything = panels.iter().copied().reduce(Rect::union).expect("panels");
    panels.retain(|panel| panel.width() < everything.width() || panel.height() < everything.height());
    panels
}

/// Every text and the part of it that can be seen.
fn visible_texts(stage: &Stage) -> Vec<(String, Rect)> {
    fn collect(shape: &Shape, clip: Rect, into: &mut Vec<(String, Rect)>) {
        match shape {
            Shape::Text(text) => {
                for row in &text.galley.rows {
                    // Where its letters are; the row itself may begin where the text before it began.
                    let letters = row.visuals.mesh_bounds.translate(row.pos.to_vec2() + text.pos.to_vec2());
                    let place = letters.intersect(clip);
                    if place.is_positive() {
                        into.push((row.text(), place));
                    }
                }
            }
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    let shapes = &stage.harness.output().shapes;
    shapes.iter().for_each(|clipped| collect(&clipped.shape, clipped.clip_rect, &mut all));
    all
}

/// No panel lies on another, no text on another, and the picture has `least`.
#[track_caller]
fn assert_orderly(stage: &Stage, size: Vec2, least: Vec2) {
    let screen = Rect::from_min_size(egui::Pos2::ZERO, size).expand(0.5);
    let mut panels = panels(stage);
    assert!(panels.len() >= 6, "toolbar, status, timeline, events, tabs and settings: {panels:?}");
    let room = filled(stage, AROUND_THE_PICTURE).into_iter().reduce(Rect::union).expect("the picture's room");
    assert!(room.width() >= least.x && room.height() >= least.y, "{size}: the picture has {room:?} of it");
    panels.push(room);
    for (index, panel) in panels.iter().enumerate() {
        assert!(screen.contains_rect(*panel), "{size}: {panel:?} is not on the screen");
        for other in &panels[..index] {
            let common = panel.intersect(*other).shrink(0.5);
            assert!(!common.is_positive(), "{size}: {panel:?} and {other:?} overlap");
        }
    }
    let texts = visible_texts(stage);
    for (index, (text, place)) in texts.iter().enumerate() {
        for (other, other_place) in &texts[..index] {
            let common = place.intersect(*other_place);
            let is_readable = common.width() < 2.0 || common.height() < 4.0;
            assert!(is_readable, "{size}: {text:?} at {place:?} lies on {other:?} at {other_place:?}");
        }
    }
}

pub fn a_small_window_has_room_for_the_picture(_: Arc<Gpu>) {
    let sizes = [(vec2(640.0, 400.0), vec2(240.0, 120.0)), (vec2(480.0, 320.0), vec2(170.0, 80.0))];
    let mut stage = Setup::of(fixture("upload_between_draws")).start();
    let (at_first, room) = (panels(&stage), vec2(400.0, 300.0));
    assert_orderly(&stage, SIZE, room);
    for (size, least) in sizes {
        stage.harness.set_size(size);
        stage.settle();
        assert_orderly(&stage, size, least);
        // The same where a window is small from the start.
        let mut small = Setup { size, ..Setup::of(fixture("upload_between_draws")) }.start();
        assert_orderly(&small, size, least);
        small.harness.set_size(SIZE);
        small.settle();
        assert_eq!(panels(&small), at_first, "from {size}");
    }
    stage.harness.set_size(SIZE);
    stage.settle();
    assert_eq!(panels(&stage), at_first, "a window that is large again has the panels that it had");
}

/// The line between the picture and a panel is caught on its left and on its right.
pub fn separators_are_caught_on_both_sides(_: Arc<Gpu>) {
    let mut stage = Setup::of(fixture("upload_between_draws")).start();
    let room = |stage: &Stage| filled(stage, AROUND_THE_PICTURE).into_iter().reduce(Rect::union).expect("the room");
    for side in [-3.0, 3.0] {
        let before = room(&stage);
        let at = egui::pos2(before.right() + side, before.center().y);
        stage.drag(at, at - vec2(40.0, 0.0));
        let narrower = room(&stage);
        assert!((narrower.right() - before.right() + 40.0).abs() < 6.0, "{side}: {before:?}, {narrower:?}");
        let at = egui::pos2(narrower.left() + side, narrower.center().y);
        stage.drag(at, at + vec2(20.0, 0.0));
        assert!((room(&stage).left() - before.left() - 20.0).abs() < 6.0, "{side}: {:?}", room(&stage));
        let below = room(&stage);
        let at = egui::pos2(below.center().x, below.bottom() + side);
        stage.drag(at, at - vec2(0.0, 30.0));
        assert!((room(&stage).bottom() - below.bottom() + 30.0).abs() < 6.0, "{side}: {:?}", room(&stage));
    }
}

/// A text, its colour, and what it lies on.
struct Painted {
    text: String,
    ink: Color32,
    ground: Color32,
}

/// Every text that is seen, with what was painted below it.
fn painted(stage: &Stage) -> Vec<Painted> {
    /// Shapes that cover a place from here on.
    type Grounds = Vec<(Rect, Color32)>;
    fn collect(shape: &Shape, clip: Rect, grounds: &mut Grounds, into: &mut Vec<Painted>) {
        match shape {
            Shape::Rect(shape) if shape.fill.is_opaque() => grounds.push((shape.rect.intersect(clip), shape.fill)),
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, grounds, into)),
            Shape::Text(shape) => {
                let format = shape.galley.job.sections.first().map(|section| section.format.color);
                let own = format.filter(|color| *color != Color32::PLACEHOLDER).unwrap_or(shape.fallback_color);
                let ink = shape.override_text_color.unwrap_or(own).gamma_multiply(shape.opacity_factor);
                let letters = shape.galley.mesh_bounds.translate(shape.pos.to_vec2()).intersect(clip);
                let center = letters.center();
                let ground = grounds.iter().rev().find(|(rect, _)| rect.contains(center));
                if letters.is_positive()
                    && let Some((_, ground)) = ground
                {
                    let ink = Color32::from(
                        egui::Rgba::from(ink) + egui::Rgba::from(*ground) * (1.0 - egui::Rgba::from(ink).a()),
                    );
                    into.push(Painted { text: shape.galley.text().to_owned(), ink, ground: *ground });
                }
            }
            _ => {}
        }
    }
    let (mut grounds, mut all) = (Vec::new(), Vec::new());
    let shapes = &stage.harness.output().shapes;
    shapes.iter().for_each(|clipped| collect(&clipped.shape, clipped.clip_rect, &mut grounds, &mut all));
    all
}

/// The ratio that WCAG 2 asks for between what is read and what it lies on.
fn contrast(one: Color32, other: Color32) -> f32 {
    let luminance = |color: Color32| {
        let [red, green, blue, _] = egui::Rgba::from(color).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Every text can be read, in both themes: in each tab, with pictures compared and a message in the last line.
pub fn texts_can_be_read_in_both_themes(_: Arc<Gpu>) {
    let tabs = [Key::F2, Key::F3, Key::F4, Key::F5, Key::F6, Key::F7, Key::F8, Key::F9, Key::F10];
    let mut stage = Setup::of(fixture("frames")).start();
    stage.key(Key::ArrowRight);
    stage.key(Key::Num1);
    for theme in ["dark", "light"] {
        let mut count = 0;
        for tab in tabs {
            stage.key(tab);
            // The pointer's place is told in the last line, beside the message of the comparison.
            stage.harness.hover_at(egui::pos2(600.0, 400.0));
            stage.settle();
            // A button that does nothing now is pale.
            let can_be_read = painted(&stage).into_iter().filter(|painted| painted.text != "whole frame");
            for Painted { text, ink, ground } in can_be_read {
                let found = contrast(ink, ground);
                assert!(found >= LEAST_CONTRAST, "{theme}, {tab:?}: {text:?} of {ink:?} on {ground:?}: {found}");
                count += 1;
            }
            let texts = visible_texts(&stage);
            for (index, (text, place)) in texts.iter().enumerate() {
                for (other, other_place) in &texts[..index] {
                    let common = place.intersect(*other_place);
                    let is_readable = common.width() < 2.0 || common.height() < 4.0;
                    assert!(
                        is_readable,
                        "{theme}, {tab:?}: {text:?} at {place:?} lies on {other:?} at {other_place:?}"
                    );
                }
            }
        }
        assert!(count > 500, "{theme}: {count} texts");
        assert!(stage.shows("difference from previous frame"), "{:?}", stage.texts());
        stage.key_with(Modifiers::COMMAND, Key::L);
    }
}
