//! The table of frames to look at first.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::command::Point;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::inspector::AnnotationChoice;
use aerogpu_replay::timeline::Method;
use egui::{Pos2, vec2};

use super::stage::{Setup, Stage};
use super::support::fixture;
use super::support::recording::recording;
use super::support::scene::{Scene, vertices};

/// Three frames: the second draws what the first does once more, the third something else.
fn trace() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    let corners = vertices(&[[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]], [1.0; 4]);
    scene.viewport(64, 64).clear([0.0; 4]).buffer(1, &corners).bind(1);
    scene.draw(0, 3).end();
    scene.begin().clear([0.0; 4]).draw(0, 3).end();
    scene.begin().clear([0.0, 1.0, 0.0, 1.0]).draw(0, 3).draw(0, 3).end();
    scene.finish()
}

fn stage<'a>(trace: PathBuf, annotations: Vec<AnnotationChoice>) -> Stage<'a> {
    let mut setup = Setup::of(trace);
    (setup.annotations, setup.size) = (annotations, vec2(1900.0, 900.0));
    let mut stage = setup.start();
    // Room for the whole table: the panel's edge is left of its first tab.
    let (_, tab) = stage.places().into_iter().find(|(text, _)| text == "State").expect("the tabs");
    let edge = tab + vec2(-12.0, 200.0);
    stage.drag(edge, edge - vec2(560.0, 0.0));
    stage.click("Blame");
    stage
}

/// The texts of the table's rows from top to bottom, each from left to right.
fn rows(stage: &Stage<'_>) -> Vec<Vec<String>> {
    let places = stage.places();
    let header = |title: &str| {
        let found = places.iter().find(|(text, _)| text == title);
        found.unwrap_or_else(|| panic!("no header {title:?}: {:?}", stage.texts())).1
    };
    let (left, top) = (header("time").x - 80.0, header("picture").y + 8.0);
    let bottom = header("find: name, /regex/, @duration > 1ms").y;
    let mut texts: Vec<(i32, i32, String)> = Vec::new();
    let is_in_table = |at: &Pos2| at.x > left && at.y > top && at.y < bottom;
    for (text, at) in places.iter().filter(|(text, at)| is_in_table(at) && !text.is_empty()) {
        // Numbers and words of a row don't begin at the same height.
        let row = texts.iter().map(|(y, ..)| *y).find(|y| (at.y as i32 - y).abs() < 6).unwrap_or(at.y as i32);
        texts.push((row, at.x as i32, text.clone()));
    }
    texts.sort();
    let mut rows: Vec<(i32, Vec<String>)> = Vec::new();
    for (y, _, text) in texts {
        match rows.last_mut().filter(|(last, _)| *last == y) {
            Some((_, row)) => row.push(text),
            None => rows.push((y, vec![text])),
        }
    }
    rows.into_iter().map(|(_, row)| row).filter(|row| row.len() >= 6).collect()
}

pub fn it_leads_to_the_frame_that_took_longest(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three.aerogputrace");
    fs::write(&path, trace()).unwrap();
    let scopes: [&[(&str, u32)]; 3] =
        [&[("draw", 6), ("physics", 4)], &[("physics", 25), ("draw", 5)], &[("load", 20)]];
    let app = PathBuf::from(recording(folder.path(), "app.wtf-json", &scopes));
    let mut stage = stage(path, vec![AnnotationChoice { path: app, method: Method::default() }]);
    let row = |texts: [&str; 8]| texts.map(str::to_owned).to_vec();
    let worst = [
        row(["1", "30.000 ms", "physics 25.000 ms on main", "1", "0", "same", "same", "frame 1 (number 8), 30.000 ms"]),
        row(["2", "20.000 ms", "load 20.000 ms on main", "2", "0", "new", "changed", "frame 2 (number 9), 20.000 ms"]),
        row(["0", "10.000 ms", "draw 6.000 ms on main", "1", "1", "first", "–", "frame 0 (number 7), 10.000 ms"]),
    ];
    assert_eq!(rows(&stage), worst);
    stage.click("20.000 ms");
    stage.assert_at(2, Point::End);
    // The strip at the top is of draws, too.
    let in_table = |(text, at): &(String, egui::Pos2)| text == "draws" && at.y > 110.0;
    let header = stage.places().into_iter().find(in_table).expect("the header").1;
    stage.click_at(header + vec2(4.0, 6.0));
    let frames: Vec<_> = rows(&stage).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(frames, ["2", "1", "0"]);
    // The bar at the top says "frame" too.
    let beside = stage.places().into_iter().find(in_table).expect("the header").1;
    let mut headers = stage.places().into_iter().filter(|(text, at)| text == "frame" && (at.y - beside.y).abs() < 3.0);
    let header = headers.next().expect("the header of frames").1;
    stage.click_at(header + vec2(4.0, 6.0));
    let frames: Vec<_> = rows(&stage).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(frames, ["0", "1", "2"]);
    // Events of the application choose frames of the trace.
    let field = stage.places().into_iter().find(|(text, _)| text.starts_with("frames with:")).expect("the filter").1;
    stage.click_at(field + vec2(4.0, 6.0));
    stage.type_text("physics and @duration >= 5ms");
    assert_eq!(rows(&stage), worst[..1]);
}

pub fn it_says_what_it_cannot_tell(_: Arc<Gpu>) {
    let alone = stage(fixture("frames"), Vec::new());
    assert!(alone.shows("No annotation (--annotate FILE) records time"), "{:?}", alone.texts());
    assert_eq!(rows(&alone).len(), 4);
    let folder = tempfile::tempdir().unwrap();
    let app = PathBuf::from(recording(folder.path(), "app.wtf-json", &[&[("draw", 6)]]));
    let other = stage(fixture("frames"), vec![AnnotationChoice { path: app, method: Method::default() }]);
    assert!(other.shows("app.wtf-json cannot be compared: "), "{:?}", other.texts());
}
