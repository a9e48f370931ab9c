//! `adapters`: the GPUs there are.

use std::io::Write;

use serde_json::json;

use super::args::{AdaptersArgs, CommonArgs};
use super::exit::{Exit, Failure};
use super::output::{JSON_SCHEMA, print_json, stdout};
use crate::gpu::list_adapters;

pub(super) fn run(args: &AdaptersArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let adapters = list_adapters(args.backend.into());
    let mut out = stdout();
    for adapter in &adapters {
        if common.json {
            let line = json!({
                "schema": JSON_SCHEMA, "type": "adapter", "index": adapter.index, "name": adapter.name,
                "backend": adapter.backend, "kind": adapter.kind, "driver": adapter.driver,
            });
            print_json(&mut out, &line)?;
        } else {
            writeln!(out, "{}: {adapter}", adapter.index)?;
        }
    }
    out.flush()?;
    if adapters.is_empty() {
        let message = "no usable adapter: expected a Vulkan, OpenGL, Metal or Direct3D 12 driver, found none";
        return Err(Failure::new(Exit::NoAdapter, anyhow::anyhow!(message)));
    }
    Ok(Exit::Done)
}
