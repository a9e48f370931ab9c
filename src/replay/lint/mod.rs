//! What is legal in a trace and still looks like a mistake of its recorder.
//!
//! | rule | what it finds |
//! |---|---|
//! | `unused-object` | a buffer, shader or pipeline that no draw uses |
//! | `leaked-object` | one of those whose id is created anew: its memory was for nothing |
//! | `unread-upload` | an upload none of whose bytes any draw reads, overwritten or not |
//! | `bad-draw` | a draw past its buffer's end, or with shaders that do not compile or link |
//! | `unused-blob` | a blob that no packet refers to |
//! | `repeated-blob` | a blob with the bytes of another one |
//! | `redefined-blob` | a blob id with several definitions |
//! | `late-blob` | a blob that comes after the packet that refers to it |
//! | `shader-source` | a shader without WGSL, without GLSL, or without both |
//! | `shader-text` | what a shader's language forbids in a text whose meaning is clear all the same |
//! | `endless-loop` | a loop in a shader's text that nothing ends |
//! | `api-dependent` | a program that is drawn with and computes what each API decides for itself |
//! | `damage` | what ends replay |
//!
//! Of submissions, from their commands, and what these turn out to read and write:
//!
//! | rule | what it finds |
//! |---|---|
//! | `unknown-handle` | a handle that names nothing where a command uses it |
//! | `unused-object` | a resource, view, shader, layout or sampler that nothing uses |
//! | `unread-upload` | an upload that nothing reads, overwritten or not |
//! | `dead-write` | a range of guest memory, copy, clear, draw or dispatch whose writes nothing reads or shows |
//! | `unused-draw-target` | a target that is drawn to and that nothing ever reads, tests or shows |
//! | `dirty-range-without-backing` | a RESOURCE_DIRTY_RANGE of a resource without guest memory |
//! | `present-without-target` | a PRESENT with no colour target bound |
//! | `clear-beyond-viewport` | a CLEAR of Direct3D 9 that its viewport would have cut: hosts fill whole targets |
//! | `unbound-slot` | a texture, buffer or sampler that a shader reads in a draw with nothing bound there |
//! | `redundant-state` | commands that set what is set already, by context and command; constants are not compared |
//! | `unexplained-state` | a state of Direct3D 9 that it does not define, or a value that is not drawn as it says |
//! | `unknown-opcode` | opcodes that this build does not know |
//! | `damage` | a packet or submission whose bytes are not what the format says: it ends its submission |
//! | `contract` | a command that breaks a rule between guest and host: it ends its submission, or a draw fails alone |
//! | `unsupported`, `over-limit` | the same, of what this build does not know or has a limit for |
//!
//! A write is read by whatever uses, tests, copies or presents a part of it, also through other writes that let it show.
//! Textures that are exported may be read by another process, and guest memory by the guest.
//!
//! What is odd about the container goes to the caller's diagnostics: a TOC or meta JSON that disagrees with the stream or
//! the header, PRESENT packets that are not one a Present record, CLEARs with components that are no numbers. `lint`
//! prints it under the rule `container`.

mod clears;
mod context;
mod graph;
mod handles;
mod slots;
mod streams;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use self::streams::lint_streams;
use crate::bytes::limits::MAX_SHADER_BYTES;
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{
    Command, CreateBuffer, CreatePipeline, CreateShader, Located, Payload, PipelineId, ResourceId, ShaderBlobs,
    ShaderCode, ShaderId, ShaderStage, Upload,
};
use crate::error::{ErrorKind, Internal};
use crate::format::aerogpu::{BlobDefinition, BlobId, FormatError, FrameIndex, RecordBody, Trace};
use crate::replay::blob_store::BlobStore;
use crate::replay::check::{compare_presents, compare_toc_with_stream};
use crate::replay::command_stream::{CommandStream, Flow};
use crate::replay::error::ReplayError;
use crate::replay::executor::Executor;
use crate::replay::index::{CommandNumber, ResolvedCommand, TraceIndex};
use crate::replay::op::ProgramKey;
use crate::shader::{EndlessLoop, Program, ShaderLanguage, ShaderText, api_dependences};

/// Findings of one rule about submissions that are told one by one.
const NOTED_OF_A_RULE: u64 = 1000;

/// Bytes of a blob that are hashed at once.
const CHUNK_BYTES: u64 = 256 << 10;

/// One suspicion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LintFinding {
    /// Absolute file offset of the command or record in question.
    pub offset: u64,
    /// The rule's name.
    pub rule: &'static str,
    /// What was found, as half a sentence.
    pub what: String,
    /// What it does to a submission, if it is something wrong in one.
    pub fault: Option<LintFault>,
}

/// What something wrong does to its submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LintFault {
    /// The kind of trouble.
    pub kind: ErrorKind,
    /// Whether the rest of the submission is not carried out; else the draw alone is not.
    pub ends_submission: bool,
}

/// What lint has found.
#[derive(Debug)]
pub struct LintReport {
    /// The suspicions, in file order.
    pub findings: Vec<LintFinding>,
    /// What is wrong with the first submission that something is wrong with.
    pub damage: Option<ErrorKind>,
}

/// Looks through a trace. What is odd about the container is among the findings; `diagnostics` is what opening it has noted
/// of that.
pub fn lint_trace(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    mut diagnostics: Diagnostics,
) -> Result<LintReport, ReplayError> {
    compare_toc_with_stream(trace, &mut diagnostics);
    compare_presents(trace, &mut diagnostics)?;
    let mut lint = Lint::default();
    let first = lint.walk(trace, &mut diagnostics)?;
    let damage = match first {
        Some(frame) => {
            let behind_index = lint_streams(&mut lint, trace, frame, index)?;
            lint.faults(index).or(behind_index)
        }
        None => None,
    };
    if first.is_some() {
        lint.written_in_vain(trace, index)?;
    }
    lint.objects(index)?;
    lint.uploads(index)?;
    lint.blobs(trace, index).map_err(FormatError::from)?;
    let mut findings = lint.found;
    findings.extend(diagnostics.findings().iter().map(|finding| LintFinding {
        offset: finding.offset,
        rule: "container",
        what: finding.what.to_string(),
        fault: None,
    }));
    findings.sort_unstable();
    findings.dedup();
    Ok(LintReport { findings, damage })
}

#[derive(Default)]
struct Lint {
    found: Vec<LintFinding>,
    /// What each creation made, by file offset.
    names: HashMap<u64, String>,
    /// Creations whose id was created anew later.
    replaced: HashSet<u64>,
    buffers: HashMap<ResourceId, u64>,
    shaders: HashMap<ShaderId, u64>,
    pipelines: HashMap<PipelineId, u64>,
    /// References to blobs, with the offset of the command.
    references: Vec<(BlobId, u64)>,
    /// Shader texts that were searched for loops, by the file offset of their records.
    searched: HashSet<(u64, ShaderStage)>,
    /// How many findings about submissions there are, by rule.
    noted: BTreeMap<&'static str, u64>,
    /// Programs that were looked into.
    programs: u32,
}

impl Lint {
    fn note(&mut self, offset: u64, rule: &'static str, what: impl Into<String>) {
        self.found.push(LintFinding { offset, rule, what: what.into(), fault: None });
    }

    fn note_fault(&mut self, offset: u64, rule: &'static str, what: String, fault: LintFault) {
        self.found.push(LintFinding { offset, rule, what, fault: Some(fault) });
    }

    /// Notes what a stream can have millions of: the first of each rule.
    fn note_some(&mut self, offset: u64, rule: &'static str, what: impl FnOnce() -> String) {
        if self.counts(rule) {
            self.note(offset, rule, what());
        }
    }

    /// Counts one more finding of a rule; whether it is told.
    fn counts(&mut self, rule: &'static str) -> bool {
        let so_far = self.noted.entry(rule).or_default();
        *so_far += 1;
        *so_far <= NOTED_OF_A_RULE
    }

    /// How many more there were of each rule.
    fn note_dropped(&mut self) {
        for (rule, count) in std::mem::take(&mut self.noted) {
            if let Some(dropped) = count.checked_sub(NOTED_OF_A_RULE).filter(|dropped| *dropped > 0) {
                let last = self.found.iter().rfind(|found| found.rule == rule).map_or(0, |found| found.offset);
                self.note(last, rule, format!("and {dropped} more"));
            }
        }
    }

    /// Carries out the commands, going on after bad draws. Gives the frame with the first submission, which ends that.
    fn walk(&mut self, trace: &Arc<Trace>, diagnostics: &mut Diagnostics) -> Result<Option<FrameIndex>, ReplayError> {
        let mut first = None;
        let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
        for (frame, span) in trace.frame_indices().zip(trace.frames()) {
            let read = stream.read_frame(frame, &mut executor, |command, executor| {
                if command.at.submission.is_some() {
                    first = Some(frame);
                    return Ok(Flow::Stop);
                }
                let told = executor.diagnostics().findings().len();
                match executor.apply(command) {
                    Err(error) if command.value.is_draw() && !error.is_internal() => {
                        self.note(command.at.offset, "bad-draw", error.to_string());
                    }
                    Err(error) => return Err(error),
                    Ok(()) => self.command(command, executor.blobs_mut())?,
                }
                let known = self.programs;
                while let Some(program) = executor.programs().get(ProgramKey(self.programs)) {
                    self.program(command.at.offset, program);
                    self.programs += 1;
                }
                if self.programs > known {
                    for odd in executor.diagnostics().take_oddities(told) {
                        self.note(odd.offset, "shader-text", odd.what);
                    }
                }
                Ok(Flow::Continue)
            });
            match read {
                Ok(()) if first.is_some() => break,
                Ok(()) => {}
                Err(error) if error.is_internal() => return Err(error),
                Err(error) if error.is_of_submission() => {
                    first = Some(frame);
                    break;
                }
                Err(error) => {
                    self.note(span.bytes.start, "damage", error.to_string());
                    break;
                }
            }
        }
        diagnostics.append(executor.diagnostics().take());
        Ok(first)
    }

    fn command(&mut self, command: &Located<Command>, store: &mut BlobStore) -> Result<(), ReplayError> {
        let offset = command.at.offset;
        match command.value {
            Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                self.names.insert(offset, format!("{id} ({size_bytes} bytes)"));
                self.replaced.extend(self.buffers.insert(id, offset));
            }
            Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Texts(blobs) }) => {
                self.names.insert(offset, id.to_string());
                self.replaced.extend(self.shaders.insert(id, offset));
                self.references.extend(blobs.by_kind().map(|(_, id)| (id, offset)));
                self.sources(offset, id, blobs);
                for (kind, id) in blobs.by_kind() {
                    if let Some(language) = ShaderLanguage::of_blob(kind) {
                        // It was found when the command was carried out.
                        let blob = store.resolve(id, kind, offset).map_err(|problem| problem.of(command))?;
                        self.loops((id, &blob), language, (stage, offset), store);
                    }
                }
            }
            Command::CreatePipeline(CreatePipeline { id, .. }) => {
                self.names.insert(offset, id.to_string());
                self.replaced.extend(self.pipelines.insert(id, offset));
            }
            Command::Upload(Upload { payload: Payload::Blob(blob), .. }) => self.references.push((blob, offset)),
            _ => {}
        }
        Ok(())
    }

    fn sources(&mut self, offset: u64, id: ShaderId, blobs: ShaderBlobs) {
        let has = |language: &ShaderLanguage| blobs.by_kind().any(|(kind, _)| kind == language.facts().blob);
        let missing: Vec<&str> = ShaderLanguage::ALL
            .iter()
            .filter(|language| !has(language))
            .map(|language| language.facts().title)
            .collect();
        let missing = match missing.as_slice() {
            [] => return,
            [one] => format!("no {one}"),
            several => format!("neither {}", several.join(" nor ")),
        };
        self.note(offset, "shader-source", format!("{id} has {missing}"));
    }

    /// Endless loops in a shader's text. What does not compile is a draw's error.
    fn loops(
        &mut self,
        (id, blob): (BlobId, &BlobDefinition),
        language: ShaderLanguage,
        (stage, offset): (ShaderStage, u64),
        store: &BlobStore,
    ) {
        let kind = blob.kind;
        if blob.size_bytes() > MAX_SHADER_BYTES || !self.searched.insert((blob.record_offset, stage)) {
            return;
        }
        let bytes = match store.read(blob) {
            Ok(bytes) => bytes,
            Err(error) => return self.note(offset, "damage", error.to_string()),
        };
        let text = ShaderText { bytes: &bytes, offset: blob.bytes.start };
        let found = (language.facts().endless_loops)(text, stage);
        for EndlessLoop { function, offset } in found.unwrap_or_default() {
            self.note(offset, "endless-loop", format!("blob {id} ({kind}): nothing ends a loop in {function}"));
        }
    }

    /// What a program leaves to the API; `offset` is the first draw with it.
    fn program(&mut self, offset: u64, program: &Program) {
        for stage in [&program.vertex, &program.fragment] {
            let name = stage.stage;
            match api_dependences(stage) {
                Ok(found) => found.into_iter().for_each(|what| {
                    let text = stage.text_offset;
                    self.note(offset, "api-dependent", format!("the {name} shader at {text:#x}: {what}"));
                }),
                Err(words) => self.note(offset, "damage", format!("the {name} shader: {words}")),
            }
        }
    }

    /// Objects that no draw uses.
    fn objects(&mut self, index: &TraceIndex) -> Result<(), Internal> {
        let all = || index.numbers_in(0..index.command_count(), |_| true);
        let mut used: HashSet<CommandNumber> = HashSet::new();
        for number in all().filter(|number| matches!(index.command(*number), Some(ResolvedCommand::Draw { .. }))) {
            let mut next = vec![number];
            while let Some(number) = next.pop() {
                next.extend(index.require_step(number)?.references().filter(|number| used.insert(*number)));
            }
        }
        for number in all() {
            let step = index.require_step(number)?;
            let is_object = matches!(
                step,
                ResolvedCommand::CreateBuffer { .. }
                    | ResolvedCommand::CreateShader
                    | ResolvedCommand::CreatePipeline { .. }
            );
            if !is_object || used.contains(&number) {
                continue;
            }
            let at = index.require_location(number)?;
            let name = self.names.get(&at.offset).cloned();
            let name = name.ok_or(Internal::at("an object of the index was never carried out", at.offset))?;
            if self.replaced.contains(&at.offset) {
                self.note(at.offset, "leaked-object", format!("no draw uses {name} before its id is created anew"));
            } else {
                self.note(at.offset, "unused-object", format!("no draw uses {name}"));
            }
        }
        Ok(())
    }

    /// Uploads none of whose bytes is read.
    fn uploads(&mut self, index: &TraceIndex) -> Result<(), Internal> {
        for unread in index.unread_uploads()? {
            let at = index.require_location(unread.upload)?;
            let what = if unread.is_overwritten {
                "all of it is overwritten before a draw reads any"
            } else {
                "no draw reads any of it"
            };
            self.note(at.offset, "unread-upload", format!("UPLOAD_BUFFER: {what}"));
        }
        Ok(())
    }

    fn blobs(&mut self, trace: &Trace, index: &TraceIndex) -> Result<(), ReadError> {
        let catalog = index.catalog();
        let mut used = HashSet::new();
        self.references.extend(named_by_submissions(trace));
        for (id, offset) in std::mem::take(&mut self.references) {
            if let Some(blob) = catalog.resolve(id, offset) {
                used.insert(blob.record_offset);
                if blob.record_offset > offset {
                    let at = blob.record_offset;
                    self.note(offset, "late-blob", format!("blob {id} is defined only later, at {at:#x}"));
                }
            }
        }
        let definitions = catalog.definitions();
        let mut first_of_id: HashMap<BlobId, u64> = HashMap::new();
        let mut by_size: BTreeMap<(u64, u32), Vec<(BlobId, &BlobDefinition)>> = BTreeMap::new();
        for (id, blob) in definitions {
            let offset = blob.record_offset;
            if !used.contains(&offset) {
                self.note(offset, "unused-blob", format!("no packet refers to blob {id} ({})", blob.kind));
            }
            let first = *first_of_id.entry(id).or_insert(offset);
            if first != offset {
                self.note(offset, "redefined-blob", format!("blob {id} is defined at {first:#x} already"));
            }
            by_size.entry((blob.size_bytes(), blob.kind.number())).or_default().push((id, blob));
        }
        for same in by_size.into_values().filter(|same| same.len() > 1) {
            let mut seen: HashMap<[u8; 32], (BlobId, u64)> = HashMap::new();
            for (id, blob) in same {
                let offset = blob.record_offset;
                let (first_id, first) = *seen.entry(digest(trace, blob.bytes.clone())?).or_insert((id, offset));
                if first != offset {
                    let what = format!("blob {id} has the bytes of blob {first_id} at {first:#x}");
                    self.note(offset, "repeated-blob", what);
                }
            }
        }
        Ok(())
    }
}

/// The blobs that submissions name, with the offsets of their records. Damage ends the list; it is told where it is met.
fn named_by_submissions(trace: &Trace) -> Vec<(BlobId, u64)> {
    let mut named = Vec::new();
    let mut reader = trace.records(trace.stream());
    while let Ok(Some(record)) = reader.next_record(&mut Diagnostics::new()) {
        let RecordBody::Submission(submission) = &record.body else { continue };
        let of_ranges = submission.memory_ranges.iter().map(|range| range.blob_id);
        let ids = [submission.cmd_stream_blob_id, submission.alloc_table_blob_id].into_iter().chain(of_ranges);
        named.extend(ids.map(|id| (id, record.offset)));
    }
    named
}

fn digest(trace: &Trace, bytes: std::ops::Range<u64>) -> Result<[u8; 32], ReadError> {
    let mut hasher = Sha256::new();
    let mut at = bytes.start;
    while at < bytes.end {
        let next = (at + CHUNK_BYTES).min(bytes.end);
        hasher.update(trace.read(at..next)?);
        at = next;
    }
    Ok(hasher.finalize().into())
}
