//! Files that were chosen in the page.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use aerogpu_replay::bytes::{ByteSource, ReadError};
use js_sys::Uint8Array;
use web_sys::{Blob, FileReaderSync};

use crate::window::Window;

thread_local! {
    /// Objects of JavaScript stay on this thread; sources name them.
    static FILES: RefCell<BTreeMap<String, Blob>> = const { RefCell::new(BTreeMap::new()) };
}

/// A file of the page.
pub(crate) struct BlobSource {
    name: String,
    size_bytes: u64,
    window: Window,
}

/// Has a file be found under this name.
pub(crate) fn add(name: String, file: Blob) {
    FILES.with_borrow_mut(|files| files.insert(name, file));
}

/// The file of this name, if one was chosen.
pub(crate) fn open(name: &str) -> Option<BlobSource> {
    let size = FILES.with_borrow(|files| files.get(name).map(Blob::size))?;
    // Sizes of files are whole numbers below 2^53.
    Some(BlobSource { name: name.to_owned(), size_bytes: size as u64, window: Window::default() })
}

impl BlobSource {
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, String> {
        let file =
            FILES.with_borrow(|files| files.get(&self.name).cloned()).ok_or("the page has let go of the file")?;
        let told = |error: wasm_bindgen::JsValue| crate::files::words(&error);
        let part = file.slice_with_f64_and_f64(range.start as f64, range.end as f64).map_err(told)?;
        let read = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(&part)).map_err(told)?;
        Ok(Uint8Array::new(&read).to_vec())
    }
}

impl ByteSource for BlobSource {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let length = into.len() as u64;
        let failed = |reason: String| ReadError { length, offset, source: io::Error::other(reason) };
        match self.window.read((offset, self.size_bytes), into, |range| self.read(range)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(failed("the file ends before that".to_owned())),
            Err(reason) => Err(failed(reason)),
        }
    }
}
