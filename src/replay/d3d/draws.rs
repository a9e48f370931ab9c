//! Draws: what they read, what they write, and what they depend on.

use std::ops::Range;

use super::bindings::Bindings;
use super::context::{Context, World};
use super::contexts::DrawingContext;
use super::draw_uses::{DrawUses, TargetUse, UseGroup, UseGroups};
use super::effect::{AccessKind, ContextNumber, EarlierCommand, EffectDetail, EffectKind, ObjectKey};
use super::error::ContractError;
use super::objects::Aspect;
use super::shader::ShaderSlots;
use super::state::DeviceState;
use super::work::{target, usable};
use crate::command::{Command, Draw, DrawIndexed, MOST_COLOR_TARGETS, ShaderStage};
use crate::error::Internal;
use crate::replay::error::Problem;
use crate::replay::fixed_state::{FixedState, RenderStates, TargetAccess};

/// The vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vertices {
    Direct(Draw),
    Indexed(DrawIndexed),
}

impl Vertices {
    fn count(&self) -> u32 {
        match self {
            Self::Direct(draw) => draw.vertex_count,
            Self::Indexed(draw) => draw.index_count,
        }
    }

    fn draws_nothing(&self) -> bool {
        let (_, instance_count) = self.instances();
        self.count() == 0 || instance_count == 0
    }

    pub(super) fn instances(&self) -> (u32, u32) {
        match self {
            Self::Direct(draw) => (draw.first_instance, draw.instance_count),
            Self::Indexed(draw) => (draw.first_instance, draw.instance_count),
        }
    }
}

/// What a draw's shaders are.
pub(super) enum Shaders<'a> {
    /// None: the vertices' stride says what they are.
    None,
    Bound {
        world: World,
        vertex: &'a ShaderSlots,
        fragment: Option<&'a ShaderSlots>,
    },
}

impl Shaders<'_> {
    fn are_d3d9(&self) -> bool {
        self.world() == World::Direct3d9
    }

    fn world(&self) -> World {
        match self {
            Self::None => World::Direct3d11,
            Self::Bound { world, .. } => *world,
        }
    }
}

pub(super) const DRAW_STAGES: [ShaderStage; 5] =
    [ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];

impl DeviceState {
    pub(super) fn draw(&mut self, vertices: Vertices, number: ContextNumber) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let DrawingContext { context, uses } = contexts.at_mut(number)?;
        effect.kind = EffectKind::Draw;
        let is_indexed = matches!(vertices, Vertices::Indexed(_));
        if vertices.draws_nothing() {
            // Nothing that is bound is looked at. What shows behind it is the target that is bound by then.
            context.targets.all().for_each(|slot| effect.refer_all(slot.depends_on()));
            return Ok(());
        }
        if effect.detail == EffectDetail::Work {
            return Ok(Bindings { objects, effect }.check(context, is_indexed)?);
        }
        if is_indexed != uses.is_indexed {
            context.stale.insert(UseGroup::Vertices);
        }
        uses.changed = UseGroups::NONE;
        if context.stale != UseGroups::NONE {
            let renewed = Bindings { objects, effect }.renew(context, uses, is_indexed);
            // Whatever has gone wrong, the next draw looks at everything anew.
            context.stale = if renewed.is_ok() { UseGroups::NONE } else { UseGroups::ALL };
            renewed?;
        }
        effect.draws_in = Some(number);
        uses.sources.iter().for_each(|source| source.read(vertices, effect));
        Ok(())
    }

    /// Carries out a draw of the context that was entered last, if it can differ from the draw before in its vertices alone;
    /// gives that context. Most draws do, and a few words tell all of them.
    #[inline]
    pub(in crate::replay) fn repeat_draw(
        &mut self,
        command: &Command,
        context: u32,
    ) -> Result<Option<ContextNumber>, Internal> {
        let vertices = match *command {
            Command::Draw(draw) => Vertices::Direct(draw),
            Command::DrawIndexed(draw) => Vertices::Indexed(draw),
            // silent: it is no draw to be repeated
            _ => return Ok(None),
        };
        // silent: its context is entered the long way
        let Some(number) = self.contexts.entered(context) else { return Ok(None) };
        let Self { contexts, effect, .. } = self;
        let DrawingContext { context, uses } = contexts.at_mut(number)?;
        let is_indexed = matches!(vertices, Vertices::Indexed(_));
        if context.stale != UseGroups::NONE || is_indexed != uses.is_indexed || vertices.draws_nothing() {
            return Ok(None);
        }
        uses.changed = UseGroups::NONE;
        effect.begin(EffectKind::Draw);
        effect.detail = EffectDetail::All;
        effect.draws_in = Some(number);
        uses.sources.iter().for_each(|source| source.read(vertices, effect));
        Ok(Some(number))
    }
}

/// The groups that a draw can be refused for.
const CHECKED: UseGroups = UseGroups::of(&[UseGroup::Shaders, UseGroup::Targets, UseGroup::Vertices]);

impl Bindings<'_> {
    /// Refuses a draw that the contract forbids, for whoever wants to know nothing else of it.
    fn check(&mut self, context: &mut Context, is_indexed: bool) -> Result<(), ContractError> {
        if is_indexed != context.is_checked_indexed {
            context.unchecked.insert(UseGroup::Vertices);
            context.is_checked_indexed = is_indexed;
        }
        let mut unchecked = context.unchecked.intersection(CHECKED);
        if context.has_unfit_depth && context.unchecked.contains(UseGroup::Fixed) {
            // Fixed state says whether the depth surface counts.
            unchecked.insert(UseGroup::Targets);
        }
        if unchecked == UseGroups::NONE {
            return Ok(());
        }
        let shaders = shaders(context)?;
        let mut has_unfit_depth = context.has_unfit_depth;
        if unchecked.contains(UseGroup::Targets) {
            let target_use = TargetUse::of(&shaders, &fixed_state(context, &shaders));
            has_unfit_depth = self.targets(context, target_use, shaders.world())? == DepthFit::Unfit;
        }
        if unchecked.contains(UseGroup::Vertices) {
            self.vertices(context, &shaders, is_indexed)?;
        }
        context.unchecked = UseGroups::NONE;
        context.has_unfit_depth = has_unfit_depth;
        Ok(())
    }

    /// Looks anew at the groups of which something was set since the last draw.
    fn renew(&mut self, context: &Context, uses: &mut DrawUses, is_indexed: bool) -> Result<(), ContractError> {
        let mut stale = context.stale;
        if stale == UseGroups::ALL {
            // The last draw may have gone wrong midway.
            uses.changed = UseGroups::ALL;
        }
        if stale.contains(UseGroup::Shaders) {
            self.refer_to_shaders(context);
        }
        let shaders = shaders(context)?;
        if stale.contains(UseGroup::Shaders) {
            uses.take(UseGroup::Shaders, self.effect);
        }
        uses.counts_render_states = shaders.are_d3d9();
        if matches!(shaders, Shaders::None) && stale.contains(UseGroup::Vertices) {
            // The vertices' stride says whether there is a texture.
            stale.insert(UseGroup::Slots);
        }
        if stale.contains(UseGroup::Fixed) {
            let fixed = fixed_state(context, &shaders);
            self.fixed(context, &shaders, &fixed);
            uses.take(UseGroup::Fixed, self.effect);
            let target_use = TargetUse::of(&shaders, &fixed);
            if std::mem::replace(&mut uses.target_use, target_use) != target_use {
                stale.insert(UseGroup::Targets);
            }
        }
        if stale.contains(UseGroup::Targets) {
            let checked = self.targets(context, uses.target_use, shaders.world());
            checked.inspect_err(|_| uses.refer_before(UseGroup::Targets, self.effect))?;
            uses.take(UseGroup::Targets, self.effect);
        }
        for group in [UseGroup::Slots, UseGroup::Samplers, UseGroup::Constants] {
            if stale.contains(group) {
                self.stages(group, context, &shaders);
                uses.take(group, self.effect);
            }
        }
        if stale.contains(UseGroup::Vertices) {
            let sources = self.vertices(context, &shaders, is_indexed);
            uses.sources = sources.inspect_err(|_| uses.refer_before(UseGroup::Vertices, self.effect))?;
            uses.is_indexed = is_indexed;
            uses.take(UseGroup::Vertices, self.effect);
        }
        Ok(())
    }

    fn refer_to_shaders(&mut self, context: &Context) {
        self.effect.refer(context.shaders_set_by);
        for stage in DRAW_STAGES {
            self.effect.refer(context.shader(stage).made_by);
        }
    }

    /// Fixed state, but for the render states in force.
    fn fixed(&mut self, context: &Context, shaders: &Shaders<'_>, fixed: &FixedState) {
        if shaders.are_d3d9() {
            for (mask, opened_by) in RenderStates::MASKS.into_iter().zip(context.masks_opened_by) {
                if context.render_states.get(mask) == 0 {
                    self.effect.refer(opened_by);
                }
            }
        } else {
            self.effect.refer(context.blend.set_by);
            self.effect.refer(context.depth_stencil.set_by);
            self.effect.refer(context.rasterizer.set_by);
        }
        self.effect.refer(context.topology.set_by);
        self.effect.refer(context.viewport.set_by);
        if fixed.is_scissor_enabled() {
            self.effect.refer(context.scissor.set_by);
        }
    }

    /// The targets of a draw. Colour targets are of one size. So is the depth surface, but in Direct3D 9: there it may be
    /// larger, and of any size where nothing tests or writes it.
    fn targets(&mut self, context: &Context, target_use: TargetUse, world: World) -> Result<DepthFit, ContractError> {
        let mut size: Option<[u32; 2]> = None;
        let mut same_size = |found: [u32; 2]| match size.replace(found) {
            Some(other) if other != found => Err(ContractError::TargetSizes { a: other, b: found }),
            _ => Ok(()),
        };
        let mut fit = DepthFit::Fits;
        let writes = |target: u32| target_use.colors >> target & 1 != 0;
        for (number, slot) in (0..).zip(&context.targets.colors) {
            self.effect.refer_all(slot.depends_on());
            // silent: nothing is bound there
            let Some(seen) = target(self.objects, slot, "colour target")? else { continue };
            same_size(seen.target_size_px())?;
            let part = seen.target_part(Aspect::Color).filter(|_| seen.format.block().0 == 1);
            let (role, handle, format) = ("colour target", slot.handle, seen.format);
            let expected = "a colour format without blocks";
            let part = part.ok_or(ContractError::TargetFormat { role, handle, format, expected })?;
            if writes(number) {
                self.effect.access(seen.key, part, AccessKind::Modify);
            }
        }
        let slot = &context.targets.depth_stencil;
        self.effect.refer_all(slot.depends_on());
        if let Some(seen) = target(self.objects, slot, "depth target")? {
            let depth_px = seen.target_size_px();
            if let Some(color_px) = size.filter(|color_px| *color_px != depth_px) {
                let is_larger = color_px.iter().zip(depth_px).all(|(color, depth)| *color <= depth);
                let is_used = target_use.uses_depth_surface();
                if world != World::Direct3d9 || is_used && !is_larger {
                    return Err(ContractError::TargetSizes { a: color_px, b: depth_px });
                }
                fit = DepthFit::Unfit;
            }
            let (role, handle, format) = ("depth target", slot.handle, seen.format);
            let expected = "a depth format";
            let depth = seen.target_part(Aspect::Depth);
            let depth = depth.ok_or(ContractError::TargetFormat { role, handle, format, expected })?;
            self.tested(seen.key, depth, target_use.depth);
            if let Some(stencil) = seen.target_part(Aspect::Stencil) {
                self.tested(seen.key, stencil, target_use.stencil);
            }
        }
        if context.targets.is_empty() && writes(0) {
            self.effect.access(context.back_buffer, 0..1, AccessKind::Modify);
        }
        Ok(fit)
    }

    fn tested(&mut self, key: ObjectKey, part: Range<u32>, access: TargetAccess) {
        if access.reads {
            self.effect.access(key, part.clone(), AccessKind::Test);
        }
        if access.writes {
            self.effect.access(key, part, AccessKind::Modify);
        }
    }
}

/// The shaders of a draw.
fn shaders(context: &Context) -> Result<Shaders<'_>, ContractError> {
    let is_bound = |stage| context.shader(stage).handle != 0;
    if is_bound(ShaderStage::Hull) != is_bound(ShaderStage::Domain) {
        let (found, missing) = ("a hull or a domain shader", "the other");
        return Err(ContractError::MissingShader { found, missing });
    }
    match (is_bound(ShaderStage::Vertex), is_bound(ShaderStage::Fragment)) {
        (false, false) => Ok(Shaders::None),
        (false, true) => Err(ContractError::MissingShader { found: "a pixel shader", missing: "a vertex shader" }),
        (true, has_fragment) => {
            let vertex = usable(ShaderStage::Vertex, context.shader(ShaderStage::Vertex))?;
            let fragment = has_fragment.then(|| usable(ShaderStage::Fragment, context.shader(ShaderStage::Fragment)));
            let world = if vertex.is_d3d9 { World::Direct3d9 } else { World::Direct3d11 };
            Ok(Shaders::Bound { world, vertex, fragment: fragment.transpose()? })
        }
    }
}

/// Whether a depth surface is as large as the colour targets beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepthFit {
    /// It is, or there are none of one kind.
    Fits,
    /// It is not, and the draw can be drawn all the same.
    Unfit,
}

impl TargetUse {
    /// Whether depth or stencil is tested or written.
    fn uses_depth_surface(self) -> bool {
        [self.depth, self.stencil].iter().any(|access| access.reads || access.writes)
    }

    fn of(shaders: &Shaders<'_>, fixed: &FixedState) -> Self {
        let is_output = |target: u32| match shaders {
            Shaders::None => target == 0,
            Shaders::Bound { fragment, .. } => fragment.is_some_and(|slots| slots.used.outputs.contains(target)),
        };
        let is_written = |target: &u32| is_output(*target) && fixed.color_write_mask(*target) != 0;
        let colors = (0..MOST_COLOR_TARGETS as u32).filter(is_written).fold(0, |colors, target| colors | 1 << target);
        Self { colors, depth: fixed.depth_access(), stencil: fixed.stencil_access() }
    }
}

/// The fixed state of a draw.
fn fixed_state(context: &Context, shaders: &Shaders<'_>) -> FixedState {
    match shaders {
        Shaders::Bound { world: World::Direct3d9, .. } => FixedState::of_d3d9(&context.render_states).0,
        Shaders::Bound { .. } => context.fixed_state_of_d3d11(),
        Shaders::None => context.fixed_state_of_d3d11().without_culling(),
    }
}

impl Context {
    /// The fixed state of draws in the world of Direct3D 10 and 11.
    pub fn fixed_state_of_d3d11(&self) -> FixedState {
        FixedState::of_d3d11(&self.blend.value, &self.depth_stencil.value, &self.rasterizer.value).0
    }

    pub(super) fn render_state_set_by(&self, state: u32) -> EarlierCommand {
        // silent: Direct3D 9 has no such state
        self.render_states_set_by.get(state as usize).copied().unwrap_or_default()
    }
}
