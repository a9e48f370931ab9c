//! What the index knows of submissions and looks like a mistake: writes for nothing, and what is wrong.

use std::sync::Arc;

use super::handles::Handle;
use super::{Lint, LintFault, LintFinding, LintRule, without_place};
use crate::command::Command;
use crate::error::{ErrorKind, Internal};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::command_reader::CommandReader;
use crate::replay::d3d::{EffectKind, ObjectKey};
use crate::replay::error::ReplayError;
use crate::replay::index::{
    CommandNumber, DeadWrite, IndexedPass, ResolvedCommand, TraceFault, TraceIndex, UnusedTarget, WrittenInVain,
};

/// Reads the commands that findings are about.
struct Commands<'a> {
    index: &'a TraceIndex,
    reader: CommandReader,
}

impl Lint {
    /// Notes what submissions write for nothing.
    pub(super) fn written_in_vain(&mut self, trace: &Arc<Trace>, index: &TraceIndex) -> Result<(), ReplayError> {
        let WrittenInVain { writes, targets } = index.written_in_vain()?;
        let mut commands = Commands { index, reader: CommandReader::new(trace.clone()) };
        for write in &writes {
            let rule =
                if write.kind == EffectKind::Upload { commands.rule_of_upload(write)? } else { LintRule::DeadWrite };
            let at = index.require_location(write.command)?;
            if self.counts(rule) {
                self.add(LintFinding::new(at.offset, rule, commands.dead_write(write)?).of_command(at));
            }
        }
        for target in &targets {
            let (at, rule) = (index.require_location(target.first_draw)?, LintRule::UnusedDrawTarget);
            if self.counts(rule) {
                self.add(LintFinding::new(at.offset, rule, commands.unused_target(target)?).of_command(at));
            }
        }
        for frame in (0..index.frame_count() as u32).map(FrameIndex) {
            let passes = index.passes_of(frame)?;
            for (pass, earlier) in passes.passes().iter().filter_map(|pass| Some((pass, pass.could_join?))) {
                let (at, rule) = (index.require_location(pass.first)?, LintRule::SplitPass);
                if self.counts(rule) {
                    self.add(LintFinding::new(at.offset, rule, commands.split_pass(pass, earlier)?).of_command(at));
                }
            }
        }
        self.note_dropped();
        Ok(())
    }

    /// Notes what the index has found wrong; gives the kind of the first. Draws of Appendix A have a rule of their own.
    pub(super) fn faults(&mut self, index: &TraceIndex) -> Option<ErrorKind> {
        let (faults, dropped) = index.faults();
        for TraceFault { at, message, offset, kind, ends_submission, .. } in faults {
            let own = index.commands_of(at.frame).map_or(0, |own| own.start);
            let step = index.command(CommandNumber(own.saturating_add(at.packet)));
            if at.submission.is_none() && matches!(step, Some(ResolvedCommand::Draw { .. })) {
                continue;
            }
            let rule = match kind {
                _ if at.submission.is_none() => LintRule::Damage,
                ErrorKind::ReplayFailed => LintRule::Contract,
                ErrorKind::Unsupported => LintRule::Unsupported,
                ErrorKind::OverLimit => LintRule::OverLimit,
                _ => LintRule::Damage,
            };
            let fault = LintFault { kind: *kind, ends_submission: *ends_submission };
            let found = LintFinding::new(offset.unwrap_or(at.offset), rule, message.clone());
            let found = found.in_group(without_place(message, *at));
            self.add(LintFinding { fault: Some(fault), ..found }.of_command(*at));
        }
        for last in faults.last().into_iter().filter(|_| dropped > 0) {
            let more = "more errors after it, not listed individually";
            self.add(LintFinding::new(last.at.offset, LintRule::Damage, more).times(dropped));
        }
        faults.first().map(|fault| fault.kind)
    }
}

impl Commands<'_> {
    fn read(&mut self, number: CommandNumber) -> Result<Command, ReplayError> {
        Ok(self.reader.read(self.index.require_location(number)?)?.value)
    }

    /// Uploads have a rule of their own, in both ABIs; ranges of guest memory are taken over like them.
    fn rule_of_upload(&mut self, write: &DeadWrite) -> Result<LintRule, ReplayError> {
        let is_upload = matches!(self.read(write.command)?, Command::Upload(_));
        Ok(if is_upload { LintRule::UnreadUpload } else { LintRule::DeadWrite })
    }

    fn dead_write(&mut self, write: &DeadWrite) -> Result<String, ReplayError> {
        let name = self.read(write.command)?.name();
        let objects: Result<Vec<String>, ReplayError> =
            write.objects.iter().map(|object| self.name_of(*object)).collect();
        let objects = objects?.join(" and ");
        let what = match write.is_overwritten {
            true => "everything it writes is overwritten before it is read",
            false => "nothing reads what it writes",
        };
        Ok(format!("{name} of {objects}: {what}"))
    }

    fn unused_target(&mut self, target: &UnusedTarget) -> Result<String, ReplayError> {
        let part = self.index.part_drawn_to(target.object, target.part, &mut self.reader)?;
        let part = part.ok_or(Internal::new("a target of draws is a buffer"))?;
        let draws = match target.draws {
            1 => "1 draw draws".to_owned(),
            draws => format!("{draws} draws draw"),
        };
        Ok(format!("{draws} to {part}, which is never read or shown"))
    }

    fn split_pass(&mut self, pass: &IndexedPass, earlier: u32) -> Result<String, ReplayError> {
        let mut targets = Vec::new();
        for (object, parts) in &pass.targets {
            for part in parts.clone() {
                targets.extend(self.index.named_target(*object, part, pass.first, &mut self.reader)?);
            }
        }
        let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
        Ok(format!("the pass to {} could be one with pass {earlier} of its frame", targets.join(", ")))
    }

    fn name_of(&mut self, object: ObjectKey) -> Result<String, ReplayError> {
        let creation = object.creation().map(|creation| self.read(CommandNumber(creation))).transpose()?;
        Ok(match creation {
            None => "the back buffer".to_owned(),
            Some(Command::CreateTexture(texture)) => Handle::resource(texture.id).to_string(),
            Some(Command::CreateBuffer(buffer)) => Handle::resource(buffer.id).to_string(),
            Some(_) => return Err(Internal::new("an object is written that is neither texture nor buffer").into()),
        })
    }
}
