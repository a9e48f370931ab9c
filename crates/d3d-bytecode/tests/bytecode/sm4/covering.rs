//! Programs made of the decoders' tables: every instruction with every form of operand that it takes, every declaration.

use d3d_bytecode::{ControlBits, EMULATOR_INSTRUCTIONS, EmulatorForm, INSTRUCTIONS, InstructionForm, Opcode, Role};

/// Forms of what is read: kinds of registers, lanes, modifiers, indices, immediate values.
const SOURCES: [&str; 14] = [
    "r1.xyzw",
    "-r2.yxwz",
    "|r3.wzyx|",
    "-|r1.x|",
    "v1.xyzw",
    "v[r0.x + 1].xyzw",
    "x0[2].xyzw",
    "x0[r0.x + 1].y",
    "x0[x0[r0.w + 0].z + 2].xyzw",
    "cb0[3].xyzw",
    "cb0[r0.y + 2].w",
    "icb[r0.z + 1].xyzw",
    "l(1.5, -2, 0x7fc00000, 3.0e-5)",
    "l(4)",
];
const DOUBLES: [&str; 2] = ["d(1.5, -0.25)", "-r1.xyzw"];
const RESULTS: [&str; 6] = ["r0.xyzw", "o0.xz", "x0[1].y", "x0[r0.x + 1].xyzw", "null", "o[r1.x + 1].xyzw"];
const EMULATOR_SOURCES: [&str; 9] = [
    "r1.xyzw",
    "-r2.yxwz",
    "|r3.wzyx|",
    "-|r1.x|",
    "v1.xyzw",
    "cb0[3].xyzw",
    "vThreadIDInGroup.x",
    "l(1.5, -2, 0x7fc00000, 3.0e-5)",
    "l(4)",
];
const CONDITIONS: [&str; 8] = ["z", "nz", "eq", "ne", "gt", "ge", "lt", "le"];
const EMULATOR_RESULTS: [&str; 4] = ["r0.xyzw", "o0.xz", "null", "oDepth"];

/// Instructions that vkd3d 2.1 has no text for, or only within a hull shader.
const VKD3D_LACKS: &[Opcode] = &[
    Opcode::Call,
    Opcode::CallC,
    Opcode::Abort,
    Opcode::DebugBreak,
    Opcode::EvalSnapped,
    Opcode::EmitThenCut,
    Opcode::EmitThenCutStream,
    Opcode::FCall,
    Opcode::HsDecls,
    Opcode::HsControlPointPhase,
    Opcode::HsForkPhase,
    Opcode::HsJoinPhase,
    Opcode::Label,
    Opcode::UAddC,
    Opcode::UMad,
    Opcode::USubB,
];

/// Declarations that the programs need, for pixel shaders.
const PIXEL: &str = "\
dcl_globalFlags refactoringAllowed
dcl_immediateConstantBuffer { { 1, 2, 3, 4 }, { 0.5, -0.5, 0x7f800000, -1 } }
dcl_constantbuffer cb0[16], dynamicIndexed
dcl_constantbuffer cb1[1], immediateIndexed
dcl_sampler s0, mode_default
dcl_sampler s1, mode_comparison
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture2dms(4) (unorm,unorm,snorm,snorm) t3
dcl_resource_buffer (uint,uint,uint,uint) t4
dcl_resource_texture1d (sint,sint,sint,sint) t5
dcl_resource_texture3d (mixed,mixed,mixed,mixed) t6
dcl_resource_texturecube (float,float,float,float) t7
dcl_resource_texture1darray (float,float,float,float) t8
dcl_resource_texture2darray (float,float,float,float) t9
dcl_resource_texture2dmsarray(2) (float,float,float,float) t10
dcl_input_ps linear v1.xyzw
dcl_input_ps constant v2.xy
dcl_input_ps linear noperspective v3.xyzw
dcl_input_ps linear centroid v4.xyzw
dcl_input_ps linear noperspective centroid v5.xyzw
dcl_input_ps linear sample v6.xyzw
dcl_input_ps linear noperspective sample v7.xyzw
dcl_input_ps_siv linear noperspective v8.xyzw, position
dcl_input_ps_sgv constant v9.x, primitive_id
dcl_indexRange v1.xyzw, 4
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_output oDepth
dcl_output oMask
dcl_indexRange o0.xyzw, 2
dcl_temps 4
dcl_indexableTemp x0[8], 4
";

/// Facts of the same program in its container.
const SIGNATURES: &str = "\
.input
.param \"A\"[0].xyzw, v1.xyzw, float
.param \"A\"[1].xyzw, v2.xyzw, float
.param \"A\"[2].xyzw, v3.xyzw, float
.param \"A\"[3].xyzw, v4.xyzw, float
.param \"A\"[4].xyzw, v5.xyzw, float
.param \"A\"[5].xyzw, v6.xyzw, float
.param \"A\"[6].xyzw, v7.xyzw, float
.param \"SV_Position\"[0].xyzw, v8.xyzw, float, position
.param \"SV_PrimitiveID\"[0].x, v9.x, uint, primitive_id
.output
.param \"SV_Target\"[0].xyzw, o0.xyzw, float, target
.param \"SV_Target\"[1].xyzw, o1.xyzw, float, target
.param \"SV_Depth\"[0].x, none.xyzw, float, depth
.param \"SV_Coverage\"[0].x, none.xyzw, uint, coverage
.text
";

const PIXEL_5: &str = "\
dcl_resource_texturecubearray (float,float,float,float) t11
dcl_resource_raw t1
dcl_resource_structured t2, 16
dcl_uav_typed_texture2d (float,float,float,float) u0
dcl_uav_typed_buffer_glc (uint,uint,uint,uint) u1
dcl_uav_raw u2
dcl_uav_raw_glc u3
dcl_uav_structured u4, 8
dcl_uav_structured_glc u5, 8
dcl_uav_structured_opc u6, 4
dcl_tgsm_raw g0, 64
dcl_tgsm_structured g1, 16, 8
";

const GEOMETRY: &str = "\
gs_5_0
dcl_inputprimitive triangleadj
dcl_gsinstances 2
dcl_stream m0
dcl_outputtopology trianglestrip
dcl_maxout 12
dcl_input vPrim
dcl_input vGSInstanceID
dcl_input v[6][0].xyzw
dcl_input_siv v[6][1].xyzw, position
dcl_output o0.xyzw
dcl_output_siv o1.xyzw, position
dcl_output_siv o2.x, rendertarget_array_index
dcl_output_siv o3.x, viewport_array_index
dcl_output_sgv o4.x, primitive_id
dcl_output_siv o5.xy, clip_distance
dcl_temps 2
mov r0.x, vPrim
mov r1.x, vGSInstanceID
mov o0.xyzw, v[r0.x + 1][0].xyzw
emit
cut
emit_stream m0
cut_stream m0
ret
";

const HULL: &str = "\
hs_5_0
hs_decls
dcl_input_control_point_count 3
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_fractional_odd
dcl_tessellator_output_primitive output_triangle_cw
dcl_hs_max_tessfactor l(16.0)
hs_control_point_phase
dcl_input vOutputControlPointID
dcl_input v[3][0].xyzw
dcl_output o0.xyzw
dcl_temps 1
mov o0.xyzw, v[vOutputControlPointID + 0][0].xyzw
mov r0.x, vOutputControlPointID
ret
hs_fork_phase
dcl_hs_fork_phase_instance_count 3
dcl_input vForkInstanceID
dcl_input vicp[3][0].xyzw
dcl_input vocp[3][0].xyzw
dcl_output_siv o0.x, finalTriUeq0EdgeTessFactor
dcl_output_siv o1.x, finalTriVeq0EdgeTessFactor
dcl_output_siv o2.x, finalTriWeq0EdgeTessFactor
dcl_temps 2
mov r0.x, vForkInstanceID
mov r1.xyzw, vicp[r0.x + 0][0].xyzw
mov o0.x, vocp[1][0].x
ret
hs_join_phase
dcl_hs_join_phase_instance_count 1
dcl_input vJoinInstanceID
dcl_input vpc0.x
dcl_output_siv o3.x, finalTriInsideTessFactor
mov o3.x, vpc0.x
mov r0.x, vJoinInstanceID
ret
";

const DOMAIN: &str = "\
ds_5_0
dcl_input_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_input_siv vpc0.x, finalQuadUeq0EdgeTessFactor
dcl_input vDomain.xy
dcl_input vcp
";

const COMPUTE: &str = "\
cs_5_0
dcl_globalFlags refactoringAllowed | skipOptimization
dcl_thread_group 8, 4, 1
dcl_input vThreadID.xyz
dcl_input vThreadGroupID.xyz
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_input vCoverage
dcl_temps 1
mov r0.xyzw, vThreadID.xyzw
mov r0.xyzw, vThreadGroupID.xyzw
mov r0.xyzw, vThreadIDInGroup.xyzw
mov r0.x, vThreadIDInGroupFlattened
sync_t
sync_g
sync_g_t
sync_uglobal
sync_uglobal_g_t
sync_ugroup_g_t
ret
";

/// Interfaces and the rest that no compiler but Microsoft's writes.
const RARE: &str = "\
ps_5_0
dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil | enableRawAndStructuredBuffers
dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = { fb0 }
dcl_function_table ft1 = { fb1 }
dcl_interface fp0[1][1] = { ft0, ft1 }
dcl_interface_dynamicindexed fp1[4][2] = { ft0, ft1 }
dcl_uav_typed_texture2d_rov (float,float,float,float) u0
dcl_input vCoverage
dcl_input vInnerCoverage
dcl_output oDepthGE
dcl_output oDepthLE
dcl_output oMask
dcl_output oStencilRef
dcl_temps 2
fcall 0, fp0[0][0]
fcall 1, fp1[r0.x + 1][0]
mov oDepthGE, l(0.5)
mov oDepthLE, l(0.5)
mov oMask, vCoverage
mov oStencilRef, vInnerCoverage
mov r0.xy, vCycleCounter.xyzw
mov r0.xyzw, this[0].xyzw
mov r1.x, fi0.x
mov fo0.x, r1.x
mad_sat [precise(xz)] r0.xyzw {min16f}, r1.xyzw {min16f}, -r1.x {min2_8f}, r0.xyzw
iadd r0.x {min16i}, r0.x {min16i}, r1.x {min16u}
sampleinfo r0.x, rasterizer.xyzw
samplepos r0.xy, rasterizer.xyzw, l(1)
sampleinfo_uint r0.x, t0.xyzw
resinfo_uint r0.xyzw, l(0), t0.xyzw
ret
";

/// Programs by the model they are of.
pub fn programs() -> Vec<(&'static str, String)> {
    vec![
        ("every_4_0", covering("ps_4_0", (4, 0), PIXEL)),
        ("every_4_1", covering("ps_4_1", (4, 1), PIXEL)),
        ("every_5_0", covering("ps_5_0", (5, 0), &format!("{PIXEL}{PIXEL_5}"))),
        ("geometry", GEOMETRY.to_owned()),
        ("hull", HULL.to_owned()),
        (
            "domain",
            DOMAIN.replace(
                "dcl_input vcp\n",
                "dcl_output_siv o0.xyzw, position\ndcl_temps 1\nmov o0.xyzw, vDomain.xyzw\nret\n",
            ),
        ),
        ("compute", COMPUTE.to_owned()),
        ("rare", RARE.to_owned()),
        ("emulator", emulator()),
    ]
}

fn covering(profile: &str, model: (u8, u8), declarations: &str) -> String {
    let mut text = format!("{profile}\n{declarations}");
    for form in INSTRUCTIONS.iter().filter(|form| form.since <= model && form.control != ControlBits::Function) {
        for line in lines(form, model) {
            text += &line;
        }
    }
    text + "label l0\nret\n"
}

/// Program with one form of each instruction, by the model's numbers: small enough to lie beside the tests.
pub fn small_program(profile: &str, model: (u8, u8)) -> String {
    let declarations = if model >= (5, 0) { format!("{PIXEL}{PIXEL_5}") } else { PIXEL.to_owned() };
    let mut text = format!("{profile}\n{SIGNATURES}{declarations}");
    for form in
        INSTRUCTIONS.iter().filter(|form| form.since <= model && VKD3D_LACKS.iter().all(|lacks| *lacks != form.opcode))
    {
        text += &line(form, form.number as usize, model);
    }
    text.replace("dcl_indexRange o0.xyzw, 2\n", "").replace("o[r1.x + 1]", "o1").replace("-2, 0x7fc00000", "-2.5, 7")
        + "ret\n"
}

/// One instruction with each form of operand, as many lines as it takes.
fn lines(form: &InstructionForm, model: (u8, u8)) -> Vec<String> {
    let count = if form.operands.is_empty() { 1 } else { SOURCES.len() };
    (0..count).map(|variant| line(form, variant, model)).collect()
}

fn line(form: &InstructionForm, variant: usize, model: (u8, u8)) -> String {
    let is_double = form.opcode.name().starts_with('d') && form.number > 190;
    let operand = |(place, role): (usize, &Role)| match role {
        Role::Dst if (191..219).contains(&form.number) => ["r0.xy", "o0.xyzw", "x0[1].zw"][variant % 3],
        Role::Dst => RESULTS[(variant + place) % RESULTS.len()],
        Role::Src if is_double => DOUBLES[(variant + place) % DOUBLES.len()],
        Role::Src => SOURCES[(variant + place) % SOURCES.len()],
        Role::Resource => resource(form.opcode),
        Role::Sampler => "s0",
        Role::Written => written(form.opcode),
        Role::Label => "l0",
        Role::Stream => "m1",
    };
    let operands: Vec<&str> = form.operands.iter().enumerate().map(operand).collect();
    let name = format!("{}{}", form.opcode, suffix(form, variant, model));
    in_block(form.opcode, format!("{name} {}\n", operands.join(", ")))
}

fn suffix(form: &InstructionForm, variant: usize, model: (u8, u8)) -> &'static str {
    let has_five = model >= (5, 0);
    match form.control {
        ControlBits::Arithmetic if variant == 1 => "_sat",
        ControlBits::Arithmetic if variant == 2 && has_five => " [precise(xyzw)]",
        ControlBits::Test if variant.is_multiple_of(2) => "_nz",
        ControlBits::Test => "_z",
        ControlBits::Info if variant == 1 && form.opcode == Opcode::ResInfo => "_rcpFloat",
        ControlBits::Info if variant == 2 => "_uint",
        ControlBits::Sync => "_uglobal_g_t",
        ControlBits::Access if variant == 1 && !form.opcode.name().contains("aw") => "_aoffimmi(-8,7,1)",
        ControlBits::Access if variant == 2 && has_five && form.opcode == Opcode::LdStructured => {
            "_indexable(structured_buffer,stride=16)(mixed,mixed,mixed,mixed)"
        }
        ControlBits::Access if variant == 2 && has_five && form.opcode == Opcode::Sample => {
            "_aoffimmi_indexable(1,2,-3)(texture2d)(float,float,float,float)"
        }
        _ => "",
    }
}

fn resource(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::LdRaw | Opcode::LdRawS => "t1.xyzw",
        Opcode::LdStructured | Opcode::LdStructuredS => "t2.xyzw",
        Opcode::LdUavTyped | Opcode::LdUavTypedS => "u0.xyzw",
        Opcode::LdMs | Opcode::LdMsS | Opcode::SampleInfo | Opcode::SamplePos => "t3.xyzw",
        Opcode::BufInfo => "u4.x",
        _ => "t0.wzyx",
    }
}

fn written(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::StoreUavTyped => "u0.xyzw",
        Opcode::StoreRaw => "u2.xy",
        Opcode::StoreStructured => "g1.x",
        Opcode::ImmAtomicAlloc | Opcode::ImmAtomicConsume => "u6",
        _ => "g0",
    }
}

/// Puts what may stand only in a block into one, and ends what begins one.
fn in_block(opcode: Opcode, line: String) -> String {
    match opcode {
        Opcode::If | Opcode::IfC => format!("{line}endif\n"),
        Opcode::Else => "if_nz r0.x\nelse\nendif\n".to_owned(),
        Opcode::EndIf | Opcode::EndLoop | Opcode::EndSwitch => String::new(),
        Opcode::Loop => "loop\nbreak\nendloop\n".to_owned(),
        Opcode::Break | Opcode::BreakC | Opcode::Continue | Opcode::ContinueC => {
            format!("loop\n{line}break\nendloop\n")
        }
        Opcode::Switch => format!("{line}case l(1)\nbreak\ndefault\nbreak\nendswitch\n"),
        Opcode::Case => "switch r0.x\ncase l(7)\nbreak\nendswitch\n".to_owned(),
        Opcode::Default => "switch r0.x\ndefault\nbreak\nendswitch\n".to_owned(),
        Opcode::Label => format!("ret\n{line}"),
        _ => line,
    }
}

fn emulator() -> String {
    let mut text = "cs_5_0\n.dialect emulator\ndcl_immediateConstantBuffer { { 1, 2, 3, 4 } }\n\
        dcl_constantbuffer cb0[16], immediateIndexed\ndcl_sampler s0, mode_default\n\
        dcl_resource_texture2d (float,float,float,float) t0\ndcl_resource_raw t1\ndcl_resource_structured t2, 16\n\
        dcl_uav_typed_texture2d (float,float,float,float) u0\ndcl_uav_raw u2\ndcl_uav_structured u4, 8\n\
        dcl_input v1.xyzw\ndcl_input_siv v2.x, vertex_id\ndcl_output o0.xyzw\ndcl_output_siv o1.xyzw, position\n\
        dcl_inputprimitive triangle\ndcl_outputtopology trianglestrip\ndcl_maxout 3\ndcl_gsinstances 2\n\
        dcl_hs_max_tessfactor l(8.0)\ndcl_input_control_point_count 3\ndcl_tessellator_domain domain_tri\n\
        dcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\n\
        dcl_output_control_point_count 3\ndcl_thread_group 4, 2, 1\nhs_control_point_phase\nhs_fork_phase\n\
        hs_join_phase\nmov r0.xyzw, v[2][1].xyzw\nmov r0.xyzw, vThreadID.xyzw\nmov r0.xyzw, vThreadGroupID.xyzw\n\
        mov r0.x, vThreadIDInGroupFlattened\nmov oDepthGE, l(1)\nmov oDepthLE, l(0)\nbufinfo r0.x, t1.x\n\
        store_uav_typed u0.xyzw, r0.xyzw, r1.xyzw\nimm_atomic_iadd r0.x, u2, r1.x, l(1)\n"
        .to_owned();
    for row in EMULATOR_INSTRUCTIONS {
        let count = match (row.operands, row.form) {
            ([], _) => 1,
            (_, EmulatorForm::Condition) => EMULATOR_SOURCES.len() * CONDITIONS.len(),
            _ => EMULATOR_SOURCES.len(),
        };
        for variant in 0..count {
            text += &emulator_line(row.opcode, row.form, row.operands, variant);
        }
    }
    text
}

fn emulator_line(opcode: Opcode, form: EmulatorForm, roles: &[Role], variant: usize) -> String {
    let condition = CONDITIONS[variant / EMULATOR_SOURCES.len() % CONDITIONS.len()];
    let set_conditions = ["eq", "ne", "lt", "ge", "le", "gt", "ieq", "ilt", "igt"];
    let compares = !matches!(condition, "z" | "nz");
    let (mut name, mut roles) = (opcode.name().to_owned(), roles.to_vec());
    match form {
        EmulatorForm::Condition if compares => {
            name = format!("{}_{}", name.trim_end_matches('c'), condition);
        }
        EmulatorForm::Condition => {
            let name_of_test = if opcode == Opcode::IfC { "if" } else { &name };
            name = format!("{name_of_test}_{condition}");
            roles.truncate(1);
        }
        EmulatorForm::Test => name += if variant.is_multiple_of(2) { "_z" } else { "_nz" },
        EmulatorForm::Compare => name = format!("setp_{}", set_conditions[variant]),
        EmulatorForm::Sync => name += "_uglobal_g_t",
        EmulatorForm::LastOptional if variant % 2 == 1 => roles.truncate(3),
        EmulatorForm::Product if opcode == Opcode::UMad && variant % 2 == 1 => drop(roles.remove(0)),
        _ => {}
    }
    let is_plain = form == EmulatorForm::Plain && roles.first() == Some(&Role::Dst);
    let predicate = match variant {
        3 if is_plain => "(p0.x) ",
        4 if is_plain => "(!p0.y) ",
        _ => "",
    };
    if variant == 2 && is_plain {
        name += "_sat";
    }
    let operand = |(place, role): (usize, &Role)| match role {
        Role::Dst if opcode == Opcode::SetP => "p0.xy",
        Role::Dst => EMULATOR_RESULTS[(variant + place) % EMULATOR_RESULTS.len()],
        Role::Src if opcode == Opcode::Case => "l(4)",
        Role::Src => EMULATOR_SOURCES[(variant + place) % EMULATOR_SOURCES.len()],
        Role::Resource => resource(opcode),
        Role::Sampler => "s0",
        Role::Written => written(opcode).trim_start_matches('g').trim_start_matches("1.x"),
        Role::Label => "l0",
        Role::Stream => "m1",
    };
    let operands: Vec<&str> =
        roles.iter().enumerate().map(operand).map(|text| if text.is_empty() { "u4.x" } else { text }).collect();
    in_block(opcode, format!("{predicate}{name} {}\n", operands.join(", ")))
}
