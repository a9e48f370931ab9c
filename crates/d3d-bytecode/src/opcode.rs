//! Every instruction and declaration of SM1 to SM5, by the name that disassembly has for it.
//!
//! What number an opcode has in a token, and which operands follow, is a matter of each encoding: see the tables of the
//! decoders. Names that several models share are one opcode here, also where the arithmetic differs in corners.

/// Defines [`Opcode`] by rows of `Variant "name"`.
macro_rules! opcodes {
    ($($variant:ident $text:literal)*) => {
        /// An instruction or a declaration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Opcode {$(
            #[doc = concat!("`", $text, "`")]
            $variant,
        )*}

        impl Opcode {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in disassembly, without suffixes.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The opcode of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

opcodes! {
    // Arithmetic of floats.
    Mov "mov" Add "add" Mad "mad" Mul "mul" Div "div" Dp2 "dp2" Dp3 "dp3" Dp4 "dp4" Min "min" Max "max"
    Rcp "rcp" Rsq "rsq" Sqrt "sqrt" Exp "exp" Log "log" Frc "frc" SinCos "sincos"
    RoundNe "round_ne" RoundNi "round_ni" RoundPi "round_pi" RoundZ "round_z"
    DerivRtx "deriv_rtx" DerivRty "deriv_rty" DerivRtxCoarse "deriv_rtx_coarse" DerivRtxFine "deriv_rtx_fine"
    DerivRtyCoarse "deriv_rty_coarse" DerivRtyFine "deriv_rty_fine"
    // Comparisons and choices.
    Eq "eq" Ge "ge" Lt "lt" Ne "ne" Gt "gt" Le "le" MovC "movc" SwapC "swapc"
    // Integers and bits.
    IAdd "iadd" ISub "isub" IMul "imul" IMad "imad" IMin "imin" IMax "imax" INeg "ineg" IAbs "iabs" IDiv "idiv"
    UMul "umul" UMad "umad" UMin "umin" UMax "umax" UDiv "udiv" UAddC "uaddc" USubB "usubb" IAddC "iaddc" ISubC "isubc"
    IEq "ieq" IGe "ige" ILt "ilt" INe "ine" UGe "uge" ULt "ult"
    And "and" Or "or" Xor "xor" Not "not" IShl "ishl" IShr "ishr" UShr "ushr"
    Bfi "bfi" BfRev "bfrev" Ubfe "ubfe" Ibfe "ibfe" CountBits "countbits"
    FirstBitHi "firstbit_hi" FirstBitLo "firstbit_lo" FirstBitShi "firstbit_shi" Msad "msad"
    // Conversions.
    FToI "ftoi" FToU "ftou" IToF "itof" UToF "utof" F32ToF16 "f32tof16" F16ToF32 "f16tof32"
    // Doubles.
    DAdd "dadd" DMax "dmax" DMin "dmin" DMul "dmul" DEq "deq" DGe "dge" DLt "dlt" DNe "dne" DMov "dmov" DMovC "dmovc"
    DDiv "ddiv" DFma "dfma" DRcp "drcp" DToF "dtof" FToD "ftod" DToI "dtoi" DToU "dtou" IToD "itod" UToD "utod"
    // Control flow.
    If "if" IfC "ifc" Else "else" EndIf "endif" Loop "loop" EndLoop "endloop" Rep "rep" EndRep "endrep"
    Break "break" BreakC "breakc" BreakP "breakp" Continue "continue" ContinueC "continuec"
    Switch "switch" Case "case" Default "default" EndSwitch "endswitch"
    Call "call" CallC "callc" CallNz "callnz" FCall "fcall" Label "label" Ret "ret" RetC "retc" Nop "nop"
    Discard "discard" Clip "clip" Abort "abort" DebugBreak "debug_break"
    // Textures and buffers.
    Sample "sample" SampleB "sample_b" SampleC "sample_c" SampleCLz "sample_c_lz" SampleD "sample_d" SampleL "sample_l"
    Gather4 "gather4" Gather4C "gather4_c" Gather4Po "gather4_po" Gather4PoC "gather4_po_c" Lod "lod"
    Ld "ld" LdMs "ldms" LdRaw "ld_raw" LdStructured "ld_structured" LdUavTyped "ld_uav_typed"
    StoreRaw "store_raw" StoreStructured "store_structured" StoreUavTyped "store_uav_typed"
    BufInfo "bufinfo" ResInfo "resinfo" SampleInfo "sampleinfo" SamplePos "samplepos"
    // The same, with a second result that tells whether memory was mapped.
    SampleClS "sample_cl_s" SampleBClS "sample_b_cl_s" SampleCClS "sample_c_cl_s" SampleCLzS "sample_c_lz_s"
    SampleDClS "sample_d_cl_s" SampleLS "sample_l_s" Gather4S "gather4_s" Gather4CS "gather4_c_s"
    Gather4PoS "gather4_po_s" Gather4PoCS "gather4_po_c_s" LdS "ld_s" LdMsS "ldms_s" LdRawS "ld_raw_s"
    LdStructuredS "ld_structured_s" LdUavTypedS "ld_uav_typed_s" CheckAccessFullyMapped "check_access_fully_mapped"
    // Memory that threads share.
    AtomicAnd "atomic_and" AtomicOr "atomic_or" AtomicXor "atomic_xor" AtomicCmpStore "atomic_cmp_store"
    AtomicIAdd "atomic_iadd" AtomicIMax "atomic_imax" AtomicIMin "atomic_imin" AtomicUMax "atomic_umax"
    AtomicUMin "atomic_umin" ImmAtomicAlloc "imm_atomic_alloc" ImmAtomicConsume "imm_atomic_consume"
    ImmAtomicIAdd "imm_atomic_iadd" ImmAtomicAnd "imm_atomic_and" ImmAtomicOr "imm_atomic_or"
    ImmAtomicXor "imm_atomic_xor" ImmAtomicExch "imm_atomic_exch" ImmAtomicCmpExch "imm_atomic_cmp_exch"
    ImmAtomicIMax "imm_atomic_imax" ImmAtomicIMin "imm_atomic_imin" ImmAtomicUMax "imm_atomic_umax"
    ImmAtomicUMin "imm_atomic_umin" Sync "sync"
    // Geometry, hull and pixel stages.
    Emit "emit" Cut "cut" EmitThenCut "emit_then_cut" EmitStream "emit_stream" CutStream "cut_stream"
    EmitThenCutStream "emit_then_cut_stream" HsDecls "hs_decls" HsControlPointPhase "hs_control_point_phase"
    HsForkPhase "hs_fork_phase" HsJoinPhase "hs_join_phase"
    EvalSnapped "eval_snapped" EvalSampleIndex "eval_sample_index" EvalCentroid "eval_centroid"
    // Direct3D 9 only.
    Sub "sub" Slt "slt" Sge "sge" Seq "seq" Sne "sne" ExpP "expp" LogP "logp" Lit "lit" Dst "dst" Lrp "lrp" Pow "pow" Crs "crs" Sgn "sgn"
    Abs "abs" Nrm "nrm" MovA "mova" Cnd "cnd" Cmp "cmp" Bem "bem" Dp2Add "dp2add" Dsx "dsx" Dsy "dsy" SetP "setp"
    M4x4 "m4x4" M4x3 "m4x3" M3x4 "m3x4" M3x3 "m3x3" M3x2 "m3x2" Phase "phase"
    TexCoord "texcoord" TexCrd "texcrd" TexKill "texkill" Tex "tex" TexLd "texld" TexLdP "texldp" TexLdB "texldb"
    TexLdD "texldd" TexLdL "texldl" TexBem "texbem" TexBemL "texbeml" TexReg2Ar "texreg2ar" TexReg2Gb "texreg2gb"
    TexReg2Rgb "texreg2rgb" TexM3x2Pad "texm3x2pad" TexM3x2Tex "texm3x2tex" TexM3x2Depth "texm3x2depth"
    TexM3x3Pad "texm3x3pad" TexM3x3Tex "texm3x3tex" TexM3x3Spec "texm3x3spec" TexM3x3VSpec "texm3x3vspec"
    TexM3x3 "texm3x3" TexDp3Tex "texdp3tex" TexDp3 "texdp3" TexDepth "texdepth"
    Dcl "dcl" Def "def" DefI "defi" DefB "defb"
    // Declarations of SM4 and SM5.
    DclResource "dcl_resource" DclResourceRaw "dcl_resource_raw" DclResourceStructured "dcl_resource_structured"
    DclConstantBuffer "dcl_constantbuffer" DclImmediateConstantBuffer "dcl_immediateConstantBuffer"
    DclSampler "dcl_sampler" DclUavTyped "dcl_uav_typed" DclUavRaw "dcl_uav_raw" DclUavStructured "dcl_uav_structured"
    DclTgsmRaw "dcl_tgsm_raw" DclTgsmStructured "dcl_tgsm_structured" DclIndexRange "dcl_indexRange"
    DclInput "dcl_input" DclInputSgv "dcl_input_sgv" DclInputSiv "dcl_input_siv" DclInputPs "dcl_input_ps"
    DclInputPsSgv "dcl_input_ps_sgv" DclInputPsSiv "dcl_input_ps_siv" DclOutput "dcl_output"
    DclOutputSgv "dcl_output_sgv" DclOutputSiv "dcl_output_siv" DclTemps "dcl_temps"
    DclIndexableTemp "dcl_indexableTemp" DclGlobalFlags "dcl_globalFlags" DclThreadGroup "dcl_thread_group"
    DclInputPrimitive "dcl_inputprimitive" DclOutputTopology "dcl_outputtopology"
    DclMaxOutputVertexCount "dcl_maxout" DclGsInstanceCount "dcl_gsinstances" DclStream "dcl_stream"
    DclInputControlPointCount "dcl_input_control_point_count"
    DclOutputControlPointCount "dcl_output_control_point_count" DclTessDomain "dcl_tessellator_domain"
    DclTessPartitioning "dcl_tessellator_partitioning" DclTessOutputPrimitive "dcl_tessellator_output_primitive"
    DclHsMaxTessFactor "dcl_hs_max_tessfactor" DclHsForkPhaseInstanceCount "dcl_hs_fork_phase_instance_count"
    DclHsJoinPhaseInstanceCount "dcl_hs_join_phase_instance_count" DclFunctionBody "dcl_function_body"
    DclFunctionTable "dcl_function_table" DclInterface "dcl_interface"
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
