//! Traces and shader modules that tests make. With `KEEP_MADE` in the environment they are kept in the folder that it names, by
//! their hashes, for the tests of the page that give them to a browser.

use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FormatError, Trace};
use aerogpu_replay::shader::web_form;
use naga::back::wgsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::support::root;

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = root().join(std::env::var_os("KEEP_MADE")?);
    std::fs::create_dir_all(&folder).unwrap();
    Some(folder)
});

fn keep(bytes: &[u8], ending: &str) {
    if let Some(folder) = &*FOLDER {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        std::fs::write(folder.join(format!("{:016x}.{ending}", hasher.finish())), bytes).unwrap();
    }
}

/// Opens a trace that a test has made.
pub fn opened(bytes: Vec<u8>) -> Result<Trace, FormatError> {
    keep_trace(&bytes);
    Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new())
}

/// Keeps a trace that a test has made.
pub fn keep_trace(bytes: &[u8]) {
    keep(bytes, "aerogputrace");
}

/// Keeps a module that a test has made, in the words that a browser is given.
pub fn keep_module(module: &naga::Module) {
    if FOLDER.is_some() {
        let module = web_form(module).unwrap();
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        keep(wgsl::write_string(&module, &info, wgsl::WriterFlags::empty()).unwrap().as_bytes(), "wgsl");
    }
}
