//! Textures on a device that does not show them as shaders declare them: which way each is read, counted in the translated
//! stage, and that a texture which the device shows as it is declared is read as on any other device.

use d3d_bytecode::{
    DrawOptions, InputFeed, Parameter, SamplerRule, SlotSet, StageBindingKind, StageResources, StoredLayers,
    TextureShapes, TranslatedStage, assemble, decode, translate_draw,
};
use naga::{Expression, ImageQuery};

use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        textures_as_they_are_declared_cost_nothing,
        parts_of_arrays_have_a_parameter,
        cubes_and_depth_are_loaded,
        a_texture_is_bound_for_each_sampler,
        numbers_of_mips_are_parameters_where_shaders_cannot_ask,
    ]
}

/// Kinds of operations in a translated pixel stage.
#[derive(Debug, Default, PartialEq, Eq)]
struct Operations {
    samples: usize,
    loads: usize,
    textures: usize,
    samplers: usize,
    layer_parameters: usize,
}

const ONE: Operations = Operations { samples: 1, loads: 0, textures: 1, samplers: 1, layer_parameters: 0 };

fn operations(stage: &TranslatedStage) -> Operations {
    let functions = stage.module.entry_points.iter().map(|entry| &entry.function);
    let expressions: Vec<&Expression> =
        functions.flat_map(|function| function.expressions.iter().map(|(_, expression)| expression)).collect();
    let count = |is: fn(&Expression) -> bool| expressions.iter().filter(|expression| is(expression)).count();
    let bindings =
        |is: fn(&StageBindingKind) -> bool| stage.bindings.iter().filter(|binding| is(&binding.kind)).count();
    let parameters = stage.parameters.iter().flat_map(|block| &block.parameters);
    Operations {
        samples: count(|expression| matches!(expression, Expression::ImageSample { .. })),
        loads: count(|expression| matches!(expression, Expression::ImageLoad { .. })),
        textures: bindings(|kind| matches!(kind, StageBindingKind::Texture { .. })),
        samplers: bindings(|kind| matches!(kind, StageBindingKind::Sampler { .. })),
        layer_parameters: parameters.filter(|(of, _)| matches!(of, Parameter::TextureLayers { .. })).count(),
    }
}

/// The operations of a pixel shader that samples a texture of this dimension through each of these samplers.
fn sampled(dimension: &str, samplers: &[u32], resources: StageResources) -> Operations {
    operations(&stage_that_samples(dimension, samplers, resources))
}

fn stage_that_samples(dimension: &str, samplers: &[u32], resources: StageResources) -> TranslatedStage {
    let vertex = "vs_5_0\n.input\n.param \"POSITION\"[0].xyzw, v0.xyzw, float\n.output\n\
        .param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.param \"TEXCOORD\"[0].xyzw, o1.xyzw, float\n.text\n\
        dcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\n\
        mov o1.xyzw, v0.xyzw\nret\n";
    let declared: String = samplers.iter().map(|slot| format!("dcl_sampler s{slot}, mode_default\n")).collect();
    let lines: String = samplers
        .iter()
        .map(|slot| format!("sample r0.xyzw, v1.xyzw, t0.xyzw, s{slot}\nadd o0.xyzw, r0.xyzw, v1.xyzw\n"))
        .collect();
    let pixel = format!(
        "ps_5_0\n.input\n.param \"SV_Position\"[0].xyzw, v0., float, position\n\
         .param \"TEXCOORD\"[0].xyzw, v1.xyzw, float\n.output\n.param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\n\
         dcl_resource_{dimension} (float,float,float,float) t0\n{declared}dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\n\
         dcl_temps 1\n{lines}ret\n"
    );
    let program = |text: &str| decode(&assemble(text).unwrap().0, 0).unwrap();
    let options = DrawOptions {
        inputs: vec![InputFeed::Float],
        pixel_resources: StageResources { shapes: TextureShapes::TwoDimensional, ..resources },
        ..DrawOptions::default()
    };
    translate_draw(&program(vertex), Some(&program(&pixel)), &options).unwrap().pixel.unwrap()
}

fn slot_0() -> SlotSet {
    SlotSet::below(1)
}

/// Textures of a device without views of layers.
fn stored(layers: StoredLayers) -> StageResources {
    StageResources { stored_layers: Some(layers), loads_depth: true, joins_samplers: true, ..StageResources::default() }
}

fn textures_as_they_are_declared_cost_nothing() {
    for dimension in ["texture2d", "texture2darray", "texturecube", "texturecubearray"] {
        assert_eq!(sampled(dimension, &[0], StageResources::default()), ONE, "{dimension}, with views");
    }
    assert_eq!(sampled("texture2d", &[0], stored(StoredLayers::default())), ONE);
    let whole = StoredLayers { arrays: slot_0(), ..StoredLayers::default() };
    assert_eq!(sampled("texture2darray", &[0], stored(whole)), ONE);
    // An array of one layer is a texture without layers: nothing is counted for that.
    assert_eq!(sampled("texture2darray", &[0], stored(StoredLayers::default())), ONE);
    // Nothing that is a cube is bound: a texture of zeros is.
    assert_eq!(sampled("texturecube", &[0], stored(StoredLayers::default())), ONE);
}

fn parts_of_arrays_have_a_parameter() {
    let part = StoredLayers { arrays: slot_0(), parts: slot_0(), cubes: SlotSet::default() };
    let with_parameter = Operations { layer_parameters: 1, ..ONE };
    assert_eq!(sampled("texture2darray", &[0], stored(part)), with_parameter);
    assert_eq!(sampled("texture2d", &[0], stored(part)), with_parameter);
    // The first layer of a whole array.
    let whole = StoredLayers { arrays: slot_0(), ..StoredLayers::default() };
    assert_eq!(sampled("texture2d", &[0], stored(whole)), with_parameter);
}

fn cubes_and_depth_are_loaded() {
    let cubes = StoredLayers { arrays: slot_0(), parts: slot_0(), cubes: slot_0() };
    // Without a sampler one texel of one mip.
    let one_texel = Operations { samples: 0, loads: 1, textures: 1, samplers: 0, layer_parameters: 1 };
    assert_eq!(sampled("texturecube", &[0], stored(cubes)), one_texel);
    assert_eq!(sampled("texturecubearray", &[0], stored(cubes)), one_texel);
    // Four texels of each of two mips.
    let linear = trace_base::direct3d::Filter::Linear;
    let trilinear = SamplerRule { min: linear, mag: linear, mip: Some(linear), ..SamplerRule::NEAREST };
    let filtered = StageResources { samplers: [(0, trilinear)].into(), ..stored(cubes) };
    assert_eq!(sampled("texturecube", &[0], filtered), Operations { loads: 8, ..one_texel });
    let depth = StageResources { depth_textures: slot_0(), ..stored(StoredLayers::default()) };
    let of_depth = Operations { layer_parameters: 0, ..one_texel };
    assert_eq!(sampled("texture2d", &[0], depth), of_depth);
    // A device that samples depth does so.
    let depth = StageResources { depth_textures: slot_0(), ..StageResources::default() };
    assert_eq!(sampled("texture2d", &[0], depth), ONE);
}

fn a_texture_is_bound_for_each_sampler() {
    let two = Operations { samples: 2, samplers: 2, ..ONE };
    assert_eq!(sampled("texture2d", &[0, 3], StageResources::default()), two);
    let joined = Operations { textures: 2, ..two };
    assert_eq!(sampled("texture2d", &[0, 3], stored(StoredLayers::default())), joined);
    // Twice through one sampler is once.
    let once = Operations { samples: 2, ..ONE };
    assert_eq!(sampled("texture2d", &[2, 2], stored(StoredLayers::default())), once);
}

fn numbers_of_mips_are_parameters_where_shaders_cannot_ask() {
    let cubes = stored(StoredLayers { arrays: slot_0(), parts: slot_0(), cubes: slot_0() });
    for counted_mips in [false, true] {
        let stage = stage_that_samples("texturecube", &[0], StageResources { counted_mips, ..cubes.clone() });
        let functions = stage.module.entry_points.iter().map(|entry| &entry.function);
        let is_query =
            |expression: &Expression| matches!(expression, Expression::ImageQuery { query: ImageQuery::NumLevels, .. });
        let asks = functions.flat_map(|function| function.expressions.iter()).any(|(_, found)| is_query(found));
        let mut parameters = stage.parameters.iter().flat_map(|block| &block.parameters);
        let is_given = parameters.any(|(of, _)| *of == Parameter::TextureMips { slot: 0 });
        assert_eq!((asks, is_given), (!counted_mips, counted_mips));
    }
}
