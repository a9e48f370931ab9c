//! `shaders TRACE`: the programs of a trace, what they read and bind, and their texts. Needs no GPU.

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};

use super::args::{CommonArgs, ShadersArgs};
use super::bytecode;
use super::exit::{Exit, Failure};
use super::open::{completeness, open_file, report};
use super::output::{print_json, stdout};
use super::shader_language::Emit;
use super::stream_shaders;
use super::used_shaders::UsedShaders;
use crate::analysis::compile_pair;
use crate::bytes::Diagnostics;
use crate::error::ErrorKind;
use crate::format::aerogpu::{BlobDefinition, Trace};
use crate::replay::{BlobStore, ProgramEntry, ShaderObject, ShaderOptions, list_programs};
use crate::shader::d3d::is_bytecode;
use crate::shader::{Program, ShaderLanguage, ShaderText, StageModule};
use crate::text::{JsonLine, counted, json_line};

pub(super) fn run(args: &ShadersArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    args.filter.check(None)?;
    let file = open_file(&args.trace, common)?;
    if is_bytecode(&file.start) {
        return bytecode::run(&file, args, common);
    }
    let trace = file.trace(common)?;
    let mut diagnostics = Diagnostics::new();
    let mut out = stdout();
    let used = UsedShaders::asked(args, &trace, common)?;
    let found = stream_shaders::list(&trace, (args, used.as_ref()), common, &mut out, &mut diagnostics)?;
    let mut exit = completeness(&trace).worse(found.exit);
    if found.has_streams && !found.has_other_packets {
        if let Some(emit) = args.emit.filter(|emit| *emit != Emit::Asm) {
            return Err(bytecode::only_assembly(emit));
        }
        out.flush()?;
        args.filter.note_if_nothing_matched(common);
        report(&mut diagnostics, common)?;
        return Ok(exit);
    }
    if args.emit == Some(Emit::Asm) && !found.has_streams {
        let titles = ShaderLanguage::titles(" and ");
        let message = format!("--emit asm: expected Direct3D bytecode; a trace of this kind has {titles}");
        return Err(Failure::usage(message));
    }
    exit = exit.worse(list_pairs(&trace, (args, used.as_ref()), common, &mut out, &mut diagnostics)?);
    out.flush()?;
    args.filter.note_if_nothing_matched(common);
    report(&mut diagnostics, common)?;
    Ok(exit)
}

/// Lists the programs that are made of texts, or prints the texts.
fn list_pairs(
    trace: &Arc<Trace>,
    (args, used): (&ShadersArgs, Option<&UsedShaders>),
    common: &CommonArgs,
    out: &mut impl Write,
    diagnostics: &mut Diagnostics,
) -> Result<Exit, Failure> {
    let blobs = BlobStore::new(trace.clone());
    let programs = list_programs(trace, diagnostics)?;
    let mut exit = Exit::Done;
    let is_used = |entry: &ProgramEntry| used.is_none_or(|used| used.pipelines.contains(&entry.pipeline));
    for (number, entry) in programs.iter().enumerate().filter(|(_, entry)| is_used(entry)) {
        let listed = Listed { number, entry, compiled: compile(entry, &blobs, diagnostics) };
        let object = listed.json();
        if !args.filter.accepts_object(&format!("program {number}"), &object) {
            continue;
        }
        for (language, result) in &listed.compiled {
            if let Err(error) = result {
                exit = Exit::ReplayFailed;
                // The listing names it in its place; among texts there is none.
                if args.emit.is_some() {
                    let (pipeline, at) = (entry.pipeline, entry.at);
                    let message = format!("{pipeline} {at}: {language}: {error}");
                    common.messages().error(ErrorKind::ReplayFailed, exit, message, None);
                }
            }
        }
        match (args.emit, common.json) {
            (Some(emit), _) => write_texts(out, trace, entry, emit)?,
            (None, true) => print_json(out, &object)?,
            (None, false) => listed.write(out)?,
        }
    }
    Ok(exit)
}

/// A program with what became of it in each language that it comes in.
struct Listed<'a> {
    number: usize,
    entry: &'a ProgramEntry,
    compiled: Vec<(&'static str, Result<Arc<Program>, String>)>,
}

fn compile(
    entry: &ProgramEntry,
    blobs: &BlobStore,
    diagnostics: &mut Diagnostics,
) -> Vec<(&'static str, Result<Arc<Program>, String>)> {
    let compiled = compile_pair(&entry.vertex, &entry.fragment, &ShaderOptions::default(), blobs, diagnostics);
    compiled
        .into_iter()
        .map(|(language, result)| (language.name(), result.map_err(|problem| problem.to_string())))
        .collect()
}

impl Listed<'_> {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let entry = self.entry;
        let (number, pipeline, at) = (self.number, entry.pipeline, entry.at);
        writeln!(out, "program {number}: {pipeline} {at}, {} and {}", entry.vertex.id, entry.fragment.id)?;
        for shader in [&entry.vertex, &entry.fragment] {
            writeln!(out, "  {} {}: {}", shader.stage, shader.id, describe_sources(shader))?;
        }
        for (language, result) in &self.compiled {
            match result {
                Ok(program) => {
                    for stage in [&program.vertex, &program.fragment] {
                        writeln!(out, "  {language} {}: {}", stage.stage, describe_stage(stage))?;
                    }
                }
                Err(error) => writeln!(out, "  {language}: error: {error}")?,
            }
        }
        Ok(())
    }

    fn json(&self) -> JsonLine {
        let entry = self.entry;
        let compiled = self.compiled.iter().map(|(language, result)| match result {
            Ok(program) => json!({
                "language": language,
                "vertex": stage_json(&program.vertex),
                "fragment": stage_json(&program.fragment),
            }),
            Err(error) => json!({ "language": language, "error": error }),
        });
        json_line!("program", { "number": self.number, "pipeline_id": entry.pipeline.number(),
            "offset": entry.at.offset, "frame": entry.at.frame.0,
            "vertex": shader_json(&entry.vertex), "fragment": shader_json(&entry.fragment),
            "compiled": compiled.collect::<Vec<_>>(),
        })
    }
}

fn describe_sources(shader: &ShaderObject) -> String {
    let describe = |(language, blob): (&ShaderLanguage, &BlobDefinition)| {
        format!("{} at {:#x}, {}", language.facts().title, blob.bytes.start, counted(blob.size_bytes(), "byte"))
    };
    let sources: Vec<String> = shader.sources.iter().map(describe).collect();
    if sources.is_empty() { "no text".to_owned() } else { sources.join(", ") }
}

fn describe_stage(stage: &StageModule) -> String {
    let mut parts = vec![format!("entry point {}", stage.entry_point)];
    parts.extend(stage.inputs.iter().map(|input| format!("reads {input}")));
    parts.extend(stage.outputs.iter().map(|output| format!("writes {output}")));
    parts.extend(stage.bindings.iter().map(|binding| format!("binds {binding}")));
    parts.join(", ")
}

fn shader_json(shader: &ShaderObject) -> Value {
    let source = |language: ShaderLanguage| {
        let blob = shader.sources.get(&language);
        let blob = blob.map(|blob| json!({ "offset": blob.bytes.start, "size_bytes": blob.size_bytes() }));
        (language.name().to_owned(), json!(blob))
    };
    let id = [("shader_id".to_owned(), json!(shader.id.number()))];
    Value::Object(id.into_iter().chain(ShaderLanguage::ALL.map(source)).collect())
}

fn stage_json(stage: &StageModule) -> Value {
    let varyings = |varyings: &[crate::shader::Varying]| -> Vec<Value> {
        let one = |varying: &crate::shader::Varying| json!({ "location": varying.location, "name": varying.name, "type": varying.io_type.to_string() });
        varyings.iter().map(one).collect()
    };
    let binding = |binding: &crate::shader::Binding| json!({ "group": binding.group, "binding": binding.binding, "name": binding.name, "description": binding.to_string() });
    json!({
        "entry_point": stage.entry_point,
        "inputs": varyings(&stage.inputs),
        "outputs": varyings(&stage.outputs),
        "bindings": stage.bindings.iter().map(binding).collect::<Vec<_>>(),
    })
}

/// Writes the texts of both stages, each under a line that says what it is.
fn write_texts(out: &mut impl Write, trace: &Trace, entry: &ProgramEntry, emit: Emit) -> Result<(), Failure> {
    let stages = [&entry.vertex, &entry.fragment];
    let sources = |language: ShaderLanguage| stages.map(|shader| shader.sources.get(&language));
    let read = |blob: &BlobDefinition| trace.read(blob.bytes.clone());
    let texts = match emit {
        // A pair of texts has none.
        Emit::Asm => [None, None],
        Emit::Source(language) => {
            let [vertex, fragment] = sources(language).map(|blob| blob.map(read).transpose());
            [vertex?, fragment?]
        }
        Emit::Rewritten => {
            let mut rewritten = [None, None];
            for language in ShaderLanguage::ALL {
                let (Some(rewrite), [Some(vertex), Some(fragment)]) = (language.facts().rewrite, sources(language))
                else {
                    continue;
                };
                let (vertex_text, fragment_text) = (read(vertex)?, read(fragment)?);
                let text = |bytes, blob: &BlobDefinition| ShaderText { bytes, offset: blob.bytes.start };
                let pair = [text(&vertex_text, vertex), text(&fragment_text, fragment)];
                let texts = rewrite(pair, &ShaderOptions::default().glsl)
                    .map_err(|error| Failure::from(error).ending_in(Exit::ReplayFailed))?;
                rewritten = texts.map(|text| Some(text.into_bytes()));
            }
            rewritten
        }
    };
    for (shader, text) in stages.into_iter().zip(texts) {
        let Some(text) = text else { continue };
        writeln!(out, "// {}: {} {}", entry.pipeline, shader.stage, shader.id)?;
        out.write_all(&text)?;
        writeln!(out)?;
    }
    Ok(())
}
