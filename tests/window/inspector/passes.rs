//! The passes of a frame, as a chart and as a list whose names lead to them.

use std::sync::Arc;

use aerogpu_replay::command::{Place, Point, ResourceName};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use egui::{pos2, vec2};

use super::stage::{Setup, Stage};
use super::support::{fixture, root};

const COURTYARD: &str = "fixtures/examples/courtyard.aerogputrace";

fn courtyard<'a>() -> Stage<'a> {
    let mut setup = Setup::of(root().join(COURTYARD));
    setup.size = vec2(1600.0, 1500.0);
    setup.first_place = Some(Place { frame: FrameIndex(3), point: Point::End });
    let mut stage = setup.start();
    stage.click("Passes");
    stage.wait_for("the passes", |stage| stage.shows("frame 3: 10 passes"));
    stage
}

/// Clicks a text of the list, the first below a heading, once it was scrolled to.
fn click_behind(stage: &mut Stage, heading: &str, text: &str) {
    let (_, title) = stage.places().into_iter().find(|(shown, _)| shown.ends_with(" passes")).expect("the title");
    for _ in 0..30 {
        let places = stage.places();
        let seen = stage.seen_places();
        let above = places.iter().find(|(shown, _)| shown == heading).map(|(_, at)| at.y);
        let below = seen.iter().filter(|(shown, at)| shown == text && above.is_some_and(|above| at.y > above));
        if let Some((_, at)) = below.min_by_key(|(_, at)| at.y as i32) {
            return stage.click_at(*at + vec2(4.0, 6.0));
        }
        stage.scroll(title + vec2(20.0, 250.0), 150.0);
    }
    panic!("{text:?} behind {heading:?}: {:?}", stage.texts());
}

pub fn names_of_passes_lead_to_them_over_frames(_: Arc<Gpu>) {
    let mut stage = courtyard();
    let [shadow, lit] = ["pass 1: draws 0 to 4 to", "pass 3: draws 5 to 13 to"];
    for text in [shadow, lit, "texture 2 \"lit scene\", depth texture 3", "writes over", "tests against"] {
        assert!(stage.shows(text), "{text}: {:?}", stage.texts());
    }
    click_behind(&mut stage, shadow, "go there");
    stage.assert_at(3, Point::Draw(4));
    // The picture of the frame before, which this one is drawn over.
    stage.click_link("frame\u{a0}2\u{a0}pass\u{a0}3");
    stage.assert_at(2, Point::Draw(13));
    stage.wait_for("its passes", |stage| stage.shows("frame 2: 10 passes"));
    // The first that reads it is the shadows' pass.
    stage.click_link("texture 12 \"marble\" (64x64 BC1_RGBA_UNORM)");
    let (name, place, _) = stage.harness.state_mut().shown_texture().expect("the texture");
    assert_eq!((name, place), (ResourceName::of(12), Place::at_draw(FrameIndex(2), 4)));
}

pub fn a_click_on_the_chart_leads_to_its_pass(_: Arc<Gpu>) {
    let mut stage = courtyard();
    let places = stage.places();
    let (_, title) = places.iter().find(|(shown, _)| shown == "frame 3: 10 passes").expect("the title");
    // Nothing else of these words is right below the title.
    let label = |text: &str| {
        let below = places.iter().filter(|(shown, at)| shown == text && at.y > title.y && at.x >= title.x);
        below.min_by_key(|(_, at)| at.y as i32).unwrap_or_else(|| panic!("{text}: {places:?}")).1
    };
    let (row, column) = (label("shadow map"), label("1"));
    stage.click_at(pos2(column.x + 3.0, row.y + 6.0));
    stage.assert_at(3, Point::Draw(4));
    stage.harness.hover_at(pos2(column.x + 3.0, row.y + 6.0));
    stage.wait_for("the hint", |stage| stage.shows("pass 1: draws 0 to 4 to depth texture 4"));
}

pub fn passes_of_both_abis_are_told(_: Arc<Gpu>) {
    let mut stage = Setup::of(fixture("frames")).start();
    stage.click("Passes");
    stage.wait_for("the passes", |stage| stage.shows("pass 0: "));
    assert!(stage.shows("the back buffer"), "{:?}", stage.texts());
    let mut stage = Setup::of(fixture("a3a0/contexts")).start();
    stage.click("Passes");
    stage.wait_for("the passes", |stage| stage.shows("overwritten before anything reads it"));
}
