//! Two files, compared mip by mip of each layer.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::cli::exit::Failure;
use crate::pixels::{
    Check, FloatDifference, FloatDifferenceError, FloatImage, Judgement, Picture, StoredFile, StoredPicture,
    compare_floats, judge,
};
use crate::text::{counted, real_to_json};

/// Comparison of two files: by the first mip that differs, or by the last if none does.
pub(super) struct Compared {
    parts: u32,
    differing_parts: u32,
    /// The mip and the layer that is told.
    mip: u32,
    layer: u32,
    told: PartComparison,
}

/// Comparison of two mips.
enum PartComparison {
    /// The files have other numbers of mips and layers.
    Extent {
        a: [u32; 2],
        b: [u32; 2],
    },
    Colors {
        a: Picture,
        b: Picture,
        judgement: Box<Judgement>,
    },
    Floats(Result<FloatDifference, FloatDifferenceError>),
}

impl PartComparison {
    fn is_same(&self) -> bool {
        match self {
            Self::Extent { .. } => false,
            Self::Colors { judgement, .. } => judgement.is_same,
            Self::Floats(difference) => difference.as_ref().is_ok_and(FloatDifference::is_same),
        }
    }

    fn criterion(&self) -> &'static str {
        match self {
            Self::Extent { .. } | Self::Floats(Err(_)) => "size",
            Self::Colors { judgement, .. } => judgement.criterion.name(),
            Self::Floats(Ok(_)) => "value",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Extent { a: [mips_a, layers_a], b: [mips_b, layers_b] } => {
                format!("mips and layers differ: {mips_a} and {layers_a}, {mips_b} and {layers_b}")
            }
            Self::Colors { judgement, .. } => judgement.to_string(),
            Self::Floats(Ok(difference)) => difference.to_string(),
            Self::Floats(Err(error)) => error.to_string(),
        }
    }
}

impl Compared {
    /// Compares two files, which are named in messages.
    pub(super) fn of(
        [a, b]: [&StoredFile; 2],
        names: [&Path; 2],
        (check, float_tolerance): (Check, f32),
    ) -> Result<Self, Failure> {
        let (extent, other) = (a.extent(), b.extent());
        if extent != other {
            let told = PartComparison::Extent { a: extent, b: other };
            return Ok(Self { parts: 0, differing_parts: 0, mip: 0, layer: 0, told });
        }
        let [mips, layers] = extent;
        let mut compared: Option<Self> = None;
        for (layer, mip) in (0..layers).flat_map(|layer| (0..mips).map(move |mip| (layer, mip))) {
            let read = |file: &StoredFile, name: &Path| {
                file.picture(mip, layer)
                    .map_err(|error| Failure::usage(format!("cannot read {}: {error}", name.display())))
            };
            let [name_a, name_b] = names;
            let told = compare_parts([read(a, name_a)?, read(b, name_b)?], names, (check, float_tolerance))?;
            let differing_parts = u32::from(!told.is_same());
            compared = Some(match compared {
                Some(first) if !first.is_same() => {
                    Self { parts: first.parts + 1, differing_parts: first.differing_parts + differing_parts, ..first }
                }
                so_far => {
                    Self { parts: so_far.map_or(0, |so_far| so_far.parts) + 1, differing_parts, mip, layer, told }
                }
            });
        }
        compared.ok_or_else(|| Failure::usage("nothing was compared: the files hold no picture"))
    }

    pub(super) fn is_same(&self) -> bool {
        self.told.is_same()
    }

    pub(super) fn criterion(&self) -> &'static str {
        self.told.criterion()
    }

    /// Result, with its mip and layer where there are several.
    pub(super) fn message(&self) -> String {
        let Self { parts, differing_parts, mip, layer, told } = self;
        match (parts, told.is_same()) {
            (0 | 1, _) => told.message(),
            (_, true) => format!("{} of all layers: {}", counted(*parts, "mip"), told.message()),
            (_, false) => {
                let message = told.message();
                format!(
                    "{differing_parts} of {parts} mips of all layers differ; first mip {mip} of layer {layer}: {message}"
                )
            }
        }
    }

    /// The first pictures that differ, where they are of colours; the last if none does.
    pub(super) fn colors(&self) -> Option<(&Picture, &Picture, &Judgement)> {
        match &self.told {
            PartComparison::Colors { a, b, judgement } => Some((a, b, judgement)),
            PartComparison::Extent { .. } | PartComparison::Floats(_) => None,
        }
    }

    /// Members of the JSON line that say what was found.
    pub(super) fn members(&self) -> Map<String, Value> {
        let colors = self.colors().and_then(|(.., judgement)| judgement.difference.as_ref());
        let floats = match &self.told {
            PartComparison::Floats(Ok(difference)) => Some(difference),
            _ => None,
        };
        let finding = match floats {
            Some(difference) if difference.worst.is_none() => Some("equal"),
            Some(_) => Some("different"),
            None => colors.map(|colors| colors.finding().name()),
        };
        let worst = floats.and_then(|floats| floats.worst.as_ref());
        let worst_pixel =
            worst.map(|worst| [worst.x, worst.y]).or(colors.and_then(|d| d.worst).map(|worst| [worst.x, worst.y]));
        let members = json!({
            "finding": finding,
            "pixels": colors.map(|d| d.pixels).or(floats.map(|d| d.pixels)),
            "differing": colors.map(|d| d.differing).or(floats.map(|d| d.differing)),
            "largest_steps": colors.map(|d| d.largest_steps),
            "outliers": colors.map(|d| d.histogram.beyond(d.cluster_step)),
            "largest_cluster": colors.map(|d| d.largest_cluster),
            "coverage_moved": colors.map(|d| d.coverage_moved),
            "similarity": self.colors().and_then(|(.., judgement)| judgement.similarity).map(|found| found.score),
            "largest_difference": worst.map(|worst| real_to_json(worst.difference)),
            "worst": worst_pixel, "mip": self.mip, "layer": self.layer, "parts": self.parts,
            "differing_parts": self.differing_parts,
        });
        match members {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }
}

fn compare_parts(
    [a, b]: [StoredPicture; 2],
    [name_a, name_b]: [&Path; 2],
    (check, float_tolerance): (Check, f32),
) -> Result<PartComparison, Failure> {
    if a.is_depth() != b.is_depth() {
        let name = if a.is_depth() { name_a } else { name_b };
        let message = "the file holds depth, and the other colours: expected two of one kind";
        return Err(Failure::usage(format!("cannot read {}: {message}", name.display())));
    }
    let floats = |picture: StoredPicture| match picture {
        StoredPicture::Color(picture) => FloatImage::of_picture(&picture),
        StoredPicture::Floats(floats) => floats,
    };
    Ok(match (a, b) {
        (StoredPicture::Color(a), StoredPicture::Color(b)) => {
            let judgement = Box::new(judge(&a, &b, &[], check));
            PartComparison::Colors { a, b, judgement }
        }
        (a, b) => PartComparison::Floats(compare_floats(&floats(a), &floats(b), float_tolerance)),
    })
}
