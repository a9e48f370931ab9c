//! Text → DXBC. The numbers are those of Microsoft's tokens, in a table of its own: the one in the sources is judged too.

use super::text::{Index, Lanes, Line, Operand, What, number, parse, results, split};

/// An element of a signature: name, register, mask, kind of numbers (1 unsigned, 3 float), system value.
pub type Element = (&'static str, u32, u32, u32, u32);

/// Instructions by their numbers.
const NUMBERS: &[(&str, u32)] = &[
    ("add", 0),
    ("and", 1),
    ("break", 2),
    ("breakc", 3),
    ("call", 4),
    ("callc", 5),
    ("case", 6),
    ("continue", 7),
    ("continuec", 8),
    ("default", 10),
    ("deriv_rtx", 11),
    ("deriv_rty", 12),
    ("discard", 13),
    ("div", 14),
    ("dp2", 15),
    ("dp3", 16),
    ("dp4", 17),
    ("else", 18),
    ("endif", 21),
    ("endloop", 22),
    ("endswitch", 23),
    ("eq", 24),
    ("exp", 25),
    ("frc", 26),
    ("ftoi", 27),
    ("ftou", 28),
    ("ge", 29),
    ("iadd", 30),
    ("if", 31),
    ("ieq", 32),
    ("ige", 33),
    ("ilt", 34),
    ("imad", 35),
    ("imax", 36),
    ("imin", 37),
    ("imul", 38),
    ("ine", 39),
    ("ineg", 40),
    ("ishl", 41),
    ("ishr", 42),
    ("itof", 43),
    ("label", 44),
    ("ld", 45),
    ("ld_ms", 46),
    ("log", 47),
    ("loop", 48),
    ("lt", 49),
    ("mad", 50),
    ("min", 51),
    ("max", 52),
    ("mov", 54),
    ("movc", 55),
    ("mul", 56),
    ("ne", 57),
    ("nop", 58),
    ("not", 59),
    ("or", 60),
    ("resinfo", 61),
    ("ret", 62),
    ("retc", 63),
    ("round_ne", 64),
    ("round_ni", 65),
    ("round_pi", 66),
    ("round_z", 67),
    ("rsq", 68),
    ("sample", 69),
    ("sample_c", 70),
    ("sample_c_lz", 71),
    ("sample_l", 72),
    ("sample_d", 73),
    ("sample_b", 74),
    ("sqrt", 75),
    ("switch", 76),
    ("sincos", 77),
    ("udiv", 78),
    ("ult", 79),
    ("uge", 80),
    ("umul", 81),
    ("umad", 82),
    ("umax", 83),
    ("umin", 84),
    ("ushr", 85),
    ("utof", 86),
    ("xor", 87),
    ("lod", 108),
    ("gather4", 109),
    ("samplepos", 110),
    ("sampleinfo", 111),
    ("bufinfo", 121),
    ("deriv_rtx_coarse", 122),
    ("deriv_rtx_fine", 123),
    ("deriv_rty_coarse", 124),
    ("deriv_rty_fine", 125),
    ("gather4_c", 126),
    ("gather4_po", 127),
    ("gather4_po_c", 128),
    ("rcp", 129),
    ("f32tof16", 130),
    ("f16tof32", 131),
    ("uaddc", 132),
    ("usubb", 133),
    ("countbits", 134),
    ("firstbit_hi", 135),
    ("firstbit_lo", 136),
    ("firstbit_shi", 137),
    ("ubfe", 138),
    ("ibfe", 139),
    ("bfi", 140),
    ("bfrev", 141),
    ("swapc", 142),
    ("ld_uav_typed", 163),
    ("store_uav_typed", 164),
    ("ld_raw", 165),
    ("store_raw", 166),
    ("ld_structured", 167),
    ("store_structured", 168),
    ("atomic_and", 169),
    ("atomic_or", 170),
    ("atomic_xor", 171),
    ("atomic_cmp_store", 172),
    ("atomic_iadd", 173),
    ("atomic_imax", 174),
    ("atomic_imin", 175),
    ("atomic_umax", 176),
    ("atomic_umin", 177),
    ("imm_atomic_alloc", 178),
    ("imm_atomic_consume", 179),
    ("imm_atomic_iadd", 180),
    ("imm_atomic_and", 181),
    ("imm_atomic_or", 182),
    ("imm_atomic_xor", 183),
    ("imm_atomic_exch", 184),
    ("imm_atomic_cmp_exch", 185),
    ("imm_atomic_imax", 186),
    ("imm_atomic_imin", 187),
    ("imm_atomic_umax", 188),
    ("imm_atomic_umin", 189),
    ("sync", 190),
    ("dadd", 191),
    ("eval_snapped", 203),
    ("eval_sample_index", 204),
    ("eval_centroid", 205),
    ("msad", 213),
];

/// Kinds of registers by their numbers.
const REGISTERS: &[(&str, u32)] = &[
    ("r", 0),
    ("v", 1),
    ("o", 2),
    ("x", 3),
    ("s", 6),
    ("t", 7),
    ("cb", 8),
    ("icb", 9),
    ("l", 10),
    ("null", 13),
    ("rasterizer", 14),
    ("u", 30),
    ("g", 31),
    ("vThreadGroupID", 33),
    ("vThreadIDInGroup", 34),
];

const ALL_LANES: u32 = 0xe4 << 4;

/// Dimensions of a typed resource, by its number.
const DIMENSIONS: &[(&str, u32)] = &[
    ("buffer", 1),
    ("texture1d", 2),
    ("texture2d", 3),
    ("texture2dms", 4),
    ("texture3d", 5),
    ("texturecube", 6),
    ("texture1darray", 7),
    ("texture2darray", 8),
    ("texture2dmsarray", 9),
    ("texturecubearray", 10),
];

/// Types that the lanes of a typed resource are read as.
const READ_AS: &[(&str, u32)] = &[("unorm", 1), ("snorm", 2), ("sint", 3), ("uint", 4), ("float", 5)];

fn find(table: &[(&str, u32)], name: &str) -> u32 {
    table.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name} has no number")).1
}

/// A container of a program, its inputs and its outputs.
pub fn assemble(text: &str, inputs: &[Element], outputs: &[Element]) -> Vec<u8> {
    let head = text.lines().next().unwrap();
    let stage = ["ps", "vs", "gs", "hs", "ds", "cs"].iter().position(|stage| head.starts_with(stage)).unwrap() as u32;
    let model = if head.ends_with("4_0") { 0x40 } else { 0x50 };
    let code: Vec<u32> = parse(text).iter().flat_map(tokens).collect();
    let program: Vec<u32> = [stage << 16 | model, code.len() as u32 + 2].into_iter().chain(code).collect();
    let tag = if model == 0x40 { b"SHDR" } else { b"SHEX" };
    container(&[(b"ISGN", signature(inputs)), (b"OSGN", signature(outputs)), (tag, bytes_of(&program))])
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Chunks behind their table. The digest is left out: nobody here looks at it.
fn container(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let start = 32 + 4 * chunks.len() as u32;
    let (mut table, mut body) = (Vec::new(), Vec::new());
    for (tag, bytes) in chunks {
        table.push(start + body.len() as u32);
        body.extend_from_slice(*tag);
        body.extend((bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(bytes);
    }
    let header = [1, start + body.len() as u32, chunks.len() as u32];
    [b"DXBC".to_vec(), vec![0; 16], bytes_of(&header), bytes_of(&table), body].concat()
}

fn signature(elements: &[Element]) -> Vec<u8> {
    let (mut rows, mut names) = (Vec::new(), Vec::new());
    for (name, register, mask, kind, system_value) in elements {
        let at = 8 + 24 * elements.len() + names.len();
        names.extend([name.as_bytes(), &[0]].concat());
        rows.extend(bytes_of(&[at as u32, 0, *system_value, *kind, *register, *mask | mask << 8]));
    }
    let mut bytes = [bytes_of(&[elements.len() as u32, 8]), rows, names].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn tokens(line: &Line) -> Vec<u32> {
    if let Some(name) = line.name.strip_prefix("dcl_") {
        return declaration(name, &line.rest);
    }
    let results = results(&line.name);
    let is_written = |place: usize, operand: &Operand| place < results || stores(&line.name, place, operand);
    let operands = line.operands.iter().enumerate();
    let body = operands.flat_map(|(place, operand)| match is_atomic(&line.name, operand) {
        true => whole(operand),
        false => operand_tokens(operand, is_written(place, operand)),
    });
    let bits = u32::from(line.saturate) << 13 | u32::from(line.nonzero) << 18;
    let (name, form) = form_of(&line.name);
    let number = find(NUMBERS, name);
    let texels = line.offsets.map(|texels| texels as u32 & 15);
    let extended = match texels {
        [0, 0, 0] => Vec::new(),
        [u, v, w] => vec![1 | u << 9 | v << 13 | w << 17],
    };
    let more = (extended.len() as u32) << 31;
    with_length(number | bits | form << 11 | more, extended.into_iter().chain(body).collect())
}

/// The name of an instruction without the form that it is in, and that form's bits.
fn form_of(name: &str) -> (&str, u32) {
    match name {
        "resinfo_rcpfloat" => ("resinfo", 1),
        "resinfo_uint" => ("resinfo", 2),
        "sampleinfo_uint" => ("sampleinfo", 1),
        _ => match name.strip_prefix("sync_") {
            Some(parts) => {
                let bit = |part| match part {
                    "t" => 1,
                    "g" => 2,
                    "ugroup" => 4,
                    "uglobal" => 8,
                    other => panic!("unknown part {other} of a barrier"),
                };
                ("sync", parts.split('_').map(bit).sum())
            }
            None => (name, 0),
        },
    }
}

fn with_length(token: u32, body: Vec<u32>) -> Vec<u32> {
    [token | (body.len() as u32 + 1) << 24].into_iter().chain(body).collect()
}

/// Whether an operand is memory that is written: its lanes are a mask.
fn stores(name: &str, place: usize, operand: &Operand) -> bool {
    name.starts_with("store_") && place == 0 && matches!(operand.name(), "u" | "g")
}

fn is_atomic(name: &str, operand: &Operand) -> bool {
    name.contains("atomic_") && matches!(operand.name(), "u" | "g")
}

/// Memory as a whole, without lanes.
fn whole(operand: &Operand) -> Vec<u32> {
    let What::Register(name, indices) = &operand.what else { panic!("no register") };
    vec![find(REGISTERS, name) << 12 | 1 << 20, indices[0].base]
}

fn operand_tokens(operand: &Operand, is_result: bool) -> Vec<u32> {
    const IMMEDIATE: u32 = 4 << 12;
    let modifier = u32::from(operand.negate) | u32::from(operand.absolute) << 1;
    let extended = |token: u32| match modifier {
        0 => vec![token],
        modifier => vec![token | 1 << 31, 1 | modifier << 6],
    };
    match &operand.what {
        What::Word(word) => [extended(1 | IMMEDIATE), vec![*word]].concat(),
        What::Words(words) => [extended(2 | IMMEDIATE), words.to_vec()].concat(),
        What::Register(name, indices) => {
            let lanes = match (name.as_str(), is_result, operand.lanes) {
                ("null" | "l" | "rasterizer", ..) | ("s", _, Lanes::All) => 0,
                (_, true, _) => 2 | operand.mask().iter().map(|lane| 16 << lane).sum::<u32>(),
                (_, false, Lanes::One(lane)) => 2 | 2 << 2 | (lane as u32) << 4,
                (_, false, _) => 2 | 1 << 2 | swizzle(operand.swizzle()) << 4,
            };
            let mut token = lanes | find(REGISTERS, name) << 12 | (indices.len() as u32) << 20;
            let mut words = Vec::new();
            for (place, index) in indices.iter().enumerate() {
                let (form, index) = index_tokens(*index);
                token |= form << (22 + 3 * place);
                words.extend(index);
            }
            [extended(token), words].concat()
        }
    }
}

fn swizzle(lanes: [usize; 4]) -> u32 {
    (0..).zip(lanes).map(|(place, lane)| (lane as u32) << (2 * place)).sum()
}

fn index_tokens(index: Index) -> (u32, Vec<u32>) {
    let Some((register, lane)) = index.plus else { return (0, vec![index.base]) };
    let added = [2 | 2 << 2 | (lane as u32) << 4 | 1 << 20, register];
    match index.base {
        0 => (2, added.to_vec()),
        base => (3, [base, added[0], added[1]].to_vec()),
    }
}

fn declaration(name: &str, rest: &str) -> Vec<u32> {
    let parts = split(rest);
    let slot = |text: &str| number(text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()));
    let register = |text: &str| {
        let line = super::text::parse(&format!("\nmov {text}")).remove(0);
        operand_tokens(&line.operands[0], true)
    };
    let of_array = |text: &str| {
        let (name, count) = text.trim_end_matches(']').split_once('[').unwrap();
        (slot(name), number(count))
    };
    if let Some((number, register, dimension)) = typed(name) {
        let lanes = find(READ_AS, parts[1]) * 0x1111;
        return with_length(number | dimension << 11, vec![register << 12 | 1 << 20, slot(parts[0]), lanes]);
    }
    match name {
        "sampler" => {
            let is_comparison = u32::from(parts.get(1) == Some(&"comparison"));
            with_length(90 | is_comparison << 11, vec![6 << 12 | 1 << 20, slot(parts[0])])
        }
        "global_flags" => with_length(106 | number(rest) << 11, Vec::new()),
        "temps" => with_length(104, vec![number(rest)]),
        "indexableTemp" => {
            let (array, count) = of_array(parts[0]);
            with_length(105, vec![array, count, 4])
        }
        "constantbuffer" => {
            let (buffer, count) = of_array(parts[0]);
            with_length(89 | 1 << 11, vec![2 | 1 << 2 | ALL_LANES | 8 << 12 | 2 << 20, buffer, count])
        }
        "icb" => {
            let words: Vec<u32> = parts.iter().map(|word| number(word)).collect();
            [vec![53 | 3 << 11, words.len() as u32 + 2], words].concat()
        }
        "resource_raw" => with_length(161, vec![7 << 12 | 1 << 20, slot(parts[0])]),
        "resource_structured" => with_length(162, vec![7 << 12 | 1 << 20, slot(parts[0]), number(parts[1])]),
        "uav_raw" => with_length(157, vec![30 << 12 | 1 << 20, slot(parts[0])]),
        "uav_counted" => with_length(158 | 1 << 23, vec![30 << 12 | 1 << 20, slot(parts[0]), number(parts[1])]),
        "uav_structured" => with_length(158, vec![30 << 12 | 1 << 20, slot(parts[0]), number(parts[1])]),
        "tgsm_raw" => with_length(159, vec![31 << 12 | 1 << 20, slot(parts[0]), number(parts[1])]),
        "tgsm_structured" => {
            with_length(160, vec![31 << 12 | 1 << 20, slot(parts[0]), number(parts[1]), number(parts[2])])
        }
        "thread_group" => with_length(155, parts.iter().map(|part| number(part)).collect()),
        "input" => with_length(95, register(parts[0])),
        "input_thread" => with_length(95, register(parts[0])),
        "input_vertex_id" => with_length(96, [register(parts[0]), vec![6]].concat()),
        "input_ps_constant" => with_length(98 | 1 << 11, register(parts[0])),
        "input_ps_position" => with_length(100 | 4 << 11, [register(parts[0]), vec![1]].concat()),
        "input_ps_front_face" => with_length(99 | 1 << 11, [register(parts[0]), vec![9]].concat()),
        "output" => with_length(101, register(parts[0])),
        "output_position" => with_length(103, [register(parts[0]), vec![1]].concat()),
        other => panic!("unknown declaration {other}"),
    }
}

/// Of the declaration of a typed resource, its number, and those of its registers and of what it is.
fn typed(name: &str) -> Option<(u32, u32, u32)> {
    let (number, register, of) = match name.strip_prefix("uav_typed_") {
        Some(of) => (156, 30, of),
        None => (88, 7, name.strip_prefix("resource_")?),
    };
    let (_, dimension) = DIMENSIONS.iter().find(|(known, _)| *known == of)?;
    Some((number, register, *dimension))
}
