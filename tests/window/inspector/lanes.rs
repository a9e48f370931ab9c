//! Annotations beside the trace.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::inspector::AnnotationChoice;
use aerogpu_replay::timeline::Method;
use egui::vec2;

use super::stage::{Setup, Stage};
use super::support::scene::Scene;

/// Frames that all draw as often; each uploads bytes made of its number.
fn trace_of(frames: &[u8]) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.viewport(64, 64).buffer(1, &[0; 24 * 6]).bind(1);
    for (place, number) in frames.iter().enumerate() {
        if place > 0 {
            scene.begin();
        }
        scene.upload(1, 0, &[*number; 24 * 6]).draw(0, 6).end();
    }
    scene.finish()
}

/// `auto` knows frames of as many draws by what they upload, in the window as on the command line; where that says nothing
/// either, the lane says so.
pub fn frames_that_upload_the_same_lie_beside_each_other(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, frames: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, trace_of(frames)).unwrap();
        path
    };
    let start = |trace: PathBuf, path: PathBuf| -> Stage<'_> {
        let heading = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut setup = Setup::of(trace);
        setup.annotations.push(AnnotationChoice { path, method: Method::Content });
        setup.size = vec2(1600.0, 1000.0);
        let mut stage = setup.start();
        let (_, tracks) = stage.places().into_iter().find(|(text, _)| text == "packets").expect("the trace's tracks");
        // Its lane may be folded behind the panel's edge.
        for _ in 0..20 {
            if stage.shows(&heading) {
                break;
            }
            stage.scroll(tracks, -20.0);
        }
        assert!(stage.shows(&heading), "{:?}", stage.texts());
        stage
    };
    let all: Vec<u8> = (0..12).collect();
    let some: Vec<u8> = all.iter().copied().filter(|number| *number != 5).collect();
    let stage = start(write("all.aerogputrace", &all), write("some.aerogputrace", &some));
    assert!(
        stage.shows(
            "frames have the contents of those of the trace (auto): 11 of 12 frames matched (11 with certainty)"
        ),
        "{:?}",
        stage.texts()
    );
    assert!(!stage.shows("found no clear answer"), "{:?}", stage.texts());
    // No two frames are alike, so nothing comes next.
    assert!(!stage.shows("second best"), "{:?}", stage.texts());
    // The same frame again and again.
    let stage = start(write("alike.aerogputrace", &[7; 12]), write("alike_too.aerogputrace", &[7; 11]));
    assert!(stage.shows("found no clear answer"), "{:?}", stage.texts());
}
