//! The names that compilers leave: slots and variables, from the chunk RDEF and from constant tables.

use std::collections::BTreeSet;
use std::fs;

use crate::corpus::{FOLDERS, shaders};
use crate::fixture;
use d3d_bytecode::{
    BytecodeError, Container, Program, RegisterKind, SlotSet, SourceNames, decode, disassemble_with_names,
};
use dev_d3d_assembler::sm4::assemble::assemble;
use dev_d3d_assembler::sm4::container::pack;
use dev_trials::root;
use dev_trials::{Trial, trials_of};
use trace_base::error::Classified;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        names_are_those_of_the_source,
        names_stand_before_the_text,
        constant_tables_name_registers,
        nothing_plain_is_left_of_odd_names,
        lists_that_overlap_are_bounded,
        damaged_names_say_where,
        every_prefix_and_every_changed_byte_of_names,
    ];
    let folder = root().join(FOLDERS[1]);
    let of_corpus: Vec<Trial> = trials_of![compilers_name_every_slot];
    trials.extend(of_corpus.into_iter().map(|trial| trial.with_ignored_flag(!folder.is_dir())));
    trials
}

/// Where shaders lie in these tests' files.
const OFFSET: u64 = 0x1000;

fn read(bytes: &[u8]) -> (Program, Result<SourceNames<'_>, BytecodeError>) {
    let program = decode(bytes, OFFSET).unwrap();
    let names = SourceNames::of(&program, bytes, OFFSET);
    (program, names)
}

fn shown(names: &SourceNames<'_>) -> Vec<String> {
    let slot = |slot: &d3d_bytecode::SlotName<'_>| {
        let variables = slot.variables.iter().map(|variable| variable.describe(slot.first)).collect::<Vec<_>>();
        std::iter::once(slot.to_string()).chain(variables).collect::<Vec<_>>()
    };
    names.slots.iter().flat_map(slot).collect()
}

fn names_are_those_of_the_source() {
    for (name, expected) in [
        (
            "ps_flow",
            &[
                "s0 s",
                "s1 sc",
                "t0 t",
                "t1 depth",
                "t2 ta",
                "cb0 B",
                "cb0[0].x a, 64 bytes",
                "cb0[4].x n, 4 bytes",
                "cb0[4].y k, 4 bytes",
            ][..],
        ),
        ("cs_shared", &["t0 raw", "t1 st", "t2 tb", "u0 o", "u1 im", "u2 rw"][..]),
    ] {
        let bytes = fixture(&format!("sm4/{name}.dxbc"));
        assert_eq!(shown(&read(&bytes).1.unwrap()), expected, "{name}");
    }
    // Neither of these has been through a compiler.
    for name in ["sm4/every_5_0.dxbc", "legacy/ps_3_0.d3dbc"] {
        let bytes = fixture(name);
        assert_eq!(read(&bytes).1.unwrap(), SourceNames::default(), "{name}");
    }
}

fn names_stand_before_the_text() {
    let bytes = fixture("sm4/ps_flow.dxbc");
    let (program, names) = read(&bytes);
    let text = disassemble_with_names(&program, &names.unwrap());
    assert!(text.contains("\n// cb0 B\n//   cb0[0].x a, 64 bytes\n"), "{text}");
    assert!(decode(&dev_d3d_assembler::assemble(&text), 0).unwrap().is_same_code(&program));
}

/// A constant of four registers and a sampler in a comment.
fn constant_tables_name_registers() {
    let mut tokens = dev_d3d_assembler::assemble("ps_2_0\nmov oC0, c2\n");
    let (type_at, names_at) = (28 + 40, 28 + 40 + 16);
    let mut table: Vec<u8> = [28, 0, 0xffff_0200, 2, 28, 0, 0, names_at, 2 | 2 << 16, 4, type_at, 0]
        .into_iter()
        .chain([names_at + 6, 3 | 5 << 16, 1, type_at, 0])
        .chain([2 | 3 << 16, 4 | 4 << 16, 1, 0])
        .flat_map(u32::to_le_bytes)
        .collect();
    table.extend(b"world\0shadow\0\0\0\0");
    let comment = 0xfffe | (1 + table.len() as u32 / 4) << 16;
    let block = [&comment.to_le_bytes()[..], b"CTAB", &table].concat();
    tokens.splice(4..4, block.iter().copied());
    assert_eq!(shown(&read(&tokens).1.unwrap()), ["c2-c5 world", "s5 shadow"]);
    // The same tokens in a container.
    let contained = pack(&[(*b"SHDR", tokens)]);
    assert_eq!(shown(&read(&contained).1.unwrap()), ["c2-c5 world", "s5 shadow"]);
}

/// Names of bindings and buffers in a chunk of SM4: bindings, buffers, variables as dwords, then text.
struct Rdef {
    bindings: Vec<[u32; 8]>,
    buffers: Vec<[u32; 6]>,
    variables: Vec<[u32; 6]>,
    text: Vec<u8>,
}

impl Rdef {
    /// Where text begins.
    fn text_at(&self) -> u32 {
        28 + 32 * self.bindings.len() as u32 + 24 * (self.buffers.len() + self.variables.len()) as u32
    }

    fn shader(&self) -> Vec<u8> {
        let bindings_end = 28 + 32 * self.bindings.len() as u32;
        let header = [self.buffers.len() as u32, bindings_end, self.bindings.len() as u32, 28, 0xffff_0400, 0, 0];
        let words = header.into_iter().chain(self.bindings.iter().flatten().copied());
        let words = words.chain(self.buffers.iter().chain(&self.variables).flatten().copied());
        let bytes = words.flat_map(u32::to_le_bytes).chain(self.text.iter().copied()).collect();
        pack(&[(*b"RDEF", bytes), (*b"SHDR", assemble("ps_4_0\nret\n"))])
    }
}

fn one_texture(text: &[u8]) -> Rdef {
    let mut rdef = Rdef { bindings: vec![[0; 8]], buffers: vec![], variables: vec![], text: text.to_vec() };
    rdef.bindings[0] = [rdef.text_at(), 2, 5, 4, 0, 3, 1, 0];
    rdef
}

fn nothing_plain_is_left_of_odd_names() {
    let bytes = one_texture(b"a\n\x1b[31m\0").shader();
    let (program, names) = read(&bytes);
    let text = disassemble_with_names(&program, &names.unwrap());
    assert_eq!(text, "// t3 a\\n\\u{1b}[31m\nps_4_0\nret\n");
}

fn lists_that_overlap_are_bounded() {
    // A hundred constant buffers, each of which has the thousand variables of the others.
    let mut rdef = Rdef {
        bindings: vec![[0; 8]; 100],
        buffers: vec![[0; 6]],
        variables: vec![[0; 6]; 1000],
        text: b"n\0".to_vec(),
    };
    let at = rdef.text_at();
    let variables_at = at - 24 * 1000;
    rdef.bindings = (0..100).map(|slot| [at, 0, 0, 0, 0, slot % 14, 1, 0]).collect();
    rdef.buffers = vec![[at, 1000, variables_at, 16000, 0, 0]];
    rdef.variables = (0..1000).map(|number| [at, 16 * number, 16, 2, 0, 0]).collect();
    let bytes = rdef.shader();
    let error = read(&bytes).1.unwrap_err();
    assert_eq!(error.to_string(), "the shader's number of names is 32769: this build's limit is 32768, at 0x1030");
    rdef.bindings.truncate(1);
    let at = rdef.text_at();
    rdef.bindings[0][0] = at;
    rdef.buffers[0] = [at, 1000, at - 24 * 1000, 16000, 0, 0];
    rdef.variables.iter_mut().for_each(|variable| variable[0] = at);
    assert_eq!(read(&rdef.shader()).1.unwrap().slots[0].variables.len(), 1000);
    // A table that says it has four billion constants, all of them the same.
    let mut bytes = one_texture(b"t\0").shader();
    let count = 32 + 4 * 2 + 8 + 8;
    bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(read(&bytes).1, Err(BytecodeError::OutOfBytes { .. })));
}

fn damaged_names_say_where() {
    let long = [vec![b'n'; 1025], vec![0]].concat();
    for (text, message) in [
        (&b"endless"[..], "name 0: expected its end within the chunk, at 0x104c"),
        (b"\xff\xfe\0", "name 0: expected its end within the chunk, at 0x104c"),
        (&long, "the shader's name is 1025: this build's limit is 1024, at 0x104c"),
    ] {
        assert_eq!(read(&one_texture(text).shader()).1.unwrap_err().to_string(), message);
    }
    let mut unknown = one_texture(b"t\0");
    unknown.bindings[0][1] = 12;
    let message = "names of the source (RDEF): expected a known type of a binding, found 12, at 0x104c";
    assert_eq!(read(&unknown.shader()).1.unwrap_err().to_string(), message);
    let short = pack(&[(*b"RDEF", vec![0; 27]), (*b"SHDR", assemble("ps_4_0\nret\n"))]);
    let message = "names of the source (RDEF): expected 4 more bytes, found 3, at 0x1048";
    assert_eq!(read(&short).1.unwrap_err().to_string(), message);
}

fn every_prefix_and_every_changed_byte_of_names() {
    let compiled = fixture("sm4/ps_flow.dxbc");
    let container = Container::parse(&compiled, 0).unwrap();
    let (rdef, program) = (container.find(b"RDEF").unwrap().bytes, container.program().unwrap().bytes);
    let check = |rdef: &[u8]| {
        let bytes = pack(&[(*b"RDEF", rdef.to_vec()), (*b"SHEX", program.to_vec())]);
        match read(&bytes).1 {
            Ok(names) => assert!(names.slots.len() <= 32768),
            Err(error) => {
                let within = OFFSET..=OFFSET + bytes.len() as u64;
                assert!(error.offset().is_some_and(|offset| within.contains(&offset)), "{error}");
            }
        }
    };
    (0..rdef.len()).for_each(|end| check(&rdef[..end]));
    let mut changed = rdef.to_vec();
    for at in 0..rdef.len() {
        for bits in [1, 0x10, 0x80, 0xff] {
            changed[at] = rdef[at] ^ bits;
            check(&changed);
        }
        changed[at] = rdef[at];
    }
}

/// vkd3d names whatever a compiled shader declares.
fn compilers_name_every_slot() {
    let mut named_slots = 0;
    for path in shaders(&root().join(FOLDERS[1])) {
        let bytes = fs::read(&path).unwrap();
        let (program, names) = read(&bytes);
        let names = names.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if Container::parse(&bytes, 0).unwrap().find(b"RDEF").is_none() {
            assert_eq!(names, SourceNames::default(), "{}", path.display());
            continue;
        }
        let declared = program.declared_slots();
        for (kind, slots) in [
            (RegisterKind::ConstantBuffer, declared.constant_buffers),
            (RegisterKind::Resource, declared.resources),
            (RegisterKind::Sampler, declared.samplers),
            (RegisterKind::Uav, declared.uavs),
        ] {
            let of_kind = names.slots.iter().filter(|slot| slot.kind == kind);
            let of_kind: SlotSet = of_kind.flat_map(|slot| slot.first..slot.first + slot.count).collect();
            assert!(slots.without(of_kind).is_empty(), "{}: {kind:?} {slots:?}, named {of_kind:?}", path.display());
            named_slots += slots.len();
        }
        let unique: BTreeSet<String> = names.slots.iter().map(ToString::to_string).collect();
        assert_eq!(unique.len(), names.slots.len(), "{}", path.display());
    }
    assert!(named_slots > 90, "{named_slots}");
}
