//! The model's textures, typed buffers, counters, derivatives.

use super::bound::{Bound, BufferKind, Lookup};
use super::model::{Memory, Model, Thread, combined};
use super::text::{Lanes, Line, Operand, What};

type Words = [u32; 4];

/// Whether an instruction needs the pixels around.
pub fn asks_neighbours(name: &str) -> bool {
    name.starts_with("deriv_") || matches!(name, "sample" | "sample_b" | "sample_c" | "lod")
}

/// Whether an instruction is one that this file runs.
pub fn looks_up(line: &Line, bound: &Bound) -> bool {
    let named = line.operands.iter().find(|operand| is_resource(operand));
    let Some(named) = named else { return false };
    let kind = bound.buffers.get(&slot_of(named)).map(|buffer| buffer.kind);
    !matches!(kind, None | Some(BufferKind::Raw | BufferKind::Structured { .. }))
        || bound.textures.contains_key(&slot_of(named).1) && named.name() == "t"
        || line.name.ends_with("info")
        || line.name.contains("info_")
        || matches!(line.name.as_str(), "imm_atomic_alloc" | "imm_atomic_consume" | "samplepos")
}

pub fn is_resource(operand: &Operand) -> bool {
    matches!(operand.name(), "t" | "u" | "rasterizer")
}

fn slot_of(operand: &Operand) -> (String, u32) {
    let What::Register(name, indices) = &operand.what else { panic!("no register") };
    (name.clone(), indices.first().map_or(0, |index| index.base))
}

fn floats(words: Words) -> [f32; 4] {
    words.map(f32::from_bits)
}

impl Model {
    /// Runs an instruction about a resource. `changes` are what the place changes by from pixel to pixel, across and down.
    pub fn look_up(&self, thread: &mut Thread, memory: &mut Memory, line: &Line, changes: Option<[Words; 2]>) {
        let place = line.operands.iter().position(is_resource).unwrap();
        let named = &line.operands[place];
        let key = slot_of(named);
        let values: Vec<Words> = line
            .operands
            .iter()
            .map(|operand| match operand.name() {
                "t" | "u" | "s" | "rasterizer" => [0; 4],
                _ => self.read(thread, memory, operand),
            })
            .collect();
        let kind = memory.bound.buffers.get(&key).map(|buffer| buffer.kind);
        let found = match (line.name.as_str(), kind) {
            ("imm_atomic_alloc" | "imm_atomic_consume", _) => {
                let counter = memory.counters.get_mut(&key.1).unwrap();
                let before = *counter;
                let is_up = line.name.ends_with("alloc");
                *counter = if is_up { before.wrapping_add(1) } else { before.wrapping_sub(1) };
                [if is_up { before } else { *counter }; 4]
            }
            ("sampleinfo_uint", _) => [1, 0, 0, 0],
            ("sampleinfo", _) => [1.0_f32.to_bits(), 0, 0, 0],
            ("samplepos", _) => [0; 4],
            ("bufinfo", Some(kind)) => [elements(kind, &memory.words[&key]); 4],
            (_, Some(BufferKind::Typed(_) | BufferKind::Texture { .. })) => {
                match self.element(memory, line, (&values, place), &key) {
                    Some(words) => words,
                    None => return,
                }
            }
            _ => self.texel(memory, line, (&values, place), changes),
        };
        let to = line.operands[0].clone();
        let is_one = line.name.starts_with("imm_atomic");
        let found = if is_one { found } else { named.swizzle().map(|lane| found[lane]) };
        self.write(thread, memory, &to, found);
    }

    /// Elements of typed buffers, and texels of textures that are written.
    fn element(
        &self,
        memory: &mut Memory,
        line: &Line,
        (values, place): (&[Words], usize),
        key: &(String, u32),
    ) -> Option<Words> {
        let kind = memory.bound.buffers[key].kind;
        let name = line.name.as_str();
        let is_load = name.starts_with("ld");
        let at = if is_load { values[1] } else { values[place + 1] };
        let words = memory.words.get_mut(key).unwrap();
        let (first, size) = match kind {
            BufferKind::Typed(format) => (at[0] as usize, format.size_words()),
            BufferKind::Texture { width } if at[0] < width => (at[1] as usize * width as usize + at[0] as usize, 1),
            _ => (usize::MAX / 4, 1),
        };
        let format = match kind {
            BufferKind::Typed(format) => format,
            _ => super::bound::Format::R32Uint,
        };
        let inside = first.checked_mul(size).filter(|start| start + size <= words.len());
        if is_load {
            return Some(inside.map_or([0; 4], |start| format.read(&words[start..start + size])));
        }
        if name == "store_uav_typed" {
            if let Some(start) = inside {
                words[start..start + size].copy_from_slice(&format.kept(values[place + 2]));
            }
            return None;
        }
        let further = [1, 2].map(|more| values.get(place + 1 + more).map_or(0, |words| words[0]));
        let old = inside.map_or(0, |start| {
            let old = words[start];
            words[start] = combined(name, old, further);
            old
        });
        name.starts_with("imm_").then_some([old; 4])
    }

    fn texel(
        &self,
        memory: &Memory,
        line: &Line,
        (values, place): (&[Words], usize),
        changes: Option<[Words; 2]>,
    ) -> Words {
        let (_, slot) = slot_of(&line.operands[place]);
        let texture = &memory.bound.textures[&slot];
        let name = line.name.as_str();
        if name == "ld" {
            let at = values[1].map(|word| word as i32);
            return texture.load(slot, at, line.offsets, at[3] as u32);
        }
        if name.starts_with("resinfo") {
            let (numbers, sizes) = texture.info(values[1][0]);
            let float = |lane: usize| match name {
                "resinfo_uint" => numbers[lane],
                "resinfo_rcpfloat" if lane < sizes => (1.0 / numbers[lane] as f32).to_bits(),
                _ => (numbers[lane] as f32).to_bits(),
            };
            return [0, 1, 2, 3].map(float);
        }
        let sampler_operand = &line.operands[place + 1];
        let sampler = &memory.bound.samplers[&slot_of(sampler_operand).1];
        let rest = &values[place + 2..];
        let compares = matches!(name, "sample_c" | "sample_c_lz" | "gather4_c" | "gather4_po_c");
        let reference = compares.then(|| f32::from_bits(rest[0][0]));
        let size = texture.size_of(0);
        let steepest = |changes: [Words; 2]| {
            let axes = if name == "sample_d" || changes != [[0; 4]; 2] { 3 } else { 0 };
            let square = |change: Words| -> f32 {
                let texels = floats(change).into_iter().zip(size).take(axes);
                texels.map(|(change, side)| (change * side as f32).powi(2)).sum()
            };
            changes.map(square).into_iter().fold(0.0, f32::max).log2() / 2.0
        };
        let implied = || steepest(changes.expect("pixels around"));
        let lod = match name {
            "sample" | "sample_c" | "lod" => implied(),
            "sample_b" => implied() + f32::from_bits(rest[0][0]),
            "sample_l" => f32::from_bits(rest[0][0]),
            "sample_d" => steepest([rest[0], rest[1]]),
            _ => 0.0,
        };
        if name == "lod" {
            return [lod.clamp(0.0, (texture.mips - 1) as f32), lod, 0.0, 0.0].map(f32::to_bits);
        }
        let moves = name.starts_with("gather4_po");
        let offset = if moves { values[2].map(|word| word as i32) } else { [0; 4] };
        let offset = std::array::from_fn(|axis| match axis {
            // Six bits of it count, in two axes.
            0 | 1 if moves => (offset[axis] << 26) >> 26,
            _ => line.offsets[axis],
        });
        let lookup = Lookup { at: floats(values[1]), lod, offset, reference };
        match (name.starts_with("gather4"), sampler_operand.lanes) {
            (true, Lanes::One(lane)) => texture.gather(slot, sampler, &lookup, lane),
            (true, _) => texture.gather(slot, sampler, &lookup, 0),
            _ => texture.sample(slot, sampler, &lookup),
        }
    }

    /// Runs four pixels together, across and then down, up to their ends.
    pub fn run_quad(&self, quad: &mut [Thread; 4], memory: &mut Memory) {
        while self.run_to_question(quad, memory) {
            let line = self.asked(&quad[0]).clone();
            assert!(quad.iter().all(|thread| thread.at() == quad[0].at()), "pixels ask different things");
            let place = &line.operands[1];
            let values: Vec<Words> = quad.iter().map(|thread| self.read_source(thread, memory, place)).collect();
            let difference = |of: usize, from: usize| {
                let [of, from] = [of, from].map(|pixel| floats(values[pixel]));
                std::array::from_fn::<u32, 4, _>(|lane| (of[lane] - from[lane]).to_bits())
            };
            for (number, thread) in quad.iter_mut().enumerate() {
                let (row, column) = (number & 2, number & 1);
                let changes = [difference(row + 1, row), difference(2 + column, column)];
                match line.name.starts_with("deriv_") {
                    true => {
                        let change = changes[usize::from(line.name.starts_with("deriv_rty"))];
                        let change = match line.saturate {
                            true => change.map(|word| f32::from_bits(word).clamp(0.0, 1.0).to_bits()),
                            false => change,
                        };
                        self.write(thread, memory, &line.operands[0], change);
                    }
                    false => self.look_up(thread, memory, &line, Some(changes)),
                }
                thread.go_on();
            }
        }
    }
}

/// Number of structures, elements or bytes in a buffer.
fn elements(kind: BufferKind, words: &[u32]) -> u32 {
    let bytes = words.len() as u32 * 4;
    match kind {
        BufferKind::Raw => bytes,
        BufferKind::Structured { stride } => bytes / stride,
        BufferKind::Typed(format) => bytes / 4 / format.size_words() as u32,
        BufferKind::Texture { .. } => panic!("a texture is no buffer"),
    }
}
