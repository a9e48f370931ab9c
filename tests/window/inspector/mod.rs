//! The inspector as people use it, without a window: keys and pointer go in, pictures and texts come out.

mod back;
mod blame;
mod faults;
mod file_dialog;
mod lanes;
mod passes;
mod random_questions;
mod room;
mod soak;
mod stage;
mod start_page;
mod submissions;
mod textures;
mod typing;

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::command::{Place, Point, Shown};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::{AdapterChoice, Gpu};
use aerogpu_replay::pixels::{Check, Picture, Size, judge, read_png, write_png};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{TraceIndex, lint_opened, write_trimmed};
use egui::{Key, Modifiers, pos2, vec2};
use support::harness::Trial;

use self::stage::{Setup, Stage, open};
use self::support::{fixture, is_blessing, root, software};
use crate::support;

/// Everything between the panels at their first size is the picture's room.
const IN_PICTURE: egui::Pos2 = pos2(600.0, 400.0);

fn start<'a>(name: &str) -> Stage<'a> {
    let mut stage = Setup::of(fixture(name)).start();
    stage.harness.hover_at(IN_PICTURE);
    stage.settle();
    stage
}

/// A player of one's own, for what the picture has to be.
fn player(gpu: Arc<Gpu>, name: &str) -> Player {
    let open = open(&fixture(name)).unwrap();
    Player::new(open.trace, gpu, open.size).unwrap()
}

fn keys_step_through_frames_draws_and_packets(gpu: Arc<Gpu>) {
    let mut stage = start("frames");
    let mut player = player(gpu, "frames");
    let mut expect = |stage: &Stage, frame: u32, point: Point| {
        stage.assert_at(frame, point);
        let expected = player.render(Place { frame: FrameIndex(frame), point }).unwrap();
        assert!(**stage.picture() == expected, "frame {frame}, {point:?}");
    };
    expect(&stage, 0, Point::End);
    stage.key(Key::ArrowRight);
    expect(&stage, 1, Point::End);
    stage.key(Key::End);
    expect(&stage, 3, Point::End);
    stage.key(Key::ArrowRight);
    expect(&stage, 3, Point::End);
    stage.key(Key::Backspace);
    expect(&stage, 1, Point::End);
    stage.key(Key::ArrowDown);
    expect(&stage, 2, Point::Draw(0));
    stage.key(Key::ArrowUp);
    expect(&stage, 1, Point::End);
    stage.key_with(Modifiers::SHIFT, Key::ArrowUp);
    expect(&stage, 1, Point::Packet(0));
    stage.key_with(Modifiers::SHIFT, Key::ArrowUp);
    let last = stage.inspector().place().point;
    assert!(matches!(last, Point::Packet(packet) if packet > 5), "{last:?}");
    expect(&stage, 0, last);
    stage.key_with(Modifiers::SHIFT, Key::ArrowDown);
    expect(&stage, 1, Point::Packet(0));
    stage.key(Key::Home);
    expect(&stage, 0, Point::End);
}

fn playing_ends_at_the_last_frame(_: Arc<Gpu>) {
    let mut stage = start("frames");
    stage.harness.key_press(Key::Space);
    stage.wait_for("the end", |stage| stage.inspector().title().starts_with("frames.aerogputrace – frame 3 of 0–3 –"));
    stage.assert_at(3, Point::End);
}

/// Frames are due faster than any are drawn: still none goes by before what is laid over it or compared with it was seen.
fn playing_shows_every_overlay_and_every_comparison(_: Arc<Gpu>) {
    const FRAMES: usize = 4;
    type Seen = fn(&Stage) -> Vec<String>;
    let legend: Seen = |stage| stage.texts().into_iter().filter(|text| text.ends_with(" pixels)")).collect();
    let verdict: Seen = |stage| {
        let verdict = stage.inspector().message().filter(|message| !message.contains(": being "));
        verdict.map(str::to_owned).into_iter().collect()
    };
    let mut stage = Setup { fps: 100_000.0, ..Setup::of(fixture("frames")) }.start();
    let every_frame_shows = |stage: &mut Stage, what: Seen| {
        let mut at_rest = Vec::new();
        stage.key(Key::Home);
        for _ in 0..FRAMES {
            at_rest.push(what(stage));
            stage.key(Key::ArrowRight);
        }
        stage.key(Key::Home);
        // At rest the first one was seen.
        let seen = RefCell::new([true, false, false, false]);
        stage.harness.key_press(Key::Space);
        stage.wait_for("the last frame", |stage| {
            let frame = stage.inspector().place().frame.0 as usize;
            seen.borrow_mut()[frame] |= what(stage) == at_rest[frame];
            frame == FRAMES - 1 && !stage.inspector().title().contains("playing")
        });
        assert_eq!(seen.into_inner(), [true; FRAMES], "{at_rest:?}");
        at_rest
    };
    stage.click("overlay");
    stage.click("overdraw");
    let legends = every_frame_shows(&mut stage, legend);
    assert!(legends[0] != legends[1] && legends[2] != legends[3], "one is as good as another: {legends:?}");
    stage.key_with(Modifiers::SHIFT, Key::X);
    stage.key(Key::Num2);
    let verdicts = every_frame_shows(&mut stage, verdict);
    assert!(verdicts[0] != verdicts[1] && verdicts[2] != verdicts[3], "one is as good as another: {verdicts:?}");
}

fn a_pixel_tells_its_history(_: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    stage.click_at(IN_PICTURE);
    assert!(stage.shows("pixel 3") && stage.shows("the frame begins with"), "{:?}", stage.texts());
    stage.click("all events");
    assert!(stage.shows("CLEAR") && stage.shows("none of its triangles covers the pixel"), "{:?}", stage.texts());
    stage.click("draw 1");
    stage.assert_at(0, Point::Draw(1));
}

fn filters_find_events(_: Arc<Gpu>) {
    let mut stage = start("frames");
    stage.key(Key::Slash);
    stage.type_text("DRAW or CLEAR");
    assert!(!stage.shows("CREATE_BUFFER") && stage.shows("CLEAR"), "{:?}", stage.texts());
    stage.key(Key::Escape);
    stage.harness.hover_at(IN_PICTURE);
    stage.click_at(IN_PICTURE);
    let start = stage.inspector().place();
    stage.key(Key::N);
    assert_ne!(stage.inspector().place(), start);
    stage.assert_at(1, Point::Draw(0));
    stage.key_with(Modifiers::SHIFT, Key::N);
    stage.assert_at(0, Point::Draw(0));
    stage.key_with(Modifiers::SHIFT, Key::N);
    assert!(matches!(stage.inspector().place().point, Point::Packet(_)), "the CLEAR before the draw");
    stage.key_with(Modifiers::SHIFT, Key::N);
    assert_eq!(stage.inspector().message(), Some("no further match"));
}

fn a_shader_is_edited_and_the_old_one_stays_while_the_new_has_errors(_: Arc<Gpu>) {
    let mut stage = start("triangle");
    let before = stage.picture().clone();
    stage.key(Key::F5);
    let text = stage.places().into_iter().find(|(text, _)| text.contains("@fragment")).expect("the text");
    stage.click_at(text.1 + egui::vec2(30.0, 20.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text("@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.0, 1.0, 1.0) }");
    assert!(stage.shows("line 1, column"), "the error and its place: {:?}", stage.texts());
    assert!(*stage.picture() == before, "the old shader draws on");
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text("@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.0, 1.0, 1.0); }");
    stage.settle();
    assert!(!stage.shows("line 1, column"), "{:?}", stage.texts());
    let size = before.size();
    let middle = stage.picture().pixel(size.width_px / 2, size.height_px / 2);
    assert_eq!(middle, Some([255, 0, 255, 255]));
    stage.click("Save as replacements");
    let saved: Vec<_> = fs::read_dir(stage.host.memory.join("shaders")).unwrap().map(Result::unwrap).collect();
    assert_eq!(saved.len(), 1, "the one text that was edited");
    assert!(fs::read_to_string(saved[0].path()).unwrap().contains("vec4(1.0, 0.0, 1.0, 1.0)"));
    stage.click("Restore the trace's texts");
    assert!(*stage.picture() == before);
    // A text that is as it was is none that is edited.
    stage.click_at(text.1 + egui::vec2(30.0, 20.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text("x");
    assert!(stage.shows("1 edited, 1 not saved"), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(&text.0);
    assert!(!stage.shows("edited"), "{:?}", stage.texts());
    // Its lines are numbered.
    for number in 1..=text.0.lines().count() {
        assert!(stage.texts().contains(&number.to_string()), "{number}: {:?}", stage.texts());
    }
}

fn another_trace_lies_beside_this_one(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.aerogputrace");
    let frames = open(&fixture("frames")).unwrap().trace;
    let index = TraceIndex::build(&frames, |_| ());
    let kept: Vec<FrameIndex> = (1..4).map(FrameIndex).collect();
    let written = write_trimmed(&frames, &index, &kept, Shown::default(), Vec::new()).unwrap().sink;
    fs::write(&other, written).unwrap();
    let beside = |name: &str| Setup { compared: Some(other.clone()), ..Setup::of(fixture(name)) };
    let mut stage = beside("frames").start();
    stage.harness.hover_at(IN_PICTURE);
    stage.wait_for("the comparison", |stage| stage.shows("other.aerogputrace has no match for frame 0"));
    for frame in 1..4 {
        stage.key(Key::ArrowRight);
        stage.settle();
        let found = format!("frame {frame} matches frame {} of the other trace: identical inputs", frame - 1);
        assert!(stage.shows(&found), "{found}: {:?}", stage.texts());
        stage.wait_for("equal pictures", |stage| stage.shows("identical"));
    }
    assert!(stage.shows("all common frames have identical inputs"), "{:?}", stage.texts());
    drop(stage);
    // The fourth draw's fragment shader is the one with this text.
    let trace = fs::read(fixture("redefinition")).unwrap();
    let (from, to) = (b"vec4<f32>(1.0", b"vec4<f32>(0.5");
    let at = trace.windows(from.len()).position(|bytes| bytes == from).unwrap();
    fs::write(&other, [&trace[..at], to, &trace[at + to.len()..]].concat()).unwrap();
    let mut stage = beside("redefinition").start();
    stage.harness.hover_at(IN_PICTURE);
    stage.wait_for("the comparison", |stage| stage.shows("pixels differ"));
    assert!(stage.shows("frame 0 matches frame 0 of the other trace: different inputs"), "{:?}", stage.texts());
    stage.wait_for("what differs", |stage| stage.shows("draw 3 differs in the fragment shader"));
    stage.click("state and shaders");
    stage.wait_for("texts beside each other", |stage| stage.shows("Bindings and state are identical."));
    let line = |stage: &Stage, mark: char, text: &str| {
        stage.texts().iter().any(|line| line.starts_with(mark) && line.contains(text) && line.contains("vec4<f32>("))
    };
    assert!(line(&stage, '−', "(1.0") && line(&stage, '+', "(0.5"), "{:?}", stage.texts());
    stage.key(Key::ArrowUp);
    stage.assert_at(0, Point::Draw(2));
    stage.wait_for("equal draws", |stage| stage.shows("draw 2 is identical"));
    stage.wait_for("equal texts", |stage| stage.shows("The shaders are identical."));
    stage.click("state and shaders");
    assert!(!stage.shows("The shaders are identical."), "{:?}", stage.texts());
    stage.wait_for("equal pictures", |stage| stage.shows("identical"));
    stage.click("first difference");
    stage.assert_at(0, Point::Draw(3));
    stage.wait_for("the difference", |stage| stage.shows("pixels differ"));
    drop(stage);
    // Before the first draw nothing is drawn there, either.
    let first_place = Some(Place::after_packet(FrameIndex(0), 0));
    let mut stage = Setup { first_place, ..beside("redefinition") }.start();
    stage.wait_for("the start of the frame", |stage| stage.shows("identical"));
}

fn shaders_and_goldens_are_followed(_: Arc<Gpu>) {
    let memory = tempfile::tempdir().unwrap();
    fs::create_dir(memory.path().join("followed")).unwrap();
    let golden = memory.path().join("golden.png");
    let setup = Setup { memory: Some(memory.path().to_owned()), ..Setup::of(fixture("triangle")) };
    let mut stage = setup.start();
    stage.wait_for("the picture", |stage| stage.inspector().shown_picture().is_some());
    let write = |picture: &Picture| {
        let mut bytes = Vec::new();
        write_png(picture, &[], &mut bytes).unwrap();
        fs::write(&golden, bytes).unwrap();
    };
    let before = stage.picture().clone();
    // The record of the fragment shader's WGSL, which another program writes.
    let text = memory.path().join("followed/928");
    let shader =
        |red: &str| format!("@fragment fn main() -> @location(0) vec4<f32> {{ return vec4({red}, 0.0, 1.0, 1.0); }}");
    let size = before.size();
    let middle = |stage: &Stage| {
        let (_, picture) = stage.inspector().shown_picture()?;
        picture.pixel(size.width_px / 2, size.height_px / 2)
    };
    for (value, red) in [("1.0", 255), ("0.0", 0)] {
        fs::write(&text, shader(value)).unwrap();
        stage.wait_for("the new shader", |stage| middle(stage) == Some([red, 0, 255, 255]));
        assert_eq!(stage.inspector().message(), Some("the shaders were reloaded"));
    }
    // What is typed here is not taken away.
    stage.harness.hover_at(IN_PICTURE);
    stage.key(Key::F5);
    let at = stage.places().into_iter().find(|(text, _)| text.contains("vec4(0.0")).expect("the text").1;
    stage.click_at(at + egui::vec2(30.0, 5.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(&shader("0.2"));
    stage.wait_for("the typed shader", |stage| middle(stage) == Some([51, 0, 255, 255]));
    fs::write(&text, shader("1.0")).unwrap();
    stage.wait_for("a word about it", |stage| {
        stage.inspector().message().is_some_and(|message| message.starts_with("the shaders changed on disk"))
    });
    stage.settle();
    assert_eq!(middle(&stage), Some([51, 0, 255, 255]));
    // A golden that another program approves.
    write(stage.picture());
    stage.click("compare");
    stage.click("golden");
    stage.harness.hover_at(IN_PICTURE);
    stage.key(Key::Num1);
    stage.wait_for("the comparison", |stage| stage.shows("identical"));
    write(&before);
    stage.wait_for("the new golden", |stage| stage.shows("pixels differ"));
}

fn a_packet_says_all_of_itself(_: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    let beside = |stage: &Stage, name: &str| {
        let places = stage.places();
        let row = places.iter().find(|(text, at)| text == name && at.x < 340.0).map(|(_, at)| at.y)?;
        let value = places.iter().find(|(text, at)| text != name && at.x < 340.0 && (at.y - row).abs() < 4.0);
        value.map(|(text, _)| text.clone())
    };
    stage.wait_for("the draw", |stage| beside(stage, "vertex_count").as_deref() == Some("6"));
    assert_eq!(beside(&stage, "first_vertex").as_deref(), Some("0"));
    assert!(
        stage.shows("DRAW") && stage.texts().iter().any(|text| text.contains(" bytes at 0x")),
        "{:?}",
        stage.texts()
    );
    drop(stage);
    let first_place = Some(Place::after_packet(FrameIndex(0), 0));
    let mut stage = Setup { first_place, ..Setup::of(fixture("upload_between_draws")) }.start();
    stage.wait_for("the first packet", |stage| beside(stage, "shader_id").is_some());
    assert_eq!(beside(&stage, "vertex_count"), None);
    let packet = stage.texts().into_iter().find(|text| text.starts_with("packet 0, "));
    assert!(packet.is_some(), "{:?}", stage.texts());
}

fn numbers_and_mistakes_are_told(_: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    stage.key(Key::F10);
    // The number beside a name, in the same row.
    let figure = |stage: &Stage, name: &str| {
        let places = stage.places();
        let row = places.iter().find(|(text, at)| text == name && at.x > 800.0).map(|(_, at)| at.y)?;
        let number = |(text, at): &(String, egui::Pos2)| {
            (at.x > 800.0 && (at.y - row).abs() < 4.0)
                .then(|| text.replace('\u{2009}', "").parse::<u64>().ok())
                .flatten()
        };
        places.iter().find_map(number)
    };
    for (name, number) in
        [("draws", 3), ("vertices", 18), ("uploads", 15), ("bytes", 2087), ("UPLOAD_BUFFER", 15), ("CREATE_SHADER", 2)]
    {
        assert_eq!(figure(&stage, name), Some(number), "{name}: {:?}", stage.places());
    }
    assert_eq!(figure(&stage, "dispatches"), None, "what there is none of");
    let written: Vec<String> = stage.texts().into_iter().filter(|text| text.starts_with("written ")).collect();
    assert!(!written.is_empty(), "{:?}", stage.texts());
    stage.scroll(pos2(1100.0, 400.0), -5000.0);
    assert!(stage.shows("lint: 2 findings in 1 line"), "{:?}", stage.texts());
    assert!(stage.shows("most draws: frame 0 has 3"), "{:?}", stage.texts());
    // Findings of one rule are a line, which leads to the first.
    stage.click("shader-source: 2 × a shader has no GLSL ES 3.00");
    assert!(matches!(stage.inspector().place().point, Point::Packet(_)), "{:?}", stage.inspector().place());
    // The other tab that tells of them counts the same ones.
    stage.click("Problems");
    assert!(stage.shows("lint: 2 findings in 1 line"), "{:?}", stage.texts());
    assert!(stage.shows("shader-source: 2 × a shader has no GLSL ES 3.00"), "{:?}", stage.texts());
}

/// Both tabs have as many findings as `lint` prints.
fn stats_and_problems_count_as_lint_does(_: Arc<Gpu>) {
    for path in
        [fixture("frames"), fixture("loose_records"), root().join("fixtures/aerogpu/scenes/seed-200.aerogputrace")]
    {
        let trace = open(&path).unwrap().trace;
        let index = TraceIndex::build(&trace, |_| ());
        let found = lint_opened(&trace, &index).unwrap().findings.len();
        let counted = match found {
            0 => "lint: no findings".to_owned(),
            1 => "lint: 1 finding in ".to_owned(),
            count => format!("lint: {count} findings in "),
        };
        for tab in ["Stats", "Problems"] {
            let mut stage = Setup::of(path.clone()).start();
            stage.click(tab);
            stage.scroll(pos2(1100.0, 400.0), -5000.0);
            assert!(
                stage.texts().iter().any(|text| text.starts_with(&counted)),
                "{tab}, {counted}: {:?}",
                stage.texts()
            );
        }
    }
}

fn draws_are_timed_when_asked(_: Arc<Gpu>) {
    let mut stage = start("redefinition");
    stage.key(Key::F10);
    let is_cost = |text: &str| [" ns", " µs", " ms"].iter().any(|unit| text.ends_with(unit));
    let listed = |stage: &Stage| -> Vec<String> {
        stage
            .texts()
            .into_iter()
            .filter(|text| text.strip_prefix("draw ").is_some_and(|n| n.parse::<u32>().is_ok()))
            .collect()
    };
    let rows =
        |stage: &Stage| -> Vec<String> { stage.texts().into_iter().filter(|text| text.contains("  DRAW ")).collect() };
    assert_eq!(rows(&stage).len(), 4);
    assert!(rows(&stage).iter().all(|row| !row.contains("s ")), "nothing is timed by itself: {:?}", rows(&stage));
    stage.click("measure");
    stage.wait_for("the times", |stage| stage.shows("without timing (median of 5 runs)"));
    let mut draws = listed(&stage);
    draws.sort();
    assert_eq!(draws, ["draw 0", "draw 1", "draw 2", "draw 3"]);
    assert!(stage.texts().iter().filter(|text| is_cost(text)).count() >= 4, "{:?}", stage.texts());
    let shares: Vec<f64> = stage.texts().iter().filter_map(|text| text.strip_suffix(" %")?.parse().ok()).collect();
    assert!(shares.len() == 4 && shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    assert!((shares.iter().sum::<f64>() - 100.0).abs() < 0.5, "{shares:?}");
    // A column of the list of draws, and a line under each in the strip.
    let rows = rows(&stage);
    assert!(rows.iter().all(|row| ["ns  ", "µs  ", "ms  "].iter().any(|unit| row.contains(unit))), "{rows:?}");
    stage.click("draw 2");
    stage.assert_at(0, Point::Draw(2));
    assert!(stage.shows("again") && !stage.shows("measure"), "{:?}", stage.texts());
}

fn costs_are_of_the_shaders_that_were_timed(_: Arc<Gpu>) {
    let memory = tempfile::tempdir().unwrap();
    fs::create_dir(memory.path().join("followed")).unwrap();
    let mut stage = Setup { memory: Some(memory.path().to_owned()), ..Setup::of(fixture("triangle")) }.start();
    stage.key(Key::F10);
    stage.click("measure");
    stage.scroll(pos2(100.0, 250.0), 5000.0);
    let row = |stage: &Stage| stage.texts().into_iter().find(|text| text.contains("  DRAW ")).expect("the draw's row");
    stage.wait_for("the times", |stage| stage.shows("without timing") && row(stage).contains("s  "));
    // The record of the fragment shader's WGSL, which another program writes.
    let shader = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.0, 1.0, 1.0); }";
    fs::write(memory.path().join("followed/928"), shader).unwrap();
    stage.wait_for("the new shader", |stage| stage.inspector().message() == Some("the shaders were reloaded"));
    stage.wait_for("no times of the old one", |stage| !row(stage).contains("s  "));
    stage.click("again");
    stage.wait_for("the new times", |stage| row(stage).contains("s  "));
}

fn a_frame_is_a_strip_of_draws_that_plays(gpu: Arc<Gpu>) {
    let mut stage = start("redefinition");
    let mut player = player(gpu, "redefinition");
    let card = |stage: &Stage, draw: u32| {
        let number = draw.to_string();
        let is_card = |(text, at): &(String, egui::Pos2)| *text == number && at.y < 120.0 && at.x > 60.0 && at.y > 30.0;
        stage.places().into_iter().find(is_card).map(|(_, at)| at - egui::vec2(0.0, 30.0))
    };
    assert_eq!(card(&stage, 1), None, "there is one frame");
    stage.key(Key::D);
    for draw in [2, 0, 3, 1] {
        let at = card(&stage, draw).unwrap_or_else(|| panic!("no card of draw {draw}: {:?}", stage.places()));
        stage.click_at(at);
        stage.assert_at(0, Point::Draw(draw));
        let expected = player.render(Place::at_draw(FrameIndex(0), draw)).unwrap();
        assert!(**stage.picture() == expected, "draw {draw}");
    }
    // What is shown while it plays, each picture once.
    let played = |stage: &mut Stage, count: usize| {
        let mut seen = Vec::new();
        stage.harness.key_press(Key::Space);
        stage.wait_for("playing", |stage| {
            let title = stage.inspector().title();
            title.contains("playing")
        });
        while seen.len() < count {
            let before = stage.inspector().place().point;
            if seen.last() != Some(&before) {
                seen.push(before);
            }
            stage.wait_for("the next draw", |stage| stage.inspector().place().point != before);
        }
        stage.harness.key_press(Key::Space);
        stage.settle();
        seen
    };
    let draws = |draws: &[u32]| draws.iter().copied().map(Point::Draw).collect::<Vec<_>>();
    assert_eq!(played(&mut stage, 6), draws(&[2, 3, 0, 1, 2, 3]), "all of them, over and over");
    // From the current one to another.
    let at = card(&stage, 1).unwrap();
    stage.click_at(at);
    let at = card(&stage, 2).unwrap();
    stage.harness.event(egui::Event::ModifiersChanged(Modifiers::SHIFT));
    stage.click_at(at);
    stage.harness.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    stage.assert_at(0, Point::Draw(1));
    assert!(stage.shows("⟲ 1–2"), "{:?}", stage.texts());
    assert_eq!(played(&mut stage, 4), draws(&[2, 1, 2, 1]));
    stage.click("⟲ 1–2 ✖");
    assert!(!stage.shows("⟲"), "{:?}", stage.texts());
    // A draw's row shows what it leaves.
    let words = Place::at_draw(FrameIndex(0), 1).in_words().to_string();
    assert!(!stage.shows(&words), "{:?}", stage.texts());
    // What was just clicked has no tooltip, and the tree glides to its place.
    stage.harness.run_steps(30);
    let mut pointer = None;
    for _ in 0..2000 {
        let rows = stage.places();
        let row = rows.iter().find(|(text, _)| text.contains("   1  DRAW")).unwrap_or_else(|| panic!("{rows:?}")).1;
        if pointer.replace(row) != Some(row) {
            stage.harness.hover_at(row + egui::vec2(20.0, 5.0));
        }
        stage.harness.step();
        if stage.shows(&words) {
            break;
        }
    }
    assert!(stage.shows(&words), "{:?}", stage.texts());
    stage.settle();
    stage.key(Key::D);
    assert_eq!(card(&stage, 1), None, "frames again");
}

fn texts_are_searched_and_errors_lead_to_their_lines(_: Arc<Gpu>) {
    let mut stage = start("triangle");
    stage.key_with(Modifiers::COMMAND, Key::F);
    let text = stage.places().into_iter().find(|(text, _)| text.contains("@fragment")).expect("the text").0;
    let count = text.to_lowercase().matches("vec4").count();
    assert!(count > 1, "{text}");
    stage.type_text("VEC4");
    assert!(stage.shows(&format!("1 of {count}")), "{:?}", stage.texts());
    for number in (2..=count).chain([1, 2]) {
        stage.key(Key::Enter);
        assert!(stage.shows(&format!("{number} of {count}")), "{number}: {:?}", stage.texts());
    }
    stage.key_with(Modifiers::SHIFT, Key::Enter);
    assert!(stage.shows(&format!("1 of {count}")), "{:?}", stage.texts());
    stage.type_text("x");
    assert!(stage.shows("no match"), "{:?}", stage.texts());
    // The line of an error that is out of sight is a click away, and what is typed then takes the place of what is wrong.
    let place = |stage: &Stage, wanted: &str| {
        stage.places().into_iter().find(|(text, _)| text.contains(wanted)).expect("the text").1
    };
    // It is scrolled to the right, where the match is.
    stage.click_at(pos2(place(&stage, "blob 5").x + 60.0, place(&stage, "@fragment").y + 20.0));
    stage.key_with(Modifiers::COMMAND, Key::A);
    let lines = "\n".repeat(100);
    let shader = |value: &str| {
        format!("@fragment fn main() -> @location(0) vec4<f32> {{{lines}return vec4({value}, 0.0, 1.0, 1.0);{lines}}}")
    };
    stage.type_text(&shader("missing"));
    let error = stage
        .texts()
        .into_iter()
        .find(|text| text.contains("line 101, column 13"))
        .unwrap_or_else(|| panic!("{:?}", stage.texts()));
    stage.click(&error);
    stage.type_text("1.0");
    stage.settle();
    assert!(stage.shows(&shader("1.0")), "{:?}", stage.texts());
    assert!(!stage.shows("line 101"), "{:?}", stage.texts());
}

fn the_picture_is_compared_with_the_golden_and_other_shaders(_: Arc<Gpu>) {
    let mut stage = start("triangle");
    // There is no frame before the first, and what is shown is said to be no comparison.
    stage.key(Key::Num1);
    assert!(stage.shows("difference from previous frame") && stage.shows("shown: this trace's own picture"));
    stage.click("compare with: previous frame");
    stage.click("golden");
    stage.wait_for("the comparison", |stage| stage.inspector().message() == Some("golden: identical"));
    assert!(stage.shows("difference from golden") && !stage.shows("this trace's own picture"));
    stage.key(Key::Num3);
    stage.click("compare");
    stage.click("GLSL shaders");
    stage.key(Key::Num4);
    stage.wait_for("the comparison", |stage| stage.inspector().message() == Some("GLSL shaders: identical"));
    let mut stage = start("frames");
    stage.key(Key::ArrowRight);
    stage.key(Key::Num2);
    stage.wait_for("the comparison", |stage| {
        stage
            .inspector()
            .message()
            .is_some_and(|message| message.starts_with("previous frame: ") && message.contains("pixels differ"))
    });
}

fn draws_are_left_out_and_looked_at_alone(gpu: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    let own = stage.picture().clone();
    stage.key(Key::ArrowUp);
    stage.key(Key::X);
    assert!(stage.shows("1 hidden"));
    stage.key(Key::I);
    assert!(!stage.shows("1 hidden"), "alone is something else");
    stage.key_with(Modifiers::SHIFT, Key::X);
    assert!(!stage.shows("no overlay"));
    stage.key(Key::End);
    assert!(**stage.picture() == *own);
    let overlay = |stage: &mut Stage, name: &str| {
        stage.click("overlay");
        stage.click(name);
    };
    overlay(&mut stage, "overdraw");
    assert!(stage.shows("pixels)"), "a legend: {:?}", stage.texts());
    // The same by keys.
    stage.key(Key::O);
    assert!(!stage.shows("pixels)"), "{:?}", stage.texts());
    for key in [Key::O, Key::P, Key::H] {
        stage.key(key);
        assert!(stage.shows("pixels)"), "{key:?}: {:?}", stage.texts());
    }
    stage.key(Key::H);
    assert!(!stage.shows("pixels)"), "{:?}", stage.texts());
    drop(gpu);
}

fn bookmarks_and_notes_come_back(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let setup = || Setup { memory: Some(folder.path().to_owned()), ..Setup::of(fixture("frames")) };
    let mut stage = setup().start();
    stage.harness.hover_at(IN_PICTURE);
    stage.key(Key::ArrowRight);
    stage.key(Key::ArrowRight);
    stage.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Num3);
    stage.key(Key::F8);
    assert!(stage.shows("3: frame 2"), "{:?}", stage.texts());
    stage.key(Key::Home);
    stage.key(Key::ArrowRight);
    stage.harness.state_mut().save_state();
    let mut stage = setup().start();
    stage.assert_at(1, Point::End);
    assert!(stage.shows("3: frame 2"), "the tab is in front again");
    stage.key_with(Modifiers::COMMAND, Key::Num3);
    stage.assert_at(2, Point::End);
}

fn making_the_index_is_watched_and_given_up(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let slow = folder.path().join("slow");
    fs::write(&slow, b"").unwrap();
    let mut setup = Setup { memory: Some(folder.path().to_owned()), ..Setup::of(fixture("frames")) };
    setup.waits = false;
    let mut stage = setup.start();
    stage.harness.hover_at(IN_PICTURE);
    stage.wait_for("the progress", |stage| stage.shows("indexing: frame 0 of 4") && stage.shows("building the index"));
    // The first frame needs no index.
    stage.wait_for("the first picture", |stage| stage.inspector().shown_picture().is_some());
    stage.click("✖");
    stage.settle();
    assert!(stage.shows("indexing was cancelled"), "{:?}", stage.texts());
    stage.key(Key::End);
    stage.assert_at(3, Point::End);
    fs::remove_file(&slow).unwrap();
    stage.key_with(Modifiers::COMMAND, Key::R);
    stage.settle();
    assert!(stage.shows("CLEAR"), "{:?}", stage.texts());
}

fn damage_is_listed_and_leads_to_its_packet(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.aerogputrace");
    let mut bytes = fs::read(fixture("frames")).unwrap();
    // The DRAW of frame 1 asks for more vertices than the buffer has.
    let draw = 0x47b;
    bytes[draw + 8..draw + 12].copy_from_slice(&1000u32.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let mut stage = Setup::of(path).start();
    stage.harness.hover_at(IN_PICTURE);
    stage.key(Key::ArrowRight);
    assert!(stage.inspector().first_error().is_none(), "the frame is shown without the draw");
    assert!(stage.texts().iter().any(|text| text == "⛔"), "its thumbnail is marked: {:?}", stage.texts());
    stage.key(Key::F7);
    let message = stage.texts().into_iter().find(|text| text.contains("DRAW at 0x47b")).expect("the error");
    stage.key(Key::ArrowLeft);
    stage.assert_at(0, Point::End);
    stage.click(&message);
    assert_eq!(stage.inspector().place().frame, FrameIndex(1));
    assert!(stage.shows("DRAW  vertex_count 1000"), "the packet can be seen: {:?}", stage.texts());
}

/// Also while the pointer is where Escape has another meaning, beside the sheet and under it.
fn escape_closes_what_is_in_front_first(_: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    let on_ruler = stage.places().into_iter().find(|(text, _)| text == "0.5").expect("a ruler").1;
    let tracks = on_ruler + vec2(0.0, 40.0);
    let has_range = |stage: &Stage| stage.texts().iter().any(|text| text.contains(" selected, frames "));
    assert!(!has_range(&stage));
    stage.drag(tracks, tracks + vec2(80.0, 0.0));
    assert!(has_range(&stage), "{:?}", stage.texts());
    for dx in [-40.0, -20.0, 0.0, 40.0, 400.0] {
        stage.key(Key::F1);
        assert!(stage.shows("this sheet"));
        stage.harness.hover_at(tracks + vec2(dx, 0.0));
        stage.key(Key::Escape);
        assert!(!stage.shows("this sheet") && has_range(&stage) && !stage.inspector().has_quit(), "{dx}");
    }
    stage.harness.hover_at(tracks);
    stage.key(Key::Escape);
    assert!(!has_range(&stage) && !stage.inspector().has_quit());
}

fn without_a_gpu_there_are_events_and_timelines(_: Arc<Gpu>) {
    let adapter = AdapterChoice::Name("no such adapter".to_owned());
    let mut stage = Setup { adapter, ..Setup::of(fixture("frames")) }.start();
    stage.harness.hover_at(IN_PICTURE);
    assert!(stage.inspector().title().contains("no GPU"), "{}", stage.inspector().title());
    assert!(stage.shows("no usable adapter"), "{:?}", stage.texts());
    assert!(stage.shows("DRAW  vertex_count 6"), "{:?}", stage.texts());
    stage.key(Key::ArrowRight);
    stage.key(Key::F2);
    assert!(stage.shows("stride 24, position at 0, colour at 8"));
    assert!(stage.shows("draws per frame"), "the timeline");
}

fn a_file_that_changes_is_read_again(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changing.aerogputrace");
    fs::copy(fixture("frames"), &path).unwrap();
    let mut stage = Setup::of(path.clone()).start();
    stage.harness.hover_at(IN_PICTURE);
    stage.key(Key::End);
    stage.assert_at(3, Point::End);
    // Written beside and moved over it, as tools do.
    let other = folder.path().join("other");
    fs::copy(fixture("triangle"), &other).unwrap();
    File::options().append(true).open(&other).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    fs::rename(&other, &path).unwrap();
    stage.wait_for("the new trace", |stage| stage.inspector().title().contains("frame 0 of 0–0"));
    stage.settle();
    stage.assert_at(0, Point::End);
}

fn another_trace_is_opened_by_its_path(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let mut stage = start("frames");
    stage.key(Key::End);
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.type_text(gone.to_str().unwrap());
    stage.key(Key::Enter);
    stage.assert_at(3, Point::End);
    stage.key_with(Modifiers::COMMAND, Key::O);
    assert!(stage.shows("Open a trace"));
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(fixture("triangle").to_str().unwrap());
    stage.key(Key::Enter);
    assert!(
        stage.inspector().title().starts_with("triangle.aerogputrace – frame 0 of 0–0"),
        "{}",
        stage.inspector().title()
    );
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.type_text(gone.join("at all.aerogputrace").to_str().unwrap());
    stage.key(Key::Enter);
    assert!(stage.inspector().title().starts_with("triangle.aerogputrace"), "what is open stays");
    assert!(stage.inspector().message().is_some_and(|message| message.contains("No such file")));
}

fn saving_and_copying_tell_what_is_seen(_: Arc<Gpu>) {
    let mut stage = start("upload_between_draws");
    stage.key(Key::ArrowUp);
    stage.key(Key::S);
    let saved = stage.host.saved.lock().unwrap().pop().unwrap();
    assert_eq!(saved.0, "frame0000.draw0001");
    assert!(saved.1 == **stage.picture());
    stage.harness.key_press(Key::Y);
    stage.harness.step();
    stage.harness.step();
    let message = stage.inspector().message().unwrap_or_default().to_owned();
    assert!(message.ends_with("upload_between_draws.aerogputrace --place 0/draw=1 --out png"), "{message}");
}

fn only_the_picture_or_everything(_: Arc<Gpu>) {
    let mut stage = start("frames");
    assert!(stage.shows("Resources"));
    stage.key(Key::F11);
    assert_eq!(stage.texts(), Vec::<String>::new());
    stage.key(Key::Questionmark);
    assert!(stage.shows("copy the command line for this view"), "the sheet of keys: {:?}", stage.texts());
    stage.key(Key::Escape);
    assert!(!stage.shows("copy the command line") && !stage.inspector().has_quit(), "Escape closes the sheet");
    stage.key(Key::Escape);
    assert!(!stage.inspector().has_quit(), "Escape never closes the window");
    stage.key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.inspector().has_quit());
}

fn everything_looks_as_it_did(_: Arc<Gpu>) {
    let mut setup = Setup::of(fixture("upload_between_draws"));
    setup.first_place = Some(Place::end_of(FrameIndex(0)));
    let mut stage = setup.start();
    stage.click_at(IN_PICTURE);
    stage.key(Key::F2);
    let image = stage.render();
    let size = Size { width_px: image.width(), height_px: image.height() };
    let found = Picture::new(size, image.into_raw()).unwrap();
    let path: PathBuf = root().join("golden/inspector/inspector.png");
    if is_blessing() {
        write_png(&found, &[], File::create(&path).unwrap()).unwrap();
        return;
    }
    let missing = "golden/inspector/inspector.png is missing: BLESS=1 cargo test --test gpu everything_looks";
    let expected = read_png(BufReader::new(File::open(&path).expect(missing))).unwrap();
    let judgement = judge(&expected, &found, &[], Check::OTHER_MACHINE);
    assert!(judgement.is_same, "{judgement}");
}

pub fn trials() -> Vec<Trial> {
    type Test = (&'static str, fn(Arc<Gpu>));
    let tests: [Test; 77] = [
        ("keys_step_through_frames_draws_and_packets", keys_step_through_frames_draws_and_packets),
        ("playing_ends_at_the_last_frame", playing_ends_at_the_last_frame),
        ("playing_shows_every_overlay_and_every_comparison", playing_shows_every_overlay_and_every_comparison),
        ("a_pixel_tells_its_history", a_pixel_tells_its_history),
        ("a_frame_is_a_strip_of_draws_that_plays", a_frame_is_a_strip_of_draws_that_plays),
        ("numbers_and_mistakes_are_told", numbers_and_mistakes_are_told),
        ("a_packet_says_all_of_itself", a_packet_says_all_of_itself),
        ("draws_are_timed_when_asked", draws_are_timed_when_asked),
        ("costs_are_of_the_shaders_that_were_timed", costs_are_of_the_shaders_that_were_timed),
        ("another_trace_lies_beside_this_one", another_trace_lies_beside_this_one),
        ("shaders_and_goldens_are_followed", shaders_and_goldens_are_followed),
        ("filters_find_events", filters_find_events),
        (
            "a_shader_is_edited_and_the_old_one_stays_while_the_new_has_errors",
            a_shader_is_edited_and_the_old_one_stays_while_the_new_has_errors,
        ),
        ("texts_are_searched_and_errors_lead_to_their_lines", texts_are_searched_and_errors_lead_to_their_lines),
        (
            "the_picture_is_compared_with_the_golden_and_other_shaders",
            the_picture_is_compared_with_the_golden_and_other_shaders,
        ),
        ("draws_are_left_out_and_looked_at_alone", draws_are_left_out_and_looked_at_alone),
        ("bookmarks_and_notes_come_back", bookmarks_and_notes_come_back),
        ("making_the_index_is_watched_and_given_up", making_the_index_is_watched_and_given_up),
        ("damage_is_listed_and_leads_to_its_packet", damage_is_listed_and_leads_to_its_packet),
        (
            "frames_behind_faults_are_shown_and_faults_are_marked",
            faults::frames_behind_faults_are_shown_and_faults_are_marked,
        ),
        ("a_fault_of_a_second_run_leads_to_that_run", faults::a_fault_of_a_second_run_leads_to_that_run),
        ("random_questions_agree_with_a_plain_decoder", random_questions::random_questions_agree_with_a_plain_decoder),
        ("a_recording_that_starts_in_the_middle_says_so", faults::a_recording_that_starts_in_the_middle_says_so),
        ("escape_closes_what_is_in_front_first", escape_closes_what_is_in_front_first),
        ("escape_leaves_one_thing_after_the_other", back::escape_leaves_one_thing_after_the_other),
        ("escape_closes_the_dialog_and_a_list", back::escape_closes_the_dialog_and_a_list),
        ("the_desktops_dialog_is_asked_for_a_trace", file_dialog::the_desktops_dialog_is_asked_for_a_trace),
        ("a_desktop_without_a_dialog_leaves_ours", file_dialog::a_desktop_without_a_dialog_leaves_ours),
        ("the_window_does_not_wait_for_the_desktop", file_dialog::the_window_does_not_wait_for_the_desktop),
        ("the_start_page_opens_what_is_chosen", start_page::it_opens_what_is_chosen),
        ("the_start_page_remembers_and_forgets", start_page::it_remembers_and_forgets),
        ("the_start_page_has_three_things_to_try", start_page::it_has_three_things_to_try),
        ("the_start_page_is_worked_by_keys_alone", start_page::it_is_worked_by_keys_alone),
        ("the_start_page_can_be_read_at_every_size", start_page::it_can_be_read_at_every_size),
        ("the_start_page_shows_why_a_file_is_not_opened", start_page::it_says_why_a_file_is_not_opened),
        ("without_a_gpu_there_are_events_and_timelines", without_a_gpu_there_are_events_and_timelines),
        ("a_file_that_changes_is_read_again", a_file_that_changes_is_read_again),
        ("another_trace_is_opened_by_its_path", another_trace_is_opened_by_its_path),
        ("saving_and_copying_tell_what_is_seen", saving_and_copying_tell_what_is_seen),
        ("only_the_picture_or_everything", only_the_picture_or_everything),
        ("everything_looks_as_it_did", everything_looks_as_it_did),
        ("typing_goes_on_after_a_text_compiles", typing::typing_goes_on_after_a_text_compiles),
        ("letters_stay_in_every_field", typing::letters_stay_in_every_field),
        (
            "what_is_typed_at_once_goes_to_the_field_that_it_opens",
            typing::what_is_typed_at_once_goes_to_the_field_that_it_opens,
        ),
        (
            "a_trace_that_is_read_again_leaves_the_keyboard_where_it_is",
            typing::a_trace_that_is_read_again_leaves_the_keyboard_where_it_is,
        ),
        ("what_is_not_saved_is_asked_about", typing::what_is_not_saved_is_asked_about),
        ("notes_that_cannot_be_kept_are_asked_about", typing::notes_that_cannot_be_kept_are_asked_about),
        (
            "notes_that_are_to_be_kept_nowhere_are_not_asked_about",
            typing::notes_that_are_to_be_kept_nowhere_are_not_asked_about,
        ),
        ("where_nobody_can_be_asked_edits_are_saved", typing::where_nobody_can_be_asked_edits_are_saved),
        ("what_takes_long_is_named", typing::what_takes_long_is_named),
        ("submissions_tell_their_state_at_every_draw", submissions::they_tell_their_state_at_every_draw),
        ("submissions_tell_the_size_of_the_picture", submissions::the_size_told_is_that_of_the_picture),
        ("submissions_stand_beside_appendix_a", submissions::they_stand_beside_packets_of_appendix_a),
        ("submissions_show_what_textures_hold", submissions::they_show_what_textures_hold),
        ("names_of_passes_lead_to_them_over_frames", passes::names_of_passes_lead_to_them_over_frames),
        ("a_click_on_the_chart_leads_to_its_pass", passes::a_click_on_the_chart_leads_to_its_pass),
        ("passes_of_both_abis_are_told", passes::passes_of_both_abis_are_told),
        ("a_texture_is_shown_part_by_part", textures::a_texture_is_shown_part_by_part),
        ("depth_is_fitted_and_told_to_the_last_bit", textures::depth_is_fitted_and_told_to_the_last_bit),
        ("a_pinned_texture_stays_as_it_was", textures::a_pinned_texture_stays_as_it_was),
        ("a_texture_has_its_history_and_its_file", textures::a_texture_has_its_history_and_its_file),
        ("submissions_show_what_buffers_hold", submissions::they_show_what_buffers_hold),
        ("a_pixel_begins_with_what_the_frame_before_left", submissions::a_pixel_begins_with_what_the_frame_before_left),
        ("submissions_tell_sizes_of_every_magnitude", submissions::they_tell_sizes_of_every_magnitude),
        ("stats_and_problems_count_as_lint_does", stats_and_problems_count_as_lint_does),
        ("submissions_show_their_shaders", submissions::they_show_their_shaders),
        ("submissions_have_their_shaders_edited", submissions::their_shaders_are_edited),
        ("draws_without_markers_stand_under_their_passes", submissions::draws_without_markers_stand_under_their_passes),
        ("markers_stand_above_their_draws", submissions::markers_stand_above_their_draws),
        ("submissions_are_searched_as_they_run", submissions::enter_visits_each_row_that_the_filter_picks),
        ("frames_that_upload_the_same_lie_beside_each_other", lanes::frames_that_upload_the_same_lie_beside_each_other),
        ("blame_leads_to_the_frame_that_took_longest", blame::it_leads_to_the_frame_that_took_longest),
        ("blame_says_what_it_cannot_tell", blame::it_says_what_it_cannot_tell),
        ("a_small_window_has_room_for_the_picture", room::a_small_window_has_room_for_the_picture),
        ("texts_can_be_read_in_both_themes", room::texts_can_be_read_in_both_themes),
        ("separators_are_caught_on_both_sides", room::separators_are_caught_on_both_sides),
        ("random_inputs_do_no_harm", soak::random_inputs_do_no_harm),
    ];
    tests.into_iter().map(|(name, test)| software::trial(name, test)).collect()
}
