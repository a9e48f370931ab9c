//! Scenes, what their slices must be, and a model of who wrote what that shares no code with the program.

mod at_hand;
mod contents;
mod context;
mod dead_writes;
mod distinct;
mod generator;
mod made;
mod model;
mod passes;
mod properties;
mod provenance;
mod rows;
mod shaders;
mod work;

use std::ops::Range;
use std::sync::Arc;

use crate::support::a3a0::{Scene, encode};
use crate::support::harness::{Failed, Trial, modules, trials_in};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::replay::TraceIndex;
use distinct::distinct;
use model::Play;

pub fn trials() -> Vec<Trial> {
    trials_in(modules![at_hand, dead_writes, passes, properties, rows, shaders])
}

/// The index of a scene's trace.
fn index_of(scene: &Scene) -> TraceIndex {
    let source = MemorySource::from(encode(&distinct(scene)));
    let trace = Trace::from_source(Arc::new(source), &mut Diagnostics::new()).unwrap();
    let index = TraceIndex::build(&Arc::new(trace), |_| ());
    assert_eq!(index.frame_count(), scene.frames.len());
    index
}

/// Commands before a frame that the program says the frame needs.
fn slice_of(index: &TraceIndex, frame: usize, own: &Range<u32>) -> Vec<u32> {
    let frame = FrameIndex(frame as u32);
    let commands = index.commands_of(frame).unwrap();
    assert_eq!(commands, *own);
    let slice = index.slice(frame, commands.end, None).unwrap().unwrap();
    assert_eq!(slice.own, *own);
    slice.earlier.iter().map(|number| number.0).collect()
}

/// The slice of a scene's last frame is this.
fn expected_slice(scene: &Scene, needs: &[u32]) -> Result<(), Failed> {
    let own = scene.own().pop().ok_or("no frame")?;
    let played = Play::of(scene.numbered());
    let slice: Vec<u32> = played.slice(own.clone(), played.lowest_scanout()).into_iter().collect();
    if slice != needs {
        return Err(format!("the model needs {slice:?}, expected {needs:?}").into());
    }
    let slice = slice_of(&index_of(scene), scene.frames.len() - 1, &own);
    if slice != needs {
        return Err(format!("the program needs {slice:?}, expected {needs:?}").into());
    }
    Ok(())
}
