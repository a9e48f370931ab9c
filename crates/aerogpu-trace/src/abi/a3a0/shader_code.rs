//! What a shader's bytes are, as far as their first dwords and their chunks tell.

use super::diagnostic::{Class, Diagnostic, Severity};
use crate::command::ShaderStage;
use trace_base::bytes::Cursor;

/// Length of a DXBC container's header in bytes.
const DXBC_HEADER_BYTES: u64 = 32;
/// Chunks that a container may have. Compilers write fewer than ten.
const MAX_CHUNKS: u32 = 4096;
const CHUNK_HEADER_BYTES: u64 = 8;

/// What a shader's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// A container of chunks, one of which is the bytecode.
    Dxbc,
    /// Tokens of shader models 1 to 3.
    D3d9,
    /// Tokens of shader models 4 and 5, without a container.
    Tpf,
    /// Nothing known.
    Unknown,
}

impl CodeKind {
    /// Its name in the canonical text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dxbc => "dxbc",
            Self::D3d9 => "d3d9",
            Self::Tpf => "tpf",
            Self::Unknown => "unknown",
        }
    }
}

/// A shader model: `vs_2_0` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderModel {
    /// The stage.
    pub stage: ShaderStage,
    /// The number before the last.
    pub major: u8,
    /// The last number.
    pub minor: u8,
}

impl std::fmt::Display for ShaderModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}_{}", self.stage.model_prefix(), self.major, self.minor)
    }
}

/// One part of a DXBC container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its four-character code.
    pub code: [u8; 4],
    /// Where its data begins in the shader.
    pub data_offset: u32,
    /// Length of its data in bytes.
    pub size_bytes: u32,
}

/// A shader's bytes, looked at from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderCode {
    /// What they are.
    pub kind: CodeKind,
    /// The shader model, if they tell one.
    pub model: Option<ShaderModel>,
    /// The chunks, up to the first that is wrong; none but in DXBC.
    pub chunks: Vec<Chunk>,
    /// What makes the shader unusable. A draw that uses it fails; making it does not.
    pub fault: Option<Diagnostic>,
}

/// The kind of bytecode that begins with `dword`, and its model.
fn tokens(dword: u32) -> Option<(CodeKind, ShaderModel)> {
    let [low, second, ..] = dword.to_le_bytes();
    let d3d9 = |stage| Some((CodeKind::D3d9, ShaderModel { stage, major: second, minor: low }));
    let tpf = |stage| {
        let (major, minor) = (low >> 4, low & 0xf);
        let is_tpf = second == 0 && matches!(major, 4 | 5);
        is_tpf.then_some((CodeKind::Tpf, ShaderModel { stage, major, minor }))
    };
    match dword >> 16 {
        0xfffe => d3d9(ShaderStage::Vertex),
        0xffff => d3d9(ShaderStage::Fragment),
        0 => tpf(ShaderStage::Fragment),
        1 => tpf(ShaderStage::Vertex),
        2 => tpf(ShaderStage::Geometry),
        3 => tpf(ShaderStage::Hull),
        4 => tpf(ShaderStage::Domain),
        5 => tpf(ShaderStage::Compute),
        _ => None,
    }
}

fn dword_at(code: &[u8], at: u64) -> Option<u32> {
    Cursor::new(code.get(usize::try_from(at).ok()?..)?, 0).u32_le().ok()
}

impl ShaderCode {
    /// Looks at a shader that lies at the absolute file offset `offset`.
    pub fn of(code: &[u8], offset: u64) -> Self {
        if code.starts_with(b"DXBC") {
            return Self::of_container(code, offset);
        }
        let found = dword_at(code, 0);
        let (kind, model) = match found.and_then(tokens) {
            Some((kind, model)) => (kind, Some(model)),
            None => (CodeKind::Unknown, None),
        };
        let fault = (kind == CodeKind::Unknown && !code.is_empty()).then_some(Diagnostic {
            severity: Severity::Fault,
            class: Class::ShaderUnknown,
            offset,
            subject: "the shader",
            part: "the first dword",
            found: u64::from(found.unwrap_or_default()),
        });
        Self { kind, model, chunks: Vec::new(), fault }
    }

    fn of_container(code: &[u8], offset: u64) -> Self {
        let mut chunks = Vec::new();
        let fault = read_chunks(code, offset, &mut chunks).err();
        let of_code = |wanted: &[u8; 4]| chunks.iter().find(|chunk| &chunk.code == wanted);
        let bytecode = of_code(b"SHEX").or_else(|| of_code(b"SHDR")).filter(|chunk| chunk.size_bytes >= 4);
        let first = bytecode.and_then(|chunk| dword_at(code, u64::from(chunk.data_offset)));
        let model = first.and_then(tokens).map(|(_, model)| model);
        Self { kind: CodeKind::Dxbc, model, chunks, fault }
    }
}

/// Reads the chunks of a DXBC container, up to the first that is wrong.
///
/// | offset | field |
/// |---|---|
/// | 0 | magic "DXBC", 16 bytes of checksum, a version |
/// | 24 | total_size u32 |
/// | 28 | chunk_count u32 |
/// | 32 | the chunks' offsets, u32 each |
fn read_chunks(code: &[u8], offset: u64, chunks: &mut Vec<Chunk>) -> Result<(), Diagnostic> {
    let wrong = |class, at: u64, part, found: u64| {
        let severity = Severity::Fault;
        Diagnostic { severity, class, offset: offset + at, subject: "the DXBC container", part, found }
    };
    let available = code.len() as u64;
    let short = wrong(Class::DxbcShort, 0, "a length in bytes of", available);
    if available < DXBC_HEADER_BYTES {
        return Err(short);
    }
    let total = dword_at(code, 24).ok_or(short)?;
    if u64::from(total) < DXBC_HEADER_BYTES || u64::from(total) > available {
        return Err(wrong(Class::DxbcSize, 24, "total_size", u64::from(total)));
    }
    let count = dword_at(code, 28).ok_or(short)?;
    if count > MAX_CHUNKS || DXBC_HEADER_BYTES + 4 * u64::from(count) > u64::from(total) {
        return Err(wrong(Class::DxbcChunks, 28, "chunk_count", u64::from(count)));
    }
    for index in 0..u64::from(count) {
        let at = DXBC_HEADER_BYTES + 4 * index;
        let start = dword_at(code, at).ok_or(short)?;
        let outside = wrong(Class::DxbcChunk, at, "a chunk's offset of", u64::from(start));
        let data_offset = u64::from(start) + CHUNK_HEADER_BYTES;
        if data_offset > u64::from(total) {
            return Err(outside);
        }
        let size_bytes = dword_at(code, u64::from(start) + 4).ok_or(outside)?;
        if data_offset + u64::from(size_bytes) > u64::from(total) {
            return Err(outside);
        }
        let code = dword_at(code, u64::from(start)).ok_or(outside)?.to_le_bytes();
        chunks.push(Chunk { code, data_offset: start + CHUNK_HEADER_BYTES as u32, size_bytes });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_of(dword: u32) -> String {
        ShaderCode::of(&dword.to_le_bytes(), 0).model.map_or("none".to_owned(), |model| model.to_string())
    }

    #[test]
    fn the_first_dword_tells_the_model() {
        let models = [0xfffe_0200, 0xffff_0104, 0x0001_0040, 0x0000_0051, 0x0005_0050].map(model_of);
        assert_eq!(models, ["vs_2_0", "ps_1_4", "vs_4_0", "ps_5_1", "cs_5_0"]);
        assert_eq!([0x0006_0040, 0x0001_0140, 0x0001_0030, 0x1234_5678].map(model_of), ["none"; 4]);
    }

    #[test]
    fn chunks_are_read_up_to_the_first_that_leaves_the_container() {
        let mut code = b"DXBC".to_vec();
        code.extend([0; 20]);
        for dword in [64u32, 2, 40, 57] {
            code.extend(dword.to_le_bytes());
        }
        code.extend(b"SHDR\x04\0\0\0\x40\0\x01\0");
        code.extend([0; 12]);
        let shader = ShaderCode::of(&code, 0x1000);
        assert_eq!(shader.chunks, [Chunk { code: *b"SHDR", data_offset: 48, size_bytes: 4 }]);
        assert_eq!(shader.model.unwrap().to_string(), "vs_4_0");
        let fault = shader.fault.unwrap();
        assert_eq!((fault.class, fault.offset), (Class::DxbcChunk, 0x1000 + 36));
    }
}
