//! Results of both worlds' settings, each rule and each value by a table of its own.

use crate::support::harness::{Trial, trials_of};
use crate::support::{is_blessing, root};
use aerogpu_replay::command::{
    AddressMode, BlendEquation, BlendFactor, BlendOp, Comparison, CreateSampler, CullMode, FillMode, Filter,
    NumberedState, SamplerId, SetBlend, SetDepthStencil, SetRasterizer, Treatment,
};
use aerogpu_replay::replay::{
    ClipRange, DEFAULT_BLEND, DEFAULT_DEPTH_STENCIL, DEFAULT_RASTERIZER, DepthBias, DynamicState, FixedState,
    FloatBits, Fog, FogCurve, LegacyRules, PointNumbers, PointRules, RenderStates, Sampler, SamplerStates, Shading,
    StencilFace, StencilOp, TargetAccess, Winding,
};

pub fn trials() -> Vec<Trial> {
    trials_of![
        only_states_of_targets_change_what_draws_do_with_targets,
        every_render_state_has_its_name_and_default,
        every_sampler_state_has_its_name_and_default,
        values_are_told_in_direct3ds_words,
        a_zero_in_an_enumeration_from_one_is_its_default,
        an_unknown_value_is_the_default_with_a_remark,
        what_is_passed_over_is_told_where_it_differs,
        the_book_has_every_state,
        states_come_to_something_as_the_book_says,
        masks_are_full_until_they_are_set,
        what_is_not_defined_does_nothing,
        a_driver_that_sends_zeros_sets_few_things,
        the_defaults_of_direct3d_9_draw_as_documented,
        the_defaults_of_direct3d_11_draw_as_documented,
        every_blend_factor_of_direct3d_9_is_drawn,
        factors_that_set_both_sides_do,
        alpha_is_blended_like_the_colours_unless_it_is_separate,
        every_blend_operation_is_drawn,
        every_comparison_is_drawn,
        every_stencil_operation_is_drawn,
        stencil_has_two_sides_only_where_it_is_said,
        only_what_is_on_is_compared,
        triangles_are_filled_and_culled_as_set,
        depth_bias_is_in_its_worlds_units,
        colour_targets_have_their_own_masks,
        the_graph_is_told_what_a_draw_reads_and_writes,
        fog_and_the_rest_of_direct3d_9_are_kept,
        points_have_the_size_that_is_said_last,
        numbers_need_no_other_pipeline,
        the_packets_of_direct3d_11_are_taken_as_they_are,
        samplers_of_direct3d_9_come_to_what_they_say,
        samplers_of_direct3d_11_have_one_filter,
        a_state_is_listed_by_name,
    ]
}

fn states(set: &[(u32, u32)]) -> RenderStates {
    let mut states = RenderStates::default();
    for (state, value) in set {
        states.set(*state, *value);
    }
    states
}

fn d3d9(set: &[(u32, u32)]) -> FixedState {
    FixedState::of_d3d9(&states(set)).0
}

fn d3d9_numbers(set: &[(u32, u32)]) -> DynamicState {
    FixedState::of_d3d9(&states(set)).1
}

fn sampler(set: &[(u32, u32)]) -> Sampler {
    let mut states = SamplerStates::default();
    for (state, value) in set {
        states.set(*state, *value);
    }
    Sampler::of_d3d9(&states)
}

/// Direct3D 9's render states with their defaults, as its documentation has them.
const RENDER_STATES: &[(u32, &str, &str)] = &[
    (7, "ZENABLE", "TRUE"),
    (8, "FILLMODE", "SOLID"),
    (9, "SHADEMODE", "GOURAUD"),
    (14, "ZWRITEENABLE", "TRUE"),
    (15, "ALPHATESTENABLE", "FALSE"),
    (16, "LASTPIXEL", "TRUE"),
    (19, "SRCBLEND", "ONE"),
    (20, "DESTBLEND", "ZERO"),
    (22, "CULLMODE", "CCW"),
    (23, "ZFUNC", "LESSEQUAL"),
    (24, "ALPHAREF", "0"),
    (25, "ALPHAFUNC", "ALWAYS"),
    (26, "DITHERENABLE", "FALSE"),
    (27, "ALPHABLENDENABLE", "FALSE"),
    (28, "FOGENABLE", "FALSE"),
    (29, "SPECULARENABLE", "FALSE"),
    (34, "FOGCOLOR", "0x00000000"),
    (35, "FOGTABLEMODE", "NONE"),
    (36, "FOGSTART", "0"),
    (37, "FOGEND", "1"),
    (38, "FOGDENSITY", "1"),
    (48, "RANGEFOGENABLE", "FALSE"),
    (52, "STENCILENABLE", "FALSE"),
    (53, "STENCILFAIL", "KEEP"),
    (54, "STENCILZFAIL", "KEEP"),
    (55, "STENCILPASS", "KEEP"),
    (56, "STENCILFUNC", "ALWAYS"),
    (57, "STENCILREF", "0"),
    (58, "STENCILMASK", "0xffffffff"),
    (59, "STENCILWRITEMASK", "0xffffffff"),
    (60, "TEXTUREFACTOR", "0xffffffff"),
    (128, "WRAP0", "0x0"),
    (129, "WRAP1", "0x0"),
    (130, "WRAP2", "0x0"),
    (131, "WRAP3", "0x0"),
    (132, "WRAP4", "0x0"),
    (133, "WRAP5", "0x0"),
    (134, "WRAP6", "0x0"),
    (135, "WRAP7", "0x0"),
    (136, "CLIPPING", "TRUE"),
    (137, "LIGHTING", "TRUE"),
    (139, "AMBIENT", "0x00000000"),
    (140, "FOGVERTEXMODE", "NONE"),
    (141, "COLORVERTEX", "TRUE"),
    (142, "LOCALVIEWER", "TRUE"),
    (143, "NORMALIZENORMALS", "FALSE"),
    (145, "DIFFUSEMATERIALSOURCE", "COLOR1"),
    (146, "SPECULARMATERIALSOURCE", "COLOR2"),
    (147, "AMBIENTMATERIALSOURCE", "MATERIAL"),
    (148, "EMISSIVEMATERIALSOURCE", "MATERIAL"),
    (151, "VERTEXBLEND", "DISABLE"),
    (152, "CLIPPLANEENABLE", "0x0"),
    (154, "POINTSIZE", "1"),
    (155, "POINTSIZE_MIN", "1"),
    (156, "POINTSPRITEENABLE", "FALSE"),
    (157, "POINTSCALEENABLE", "FALSE"),
    (158, "POINTSCALE_A", "1"),
    (159, "POINTSCALE_B", "0"),
    (160, "POINTSCALE_C", "0"),
    (161, "MULTISAMPLEANTIALIAS", "TRUE"),
    (162, "MULTISAMPLEMASK", "0xffffffff"),
    (163, "PATCHEDGESTYLE", "DISCRETE"),
    (165, "DEBUGMONITORTOKEN", "ENABLE"),
    (166, "POINTSIZE_MAX", "64"),
    (167, "INDEXEDVERTEXBLENDENABLE", "FALSE"),
    (168, "COLORWRITEENABLE", "RGBA"),
    (170, "TWEENFACTOR", "0"),
    (171, "BLENDOP", "ADD"),
    (172, "POSITIONDEGREE", "CUBIC"),
    (173, "NORMALDEGREE", "LINEAR"),
    (174, "SCISSORTESTENABLE", "FALSE"),
    (175, "SLOPESCALEDEPTHBIAS", "0"),
    (176, "ANTIALIASEDLINEENABLE", "FALSE"),
    (178, "MINTESSELLATIONLEVEL", "1"),
    (179, "MAXTESSELLATIONLEVEL", "1"),
    (180, "ADAPTIVETESS_X", "0"),
    (181, "ADAPTIVETESS_Y", "0"),
    (182, "ADAPTIVETESS_Z", "1"),
    (183, "ADAPTIVETESS_W", "0"),
    (184, "ENABLEADAPTIVETESSELLATION", "FALSE"),
    (185, "TWOSIDEDSTENCILMODE", "FALSE"),
    (186, "CCW_STENCILFAIL", "KEEP"),
    (187, "CCW_STENCILZFAIL", "KEEP"),
    (188, "CCW_STENCILPASS", "KEEP"),
    (189, "CCW_STENCILFUNC", "ALWAYS"),
    (190, "COLORWRITEENABLE1", "RGBA"),
    (191, "COLORWRITEENABLE2", "RGBA"),
    (192, "COLORWRITEENABLE3", "RGBA"),
    (193, "BLENDFACTOR", "0xffffffff"),
    (194, "SRGBWRITEENABLE", "FALSE"),
    (195, "DEPTHBIAS", "0"),
    (198, "WRAP8", "0x0"),
    (199, "WRAP9", "0x0"),
    (200, "WRAP10", "0x0"),
    (201, "WRAP11", "0x0"),
    (202, "WRAP12", "0x0"),
    (203, "WRAP13", "0x0"),
    (204, "WRAP14", "0x0"),
    (205, "WRAP15", "0x0"),
    (206, "SEPARATEALPHABLENDENABLE", "FALSE"),
    (207, "SRCBLENDALPHA", "ONE"),
    (208, "DESTBLENDALPHA", "ZERO"),
    (209, "BLENDOPALPHA", "ADD"),
];

fn render_state_name(number: u32) -> Option<&'static str> {
    NumberedState::render_state(number).map(|state| state.name)
}

fn sampler_state_name(number: u32) -> Option<&'static str> {
    NumberedState::sampler_state(number).map(|state| state.name)
}

fn describe_render_state(number: u32, value: u32) -> String {
    NumberedState::render_state(number).unwrap().describe(value)
}

fn describe_sampler_state(number: u32, value: u32) -> String {
    NumberedState::sampler_state(number).unwrap().describe(value)
}

fn every_render_state_has_its_name_and_default() {
    let states = RenderStates::default();
    let found: Vec<_> = RenderStates::defined()
        .map(|state| (state, render_state_name(state).unwrap(), describe_render_state(state, states.get(state))))
        .collect();
    let expected: Vec<_> = RENDER_STATES.iter().map(|(state, name, value)| (*state, *name, *value)).collect();
    let found: Vec<_> =
        found.iter().map(|(state, name, value)| (*state, &name["D3DRS_".len()..], value.as_str())).collect();
    assert_eq!(found, expected);
    for state in 0..300 {
        let is_expected = RENDER_STATES.iter().any(|(number, ..)| *number == state);
        assert_eq!(RenderStates::is_defined(state), is_expected, "{state}");
        assert_eq!(render_state_name(state).is_some(), is_expected, "{state}");
    }
    assert_eq!(render_state_name(7), Some("D3DRS_ZENABLE"));
    assert_eq!(states.all_sent().count(), 0);
}

fn every_sampler_state_has_its_name_and_default() {
    let states = SamplerStates::default();
    let found: Vec<_> = SamplerStates::defined()
        .map(|state| (state, sampler_state_name(state).unwrap(), describe_sampler_state(state, states.get(state))))
        .collect();
    let expected = [
        (1, "D3DSAMP_ADDRESSU", "WRAP"),
        (2, "D3DSAMP_ADDRESSV", "WRAP"),
        (3, "D3DSAMP_ADDRESSW", "WRAP"),
        (4, "D3DSAMP_BORDERCOLOR", "0x00000000"),
        (5, "D3DSAMP_MAGFILTER", "POINT"),
        (6, "D3DSAMP_MINFILTER", "POINT"),
        (7, "D3DSAMP_MIPFILTER", "NONE"),
        (8, "D3DSAMP_MIPMAPLODBIAS", "0"),
        (9, "D3DSAMP_MAXMIPLEVEL", "0"),
        (10, "D3DSAMP_MAXANISOTROPY", "1"),
        (11, "D3DSAMP_SRGBTEXTURE", "FALSE"),
        (12, "D3DSAMP_ELEMENTINDEX", "0"),
        (13, "D3DSAMP_DMAPOFFSET", "0"),
    ];
    let found: Vec<_> = found.iter().map(|(state, name, value)| (*state, *name, value.as_str())).collect();
    assert_eq!(found, expected);
    assert!(!SamplerStates::is_defined(0) && !SamplerStates::is_defined(14));
    assert_eq!((sampler_state_name(0), sampler_state_name(14)), (None, None));
}

fn values_are_told_in_direct3ds_words() {
    let compare = ["NEVER", "LESS", "EQUAL", "LESSEQUAL", "GREATER", "NOTEQUAL", "GREATEREQUAL", "ALWAYS"];
    let stencil = ["KEEP", "ZERO", "REPLACE", "INCRSAT", "DECRSAT", "INVERT", "INCR", "DECR"];
    let blend = [
        "ZERO",
        "ONE",
        "SRCCOLOR",
        "INVSRCCOLOR",
        "SRCALPHA",
        "INVSRCALPHA",
        "DESTALPHA",
        "INVDESTALPHA",
        "DESTCOLOR",
        "INVDESTCOLOR",
        "SRCALPHASAT",
        "BOTHSRCALPHA",
        "BOTHINVSRCALPHA",
        "BLENDFACTOR",
        "INVBLENDFACTOR",
        "SRCCOLOR2",
        "INVSRCCOLOR2",
    ];
    let from_one: &[(&[u32], &[&str])] = &[
        (&[23, 25, 56, 189], &compare),
        (&[53, 54, 55, 186, 187, 188], &stencil),
        (&[19, 207], &blend),
        (&[171, 209], &["ADD", "SUBTRACT", "REVSUBTRACT", "MIN", "MAX"]),
        (&[22], &["NONE", "CW", "CCW"]),
        (&[8], &["POINT", "WIREFRAME", "SOLID"]),
        (&[9], &["FLAT", "GOURAUD", "PHONG"]),
    ];
    for (states, names) in from_one {
        for state in *states {
            for (value, name) in (1..).zip(*names) {
                assert_eq!(describe_render_state(*state, value), *name);
            }
            let beyond = names.len() as u32 + 1;
            assert_eq!(describe_render_state(*state, beyond), beyond.to_string());
            assert_eq!(describe_render_state(*state, 0), "0");
        }
    }
    let others = [
        (7, 2, "USEW"),
        (20, 12, "12"),
        (27, 1, "TRUE"),
        (27, 7, "TRUE"),
        (35, 3, "LINEAR"),
        (151, 256, "0WEIGHTS"),
        (34, 0xff80_4020, "0xff804020"),
        (37, 0.25_f32.to_bits(), "0.25"),
        (37, f32::NAN.to_bits(), "NaN"),
        (168, 0, "none"),
        (168, 0b1010, "GA"),
        (24, 128, "128"),
        (58, 255, "0xff"),
    ];
    for (state, value, expected) in others {
        assert_eq!(describe_render_state(state, value), expected);
    }
    let samplers = [
        (1, 5, "MIRRORONCE"),
        (3, 4, "BORDER"),
        (5, 3, "ANISOTROPIC"),
        (6, 7, "GAUSSIANQUAD"),
        (7, 0, "NONE"),
        (7, 4, "4"),
        (8, (-1.5_f32).to_bits(), "-1.5"),
        (4, 0x0102_0304, "0x01020304"),
    ];
    for (state, value, expected) in samplers {
        assert_eq!(describe_sampler_state(state, value), expected);
    }
}

fn a_zero_in_an_enumeration_from_one_is_its_default() {
    let enumerations = [8, 9, 19, 20, 22, 23, 25, 53, 54, 55, 56, 171, 172, 173, 186, 187, 188, 189, 207, 208, 209];
    let defaults = RenderStates::default();
    for state in enumerations {
        let zero = states(&[(state, 0)]);
        assert_eq!(zero.get(state), defaults.get(state), "{state}");
        assert_ne!(zero.get(state), 0, "{state}");
        // Whatever stood before.
        assert_eq!(states(&[(state, 2), (state, 0)]).get(state), defaults.get(state), "{state}");
        assert_eq!((zero.sent(state), zero.remarks().count()), (Some(0), 0));
    }
    // A 0 is a value like others where the enumeration has it, in numbers and in flags.
    for state in [7, 14, 16, 35, 37, 58, 59, 136, 145, 151, 154, 193] {
        assert_eq!(states(&[(state, 0)]).get(state), 0, "{state}");
    }
}

fn an_unknown_value_is_the_default_with_a_remark() {
    let unknown = [
        (7, 3, "D3DRS_ZENABLE = 3 is treated as TRUE: the state has no such value"),
        (23, 9, "D3DRS_ZFUNC = 9 is treated as LESSEQUAL: the state has no such value"),
        (19, 18, "D3DRS_SRCBLEND = 18 is treated as ONE: the state has no such value"),
        (20, 13, "D3DRS_DESTBLEND = 13 is treated as ZERO: the state has no such value"),
        (22, 4, "D3DRS_CULLMODE = 4 is treated as CCW: the state has no such value"),
        (8, u32::MAX, "D3DRS_FILLMODE = 4294967295 is treated as SOLID: the state has no such value"),
        (55, 9, "D3DRS_STENCILPASS = 9 is treated as KEEP: the state has no such value"),
        (171, 6, "D3DRS_BLENDOP = 6 is treated as ADD: the state has no such value"),
        (172, 4, "D3DRS_POSITIONDEGREE = 4 is treated as CUBIC: the state has no such value"),
    ];
    for (state, value, expected) in unknown {
        let set = states(&[(state, 2), (state, value)]);
        assert_eq!(set.get(state), RenderStates::default().get(state), "{state}");
        assert_eq!(set.sent(state), Some(value));
        let remarks: Vec<_> = set.remarks().collect();
        assert_eq!(remarks.len(), 1, "{state}");
        assert_eq!((remarks[0].state, remarks[0].value, remarks[0].to_string().as_str()), (state, value, expected));
    }
    let mut samplers = SamplerStates::default();
    samplers.set(1, 6);
    samplers.set(6, 4);
    let remarks: Vec<_> = samplers.remarks().map(|remark| remark.what).collect();
    assert_eq!(
        remarks,
        [
            "D3DSAMP_ADDRESSU = 6 is treated as WRAP: the state has no such value",
            "D3DSAMP_MINFILTER = 4 is treated as POINT: the state has no such value",
        ]
    );
}

fn masks_are_full_until_they_are_set() {
    for (mask, full) in [(162, u32::MAX), (190, 0xf), (191, 0xf), (192, 0xf)] {
        let cases: [(&[u32], u32); 8] = [
            (&[], full),
            (&[0], full),
            (&[0, 0], full),
            (&[5], 5),
            (&[0, 5], 5),
            (&[5, 0], 0),
            (&[0, full, 0], 0),
            (&[full, 0, 0], 0),
        ];
        for (sent, expected) in cases {
            let set: Vec<_> = sent.iter().map(|value| (mask, *value)).collect();
            assert_eq!(states(&set).get(mask), expected, "{mask} after {sent:?}");
        }
        assert_eq!(states(&[(mask, 5), (mask, 0), (mask, 3), (mask, 0)]).get(mask), 0);
    }
    // The first target's is what it was last set to.
    assert_eq!(states(&[]).get(168), 0xf);
    assert_eq!(states(&[(168, 0)]).get(168), 0);
    // What lies beyond the channels says nothing about them.
    assert_eq!(states(&[(168, 0xfff3)]).get(168), 3);
    assert_eq!(states(&[(168, 0x10), (168, 0)]).get(168), 0);
}

/// The default, a 0, and what changes nothing here are silent.
fn what_is_passed_over_is_told_where_it_differs() {
    let told = |state, value| RenderStates::remark(state, value).map(|remark| remark.what);
    for state in NumberedState::render_states() {
        let default = RenderStates::default().get(state.number);
        assert_eq!((told(state.number, default), told(state.number, 0)), (None, None), "{}", state.name);
        let is_told = told(state.number, 1).is_some() || told(state.number, 2).is_some();
        let may_be_told = matches!(state.treatment, Treatment::PassedOver(_) | Treatment::Approximated(_));
        assert!(!is_told || may_be_told || state.default_value().parse::<f32>().is_err(), "{}", state.name);
    }
    let antialiased = "D3DRS_ANTIALIASEDLINEENABLE = TRUE is ignored: lines are not antialiased";
    assert_eq!(told(176, 1).as_deref(), Some(antialiased));
    assert_eq!((told(60, 5), told(137, 1), told(16, 2)), (None, None, None));
}

/// Values of a state that tell whether it has a say.
const TRIED: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 8, 0x3f00_0000, 0x4080_0000];

fn states_come_to_something_as_the_book_says() {
    // Everything that other states depend on is on.
    let base = [(27, 1), (206, 1), (207, 5), (52, 1), (185, 1), (186, 2), (28, 1), (35, 3), (15, 1), (25, 5), (157, 1)];
    // Those are kept as they are set, and no draw is made by them.
    let kept = [48, 140];
    for state in NumberedState::render_states() {
        let with = |value| FixedState::of_d3d9(&states(&[base.as_slice(), &[(state.number, value)]].concat()));
        let counts = TRIED.iter().any(|value| with(*value) != FixedState::of_d3d9(&states(&base)));
        let is_drawn = match state.treatment {
            Treatment::Honoured | Treatment::HonouredOrRefused(_) | Treatment::Approximated(_) => true,
            Treatment::WithoutEffect(_) | Treatment::PassedOver(_) => kept.contains(&state.number),
        };
        assert_eq!(counts, is_drawn, "{}", state.name);
    }
    let base = [(1, 4), (6, 3)];
    for state in NumberedState::sampler_states() {
        let counts =
            TRIED.iter().any(|value| sampler(&[base.as_slice(), &[(state.number, *value)]].concat()) != sampler(&base));
        assert_eq!(counts, !matches!(state.treatment, Treatment::WithoutEffect(_)), "{}", state.name);
    }
}

/// `docs/direct3d9.md` says of each state what draws make of it.
fn the_book_has_every_state() {
    let path = root().join("docs/direct3d9.md");
    let book = std::fs::read_to_string(&path).unwrap();
    let tables =
        [("render states", NumberedState::render_states()), ("sampler states", NumberedState::sampler_states())];
    let mut made = book.clone();
    for (what, states) in tables {
        let (begin, end) = (format!("<!-- {what} -->\n"), format!("<!-- end of {what} -->\n"));
        let from = made.find(&begin).unwrap() + begin.len();
        let to = made.find(&end).unwrap();
        made.replace_range(from..to, &table(states));
    }
    if is_blessing() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(book == made || is_blessing(), "docs/direct3d9.md is stale: BLESS=1 cargo test --test no_gpu the_book_has");
}

fn table(states: &[NumberedState]) -> String {
    let mut text = String::from("\n| | state | default | what draws make of it |\n|---|---|---|---|\n");
    for state in states {
        let treatment = match state.treatment {
            Treatment::Honoured => "honoured".to_owned(),
            Treatment::HonouredOrRefused(what) => format!("honoured; **refused**: {what}"),
            Treatment::Approximated(values) => {
                let each = values.iter().map(|(value, how)| format!("{value} {how}")).collect::<Vec<_>>();
                format!("honoured; *reported by `lint`*: {}", each.join(", "))
            }
            Treatment::WithoutEffect(why) => format!("without effect: {why}"),
            Treatment::PassedOver(instead) => format!("*reported by `lint`*: {instead}"),
        };
        let (number, name, default) = (state.number, state.name, state.default_value());
        text.push_str(&format!("| {number} | `{name}` | {default} | {treatment} |\n"));
    }
    text.push('\n');
    text
}

fn what_is_not_defined_does_nothing() {
    let before = FixedState::of_d3d9(&RenderStates::default());
    for state in (0..256).chain([256, 4096, u32::MAX]).filter(|state| !RenderStates::is_defined(*state)) {
        let set = states(&[(state, 1)]);
        assert_eq!(FixedState::of_d3d9(&set), before, "{state}");
        assert_eq!(set.get(state), 0);
        let (is_kept, remarks) = (state < 256, set.remarks().map(|remark| remark.what).collect::<Vec<_>>());
        assert_eq!(set.sent(state), is_kept.then_some(1));
        let told = format!("render state {state} = 0x1 is ignored: Direct3D 9 has no such state");
        assert_eq!(remarks, if is_kept { vec![told] } else { vec![] });
    }
    // The executor's own front, which Direct3D does not know.
    assert_eq!(d3d9(&[(18, 1)]).raster.front, Winding::Clockwise);
    assert_eq!(states(&[(18, 0)]).remarks().count(), 0);
    let mut samplers = SamplerStates::default();
    for state in [0, 14, u32::MAX] {
        samplers.set(state, 3);
    }
    assert_eq!(Sampler::of_d3d9(&samplers), sampler(&[]));
    let remarks: Vec<_> = samplers.remarks().map(|remark| remark.what).collect();
    assert_eq!(remarks, ["sampler state 0 = 0x3 is ignored: Direct3D 9 has no such state"]);
}

/// The guest's driver sends nearly all numbers as 0 at its start.
fn a_driver_that_sends_zeros_sets_few_things() {
    // It sends the first target's mask as it means it.
    let zeros: Vec<_> = (0..256).map(|state| (state, if state == 168 { 0xf } else { 0 })).collect();
    let set = states(&zeros);
    assert_eq!(set.remarks().count(), 0);
    assert_eq!(set.all_sent().count(), 256);
    let (fixed, _) = FixedState::of_d3d9(&set);
    let expected = FixedState { depth: None, ..d3d9(&[]) };
    assert_eq!(fixed, expected);
    let zeros: Vec<_> = (0..14).map(|state| (state, 0)).collect();
    assert_eq!(sampler(&zeros), sampler(&[]));
}

fn the_defaults_of_direct3d_9_draw_as_documented() {
    let (fixed, dynamic) = FixedState::of_d3d9(&RenderStates::default());
    assert_eq!(fixed.blend, None);
    assert_eq!(fixed.color_write_masks, [0xf; 8]);
    assert_eq!(fixed.sample_mask, u32::MAX);
    let depth = fixed.depth.unwrap();
    assert_eq!((depth.comparison, depth.writes), (Comparison::LessEqual, true));
    assert_eq!(fixed.stencil, None);
    let raster = fixed.raster;
    assert_eq!((raster.fill, raster.cull, raster.front), (FillMode::Solid, CullMode::Back, Winding::Clockwise));
    assert_eq!((raster.is_scissor_enabled, raster.depth_range), (false, ClipRange::Clip));
    assert_eq!((raster.depth_bias, raster.slope_depth_bias), (DepthBias::Steps(0), FloatBits::ZERO));
    assert_eq!(fixed.legacy, LegacyRules::NONE);
    assert_eq!(dynamic.blend_constant, [FloatBits::new(1.0); 4]);
    assert_eq!((dynamic.stencil_reference, dynamic.alpha_reference), (0, 0));
    assert_eq!(dynamic.points.largest_px.get(), 64.0);
}

fn the_defaults_of_direct3d_11_draw_as_documented() {
    let (fixed, dynamic) = FixedState::of_d3d11(&DEFAULT_BLEND, &DEFAULT_DEPTH_STENCIL, &DEFAULT_RASTERIZER);
    let depth = fixed.depth.unwrap();
    assert_eq!((depth.comparison, depth.writes), (Comparison::Less, true));
    assert_eq!((fixed.blend, fixed.stencil, fixed.legacy), (None, None, LegacyRules::NONE));
    assert_eq!((fixed.color_write_masks, fixed.sample_mask), ([0xf; 8], u32::MAX));
    let raster = fixed.raster;
    assert_eq!((raster.fill, raster.cull, raster.front), (FillMode::Solid, CullMode::Back, Winding::Clockwise));
    assert_eq!((raster.is_scissor_enabled, raster.depth_range), (false, ClipRange::Clip));
    assert_eq!((raster.depth_bias, raster.slope_depth_bias), (DepthBias::Steps(0), FloatBits::ZERO));
    assert_eq!(dynamic.blend_constant, [FloatBits::new(1.0); 4]);
    assert_eq!((dynamic.stencil_reference, dynamic.points), (0, PointNumbers::ONE_PIXEL));
    // The two worlds differ in the comparison of depth alone.
    let of_d3d9 = d3d9(&[(23, 2)]);
    assert_eq!(fixed, of_d3d9);
    let without = fixed.without_culling();
    assert_eq!(without.raster.cull, CullMode::None);
    assert_eq!(FixedState { raster: fixed.raster, ..without }, fixed);
}

/// Direct3D 9's factors, what they are for colours, and for alpha.
const FACTORS: [(u32, BlendFactor, BlendFactor); 15] = [
    (1, BlendFactor::Zero, BlendFactor::Zero),
    (2, BlendFactor::One, BlendFactor::One),
    (3, BlendFactor::SrcColor, BlendFactor::SrcAlpha),
    (4, BlendFactor::InvSrcColor, BlendFactor::InvSrcAlpha),
    (5, BlendFactor::SrcAlpha, BlendFactor::SrcAlpha),
    (6, BlendFactor::InvSrcAlpha, BlendFactor::InvSrcAlpha),
    (7, BlendFactor::DestAlpha, BlendFactor::DestAlpha),
    (8, BlendFactor::InvDestAlpha, BlendFactor::InvDestAlpha),
    (9, BlendFactor::DestColor, BlendFactor::DestAlpha),
    (10, BlendFactor::InvDestColor, BlendFactor::InvDestAlpha),
    (11, BlendFactor::SrcAlphaSat, BlendFactor::One),
    (14, BlendFactor::Constant, BlendFactor::Constant),
    (15, BlendFactor::InvConstant, BlendFactor::InvConstant),
    (16, BlendFactor::Src1Color, BlendFactor::Src1Alpha),
    (17, BlendFactor::InvSrc1Color, BlendFactor::InvSrc1Alpha),
];

fn every_blend_factor_of_direct3d_9_is_drawn() {
    for (number, of_color, of_alpha) in FACTORS {
        let as_source = d3d9(&[(27, 1), (19, number)]).blend.unwrap();
        assert_eq!((as_source.color.src, as_source.color.dst), (of_color, BlendFactor::Zero), "{number}");
        assert_eq!((as_source.alpha.src, as_source.alpha.dst), (of_alpha, BlendFactor::Zero), "{number}");
        let as_destination = d3d9(&[(27, 1), (20, number)]).blend.unwrap();
        assert_eq!((as_destination.color.src, as_destination.color.dst), (BlendFactor::One, of_color), "{number}");
        assert_eq!((as_destination.alpha.src, as_destination.alpha.dst), (BlendFactor::One, of_alpha), "{number}");
        let separate = d3d9(&[(27, 1), (206, 1), (207, number), (208, number)]).blend.unwrap();
        assert_eq!((separate.alpha.src, separate.alpha.dst), (of_alpha, of_alpha), "{number}");
        assert_eq!((separate.color.src, separate.color.dst), (BlendFactor::One, BlendFactor::Zero), "{number}");
    }
    for unknown in [0, 18, u32::MAX] {
        let blend = d3d9(&[(27, 1), (19, unknown), (20, unknown)]).blend.unwrap();
        assert_eq!((blend.color.src, blend.color.dst), (BlendFactor::One, BlendFactor::Zero), "{unknown}");
    }
}

fn factors_that_set_both_sides_do() {
    let both =
        [(12, BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha), (13, BlendFactor::InvSrcAlpha, BlendFactor::SrcAlpha)];
    for (number, src, dst) in both {
        let blend = d3d9(&[(27, 1), (19, number), (20, 2)]).blend.unwrap();
        let expected = BlendEquation { src, dst, op: BlendOp::Add };
        assert_eq!((blend.color, blend.alpha), (expected, expected));
        let of_destination = d3d9(&[(27, 1), (20, number)]).blend.unwrap();
        assert_eq!(of_destination.color.dst, BlendFactor::Zero);
    }
}

fn alpha_is_blended_like_the_colours_unless_it_is_separate() {
    let set = [(27, 1), (19, 5), (20, 6), (171, 2), (207, 7), (208, 8), (209, 3)];
    let together = d3d9(&set).blend.unwrap();
    let color = BlendEquation { src: BlendFactor::SrcAlpha, dst: BlendFactor::InvSrcAlpha, op: BlendOp::Subtract };
    assert_eq!((together.color, together.alpha), (color, color));
    let separate = d3d9(&[set.as_slice(), &[(206, 1)]].concat()).blend.unwrap();
    let alpha = BlendEquation { src: BlendFactor::DestAlpha, dst: BlendFactor::InvDestAlpha, op: BlendOp::RevSubtract };
    assert_eq!((separate.color, separate.alpha), (color, alpha));
}

fn every_blend_operation_is_drawn() {
    let operations = [
        (0, BlendOp::Add),
        (1, BlendOp::Add),
        (2, BlendOp::Subtract),
        (3, BlendOp::RevSubtract),
        (4, BlendOp::Min),
        (5, BlendOp::Max),
        (6, BlendOp::Add),
    ];
    for (number, op) in operations {
        let blend = d3d9(&[(27, 1), (19, 5), (20, 6), (171, number)]).blend.unwrap();
        let takes_factors = !matches!(op, BlendOp::Min | BlendOp::Max);
        let [src, dst] =
            if takes_factors { [BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha] } else { [BlendFactor::One; 2] };
        assert_eq!((blend.color, blend.alpha.op), (BlendEquation { src, dst, op }, op), "{number}");
        let alpha = d3d9(&[(27, 1), (206, 1), (209, number)]).blend.unwrap().alpha;
        assert_eq!(alpha.op, op, "{number}");
    }
}

const COMPARISONS: [(u32, Comparison); 8] = [
    (1, Comparison::Never),
    (2, Comparison::Less),
    (3, Comparison::Equal),
    (4, Comparison::LessEqual),
    (5, Comparison::Greater),
    (6, Comparison::NotEqual),
    (7, Comparison::GreaterEqual),
    (8, Comparison::Always),
];

fn every_comparison_is_drawn() {
    for (number, comparison) in COMPARISONS {
        assert_eq!(d3d9(&[(23, number)]).depth.unwrap().comparison, comparison);
        assert_eq!(d3d9(&[(52, 1), (56, number)]).stencil.unwrap().front.comparison, comparison);
        assert_eq!(d3d9(&[(52, 1), (185, 1), (189, number)]).stencil.unwrap().back.comparison, comparison);
        let alpha_test = d3d9(&[(15, 1), (25, number)]).legacy.alpha_test;
        assert_eq!(alpha_test, (comparison != Comparison::Always).then_some(comparison));
    }
    for unknown in [0, 9, u32::MAX] {
        assert_eq!(d3d9(&[(23, unknown)]).depth.unwrap().comparison, Comparison::LessEqual);
        assert_eq!(d3d9(&[(52, 1), (56, unknown)]).stencil.unwrap().front.comparison, Comparison::Always);
        assert_eq!(d3d9(&[(15, 1), (25, unknown)]).legacy.alpha_test, None);
    }
}

fn every_stencil_operation_is_drawn() {
    let operations = [
        (0, StencilOp::Keep),
        (1, StencilOp::Keep),
        (2, StencilOp::Zero),
        (3, StencilOp::Replace),
        (4, StencilOp::IncrSat),
        (5, StencilOp::DecrSat),
        (6, StencilOp::Invert),
        (7, StencilOp::Incr),
        (8, StencilOp::Decr),
        (9, StencilOp::Keep),
    ];
    for (number, operation) in operations {
        for (place, front, back) in [(0, 53, 186), (1, 54, 187), (2, 55, 188)] {
            let stencil = d3d9(&[(52, 1), (185, 1), (front, number)]).stencil.unwrap();
            let mut expected = [StencilOp::Keep; 3];
            expected[place] = operation;
            let [fail, depth_fail, pass] = expected;
            let face = StencilFace { fail, depth_fail, pass, comparison: Comparison::Always };
            assert_eq!(stencil.front, face);
            let stencil = d3d9(&[(52, 1), (185, 1), (back, number)]).stencil.unwrap();
            assert_eq!(stencil.back, face);
        }
    }
}

fn stencil_has_two_sides_only_where_it_is_said() {
    let set = [(52, 1), (53, 2), (54, 3), (55, 4), (56, 5), (186, 6), (187, 7), (188, 8), (189, 2), (57, 0x1ff)];
    let masks = [(58, 0xfff0), (59, 0x0f)];
    let one = d3d9(&[set.as_slice(), &masks].concat()).stencil.unwrap();
    let front = StencilFace {
        fail: StencilOp::Zero,
        depth_fail: StencilOp::Replace,
        pass: StencilOp::IncrSat,
        comparison: Comparison::Greater,
    };
    assert_eq!((one.front, one.back, one.read_mask, one.write_mask), (front, front, 0xf0, 0x0f));
    let two = d3d9(&[set.as_slice(), &[(185, 1)]].concat()).stencil.unwrap();
    let back = StencilFace {
        fail: StencilOp::Invert,
        depth_fail: StencilOp::Incr,
        pass: StencilOp::Decr,
        comparison: Comparison::Less,
    };
    assert_eq!((two.front, two.back, two.read_mask, two.write_mask), (front, back, 0xff, 0xff));
    assert_eq!(d3d9_numbers(&set).stencil_reference, 0xff);
}

/// Settings that draw alike are equal values, so that one pipeline does.
fn only_what_is_on_is_compared() {
    let off: [&[(u32, u32)]; 9] = [
        &[(19, 5), (20, 6), (171, 3), (206, 1), (207, 7), (208, 8), (209, 4)],
        &[(53, 3), (55, 4), (56, 2), (58, 1), (59, 1), (185, 1), (188, 7), (57, 3)],
        &[(25, 2), (24, 128)],
        &[(34, 0xff00_00ff), (35, 3), (36, 7), (37, 8), (38, 9), (48, 1), (140, 2)],
        &[(157, 1), (158, 5), (159, 6), (160, 7)],
        &[(152, 0x3f)],
        &[(162, 2)],
        &[(136, 0)],
        &[(15, 1), (25, 8), (24, 7)],
    ];
    let before = FixedState::of_d3d9(&RenderStates::default());
    for set in off {
        assert_eq!(FixedState::of_d3d9(&states(set)), before, "{set:?}");
    }
    assert_eq!(d3d9(&[(7, 0), (23, 2), (14, 0)]), d3d9(&[(7, 0)]));
    assert_eq!(d3d9(&[(7, 2)]), d3d9(&[(7, 1)]));
    // And what is on is.
    let on: [&[(u32, u32)]; 12] = [
        &[(27, 1)],
        &[(52, 1)],
        &[(15, 1), (25, 2)],
        &[(28, 1)],
        &[(156, 1)],
        &[(154, 0x4000_0000)],
        &[(168, 7)],
        &[(7, 0)],
        &[(14, 0)],
        &[(174, 1)],
        &[(194, 1)],
        &[(9, 1)],
    ];
    for set in on {
        assert_ne!(d3d9(set), before.0, "{set:?}");
    }
}

fn triangles_are_filled_and_culled_as_set() {
    let fills = [
        (0, FillMode::Solid),
        (1, FillMode::Point),
        (2, FillMode::Wireframe),
        (3, FillMode::Solid),
        (4, FillMode::Solid),
    ];
    for (number, fill) in fills {
        assert_eq!(d3d9(&[(8, number)]).raster.fill, fill);
    }
    // Clockwise is the front, so culling clockwise triangles culls the front.
    let culls =
        [(0, CullMode::Back), (1, CullMode::None), (2, CullMode::Front), (3, CullMode::Back), (4, CullMode::Back)];
    for (number, cull) in culls {
        let raster = d3d9(&[(22, number)]).raster;
        assert_eq!((raster.cull, raster.front), (cull, Winding::Clockwise));
    }
}

fn depth_bias_is_in_its_worlds_units() {
    let raster = d3d9(&[(195, 0.001_f32.to_bits()), (175, 2_f32.to_bits())]).raster;
    assert_eq!(raster.depth_bias, DepthBias::OfRange(FloatBits::new(0.001)));
    assert_eq!(raster.slope_depth_bias, FloatBits::new(2.0));
    assert_eq!(d3d9(&[(195, (-0.0_f32).to_bits())]).raster.depth_bias, DepthBias::Steps(0));
    let rasterizer = SetRasterizer { depth_bias: -5, ..DEFAULT_RASTERIZER };
    let (fixed, _) = FixedState::of_d3d11(&DEFAULT_BLEND, &DEFAULT_DEPTH_STENCIL, &rasterizer);
    assert_eq!((fixed.raster.depth_bias, fixed.raster.slope_depth_bias), (DepthBias::Steps(-5), FloatBits::ZERO));
}

fn colour_targets_have_their_own_masks() {
    let fixed = d3d9(&[(168, 1), (190, 2), (191, 4), (192, 0)]);
    let masks: Vec<u8> = (0..10).map(|target| fixed.color_write_mask(target)).collect();
    assert_eq!(masks, [1, 2, 4, 0xf, 0xf, 0xf, 0xf, 0xf, 0, 0]);
    assert_eq!(d3d9(&[(168, 15), (168, 0)]).color_write_mask(0), 0);
    assert_eq!(d3d9(&[(168, 0)]).color_write_mask(0), 0);
    assert_eq!(d3d9(&[(190, 0)]).color_write_mask(1), 0xf);
    let blend = SetBlend { write_mask: 5, ..DEFAULT_BLEND };
    let (fixed, _) = FixedState::of_d3d11(&blend, &DEFAULT_DEPTH_STENCIL, &DEFAULT_RASTERIZER);
    let masks: Vec<u8> = (0..9).map(|target| fixed.color_write_mask(target)).collect();
    assert_eq!(masks, [5, 5, 5, 5, 5, 5, 5, 5, 0]);
}

fn the_graph_is_told_what_a_draw_reads_and_writes() {
    let access = |reads, writes| TargetAccess { reads, writes };
    let cases: [(&[(u32, u32)], TargetAccess); 6] = [
        (&[], access(true, true)),
        (&[(14, 0)], access(true, false)),
        (&[(23, 8)], access(false, true)),
        (&[(23, 8), (14, 0)], access(false, false)),
        (&[(7, 0)], access(false, false)),
        (&[(23, 1)], access(true, true)),
    ];
    for (set, expected) in cases {
        assert_eq!(d3d9(set).depth_access(), expected, "{set:?}");
    }
    assert_eq!(d3d9(&[]).stencil_access(), access(false, false));
    assert_eq!(d3d9(&[(52, 1)]).stencil_access(), access(true, true));
    assert!(!d3d9(&[]).is_scissor_enabled() && d3d9(&[(174, 1)]).is_scissor_enabled());
    for (tests, writes, comparison, expected) in [
        (true, true, Comparison::Less, access(true, true)),
        (true, false, Comparison::Less, access(true, false)),
        (true, true, Comparison::Always, access(false, true)),
        (false, true, Comparison::Less, access(false, false)),
    ] {
        let depth_stencil = SetDepthStencil {
            tests_depth: tests,
            writes_depth: writes,
            depth_comparison: comparison,
            tests_stencil: true,
            ..DEFAULT_DEPTH_STENCIL
        };
        let (fixed, _) = FixedState::of_d3d11(&DEFAULT_BLEND, &depth_stencil, &DEFAULT_RASTERIZER);
        assert_eq!(fixed.depth_access(), expected);
        // The packet has no function of stencil.
        assert_eq!(fixed.stencil_access(), access(false, false));
    }
}

fn fog_and_the_rest_of_direct3d_9_are_kept() {
    let curves =
        [(0, FogCurve::None), (1, FogCurve::Exp), (2, FogCurve::Exp2), (3, FogCurve::Linear), (4, FogCurve::None)];
    for (number, curve) in curves {
        let expected = Fog { table: curve, vertex: FogCurve::None, is_by_range: false };
        assert_eq!(d3d9(&[(28, 1), (35, number)]).legacy.fog, Some(expected));
        let expected = Fog { table: FogCurve::None, vertex: curve, is_by_range: true };
        assert_eq!(d3d9(&[(28, 1), (140, number), (48, 1)]).legacy.fog, Some(expected));
    }
    let legacy = d3d9(&[(152, 0xff), (194, 5), (9, 1), (156, 1), (157, 1)]).legacy;
    assert_eq!((legacy.writes_srgb, legacy.shading), (true, Shading::Flat));
    assert_eq!(legacy.points, PointRules { are_sprites: true, are_sized: false });
    let none = d3d9(&[]).legacy;
    assert_eq!(
        d3d9(&[(152, 0xff), (157, 1), (158, 9), (159, 9), (160, 9)]).legacy,
        none,
        "planes and scales say nothing"
    );
    for (number, shading) in [(0, Shading::Gouraud), (2, Shading::Gouraud), (3, Shading::Gouraud)] {
        assert_eq!(d3d9(&[(9, number)]).legacy.shading, shading);
    }
}

fn points_have_the_size_that_is_said_last() {
    let float = |value: f32| value.to_bits();
    // The driver's zeros say nothing.
    for (set, size) in [
        (vec![], 1.0),
        (vec![(154, 0), (155, 0), (166, 0)], 1.0),
        (vec![(154, float(3.0))], 3.0),
        (vec![(154, float(99.0))], 64.0),
        (vec![(154, float(9.0)), (166, float(8.0))], 8.0),
        (vec![(155, float(2.0))], 2.0),
        (vec![(154, float(0.25)), (155, float(0.5))], 0.5),
        (vec![(154, float(f32::NAN))], 64.0),
    ] {
        assert_eq!(d3d9_numbers(&set).points.held_size_px(), size, "{set:?}");
        assert_eq!(d3d9(&set).legacy.points.are_sized, size != 1.0, "{set:?}");
    }
}

fn numbers_need_no_other_pipeline() {
    let float = |value: f32| value.to_bits();
    let base = [(28, 1), (35, 3), (52, 1), (15, 1), (25, 5), (27, 1), (154, float(4.0))];
    let numbers = [
        (193, 0x8040_20ff),
        (57, 0x102),
        (24, 0x180),
        (34, 0x1122_3344),
        (36, float(0.25)),
        (37, float(0.75)),
        (38, float(0.5)),
        (154, float(3.0)),
        (155, float(2.0)),
        (166, float(9.0)),
    ];
    let all = [base.as_slice(), &numbers].concat();
    assert_eq!(d3d9(&all), d3d9(&base));
    let dynamic = d3d9_numbers(&all);
    let channels = dynamic.blend_constant.map(FloatBits::get);
    assert_eq!(channels, [64.0 / 255.0, 32.0 / 255.0, 1.0, 128.0 / 255.0]);
    assert_eq!((dynamic.stencil_reference, dynamic.alpha_reference), (2, 0x80));
    assert_eq!(dynamic.fog.color, [0x22, 0x33, 0x44]);
    let fog = [dynamic.fog.start, dynamic.fog.end, dynamic.fog.density].map(FloatBits::get);
    assert_eq!(fog, [0.25, 0.75, 0.5]);
    let points = dynamic.points;
    assert_eq!([points.size_px, points.smallest_px, points.largest_px].map(FloatBits::get), [3.0, 2.0, 9.0]);
}

fn the_packets_of_direct3d_11_are_taken_as_they_are() {
    let color = BlendEquation { src: BlendFactor::SrcAlpha, dst: BlendFactor::InvConstant, op: BlendOp::Subtract };
    for op in [BlendOp::Min, BlendOp::Max] {
        let alpha = BlendEquation { src: BlendFactor::DestAlpha, dst: BlendFactor::Zero, op };
        let blend = SetBlend {
            is_enabled: true,
            color,
            alpha,
            write_mask: 0xf3,
            constant: [0.5, 0.25, 2.0, -1.0],
            sample_mask: 0xfffe,
        };
        let rasterizer = SetRasterizer {
            fill: FillMode::Wireframe,
            cull: CullMode::Front,
            front_is_counter_clockwise: true,
            is_scissor_enabled: true,
            depth_bias: 3,
            clamps_depth: true,
        };
        let (fixed, dynamic) = FixedState::of_d3d11(&blend, &DEFAULT_DEPTH_STENCIL, &rasterizer);
        let equations = fixed.blend.unwrap();
        assert_eq!(equations.color, color);
        assert_eq!(equations.alpha, BlendEquation { src: BlendFactor::One, dst: BlendFactor::One, op });
        assert_eq!((fixed.color_write_masks, fixed.sample_mask), ([3; 8], 0xfffe));
        let raster = fixed.raster;
        assert_eq!((raster.fill, raster.cull), (FillMode::Wireframe, CullMode::Front));
        assert_eq!((raster.front, raster.depth_range), (Winding::CounterClockwise, ClipRange::Clamp));
        assert!(fixed.is_scissor_enabled());
        assert_eq!(dynamic.blend_constant.map(FloatBits::get), [0.5, 0.25, 2.0, -1.0]);
    }
}

fn samplers_of_direct3d_9_come_to_what_they_say() {
    let default = sampler(&[]);
    assert_eq!(default.address, [AddressMode::Repeat; 3]);
    assert_eq!((default.min, default.mag, default.mip), (Filter::Nearest, Filter::Nearest, None));
    assert_eq!((default.largest_mip, default.lod_bias, default.anisotropy), (0, FloatBits::ZERO, 1));
    assert_eq!((default.border_color, default.decodes_srgb), ([0; 4], false));
    let modes = [
        (0, AddressMode::Repeat),
        (1, AddressMode::Repeat),
        (2, AddressMode::MirrorRepeat),
        (3, AddressMode::ClampToEdge),
        (4, AddressMode::Border),
        (5, AddressMode::MirrorOnce),
        (6, AddressMode::Repeat),
    ];
    for (number, mode) in modes {
        for axis in 0..3 {
            let mut expected = [AddressMode::Repeat; 3];
            expected[axis] = mode;
            assert_eq!(sampler(&[(axis as u32 + 1, number)]).address, expected);
        }
    }
    let filters = [
        (0, None),
        (1, Some(Filter::Nearest)),
        (2, Some(Filter::Linear)),
        (3, Some(Filter::Linear)),
        (6, Some(Filter::Linear)),
        (7, Some(Filter::Linear)),
        (8, Some(Filter::Linear)),
    ];
    for (number, filter) in filters {
        let texels = filter.unwrap_or(Filter::Nearest);
        let of = |state| sampler(&[(state, number)]);
        assert_eq!((of(5).mag, of(5).min, of(5).mip), (texels, Filter::Nearest, None), "{number}");
        assert_eq!((of(6).mag, of(6).min, of(6).mip), (Filter::Nearest, texels, None), "{number}");
        assert_eq!((of(7).mag, of(7).min, of(7).mip), (Filter::Nearest, Filter::Nearest, filter), "{number}");
    }
    for unknown in [4, 5, 9] {
        assert_eq!(sampler(&[(5, unknown), (6, unknown), (7, unknown)]), default);
    }
    // Anisotropy and the border's colour count where they are asked for.
    for (most, anisotropy) in [(0, 1), (1, 1), (8, 8), (16, 16), (17, 16), (u32::MAX, 16)] {
        assert_eq!(sampler(&[(10, most)]).anisotropy, 1);
        assert_eq!(sampler(&[(10, most), (6, 3)]).anisotropy, anisotropy);
        assert_eq!(sampler(&[(10, most), (5, 3)]).anisotropy, anisotropy);
        assert_eq!(sampler(&[(10, most), (7, 3)]).anisotropy, 1);
    }
    assert_eq!(sampler(&[(4, 0x1122_3344)]), default);
    assert_eq!(sampler(&[(4, 0x1122_3344), (2, 4)]).border_color, [0x22, 0x33, 0x44, 0x11]);
    let rest = sampler(&[(8, (-0.5_f32).to_bits()), (9, 3), (11, 1), (12, 7), (13, 7)]);
    assert_eq!((rest.lod_bias.get(), rest.largest_mip, rest.decodes_srgb), (-0.5, 3, true));
}

fn samplers_of_direct3d_11_have_one_filter() {
    let address = [AddressMode::ClampToEdge, AddressMode::Repeat, AddressMode::MirrorRepeat];
    for filter in [Filter::Nearest, Filter::Linear] {
        let found = Sampler::of_d3d11(&CreateSampler { id: SamplerId::handle(1), filter, address });
        let expected = Sampler { address, min: filter, mag: filter, mip: Some(filter), ..sampler(&[]) };
        assert_eq!(found, expected);
    }
    let unbound = Sampler {
        address: [AddressMode::ClampToEdge; 3],
        min: Filter::Nearest,
        mag: Filter::Nearest,
        mip: Some(Filter::Nearest),
        ..sampler(&[])
    };
    assert_eq!(Sampler::D3D11_UNBOUND, unbound);
}

fn a_state_is_listed_by_name() {
    let rows = |set: &[(u32, u32)]| -> Vec<String> {
        d3d9(set).rows().into_iter().map(|(name, value)| format!("{name} = {value}")).collect()
    };
    assert_eq!(
        rows(&[]),
        [
            "blend = off",
            "color_write_masks = RGBA, RGBA, RGBA, RGBA, RGBA, RGBA, RGBA, RGBA",
            "sample_mask = 0xffffffff",
            "depth_test = LESS_EQUAL",
            "depth_write = on",
            "stencil_test = off",
            "fill = SOLID",
            "cull = BACK",
            "front = CLOCKWISE",
            "scissor = off",
            "depth_outside = CLIP",
            "depth_bias = 0 steps",
            "slope_depth_bias = 0",
            "alpha_test = off",
            "fog = off",
            "srgb_write = off",
            "shading = GOURAUD",
            "point_sprites = off",
        ]
    );
    let on = rows(&[
        (27, 1),
        (19, 9),
        (20, 1),
        (168, 6),
        (52, 1),
        (58, 15),
        (28, 1),
        (35, 3),
        (195, 0.5_f32.to_bits()),
        (15, 1),
        (25, 5),
    ]);
    for expected in [
        "blend = on",
        "blend_color = DEST_COLOR ADD ZERO",
        "blend_alpha = DEST_ALPHA ADD ZERO",
        "color_write_masks = GB, RGBA, RGBA, RGBA, RGBA, RGBA, RGBA, RGBA",
        "stencil_front = ALWAYS, fail KEEP, depth fail KEEP, pass KEEP",
        "stencil_read_mask = 0x0f",
        "fog_table = LINEAR",
        "depth_bias = 0.5",
        "alpha_test = GREATER",
    ] {
        assert!(on.iter().any(|row| row == expected), "no {expected} in {on:#?}");
    }
    let names = |rows: Vec<(&'static str, String)>| rows.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let fixed = d3d9(&[(27, 1), (52, 1), (28, 1), (15, 1), (25, 5)]);
    let mut all = names(fixed.rows());
    // What is off has no numbers.
    let numbers = d3d9_numbers(&[]);
    let of_points = ["point_size_px", "point_smallest_px", "point_largest_px"];
    assert_eq!(names(numbers.rows(&d3d9(&[(28, 0)]))), of_points);
    let of_state =
        ["blend_constant", "stencil_reference", "alpha_reference", "fog_color", "fog_start", "fog_end", "fog_density"];
    assert_eq!(names(numbers.rows(&fixed)), [&of_state[..], &of_points].concat());
    all.extend(names(numbers.rows(&fixed)));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "a name that stands for two things");
    let of_sampler = sampler(&[(4, 0x1122_3344), (1, 4), (7, 2)]).rows();
    assert!(of_sampler.contains(&("border_color", "34, 51, 68, 17".to_owned())));
    assert!(of_sampler.contains(&("mip", "LINEAR".to_owned())));
    assert!(sampler(&[]).rows().contains(&("mip", "NONE".to_owned())));
}

/// A draw is looked at anew after a render state that has a say in this, and after no other.
fn only_states_of_targets_change_what_draws_do_with_targets() {
    let of_targets = |states: &RenderStates| {
        let fixed = FixedState::of_d3d9(states).0;
        let masks: Vec<u8> = (0..8).map(|target| fixed.color_write_mask(target)).collect();
        let samples = states.get(162) == 0;
        (masks, fixed.depth_access(), fixed.stencil_access(), fixed.is_scissor_enabled(), samples)
    };
    let mut seed = 1u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) % below) as u32
    };
    let mut changed = std::collections::BTreeSet::new();
    let mut states = RenderStates::default();
    for _ in 0..200_000 {
        let (state, value) = (random(256), random(10));
        let before = of_targets(&states);
        states.set(state, value);
        if of_targets(&states) != before {
            assert!(RenderStates::is_of_targets(state), "{state}");
            changed.insert(state);
        }
    }
    let all: Vec<u32> = (0..256).filter(|state| RenderStates::is_of_targets(*state)).collect();
    assert_eq!(changed.into_iter().collect::<Vec<u32>>(), all, "and none of them has no say");
}
