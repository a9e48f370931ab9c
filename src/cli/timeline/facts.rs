//! Facts about a file as one JSON object, under the names that the references use.

use serde_json::{Map, Value, json};

use super::ending::after_damage;
use super::file::{Body, File};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::messages::FileDamage;
use crate::cli::open::completeness;
use crate::format::aerogpu::Trace;
use crate::timeline::annotation::FactsRequest;
use crate::timeline::health_to_json;

/// Everything that `info` says about a file, and the code it ends with.
pub(super) struct Facts {
    pub facts: Map<String, Value>,
    pub exit: Exit,
    /// What is wrong with the file.
    pub damage: Option<FileDamage>,
}

/// Describes an open file.
pub(super) fn describe(file: &File, request: FactsRequest, common: &CommonArgs) -> Result<Facts, Failure> {
    let mut head = Map::new();
    head.insert("path".into(), file.path.display().to_string().into());
    head.insert("format".into(), file.kind().name().into());
    if let Some(from) = file.decoded_from {
        head.insert("compression".into(), from.compression.name().into());
        head.insert("stored_bytes".into(), from.stored_bytes.into());
    }
    let Facts { facts, exit, damage } = match &file.body {
        Body::Trace(trace) => describe_trace(file, trace, common)?,
        Body::Annotation(format, source) => {
            let told = format.facts(&**source, request)?;
            let exit = told.error.as_ref().map_or(Exit::Done, after_damage);
            Facts { facts: told.members, exit, damage: told.error.as_ref().map(FileDamage::from) }
        }
    };
    head.extend(facts);
    Ok(Facts { facts: head, exit, damage })
}

fn describe_trace(file: &File, trace: &Trace, common: &CommonArgs) -> Result<Facts, Failure> {
    let mapped = file.map(common)?;
    let timeline = mapped.timeline();
    let facts = [
        ("size_bytes", json!(trace.size_bytes())),
        ("frames", json!(timeline.frames.len())),
        ("axis", json!(timeline.axis.unit.name())),
        ("events", json!(timeline.event_count())),
        ("anomalies", health_to_json(timeline)),
    ];
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let damage = mapped.damage_within();
    let exit = damage.as_ref().map_or_else(|| completeness(trace), |damage| damage.kind.into());
    Ok(Facts { facts, exit, damage })
}
