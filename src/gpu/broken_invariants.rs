//! Invariants broken on purpose: each is told as a mistake of this program's own, none is passed over.

use std::sync::Arc;
use std::time::Duration;

use super::{AdapterChoice, BackendChoice, Gpu, GpuError, Renderer};
use crate::bytes::{Diagnostics, MemorySource};
use crate::command::Location;
use crate::format::aerogpu::{Trace, TraceWriter};
use crate::pixels::Size;
use crate::replay::{BlobStore, BufferKey, DrawOp, Op, OpContext, Piece, ProgramKey, ProgramLibrary, VertexFetch};

const NOWHERE: BufferKey = BufferKey(7);

/// A file and programs, of which there are none.
struct Nothing {
    blobs: BlobStore,
    programs: ProgramLibrary,
}

impl Nothing {
    fn context(&self) -> OpContext<'_> {
        OpContext::new(Location::default(), &self.blobs, &self.programs)
    }
}

fn renderer() -> (Renderer, Nothing) {
    let bytes = TraceWriter::new(Vec::new(), 1, "{}").unwrap().finish().unwrap();
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap();
    let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(10)).unwrap();
    let renderer = Renderer::new(Arc::new(gpu), Size { width_px: 8, height_px: 8 });
    (renderer, Nothing { blobs: BlobStore::new(Arc::new(trace)), programs: ProgramLibrary::new() })
}

#[track_caller]
fn assert_told<T>(result: Result<T, GpuError>, what: &str) {
    let Err(error) = result else { panic!("ignored: {what}") };
    assert!(matches!(error, GpuError::Internal(_)), "{error}");
    assert!(error.to_string().contains(what), "{error}");
}

#[test]
fn what_does_not_exist_is_not_drawn_nor_written() {
    let (mut renderer, nothing) = renderer();
    let (program, vertices) = (ProgramKey(0), VertexFetch::None);
    let draw = DrawOp { program, vertices, viewport_px: None, vertex_count: 3, first_vertex: 0 };
    assert_told(renderer.run(&Op::Draw(draw), nothing.context()), "a draw's program is not in the library");
    let upload = |pieces| Op::Upload { buffer: NOWHERE, offset_bytes: 0, pieces };
    let dropped = renderer.run(&Op::DropBuffer { buffer: NOWHERE }, nothing.context());
    assert_told(dropped, "a buffer to be dropped is not on the GPU");
    let lost = "an upload goes to a buffer that is not on the GPU";
    assert_told(renderer.run(&upload(vec![Piece::Zeros(4)]), nothing.context()), lost);
    renderer.run(&Op::CreateBuffer { buffer: NOWHERE, size_bytes: 4 }, nothing.context()).unwrap();
    renderer.run(&upload(vec![Piece::Zeros(4)]), nothing.context()).unwrap();
    assert_told(renderer.run(&upload(Vec::new()), nothing.context()), "an upload has no bytes");
}

#[test]
fn what_was_not_asked_has_no_answer() {
    let (mut renderer, _) = renderer();
    assert_told(renderer.finish_visibility(), "no draw was to be tested for output");
    assert_told(renderer.take_pixel(), "no pixel was to be read");
    assert_told(renderer.finish_pixels(), "no pixels were to be read");
    let not_counted = "writes are to be counted without a counter";
    assert_told(renderer.finish_overdraw(), not_counted);
    assert_told(renderer.make_room_to_count(1), not_counted);
    renderer.start_pixels([0, 0], 1);
    renderer.take_pixel().unwrap();
    assert_told(renderer.take_pixel(), "a pixel is read more often than there is room for");
}
