//! Answers to what people ask about a frame: what is bound, what touched this pixel, what lies in this buffer.
//!
//! ```
//! use std::sync::Arc;
//!
//! use aerogpu_replay::format::aerogpu::Trace;
//! use aerogpu_replay::analysis::Analysis;
//! use aerogpu_replay::replay::TraceIndex;
//!
//! let trace = Arc::new(Trace::open("fixtures/aerogpu/triangle.aerogputrace")?);
//! let index = Arc::new(TraceIndex::build(&trace, |_| ()));
//! let analysis = Analysis::new(trace, index);
//! # let _ = analysis;
//! # Ok::<(), aerogpu_replay::format::aerogpu::FormatError>(())
//! ```
//!
//! Each answer is plain data, worked out on a player or without a GPU; verbs print it, the inspector shows it, `serve`
//! sends it.
//!
//! ```text
//!                  ┌─ events(frame)    records and packets, grouped by the draw that they lead to
//!  Trace ─────┐    ├─ state(place)    what is bound and what is alive, with creators, writers and users
//!             ├─► Analysis ─ trace_state(place) the same, of submissions too
//!             │    ├─ draw_rows(frame) its draws with what they cover, draw to and are drawn with
//!             │    ├─ frame_passes(frame)  its passes: what they read of each other, over all frames
//!             │    ├─ passes(frame)   its draws by what they draw to
//!             │    ├─ buffer(place, …)  its bytes, as vertices, and who wrote which
//!             │    ├─ resource(place, …) a buffer or texture of submissions: its bytes as far as the CPU knows them
//!  TraceIndex ┘    ├─ shaders(place)  texts, translations, entry points; trying out an edited text
//!                  ├─ frame_statistics(frame) its draws, vertices and packets in numbers; mistakes() as `lint` lists them
//!                  ├─ compare_places(…) what is bound and set at a place of one trace and one of another, where it differs
//!                  ├─ blame(…)         which frames to look at first, by what annotations say of them
//!                  └─ mesh(draw)       what the vertex shader makes of the vertices (on a GPU)
//!  Player ─────────┬─ draw_mesh        the same, of draws of submissions too
//!                  ├─ pixel_history    every CLEAR and draw that touched a pixel, and why others did not
//!                  └─ overlay          what a draw covers, wireframe, overdraw, whose pixels one sees
//! ```
//!
//! All but meshes and what is asked of a player come from the index and single packets: no frame is replayed for them.

mod alignment;
mod attribute_value;
mod blame;
mod bound_bytecode;
mod buffer;
mod draw_list;
#[cfg(feature = "gpu")]
mod draws;
mod error;
mod events;
mod input_difference;
#[cfg(feature = "gpu")]
mod mesh;
mod objects;
#[cfg(feature = "gpu")]
mod overlay;
mod passes;
#[cfg(feature = "gpu")]
mod pixel_history;
mod place_comparison;
mod resolve;
mod resource;
mod shader_edit;
mod shader_files;
#[cfg(feature = "files")]
mod shader_folder;
mod shader_purposes;
mod shaders;
mod state;
mod statistics;
mod stream_shaders;
mod stream_state;
mod text_difference;
mod trace_comparison;
mod trace_state;
mod uses;
mod vertex_streams;
mod vertex_table;

pub use attribute_value::OutputValue;
pub use blame::{Blame, FrameBeside, FrameBlame, FrameInputs, InputsOfFrames, TimeUnit};
pub use bound_bytecode::{BoundBytecode, BoundShaders};
pub use buffer::{BufferChoice, BufferView, ByteOrigin, Stretch};
pub use draw_list::DrawRow;
#[cfg(feature = "gpu")]
pub use draws::{BoundState, DrawBindings, DrawRecord, list_draws};
pub use error::AnalysisError;
pub use events::{
    Direction, EventArgument, EventError, EventGroup, EventKind, EventNote, EventRow, FrameEvents, FrameMarkers,
    Meaning, ResourceNames, RowId,
};
pub use input_difference::{CommandDifference, InputDifference, InputSide, SideCommand, first_input_difference};
#[cfg(feature = "gpu")]
pub use mesh::{
    ClipPlane, Facing, Mesh, MeshTriangle, MeshValue, MeshVertex, MeshViewport, TriangleOutcome, draw_mesh,
};
pub use objects::{Object, ObjectKind, ObjectTable};
#[cfg(feature = "gpu")]
pub use overlay::{LegendEntry, Overlay, OverlayKind, OverlayName, overlay};
pub use passes::{DrawPass, FramePass, PassResource, PassResourceKind, PassStart, ResourceRead, ResourceWrite};
#[cfg(feature = "gpu")]
pub use pixel_history::{
    Effect, HistoryError, Origin, PixelCause, PixelColor, PixelEvent, PixelHistory, pixel_history,
};
pub use place_comparison::{PlaceDifferences, RowDifference, TextDifference, compare_first_draws, compare_places};
pub use resource::{PartContents, PartOrigin, PartStretch, ResourceAt, TextureAt};
pub use shader_edit::ShaderEdit;
#[cfg(feature = "files")]
pub use shader_files::write_replacements;
pub use shader_files::{ASSEMBLY_EXTENSION, blob_file_name, is_shader, replacement_files, stream_shader_file_name};
#[cfg(feature = "files")]
pub use shader_folder::{ShaderFolderError, first_stream_shader_file, read_stream_replacements};
pub use shader_purposes::ShaderPurposes;
pub use shaders::{CompiledPair, DrawShaders, EntryPoint, ShaderTexts, TextInfo, compile_pair};
pub use state::{BoundPipeline, BoundShader, BoundVertices, BoundViewport, Drawing, LiveObject, StateAt};
pub use statistics::{FrameStatistics, TraceStatistics};
pub use stream_shaders::{StreamShader, StreamShaderError, StreamShaders};
pub use stream_state::{StateSetting, StreamObject, StreamStateAt, SubmittedDraw};
pub use text_difference::{ComparedLine, LineSide, differing_lines};
pub use trace_comparison::{FrameBesideFrame, TraceComparison};
pub use trace_state::TraceState;
pub use uses::Use;
pub use vertex_streams::{StreamAttribute, StreamRow, VertexStream};
pub use vertex_table::{VertexRow, VertexTable};

use std::sync::{Arc, Mutex, PoisonError};

use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{ProgramLibrary, ShaderOptions, TraceIndex};

/// One trace that questions are asked about. Cheap to clone; any thread may ask.
#[derive(Clone)]
pub struct Analysis {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    options: ShaderOptions,
    /// Read at the first question that needs it.
    objects: Arc<Mutex<Option<Arc<ObjectTable>>>>,
    /// Of the frame that was asked about last.
    uses: Arc<Mutex<Option<Arc<uses::FrameUses>>>>,
    /// Compiled shaders.
    programs: Arc<Mutex<ProgramLibrary>>,
}

impl Analysis {
    /// Questions about `trace`, of which `index` is the index.
    pub fn new(trace: Arc<Trace>, index: Arc<TraceIndex>) -> Self {
        let (options, objects, programs) = (ShaderOptions::default(), Arc::default(), Arc::default());
        Self { trace, index, options, objects, uses: Arc::default(), programs }
    }

    /// The same trace, its shaders made in another way.
    pub fn with_shader_options(&self, options: ShaderOptions) -> Self {
        let programs = Arc::new(Mutex::new(ProgramLibrary::with_options(options.clone())));
        Self { options, programs, ..self.clone() }
    }

    /// The trace.
    pub fn trace(&self) -> &Arc<Trace> {
        &self.trace
    }

    /// Its index.
    pub fn index(&self) -> &Arc<TraceIndex> {
        &self.index
    }

    /// How shaders are made of the trace's texts.
    pub fn shader_options(&self) -> &ShaderOptions {
        &self.options
    }

    /// Everything that the trace creates.
    pub fn objects(&self) -> Result<Arc<ObjectTable>, AnalysisError> {
        let mut kept = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(objects) = &*kept {
            return Ok(objects.clone());
        }
        let objects = Arc::new(ObjectTable::read(&self.trace, &self.index)?);
        *kept = Some(objects.clone());
        Ok(objects)
    }

    /// The draws of `frame`, in order.
    pub fn draw_count(&self, frame: FrameIndex) -> u32 {
        self.index.draws_of(frame).count() as u32
    }
}
