//! A scene of a few commands for each rule of what reads and writes what, with the slice that it must have.

use super::expected_slice;
use super::made::*;
use super::shaders::*;
use crate::support::a3a0::*;
use crate::support::harness::Trial;

/// Ten commands that make a draw of Direct3D 11 possible, into texture 1 from buffer 2.
fn base_11() -> Vec<Command> {
    vec![
        texture(1),
        buffer(2, 256),
        upload(2, 0, 256),
        shader(1, Vs11),
        shader(2, Ps11),
        layout(1, LayoutKind::Ilay),
        bind(1, 2),
        set_layout(1),
        vertices(0, 2, 0, 28),
        targets(&[1]),
    ]
}

/// Commands that make a draw of Direct3D 9 possible, into texture 1 from buffer 2.
fn base_9() -> Vec<Command> {
    vec![
        texture(1),
        buffer(2, 256),
        upload(2, 0, 256),
        shader(1, Vs9),
        shader(2, Ps9),
        layout(1, LayoutKind::Declaration),
        bind(1, 2),
        set_layout(1),
        vertices(0, 2, 0, 20),
        targets(&[1]),
    ]
}

/// A rule by the scene that shows it: what comes before the frame, the frame, and what of the former it needs.
struct Row {
    name: &'static str,
    scene: Scene,
    needs: Vec<u32>,
}

/// Needs the ten commands without some, and with some that follow them.
fn row(
    name: &'static str,
    base: Vec<Command>,
    more: &[Command],
    own: &[Command],
    without: &[u32],
    with: &[u32],
) -> Row {
    let all: Vec<Command> = base.into_iter().chain(more.iter().cloned()).collect();
    let mut needs: Vec<u32> = (0..10).filter(|number| !without.contains(number)).collect();
    needs.extend(with);
    Row { name, scene: Scene::of(&[&all, own]), needs }
}

/// Needs these.
fn bare(name: &'static str, scene: Scene, needs: &[u32]) -> Row {
    Row { name, scene, needs: needs.to_vec() }
}

/// Clears, draws, shows.
fn picture() -> [Command; 3] {
    [clear(COLOR), draw(3), present()]
}

pub fn trials() -> Vec<Trial> {
    let groups: [fn() -> Vec<Row>; 9] = [
        targets_rows,
        buffer_rows,
        texture_rows,
        state_rows,
        d3d9_rows,
        name_rows,
        shader_rows,
        twice_bound_rows,
        frame_rows,
    ];
    let rows: Vec<Row> = groups.iter().flat_map(|rows| rows()).collect();
    assert!(rows.len() >= 60);
    rows.into_iter()
        .map(|Row { name, scene, needs }| Trial::test(name, move || expected_slice(&scene, &needs)))
        .collect()
}

fn targets_rows() -> Vec<Row> {
    let depth = |more: &[Command]| -> Vec<Command> {
        [&[depth_texture(3, D32F), targets_with_depth(&[1], 3), clear(DEPTH)], more].concat()
    };
    let stencil =
        |flags: u32| vec![depth_texture(3, D24S8), targets_with_depth(&[], 3), clear(DEPTH | STENCIL), clear(flags)];
    let shown_copy =
        [depth_texture(4, D24S8), copy_whole(4, 3), targets_with_depth(&[1], 4), clear(COLOR), draw(3), present()];
    vec![
        row("clear_ends_history", base_11(), &[clear(COLOR), draw(3)], &picture(), &[], &[]),
        row("draw_keeps_history", base_11(), &[clear(COLOR), draw(3)], &[draw(3), present()], &[], &[10, 11]),
        row(
            "last_clear_counts",
            base_11(),
            &[clear(COLOR), draw(3), clear(COLOR), draw(3)],
            &[draw(3), present()],
            &[],
            &[12, 13],
        ),
        row(
            "clear_of_depth_keeps_color",
            base_11(),
            &[clear(COLOR)],
            &[clear(DEPTH), present()],
            &[1, 2, 4, 5, 7, 8],
            &[10],
        ),
        row(
            "mask_of_0_draws_no_color",
            base_11(),
            &[clear(COLOR), blend(0), draw(3), blend(15)],
            &[draw(3), present()],
            &[],
            &[10, 13],
        ),
        row("depth_is_tested", base_11(), &depth(&[]), &picture(), &[9], &[10, 11, 12]),
        row("depth_of_draws_is_tested", base_11(), &depth(&[draw(3)]), &picture(), &[9], &[10, 11, 12, 13]),
        row(
            "depth_always_is_not_read",
            base_11(),
            &depth(&[depth_test(true, true, 7)]),
            &picture(),
            &[9],
            &[10, 11, 13],
        ),
        row(
            "depth_without_write_keeps",
            base_11(),
            &depth(&[depth_test(true, false, 1), draw(3), depth_test(true, true, 1)]),
            &picture(),
            &[9],
            &[10, 11, 12, 15],
        ),
        row(
            "depth_without_test_is_not_written",
            base_11(),
            &depth(&[depth_test(false, true, 1), draw(3), depth_test(true, true, 1)]),
            &picture(),
            &[9],
            &[10, 11, 12, 15],
        ),
        row("aspects_are_parts", base_11(), &stencil(DEPTH), &shown_copy, &[9], &[10, 11, 12, 13]),
        row("aspects_are_cleared_together", base_11(), &stencil(DEPTH | STENCIL), &shown_copy, &[9], &[10, 11, 13]),
        row(
            "unseen_target_pulls_no_history",
            base_11(),
            &[texture(3), targets(&[3]), clear(COLOR), draw(3)],
            &[targets(&[3]), draw(3), targets(&[1]), clear(COLOR), draw(3), present()],
            &[9],
            &[10],
        ),
        row(
            "unwritten_target_keeps_history",
            base_11(),
            &[clear(COLOR), texture(3), targets(&[3, 1]), draw(3)],
            &[targets(&[1]), present()],
            &[1, 2, 4, 5, 7, 8],
            &[10],
        ),
        row(
            "view_is_a_part",
            base_11(),
            &[
                texture_of(3, 2, 2),
                view(4, 3, 1, 1),
                view(5, 3, 0, 1),
                targets(&[4]),
                clear(COLOR),
                targets(&[5]),
                clear(COLOR),
            ],
            &[targets(&[4]), present()],
            &[0, 1, 2, 4, 5, 7, 8, 9],
            &[10, 11, 13, 14],
        ),
        row(
            "copy_of_all_ends_history",
            base_11(),
            &[clear(COLOR), texture(3), upload(3, 0, 256), copy_whole(1, 3)],
            &[present()],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[11, 12, 13],
        ),
        row(
            "copy_of_a_part_keeps",
            base_11(),
            &[clear(COLOR), texture(3), upload(3, 0, 256), copy_part(1, 3)],
            &[present()],
            &[1, 2, 4, 5, 7, 8],
            &[10, 11, 12, 13],
        ),
        bare(
            "nothing_bound_is_the_back_buffer",
            Scene::of(&[&[texture(1), targets(&[1]), clear(COLOR), targets(&[]), clear(COLOR)], &[present()]]),
            &[3, 4],
        ),
        bare("never_bound_is_the_back_buffer", Scene::of(&[&[clear(COLOR), clear(COLOR)], &[present()]]), &[1]),
    ]
}

fn buffer_rows() -> Vec<Row> {
    // Three positions of twelve bytes, 28 from one to the next: the first 68 bytes.
    let indexed = |first, indices| Command::DrawIndexed { indices, instances: 1, first, base_vertex: 0 };
    let index_buffer = |is_wide| Command::IndexBuffer { buffer: 3, is_wide, offset: 6 };
    let instanced = |kind, stride| {
        vec![
            shader(3, Vs11Constants),
            layout(2, kind),
            bind(3, 2),
            set_layout(2),
            buffer(4, 256),
            vertices(0, 4, 0, stride),
            vertices(1, 2, 0, 16),
        ]
    };
    let of_instances = |instances, first_instance| {
        [clear(COLOR), Command::Draw { vertices: 3, instances, first: 0, first_instance }, present()]
    };
    let with = |more: Vec<Command>, uploads: &[Command]| [more.as_slice(), uploads].concat();
    vec![
        row("upload_over_all_that_is_read", base_11(), &[upload(2, 0, 68)], &picture(), &[2], &[10]),
        row("upload_of_the_last_byte", base_11(), &[upload(2, 67, 1)], &picture(), &[], &[10]),
        row("upload_behind_the_last_byte", base_11(), &[upload(2, 68, 100)], &picture(), &[], &[]),
        row("upload_over_an_upload", base_11(), &[upload(2, 3, 20), upload(2, 2, 22)], &picture(), &[], &[11]),
        row(
            "vertices_from_the_first",
            base_11(),
            &[upload(2, 0, 28), upload(2, 28, 1)],
            &[clear(COLOR), Command::Draw { vertices: 2, instances: 1, first: 1, first_instance: 0 }, present()],
            &[],
            &[11],
        ),
        row(
            "stride_0_is_one_vertex",
            base_11(),
            &[vertices(0, 2, 8, 0), upload(2, 20, 9), upload(2, 19, 1)],
            &picture(),
            &[8],
            &[10, 12],
        ),
        row(
            "bytes_copied",
            base_11(),
            &[buffer(3, 64), upload(3, 0, 8), upload(3, 8, 8), copy_bytes(2, 66, 3, 4, 4)],
            &picture(),
            &[],
            &[10, 11, 13],
        ),
        row("copy_of_nothing", base_11(), &[buffer(3, 64), copy_bytes(2, 0, 3, 0, 0)], &picture(), &[], &[]),
        row(
            "indices_and_vertices_to_the_end",
            base_11(),
            &[
                buffer(3, 64),
                upload(3, 0, 10),
                upload(3, 10, 4),
                upload(3, 14, 4),
                index_buffer(false),
                upload(2, 255, 1),
            ],
            &[clear(COLOR), indexed(2, 2), present()],
            &[],
            &[10, 12, 14, 15],
        ),
        row(
            "wide_indices",
            base_11(),
            &[buffer(3, 64), upload(3, 0, 10), upload(3, 10, 4), upload(3, 14, 4), index_buffer(true)],
            &[clear(COLOR), indexed(1, 1), present()],
            &[],
            &[10, 12, 14],
        ),
        row(
            "once_per_instance",
            base_11(),
            &with(
                instanced(LayoutKind::IlayInstanced, 8),
                &[upload(4, 0, 12), upload(4, 12, 4), upload(4, 16, 4), upload(4, 24, 9)],
            ),
            &of_instances(2, 1),
            &[3, 5, 6, 7, 8],
            &[10, 11, 12, 13, 14, 15, 16, 18, 19],
        ),
        row(
            "once_per_two_instances",
            base_11(),
            &with(
                instanced(LayoutKind::IlayStepTwo, 16),
                &[upload(4, 0, 16), upload(4, 16, 16), upload(4, 32, 16), upload(4, 48, 16)],
            ),
            &of_instances(4, 1),
            &[3, 5, 6, 7, 8],
            &[10, 11, 12, 13, 14, 15, 16, 18, 19],
        ),
        bare(
            "copies_of_nothing_have_their_objects",
            Scene::of(&[
                &[buffer(1, 64), buffer(2, 64), texture(3), texture(4), upload(1, 0, 64)],
                &[
                    copy_bytes(1, 0, 2, 0, 0),
                    Command::CopyTexture {
                        dst: corner(3, 0, 0),
                        src: corner(4, 0, 0),
                        width: 0,
                        height: 1,
                        writes_back: false,
                    },
                ],
            ]),
            &[0, 1, 2, 3],
        ),
        bare("dirty_has_its_object", Scene::of(&[&[buffer(1, 64), upload(1, 0, 64)], &[dirty(1, 0, 4)]]), &[0]),
        row("unread_slot", base_11(), &[buffer(3, 64), vertices(1, 3, 0, 16)], &picture(), &[], &[]),
    ]
}

fn texture_rows() -> Vec<Row> {
    let sampled = |more: &[Command]| {
        let first = [shader(3, Ps11Texture), bind(1, 3), texture_of(3, 2, 2), bind_texture(0, 3)];
        [first.as_slice(), more].concat()
    };
    // Two mips of 256 and 64 bytes, twice.
    vec![
        row(
            "sampled_all_mips_of_the_first_layer",
            base_11(),
            &sampled(&[upload(3, 0, 256), upload(3, 256, 64), upload(3, 320, 256)]),
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "sampled_through_a_view",
            base_11(),
            &sampled(&[view(4, 3, 1, 1), bind_texture(0, 4), upload(3, 0, 320), upload(3, 576, 64)]),
            &picture(),
            &[4, 6],
            &[10, 11, 12, 14, 15, 17],
        ),
        row(
            "sampled_as_an_array",
            base_11(),
            &[
                shader(3, Ps11Array),
                bind(1, 3),
                texture_of(3, 1, 3),
                bind_texture(0, 3),
                upload(3, 0, 256),
                upload(3, 512, 256),
            ],
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "upload_of_all_rows",
            base_11(),
            &sampled(&[upload(3, 0, 320), upload(3, 0, 256)]),
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "upload_of_some_rows",
            base_11(),
            &sampled(&[upload(3, 0, 256), upload(3, 31, 2), upload(3, 256, 64), upload(3, 256, 64)]),
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 14, 15, 17],
        ),
        row(
            "upload_without_the_last_padding",
            base_11(),
            &[
                Command::CreateTexture {
                    handle: 3,
                    desc: TextureDesc { row_pitch: 40, ..plain(R8G8B8A8, 8) },
                    backing: None,
                },
                upload(3, 0, 320),
                upload(3, 32, 8),
                upload(3, 0, 312),
                targets(&[3]),
            ],
            &[present()],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            &[10, 13, 14],
        ),
        row(
            "sampled_again_after_a_draw_of_nothing",
            base_11(),
            &sampled(&[draw(3), draw(0), upload(3, 0, 256), upload(3, 256, 64)]),
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 16, 17],
        ),
        row(
            "rendered_and_sampled",
            base_11(),
            &[
                texture(3),
                targets(&[3]),
                clear(COLOR),
                targets(&[1]),
                shader(3, Ps11Texture),
                bind(1, 3),
                bind_texture(0, 3),
            ],
            &picture(),
            &[4, 9],
            &[10, 11, 12, 13, 14, 15, 16],
        ),
        row(
            "depth_sampled",
            base_11(),
            &[
                depth_texture(3, D24S8),
                targets_with_depth(&[], 3),
                clear(DEPTH),
                clear(STENCIL),
                targets(&[1]),
                shader(3, Ps11Texture),
                bind(1, 3),
                bind_texture(0, 3),
            ],
            &picture(),
            &[4, 9],
            &[10, 11, 12, 14, 15, 16, 17],
        ),
        row(
            "unused_texture",
            base_11(),
            &[
                texture(3),
                upload(3, 0, 256),
                bind_texture(0, 3),
                Command::Samplers { stage: Pixel, first: 0, handles: vec![0] },
            ],
            &picture(),
            &[],
            &[],
        ),
        row(
            "target_unbinds_texture",
            base_11(),
            &[shader(3, Ps11Texture), bind(1, 3), texture(3), bind_texture(0, 3), targets(&[3]), targets(&[1])],
            &picture(),
            &[4, 6, 9],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "texture_unbinds_target",
            base_11(),
            &[texture(3), targets(&[1, 3]), bind_texture(5, 3)],
            &picture(),
            &[9],
            &[10, 11, 12],
        ),
    ]
}

fn state_rows() -> Vec<Row> {
    let constants = |slot: Bound| Command::ConstantBuffers { stage: Vertex, first: 0, slots: vec![slot] };
    let with_constants = |more: &[Command]| [&[shader(3, Vs11Constants), bind(3, 2)], more].concat();
    vec![
        row(
            "last_setting_counts",
            base_11(),
            &[
                blend(7),
                blend(15),
                Command::Topology { topology: 5 },
                Command::Topology { topology: 4 },
                viewport(4),
                viewport(8),
            ],
            &picture(),
            &[],
            &[11, 13, 15],
        ),
        row("scissor_when_enabled", base_11(), &[scissor(4), rasterizer(true)], &picture(), &[], &[10, 11]),
        row("scissor_when_not", base_11(), &[scissor(4), rasterizer(false)], &picture(), &[], &[11]),
        row("other_worlds_states", base_11(), &[render_state(22, 2), floats(Pixel, 0, 1)], &picture(), &[], &[]),
        row(
            "bank_in_slot_0",
            base_11(),
            &with_constants(&[floats(Vertex, 0, 1), floats(Vertex, 90, 2), floats(Pixel, 0, 1)]),
            &picture(),
            &[3, 6],
            &[10, 11, 12, 13],
        ),
        row(
            "buffer_in_slot_0",
            base_11(),
            &with_constants(&[
                floats(Vertex, 0, 1),
                buffer(3, 256),
                constants(range(3, 16, 32)),
                upload(3, 0, 16),
                upload(3, 47, 1),
            ]),
            &picture(),
            &[3, 6],
            &[10, 11, 13, 14, 16],
        ),
        row(
            "rest_of_a_buffer",
            base_11(),
            &with_constants(&[buffer(3, 256), constants(range(3, 16, 0)), upload(3, 255, 1)]),
            &picture(),
            &[3, 6],
            &[10, 11, 12, 13, 14],
        ),
        row(
            "nothing_in_slot_0",
            base_11(),
            &with_constants(&[floats(Vertex, 0, 1), constants(range(0, 0, 0))]),
            &picture(),
            &[3, 6],
            &[10, 11, 13],
        ),
        row(
            "destroyed_in_slot_0",
            base_11(),
            &with_constants(&[floats(Vertex, 0, 1), buffer(3, 256), constants(range(3, 0, 0)), destroy(3)]),
            &picture(),
            &[3, 6],
            &[10, 11, 13, 14, 15],
        ),
        row(
            "samplers",
            base_11(),
            &[
                shader(3, Ps11Texture),
                bind(1, 3),
                sampler(1),
                sampler(2),
                Command::Samplers { stage: Pixel, first: 0, handles: vec![1, 2] },
                sampler(1),
            ],
            &picture(),
            &[4, 6],
            &[10, 11, 12, 14],
        ),
        // A handle that means nothing means nothing without the sampler that it once was.
        row(
            "sampler_of_the_past",
            base_11(),
            &[
                shader(3, Ps11Texture),
                bind(1, 3),
                sampler(1),
                Command::DestroySampler { handle: 1 },
                Command::Samplers { stage: Pixel, first: 0, handles: vec![1] },
            ],
            &picture(),
            &[4, 6],
            &[10, 11, 14],
        ),
        row(
            "sampler_of_the_past_that_is_there",
            base_11(),
            &[
                shader(3, Ps11Texture),
                bind(1, 3),
                sampler(1),
                Command::Samplers { stage: Pixel, first: 0, handles: vec![1] },
                Command::DestroySampler { handle: 1 },
            ],
            &[
                clear(COLOR),
                draw(3),
                Command::Samplers { stage: Pixel, first: 0, handles: vec![1] },
                draw(3),
                present(),
            ],
            &[4, 6],
            &[10, 11, 12, 13, 14],
        ),
        // The first name stands again where its end is left out; the last has kept the texture with it and without it.
        row(
            "imported_from_the_last_name",
            base_11(),
            &[
                texture(3),
                Command::Export { resource: 3, token: 1 },
                Command::Import { handle: 4, token: 1 },
                destroy(3),
                Command::Import { handle: 5, token: 1 },
            ],
            &[Command::Import { handle: 6, token: 1 }, clear(COLOR), draw(3), present()],
            &[],
            &[10, 11, 12, 14],
        ),
    ]
}

fn d3d9_rows() -> Vec<Row> {
    let sampler = |slot, state| Command::SamplerState { stage: Pixel, slot, state, value: 2 };
    let constant = |bank, first| constants(bank, Vertex, first, 1);
    vec![
        row(
            "states_that_count",
            base_9(),
            &[render_state(22, 2), render_state(22, 3), render_state(250, 1)],
            &picture(),
            &[],
            &[11],
        ),
        row(
            "scissored_clear_keeps",
            base_9(),
            &[clear(COLOR), render_state(174, 1), scissor(3)],
            &[clear(COLOR), present()],
            &[1, 2, 4, 5, 7, 8],
            &[10, 11, 12],
        ),
        row(
            "clear_without_scissor",
            base_9(),
            &[clear(COLOR), render_state(174, 1), render_state(174, 0)],
            &[clear(COLOR), present()],
            &[1, 2, 4, 5, 7, 8],
            &[12],
        ),
        bare(
            "world_by_a_legacy_packet",
            Scene::of(&[
                &[texture(1), targets(&[1]), clear(COLOR), render_state(27, 0), render_state(174, 1), scissor(2)],
                &[clear(COLOR), present()],
            ]),
            &[0, 1, 2, 3, 4, 5],
        ),
        row(
            "world_by_the_last_shader",
            base_9(),
            &[shader(3, Vs11), clear(COLOR), render_state(174, 1), bind(3, 0), bind(0, 0)],
            &[clear(COLOR), present()],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[10, 13],
        ),
        row(
            "registers_that_are_read",
            base_9(),
            &[floats(Pixel, 0, 2), floats(Pixel, 1, 1), floats(Vertex, 0, 4)],
            &picture(),
            &[],
            &[10],
        ),
        row(
            "registers_of_each_bank",
            base_9(),
            &[
                shader(3, Vs9Flow),
                bind(3, 2),
                floats(Vertex, 4, 1),
                floats(Vertex, 5, 1),
                constant(Bank::Int, 1),
                constant(Bank::Int, 0),
                constant(Bank::Bool, 2),
                constant(Bank::Bool, 3),
            ],
            &picture(),
            &[3, 6],
            &[10, 11, 12, 14, 16],
        ),
        row(
            "registers_by_address",
            base_9(),
            &[shader(3, Vs9Relative), bind(3, 2), floats(Vertex, 7, 1), floats(Vertex, 200, 1)],
            &picture(),
            &[3, 6],
            &[10, 11, 12, 13],
        ),
        row(
            "mask_of_0",
            base_9(),
            &[clear(COLOR), render_state(168, 0), draw(3), render_state(168, 15)],
            &[draw(3), present()],
            &[],
            &[10, 13],
        ),
        row(
            "mask_of_0_after_another",
            base_9(),
            &[clear(COLOR), render_state(168, 7), render_state(168, 0), draw(3), render_state(168, 15)],
            &[draw(3), present()],
            &[],
            &[10, 14],
        ),
        row(
            "mask_of_0_needs_no_other",
            base_9(),
            &[clear(COLOR), render_state(168, 7), render_state(168, 0)],
            &[draw(3), present()],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9],
            &[],
        )
        .replaced(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]),
        row(
            "sampler_states",
            base_9(),
            &[
                shader(3, Ps9Texture),
                bind(1, 3),
                texture(3),
                bind_texture(0, 3),
                sampler(0, 5),
                sampler(0, 5),
                sampler(1, 5),
                sampler(0, 6),
            ],
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 15, 17],
        ),
        row(
            "stencil_counts_when_enabled",
            base_9(),
            &[
                depth_texture(3, D24S8),
                targets_with_depth(&[1], 3),
                clear(STENCIL),
                render_state(7, 0),
                render_state(52, 1),
            ],
            &picture(),
            &[9],
            &[10, 11, 12, 13, 14],
        ),
        row(
            "stencil_does_not_when_disabled",
            base_9(),
            &[depth_texture(3, D24S8), targets_with_depth(&[1], 3), clear(DEPTH | STENCIL), render_state(7, 0)],
            &picture(),
            &[9],
            &[10, 11, 13],
        ),
        // Nothing needs the targets in between, and so not what has let the texture stay either.
        row(
            "targets_stay_textures",
            base_9(),
            &[shader(3, Ps9Texture), bind(1, 3), texture(3), bind_texture(0, 3), targets(&[3]), targets(&[1])],
            &picture(),
            &[4, 6, 9],
            &[10, 11, 12, 13, 15],
        ),
        row(
            "cubes_have_layers",
            base_9(),
            &[shader(3, Ps9Cube), bind(1, 3), texture_of(3, 1, 6), bind_texture(1, 3), upload(3, 1280, 256)],
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 14],
        ),
    ]
}

fn name_rows() -> Vec<Row> {
    let export = Command::Export { resource: 3, token: 9 };
    let import = Command::Import { handle: 4, token: 9 };
    vec![
        row(
            "destroyed_and_made_again",
            base_11(),
            &[clear(COLOR), destroy(1), texture(1), targets(&[1])],
            &picture(),
            &[0, 9],
            &[12, 13],
        ),
        row(
            "both_lives_of_a_name",
            base_11(),
            &[texture(3), upload(3, 0, 256), copy_whole(1, 3), destroy(3), texture(3), upload(3, 0, 256)],
            &[copy_part(1, 3), present()],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[10, 11, 12, 13, 14, 15],
        ),
        // Both lives of a handle are needed, and between them another name keeps the texture.
        row(
            "a_name_keeps_what_is_imported_again",
            base_11(),
            &[
                texture(3),
                export.clone(),
                import.clone(),
                destroy(3),
                texture(3),
                Command::Import { handle: 5, token: 9 },
                targets(&[5, 3]),
            ],
            &picture(),
            &[0, 9],
            &[10, 11, 12, 13, 14, 15, 16],
        ),
        row("destroyed_while_bound", base_11(), &[destroy(2)], &picture(), &[2], &[10]),
        row(
            "target_destroyed_while_bound",
            base_11(),
            &[texture(3), targets(&[1, 3]), destroy(3)],
            &picture(),
            &[9],
            &[10, 11, 12],
        ),
        row(
            "bound_to_an_ended_name",
            base_11(),
            &[shader(3, Ps11Texture), bind(1, 3), texture(3), destroy(3), bind_texture(0, 3)],
            &picture(),
            &[4, 6],
            &[10, 11, 14],
        ),
        row(
            "bound_to_a_name_that_two_had",
            base_11(),
            &[
                shader(3, Ps11Texture),
                bind(1, 3),
                texture(3),
                upload(3, 0, 256),
                copy_whole(1, 3),
                destroy(3),
                texture(3),
                destroy(3),
                bind_texture(0, 3),
            ],
            &[draw(3), present()],
            &[4, 6],
            &[10, 11, 12, 13, 14, 15, 18],
        ),
        row(
            "bound_to_a_name_nobody_had",
            base_11(),
            &[shader(3, Ps11Texture), bind(1, 3), bind_texture(0, 77)],
            &picture(),
            &[4, 6],
            &[10, 11, 12],
        ),
        row("shader_replaced_while_bound", base_11(), &[shader(2, Ps11Texture)], &picture(), &[], &[]),
        row("shader_replaced_and_bound", base_11(), &[shader(2, Ps11), bind(1, 2)], &picture(), &[4, 6], &[10, 11]),
        row(
            "shader_destroyed_while_bound",
            base_11(),
            &[Command::DestroyShader { handle: 2 }, Command::DestroyLayout { handle: 1 }],
            &picture(),
            &[],
            &[],
        ),
        row(
            "shared",
            base_11(),
            &[texture(3), export.clone(), import.clone(), targets(&[3]), clear(COLOR), targets(&[4])],
            &[present()],
            &[0, 1, 2, 4, 5, 7, 8, 9],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "shared_without_its_first_name",
            base_11(),
            &[texture(3), export, import, upload(3, 0, 256), destroy(3), texture(3), targets(&[3, 4])],
            &[targets(&[4]), present()],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            &[10, 11, 12, 13],
        ),
        row(
            "view_replaced_while_bound",
            base_11(),
            &[texture_of(3, 2, 1), view(4, 3, 1, 0), targets(&[4]), clear(COLOR), view(4, 3, 0, 0)],
            &[present()],
            &[0, 1, 2, 4, 5, 7, 8, 9],
            &[10, 11, 12, 13],
        ),
    ]
}

/// A texture where it is bound to be drawn to and to be read, by other names and in other worlds.
fn twice_bound_rows() -> Vec<Row> {
    let read_depth = [depth_texture(3, D24S8), view(4, 3, 0, 0), targets_with_depth(&[1], 3), bind_texture(5, 4)];
    let read_depth = read_depth.map(|command| match command {
        Command::CreateView { view, texture, base_mip, mips, base_layer, layers, .. } => {
            Command::CreateView { view, texture, format: D24S8, base_mip, mips, base_layer, layers }
        }
        command => command,
    });
    vec![
        // Without the view, setting the texture would take nothing away.
        row("view_unbinds_target", base_11(), &read_depth, &picture(), &[9], &[10, 11, 12, 13]),
        bare(
            "back_buffer_since_depth_is_gone",
            Scene::of(&[&[depth_texture(1, D32F), targets_with_depth(&[], 1), destroy(1)], &[clear(COLOR), present()]]),
            &[0, 1, 2],
        ),
        // What nothing is drawn with decides a world, or takes a target away, and must not mean what it once meant.
        bare(
            "unused_shader_of_the_past",
            Scene::of(&[
                &[
                    texture(1),
                    texture(2),
                    shader(1, Vs9),
                    shader(2, Vs11),
                    scissor(4),
                    render_state(174, 1),
                    targets(&[1]),
                    bind(1, 0),
                    clear(COLOR),
                    Command::DestroyShader { handle: 1 },
                    bind(2, 0),
                ],
                &[bind(1, 0), targets(&[2]), clear(COLOR), copy_part(2, 1), present()],
            ]),
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ),
        bare(
            "unused_layout_of_the_past",
            Scene::of(&[
                &[texture(1), layout(1, LayoutKind::Declaration), layout(1, LayoutKind::Ilay), targets(&[1])],
                &[set_layout(1), clear(COLOR), present()],
            ]),
            &[0, 3],
        ),
        bare(
            "unused_texture_of_the_past",
            Scene::of(&[
                &[
                    texture(1),
                    view(5, 1, 0, 0),
                    targets(&[5]),
                    clear(COLOR),
                    Command::DestroyView { view: 5 },
                    targets(&[1]),
                ],
                &[bind_texture(0, 5), present()],
            ]),
            &[0, 1, 2, 3, 4, 5],
        ),
        bare(
            "unused_texture_of_another_past",
            Scene::of(&[
                &[
                    texture(1),
                    texture(2),
                    view(5, 1, 0, 0),
                    targets(&[5]),
                    clear(COLOR),
                    view(5, 2, 0, 0),
                    targets(&[1]),
                ],
                &[bind_texture(0, 5), present()],
            ]),
            &[0, 1, 2, 3, 4, 5, 6],
        ),
        // A target is spared twice, in Direct3D 9 either time, and Direct3D 10 in between.
        bare(
            "spared_twice",
            Scene::of(&[
                &[texture(1), shader(1, Vs9), shader(2, Vs11), bind(1, 0), targets(&[1]), upload(1, 0, 256)],
                &[bind_texture(1, 1), bind(2, 0), bind(1, 0), bind_texture(2, 1), present()],
            ]),
            &[0, 1, 3, 4, 5],
        ),
        bare(
            "made_again_alike",
            Scene::of(&[&[texture(1), texture(1), targets(&[1]), clear(COLOR), texture(1)], &[present()]]),
            &[0, 2, 3],
        ),
    ]
}

fn shader_rows() -> Vec<Row> {
    let uav = |slot, bound| Command::Uavs { stage: Compute, first: slot, slots: vec![bound] };
    let read = |bound| Command::ResourceBuffers { stage: Compute, first: 0, slots: vec![bound] };
    let dispatch = |x| Command::Dispatch { groups: [x, 1, 1] };
    let compute = |more: &[Command]| {
        let first = [
            shader(3, Cs),
            buffer(3, 64),
            upload(3, 0, 64),
            bind_compute(3),
            read(range(3, 0, 16)),
            uav(0, range(2, 0, 32)),
        ];
        [first.as_slice(), more].concat()
    };
    vec![
        row(
            "vertices_computed",
            base_11(),
            &compute(&[dispatch(1), bind(1, 2)]),
            &picture(),
            &[6],
            &[10, 11, 12, 13, 14, 15, 16, 17],
        ),
        row(
            "computed_bytes_are_kept",
            base_11(),
            &compute(&[upload(2, 0, 32), dispatch(1), bind(1, 2)]),
            &picture(),
            &[6],
            &[10, 11, 12, 13, 14, 15, 16, 17, 18],
        ),
        row(
            "computed_and_overwritten",
            base_11(),
            &compute(&[dispatch(1), upload(2, 0, 32), bind(1, 2)]),
            &picture(),
            &[6],
            &[17, 18],
        ),
        // Behind its binding to be written, nothing is read of it, nor the other way round.
        row(
            "writing_unbinds_reading",
            base_11(),
            &compute(&[read(range(2, 0, 16)), uav(0, range(2, 0, 32)), dispatch(1), bind(1, 2)]),
            &picture(),
            &[6],
            &[10, 13, 16, 17, 18, 19],
        ),
        row(
            "reading_unbinds_writing",
            base_11(),
            &compute(&[read(range(2, 0, 16)), dispatch(1), bind(1, 2)]),
            &picture(),
            &[6],
            &[18],
        ),
        row("dispatch_of_nothing", base_11(), &compute(&[dispatch(0), bind(1, 2)]), &picture(), &[6], &[17]),
        row(
            "constants_of_compute",
            base_11(),
            &[
                shader(3, CsConstants),
                bind_compute(3),
                floats(Compute, 3, 1),
                uav(1, range(2, 60, 4)),
                dispatch(1),
                bind(1, 2),
            ],
            &picture(),
            &[6],
            &[10, 11, 12, 13, 14, 15],
        ),
        row(
            "raw_buffer",
            base_11(),
            &[
                shader(3, Ps11Buffer),
                bind(1, 3),
                buffer(3, 64),
                Command::ResourceBuffers { stage: Pixel, first: 3, slots: vec![range(3, 8, 8)] },
                upload(3, 0, 8),
                upload(3, 15, 9),
            ],
            &picture(),
            &[4, 6],
            &[10, 11, 12, 13, 15],
        ),
        row(
            "no_inputs_no_layout",
            base_11(),
            &[shader(3, Vs11Numbered), bind(3, 2)],
            &picture(),
            &[1, 2, 3, 5, 6, 7, 8],
            &[10, 11],
        ),
        row(
            "no_pixel_shader",
            base_11(),
            &[clear(COLOR), bind(1, 0), draw(3), bind(1, 2)],
            &[draw(3), present()],
            &[],
            &[10, 13],
        ),
        row("nothing_to_draw", base_11(), &[clear(COLOR), draw(0)], &[draw(3), present()], &[], &[10]),
        row(
            "no_shaders_of_20_bytes",
            base_11(),
            &[bind(0, 0), vertices(0, 2, 0, 20), texture(3), upload(3, 0, 256), bind_texture(0, 3)],
            &picture(),
            &[4, 5, 7, 8],
            &[10, 11, 12, 13, 14],
        ),
        row(
            "no_shaders_of_24_bytes",
            base_11(),
            &[bind(0, 0), vertices(0, 2, 0, 24), bind_texture(0, 1), targets(&[1])],
            &picture(),
            &[4, 5, 7, 8, 9],
            &[10, 11, 13],
        ),
    ]
}

fn frame_rows() -> Vec<Row> {
    let memory = |gpa| Memory { allocation: 7, gpa, bytes: contents(1, 1024) };
    let backing = Some(Backing { allocation: 7, offset: 16 });
    let of_memory = |commands: &[Command]| Submission::of(0, commands).with_memory(&[memory(4096)]);
    let scene = |frames: Vec<Vec<Submission>>| Scene {
        frames: frames.into_iter().map(|submissions| Frame { submissions }).collect(),
    };
    let backed = Command::CreateBuffer { handle: 2, size: 256, backing };
    let backed_texture =
        |handle| Command::CreateTexture { handle, desc: TextureDesc { row_pitch: 32, ..plain(R8G8B8A8, 8) }, backing };
    let back = Command::CopyBuffer { dst: 2, dst_offset: 0, src: 3, src_offset: 0, size: 64, writes_back: true };
    let drawing = [&base_11()[3..], &[]].concat();
    let refused = copy_bytes(2, 0, 2, 64, 4);
    vec![
        bare(
            "no_present_shows_the_last",
            Scene::of(&[
                &[texture(1), targets(&[1]), clear(COLOR), present(), clear(COLOR)],
                &[Command::Nop],
                &[Command::Nop],
            ]),
            &[0, 1, 2, 3],
        ),
        bare(
            "lowest_screen_is_shown",
            Scene::of(&[
                &[texture(1), targets(&[1]), clear(COLOR), present_on(1), clear(COLOR), present_on(2), clear(COLOR)],
                &[Command::Nop],
            ]),
            &[0, 1, 2, 3],
        ),
        bare(
            "own_presents_are_read",
            Scene::of(&[
                &[texture(1), targets(&[1]), clear(COLOR), present_on(1)],
                &[present_on(2), clear(COLOR), present_on(1)],
            ]),
            &[0, 1, 2],
        ),
        bare(
            "contexts_have_their_own_state",
            scene(vec![
                vec![
                    Submission::of(1, &[texture(1), targets(&[1]), clear(COLOR)]),
                    Submission::of(2, &[texture(2), targets(&[2]), clear(COLOR)]),
                    Submission::of(1, &[clear(COLOR)]),
                ],
                vec![Submission::of(2, &[present()])],
            ]),
            &[3, 4, 5],
        ),
        bare(
            "contexts_have_their_own_back_buffers",
            scene(vec![
                vec![Submission::of(1, &[clear(COLOR)]), Submission::of(2, &[clear(COLOR)])],
                vec![Submission::of(1, &[present()])],
            ]),
            &[0],
        ),
        bare(
            "destroyed_in_another_context",
            scene(vec![
                vec![Submission::of(1, &[texture(1), texture(2), targets(&[2, 1])]), Submission::of(2, &[destroy(1)])],
                vec![Submission::of(1, &[clear(COLOR), present()])],
            ]),
            &[0, 1, 2, 3],
        ),
        bare(
            "error_ends_the_submission",
            scene(vec![
                vec![
                    Submission::of(
                        0,
                        &[texture(1), targets(&[1]), clear(COLOR), buffer(2, 64), refused.clone(), clear(COLOR)],
                    ),
                    Submission::of(0, &[Command::Nop]),
                ],
                vec![Submission::of(0, &[present()])],
            ]),
            &[0, 1, 2],
        ),
        bare(
            "error_in_the_frame",
            scene(vec![
                vec![Submission::of(
                    0,
                    &[texture(1), targets(&[1]), clear(COLOR), buffer(2, 64), upload(2, 0, 64), buffer(3, 64)],
                )],
                vec![Submission::of(0, &[refused, copy_bytes(3, 0, 2, 0, 8)]), Submission::of(0, &[present()])],
            ]),
            &[0, 1, 2],
        ),
        bare(
            "backed_buffer_is_filled",
            scene(vec![
                vec![of_memory(
                    &[&[texture(1), backed.clone(), upload(2, 0, 8), dirty(2, 4, 4)], drawing.as_slice()].concat(),
                )],
                vec![Submission::of(0, &picture())],
            ]),
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ),
        bare(
            "backed_again_elsewhere",
            scene(vec![
                vec![
                    of_memory(&[&[texture(1), backed.clone(), upload(2, 0, 80)], drawing.as_slice()].concat()),
                    of_memory(&[Command::CreateBuffer {
                        handle: 2,
                        size: 256,
                        backing: Some(Backing { allocation: 7, offset: 32 }),
                    }]),
                ],
                vec![Submission::of(0, &picture())],
            ]),
            &[0, 1, 3, 4, 5, 6, 7, 8, 9, 10],
        ),
        bare(
            "backed_again_in_place",
            scene(vec![
                vec![
                    of_memory(&[&[texture(1), backed.clone(), upload(2, 0, 80)], drawing.as_slice()].concat()),
                    of_memory(std::slice::from_ref(&backed)),
                ],
                vec![Submission::of(0, &picture())],
            ]),
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ),
        bare(
            "backed_texture_is_dirty_when_it_says_so",
            scene(vec![
                vec![of_memory(&[backed_texture(1), targets(&[1]), dirty(1, 0, 256), dirty(1, 32, 16)])],
                vec![Submission::of(0, &[present()])],
            ]),
            &[0, 1, 2, 3],
        ),
        bare(
            "dirty_without_memory",
            Scene::of(&[&[texture(1), targets(&[1]), upload(1, 0, 256), dirty(1, 0, 256)], &[present()]]),
            &[0, 1, 2],
        ),
        bare(
            "read_back_in_its_submission",
            scene(vec![
                vec![of_memory(
                    &[
                        &[
                            texture(1),
                            backed.clone(),
                            buffer(3, 64),
                            upload(3, 0, 64),
                            back.clone(),
                            upload(2, 0, 80),
                            dirty(2, 0, 80),
                        ],
                        drawing.as_slice(),
                    ]
                    .concat(),
                )],
                vec![Submission::of(0, &picture())],
            ]),
            &[0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13],
        ),
        bare(
            "read_back_after_its_submission",
            scene(vec![
                vec![
                    of_memory(
                        &[&[texture(1), backed, buffer(3, 64), upload(3, 0, 64), back], drawing.as_slice()].concat(),
                    ),
                    of_memory(&[dirty(2, 0, 80)]),
                ],
                vec![Submission::of(0, &picture())],
            ]),
            &[0, 1, 5, 6, 7, 8, 9, 10, 11, 12],
        ),
    ]
}

impl Row {
    fn replaced(self, needs: &[u32]) -> Self {
        Self { needs: needs.to_vec(), ..self }
    }
}
