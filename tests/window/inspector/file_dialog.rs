//! The desktop's file dialog, played by a fake: what it answers, and when it does not.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::Duration;

use aerogpu_replay::gpu::Gpu;
use egui::{Key, Modifiers};

use super::stage::{Dialog, Setup, Stage};
use super::support::fixture;

/// Longer than nobody takes to cancel.
const A_WHILE: Duration = Duration::from_millis(500);

fn start<'a>(dialog: Dialog) -> Stage<'a> {
    let mut stage = Setup { dialog: Some(dialog), ..Setup::of(fixture("frames")) }.start();
    // The desktop was asked whether it has a dialog on a thread that nobody waits for.
    sleep(Duration::from_millis(100));
    stage.settle();
    stage
}

pub fn the_desktops_dialog_is_asked_for_a_trace(_: Arc<Gpu>) {
    let mut stage = start(Box::new(|title, folder| {
        assert_eq!((title, folder), ("Open a trace", fixture("frames").parent().unwrap()));
        Some(fixture("triangle"))
    }));
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.wait_for("the trace that was chosen", |stage| stage.inspector().title().starts_with("triangle."));
    assert!(!stage.shows("Open a trace"), "{:?}", stage.texts());
    // Cancelled by a person: nothing happens.
    let mut stage = start(Box::new(|_, _| {
        sleep(A_WHILE);
        None
    }));
    stage.key_with(Modifiers::COMMAND, Key::O);
    // The dialog is in front already: a second one is not opened.
    stage.key_with(Modifiers::COMMAND, Key::O);
    assert!(!stage.shows("Open a trace"));
    sleep(2 * A_WHILE);
    stage.settle();
    assert!(!stage.shows("Open a trace") && stage.inspector().title().starts_with("frames."), "{:?}", stage.texts());
}

pub fn a_desktop_without_a_dialog_leaves_ours(_: Arc<Gpu>) {
    // It says that it has one, and fails at once.
    let mut stage = start(Box::new(|_, _| None));
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.wait_for("our dialog", |stage| stage.shows("Open a trace"));
    stage.key(Key::Escape);
    assert!(!stage.shows("Open a trace"));
    let mut stage = Setup::of(fixture("frames")).start();
    stage.key_with(Modifiers::COMMAND, Key::O);
    assert!(stage.shows("Open a trace"), "{:?}", stage.texts());
}

/// A portal that starts for ever, say: the answer does not come, and our dialog does.
pub fn the_window_does_not_wait_for_the_desktop(_: Arc<Gpu>) {
    let (answer, answers) = channel::<()>();
    let answers = Mutex::new(answers);
    let mut stage = start(Box::new(move |_, _: &Path| {
        let _ = answers.lock().unwrap().recv();
        None
    }));
    stage.key_with(Modifiers::COMMAND, Key::O);
    stage.key(Key::ArrowRight);
    assert!(stage.inspector().title().contains("frame 1 of"), "the window goes on: {}", stage.inspector().title());
    stage.key_with(Modifiers::COMMAND, Key::Q);
    let (inspector, _folder) = stage.into_inspector();
    assert!(inspector.has_quit());
    // Closing waits for nobody either.
    inspector.close();
    drop(answer);
}
