//! Typing: what is typed into a field stays there, and means nothing else.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use egui::{Event, Key, Modifiers, Pos2, pos2, vec2};

use super::stage::{Setup, Stage};
use super::support::fixture;

/// A text that draws magenta, whatever the trace's was.
const MAGENTA: &str = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.0, 1.0, 1.0); }";
/// Letters and digits, all but `q` shortcuts where no field has the keyboard.
const SHORTCUTS: &str = "ixgsny0123490q";
/// An act of the user.
type Deed = fn(&mut Stage);

const OVER_THE_PICTURE: Pos2 = pos2(600.0, 400.0);

fn start<'a>(trace: &Path) -> Stage<'a> {
    let mut stage = Setup::of(trace.to_owned()).start();
    stage.harness.hover_at(OVER_THE_PICTURE);
    stage.settle();
    stage
}

/// Brings the fragment shader's text to the front and puts the cursor into it.
fn edit_shader(stage: &mut Stage) {
    stage.key(Key::F5);
    let above = stage.places().into_iter().find(|(text, _)| text.starts_with("blob ")).expect("a text").1;
    stage.click_at(above + vec2(40.0, 40.0));
}

fn replace_text(stage: &mut Stage, text: &str) {
    stage.key_with(Modifiers::COMMAND, Key::A);
    stage.harness.event(Event::Text(text.to_owned()));
    stage.harness.step();
}

/// That no letter was a shortcut.
#[track_caller]
fn assert_nothing_happened(stage: &Stage) {
    assert!(!stage.inspector().has_quit(), "a letter has closed the window");
    assert!(!stage.shows("no overlay"), "i or x has changed the picture: {:?}", stage.texts());
    assert!(stage.host.saved.lock().unwrap().is_empty(), "s has saved a picture");
    assert_eq!(stage.inspector().place().frame, FrameIndex(0));
}

pub fn typing_goes_on_after_a_text_compiles(_: Arc<Gpu>) {
    let mut stage = start(&fixture("triangle"));
    edit_shader(&mut stage);
    replace_text(&mut stage, MAGENTA);
    stage.settle();
    let mut typed = String::from(" // ");
    stage.strokes(&typed);
    stage.settle();
    // Every few letters another text has compiled, and answers to it arrive at every moment of the typing.
    for (number, letter) in SHORTCUTS.repeat(6).chars().enumerate() {
        stage.strokes(&letter.to_string());
        typed.push(letter);
        if number % 3 == 0 {
            stage.settle();
        }
        assert_nothing_happened(&stage);
    }
    stage.settle();
    assert!(stage.shows(&format!("{MAGENTA}{typed}")), "{:?}", stage.texts());
    let size = stage.picture().size();
    let middle = stage.picture().pixel(size.width_px / 2, size.height_px / 2);
    assert_eq!(middle, Some([255, 0, 255, 255]));
}

/// Where a text is on the screen that begins the value of what `label` names.
fn value_of(stage: &Stage, label: &str) -> Pos2 {
    let places = stage.places();
    let label = places.iter().find(|(text, _)| text == label).unwrap_or_else(|| panic!("{label}: {:?}", stage.texts()));
    let beside = places
        .iter()
        .filter(|(text, at)| (at.y - label.1.y).abs() < 6.0 && at.x > label.1.x && text.trim().parse::<u32>().is_ok());
    beside.min_by(|(_, a), (_, b)| a.x.total_cmp(&b.x)).expect("a number").1
}

pub fn letters_stay_in_every_field(_: Arc<Gpu>) {
    let fields: [(&str, Deed); 7] = [
        ("the events' filter", |stage| stage.key(Key::Slash)),
        ("the frame's number", |stage| stage.click_at(value_of(stage, "frame") + vec2(3.0, 6.0))),
        ("the draw's number", |stage| stage.click_at(value_of(stage, "draw") + vec2(3.0, 6.0))),
        ("the timeline's find", |stage| stage.click("find: name, /regex/, @duration > 1ms")),
        ("the notes", |stage| {
            stage.key(Key::F8);
            stage.click("saved for the next time this trace is opened");
        }),
        ("the path to open", |stage| stage.key_with(Modifiers::COMMAND, Key::O)),
        ("a shader's text", edit_shader),
    ];
    for (name, focus) in fields {
        let mut stage = start(&fixture("upload_between_draws"));
        focus(&mut stage);
        stage.key_with(Modifiers::COMMAND, Key::A);
        for letter in SHORTCUTS.chars() {
            stage.strokes(&letter.to_string());
            assert!(!stage.inspector().has_quit(), "{name}: {letter} has closed the window");
        }
        stage.settle();
        assert!(stage.shows(SHORTCUTS), "{name}: {:?}", stage.texts());
        // Escape leaves the field, and is not the window's.
        stage.key(Key::Escape);
        assert!(!stage.inspector().has_quit(), "{name}: Escape has closed the window");
    }
}

/// A slow computer, or a fast typist: `/`, what is to be found and more arrive before the next picture.
pub fn what_is_typed_at_once_goes_to_the_field_that_it_opens(_: Arc<Gpu>) {
    let mut stage = start(&fixture("frames"));
    stage.strokes_at_once("/quit");
    stage.settle();
    assert_nothing_happened(&stage);
    assert!(stage.shows("quit"), "{:?}", stage.texts());
    stage.key(Key::Escape);
    stage.strokes_at_once("i");
    stage.settle();
    assert!(stage.shows("no overlay"), "shortcuts are shortcuts again");
}

/// A program that writes the trace anew moves it over the old one.
fn overwrite(path: &Path, with: &Path) {
    let beside = path.with_extension("new");
    fs::copy(with, &beside).unwrap();
    File::options().append(true).open(&beside).unwrap().set_modified(SystemTime::now()).unwrap();
    fs::rename(&beside, path).unwrap();
}

/// A trace that is read again takes no field away from under the fingers.
pub fn a_trace_that_is_read_again_leaves_the_keyboard_where_it_is(_: Arc<Gpu>) {
    let fields: [(&str, Deed); 3] = [
        ("the events' filter", |stage| stage.key(Key::Slash)),
        ("the timeline's find", |stage| stage.click("find: name, /regex/, @duration > 1ms")),
        ("a shader's text", edit_shader),
    ];
    for (name, focus) in fields {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written again.aerogputrace");
        fs::copy(fixture("triangle"), &path).unwrap();
        let mut stage = start(&path);
        focus(&mut stage);
        overwrite(&path, &fixture("triangle"));
        stage.wait_for("the reading", |stage| stage.inspector().message() == Some("the trace was reloaded"));
        let mut typed = String::new();
        for letter in SHORTCUTS.chars() {
            stage.strokes(&letter.to_string());
            typed.push(letter);
            assert!(!stage.inspector().has_quit(), "{name}: {letter} has closed the window");
        }
        stage.settle();
        assert_nothing_happened(&stage);
        // What was typed while the field was not there went nowhere; from there on it goes into the field.
        stage.strokes("there again");
        stage.settle();
        assert!(stage.shows("there again"), "{name}: {:?}", stage.texts());
    }
}

/// A stage with an edited text that compiles and is not saved.
fn edited<'a>(path: &Path) -> Stage<'a> {
    let mut stage = start(path);
    edit_shader(&mut stage);
    replace_text(&mut stage, MAGENTA);
    stage.settle();
    // Out of the field.
    stage.key(Key::Escape);
    assert!(stage.shows("1 edited, 1 not saved"), "{:?}", stage.texts());
    stage
}

pub fn what_is_not_saved_is_asked_about(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.aerogputrace");
    fs::copy(fixture("triangle"), &path).unwrap();
    let mut stage = edited(&path);
    let opened = stage.host.opened.load(Ordering::Relaxed);
    let leave: [(&str, Deed); 5] = [
        ("Ctrl Q", |stage| stage.key_with(Modifiers::COMMAND, Key::Q)),
        ("Ctrl Q in the dialog", |stage| {
            stage.key_with(Modifiers::COMMAND, Key::O);
            stage.key_with(Modifiers::COMMAND, Key::Q);
            assert!(stage.shows("Open a trace") && stage.shows("Not saved"), "{:?}", stage.texts());
            stage.key(Key::Escape);
            stage.key(Key::Escape);
            assert!(!stage.shows("Open a trace") && !stage.shows("Not saved"), "{:?}", stage.texts());
            stage.key_with(Modifiers::COMMAND, Key::Q);
        }),
        ("closing", |stage| {
            stage.harness.state_mut().close_requested();
            stage.settle();
        }),
        ("reading again", |stage| stage.key_with(Modifiers::COMMAND, Key::R)),
        ("another trace", |stage| {
            stage.key_with(Modifiers::COMMAND, Key::O);
            stage.key_with(Modifiers::COMMAND, Key::A);
            stage.type_text(fixture("frames").to_str().unwrap());
            stage.key(Key::Enter);
        }),
    ];
    for (name, leave) in leave {
        leave(&mut stage);
        assert!(stage.shows("Not saved"), "{name}: {:?}", stage.texts());
        // Nothing goes on behind the question.
        stage.strokes("qix");
        stage.click("Cancel");
        assert_nothing_happened(&stage);
        assert!(!stage.shows("Not saved") && stage.shows(MAGENTA), "{name}: {:?}", stage.texts());
        assert_eq!(stage.host.opened.load(Ordering::Relaxed), opened, "{name}: nothing was opened");
    }
    // Whoever writes the trace anew takes no edits away.
    overwrite(&path, &fixture("triangle"));
    stage.wait_for("the news", |stage| stage.inspector().message().is_some_and(|message| message.contains("Ctrl R")));
    assert!(stage.shows(MAGENTA), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::Q);
    stage.click("Save");
    assert!(stage.inspector().has_quit());
    let saved: Vec<_> = fs::read_dir(stage.host.memory.join("shaders")).unwrap().map(Result::unwrap).collect();
    assert_eq!(saved.len(), 1);
    assert_eq!(fs::read_to_string(saved[0].path()).unwrap(), MAGENTA);
    let mut stage = edited(&path);
    stage.key_with(Modifiers::COMMAND, Key::R);
    stage.click("Discard");
    assert!(stage.host.opened.load(Ordering::Relaxed) == 1 && !stage.shows(MAGENTA), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.inspector().has_quit(), "there is nothing to ask any more");
}

pub fn notes_that_cannot_be_kept_are_asked_about(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("a file where the folder should be");
    fs::write(&memory, "").unwrap();
    let mut stage = Setup { memory: Some(memory.clone()), ..Setup::of(fixture("triangle")) }.start();
    stage.harness.hover_at(OVER_THE_PICTURE);
    stage.key(Key::F8);
    stage.click("saved for the next time this trace is opened");
    stage.strokes("seen here");
    stage.key(Key::Escape);
    stage.key_with(Modifiers::COMMAND, Key::Q);
    assert!(!stage.inspector().has_quit() && stage.shows("The notes cannot be saved"), "{:?}", stage.texts());
    fs::remove_file(&memory).unwrap();
    stage.click("Save");
    assert!(stage.inspector().has_quit());
    let mut stage = Setup { memory: Some(memory), ..Setup::of(fixture("triangle")) }.start();
    stage.settle();
    assert!(stage.shows("seen here"), "{:?}", stage.texts());
}

/// A user who says that nothing is to be kept is not asked about it.
pub fn notes_that_are_to_be_kept_nowhere_are_not_asked_about(_: Arc<Gpu>) {
    let mut stage = Setup { keeps: false, ..Setup::of(fixture("triangle")) }.start();
    stage.harness.hover_at(OVER_THE_PICTURE);
    stage.key(Key::F8);
    stage.click("not saved: for this run only");
    stage.strokes("seen here");
    stage.key(Key::Escape);
    assert!(stage.shows("seen here") && !stage.shows("kept"), "{:?}", stage.texts());
    stage.key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.inspector().has_quit(), "{:?}", stage.texts());
}

/// The window was taken away, say.
pub fn where_nobody_can_be_asked_edits_are_saved(_: Arc<Gpu>) {
    let mut stage = edited(&fixture("triangle"));
    edit_shader(&mut stage);
    // One that does not compile is the user's work as well.
    replace_text(&mut stage, "@fragment fn main( // not done");
    let host = stage.host.clone();
    let (inspector, _folder) = stage.into_inspector();
    inspector.close();
    let saved: Vec<_> = fs::read_dir(host.memory.join("shaders")).unwrap().map(Result::unwrap).collect();
    assert_eq!(fs::read_to_string(saved[0].path()).unwrap(), "@fragment fn main( // not done");
}

pub fn what_takes_long_is_named(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let slow = folder.path().join("slow");
    fs::write(&slow, b"").unwrap();
    let mut setup = Setup { memory: Some(folder.path().to_owned()), ..Setup::of(fixture("frames")) };
    setup.waits = false;
    let mut stage = setup.start();
    stage.wait_for("the seconds", |stage| stage.shows("building the index: 2 s"));
    fs::remove_file(&slow).unwrap();
    stage.settle();
    assert!(!stage.shows("building the index"), "{:?}", stage.texts());
}
