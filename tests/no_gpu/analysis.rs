//! Answers about frames, held against a plain model that carries out every command on plain bytes.

use std::collections::HashMap;
use std::sync::Arc;

use crate::support;
use aerogpu_replay::abi::reference::{Packet, decode_packets, lower};
use aerogpu_replay::analysis::{
    Analysis, AnalysisError, BufferChoice, ByteOrigin, Direction, LineSide, ObjectKind, PlaceDifferences,
    RowDifference, StateAt, TextDifference, VertexTable, compare_places,
};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::{
    Command, CreateBuffer, CreatePipeline, CreateShader, Payload, Place, Point, ResourceId, SetVertexBuffer, Upload,
    VertexLayout, Viewport,
};
use aerogpu_replay::error::Severity;
use aerogpu_replay::format::aerogpu::{BlobId, FrameIndex, RecordBody, Trace};
use aerogpu_replay::listing::Filter;
use aerogpu_replay::replay::{ShaderOptions, TraceIndex};
use aerogpu_replay::shader::{IssueRange, LanguageChoice, ShaderIssue, ShaderLanguage, ShaderRemark};
use support::fixtures;
use support::harness::{Trial, trials_of};
use support::random::{Random, random_trace};
use support::raw::RawTrace;
use support::scene::{BLACK, BLUE, FRAGMENT_WGSL, RED, Scene, VERTEX_WGSL, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    trials_of![
        state_and_buffers_are_those_of_the_model_after_every_packet,
        events_are_all_packets_and_records_and_groups_end_with_draws,
        finding_goes_from_match_to_match_both_ways,
        events_go_on_behind_a_packet_that_is_none,
        a_changed_byte_is_an_answer_or_an_error,
        what_only_the_state_knows_to_be_wrong_is_an_event_s_error_too,
        places_that_do_not_exist_are_named,
        users_are_named_and_counted,
        vertices_are_read_as_the_layout_says,
        shaders_come_with_texts_translations_and_entry_points,
        an_edited_text_is_tried_out_and_saved,
        places_differ_in_what_is_not_the_same,
        equal_places_do_not_differ,
    ]
}

/// Two draws of one vertex buffer: with another count, viewport, layout and fragment shader.
fn places_differ_in_what_is_not_the_same() {
    let other = FRAGMENT_WGSL.replace("return color;", "return color.bgra;");
    let mut scene = Scene::with_pipeline();
    scene.shader(3, 1, &other).pipeline(2, 1, 3);
    let bytes = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED);
    scene.buffer(1, &bytes).bind(1).viewport(64, 64).packet(Packet::SetPipeline { pipeline_id: 1 }).draw(0, 6);
    scene.bind_layout(1, 24, 0, 4).viewport(64, 32).packet(Packet::SetPipeline { pipeline_id: 2 }).draw(0, 3);
    let analysis = ask(scene.end_and_finish());
    let places = [0, 1].map(|draw| Place::at_draw(FrameIndex(0), draw));
    let found = compare_places([&analysis, &analysis], places).unwrap();
    let row = |row: &RowDifference| {
        let [a, b] = row.values.clone().map(Option::unwrap_or_default);
        format!("{} {}: {a} | {b}", row.group, row.name)
    };
    assert_eq!(
        found.rows.iter().map(row).collect::<Vec<_>>(),
        [
            "draw vertex_count: 6 | 3",
            "pipeline id: pipeline 1 | pipeline 2",
            "pipeline fragment shader: shader 2 | shader 3",
            "vertices colour at: 8 | 4",
            "viewport size: 64×64 | 64×32"
        ]
    );
    let [TextDifference { name, groups }] = &found.texts[..] else { panic!("{:?}", found.texts) };
    let lines: Vec<_> = groups.concat().into_iter().filter(|line| line.side != LineSide::Both).collect();
    let lines: Vec<_> = lines.iter().map(|line| (line.side, line.number, line.text.as_str())).collect();
    assert_eq!(name, "pixel");
    assert_eq!(lines, [(LineSide::First, 2, "  return color;"), (LineSide::Second, 2, "  return color.bgra;")]);
}

/// Neither with themselves, nor with what a copy of the trace says, whatever is in it.
fn equal_places_do_not_differ() {
    let streams = ["a3a0/scene", "a3a0/contexts", "scenes/seed-102", "scenes/seed-200", "scenes/seed-212"];
    let streams = streams.map(|name| (name.to_owned(), std::fs::read(support::fixture(name)).unwrap()));
    let (mut draws, mut differing) = (0, 0);
    for (name, bytes) in every_trace().chain(streams) {
        let (a, b) = (ask(bytes.clone()), ask(bytes));
        let mut before = None;
        for frame in frames(&a) {
            for draw in 0..a.draw_count(frame) {
                let place = Place::at_draw(frame, draw);
                let found = compare_places([&a, &b], [place; 2]).unwrap();
                assert_eq!(found, PlaceDifferences::default(), "{name}, {}", place.in_words());
                draws += 1;
                // And from the other side it is the same the other way round.
                let Some(before) = before.replace(place) else { continue };
                let there = compare_places([&a, &b], [before, place]).unwrap();
                let back = compare_places([&b, &a], [place, before]).unwrap();
                let values = |found: &PlaceDifferences, is_back: bool| {
                    let row = |row: &RowDifference| {
                        let [a, b] = row.values.clone();
                        (row.group.clone(), row.name.clone(), if is_back { [b, a] } else { [a, b] })
                    };
                    let mut rows: Vec<_> = found.rows.iter().map(row).collect();
                    rows.sort();
                    rows
                };
                assert_eq!(values(&there, false), values(&back, true), "{name}, {}", place.in_words());
                let named =
                    |found: &PlaceDifferences| found.texts.iter().map(|text| text.name.clone()).collect::<Vec<_>>();
                assert_eq!(named(&there), named(&back), "{name}, {}", place.in_words());
                differing += usize::from(there != PlaceDifferences::default());
            }
        }
    }
    assert!(draws > 300 && differing > 200, "{draws} {differing}");
}

const TRACES: u64 = 40;

fn ask(bytes: Vec<u8>) -> Analysis {
    let trace = Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap());
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Analysis::new(trace, index)
}

fn frames(analysis: &Analysis) -> impl Iterator<Item = FrameIndex> + use<> {
    (0..analysis.trace().frames().len() as u32).map(FrameIndex)
}

fn every_trace() -> impl Iterator<Item = (String, Vec<u8>)> {
    let fixtures = fixtures::REPLAYABLE.iter().map(|(name, make)| ((*name).to_owned(), make()));
    fixtures.chain((0..TRACES).map(|seed| (format!("random {seed}"), random_trace(seed))))
}

/// A command, where it stands in the file, and where it ends.
fn commands_of(trace: &Trace, frame: FrameIndex) -> Vec<(u64, u64, Packet)> {
    let mut reader = trace.records(trace.frame(frame).unwrap().bytes.clone());
    let mut commands = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        let RecordBody::Packet(payload) = record.body else { continue };
        let mut packets = decode_packets(payload, record.offset + 8);
        while let Some(packet) = packets.next() {
            let (offset, packet) = packet.unwrap();
            commands.push((offset, packets.offset(), packet));
        }
    }
    commands
}

/// Every blob: id, offset of its record, bytes.
fn blobs_of(trace: &Trace) -> Vec<(BlobId, u64, Vec<u8>)> {
    let mut reader = trace.records(trace.stream());
    let mut blobs = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Blob(blob) = record.body {
            blobs.push((blob.id, record.offset, trace.read(blob.bytes.clone()).unwrap()));
        }
    }
    blobs
}

/// A buffer, with who wrote each byte.
#[derive(Clone)]
struct ModelBuffer {
    id: u32,
    created_at: u64,
    bytes: Vec<u8>,
    writers: Vec<Option<u64>>,
    last_writer: Option<u64>,
}

/// The state, by the offsets of the commands that made it.
#[derive(Default)]
struct Model {
    buffers: Vec<ModelBuffer>,
    named: HashMap<u32, usize>,
    shaders: HashMap<u32, u64>,
    pipelines: HashMap<u32, (u64, [u64; 2])>,
    pipeline: Option<(u32, u64, [u64; 2])>,
    bound: Option<(usize, VertexLayout)>,
    viewport: Option<[u32; 2]>,
}

impl Model {
    fn apply(&mut self, offset: u64, command: Command, blobs: &[(BlobId, u64, Vec<u8>)]) {
        match command {
            Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                self.named.insert(id.number(), self.buffers.len());
                let (bytes, writers) = (vec![0; size_bytes as usize], vec![None; size_bytes as usize]);
                let buffer = ModelBuffer { id: id.number(), created_at: offset, bytes, writers, last_writer: None };
                self.buffers.push(buffer);
            }
            Command::Upload(Upload { id, offset_bytes, payload: Payload::Blob(blob), .. }) => {
                let preceding = blobs.iter().rfind(|(other, at, _)| *other == blob && *at < offset);
                let (.., bytes) = preceding.or(blobs.iter().find(|(other, ..)| *other == blob)).unwrap();
                let buffer = &mut self.buffers[self.named[&id.number()]];
                let range = offset_bytes as usize..offset_bytes as usize + bytes.len();
                buffer.bytes[range.clone()].copy_from_slice(bytes);
                buffer.writers[range].fill(Some(offset));
                if !bytes.is_empty() {
                    buffer.last_writer = Some(offset);
                }
            }
            Command::CreateShader(CreateShader { id, .. }) => {
                self.shaders.insert(id.number(), offset);
            }
            Command::CreatePipeline(CreatePipeline { id, vertex, fragment }) => {
                let shaders = [self.shaders[&vertex.number()], self.shaders[&fragment.number()]];
                self.pipelines.insert(id.number(), (offset, shaders));
            }
            Command::SetPipeline(id) => {
                let (made, shaders) = self.pipelines[&id.number()];
                self.pipeline = Some((id.number(), made, shaders));
            }
            Command::SetVertexBuffer(SetVertexBuffer { id, layout }) => {
                self.bound = Some((self.named[&id.number()], layout))
            }
            Command::SetViewport(Viewport::TopLeft { width_px, height_px }) => {
                self.viewport = Some([width_px, height_px])
            }
            Command::Clear(_) | Command::Draw(_) | Command::Present(_) => {}
            other => panic!("Appendix A has no {}", other.name()),
        }
    }

    fn check_bindings(&self, state: &StateAt, context: &str) {
        let pipeline = state.pipeline.as_ref().map(|bound| {
            let shaders = [bound.vertex.created_at.offset, bound.fragment.created_at.offset];
            (bound.id.number(), bound.created_at.offset, shaders)
        });
        assert_eq!(pipeline, self.pipeline, "{context}");
        let bound =
            state.vertices.map(|bound| (bound.id.number(), bound.created_at.offset, bound.layout, bound.is_replaced));
        let expected = self.bound.map(|(place, layout)| {
            let buffer = &self.buffers[place];
            (buffer.id, buffer.created_at, layout, self.named[&buffer.id] != place)
        });
        assert_eq!(bound, expected, "{context}");
        let viewport = state.viewport.map(|viewport| viewport.size_px);
        assert_eq!(viewport, self.viewport.map(|px| (px[0] != 0 && px[1] != 0).then_some(px)), "{context}");
    }

    fn check_objects(&self, state: &StateAt, context: &str) {
        let found = |kind| {
            let of_kind = state.objects.iter().filter(move |object| object.kind == kind);
            let mut found: Vec<_> =
                of_kind.map(|object| (object.id, object.created_at.offset, object.is_named)).collect();
            found.sort_unstable();
            found
        };
        let mut buffers: Vec<_> = self.named.iter().map(|(id, at)| (*id, self.buffers[*at].created_at, true)).collect();
        if let Some((bound, _)) = self.bound
            && self.named[&self.buffers[bound].id] != bound
        {
            buffers.push((self.buffers[bound].id, self.buffers[bound].created_at, false));
        }
        buffers.sort_unstable();
        assert_eq!(found(ObjectKind::Buffer), buffers, "{context}");
        for object in state.objects.iter().filter(|object| object.kind == ObjectKind::Buffer) {
            let model = self.buffers.iter().find(|buffer| buffer.created_at == object.created_at.offset).unwrap();
            assert_eq!(object.last_writer.map(|at| at.offset), model.last_writer, "{context}");
            assert_eq!(object.size_bytes as usize, model.bytes.len(), "{context}");
        }
        let named: Vec<_> = found(ObjectKind::Shader).into_iter().filter(|(.., is_named)| *is_named).collect();
        let mut expected: Vec<_> = self.shaders.iter().map(|(id, at)| (*id, *at, true)).collect();
        expected.sort_unstable();
        assert_eq!(named, expected, "{context}");
        let held: Vec<u64> = self.pipelines.values().flat_map(|(_, shaders)| *shaders).collect();
        for (_, at, is_named) in found(ObjectKind::Shader) {
            let of_bound = self.pipeline.is_some_and(|(.., shaders)| shaders.contains(&at));
            assert!(is_named || held.contains(&at) || of_bound, "{context}");
        }
    }

    /// The bytes and writers of every buffer that can be asked for.
    fn check_buffers(&self, analysis: &Analysis, moment: Place, context: &str) {
        let named = self.named.iter().map(|(id, place)| (BufferChoice::Id(ResourceId::of_kind(*id)), *place));
        for (choice, place) in named.chain(self.bound.map(|(place, _)| (BufferChoice::Bound, place))) {
            let (expected, view) = (&self.buffers[place], analysis.buffer(moment, choice).unwrap());
            assert_eq!(view.created_at.offset, expected.created_at, "{context}");
            let size = expected.bytes.len() as u64;
            assert_eq!(analysis.read_buffer(&view, 0..size).unwrap(), expected.bytes, "{context}");
            let (low, high) = (size / 3, size - size / 4);
            let part = analysis.read_buffer(&view, low..high).unwrap();
            assert_eq!(part, expected.bytes[low as usize..high as usize], "{context}");
            let mut writers = Vec::new();
            for stretch in &view.ranges {
                assert_eq!(stretch.start as usize, writers.len(), "{context}: no gaps");
                let writer = match stretch.origin {
                    ByteOrigin::Zeros => None,
                    ByteOrigin::Upload { at, .. } => Some(at.offset),
                };
                writers.resize(stretch.end as usize, writer);
            }
            assert_eq!(writers, expected.writers, "{context}");
        }
    }
}

fn state_and_buffers_are_those_of_the_model_after_every_packet() {
    for (name, bytes) in every_trace() {
        let analysis = ask(bytes);
        let blobs = blobs_of(analysis.trace());
        let mut model = Model::default();
        for frame in frames(&analysis) {
            let start = Place::start_of(frame);
            model.check_bindings(&analysis.state(start).unwrap(), &name);
            for (packet, (offset, _, wire)) in (0..).zip(commands_of(analysis.trace(), frame)) {
                model.apply(offset, lower(wire, offset).unwrap(), &blobs);
                let moment = Place::after_packet(frame, packet);
                let context = format!("{name}, {moment}");
                let state = analysis.state(moment).unwrap();
                model.check_bindings(&state, &context);
                model.check_objects(&state, &context);
                model.check_buffers(&analysis, moment, &context);
            }
            model.check_objects(&analysis.state(Place::end_of(frame)).unwrap(), &name);
        }
    }
}

fn events_are_all_packets_and_records_and_groups_end_with_draws() {
    for (name, bytes) in every_trace() {
        let analysis = ask(bytes);
        for frame in frames(&analysis) {
            let events = analysis.events(frame).unwrap();
            assert_eq!(events.error, None, "{name}");
            let commands = commands_of(analysis.trace(), frame);
            let packets: Vec<_> = events.rows.iter().filter(|row| row.kind.is_packet()).collect();
            assert_eq!(packets.len(), commands.len(), "{name}");
            assert_eq!(events.packet_count() as usize, commands.len());
            for (number, (row, (offset, end, packet))) in (0..).zip(packets.iter().zip(&commands)) {
                assert_eq!((row.offset, row.offset + row.size_bytes, row.packet), (*offset, *end, number));
                assert!(row.kind.is_packet());
                assert_eq!(row.kind.name(), packet.opcode().name());
                let place = events.row_of_packet(number).unwrap();
                assert_eq!(events.rows[place as usize], **row);
                assert_eq!(events.row_about(*offset), Some(place));
                assert_eq!(events.row_about(end - 1), Some(place));
                let arguments = analysis.arguments(row).unwrap();
                let found: Vec<_> = arguments.iter().map(|one| (one.name, one.value.to_string())).collect();
                let fields = packet.fields().into_iter().map(|(name, value)| (name, value.to_string()));
                assert_eq!(found, fields.collect::<Vec<_>>());
            }
            assert_eq!(events.row_of_packet(commands.len() as u32), None);
            let mut next = 0;
            for group in events.groups() {
                assert_eq!(group.rows.start, next, "{name}: groups leave nothing out");
                next = group.rows.end;
                let last = events.rows[group.rows.end as usize - 1].kind.name();
                assert_eq!(last == "DRAW", group.draw.is_some(), "{name}");
                assert!(group.rows.clone().all(|row| events.draw_of(row) == group.draw), "{name}");
            }
            assert_eq!(next as usize, events.rows.len());
            let draws: Vec<u64> = events.draws.iter().map(|row| events.rows[*row as usize].offset).collect();
            let index = analysis.index();
            let expected: Vec<u64> = index.draws_of(frame).map(|draw| index.location(draw).unwrap().offset).collect();
            assert_eq!(draws, expected, "{name}");
        }
    }
}

fn finding_goes_from_match_to_match_both_ways() {
    for (name, bytes) in every_trace().skip(8) {
        let analysis = ask(bytes);
        for filter in ["DRAW", "UPLOAD_BUFFER(offset_bytes >= 24) or CLEAR", "Blob(size_bytes > 100)", "nothing"] {
            let filter = Filter::parse(filter).unwrap();
            let mut all = Vec::new();
            for frame in frames(&analysis) {
                let events = analysis.events(frame).unwrap();
                let rows = analysis.filter_events(&events, &filter).unwrap();
                all.extend(rows.into_iter().map(|row| events.id_of(row)));
            }
            let walk = |direction| {
                let mut found = Vec::new();
                let mut from = None;
                while let Some(next) = analysis.find_event(&filter, from, direction, |_| true).unwrap() {
                    found.push(next);
                    from = Some(next);
                }
                found
            };
            assert_eq!(walk(Direction::Forward), all, "{name}");
            all.reverse();
            assert_eq!(walk(Direction::Backward), all, "{name}");
            assert_eq!(analysis.find_event(&filter, None, Direction::Forward, |_| false).unwrap(), None);
        }
    }
}

fn events_go_on_behind_a_packet_that_is_none() {
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[7, 4, 1, 1, 0x77, 2, 10, 2]).packet(&[10, 2]);
    let damage = start + 12 + 8 + 16;
    trace.frame_since(start);
    let analysis = ask(trace.finish());
    let events = analysis.events(FrameIndex(0)).unwrap();
    let names: Vec<_> = events.rows.iter().map(|row| row.kind.name()).collect();
    assert_eq!(names, ["BeginFrame", "SET_VIEWPORT", "PRESENT", "PRESENT"]);
    let error = events.error.unwrap();
    assert_eq!((error.row, error.offset), (Some(1), Some(damage)));
    assert!(error.message.contains("unknown opcode 0x0077"), "{}", error.message);
    let place = Place::start_of(FrameIndex(0));
    let state = analysis.state(place).unwrap();
    assert_eq!((state.pipeline, state.objects), (None, vec![]));
    // The packet that is none has a number, and what is behind it is reached.
    let state = analysis.state(Place::end_of(FrameIndex(0))).unwrap();
    assert!(state.viewport.is_some());
    assert_eq!(events.rows.iter().map(|row| row.packet).collect::<Vec<_>>(), [0, 0, 2, 3]);
}

/// Every question has an answer or an error, after any change of a byte.
fn a_changed_byte_is_an_answer_or_an_error() {
    let mut random = Random::new(11);
    let mut answered = 0;
    for round in 0..1500 {
        let (_, make) = fixtures::REPLAYABLE[round % fixtures::REPLAYABLE.len()];
        let mut bytes = make();
        let place = random.below(bytes.len() as u32) as usize;
        bytes[place] = random.pick(&[0, 1, 0x7f, 0x80, 0xff, bytes[place] ^ 1, bytes[place].wrapping_add(1)]);
        let Ok(trace) = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()) else {
            continue;
        };
        let trace = Arc::new(trace);
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        let analysis = Analysis::new(trace, index);
        for frame in frames(&analysis) {
            let Ok(events) = analysis.events(frame) else { continue };
            for row in &events.rows {
                let _ = analysis.arguments(row);
            }
            for point in [Point::Start, Point::Draw(0), Point::Packet(random.below(20)), Point::End] {
                let moment = Place { frame, point };
                answered += u32::from(analysis.state(moment).is_ok());
                if let Ok(view) = analysis.buffer(moment, BufferChoice::Bound) {
                    let _ = analysis.read_buffer(&view, 0..u64::from(view.size_bytes));
                    let layout = analysis.state(moment).unwrap().vertices.unwrap().layout;
                    analysis.vertices(&view, layout, 0..5).unwrap();
                    analysis.vertices(&view, layout, u32::MAX - 2..u32::MAX).unwrap();
                }
            }
            if random.one_in(4) {
                let _ = analysis.shaders(Place::end_of(frame));
            }
        }
    }
    assert!(answered > 1000, "only {answered} answers");
}

fn what_only_the_state_knows_to_be_wrong_is_an_event_s_error_too() {
    let mut scene = Scene::with_pipeline();
    scene.clear([f32::NAN, 0.0, 0.0, 1.0]).upload(9, 0, &[0; 4]).clear(BLACK).end();
    let analysis = ask(scene.finish());
    let events = analysis.events(FrameIndex(0)).unwrap();
    let error = events.error.clone().unwrap();
    let at_fault = events.rows[error.row.unwrap() as usize];
    assert_eq!((at_fault.kind.name(), Some(at_fault.offset)), ("UPLOAD_BUFFER", error.offset));
    assert!(error.message.contains("buffer 9 does not exist"), "{}", error.message);
    assert_eq!(events.rows.last().unwrap().kind.name(), "Present", "the rows go on");
    let odd = events.notes[0].clone();
    assert_eq!(events.rows[odd.row as usize].kind.name(), "CLEAR");
    assert_eq!(odd.message, "CLEAR has the colour component NaN, expected a finite number");
    assert_eq!(events.notes_of(odd.row), [odd]);
}

fn places_that_do_not_exist_are_named() {
    let analysis = ask(fixtures::interpolated());
    let error = |moment| analysis.state(moment).unwrap_err().to_string();
    assert_eq!(error(Place::end_of(FrameIndex(1))), "frame 1 does not exist: the trace has 1 frame, counted from 0");
    let draw = error(Place::at_draw(FrameIndex(0), 1));
    assert_eq!(draw, "draw 1 does not exist: frame 0 has 1 draw, counted from 0");
    let packet = error(Place::after_packet(FrameIndex(0), 99));
    assert!(packet.starts_with("packet 99 does not exist: frame 0 has "), "{packet}");
    let end = Place::end_of(FrameIndex(0));
    let no_buffer = analysis.buffer(end, BufferChoice::Id(ResourceId::of_kind(7))).unwrap_err();
    assert!(no_buffer.to_string().starts_with("buffer 7 does not exist"), "{no_buffer}");
    let view = analysis.buffer(end, BufferChoice::Bound).unwrap();
    assert!(matches!(analysis.read_buffer(&view, 70..73), Err(AnalysisError::OutsideBuffer { end: 73, .. })));
    let start = Place::start_of(FrameIndex(0));
    assert!(matches!(analysis.buffer(start, BufferChoice::Bound), Err(AnalysisError::NothingBound { .. })));
    assert!(matches!(analysis.shaders(start), Err(AnalysisError::NothingBound { .. })));
}

fn users_are_named_and_counted() {
    let analysis = ask(fixtures::redefinition());
    let state = analysis.state(Place::at_draw(FrameIndex(0), 0)).unwrap();
    let held = state.objects.iter().find(|object| object.kind == ObjectKind::Buffer && !object.is_named).unwrap();
    let packets: Vec<_> = held.uses.iter().map(|by| (by.at.packet, by.draw)).collect();
    assert_eq!(packets, [(6, None), (7, None), (10, Some(0))]);
    assert_eq!(analysis.uses_of(held.creation, FrameIndex(0)), held.uses);
    assert_eq!(held.replaced_by.map(|at| at.packet), Some(8));
    let pipeline = state.objects.iter().find(|object| object.kind == ObjectKind::Pipeline).unwrap();
    let draws: Vec<_> = pipeline.uses.iter().filter_map(|by| by.draw).collect();
    assert_eq!(draws, [0, 1, 2]);
    assert_eq!(state.drawing.unwrap().at.packet, 10);
    let vertex = state.pipeline.unwrap().vertex;
    assert_eq!(vertex.entry_point.as_deref(), Some("vs_main"));
}

fn vertices_are_read_as_the_layout_says() {
    let analysis = ask(fixtures::layouts());
    let moment = Place::at_draw(FrameIndex(0), 1);
    let layout = analysis.state(moment).unwrap().vertices.unwrap().layout;
    assert_eq!(layout.stride_bytes, 27);
    let view = analysis.buffer(moment, BufferChoice::Bound).unwrap();
    let table = analysis.vertices(&view, layout, 0..9).unwrap();
    assert_eq!((table.capacity, table.rows.len()), (6, 9));
    let corners = rectangle(0.0, 0.0, 1.0, 1.0);
    for (row, corner) in table.rows.iter().zip(corners) {
        assert_eq!(row.position.unwrap().map(|real| real.0), corner);
        assert_eq!(row.color.unwrap().map(|real| real.0), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(row.position_bytes().unwrap()[..4], corner[0].to_le_bytes());
        assert_eq!(row.writers.len(), 1);
    }
    assert_eq!(table.rows[8].color, None, "past the buffer's end");
    assert_eq!(VertexTable::capacity_of(0, layout), 0);
}

fn twins() -> Vec<u8> {
    let vertex = "#version 300 es\nin vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
    let fragment = "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(1.0); }\n";
    let mut scene = Scene::new();
    scene.begin().twin_shader(1, 0, VERTEX_WGSL, vertex).twin_shader(2, 1, FRAGMENT_WGSL, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLUE).draw(0, 6).end();
    scene.finish()
}

fn shaders_come_with_texts_translations_and_entry_points() {
    let analysis = ask(twins());
    let shaders = analysis.shaders(Place::at_draw(FrameIndex(0), 0)).unwrap();
    let languages = |texts: &[aerogpu_replay::analysis::TextInfo]| texts.iter().map(|text| text.language).collect();
    let of_vertex: Vec<_> = languages(&shaders.vertex.texts);
    assert_eq!(of_vertex, ["wgsl", "glsl"]);
    assert_eq!(shaders.vertex.texts[0].text.as_deref(), Some(VERTEX_WGSL));
    let [wgsl, glsl] = &shaders.compiled[..] else { panic!("two pairs") };
    assert_eq!((wgsl.language, wgsl.is_used, glsl.language, glsl.is_used), ("wgsl", true, "glsl", false));
    assert_eq!(wgsl.vertex.as_ref().unwrap().inputs[0], "@location(0) position: vec2<f32>");
    assert!(glsl.translated.as_ref().unwrap()[0].contains("@vertex"));
    let other = analysis.with_shader_options(ShaderOptions {
        language: LanguageChoice::Only(ShaderLanguage::Glsl),
        ..Default::default()
    });
    let shaders = other.shaders(Place::at_draw(FrameIndex(0), 0)).unwrap();
    assert_eq!(shaders.compiled.iter().map(|pair| pair.is_used).collect::<Vec<_>>(), [false, true]);
}

fn an_edited_text_is_tried_out_and_saved() {
    let analysis = ask(twins());
    let shaders = analysis.shaders(Place::at_draw(FrameIndex(0), 0)).unwrap();
    let (wgsl, glsl) = (&shaders.fragment.texts[0], &shaders.fragment.texts[1]);
    let attempt = |record, text: &str| analysis.try_shader_text(shaders.creation, record, text.into()).unwrap();

    let broken = FRAGMENT_WGSL.replace("return color", "return colour");
    let issues = attempt(wgsl.record_offset, &broken).unwrap_err();
    let place = (issues[0].line, issues[0].column, issues[0].stage.unwrap().to_string());
    assert_eq!(place, (Some(2), Some(10), "fragment".to_owned()), "{issues:?}");
    let issues = attempt(glsl.record_offset, "#version 300 es\nvoid main() {\n  x = 1.0;\n}\n").unwrap_err();
    assert_eq!((issues[0].line, issues[0].column), (Some(3), Some(3)), "{issues:?}");
    assert!(issues[0].message.contains("'x' is not declared"), "{issues:?}");
    let unlinked = FRAGMENT_WGSL.replace("@location(0) color", "@location(5) color");
    let issues = attempt(wgsl.record_offset, &unlinked).unwrap_err();
    assert!(issues[0].message.contains("reads @location(5)"), "{issues:?}");

    let white = "@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let edit = attempt(wgsl.record_offset, white).unwrap();
    assert!(edit.is_used);
    let edited = analysis.with_shader_options(edit.options.clone());
    let shown = edited.shaders(Place::at_draw(FrameIndex(0), 0)).unwrap().fragment.texts.remove(0);
    assert_eq!((shown.text.as_deref(), shown.replacement.as_deref()), (Some(FRAGMENT_WGSL), Some(white)));
    let other = attempt(glsl.record_offset, glsl.text.as_ref().unwrap()).unwrap();
    assert!(!other.is_used, "WGSL is drawn with");
    let odd = "#version 300 es\nprecision highp float;\nflat out vec4 o;\n#extension GL_FOO_bar : enable\nvoid main() { o = vec4(1.0); }";
    let odd = attempt(glsl.record_offset, odd).unwrap();
    let remarks: Vec<_> = odd.remarks.iter().filter(|remark| remark.range.is_some()).collect();
    let told = |remark: &ShaderIssue| (remark.severity, remark.line.unwrap(), remark.range.unwrap());
    let range = |line, from, to| IssueRange { line, from, to };
    let expected = [
        (Severity::Warning, 3, range(2, 0, 4)),
        (Severity::Warning, 4, range(3, 1, 10)),
        (Severity::Information, 4, range(3, 11, 21)),
    ];
    assert_eq!(remarks.iter().map(|remark| told(remark)).collect::<Vec<_>>(), expected, "{remarks:?}");
    let used = LanguageChoice::Only(ShaderLanguage::Glsl);
    let with_glsl = analysis.with_shader_options(ShaderOptions { language: used, ..odd.options });
    let shaders = with_glsl.shaders(Place::at_draw(FrameIndex(0), 0)).unwrap();
    assert_eq!(shaders.compiled[1].remarks, odd.remarks);
    let mut diagnostics = Diagnostics::new();
    odd.remarks.iter().for_each(|issue| {
        diagnostics.push((&ShaderRemark { offset: 7, issue: issue.clone() }).into());
    });
    let first = diagnostics.first_oddity().unwrap().to_string();
    assert_eq!(
        first,
        "fragment shader, line 3: 'flat', 'smooth' or 'centroid' where nothing is interpolated: expected none, at 0x7"
    );

    #[cfg(feature = "files")]
    {
        use aerogpu_replay::analysis::{replacement_files, write_replacements};

        let folder = tempfile::tempdir().unwrap();
        let files = replacement_files(&analysis, &edit.options.replacements, folder.path());
        let paths = write_replacements(folder.path(), files).unwrap();
        let expected = folder.path().join(format!("blob{}-{:#x}.wgsl", wgsl.blob, wgsl.record_offset));
        assert_eq!(paths, [expected.as_path()]);
        assert_eq!(std::fs::read_to_string(expected).unwrap(), white);
    }
    let missing = analysis.try_shader_text(shaders.creation, 1, Vec::new()).unwrap_err();
    assert!(matches!(missing, AnalysisError::NoSuchText { record_offset: 1 }));
}
