//! One shader in Direct3D bytecode, as `shaders FILE` and the lists of traces' shaders show it.

use std::io::Write;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::{Map, Value, json};

use super::args::{CommonArgs, ShadersArgs};
use super::exit::{Exit, Failure};
use super::open::{OpenedFile, report};
use super::output::{print_json, stdout};
use super::shader_language::Emit;
use crate::bytes::{ByteSource, Diagnostics, read_vec_at};
use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_PACKET_BYTES;
use crate::shader::d3d::{BytecodeError, Program, SourceNames, Summary, check_digest, decode, disassemble_with_names};
use crate::text::{JsonLine, counted};

/// A shader that can be read.
pub(super) struct Bytecode<'a> {
    bytes: &'a [u8],
    pub program: Program,
    names: SourceNames<'a>,
    /// Why there are no names, where they are damaged.
    pub damaged_names: Option<BytecodeError>,
}

impl<'a> Bytecode<'a> {
    /// Reads a shader at an absolute file offset.
    pub(crate) fn read(bytes: &'a [u8], file_offset: u64) -> Result<Self, BytecodeError> {
        let program = decode(bytes, file_offset)?;
        let (names, damaged_names) = match SourceNames::of(&program, bytes, file_offset) {
            Ok(names) => (names, None),
            Err(error) => (SourceNames::default(), Some(error)),
        };
        Ok(Self { bytes, program, names, damaged_names })
    }

    /// Its assembly.
    pub(crate) fn text(&self) -> String {
        disassemble_with_names(&self.program, &self.names)
    }

    /// What there is to know before it is read.
    pub(crate) fn summary(&self) -> Summary {
        Summary::new(&self.program, self.bytes, &self.names)
    }
}

/// Lists a file's shader, or prints its text.
pub(super) fn run(
    OpenedFile { source, name, .. }: &OpenedFile,
    args: &ShadersArgs,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    if args.used_by.is_given() {
        return Err(Failure::usage(format!("--frame and --place: expected a trace, found one shader in {name}")));
    }
    if source.size_bytes() > MAX_PACKET_BYTES {
        let found = source.size_bytes();
        let message = format!(
            "{name} has {found_bytes}: this build's limit for a shader is {MAX_PACKET_BYTES}",
            found_bytes = counted(found, "byte")
        );
        return Err(Failure::new(ErrorKind::OverLimit, anyhow::anyhow!(message)));
    }
    let bytes = read_vec_at(&**source, 0, source.size_bytes() as usize)
        .map_err(|error| Failure::new(ErrorKind::ReadFailed, error).context(format!("cannot read {name}")))?;
    let mut diagnostics = Diagnostics::new();
    let read = Bytecode::read(&bytes, 0).and_then(|read| check_digest(&bytes, 0, &mut diagnostics).map(|()| read));
    let shader =
        read.map_err(|error| Failure::new(error.kind(), error).context(format!("cannot read the shader {name}")))?;
    let mut out = stdout();
    match (args.emit, common.json) {
        (Some(Emit::Asm), _) => out.write_all(shader.text().as_bytes())?,
        (Some(emit), _) => return Err(only_assembly(emit)),
        (None, is_json) => {
            let summary = shader.summary();
            let object = JsonLine::new("bytecode", []).and(json_members(&summary));
            match (args.filter.accepts_object("shader", &object), is_json) {
                (false, _) => {}
                (true, true) => print_json(&mut out, &object)?,
                (true, false) => {
                    writeln!(out, "{}", title(&summary))?;
                    write_members(&mut out, &shader.program, &summary)?;
                    write_cannot_draw(&mut out, summary.cannot_draw.as_deref())?;
                }
            }
        }
    }
    out.flush()?;
    if let Some(error) = shader.damaged_names {
        common.messages().warning(error, error.offset());
    }
    report(&mut diagnostics, common)?;
    Ok(Exit::Done)
}

/// Refuses a form of text that bytecode doesn't have.
pub(super) fn only_assembly(emit: Emit) -> Failure {
    let value = emit.to_possible_value();
    let name = value.as_ref().map_or("", PossibleValue::get_name);
    Failure::usage(format!("--emit {name}: expected asm, the only text form of Direct3D bytecode"))
}

/// A shader in a line.
pub(super) fn title(summary: &Summary) -> String {
    let Summary { version, dialect, size_bytes, .. } = summary;
    format!(
        "{} shader, {version}, encoding {dialect}, {size}",
        version.stage.title(),
        size = counted(size_bytes, "byte")
    )
}

/// What it reads, writes and does, a line each.
pub(super) fn write_members(out: &mut impl Write, program: &Program, summary: &Summary) -> std::io::Result<()> {
    writeln!(out, "  purpose: {}", summary.purpose)?;
    writeln!(out, "  sha256 {}", summary.sha256)?;
    if let Some(digest) = summary.digest {
        writeln!(out, "  digest {digest}")?;
    }
    for (what, list) in [
        ("reads", &summary.inputs),
        ("writes", &summary.outputs),
        ("resources", &summary.resources),
        ("constants", &summary.constants),
        ("names", &summary.names),
    ] {
        if !list.is_empty() {
            writeln!(out, "  {what} {}", list.join(", "))?;
        }
    }
    let (declarations, total) = (program.declarations().len(), summary.instructions.total);
    let (memory, flow) = (summary.instructions.memory, summary.instructions.flow);
    writeln!(
        out,
        "  {declarations}, {total_instructions}: textures and buffers {memory}, control flow {flow}",
        declarations = counted(declarations, "declaration"),
        total_instructions = counted(total, "instruction")
    )
}

/// Says why nothing can be drawn with it.
pub(super) fn write_cannot_draw(out: &mut impl Write, reason: Option<impl std::fmt::Display>) -> std::io::Result<()> {
    reason.map_or(Ok(()), |reason| writeln!(out, "  cannot be drawn: {reason}"))
}

/// The members of a summary in JSON.
pub(super) fn json_members(summary: &Summary) -> Map<String, Value> {
    let hex = |bytes: &[u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let digest =
        summary.digest.map(|digest| json!({ "stored": hex(&digest.found), "computed": hex(&digest.computed) }));
    let members = [
        ("stage", json!(summary.version.stage.title())),
        ("model", json!(summary.version.to_string())),
        ("dialect", json!(summary.dialect.name())),
        ("purpose", json!(summary.purpose)),
        ("size_bytes", json!(summary.size_bytes)),
        ("sha256", json!(summary.sha256)),
        ("digest", json!(digest)),
        ("inputs", json!(summary.inputs)),
        ("outputs", json!(summary.outputs)),
        ("resources", json!(summary.resources)),
        ("constants", json!(summary.constants)),
        ("names", json!(summary.names)),
        (
            "instructions",
            json!({
                "total": summary.instructions.total, "memory": summary.instructions.memory,
                "flow": summary.instructions.flow,
            }),
        ),
        ("cannot_draw", json!(summary.cannot_draw)),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
