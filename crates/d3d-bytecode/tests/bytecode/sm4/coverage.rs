//! Contents of the covering programs: every instruction of every model, every kind of operand.

use std::collections::{BTreeMap, BTreeSet};

use super::covering::programs;
use d3d_bytecode::{
    DECLARATIONS, Dialect, EMULATOR_INSTRUCTIONS, INSTRUCTIONS, Lanes, Modifier, Opcode, Operand, OperandValue,
    Program, REGISTER_KINDS, Role, decode,
};
use dev_d3d_assembler::same_when_assembled;
use dev_d3d_assembler::sm4::assemble::assemble;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of!(every_instruction_is_covered, every_declaration_and_register_is_covered, covering_programs_round_trip)
}

fn decoded() -> Vec<(&'static str, Program)> {
    let decode = |(name, text): (&'static str, String)| {
        let program = decode(&assemble(&text), 0);
        (name, program.unwrap_or_else(|error| panic!("{name}: {error}\n{text}")))
    };
    programs().into_iter().map(decode).collect()
}

fn covering_programs_round_trip() {
    for (name, program) in decoded() {
        same_when_assembled(&program).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    }
}

/// Columns of the table: a form that an operand can have.
fn forms(program: &Program, operand: &Operand) -> BTreeSet<&'static str> {
    let mut forms = BTreeSet::new();
    forms.insert(match &operand.value {
        OperandValue::Immediate32(_) if operand.lanes == Lanes::One => "l(1)",
        OperandValue::Immediate32(_) => "l(4)",
        OperandValue::Immediate64(_) => "d",
        OperandValue::Register(register) => register.kind.name(),
    });
    if let OperandValue::Register(register) = &operand.value {
        let relatives: Vec<_> = register.indices().iter().filter_map(|index| index.relative).collect();
        let nested = |id| matches!(program.relative(id).unwrap().value, OperandValue::Register(inner) if inner.indices().iter().any(|index| index.relative.is_some()));
        if !relatives.is_empty() {
            forms.insert("[r]");
        }
        if relatives.into_iter().any(nested) {
            forms.insert("[x[r]]");
        }
    }
    forms.insert(match operand.modifier {
        Modifier::Negate => "-",
        Modifier::Absolute => "| |",
        Modifier::NegateAbsolute => "-| |",
        Modifier::Not => "!",
        _ => return forms,
    });
    forms
}

fn table(program: &Program) -> BTreeMap<Opcode, BTreeSet<&'static str>> {
    let mut table: BTreeMap<Opcode, BTreeSet<&'static str>> = BTreeMap::new();
    for instruction in program.instructions() {
        let row = table.entry(instruction.opcode).or_default();
        for operand in program.operands(instruction).iter().chain(program.predicate(instruction)) {
            row.extend(forms(program, operand));
        }
        if instruction.modifiers.saturate {
            row.insert("_sat");
        }
    }
    table
}

fn every_instruction_is_covered() {
    let programs: BTreeMap<&str, Program> = decoded().into_iter().collect();
    for (name, model) in [("every_4_0", (4, 0)), ("every_4_1", (4, 1)), ("every_5_0", (5, 0))] {
        let table = table(&programs[name]);
        for form in INSTRUCTIONS.iter().filter(|form| form.since <= model && form.opcode != Opcode::FCall) {
            let row = table.get(&form.opcode).unwrap_or_else(|| panic!("{name}: no {}", form.opcode));
            println!("{name} {}: {}", form.opcode, row.iter().copied().collect::<Vec<_>>().join(" "));
            let is_double = form.opcode.name().starts_with('d') && form.number > 190;
            let takes_values = form.operands.contains(&Role::Src) && form.opcode != Opcode::Case;
            let expected: &[&str] = match (takes_values, is_double) {
                (true, false) => &["r", "v", "x", "cb", "icb", "l(1)", "l(4)", "[r]", "[x[r]]", "-", "| |", "-| |"],
                (true, true) => &["r", "d", "-"],
                _ => &[],
            };
            let missing: Vec<_> = expected.iter().filter(|form| !row.contains(*form)).collect();
            assert!(missing.is_empty(), "{name} {}: {missing:?}", form.opcode);
        }
    }
    let table = table(&programs["emulator"]);
    assert_eq!(programs["emulator"].dialect(), Dialect::Emulator);
    for form in EMULATOR_INSTRUCTIONS {
        let row = table.get(&form.opcode).unwrap_or_else(|| panic!("emulator: no {}", form.opcode));
        println!("emulator {}: {}", form.opcode, row.iter().copied().collect::<Vec<_>>().join(" "));
        let expected: &[&str] = match form.operands.contains(&Role::Src) && form.opcode != Opcode::Case {
            true => &["r", "v", "cb", "l(1)", "l(4)", "-", "| |", "-| |"],
            false => &[],
        };
        let missing: Vec<_> = expected.iter().filter(|form| !row.contains(*form)).collect();
        assert!(missing.is_empty(), "emulator {}: {missing:?}", form.opcode);
    }
}

fn every_declaration_and_register_is_covered() {
    let programs = decoded();
    let declared: BTreeSet<Opcode> = programs
        .iter()
        .flat_map(|(_, program)| program.declarations().iter().map(|declaration| declaration.opcode))
        .collect();
    let missing: Vec<_> = DECLARATIONS.iter().filter(|row| !declared.contains(&row.1)).map(|row| row.1).collect();
    // Of what SM4 and SM5 declare, vertex shaders' numbers are left to the corpora.
    assert_eq!(missing, [Opcode::DclInputSgv]);
    let mut kinds = BTreeSet::new();
    for (_, program) in &programs {
        for instruction in program.instructions() {
            kinds.extend(program.operands(instruction).iter().filter_map(Operand::kind));
        }
    }
    let declared_only = |kind: &_| {
        use d3d_bytecode::RegisterKind as K;
        matches!(kind, K::FunctionBody | K::FunctionTable | K::InputPrimitiveId)
    };
    let missing: Vec<_> =
        REGISTER_KINDS.iter().flatten().filter(|kind| !kinds.contains(kind) && !declared_only(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
