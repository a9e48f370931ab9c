//! Views of textures are made and destroyed.

use super::effect::{EarlierCommand, EffectKind, GuestHandle, NameChange};
use super::error::ContractError;
use super::objects::{Named, View, aspects_of};
use super::state::{DeviceState, not_zero};
use crate::command::{CreateView, SubresourceRange};

impl DeviceState {
    pub(super) fn create_view(&mut self, create: &CreateView, number: u32) -> Result<(), ContractError> {
        let handle = create.id.number();
        not_zero("a view's handle", u64::from(handle))?;
        not_zero("a view's number of mips", u64::from(create.mips.count))?;
        not_zero("a view's number of layers", u64::from(create.layers.count))?;
        let (name, key, texture) = self.objects.known_texture(create.texture.number(), "texture")?;
        let desc = texture.desc;
        let inside = |what, SubresourceRange { first, count }: SubresourceRange, of: u32| {
            let last = (u64::from(first) + u64::from(count)).saturating_sub(1);
            let (role, texture) = ("texture", create.texture.number());
            match count > 0 && last < u64::from(of) {
                true => Ok(()),
                false => Err(ContractError::NoSuchSubresource { role, handle: texture, what, found: last, count: of }),
            }
        };
        inside("mip", create.mips, desc.mips)?;
        inside("layer", create.layers, desc.layers)?;
        if create.format.block() != desc.format.block() || aspects_of(create.format) != aspects_of(desc.format) {
            return Err(ContractError::ViewFormat { format: create.format, texture: desc.format });
        }
        if matches!(self.objects.named(handle), Named::Resource(_)) {
            return Err(ContractError::InUse { handle, property: "kind" });
        }
        self.effect.kind = EffectKind::Creation;
        self.effect.refer(name.named_by);
        let CreateView { format, mips, layers, .. } = *create;
        let view = self.objects.views.len() as u32;
        self.objects.views.push(View { texture: key, format, mips, layers });
        self.objects.keep(key, EarlierCommand::new(number));
        let former = self.objects.give(handle, Named::View(view), EarlierCommand::new(number));
        self.effect.name = Some(NameChange::given(GuestHandle::Resource(handle), former));
        Ok(())
    }

    pub(super) fn destroy_view(&mut self, handle: u32, number: u32) {
        if let Named::View(_) = self.objects.named(handle) {
            self.objects.names.remove(&handle);
            self.objects.destroyed.insert(handle, number);
            self.effect.name = Some(NameChange::Taken(GuestHandle::Resource(handle)));
        }
    }
}
