//! Faulty traces in the inspector: what can be shown is shown, what cannot is marked and counted.

use std::fs;
use std::sync::Arc;

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::command::Point;
use aerogpu_replay::gpu::Gpu;
use egui::{Key, vec2};

use super::stage::{Setup, Stage};
use crate::support::scene::{BLUE, GREEN, RED, Scene, rectangle, vertices};
use crate::support::streams::second_run_at_fault;

/// Four frames; what is wrong stands in frame 1, before its last draw.
fn scene(plant: impl Fn(&mut Scene)) -> Vec<u8> {
    let half = |left: f32, color| vertices(&rectangle(left, -1.0, left + 1.0, 1.0), color);
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &[half(-1.0, GREEN), half(0.0, BLUE)].concat()).bind(1).clear(RED).draw(0, 6).end();
    for frame in 1..4 {
        scene.begin().clear([frame as f32 / 4.0, 0.0, 0.0, 1.0]).draw(0, 6);
        if frame == 1 {
            plant(&mut scene);
        }
        scene.draw(6, 6).end();
    }
    scene.finish()
}

fn start<'a>(bytes: &[u8], folder: &tempfile::TempDir, name: &str) -> Stage<'a> {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Setup::of(path).start()
}

fn marks(stage: &Stage) -> usize {
    stage.texts().iter().filter(|text| *text == "⛔").count()
}

pub fn frames_behind_faults_are_shown_and_faults_are_marked(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let mut sound = start(&scene(|_| ()), &folder, "sound.aerogputrace");
    // A packet that the index refuses, and draws that only playing knows to be wrong.
    let of_index = |scene: &mut Scene| _ = scene.packet(Packet::SetPipeline { pipeline_id: 77 });
    let of_draws = |scene: &mut Scene| _ = scene.draw(6, 12).draw(6, 12).draw(6, 12);
    let mut by_index = start(&scene(of_index), &folder, "index.aerogputrace");
    let mut by_draws = start(&scene(of_draws), &folder, "draws.aerogputrace");
    assert_eq!((marks(&sound), marks(&by_index)), (0, 1), "{:?}", by_index.texts());
    for frame in 0..4 {
        for stage in [&mut by_index, &mut by_draws] {
            stage.assert_at(frame, Point::End);
            assert_eq!(stage.picture().hash(), sound.picture().hash(), "{frame}");
            assert!(stage.inspector().first_error().is_none());
        }
        for stage in [&mut sound, &mut by_index, &mut by_draws] {
            stage.key(Key::ArrowRight);
        }
    }
    assert_eq!([&sound, &by_index, &by_draws].map(marks), [0, 1, 1]);
    // What the index finds is among the findings of lint, too, and is listed once.
    for (stage, problem, count) in [
        (&mut by_index, "pipeline 77 does not exist", 1),
        (
            &mut by_draws,
            "3 draws: reads 432 bytes of buffer 1, which has 288, first at frame 1, packet 2 (offset 0x",
            1,
        ),
    ] {
        stage.key(Key::F7);
        let found = stage.texts().into_iter().filter(|text| text.contains(problem)).collect::<Vec<_>>();
        assert_eq!(found.len(), count, "{:?}", stage.texts());
        stage.click(&found[0]);
        assert_eq!(stage.inspector().place().frame.0, 1);
    }
}

/// The copy stands at one offset and runs twice: what is wrong with its second run leads to that, as a problem and as a finding of lint.
pub fn a_fault_of_a_second_run_leads_to_that_run(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.aerogputrace");
    fs::write(&path, second_run_at_fault()).unwrap();
    let mut stage = Setup { size: vec2(1280.0, 1400.0), ..Setup::of(path) }.start();
    for tab in ["Problems", "Stats"] {
        stage.click(tab);
        let is_told =
            |text: &String| !text.starts_with(' ') && text.contains("COPY_TEXTURE2D") && text.contains("exist");
        let told: Vec<String> = stage.texts().into_iter().filter(is_told).collect();
        assert!(!told.is_empty(), "{tab}: {:?}", stage.texts());
        for text in told {
            stage.key(Key::Home);
            assert_eq!(stage.inspector().place().frame.0, 0);
            stage.click(&text);
            assert_eq!(stage.inspector().place().frame.0, 2, "{tab}: {text}");
        }
    }
}

pub fn a_recording_that_starts_in_the_middle_says_so(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::new();
    scene.begin().clear(RED).bind(4).packet(Packet::SetPipeline { pipeline_id: 9 }).end().begin().clear(GREEN);
    let mut stage = start(&scene.end_and_finish(), &folder, "cut.aerogputrace");
    stage.key(Key::F7);
    let sentence = "This recording starts in the middle: 1 buffer and 1 pipeline are used but never created";
    assert!(stage.shows(sentence), "{:?}", stage.texts());
    let middle = stage.picture().hash();
    stage.key(Key::ArrowRight);
    assert_ne!(stage.picture().hash(), middle, "what needs none of them is shown");
}
