//! Below the tracks: the selected event with its arguments, and the figures of the selected range.

use egui::{Grid, RichText, ScrollArea, Ui};

use super::colours::Colours;
use super::hit::{Facts, extent_text};
use super::lane::{AxisState, LaneState};
use super::layout::LaneContent;
use super::range::Range;
use super::scopes::{FiguresAs, FiguresView};
use super::track_painter::name_of;
use crate::text::counted;
use crate::timeline::{Argument, NameFigures, TrackId, Value};

/// Names shown of a lane; there may be as many as events.
const MOST_NAMES: usize = 200;
/// Characters of a value shown.
const MOST_CHARACTERS: usize = 200;

/// An event that was clicked, with what could be decoded of it.
pub(super) struct Selected {
    pub hit: super::hit::Hit,
    pub facts: Facts,
    pub arguments: Result<Vec<Argument>, String>,
}

impl Selected {
    pub(crate) fn new(state: &LaneState, hit: super::hit::Hit, facts: Facts) -> Self {
        let records = std::iter::once(facts.record).chain(facts.appended.iter().copied());
        let mut arguments = Ok(Vec::new());
        for record in records.filter(|record| !record.is_none()) {
            let Some(source) = &state.lane.arguments else { break };
            match (source.arguments(record), &mut arguments) {
                (Ok(more), Ok(all)) => all.extend(more),
                (Err(error), arguments) => *arguments = Err(error),
                (Ok(_), Err(_)) => {}
            }
        }
        Self { hit, facts, arguments }
    }
}

/// The selected event.
pub(super) fn event(ui: &mut Ui, state: &LaneState, axis: &AxisState, selected: &Selected) {
    let Selected { hit, facts, arguments } = selected;
    ui.horizontal(|ui| {
        ui.label(RichText::new(&facts.name).strong());
        ui.label(RichText::new(place_name(state, hit.track)).weak());
    });
    let (at, length) = extent_text(state, axis, facts, axis.view.length() * 1e-3);
    Grid::new("selected event").num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
        let mut row = |name: &str, value: &str| {
            ui.label(RichText::new(name).weak());
            ui.label(value);
            ui.end_row();
        };
        row("begin", &at);
        if facts.end > facts.begin {
            row("length", &length);
        }
        if let Some(depth) = facts.depth {
            row("depth", &depth.to_string());
        }
        if !facts.record.is_none() {
            row("record", &format!("{:#x}", facts.record.0));
        }
        if let Some(note) = &facts.note {
            row("note", note);
        }
        match arguments {
            Ok(arguments) => arguments.iter().for_each(|argument| row(&argument.name, &value_text(&argument.value))),
            Err(error) => row("arguments", error),
        }
    });
}

fn place_name(state: &LaneState, track: Option<TrackId>) -> String {
    let mut names = Vec::new();
    let mut next = track;
    while let Some(id) = next {
        names.push(name_of(state, LaneContent::Track(id)));
        next = state.lane.timeline.track(id).and_then(|track| track.parent).filter(|parent| *parent < id);
    }
    names.push(state.lane.title.clone());
    names.reverse();
    names.join(" › ")
}

/// The figures of a range, as the user wants to see them.
pub(super) fn range(
    ui: &mut Ui,
    lanes: &[LaneState],
    (axis, range): (&AxisState, &Range),
    view: &mut FiguresView,
    colours: &Colours,
) {
    let mut heading = format!("{} selected", axis.unit.length(range.end - range.begin));
    if !axis.frames.is_empty() {
        let (begin, end) = range.frames(axis);
        heading = format!("{heading}, frames {begin:.3} to {end:.3}");
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new(heading).strong());
        view.choice_ui(ui);
        if range.is_busy() {
            ui.spinner();
            ui.label(RichText::new("counting…").weak());
        }
    });
    ScrollArea::both().id_salt("range figures").auto_shrink([false, false]).show(ui, |ui| match view.shown_as {
        FiguresAs::Names => names(ui, lanes, range),
        FiguresAs::Tree | FiguresAs::Flame => view.trees_ui(ui, lanes, range, colours),
    });
}

/// A table a lane, a row a name.
fn names(ui: &mut Ui, lanes: &[LaneState], range: &Range) {
    for (lane, stats) in range.figures() {
        let Some(state) = lanes.get(lane) else { continue };
        if stats.names.is_empty() {
            continue;
        }
        let unit = stats.unit;
        ui.label(RichText::new(format!("{}, lengths in {unit}", state.lane.title)).weak());
        Grid::new(("range figures", lane)).num_columns(8).striped(true).spacing([14.0, 2.0]).show(ui, |ui| {
            for title in ["name", "count", "total", "own", "mean", "p50", "p99", "max"] {
                ui.label(RichText::new(title).weak());
            }
            ui.end_row();
            stats.names.iter().take(MOST_NAMES).for_each(|figures| figures_row(ui, figures));
        });
        if let Some(more) = stats.names.len().checked_sub(MOST_NAMES).filter(|more| *more > 0) {
            ui.label(RichText::new(format!("and {more} more names")).weak());
        }
    }
}

fn figures_row(ui: &mut Ui, figures: &NameFigures) {
    ui.label(shortened(&figures.name));
    let whole = [figures.count, figures.total_ticks, figures.own_ticks].map(|number| number.to_string());
    let mean = format!("{:.1}", figures.mean_ticks);
    let ranks = [figures.p50_ticks, figures.p99_ticks, figures.max_ticks].map(|number| number.to_string());
    for number in whole.into_iter().chain([mean]).chain(ranks) {
        ui.monospace(number);
    }
    ui.end_row();
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MOST_CHARACTERS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Named { name, .. } => name.to_string(),
        Value::Int(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::Address(value) => format!("{value:#x}"),
        Value::Text(text) => format!("\"{}\"", shortened(text)),
        Value::Json(text) => shortened(text),
        Value::Blob { size_bytes, stored_bytes } if size_bytes == stored_bytes => counted(size_bytes, "byte"),
        Value::Blob { size_bytes, stored_bytes } => {
            format!("{size}, stored as {stored_bytes}", size = counted(size_bytes, "byte"))
        }
        Value::Function => "function".to_owned(),
        Value::List(values) => {
            let shown: Vec<String> = values.iter().take(16).map(value_text).collect();
            let more = if values.len() > shown.len() { ", …" } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
    }
}
