//! Traces behind an address, of which only the ranges are fetched that are read.
//!
//! | the server answers | what is done |
//! |---|---|
//! | 206 with `Content-Range` | ranges are fetched as they are read |
//! | 200: it knows no ranges | the whole file is kept, up to a limit |
//! | 206 of encoded bytes (`Content-Encoding`), or of an unknown length; nothing, to a range | the whole file is fetched and kept, up to a limit |
//! | 416 to the first request | the file is empty |
//! | anything else, or nothing that this page may see (CORS) | an error |
//!
//! A file that changes while it is open is an error of the read that finds out: by `If-Range` where the address is the page's
//! own, else by `ETag` and length where the server shows them.

use std::io;
use std::ops::Range;

use aerogpu_replay::bytes::{ByteSource, MemorySource, ReadError};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{XmlHttpRequest, XmlHttpRequestResponseType};

use crate::files::words;
use crate::window::{PART_BYTES, Window};

/// The largest file that is kept whole, where a server has no ranges.
const MOST_WHOLE_BYTES: u64 = 1 << 30;

/// A file behind an address.
struct AddressSource {
    address: String,
    size_bytes: u64,
    /// Tag of this version of the file.
    tag: Option<String>,
    window: Window,
}

struct Answer {
    status: u16,
    bytes: Vec<u8>,
    content_range: Option<String>,
    encoding: Option<String>,
    tag: Option<String>,
}

/// Opens the file behind an address.
pub(crate) fn open(address: &str) -> Result<Box<dyn ByteSource>, String> {
    // A part of encoded bytes can't be decoded, and the browser gives nothing of it.
    let first = get(address, Some(0..PART_BYTES), None).or_else(|_| get(address, None, None))?;
    match first.status {
        200 => whole(first),
        416 => Ok(Box::new(MemorySource::from(Vec::new()))),
        206 => match (total(&first), &first.encoding) {
            (Some(size_bytes), None) => Ok(Box::new(AddressSource {
                address: address.to_owned(),
                size_bytes,
                tag: first.tag,
                window: Window::starting_with(&first.bytes),
            })),
            _ => {
                let all = get(address, None, None)?;
                if all.status == 200 { whole(all) } else { Err(refused(all.status)) }
            }
        },
        status => Err(refused(status)),
    }
}

fn whole(answer: Answer) -> Result<Box<dyn ByteSource>, String> {
    let found = answer.bytes.len() as u64;
    if found > MOST_WHOLE_BYTES {
        let limit = MOST_WHOLE_BYTES;
        return Err(format!(
            "the server sends no ranges, and the file has {found} bytes: the limit for that is {limit}"
        ));
    }
    Ok(Box::new(MemorySource::from(answer.bytes)))
}

fn refused(status: u16) -> String {
    format!("the server answers with the status {status}: expected 200 or 206")
}

/// The length that `Content-Range: bytes 0-65535/1234567` tells.
fn total(answer: &Answer) -> Option<u64> {
    answer.content_range.as_deref()?.rsplit_once('/')?.1.trim().parse().ok()
}

fn get(address: &str, range: Option<Range<u64>>, tag: Option<&str>) -> Result<Answer, String> {
    let request = XmlHttpRequest::new().map_err(|error| words(&error))?;
    let sent = || -> Result<(), JsValue> {
        request.open_with_async("GET", address, false)?;
        request.set_response_type(XmlHttpRequestResponseType::Arraybuffer);
        if let Some(range) = range {
            request.set_request_header("Range", &format!("bytes={}-{}", range.start, range.end.saturating_sub(1)))?;
        }
        if let Some(tag) = tag {
            request.set_request_header("If-Range", tag)?;
        }
        request.send()
    };
    sent().map_err(|error| {
        format!(
            "nothing was received: the server is not reached, or does not allow this page to read it (CORS): {}",
            words(&error)
        )
    })?;
    let header = |name: &str| request.get_response_header(name).ok().flatten();
    Ok(Answer {
        status: request.status().map_err(|error| words(&error))?,
        bytes: Uint8Array::new(&request.response().map_err(|error| words(&error))?).to_vec(),
        content_range: header("Content-Range"),
        encoding: header("Content-Encoding").filter(|encoding| encoding != "identity"),
        // A weak one does not say that each byte is the same.
        tag: header("ETag").filter(|tag| !tag.starts_with("W/")),
    })
}

/// Says whether an address is of the page's own origin: another server is asked first whether it takes `If-Range` at all.
fn is_own(address: &str) -> bool {
    let location = js_sys::Reflect::get(&js_sys::global(), &"location".into());
    let own = location.and_then(|location| js_sys::Reflect::get(&location, &"origin".into()));
    let own = own.ok().and_then(|origin| origin.as_string());
    !address.contains("://") || own.is_some_and(|own| address.starts_with(&own))
}

impl AddressSource {
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, String> {
        let tag = self.tag.as_deref().filter(|_| is_own(&self.address));
        let answer = get(&self.address, Some(range), tag)?;
        let is_other = self.tag.is_some() && answer.tag.is_some() && self.tag != answer.tag;
        match answer.status {
            206 if !is_other && total(&answer).is_none_or(|total| total == self.size_bytes) => Ok(answer.bytes),
            200 | 206 | 416 => Err("the file has changed since it was opened: open it again".to_owned()),
            status => Err(refused(status)),
        }
    }
}

impl ByteSource for AddressSource {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let length = into.len() as u64;
        let failed = |reason: String| ReadError { length, offset, source: io::Error::other(reason) };
        match self.window.read((offset, self.size_bytes), into, |range| self.read(range)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(failed("the server sends fewer bytes".to_owned())),
            Err(reason) => Err(failed(reason)),
        }
    }
}
