//! Textures where the frame's picture is: any part of them, as of any place, with the values that they hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use aerogpu_replay::analysis::{Analysis, pixel_history};
use aerogpu_replay::command::{Place, Point, ResourceName, Shown};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{DepthMap, Surface};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::TraceIndex;
use egui::{Key, Modifiers, Pos2, pos2, vec2};

use super::stage::{Setup, Stage, open};
use super::support::root;

const COURTYARD: &str = "fixtures/examples/courtyard.aerogputrace";
const HEATH: &str = "fixtures/examples/heath.aerogputrace";
const FRAME: Place = Place { frame: FrameIndex(3), point: Point::End };

fn start<'a>(name: &str) -> Stage<'a> {
    let mut setup = Setup::of(root().join(name));
    setup.size = vec2(1600.0, 1500.0);
    setup.first_place = Some(FRAME);
    setup.start()
}

fn player(name: &str, gpu: Arc<Gpu>) -> Player {
    let opened = open(&root().join(name)).unwrap();
    Player::new(opened.trace, gpu, opened.size).unwrap()
}

fn surface(player: &mut Player, place: Place, name: ResourceName) -> Surface {
    player.set_shown(Shown::Target(name));
    player.render_surface(place).unwrap()
}

fn part(handle: u32, mip: u32) -> ResourceName {
    ResourceName { handle, mip, layer: 0 }
}

fn shown(stage: &mut Stage) -> Option<(ResourceName, Place, Arc<Surface>)> {
    stage.harness.state_mut().shown_texture()
}

/// Chooses a texture in the list over the picture, by how its row begins.
fn choose(stage: &mut Stage, row: &str) {
    let is_choice = |text: &str| text == "frame" || text.starts_with("texture ");
    // Left of the other choices.
    let (_, channels) = stage.places().into_iter().find(|(text, _)| text == "overlay").unwrap();
    let places = stage.places().into_iter();
    let beside = places.filter(|(text, at)| is_choice(text) && (at.y - channels.y).abs() < 3.0 && at.x < channels.x);
    let (_, at) = beside.max_by_key(|(_, at)| at.x as i32).unwrap();
    stage.click_at(at + vec2(4.0, 6.0));
    let found = stage.places().into_iter().find(|(text, _)| text.starts_with(row));
    let (_, at) = found.unwrap_or_else(|| panic!("{row:?} is not listed: {:?}", stage.texts()));
    stage.click_at(at + vec2(4.0, 6.0));
}

/// A place in the picture that is on the screen, whatever its size.
fn middle(stage: &Stage) -> Pos2 {
    let (_, below) = stage.places().into_iter().find(|(text, _)| text == "back to the frame").unwrap();
    pos2(below.x, 500.0)
}

pub fn a_texture_is_shown_part_by_part(gpu: Arc<Gpu>) {
    let mut player = player(COURTYARD, gpu);
    let mut stage = start(COURTYARD);
    let frame = stage.picture().clone();
    stage.click("Resources");
    stage.click("texture 2 \"lit scene\"");
    stage.click("show large");
    let (name, place, first) = shown(&mut stage).unwrap();
    assert_eq!((name, place), (part(2, 0), FRAME));
    assert_eq!(*first, surface(&mut player, FRAME, name));
    stage.click("State");
    stage.click("show");
    let trace = open(&root().join(COURTYARD)).unwrap().trace;
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    let state = Analysis::new(trace, index).stream_state(FRAME, None).unwrap();
    let is_texture = |handle: &u32| state.objects.iter().any(|it| it.kind == "texture" && it.handle == *handle);
    let first = state.settings.iter().filter_map(|setting| setting.handle).find(is_texture).unwrap();
    assert_eq!(shown(&mut stage).unwrap().0, part(first, 0), "the first texture that is bound");
    choose(&mut stage, "texture 13 \"crate\"");
    let (name, place, first) = shown(&mut stage).unwrap();
    assert_eq!((name, place), (part(13, 0), FRAME));
    assert_eq!(*first, surface(&mut player, FRAME, name));
    assert!(stage.shows("64x64 of BC1_RGBA_UNORM"), "{:?}", stage.texts());

    let (_, bar) = stage.places().into_iter().find(|(text, _)| text == "back to the frame").unwrap();
    let in_bar = |(text, at): &(String, Pos2)| text == "0" && (at.y - bar.y).abs() < 4.0;
    let (_, mip) = stage.places().into_iter().find(in_bar).unwrap();
    stage.click_at(mip + vec2(2.0, 6.0));
    stage.type_text("2");
    stage.key(Key::Enter);
    let (name, _, smaller) = shown(&mut stage).unwrap();
    assert_eq!(name, part(13, 2));
    assert_eq!(*smaller, surface(&mut player, FRAME, name));
    assert_eq!(smaller.size().width_px, 16);

    // Its colours are on the screen.
    choose(&mut stage, "texture 15 \"leaves\"");
    let (name, _, leaves) = shown(&mut stage).unwrap();
    let Surface::Color(leaves) = &*leaves else { panic!("leaves are colours") };
    assert_eq!(name, part(15, 0));
    let at = middle(&stage);
    stage.click_at(at);
    let told = told_pixel(&stage);
    let [r, g, b, a] = leaves.pixel(told.0[0], told.0[1]).unwrap();
    assert!(told.1.starts_with(&format!("#{r:02x}{g:02x}{b:02x}{a:02x}")), "{told:?}");
    // Beside the pointer's arrow, in the same pixel: each has 25 of the screen.
    assert_eq!(stage.render().get_pixel(at.x as u32 + 15, at.y as u32 - 3).0[..3], [r, g, b]);

    // Back, from the pixel that was selected too.
    stage.key(Key::Escape);
    assert!(shown(&mut stage).is_none() && !stage.shows("back to the frame"));
    assert_eq!(*stage.picture(), frame);
}

/// The pixel that the bar at the bottom tells, and what it tells of it.
#[track_caller]
fn told_pixel(stage: &Stage) -> ([u32; 2], String) {
    let of = |text: &str| {
        let (at, values) = text.split_once("  ")?;
        let (x, y) = at.split_once(',')?;
        Some(([x.parse().ok()?, y.parse().ok()?], values.to_owned()))
    };
    let texts = stage.texts();
    texts.iter().find_map(|text| of(text)).unwrap_or_else(|| panic!("no pixel is told: {texts:?}"))
}

fn told_depth(map: &DepthMap, [x, y]: [u32; 2]) -> String {
    let at = (y * map.size().width_px + x) as usize;
    let depth = map.depth()[at];
    let stencil = map.stencil().map_or_else(String::new, |stencil| format!("  stencil {}", stencil[at]));
    format!("depth {depth} ({:#010x}){stencil}", depth.to_bits())
}

pub fn depth_is_fitted_and_told_to_the_last_bit(gpu: Arc<Gpu>) {
    for (trace, row, handle) in
        [(COURTYARD, "targets, depth: texture 3 \"scene depth\"", 3), (HEATH, "targets, depth: texture 2 \"depth\"", 2)]
    {
        let mut stage = start(trace);
        let place = if trace == COURTYARD { Place::at_draw(FRAME.frame, 8) } else { FRAME };
        while stage.inspector().place() != place {
            stage.key(Key::ArrowUp);
        }
        choose(&mut stage, row);
        let (name, _, depth) = shown(&mut stage).unwrap();
        assert_eq!(name, part(handle, 0));
        assert_eq!(*depth, surface(&mut player(trace, gpu.clone()), place, name), "{trace}");
        let Surface::Depth(map) = &*depth else { panic!("depth is no colour") };
        let at = middle(&stage);
        stage.click_at(at);
        let (pixel, told) = told_pixel(&stage);
        assert_eq!(told, told_depth(map, pixel), "{trace}");

        // Fitted, its values are many greys. From 0 to 1 they lie together.
        assert!(stage.shows("range: fit ⏷"));
        let greys = |stage: &mut Stage| {
            let (screen, middle) = (stage.render(), middle(stage));
            let rows = (middle.y as u32 - 80..middle.y as u32 + 80).step_by(2);
            let pixels = rows.flat_map(|y| (middle.x as u32..middle.x as u32 + 160).map(move |x| (x, y)));
            pixels.map(|(x, y)| screen.get_pixel(x, y).0[0]).collect::<BTreeSet<u8>>()
        };
        let fitted = greys(&mut stage);
        stage.click("range: fit ⏷");
        stage.click("0 to 1");
        stage.key(Key::Escape);
        assert!(stage.texts().contains(&"range ⏷".to_owned()), "{:?}", stage.texts());
        assert!(shown(&mut stage).is_some(), "Escape closes the choice alone");
        let whole = greys(&mut stage);
        assert!(fitted.len() > whole.len(), "{trace}: {fitted:?} {whole:?}");

        if map.stencil().is_some() {
            stage.click("stencil");
            assert!(stage.shows("range: fit ⏷"), "the range of depth is none of stencil");
        }
        // What is shown is chosen anew for colours.
        stage.click("back to the frame");
        assert!(stage.texts().contains(&"range ⏷".to_owned()) && stage.shows("alpha"), "{:?}", stage.texts());
    }
}

pub fn a_pinned_texture_stays_as_it_was(gpu: Arc<Gpu>) {
    let mut player = player(COURTYARD, gpu);
    let mut stage = start(COURTYARD);
    choose(&mut stage, "texture 2 \"lit scene\"");
    let first = shown(&mut stage).unwrap();
    stage.click("pin to this place");
    stage.key(Key::ArrowRight);
    stage.assert_at(4, Point::End);
    let pinned = shown(&mut stage).unwrap();
    assert_eq!((pinned.1, &pinned.2), (FRAME, &first.2));
    stage.click("pinned to frame 3");
    let (name, place, followed) = shown(&mut stage).unwrap();
    assert_eq!(place, Place::end_of(FrameIndex(4)));
    assert_eq!(*followed, surface(&mut player, place, name));
    assert_ne!(followed, first.2, "a texture that tells nothing");
    stage.click("pin to this place");
    choose(&mut stage, "texture 5 \"bright parts\"");
    assert!(stage.shows("pin to this place"), "another texture is pinned nowhere: {:?}", stage.texts());
}

pub fn a_texture_has_its_history_and_its_file(gpu: Arc<Gpu>) {
    let mut player = player(COURTYARD, gpu);
    let mut stage = start(COURTYARD);
    choose(&mut stage, "texture 5 \"bright parts\"");
    let at = middle(&stage);
    stage.click_at(at);
    let ([x, y], _) = told_pixel(&stage);
    player.set_shown(Shown::Target(part(5, 0)));
    let history = pixel_history(&mut player, FRAME, x, y).unwrap();
    let writers = history.writers().count();
    assert!(writers > 0, "a pixel that nobody writes");
    assert!(stage.shows("texture 5:0:0"), "{:?}", stage.texts());
    for event in history.writers() {
        assert!(stage.shows(&event.kind.to_string()), "{event:?}: {:?}", stage.texts());
    }

    stage.key(Key::S);
    let saved = stage.host.saved.lock().unwrap().clone();
    let expected = surface(&mut player, FRAME, part(5, 0)).picture();
    assert_eq!(saved, [("frame0003.target5".to_owned(), expected)]);
    stage.key(Key::Y);
    let copied = stage.inspector().message().unwrap().to_owned();
    assert!(copied.ends_with("--place 3 --target 5:0:0 --out png"), "{copied}");

    // An overlay lies over the frame.
    stage.key(Key::O);
    assert!(shown(&mut stage).is_none() && stage.shows("overlay: overdraw"));
    stage.key_with(Modifiers::SHIFT, Key::X);
    assert!(!stage.shows("overlay: "));
    // Chosen from the list, too; and so does a draw that is left out.
    choose(&mut stage, "texture 5 \"bright parts\"");
    stage.click("overlay");
    stage.click("pixel age");
    assert!(shown(&mut stage).is_none() && stage.shows("overlay: pixel age"));
    stage.key_with(Modifiers::SHIFT, Key::X);
    choose(&mut stage, "texture 5 \"bright parts\"");
    stage.key(Key::X);
    assert!(shown(&mut stage).is_none() && stage.shows("1 hidden"));
}
