//! A texture of a trace as a file, with its mips and layers in its own format.

use std::io::Write as _;
use std::path::Path;

use super::TextureArgs;
#[cfg(feature = "gpu")]
use super::drawn::DrawnParts;
use crate::analysis::{Analysis, ResourceAt, TextureAt};
use crate::cli::args::CommonArgs;
use crate::cli::exit::Failure;
use crate::cli::output::{print_json, stdout};
use crate::cli::resource::ResourceOutput;
use crate::cli::whole_file::write_file_or_stdout;
use crate::command::{Place, ResourceName, TextureFormat};
use crate::error::{ErrorKind, Internal};
use crate::pixels::{Size, TexelFormat, TextureFileFormat, TextureImage, TextureShape};
use crate::text::{counted, json_line, say};

/// A texture that is to be written.
pub(super) struct TextureFile<'a> {
    pub args: &'a TextureArgs,
    pub resource: ResourceName,
    pub analysis: &'a Analysis,
    pub place: Place,
    pub common: &'a CommonArgs,
}

impl TextureFile<'_> {
    pub(super) fn write(&self, path: &Path, format: TextureFileFormat) -> Result<(), Failure> {
        let ResourceName { handle, mip, layer } = self.resource;
        let texture = self.analysis.texture(self.place, handle)?;
        // Without a mip and a layer all of them are meant.
        let chosen =
            if (mip, layer) == (0, 0) { None } else { Some(self.analysis.resource(self.place, self.resource)?) };
        let (shape, parts) = shape_of(&texture, chosen.map(|part| part.name), self.args.cube)?;
        let mut bytes = Vec::with_capacity(shape.total_bytes().map_err(Failure::from)? as usize);
        #[cfg_attr(not(feature = "gpu"), expect(unused_mut, reason = "only a GPU knows what was drawn"))]
        let mut drawn_parts = 0;
        #[cfg(feature = "gpu")]
        let mut drawn = DrawnParts::new(self);
        for (mip, layer) in parts {
            let none = Internal::new("a texture has no bytes for one of its mips");
            let resource = texture.part(mip, layer).ok_or(none)?;
            if self.known(&resource)?.read_known(&mut bytes)? {
                continue;
            }
            #[cfg(feature = "gpu")]
            {
                bytes.extend(drawn.texels(resource.name, shape.format)?);
                drawn_parts += 1;
            }
            #[cfg(not(feature = "gpu"))]
            return Err(unknown(&resource));
        }
        let image = TextureImage::new(shape, bytes).map_err(Failure::from)?;
        write_file_or_stdout(path, &self.args.place.inputs(), |into| Ok(format.write(&image, into)?))?;
        self.summarise(path, shape, drawn_parts)
    }

    fn known<'a>(&'a self, resource: &'a ResourceAt) -> Result<ResourceOutput<'a>, Failure> {
        let range = 0..resource.size_bytes();
        Ok(ResourceOutput { analysis: self.analysis, resource, range, json: self.common.json })
    }

    fn summarise(&self, path: &Path, shape: TextureShape, drawn_parts: u32) -> Result<(), Failure> {
        let TextureShape { format, size, mips, layers, is_cube } = shape;
        let (path, handle) = (path.display().to_string(), self.resource.handle);
        if self.common.json {
            let line = json_line!("texture-file", { "out": path, "handle": handle, "format": format.name,
                "width": size.width_px, "height": size.height_px, "mips": mips, "layers": layers, "is_cube": is_cube,
                "drawn_parts": drawn_parts,
            });
            let mut out = stdout();
            print_json(&mut out, &line)?;
            return Ok(out.flush()?);
        }
        if !self.common.quiet {
            let (mips, layers) = (counted(mips as usize, "mip"), counted(layers as usize, "layer"));
            say!("wrote {path}: texture {handle}, {size} of {}, {mips}, {layers}", format.name);
        }
        Ok(())
    }
}

/// Contents of a file, and the mips and layers in its order.
type ShapeAndParts = (TextureShape, Vec<(u32, u32)>);

fn shape_of(texture: &TextureAt, chosen: Option<ResourceName>, is_cube: bool) -> Result<ShapeAndParts, Failure> {
    let format = texel_format(texture)?;
    let [width_px, height_px] = texture.size_px;
    let whole = Size { width_px, height_px };
    let shape = TextureShape { format, size: whole, mips: texture.mips, layers: texture.layers, is_cube };
    if let Some(ResourceName { mip, layer, .. }) = chosen {
        return Ok((TextureShape { size: shape.mip_size(mip), mips: 1, layers: 1, ..shape }, vec![(mip, layer)]));
    }
    // So that there are no more parts than can be held.
    shape.total_bytes().map_err(Failure::from)?;
    let parts = (0..texture.layers).flat_map(|layer| (0..texture.mips).map(move |mip| (mip, layer)));
    Ok((shape, parts.collect()))
}

/// The format that a file has, of the same bytes.
fn texel_format(texture: &TextureAt) -> Result<TexelFormat, Failure> {
    let name = match texture.format {
        TextureFormat::D24UnormS8Uint => {
            let handle = texture.handle;
            let message = format!(
                "texture {handle} is D24_UNORM_S8_UINT, which each GPU holds in another way: expected a format without \
                 stencil; `aerogpu-replay TRACE --frame N --target {handle} --out x.exr` writes its depth and its stencil"
            );
            return Err(Failure::say(ErrorKind::Unsupported, message));
        }
        TextureFormat::Bc1Unorm => "BC1_UNORM",
        TextureFormat::Bc1UnormSrgb => "BC1_UNORM_SRGB",
        TextureFormat::Bc2Unorm => "BC2_UNORM",
        TextureFormat::Bc2UnormSrgb => "BC2_UNORM_SRGB",
        TextureFormat::Bc3Unorm => "BC3_UNORM",
        TextureFormat::Bc3UnormSrgb => "BC3_UNORM_SRGB",
        TextureFormat::Bc7Unorm => "BC7_UNORM",
        TextureFormat::Bc7UnormSrgb => "BC7_UNORM_SRGB",
        // The protocol calls the others as DXGI does.
        other => other.name(),
    };
    Ok(TexelFormat::named(name).ok_or(Internal::new("a format of the protocol is none of a file"))?)
}

#[cfg(not(feature = "gpu"))]
fn unknown(resource: &ResourceAt) -> Failure {
    let message = format!("resource {} was drawn: expected a build with a GPU, which can draw it again", resource.name);
    Failure::say(ErrorKind::Unsupported, message)
}
