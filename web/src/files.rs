//! Files that were chosen in the page, by their names, and else addresses: all that `open` opens.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use aerogpu_replay::bytes::{ByteSource, DecodedFrom, MemorySource, OpenError, decode, decoded_limit};
use aerogpu_replay::session::{OpenedFile, SessionError, TraceFiles};
use trace_base::limits::MAX_DECODED_IN_MEMORY_BYTES;
use wasm_bindgen::{JsCast, JsValue};

use crate::{address, blob};

/// The files of a page.
pub(crate) struct PageFiles;

impl TraceFiles for PageFiles {
    fn open(&self, name: &str, _is_given_up: &dyn Fn() -> bool) -> Result<OpenedFile, SessionError> {
        let stored: Box<dyn ByteSource> = match blob::open(name) {
            Some(file) => Box::new(file),
            None => address::open(name)
                .map_err(|reason| SessionError::File { path: name.to_owned(), source: io::Error::other(reason) })?,
        };
        let mut bytes = Vec::new();
        let limit = decoded_limit(stored.size_bytes()).min(MAX_DECODED_IN_MEMORY_BYTES);
        let decoded = decode(&*stored, limit, &mut bytes, &mut |_| ControlFlow::Continue(()));
        let decoded =
            decoded.map_err(|error| SessionError::Open { path: name.to_owned(), error: OpenError::from(error) })?;
        let warnings = decoded.and_then(DecodedFrom::trailing).into_iter().collect();
        let source: Arc<dyn ByteSource> = match decoded {
            Some(_) => Arc::new(MemorySource::from(bytes)),
            None => stored.into(),
        };
        Ok(OpenedFile { source, identity: None, state: None, warnings })
    }
}

/// Message of an error of JavaScript.
pub(crate) fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => format!("{error:?}"),
    }
}
