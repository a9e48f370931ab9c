//! How long the arguments of an event type are, worked out once when the type is defined.
//!
//! Records carry no length, so every reader must know the size of every argument list. Most lists are numbers only and
//! have one size; a [`Layout`] says so in one field, and otherwise gives the few steps that it takes to find the end:
//!
//! ```text
//! uint8 a, utf8 b, uint16[] c, float32 d        packed:   Skip 1 · Utf8 · Array of 2 · Skip 4
//!                                               aligned:  Skip 4 · String number · Array of 2 · Skip 4
//! ```

use super::signature::{Argument, ArgumentKind};

/// How the arguments of one event buffer are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Format 3: no padding, strings in place, 2-byte wire ids.
    Packed,
    /// Little-endian format 10: 4-byte slots, strings by number, 4-byte wire ids.
    Aligned,
}

/// One step on the way to the end of an argument list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayoutStep {
    /// This many bytes of numbers, beginning with the argument of this index.
    Skip { bytes: usize, first: usize },
    /// Packed Latin-1 string: byte count, bytes.
    Ascii,
    /// Packed string: unit count, byte count, bytes.
    Utf8,
    /// As [`LayoutStep::Utf8`], holding JSON.
    Json,
    /// Number of a string in the table.
    StringNumber,
    /// Number of a string that holds JSON.
    JsonNumber,
    /// Element count and elements of this many bytes each.
    Array { element_bytes: usize },
}

/// The compiled size rule of an argument list in one [`Form`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    steps: Box<[LayoutStep]>,
    fixed_bytes: Option<usize>,
}

impl Layout {
    pub(super) fn compile(arguments: &[Argument], form: Form) -> Self {
        let mut steps = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let step = match form {
                Form::Packed => packed_step(argument.kind),
                Form::Aligned => aligned_step(argument.kind),
            };
            match (step, steps.last_mut()) {
                (LayoutStep::Skip { bytes, .. }, Some(LayoutStep::Skip { bytes: run, .. })) => *run += bytes,
                (LayoutStep::Skip { bytes, .. }, _) => steps.push(LayoutStep::Skip { bytes, first: index }),
                _ => steps.push(step),
            }
        }
        let fixed_bytes = match *steps.as_slice() {
            [] => Some(0),
            [LayoutStep::Skip { bytes, .. }] => Some(bytes),
            _ => None,
        };
        Self { steps: steps.into(), fixed_bytes }
    }

    /// Size of the argument list in bytes, when it is the same for every record and holds nothing to check.
    pub fn fixed_bytes(&self) -> Option<usize> {
        self.fixed_bytes
    }

    pub(super) fn steps(&self) -> &[LayoutStep] {
        &self.steps
    }
}

/// Size of a number or boolean, the only kinds that a [`LayoutStep::Skip`] covers.
pub(super) fn number_bytes(kind: ArgumentKind, form: Form) -> usize {
    match (form, kind) {
        (Form::Aligned, _) | (_, ArgumentKind::FlowId | ArgumentKind::Time32) => 4,
        (_, ArgumentKind::Scalar(scalar)) => scalar.size_bytes(),
        _ => 1,
    }
}

fn packed_step(kind: ArgumentKind) -> LayoutStep {
    match kind {
        ArgumentKind::Ascii => LayoutStep::Ascii,
        ArgumentKind::Utf8 => LayoutStep::Utf8,
        ArgumentKind::Any => LayoutStep::Json,
        ArgumentKind::Array(scalar) => LayoutStep::Array { element_bytes: scalar.size_bytes() },
        _ => LayoutStep::Skip { bytes: number_bytes(kind, Form::Packed), first: 0 },
    }
}

fn aligned_step(kind: ArgumentKind) -> LayoutStep {
    match kind {
        ArgumentKind::Ascii | ArgumentKind::Utf8 => LayoutStep::StringNumber,
        ArgumentKind::Any => LayoutStep::JsonNumber,
        ArgumentKind::Array(scalar) => LayoutStep::Array { element_bytes: scalar.size_bytes() },
        _ => LayoutStep::Skip { bytes: 4, first: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::{TypeSet, parse_signature};
    use super::*;

    fn layout(text: &str, form: Form) -> Layout {
        Layout::compile(&parse_signature(text, TypeSet::Late).unwrap(), form)
    }

    #[test]
    fn numbers_have_one_size() {
        assert_eq!(layout("bool a, uint16 b, float32 c, flowId d", Form::Packed).fixed_bytes(), Some(11));
        assert_eq!(layout("bool a, uint16 b, float32 c, flowId d", Form::Aligned).fixed_bytes(), Some(16));
        assert_eq!(layout("", Form::Packed).fixed_bytes(), Some(0));
    }

    #[test]
    fn runs_of_numbers_are_one_step() {
        let layout = layout("uint8 a, int16 b, any c, uint32 d", Form::Packed);
        assert_eq!(
            layout.steps(),
            [LayoutStep::Skip { bytes: 3, first: 0 }, LayoutStep::Json, LayoutStep::Skip { bytes: 4, first: 3 }]
        );
        assert_eq!(layout.fixed_bytes(), None);
    }
}
