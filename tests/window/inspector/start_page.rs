//! The start page: what is chosen on it is opened, by pointer and by keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::inspector::{FirstView, GpuChoice, MainView, Panels, StartOptions};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Shape, Vec2, vec2};
use egui_kittest::Harness;

use super::stage::TestHost;
use super::support::fixture;

const SIZE: Vec2 = vec2(1280.0, 840.0);
const PATIENCE: Duration = Duration::from_secs(120);
const TITLES: [&str; 3] = ["See why frame 42 is wrong", "See what wrote a pixel", "Compare two frames"];

struct Page<'a> {
    harness: Harness<'a, MainView>,
    host: Arc<TestHost>,
}

impl Page<'_> {
    /// A page that remembers in a folder.
    fn start(memory: &Path, size: Vec2) -> Self {
        let (saved, opened) = (Mutex::default(), AtomicUsize::new(0));
        let host = Arc::new(TestHost { memory: memory.to_owned(), keeps: true, saved, opened, dialog: None });
        let adapter = AdapterChoice::Name("llvmpipe".to_owned());
        let gpu = GpuChoice { backend: BackendChoice::Vulkan, adapter, timeout: Duration::from_secs(60) };
        let first = FirstView::StartPage(StartOptions { fps: 60.0, panels: Panels::Shown, gpu });
        let view = MainView::new(host.clone(), first, Arc::new(|| ())).unwrap();
        let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).with_accessibility_check(false);
        let harness = builder.build_ui_state(|ui: &mut egui::Ui, view: &mut MainView| view.ui(ui), view);
        let mut page = Self { harness, host };
        // Recent files are looked for on a thread.
        std::thread::sleep(Duration::from_millis(50));
        page.harness.run_steps(6);
        page
    }

    fn view(&self) -> &MainView {
        self.harness.state()
    }

    #[track_caller]
    fn wait_for(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !is_there(self) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}; shown: {:?}", self.texts());
            std::thread::sleep(Duration::from_millis(3));
            self.harness.step();
        }
    }

    /// Waits for a trace that is open, and drawn.
    #[track_caller]
    fn wait_for_trace(&mut self, title: &str) {
        self.wait_for(title, |page| {
            let inspector = page.view().inspector();
            page.view().title().starts_with(title) && inspector.is_some_and(|inspector| inspector.is_idle())
        });
        self.harness.run_steps(6);
        self.wait_for("rest", |page| page.view().inspector().is_some_and(|inspector| inspector.is_idle()));
        self.harness.run_steps(6);
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.harness.run_steps(4);
    }

    fn places(&self) -> Vec<(String, Rect)> {
        fn collect(shape: &Shape, clip: Rect, into: &mut Vec<(String, Rect)>) {
            match shape {
                Shape::Text(text) => {
                    let place = text.galley.mesh_bounds.translate(text.pos.to_vec2());
                    into.push((text.galley.text().to_owned(), place.intersect(clip)));
                }
                Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, into)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        let shapes = &self.harness.output().shapes;
        shapes.iter().for_each(|clipped| collect(&clipped.shape, clipped.clip_rect, &mut all));
        all
    }

    fn texts(&self) -> Vec<String> {
        self.places().into_iter().map(|(text, _)| text).collect()
    }

    fn shows(&self, part: &str) -> bool {
        self.texts().iter().any(|text| text.contains(part))
    }

    #[track_caller]
    fn click(&mut self, text: &str) {
        let places = self.places();
        let (_, at) = places.iter().find(|(shown, _)| shown == text).unwrap_or_else(|| panic!("{text}: {places:?}"));
        self.click_at(at.center());
    }

    fn click_at(&mut self, at: Pos2) {
        self.harness.hover_at(at);
        self.harness.step();
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            self.harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
            self.harness.step();
        }
        self.harness.run_steps(3);
    }
}

/// A file that is dropped on the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("a trace is opened by its path".to_owned())
    }
}

/// A folder whose preferences name these files as the recent ones.
fn remembering(recent: &[PathBuf]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = serde_json::json!({ "recent": recent, "is_light": false }).to_string();
    fs::write(folder.path().join("preferences.json"), text).unwrap();
    folder
}

fn recent_of(folder: &Path) -> Vec<PathBuf> {
    let text = fs::read(folder.join("preferences.json")).unwrap();
    let preferences: serde_json::Value = serde_json::from_slice(&text).unwrap();
    serde_json::from_value(preferences["recent"].clone()).unwrap()
}

pub fn it_opens_what_is_chosen(_: Arc<Gpu>) {
    let folder = remembering(&[fixture("frames"), fixture("triangle")]);
    let mut page = Page::start(folder.path(), SIZE);
    assert_eq!(page.view().title(), "aerogpu-replay");
    page.click("triangle.aerogputrace");
    page.wait_for_trace("triangle.aerogputrace – frame 0 of 0–0");
    assert_eq!(recent_of(folder.path()), [fixture("triangle"), fixture("frames")]);
    // What is dropped is opened, too.
    let mut page = Page::start(folder.path(), SIZE);
    page.harness.input_mut().dropped_files.push(Arc::new(Dropped(fixture("frames"))));
    page.harness.step();
    page.wait_for_trace("frames.aerogputrace – frame 0 of 0–3");
    let mut page = Page::start(folder.path(), SIZE);
    page.click("Open…");
    assert!(page.shows("Open a trace"), "{:?}", page.texts());
    // The field holds the folder of the recent files first.
    let folder = fixture("frames").parent().unwrap().display().to_string();
    assert!(page.texts().contains(&folder), "{:?}", page.texts());
    page.key(Modifiers::COMMAND, Key::A);
    page.harness.event(Event::Text(fixture("clears").to_str().unwrap().to_owned()));
    page.key(Modifiers::NONE, Key::Enter);
    page.wait_for_trace("clears.aerogputrace");
}

pub fn it_remembers_and_forgets(_: Arc<Gpu>) {
    let files = tempfile::tempdir().unwrap();
    let gone = files.path().join("gone.aerogputrace");
    let folder = remembering(&[gone.clone(), fixture("frames"), fixture("triangle")]);
    let mut page = Page::start(folder.path(), SIZE);
    page.wait_for("what is missing", |page| page.shows("missing: "));
    let order = |page: &Page, names: &[&str]| {
        let texts = page.texts();
        names.iter().map(|name| texts.iter().position(|text| text == name)).collect::<Vec<_>>()
    };
    let found = order(&page, &["gone.aerogputrace", "frames.aerogputrace", "triangle.aerogputrace"]);
    assert!(found.is_sorted() && found.iter().all(Option::is_some), "{:?}", page.texts());
    page.click("gone.aerogputrace");
    assert!(page.view().inspector().is_none() && page.shows("is missing: Delete"), "{:?}", page.texts());
    // Each has a cross that forgets it.
    let cross = page.places().into_iter().find(|(text, _)| text == "✖").unwrap().1;
    page.click_at(cross.center());
    assert!(order(&page, &["gone.aerogputrace"]) == [None], "{:?}", page.texts());
    assert_eq!(recent_of(folder.path()), [fixture("frames"), fixture("triangle")]);
    page.key(Modifiers::NONE, Key::Delete);
    assert_eq!(recent_of(folder.path()), [fixture("triangle")]);
    page.key(Modifiers::NONE, Key::Delete);
    assert!(recent_of(folder.path()).is_empty() && !page.shows("Recent"), "{:?}", page.texts());
    page.key(Modifiers::NONE, Key::Delete);
    assert!(TITLES.iter().all(|title| page.shows(title)), "{:?}", page.texts());
}

pub fn it_has_three_things_to_try(_: Arc<Gpu>) {
    let at_end = Place { frame: FrameIndex(42), point: Point::End };
    let seen: [&[&str]; 3] = [
        &["redundant-state"],
        &["pixel 35,339 in frame 42", "draw 15", "draw 16"],
        &["difference from previous frame, ×32"],
    ];
    for (title, seen) in TITLES.into_iter().zip(seen) {
        let folder = tempfile::tempdir().unwrap();
        let mut page = Page::start(folder.path(), SIZE);
        page.click(title);
        page.wait_for_trace("courtyard.aerogputrace – frame 42 of 0–59");
        assert_eq!(page.view().inspector().unwrap().place(), at_end);
        for text in seen {
            page.wait_for(text, |page| page.shows(text));
        }
    }
}

pub fn it_is_worked_by_keys_alone(_: Arc<Gpu>) {
    let folder = remembering(&[fixture("triangle"), fixture("frames")]);
    // Enter opens the newest.
    let mut page = Page::start(folder.path(), SIZE);
    page.key(Modifiers::NONE, Key::Enter);
    page.wait_for_trace("triangle.aerogputrace");
    // An arrow and Enter open the next.
    let mut page = Page::start(folder.path(), SIZE);
    page.key(Modifiers::NONE, Key::ArrowDown);
    page.key(Modifiers::NONE, Key::Enter);
    page.wait_for_trace("frames.aerogputrace");
    // Without recent files, Enter opens the example, as does a digit.
    for key in [Key::Enter, Key::Num1] {
        let fresh = tempfile::tempdir().unwrap();
        let mut page = Page::start(fresh.path(), SIZE);
        page.key(Modifiers::NONE, key);
        page.wait_for_trace("courtyard.aerogputrace – frame 42");
    }
    let mut page = Page::start(folder.path(), SIZE);
    page.key(Modifiers::COMMAND, Key::O);
    assert!(page.shows("Open a trace"), "{:?}", page.texts());
    // Digits are for the path by now.
    page.key(Modifiers::NONE, Key::Num1);
    assert!(page.view().inspector().is_none() && page.shows("Open a trace"), "{:?}", page.texts());
    page.key(Modifiers::NONE, Key::Escape);
    assert!(!page.shows("Open a trace") && !page.view().has_quit());
    page.key(Modifiers::NONE, Key::Escape);
    assert!(!page.view().has_quit(), "Escape never closes the window");
    page.key(Modifiers::COMMAND, Key::O);
    page.key(Modifiers::COMMAND, Key::Q);
    assert!(page.view().has_quit());
    assert_eq!(page.host.opened.load(Ordering::Relaxed), 0);
}

pub fn it_can_be_read_at_every_size(_: Arc<Gpu>) {
    let deep =
        PathBuf::from("/a/folder/whose/name/is/much/longer/than/a/small/window/has/place/for/frames.aerogputrace");
    let folder = remembering(&[fixture("triangle"), deep]);
    for size in [SIZE, vec2(640.0, 480.0), vec2(480.0, 320.0)] {
        let mut page = Page::start(folder.path(), size);
        for theme in ["dark", "light"] {
            let screen = Rect::from_min_size(Pos2::ZERO, size);
            let texts: Vec<_> = page.places().into_iter().filter(|(_, place)| place.is_positive()).collect();
            assert!(texts.len() > 10 || size.y < 400.0, "{size}: {texts:?}");
            for (index, (text, place)) in texts.iter().enumerate() {
                assert!(screen.expand(0.5).contains_rect(*place), "{size}, {theme}: {text:?} at {place:?}");
                for (other, other_place) in &texts[..index] {
                    let common = place.intersect(*other_place);
                    let is_readable = common.width() < 2.0 || common.height() < 4.0;
                    assert!(is_readable, "{size}, {theme}: {text:?} at {place:?} lies on {other:?} at {other_place:?}");
                }
            }
            page.key(Modifiers::COMMAND, Key::L);
        }
    }
    // On the smallest window that is promised, the first thing to try is seen without scrolling.
    let page = Page::start(folder.path(), vec2(640.0, 480.0));
    assert!(page.places().iter().any(|(text, place)| text == TITLES[0] && place.is_positive()), "{:?}", page.texts());
}

pub fn it_says_why_a_file_is_not_opened(_: Arc<Gpu>) {
    let files = tempfile::tempdir().unwrap();
    let broken = files.path().join("broken.aerogputrace");
    fs::write(&broken, "no trace").unwrap();
    let folder = remembering(&[broken]);
    let mut page = Page::start(folder.path(), SIZE);
    let before = page.texts().len();
    page.key(Modifiers::NONE, Key::Enter);
    assert!(page.view().inspector().is_none() && page.texts().len() == before + 1, "{:?}", page.texts());
    page.key(Modifiers::NONE, Key::Escape);
    assert_eq!(page.texts().len(), before);
}
