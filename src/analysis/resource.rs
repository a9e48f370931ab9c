//! What a buffer or a texture of submissions holds at a place, as far as it is known without a GPU.

use std::ops::Range;

use serde::Serialize;

use super::{Analysis, AnalysisError};
use crate::command::{Location, Place, ResourceName, TextureFormat};
use crate::format::aerogpu::FormatError;
use crate::limits::MAX_ANSWERED_BYTES;
use crate::replay::{
    CommandNumber, CommandReader, ContentOrigin, ContentPlace, ContentStretch, Named, ObjectKey, SeenTexture, Texture,
    device_at, subresource_bytes,
};
use crate::text::{Harmless, counted};

/// A resource at a place: a buffer, or a mip of a layer of a texture.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceAt {
    /// How it was named.
    pub name: ResourceName,
    /// Name that a marker gives it.
    pub label: Option<String>,
    /// "buffer of 64 bytes", "texture of 64x64 …".
    pub description: String,
    /// Where the command stands that made it.
    pub created_at: Option<Location>,
    content: ContentPlace,
    size_bytes: u64,
    /// The commands before the place.
    end: u32,
}

impl ResourceAt {
    /// A buffer that is bound under a handle, which may be another's by now.
    pub(super) fn of_buffer(
        (handle, key): (u32, ObjectKey),
        label: Option<&str>,
        size_bytes: u64,
        created_at: Option<Location>,
        end: u32,
    ) -> Self {
        let (name, description) = (ResourceName::of(handle), format!("buffer of {}", counted(size_bytes, "byte")));
        let label = label.map(str::to_owned);
        Self { name, label, description, created_at, content: ContentPlace::Buffer(key), size_bytes, end }
    }

    /// The handle, and the name that a marker gives it: `7:2 "shadow map"`.
    pub fn title(&self) -> String {
        match &self.label {
            Some(label) => format!("{} \"{}\"", self.name, Harmless(label)),
            None => self.name.to_string(),
        }
    }

    /// Bytes that it has: of a texture's mip its rows without anything between them.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

/// A texture at a place, or what a view sees of one.
#[derive(Clone, Debug)]
pub struct TextureAt {
    /// Its handle.
    pub handle: u32,
    /// The name that a marker gives it.
    pub label: Option<String>,
    /// The format that its texels are seen in.
    pub format: TextureFormat,
    /// Width and height of its largest mip.
    pub size_px: [u32; 2],
    /// Mips of each layer.
    pub mips: u32,
    /// Layers.
    pub layers: u32,
    /// Where the command stands that made it.
    pub created_at: Option<Location>,
    kind: &'static str,
    texture: Texture,
    key: ObjectKey,
    /// The first mip and the first layer that are seen.
    first: [u32; 2],
    /// The commands before the place.
    end: u32,
}

impl TextureAt {
    /// A mip of a layer; nothing of one that it does not have.
    pub fn part(&self, mip: u32, layer: u32) -> Option<ResourceAt> {
        if mip >= self.mips || layer >= self.layers {
            return None;
        }
        let name = ResourceName { handle: self.handle, mip, layer };
        let [first_mip, first_layer] = self.first;
        let (mip, layer) = (first_mip.checked_add(mip)?, first_layer.checked_add(layer)?);
        let [width, height] = self.texture.mip_size_px(mip);
        let size_bytes = subresource_bytes(&self.texture.desc, mip)?;
        let (kind, format) = (self.kind, self.format);
        let description = format!("mip {mip} of layer {layer} of a {kind}, {width}x{height} of {format}");
        let content = ContentPlace::Subresource { texture: self.key, mip, layer };
        let (label, created_at, end) = (self.label.clone(), self.created_at, self.end);
        Some(ResourceAt { name, label, description, created_at, content, size_bytes, end })
    }
}

/// Where some bytes of a resource come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartContents {
    /// All of them, in order and without gaps.
    pub ranges: Vec<PartStretch>,
}

/// Bytes that come from one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartStretch {
    /// The first, counted from the resource's start.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// Where they come from.
    pub origin: PartOrigin,
    /// The command that wrote them into this resource.
    pub written_by: Option<Location>,
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PartOrigin {
    /// Nobody wrote them: they are zero.
    Zeros,
    /// An upload or guest memory.
    File {
        /// The command that brought them.
        at: Location,
        /// Absolute file offset of the first.
        file_offset: u64,
    },
    /// A CLEAR.
    Cleared {
        /// Where it stands.
        at: Location,
    },
    /// A draw, a dispatch or a scissored CLEAR: they are not known without a GPU.
    Drawn {
        /// Where the last of them stands.
        at: Location,
    },
}

impl Analysis {
    /// Whether a place is one of submissions: whether the last command before it is.
    pub fn is_submitted(&self, place: Place) -> Result<bool, AnalysisError> {
        Ok(self.index.is_submission_before(self.resolve_any(place)?.end))
    }

    /// A resource as it is at `place`.
    pub fn resource(&self, place: Place, name: ResourceName) -> Result<ResourceAt, AnalysisError> {
        let end = self.resolve_any(place)?.end;
        let executor = device_at(&self.trace, &self.index, CommandNumber(end))?;
        let objects = executor.device().objects();
        let ResourceName { handle, mip, layer } = name;
        let named = objects.named(handle);
        let missing = |what: String| AnalysisError::NoSuchResource { what };
        if let Some((key, buffer)) = objects.buffer(named) {
            if (mip, layer) != (0, 0) {
                return Err(missing(format!("{name}: resource {handle} is a buffer, which has no mips and layers")));
            }
            let created_at = key.creation().map(|number| self.location(CommandNumber(number)));
            let size_bytes = u64::from(buffer.size_bytes);
            return Ok(ResourceAt::of_buffer((handle, key), objects.label(handle), size_bytes, created_at, end));
        }
        let Some(seen) = objects.texture(named) else {
            return Err(missing(format!("resource {handle} does not exist at this point")));
        };
        let texture = self.texture_of((handle, objects.label(handle)), named, &seen, end);
        if mip >= texture.mips || layer >= texture.layers {
            let (mips, layers) = (counted(texture.mips, "mip"), counted(texture.layers, "layer"));
            return Err(missing(format!("{name}: resource {handle} has {mips} and {layers}")));
        }
        texture.part(mip, layer).ok_or_else(|| missing(format!("{name} has no bytes")))
    }

    /// A texture, or what a view sees of one, as it is at `place`.
    pub fn texture(&self, place: Place, handle: u32) -> Result<TextureAt, AnalysisError> {
        let end = self.resolve_any(place)?.end;
        let executor = device_at(&self.trace, &self.index, CommandNumber(end))?;
        let objects = executor.device().objects();
        let named = objects.named(handle);
        let missing = |what: String| AnalysisError::NoSuchResource { what };
        match (objects.buffer(named), objects.texture(named)) {
            (Some(_), _) => Err(missing(format!("resource {handle} is a buffer, which has no mips and layers"))),
            (None, Some(seen)) => Ok(self.texture_of((handle, objects.label(handle)), named, &seen, end)),
            (None, None) => Err(missing(format!("resource {handle} does not exist at this point"))),
        }
    }

    fn texture_of(
        &self,
        (handle, label): (u32, Option<&str>),
        named: Named,
        seen: &SeenTexture<'_>,
        end: u32,
    ) -> TextureAt {
        TextureAt {
            handle,
            label: label.map(str::to_owned),
            kind: if matches!(named, Named::View(_)) { "view" } else { "texture" },
            format: seen.format,
            size_px: seen.target_size_px(),
            mips: seen.mips.count,
            layers: seen.layers.count,
            created_at: seen.key.creation().map(|number| self.location(CommandNumber(number))),
            texture: seen.texture.clone(),
            key: seen.key,
            first: [seen.mips.first, seen.layers.first],
            end,
        }
    }

    /// Where `bytes` of a resource come from.
    pub fn contents(&self, resource: &ResourceAt, bytes: Range<u64>) -> Result<PartContents, AnalysisError> {
        if bytes.start > bytes.end || bytes.end > resource.size_bytes {
            let size_bytes = u32::try_from(resource.size_bytes).unwrap_or(u32::MAX);
            return Err(AnalysisError::OutsideBuffer { start: bytes.start, end: bytes.end, size_bytes });
        }
        let mut reader = CommandReader::new(self.trace.clone());
        let found = self.index.contents(resource.content, bytes.clone(), resource.end, &mut reader)?;
        let stretch = |ContentStretch { bytes: found, origin, written_by }: ContentStretch| {
            let origin = match origin {
                ContentOrigin::Zeros => PartOrigin::Zeros,
                ContentOrigin::File { by, file } => PartOrigin::File { at: self.location(by), file_offset: file.start },
                ContentOrigin::Cleared { by } => PartOrigin::Cleared { at: self.location(by) },
                ContentOrigin::Drawn { by } => PartOrigin::Drawn { at: self.location(by) },
            };
            let (start, end) = (bytes.start + found.start, bytes.start + found.end);
            PartStretch { start, end, origin, written_by: written_by.map(|number| self.location(number)) }
        };
        Ok(PartContents { ranges: found.into_iter().map(stretch).collect() })
    }

    /// The bytes of a stretch; nothing if they are not known without a GPU.
    pub fn read_stretch(&self, stretch: &PartStretch) -> Result<Option<Vec<u8>>, AnalysisError> {
        let length = stretch.end - stretch.start;
        if length > MAX_ANSWERED_BYTES {
            let what = "the requested number of bytes";
            return Err(AnalysisError::OverLimit { what, found: length, limit: MAX_ANSWERED_BYTES });
        }
        match stretch.origin {
            PartOrigin::Zeros => Ok(Some(vec![0; length as usize])),
            PartOrigin::File { file_offset, .. } => {
                let bytes = self.trace.read(file_offset..file_offset + length).map_err(FormatError::from);
                Ok(Some(bytes.map_err(crate::replay::ReplayError::from)?))
            }
            PartOrigin::Cleared { .. } | PartOrigin::Drawn { .. } => Ok(None),
        }
    }
}
