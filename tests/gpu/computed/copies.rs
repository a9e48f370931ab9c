//! Copies of buffers and textures, and uploads of parts.

use aerogpu_replay::abi::a3a0::resources::CopyBuffer;

use super::Frame;
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const SIZE: [u32; 2] = [8, 8];

/// The frames made so far, and the stream of the next one.
struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn add(&mut self, about: &str, [width, height]: [u32; 2], texel: impl Fn(u32, u32) -> Rgba) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..width * height).map(|number| texel(number % width, number / width)).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size: [width, height], rgba, tolerance: 0 });
    }
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "sample.ps")
        .shader(3, PIXEL, "color.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, 8.0, 8.0])
        .sampler(0, 1, 0, 0)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0);
    let mut frames = Frames { made: Vec::new(), stream };
    buffers(&mut frames);
    texels(&mut frames);
    parts(&mut frames);
    blocks(&mut frames);
    frames.made
}

const COPIED: u32 = 10;

/// A column for each copy: its vertices come from odd bytes, in pieces of odd lengths, and go to odd bytes.
fn buffers(frames: &mut Frames) {
    let color = |number: u32| [number as f32 / 8.0, 1.0, 0.0, 1.0];
    let column = |number: u32| rectangle(cell([number, 0], [8, 1]), 0.5, [color(number); 4]);
    let columns: Vec<u8> = (0..8).flat_map(column).collect();
    let column_bytes = columns.len() / 8;
    frames.stream.shaders(1, 3).clear(1, [0.0; 4], 0.0);
    for (number, (read_at, write_at, piece)) in
        [(0, 0, 192), (3, 5, 7), (1, 2, 61), (4, 3, 64), (2, 0, 33), (7, 4, 191), (4, 8, 1), (255, 1, 97)]
            .into_iter()
            .enumerate()
    {
        let (source, copied) = (20 + number as u32, 40 + number as u32);
        let bytes = &columns[number * column_bytes..][..column_bytes];
        let padded = [vec![0xcc; read_at], bytes.to_vec(), vec![0xdd; 8]].concat();
        frames.stream.buffer(source, &padded).buffer(copied, &vec![0xee; column_bytes + write_at + 8]);
        for first in (0..column_bytes).step_by(piece) {
            let size_bytes = piece.min(column_bytes - first) as u64;
            let (dst_offset, src_offset) = ((write_at + first) as u64, (read_at + first) as u64);
            let (dst, src) = (copied, source);
            frames.stream.put(CopyBuffer { dst, src, dst_offset, src_offset, size_bytes, flags: 0, reserved: 0 });
        }
        frames.stream.vertex_buffer(0, copied, VERTEX_BYTES, write_at as u32).draw(0, 6);
    }
    let level = |number: u32| (f64::from(number) / 8.0 * 255.0).round() as u8;
    frames.add("buffers in pieces, at any byte", SIZE, |x, _| [level(x), 255, 0, 255]);
}

/// Contents of a texel of a mip and layer.
fn held(x: u32, y: u32, mip: u32, layer: u32) -> Rgba {
    [(x * 30) as u8, (y * 30) as u8, (mip * 80) as u8, 255 - (layer * 100) as u8]
}

fn subresource(mip: u32, layer: u32) -> Vec<u8> {
    let side = 8 >> mip;
    (0..side * side).flat_map(|number| held(number % side, number / side, mip, layer)).collect()
}

/// From mip to mip, layer to layer, within a texture and to a target.
fn texels(frames: &mut Frames) {
    frames.stream.texture(COPIED, R8G8B8A8, SIZE, [2, 2]).targets(&[COPIED], 0);
    let contents = [subresource(0, 0), subresource(1, 0), subresource(0, 1), subresource(1, 1)].concat();
    frames.stream.upload(COPIED, 0, &contents);
    frames.add("what was uploaded", SIZE, |x, y| held(x, y, 0, 0));
    let texels = |mip: u32, layer: u32, at: [u32; 2]| Texels { texture: COPIED, mip, layer, at };
    let target = |at: [u32; 2]| Texels { texture: TARGET, mip: 0, layer: 0, at };
    frames.stream.targets(&[TARGET], 0).copy_texels(target([0, 0]), texels(0, 1, [0, 0]), SIZE);
    frames.add("a whole layer", SIZE, |x, y| held(x, y, 0, 1));
    frames.stream.copy_texels(target([5, 2]), texels(1, 1, [1, 0]), [3, 4]);
    let inside = |x: u32, y: u32| (5..8).contains(&x) && (2..6).contains(&y);
    frames.add("a part of a mip", SIZE, |x, y| if inside(x, y) { held(x - 4, y - 2, 1, 1) } else { held(x, y, 0, 1) });
    frames.stream.copy_texels(texels(0, 0, [3, 1]), texels(1, 1, [0, 0]), [4, 4]).targets(&[COPIED], 0);
    let inside = |x: u32, y: u32| (3..7).contains(&x) && (1..5).contains(&y);
    frames.add("a mip to another mip of the texture", SIZE, |x, y| {
        if inside(x, y) { held(x - 3, y - 1, 1, 1) } else { held(x, y, 0, 0) }
    });
    frames.stream.copy_texels(texels(0, 0, [0, 0]), texels(0, 1, [4, 4]), [0, 4]);
    frames.add("no width", SIZE, |x, y| if inside(x, y) { held(x - 3, y - 1, 1, 1) } else { held(x, y, 0, 0) });
    // A target that was drawn to is copied as it is then, and again behind another draw.
    let whole = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]].map(|color| rectangle(WHOLE, 0.5, [color; 4])).concat();
    frames.stream.vertices(11, &whole).targets(&[TARGET], 0).draw(0, 6);
    frames.stream.copy_texels(texels(0, 0, [0, 0]), target([0, 0]), [8, 4]).draw(6, 6);
    frames.stream.copy_texels(texels(0, 0, [0, 4]), target([0, 0]), [8, 4]).targets(&[COPIED], 0);
    frames.add("a target between two draws", SIZE, |_, y| if y < 4 { [255, 0, 0, 255] } else { [0, 255, 0, 255] });
}

/// Bytes of a texture at any place, over what was uploaded, drawn and copied.
fn parts(frames: &mut Frames) {
    let base = |y: u32| if y < 4 { [255, 0, 0, 255] } else { [0, 255, 0, 255] };
    // From the last byte of a texel in row 1 to the first byte of one in row 2.
    let (first, bytes) = (8 * 4 + 6 * 4 + 3, [10, 20, 21, 22, 23, 30]);
    frames.stream.upload(COPIED, first, &bytes);
    let changed = move |x: u32, y: u32| match (x, y) {
        (6, 1) => [255, 0, 0, 10],
        (7, 1) => [20, 21, 22, 23],
        (0, 2) => [30, 0, 0, 255],
        _ => base(y),
    };
    frames.add("some bytes over what was drawn", SIZE, changed);
    frames.stream.upload(COPIED, 5 * 32, &[7; 64]);
    let rows = move |x: u32, y: u32| if (5..7).contains(&y) { [7; 4] } else { changed(x, y) };
    frames.add("two rows", SIZE, rows);
    // The last texel of mip 0, and the first of mip 1 of the same layer.
    frames.stream.upload(COPIED, 63 * 4, &[9; 8]);
    frames.add("over the end of a mip", SIZE, move |x, y| if (x, y) == (7, 7) { [9; 4] } else { rows(x, y) });
    frames.stream.view(12, COPIED, R8G8B8A8, [1, 1], [0, 1]).targets(&[12], 0);
    frames.add("and into the next", [4, 4], |x, y| if (x, y) == (0, 0) { [9; 4] } else { held(x, y, 1, 0) });
}

/// Blocks of BC1, each of one colour, are copied by blocks, up to the edge of a side that is no multiple of four.
fn blocks(frames: &mut Frames) {
    let block = |word: u16| [word.to_le_bytes(), word.to_le_bytes(), [0; 2], [0; 2]].concat();
    // Red, green, blue and white.
    let words = [0xf800, 0x07e0, 0x001f, 0xffff];
    frames.stream.shaders(1, 2).vertices(13, &rectangle(WHOLE, 0.5, whole_texture(0.0)));
    frames.stream.texture(14, 64, [6, 6], [1, 1]).upload(14, 0, &words.map(block).concat());
    frames.stream.texture(15, 64, [6, 6], [1, 1]).upload(15, 0, &[block(0), block(0), block(0), block(0)].concat());
    let at = |texture: u32, at: [u32; 2]| Texels { texture, mip: 0, layer: 0, at };
    frames.stream.copy_texels(at(15, [0, 4]), at(14, [0, 4]), [4, 2]).copy_texels(
        at(15, [4, 0]),
        at(14, [4, 0]),
        [2, 4],
    );
    frames.stream.texture(16, R8G8B8A8, [6, 6], [1, 1]).targets(&[16], 0).viewport([0.0, 0.0, 6.0, 6.0]);
    frames.stream.read(0, 15).draw(0, 6);
    frames.add("blocks", [6, 6], |x, y| match (x < 4, y < 4) {
        (true, false) => [0, 0, 255, 255],
        (false, true) => [0, 255, 0, 255],
        _ => [0, 0, 0, 255],
    });
    // 5, 6 and 5 bits are copied as they are, from where they were drawn too.
    frames.stream.texture(17, 5, [6, 6], [1, 1]).texture(18, 5, [6, 6], [1, 1]).targets(&[17], 0);
    frames.stream.clear(1, [1.0, 0.0, 1.0, 1.0], 0.0).upload(18, 0, &0x07e0_u16.to_le_bytes().repeat(36));
    frames.stream.copy_texels(at(18, [1, 1]), at(17, [0, 0]), [3, 3]).targets(&[18], 0);
    let inside = |x: u32, y: u32| (1..4).contains(&x) && (1..4).contains(&y);
    frames.add("16 bits a texel", [6, 6], |x, y| if inside(x, y) { [255, 0, 255, 255] } else { [0, 255, 0, 255] });
    frames.stream.texture(19, 5, [6, 6], [1, 1]).upload(19, 0, &[0xff; 72]).upload(19, 5, &[0, 0, 0]).targets(&[19], 0);
    frames.add("bytes of 16-bit texels", [6, 6], |x, y| match (x, y) {
        (2, 0) => [0, 28, 255, 255],
        (3, 0) => [0, 0, 0, 255],
        _ => [255; 4],
    });
}
