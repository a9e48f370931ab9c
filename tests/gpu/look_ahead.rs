//! Programs and pipelines made before their draws come, by other threads or by the player itself: the pictures and the errors
//! are those of a player that makes them when they come, and fewer come late.

use std::cell::Cell;
use std::sync::Arc;

use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::PipelineProgress;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{PipelineMaker, Player, PlayerError};

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{
    DECLARATION_9, PIXEL, R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, VERTEX_SHADER_9, cell, recording,
    rectangle, whole_texture,
};

/// Cells along a side. Each has a shader of its own.
const CELLS: u32 = 18;
const SHADERS: u32 = CELLS * CELLS;
/// Pixels along a side of a cell.
const CELL_PX: u32 = 4;
const TARGET: u32 = 1;
const VERTEX_SHADER: u32 = 2;
const FIRST_PIXEL_SHADER: u32 = 100;

pub fn trials() -> Vec<Trial> {
    type NamedCheck = (&'static str, fn(Backend));
    let checks: [NamedCheck; 6] = [
        ("a_frame_that_is_played", played),
        ("a_frame_that_is_sought", sought),
        ("a_frame_that_is_played_without_threads", |backend| alone(backend, &[0, 1])),
        ("a_frame_that_is_sought_without_threads", |backend| alone(backend, &[1])),
        ("what_is_wrong_is_told_by_its_draw", wrong_draw),
        ("a_player_that_is_gone_has_nobody_look", gone),
    ];
    let of = |backend: Backend| {
        checks.map(|(name, check)| backend.trial(format!("{}::{name}", backend.name()), move || check(backend)))
    };
    BACKENDS.into_iter().flat_map(of).collect()
}

/// `ps_2_0`: `def c0, …`, `mov oC0, c0`.
fn constant_color(color: [u8; 4]) -> Vec<u32> {
    let floats = color.map(|channel| (f32::from(channel) / 255.0).to_bits());
    let head = [0xffff_0200, 0x0500_0051, 0xa00f_0000];
    [head.as_slice(), &floats, &[0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0xffff]].concat()
}

fn color_of(shader: u32) -> [u8; 4] {
    let [low, high, ..] = shader.to_le_bytes();
    [low, high, 77, 255]
}

/// A frame without draws, and one that draws each cell with its own shader; the draw `wrong` is of patches, which nothing
/// draws here.
fn trace(wrong: Option<u32>) -> Arc<Trace> {
    let side_px = CELLS * CELL_PX;
    let mut first = Stream::new();
    first.tokens(VERTEX_SHADER, VERTEX, &VERTEX_SHADER_9);
    for shader in 0..SHADERS {
        first.tokens(FIRST_PIXEL_SHADER + shader, PIXEL, &constant_color(color_of(shader)));
    }
    let corners = |number: u32| rectangle(cell([number % CELLS, number / CELLS], [CELLS; 2]), 0.0, whole_texture(0.0));
    first
        .layout_of(3, &DECLARATION_9)
        .use_layout(3)
        .vertices(4, &(0..SHADERS).flat_map(corners).collect::<Vec<u8>>())
        .texture(TARGET, R8G8B8A8, [side_px; 2], [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, side_px as f32, side_px as f32])
        .clear(1, [0.0, 0.0, 0.0, 1.0], 1.0)
        .present();
    let mut second = Stream::new();
    for shader in 0..SHADERS {
        second.topology(if wrong == Some(shader) { 33 } else { TRIANGLE_LIST });
        second.shaders(VERTEX_SHADER, FIRST_PIXEL_SHADER + shader).draw(shader * 6, 6);
    }
    second.present();
    let bytes = recording([first.finish().as_slice(), second.finish().as_slice()]);
    Arc::new(opened(bytes).unwrap())
}

fn player(backend: Backend, trace: &Arc<Trace>) -> Player {
    let size = Size { width_px: CELLS * CELL_PX, height_px: CELLS * CELL_PX };
    Player::new(trace.clone(), backend.open_fresh(), size).unwrap()
}

fn check(picture: &Picture) {
    for shader in 0..SHADERS {
        let center = |number: u32| number * CELL_PX + CELL_PX / 2;
        let found = picture.pixel(center(shader % CELLS), center(shader / CELLS));
        assert_eq!(found, Some(color_of(shader)), "shader {shader}");
    }
}

/// Fewer are late than there are, and as many as it takes until others look ahead.
fn check_late(backend: Backend, player: &Player) {
    let late = player.renderer().late_pipelines();
    match backend.name() {
        // Its drivers compile for one thread at a time.
        "gl" => assert_eq!(late, SHADERS),
        _ => assert!((4..SHADERS).contains(&late), "{late} of {SHADERS} were late"),
    }
}

fn played(backend: Backend) {
    let mut player = player(backend, &trace(None));
    player.render(FrameIndex(0)).unwrap();
    let picture = player.render(FrameIndex(1)).unwrap();
    check(&picture);
    check_late(backend, &player);
    // All of it is made now.
    let late = player.renderer().late_pipelines();
    player.render(FrameIndex(0)).unwrap();
    assert_eq!(player.render(FrameIndex(1)).unwrap(), picture);
    assert_eq!(player.renderer().late_pipelines(), late);
}

fn sought(backend: Backend) {
    let mut player = player(backend, &trace(None));
    let picture = player.render(FrameIndex(1)).unwrap();
    check(&picture);
    check_late(backend, &player);
}

thread_local! {
    /// Number of pipelines told of, and of times that all of them were made.
    static TOLD: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// A player that makes what it needs itself, once a draw has come late.
fn alone(backend: Backend, frames: &[u32]) {
    let mut gpu = backend.open_fresh();
    Arc::get_mut(&mut gpu).unwrap().tell_pipelines(|PipelineProgress { made, of }| {
        let (told, whole) = TOLD.get();
        assert_eq!((made, of), (told + 1, SHADERS));
        TOLD.set((made, whole + u32::from(made == of)));
    });
    TOLD.set((0, 0));
    let size = Size { width_px: CELLS * CELL_PX, height_px: CELLS * CELL_PX };
    let mut player = Player::new(trace(None), gpu, size).unwrap();
    player.set_pipeline_maker(PipelineMaker::Player);
    let pictures = frames.iter().map(|frame| player.render(FrameIndex(*frame)).unwrap());
    check(&pictures.last().unwrap());
    match backend.name() {
        // It compiles nothing ahead.
        "gl" => assert_eq!(TOLD.get(), (0, 0)),
        _ => assert_eq!((player.renderer().late_pipelines(), TOLD.get()), (1, (SHADERS, 1))),
    }
}

fn wrong_draw(backend: Backend) {
    let trace = trace(Some(SHADERS - 10));
    for maker in [PipelineMaker::Threads, PipelineMaker::Threads, PipelineMaker::Player, PipelineMaker::Nobody] {
        let mut player = player(backend, &trace);
        player.set_pipeline_maker(maker);
        let index = player.index();
        let number = index.draws_of(FrameIndex(1)).nth(SHADERS as usize - 10).unwrap();
        let error = player.render(FrameIndex(1)).unwrap_err();
        assert_eq!(
            (error.kind(), error.offset()),
            (ErrorKind::Unsupported, Some(index.location(number).unwrap().offset))
        );
        assert!(matches!(error, PlayerError::Gpu(_)), "{error}");
    }
}

/// A prefetch that ends early waits for nobody, and leaves nobody at work.
fn gone(backend: Backend) {
    let trace = trace(Some(8));
    for _ in 0..5 {
        let mut player = player(backend, &trace);
        let gpu = player.renderer().gpu().clone();
        player.render(FrameIndex(1)).unwrap_err();
        drop(player);
        assert_eq!(Arc::strong_count(&gpu), 1, "somebody still has the GPU");
    }
}
