//! Outputs of submissions' vertex shaders: against numbers worked out by hand, and against what the GPU says of
//! pixels when it draws. Needs software Vulkan and GL.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::{SetIndexBuffer, SetVertexBuffers};
use aerogpu_replay::abi::a3a0::state::{SetDepthStencilState, SetRasterizerState, SetScissor};
use aerogpu_replay::abi::a3a0::work::{Draw, DrawIndexed};
use aerogpu_replay::abi::a3a0::{Elements, VertexBufferBinding};
use aerogpu_replay::analysis::{
    Analysis, AnalysisError, Effect, Facing, Mesh, OutputValue, TriangleOutcome, draw_mesh, pixel_history,
};
use aerogpu_replay::command::{Place, Topology};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::player::{Miss, PixelWriteKind, Player};
use aerogpu_replay::replay::{DEFAULT_SIZE, TraceIndex, largest_viewport};

use crate::gpu::kept::opened;
use crate::gpu::mesh::{Covered, covers};
use crate::gpu::submitted_questions::traces_in;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

/// Frames of a trace that are asked about, and pixels of each.
const FRAMES: u32 = 2;
const PIXELS: u32 = 6;
/// Scenes of each level of difficulty.
const SCENES: usize = 5;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for backend in BACKENDS {
        for (name, ask) in NUMBERS {
            trials.push(backend.trial(format!("{}::{name}", backend.name()), move || ask(backend)));
        }
        for path in traces() {
            let name = path.file_stem().unwrap().display().to_string();
            let trial = format!("{}::triangles cover what is drawn: {name}", backend.name());
            trials.push(backend.trial(trial, move || triangles_cover_what_is_drawn(backend, &path)));
        }
    }
    trials
}

fn traces() -> Vec<PathBuf> {
    let here = ["scenes", "public", "computed"].map(|folder| root().join("fixtures/aerogpu").join(folder));
    let mut traces: Vec<PathBuf> = here.iter().flat_map(|folder| traces_in(folder, usize::MAX)).collect();
    let shared = root().join("../shared/data/a3a0/scenes");
    let levels = ["1-emulator-dialect", "2-real-dxbc", "3-with-d3d9", "4-views"];
    let beside = levels.iter().flat_map(|level| traces_in(&shared.join(level), SCENES));
    traces.extend(beside.filter(|path| here.iter().all(|folder| !folder.join(path.file_name().unwrap()).exists())));
    traces
}

type Numbers = (&'static str, fn(Backend));

const NUMBERS: [Numbers; 7] = [
    ("vertices are in the order in which they are drawn", order),
    ("each instance has its own", instances),
    ("fates are those of the state", fates),
    ("numbers may lie far apart", far_apart),
    ("a pixel shows the triangle that is seen", seen_triangles),
    ("triangles of strips are counted where an index cuts", cut_strips),
    ("what is not there is told", refusals),
];

struct Asked {
    analysis: Analysis,
    player: Player,
}

impl Asked {
    fn open(backend: Backend, bytes: Vec<u8>) -> Self {
        let trace = Arc::new(opened(bytes).unwrap());
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
        let mut player = Player::new(trace.clone(), backend.open_fresh(), size).unwrap();
        player.set_index(index.clone());
        Self { analysis: Analysis::new(trace, index), player }
    }

    fn mesh(&mut self, frame: u32, draw: u32, instance: u32) -> Result<Mesh, AnalysisError> {
        draw_mesh(&self.analysis, &mut self.player, Place::at_draw(FrameIndex(frame), draw), instance)
    }
}

/// A stream with a target of 16 × 16 and vertices whose x is their number in sixteenths, and whose texture coordinate is that
/// number.
fn numbered_vertices(count: u32) -> Stream {
    let vertex = |number: u32| {
        let number = number as f32;
        floats(&[number / 16.0, (number % 2.0) / 2.0, 0.25, 1.0, number, -number, 0.5, 1.0])
    };
    let vertices: Vec<u8> = (0..count).flat_map(vertex).collect();
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "constant.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .shaders(1, 2)
        .texture(1, R8G8B8A8, [16, 16], [1, 1])
        .targets(&[1], 0)
        .clear(1, [0.0; 4], 0.0)
        .viewport([0.0, 0.0, 16.0, 16.0])
        .buffer(3, &floats(&[0.0; 8]))
        .constants(3, 0, 0)
        .vertices(2, &vertices)
        .topology(TRIANGLE_LIST);
    stream
}

fn file(mut stream: Stream) -> Vec<u8> {
    stream.present();
    recording([&stream.finish()[..]])
}

fn places(mesh: &Mesh) -> Vec<u32> {
    mesh.vertices.iter().map(|vertex| vertex.index).collect()
}

fn corners(mesh: &Mesh) -> Vec<[u32; 3]> {
    mesh.triangles.iter().map(|triangle| triangle.vertices.map(|place| mesh.vertices[place as usize].index)).collect()
}

/// Checks the values of each vertex of `numbered_vertices`.
fn has_its_numbers(mesh: &Mesh) {
    let named: Vec<_> = mesh.inputs.iter().map(|input| (input.location, input.name.as_deref())).collect();
    assert_eq!(named, [(0, Some("POSITION0")), (1, Some("TEXCOORD0"))]);
    for vertex in &mesh.vertices {
        let number = vertex.index as f32;
        assert_eq!(vertex.clip.map(|real| real.0), [number / 16.0, (number % 2.0) / 2.0, 0.25, 1.0]);
        let [x, y, z] = vertex.window.map(|real| real.0);
        assert_eq!([x, y, z], [8.0 + number / 2.0, 8.0 - (number % 2.0) * 4.0, 0.25]);
        let [OutputValue::Floats(position), OutputValue::Floats(place)] = &vertex.inputs[..] else {
            panic!("{:?}", vertex.inputs)
        };
        assert_eq!(position[..], vertex.clip[..]);
        assert_eq!(place.iter().map(|real| real.0).collect::<Vec<_>>(), [number, -number, 0.5, 1.0]);
    }
}

/// Shape that vertices form, which these are, and the triangles.
type Expected<'e> = (Topology, &'e [u32], &'e [[u32; 3]]);

fn order(backend: Backend) {
    let mut stream = numbered_vertices(12);
    let indices: Vec<u8> =
        [9_u16, 0, 1, 2, 3, 0xffff, 4, 5, 6, 0xffff, 7].iter().flat_map(|index| index.to_le_bytes()).collect();
    stream.buffer(4, &[&[0][..], &indices].concat());
    stream.put(SetIndexBuffer { buffer: 4, format: 0, offset: 1, reserved: 0 });
    let indexed = |index_count, first_index, base_vertex| DrawIndexed {
        index_count,
        instance_count: 1,
        first_index,
        base_vertex,
        first_instance: 0,
    };
    stream.draw(2, 7);
    stream.put(indexed(4, 1, 5));
    stream.topology(5).put(indexed(30, 1, 1)).draw(3, 4);
    stream.topology(6).draw(1, 5);
    stream.topology(1).draw(1, 5);
    let mut asked = Asked::open(backend, file(stream));
    let expected: [Expected; 6] = [
        (Topology::TriangleList, &[2, 3, 4, 5, 6, 7, 8], &[[2, 3, 4], [5, 6, 7]]),
        (Topology::TriangleList, &[5, 6, 7, 8], &[[5, 6, 7]]),
        // Behind the indices that there are come zeros.
        (Topology::TriangleStrip, &[1, 2, 3, 4, 5, 6, 7, 8], &[[1, 2, 3], [2, 4, 3], [5, 6, 7]]),
        (Topology::TriangleStrip, &[3, 4, 5, 6], &[[3, 4, 5], [4, 6, 5]]),
        (Topology::TriangleFan, &[1, 2, 3, 4, 5], &[[2, 3, 1], [3, 4, 1], [4, 5, 1]]),
        (Topology::PointList, &[1, 2, 3, 4, 5], &[]),
    ];
    for (draw, (topology, numbers, triangles)) in (0..).zip(expected) {
        let mesh = asked.mesh(0, draw, 0).unwrap();
        assert_eq!((mesh.topology, mesh.drawing.draw), (topology, draw));
        let (mut found, mut formed) = (places(&mesh), corners(&mesh));
        if draw == 2 {
            assert_eq!((found.len(), found.split_off(8)), (28, vec![1; 20]));
            formed.retain(|corners| !corners.contains(&8) && corners[0] != corners[1]);
        }
        assert_eq!((&found[..], &formed[..]), (numbers, triangles), "draw {draw}");
        has_its_numbers(&mesh);
    }
}

fn instances(backend: Backend) {
    let mut stream = numbered_vertices(12);
    // The texture coordinate steps by two instances, out of a buffer of its own.
    stream.layout(5, &[Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 1, 0, 2)]);
    let bytes: Vec<u8> = (0..8).flat_map(|number| floats(&[number as f32, 0.0, 0.0, 0.0])).collect();
    stream.buffer(6, &bytes).use_layout(5);
    let slots =
        Elements::to_bytes(&[VertexBufferBinding { buffer: 6, stride_bytes: 16, offset_bytes: 0, reserved: 0 }]);
    stream.put(SetVertexBuffers { start_slot: 1, buffer_count: 1, values: Elements::new(&slots).unwrap() });
    stream.put(Draw { vertex_count: 3, instance_count: 5, first_vertex: 4, first_instance: 1 });
    let mut asked = Asked::open(backend, file(stream));
    for instance in 0..5 {
        let mesh = asked.mesh(0, 0, instance).unwrap();
        assert_eq!((mesh.instance, mesh.instance_count, places(&mesh)), (instance, 5, vec![4, 5, 6]));
        for vertex in &mesh.vertices {
            let OutputValue::Floats(place) = &vertex.inputs[1] else { panic!("{vertex:?}") };
            assert_eq!(place[0].0, (1 + instance / 2) as f32, "instance {instance}");
        }
    }
    let error = asked.mesh(0, 0, 5).unwrap_err();
    assert_eq!(error.to_string(), "instance 5 does not exist: the draw has 5, counted from 0");
    assert_eq!(error.kind(), ErrorKind::Usage);
}

/// Triangles on a target of 16 × 16 of which a viewport at 4,4 sees 8 × 8, and a scissor the left half of that.
fn fates(backend: Backend) {
    let at = |[x, y]: [f32; 2]| floats(&[(x - 8.0) / 4.0, (8.0 - y) / 4.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let triangles = [
        [[5.0, 5.0], [7.0, 5.0], [5.0, 7.0]],
        [[5.0, 5.0], [5.0, 7.0], [7.0, 5.0]],
        [[9.0, 5.0], [11.0, 5.0], [9.0, 7.0]],
        [[14.0, 5.0], [15.0, 5.0], [14.0, 7.0]],
        [[2.0, 5.0], [7.0, 5.0], [5.0, 7.0]],
        [[5.6, 5.6], [5.9, 5.6], [5.6, 5.9]],
        [[5.0, 5.0], [6.0, 6.0], [7.0, 7.0]],
    ];
    let mut stream = numbered_vertices(1);
    stream.vertices(7, &triangles.as_flattened().iter().flat_map(|corner| at(*corner)).collect::<Vec<u8>>());
    stream.viewport([4.0, 4.0, 8.0, 8.0]).put(SetScissor { x: 4, y: 4, width: 4, height: 8 });
    let raster =
        |cull, front_ccw| SetRasterizerState { fill: 0, cull, front_ccw, scissor_enable: 1, depth_bias: 0, flags: 0 };
    // No side, the back of what goes counter-clockwise, and the front.
    for (cull, front_ccw) in [(0, 0), (2, 0), (1, 0), (2, 1)] {
        stream.put(raster(cull, front_ccw)).draw(0, 21);
    }
    let mut asked = Asked::open(backend, file(stream));
    let fates = |mesh: &Mesh| mesh.triangles.iter().map(|triangle| triangle.outcome).collect::<Vec<_>>();
    let right = TriangleOutcome::Outside(aerogpu_replay::analysis::ClipPlane::Right);
    let drawn = [
        TriangleOutcome::Drawn,
        TriangleOutcome::Drawn,
        TriangleOutcome::OutsideScissor,
        right,
        TriangleOutcome::Clipped,
        TriangleOutcome::BetweenPixels,
        TriangleOutcome::Degenerate,
    ];
    let plain = asked.mesh(0, 0, 0).unwrap();
    assert_eq!(fates(&plain), drawn);
    assert_eq!((plain.target_px, plain.scissor_px), ([16, 16], Some([4, 4, 4, 8])));
    assert_eq!(plain.viewport.origin_px.map(|at| at.0), [4.0, 4.0]);
    let facings = |mesh: &Mesh| mesh.triangles.iter().map(|triangle| triangle.facing).collect::<Vec<_>>();
    let (front, back) = (Some(Facing::Front), Some(Facing::Back));
    assert_eq!(facings(&plain)[..2], [front, back]);
    let culled = |draw: u32, asked: &mut Asked| {
        let mesh = asked.mesh(0, draw, 0).unwrap();
        (fates(&mesh)[..2].to_vec(), facings(&mesh)[..2].to_vec())
    };
    let (left, gone) = (TriangleOutcome::Drawn, TriangleOutcome::Culled);
    assert_eq!(culled(1, &mut asked), (vec![left, gone], vec![front, back]));
    assert_eq!(culled(2, &mut asked), (vec![gone, left], vec![front, back]));
    assert_eq!(culled(3, &mut asked), (vec![gone, left], vec![back, front]));
}

/// More than one target's worth of vertices lies between the first and the last.
fn far_apart(backend: Backend) {
    let mut stream = numbered_vertices(4);
    let far = [0_u32, 300_000, 600_001, 3, 2, 1].iter().flat_map(|index| index.to_le_bytes()).collect::<Vec<u8>>();
    stream.empty_buffer(8, 700_000 * u64::from(VERTEX_BYTES)).vertex_buffer(0, 8, VERTEX_BYTES, 0);
    for number in [0_u32, 1, 2, 3, 300_000, 600_001] {
        let bytes = floats(&[number as f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        stream.upload(8, u64::from(number * VERTEX_BYTES), &bytes);
    }
    stream.buffer(4, &far).put(SetIndexBuffer { buffer: 4, format: 1, offset: 0, reserved: 0 });
    let (instance_count, base_vertex) = (1, 0);
    stream.put(DrawIndexed { index_count: 6, instance_count, first_index: 0, base_vertex, first_instance: 0 });
    let mut asked = Asked::open(backend, file(stream));
    let mesh = asked.mesh(0, 0, 0).unwrap();
    let found: Vec<f32> = mesh.vertices.iter().map(|vertex| vertex.clip[0].0).collect();
    assert_eq!(found, [0.0, 300_000.0, 600_001.0, 3.0, 2.0, 1.0]);
}

/// Of triangles of one draw that lie over each other it is the one that the depth test leaves, or the last.
fn seen_triangles(backend: Backend) {
    let corner = |[x, y]: [f32; 2], depth: f32| floats(&[x, y, depth, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let whole = |depth: f32| [[-1.0, -1.0], [-1.0, 3.0], [3.0, -1.0]].map(|at| corner(at, depth)).concat();
    let mut stream = numbered_vertices(1);
    stream.vertices(7, &[0.5, 0.25, 0.75].map(whole).concat());
    stream.texture(9, 32, [16, 16], [1, 1]).targets(&[1], 9).clear(3, [0.0; 4], 1.0);
    let test = |depth_enable| SetDepthStencilState {
        depth_enable,
        depth_write: 1,
        // Less.
        depth_func: 1,
        stencil_enable: 0,
        stencil_read_mask: 0xff,
        stencil_write_mask: 0xff,
        pad: [0; 2],
    };
    stream.put(test(1)).draw(0, 9).clear(2, [0.0; 4], 0.4).draw(0, 9).clear(2, [0.0; 4], 0.1).draw(0, 9);
    stream.put(test(0)).draw(0, 9);
    let mut asked = Asked::open(backend, file(stream));
    let found = [0, 1, 2, 3].map(|draw| asked.player.find_triangle(FrameIndex(0), draw, 5, 6).unwrap());
    assert_eq!(found, [Some(1), Some(1), None, Some(2)]);
}

fn cut_strips(backend: Backend) {
    // Three strips of one triangle, then one of two, in columns of four pixels.
    let corner = |x: f32, y: f32| floats(&[x / 8.0 - 1.0, y, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let column = |left: u32| {
        let (left, right) = (left as f32, left as f32 + 4.0);
        [corner(left, -1.0), corner(left, 1.0), corner(right, -1.0), corner(right, 1.0)].concat()
    };
    let mut stream = numbered_vertices(1);
    stream.vertices(7, &[0, 4, 8, 12].map(column).concat());
    let indices = [0, 1, 2, 0xffff, 4, 5, 6, 0xffff, 0xffff, 8, 9, 10, 0xffff, 12, 13, 14, 15_u16];
    let indices: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    stream.buffer(4, &[&indices[..], &[0; 2]].concat());
    stream.put(SetIndexBuffer { buffer: 4, format: 0, offset: 0, reserved: 0 }).topology(5);
    let (instance_count, base_vertex) = (1, 0);
    stream.put(DrawIndexed { index_count: 17, instance_count, first_index: 0, base_vertex, first_instance: 0 });
    let mut asked = Asked::open(backend, file(stream));
    let mut at = |x, y| asked.player.find_triangle(FrameIndex(0), 0, x, y).unwrap();
    // The lower left half of a column is a strip's first triangle.
    let found = [at(0, 12), at(4, 12), at(8, 12), at(12, 12), at(15, 3), at(3, 1)];
    assert_eq!(found, [Some(0), Some(1), Some(2), Some(3), Some(4), None]);
    assert_eq!(corners(&asked.mesh(0, 0, 0).unwrap()).len(), 5);
}

fn refusals(backend: Backend) {
    let mut stream = numbered_vertices(4);
    stream.draw(0, 3);
    let mut asked = Asked::open(backend, file(stream));
    let none = asked.mesh(0, 1, 0).unwrap_err();
    assert_eq!(
        (none.kind(), none.to_string().as_str()),
        (ErrorKind::Usage, "draw 1 does not exist: frame 0 has 1 draw, counted from 0")
    );
    let no_frame = asked.mesh(1, 0, 0).unwrap_err();
    assert_eq!(no_frame.kind(), ErrorKind::Usage);
    // The player stands where it stood, and draws what it drew.
    let picture = asked.player.render(FrameIndex(0)).unwrap();
    asked.mesh(0, 0, 0).unwrap();
    assert_eq!(asked.player.render(FrameIndex(0)).unwrap().hash(), picture.hash());
}

/// A pixel that a draw misses for want of a triangle there is covered by none of its mesh's; any other is.
fn triangles_cover_what_is_drawn(backend: Backend, path: &Path) {
    let mut asked = Asked::open(backend, fs::read(path).unwrap());
    let (mut random, mut compared) = (Random::new(17), 0);
    let frames = (asked.analysis.trace().frames().len() as u32).min(FRAMES);
    for frame in 0..frames {
        let size = asked.player.render(FrameIndex(frame)).unwrap().size();
        let pixels: Vec<[u32; 2]> =
            (0..PIXELS).map(|_| [random.below(size.width_px), random.below(size.height_px)]).collect();
        let histories: Vec<_> =
            pixels.iter().map(|[x, y]| pixel_history(&mut asked.player, FrameIndex(frame), *x, *y).unwrap()).collect();
        let draws = histories.first().map_or(Vec::new(), |history| {
            let drawn = history.events.iter().filter_map(|event| match event.kind {
                PixelWriteKind::Draw(draw) => Some(draw),
                _ => None,
            });
            drawn.collect()
        });
        for draw in draws {
            let meshes = match asked.meshes(frame, draw) {
                Ok(meshes) => meshes,
                // A question about a draw that writes buffers.
                Err(error) if error.kind() == ErrorKind::Unsupported => continue,
                Err(error) => panic!("{}, frame {frame}, draw {draw}: {error}", path.display()),
            };
            for (history, [x, y]) in histories.iter().zip(&pixels) {
                let event = history.events.iter().find(|event| event.kind == PixelWriteKind::Draw(draw));
                let Some(event) = event else { continue };
                let context = format!("frame {frame}, draw {draw}, pixel {x},{y}: {:?}", event.effect);
                compared += u32::from(agrees(&meshes, event.effect, [*x, *y], &context));
                let found = asked.player.find_triangle(FrameIndex(frame), draw, *x, *y).unwrap();
                is_the_triangle(&meshes, event.effect, found, [*x, *y], &context);
            }
        }
    }
    // Scenes are full of triangles; a public trace may have none where it is looked.
    let is_scene = path.file_stem().is_some_and(|name| name.display().to_string().starts_with("seed-"));
    assert!(!is_scene || compared > 0, "nothing was compared");
}

impl Asked {
    /// Those of all instances.
    fn meshes(&mut self, frame: u32, draw: u32) -> Result<Vec<Mesh>, AnalysisError> {
        let first = match self.mesh(frame, draw, 0) {
            Ok(first) => first,
            Err(AnalysisError::NoSuchInstance { instance_count: 0, .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let others = (1..first.instance_count).map(|instance| self.mesh(frame, draw, instance));
        let others: Vec<Mesh> = others.collect::<Result<_, _>>()?;
        Ok([first].into_iter().chain(others).collect())
    }
}

/// The triangle that is told of a pixel covers it in some instance.
fn is_the_triangle(meshes: &[Mesh], effect: Effect, found: Option<u32>, [x, y]: [u32; 2], context: &str) {
    match (effect, found) {
        (Effect::Missed(_), _) => assert_eq!(found, None, "{context}"),
        (Effect::Wrote { .. }, Some(triangle)) if meshes.iter().all(forms_triangles) => {
            let covers = |mesh: &Mesh| {
                let triangle = mesh.triangles.get(triangle as usize);
                triangle.is_some_and(|triangle| covers(mesh, triangle.vertices, x, y) != Covered::No)
            };
            assert!(meshes.iter().any(covers), "{context}: {found:?}");
        }
        (Effect::Wrote { .. }, Some(_)) => {}
        // Points that have a size are no triangles.
        (Effect::Wrote { .. }, None) => {
            assert!(meshes.iter().all(|mesh| mesh.topology == Topology::PointList), "{context}");
        }
    }
}

fn forms_triangles(mesh: &Mesh) -> bool {
    matches!(mesh.topology, Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan)
}

/// Holds an effect against meshes; whether they say anything of it.
fn agrees(meshes: &[Mesh], effect: Effect, [x, y]: [u32; 2], context: &str) -> bool {
    if !meshes.iter().all(forms_triangles) {
        return false;
    }
    let triangles = meshes.iter().flat_map(|mesh| mesh.triangles.iter().map(move |triangle| (mesh, triangle)));
    let by_each: Vec<_> =
        triangles.map(|(mesh, triangle)| (covers(mesh, triangle.vertices, x, y), triangle.outcome)).collect();
    let has = |wanted: Covered| by_each.iter().any(|(covered, _)| *covered == wanted);
    if has(Covered::Perhaps) {
        return false;
    }
    match effect {
        Effect::Missed(Miss::NotCovered) => assert!(!has(Covered::Yes), "{context}: {by_each:?}"),
        Effect::Missed(Miss::NoColor | Miss::WriteMask | Miss::OutsideScissor { .. }) => {}
        Effect::Missed(Miss::SampleMask) => {
            let fates = by_each.iter().map(|(_, fate)| *fate);
            let mut seen = fates.filter(|fate| matches!(fate, TriangleOutcome::Drawn | TriangleOutcome::Clipped));
            assert!(seen.next().is_none(), "{context}: {by_each:?}");
        }
        Effect::Missed(Miss::Culled) => {
            let covering: Vec<_> = by_each.iter().filter(|(covered, _)| *covered == Covered::Yes).collect();
            assert!(covering.iter().all(|(_, fate)| *fate == TriangleOutcome::Culled), "{context}: {by_each:?}");
            assert!(!covering.is_empty(), "{context}: {by_each:?}");
        }
        _ => {
            let is_drawn = |fate| matches!(fate, TriangleOutcome::Drawn | TriangleOutcome::Clipped);
            let covering = by_each.iter().filter(|(covered, _)| *covered == Covered::Yes);
            assert!(covering.clone().any(|(_, fate)| is_drawn(*fate)), "{context}: {by_each:?}");
        }
    }
    true
}
