//! Meanings of the drivers, in small streams: stages that name their values otherwise, viewports of zeros, edited shaders of
//! Direct3D 9, and the causes that a pixel's history names.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::{SetIndexBuffer, SetRenderState};
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsB;
use aerogpu_replay::abi::a3a0::work::DrawIndexed;
use aerogpu_replay::abi::a3a0::{BoolForm, Bools};
use aerogpu_replay::analysis::{PixelCause, StreamShaders, pixel_history};
use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::{Miss, Player};
use aerogpu_replay::replay::{ShaderOptions, ShaderReplacements};

use crate::gpu::kept::opened;
use crate::gpu::mismatched::shaders;
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

const SIDE: u32 = 8;
const SCREEN: u32 = 10;
const STRIP: u32 = 5;
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

const ALPHA_TEST_ENABLE: u32 = 15;
const ALPHA_REFERENCE: u32 = 24;
const ALPHA_FUNCTION: u32 = 25;
const GREATER: u32 = 5;
const SOURCE_BLEND: u32 = 19;
const DESTINATION_BLEND: u32 = 20;
const ZERO: u32 = 1;
const ONE: u32 = 2;
const BLEND_ENABLE: u32 = 27;
const COLOR_WRITE_ENABLE: u32 = 168;

pub fn trials() -> Vec<Trial> {
    type NamedTest = (&'static str, fn(Backend));
    let tests: [NamedTest; 7] = [
        ("values_without_a_name_are_taken_by_register", values_without_a_name_are_taken_by_register),
        ("a_name_goes_before_a_register", a_name_goes_before_a_register),
        ("a_viewport_of_zeros_is_the_target", a_viewport_of_zeros_is_the_target),
        ("an_edited_shader_of_direct3d9_draws", an_edited_shader_of_direct3d9_draws),
        ("causes_are_named", causes_are_named),
        ("boolean_constants_have_two_lengths", boolean_constants_have_two_lengths),
        ("a_strip_of_a_million_indices_is_drawn_at_once", a_strip_of_a_million_indices_is_drawn_at_once),
    ];
    let of = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    BACKENDS.iter().flat_map(|backend| of(*backend)).collect()
}

/// A cleared target, and a rectangle of green over all of it that is not yet drawn.
fn started() -> Stream {
    let mut stream = Stream::new();
    stream.texture(SCREEN, R8G8B8A8, [SIDE, SIDE], [1, 1]);
    stream.layout_of(3, &layout_of(&[Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 0, 16, 0)]));
    stream.buffer(4, &rectangle(WHOLE, 0.5, [GREEN; 4]));
    stream.targets(&[SCREEN], 0).viewport([0.0, 0.0, SIDE as f32, SIDE as f32]).use_layout(3);
    stream.vertex_buffer(0, 4, VERTEX_BYTES, 0).topology(TRIANGLE_LIST).put(unblended());
    stream.clear(1, BLACK, 1.0);
    stream
}

fn trace_of(stream: Stream) -> (Arc<Trace>, Vec<u8>) {
    let stream = stream.finish();
    let file = recording([&stream[..]]);
    (Arc::new(opened(file.clone()).unwrap()), file)
}

fn player_of(backend: Backend, trace: &Arc<Trace>) -> Player {
    let size = Size { width_px: SIDE, height_px: SIDE };
    Player::new(trace.clone(), backend.open_fresh(), size).unwrap()
}

/// The colour of every pixel of the only frame.
fn only_color(player: &mut Player) -> [u8; 4] {
    let picture = player.render(FrameIndex(0)).unwrap();
    let texels = picture.rgba().as_chunks::<4>().0;
    assert!(texels.iter().all(|texel| texel == &texels[0]), "{texels:?}");
    texels[0]
}

/// A pixel shader that reads one value in one register.
fn reader_of(name: &str, register: u32) -> Vec<u8> {
    shaders::bytecode(&format!(
        "ps_5_0\n.input\n.param \"{name}\"[0].xyzw, v{register}.xyzw, float\n.output\n\
         .param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\ndcl_input_ps linear v{register}.xyzw\n\
         dcl_output o0.xyzw\nmov o0.xyzw, v{register}.xyzw\nret\n"
    ))
}

fn drawn_with(backend: Backend, vertex: &[u8], pixel: &[u8]) -> ([u8; 4], Vec<String>) {
    let mut stream = started();
    stream.container(1, VERTEX, vertex).container(2, PIXEL, pixel).shaders(1, 2).draw(0, 6).present();
    let mut player = player_of(backend, &trace_of(stream).0);
    let color = only_color(&mut player);
    let remarks = player.diagnostics().findings().iter().map(ToString::to_string);
    // OpenGL's first draw of triangles has one of its own.
    (color, remarks.filter(|remark| !remark.starts_with("OpenGL interpolates")).collect())
}

fn values_without_a_name_are_taken_by_register(backend: Backend) {
    let (color, remarks) = drawn_with(backend, &shaders::vertex(&[]), &reader_of("COLOR", 1));
    assert_eq!(color, [0, 255, 0, 255]);
    let expected = "the vertex shader has no output named COLOR0: it is matched by its register";
    assert!(remarks.iter().any(|remark| remark.contains(expected)), "{remarks:?}");
}

/// Where a strip's triangles are made by a shader, no triangle may look at all indices before it.
fn a_strip_of_a_million_indices_is_drawn_at_once(backend: Backend) {
    let mut stream = started();
    let indices: Vec<u8> = [0_u32].repeat(999_996).into_iter().chain([0, 1, 2, 5]).flat_map(u32::to_le_bytes).collect();
    stream.container(1, VERTEX, &shaders::vertex(&[])).container(2, PIXEL, &reader_of("COLOR", 1)).shaders(1, 2);
    stream.buffer(5, &indices).put(SetIndexBuffer { buffer: 5, format: 1, offset: 0, reserved: 0 }).topology(STRIP);
    let (index_count, base_vertex) = (1_000_000, 0);
    stream.put(DrawIndexed { index_count, instance_count: 1, first_index: 0, base_vertex, first_instance: 0 });
    stream.present();
    assert_eq!(only_color(&mut player_of(backend, &trace_of(stream).0)), [0, 255, 0, 255]);
}

fn a_name_goes_before_a_register(backend: Backend) {
    // The vertex shader has another value in register 2.
    let outputs = [".param \"COLOR\"[0].xyzw, o2.xyzw, float".to_owned()];
    let declarations = ["dcl_output o2.xyzw".to_owned()];
    let vertex =
        shaders::bytecode(&shaders::vertex_text(&outputs, &declarations, &["mov o2.xyzw, l(1.0, 0.0, 0.0, 1.0)"]));
    let (color, remarks) = drawn_with(backend, &vertex, &reader_of("TEXCOORD", 2));
    assert_eq!((color, remarks), ([0, 255, 0, 255], Vec::new()));
}

fn a_viewport_of_zeros_is_the_target(backend: Backend) {
    let drawn_in = |viewport| {
        let mut stream = started();
        stream.container(1, VERTEX, &shaders::vertex(&[])).container(2, PIXEL, &shaders::pixel_of_color());
        stream.shaders(1, 2).viewport(viewport).draw(0, 6).present();
        only_color(&mut player_of(backend, &trace_of(stream).0))
    };
    assert_eq!(drawn_in([0.0; 4]), [0, 255, 0, 255]);
    // Any other without an area shows nothing.
    assert_eq!(drawn_in([0.0, 1.0, 0.0, 0.0]), [0, 0, 0, 255]);
    assert_eq!(drawn_in([0.0, 0.0, SIDE as f32, 0.0]), [0, 0, 0, 255]);
}

const VERTEX_9: &str = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n";

/// Shaders of Direct3D 9 with this pixel shader.
fn legacy(stream: &mut Stream, handles: [u32; 2], pixel: &str) {
    let [vertex, fragment] = handles;
    stream.container(vertex, VERTEX, &assemble(VERTEX_9, Lengths::Microsoft));
    stream.container(fragment, PIXEL, &assemble(pixel, Lengths::Microsoft));
    stream.declaration_of_floats(26).use_layout(26).shaders(vertex, fragment);
    stream.put(SetRenderState { state: 22, value: 1 });
}

/// The driver writes a dword for each flag, the protocol's own writer four. Read as the other one, every row is another
/// colour.
fn boolean_constants_have_two_lengths(backend: Backend) {
    let channel = |flag: u32, channel: &str| format!("if b{flag}\nmov r0.{channel}, c1.x\nendif\n");
    let pixel = format!(
        "ps_3_0\ndef c0, 0.0, 0.0, 0.0, 0.0\ndef c1, 1.0, 1.0, 1.0, 1.0\nmov r0, c0\n{}{}{}{}mov oC0, r0\n",
        channel(4, "x"),
        channel(5, "y"),
        channel(6, "z"),
        channel(7, "w"),
    );
    let vertex = "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n";
    for flags in [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]] {
        let expected = flags.map(|flag| if flag == 1 { 255 } else { 0 });
        let scalars: Vec<u8> = flags.iter().flat_map(|flag: &u32| flag.to_le_bytes()).collect();
        // Any of the four sets it.
        let wide = |dword: usize| -> Vec<u8> {
            let register = |flag: u32| std::array::from_fn::<u32, 4, _>(|at| if at == dword { flag } else { 0 });
            flags.iter().flat_map(|flag| register(*flag)).flat_map(u32::to_le_bytes).collect()
        };
        let mut forms = vec![(BoolForm::Scalar, scalars)];
        forms.extend((0..4).map(|dword| (BoolForm::Vec4, wide(dword))));
        for (form, bytes) in forms {
            let mut stream = started();
            stream.container(1, VERTEX, &assemble(vertex, Lengths::Microsoft));
            stream.container(2, PIXEL, &assemble(&pixel, Lengths::Microsoft));
            stream.declaration_of_floats(26).use_layout(26).shaders(1, 2);
            stream.put(SetRenderState { state: 22, value: 1 });
            let values = Bools::new(form, &bytes).unwrap();
            stream.put(SetShaderConstantsB { stage: PIXEL, start_register: 4, bool_count: 4, stage_ex: 0, values });
            stream.draw(0, 6).present();
            assert_eq!(only_color(&mut player_of(backend, &trace_of(stream).0)), expected, "{form:?}: {bytes:?}");
        }
    }
}

fn an_edited_shader_of_direct3d9_draws(backend: Backend) {
    let mut stream = started();
    legacy(&mut stream, [1, 2], "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n");
    stream.draw(0, 6).present();
    let (trace, file) = trace_of(stream);
    let mut offset = None;
    let mut streams = StreamShaders::new(&trace);
    let mut records = trace.records(trace.stream());
    while let Some(record) = records.next_record(&mut Diagnostics::new()).unwrap() {
        let visited = streams.visit(&record, |shader| {
            // The last is the pixel shader.
            offset = Some(shader.unwrap().code_offset);
            Ok::<_, std::convert::Infallible>(())
        });
        visited.unwrap();
    }
    let offset = offset.unwrap();
    let program = aerogpu_replay::shader::d3d::decode(&file[offset as usize..], offset).unwrap();
    let text = aerogpu_replay::shader::d3d::disassemble(&program);
    let edited = text.replace("mov oC0, r0", "mov oC0, r0.yxwz");
    assert_ne!(text, edited, "{text}");
    let replacements = ShaderReplacements::from([(offset, edited.into_bytes())]);
    assert_eq!(only_color(&mut player_of(backend, &trace)), [0, 255, 0, 255]);
    let mut player = player_of(backend, &trace);
    player.set_shader_options(ShaderOptions { replacements: Arc::new(replacements), ..Default::default() });
    // Green and red, blue and alpha have changed places.
    assert_eq!(only_color(&mut player), [255, 0, 255, 0]);
}

fn causes_are_named(backend: Backend) {
    let mut stream = started();
    legacy(&mut stream, [1, 2], "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n");
    // 0: written. 1: the same again.
    stream.draw(0, 6).draw(0, 6);
    // 2: nothing of it, all of what is there.
    for (state, value) in [(BLEND_ENABLE, 1), (SOURCE_BLEND, ZERO), (DESTINATION_BLEND, ONE)] {
        stream.put(SetRenderState { state, value });
    }
    stream.draw(0, 6).put(SetRenderState { state: BLEND_ENABLE, value: 0 });
    // 3: no channel.
    stream.put(SetRenderState { state: COLOR_WRITE_ENABLE, value: 0 }).draw(0, 6);
    stream.put(SetRenderState { state: COLOR_WRITE_ENABLE, value: 0xf });
    // 4: an alpha of 255 is not greater than the reference.
    for (state, value) in [(ALPHA_TEST_ENABLE, 1), (ALPHA_REFERENCE, 255), (ALPHA_FUNCTION, GREATER)] {
        stream.put(SetRenderState { state, value });
    }
    stream.draw(0, 6);
    // 5: what the shader drops, the test never sees. 6: what it drops without a test.
    let drops = "ps_2_0\ndef c0, -1, -1, -1, -1\ndcl t0\nmov r0, c0\ntexkill r0\nmov r0, t0\nmov oC0, r0\n";
    legacy(&mut stream, [5, 6], drops);
    stream.draw(0, 6).put(SetRenderState { state: ALPHA_TEST_ENABLE, value: 0 });
    stream.draw(0, 6).present();
    let mut player = player_of(backend, &trace_of(stream).0);
    let history = pixel_history(&mut player, Place::end_of(FrameIndex(0)), 3, 3).unwrap();
    let causes: Vec<PixelCause> = history.events.iter().map(|event| event.cause).collect();
    let expected = [
        // The CLEAR.
        PixelCause::Written,
        PixelCause::Written,
        PixelCause::WroteEqual,
        PixelCause::BlendLeftEqual,
        PixelCause::Missed(Miss::WriteMask),
        PixelCause::Missed(Miss::AlphaTestFailed),
        PixelCause::Missed(Miss::Discarded),
        PixelCause::Missed(Miss::Discarded),
    ];
    assert_eq!(causes, expected);
    assert_eq!(history.end.unwrap().0, [0, 255, 0, 255]);
}
