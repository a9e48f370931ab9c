//! `doctor --conformance`: rows of the conformance table on each API of this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::{Backend, CommonArgs, parse_adapter};
use super::conformance_file::kept_table_path;
use super::exit::{Exit, Failure};
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use super::whole_file::{Inputs, make_folder, write_file};
use crate::conformance::{
    ConformanceRow, ConformanceRun, ConformanceTable, Extent, Feature, Outcome, RowResult, TableOfDevice, Tally, rows,
    tally,
};
use crate::error::ErrorKind;
use crate::gpu::{AdapterChoice, AdapterSummary, BackendChoice, Gpu, list_adapters};
use crate::text::{counted, json_line};

/// Time that one row may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time that rows may take without `--full`.
const TIME_LIMIT: Duration = Duration::from_secs(110);

#[derive(Debug, clap::Args)]
pub(super) struct ConformanceArgs {
    /// Draw a table of small traces on each API and print which features are right
    #[arg(long)]
    pub conformance: bool,
    /// Draw every row of the table, however long it takes
    #[arg(long, requires = "conformance")]
    pub full: bool,
    /// Only rows whose names contain this text
    #[arg(long, value_name = "TEXT", requires = "conformance")]
    pub rows: Option<String>,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE", requires = "conformance")]
    pub out: Option<PathBuf>,
    /// GPU to use: its number in `adapters`, or part of its name
    #[arg(long, value_name = "INDEX|NAME", value_parser = parse_adapter, requires = "conformance")]
    pub adapter: Option<AdapterChoice>,
    /// API to use, instead of each
    #[arg(long, value_enum, default_value_t = Backend::Auto, requires = "conformance")]
    pub backend: Backend,
}

pub(super) fn run(args: &ConformanceArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let adapters = adapters(args)?;
    let part = args.rows.as_deref().unwrap_or_default();
    let rows: Vec<ConformanceRow> = usual_first().into_iter().filter(|row| row.name().contains(part)).collect();
    if rows.is_empty() {
        return Err(Failure::usage(format!(
            "no row's name contains {part}: doctor --conformance --json lists \
            all names"
        )));
    }
    let table = draw(args, &adapters, &rows, common)?;
    let mut out = stdout();
    if common.json {
        table.lines().iter().try_for_each(|line| print_json(&mut out, line))?;
    }
    print(&table, common, &mut out)?;
    out.flush()?;
    let write = |path: &Path| write_file(path, &Inputs::default(), |file| Ok(file.write_all(table.text().as_bytes())?));
    args.out.as_deref().map_or(Ok(()), write)?;
    // Part of a table would hide what the whole one has found.
    if args.rows.is_none()
        && let Some(path) = kept_table_path()
    {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        write(&path)?;
        if !common.quiet {
            common.messages().say(format_args!("the table is in {}", path.display()));
        }
    }
    Ok(Exit::Done)
}

/// Every row, those first that hold all pairs of values.
fn usual_first() -> Vec<ConformanceRow> {
    let mut all = rows(Extent::Usual);
    let names: BTreeSet<String> = all.iter().map(ConformanceRow::name).collect();
    all.extend(rows(Extent::Full).into_iter().filter(|row| !names.contains(&row.name())));
    all
}

/// The best adapter of each API; Vulkan or what stands for it first, since other pictures are compared with its own.
fn adapters(args: &ConformanceArgs) -> Result<Vec<AdapterSummary>, Failure> {
    let mut of_api: Vec<AdapterSummary> = Vec::new();
    for adapter in list_adapters(args.backend.into()) {
        let is_asked = match &args.adapter {
            None | Some(AdapterChoice::Best) => true,
            Some(AdapterChoice::Index(index)) => adapter.index == *index,
            Some(AdapterChoice::Name(name)) => adapter.name.to_lowercase().contains(&name.to_lowercase()),
        };
        if is_asked && of_api.iter().all(|known| known.backend != adapter.backend) {
            of_api.push(adapter);
        }
    }
    of_api.sort_by_key(|adapter| adapter.backend == "gl");
    if of_api.is_empty() {
        let message = "no usable adapter: expected one that matches --adapter and --backend, found none";
        return Err(Failure::say(ErrorKind::NoAdapter, message));
    }
    Ok(of_api)
}

fn draw(
    args: &ConformanceArgs,
    adapters: &[AdapterSummary],
    asked: &[ConformanceRow],
    common: &CommonArgs,
) -> Result<ConformanceTable, Failure> {
    let backend: BackendChoice = args.backend.into();
    let mut runs: Vec<ConformanceRun> = adapters
        .iter()
        .map(|adapter| {
            let choice = AdapterChoice::Index(adapter.index);
            ConformanceRun::new(move || Gpu::open(backend, &choice, 4 * PATIENCE).map(Arc::new), PATIENCE)
        })
        .collect();
    let device = |adapter: &AdapterSummary| TableOfDevice {
        api: adapter.backend.clone(),
        adapter: adapter.name.clone(),
        driver: adapter.driver.clone(),
        rows: Vec::new(),
    };
    let mut table = ConformanceTable { devices: adapters.iter().map(device).collect() };
    let mut progress = Progress::of("drawing rows of the conformance table", asked.len(), Printing::WhenDone, common);
    let started = Instant::now();
    let usual_count = rows(Extent::Usual).len();
    for (number, row) in asked.iter().enumerate() {
        let is_late = !args.full && started.elapsed() > TIME_LIMIT;
        if is_late && number >= usual_count {
            break;
        }
        let mut of_vulkan: Option<RowResult> = None;
        for (run, device) in runs.iter_mut().zip(&mut table.devices) {
            let outcome = if is_late {
                let message = "time ran out: --full draws every row".to_owned();
                Outcome::NotJudged { message }
            } else {
                let drawn = run.draw(row)?;
                if device.api != "gl" && of_vulkan.is_none() {
                    of_vulkan = Some(drawn.clone());
                }
                drawn.judge(row, of_vulkan.as_ref()).map_err(Failure::from)?
            };
            device.rows.push((*row, outcome));
        }
        progress.step();
    }
    Ok(table)
}

/// Prints features and APIs side by side, then what failing rows have in common.
fn print(table: &ConformanceTable, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
    let tallies: Vec<BTreeMap<Feature, Tally>> =
        table.devices.iter().map(|device| tallies_of(device).into_iter().collect()).collect();
    let features = table.devices.first().map(tallies_of).unwrap_or_default();
    if common.json {
        for ((group, axis, value), _) in &features {
            for (device, tallies) in table.devices.iter().zip(&tallies) {
                let tally = tallies.get(&(*group, *axis, *value)).copied().unwrap_or_default();
                let line = json_line!("conformance-feature", {
                    "api": device.api, "group": group, "axis": axis, "value": value, "right": tally.right,
                    "one_step": tally.one_step, "different": tally.different, "largest_step": tally.largest_step,
                    "refused": tally.refused, "errors": tally.failed, "not_judged": tally.not_judged,
                });
                print_json(out, &line)?;
            }
        }
        return Ok(());
    }
    let mut group_before = "";
    for (feature, _) in &features {
        let (group, axis, value) = *feature;
        if group != group_before {
            let apis: Vec<String> = table.devices.iter().map(|device| format!("{:<50}", device.api)).collect();
            writeln!(out, "{:<36}{}", group, apis.concat().trim_end())?;
            group_before = group;
        }
        let cells: Vec<String> = tallies
            .iter()
            .map(|tallies| format!("{:<50}", tallies.get(feature).copied().unwrap_or_default().to_string()))
            .collect();
        writeln!(out, "{:<36}{}", format!("  {axis} {value}"), cells.concat().trim_end())?;
    }
    for device in &table.devices {
        let failing = device.rows.iter().filter(|(_, outcome)| outcome.fails()).count();
        writeln!(out, "{} ({}): {failing} of {} rows fail", device.api, device.adapter, device.rows.len())?;
        for (condition, rows, outcome) in device.explanations() {
            writeln!(out, "  {condition}: {rows}, such as: {outcome}", rows = counted(rows, "row"))?;
        }
    }
    Ok(())
}

fn tallies_of(device: &TableOfDevice) -> Vec<(Feature, Tally)> {
    tally(device.rows.iter().map(|(row, outcome)| (row, outcome)))
}
