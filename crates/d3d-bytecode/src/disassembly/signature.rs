//! Signatures: an element a line.

use std::fmt;

use super::super::operand::{Lane, Mask, MinPrecision};
use super::super::signature::{SignatureElement, Signatures};
use super::super::version::{Dialect, Stage};

/// The signatures by the words that begin them, with the letter of their registers.
pub(in super::super) const SECTIONS: [(&str, char); 3] = [(".input", 'v'), (".output", 'o'), (".patch_constant", 'p')];

/// Writes those that have elements, and where the program begins.
pub(super) fn write_signatures(
    f: &mut fmt::Formatter<'_>,
    signatures: &Signatures,
    (stage, dialect): (Stage, Dialect),
) -> fmt::Result {
    let all = [&signatures.input, &signatures.output, &signatures.patch];
    for ((section, letter), elements) in SECTIONS.iter().zip(all) {
        if elements.is_empty() {
            continue;
        }
        writeln!(f, "{section}")?;
        // In its own dialect the emulator has the lanes that are used there.
        let has_unwritten = dialect != Dialect::Emulator && has_unwritten_lanes(*letter, stage);
        elements.iter().try_for_each(|element| write_element(f, element, *letter, has_unwritten))?;
    }
    f.write_str(if all.iter().all(|elements| elements.is_empty()) { "" } else { ".text\n" })
}

/// Whether the second mask of a signature's elements is of lanes that are never written: in what a stage gives. The text has
/// those that are written instead.
pub(in super::super) fn has_unwritten_lanes(letter: char, stage: Stage) -> bool {
    letter == 'o' || letter == 'p' && stage == Stage::Hull
}

fn write_element(
    f: &mut fmt::Formatter<'_>,
    element: &SignatureElement,
    letter: char,
    has_unwritten: bool,
) -> fmt::Result {
    write!(f, ".param {:?}[{}].{}", element.name, element.index, Letters(element.mask))?;
    match element.register {
        Some(register) => write!(f, ", {letter}{register}")?,
        None => f.write_str(", none")?,
    }
    let flips = if has_unwritten { Mask::ALL.bits() } else { 0 };
    let used = Mask::from_bits(u32::from(element.read_or_unwritten.bits() ^ flips));
    write!(f, ".{}, {}", Letters(used), element.component_type)?;
    if let Some(value) = element.system_value {
        write!(f, ", {value}")?;
    }
    if element.stream != 0 {
        write!(f, ", stream {}", element.stream)?;
    }
    match element.precision {
        MinPrecision::Default => {}
        precision => write!(f, ", {}", precision.name())?,
    }
    f.write_str("\n")
}

/// The letters of a mask.
struct Letters(Mask);

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.lanes().map(Lane::letter).try_for_each(|letter| write!(f, "{letter}"))
    }
}
