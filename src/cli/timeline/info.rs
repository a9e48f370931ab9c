//! `timeline info FILE…`: what annotation files are and what they hold.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value};

use super::args::InfoArgs;
use super::ending::worst;
use super::facts::{Facts, describe};
use super::file::File;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::messages::FileDamage;
use crate::cli::output::{print_json, stdout};
use crate::error::ErrorKind;
use crate::text::{JsonLine, counted, json_line};
use crate::timeline::annotation::{Dialects, Digests, FactsRequest};
use crate::timeline::write_overview;

pub(super) fn run(args: &InfoArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let request = FactsRequest {
        digests: if args.digests { Digests::Taken } else { Digests::Omitted },
        dialects: if args.seed_only { Dialects::Original } else { Dialects::All },
    };
    let mut out = stdout();
    let mut exit = Exit::Done;
    for path in &args.files {
        let (file, about) = match describe_path(path, request, common) {
            Ok(described) => described,
            Err(failure) => {
                if common.json {
                    print_json(&mut out, &unreadable(path, &failure))?;
                }
                exit = worst(exit, common.messages().failure(&failure));
                continue;
            }
        };
        if common.json {
            print_json(&mut out, &JsonLine::new(&format!("timeline-{}", file.kind().name()), []).and(about.facts))?;
        } else {
            write_text(&mut out, &file, &about, common)?;
        }
        if let Some(damage) = &about.damage {
            // In the order in which things happened, also for a reader of both.
            out.flush()?;
            common.messages().damage(&file.label(), damage, about.exit);
        }
        exit = worst(exit, about.exit);
    }
    out.flush()?;
    Ok(exit)
}

fn describe_path(path: &Path, request: FactsRequest, common: &CommonArgs) -> Result<(File, Facts), Failure> {
    let file = File::open(path, common)?;
    let mut about = describe(&file, request, common)?;
    let warned = match about.facts.get("warnings") {
        Some(Value::Object(counts)) => !counts.is_empty(),
        Some(Value::Array(names)) => !names.is_empty(),
        _ => false,
    };
    if common.strict && warned && about.exit == Exit::Done {
        about.exit = Exit::Unreadable;
        about.damage =
            Some(FileDamage { message: "has warnings (--strict)".into(), kind: ErrorKind::Malformed, offset: None });
    }
    Ok((file, about))
}

/// The object of a file that could not be opened, or is nothing that we know.
fn unreadable(path: &Path, failure: &Failure) -> JsonLine {
    json_line!("timeline-unreadable", {
        "path": path.display().to_string(),
        "format": Value::Null,
        "error": "unreadable",
        "error_message": failure.to_string(),
        "error_offset": failure.offset(),
    })
}

/// Values of up to so many characters are shown whole.
const SHOWN_CHARACTERS: usize = 200;

fn write_text(out: &mut impl Write, file: &File, about: &Facts, common: &CommonArgs) -> Result<(), Failure> {
    writeln!(out, "{}: {}", file.name(), file.kind().title())?;
    for (name, value) in &about.facts {
        if ["schema", "type", "path", "format", "error", "error_message", "anomalies"].contains(&name.as_str()) {
            continue;
        }
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            ("zones", Value::Array(zones)) => {
                for zone in zones.iter().filter_map(Value::as_object) {
                    writeln!(out, "zone                   {}", line_of(zone))?;
                }
            }
            ("timeline", Value::Object(figures)) => writeln!(out, "timeline               {}", line_of(figures))?,
            _ => writeln!(out, "{name:<22} {}", brief(value))?,
        }
    }
    if let Ok(mapped) = file.map(common) {
        let mut overview = b"timeline of ".to_vec();
        write_overview(mapped.timeline(), &mut overview)?;
        String::from_utf8_lossy(&overview).lines().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

fn line_of(object: &Map<String, Value>) -> String {
    let shown = object.iter().filter(|(_, value)| !value.is_null());
    shown.map(|(name, value)| format!("{name} {}", brief(value))).collect::<Vec<_>>().join(", ")
}

/// A value in one line, or how much there is of it.
fn brief(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    match value {
        Value::Object(entries) if text.len() > SHOWN_CHARACTERS => {
            format!("{} (--json)", counted(entries.len(), "entry"))
        }
        Value::Array(entries) if text.len() > SHOWN_CHARACTERS => {
            format!("{} (--json)", counted(entries.len(), "entry"))
        }
        _ => text,
    }
}
