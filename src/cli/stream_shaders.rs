//! `shaders TRACE` of a trace with A3A0 streams: the shaders that they make.

use std::io::Write;

use serde_json::{Value, json};

use super::args::{CommonArgs, ShadersArgs};
use super::bytecode::{Bytecode, json_members, title, write_cannot_draw, write_members};
use super::exit::{Exit, Failure};
use super::messages::DamageLog;
use super::output::print_json;
use super::shader_language::Emit;
use super::used_shaders::UsedShaders;
use crate::analysis::{StreamShader, StreamShaders};
use crate::bytes::Diagnostics;
use crate::command::ShaderStage;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{RecordBody, Trace};
use crate::shader::d3d::{BytecodeError, Summary, sha256};
use crate::text::{JsonLine, counted, json_line};

/// What a trace was found to hold.
pub(super) struct FoundStreams {
    /// Whether it carries out streams at all.
    pub has_streams: bool,
    /// Whether there are packets of another ABI.
    pub has_other_packets: bool,
    /// How the list ends.
    pub exit: Exit,
}

/// Lists the shaders of a trace's streams, or prints their texts.
pub(super) fn list(
    trace: &Trace,
    (args, used): (&ShadersArgs, Option<&UsedShaders>),
    common: &CommonArgs,
    out: &mut impl Write,
    diagnostics: &mut Diagnostics,
) -> Result<FoundStreams, Failure> {
    let mut log = DamageLog::new(common, &args.trace);
    let mut found = FoundStreams { has_streams: false, has_other_packets: false, exit: Exit::Done };
    let mut unusable = Exit::Done;
    let mut streams = StreamShaders::new(trace);
    let mut reader = trace.records(trace.stream());
    while let Some(record) = reader.next_record(diagnostics)? {
        let has_stream = streams.visit(&record, |shader| {
            match shader {
                Ok(shader) if used.is_some_and(|used| !used.has_code(shader.code_offset)) => {}
                Ok(shader) => unusable = unusable.worse(show(&Listed::new(shader, used), args, common, out)?),
                Err(error) => log.tell(&error),
            }
            Ok::<(), Failure>(())
        })?;
        found.has_streams |= has_stream;
        found.has_other_packets |= matches!(record.body, RecordBody::Packet(_)) && !has_stream;
    }
    found.exit = log.finish().worse(unusable);
    Ok(found)
}

/// A shader with what was read of it.
struct Listed<'a> {
    shader: StreamShader<'a>,
    /// The frame and draws that are asked about.
    used: Option<&'a UsedShaders>,
    read: Result<(Bytecode<'a>, Summary), BytecodeError>,
}

impl<'a> Listed<'a> {
    fn new(shader: StreamShader<'a>, used: Option<&'a UsedShaders>) -> Self {
        let read = Bytecode::read(shader.code, shader.code_offset).map(|read| {
            let summary = read.summary();
            (read, summary)
        });
        Self { shader, used, read }
    }

    /// Where it is made.
    fn place(&self) -> String {
        let StreamShader { handle, packet_offset, frame, .. } = self.shader;
        let frame = frame.map_or_else(|| "outside any frame".to_owned(), |frame| format!("frame {frame}"));
        format!("shader {handle} at {packet_offset:#x} ({frame})")
    }

    /// What is wrong with it: nothing draws with such a shader, in this build or another.
    fn fault(&self) -> Option<String> {
        match (&self.read, self.shader.stage) {
            (Err(error), _) => Some(error.to_string()),
            (Ok(_), None) => Some("the packet gives no stage".to_owned()),
            (Ok((_, summary)), Some(stage)) => {
                let (is, made_for) = (summary.version.stage.title(), stage.direct3d_name().to_owned());
                (is != made_for).then(|| format!("it is a {is} shader, but was created for the {made_for} stage"))
            }
        }
    }

    fn cannot_draw(&self) -> Option<String> {
        let of_build = || self.read.as_ref().ok().and_then(|(_, summary)| summary.cannot_draw.clone());
        self.fault().or_else(of_build)
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let place = self.place();
        match &self.read {
            Ok((read, summary)) => {
                writeln!(out, "{place}: {}", title(summary))?;
                write_members(out, &read.program, summary)?;
            }
            Err(_) => {
                writeln!(
                    out,
                    "{place}: {}, {}",
                    stage_title(self.shader.stage),
                    counted(self.shader.code.len(), "byte")
                )?;
                writeln!(out, "  sha256 {}", sha256(self.shader.code))?;
            }
        }
        if let Some(used) = self.used {
            writeln!(out, "  {}", used.draws_in_words(self.shader.code_offset))?;
        }
        write_cannot_draw(out, self.cannot_draw())
    }

    fn json(&self) -> JsonLine {
        let StreamShader { handle, stage, frame, packet_offset, code_offset, code } = self.shader;
        let program = self.read.as_ref().map_or(Value::Null, |(_, summary)| Value::Object(json_members(summary)));
        json_line!("stream-shader", {
            "handle": handle, "offset": packet_offset, "frame": frame.map(|frame| frame.0),
            "stage": stage.map(|stage| stage.direct3d_name()), "code_offset": code_offset, "size_bytes": code.len(),
            "sha256": sha256(code), "bytecode": program, "cannot_draw": self.cannot_draw(),
        })
        .and(self.used.map(|used| ("used_by_draws".to_owned(), json!(used.draws_with(code_offset)))))
    }
}

fn stage_title(stage: Option<ShaderStage>) -> String {
    stage.map_or_else(|| "shader without a stage".to_owned(), |stage| format!("{} shader", stage.direct3d_name()))
}

/// Shows one, if it is asked for; gives back the code that it ends in.
fn show(listed: &Listed<'_>, args: &ShadersArgs, common: &CommonArgs, out: &mut impl Write) -> Result<Exit, Failure> {
    let object = listed.json();
    let (name, stage) = (format!("shader {}", listed.shader.handle), stage_title(listed.shader.stage));
    if !args.filter.accepts_named(&name, &[&stage], &object) {
        return Ok(Exit::Done);
    }
    let fault = listed.fault();
    match (args.emit, &listed.read, common.json) {
        (Some(Emit::Asm), Ok((read, summary)), _) => {
            writeln!(out, "// {}: {}", listed.place(), title(summary))?;
            if let Some(used) = listed.used {
                writeln!(out, "// {}", used.draws_in_words(listed.shader.code_offset))?;
            }
            // Lines of its own, which a format would make one of.
            out.write_all(read.text().as_bytes())?;
            writeln!(out)?;
        }
        // The listing names it in its place; among texts there is none.
        (Some(Emit::Asm), Err(error), _) => {
            let message = format!("{}: {error}", listed.place());
            common.messages().error(ErrorKind::ReplayFailed, Exit::ReplayFailed, message, error.offset());
        }
        // Of texts in other languages there are none here.
        (Some(_), ..) => return Ok(Exit::Done),
        (None, _, true) => print_json(out, &object)?,
        (None, _, false) => listed.write(out)?,
    }
    if let Ok((Bytecode { damaged_names: Some(error), .. }, _)) = &listed.read {
        common.messages().warning(format!("{}: {error}", listed.place()), error.offset());
    }
    Ok(if fault.is_some() { Exit::ReplayFailed } else { Exit::Done })
}
