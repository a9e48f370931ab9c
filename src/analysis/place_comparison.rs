//! A place of one trace beside one of another: where what is bound and set differs, and what shaders say.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::text_difference::{ComparedLine, differing_lines};
use super::{Analysis, AnalysisError, BoundBytecode, BoundShaders, InputDifference, StateAt, TraceState};
use crate::command::{Place, Point};
use crate::limits::MAX_BYTECODE_BYTES;
use crate::text::counted;

/// What differs between a place of one trace and a place of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceDifferences {
    /// What the packets of both draws say, and what is bound and set.
    pub rows: Vec<RowDifference>,
    /// Shaders by stage, as far as their texts differ.
    pub texts: Vec<TextDifference>,
}

/// Something that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDifference {
    /// What it belongs to.
    pub group: String,
    /// Which one of these.
    pub name: String,
    /// What it is on either side, if there is any.
    pub values: [Option<String>; 2],
}

/// A shader whose texts are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDifference {
    /// Which shader.
    pub name: String,
    /// What one text has alone, place by place.
    pub groups: Vec<Vec<ComparedLine>>,
}

/// `group`, `name`, and the value on side `a` and on side `b`.
impl Serialize for RowDifference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { group, name, values: [a, b] } = self;
        json!({ "group": group, "name": name, "a": a, "b": b }).serialize(serializer)
    }
}

/// `name`, and the `lines` of all places.
impl Serialize for TextDifference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines: Vec<&ComparedLine> = self.groups.iter().flatten().collect();
        json!({ "name": self.name, "lines": lines }).serialize(serializer)
    }
}

/// A group, and what of it.
type RowName = (String, String);
/// In the order in which they are listed.
type NamedValues = Vec<(RowName, String)>;

/// Compares what two draws, or what comes before two packets, is made with.
pub fn compare_places(sides: [&Analysis; 2], places: [Place; 2]) -> Result<PlaceDifferences, AnalysisError> {
    let ([a, b], [place_a, place_b]) = (sides, places);
    let texts = [a.texts_at(place_a)?, b.texts_at(place_b)?];
    let texts = beside(texts).into_iter().map(|(name, texts)| {
        let [first, second] = texts.map(Option::unwrap_or_default);
        TextDifference { name: name.1, groups: differing_lines(&first, &second) }
    });
    let rows = beside([a.rows_at(place_a)?, b.rows_at(place_b)?]).into_iter();
    let rows = rows.map(|((group, name), values)| RowDifference { group, name, values });
    Ok(PlaceDifferences { rows: rows.collect(), texts: texts.collect() })
}

/// Compares the first draws of two traces whose inputs differ, as far as both frames have one.
pub fn compare_first_draws(
    analyses: [&Analysis; 2],
    difference: &InputDifference,
) -> Result<PlaceDifferences, AnalysisError> {
    let places = [difference.place, Place { frame: difference.beside, ..difference.place }];
    let has_draw = |(analysis, place): (&&Analysis, &Place)| match place.point {
        Point::Draw(draw) => draw < analysis.draw_count(place.frame),
        Point::Start | Point::End | Point::Packet(_) => false,
    };
    match analyses.iter().zip(&places).all(has_draw) {
        true => compare_places(analyses, places),
        false => Ok(PlaceDifferences::default()),
    }
}

/// What differs, in the order of the first side; what only the second has comes last.
fn beside([a, b]: [NamedValues; 2]) -> Vec<(RowName, [Option<String>; 2])> {
    let mut others: BTreeMap<RowName, String> = b.iter().cloned().collect();
    let mut found = Vec::new();
    for (name, value) in a {
        let other = others.remove(&name);
        if other.as_ref() != Some(&value) {
            found.push((name, [Some(value), other]));
        }
    }
    let alone = b.into_iter().filter(|(name, _)| others.contains_key(name));
    found.extend(alone.map(|(name, value)| (name, [None, Some(value)])));
    found
}

impl Analysis {
    /// What a draw's packet says, and what is bound and set.
    fn rows_at(&self, place: Place) -> Result<NamedValues, AnalysisError> {
        let mut rows = NamedValues::new();
        if let Point::Draw(draw) = place.point {
            let events = self.events(place.frame)?;
            let row = events.draws.get(draw as usize).and_then(|row| events.rows.get(*row as usize));
            if let Some(row) = row {
                rows.push((("draw".to_owned(), "packet".to_owned()), row.kind.name().to_owned()));
                for argument in self.arguments(row)? {
                    rows.push((("draw".to_owned(), argument.name.to_owned()), argument.value.to_string()));
                }
            }
        }
        match self.trace_state(place, None)? {
            TraceState::Submissions(state) => {
                // Where a shader stands in its file is nothing that it is made with: its text is compared.
                let settings = state.settings.into_iter().filter(|setting| setting.group != "shaders");
                rows.extend(settings.map(|setting| ((setting.group, setting.name), setting.value)));
            }
            TraceState::Packets(state) => rows.extend(rows_of_packets(&state)),
        }
        Ok(rows)
    }

    /// The texts of the shaders that are bound: what stands in for one that is replaced, else the one that is preferred.
    fn texts_at(&self, place: Place) -> Result<NamedValues, AnalysisError> {
        let named = |name: &str| ("shaders".to_owned(), name.to_owned());
        Ok(match self.bound_shaders(place, None)? {
            BoundShaders::Texts(shaders) => [&shaders.vertex, &shaders.fragment]
                .into_iter()
                .filter_map(|shader| {
                    let text = shader.texts.first()?;
                    let used = text.replacement.clone().or_else(|| text.text.clone());
                    // One that is too long to be shown.
                    let used = used.unwrap_or_else(|| format!("a text of {}", counted(text.size_bytes, "byte")));
                    Some((named(shader.stage.direct3d_name()), used))
                })
                .collect(),
            BoundShaders::Bytecode(bound) => {
                let text = |shader: BoundBytecode| {
                    let text = match (&shader.replacement, &shader.assembly) {
                        (Some(text), _) | (None, Ok(text)) => text.clone(),
                        // What cannot be decoded may still differ.
                        (None, Err(why)) => format!("{why}\n{}", self.bytes_in_lines(shader.code().range())?),
                    };
                    Ok((named(shader.stage.direct3d_name()), text))
                };
                bound.into_iter().map(text).collect::<Result<_, AnalysisError>>()?
            }
        })
    }
}

impl Analysis {
    /// Bytes of the file, sixteen to a line.
    fn bytes_in_lines(&self, range: Range<u64>) -> Result<String, AnalysisError> {
        let end = range.end.min(range.start.saturating_add(MAX_BYTECODE_BYTES));
        let bytes = self.trace.read(range.start..end)?;
        let line = |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        Ok(bytes.chunks(16).map(line).collect::<Vec<_>>().join("\n"))
    }
}

fn rows_of_packets(state: &StateAt) -> NamedValues {
    let mut rows = NamedValues::new();
    let mut row = |group: &str, name: &str, value: String| rows.push(((group.to_owned(), name.to_owned()), value));
    if let Some(pipeline) = &state.pipeline {
        row("pipeline", "id", pipeline.id.to_string());
        for (name, shader) in [("vertex shader", &pipeline.vertex), ("fragment shader", &pipeline.fragment)] {
            row("pipeline", name, shader.id.to_string());
            let entry_point = shader.entry_point.clone().unwrap_or_default();
            row("pipeline", &format!("{name}'s entry point"), entry_point);
        }
        row("pipeline", "texts used", pipeline.language.unwrap_or("none").to_owned());
    }
    if let Some(vertices) = &state.vertices {
        row("vertices", "buffer", vertices.id.to_string());
        row("vertices", "bytes", vertices.size_bytes.to_string());
        row("vertices", "stride", vertices.layout.stride_bytes.to_string());
        row("vertices", "position at", vertices.layout.position().offset_bytes.to_string());
        row("vertices", "colour at", vertices.layout.color().offset_bytes.to_string());
    }
    let size = state.viewport.as_ref().and_then(|viewport| viewport.size_px);
    row("viewport", "size", size.map_or("the whole target".to_owned(), |[width, height]| format!("{width}×{height}")));
    rows
}
