//! Pixel shaders of the driver: stages of textures, fog, and copies.

use std::collections::BTreeMap;

use super::super::instruction::Instruction;
use super::super::opcode::Opcode;
use super::super::operand::{Lane, Lanes, Mask, Modifier, Operand, OperandValue, RegisterKind};
use super::super::program::Program;
use super::stages::{Argument, CombinerStage, Operation, OperationKind};

/// The constant that holds Direct3D 9's texture factor.
const TEXTURE_FACTOR: u32 = 255;

/// The purpose of a pixel shader that the driver made.
pub(super) fn purpose(program: &Program) -> String {
    let Some(combiner) = Combiner::read(program) else { return unknown(program) };
    let mut parts: Vec<String> = combiner.stages.iter().map(ToString::to_string).collect();
    if parts.is_empty() {
        parts.push(combiner.first.to_string());
    }
    parts.extend(combiner.fog.map(str::to_owned));
    let of = if combiner.is_copy { "copy" } else { "fixed function" };
    format!("{of}: {}", parts.join(" -> "))
}

/// A shader of the driver whose instructions are none of those above.
fn unknown(program: &Program) -> String {
    let instructions = program.instructions();
    let textures = program.used_slots().samplers.iter().map(|slot| format!("texture {slot}")).collect::<Vec<_>>();
    let of = if textures.is_empty() { "colours".to_owned() } else { textures.join(", ") };
    format!("fixed function: {} of {of} instructions", instructions.len())
}

/// A combiner that is being read.
struct Combiner {
    /// The register of the result.
    result: u32,
    /// The result before the first stage.
    first: Argument,
    stages: Vec<CombinerStage>,
    fog: Option<&'static str>,
    is_copy: bool,
    /// The values of registers that are arguments.
    held: BTreeMap<u32, Argument>,
    /// Products of blends: of which register, its argument and its weight.
    products: BTreeMap<u32, (Argument, Argument)>,
}

impl Combiner {
    fn read(program: &Program) -> Option<Self> {
        let (last, body) = program.instructions().split_last()?;
        let [to, from] = program.operands(last) else { return None };
        let (kind, result) = register(from)?;
        if last.opcode != Opcode::Mov || to.kind() != Some(RegisterKind::OutputColor) || kind != RegisterKind::Temp {
            return None;
        }
        let has_fog = |instruction: &&Instruction| reads_depth(program, instruction);
        let fog_at = body.iter().position(|instruction| has_fog(&instruction)).unwrap_or(body.len());
        let (combined, fogged) = body.split_at_checked(fog_at)?;
        let mut combiner = Self {
            result,
            first: Argument::Named("diffuse".to_owned()),
            stages: Vec::new(),
            fog: (!fogged.is_empty()).then(|| fog_curve(program, fogged)),
            is_copy: false,
            held: BTreeMap::new(),
            products: BTreeMap::new(),
        };
        for instruction in combined {
            combiner.take(program, instruction)?;
        }
        combiner.stages.retain(|stage| !stage.is_empty());
        Some(combiner)
    }

    /// Takes in an instruction; nothing if it is none of a combiner's.
    fn take(&mut self, program: &Program, instruction: &Instruction) -> Option<()> {
        let operands = program.operands(instruction);
        let (to, sources) = operands.split_first()?;
        let (kind, number) = register(to)?;
        if kind != RegisterKind::Temp {
            return None;
        }
        if matches!(instruction.opcode, Opcode::TexLd | Opcode::TexLdP) {
            let (_, slot) = register(operands.last()?)?;
            let texture = Argument::Named(format!("texture {slot}"));
            // A copy computes in the texture's own register.
            if number == self.result && self.stages.is_empty() {
                (self.first, self.is_copy) = (texture.clone(), true);
            }
            self.held.insert(number, texture);
            return Some(());
        }
        let arguments: Vec<Argument> = sources.iter().map(|source| self.argument(source)).collect::<Option<_>>()?;
        if number != self.result {
            return self.take_argument(instruction.opcode, number, arguments);
        }
        self.operate(instruction.opcode, to, sources, arguments)
    }

    /// Takes in what an operation reads: an argument, or a product that is added to another.
    fn take_argument(&mut self, opcode: Opcode, number: u32, arguments: Vec<Argument>) -> Option<()> {
        match (opcode, <[Argument; 1]>::try_from(arguments)) {
            (Opcode::Mov, Ok([argument])) => drop(self.held.insert(number, argument)),
            (Opcode::Mul, Err(arguments)) => {
                let [argument, weight] = <[Argument; 2]>::try_from(arguments).ok()?;
                self.products.insert(number, (argument, weight));
            }
            _ => return None,
        }
        Some(())
    }

    /// Takes in an operation of a stage.
    fn operate(&mut self, opcode: Opcode, to: &Operand, sources: &[Operand], arguments: Vec<Argument>) -> Option<()> {
        let mask = match to.lanes {
            Lanes::Mask(mask) => mask,
            _ => Mask::ALL,
        };
        let is_of_result = |source: &Operand| register(source) == Some((RegisterKind::Temp, self.result));
        let is_copy_of_itself = self.is_copy && self.stages.is_empty();
        if sources.first().is_some_and(is_of_result) && !is_copy_of_itself {
            return self.change(opcode, mask, sources, &arguments);
        }
        let kind = match (opcode, arguments.len()) {
            (Opcode::Mov, 1) if self.stages.is_empty() && mask == Mask::ALL => {
                self.first = arguments.into_iter().next()?;
                return Some(());
            }
            (Opcode::Mov, 1) => OperationKind::Select,
            (Opcode::Mul, 2) => OperationKind::Modulate,
            (Opcode::Add, 2) => match arguments.as_slice() {
                [_, Argument::Negative(_)] => OperationKind::Subtract,
                _ => OperationKind::Add,
            },
            (Opcode::Mad, 3) => OperationKind::MultiplyAdd,
            (Opcode::Lrp, 3) => OperationKind::Blend,
            (Opcode::Dp3, 2) => OperationKind::DotProduct3,
            (other, _) => OperationKind::Other(other.name()),
        };
        let arguments = match (&kind, arguments) {
            (OperationKind::Subtract, arguments) => arguments.into_iter().map(without_minus).collect(),
            (OperationKind::Blend, arguments) => {
                let [weight, one, other] = <[Argument; 3]>::try_from(arguments).ok()?;
                vec![one, other, weight]
            }
            (_, arguments) => arguments,
        };
        self.put(mask, Operation::new(kind, arguments));
        Some(())
    }

    /// Takes in a change of the result: a doubling, a bias, the second half of a blend, or an operation of it.
    fn change(&mut self, opcode: Opcode, mask: Mask, sources: &[Operand], arguments: &[Argument]) -> Option<()> {
        let second = sources.get(1).and_then(register).filter(|(kind, _)| *kind == RegisterKind::Temp);
        let product = second.and_then(|(_, number)| self.products.get(&number).cloned());
        let is_doubling = second.is_some_and(|(_, number)| number == self.result)
            && sources.iter().all(|source| source.modifier == Modifier::None);
        let has_stage = !self.stages.is_empty();
        match (opcode, product, arguments) {
            (Opcode::Add, Some((other, _)), _) if has_stage => {
                let is_less = sources.get(1).is_some_and(|source| source.modifier == Modifier::Negate);
                self.each(mask, |operation| operation.add_product(&other, is_less));
            }
            (Opcode::Add, None, _) if is_doubling && has_stage => self.each(mask, |operation| operation.doublings += 1),
            (Opcode::Mov, None, [Argument::Biased(_)]) if has_stage => {
                self.each(mask, |operation| operation.is_signed = true);
            }
            (Opcode::Add, None, [_, Argument::Negative(_)]) => {
                let arguments = arguments.iter().cloned().map(without_minus).collect();
                self.put(mask, Operation::new(OperationKind::Subtract, arguments));
            }
            (Opcode::Add, None, _) => self.put(mask, Operation::new(OperationKind::Add, arguments.to_vec())),
            (Opcode::Mul, None, _) => self.put(mask, Operation::new(OperationKind::Modulate, arguments.to_vec())),
            (Opcode::Mad, None, _) => self.put(mask, Operation::new(OperationKind::MultiplyAdd, arguments.to_vec())),
            (Opcode::Mov, None, _) => self.put(mask, Operation::new(OperationKind::Select, arguments.to_vec())),
            (other, ..) => self.put(mask, Operation::new(OperationKind::Other(other.name()), arguments.to_vec())),
        }
        Some(())
    }

    /// Puts an operation in the last stage, or in a new one if that has one of these lanes already.
    fn put(&mut self, mask: Mask, operation: Operation) {
        let (has_color, has_alpha) = lanes_of(mask);
        let is_new = self.stages.last().is_none_or(|stage| {
            has_color && (stage.color.is_some() || stage.alpha.is_some()) || has_alpha && stage.alpha.is_some()
        });
        if is_new {
            self.stages.push(CombinerStage::default());
        }
        if let Some(stage) = self.stages.last_mut() {
            if has_color {
                stage.color = Some(operation.clone());
            }
            if has_alpha {
                stage.alpha = Some(operation);
            }
        }
    }

    /// Changes the operations of the last stage.
    fn each(&mut self, mask: Mask, change: impl Fn(&mut Operation)) {
        let (has_color, has_alpha) = lanes_of(mask);
        if let Some(CombinerStage { color, alpha }) = self.stages.last_mut() {
            color.as_mut().filter(|_| has_color).into_iter().for_each(&change);
            alpha.as_mut().filter(|_| has_alpha).into_iter().for_each(&change);
        }
    }

    /// An operand as an argument.
    fn argument(&self, operand: &Operand) -> Option<Argument> {
        let (kind, number) = register(operand)?;
        let plain = match kind {
            RegisterKind::Temp if number == self.result => match self.stages.is_empty() {
                true => self.first.clone(),
                false => Argument::Current,
            },
            RegisterKind::Temp => match self.held.get(&number) {
                Some(held) => held.clone(),
                None => self.products.get(&number)?.0.clone(),
            },
            RegisterKind::Input => Argument::Named(if number == 0 { "diffuse" } else { "specular" }.to_owned()),
            RegisterKind::Constant if number == TEXTURE_FACTOR => Argument::Named("texture factor".to_owned()),
            RegisterKind::Constant => Argument::Named(format!("constant {number}")),
            RegisterKind::TextureCoordinate => Argument::Named(format!("texture coordinate {number}")),
            _ => return None,
        };
        let lane = match operand.lanes {
            Lanes::Swizzle(swizzle) => match swizzle.lanes() {
                [first, rest @ ..] if rest.iter().all(|lane| *lane == first) => Some(lane_name(first)),
                _ => None,
            },
            _ => None,
        };
        let value = lane.map_or(plain.clone(), |lane| Argument::Lane(Box::new(plain), lane));
        let of = Box::new(value.clone());
        Some(match operand.modifier {
            Modifier::Complement => Argument::Complement(of),
            Modifier::Negate => Argument::Negative(of),
            Modifier::Bias => Argument::Biased(of),
            Modifier::Double => Argument::Doubled(of),
            Modifier::Sign => Argument::Signed(of),
            Modifier::None => value,
            _ => return None,
        })
    }
}

fn lane_name(lane: Lane) -> &'static str {
    match lane {
        Lane::X => "red",
        Lane::Y => "green",
        Lane::Z => "blue",
        Lane::W => "alpha",
    }
}

fn without_minus(argument: Argument) -> Argument {
    match argument {
        Argument::Negative(of) => *of,
        other => other,
    }
}

/// Whether a mask has colours, and whether it has alpha.
fn lanes_of(mask: Mask) -> (bool, bool) {
    ([Lane::X, Lane::Y, Lane::Z].into_iter().any(|lane| mask.contains(lane)), mask.contains(Lane::W))
}

/// Whether an instruction reads the depth that the vertex shader has put into a texture coordinate.
fn reads_depth(program: &Program, instruction: &Instruction) -> bool {
    let is_depth = |operand: &Operand| {
        operand.kind() == Some(RegisterKind::TextureCoordinate)
            && matches!(operand.lanes, Lanes::Swizzle(swizzle) if swizzle.lanes() == [Lane::Z; 4])
    };
    !matches!(instruction.opcode, Opcode::TexLd | Opcode::TexLdP)
        && program.operands(instruction).iter().skip(1).any(is_depth)
}

/// The curve of fog, by its instructions.
fn fog_curve(program: &Program, instructions: &[Instruction]) -> &'static str {
    let has = |opcode: Opcode| instructions.iter().any(|instruction| instruction.opcode == opcode);
    let is_square = |instruction: &Instruction| match program.operands(instruction) {
        [_, one, other] => instruction.opcode == Opcode::Mul && one == other,
        _ => false,
    };
    match has(Opcode::Exp) || has(Opcode::ExpP) || has(Opcode::Pow) {
        true if instructions.iter().any(is_square) => "exponential squared fog by z/w",
        true => "exponential fog by z/w",
        false => "linear fog by z/w",
    }
}

/// Kind and number of an operand's register.
pub(super) fn register(operand: &Operand) -> Option<(RegisterKind, u32)> {
    match &operand.value {
        OperandValue::Register(register) => Some((register.kind, register.last_index().map_or(0, |index| index.base))),
        _ => None,
    }
}
