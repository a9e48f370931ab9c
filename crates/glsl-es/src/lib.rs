//! GLSL ES 3.00, 1.00 and some of 3.10 to WGSL: a typed front end of our own.
//!
//! ```text
//!  bytes ─► source ─► preprocess ─► parse ─► check ─► link ─► emit ─► WGSL
//!           UTF-8,    tokens with    ast     typed    both     one module
//!           places    no macros              tree     stages   a stage
//! ```
//!
//! naga reads desktop GLSL only, and rewriting GLSL ES for it without knowing types loses side effects of `&&`,
//! offsets of `texelFetchOffset` and more without a word. So the language is understood here, and naga gets WGSL.
//!
//! ```
//! use glsl_es::{GlslOptions, GlslSource, link_all};
//!
//! let source = |text: &'static str| GlslSource { text: text.as_bytes(), offset: 0 };
//! let vertex = source("#version 300 es\nin vec4 place;\nvoid main() { gl_Position = place; }");
//! let fragment = source("#version 300 es\nout mediump vec4 color;\nvoid main() { color = vec4(1.0); }");
//! let linked = link_all(vertex, fragment, &GlslOptions::default())?;
//! assert!(linked.vertex_wgsl.contains("fn vs_main"));
//!
//! let wrong = source("#version 300 es\nout mediump vec4 color;\nvoid main() { color = 1.0; colour = color; }");
//! let errors = link_all(vertex, wrong, &GlslOptions::default()).unwrap_err();
//! assert_eq!(errors.iter().count(), 2);
//! # Ok::<(), glsl_es::GlslErrors>(())
//! ```
//!
//! # The written program from outside
//!
//! * Entry points are [`VERTEX_ENTRY`] and [`FRAGMENT_ENTRY`].
//! * Everything bound is in group 0; [`Linked::bindings`] lists it. Uniforms outside blocks share one block between both
//!   stages. A sampler is a texture and, unless its texels are integers, a sampler state. A block is declared as an array
//!   of `vec4<u32>` in std140 layout; [`UniformMember`] says what lies where.
//! * Clip space is WebGPU's: a GL text's depth −1..1 is remapped, `gl_FragCoord` and `dFdy` are turned to GL's lower
//!   left origin (which needs the target's height: [`BindingKind::TargetInfo`]). Text that naga wrote has WebGPU's
//!   conventions already and gets neither ([`ClipConvention`]).
//! * Points don't exist: `gl_PointSize` goes nowhere, `gl_PointCoord` is (0, 0).
//!
//! # What is refused
//!
//! What the language forbids is an error where another compiler might draw something else. Where the meaning is clear all
//! the same — a missing precision, a qualifier in the wrong place, a struct within a struct — the text is taken, and an oddity
//! is among its [`Remark`]s, at which strict readers stop.
//!
//! [`link()`] gives the first error, [`link_all`] all of them, each with the line, the columns that are wrong and, where it is
//! known, what to write instead ([`GlslError::hint`]). No text makes this module panic, hang or take more memory than
//! [`crate::limits`] say; a limit that is reached is an error of its own.
//!
//! # Versions
//!
//! A text without `#version`, or with 100, is in GLSL ES 1.00; both texts of a pair are of one version ([`Language`]). What is
//! said of a language's words and rules stands in `language.rs` and `builtins.rs`, what a text leaves open in
//! [`GlslOptions`]. Limits stand in [`crate::limits`].

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod ast;
mod builtins;
mod check;
mod emit;
mod endless;
mod error;
mod hints;
mod kind;
mod language;
mod layout;
mod lex;
pub mod limits;
mod link;
mod linked;
mod nesting;
mod parse;
mod preprocess;
mod problem;
mod source;
mod texture_functions;
mod typed;
mod types;
mod value;

pub use builtins::all_signatures;
pub use endless::{EndlessLoop, endless_loops};
pub use error::{Fault, GlslError, GlslErrors, LinkError, TextLimit, Unsupported};
pub use language::Language;
pub use linked::{Attribute, Binding, BindingKind, Linked, LocationRule, Remark, Stages, UniformMember};
pub use source::{Expansion, GlslSource, Place, Stage};
pub use types::{Dimension, Sampler, Scalar, Struct, Type};

use error::{Cause, Note, Problem};
use preprocess::Lexed;
use source::Text;
use trace_base::bytes::FindingKind;
use trace_base::limits::MAX_FINDINGS;
use typed::Program;

/// Name of the vertex entry point.
pub const VERTEX_ENTRY: &str = "vs_main";

/// Name of the fragment entry point.
pub const FRAGMENT_ENTRY: &str = "fs_main";

/// Whose clip space a vertex text writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipConvention {
    /// naga's if the text ends as naga's GLSL writer ends it, else GL's.
    #[default]
    Auto,
    /// GL's, whatever the text ends with.
    Gl,
    /// naga's: WebGPU's clip space, with or without the ending.
    Naga,
}

/// Which vertex a `flat` varying comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProvokingVertex {
    /// The first, as in WebGPU and D3D.
    #[default]
    First,
    /// The last, as in GL: whoever draws turns the triangles where the API takes the first.
    Last,
}

/// What a text itself doesn't say.
#[derive(Clone, Copy, Debug)]
pub struct GlslOptions {
    /// Whose clip space.
    pub clip: ClipConvention,
    /// Which vertex is the provoking one.
    pub provoking: ProvokingVertex,
    /// Attributes that have a location by their names, where the text gives them none.
    pub named_locations: &'static [NamedLocation],
}

impl Default for GlslOptions {
    fn default() -> Self {
        Self {
            clip: ClipConvention::default(),
            provoking: ProvokingVertex::default(),
            named_locations: POSITION_AND_COLOUR,
        }
    }
}

/// A location for the first attribute whose name has one of these words in it, in small letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedLocation {
    /// The location.
    pub location: u32,
    /// The words.
    pub words: &'static [&'static str],
}

/// Positions at 0 and colours at 1, where those have them who feed vertices by number alone.
pub const POSITION_AND_COLOUR: &[NamedLocation] = &[
    NamedLocation { location: 0, words: &["position", "pos"] },
    NamedLocation { location: 1, words: &["color", "colour", "col"] },
];

/// Translates a pair of texts.
///
/// The error is the first; [`link_all`] tells the others.
pub fn link(vertex: GlslSource<'_>, fragment: GlslSource<'_>, options: &GlslOptions) -> Result<Linked, GlslError> {
    link_all(vertex, fragment, options).map_err(GlslErrors::into_first)
}

/// Translates a pair of texts, and tells all errors of both: what cannot be read is passed over, statement by statement, and
/// what only follows from another error is not told.
pub fn link_all(vertex: GlslSource<'_>, fragment: GlslSource<'_>, options: &GlslOptions) -> Result<Linked, GlslErrors> {
    let texts = [text_of(vertex, Stage::Vertex)?, text_of(fragment, Stage::Fragment)?];
    nesting::with_stack(|most_levels| link_texts(&texts, options, most_levels))
}

fn text_of(source: GlslSource<'_>, stage: Stage) -> Result<Text<'_>, GlslErrors> {
    let (text, is_ok) = Text::new(source, stage);
    match is_ok {
        Ok(()) => Ok(text),
        Err(problem) => Err(refused(vec![*problem], &text)),
    }
}

fn link_texts(
    [vertex_text, fragment_text]: &[Text<'_>; 2],
    options: &GlslOptions,
    most_levels: usize,
) -> Result<Linked, GlslErrors> {
    let lexed = |text| preprocess::lexed(Text::spliced(text)).map_err(|problem| refused(vec![*problem], text));
    let (vertex_lexed, fragment_lexed) = (lexed(vertex_text)?, lexed(fragment_text)?);
    if vertex_lexed.language != fragment_lexed.language {
        // The one of the older language is at fault, as the other says which it is in.
        return Err(match vertex_lexed.language == Language::Es100 || fragment_lexed.language == Language::Es310 {
            true => refused(vec![*vertex_lexed.other_version(fragment_lexed.language)], vertex_text),
            false => refused(vec![*fragment_lexed.other_version(vertex_lexed.language)], fragment_text),
        });
    }
    let vertex_program = analyse(vertex_text, &vertex_lexed, most_levels);
    let fragment_program = analyse(fragment_text, &fragment_lexed, most_levels);
    let (vertex_program, fragment_program) = match (vertex_program, fragment_program) {
        (Ok(vertex), Ok(fragment)) => (vertex, fragment),
        (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => return Err(errors),
        (Err(vertex), Err(fragment)) => return Err(vertex.and(fragment)),
    };
    let pair = link::Pair { vertex: &vertex_program, fragment: &fragment_program, vertex_text, fragment_text };
    let plan = link::plan(&pair, options)?;
    let emit = |program: &Program, text| {
        let mut notes = program.notes.clone();
        let wgsl = emit::emit(program, &plan, &mut notes).map_err(|problem| refused(vec![*problem], text));
        wgsl.map(|wgsl| (wgsl, notes))
    };
    let (vertex_wgsl, vertex_notes) = emit(&vertex_program, vertex_text)?;
    let (fragment_wgsl, fragment_notes) = emit(&fragment_program, fragment_text)?;
    let of_vertices = remarks_of(vertex_text, vertex_notes);
    let of_fragments = remarks_of(fragment_text, fragment_notes.into_iter().chain(pair.differences()).collect());
    let remarks = [of_vertices, of_fragments, choices(&plan)].concat();
    let has_flat_varyings = plan.varyings.iter().any(|varying| varying.interface.flat);
    let outputs = link::outputs(&fragment_program)
        .filter_map(|(output, _)| Some((*plan.outputs.get(&output.name)?, output.name.clone(), output.ty.clone())))
        .collect();
    Ok(Linked {
        vertex_wgsl,
        fragment_wgsl,
        attributes: plan.attributes,
        bindings: plan.bindings,
        outputs,
        has_flat_varyings,
        naga_convention: plan.naga_convention,
        remarks,
    })
}

fn analyse<'t>(text: &'t Text<'_>, lexed: &Lexed<'t>, most_levels: usize) -> Result<Program, GlslErrors> {
    let (spliced, version) = (text.spliced(), (lexed.language, text.stage()));
    let found = match preprocess::preprocess(spliced, lexed, text.stage()) {
        Ok(found) => found,
        Err(problem) => return Err(refused(vec![*problem], text)),
    };
    let parsed = parse::parse(&found.tokens, spliced.len() as u32, version, most_levels);
    let line = |position| text.place(position, None).line;
    let checked = match parsed.problems.into_vec() {
        problems if problems.is_empty() => check::check(version, &found.extensions, &parsed.items, &line),
        problems => Err(problems),
    };
    let expansion_at = |position: u32| {
        let call = found.expansions.get(&position);
        call.map(|(name, defined_at)| Expansion { name: lex::shorten(name), line: line(*defined_at) })
    };
    let extent_at = |position: u32| {
        let reaches = parsed.extents.iter().rev().find(|(start, _)| *start == position);
        reaches.map(|(_, extent)| extent.clone())
    };
    let located = |problem: Problem| {
        let is_a_name = matches!(problem.cause, Cause::Fault(Fault::Undeclared { .. } | Fault::WrongStage { .. }));
        let extent = problem.extent.clone();
        let extent = extent.or_else(|| if is_a_name { None } else { extent_at(problem.position) });
        Problem { expansion: expansion_at(problem.position), extent, ..problem }
    };
    let mut program = checked.map_err(|problems| refused(problems.into_iter().map(located).collect(), text))?;
    program.notes.extend(found.notes.into_iter().chain(parsed.notes));
    for note in &mut program.notes {
        (note.expansion, note.extent) = (expansion_at(note.position), extent_at(note.position));
    }
    program.notes.sort_by_key(|note| note.position);
    Ok(program)
}

/// The problems of a text as errors, in its order. There is always one that doesn't follow from another.
fn refused(mut problems: Vec<Problem>, text: &Text<'_>) -> GlslErrors {
    problems.sort_by_key(|problem| problem.position);
    let errors = problems.into_iter().filter_map(|problem| {
        let place = text.place(problem.position, problem.extent.clone());
        let place = Place { expansion: problem.expansion.clone(), ..place };
        problem.into_error(place)
    });
    GlslErrors::new(errors.collect()).unwrap_or_else(|| GlslErrors::unknown(text.place(0, None)))
}

/// The first [`MAX_FINDINGS`] with their places, and how many more there are.
fn remarks_of(text: &Text<'_>, mut notes: Vec<Note>) -> Vec<Remark> {
    let others = notes.split_off(notes.len().min(MAX_FINDINGS));
    let mut remarks: Vec<Remark> = notes
        .into_iter()
        .map(|Note { position, what, kind, extent, expansion }| {
            let place = Place { expansion, ..text.place(position, extent) };
            Remark { place: Some(Box::new(place)), what, kind }
        })
        .collect();
    if !others.is_empty() {
        let is_odd = others.iter().any(|note| note.kind == FindingKind::Oddity);
        let kind = if is_odd { FindingKind::Oddity } else { FindingKind::Remark };
        let what = format!("{} shader: {} more remarks", text.stage(), others.len());
        remarks.push(Remark { place: None, what, kind });
    }
    remarks
}

/// What the texts left open, and how it was decided.
fn choices(plan: &link::Plan) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut decided = |what| remarks.push(Remark { place: None, what, kind: FindingKind::Remark });
    let chosen: Vec<_> = plan
        .attributes
        .iter()
        .filter(|attribute| attribute.rule != LocationRule::Explicit)
        .map(|attribute| {
            let why = if attribute.rule == LocationRule::Named { "by its name" } else { "by order" };
            format!("{} at location {} {why}", attribute.name, attribute.location)
        })
        .collect();
    if !chosen.is_empty() {
        decided(format!("attributes without a location: {}", chosen.join(", ")));
    }
    if plan.naga_convention {
        decided("treated as naga output: clip space is WebGPU's".to_owned());
    }
    let count = |wanted: fn(&BindingKind) -> bool| plan.bindings.iter().filter(|binding| wanted(&binding.kind)).count();
    let blocks = count(|kind| matches!(kind, BindingKind::UniformBlock { .. }));
    let textures = count(|kind| matches!(kind, BindingKind::Texture { .. }));
    if blocks + textures > 0 {
        decided(format!(
            "unless bound, uniform blocks ({blocks}) read as zeros and textures ({textures}) as \
            (0, 0, 0, 1)"
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_missing_is_an_error_of_the_translator() {
        let text = |text, stage| text_of(GlslSource { text, offset: 7 }, stage).unwrap();
        let vertex =
            b"#version 300 es\nvoid main();\nfloat f() { return 1.0; }\nvoid main() {\n  gl_Position = vec4(f());\n}\n";
        let (vertex, fragment) =
            (text(vertex, Stage::Vertex), text(b"#version 300 es\nvoid main() {}\n", Stage::Fragment));
        let program = |text: &Text<'_>| analyse(text, &preprocess::lexed(text.spliced()).unwrap(), 100).unwrap();
        let (mut broken, other) = (program(&vertex), program(&fragment));
        let pair = link::Pair { vertex: &broken, fragment: &other, vertex_text: &vertex, fragment_text: &fragment };
        let plan = link::plan(&pair, &GlslOptions::default()).unwrap();
        assert!(emit::emit(&broken, &plan, &mut Vec::new()).is_ok());
        // The checker knows `main` first, so that the function that it calls is the last one.
        broken.functions.truncate(1);
        let error = refused(vec![*emit::emit(&broken, &plan, &mut Vec::new()).unwrap_err()], &vertex).into_first();
        let GlslError::Internal { what, ref place } = error else { panic!("{error}") };
        assert_eq!((what, place.line), ("a written value should have been rejected", 5), "{error}");
    }
}
