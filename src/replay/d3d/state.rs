//! What the commands of submissions have made and set, and what each turns out to do.
//!
//! Objects are the trace's, settings a context's. A command that the contract forbids changes nothing and is an error; the
//! errors that it can have are [`ContractError`], [`super::super::MemoryError`] and limits, each decided without a GPU, so
//! that what a frame depends on is the same everywhere.

use super::context::{Context, Setting};
use super::contexts::{Contexts, DrawingContext};
use super::draw_uses::{DrawUses, UseGroup, UseGroups};
use super::draws::Vertices;
use super::effect::{ContextNumber, EarlierCommand, Effect, EffectDetail, EffectKind, GuestHandle, NameChange};
use super::error::ContractError;
use super::objects::{Objects, Token};
use super::payloads::Payloads;
use super::settings::{
    bind_shaders, rebind, set_buffers, set_constants, set_layout, set_sampler_state, set_samplers, set_targets,
    set_texture, set_vertex_buffers,
};
use crate::command::{
    Command, Located, SetBuffers, SetConstants, SetIndexBuffer, SetRenderState, SetSamplerState, SetSamplers,
    SetTexture, ShaderStage, ShareToken,
};
use crate::error::Internal;
use crate::limits::MAX_MARKER_BYTES;
use crate::replay::blob_store::BlobStore;
use crate::replay::error::Problem;
use crate::replay::fixed_state::RenderStates;
use crate::replay::guest_memory::SubmissionMemory;
use crate::replay::shader_object::ShaderReplacements;

/// The state of all contexts, and all objects.
#[derive(Default)]
pub struct DeviceState {
    pub(super) objects: Objects,
    pub(super) contexts: Contexts,
    pub(super) effect: Effect,
    pub(super) memory: SubmissionMemory,
}

/// What a command is carried out with.
pub(in crate::replay) struct Surroundings<'a> {
    pub blobs: &'a mut BlobStore,
    pub payloads: &'a Payloads,
    /// Shaders that stand in for those of the trace.
    pub replacements: &'a ShaderReplacements,
    /// The command's number in the trace.
    pub number: u32,
    /// What is to be known of what it does.
    pub detail: EffectDetail,
}

impl DeviceState {
    /// What the last command did.
    pub fn effect(&self) -> &Effect {
        &self.effect
    }

    /// What the last command uses beside, if it is a draw.
    pub(in crate::replay) fn draw_uses(&self) -> Result<Option<&DrawUses>, Internal> {
        self.effect.draws_in.map(|context| Ok(&self.contexts.at(context)?.uses)).transpose()
    }

    /// All objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// A context's state; nothing of one that has not come up.
    pub fn context(&self, id: u32) -> Option<&Context> {
        self.contexts.of_id(id)
    }

    /// Nothing was made and nothing set. Contexts keep their numbers.
    pub(in crate::replay) fn restarted(self) -> Self {
        Self { contexts: self.contexts.restarted(), ..Self::default() }
    }

    /// Contexts have numbers in this order of their ids, whichever of them comes up first.
    pub(in crate::replay) fn number_contexts(&mut self, ids: impl IntoIterator<Item = u32>) {
        for id in ids {
            self.contexts.number_of(id);
        }
    }

    /// The ids of all contexts that have come up, ascending.
    pub fn contexts(&self) -> Vec<u32> {
        self.contexts.ids()
    }

    /// Another submission begins, with this memory.
    pub(in crate::replay) fn begin_submission(&mut self, memory: SubmissionMemory) {
        self.memory = memory;
    }

    /// Carries out a command of a submission. [`Self::effect`] says then what it did.
    pub(in crate::replay) fn apply(
        &mut self,
        command: &Located<Command>,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        let place = command.at.submission;
        let id = place
            .ok_or(Internal::at("a command outside any submission is to be executed", command.at.offset))?
            .context();
        self.effect.begin(EffectKind::Setting);
        self.effect.detail = around.detail;
        let context = self.contexts.enter(id)?;
        if around.detail == EffectDetail::All {
            self.refer_to_names(&command.value)?;
        }
        let applied = self.apply_value(&command.value, context, around);
        match &applied {
            Ok(()) => self.effect.finish(),
            Err(Problem::Contract(error)) if error.fails_alone() => self.effect.refuse(EffectKind::FailedDraw),
            Err(_) => self.effect.refuse(EffectKind::Setting),
        }
        applied
    }

    /// Carries out a command that sets a render state of the context that was entered last, which needs nothing else; gives
    /// what it did. There are as many of them as of draws.
    #[inline]
    pub(in crate::replay) fn set_render_state(
        &mut self,
        command: &Command,
        context: u32,
        number: u32,
    ) -> Result<Option<&Effect>, Internal> {
        // silent: it is carried out the long way, as all other commands are
        let (Command::SetRenderState(set), Some(of_context)) = (*command, self.contexts.entered(context)) else {
            return Ok(None);
        };
        let Self { contexts, effect, .. } = self;
        effect.begin(EffectKind::Setting);
        effect.detail = EffectDetail::All;
        let context = &mut contexts.at_mut(of_context)?.context;
        effect.render_state = set_render_state(context, set, of_context, EarlierCommand::new(number))?;
        Ok(Some(effect))
    }

    fn apply_value(
        &mut self,
        command: &Command,
        context: ContextNumber,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        match *command {
            Command::CreateBuffer(ref create) => self.create_buffer(create, around),
            Command::CreateTexture(ref create) => self.create_texture(create, around),
            Command::CreateView(ref create) => Ok(self.create_view(create, around.number)?),
            Command::DestroyResource(id) => {
                self.destroy_resource(id.number(), around.number);
                Ok(())
            }
            Command::DestroyView(id) => {
                self.destroy_view(id.number(), around.number);
                Ok(())
            }
            Command::Upload(ref upload) => self.upload(upload),
            Command::Refresh(ref refresh) => self.refresh(refresh, around),
            Command::CopyBuffer(ref copy) => self.copy_buffer(copy, around),
            Command::CopyTexture(ref copy) => self.copy_texture(copy, around),
            Command::ExportShared { resource, token } => Ok(self.export(resource, token, around.number)?),
            Command::ImportShared { resource, token } => Ok(self.import(resource, token, around.number)?),
            Command::ReleaseShared(ShareToken(token)) => {
                not_zero("a share token", token)?;
                self.objects.tokens.insert(token, Token::Released { by: around.number });
                Ok(())
            }
            Command::CreateShader(ref create) => self.create_shader(create, around),
            Command::DestroyShader(shader) => {
                if self.objects.shaders.destroy(shader.number(), around.number) {
                    self.effect.name = Some(NameChange::Taken(GuestHandle::Shader(shader.number())));
                }
                Ok(())
            }
            Command::CreateLayout(ref create) => self.create_layout(create, around),
            Command::DestroyLayout(layout) => {
                if self.objects.layouts.destroy(layout.number(), around.number) {
                    self.effect.name = Some(NameChange::Taken(GuestHandle::Layout(layout.number())));
                }
                Ok(())
            }
            Command::CreateSampler(ref create) => {
                not_zero("a sampler's handle", u64::from(create.id.number()))?;
                let handle = create.id.number();
                let former = self.objects.samplers.create(handle, *create, around.number);
                (self.effect.kind, self.effect.name) =
                    (EffectKind::Creation, Some(NameChange::given(GuestHandle::Sampler(handle), former)));
                Ok(())
            }
            Command::DestroySampler(sampler) => {
                if self.objects.samplers.destroy(sampler.number(), around.number) {
                    self.effect.name = Some(NameChange::Taken(GuestHandle::Sampler(sampler.number())));
                }
                Ok(())
            }
            Command::Clear(ref clear) => self.clear(clear, context),
            Command::Draw(draw) => self.draw(Vertices::Direct(draw), context),
            Command::DrawIndexed(draw) => self.draw(Vertices::Indexed(draw), context),
            Command::Dispatch(ref dispatch) => self.dispatch(dispatch, context),
            Command::Present(ref present) => self.present(present, context),
            Command::Marker(text) => {
                self.objects.mark(&around.payloads.read(text.up_to(MAX_MARKER_BYTES), around.blobs)?);
                Ok(())
            }
            Command::Flush | Command::Nop | Command::Unknown { .. } => Ok(()),
            Command::CreatePipeline(_) | Command::SetPipeline(_) | Command::SetVertexBuffer(_) => {
                Err(Internal::new("a submission contains an Appendix A packet").into())
            }
            _ => self.set(command, context, around),
        }
    }

    fn set(&mut self, command: &Command, context: ContextNumber, around: Surroundings<'_>) -> Result<(), Problem> {
        let number = EarlierCommand::new(around.number);
        let Self { objects, contexts, effect, .. } = self;
        let of_context = context;
        let DrawingContext { context, .. } = contexts.at_mut(context)?;
        if !matches!(command, Command::SetRenderState(_) | Command::BindShaders(_)) {
            match stage_of(command) {
                Some(stage) => context.touch_stage(groups_of(command), stage),
                None => context.touch(groups_of(command)),
            }
        }
        match *command {
            Command::BindShaders(bind) => bind_shaders(objects, context, effect, bind, number),
            Command::SetConstants(ref set) => set_constants(context, set, &around)?,
            Command::SetLayout(layout) => set_layout(objects, context, effect, layout, number),
            Command::SetBlend(value) => context.blend = Setting { value, set_by: number },
            Command::SetDepthStencil(value) => context.depth_stencil = Setting { value, set_by: number },
            Command::SetRasterizer(value) => context.rasterizer = Setting { value, set_by: number },
            Command::SetTargets(targets) => set_targets(objects, context, effect, targets, number),
            Command::SetViewport(viewport) => context.viewport = Setting { value: Some(viewport), set_by: number },
            Command::SetScissor(scissor) => context.scissor = Setting { value: Some(scissor), set_by: number },
            Command::SetRenderState(set) => effect.render_state = set_render_state(context, set, of_context, number)?,
            Command::SetSamplerState(ref set) => set_sampler_state(context, set, number)?,
            Command::SetVertexBuffers(ref set) => set_vertex_buffers(objects, context, set, &around)?,
            Command::SetIndexBuffer(SetIndexBuffer { buffer, format, offset_bytes }) => {
                let (mut held, _) = context.indices.value;
                rebind(objects, &mut held.slot, buffer, number);
                held.offset_bytes = offset_bytes;
                context.indices = Setting { value: (held, format), set_by: number };
            }
            Command::SetTopology(value) => context.topology = Setting { value, set_by: number },
            Command::SetTexture(ref set) => {
                if set_texture(objects, context, effect, set, number)? {
                    context.touch(UseGroups::of(&[UseGroup::Targets]));
                }
            }
            Command::SetSamplers(ref set) => set_samplers(objects, context, effect, set, &around)?,
            Command::SetBuffers(ref set) => set_buffers(objects, context, effect, set, &around)?,
            _ => return Err(Internal::new("a command that nothing executes has reached the state").into()),
        }
        Ok(())
    }
}

/// Sets a render state; says of which context, and which one if Direct3D 9 defines it.
#[inline]
fn set_render_state(
    context: &mut Context,
    SetRenderState { state, value }: SetRenderState,
    of_context: ContextNumber,
    number: EarlierCommand,
) -> Result<Option<(ContextNumber, u8)>, Internal> {
    match RenderStates::is_of_targets(state) {
        true => context.touch(UseGroups::of(&[UseGroup::Fixed])),
        false => context.touch_render_state(),
    }
    context.see_legacy_packet(number);
    context.render_states.set(state, value);
    context.note_render_state(state, value, number);
    if !context.render_states.defines(state) {
        return Ok(None);
    }
    let state = u8::try_from(state).map_err(|_| Internal::new("a render state has a number above 255"))?;
    Ok(Some((of_context, state)))
}

/// The groups of what draws use that have to be looked at after a command that sets something.
const fn groups_of(command: &Command) -> UseGroups {
    UseGroups::of(match command {
        Command::SetConstants(_) => &[UseGroup::Constants],
        Command::SetLayout(_) | Command::SetVertexBuffers(_) | Command::SetIndexBuffer(_) => &[UseGroup::Vertices],
        Command::SetBlend(_)
        | Command::SetDepthStencil(_)
        | Command::SetRasterizer(_)
        | Command::SetViewport(_)
        | Command::SetScissor(_)
        | Command::SetTopology(_) => &[UseGroup::Fixed],
        Command::SetSamplerState(_) | Command::SetSamplers(_) => &[UseGroup::Samplers],
        // What is bound to be drawn to may be taken away where it is read.
        Command::SetTargets(_) => &[UseGroup::Targets, UseGroup::Slots],
        Command::SetTexture(_) => &[UseGroup::Slots],
        // Without a constant buffer the bank of constants counts.
        Command::SetBuffers(_) => &[UseGroup::Slots, UseGroup::Constants],
        _ => &UseGroup::ALL,
    })
}

/// The only stage whose groups a command sets something of. What it takes away from other stages it notes itself.
const fn stage_of(command: &Command) -> Option<ShaderStage> {
    match command {
        Command::SetConstants(SetConstants { stage, .. })
        | Command::SetSamplerState(SetSamplerState { stage, .. })
        | Command::SetSamplers(SetSamplers { stage, .. })
        | Command::SetTexture(SetTexture { stage, .. })
        | Command::SetBuffers(SetBuffers { stage, .. }) => Some(*stage),
        _ => None,
    }
}

pub(super) fn not_zero(what: &'static str, found: u64) -> Result<(), ContractError> {
    if found == 0 { Err(ContractError::Zero { what }) } else { Ok(()) }
}
