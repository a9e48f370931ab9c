//! What is legal in a trace and still looks like a mistake of its recorder.
//!
//! [`LintRule`] is the table of the rules. Some are about submissions alone: they go by their commands, and by what these
//! turn out to read and write.
//!
//! A write is read by whatever uses, tests, copies or presents a part of it, also through other writes that let it show.
//! Textures that are exported may be read by another process, and guest memory by the guest.
//!
//! What is odd about the container goes to the caller's diagnostics: a TOC or meta JSON that disagrees with the stream or
//! the header, PRESENT packets that are not one a Present record, CLEARs with components that are no numbers. `lint`
//! prints it under the rule `container`.
//!
//! Findings of one rule about one thing are a [`LintGroup`], which is one line of the program's output.

mod blobs;
mod clears;
mod context;
mod finding;
mod graph;
mod handles;
mod markers;
mod rules;
mod slots;
mod streams;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

pub use self::finding::{LintFault, LintFinding, LintGroup, LintSite, LintSites};
pub use self::rules::LintRule;
use self::streams::lint_streams;
use crate::bytes::Diagnostics;
use crate::command::{
    Command, CreateBuffer, CreatePipeline, CreateShader, Located, Location, Payload, PipelineId, ResourceId,
    ShaderBlobs, ShaderCode, ShaderId, ShaderStage, Upload,
};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{BlobDefinition, BlobId, FormatError, FrameIndex, Trace};
use crate::limits::MAX_SHADER_BYTES;
use crate::replay::blob_store::BlobStore;
use crate::replay::check::{compare_presents, compare_toc_with_stream};
use crate::replay::command_stream::{CommandStream, Flow};
use crate::replay::error::ReplayError;
use crate::replay::executor::Executor;
use crate::replay::index::{CommandNumber, ResolvedCommand, TraceIndex};
use crate::replay::op::ProgramKey;
use crate::shader::{EndlessLoop, Program, ShaderLanguage, ShaderText, api_dependences};
use crate::text::counted;

/// Findings of one rule about submissions that are told one by one.
const NOTED_OF_A_RULE: u64 = 1000;

/// What lint has found.
#[derive(Debug)]
pub struct LintReport {
    /// The suspicions, in file order.
    pub findings: Vec<LintFinding>,
    /// What is wrong with the first submission that something is wrong with.
    pub damage: Option<ErrorKind>,
}

/// Looks through a trace, and once more at how it opens: the findings that `lint` lists and the window counts.
pub fn lint_opened(trace: &Arc<Trace>, index: &TraceIndex) -> Result<LintReport, ReplayError> {
    let mut diagnostics = Diagnostics::new();
    trace.note_opening(&mut diagnostics);
    lint_trace(trace, index, diagnostics)
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
    let first = lint.walk(trace, index, &mut diagnostics)?;
    let damage = match first {
        Some(frame) => {
            let behind_index = lint_streams(&mut lint, trace, frame, index)?;
            lint.faults(index).or(behind_index)
        }
        None => lint.faults(index),
    };
    lint.at = None;
    if first.is_some() {
        lint.written_in_vain(trace, index)?;
    }
    let missing = index.missing_objects();
    if missing.starts_in_the_middle() {
        lint.note(trace.stream().start, LintRule::MissingObjects, missing.to_string());
    }
    lint.objects(index)?;
    lint.uploads(index)?;
    lint.blobs(trace, index).map_err(FormatError::from)?;
    let mut findings = lint.found;
    let noted = diagnostics.findings().iter();
    findings.extend(noted.map(|odd| LintFinding::new(odd.offset, LintRule::Container, odd.what.to_string())));
    findings.sort_unstable();
    findings.dedup_by(|next, first| next.repeats(first));
    Ok(LintReport { findings, damage })
}

#[derive(Default)]
struct Lint {
    found: Vec<LintFinding>,
    /// The command that is looked at.
    at: Option<Location>,
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
    noted: BTreeMap<LintRule, u64>,
    /// Programs that were looked into.
    programs: u32,
}

impl Lint {
    fn note(&mut self, offset: u64, rule: LintRule, what: impl Into<String>) {
        self.add(LintFinding::new(offset, rule, what));
    }

    fn add(&mut self, finding: LintFinding) {
        let own = self.at.filter(|at| finding.packet.is_none() && at.offset == finding.offset);
        self.found.push(match own {
            Some(at) => finding.of_command(at),
            None => finding,
        });
    }

    /// Notes what a stream can have millions of: the first of each rule.
    fn note_some(&mut self, offset: u64, rule: LintRule, what: impl FnOnce() -> String) {
        if self.counts(rule) {
            self.note(offset, rule, what());
        }
    }

    /// Counts one more finding of a rule; whether it is told.
    fn counts(&mut self, rule: LintRule) -> bool {
        let so_far = self.noted.entry(rule).or_default();
        *so_far += 1;
        *so_far <= NOTED_OF_A_RULE
    }

    /// How many more there were of each rule.
    fn note_dropped(&mut self) {
        for (rule, count) in std::mem::take(&mut self.noted) {
            if let Some(dropped) = count.checked_sub(NOTED_OF_A_RULE).filter(|dropped| *dropped > 0) {
                let last = self.found.iter().rfind(|found| found.rule == rule).map_or(0, |found| found.offset);
                self.add(
                    LintFinding::new(
                        last,
                        rule,
                        "more findings of this rule, not listed \
                    individually",
                    )
                    .times(dropped),
                );
            }
        }
    }

    /// Carries out the commands of no submission, going on after bad draws. Gives the frame with the first submission.
    fn walk(
        &mut self,
        trace: &Arc<Trace>,
        index: &TraceIndex,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<FrameIndex>, ReplayError> {
        let first = Cell::new(None);
        let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
        for (frame, span) in trace.frame_indices().zip(trace.frames()) {
            if first.get().is_some() && index.first_unsubmitted().is_none() {
                break;
            }
            let see_submission = || {
                first.set(first.get().or(Some(frame)));
                Ok(Flow::Continue)
            };
            let each = |command: &Located<Command>, executor: &mut Executor| {
                if command.at.submission.is_some() {
                    return see_submission();
                }
                self.at = Some(command.at);
                self.carry_out(command, executor)?;
                Ok(Flow::Continue)
            };
            let read: Result<(), ReplayError> = stream.survey_frame(frame, &mut executor, each, |error, _| {
                // What the index goes on behind is among its faults.
                if error.location().is_some_and(|at| at.submission.is_some()) {
                    see_submission()
                } else {
                    Ok(Flow::Continue)
                }
            });
            match read {
                Ok(()) => {}
                Err(error) if error.is_internal() => return Err(error),
                Err(error) => {
                    // Behind a submission whoever looks through those notes the same.
                    let offset = error.offset().filter(|_| first.get().is_some()).unwrap_or(span.bytes.start);
                    self.note(offset, LintRule::Damage, error.to_string());
                    break;
                }
            }
        }
        diagnostics.append(executor.diagnostics().take());
        Ok(first.get())
    }

    /// Carries out a command of no submission; a bad draw is noted.
    fn carry_out(&mut self, command: &Located<Command>, executor: &mut Executor) -> Result<(), ReplayError> {
        let told = executor.diagnostics().findings().len();
        match executor.apply(command) {
            Err(error) if command.value.is_draw() && !error.is_internal() => {
                let words = without_place(&error.to_string(), command.at);
                let found = LintFinding::new(command.at.offset, LintRule::BadDraw, error.to_string());
                self.add(found.in_group(words));
            }
            // What the index goes on behind is among its faults.
            Err(error) if error.is_survivable() => {}
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
                self.note(odd.offset, LintRule::ShaderText, odd.what);
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &Located<Command>, store: &mut BlobStore) -> Result<(), ReplayError> {
        let offset = command.at.offset;
        match command.value {
            Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                self.names.insert(offset, format!("{id} ({size})", size = counted(size_bytes, "byte")));
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
        let found = LintFinding::new(offset, LintRule::ShaderSource, format!("{id} has {missing}"));
        self.add(found.in_group(format!("a shader has {missing}")));
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
            Err(error) => return self.note(offset, LintRule::Damage, error.to_string()),
        };
        let text = ShaderText { bytes: &bytes, offset: blob.bytes.start };
        let found = (language.facts().endless_loops)(text, stage);
        // silent: what does not compile is a draw's error
        for EndlessLoop { function, offset } in found.unwrap_or_default() {
            self.note(offset, LintRule::EndlessLoop, format!("blob {id} ({kind}): a loop in {function} never ends"));
        }
    }

    /// What a program leaves to the API; `offset` is the first draw with it.
    fn program(&mut self, offset: u64, program: &Program) {
        for stage in [&program.vertex, &program.fragment] {
            let name = stage.stage;
            match api_dependences(stage) {
                Ok(found) => found.into_iter().for_each(|what| {
                    let text = stage.text_offset;
                    self.note(offset, LintRule::ApiDependent, format!("the {name} shader at {text:#x}: {what}"));
                }),
                Err(words) => self.note(offset, LintRule::Damage, format!("the {name} shader: {words}")),
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
            let name = self.name_at(at.offset)?;
            if self.replaced.contains(&at.offset) {
                let what = format!("no draw uses {name} before its id is created again");
                self.note(at.offset, LintRule::LeakedObject, what);
            } else {
                self.note(at.offset, LintRule::UnusedObject, format!("no draw uses {name}"));
            }
        }
        Ok(())
    }

    /// The name of what the creation at an offset made.
    fn name_at(&self, offset: u64) -> Result<&str, Internal> {
        let name = self.names.get(&offset).map(String::as_str);
        name.ok_or(Internal::at("an object of the index was never executed", offset))
    }

    /// Uploads none of whose bytes is read.
    fn uploads(&mut self, index: &TraceIndex) -> Result<(), Internal> {
        for unread in index.unread_uploads()? {
            let at = index.require_location(unread.upload)?;
            let what = if unread.is_overwritten {
                "all of it is overwritten before a draw reads it"
            } else {
                "no draw reads any of it"
            };
            let ResolvedCommand::Upload { create, .. } = index.require_step(unread.upload)? else {
                return Err(Internal::at("an unread upload is not an upload", at.offset));
            };
            let buffer = self.name_at(index.require_location(create)?.offset)?;
            self.note(at.offset, LintRule::UnreadUpload, format!("UPLOAD_BUFFER of {buffer}: {what}"));
        }
        Ok(())
    }
}

/// A message about a command without the command's place: what it shares with those about other commands.
fn without_place(message: &str, at: Location) -> String {
    message.replace(&format!(" {at}"), "")
}
