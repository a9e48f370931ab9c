//! `extract TRACE --shaders|--blobs DIR`: what a trace carries, as files. For annotations `--blobs` only.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::extract_annotation;
use super::file_kind::{FileKind, open_file};
use super::open::{completeness, open_trace, report};
use super::output::{print_json, stdout};
use super::whole_file::{Inputs, write_file};
use crate::abi::a3a0::shaders::ShaderPacket;
use crate::abi::a3a0::{
    Body, CodeKind, ShaderCode, ShaderModel, Stream, StreamError, SubmittedStream, SubmittedStreams,
};
use crate::analysis::{blob_file_name, is_shader};
use crate::bytes::Diagnostics;
#[cfg(feature = "gpu")]
use crate::bytes::limits::MAX_SHADER_BYTES;
#[cfg(feature = "gpu")]
use crate::bytes::read_input;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{RecordBody, Trace};
#[cfg(feature = "gpu")]
use crate::shader::ShaderLanguage;
use crate::text::json_line;

/// Bytes copied at once.
const CHUNK_BYTES: u64 = 256 << 10;
/// Errors of one stream that are told one by one; a stream can have millions.
const TOLD_ERRORS: usize = 100;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["shaders", "blobs"])))]
pub(super) struct ExtractArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Write every shader into this directory: texts, for --replace-shaders to take back, and bytecode
    #[arg(long, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
    /// Write every blob into this directory
    #[arg(long, value_name = "DIR")]
    pub blobs: Option<PathBuf>,
}

pub(super) fn run(args: &ExtractArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (source, start) = open_file(&args.trace)?;
    if let Some(FileKind::Annotation(format)) = FileKind::of_start(&start)
        && let Some(blobs) = format.blobs()
    {
        let Some(folder) = &args.blobs else {
            let (name, noun) = (args.trace.display(), format.names().noun);
            return Err(Failure::usage(format!("{name} is {noun}, without shader blobs: expected --blobs DIR")));
        };
        return extract_annotation::extract_blobs((format, blobs), (&args.trace, &source), folder, common);
    }
    let trace = open_trace(&args.trace, common)?;
    let mut reader = trace.records(trace.stream());
    let mut diagnostics = Diagnostics::new();
    let inputs = Inputs::of([&args.trace]);
    let mut out = stdout();
    for folder in [&args.shaders, &args.blobs].into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::new(ErrorKind::WriteFailed, error).context(format!("cannot make {}", folder.display()))
        })?;
    }
    let streams = SubmittedStreams::find(&trace);
    let mut made = BTreeSet::new();
    let mut exit = completeness(&trace);
    while let Some(record) = reader.next_record(&mut diagnostics)? {
        if let Some(folder) = &args.shaders {
            match streams.of(&record) {
                Ok(Some(stream)) => {
                    let mut errors = Vec::new();
                    let found = bytecode_of(&stream, &mut made, &mut errors);
                    for error in errors {
                        exit = tell(args, common, &error);
                    }
                    for shader in found {
                        write_bytecode(&shader, folder, &inputs, common, &mut out)?;
                    }
                }
                Ok(None) => {}
                Err(error) => exit = tell(args, common, &error),
            }
        }
        let RecordBody::Blob(blob) = record.body else { continue };
        let name = blob_file_name(blob.id, record.offset, blob.kind);
        let shaders = args.shaders.as_ref().filter(|_| is_shader(blob.kind));
        for folder in [shaders, args.blobs.as_ref()].into_iter().flatten() {
            let path = folder.join(&name);
            copy(&trace, blob.bytes.clone(), &path, &inputs)?;
            if common.json {
                let line = json_line!("blob", { "blob_id": blob.id.0, "kind": blob.kind.name(),
                    "offset": blob.bytes.start, "size_bytes": blob.bytes.end - blob.bytes.start,
                    "out": path.display().to_string(),
                });
                print_json(&mut out, &line)?;
            } else {
                writeln!(out, "{}", path.display())?;
            }
        }
    }
    out.flush()?;
    report(&mut diagnostics, common)?;
    Ok(exit)
}

/// Says what is wrong with a stream; gives back the code that it ends in.
fn tell(args: &ExtractArgs, common: &CommonArgs, error: &impl Classified) -> Exit {
    let exit = error.kind().into();
    common.messages().damage(&args.trace.display().to_string(), &error.into(), exit);
    exit
}

/// A shader that a CREATE_SHADER_DXBC makes.
struct Bytecode<'a> {
    handle: u32,
    offset: u64,
    kind: CodeKind,
    model: Option<ShaderModel>,
    code: &'a [u8],
}

/// The shaders that a stream makes, but those of a stream that was looked through before.
fn bytecode_of<'a>(
    submitted: &'a SubmittedStream<'_>,
    made: &mut BTreeSet<u64>,
    errors: &mut Vec<StreamError>,
) -> Vec<Bytecode<'a>> {
    let stream = match Stream::parse(&submitted.bytes, submitted.offset) {
        Ok(stream) => stream,
        // The recorder writes an empty one for a descriptor that it cannot make sense of.
        Err(_) if submitted.bytes.is_empty() => return Vec::new(),
        Err(error) => {
            errors.push(error);
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for packet in stream.packets() {
        match packet.and_then(|packet| Ok((packet.offset, packet.decode()?.body))) {
            Ok((offset, Body::Shader(ShaderPacket::CreateShaderDxbc(shader)))) if made.insert(offset) => {
                let (code, handle) = (shader.code.bytes, shader.handle);
                let ShaderCode { kind, model, .. } = ShaderCode::of(code, offset);
                found.push(Bytecode { handle, offset, kind, model, code });
            }
            Ok(_) => {}
            Err(error) if errors.len() < TOLD_ERRORS => errors.push(error),
            Err(_) => {}
        }
    }
    found
}

/// Writes `shader3-0x1a4.dxbc`: the handle, and, since handles may mean several things, the place of the packet.
fn write_bytecode(
    shader: &Bytecode<'_>,
    folder: &Path,
    inputs: &Inputs,
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Bytecode { handle, offset, kind, model, code } = shader;
    let extension = match kind {
        CodeKind::Unknown => "bin",
        kind => kind.name(),
    };
    let path = folder.join(format!("shader{handle}-{offset:#x}.{extension}"));
    write_file(&path, inputs, |into| Ok(into.write_all(code)?))?;
    if common.json {
        let line = json_line!("shader", {
            "handle": handle, "kind": kind.name(),
            "model": model.map(|model| model.to_string()), "offset": offset, "size_bytes": code.len(),
            "out": path.display().to_string(),
        });
        print_json(out, &line)?;
    } else {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn copy(trace: &Arc<Trace>, bytes: Range<u64>, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
    write_file(path, inputs, |into| {
        let mut at = bytes.start;
        while at < bytes.end {
            let next = (at + CHUNK_BYTES).min(bytes.end);
            into.write_all(&trace.read(at..next)?)?;
            at = next;
        }
        Ok(())
    })
}

/// The shader texts of `folder` that have the name of one of the trace's, by file offset of the record.
#[cfg(feature = "gpu")]
pub(super) fn read_replacements(folder: &Path, trace: &Trace) -> Result<crate::replay::ShaderReplacements, Failure> {
    let mut replacements = crate::replay::ShaderReplacements::new();
    let mut reader = trace.records(trace.stream());
    let mut unnoted = Diagnostics::new();
    while let Some(record) = reader.next_record(&mut unnoted)? {
        let RecordBody::Blob(blob) = record.body else { continue };
        if ShaderLanguage::of_blob(blob.kind).is_none() {
            continue;
        }
        let path = folder.join(blob_file_name(blob.id, record.offset, blob.kind));
        let cannot = |error| Failure::new(ErrorKind::Usage, error).context(format!("cannot read {}", path.display()));
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_SHADER_BYTES => {
                let (path, size) = (path.display(), metadata.len());
                let message = format!("{path} has {size} bytes: this build's limit for a shader is {MAX_SHADER_BYTES}");
                return Err(Failure::new(ErrorKind::OverLimit, anyhow::anyhow!(message)));
            }
            Ok(_) => {
                replacements.insert(record.offset, read_input(&path).map_err(cannot)?);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(cannot(error)),
        }
    }
    if replacements.is_empty() {
        let folder = folder.display();
        let message = format!("--replace-shaders {folder}: expected files as extract --shaders names them, found none");
        return Err(Failure::usage(message));
    }
    log::info!("{} shader texts come from {}", replacements.len(), folder.display());
    Ok(replacements)
}
