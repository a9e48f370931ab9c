//! What commands owe to the handles that they name.
//!
//! A command that names a handle does what it does because of the command that gave the handle its meaning, or took it:
//! it is carried out, passed over or refused. That holds whatever it then does to the object, so it is said here once, for
//! all commands that name objects directly; those that use what is bound refer to the slots.

use super::effect::EarlierCommand;
use super::objects::{Named, Token};
use super::state::DeviceState;
use crate::command::{Command, ShareToken};
use crate::error::Internal;

impl DeviceState {
    /// Refers to what the handles mean that a command names.
    pub(super) fn refer_to_names(&mut self, command: &Command) -> Result<(), Internal> {
        match *command {
            Command::CreateBuffer(ref create) => self.refer_to_name(create.id.number()),
            Command::CreateTexture(ref create) => self.refer_to_name(create.id.number()),
            Command::CreateView(ref create) => {
                self.refer_to_name(create.texture.number());
                // A view in the way is replaced, whatever it was.
                if let Named::Resource(_) = self.objects.named(create.id.number()) {
                    self.refer_to_name(create.id.number());
                }
            }
            // Uploads, of which there are most, refer where they look the name up.
            Command::Refresh(ref refresh) => self.refer_to_backing(refresh.id.number())?,
            Command::CopyBuffer(ref copy) => {
                self.refer_to_name(copy.from.number());
                self.refer_to_name(copy.to.number());
                if copy.writes_back {
                    self.refer_to_backing(copy.to.number())?;
                }
            }
            Command::CopyTexture(ref copy) => {
                self.refer_to_name(copy.from.id.number());
                self.refer_to_name(copy.to.id.number());
                if copy.writes_back {
                    self.refer_to_backing(copy.to.id.number())?;
                }
            }
            Command::ExportShared { resource, token } => {
                self.refer_to_name(resource.number());
                self.refer_to_token(token);
            }
            Command::ImportShared { resource, token } => {
                self.refer_to_name(resource.number());
                self.refer_to_token(token);
            }
            _ => {}
        }
        Ok(())
    }

    /// Refers to the command that gave a handle its meaning; where it has none, to the one that took it, if one did.
    pub(super) fn refer_to_name(&mut self, handle: u32) {
        let named_by = match self.objects.names.get(&handle) {
            Some(name) => name.named_by,
            None => self.objects.destroyed.get(&handle).map_or(EarlierCommand::NONE, |by| EarlierCommand::new(*by)),
        };
        self.effect.refer(named_by);
    }

    /// Refers to what decides which memory is behind a handle as well.
    fn refer_to_backing(&mut self, handle: u32) -> Result<(), Internal> {
        self.refer_to_name(handle);
        if let Named::Resource(key) = self.objects.named(handle) {
            let lost = Internal::new("a handle names a missing resource");
            let created_by = self.objects.resource(key).ok_or(lost)?.created_by;
            self.effect.refer(created_by);
        }
        Ok(())
    }

    fn refer_to_token(&mut self, ShareToken(token): ShareToken) {
        let number = match self.objects.tokens.get(&token) {
            Some(Token::Live { exported_by, .. }) => EarlierCommand::new(*exported_by),
            Some(Token::Released { by }) => EarlierCommand::new(*by),
            None => EarlierCommand::NONE,
        };
        self.effect.refer(number);
    }
}
