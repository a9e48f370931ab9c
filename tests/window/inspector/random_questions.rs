//! Random questions to the window about a driver's trace, the same with faults, and one of both ABIs, judged by a decoder
//! of the tests' own.
//!
//! `QUESTIONS=5000 cargo test --test gpu random_questions` asks more of them, `QUESTIONS_SEED` others.

use std::fs;
use std::sync::Arc;

use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use egui::{Key, Modifiers, Pos2, vec2};

use super::stage::{Setup, Stage};
use super::support::plain_subjects::{PlainSubject, plain_subjects, planted_faults};
use super::support::plain_trace::{PlainRow, PlainTrace};
use super::support::random::Random;

/// Questions of a usual run, about all traces together.
const QUESTIONS: u32 = 120;
/// Texts of the tree stand left of this.
const TREE_WIDTH: f32 = 340.0;

/// The row that is marked; before a first find it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    Row(u32, u32),
    /// None, in this frame.
    Nothing(u32),
}

/// A window with a trace, and what is known of it.
struct Subject<'a> {
    name: &'static str,
    plain: PlainTrace,
    stage: Stage<'a>,
    at: Marked,
    /// The name that the filter picks.
    filter: Option<&'static str>,
}

impl Subject<'_> {
    fn row(&self, (frame, row): (u32, u32)) -> &PlainRow {
        &self.plain.frames[frame as usize].rows[row as usize]
    }

    fn frame_count(&self) -> u32 {
        self.plain.frames.len() as u32
    }

    fn frame(&self) -> u32 {
        match self.at {
            Marked::Row(frame, _) | Marked::Nothing(frame) => frame,
        }
    }

    /// Every row of the trace, in the order in which they run.
    fn all_rows(&self) -> Vec<(u32, u32)> {
        let counts = self.plain.frames.iter().map(|frame| frame.rows.len() as u32);
        (0..).zip(counts).flat_map(|(frame, count)| (0..count).map(move |row| (frame, row))).collect()
    }

    /// Name and place that the details say of a row.
    fn details(&self, at: (u32, u32)) -> (String, String) {
        let row = self.row(at);
        let behind = &self.plain.frames[at.0 as usize].rows[at.1 as usize..];
        let before = self.plain.frames[at.0 as usize].rows.iter().filter(|row| row.packet.is_some()).count() as u32;
        // A record has the number of the packet that follows it.
        let packet = behind.iter().find_map(|row| row.packet).unwrap_or(before);
        let place = format!("packet {packet}, {} bytes at {:#x}", row.size, row.offset);
        (row.name.unwrap_or("UNKNOWN").to_owned(), place)
    }

    /// The marked row is the one that it has to be.
    fn check_marked(&self, asked: &str) {
        let Marked::Row(frame, row) = self.at else { return };
        let texts = self.stage.texts();
        let is_place = |text: &String| text.starts_with("packet ") && text.contains(" bytes at 0x");
        let place = texts.iter().position(is_place);
        let place = place.unwrap_or_else(|| panic!("{}: {asked}: no row is marked: {texts:?}", self.name));
        let found = (texts[place - 1].clone(), texts[place].clone());
        assert_eq!(found, self.details((frame, row)), "{}: {asked}", self.name);
        assert_eq!(self.stage.inspector().place().frame, FrameIndex(frame), "{}: {asked}", self.name);
    }

    /// Looks for the next row of a name, or the one before.
    fn find(&mut self, random: &mut Random) {
        let (frame, forward) = (random.below(self.frame_count()), random.one_in(2));
        let other = self.row((frame, random.below(self.plain.frames[frame as usize].rows.len() as u32))).name;
        self.stage.key(Key::Slash);
        if self.filter.is_none() || random.one_in(3) {
            let Some(name) = other else { return };
            self.filter = Some(name);
            self.stage.key_with(Modifiers::COMMAND, Key::A);
            self.stage.type_text(&format!("/^{name}$/"));
        }
        self.stage.key_with(if forward { Modifiers::NONE } else { Modifiers::SHIFT }, Key::Enter);
        let matches: Vec<_> = self.all_rows().into_iter().filter(|at| self.row(*at).name == self.filter).collect();
        let expected = match (self.at, forward) {
            (Marked::Row(frame, row), true) => matches.into_iter().find(|at| *at > (frame, row)),
            (Marked::Row(frame, row), false) => matches.into_iter().rfind(|at| *at < (frame, row)),
            (Marked::Nothing(frame), true) => matches.into_iter().find(|at| at.0 >= frame),
            (Marked::Nothing(frame), false) => matches.into_iter().rfind(|at| at.0 < frame),
        };
        let asked = format!("{:?} from {:?}, forward: {forward}", self.filter, self.at);
        match expected {
            Some((frame, row)) => self.at = Marked::Row(frame, row),
            None => assert_eq!(self.stage.inspector().message(), Some("no further match"), "{}: {asked}", self.name),
        }
        self.check_marked(&asked);
    }

    /// Goes to another frame.
    fn step(&mut self, random: &mut Random) {
        let (last, frame) = (self.frame_count() - 1, self.frame());
        let keys = [Key::ArrowRight, Key::Home, Key::End];
        let key = keys[random.below(keys.len() as u32) as usize];
        let to = match key {
            Key::Home => 0,
            Key::End => last,
            _ => (frame + 1).min(last),
        };
        let before = self.stage.inspector().place();
        self.stage.key(key);
        // At the last frame's end there is nowhere to go; within a frame the next one is behind it.
        if self.stage.inspector().place() == before && before.point != Point::End {
            panic!("{}: {key:?} goes nowhere from {before:?}", self.name);
        }
        if to != frame || key != Key::ArrowRight {
            self.stage.assert_at(to, Point::End);
        }
        self.mark_end();
    }

    /// At the end of a frame its last draw is marked.
    fn mark_end(&mut self) {
        let Place { frame, point } = self.stage.inspector().place();
        if point == Point::End {
            let rows = &self.plain.frames[frame.as_usize()].rows;
            let last = rows.iter().rposition(PlainRow::is_draw);
            self.at = last.map_or(Marked::Nothing(frame.0), |row| Marked::Row(frame.0, row as u32));
            self.check_marked("the end of the frame");
        }
    }

    /// Rows of the list among texts, by offset and name, with where they stand.
    fn rows_among(texts: Vec<(String, Pos2)>) -> Vec<((usize, String), Pos2)> {
        let rows = texts.into_iter().filter(|(_, at)| at.x < TREE_WIDTH);
        let rows = rows.filter_map(|(text, at)| {
            let mut words = text.trim_start().strip_prefix("0x")?.split(' ');
            let offset = usize::from_str_radix(words.next()?, 16).ok()?;
            Some(((offset, words.next()?.to_owned()), at))
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by(|(_, one), (_, other)| one.y.total_cmp(&other.y));
        rows
    }

    /// Rows of the frame that the list has on the screen follow each other as in the file. Gives the number of frames.
    fn check_list(&self) -> u32 {
        let frame = self.frame();
        let rows = &self.plain.frames[frame as usize].rows;
        let wanted = rows.iter().filter(|row| self.filter.is_none_or(|name| row.name == Some(name)));
        let expected: Vec<(usize, String)> =
            wanted.map(|row| (row.offset, row.name.unwrap_or("UNKNOWN").to_owned())).collect();
        let shown: Vec<(usize, String)> =
            Self::rows_among(self.stage.places()).into_iter().map(|(row, _)| row).collect();
        let is_part = shown.is_empty() || expected.windows(shown.len()).any(|part| part == shown);
        assert!(is_part, "{}, frame {frame}, filter {:?}: {shown:?} of {expected:?}", self.name, self.filter);
        // What the marked row's filter picks is on the screen.
        if let Marked::Row(frame, row) = self.at
            && self.filter.is_none_or(|name| self.row((frame, row)).name == Some(name))
        {
            let row = self.row((frame, row));
            assert!(shown.iter().any(|(offset, _)| *offset == row.offset), "{}: {row:?} of {shown:?}", self.name);
        }
        self.check_frames()
    }

    /// Frames on the screen have their numbers of draws; gives how many there are.
    fn check_frames(&self) -> u32 {
        let mut seen = 0;
        for text in self.stage.texts() {
            let Some((number, draws)) = text.trim_start_matches(['⏵', '⏷']).trim_start().split_once("  ") else {
                continue;
            };
            let Some(Ok(frame)) = number.strip_prefix("frame ").map(str::parse::<usize>) else { continue };
            let expected = match self.plain.draws(frame).len() {
                1 => "1 draw".to_owned(),
                count => format!("{count} draws"),
            };
            assert_eq!(draws, expected, "{}, frame {frame}", self.name);
            seen += 1;
        }
        seen
    }

    /// Selects one of the rows on the screen.
    fn select(&mut self, random: &mut Random) {
        let shown = Self::rows_among(self.stage.seen_places());
        if shown.is_empty() {
            return;
        }
        let ((offset, name), at) = shown[random.below(shown.len() as u32) as usize].clone();
        let frame = self.frame();
        let rows = &self.plain.frames[frame as usize].rows;
        let same: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].offset == offset).collect();
        let [row] = same[..] else { panic!("{}: {same:?} stand at {offset:#x}", self.name) };
        // What is said of the pixel under the pointer goes once the pointer is here.
        self.stage.harness.hover_at(at + vec2(40.0, 4.0));
        self.stage.settle();
        let now = Self::rows_among(self.stage.seen_places()).into_iter().find(|((now, _), _)| *now == offset);
        let Some((_, now)) = now else { return };
        self.stage.click_at(now + vec2(40.0, 4.0));
        self.at = Marked::Row(frame, row as u32);
        self.check_marked(&format!("{name} at {offset:#x} is selected at {now:?}, before the pointer came at {at:?}"));
    }

    /// The toolbar counts the planted faults, and the Problems tab names the frame of each.
    fn check_faults(&mut self, planted: usize) {
        let marks = self.stage.texts().into_iter().find_map(|text| text.strip_prefix("⛔ ").map(str::to_owned));
        let count = marks.map_or(0, |marks| marks.split(' ').next().unwrap().parse::<usize>().unwrap());
        assert_eq!(count, planted, "{}: {:?}", self.name, self.stage.texts());
        self.stage.key(Key::F7);
        for fault in planted_faults().into_iter().take(planted) {
            let places = [",", ":"].map(|end| format!("frame {}{end} ", fault.frame));
            let is_told = |text: &&String| places.iter().any(|place| text.contains(place));
            let told = self.stage.texts().iter().filter(is_told).count();
            assert_eq!(told, 1, "{}: {places:?}: {:?}", self.name, self.stage.texts());
        }
    }
}

fn setting(name: &str) -> Option<u32> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value:?}: expected a number")))
}

pub fn random_questions_agree_with_a_plain_decoder(_: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(u64::from(setting("QUESTIONS_SEED").unwrap_or(1)));
    let questions = setting("QUESTIONS").unwrap_or(QUESTIONS) / 3;
    for PlainSubject { name, bytes, planted } in plain_subjects() {
        let path = folder.path().join(format!("{name}.aerogputrace"));
        fs::write(&path, &bytes).unwrap();
        let mut setup = Setup::of(path);
        (setup.size, setup.first_place) = (vec2(1280.0, 1400.0), Some(Place::start_of(FrameIndex(0))));
        let (plain, at) = (PlainTrace::read(bytes), Marked::Nothing(0));
        let mut subject = Subject { name, plain, stage: setup.start(), at, filter: None };
        let mut frames = 0;
        for _ in 0..questions {
            match random.below(4) {
                0 => subject.step(&mut random),
                1 => subject.select(&mut random),
                _ => subject.find(&mut random),
            }
            frames += subject.check_list();
        }
        assert!(frames > 0, "{name}: no frame was ever on the screen");
        subject.stage.key(Key::End);
        subject.check_faults(planted);
    }
}
