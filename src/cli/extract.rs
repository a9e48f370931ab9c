//! `extract TRACE --shaders|--blobs DIR`: what a trace carries, as files. For annotations `--blobs` only.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::CommonArgs;
use super::bytecode::Bytecode;
use super::exit::{Exit, Failure};
use super::extract_annotation;
use super::file_kind::FileKind;
use super::messages::DamageLog;
use super::open::{completeness, open_file, report};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use super::whole_file::{Inputs, make_folder, write_file};
use crate::abi::ShaderCode;
use crate::analysis::{
    ASSEMBLY_EXTENSION, StreamShader, StreamShaders, blob_file_name, is_shader, stream_shader_file_name,
};
#[cfg(feature = "gpu")]
use crate::analysis::{first_stream_shader_file, read_stream_replacements};
use crate::bytes::Diagnostics;
#[cfg(feature = "gpu")]
use crate::bytes::read_input;
use crate::error::Classified;
#[cfg(feature = "gpu")]
use crate::error::ErrorKind;
use crate::format::aerogpu::{BlobHeader, BlobKind, FormatError, RecordBody, Trace};
use crate::limits::MAX_PACKET_BYTES;
#[cfg(feature = "gpu")]
use crate::limits::MAX_SHADER_BYTES;
#[cfg(feature = "gpu")]
use crate::shader::ShaderLanguage;
#[cfg(feature = "gpu")]
use crate::text::counted;
use crate::text::{JsonLine, json_line};

/// Bytes copied at once.
const CHUNK_BYTES: u64 = 256 << 10;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["shaders", "blobs"])))]
pub(super) struct ExtractArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Write every shader into this directory, to be edited and read by --replace-shaders: texts, and bytecode with its
    /// assembly (either can be edited)
    #[arg(long, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
    /// Write every blob into this directory
    #[arg(long, value_name = "DIR")]
    pub blobs: Option<PathBuf>,
}

pub(super) fn run(args: &ExtractArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = open_file(&args.trace, common)?;
    if let Some(FileKind::Annotation(format)) = FileKind::of_start(&file.start)
        && let Some(blobs) = format.blobs()
    {
        let Some(folder) = &args.blobs else {
            let (name, noun) = (&file.name, format.names().noun);
            return Err(Failure::usage(format!("{name} is {noun}, without shader blobs: expected --blobs DIR")));
        };
        return extract_annotation::extract_blobs((format, blobs), (&args.trace, &file), folder, common);
    }
    let trace = file.trace(common)?;
    let mut reader = trace.records(trace.stream());
    let mut diagnostics = Diagnostics::new();
    let inputs = Inputs::of([&args.trace]);
    let mut out = stdout();
    for folder in [&args.shaders, &args.blobs].into_iter().flatten() {
        make_folder(folder)?;
    }
    let mut streams = StreamShaders::new(&trace);
    let mut log = DamageLog::new(common, &args.trace);
    let _waiting = Waiting::on("extracting", Printing::AsItGoes, common);
    while let Some(record) = reader.next_record(&mut diagnostics)? {
        if let Some(folder) = &args.shaders {
            let files = Files { folder, inputs: &inputs, common };
            streams.visit(&record, |shader| match shader {
                Ok(shader) => files.write_shader(&shader, &mut out),
                Err(error) => {
                    log.tell(&error);
                    Ok(())
                }
            })?;
        }
        let RecordBody::Blob(blob) = record.body else { continue };
        let shaders = args.shaders.as_ref().filter(|_| is_shader(blob.kind));
        for (folder, with_assembly) in [(shaders, WithAssembly::Yes), (args.blobs.as_ref(), WithAssembly::No)] {
            let Some(folder) = folder else { continue };
            Files { folder, inputs: &inputs, common }.write_blob(
                &trace,
                &blob,
                record.offset,
                with_assembly,
                &mut out,
            )?;
        }
    }
    out.flush()?;
    report(&mut diagnostics, common)?;
    Ok(completeness(&trace).worse(log.finish()))
}

/// Whether bytecode's assembly is written beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithAssembly {
    Yes,
    No,
}

/// Where what is extracted goes, and how it is told.
struct Files<'a> {
    folder: &'a Path,
    inputs: &'a Inputs,
    common: &'a CommonArgs,
}

impl Files<'_> {
    fn write_blob(
        &self,
        trace: &Arc<Trace>,
        blob: &BlobHeader,
        record_offset: u64,
        with_assembly: WithAssembly,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let size_bytes = blob.bytes.end - blob.bytes.start;
        let path = self.folder.join(blob_file_name(blob.id, record_offset, blob.kind));
        copy(trace, blob.bytes.clone(), &path, self.inputs)?;
        let is_read = blob.kind == BlobKind::ShaderDxbc && size_bytes <= MAX_PACKET_BYTES;
        let assembly = if is_read && with_assembly == WithAssembly::Yes {
            let code = trace.read(blob.bytes.clone()).map_err(FormatError::from)?;
            self.write_assembly(&path, &code, blob.bytes.start)?
        } else {
            None
        };
        let line = json_line!("blob", { "blob_id": blob.id.0, "kind": blob.kind.name(),
            "offset": blob.bytes.start, "size_bytes": size_bytes,
            "out": path.display().to_string(), "assembly": path_text(assembly.as_deref()),
        });
        self.tell(&line, &path, assembly.as_deref(), out)
    }

    /// Names what was written.
    fn tell(&self, line: &JsonLine, path: &Path, assembly: Option<&Path>, out: &mut impl Write) -> Result<(), Failure> {
        if self.common.json {
            return Ok(print_json(out, line)?);
        }
        [Some(path), assembly].into_iter().flatten().try_for_each(|path| Ok(writeln!(out, "{}", path.display())?))
    }

    /// Writes `shader3-0x1a4.dxbc`: the handle, and, since handles may mean several things, the place of the packet. Its
    /// assembly is beside it.
    fn write_shader(&self, shader: &StreamShader<'_>, out: &mut impl Write) -> Result<(), Failure> {
        let StreamShader { handle, packet_offset, code_offset, code, .. } = *shader;
        let ShaderCode { kind, model, .. } = ShaderCode::of(code, code_offset);
        let path = self.folder.join(stream_shader_file_name(shader));
        write_file(&path, self.inputs, |into| Ok(into.write_all(code)?))?;
        let assembly = self.write_assembly(&path, code, code_offset)?;
        let line = json_line!("shader", {
            "handle": handle, "kind": kind.name(),
            "model": model.map(|model| model.to_string()), "offset": packet_offset, "size_bytes": code.len(),
            "out": path.display().to_string(), "assembly": path_text(assembly.as_deref()),
        });
        self.tell(&line, &path, assembly.as_deref(), out)
    }

    /// Writes the assembly of bytecode beside it; nothing if it can't be read, which is noted.
    fn write_assembly(&self, beside: &Path, code: &[u8], offset: u64) -> Result<Option<PathBuf>, Failure> {
        match Bytecode::read(code, offset) {
            Ok(read) => {
                let path = beside.with_extension(ASSEMBLY_EXTENSION);
                write_file(&path, self.inputs, |into| Ok(into.write_all(read.text().as_bytes())?))?;
                Ok(Some(path))
            }
            Err(error) => {
                let message = format!("{}: without assembly: {error}", beside.display());
                self.common.messages().note(message, error.offset());
                Ok(None)
            }
        }
    }
}

fn path_text(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.display().to_string())
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

/// The shaders of `folder` that have the name of one of the trace's: texts by the file offset of their record, those of streams
/// by that of their code, if they are other than the trace's.
#[cfg(feature = "gpu")]
pub(super) fn read_replacements(folder: &Path, trace: &Trace) -> Result<crate::replay::ShaderReplacements, Failure> {
    let mut replacements = crate::replay::ShaderReplacements::new();
    let mut reader = trace.records(trace.stream());
    let mut unnoted = Diagnostics::new();
    let mut example = None;
    while let Some(record) = reader.next_record(&mut unnoted)? {
        let RecordBody::Blob(blob) = record.body else { continue };
        if ShaderLanguage::of_blob(blob.kind).is_none() {
            continue;
        }
        let name = blob_file_name(blob.id, record.offset, blob.kind);
        let path = folder.join(&name);
        example.get_or_insert_with(|| PathBuf::from(name));
        let cannot = |error| Failure::new(ErrorKind::Usage, error).context(format!("cannot read {}", path.display()));
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_SHADER_BYTES => {
                let (path, size) = (path.display(), metadata.len());
                let message = format!(
                    "{path} has {size_bytes}: this build's limit for a shader is {MAX_SHADER_BYTES}",
                    size_bytes = counted(size, "byte")
                );
                return Err(Failure::new(ErrorKind::OverLimit, anyhow::anyhow!(message)));
            }
            Ok(_) => {
                replacements.insert(record.offset, read_input(&path).map_err(cannot)?);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(cannot(error)),
        }
    }
    let of_streams = read_stream_replacements(trace, folder, &mut replacements);
    let of_streams = of_streams.map_err(|error| Failure::new(error.kind(), error))?;
    if replacements.is_empty() && of_streams == 0 {
        let folder = folder.display();
        let example = example.or_else(|| first_stream_shader_file(trace));
        let example = example.map_or(String::new(), |name| format!(" (the first is {})", name.display()));
        let message = format!(
            "--replace-shaders {folder}: expected files named as extract --shaders names the shaders of this \
             trace{example}, found none"
        );
        return Err(Failure::usage(message));
    }
    log::info!("replaced {} from {}", counted(replacements.len(), "shader"), folder.display());
    Ok(replacements)
}
