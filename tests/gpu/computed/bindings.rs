//! Reads of draws: textures through samplers, constant buffers, and what slots hold that nothing is bound to.

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;

use super::{Frame, unorm};
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const NEAREST: u32 = 0;
const LINEAR: u32 = 1;
const CLAMP: u32 = 0;
const REPEAT: u32 = 1;
const MIRROR: u32 = 2;
/// A texture of 4 × 1 texels, and what they are.
const RAMP: u32 = 10;
const RAMP_TEXELS: [Rgba; 4] = [[0, 10, 0, 255], [40, 10, 255, 0], [200, 10, 0, 255], [80, 10, 255, 51]];
/// A texture of one texel.
const PLAIN: u32 = 11;
const PLAIN_TEXEL: Rgba = [100, 200, 40, 80];
/// Pixels of a row that goes over a texture three times.
const ROW: u32 = 12;

/// The frames made so far, and the stream of the next one.
struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn add(&mut self, about: &str, row: Vec<Rgba>) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let size = [row.len() as u32, 1];
        self.made.push(Frame { about: about.to_owned(), stream, size, rgba: row, tolerance: 1 });
    }
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    // From one texture's width before it to one behind it; the second is half a texel further.
    let over = |shift: f32| [[-1.0 + shift, 0.5], [2.0 + shift, 0.5]];
    let coordinates = |[[left, _], [right, _]]: [[f32; 2]; 2]| {
        [[left, 0.5, 0.0, 0.0], [right, 0.5, 0.0, 0.0], [left, 0.5, 0.0, 0.0], [right, 0.5, 0.0, 0.0]]
    };
    let rows = [0.0, 0.125].map(|shift| rectangle(WHOLE, 0.5, coordinates(over(shift)))).concat();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "sample.ps")
        .shader(3, PIXEL, "sample_two.ps")
        .shader(4, PIXEL, "constant.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &rows)
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, ROW as f32, 1.0])
        .texture(TARGET, R8G8B8A8, [ROW, 1], [1, 1])
        .targets(&[TARGET], 0)
        .texture(RAMP, R8G8B8A8, [4, 1], [1, 1])
        .upload(RAMP, 0, &RAMP_TEXELS.concat())
        .texture(PLAIN, R8G8B8A8, [1, 1], [1, 1])
        .upload(PLAIN, 0, &PLAIN_TEXEL);
    let mut frames = Frames { made: Vec::new(), stream };
    addressing(&mut frames);
    constants(&mut frames);
    two_textures(&mut frames);
    nothing_bound(&mut frames);
    frames.made
}

/// The texel that a coordinate in texels addresses.
fn addressed(at: i64, address: u32) -> Rgba {
    let at = match address {
        CLAMP => at.clamp(0, 3),
        REPEAT => at.rem_euclid(4),
        _ => {
            let at = at.rem_euclid(8);
            if at < 4 { at } else { 7 - at }
        }
    };
    RAMP_TEXELS[at as usize]
}

fn addressing(frames: &mut Frames) {
    frames.stream.shaders(1, 2).read(0, RAMP);
    for (name, address) in [("clamped", CLAMP), ("repeated", REPEAT), ("mirrored", MIRROR)] {
        frames.stream.sampler(0, 1 + address, NEAREST, address).draw(0, 6);
        let nearest = (0..i64::from(ROW)).map(|x| addressed(x - 4, address)).collect();
        frames.add(&format!("{name}, nearest"), nearest);
        frames.stream.sampler(0, 4 + address, LINEAR, address).draw(0, 6);
        let exact = (0..i64::from(ROW)).map(|x| addressed(x - 4, address)).collect();
        frames.add(&format!("{name}, linear, in the middle of texels"), exact);
        // Half a texel further each pixel is the mean of two.
        frames.stream.draw(6, 6);
        let mean = |x: i64| {
            let [left, right] = [addressed(x - 4, address), addressed(x - 3, address)];
            std::array::from_fn(|at| u8::midpoint(left[at], right[at]))
        };
        frames.add(&format!("{name}, linear, between texels"), (0..i64::from(ROW)).map(mean).collect());
    }
}

/// Sixteen floats, of which the shader shows the second four.
fn constants(frames: &mut Frames) {
    const BUFFER: u32 = 20;
    let value = |number: u32| number as f32 / 32.0;
    let values: Vec<f32> = (0..32).map(value).collect();
    let color = |first: u32| std::array::from_fn(|at| unorm(f64::from(value(first + at as u32))));
    let plain = |color: Rgba| vec![color; ROW as usize];
    frames.stream.shaders(1, 4);
    let bank = floats(&[0.0, 0.25, 0.5, 0.75, 1.0, 0.5, 0.25, 0.125]);
    let bank = Elements::new(&bank).unwrap();
    let packet = SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 2, stage_ex: 0, values: bank };
    frames.stream.put(packet).draw(0, 6);
    frames.add("slot 0 is the bank where nothing was bound", plain([255, 128, 64, 32]));
    frames.stream.buffer(BUFFER, &floats(&values)).constants(BUFFER, 0, 0).draw(0, 6);
    frames.add("a constant buffer", plain(color(4)));
    frames.stream.constants(BUFFER, 48, 0).draw(0, 6);
    frames.add("from the middle of it", plain(color(16)));
    frames.stream.constants(BUFFER, 32, 16).draw(0, 6);
    frames.add("a part that is too short", plain([0; 4]));
    frames.stream.constants(BUFFER, 16, 32).draw(0, 6);
    frames.add("a part that is just long enough", plain(color(8)));
    frames.stream.upload(BUFFER, 38, &floats(&[1.0])[..2]).upload(BUFFER, 34, &floats(&[1.0])[2..]).draw(0, 6);
    // Bytes 32 to 47 of the buffer: the upper half of the first word is that of 1.0, the upper half of the second is 0.
    let changed = [value(8).to_bits() & 0xffff | 0x3f80_0000, value(9).to_bits() & 0xffff].map(f32::from_bits);
    let [_, _, blue, alpha] = color(8);
    let [red, green] = changed.map(|channel| unorm(f64::from(channel)));
    frames.add("with two bytes changed here and there", plain([red, green, blue, alpha]));
    frames.stream.constants(0, 0, 0).draw(0, 6);
    frames.add("nothing in the slot", plain([0; 4]));
}

/// The sum of both, the second times a constant.
fn two_textures(frames: &mut Frames) {
    frames.stream.shaders(1, 3).buffer(21, &floats(&[0.5, 1.0, 0.25, 0.0])).constants(21, 0, 0);
    frames.stream.read(0, RAMP).read(1, PLAIN).sampler(0, 1, NEAREST, CLAMP).sampler(1, 2, NEAREST, REPEAT).draw(0, 6);
    let sum = |ramp: Rgba| {
        std::array::from_fn(|at| {
            let factor = [0.5, 1.0, 0.25, 0.0][at];
            unorm((f64::from(ramp[at]) + f64::from(PLAIN_TEXEL[at]) * factor) / 255.0)
        })
    };
    frames.add("two textures", (0..i64::from(ROW)).map(|x| sum(addressed(x - 4, CLAMP))).collect());
    // The slots change places, samplers stay where they are.
    frames.stream.read(0, PLAIN).read(1, RAMP).draw(0, 6);
    let sum = |ramp: Rgba| {
        std::array::from_fn(|at| {
            let factor = [0.5, 1.0, 0.25, 0.0][at];
            unorm((f64::from(PLAIN_TEXEL[at]) + f64::from(ramp[at]) * factor) / 255.0)
        })
    };
    frames.add("they change places", (0..i64::from(ROW)).map(|x| sum(addressed(x - 4, REPEAT))).collect());
    // The later binding unbinds the earlier.
    frames.stream.targets(&[RAMP], 0).viewport([0.0, 0.0, 4.0, 1.0]).draw(0, 6);
    frames.add("a texture that is bound as target is read no more", vec![PLAIN_TEXEL; 4]);
    frames.stream.targets(&[TARGET], 0).viewport([0.0, 0.0, ROW as f32, 1.0]).draw(0, 6);
    frames.add("nor when it is a target no more", vec![PLAIN_TEXEL; ROW as usize]);
    frames.stream.read(1, RAMP).draw(0, 6);
    let drawn = std::array::from_fn(|at| {
        let factor = [1.5, 2.0, 1.25, 1.0][at];
        unorm(f64::from(PLAIN_TEXEL[at]) * factor / 255.0)
    });
    frames.add("until it is bound anew", vec![drawn; ROW as usize]);
}

fn nothing_bound(frames: &mut Frames) {
    let plain = |color: Rgba| vec![color; ROW as usize];
    frames.stream.shaders(1, 2).read(0, 0).draw(0, 6);
    frames.add("a slot without a texture", plain([0; 4]));
    frames.stream.read(0, 99).draw(0, 6);
    frames.add("a texture that there is not", plain([0; 4]));
    frames.stream.read(0, PLAIN).put(DestroyResource { handle: PLAIN, reserved: 0 }).draw(0, 6);
    frames.add("a texture that is there no more", plain([0; 4]));
}
