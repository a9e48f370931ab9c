//! Signatures: an element a line.

use std::fmt;

use super::super::operand::{Lane, Mask, MinPrecision};
use super::super::signature::{SignatureElement, Signatures};

/// The signatures by the words that begin them, with the letter of their registers.
pub(in super::super) const SECTIONS: [(&str, char); 3] = [(".input", 'v'), (".output", 'o'), (".patch_constant", 'p')];

/// Writes those that have elements, and where the program begins.
pub(super) fn write_signatures(f: &mut fmt::Formatter<'_>, signatures: &Signatures) -> fmt::Result {
    let all = [&signatures.input, &signatures.output, &signatures.patch];
    for ((section, letter), elements) in SECTIONS.iter().zip(all) {
        if elements.is_empty() {
            continue;
        }
        writeln!(f, "{section}")?;
        elements.iter().try_for_each(|element| write_element(f, element, *letter))?;
    }
    f.write_str(if all.iter().all(|elements| elements.is_empty()) { "" } else { ".text\n" })
}

fn write_element(f: &mut fmt::Formatter<'_>, element: &SignatureElement, letter: char) -> fmt::Result {
    write!(f, ".param {:?}[{}].{}", element.name, element.index, Letters(element.mask))?;
    match element.register {
        Some(register) => write!(f, ", {letter}{register}")?,
        None => f.write_str(", none")?,
    }
    write!(f, ".{}, {}", Letters(element.read_or_unwritten), element.component_type)?;
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
