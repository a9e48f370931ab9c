//! Mips and layers that draws have written.

use super::file::TextureFile;
use crate::cli::exit::Failure;
use crate::cli::open::report;
use crate::command::{ResourceName, Shown};
use crate::error::Internal;
use crate::pixels::{TexelFormat, encode_texels};
use crate::player::Player;

/// A player, opened for the first part that needs one.
pub(super) struct DrawnParts<'a> {
    file: &'a TextureFile<'a>,
    player: Option<Player>,
}

impl<'a> DrawnParts<'a> {
    pub(super) fn new(file: &'a TextureFile<'a>) -> Self {
        Self { file, player: None }
    }

    /// Texels of a part, drawn on the GPU.
    pub(super) fn texels(&mut self, name: ResourceName, format: TexelFormat) -> Result<Vec<u8>, Failure> {
        let TextureFile { args, analysis, place, common, .. } = self.file;
        let player = match &mut self.player {
            Some(player) => player,
            None => {
                let mut player = args.drawing.player(&args.place.trace, analysis.trace(), common)?;
                player.set_index(analysis.index().clone());
                self.player.insert(player)
            }
        };
        player.set_shown(Shown::Target(name));
        let surface = player.render_surface(*place);
        report(player.diagnostics(), common)?;
        let lost = Internal::new("a texture is drawn in another format than its own");
        Ok(encode_texels(format, &surface?).ok_or(lost)?)
    }
}
