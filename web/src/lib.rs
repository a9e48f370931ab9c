//! The replayer in a page. A worker calls [`start`] once, gives the files that are chosen to [`add_file`], and sends messages
//! of the protocol of `serve` to [`answer`]; `path` in `open` is a file's name or an address.
//!
//! ```text
//!  page ──message──► worker.js ──► answer ──► LocalSession ──► GPU of the browser
//!       ◄──────────            ◄──            └─ Blob, or ranges of an address
//! ```
//!
//! [`start`] and [`answer`] may put their stack aside while a promise settles (JavaScript Promise Integration), and give
//! promises; one call is made at a time.

// wasm-bindgen marks promise integration as experimental in this way.
#![allow(deprecated)]

mod address;
mod blob;
mod console;
mod files;
mod window;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu, GpuError, PipelineProgress};
use aerogpu_replay::session::LocalSession;
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Blob, OffscreenCanvas};

/// The page sees to time: it ends a worker that takes too long.
const NO_TIMEOUT: Duration = Duration::MAX;

thread_local! {
    static SESSION: RefCell<Option<LocalSession>> = const { RefCell::new(None) };
    /// Told how many pipelines are made.
    static PIPELINES: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Opens a device by WebGPU, or by the WebGL2 of a canvas if it is given one; gives its adapter's name, or fails with one
/// sentence. While many pipelines are made, `told` is called with how many are, and how many there will be.
#[wasm_bindgen(jspi)]
pub fn start(canvas: Option<OffscreenCanvas>, told: Function) -> Result<String, String> {
    console::take_log();
    let gpu = match canvas {
        None => Gpu::open(BackendChoice::Auto, &AdapterChoice::Best, NO_TIMEOUT),
        Some(canvas) => open_in_canvas(canvas),
    };
    let mut gpu = gpu.map_err(|error| error.to_string())?;
    PIPELINES.with_borrow_mut(|held| *held = Some(told));
    gpu.tell_pipelines(tell_pipelines);
    let adapter = gpu.summary().to_string();
    SESSION.with_borrow_mut(|session| *session = Some(LocalSession::new(files::PageFiles, Arc::new(gpu))));
    Ok(adapter)
}

fn tell_pipelines(PipelineProgress { made, of }: PipelineProgress) {
    let told = PIPELINES.with_borrow(Option::clone);
    // Whoever is told can do nothing about the work, whatever happens there.
    told.iter().for_each(|told| drop(told.call2(&JsValue::NULL, &made.into(), &of.into())));
}

#[cfg(target_arch = "wasm32")]
fn open_in_canvas(canvas: OffscreenCanvas) -> Result<Gpu, GpuError> {
    Gpu::open_in_canvas(canvas)
}

/// Elsewhere there is no canvas; the crate is only looked at by lints.
#[cfg(not(target_arch = "wasm32"))]
fn open_in_canvas(_canvas: OffscreenCanvas) -> Result<Gpu, GpuError> {
    Gpu::open(BackendChoice::Gl, &AdapterChoice::Best, NO_TIMEOUT)
}

/// Has `open` find a file that was chosen in the page under this name.
#[wasm_bindgen]
pub fn add_file(name: String, file: Blob) {
    blob::add(name, file);
}

/// Answers a message of JSON-RPC 2.0; nothing if it holds notifications alone.
#[wasm_bindgen(jspi)]
pub fn answer(message: &str) -> Result<Option<String>, String> {
    SESSION.with(|session| {
        let mut session = session.try_borrow_mut().map_err(|_| "a message is being answered: wait for its answer")?;
        let session = session.as_mut().ok_or("no device is open: call start first")?;
        Ok(session.answer(message.as_bytes()))
    })
}

/// Takes the pixels of the first picture of the message answered last that was asked for in the form `pixels`, then those of the
/// next.
#[wasm_bindgen]
pub fn take_pixels() -> Option<Vec<u8>> {
    SESSION.with(|session| session.try_borrow_mut().ok()?.as_mut()?.take_pixels())
}

/// Says that the device is of no more use, so that the worker is to be replaced.
#[wasm_bindgen]
pub fn has_lost_device() -> bool {
    SESSION.with(|session| {
        session.try_borrow().is_ok_and(|session| session.as_ref().is_some_and(LocalSession::has_lost_device))
    })
}
