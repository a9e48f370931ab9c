//! The inspector without a window: inputs go in, what it shows comes out.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aerogpu_replay::bytes::{Diagnostics, FileSource};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{DamageTolerance, FrameIndex, FrameSource, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice};
use aerogpu_replay::inspector::timeline::LaneArguments;
use aerogpu_replay::inspector::{
    Annotation, AnnotationChoice, GpuChoice, Inspector, InspectorOptions, OpenTrace, Panels, Services, StateFolder,
};
use aerogpu_replay::pixels::{Picture, read_png};
use aerogpu_replay::player::DrawSelection;
use aerogpu_replay::replay::{DEFAULT_SIZE, ShaderOptions, ShaderReplacements, TraceIndex, largest_viewport};
use aerogpu_replay::timeline::aerogpu::{map_aerogpu, uploads_of_frames};
use aerogpu_replay::timeline::annotation::AnnotationFormat;
use aerogpu_replay::timeline::annotation::wtf::Wtf;
use aerogpu_replay::timeline::{Argument, Method, RecordOffset};
use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, Shape, TouchPhase, Vec2, vec2};
use egui_kittest::Harness;

use super::support::root;

pub const SIZE: Vec2 = vec2(1280.0, 840.0);
const PATIENCE: Duration = Duration::from_secs(120);

/// A program around the inspector that keeps what it is given.
pub struct TestHost {
    pub memory: PathBuf,
    pub keeps: bool,
    pub saved: Mutex<Vec<(String, Picture)>>,
    pub opened: AtomicUsize,
    /// The desktop's file dialog, if it has one.
    pub dialog: Option<Dialog>,
}

/// Answer of a desktop's file dialog to a title and a folder.
pub type Dialog = Box<dyn Fn(&str, &Path) -> Option<PathBuf> + Send + Sync>;

pub fn open(path: &Path) -> Result<OpenTrace, String> {
    let source = FileSource::open(path).map_err(|error| error.to_string())?;
    let trace = Trace::open_or_recover(Arc::new(source), DamageTolerance::Truncation, &mut Diagnostics::new());
    let trace = Arc::new(trace.map_err(|error| error.to_string())?);
    let problems = match trace.frame_source() {
        FrameSource::Toc { .. } => Vec::new(),
        FrameSource::Scan { cause, .. } => vec![cause.to_string()],
    };
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    Ok(OpenTrace { path: path.to_owned(), trace, size, shaders: ShaderOptions::default(), problems })
}

/// No test asks for them.
struct NoArguments;

impl LaneArguments for NoArguments {
    fn arguments(&self, _: RecordOffset) -> Result<Vec<Argument>, String> {
        Err("these tests have no arguments".to_owned())
    }
}

impl Services for TestHost {
    fn open_trace(&self, path: &Path) -> Result<OpenTrace, String> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        open(path)
    }

    fn open_example(&self) -> Result<OpenTrace, String> {
        open(&root().join("fixtures/examples/courtyard.aerogputrace"))
    }

    fn has_file_dialog(&self) -> bool {
        self.dialog.is_some()
    }

    fn pick_file(&self, title: &str, folder: &Path) -> Option<PathBuf> {
        self.dialog.as_ref()?(title, folder)
    }

    fn index(&self, open: &OpenTrace, progress: &mut dyn FnMut(usize) -> bool) -> Option<Arc<TraceIndex>> {
        // As long as this file is there the index is never done.
        while self.memory.join("slow").exists() {
            if !progress(0) {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        progress(0).then(|| Arc::new(TraceIndex::build(&open.trace, |_| ())))
    }

    /// Annotations are recordings of an application, or traces too.
    fn annotation(&self, path: &Path, method: &Method) -> Result<Annotation, String> {
        if path.extension().is_some_and(|extension| extension == "wtf-json") {
            let source = FileSource::open(path).map_err(|error| error.to_string())?;
            let mut mapped = Wtf.map(&source, "recording").map_err(|error| error.to_string())?;
            let (timeline, arguments) = (Arc::new(mapped.timeline_mut().take()), Arc::new(NoArguments));
            return Ok(Annotation { timeline, uploads: Vec::new(), arguments, problem: None });
        }
        let trace = open(path)?.trace;
        let timeline = Arc::new(map_aerogpu(&trace, "annotation", &mut Diagnostics::new()).timeline);
        let uploads = if method.compares_contents() { uploads_of_frames(&trace) } else { Vec::new() };
        Ok(Annotation { timeline, uploads, arguments: Arc::new(NoArguments), problem: None })
    }

    fn save_picture(&self, trace: &Path, name: &str, picture: &Picture) -> Result<PathBuf, String> {
        self.saved.lock().unwrap().push((name.to_owned(), picture.clone()));
        Ok(trace.with_extension(name))
    }

    fn replacements_folder(&self, _: &Path) -> PathBuf {
        self.memory.join("shaders")
    }

    fn golden(&self, trace: &Path, frame: FrameIndex) -> Result<(PathBuf, Picture), String> {
        let stem = trace.file_stem().unwrap();
        let followed = self.memory.join("golden.png");
        let path = root().join("golden").join(stem).join(format!("frame{:04}.png", frame.0));
        let path = if followed.exists() { followed } else { path };
        let file = std::fs::File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((path, read_png(std::io::BufReader::new(file)).map_err(|error| error.to_string())?))
    }

    fn command_line(&self, trace: &Path, view: &str) -> String {
        format!("aerogpu-replay {} {view}", trace.display())
    }

    /// Followed if there is such a folder at the start.
    fn followed_shaders(&self) -> Option<PathBuf> {
        Some(self.memory.join("followed")).filter(|folder| folder.is_dir())
    }

    /// Files that have the file offset of a record as their name stand in for its text.
    fn shaders(&self, open: &OpenTrace) -> Result<ShaderOptions, String> {
        let mut replacements = ShaderReplacements::new();
        for entry in std::fs::read_dir(self.memory.join("followed")).map_err(|error| error.to_string())? {
            let entry = entry.unwrap();
            let record = entry.file_name().to_str().unwrap().parse().unwrap();
            replacements.insert(record, std::fs::read(entry.path()).unwrap());
        }
        Ok(ShaderOptions { replacements: Arc::new(replacements), ..open.shaders.clone() })
    }

    fn follows_goldens(&self) -> bool {
        self.memory.join("golden.png").exists()
    }

    fn state_folder(&self) -> StateFolder {
        if self.keeps { StateFolder::Folder(self.memory.clone()) } else { StateFolder::Unwanted }
    }
}

pub struct Stage<'a> {
    pub harness: Harness<'a, Inspector>,
    pub host: Arc<TestHost>,
    folder: tempfile::TempDir,
}

pub struct Setup {
    pub trace: PathBuf,
    pub adapter: AdapterChoice,
    pub annotations: Vec<AnnotationChoice>,
    pub compared: Option<PathBuf>,
    pub first_place: Option<Place>,
    /// Where to remember; `None`: nowhere for long.
    pub memory: Option<PathBuf>,
    /// Whether anything is to be remembered.
    pub keeps: bool,
    pub panels: Panels,
    pub size: Vec2,
    /// Whether to start with everything worked out.
    pub waits: bool,
    /// Frames or draws a second while playing.
    pub fps: f64,
    /// Whether the trace has texts with letters that no font has, of which boxes are drawn. The window's own texts have none.
    pub has_strange_letters: bool,
    /// The desktop's file dialog, if it has one.
    pub dialog: Option<Dialog>,
}

impl Setup {
    pub fn of(trace: PathBuf) -> Self {
        let adapter = AdapterChoice::Name("llvmpipe".to_owned());
        Self {
            trace,
            adapter,
            annotations: Vec::new(),
            compared: None,
            first_place: None,
            memory: None,
            keeps: true,
            panels: Panels::Shown,
            size: SIZE,
            waits: true,
            fps: 60.0,
            has_strange_letters: false,
            dialog: None,
        }
    }

    pub fn start<'a>(self) -> Stage<'a> {
        let folder = tempfile::tempdir().unwrap();
        let memory = self.memory.clone().unwrap_or_else(|| folder.path().join("memory"));
        let host = Arc::new(TestHost {
            memory,
            keeps: self.keeps,
            saved: Mutex::default(),
            opened: AtomicUsize::new(0),
            dialog: self.dialog,
        });
        let gpu = GpuChoice { backend: BackendChoice::Vulkan, adapter: self.adapter, timeout: Duration::from_secs(60) };
        let options = InspectorOptions {
            open: open(&self.trace).unwrap(),
            annotations: self.annotations,
            compared: self.compared,
            first_place: self.first_place,
            draws: DrawSelection::All,
            fps: self.fps,
            plays: false,
            panels: self.panels,
            gpu,
        };
        let inspector = Inspector::new(host.clone(), options, Arc::new(|| ())).unwrap();
        let builder = Harness::builder().with_size(self.size).with_step_dt(1.0 / 60.0).with_accessibility_check(false);
        let builder = if self.has_strange_letters { builder.allow_missing_glyphs() } else { builder };
        let harness =
            builder.build_ui_state(|ui: &mut egui::Ui, inspector: &mut Inspector| inspector.ui(ui), inspector);
        let mut stage = Stage { harness, host, folder };
        if self.waits {
            stage.settle();
        }
        stage
    }
}

/// A letter on the keyboard: the key, and the text that it stands for.
fn stroke(letter: char) -> Vec<Event> {
    let name = if letter == ' ' { "Space".to_owned() } else { letter.to_uppercase().to_string() };
    let text = Event::Text(letter.to_string());
    let Some(key) = Key::from_name(&name) else { return vec![text] };
    let (physical_key, repeat, modifiers) = (Some(key), false, Modifiers::NONE);
    let press = |pressed| Event::Key { key, physical_key, pressed, repeat, modifiers };
    vec![press(true), text, press(false)]
}

impl Stage<'_> {
    /// The inspector alone, and the folder that it keeps things in.
    pub fn into_inspector(self) -> (Inspector, tempfile::TempDir) {
        (self.harness.into_state(), self.folder)
    }

    pub fn inspector(&self) -> &Inspector {
        self.harness.state()
    }

    /// Draws until `is_there`.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if is_there(self) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}; shown: {:?}", self.texts());
            std::thread::sleep(Duration::from_millis(3));
        }
    }

    /// Draws until nothing is worked out any more and all of it is shown.
    #[track_caller]
    pub fn settle(&mut self) {
        self.harness.run_steps(3);
        self.wait_for("rest", |stage| stage.inspector().is_idle());
        self.harness.run_steps(3);
        self.wait_for("rest", |stage| stage.inspector().is_idle());
    }

    pub fn key(&mut self, key: Key) {
        self.key_with(Modifiers::NONE, key);
    }

    pub fn key_with(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    pub fn type_text(&mut self, text: &str) {
        self.harness.event(Event::Text(text.to_owned()));
        self.settle();
    }

    /// Types as fast as the window draws, whatever is being worked out.
    pub fn strokes(&mut self, text: &str) {
        for event in text.chars().flat_map(stroke) {
            self.harness.event(event);
            self.harness.step();
        }
    }

    /// Types faster than the window draws.
    pub fn strokes_at_once(&mut self, text: &str) {
        self.harness.input_mut().events.extend(text.chars().flat_map(stroke));
        self.harness.step();
    }

    pub fn click_at(&mut self, at: Pos2) {
        self.press_at(at);
        self.settle();
    }

    /// Clicks, and does not wait for what comes of it.
    pub fn press_at(&mut self, at: Pos2) {
        self.harness.hover_at(at);
        self.harness.step();
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            self.harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
            self.harness.step();
        }
    }

    /// Drags from a place to another.
    pub fn drag(&mut self, from: Pos2, to: Pos2) {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        self.harness.hover_at(from);
        self.harness.step();
        self.harness.event(Event::PointerButton { pos: from, button, pressed: true, modifiers });
        self.harness.step();
        self.harness.hover_at(to);
        self.harness.step();
        self.harness.event(Event::PointerButton { pos: to, button, pressed: false, modifiers });
        self.settle();
    }

    /// Turns the wheel at a place, by so many points.
    pub fn scroll(&mut self, at: Pos2, down: f32) {
        self.harness.hover_at(at);
        self.harness.step();
        let (unit, phase, modifiers) = (MouseWheelUnit::Point, TouchPhase::Move, Modifiers::NONE);
        let (delta, source) = (vec2(0.0, down), egui::MouseWheelSource::Wheel);
        self.harness.event(Event::MouseWheel { unit, delta, phase, source, modifiers });
        self.settle();
        // The wheel is smoothed.
        self.harness.run_steps(30);
    }

    /// Clicks on a text that is shown.
    #[track_caller]
    pub fn click(&mut self, text: &str) {
        let found = self.places().into_iter().find(|(shown, _)| shown.trim() == text);
        let (_, at) = found.unwrap_or_else(|| panic!("{text:?} is not shown: {:?}", self.texts()));
        self.click_at(at + vec2(4.0, 6.0));
    }

    /// Clicks on the first letter of a text that follows others in its line, the first of these words on the screen.
    #[track_caller]
    pub fn click_link(&mut self, text: &str) {
        fn first_letter(shape: &Shape, text: &str) -> Option<Pos2> {
            match shape {
                Shape::Text(shown) if shown.galley.text().trim() == text => {
                    let row = shown.galley.rows.iter().find(|row| !row.glyphs.is_empty())?;
                    let letter = row.glyphs.first()?.pos.x + row.pos.x;
                    Some(shown.pos + vec2(letter + 4.0, row.rect().center().y))
                }
                Shape::Vec(shapes) => shapes.iter().find_map(|shape| first_letter(shape, text)),
                _ => None,
            }
        }
        let found = self.harness.output().shapes.iter().find_map(|clipped| first_letter(&clipped.shape, text));
        let at = found.unwrap_or_else(|| panic!("{text:?} is not shown: {:?}", self.texts()));
        self.click_at(at);
    }

    /// Every text on the screen and where it begins, also where a panel cuts it off.
    pub fn places(&self) -> Vec<(String, Pos2)> {
        self.clipped_places().into_iter().map(|(text, at, _)| (text, at)).collect()
    }

    /// Every text that is seen from top to bottom, and where it begins.
    pub fn seen_places(&self) -> Vec<(String, Pos2)> {
        let places = self.clipped_places().into_iter();
        places.filter(|(_, _, is_seen)| *is_seen).map(|(text, at, _)| (text, at)).collect()
    }

    fn clipped_places(&self) -> Vec<(String, Pos2, bool)> {
        fn collect(shape: &Shape, clip: Rect, into: &mut Vec<(String, Pos2, bool)>) {
            match shape {
                Shape::Text(text) => {
                    let rect = text.visual_bounding_rect();
                    let is_seen = clip.y_range().contains(rect.top()) && clip.y_range().contains(rect.bottom());
                    into.push((text.galley.text().to_owned(), text.pos, is_seen));
                }
                Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, into)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        let shapes = self.harness.output().shapes.iter();
        shapes.for_each(|clipped| collect(&clipped.shape, clipped.clip_rect, &mut all));
        all
    }

    pub fn texts(&self) -> Vec<String> {
        self.places().into_iter().map(|(text, _)| text).collect()
    }

    pub fn shows(&self, part: &str) -> bool {
        self.texts().iter().any(|text| text.contains(part))
    }

    /// Where the picture's pixel is on the screen, if the picture fits its room between the panels.
    pub fn picture(&self) -> &Arc<Picture> {
        self.inspector().shown_picture().unwrap().1
    }

    /// Picture on a screen, drawn by the software adapter.
    pub fn render(&mut self) -> image::RgbaImage {
        self.harness.render().unwrap()
    }

    #[track_caller]
    pub fn assert_at(&self, frame: u32, point: Point) {
        let place = Place { frame: FrameIndex(frame), point };
        assert_eq!(self.inspector().place(), place);
        assert_eq!(self.inspector().shown_picture().map(|(place, _)| place), Some(place));
    }
}
