//! Programs of SM1 to SM3 that are made here and judged by a model of ours on the CPU, which knows nothing of what translates
//! them:
//!
//! * cells: every instruction of every model × every modifier that it can have there;
//! * random: nested blocks, functions, predicates and computed indices; of SM1 what can follow each other, two together.
//!
//! `RANDOM_PROGRAMS=2000 cargo test --test gpu legacy_programs` runs more random programs than usual; `RANDOM_PROGRAM=17` runs
//! one and tells its text.

mod cells;
mod coverage;
mod model;
mod random;
mod random_first;
mod wrap;

use crate::gpu::dxbc::agrees;
use crate::gpu::made_programs::{report, seeds, setting};
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use wrap::Body;

/// Random programs of a usual run on each backend.
const PROGRAMS: u64 = 40;

pub fn trials() -> Vec<Trial> {
    let covered = || {
        coverage::every_cell_has_a_program();
        Ok(())
    };
    let mut trials = vec![Trial::test("every_cell_has_a_program", covered)];
    for backend in BACKENDS {
        for model in cells::MODELS {
            trials.push(backend.trial(format!("cells/{model}/{}", backend.name()), move || {
                // What is translated is the same on each: of all programs some are enough to see what GL makes of it.
                let step = if backend == Backend::Gl { 6 } else { 1 };
                report(cells::bodies(model).iter().step_by(step).map(|body| judge(body, backend)));
            }));
        }
        trials.push(backend.trial(format!("random/{}", backend.name()), move || {
            report(seeds(PROGRAMS).map(|seed| judge(&random::body(seed), backend)));
        }));
    }
    trials
}

fn judge(body: &Body, backend: Backend) -> Result<(), String> {
    let (text, case) = body.case();
    if setting("RANDOM_PROGRAM").is_some() {
        eprintln!("{text}");
    }
    let Some(case) = case else { return Ok(()) };
    agrees(&case, backend).map_err(|error| format!("{}: {error}\n{text}", case.name))
}
