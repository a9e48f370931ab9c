//! Instructions that do not compute: control flow × condition × stage, and resource access × kind of resource × stage.

use std::collections::{BTreeMap, BTreeSet};

use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::shader::d3d::{
    Control, ControlBits, DeclarationKind, INSTRUCTIONS as TOKENS, InfoForm, Instruction, Opcode, Operand,
    OperandValue, Program, RegisterKind, ResourceShape, SyncFlags, Test, check_translation,
};

use super::assembly::assemble;
use super::resource_cells::Rows;
use super::wrap::{Body, Stage};
use super::{flow_cells, resource_cells};

/// Cells to try: instructions, the resources that each is tried on (`+`: texels added to the place too), and the
/// stages, by their first letters.
const CELLS: &[(&str, &str, &str)] = &[
    ("if_z if_nz else endif loop endloop break breakc_z breakc_nz continue continuec_z continuec_nz", "", "vpc"),
    ("switch case default endswitch ret retc_z retc_nz call callc_z callc_nz label nop", "", "vpc"),
    ("discard_z discard_nz", "", "p"),
    ("ld", "t-texture1d+ t-texture2d+ t-texture2darray+ t-texture3d+ t-buffer", "vpc"),
    (
        "sample_l sample_d",
        "t-texture1d+ t-texture2d+ t-texture2darray+ t-texture3d+ t-texturecube t-texturecubearray",
        "vpc",
    ),
    ("resinfo", "t-texture1d t-texture2d t-texture2darray t-texture3d t-texturecube t-texturecubearray", "vpc"),
    ("resinfo_uint", "t-texture1d t-texture2d t-texture2darray t-texture3d t-texturecube t-texturecubearray", "vpc"),
    (
        "resinfo_rcpFloat",
        "t-texture1d t-texture2d t-texture2darray t-texture3d t-texturecube t-texturecubearray",
        "vpc",
    ),
    ("gather4", "t-texture2d+ t-texture2darray+ t-texturecube t-texturecubearray", "vpc"),
    ("gather4_po", "t-texture2d t-texture2darray", "vpc"),
    ("sample_c_lz gather4_c", "t-texture2d+", "vpc"),
    ("gather4_po_c", "t-texture2d", "vpc"),
    (
        "sample sample_b",
        "t-texture1d+ t-texture2d+ t-texture2darray+ t-texture3d+ t-texturecube t-texturecubearray",
        "p",
    ),
    ("sample_c", "t-texture2d+", "p"),
    ("lod", "t-texture1d t-texture2d t-texture2darray t-texture3d", "p"),
    ("deriv_rtx deriv_rty deriv_rtx_coarse deriv_rtx_fine deriv_rty_coarse deriv_rty_fine", "", "p"),
    ("sampleinfo sampleinfo_uint samplepos", "rasterizer", "p"),
    ("bufinfo", "t-raw t-structured t-buffer", "vpc"),
    ("bufinfo", "u-raw u-structured u-buffer", "pc"),
    ("ld_raw", "t-raw", "vpc"),
    ("ld_structured", "t-structured", "vpc"),
    ("ld_raw store_raw", "u-raw", "pc"),
    ("ld_structured store_structured", "u-structured", "pc"),
    ("ld_uav_typed store_uav_typed", "u-buffer u-texture2d", "pc"),
    ("ld_raw store_raw", "g-raw", "c"),
    ("ld_structured store_structured", "g-structured", "c"),
    (
        // Of textures only some devices have any, and no stream binds one.
        "atomic_and atomic_or atomic_xor atomic_iadd atomic_imax atomic_imin atomic_umax atomic_umin",
        "u-raw u-structured u-buffer",
        "pc",
    ),
    ("atomic_cmp_store imm_atomic_exch imm_atomic_cmp_exch", "u-raw u-structured u-buffer", "pc"),
    (
        "imm_atomic_and imm_atomic_or imm_atomic_xor imm_atomic_iadd imm_atomic_imax imm_atomic_imin imm_atomic_umax \
         imm_atomic_umin",
        "u-raw u-structured u-buffer",
        "pc",
    ),
    (
        "atomic_and atomic_or atomic_xor atomic_iadd atomic_imax atomic_imin atomic_umax atomic_umin atomic_cmp_store \
         imm_atomic_and imm_atomic_or imm_atomic_xor imm_atomic_iadd imm_atomic_imax imm_atomic_imin imm_atomic_umax \
         imm_atomic_umin imm_atomic_exch imm_atomic_cmp_exch",
        "g-raw g-structured",
        "c",
    ),
    ("imm_atomic_alloc imm_atomic_consume", "u-structured", "pc"),
    (
        "sync_t sync_g sync_g_t sync_ugroup sync_ugroup_t sync_ugroup_g_t sync_uglobal sync_uglobal_t sync_uglobal_g \
         sync_uglobal_g_t sync_uglobal_ugroup_g_t",
        "",
        "c",
    ),
];

/// Instructions that are refused by name, as programs that hold them: of the pixel stage, unless they say another.
const REFUSED: &[(&str, &str)] = &[
    ("ldms", "dcl_resource_texture2dmsarray t0, float\nld_ms r0, l(0,0,0,0), t0, l(0)\n"),
    ("ld", "dcl_resource_texture1darray t0, float\nld r0, l(0,0,0,0), t0\n"),
    ("ld", "dcl_resource_texturecube t0, float\nld r0, l(0,0,0,0), t0\n"),
    ("lod", "dcl_resource_texturecube t0, float\ndcl_sampler s0\nlod r0, r0, t0, s0\n"),
    ("gather4_po", "dcl_resource_texturecube t0, float\ndcl_sampler s0\ngather4_po r0, r0, r0, t0, s0.x\n"),
    ("msad", "msad r0, r0, r0, r0\n"),
    ("dadd", "dadd r0, r0, r0\n"),
    ("eval_centroid", "eval_centroid r0, r0\n"),
    ("eval_sample_index", "eval_sample_index r0, r0, l(0)\n"),
    ("eval_snapped", "eval_snapped r0, r0, l(0,0,0,0)\n"),
];

/// Whether no stage that is drawn has it: refused for its own reason (numbers of 64 bits, tiled resources, interfaces), or
/// told to a debugger.
fn is_elsewhere(opcode: Opcode, number: u32) -> bool {
    const NAMED: &[&str] = &[
        "cut",
        "emit",
        "emit_then_cut",
        "emit_stream",
        "cut_stream",
        "emit_then_cut_stream",
        "hs_decls",
        "hs_control_point_phase",
        "hs_fork_phase",
        "hs_join_phase",
        "fcall",
        "abort",
        "debug_break",
    ];
    NAMED.contains(&opcode.name()) || (191..=202).contains(&number) || (210..=234).contains(&number)
}

pub fn every_other_cell_has_a_program() {
    let mut counts: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    let mut tried = BTreeSet::new();
    for (place, stage) in Stage::ALL.into_iter().enumerate() {
        let bodies: Vec<Body> =
            [flow_cells::body(stage)].into_iter().chain(resource_cells::bodies(stage, Rows::Here)).collect();
        for body in bodies {
            let program = body.case(stage).1.program(stage.short_name()).unwrap();
            for decoded in program.instructions() {
                tried.insert(decoded.opcode);
                counts.entry(cell(&program, decoded)).or_default()[place] += 1;
            }
        }
    }
    let mut empty = Vec::new();
    for (names, resources, stages) in CELLS {
        for name in names.split_whitespace() {
            for cell in cells_of(name, resources) {
                let found = counts.get(&cell).copied().unwrap_or_default();
                println!("{cell:<44} {}/{}/{}", found[0], found[1], found[2]);
                let is_empty = |(stage, count): (char, u32)| stages.contains(stage) && count == 0;
                empty.extend(
                    "vpc".chars().zip(found).filter(|of| is_empty(*of)).map(|(stage, _)| format!("{cell} in {stage}s")),
                );
            }
        }
    }
    assert!(empty.is_empty(), "no program has {empty:#?}");
    let refused: Vec<&str> = REFUSED.iter().map(|(name, _)| *name).collect();
    let lost = TOKENS.iter().filter(|row| row.control != ControlBits::Arithmetic && !tried.contains(&row.opcode));
    let lost = lost.filter(|row| !refused.contains(&row.opcode.name()) && !is_elsewhere(row.opcode, row.number));
    let lost: Vec<&str> = lost.map(|row| row.opcode.name()).collect();
    assert!(lost.is_empty(), "no program has {lost:?}");
}

/// Instructions that no API has are refused, by the instruction's name or the resource's.
pub fn what_is_not_drawn_is_refused() {
    for (name, text) in REFUSED {
        let text = format!("ps_5_0\ndcl_output o0\ndcl_temps 1\n{text}mov o0, r0\nret\n");
        let container = assemble(&text, &[], &[("SV_Target", 0, 15, 3, 0)]);
        let program =
            aerogpu_replay::shader::d3d::decode(&container, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
        let refused = check_translation(&program).map_err(|error| (error.kind(), error.to_string()));
        let (kind, message) = refused.expect_err(name);
        assert_eq!(kind, ErrorKind::Unsupported, "{name}: {message}");
    }
}

fn cells_of(name: &str, resources: &str) -> Vec<String> {
    if resources.is_empty() {
        return vec![name.to_owned()];
    }
    let of_resource = |resource: &str| match resource.strip_suffix('+') {
        Some(resource) => vec![format!("{name} {resource}"), format!("{name} {resource} with texels")],
        None => vec![format!("{name} {resource}")],
    };
    resources.split_whitespace().flat_map(of_resource).collect()
}

/// Cell of an instruction, and the resource that it is on.
fn cell(program: &Program, decoded: &Instruction) -> String {
    let mut text = decoded.opcode.name().to_owned();
    match decoded.control {
        Control::Test(Test::Zero) => text += "_z",
        Control::Test(Test::NonZero) => text += "_nz",
        Control::Sync(flags) => text += &parts_of(flags),
        Control::Access(access) => {
            text += match access.form {
                InfoForm::Uint => "_uint",
                InfoForm::Reciprocal => "_rcpFloat",
                InfoForm::Float => "",
            };
        }
        _ => {}
    }
    if let Some(resource) = program.operands(decoded).iter().find_map(|operand| resource(program, operand)) {
        text += &format!(" {resource}");
    }
    match decoded.control {
        Control::Access(access) if access.offsets != [0; 3] => text + " with texels",
        _ => text,
    }
}

fn parts_of(flags: SyncFlags) -> String {
    let SyncFlags { uav_global, uav_group, group_memory, threads } = flags;
    let parts = [(uav_global, "_uglobal"), (uav_group, "_ugroup"), (group_memory, "_g"), (threads, "_t")];
    parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, part)| part).collect()
}

/// The resource that an operand names, as it is declared.
fn resource(program: &Program, operand: &Operand) -> Option<String> {
    let OperandValue::Register(register) = &operand.value else { return None };
    let name = match register.kind {
        RegisterKind::Resource => "t",
        RegisterKind::Uav => "u",
        RegisterKind::ThreadGroupMemory => "g",
        RegisterKind::Rasterizer => return Some("rasterizer".to_owned()),
        _ => return None,
    };
    let slot = |operand: &Operand| match &operand.value {
        OperandValue::Register(register) => Some((register.kind, register.first_index()?.base)),
        _ => None,
    };
    let wanted = slot(operand);
    let declared = program.declarations().iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Resource { register, shape, .. } if slot(register) == wanted => Some(match shape {
            ResourceShape::Typed { dimension, .. } => dimension.name(),
            ResourceShape::Raw => "raw",
            ResourceShape::Structured { .. } => "structured",
        }),
        DeclarationKind::GroupMemory { register, stride_bytes, .. } if slot(register) == wanted => {
            Some(if stride_bytes.is_some() { "structured" } else { "raw" })
        }
        _ => None,
    });
    Some(format!("{name}-{}", declared?))
}
