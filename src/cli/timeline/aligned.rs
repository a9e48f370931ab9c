//! Annotations beside the frames of a first file.

use std::path::Path;

use super::args::BesideArgs;
use super::ending::worst;
use super::file::{File, Mapped};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::error::ErrorKind;
use crate::text::{JsonLine, counted, json_line};
use crate::timeline::{Alignment, CommonAxis, Method, align_with};

/// The annotations of a command line, open.
pub(super) struct Annotations {
    pub files: Vec<File>,
    methods: Vec<Method>,
}

impl Annotations {
    /// Opens the files at `paths`.
    pub(crate) fn open(paths: &[&Path], args: &BesideArgs, common: &CommonArgs) -> Result<Self, Failure> {
        let methods = args.methods(paths.len())?;
        let files = paths.iter().map(|path| File::open(path, common)).collect::<Result<_, _>>()?;
        Ok(Self { files, methods })
    }

    /// Reads the files and lays them beside `reference`.
    pub(crate) fn align(
        &self,
        (name, reference): (&str, &Mapped<'_>),
        common: &CommonArgs,
    ) -> Result<Vec<Aligned<'_>>, Failure> {
        let mut aligned = Vec::new();
        for (file, method) in self.files.iter().zip(&self.methods) {
            let mapped = file.map(common)?;
            let uploads = match method.compares_contents() {
                true => (reference.uploads(), mapped.uploads()),
                false => Default::default(),
            };
            let alignment = align_with((reference.timeline(), &uploads.0), (mapped.timeline(), &uploads.1), method)
                .map_err(|error| Failure::new(ErrorKind::Usage, error).context(file.name()))?;
            let left_out = alignment.events_before_marks(mapped.timeline());
            if left_out > 0 {
                let (name, events) = (file.label(), counted(left_out, "event"));
                let message = format!("{name}: {events} before the first mark left out: a mark begins its frame");
                common.messages().warning(message, None);
            }
            aligned.push(Aligned { file, mapped, alignment });
        }
        let pairs: Vec<_> = aligned.iter().map(|one: &Aligned<'_>| (one.mapped.timeline(), &one.alignment)).collect();
        let axis = CommonAxis::new(reference.timeline(), &pairs);
        axis.check_offsets(&pairs).map_err(|error| Failure::new(ErrorKind::Usage, error).context(name.to_owned()))?;
        Ok(aligned)
    }
}

/// An annotation with its place beside the reference.
pub(super) struct Aligned<'f> {
    pub file: &'f File,
    pub mapped: Mapped<'f>,
    pub alignment: Alignment,
}

impl Aligned<'_> {
    /// Method, anchors and counts as JSON.
    pub(crate) fn to_json(&self) -> JsonLine {
        json_line!("alignment", {
            "path": self.file.path.display().to_string(),
            "format": self.file.kind().name(),
            "axis": self.mapped.timeline().axis.unit.name(),
            "alignment": self.alignment,
        })
    }

    /// The same in one line; `reference` is the name of the file that it lies beside.
    pub(crate) fn to_text(&self, reference: &str) -> String {
        format!("{}: {}", self.file.name(), self.alignment.in_words(reference))
    }
}

/// Concludes all files of a command line.
pub(super) fn conclude(
    reference: (&File, &Mapped<'_>),
    aligned: &[Aligned<'_>],
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let mut exit = reference.1.conclude(reference.0, common)?;
    for one in aligned {
        exit = worst(exit, one.mapped.conclude(one.file, common)?);
    }
    Ok(exit)
}
