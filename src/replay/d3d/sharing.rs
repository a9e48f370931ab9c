//! Textures get other names by share tokens.

use super::effect::{EarlierCommand, EffectKind, GuestHandle, NameChange};
use super::error::ContractError;
use super::objects::{Named, Token};
use super::state::{DeviceState, not_zero};
use crate::command::{ResourceId, ShareToken};

impl DeviceState {
    pub(super) fn export(
        &mut self,
        resource: ResourceId,
        ShareToken(token): ShareToken,
        number: u32,
    ) -> Result<(), ContractError> {
        not_zero("a share token", token)?;
        let (name, key, _) = self.objects.known_texture(resource.number(), "texture")?;
        match self.objects.tokens.get(&token) {
            Some(Token::Released { .. }) => return Err(ContractError::Token { token, problem: "was released" }),
            Some(Token::Live { texture, .. }) if *texture != key => {
                return Err(ContractError::Token { token, problem: "belongs to another texture" });
            }
            // silent: the token is the texture's already
            Some(Token::Live { .. }) => return Ok(()),
            None => {}
        }
        (self.effect.kind, self.effect.exported) = (EffectKind::Creation, Some(key));
        self.effect.refer(name.named_by);
        self.objects.tokens.insert(token, Token::Live { texture: key, exported_by: number });
        Ok(())
    }

    pub(super) fn import(
        &mut self,
        resource: ResourceId,
        ShareToken(token): ShareToken,
        number: u32,
    ) -> Result<(), ContractError> {
        let handle = resource.number();
        not_zero("a texture's handle", u64::from(handle))?;
        let (texture, exported_by) = match self.objects.tokens.get(&token) {
            Some(Token::Live { texture, exported_by }) => (*texture, *exported_by),
            Some(Token::Released { .. }) => return Err(ContractError::Token { token, problem: "was released" }),
            None => return Err(ContractError::Token { token, problem: "is unknown" }),
        };
        match self.objects.named(handle) {
            Named::Nothing => {}
            // silent: the handle names the texture already
            Named::Resource(key) if key == texture => return Ok(()),
            _ => return Err(ContractError::InUse { handle, property: "texture" }),
        }
        let known = self.objects.resources.get_mut(&texture);
        let known = known.ok_or(ContractError::Token { token, problem: "belongs to a destroyed texture" })?;
        // Whoever destroys the name that the texture was exported by, another one has kept it: the last, since the first may
        // have ended in the trace, and stand without its end where only what is needed is carried out.
        let kept_by = known.kept_by.last().copied().unwrap_or(known.viewed_by);
        self.effect.carried_with = [kept_by, EarlierCommand::NONE];
        known.kept_by.insert(EarlierCommand::new(number));
        (self.effect.kind, self.effect.name) =
            (EffectKind::Creation, Some(NameChange::Given(GuestHandle::Resource(handle))));
        self.effect.refer(EarlierCommand::new(exported_by));
        self.objects.give(handle, Named::Resource(texture), EarlierCommand::new(number));
        Ok(())
    }
}
