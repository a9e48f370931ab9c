//! Which packets of a frame use which objects.

use std::sync::{Arc, PoisonError};

use foldhash::HashMap;
use serde::Serialize;

use super::Analysis;
use crate::command::Location;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, ResolvedCommand};

/// A packet that uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// Where it stands.
    pub at: Location,
    /// The draw's number in the frame, if it is one.
    pub draw: Option<u32>,
}

/// The uses of every object in one frame. Whoever steps through a frame's draws asks for the same again and again.
pub(super) struct FrameUses {
    frame: FrameIndex,
    draws: Vec<CommandNumber>,
    /// By the command that made the object: the commands that use it, in order.
    by_object: HashMap<CommandNumber, Vec<CommandNumber>>,
}

impl FrameUses {
    /// The commands that use an object.
    pub(crate) fn of(&self, creation: CommandNumber) -> &[CommandNumber] {
        self.by_object.get(&creation).map_or(&[], Vec::as_slice)
    }
}

impl Analysis {
    /// Every packet of `frame` that uses the object that `creation` makes, in order.
    pub fn uses_of(&self, creation: CommandNumber, frame: FrameIndex) -> Vec<Use> {
        let uses = self.uses_in(frame);
        uses.of(creation).iter().map(|number| self.use_by(*number, &uses)).collect()
    }

    pub(super) fn use_by(&self, number: CommandNumber, uses: &FrameUses) -> Use {
        let draw = uses.draws.binary_search(&number).ok().map(|draw| draw as u32);
        Use { at: self.location(number), draw }
    }

    /// The uses in `frame`, worked out if the last question was about another frame.
    pub(super) fn uses_in(&self, frame: FrameIndex) -> Arc<FrameUses> {
        let mut kept = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(uses) = kept.as_ref().filter(|uses| uses.frame == frame) {
            return uses.clone();
        }
        let uses = Arc::new(self.find_uses(frame));
        *kept = Some(uses.clone());
        uses
    }

    fn find_uses(&self, frame: FrameIndex) -> FrameUses {
        let mut uses = FrameUses { frame, draws: Vec::new(), by_object: HashMap::default() };
        for number in self.index.commands_of(frame).unwrap_or_default().map(CommandNumber) {
            let Some(step) = self.index.command(number) else { continue };
            if matches!(step, ResolvedCommand::Draw { .. }) {
                uses.draws.push(number);
            }
            let mut add = |object| uses.by_object.entry(object).or_default().push(number);
            for used in step.references() {
                match self.index.command(used) {
                    // A draw refers to settings, and those to objects.
                    Some(ResolvedCommand::SetPipeline { create }) => {
                        add(create);
                        self.shaders_of(create).into_iter().flatten().for_each(&mut add);
                    }
                    Some(ResolvedCommand::SetVertexBuffer { create, .. }) => add(create),
                    Some(
                        ResolvedCommand::CreateBuffer { .. }
                        | ResolvedCommand::CreateShader
                        | ResolvedCommand::CreatePipeline { .. },
                    ) => add(used),
                    _ => {}
                }
            }
        }
        uses
    }
}
