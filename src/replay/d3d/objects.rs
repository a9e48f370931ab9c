//! The objects of a trace: resources and what names them, shaders, layouts and samplers.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::effect::{EarlierCommand, ObjectKey, Past};
use super::error::ContractError;
use super::layout::Layout;
use super::shader::Shader;
use crate::command::{Aspects, Backing, CreateBuffer, CreateSampler, CreateTexture, SubresourceRange, TextureFormat};
use crate::replay::texture_layout::TextureLayout;

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its properties, with the backing that is in force.
    pub desc: CreateBuffer,
    /// Its size, which is below the limit for buffers.
    pub size_bytes: u32,
}

/// A texture.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Its properties, with the backing that is in force.
    pub desc: CreateTexture,
    /// How its texels lie in guest memory and in uploads.
    pub layout: Arc<TextureLayout>,
}

/// One aspect of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// Colour.
    Color,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl Aspect {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Depth => "depth",
            Self::Stencil => "stencil",
        }
    }
}

/// The aspects that texels of a format have, in the order of their parts.
pub fn aspects_of(format: TextureFormat) -> &'static [Aspect] {
    match format {
        TextureFormat::D24UnormS8Uint => &[Aspect::Depth, Aspect::Stencil],
        TextureFormat::D32Float => &[Aspect::Depth],
        _ => &[Aspect::Color],
    }
}

impl Texture {
    /// The parts of one aspect of the mips `mips` of a layer; nothing if it does not have them all.
    pub fn parts(&self, aspect: Aspect, layer: u32, mips: Range<u32>) -> Option<Range<u32>> {
        let number = aspects_of(self.desc.format).iter().position(|has| *has == aspect)? as u32;
        if layer >= self.desc.layers || mips.end > self.desc.mips {
            return None;
        }
        // Creation has checked that all parts together can be counted.
        let row = number.checked_mul(self.desc.layers)?.checked_add(layer)?.checked_mul(self.desc.mips)?;
        Some(row.checked_add(mips.start)?..row.checked_add(mips.end)?)
    }

    /// How many parts there are.
    pub fn part_count(&self) -> u64 {
        let aspects = aspects_of(self.desc.format).len() as u64;
        aspects.saturating_mul(u64::from(self.desc.layers)).saturating_mul(u64::from(self.desc.mips))
    }

    /// The aspect, layer and mip of a part.
    pub fn part(&self, part: u32) -> Option<(Aspect, u32, u32)> {
        let (row, mip) = (part.checked_div(self.desc.mips)?, part.checked_rem(self.desc.mips)?);
        let (aspect, layer) = (row.checked_div(self.desc.layers)?, row.checked_rem(self.desc.layers)?);
        Some((*aspects_of(self.desc.format).get(aspect as usize)?, layer, mip))
    }

    /// Width and height of a mip in texels.
    pub fn mip_size_px(&self, mip: u32) -> [u32; 2] {
        self.desc.size_px.map(|side| side.checked_shr(mip).unwrap_or(0).max(1))
    }
}

/// What a resource is.
#[derive(Clone, Debug)]
pub enum ResourceKind {
    /// A buffer.
    Buffer(Buffer),
    /// A texture.
    Texture(Box<Texture>),
}

/// A buffer or a texture.
#[derive(Clone, Debug)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// The commands that gave it the names that keep it alive.
    pub(super) kept_by: BTreeSet<EarlierCommand>,
    /// The last command that made a view of it. Slots may keep the view, and with it the texture, whatever is destroyed.
    pub(super) viewed_by: EarlierCommand,
    /// The last command that created it: the first, or one that bound its backing anew.
    pub(super) created_by: EarlierCommand,
}

impl ResourceKind {
    pub(super) fn backing(&self) -> Option<Backing> {
        match self {
            Self::Buffer(buffer) => buffer.desc.backing,
            Self::Texture(texture) => texture.desc.backing,
        }
    }
}

impl Resource {
    /// Guest memory behind it.
    pub fn backing(&self) -> Option<Backing> {
        self.kind.backing()
    }

    fn noun(&self) -> &'static str {
        match self.kind {
            ResourceKind::Buffer(_) => "buffer",
            ResourceKind::Texture(_) => "texture",
        }
    }
}

/// Some mips and layers of a texture, in a format.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The texture.
    pub texture: ObjectKey,
    /// The format that its texels are seen in.
    pub format: TextureFormat,
    /// The mips.
    pub mips: SubresourceRange,
    /// The layers.
    pub layers: SubresourceRange,
}

/// What a handle, or a slot, stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// Nothing.
    #[default]
    Nothing,
    /// A resource.
    Resource(ObjectKey),
    /// A view, by its number in [`Objects`].
    View(u32),
    /// A handle that meant nothing when it was bound.
    Unknown,
}

/// A handle of the namespace that resources and views share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub named: Named,
    /// The command that gave it this meaning, or bound the resource's backing anew.
    pub named_by: EarlierCommand,
    /// The command that gave it this meaning.
    pub given_by: EarlierCommand,
    /// How many slots of how many contexts hold it.
    pub bound: u32,
    /// What the handle has meant before.
    pub past: Past,
}

/// A shader, a layout or a sampler, and who made it.
#[derive(Clone, Debug)]
pub(super) struct Made<T> {
    pub value: T,
    pub made_by: u32,
    /// What the handle has meant before.
    past: Past,
}

/// Objects of one kind that have handles of their own.
#[derive(Clone, Debug)]
pub(super) struct Namespace<T> {
    made: HashMap<u32, Made<T>>,
    destroyed: HashMap<u32, u32>,
}

impl<T> Default for Namespace<T> {
    fn default() -> Self {
        Self { made: HashMap::default(), destroyed: HashMap::default() }
    }
}

impl<T: Clone> Namespace<T> {
    /// Gives a handle a meaning; says what it has meant until now.
    pub(super) fn create(&mut self, handle: u32, value: T, made_by: u32) -> Past {
        let former = if self.made.contains_key(&handle) { Past::Other } else { Past::None };
        let past = if self.destroyed.contains_key(&handle) { Past::Other } else { former };
        self.made.insert(handle, Made { value, made_by, past });
        former
    }

    /// What a handle has meant before what it means.
    pub(super) fn past(&self, handle: u32) -> Past {
        match self.made.get(&handle) {
            Some(made) => made.past,
            None if self.destroyed.contains_key(&handle) => Past::Other,
            None => Past::None,
        }
    }

    /// Takes a handle's meaning; whether it had any.
    pub(super) fn destroy(&mut self, handle: u32, number: u32) -> bool {
        let was_there = self.made.remove(&handle).is_some();
        if was_there {
            self.destroyed.insert(handle, number);
        }
        was_there
    }

    /// All objects, each with its handle and the command that made it.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &T, u32)> {
        self.made.iter().map(|(handle, made)| (*handle, &made.value, made.made_by))
    }

    /// What a handle means, and the command that a slot which it is bound to depends on: the one that made the object, or
    /// the one that destroyed it.
    pub(super) fn find(&self, handle: u32) -> (Option<&T>, EarlierCommand) {
        // Nothing is bound by it, and nothing is made or destroyed under it.
        if handle == 0 {
            return (None, EarlierCommand::NONE);
        }
        match self.made.get(&handle) {
            Some(made) => (Some(&made.value), EarlierCommand::new(made.made_by)),
            None => (None, self.destroyed.get(&handle).copied().map_or(EarlierCommand::NONE, EarlierCommand::new)),
        }
    }
}

/// A share token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token {
    Live { texture: ObjectKey, exported_by: u32 },
    Released { by: u32 },
}

/// Everything that lives as long as the trace says, whatever the context.
#[derive(Default)]
pub struct Objects {
    pub(super) resources: HashMap<ObjectKey, Resource>,
    pub(super) names: HashMap<u32, Name>,
    /// By handle: the last DESTROY of it.
    pub(super) destroyed: HashMap<u32, u32>,
    /// By handle: what a marker has called the resource that it named then.
    pub(super) labels: HashMap<u32, (Named, String)>,
    pub(super) views: Vec<View>,
    pub(super) tokens: HashMap<u64, Token>,
    pub(super) shaders: Namespace<Arc<Shader>>,
    pub(super) layouts: Namespace<Arc<Layout>>,
    pub(super) samplers: Namespace<CreateSampler>,
}

/// A texture, seen through a handle that may be a view's.
#[derive(Clone, Copy, Debug)]
pub struct SeenTexture<'a> {
    /// The texture's key.
    pub key: ObjectKey,
    /// The texture.
    pub texture: &'a Texture,
    /// The format that it is seen in.
    pub format: TextureFormat,
    /// The mips seen.
    pub mips: SubresourceRange,
    /// The layers seen.
    pub layers: SubresourceRange,
}

impl SeenTexture<'_> {
    /// The part of one aspect that is drawn to or shown: the first mip of the first layer.
    pub(super) fn target_part(&self, aspect: Aspect) -> Option<Range<u32>> {
        let mip = self.mips.first;
        self.texture.parts(aspect, self.layers.first, mip..mip.checked_add(1)?)
    }

    /// Width and height of what is drawn to or shown.
    pub fn target_size_px(&self) -> [u32; 2] {
        self.texture.mip_size_px(self.mips.first)
    }
}

impl Objects {
    /// The resource with this key.
    pub fn resource(&self, key: ObjectKey) -> Option<&Resource> {
        self.resources.get(&key)
    }

    /// The shader that a handle means.
    pub fn shader(&self, handle: u32) -> Option<&Shader> {
        self.shaders.find(handle).0.map(Arc::as_ref)
    }

    /// The layout that a handle means.
    pub fn layout(&self, handle: u32) -> Option<&Layout> {
        self.layouts.find(handle).0.map(Arc::as_ref)
    }

    /// What a handle means.
    pub fn named(&self, handle: u32) -> Named {
        self.names.get(&handle).map_or(Named::Nothing, |name| name.named)
    }

    /// The buffer that a slot holds.
    pub fn buffer(&self, named: Named) -> Option<(ObjectKey, &Buffer)> {
        // silent: it is no buffer
        let Named::Resource(key) = named else { return None };
        match &self.resources.get(&key)?.kind {
            ResourceKind::Buffer(buffer) => Some((key, buffer)),
            ResourceKind::Texture(_) => None,
        }
    }

    /// The texture that a slot holds, or sees through a view.
    pub fn texture(&self, named: Named) -> Option<SeenTexture<'_>> {
        let (key, view) = match named {
            Named::Resource(key) => (key, None),
            Named::View(number) => {
                let view = self.views.get(number as usize)?;
                (view.texture, Some(view))
            }
            Named::Nothing | Named::Unknown => return None,
        };
        // silent: it is no texture
        let ResourceKind::Texture(texture) = &self.resources.get(&key)?.kind else { return None };
        let all = |count| SubresourceRange { first: 0, count };
        Some(match view {
            Some(view) => SeenTexture { key, texture, format: view.format, mips: view.mips, layers: view.layers },
            None => {
                let CreateTexture { format, mips, layers, .. } = texture.desc;
                SeenTexture { key, texture, format, mips: all(mips), layers: all(layers) }
            }
        })
    }

    /// The resource that a slot holds, or sees through a view.
    fn resource_of(&self, named: Named) -> Option<ObjectKey> {
        match named {
            Named::Resource(key) => Some(key),
            Named::View(number) => self.views.get(number as usize).map(|view| view.texture),
            Named::Nothing | Named::Unknown => None,
        }
    }

    /// Whether what is read of one slot's texture is drawn to through the other: its first mip of its first layer.
    pub(super) fn read_and_drawn(&self, read: Named, drawn: Named) -> bool {
        // Mostly they are two resources, or nothing.
        let one = self.resource_of(read).zip(self.resource_of(drawn)).is_some_and(|(read, drawn)| read == drawn);
        let both = one.then(|| self.texture(read).zip(self.texture(drawn))).flatten();
        both.is_some_and(|(read, drawn)| {
            let is_seen = read.mips.contains(drawn.mips.first) && read.layers.contains(drawn.layers.first);
            read.key == drawn.key && is_seen
        })
    }

    /// Whether two slots hold the same buffer.
    pub(super) fn are_one_buffer(&self, one: Named, other: Named) -> bool {
        matches!(one, Named::Resource(_)) && one == other && self.buffer(one).is_some()
    }

    /// The name of the resource `handle`, which is `role` to a command.
    pub(super) fn known(&self, handle: u32, role: &'static str) -> Result<Name, ContractError> {
        self.names.get(&handle).copied().ok_or(ContractError::Unknown { role, handle })
    }

    /// The buffer `handle` with its name.
    pub(super) fn known_buffer(
        &self,
        handle: u32,
        role: &'static str,
    ) -> Result<(Name, ObjectKey, &Buffer), ContractError> {
        let name = self.known(handle, role)?;
        let (key, buffer) =
            self.buffer(name.named).ok_or_else(|| self.wrong_kind(name.named, handle, role, "buffer"))?;
        Ok((name, key, buffer))
    }

    /// The texture `handle`, which is no view, with its name.
    pub(super) fn known_texture(
        &self,
        handle: u32,
        role: &'static str,
    ) -> Result<(Name, ObjectKey, &Texture), ContractError> {
        let name = self.known(handle, role)?;
        let seen = self.texture(name.named).filter(|_| matches!(name.named, Named::Resource(_)));
        let SeenTexture { key, texture, .. } =
            seen.ok_or_else(|| self.wrong_kind(name.named, handle, role, "texture"))?;
        Ok((name, key, texture))
    }

    fn wrong_kind(&self, named: Named, handle: u32, role: &'static str, expected: &'static str) -> ContractError {
        let found = match named {
            Named::View(_) => "view",
            Named::Resource(key) => self.resources.get(&key).map_or("resource", Resource::noun),
            Named::Nothing | Named::Unknown => "name of nothing",
        };
        ContractError::WrongKind { role, handle, found, expected }
    }

    /// The view that `by` makes keeps a resource alive.
    pub(super) fn keep(&mut self, key: ObjectKey, by: EarlierCommand) {
        self.resources.entry(key).and_modify(|resource| resource.viewed_by = by);
    }

    /// The name that `given_by` gave a resource ends, and with the last of them the resource, unless a view keeps it; says
    /// whether it has ended.
    pub(super) fn release(&mut self, key: ObjectKey, given_by: EarlierCommand) -> bool {
        // silent: it has ended already
        let Entry::Occupied(mut resource) = self.resources.entry(key) else { return false };
        let Resource { kept_by, viewed_by, .. } = resource.get_mut();
        kept_by.remove(&given_by);
        let ends = kept_by.is_empty() && *viewed_by == EarlierCommand::NONE;
        if ends {
            resource.remove();
        }
        ends
    }

    /// Gives a handle a meaning; says what it has meant until now.
    pub(super) fn give(&mut self, handle: u32, named: Named, named_by: EarlierCommand) -> Past {
        let former = if self.names.contains_key(&handle) { Past::Other } else { Past::None };
        let past = if self.destroyed.contains_key(&handle) { Past::Other } else { former };
        self.names.insert(handle, Name { named, named_by, given_by: named_by, bound: 0, past });
        former
    }

    /// What a slot that `handle` is bound to holds, the command that this depends on, and what the handle has meant
    /// before.
    pub(super) fn bind(&mut self, handle: u32) -> (Named, EarlierCommand, Past) {
        if handle == 0 {
            return (Named::Nothing, EarlierCommand::NONE, Past::None);
        }
        if let Some(name) = self.names.get_mut(&handle) {
            name.bound = name.bound.saturating_add(1);
            return (name.named, name.named_by, name.past);
        }
        match self.destroyed.get(&handle) {
            Some(destroyed_by) => (Named::Unknown, EarlierCommand::new(*destroyed_by), Past::Other),
            None => (Named::Unknown, EarlierCommand::NONE, Past::None),
        }
    }

    /// A slot no longer holds what `handle` meant.
    pub(super) fn unbind(&mut self, handle: u32, named: Named) {
        if named == Named::Nothing {
            return;
        }
        // The handle may mean something else by now, or nothing.
        // silent: the handle means something else by now, or nothing
        if let Some(name) = self.names.get_mut(&handle).filter(|name| name.named == named) {
            name.bound = name.bound.saturating_sub(1);
        }
    }
}

/// The aspects that a CLEAR with these flags fills, of those that a target has.
pub(super) fn cleared(aspects: Aspects) -> impl Iterator<Item = Aspect> {
    [(aspects.color, Aspect::Color), (aspects.depth, Aspect::Depth), (aspects.stencil, Aspect::Stencil)]
        .into_iter()
        .filter_map(|(is_cleared, aspect)| is_cleared.then_some(aspect))
}
