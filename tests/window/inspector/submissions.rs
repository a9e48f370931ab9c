//! Traces of submissions in the inspector: what is bound, what textures and buffers hold, the shaders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::analysis::{Analysis, BoundShaders, FrameEvents, StreamStateAt};
use aerogpu_replay::command::{Place, Point, ResourceName, Shown};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::TraceIndex;
use egui::{Key, Modifiers, vec2};

use super::stage::{Setup, Stage, open};
use super::support::clearing_frames::{GREEN, RED, clearing_frames};
use super::support::mixed::{mixtures, write};
use super::support::root;
use super::support::streams::{
    R8G8B8A8, Stream, StreamOfTests, recording, stream_of_markers, stream_that_runs_three_times,
};

fn trace(name: &str) -> PathBuf {
    root().join(format!("fixtures/aerogpu/{name}.aerogputrace"))
}

fn start<'a>(name: &str) -> Stage<'a> {
    let mut setup = Setup::of(trace(name));
    setup.size = vec2(1280.0, 1400.0);
    setup.start()
}

fn analysis(name: &str) -> Analysis {
    let trace = open(&trace(name)).unwrap().trace;
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Analysis::new(trace, index)
}

/// Texts that the State tab has to show, without those in groups that are closed at first.
fn assert_state_is_shown(stage: &Stage, state: &StreamStateAt) {
    let texts = stage.texts();
    for group in state.settings.chunk_by(|a, b| a.group == b.group).filter(|group| group.len() <= 16) {
        for setting in group {
            let (name, value) = (&setting.name, &setting.value);
            let is_shown = texts.windows(2).any(|pair| pair[0] == *name && pair[1] == *value);
            assert!(is_shown, "{}: {name} = {value} is not among {texts:?}", setting.group);
        }
    }
}

pub fn they_tell_their_state_at_every_draw(_: Arc<Gpu>) {
    let (name, frame) = ("scenes/seed-200", FrameIndex(0));
    let analysis = analysis(name);
    let mut stage = start(name);
    stage.click("State");
    let mut told = Vec::new();
    let draws = analysis.draw_count(frame);
    for draw in (0..draws).rev() {
        let place = Place { frame, point: Point::Draw(draw) };
        let state = analysis.stream_state(place, None).unwrap();
        assert!(state.settings.len() > 20, "{state:?}");
        assert!(stage.shows(state.drawing.as_ref().unwrap().name), "{:?}", stage.texts());
        assert_state_is_shown(&stage, &state);
        told.push(state.settings);
        stage.key(Key::ArrowUp);
    }
    told.dedup();
    assert_eq!(told.len(), draws as usize, "each draw has a state of its own");
}

/// The status line has the size of the picture that is shown, not of the trace's largest.
pub fn the_size_told_is_that_of_the_picture(_: Arc<Gpu>) {
    let name = "computed/direct3d9_rules";
    let largest = open(&trace(name)).unwrap().size;
    let mut stage = start(name);
    let size = stage.picture().size();
    assert_ne!(size, largest, "a frame whose size tells nothing");
    assert!(stage.texts().contains(&size.to_string()), "{size}: {:?}", stage.texts());
    stage.key(Key::End);
    let last = stage.picture().size();
    assert_ne!(last, size, "the last frame's picture is as large");
    assert!(stage.texts().contains(&last.to_string()), "{last}: {:?}", stage.texts());
}

/// Every tab tells of each place of traces with both ABIs what the place's own ABI has to tell.
pub fn they_stand_beside_packets_of_appendix_a(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in mixtures() {
        let path = folder.path().join(format!("{name}.aerogputrace"));
        write(&path, &frames, None);
        let index = TraceIndex::build(&open(&path).unwrap().trace, |_| ());
        let mut setup = Setup::of(path);
        setup.size = vec2(1280.0, 1400.0);
        let mut stage = setup.start();
        for frame in 0..frames.len() as u32 {
            let last = index.draws_of(FrameIndex(frame)).last();
            for tab in ["State", "Resources", "Shaders", "Mesh"] {
                stage.click(tab);
                let texts = stage.texts();
                let refused = texts.iter().find(|text| text.contains("Appendix A alone") || text.contains("a bug of"));
                assert!(refused.is_none(), "{name}, frame {frame}, {tab}: {refused:?}");
                if let (Some(last), "State") = (last, tab) {
                    // Contexts are of submissions, and only packets of Appendix A bind pipelines.
                    let is_submitted = index.submission_of(last).is_some();
                    let says = |part: &str| texts.iter().any(|text| text.to_lowercase().contains(part));
                    assert!(
                        says(if is_submitted { "context" } else { "pipeline" }),
                        "{name}, frame {frame}: {texts:?}"
                    );
                }
            }
            stage.key(Key::ArrowRight);
        }
    }
}

pub fn they_show_what_textures_hold(gpu: Arc<Gpu>) {
    let name = "public/aerogpu_cmd_copy_texture2d";
    let opened = open(&trace(name)).unwrap();
    let mut player = Player::new(opened.trace, gpu, opened.size).unwrap();
    let place = Place::end_of(FrameIndex(0));
    let state = analysis(name).stream_state(place, None).unwrap();
    let textures = state.objects.iter().filter(|object| object.kind == "texture");
    let handles: Vec<u32> = textures.map(|texture| texture.handle).collect();
    assert!(handles.len() >= 2, "{:?}", state.objects);
    let mut stage = start(name);
    stage.click("Resources");
    let mut colors = Vec::new();
    // There and back: an old picture is not shown as another texture's.
    for handle in handles.iter().chain(handles.iter().rev()) {
        stage.click(&format!("texture {handle}"));
        player.set_shown(Shown::Target(ResourceName::of(*handle)));
        let expected = player.render(place).unwrap();
        let size = expected.size();
        let caption = format!("{}×{}, alpha ignored", size.width_px, size.height_px);
        let found = stage.places().into_iter().find(|(text, _)| *text == caption);
        let (_, at) = found.unwrap_or_else(|| panic!("{caption:?} is not shown: {:?}", stage.texts()));
        // Below the picture's lower left corner.
        let [red, green, blue, _] = expected.pixel(0, size.height_px - 1).unwrap();
        let pixel = stage.render().get_pixel(at.x as u32 + 3, at.y as u32 - 8).0;
        assert_eq!(pixel[..3], [red, green, blue], "texture {handle}");
        colors.push([red, green, blue]);
    }
    assert!(colors.iter().any(|color| *color != [0; 3]), "a picture that could be no picture");
}

pub fn they_show_what_buffers_hold(_: Arc<Gpu>) {
    let name = "scenes/seed-200";
    let (analysis, place) = (analysis(name), Place::end_of(FrameIndex(0)));
    let state = analysis.stream_state(place, None).unwrap();
    let mut stage = start(name);
    stage.click("Resources");
    let (mut known, mut unknown) = (0, 0);
    for buffer in state.objects.iter().filter(|object| object.kind == "buffer") {
        stage.click(&format!("buffer {}", buffer.handle));
        let resource = analysis.resource(place, ResourceName::of(buffer.handle)).unwrap();
        let row = 0..resource.size_bytes().min(16);
        let mut expected = Vec::new();
        for stretch in analysis.contents(&resource, row).unwrap().ranges {
            match analysis.read_stretch(&stretch).unwrap() {
                Some(bytes) => {
                    known += 1;
                    expected.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
                }
                None => {
                    unknown += 1;
                    expected.extend((stretch.start..stretch.end).map(|_| "··".to_owned()));
                }
            }
        }
        let line = format!("00000000  {}", expected.join(" "));
        assert!(stage.shows(&line), "{line:?} is not shown: {:?}", stage.texts());
    }
    assert!(known > 0, "{known} {unknown}");
    // As vertices, a buffer in a slot has the rows that the layout in force gives it.
    stage.click("vertices");
    let streams = analysis.vertex_streams(place).unwrap();
    let stream = streams.iter().find(|stream| stream.row_count > 0).unwrap();
    stage.click(&format!("buffer {}", stream.buffer));
    let row = stream.row_text(&analysis.stream_rows(stream, 0..1).unwrap()[0]);
    assert!(stage.shows(&stream.to_string()) && stage.shows(&row), "{row:?} is not shown: {:?}", stage.texts());
}

pub fn they_show_their_shaders(_: Arc<Gpu>) {
    let name = "scenes/seed-200";
    let place = Place::end_of(FrameIndex(0));
    let BoundShaders::Bytecode(bound) = analysis(name).bound_shaders(place, None).unwrap() else {
        panic!("a trace of submissions has texts");
    };
    assert_eq!(bound.len(), 2);
    let mut stage = start(name);
    stage.click("Shaders");
    for shader in bound.iter().rev().chain(&bound) {
        stage.click(shader.stage.direct3d_name());
        let assembly = shader.assembly.as_ref().unwrap();
        assert!(stage.shows(assembly) && assembly.lines().count() > 3, "{assembly}\n{:?}", stage.texts());
        assert!(stage.shows(&format!("shader {}", shader.handle)));
    }
}

/// A scene with bytecode of three stages is drawn and stepped; its compute shader is edited, and it is drawn as the trace whose
/// shader computes that.
pub fn their_shaders_are_edited(_: Arc<Gpu>) {
    /// `l(3)`, which is 5 in the other trace.
    const THREE: [u8; 8] = [1, 0x40, 0, 0, 3, 0, 0, 0];
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("a.bin"), folder.path().join("b.bin"));
    let mut bytes = fs::read(root().join("fixtures/d3d/cases/cs5_groupshared.aerogputrace")).unwrap();
    fs::write(&path, &bytes).unwrap();
    let at = bytes.windows(THREE.len()).position(|window| window == THREE).unwrap();
    bytes[at + 4] = 5;
    fs::write(&other, &bytes).unwrap();
    let of_size = |path: &Path| {
        let mut setup = Setup::of(path.to_owned());
        setup.size = vec2(1280.0, 1400.0);
        setup.start()
    };
    let expected = of_size(&other).picture().clone();
    let mut stage = of_size(&path);
    let before = stage.picture().clone();
    assert!(before != expected);
    stage.click("Shaders");
    let text_of = |stage: &Stage, model: &str| stage.places().into_iter().find(|(text, _)| text.starts_with(model));
    for (name, model) in [("vertex", "vs_5_0"), ("pixel", "ps_5_0")] {
        stage.click(name);
        assert!(text_of(&stage, model).is_some(), "{:?}", stage.texts());
    }
    // The draw has no compute shader bound any more.
    let row = |stage: &Stage, name: &str| {
        let rows = stage.places();
        rows.into_iter().find(|(text, _)| text.trim_start().starts_with("0x") && text.contains(name)).expect("a row").1
    };
    let at = row(&stage, " DISPATCH ");
    stage.click_at(at);
    assert!(matches!(stage.inspector().place().point, Point::Packet(_)));
    let (text, at) = text_of(&stage, "cs_5_0").expect("the assembly");
    let edited = text.replace("l(3)", "l(5)");
    assert_ne!(text, edited);
    stage.click_at(at + vec2(30.0, 20.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(&text.replace("l(3)", "l(5"));
    assert!(stage.texts().iter().any(|text| text.contains("compute: line ")), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(&edited);
    stage.settle();
    assert!(!stage.texts().iter().any(|text| text.contains("compute: line ")), "{:?}", stage.texts());
    let at = row(&stage, " DRAW ");
    stage.click_at(at);
    stage.assert_at(0, Point::Draw(0));
    assert!(*stage.picture() == expected, "{:?}", stage.texts());
    stage.click("Save as replacements");
    let saved: Vec<_> = fs::read_dir(stage.host.memory.join("shaders")).unwrap().map(Result::unwrap).collect();
    assert!(saved.len() == 1 && fs::read_to_string(saved[0].path()).unwrap() == edited);
    stage.click("Restore the trace's texts");
    assert!(*stage.picture() == before);
}

/// The Pixel tab of a frame that clears what it shows begins with what the frame before left.
pub fn a_pixel_begins_with_what_the_frame_before_left(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clearing");
    fs::write(&path, clearing_frames()).unwrap();
    let first_place = Some(Place::end_of(FrameIndex(2)));
    let mut stage = Setup { first_place, ..Setup::of(path) }.start();
    stage.click_at(super::IN_PICTURE);
    let title = stage.texts().into_iter().find(|text| text.starts_with("pixel ")).expect("a pixel");
    let x: u32 = title["pixel ".len()..].split(',').next().unwrap().parse().unwrap();
    let [r, g, b, a] = if x < 2 { RED } else { GREEN };
    let texts = stage.texts();
    let at = texts.iter().position(|text| text == "the frame begins with").unwrap();
    let writer = if x < 2 { "from draw 0 of frame 1" } else { "from CLEAR of frame 1" };
    let expected = [&*format!("#{r:02x}{g:02x}{b:02x}{a:02x}"), "in texture 1", writer];
    assert_eq!(texts[at + 1..at + 4], expected, "{texts:?}");
}

/// A texture's bytes are told to its end, whatever part of them is read at once.
pub fn they_tell_sizes_of_every_magnitude(_: Arc<Gpu>) {
    let sides = [4u32, 64, 128, 256, 512];
    let mut stream = Stream::new();
    for (handle, side) in (1..).zip(sides) {
        stream.texture(handle, R8G8B8A8, [side; 2], [1, 1]).upload(handle, 0, &vec![7; (side * side * 4) as usize]);
    }
    stream.targets(&[1], 0).present();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sizes");
    fs::write(&path, recording([&stream.finish()[..]])).unwrap();
    let mut setup = Setup::of(path);
    setup.size = vec2(1280.0, 1400.0);
    let mut stage = setup.start();
    stage.click("Resources");
    for (handle, side) in (1..).zip(sides) {
        stage.click(&format!("texture {handle}"));
        let expected = format!("bytes 0x0 to {:#x}:", side * side * 4);
        assert!(stage.shows(&expected), "{expected} is not shown: {:?}", stage.texts());
    }
}

/// Text above the arguments of the row that is marked.
fn marked_row(stage: &Stage) -> (String, String) {
    let texts = stage.texts();
    let is_place = |text: &String| text.starts_with("packet ") && text.contains(" bytes at 0x");
    let place = texts.iter().position(is_place).unwrap_or_else(|| panic!("no row is marked: {texts:?}"));
    (texts[place - 1].clone(), texts[place].clone())
}

/// Enter goes from match to match as the rows run, and with Shift back again, through each run of a stream.
pub fn enter_visits_each_row_that_the_filter_picks(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.aerogputrace");
    fs::write(&path, stream_that_runs_three_times()).unwrap();
    let trace = open(&path).unwrap().trace;
    let mut expected = Vec::new();
    let mut all = Vec::new();
    for frame in trace.frame_indices() {
        for row in FrameEvents::read(&trace, frame).unwrap().rows {
            let place = format!("packet {}, {} bytes at {:#x}", row.packet, row.size_bytes, row.offset);
            let is_wanted = ["DEBUG_MARKER", "Blob", "NOP"].contains(&row.kind.name());
            all.push((row.kind.name().to_owned(), place.clone(), frame));
            expected.extend(is_wanted.then(|| (row.kind.name().to_owned(), place)));
        }
    }
    assert_eq!(expected.len(), 4 * 3 + 2, "{all:?}");
    let mut setup = Setup::of(path);
    setup.size = vec2(1280.0, 1400.0);
    setup.first_place = Some(Place::start_of(FrameIndex(0)));
    let mut stage = setup.start();
    let enter = |stage: &mut Stage, modifiers| {
        stage.key(Key::Slash);
        stage.key_with(modifiers, Key::Enter);
    };
    stage.key(Key::Slash);
    stage.type_text("DEBUG_MARKER or Blob or NOP");
    stage.key_with(Modifiers::NONE, Key::Enter);
    for wanted in &expected {
        assert_eq!(marked_row(&stage), *wanted);
        enter(&mut stage, Modifiers::NONE);
    }
    assert_eq!(stage.inspector().message(), Some("no further match"));
    for wanted in expected.iter().rev().skip(1) {
        enter(&mut stage, Modifiers::SHIFT);
        assert_eq!(marked_row(&stage), *wanted);
    }
    enter(&mut stage, Modifiers::SHIFT);
    assert_eq!(stage.inspector().message(), Some("no further match"));
}

/// The list of events shows groups of markers above their draws, and the resources' tab what they call textures.
/// A frame whose author has marked nothing has the structure of what is drawn to.
pub fn draws_without_markers_stand_under_their_passes(_: Arc<Gpu>) {
    let (name, frame) = ("scenes/seed-102", FrameIndex(0));
    let (analysis, mut stage) = (analysis(name), start(name));
    let passes = analysis.passes(frame).unwrap();
    let draws = analysis.draw_rows(frame, 0..u32::MAX).unwrap();
    assert!(passes.len() > 2 && passes.last().unwrap().draws.end as usize == draws.len(), "{passes:?}");
    for (before, pass) in passes.iter().zip(&passes[1..]) {
        assert_eq!(before.draws.end, pass.draws.start);
        let (last, first) = (&draws[before.draws.end as usize - 1], &draws[pass.draws.start as usize]);
        let between = analysis.events(frame).unwrap();
        let mut between = between.rows.iter().filter(|row| (last.at.offset..first.at.offset).contains(&row.offset));
        let ends_pass =
            |name: &str| name.starts_with("COPY") || name.starts_with("DISPATCH") || name.starts_with("PRESENT");
        let is_ended = between.any(|row| ends_pass(row.kind.name()));
        assert!(is_ended || last.targets.first() != first.targets.first(), "{before} and {pass} are one");
    }
    let heading = |number: usize| {
        let count = passes[number].draws.len();
        format!("pass {number}: {}  {count} draw{}", passes[number], if count == 1 { "" } else { "s" })
    };
    let seen: Vec<usize> = (0..passes.len()).filter(|pass| stage.shows(&heading(*pass))).collect();
    let [.., folded, next] = seen[..] else { panic!("{:?}", stage.texts()) };
    assert_eq!(next, passes.len() - 1, "the last draw is current");
    // Folded, its draws are gone, and the next pass stays.
    let draw = format!("⏵ {:>4}  ", passes[folded].draws.start);
    let is_shown = |stage: &Stage| stage.texts().iter().any(|text| text.trim_start().starts_with(&draw));
    assert!(is_shown(&stage), "{:?}", stage.texts());
    stage.click(&format!("⏷ {}", heading(folded)));
    assert!(!is_shown(&stage) && stage.shows(&format!("⏵ {}", heading(folded))), "{:?}", stage.texts());
    assert!(stage.shows(&heading(next)));
}

pub fn markers_stand_above_their_draws(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("markers.aerogputrace");
    fs::write(&path, stream_of_markers()).unwrap();
    let mut setup = Setup::of(path);
    (setup.size, setup.has_strange_letters) = (vec2(1280.0, 1400.0), true);
    let mut stage = setup.start();
    // Draws and groups, each with how far its mark stands from the left.
    let tree = |stage: &Stage| -> Vec<(usize, String)> {
        let rows = stage.places().into_iter().filter(|(text, at)| at.x < 300.0 && !text.contains("0x"));
        let mut rows: Vec<(String, f32)> = rows.map(|(text, at)| (text, at.y)).collect();
        rows.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let marked = rows.into_iter().filter_map(|(text, _)| {
            let at = text.find(['⏵', '⏷'])?;
            let name = text[at..].trim_start_matches(['⏵', '⏷']).trim();
            let is_draw = name.contains("DRAW") || name.starts_with("after the last draw");
            let name = if is_draw { name.split_whitespace().next()? } else { name };
            (at > 0).then(|| (at, name.to_owned()))
        });
        marked.collect()
    };
    let expected = [
        (1, "shadow pass  1 draw"),
        (3, "cascade 0  1 draw"),
        (5, "0"),
        (1, "overlay  1 draw"),
        (3, "1"),
        (1, "shadow pass  2 draws"),
        (3, "cascade 0  1 draw"),
        (5, "2"),
        (3, "casters  1 draw"),
        (5, "3"),
        (1, "4"),
        (1, "bad \u{fffd}\u{fffd}  1 draw"),
        (3, "5"),
        (1, "after"),
    ];
    let expected: Vec<(usize, String)> = expected.into_iter().map(|(at, name)| (at, name.to_owned())).collect();
    assert_eq!(tree(&stage), expected);
    assert!(stage.shows("DEBUG_MARKER  text \"bad \u{fffd}\u{fffd}\""), "{:?}", stage.texts());
    stage.click("⏷ overlay  1 draw");
    let closed: Vec<_> = expected.iter().filter(|(_, name)| name != "1").cloned().collect();
    assert_eq!(tree(&stage), closed);
    // Going there opens it.
    stage.key(Key::Slash);
    stage.type_text("DRAW(marker == overlay)");
    stage.key_with(Modifiers::SHIFT, Key::Enter);
    stage.assert_at(0, Point::Draw(1));
    stage.click("Resources");
    assert!(stage.shows("texture 1 \"shadow map\"") && stage.shows("texture 6 \"scratch\""), "{:?}", stage.texts());
}
