//! Kinds of errors of texts.

use trace_base::error::{Classified, ErrorKind};

use crate::{Fault, GlslError, GlslErrors, LinkError, TextLimit, Unsupported};

impl Classified for GlslErrors {
    fn kind(&self) -> ErrorKind {
        self.first().kind()
    }

    fn offset(&self) -> Option<u64> {
        self.first().offset()
    }
}

impl Classified for GlslError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { fault, .. } => fault.kind(),
            Self::Unsupported { construct, .. } => construct.kind(),
            Self::LimitExceeded { limit, .. } => limit.kind(),
            Self::Internal { .. } => ErrorKind::Internal,
            Self::Link(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(self.place().offset())
    }
}

impl Classified for LinkError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::ReplayFailed
    }

    fn offset(&self) -> Option<u64> {
        Some(self.place().offset())
    }
}

/// Parts of a [`GlslError`], which has the place.
macro_rules! parts {
    ($($part:ident = $kind:ident),*) => {$(
        impl Classified for $part {
            fn kind(&self) -> ErrorKind {
                ErrorKind::$kind
            }

            fn offset(&self) -> Option<u64> {
                None
            }
        }
    )*};
}

parts!(Fault = ReplayFailed, Unsupported = Unsupported, TextLimit = OverLimit);
