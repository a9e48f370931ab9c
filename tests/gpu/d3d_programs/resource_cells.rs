//! Every instruction about resources, on each kind of resource it can have: a part of a program each.

use serde_json::{Value, json};

use super::bound::{Address, Bound, Buffer, BufferKind, Format, Kind, Sampler, Texture};
use super::cells::constants as words_at_edges;
use super::wrap::{Body, Stage, TUPLES, Threads};

/// `r1`: where to sample, with a mip behind. `r2`: whole numbers of texels around the textures. `r3`: words. `r4`: directions
/// to faces of cubes, and a layer. Row by row of the constants.
const PROLOGUE: &str = "mov r1, cb0[r0.y]\nmov r2, cb0[r0.y + 64]\nmov r3, cb0[r0.y + 128]\nmov r4, cb0[r0.y + 192]\nimad r0.z, r0.y, l(4), r0.w\n";

const SWIZZLES: [&str; 5] = ["", ".wzyx", ".yxwz", ".zzxy", ".xxww"];
const MASKS: [&str; 4] = ["", ".xyz", ".yw", ".xzw"];

fn floats(row: [f32; 4]) -> [u32; 4] {
    row.map(f32::to_bits)
}

fn constants() -> Vec<[u32; 4]> {
    let places = (0..TUPLES).map(|tuple| {
        // A quarter or three of a texel, in and around a texture of 8 × 4 × 4.
        let quarter = |index: u32| index as f32 + if index.is_multiple_of(2) { 0.25 } else { 0.75 };
        let [x, y, z] = [tuple * 7 % 41, tuple * 5 % 19, tuple * 3 % 11].map(quarter);
        floats([(x - 16.0) / 8.0, (y - 8.0) / 4.0, (z - 4.0) / 4.0, (tuple % 6) as f32 - 1.0])
    });
    let whole = (0..TUPLES).map(|tuple| {
        let [x, y, z] =
            [(tuple * 5 % 11, 2), (tuple * 3 % 8, 2), (tuple % 6, 1)].map(|(at, less)| at.wrapping_sub(less));
        [x, y, z, tuple % 5]
    });
    let of_edges = words_at_edges(true);
    let words = (0..TUPLES as usize).map(|tuple| of_edges[tuple + usize::from(tuple >= 16) * 4]);
    let directions = (0..TUPLES).map(|tuple| {
        let parts = [[0.375, -0.125], [-0.375, 0.375], [0.125, -0.375], [-0.125, 0.125]][(tuple / 6 % 4) as usize];
        let along = if tuple.is_multiple_of(2) { 1.0 } else { -1.0 };
        let [x, y, z] = match tuple / 2 % 3 {
            0 => [along, parts[0], parts[1]],
            1 => [parts[0], along, parts[1]],
            _ => [parts[0], parts[1], along],
        };
        // Layers are rounded to the nearest.
        floats([x, y, z, (tuple % 7) as f32 * 0.4 - 0.3])
    });
    places.chain(whole).chain(words).chain(directions).collect()
}

/// Whether there are textures of one dimension. On GL they can't be bound, and no stream has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    Here,
    Missing,
}

/// The textures of `t0` to `t5`, one of each kind.
fn textures(format: Format, rows: Rows) -> Bound {
    let mut bound = Bound::default();
    for (slot, kind) in (0..).zip(Kind::ALL).filter(|(_, kind)| rows == Rows::Here || *kind != Kind::D1) {
        let (size, mips, layers) = match kind {
            Kind::D1 => ([8, 1, 1], 1, 1),
            Kind::D2 => ([8, 4, 1], 4, 1),
            Kind::D2Array => ([8, 4, 1], 3, 3),
            Kind::D3 => ([8, 4, 4], 3, 1),
            Kind::Cube => ([4, 4, 1], 1, 6),
            Kind::CubeArray => ([4, 4, 1], 1, 12),
        };
        bound.textures.insert(slot, Texture { kind, format, size, mips, layers });
    }
    bound
}

fn declare_textures(bound: &Bound, read_as: &str) -> String {
    let one =
        |(slot, texture): (&u32, &Texture)| format!("dcl_resource_{} t{slot}, {read_as}\n", texture.kind.declared());
    bound.textures.iter().map(one).collect()
}

/// Programs under construction.
struct Parts {
    parts: Vec<String>,
}

impl Parts {
    /// A part that leaves its result in `r8`, written as `to`, from a resource whose lanes are written as `from`.
    fn add(&mut self, line: impl Fn(&str, &str) -> String) {
        let number = self.parts.len();
        let (to, from) = (MASKS[number % MASKS.len()], SWIZZLES[number % SWIZZLES.len()]);
        let line = line(&format!("r8{to}"), from);
        self.parts.push(format!("mov r8, l(0x11,0x22,0x33,0x44)\n{line}\nmov r10, r8\n"));
    }
}

fn body(name: &str, (declarations, parts, bound): (String, Parts, Bound), rule: Value) -> Body {
    Body {
        name: name.to_owned(),
        declarations,
        prologue: PROLOGUE.to_owned(),
        parts: parts.parts,
        functions: String::new(),
        is_guarded: false,
        threads: Threads::Tuples,
        constants: constants(),
        bound,
        rule,
        has_sums: false,
    }
}

fn exact() -> Value {
    json!({ "kind": "exact" })
}

fn one_step() -> Value {
    json!({ "kind": "float32", "ulp": 1, "zero_sign": "any" })
}

const POINT: Sampler =
    Sampler { is_linear: false, address: [Address::Wrap, Address::Mirror, Address::Clamp], is_comparison: false };
const LINEAR: Sampler =
    Sampler { is_linear: true, address: [Address::Mirror, Address::Wrap, Address::Clamp], is_comparison: false };

/// Where a texture of a kind is sampled.
fn place(kind: Kind) -> &'static str {
    match kind {
        Kind::Cube | Kind::CubeArray => "r4",
        // The layer, rounded to the nearest.
        Kind::D2Array => "r5",
        _ => "r1",
    }
}

/// `r5` is `r1` with a layer.
const WITH_LAYER: &str = "mov r5, r1\nmov r5.z, r4.w\n";

/// Textures that are sampled at mips that are told, and asked for their sizes.
fn sampled(name: &str, sampler: Sampler, rows: Rows) -> Body {
    let mut bound = textures(Format::Rgba16Float, rows);
    bound.samplers.insert(0, sampler);
    let declarations = declare_textures(&bound, "float") + "dcl_sampler s0\n";
    let mut parts = Parts { parts: Vec::new() };
    for (slot, texture) in &bound.textures {
        let (kind, at) = (texture.kind, place(texture.kind));
        // What is between texels of several mips is not the same everywhere; quarters of the largest are.
        let mip = if sampler.is_linear { "l(0)" } else { "r1.w" };
        parts.add(|to, from| format!("{WITH_LAYER}sample_l {to}, {at}, t{slot}{from}, s0, {mip}"));
        let [across, down] = if sampler.is_linear {
            ["l(0x3d800000,0,0,0)", "l(0,0x3e000000,0,0)"]
        } else {
            // Two texels across, four down.
            ["l(0x3e800000,0,0,0)", "l(0,0x3f800000,0,0)"]
        };
        parts.add(|to, from| format!("{WITH_LAYER}sample_d {to}, {at}, t{slot}{from}, s0, {across}, {down}"));
        if !kind.is_cube() {
            parts.add(|to, from| format!("{WITH_LAYER}sample_l(1,-2,3) {to}, {at}, t{slot}{from}, s0, {mip}"));
            parts.add(|to, from| {
                format!("{WITH_LAYER}sample_d(-3,1,2) {to}, {at}, t{slot}{from}, s0, {across}, {down}")
            });
        }
        for form in ["resinfo", "resinfo_uint", "resinfo_rcpfloat"] {
            parts.add(|to, from| format!("{form} {to}, r2.w, t{slot}{from}"));
        }
        if !matches!(kind, Kind::D1 | Kind::D3) {
            for lane in ["x", "y", "z", "w"] {
                parts.add(|to, from| format!("{WITH_LAYER}gather4 {to}, {at}, t{slot}{from}, s0.{lane}"));
            }
        }
        if matches!(kind, Kind::D2 | Kind::D2Array) {
            parts.add(|to, from| format!("{WITH_LAYER}gather4(-1,2,0) {to}, {at}, t{slot}{from}, s0.y"));
            parts.add(|to, from| format!("{WITH_LAYER}gather4_po {to}, {at}, r3, t{slot}{from}, s0.z"));
        }
    }
    body(name, (declarations, parts, bound), json!({ "kind": "float32", "ulp": 1, "abs": 1e-3, "zero_sign": "any" }))
}

/// Texels that are gathered away from a place, from a texture that does not repeat: that would hide how far away.
fn moved() -> Body {
    let mut bound = textures(Format::Rgba16Float, Rows::Missing);
    bound.textures.retain(|_, texture| matches!(texture.kind, Kind::D2 | Kind::D2Array));
    bound.samplers.insert(0, Sampler { address: [Address::Clamp; 3], ..POINT });
    let declarations = declare_textures(&bound, "float") + "dcl_sampler s0\n";
    let mut parts = Parts { parts: Vec::new() };
    for (slot, texture) in &bound.textures {
        let at = place(texture.kind);
        // Around the numbers whose sixth bit is their sign, and beyond.
        for far in ["r3", "r2", "l(30,33,0,0)", "l(-33,-31,0,0)", "l(64,95,0,0)", "l(-64,127,0,0)"] {
            parts.add(|to, from| format!("{WITH_LAYER}gather4_po {to}, {at}, {far}, t{slot}{from}, s0.y"));
        }
    }
    body("moved", (declarations, parts, bound), one_step())
}

/// A texture of depth, which is compared.
fn compared() -> Body {
    let mut bound = Bound::default();
    let texture = Texture { kind: Kind::D2, format: Format::D32Float, size: [8, 4, 1], mips: 1, layers: 1 };
    bound.textures.insert(0, texture);
    bound.samplers.insert(0, Sampler { is_comparison: true, ..POINT });
    let declarations = declare_textures(&bound, "float") + "dcl_sampler s0, comparison\n";
    let mut parts = Parts { parts: Vec::new() };
    let reference = "and r5.x, r0.y, l(15)\nutof r5.x, r5.x\nmul r5.x, r5.x, l(0x3d800000)\n";
    for texels in ["", "(2,-1,0)"] {
        parts.add(|to, from| format!("{reference}sample_c_lz{texels} {to}, r1, t0{from}, s0, r5.x"));
        parts.add(|to, from| format!("{reference}gather4_c{texels} {to}, r1, t0{from}, s0.x, r5.x"));
    }
    parts.add(|to, from| format!("{reference}gather4_po_c {to}, r1, r2, t0{from}, s0.x, r5.x"));
    body("compared", (declarations, parts, bound), one_step())
}

/// Texels by their places.
fn loaded(format: Format, rows: Rows) -> Body {
    let mut bound = textures(format, rows);
    bound
        .textures
        .retain(|_, texture| !texture.kind.is_cube() && (texture.kind != Kind::D1 || format == Format::Rgba16Float));
    let (name, read_as, rule) = match format {
        Format::Rgba16Sint => ("loaded_words", "sint", exact()),
        _ => ("loaded", "float", one_step()),
    };
    let mut declarations = declare_textures(&bound, read_as);
    let mut parts = Parts { parts: Vec::new() };
    for slot in bound.textures.keys() {
        parts.add(|to, from| format!("ld {to}, r2, t{slot}{from}"));
        parts.add(|to, from| format!("ld(2,-1,1) {to}, r2.xyzw, t{slot}{from}"));
        parts.add(|to, from| format!("ld {to}, r2.xyzz, t{slot}{from}"));
    }
    if format == Format::Rgba16Sint {
        // Samplers of whole numbers gather.
        bound.samplers.insert(0, POINT);
        declarations += "dcl_sampler s0\n";
        parts.add(|to, from| format!("gather4 {to}, r1, t1{from}, s0.y"));
        parts.add(|to, from| format!("gather4_po {to}, r1, r2, t1{from}, s0.w"));
    }
    body(name, (declarations, parts, bound), rule)
}

/// Derivatives between the pixels that are drawn together.
fn by_neighbours(rows: Rows) -> Body {
    let mut bound = textures(Format::Rgba16Float, rows);
    bound.samplers.insert(0, POINT);
    bound.textures.insert(6, Texture { kind: Kind::D2, format: Format::D32Float, size: [8, 4, 1], mips: 1, layers: 1 });
    bound.samplers.insert(1, Sampler { is_comparison: true, ..POINT });
    let declarations = declare_textures(&bound, "float") + "dcl_sampler s0\ndcl_sampler s1, comparison\n";
    let mut parts = Parts { parts: Vec::new() };
    // From pixel to pixel: one, two or four texels of the largest mip.
    for (across, down) in [(0.125, 0.25), (0.25, 0.5), (0.5, 0.25)] {
        let step = |number: f32| format!("{:#x}", number.to_bits());
        let [across, down] = [step(across), step(down)];
        let place = format!("mul r5, r13.xyxy, l({across},{down},0,0)\nmov r5.zw, l(0,0,0x3f000000,0x3f000000)\n");
        for slot in bound.textures.keys().filter(|slot| **slot < 4) {
            for texels in ["", "(1,-1,0)"] {
                parts.add(|to, from| format!("{place}sample{texels} {to}, r5, t{slot}{from}, s0"));
                parts.add(|to, from| format!("{place}sample_b{texels} {to}, r5, t{slot}{from}, s0, l(0x3f800000)"));
            }
            parts.add(|_, _| format!("{place}lod r8.xy, r5, t{slot}, s0"));
        }
        // It has one mip, and between two of its texels none is the nearest.
        for texels in ["", "(1,-1,0)"].into_iter().filter(|_| across == step(0.125)) {
            parts.add(|to, from| format!("{place}sample_c{texels} {to}, r5, t6{from}, s1, l(0x3f000000)"));
        }
    }
    for slot in [4, 5] {
        parts.add(|to, from| format!("sample {to}, r4, t{slot}{from}, s0"));
        parts.add(|to, from| format!("sample_b {to}, r4, t{slot}{from}, s0, l(0)"));
    }
    for form in ["rtx", "rty", "rtx_coarse", "rtx_fine", "rty_coarse", "rty_fine"] {
        // The sum of a function of the column and one of the row changes alike in both rows and columns.
        let sums = "mul r5.xy, r13.xyxx, r13.xyxx\nadd r5.z, r5.x, r5.y\nadd r5.w, r13.x, -r5.y\n";
        parts.add(|to, _| format!("{sums}deriv_{form} {to}, r5"));
        parts.add(|to, _| format!("{sums}deriv_{form}_sat {to}, -r5.wzyx"));
        parts.add(|to, _| format!("{sums}deriv_{form} {to}, |r5.zzxw|"));
    }
    for form in ["sampleinfo", "sampleinfo_uint"] {
        parts.add(|to, _| format!("{form} {to}, rasterizer"));
    }
    parts.add(|to, _| format!("samplepos {to}, rasterizer, l(0)"));
    let rule = json!({ "kind": "float32", "ulp": 1, "abs": 1e-5, "zero_sign": "any" });
    Body { threads: Threads::Quads, ..body("by_neighbours", (declarations, parts, bound), rule) }
}

/// Buffers that are read.
fn read_buffers() -> Body {
    let mut bound = Bound::default();
    let kinds = [
        BufferKind::Raw,
        BufferKind::Structured { stride: 12 },
        BufferKind::Typed(Format::Rgba16Sint),
        BufferKind::Typed(Format::Rgba8Unorm),
    ];
    for (slot, kind) in (0..).zip(kinds) {
        bound.buffers.insert(("t".to_owned(), slot), Buffer::new(kind, 120));
    }
    let declarations = "dcl_resource_raw t0\ndcl_resource_structured t1, 12\ndcl_resource_buffer t2, sint\n\
                        dcl_resource_buffer t3, unorm\n";
    let mut parts = Parts { parts: Vec::new() };
    for slot in 0..=3 {
        parts.add(|to, from| format!("bufinfo {to}, t{slot}{from}"));
    }
    // Up to the end, and past it.
    let number = "mov r5.x, r0.y\nishl r5.y, r0.y, l(3)\nmov r5.z, l(-1)\nimad r5.w, r0.y, l(-1), l(0x80000010)\n";
    for lane in ["x", "y", "z", "w"] {
        parts.add(|to, from| format!("{number}and r5, r5, l(-4)\nld_raw {to}, r5.{lane}, t0{from}"));
        for byte in ["l(0)", "l(4)", "l(8)", "r5.y"] {
            parts.add(|to, from| format!("{number}ld_structured {to}, r5.{lane}, {byte}, t1{from}"));
        }
        for slot in [2, 3] {
            parts.add(|to, from| format!("{number}ld {to}, r5.{lane}, t{slot}{from}"));
        }
    }
    // Their number by the words of a structure is small again.
    for further in ["l(0)", "l(4)"] {
        let number = "imad r5.x, r0.y, l(-1), l(0x55555560)\n";
        parts.add(|to, from| format!("{number}ld_structured {to}, r5.x, {further}, t1{from}"));
    }
    body("read_buffers", (declarations.to_owned(), parts, bound), exact())
}

/// The combinations of atomics, without what stands in front of the name.
const COMBINATIONS: [&str; 8] = ["and", "or", "xor", "iadd", "imax", "imin", "umax", "umin"];

/// Buffers that are written: each pixel or thread has a slot of 16 bytes of its own, in each row others.
fn written(stage: Stage, part: u32) -> Body {
    let kinds = [
        BufferKind::Raw,
        BufferKind::Structured { stride: 16 },
        BufferKind::Typed(Format::R32Uint),
        BufferKind::Texture { width: 256 },
        BufferKind::Typed(Format::Rgba8Unorm),
        BufferKind::Typed(Format::Rgba16Sint),
    ];
    let kind = kinds[part as usize];
    let (declaration, address) = match kind {
        BufferKind::Raw => ("dcl_uav_raw u1\n", "r5.y"),
        BufferKind::Structured { .. } => ("dcl_uav_structured u1, 16\n", "r5.xzzz"),
        BufferKind::Typed(Format::R32Uint) => ("dcl_uav_typed_buffer u1, uint\n", "r5.x"),
        BufferKind::Texture { .. } => ("dcl_uav_typed_texture2d u1, uint\n", "r6.xyyy"),
        BufferKind::Typed(Format::Rgba8Unorm) => ("dcl_uav_typed_buffer u1, unorm\n", "r5.x"),
        _ => ("dcl_uav_typed_buffer u1, sint\n", "r5.x"),
    };
    // Slot, its byte, 0, a word; then column and row.
    let begin = "imad r5.x, r0.x, l(256), r0.z\nishl r5.y, r5.x, l(4)\nmov r5.z, l(0)\nmov r5.w, r3.x\n\
                 mov r6.x, r0.z\nmov r6.y, r0.x\nmov r6.z, l(4)\n";
    let mut parts = Parts { parts: Vec::new() };
    let is_atomic = |kind| match kind {
        BufferKind::Raw | BufferKind::Structured { .. } => true,
        BufferKind::Typed(format) => format == Format::R32Uint,
        BufferKind::Texture { .. } => false,
    };
    let load = match kind {
        BufferKind::Raw => "ld_raw r8.w, r5.y, u1.xxxx",
        BufferKind::Structured { .. } => "ld_structured r8.w, r5.x, l(0), u1.xxxx",
        BufferKind::Typed(_) => "ld_uav_typed r8.w, r5.x, u1.xxxx",
        BufferKind::Texture { .. } => "ld_uav_typed r8.w, r6.xyyy, u1.xxxx",
    };
    let begun = begin.to_owned();
    for name in COMBINATIONS.into_iter().filter(|_| is_atomic(kind)) {
        parts
            .add(|_, _| format!("{begun}atomic_{name} u1, {address}, r3.x\natomic_{name} u1, {address}, r3.z\n{load}"));
        let first = format!("imm_atomic_{name} r8.x, u1, {address}, r3.x");
        parts.add(|_, _| format!("{begun}{first}\nimm_atomic_{name} r8.y, u1, {address}, r3.z\n{load}"));
    }
    if is_atomic(kind) {
        parts.add(|_, _| format!("{begun}imm_atomic_exch r8.x, u1, {address}, r3.y\n{load}"));
        // With what is there, in every second tuple.
        let seen = format!("{load}\nand r7.x, r0.y, l(1)\niadd r7.x, r8.w, r7.x\n");
        parts.add(|_, _| format!("{begun}{seen}atomic_cmp_store u1, {address}, r7.x, r3.y\n{load}"));
        parts.add(|_, _| format!("{begun}{seen}imm_atomic_cmp_exch r8.xy, u1, {address}, r7.x, r3.y\n{load}"));
        let outside = address.replace("r5", "r7").replace("r6", "r7");
        let far = format!("{begun}iadd r7, r5, l(0x100000,0x1000000,0,0)\n");
        parts.add(|_, _| format!("{far}imm_atomic_iadd r8.xyz, u1, {outside}, r3.x\n{load}"));
    }
    match kind {
        BufferKind::Raw => {
            parts.add(|_, from| format!("{begun}store_raw u1.xyz, r5.y, r3.wzyx\nld_raw r8, r5.y, u1{from}"));
            parts.add(|_, from| {
                format!("{begun}store_raw u1, r5.y, r1\nstore_raw u1.x, r5.y, r0.y\nld_raw r8, r5.y, u1{from}")
            });
            parts.add(|_, from| format!("{begun}store_raw u1, l(-8), r3\nld_raw r8, l(-8), u1{from}"));
            parts.add(|to, from| format!("{begun}bufinfo {to}, u1{from}"));
        }
        BufferKind::Structured { .. } => {
            parts.add(|_, from| {
                format!("{begun}store_structured u1.xyz, r5.x, l(4), r3.wzyx\nld_structured r8, r5.x, l(0), u1{from}")
            });
            parts.add(|_, from| {
                // Past the structure's end.
                format!("{begun}store_structured u1, r5.x, l(8), r3\nld_structured r8, r5.x, l(4), u1{from}")
            });
            parts.add(|_, from| {
                format!("{begun}store_structured u1, l(-1), l(0), r3\nld_structured r8, l(-1), l(0), u1{from}")
            });
            parts.add(|to, from| format!("{begun}bufinfo {to}, u1{from}"));
        }
        BufferKind::Texture { .. } => {
            parts.add(|_, from| format!("{begun}store_uav_typed u1, r6.xyzz, r3\nld_uav_typed r8, r6.xyzz, u1{from}"));
            parts.add(|_, from| {
                format!(
                    "{begun}mov r7, l(256,0,-1,0)\nstore_uav_typed u1, r7, r3\nstore_uav_typed u1, r7.zxxx, r3\n\
                         ld_uav_typed r8, r7, u1{from}"
                )
            });
        }
        BufferKind::Typed(format) => {
            // Eighths are rounded alike everywhere.
            let value = match format {
                Format::Rgba8Unorm => {
                    "and r7, r3, l(15,15,15,15)\nitof r7, r7\nmad r7, r7, l(0x3e000000,0x3e000000,0x3e000000,0x3e000000), \
                     l(0xbf000000,0xbf000000,0xbf000000,0xbf000000)\n"
                }
                _ => "mov r7, r3.wzyx\n",
            };
            parts.add(|_, from| {
                format!("{begun}{value}store_uav_typed u1, r5.xxxx, r7\nld_uav_typed r8, r5.xxxx, u1{from}")
            });
            parts.add(|_, from| {
                format!("{begun}{value}store_uav_typed u1, l(-1), r7\nld_uav_typed r8, l(-1), u1{from}")
            });
            parts.add(|to, from| format!("{begun}bufinfo {to}, u1{from}"));
        }
    }
    let words = parts.parts.len() as u32 * 256 * if matches!(kind, BufferKind::Texture { .. }) { 1 } else { 4 };
    let mut bound = Bound::default();
    bound.buffers.insert(("u".to_owned(), 1), Buffer::new(kind, words));
    let rule = if matches!(kind, BufferKind::Typed(Format::Rgba8Unorm)) { one_step() } else { exact() };
    let name = format!("written_{part}_{}", stage.short_name());
    let made = body(&name, (declaration.to_owned(), parts, bound), rule);
    Body { is_guarded: true, threads: Threads::Pixels, ..made }
}

/// Counters, up and down.
fn counted() -> Body {
    let mut bound = Bound::default();
    for (slot, count) in [(1, 5), (2, 0)] {
        let buffer = Buffer { counter: Some(count), ..Buffer::new(BufferKind::Structured { stride: 8 }, 16) };
        bound.buffers.insert(("u".to_owned(), slot), buffer);
    }
    let declarations = "dcl_uav_counted u1, 8\ndcl_uav_counted u2, 8\n";
    let mut parts = Parts { parts: Vec::new() };
    // Which thread gets which number is open; how many there are is not.
    parts.add(|_, _| {
        "imm_atomic_alloc r5.xyz, u1\nult r8.x, r5.y, l(1000)\nstore_structured u1.x, l(1), l(0), l(7)".to_owned()
    });
    parts.add(|_, _| {
        "imm_atomic_consume r5.xyz, u2\nult r8.x, l(1000), r5.y\nstore_structured u2.x, l(1), l(4), l(9)".to_owned()
    });
    let made = body("counted", (declarations.to_owned(), parts, bound), exact());
    Body { is_guarded: true, threads: Threads::Pixels, ..made }
}

/// Memory of a group, with all kinds of barriers.
fn grouped() -> Body {
    let declarations = "dcl_tgsm_raw g0, 1024\ndcl_tgsm_structured g1, 16, 64\ndcl_uav_raw u1\n";
    let mut parts = Parts { parts: Vec::new() };
    let begin = "mov r5.x, r0.y\nishl r5.y, r0.y, l(4)\nmov r5.z, l(0)\nstore_raw g0, r5.y, r3\n\
                 store_structured g1, r5.x, l(0), r3.wzyx\n";
    for (slot, address, load) in
        [(0, "r5.y", "ld_raw r8.w, r5.y, g0.xxxx"), (1, "r5.xzzz", "ld_structured r8.w, r5.x, l(0), g1.xxxx")]
    {
        for name in COMBINATIONS {
            parts.add(|_, _| format!("{begin}atomic_{name} g{slot}, {address}, r1.x\n{load}"));
            parts.add(|_, _| {
                let first = format!("imm_atomic_{name} r8.x, g{slot}, {address}, r1.x");
                format!("{begin}{first}\nimm_atomic_{name} r8.yz, g{slot}, {address}, r2.x\n{load}")
            });
        }
        parts.add(|_, _| format!("{begin}imm_atomic_exch r8.x, g{slot}, {address}, r1.y\n{load}"));
        let seen = format!("{load}\nand r7.x, r0.y, l(1)\niadd r7.x, r8.w, r7.x\n");
        parts.add(|_, _| format!("{begin}{seen}atomic_cmp_store g{slot}, {address}, r7.x, r1.y\n{load}"));
        parts.add(|_, _| format!("{begin}{seen}imm_atomic_cmp_exch r8.xy, g{slot}, {address}, r7.x, r1.y\n{load}"));
    }
    // Each takes what its neighbour gave.
    let neighbour = "iadd r6.x, r0.y, l(17)\nand r6.x, r6.x, l(63)\nishl r6.y, r6.x, l(4)\n";
    for barrier in ["sync_g_t", "sync_ugroup_g_t", "sync_uglobal_g_t", "sync_uglobal_ugroup_g_t"] {
        parts.add(|to, from| format!("{begin}{neighbour}{barrier}\nld_raw {to}, r6.y, g0{from}\n{barrier}"));
        parts.add(|to, from| {
            format!("{begin}{neighbour}{barrier}\nld_structured {to}, r6.x, l(4), g1{from}\n{barrier}")
        });
    }
    for barrier in ["sync_g", "sync_ugroup", "sync_uglobal", "sync_uglobal_g"] {
        parts.add(|to, from| format!("{begin}{barrier}\nld_raw {to}, r5.y, g0{from}"));
    }
    // Memory of all groups: each has its own.
    let own = "imad r6.z, r0.x, l(64), r0.y\nimad r6.w, r0.x, l(64), r6.x\nishl r6.zw, r6.zzzw, l(4)\n";
    for barrier in ["sync_ugroup_t", "sync_uglobal_t"] {
        parts.add(|to, from| {
            format!("{neighbour}{own}store_raw u1, r6.z, r3\n{barrier}\nld_raw {to}, r6.w, u1{from}\n{barrier}")
        });
    }
    parts.add(|to, _| format!("{begin}sync_g_t\nld_raw {to}, l(0x10000), g0\nsync_t"));
    let mut bound = Bound::default();
    bound.buffers.insert(("u".to_owned(), 1), Buffer::new(BufferKind::Raw, parts.parts.len() as u32 * 256));
    Body { is_guarded: true, ..body("grouped", (declarations.to_owned(), parts, bound), exact()) }
}

/// The programs that a stage has.
pub fn bodies(stage: Stage, rows: Rows) -> Vec<Body> {
    let mut bodies = vec![
        sampled("sampled_nearest", POINT, rows),
        sampled("sampled_between", LINEAR, rows),
        moved(),
        compared(),
        loaded(Format::Rgba16Float, rows),
        loaded(Format::Rgba16Sint, rows),
        read_buffers(),
    ];
    if stage != Stage::Vertex {
        bodies.extend((0..6).map(|part| written(stage, part)));
        bodies.push(counted());
    }
    match stage {
        Stage::Vertex => {}
        Stage::Pixel => bodies.push(by_neighbours(rows)),
        Stage::Compute => bodies.push(grouped()),
    }
    bodies
}
