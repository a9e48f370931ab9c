//! Programs made ahead on other threads are those made when they are asked for, and so is what is wrong with them.

use std::sync::Arc;

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobKind, FrameIndex, Trace};
use aerogpu_replay::replay::{CommandStream, Executor, Flow, Op, ProgramLibrary, ReplayError, ShaderOptions};
use support::harness::{Trial, trials_of};
use support::scene::{Scene, VERTEX_WGSL, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    trials_of![
        programs_made_ahead_are_the_same_and_fail_at_the_same_draws,
        a_pair_is_made_once_however_often_it_is_used,
    ]
}

const PIPELINES: u32 = 40;

/// Creates all pipelines, then draws with each. Every fifth does not compile, every seventh does not link, and every
/// third has something worth a remark.
fn trace() -> Arc<Trace> {
    let mut scene = Scene::new();
    scene.begin().buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), [1.0; 4])).bind(1);
    for id in 1..=PIPELINES {
        let color = format!("vec4f({}.0 / 255.0)", id);
        let unbound = "@group(0) @binding(0) var<uniform> scale: vec4f;";
        let fragment = match id {
            _ if id % 5 == 0 => format!("@fragment fn f() -> @location(0) vec4f {{ return nothing{id}; }}"),
            _ if id % 7 == 0 => {
                format!("@fragment fn f(@location(3) at: f32) -> @location(0) vec4f {{ return {color}; }}")
            }
            _ if id % 3 == 0 => {
                format!("{unbound} @fragment fn f() -> @location(0) vec4f {{ return {color} + scale; }}")
            }
            _ => format!("@fragment fn f() -> @location(0) vec4f {{ return {color}; }}"),
        };
        scene.shaders(2 * id, 2 * id + 1, VERTEX_WGSL, &fragment).pipeline(id, 2 * id, 2 * id + 1);
    }
    for id in 1..=PIPELINES {
        scene.packet(Packet::SetPipeline { pipeline_id: id }).draw(0, 6);
    }
    let bytes = scene.end_and_finish();
    Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap())
}

/// Result of each draw: an op, or an error, and the remarks at it.
fn draw_all(trace: &Arc<Trace>, programs: ProgramLibrary) -> Vec<(String, Vec<String>)> {
    let mut draws = Vec::new();
    let mut executor = Executor::with_programs(trace.clone(), programs);
    let mut stream = CommandStream::new(trace.clone());
    let read = stream.read_frame(FrameIndex(0), &mut executor, |command, executor| {
        let outcome = match executor.apply(command) {
            Ok(()) => format!("{:?}", executor.ops().iter().find(|op| matches!(op, Op::Draw(_)))),
            Err(error) => error.to_string(),
        };
        let remarks = executor.diagnostics().take().findings().iter().map(ToString::to_string).collect();
        draws.push((outcome, remarks));
        Ok::<Flow, ReplayError>(Flow::Continue)
    });
    read.unwrap();
    draws
}

fn programs_made_ahead_are_the_same_and_fail_at_the_same_draws() {
    let trace = trace();
    let one_by_one = draw_all(&trace, ProgramLibrary::new());
    let failed = one_by_one.iter().filter(|(outcome, _)| outcome.starts_with("DRAW")).count();
    let remarked = one_by_one.iter().filter(|(_, remarks)| !remarks.is_empty()).count();
    assert!(failed >= 12 && remarked >= 8, "{failed} failed, {remarked} remarked");
    for _ in 0..10 {
        assert_eq!(draw_all(&trace, ProgramLibrary::working_ahead(ShaderOptions::default())), one_by_one);
    }
}

/// Whether the guest makes its shaders and pipelines anew for each draw or not: one pair of texts is one program.
fn a_pair_is_made_once_however_often_it_is_used() {
    let (vertex, fragment) = (
        "#version 300 es\nin vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }",
        "#version 300 es\nprecision highp float;\nout vec4 color;\nvoid main() { color = vec4(1.0); }",
    );
    let mut scene = Scene::new();
    scene.begin().buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), [1.0; 4])).bind(1);
    let [vertex, fragment] = [vertex, fragment].map(|text| scene.blob(BlobKind::ShaderGlslEs300, text.as_bytes()));
    for id in 1..=100 {
        for (shader_id, stage, glsl_blob_id) in [(2 * id, 0, vertex), (2 * id + 1, 1, fragment)] {
            scene.packet(Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id: 0, dxbc_blob_id: 0 });
        }
        scene.pipeline(id, 2 * id, 2 * id + 1).packet(Packet::SetPipeline { pipeline_id: id }).draw(0, 6);
    }
    let bytes = scene.end_and_finish();
    let trace = Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap());
    for programs in [ProgramLibrary::new(), ProgramLibrary::working_ahead(ShaderOptions::default())] {
        let mut used = Vec::new();
        let mut executor = Executor::with_programs(trace.clone(), programs);
        let mut stream = CommandStream::new(trace.clone());
        let read = stream.read_frame(FrameIndex(0), &mut executor, |command, executor| {
            executor.apply(command)?;
            used.extend(executor.ops().iter().filter_map(|op| match op {
                Op::Draw(draw) => Some(draw.program),
                _ => None,
            }));
            Ok::<Flow, ReplayError>(Flow::Continue)
        });
        read.unwrap();
        assert_eq!(used.len(), 100);
        assert!(used.iter().all(|program| *program == used[0]), "{used:?}");
    }
}
