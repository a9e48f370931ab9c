//! Invariants broken on purpose: each is told as a mistake of this program's own, none is passed over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{Player, PlayerError, Position};
use crate::bytes::{Diagnostics, MemorySource};
use crate::command::{Place, Point};
use crate::format::aerogpu::{FrameIndex, Trace, TraceWriter};
use crate::gpu::{AdapterChoice, BackendChoice, Gpu};
use crate::pixels::Size;
use crate::replay::{AttributeLayout, BufferKey, CommandNumber, DirectFetch, DrawOp, Op, ProgramKey, SliceTarget};
use crate::replay::{VertexFetch, VertexSlot};

fn player() -> Player {
    let mut writer = TraceWriter::new(Vec::new(), 1, "{}").unwrap();
    for _ in 0..3 {
        writer.begin_frame().unwrap();
        writer.present().unwrap();
    }
    let bytes = writer.finish().unwrap();
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap();
    let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(10)).unwrap();
    Player::new(Arc::new(trace), Arc::new(gpu), Size { width_px: 8, height_px: 8 }).unwrap()
}

#[track_caller]
fn assert_told<T>(result: Result<T, impl Into<PlayerError>>, what: &str) {
    let Err(error) = result.map_err(Into::into) else { panic!("ignored: {what}") };
    let words = format!("this is a bug: please report it with this line: {what}");
    assert!(error.to_string().contains(&words), "{error}");
    assert!(error.is_of_device(), "the outcome is unknown: {error}");
}

#[test]
fn a_player_that_does_not_know_where_it_stands_shows_nothing() {
    let mut player = player();
    let nothing = BTreeSet::new();
    let not_next = "a frame to be played is not the next one";
    assert_told(player.play_with_draws(FrameIndex(1), &nothing), not_next);
    assert_told(player.play_with_draws(FrameIndex(0), &BTreeSet::from([5])), "a requested draw is not in the frame");
    player.position = Position::Broken;
    assert_told(player.play_next(Point::End), "there is no point to continue playing from");
    player.seek(FrameIndex(0)).unwrap();
    player.start_over();
    let Position::Linear(linear) = &mut player.position else { panic!("it has started over") };
    linear.break_off(Place::after_packet(FrameIndex(0), 0));
    assert_told(player.play_next(Point::End), "the player is in the middle of a frame");
}

#[test]
fn what_was_lost_is_not_made_up() {
    let mut player = player();
    let index = player.index();
    let gone = SliceTarget::PictureBefore(CommandNumber(3));
    assert_told(player.prepare_target(gone, None), "a saved picture is missing");
    let lost = "the displayed frame is not in the index";
    assert_told(player.become_linear(&index, FrameIndex(9)), lost);
    let sought = player.seek_by_index(index, Place::end_of(FrameIndex(9)));
    assert_told(sought, "a requested frame is not in the index");
    let layout = AttributeLayout { stride_bytes: 8, position: VertexSlot::at(0), color: VertexSlot::UNREAD };
    let vertices = VertexFetch::Direct(DirectFetch { buffer: BufferKey(7), start_bytes: 0, layout });
    let program = ProgramKey(0);
    let draw = DrawOp { program, vertices, viewport_px: None, vertex_count: 3, first_vertex: 0 };
    player.gpu.residency.begin();
    let drawn = player.gpu.run(&Op::Draw(draw), &player.executor);
    assert_told(drawn, "a draw reads a buffer that is not bound");
}
