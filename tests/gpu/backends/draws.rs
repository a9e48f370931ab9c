//! Assembly of draws: which vertex flat values come from, how many vertices there may be, which are drawn.

use aerogpu_replay::analysis::{Effect, pixel_history};
use aerogpu_replay::player::DrawSelection;
use aerogpu_replay::replay::ShaderOptions;
use aerogpu_replay::shader::glsl::{GlslOptions, ProvokingVertex};

use super::*;

/// Where the colours of flat triangles are looked at: one in each half of the target.
const HALVES: [(u32, u32); 2] = [(8, 56), (52, 56)];

/// A triangle over the left half of the target and one over the right.
const LEFT: [[f32; 2]; 3] = [[-1.0, -1.0], [0.0, -1.0], [-1.0, 3.0]];
const RIGHT: [[f32; 2]; 3] = [[0.0, -1.0], [1.0, -1.0], [1.0, 3.0]];

fn wgsl_pair(interpolate: &str) -> [String; 2] {
    let varyings = format!(
        "struct Out {{ @builtin(position) at: vec4f, @location(0) @interpolate({interpolate}) n: u32, \
         @location(1) @interpolate({interpolate}) tint: vec4f, @location(2) smooth_n: f32 }}"
    );
    let vertex = format!(
        "{varyings} @vertex fn v(@location(0) at: vec2f, @builtin(vertex_index) n: u32) -> Out {{ \
         return Out(vec4f(at, 0.0, 1.0), n, vec4f(f32(n)), 1.0); }}"
    );
    let fragment = format!(
        "{varyings} @fragment fn f(in: Out) -> @location(0) vec4f {{ \
         return vec4f(f32(in.n), in.tint.y, in.smooth_n * 255.0, 255.0) / 255.0; }}"
    );
    [vertex, fragment]
}

fn glsl_pair() -> [String; 2] {
    let vertex = "#version 300 es\nin vec2 position; flat out int n; flat out vec4 tint; out float smooth_n;\n\
                  void main() { n = gl_VertexID; tint = vec4(float(gl_VertexID)); smooth_n = 1.0; \
                  gl_Position = vec4(position, 0.0, 1.0); }\n";
    let fragment = "#version 300 es\nprecision highp float; flat in int n; flat in vec4 tint; in float smooth_n;\n\
                    out vec4 o; void main() { o = vec4(float(n), tint.y, smooth_n * 255.0, 255.0) / 255.0; }\n";
    [vertex.to_owned(), fragment.to_owned()]
}

/// Vertices that are passed over, the two triangles, and two vertices that are too few.
fn two_triangles(first: u32, make_shaders: impl Fn(&mut Scene)) -> Vec<u8> {
    let mut positions = vec![[0.0, 0.0]; first as usize];
    positions.extend(LEFT.iter().chain(&RIGHT).chain(&LEFT[..2]));
    let mut scene = Scene::new();
    make_shaders(scene.begin());
    scene.pipeline(1, 1, 2);
    set_pipeline(&mut scene, 1);
    scene.buffer(1, &vertices(&positions, RED)).bind(1).clear(BLACK).draw(first, 8);
    scene.end_and_finish()
}

/// WGSL takes flat values from a triangle's first vertex, GLSL from the one asked for.
pub fn flat_values_come_from_the_vertex_asked_for(backend: Backend) {
    for interpolate in ["flat", "flat, first", "flat, either"] {
        let [vertex, fragment] = wgsl_pair(interpolate);
        let trace = two_triangles(2, |scene| {
            scene.shaders(1, 2, &vertex, &fragment);
        });
        assert_flat(backend, &trace, ProvokingVertex::First, [2, 5]);
    }
    let [vertex, fragment] = glsl_pair();
    let trace = two_triangles(2, |scene| {
        scene.glsl_shader(1, 0, &vertex).glsl_shader(2, 1, &fragment);
    });
    assert_flat(backend, &trace, ProvokingVertex::First, [2, 5]);
    assert_flat(backend, &trace, ProvokingVertex::Last, [4, 7]);
}

fn assert_flat(backend: Backend, trace: &[u8], provoking: ProvokingVertex, expected: [u8; 2]) {
    let mut player = player(backend, trace.to_vec());
    let glsl = GlslOptions { provoking, ..GlslOptions::default() };
    player.set_shader_options(ShaderOptions { glsl, ..ShaderOptions::default() });
    let picture = player.render(FrameIndex(0)).unwrap();
    let found = HALVES.map(|(x, y)| picture.pixel(x, y).unwrap());
    assert_eq!(found, expected.map(|n| [n, n, 255, 255]), "{backend:?}, {provoking:?}");
}

/// The vertices of a draw without a buffer: one triangle over the whole target, the rest nowhere.
fn numbered(first_vertex: u32, vertex_count: u32, shown: u32, interpolate: &str) -> Vec<u8> {
    let vertex = format!(
        "struct Out {{ @builtin(position) at: vec4f, @location(0) @interpolate({interpolate}) n: vec4f }}
         @vertex fn v(@builtin(vertex_index) n: u32) -> Out {{
           let corner = n - {shown}u;
           let at = select(vec2f(-2.0), vec2f(f32(corner & 1u), f32(corner >> 1u)) * 4.0 - 1.0, corner < 3u);
           return Out(vec4f(at, 0.0, 1.0), unpack4x8unorm(n));
         }}"
    );
    let fragment = format!(
        "@fragment fn f(@location(0) @interpolate({interpolate}) n: vec4f) -> @location(0) vec4f {{ return n; }}"
    );
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, &vertex, &fragment).pipeline(1, 1, 2);
    set_pipeline(&mut scene, 1);
    scene.clear(BLACK).draw(first_vertex, vertex_count);
    scene.end_and_finish()
}

/// Many triangles, and vertices with large numbers: the one triangle that shows is drawn, with the number it has.
pub fn vertices_keep_their_numbers(backend: Backend) {
    const FAR: u32 = 1 << 31;
    for (first, count, shown) in [
        (0, 300_003, 0),
        (0, 300_003, 300_000),
        (5, 300_000, 5 + 49_152),
        (5, 300_000, 5 + 49_149),
        (FAR - 6, 12, FAR - 6),
        (FAR - 6, 12, FAR - 3),
        (FAR - 6, 12, FAR),
        (FAR + 9, 6, FAR + 12),
        (u32::MAX - 6, 6, u32::MAX - 3),
    ] {
        let picture = |interpolate: &str| {
            let trace = numbered(first, count, shown, interpolate);
            let mut player = player(backend, trace);
            player.render(FrameIndex(0)).unwrap().pixel(9, 9).unwrap()
        };
        let what = format!("{backend:?}: {count} from {first}, of which {shown} shows");
        assert_eq!(picture("flat"), shown.to_le_bytes(), "{what}, flat");
        let smooth = picture("perspective");
        assert_eq!(smooth[3], (shown >> 24) as u8, "{what}, not flat: {smooth:?}");
    }
}

/// A draw whose last triangle is a point draws the others, however many there are.
pub fn a_point_takes_no_triangle_with_it(backend: Backend) {
    for triangles in 1..=6u32 {
        for point in 0..triangles {
            for rest in 0..3 {
                let width = 2.0 / triangles as f32;
                let mut positions = Vec::new();
                for triangle in 0..triangles {
                    let left = triangle as f32 * width - 1.0;
                    let corners = [[left, -1.0], [left + width, -1.0], [left, 1.0]];
                    positions.extend(if triangle == point { [corners[0]; 3] } else { corners });
                }
                positions.extend([[0.5, 0.5], [0.5, 0.5]].iter().take(rest));
                let mut scene = Scene::with_pipeline();
                scene.buffer(1, &vertices(&positions, RED)).bind(1).clear(BLACK).draw(0, positions.len() as u32);
                let mut player = player(backend, scene.end_and_finish());
                let picture = player.render(FrameIndex(0)).unwrap();
                for triangle in 0..triangles {
                    let x = 64 * triangle / triangles + 1;
                    let expected = if triangle == point { [0, 0, 0, 255] } else { [255, 0, 0, 255] };
                    let what =
                        format!("{backend:?}: triangle {triangle} of {triangles}, {point} is a point, {rest} more");
                    assert_eq!(picture.pixel(x, 60), Some(expected), "{what}");
                }
            }
        }
    }
}

/// A point at the end of a long draw, which the driver splits up: what is left of this one is 9 vertices.
pub fn a_point_at_the_end_of_a_long_draw(backend: Backend) {
    let gpu = backend.open_fresh();
    for triangles in [1365, 2730].map(|driver_s| driver_s + 3) {
        let px = |x: u32, y: u32| [x as f32 / 32.0 - 1.0, 1.0 - y as f32 / 32.0];
        let mut positions = vec![[-1.0, -1.0]; (triangles as usize - 3) * 3];
        for x in [10, 20] {
            positions.extend([px(x, 10), px(x + 8, 10), px(x, 18)]);
        }
        positions.extend([[0.5, 0.5]; 3]);
        let mut scene = Scene::with_pipeline();
        scene.buffer(1, &vertices(&positions, RED)).bind(1).clear(BLACK).draw(0, positions.len() as u32);
        let picture = picture(&gpu, &scene.end_and_finish(), DEFAULT_SIZE).unwrap();
        for x in [11, 21] {
            assert_eq!(picture.pixel(x, 11), Some([255, 0, 0, 255]), "{backend:?}, {triangles} triangles, column {x}");
        }
    }
}

/// Questions about a draw of 9 vertices, of which the last three are a point, are answered as the picture is drawn.
pub fn questions_see_the_triangles_beside_a_point(backend: Backend) {
    let mut positions = Vec::new();
    for left in [-1.0, 0.0] {
        positions.extend([[left, -1.0], [left + 1.0, -1.0], [left, 1.0]]);
    }
    positions.extend([[0.5, 0.5]; 3]);
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&positions, RED)).bind(1).clear(BLACK).draw(0, 9);
    let mut player = player(backend, scene.end_and_finish());
    let frame = FrameIndex(0);
    let counts = player.count_writes(frame, &DrawSelection::All).unwrap();
    for (x, triangle) in [(1, 0), (33, 1)] {
        assert_eq!(counts.at(x, 60), Some(1), "{backend:?}, triangle {triangle}");
        assert_eq!(player.find_triangle(frame, 0, x, 60).unwrap(), Some(triangle), "{backend:?}");
        let history = pixel_history(&mut player, frame, x, 60).unwrap();
        assert!(matches!(history.events.last().unwrap().effect, Effect::Wrote { .. }), "{backend:?}, {triangle}");
    }
}

/// Integer division as WGSL defines it: a divisor of 0, and the least number by -1, divide by 1.
pub fn division_is_as_wgsl_says(backend: Backend) {
    let gpu = backend.open_fresh();
    let numbers = [i32::MIN, i32::MIN + 1, -1000, -7, -3, -2, -1, 0, 1, 2, 3, 7, 1000, 65_537, i32::MAX - 1, i32::MAX];
    let list: Vec<String> = numbers.iter().map(|number| format!("{}u", number.cast_unsigned())).collect();
    for (operator, expected) in [
        ("/", (|a, b| if b == 0 { a } else { a.wrapping_div(b) }) as fn(i32, i32) -> i32),
        ("%", |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
    ] {
        let fragment = format!(
            "var<private> numbers: array<u32, 16> = array<u32, 16>({});
             fn n(at: f32) -> i32 {{ return bitcast<i32>(numbers[u32(at)]); }}
             @fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {{
               return unpack4x8unorm(bitcast<u32>(n(p.x) {operator} n(p.y)));
             }}",
            list.join(", ")
        );
        let mut scene = Scene::new();
        scene.begin().shaders(1, 2, FILL_WGSL, &fragment).pipeline(1, 1, 2);
        set_pipeline(&mut scene, 1);
        scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).draw(0, 6);
        let picture = picture(&gpu, &scene.end_and_finish(), Size { width_px: 16, height_px: 16 }).unwrap();
        for (x, a) in (0..).zip(numbers) {
            for (y, b) in (0..).zip(numbers) {
                let found = i32::from_le_bytes(picture.pixel(x, y).unwrap());
                assert_eq!(found, expected(a, b), "{backend:?}: {a} {operator} {b}");
            }
        }
    }
}
