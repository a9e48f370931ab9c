//! Programs of SM4 and SM5 that are made here, by the hundred, and judged by a model of ours on the CPU:
//!
//! * cells: every instruction that computes × every form of its operands × every stage, on values at the edges;
//! * flow and resources: what does not compute, in each form, on each kind of resource;
//! * structured: random programs with nested loops, switches that fall through, early exits, indexed registers, and memory
//!   of a group with barriers.
//!
//! `RANDOM_PROGRAMS=2000 cargo test --test gpu d3d_programs` runs more random programs than usual; `RANDOM_PROGRAM=17` runs
//! one and tells its text. `PROGRAMS_OUT=FOLDER` writes all cases there, for others to judge the model.

mod arithmetic;
mod assembly;
mod bound;
mod cells;
mod coverage;
mod coverage_of_the_rest;
mod flow_cells;
mod lookups;
mod model;
mod resource_cells;
mod structured;
mod text;
mod wrap;

use std::path::Path;

pub use assembly::assemble;

use crate::gpu::dxbc::agrees;
use crate::gpu::made_programs::{report, seeds, setting};
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use bound::Bound;
use cells::{INSTRUCTIONS, Instruction};
use resource_cells::Rows;
use wrap::{Body, Stage, Threads};

/// Random programs of a usual run, of each stage on each backend.
const PROGRAMS: u64 = 12;

pub fn trials() -> Vec<Trial> {
    let without_gpu: [(&str, fn()); 3] = [
        ("every_cell_has_a_program", coverage::every_cell_has_a_program),
        ("every_other_cell_has_a_program", coverage_of_the_rest::every_other_cell_has_a_program),
        ("what_is_not_drawn_is_refused", coverage_of_the_rest::what_is_not_drawn_is_refused),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = without_gpu.into_iter().map(trial).collect();
    for backend in BACKENDS {
        for stage in Stage::ALL {
            let name = |kind: &str| format!("{kind}/{stage:?}/{}", backend.name()).to_lowercase();
            trials.push(backend.trial(name("cells"), move || {
                report(INSTRUCTIONS.iter().map(|instruction| judge(&body(instruction, stage), stage, backend)))
            }));
            trials.push(backend.trial(name("flow"), move || {
                report([judge(&flow_cells::body(stage), stage, backend)].into_iter());
            }));
            trials.push(backend.trial(name("resources"), move || {
                let rows = if backend == Backend::Gl { Rows::Missing } else { Rows::Here };
                report(resource_cells::bodies(stage, rows).iter().map(|body| judge(body, stage, backend)));
            }));
            trials.push(backend.trial(name("structured"), move || {
                report(seeds(PROGRAMS).map(|seed| judge(&structured::body(seed, stage), stage, backend)));
            }));
        }
    }
    trials
}

/// Instructions that take denormals for 0 whatever the driver does.
const FLUSHING: [&str; 3] = ["frc", "round_ni", "round_pi"];

/// The program of an instruction in all its forms.
fn body(instruction: &Instruction, stage: Stage) -> Body {
    let icb: Vec<String> = cells::own_constants().iter().map(u32::to_string).collect();
    Body {
        name: instruction.name.to_owned(),
        declarations: format!("dcl_icb {}\ndcl_indexableTemp x0[4], 4\n", icb.join(",")),
        prologue: cells::prologue(),
        parts: instruction.parts(),
        functions: String::new(),
        is_guarded: false,
        threads: Threads::Tuples,
        // lavapipe and llvmpipe compute with denormals there, against the rule: so others are not tried.
        constants: cells::constants(stage != Stage::Compute || FLUSHING.contains(&instruction.name)),
        bound: Bound::default(),
        rule: instruction.rule(),
        has_sums: instruction.is_sum(),
    }
}

fn judge(body: &Body, stage: Stage, backend: Backend) -> Result<(), String> {
    let (text, case) = body.case(stage);
    if let Some(folder) = std::env::var_os("PROGRAMS_OUT") {
        case.write(Path::new(&folder));
    }
    if setting("RANDOM_PROGRAM").is_some() {
        eprintln!("{text}");
    }
    agrees(&case, backend).map_err(|error| format!("{}: {error}", case.name))
}
