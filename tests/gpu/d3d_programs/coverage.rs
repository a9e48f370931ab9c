//! Instruction × form of operands × stage: what no program holds could be made wrong by anyone without a test to tell.

use std::collections::{BTreeMap, BTreeSet};

use aerogpu_replay::shader::d3d::{
    ControlBits, INSTRUCTIONS as TOKENS, Instruction as Decoded, Lane, Lanes, Modifier, Opcode, Operand, OperandValue,
    Program, RegisterKind,
};

use super::cells::{Form, INSTRUCTIONS};
use super::wrap::Stage;

/// Instructions that compute and no cell tries: cases of pictures try them, for pixel shaders alone, or they are refused.
const ELSEWHERE: &[Opcode] = &[
    Opcode::DerivRtx,
    Opcode::DerivRty,
    Opcode::DerivRtxCoarse,
    Opcode::DerivRtxFine,
    Opcode::DerivRtyCoarse,
    Opcode::DerivRtyFine,
    Opcode::Msad,
];

/// Numbers of 64 bits, which are refused.
fn is_double(number: u32) -> bool {
    (191..=202).contains(&number) || (210..=217).contains(&number)
}

/// Prints how many instructions of the programs have each form, and fails where a form that can be is in none. What the
/// programs hold is taken from their bytecode as it is decoded, not from what they were meant to hold.
pub fn every_cell_has_a_program() {
    let mut counts: BTreeMap<(Opcode, Form), [u32; 3]> = BTreeMap::new();
    let mut empty = Vec::new();
    for instruction in INSTRUCTIONS {
        let opcode = Opcode::from_name(instruction.name).unwrap();
        for (place, stage) in Stage::ALL.into_iter().enumerate() {
            let (_, case) = super::body(instruction, stage).case(stage);
            let program = case.program(stage.short_name()).unwrap();
            for decoded in program.instructions().iter().filter(|decoded| decoded.opcode == opcode) {
                for form in forms(&program, decoded) {
                    counts.entry((opcode, form)).or_default()[place] += 1;
                }
            }
        }
        let mut row = format!("{:<14}", instruction.name);
        for form in instruction.forms() {
            let [vertex, pixel, compute] = counts.get(&(opcode, form)).copied().unwrap_or_default();
            row += &format!(" {form:?} {vertex}/{pixel}/{compute}");
            if [vertex, pixel, compute].contains(&0) {
                empty.push(format!("{} {form:?}", instruction.name));
            }
        }
        println!("{row}");
    }
    assert!(empty.is_empty(), "no program has {empty:#?}");
    let tried: BTreeSet<Opcode> = counts.keys().map(|(opcode, _)| *opcode).collect();
    let computes = |control: ControlBits| control == ControlBits::Arithmetic;
    let lost: Vec<&str> = TOKENS
        .iter()
        .filter(|row| computes(row.control) && !is_double(row.number))
        .map(|row| row.opcode)
        .filter(|opcode| !tried.contains(opcode) && !ELSEWHERE.contains(opcode))
        .map(Opcode::name)
        .collect();
    assert!(lost.is_empty(), "no program has {lost:?}");
}

/// The forms that an instruction has.
fn forms(program: &Program, decoded: &Decoded) -> BTreeSet<Form> {
    let all = program.operands(decoded);
    let results = super::text::results(decoded.opcode.name());
    let (to, from) = all.split_at(results);
    // What lies in the operands alone is not to be told from their values.
    let mut forms = BTreeSet::from([Form::Plain, Form::OrdinaryValues]);
    if decoded.modifiers.saturate {
        forms.extend([Form::Saturate, Form::SaturateOrdinary]);
    }
    if results == 2 && to[0].kind() == Some(RegisterKind::Null) {
        forms.insert(Form::SecondResult);
    }
    if to.iter().any(|operand| matches!(operand.lanes, Lanes::Mask(mask) if mask.lanes().count() == 2)) {
        forms.insert(Form::Mask);
    }
    if to.iter().any(is_indexed) {
        forms.insert(Form::IndexableResult);
    }
    let number = |operand: &Operand| match &operand.value {
        OperandValue::Register(register) if register.kind == RegisterKind::Temp => {
            register.last_index().map(|of| of.base)
        }
        _ => None,
    };
    if from.iter().any(|operand| number(operand).is_some() && number(operand) == number(&to[0])) {
        forms.insert(Form::ResultIsSource);
    }
    forms.extend(from.iter().filter_map(form_of_source));
    forms.extend(from.iter().filter_map(|operand| match operand.modifier {
        Modifier::Negate => Some(Form::Negate),
        Modifier::Absolute => Some(Form::Absolute),
        Modifier::NegateAbsolute => Some(Form::NegateAbsolute),
        _ => None,
    }));
    forms
}

fn is_indexed(operand: &Operand) -> bool {
    matches!(&operand.value, OperandValue::Register(register)
        if register.kind == RegisterKind::IndexableTemp && register.last_index().is_some_and(|of| of.relative.is_some()))
}

fn form_of_source(operand: &Operand) -> Option<Form> {
    match (operand.kind(), &operand.value, operand.lanes) {
        (_, OperandValue::Immediate32(_), Lanes::One) => Some(Form::ImmediateOne),
        (_, OperandValue::Immediate32(_), _) => Some(Form::Immediate),
        (Some(RegisterKind::ConstantBuffer), ..) => Some(Form::ConstantBuffer),
        (Some(RegisterKind::ImmediateConstantBuffer), ..) => Some(Form::OwnConstants),
        _ if is_indexed(operand) => Some(Form::Indexable),
        (Some(RegisterKind::Temp), _, Lanes::Select(_)) => Some(Form::Select),
        (Some(RegisterKind::Temp), _, Lanes::Swizzle(swizzle)) if swizzle.lanes() != Lane::ALL => Some(Form::Swizzle),
        _ => None,
    }
}
