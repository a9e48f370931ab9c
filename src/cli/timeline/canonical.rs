//! `timeline dump FILE --canonical TEXT`: the texts over which the references take their digests.

use std::io::Write;

use super::args::DumpArgs;
use super::ending::after_damage;
use super::file::{Body, File};
use crate::bytes::ByteSource;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::messages::FileDamage;
use crate::cli::output::stdout;
use crate::timeline::ExportError;
use crate::timeline::annotation::{AnnotationFormat, CanonicalText, FORMATS};

pub(super) fn run(args: &DumpArgs, name: &str, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let (source, text) = text_of(&file, name)?;
    let mut lines = stdout();
    // The digests are of these very bytes.
    let mut out = lines.as_bytes();
    let damage = (text.write)(source, &mut out).map_err(|error| failure(error).context(file.name()))?;
    out.flush()?;
    let Some(error) = damage else { return Ok(Exit::Done) };
    let exit = after_damage(&error);
    common.messages().damage(&file.name(), &FileDamage::from(&error), exit);
    Ok(exit)
}

/// The text called `name` of the file's format.
fn text_of<'f>(file: &'f File, name: &str) -> Result<(&'f dyn ByteSource, CanonicalText), Failure> {
    if let Body::Annotation(format, source) = &file.body
        && let Some(text) = format.canonical_texts().iter().find(|text| text.name == name)
    {
        return Ok((&**source, *text));
    }
    let expected = |format: &&dyn AnnotationFormat| {
        let texts: Vec<&str> = format.canonical_texts().iter().map(|text| text.name).collect();
        format!("{} for {}", texts.join(" or "), format.names().noun)
    };
    let with_texts = FORMATS.iter().filter(|format| !format.canonical_texts().is_empty());
    let expected: Vec<String> = with_texts.map(expected).collect();
    let (path, title) = (file.name(), file.kind().title());
    Err(Failure::usage(format!("{path} is {title}: expected {}", expected.join(", "))))
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Write(error) => error.into(),
        error => error.into(),
    }
}

/// The names of all texts, as `--canonical` takes them.
pub(super) fn text_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for text in FORMATS.iter().flat_map(|format| format.canonical_texts()) {
        if !names.contains(&text.name) {
            names.push(text.name);
        }
    }
    names
}
