//! Facts about a file as one JSON object, under the names that the references use.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::file::{Body, File, wip15_exit, wtf_exit};
use crate::bytes::{ByteSource, ReadError, read_vec_at};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::messages::FileDamage;
use crate::cli::open::completeness;
use crate::error::Classified;
use crate::format::aerogpu::Trace;
use crate::format::wip15::{BlobPolicy, Damage, Error, Layouts, Reader, write_canonical};
use crate::timeline::wip15::info_wip15;
use crate::timeline::wtf::{Digests, describe_wtf};

/// Everything that `info` says about a file, and the code it ends with.
pub(super) struct Facts {
    pub facts: Map<String, Value>,
    pub exit: Exit,
    /// What is wrong with the file.
    pub damage: Option<FileDamage>,
}

/// Describes an open file. Digests, which take most of the time, are for scripts.
pub(super) fn describe(file: &File, layouts: Layouts, digests: Digests, common: &CommonArgs) -> Result<Facts, Failure> {
    let mut head = Map::new();
    head.insert("path".into(), file.path.display().to_string().into());
    head.insert("format".into(), file.kind().name().into());
    let Facts { facts, exit, damage } = match &file.body {
        Body::Aerogpu(trace) => describe_aerogpu(file, trace, common)?,
        Body::Wip15(source) => describe_wip15(source, layouts, digests)?,
        Body::Wtf(source) => {
            let info = describe_wtf(source, digests);
            let has_header = info.facts.get("dialect").is_some_and(Value::is_string);
            let exit = info.error.as_ref().map_or(Exit::Done, |error| wtf_exit(error, has_header));
            let damage = info.error.as_ref().map(FileDamage::from);
            let mut facts = info.facts;
            facts.insert("error_message".into(), damage.as_ref().map(|damage| damage.message.clone()).into());
            add_size(&mut facts, source, digests)?;
            Facts { facts, exit, damage }
        }
    };
    head.extend(facts);
    Ok(Facts { facts: head, exit, damage })
}

fn describe_aerogpu(file: &File, trace: &Trace, common: &CommonArgs) -> Result<Facts, Failure> {
    let mapped = file.map(common)?;
    let timeline = mapped.timeline();
    let facts = [
        ("size", json!(trace.size_bytes())),
        ("frames", json!(timeline.frames.len())),
        ("axis", json!(timeline.axis.unit.name())),
        ("events", json!(timeline.event_count())),
    ];
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Ok(Facts { facts, exit: completeness(trace), damage: None })
}

fn describe_wip15(source: &dyn ByteSource, layouts: Layouts, digests: Digests) -> Result<Facts, Failure> {
    let (mut facts, error, exit) = match info_wip15(source, layouts) {
        Ok((Value::Object(facts), error)) => {
            let exit = error.as_ref().map_or(Exit::Done, wip15_exit);
            (facts, error, exit)
        }
        Ok(_) => (Map::new(), None, Exit::Done),
        Err(error) => (headless(&error), Some(error), Exit::Unreadable),
    };
    // The names that the references use for made files beside those for recorded ones.
    for (alias, name) in [("functions", "functions_declared"), ("groups", "groups_declared")] {
        let value = facts.get(name).cloned().unwrap_or_else(|| json!(0));
        facts.insert(alias.into(), value);
    }
    add_size(&mut facts, source, digests)?;
    if digests == Digests::Taken {
        let mut text = CanonicalDigest::default();
        if let Ok(reader) = Reader::open(source, BlobPolicy::Check) {
            write_canonical(&mut reader.with_layouts(layouts), &mut text)?;
        }
        facts.insert("canonical_lines".into(), text.lines.into());
        facts.insert("canonical_sha256".into(), hex(text.digest).into());
    }
    Ok(Facts { facts, exit, damage: error.as_ref().map(FileDamage::from) })
}

/// The facts about a trace whose header can't be read.
fn headless(error: &Error) -> Map<String, Value> {
    let facts = [
        ("calls", json!(0)),
        ("warnings", json!({})),
        ("result", json!(error.class())),
        ("error", json!(Damage::new(error, 0))),
        ("error_offset", json!(error.offset())),
        ("timeline", Value::Null),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn add_size(facts: &mut Map<String, Value>, source: &dyn ByteSource, digests: Digests) -> Result<(), Failure> {
    facts.insert("size".into(), source.size_bytes().into());
    if digests == Digests::Taken {
        let digest = file_digest(source)?;
        facts.insert("sha256".into(), digest.into());
    }
    Ok(())
}

/// Bytes read at once.
const CHUNK_BYTES: u64 = 1 << 20;

fn file_digest(source: &dyn ByteSource) -> Result<String, ReadError> {
    let (mut digest, mut at) = (Sha256::new(), 0);
    while at < source.size_bytes() {
        let length = (source.size_bytes() - at).min(CHUNK_BYTES);
        digest.update(read_vec_at(source, at, length as usize)?);
        at += length;
    }
    Ok(hex(digest))
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Text of which only digest and number of lines are kept.
#[derive(Default)]
struct CanonicalDigest {
    digest: Sha256,
    lines: u64,
}

impl Write for CanonicalDigest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.digest.update(bytes);
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
