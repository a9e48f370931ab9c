//! `adapters`: the GPUs there are, and what their drivers are known to get wrong.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::args::{AdaptersArgs, CommonArgs};
use super::exit::{Exit, Failure};
use super::output::{print_json, stdout};
use crate::error::ErrorKind;
use crate::gpu::{AdapterSummary, list_adapters};
use crate::text::{JsonLine, json_line};

pub(super) fn run(args: &AdaptersArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let adapters = list_adapters(args.backend.into());
    let mut out = stdout();
    for adapter in &adapters {
        if common.json {
            print_json(&mut out, &adapter_line(adapter))?;
        } else {
            writeln!(out, "{}: {adapter}", adapter.index)?;
            print_faults(adapter, &mut out)?;
        }
    }
    out.flush()?;
    if adapters.is_empty() {
        let message = "no usable adapter: expected a Vulkan, OpenGL, Metal or Direct3D 12 driver, found none";
        return Err(Failure::new(ErrorKind::NoAdapter, anyhow::anyhow!(message)));
    }
    Ok(Exit::Done)
}

/// An adapter as a line of JSON.
pub(super) fn adapter_line(adapter: &AdapterSummary) -> JsonLine {
    let faults: Vec<Value> = adapter
        .faults()
        .map(|fault| json!({ "name": fault.name, "problem": fault.problem, "remedy": fault.remedy }))
        .collect();
    json_line!("adapter", { "index": adapter.index, "name": adapter.name,
        "backend": adapter.backend, "kind": adapter.kind, "driver": adapter.driver, "faults": faults,
    })
}

/// Lists the known faults of an adapter's driver below its name.
pub(super) fn print_faults(adapter: &AdapterSummary, out: &mut impl Write) -> io::Result<()> {
    for fault in adapter.faults() {
        writeln!(out, "   known fault {}: {}; so {}", fault.name, fault.problem, fault.remedy)?;
    }
    Ok(())
}
