//! How a verb ends that has read annotations.

use crate::cli::exit::Exit;
use crate::error::{Classified, ErrorKind};
use crate::timeline::annotation::AnnotationError;

/// The code of a file that ends early: what its header and what follows say before the damage is a partial result.
pub(in crate::cli) fn after_damage(error: &AnnotationError) -> Exit {
    match error {
        AnnotationError::NoHeader(error) => error.kind().into(),
        AnnotationError::EndsEarly(error) => partial(error.kind()),
    }
}

/// The code of a file that was read up to an error of this kind.
pub(super) fn partial(kind: ErrorKind) -> Exit {
    match kind {
        ErrorKind::Malformed | ErrorKind::CutShort => Exit::Partial,
        kind => kind.into(),
    }
}

/// The code of several files: what weighs most.
pub(super) fn worst(one: Exit, other: Exit) -> Exit {
    let weight = |exit: Exit| [Exit::Done, Exit::Partial, Exit::OverLimit].iter().position(|known| *known == exit);
    let weight = |exit| weight(exit).unwrap_or(usize::MAX);
    if weight(other) > weight(one) { other } else { one }
}
