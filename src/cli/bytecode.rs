//! `shaders FILE` of one shader in Direct3D bytecode: what it is, or its text.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::json;

use super::args::{CommonArgs, ShadersArgs};
use super::exit::{Exit, Failure};
use super::open::report;
use super::output::{print_json, stdout};
use super::shader_language::Emit;
use crate::bytes::limits::MAX_PACKET_BYTES;
use crate::bytes::{ByteSource, Diagnostics, read_vec_at};
use crate::error::{Classified, ErrorKind};
use crate::shader::d3d::{Program, Summary, check_digest, decode, disassemble};
use crate::text::{JsonLine, json_line};

/// Lists a file's shader, or prints its text.
pub(super) fn run(
    path: &Path,
    source: &dyn ByteSource,
    args: &ShadersArgs,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    if source.size_bytes() > MAX_PACKET_BYTES {
        let (name, found) = (path.display(), source.size_bytes());
        let message = format!("{name} has {found} bytes: this build's limit for a shader is {MAX_PACKET_BYTES}");
        return Err(Failure::new(ErrorKind::OverLimit, anyhow::anyhow!(message)));
    }
    let bytes = read_vec_at(source, 0, source.size_bytes() as usize).map_err(|error| {
        Failure::new(ErrorKind::ReadFailed, error).context(format!("cannot read {}", path.display()))
    })?;
    let mut diagnostics = Diagnostics::new();
    let decoded = decode(&bytes, 0).and_then(|program| check_digest(&bytes, 0, &mut diagnostics).map(|()| program));
    let program = decoded.map_err(|error| {
        Failure::new(error.kind(), error).context(format!("cannot read the shader {}", path.display()))
    })?;
    let mut out = stdout();
    match (args.emit, common.json) {
        (Some(Emit::Asm), _) => out.write_all(disassemble(&program).as_bytes())?,
        (Some(emit), _) => {
            let value = emit.to_possible_value();
            let name = value.as_ref().map_or("", PossibleValue::get_name);
            return Err(Failure::usage(format!(
                "--emit {name}: expected asm, the one text that Direct3D bytecode has"
            )));
        }
        (None, is_json) => {
            let summary = Summary::new(&program, &bytes);
            let object = summary_line(&summary);
            match (args.filter.accepts_object("shader", &object), is_json) {
                (false, _) => {}
                (true, true) => print_json(&mut out, &object)?,
                (true, false) => write_summary(&mut out, &program, &summary)?,
            }
        }
    }
    out.flush()?;
    report(&mut diagnostics, common)?;
    Ok(Exit::Done)
}

fn write_summary(out: &mut impl Write, program: &Program, summary: &Summary) -> std::io::Result<()> {
    let Summary { version, dialect, size_bytes, sha256, instructions, .. } = summary;
    writeln!(out, "{} shader, {version}, encoding {dialect}, {size_bytes} bytes", version.stage.title())?;
    writeln!(out, "  sha256 {sha256}")?;
    for (what, list) in [
        ("reads", &summary.inputs),
        ("writes", &summary.outputs),
        ("resources", &summary.resources),
        ("constants", &summary.constants),
    ] {
        if !list.is_empty() {
            writeln!(out, "  {what} {}", list.join(", "))?;
        }
    }
    let (declarations, total) = (program.declarations().len(), instructions.total);
    let (memory, flow) = (instructions.memory, instructions.flow);
    writeln!(
        out,
        "  {declarations} declarations, {total} instructions: {memory} of textures and buffers, {flow} of control flow"
    )?;
    match summary.cannot_draw {
        Some(reason) => writeln!(out, "  cannot be drawn: {reason}"),
        None => Ok(()),
    }
}

fn summary_line(summary: &Summary) -> JsonLine {
    json_line!("bytecode", {
        "stage": summary.version.stage.title(), "model": summary.version.to_string(), "dialect": summary.dialect.name(),
        "size_bytes": summary.size_bytes, "sha256": summary.sha256,
        "inputs": summary.inputs, "outputs": summary.outputs,
        "resources": summary.resources, "constants": summary.constants,
        "instructions": json!({
            "total": summary.instructions.total, "memory": summary.instructions.memory,
            "flow": summary.instructions.flow,
        }),
        "cannot_draw": summary.cannot_draw,
    })
}
