//! The ways in which files can be laid beside each other, and why that may fail.

use thiserror::Error;

use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// How an annotation is laid beside the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Frame `reference` of the reference is frame `annotation` of the annotation, and so on from there:
    /// `frames` or `frames:A=B`.
    Frames {
        /// First frame of the reference.
        reference: u64,
        /// Its counterpart.
        annotation: u64,
        /// Whether the numbers were given, so that differing counts are meant.
        is_given: bool,
    },
    /// Frames that both files call by the same number are the same frame: `numbers`.
    Numbers,
    /// Frames that hold the same are the same frame, if that is clear: `auto`.
    Content,
    /// The events of this name begin frames, as [`Method::Frames`] says of frames: `mark:NAME` or `mark:NAME:A=B`. What the
    /// last one begins has no end, unless it is a span.
    Mark {
        /// The name.
        name: String,
        /// First frame of the reference.
        reference: u64,
        /// Which event of that name begins it, counted from 0.
        mark: u64,
    },
    /// Tick 0 of the annotation lies so many microseconds after the begin of the common axis: `offset-us:N`. Only where
    /// that axis is time: [`CommonAxis::check_offsets`](crate::CommonAxis::check_offsets).
    OffsetMicros(i64),
}

/// Two files can't be laid beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlignError {
    /// The method is not one that exists.
    #[error("expected auto, frames, frames:A=B, numbers, mark:NAME, mark:NAME:A=B or offset-us:N, found {found:?}")]
    UnknownMethod {
        /// What was given.
        found: String,
    },
    /// The files have different numbers of frames, and nobody said which belong together.
    #[error(
        "expected {reference_frames} as in the trace, found {annotation} in the annotation; if both began together: \
         --align frames; otherwise frames:A=B, numbers, auto or mark:NAME",
        reference_frames = counted(.reference, "frame")
    )]
    CountsDisagree {
        /// Frames of the reference.
        reference: usize,
        /// Frames of the annotation.
        annotation: usize,
    },
    /// The given first frames don't exist.
    #[error("expected frame {wanted} of the {file}, found {count_frames}", count_frames = counted(.count, "frame"))]
    NoSuchFrame {
        /// Which file.
        file: &'static str,
        /// The frame asked for.
        wanted: u64,
        /// How many there are.
        count: usize,
    },
    /// No event has the name.
    #[error("expected events named {name:?} in the annotation, found none")]
    NoSuchMark {
        /// The name.
        name: String,
    },
    /// No frame of one file has the number of one of the other.
    #[error(
        "expected the same frame numbers, found {first} to {last} in the annotation and {reference_frames} from 0 in \
         the trace",
        reference_frames = counted(.reference, "frame")
    )]
    NoSameNumber {
        /// The smallest number in the annotation.
        first: u64,
        /// The greatest.
        last: u64,
        /// Frames of the reference.
        reference: usize,
    },
    /// What the files hold does not say which frames are the same.
    #[error(
        "expected the contents of the frames to match clearly, found no clear answer: {proposals}; align them \
            with one of these, numbers or mark:NAME"
    )]
    NotClear {
        /// What comes nearest, best first.
        proposals: String,
    },
    /// There are too many frames to compare what they hold.
    #[error("expected at most {limit} pairs of frames to compare, found {reference} x {annotation}")]
    TooManyFrames {
        /// Frames of the reference.
        reference: usize,
        /// Frames of the annotation.
        annotation: usize,
        /// The most pairs.
        limit: usize,
    },
    /// An offset in time was given for files without time.
    #[error(
        "expected a file that records time for an offset in µs, found an axis of {unit}; use frames, frames:A=B, \
            numbers or mark:NAME"
    )]
    NoTime {
        /// The unit of its axis.
        unit: &'static str,
    },
    /// An offset in time was given, and nothing says when the trace's frames were.
    #[error(
        "expected a clock in the trace for offset-us:{micros}, found none; use frames, frames:A=B, numbers or \
            mark:NAME, or align another recording with its frames"
    )]
    NoClock {
        /// The offset.
        micros: i64,
    },
}

impl Classified for AlignError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl Method {
    /// Reads the text of `--align`.
    pub fn parse(text: &str) -> Result<Self, AlignError> {
        let unknown = || AlignError::UnknownMethod { found: text.to_owned() };
        if text == "frames" {
            return Ok(Self::Frames { reference: 0, annotation: 0, is_given: true });
        }
        if text == "numbers" {
            return Ok(Self::Numbers);
        }
        if text == "auto" {
            return Ok(Self::Content);
        }
        let pair = |text: &str| {
            let (reference, other) = text.split_once('=')?;
            Some((reference.trim().parse().ok()?, other.trim().parse().ok()?))
        };
        if let Some(frames) = text.strip_prefix("frames:") {
            let (reference, annotation) = pair(frames).ok_or_else(unknown)?;
            return Ok(Self::Frames { reference, annotation, is_given: true });
        }
        if let Some(mark) = text.strip_prefix("mark:").filter(|name| !name.is_empty()) {
            // A name may have colons of its own.
            let with_pair = mark.rsplit_once(':').and_then(|(name, numbers)| Some((name, pair(numbers)?)));
            let (name, (reference, mark)) = with_pair.unwrap_or((mark, (0, 0)));
            return Ok(Self::Mark { name: name.to_owned(), reference, mark });
        }
        let offset = text.strip_prefix("offset-us:").and_then(|number| number.parse().ok());
        offset.map(Self::OffsetMicros).ok_or_else(unknown)
    }
}

impl Method {
    /// Whether it compares what frames hold, and so wants to know what was uploaded in them.
    pub fn compares_contents(&self) -> bool {
        matches!(self, Self::Content)
    }

    /// Whether it matches the annotation's own frames, not events or times.
    pub(super) fn matches_frames(&self) -> bool {
        matches!(self, Self::Frames { .. } | Self::Numbers | Self::Content)
    }
}

impl Default for Method {
    /// Frame by frame, and as many in both.
    fn default() -> Self {
        Self::Frames { reference: 0, annotation: 0, is_given: false }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Frames { reference, annotation, .. } => write!(f, "frames:{reference}={annotation}"),
            Self::Numbers => write!(f, "numbers"),
            Self::Content => write!(f, "auto"),
            Self::Mark { name, reference: 0, mark: 0 } => write!(f, "mark:{name}"),
            Self::Mark { name, reference, mark } => write!(f, "mark:{name}:{reference}={mark}"),
            Self::OffsetMicros(micros) => write!(f, "offset-us:{micros}"),
        }
    }
}
