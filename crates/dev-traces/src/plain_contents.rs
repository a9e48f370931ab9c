//! Contents of buffers and textures, and the vertices of draws, worked out from a [`PlainTrace`] alone.
//!
//! Every packet up to a place is carried out on bytes, with the byte's last writer beside it. What a GPU writes is not known:
//! a texture that was drawn into or copied to has no bytes here.

use std::collections::HashMap;

use super::plain_trace::{PlainRow, PlainTrace, dword, qword};

/// A buffer or a texture.
#[derive(Clone, Debug)]
pub struct PlainObject {
    pub handle: u32,
    pub shape: PlainShape,
    /// Offset of the packet that made it.
    pub created_at: usize,
    /// Whether a GPU or a copy wrote any of it.
    pub is_drawn: bool,
    backing: Option<(u32, usize)>,
    values: Vec<u8>,
    /// Offsets of the packets that wrote the bytes last, `None` for bytes that nothing wrote.
    writers: Vec<Option<usize>>,
}

/// Form of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainShape {
    Buffer,
    Texture { format: u32, width: u32, height: u32, mips: u32, layers: u32, row_pitch: u32 },
}

/// Vertices of a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainMesh {
    /// Numbers of the vertices in their buffers, in the order of drawing.
    pub vertices: Vec<u32>,
    pub triangles: usize,
    pub instances: u32,
    /// Left, top, width and height of the viewport.
    pub viewport: [f32; 4],
}

/// Bindings of a context.
#[derive(Clone, Debug)]
struct Bound {
    targets: Vec<usize>,
    /// Object, format and offset.
    indices: Option<(usize, u32, usize)>,
    topology: u32,
    viewport: [f32; 4],
    vertex_shader: u32,
}

/// Triangle lists.
const FIRST_TOPOLOGY: u32 = 4;

impl Default for Bound {
    fn default() -> Self {
        let (targets, viewport) = (Vec::new(), [0.0; 4]);
        Self { targets, indices: None, topology: FIRST_TOPOLOGY, viewport, vertex_shader: 0 }
    }
}

/// Objects and bindings at a place of a trace.
pub struct PlainContents<'a> {
    bytes: &'a [u8],
    blobs: &'a [(usize, u64, std::ops::Range<usize>)],
    objects: Vec<PlainObject>,
    /// Objects by handle: of submissions, and of Appendix A.
    named: [HashMap<u32, usize>; 2],
    contexts: HashMap<Option<u32>, Bound>,
    /// Guest memory of the submission that runs, by allocation.
    memory: HashMap<u32, Vec<u8>>,
    /// Whether the last packet is one of a submission.
    pub is_submitted: bool,
}

impl<'a> PlainContents<'a> {
    /// Contents behind a packet of a frame.
    pub fn behind(trace: &'a PlainTrace, frame: usize, packet: u32) -> Self {
        let mut contents = Self {
            bytes: &trace.bytes,
            blobs: &trace.blobs,
            objects: Vec::new(),
            named: Default::default(),
            contexts: HashMap::new(),
            memory: HashMap::new(),
            is_submitted: false,
        };
        let rows = trace.frames[..=frame].iter().enumerate();
        for (of, row) in rows.flat_map(|(of, frame)| frame.rows.iter().map(move |row| (of, row))) {
            if of == frame && row.packet.is_some_and(|number| number > packet) {
                break;
            }
            contents.carry_out(row);
        }
        contents
    }

    /// Objects that have a handle in the ABI of the last packet.
    pub fn alive(&self) -> Vec<&PlainObject> {
        let named = &self.named[usize::from(!self.is_submitted)];
        let mut alive: Vec<usize> = named.values().copied().collect();
        alive.sort_unstable();
        alive.into_iter().map(|object| &self.objects[object]).collect()
    }

    fn carry_out(&mut self, row: &PlainRow) {
        let Some(name) = row.name else { return };
        if row.packet.is_some() {
            self.is_submitted = row.submission.is_some();
        }
        match row.submission {
            Some((_, context)) => self.carry_out_submitted(row, name, context),
            None if row.packet.is_some() => self.carry_out_appendix_a(row, name),
            None if name == "AerogpuSubmission" => self.read_memory(row),
            None => {}
        }
    }

    /// Memory that a submission brings. Each range starts where its allocation does.
    fn read_memory(&mut self, row: &PlainRow) {
        let payload = row.offset + 8;
        let first = payload + self.dword(payload + 4) as usize;
        self.memory.clear();
        for range in (0..self.dword(payload + 48) as usize).map(|number| first + 32 * number) {
            let blob = self.blob(qword(self.bytes, range + 24), row.offset);
            let before = self.memory.insert(self.dword(range), blob.to_vec());
            assert!(before.is_none(), "an allocation in two ranges");
        }
    }

    /// The last definition before `offset`, or the first of all.
    fn blob(&self, id: u64, offset: usize) -> &'a [u8] {
        let defined = || self.blobs.iter().filter(|(_, blob, _)| *blob == id);
        let found = defined().rfind(|(at, ..)| *at < offset).or(defined().next());
        &self.bytes[found.expect("the blob is there").2.clone()]
    }

    fn dword(&self, at: usize) -> u32 {
        dword(self.bytes, at)
    }

    fn carry_out_appendix_a(&mut self, row: &PlainRow, name: &str) {
        let word = |at| row.dword(self.bytes, at);
        match name {
            "CREATE_BUFFER" => self.create(1, word(8), PlainShape::Buffer, word(12) as usize, None, row),
            "UPLOAD_BUFFER" => {
                let blob = self.blob(qword(self.bytes, row.offset + 20), row.offset);
                let (at, length) = (word(12) as usize, word(16) as usize);
                let object = self.named[1][&word(8)];
                self.objects[object].write(at, &blob[..length], Some(row.offset));
            }
            "SET_VIEWPORT" => {
                let size = [word(8) as f32, word(12) as f32];
                self.context(None).viewport = [0.0, 0.0, size[0], size[1]];
            }
            _ => {}
        }
    }

    fn carry_out_submitted(&mut self, row: &PlainRow, name: &str, context: u32) {
        let bytes = self.bytes;
        let word = |at| row.dword(bytes, at);
        let long = |at| qword(bytes, row.offset + at) as usize;
        let object = |contents: &Self, handle: u32| contents.named[0].get(&handle).copied();
        match name {
            "CREATE_BUFFER" => {
                self.create(0, word(8), PlainShape::Buffer, long(16), backing(word(24), word(28)), row);
                // All of its memory counts as written.
                self.read_backing(word(8), 0, long(16), None);
            }
            "CREATE_TEXTURE2D" => {
                let [format, width, height, mips, layers, row_pitch] = [16, 20, 24, 28, 32, 36].map(word);
                let shape = PlainShape::Texture { format, width, height, mips, layers, row_pitch };
                self.create(0, word(8), shape, shape.size(), backing(word(40), word(44)), row);
            }
            "DESTROY_RESOURCE" => _ = self.named[0].remove(&word(8)),
            "RESOURCE_DIRTY_RANGE" => self.read_backing(word(8), long(16), long(24), Some(row.offset)),
            "UPLOAD_RESOURCE" => {
                let data = &bytes[row.offset + 32..row.offset + 32 + long(24)];
                if let Some(object) = object(self, word(8)) {
                    self.objects[object].write(long(16), data, Some(row.offset));
                }
            }
            "COPY_BUFFER" => self.copy_buffer(row),
            "COPY_TEXTURE2D" => {
                if let Some(object) = object(self, word(8)) {
                    self.objects[object].is_drawn = true;
                }
            }
            "SET_RENDER_TARGETS" => {
                let handles = (0..word(8) as usize).map(|color| word(16 + 4 * color)).chain([word(12)]);
                let targets = handles.filter_map(|handle| object(self, handle)).collect();
                self.context(Some(context)).targets = targets;
            }
            "SET_INDEX_BUFFER" => {
                let bound = object(self, word(8)).map(|object| (object, word(12), word(16) as usize));
                self.context(Some(context)).indices = bound;
            }
            "SET_PRIMITIVE_TOPOLOGY" => self.context(Some(context)).topology = word(8),
            "SET_VIEWPORT" => self.context(Some(context)).viewport = [8, 12, 16, 20].map(|at| f32::from_bits(word(at))),
            "BIND_SHADERS" => self.context(Some(context)).vertex_shader = word(8),
            "CLEAR" | "DRAW" | "DRAW_INDEXED" => {
                for target in self.context(Some(context)).targets.clone() {
                    self.objects[target].is_drawn = true;
                }
            }
            _ => {}
        }
    }

    fn context(&mut self, context: Option<u32>) -> &mut Bound {
        self.contexts.entry(context).or_default()
    }

    fn create(
        &mut self,
        names: usize,
        handle: u32,
        shape: PlainShape,
        size: usize,
        backing: Option<(u32, usize)>,
        row: &PlainRow,
    ) {
        self.named[names].insert(handle, self.objects.len());
        let (values, writers) = (vec![0; size], vec![None; size]);
        self.objects.push(PlainObject {
            handle,
            shape,
            created_at: row.offset,
            is_drawn: false,
            backing,
            values,
            writers,
        });
    }

    /// Reads a part of an object again from the guest memory behind it.
    fn read_backing(&mut self, handle: u32, at: usize, length: usize, writer: Option<usize>) {
        let Some(object) = self.named[0].get(&handle).map(|object| &mut self.objects[*object]) else { return };
        let Some((allocation, offset)) = object.backing else { return };
        let memory = &self.memory[&allocation][offset + at..offset + at + length];
        object.write(at, memory, writer);
    }

    fn copy_buffer(&mut self, row: &PlainRow) {
        let word = |at| row.dword(self.bytes, at);
        let long = |at| qword(self.bytes, row.offset + at) as usize;
        let (Some(&to), Some(&from)) = (self.named[0].get(&word(8)), self.named[0].get(&word(12))) else { return };
        let (at, source, length) = (long(16), long(24), long(32));
        let copied = self.objects[from].values[source..source + length].to_vec();
        self.objects[to].write(at, &copied, Some(row.offset));
        let is_written_back = word(40) & 1 != 0;
        if let (true, Some((allocation, offset))) = (is_written_back, self.objects[to].backing) {
            let memory = self.memory.get_mut(&allocation).expect("the submission brings it");
            memory[offset + at..offset + at + length].copy_from_slice(&copied);
        }
    }

    /// The vertex shader that a draw's context has.
    pub fn vertex_shader(&self, draw: &PlainRow) -> u32 {
        self.contexts.get(&draw.submission.map(|(_, context)| context)).map_or(0, |bound| bound.vertex_shader)
    }

    /// The vertices of a draw, which is the last packet.
    pub fn mesh(&self, draw: &PlainRow) -> PlainMesh {
        let bound = &self.contexts[&draw.submission.map(|(_, context)| context)];
        let word = |at| draw.dword(self.bytes, at);
        let (topology, viewport) = (bound.topology, bound.viewport);
        let count = word(8) as usize;
        let (first, instances) = match draw.submission {
            Some(_) => (word(16), word(12)),
            None => (word(12), 1),
        };
        let order: Vec<Option<u32>> = match draw.name {
            Some("DRAW") => (0..count as u32).map(|number| Some(first + number)).collect(),
            _ => {
                let (object, format, offset) = bound.indices.expect("an index buffer is bound");
                let (size, cut) = if format == 0 { (2, 0xffff) } else { (4, u32::MAX) };
                let start = offset + first as usize * size;
                let indices = self.objects[object].values[start..start + count * size].chunks(size);
                let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                let is_strip = [3, 5].contains(&topology);
                let indices = indices.map(value).map(|index| (!is_strip || index != cut).then_some(index));
                indices.map(|index| index.map(|index| index.wrapping_add(word(20)))).collect()
            }
        };
        let triangles = |run: &[Option<u32>]| match topology {
            4 => run.len() / 3,
            5 | 6 => run.len().saturating_sub(2),
            _ => 0,
        };
        let triangles = order.split(Option::is_none).map(triangles).sum();
        PlainMesh { vertices: order.into_iter().flatten().collect(), triangles, instances, viewport }
    }
}

fn backing(allocation: u32, offset: u32) -> Option<(u32, usize)> {
    (allocation != 0).then_some((allocation, offset as usize))
}

impl PlainShape {
    /// Width and height of a block of texels, and its bytes.
    fn block(format: u32) -> (u32, u32, u32) {
        match format {
            1..=4 | 7..=10 | 32 | 33 => (1, 1, 4),
            5 | 6 => (1, 1, 2),
            64 | 65 => (4, 4, 8),
            66..=71 => (4, 4, 16),
            other => panic!("format {other}"),
        }
    }

    /// Bytes of a row of blocks of a mip, and how many rows it has.
    fn rows(self, mip: u32) -> (usize, usize) {
        let Self::Texture { format, width, height, .. } = self else { panic!("a buffer has no rows") };
        let (block_width, block_height, block_bytes) = Self::block(format);
        let side = |length: u32, block: u32| (length >> mip).max(1).div_ceil(block) as usize;
        (side(width, block_width) * block_bytes as usize, side(height, block_height))
    }

    /// Distance between the rows of the first mip.
    fn pitch(self) -> usize {
        let Self::Texture { row_pitch, .. } = self else { panic!("a buffer has no rows") };
        if row_pitch == 0 { self.rows(0).0 } else { row_pitch as usize }
    }

    fn size(self) -> usize {
        let Self::Texture { mips, layers, .. } = self else { panic!("a buffer has its size") };
        let smaller = (1..mips).map(|mip| self.rows(mip)).map(|(row, rows)| row * rows);
        layers as usize * (self.pitch() * self.rows(0).1 + smaller.sum::<usize>())
    }
}

impl PlainObject {
    fn write(&mut self, at: usize, bytes: &[u8], writer: Option<usize>) {
        self.values[at..at + bytes.len()].copy_from_slice(bytes);
        self.writers[at..at + bytes.len()].fill(writer);
    }

    /// Bytes and their writers: all of a buffer, or the rows of the first mip of a texture without what is between them.
    pub fn contents(&self) -> Vec<(u8, Option<usize>)> {
        let all = self.values.iter().copied().zip(self.writers.iter().copied());
        match self.shape {
            PlainShape::Buffer => all.collect(),
            PlainShape::Texture { .. } => {
                let (row, rows) = self.shape.rows(0);
                let pitch = self.shape.pitch();
                all.enumerate().filter(|(at, _)| at / pitch < rows && at % pitch < row).map(|(_, byte)| byte).collect()
            }
        }
    }
}
