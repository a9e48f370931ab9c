//! Inputs by chance: nothing breaks, nothing grows, and what is typed into a field in between goes nowhere else.
//!
//! `SOAK=10000 cargo test --test gpu random_inputs` does as many.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, TouchPhase, pos2, vec2};

use super::stage::{SIZE, Setup, Stage};
use super::support::fixture;

const INPUTS: usize = 600;
/// Inputs between two looks at what is held.
const ROUND: usize = 100;
/// Memory may swing by this much: textures of pictures, texts of rows.
const SLACK_BYTES: u64 = 64 << 20;

/// Everything but what opens, closes or hides everything for long.
const KEYS: [Key; 34] = [
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::ArrowUp,
    Key::ArrowDown,
    Key::Home,
    Key::End,
    Key::Space,
    Key::Backspace,
    Key::Num0,
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num9,
    Key::Plus,
    Key::Minus,
    Key::F2,
    Key::F3,
    Key::F4,
    Key::F5,
    Key::F6,
    Key::F7,
    Key::F8,
    Key::Tab,
    Key::F11,
    Key::G,
    Key::I,
    Key::X,
    Key::N,
    Key::W,
    Key::D,
    Key::F,
    Key::M,
    Key::Y,
];

/// A small generator of its own, so that a seed means the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Every letter of it is a shortcut somewhere.
const LETTERS: &[u8] = b"qixgsnyfmwad0123456789";

/// Types into the shader's text and the filter, while what was typed is compiled and drawn.
fn type_by_chance(stage: &mut Stage, chance: &mut Chance) {
    stage.key_with(Modifiers::SHIFT, Key::X);
    stage.key(Key::End);
    stage.key(Key::F5);
    stage.click("fragment");
    stage.click("WGSL");
    let known = |stage: &Stage| {
        let saved = stage.host.saved.lock().unwrap().len();
        (stage.inspector().place(), stage.inspector().has_quit(), saved, stage.shows("no overlay"))
    };
    let before = known(stage);
    let blob = stage.places().into_iter().find(|(text, _)| text.starts_with("blob ")).expect("a text").1;
    stage.click_at(blob + vec2(40.0, 40.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    let mut typed = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(0.0, 1.0, 1.0, 1.0); } // ".to_owned();
    stage.harness.event(Event::Text(typed.clone()));
    stage.harness.step();
    let mut type_on = |stage: &mut Stage, typed: &mut String, count: usize| {
        for _ in 0..count {
            let letter = char::from(LETTERS[chance.below(LETTERS.len())]);
            typed.push(letter);
            stage.strokes(&letter.to_string());
            if chance.below(4) == 0 {
                stage.settle();
            }
        }
    };
    type_on(stage, &mut typed, 8);
    stage.settle();
    assert!(stage.shows(&typed), "{typed:?} is not what is there: {:?}", stage.texts());
    // Out of the text and into the filter at once.
    stage.key(Key::Escape);
    stage.strokes_at_once("/");
    stage.key_with(Modifiers::COMMAND, Key::A);
    let mut filter = "name".to_owned();
    stage.strokes_at_once(&filter);
    type_on(stage, &mut filter, 4);
    stage.settle();
    assert!(stage.shows(&filter) && stage.shows(&typed), "{filter:?}: {:?}", stage.texts());
    stage.key(Key::Escape);
    assert_eq!(known(stage), before);
    // Without the filter again.
    stage.strokes_at_once("/");
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.key(Key::Backspace);
    stage.key(Key::Escape);
}

/// Closes what was opened in front, so that inputs reach the rest too, and pauses: draws are played over and over, each is
/// asked for, and there is no rest before that ends.
fn come_to_rest(stage: &mut Stage) {
    // The keyboard's field, the sheet of keys and the dialog may lie over each other, and Ctrl Q may have been pressed with
    // edits that are not saved. Keys may be waiting for a field that never comes.
    for _ in 0..3 {
        stage.harness.run_steps(12);
        stage.harness.key_press(Key::Escape);
        stage.harness.step();
    }
    if let Some((_, at)) = stage.places().into_iter().find(|(text, _)| text == "Cancel") {
        stage.press_at(at + vec2(4.0, 6.0));
    }
    stage.harness.hover_at(pos2(600.0, 400.0));
    stage.harness.step();
    if stage.inspector().title().contains(", playing") {
        stage.harness.key_press(Key::Space);
        stage.wait_for("a pause", |stage| !stage.inspector().title().contains(", playing"));
    }
    stage.settle();
}

fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

pub fn random_inputs_do_no_harm(_: Arc<Gpu>) {
    let inputs = std::env::var("SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(INPUTS);
    let mut stage = Setup::of(fixture("upload_between_draws")).start();
    let mut chance = Chance(20261121);
    let mut held = Vec::new();
    for number in 0..inputs {
        let at = pos2(chance.below(SIZE.x as usize) as f32, chance.below(SIZE.y as usize) as f32);
        match chance.below(10) {
            0..=4 => {
                let key = KEYS[chance.below(KEYS.len())];
                let modifiers = if chance.below(5) == 0 { Modifiers::SHIFT } else { Modifiers::NONE };
                stage.harness.key_press_modifiers(modifiers, key);
            }
            5 => stage.harness.hover_at(at),
            6 | 7 => {
                stage.harness.hover_at(at);
                for pressed in [true, false] {
                    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
                    stage.harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
                }
            }
            8 => {
                let delta = vec2(0.0, chance.below(200) as f32 - 100.0);
                let (unit, modifiers) = (MouseWheelUnit::Point, Modifiers::NONE);
                let source = egui::MouseWheelSource::Wheel;
                stage.harness.event(Event::MouseWheel { unit, delta, phase: TouchPhase::Move, source, modifiers });
            }
            _ => stage.harness.event(Event::Text(["DRAW", "x > 1", "(", "}", "é"][chance.below(5)].to_owned())),
        }
        stage.harness.step();
        if number % ROUND == ROUND - 1 {
            come_to_rest(&mut stage);
            type_by_chance(&mut stage, &mut chance);
            let objects = stage.inspector().gpu_objects().expect("objects are counted");
            held.push((objects, resident_bytes()));
        }
    }
    stage.harness.hover_at(pos2(600.0, 400.0));
    stage.key(Key::Home);
    assert!(stage.inspector().shown_picture().is_some(), "it still draws");
    let (middle, last) = (held[held.len() / 2], held[held.len() - 1]);
    let is_more = |now: usize, before: usize| now > before + before / 2 + 16;
    let (now, before) = (last.0, middle.0);
    let grown = is_more(now.buffers, before.buffers)
        || is_more(now.textures, before.textures)
        || is_more(now.pipelines, before.pipelines)
        || is_more(now.bind_groups, before.bind_groups)
        || is_more(now.shader_modules, before.shader_modules)
        || is_more(now.query_sets, before.query_sets);
    assert!(!grown, "GPU objects: {before}, later {now}");
    if let (Some(before), Some(now)) = (middle.1, last.1) {
        assert!(now <= before + before / 4 + SLACK_BYTES, "memory: {before} bytes, later {now}");
    }
}
