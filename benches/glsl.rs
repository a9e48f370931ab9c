//! What translating GLSL ES 3.00 costs, as ratios of costs measured in turns: `cargo bench --bench glsl`.
//!
//! The bar: translating 1,000 typical pairs takes at most three times what naga takes to read and validate their WGSL
//! twins. Exits 1 when it is missed. What naga takes for the two modules that come out is printed beside.

#![allow(clippy::indexing_slicing, reason = "a benchmark may panic")]

#[allow(dead_code, reason = "the other benchmarks use the rest")]
#[path = "speed/measure.rs"]
mod measure;

use std::path::Path;
use std::process::ExitCode;

use aerogpu_replay::shader::glsl::{GlslOptions, GlslSource, Linked, link};
use anyhow::{Context, Result, anyhow, ensure};
use measure::{Contender, Samples, cost_of, interleave, print_table};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const PAIRS: usize = 1000;
const ROUNDS: usize = 9;
const BAR: f64 = 3.0;

struct Pair {
    vertex: String,
    fragment: String,
    twin: String,
}

fn read_pairs() -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/glsl/pairs"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wgsl") {
            let read = |extension| {
                let path = path.with_extension(extension);
                std::fs::read_to_string(&path).with_context(|| path.display().to_string())
            };
            pairs.push(Pair { vertex: read("vert")?, fragment: read("frag")?, twin: read("wgsl")? });
        }
    }
    ensure!(!pairs.is_empty(), "no pairs");
    Ok(pairs)
}

fn translate(pair: &Pair) -> Result<Linked> {
    let (vertex, fragment) =
        [&pair.vertex, &pair.fragment].map(|text| GlslSource { text: text.as_bytes(), offset: 0 }).into();
    Ok(link(vertex, fragment, &GlslOptions::default())?)
}

fn compile(wgsl: &str) -> Result<()> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| anyhow!(error.emit_to_string(wgsl)))?;
    Validator::new(ValidationFlags::all(), Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32)
        .validate(&module)
        .map_err(|error| anyhow!(error.emit_to_string(wgsl)))?;
    Ok(())
}

fn main() -> Result<ExitCode> {
    let pairs = read_pairs()?;
    let translated = pairs.iter().map(translate).collect::<Result<Vec<_>>>()?;
    let places = || (0..PAIRS).map(|place| place % pairs.len());
    let samples = interleave(
        ROUNDS,
        vec![
            Contender::new("naga on the WGSL twins", || {
                cost_of(|| places().try_for_each(|place| compile(&pairs[place].twin)))
            }),
            Contender::new("translating GLSL ES 3.00", || {
                cost_of(|| places().try_for_each(|place| translate(&pairs[place]).map(drop)))
            }),
            Contender::new("naga on what comes out", || {
                cost_of(|| {
                    places().try_for_each(|place| {
                        compile(&translated[place].vertex_wgsl)?;
                        compile(&translated[place].fragment_wgsl)
                    })
                })
            }),
        ],
    )?;
    println!("{PAIRS} pairs, {ROUNDS} rounds");
    print_table(&samples);
    let [twins, ours, outcome] = samples.as_slice() else { return Ok(ExitCode::FAILURE) };
    // Time of the thread, where the system counts it: what else runs on the machine is left out.
    let ratio_of =
        |samples: &Samples| samples.thread_ratio_to(twins).unwrap_or_else(|| samples.ratio_to(twins)).of_minima;
    let ratio = ratio_of(ours);
    let verdict = if ratio <= BAR { "met" } else { "MISSED" };
    println!("translating / naga on the twins: {ratio:.2}, bar {BAR}: {verdict}");
    let whole = ratio + ratio_of(outcome);
    println!("translating and naga on what comes out / naga on the twins: {whole:.2}");
    Ok(if ratio <= BAR { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
