//! Textures, buffers and what else the recorded program passed to OpenGL.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::align::MOST_UPLOADS;
use crate::annotation::{AnnotationError, Blobs, EachBlob, FileBlob};
use crate::limits::MAX_WIP15_CHECKED_BYTES;
use crate::wip15::{Blob, BlobPlace, BlobPolicy, Call, Error, Op, Reader};
use crate::{Tick, Timeline, UploadedBytes};
use trace_base::bytes::ByteSource;

use super::texels::{Described, PixelStore};

/// The blobs of a trace, call by call.
pub(super) struct CallBlobs<'s> {
    reader: Reader<'s>,
    unpacked_bytes: u64,
    pixel_store: PixelStore,
}

impl<'s> CallBlobs<'s> {
    pub(super) fn new(reader: Reader<'s>) -> Self {
        let pixel_store = PixelStore::new(reader.header().endian);
        Self { reader, unpacked_bytes: 0, pixel_store }
    }
}

impl Blobs for CallBlobs<'_> {
    fn for_each(&mut self, each: EachBlob<'_>) {
        let Self { reader, unpacked_bytes, pixel_store } = self;
        while let Some(op) = reader.next_op() {
            let damage = match op {
                Ok(Op::Call(call)) => match blobs_of(&call, unpacked_bytes, pixel_store, each) {
                    ControlFlow::Continue(damage) => damage,
                    ControlFlow::Break(()) => return,
                },
                Ok(Op::Function(_) | Op::Group(_)) => None,
                Err(error) => Some(error),
            };
            let Some(error) = damage else { continue };
            let is_too_much = matches!(error, Error::TooMuchData { .. });
            if each(Err(AnnotationError::ends_early(error))).is_break() || is_too_much {
                return;
            }
        }
    }
}

/// Hands on the blobs of a call; what is damaged is left out, and the last error told.
fn blobs_of(
    call: &Call<'_>,
    unpacked_bytes: &mut u64,
    pixel_store: &mut PixelStore,
    each: EachBlob<'_>,
) -> ControlFlow<(), Option<Error>> {
    pixel_store.follow(call);
    let mut blobs = Vec::new();
    call.blobs(|place, blob| blobs.push((place, blob)));
    let mut damage = None;
    for (place, blob) in blobs {
        *unpacked_bytes += u64::from(blob.size_bytes);
        if *unpacked_bytes > MAX_WIP15_CHECKED_BYTES {
            damage = Some(Error::TooMuchData { offset: blob.offset });
            continue;
        }
        match blob.unpack() {
            Ok(unpacked) => {
                let file_name = format!("call{:08}-{place}.bin", call.index.0);
                let mut members = describe(call, &place, &blob);
                let texels = match place {
                    BlobPlace::Argument(at, 0) => pixel_store.describe(call, at, &unpacked.bytes),
                    _ => None,
                };
                let picture = texels.map(|Described { members: of_texels, picture }| {
                    members.extend(of_texels);
                    picture
                });
                each(Ok(FileBlob { file_name, members, bytes: unpacked.bytes, picture }))?;
            }
            Err(error) => damage = Some(error),
        }
    }
    ControlFlow::Continue(damage)
}

fn describe(call: &Call<'_>, place: &BlobPlace<'_>, blob: &Blob<'_>) -> Map<String, Value> {
    let members = [
        ("call", json!(call.index.0)),
        ("function", json!(call.function.text())),
        ("origin", json!(place.to_string())),
        ("compression", json!(blob.method.name())),
        ("offset", json!(blob.offset)),
        ("size_bytes", json!(blob.size_bytes)),
        ("stored_bytes", json!(blob.stored.len())),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Extras with bytes that a program has written into buffers that were mapped end like this.
const MAPPED_BYTES: [&[u8]; 2] = [b"/data", b"/data_ranged"];

/// What the program passed to OpenGL in each frame that was shown. What is damaged is left out; of a file with more than
/// [`MOST_UPLOADS`] nothing is told.
pub(super) fn uploads_of_frames(timeline: &Timeline, source: &dyn ByteSource) -> Vec<Vec<UploadedBytes>> {
    let mut ends: Vec<Tick> =
        timeline.frames.iter().filter(|frame| frame.ended_by.is_some()).map(|frame| frame.end).collect();
    ends.sort_unstable();
    let mut uploads = vec![Vec::new(); ends.len()];
    let Ok(mut reader) = Reader::open(source, BlobPolicy::Skip) else { return uploads };
    let (mut unpacked_bytes, mut count) = (0, 0);
    while let Some(Ok(op)) = reader.next_op() {
        let Op::Call(call) = op else { continue };
        if count > MOST_UPLOADS {
            return Vec::new();
        }
        let frame = ends.partition_point(|end| end.0 <= call.index.0);
        let Some(of_frame) = uploads.get_mut(frame) else { return uploads };
        call.blobs(|place, blob| {
            let is_passed = match place {
                BlobPlace::Argument(..) => true,
                BlobPlace::Extra(_, name) => MAPPED_BYTES.iter().any(|ending| name.ends_with(ending)),
                BlobPlace::Result(_) => false,
            };
            unpacked_bytes += u64::from(blob.size_bytes);
            if is_passed
                && unpacked_bytes <= MAX_WIP15_CHECKED_BYTES
                && let Ok(unpacked) = blob.unpack()
            {
                of_frame.push(UploadedBytes::of(&unpacked.bytes));
                count += 1;
            }
        });
    }
    uploads
}
