//! What the front end of a language says of a pair that it refuses.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::ShaderError;
use crate::command::ShaderStage;
use crate::error::{Classified, ErrorKind};

/// Something that is wrong with a pair of shaders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderIssue {
    /// The shader at fault, if it is one of them.
    pub stage: Option<ShaderStage>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// Column, counted from 1.
    pub column: Option<u32>,
    /// One sentence, without the place.
    pub message: String,
}

impl ShaderIssue {
    /// One whose place is not known, or said in the message.
    pub fn without_place(stage: Option<ShaderStage>, message: String) -> Self {
        Self { stage, line: None, column: None, message }
    }
}

/// An error of a language's own front end.
pub trait FrontEnd: Classified + Send + Sync {
    /// What is wrong, each with its place in its text.
    fn issues(&self) -> Vec<ShaderIssue>;
}

/// Any front end's error.
#[derive(Clone, Debug)]
pub struct FrontEndError(Arc<dyn FrontEnd>);

impl FrontEndError {
    /// What is wrong, each with its place in its text.
    pub fn issues(&self) -> Vec<ShaderIssue> {
        self.0.issues()
    }
}

impl<E: FrontEnd + 'static> From<E> for FrontEndError {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for FrontEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for FrontEndError {}

impl Classified for FrontEndError {
    fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    fn offset(&self) -> Option<u64> {
        self.0.offset()
    }
}

impl ShaderError {
    /// What is wrong, each with its place in its text.
    pub fn issues(&self) -> Vec<ShaderIssue> {
        let of = |stage| vec![ShaderIssue::without_place(Some(stage), self.to_string())];
        match self {
            Self::DoesNotCompile { stage, message, line, column, .. } => vec![ShaderIssue {
                stage: Some(*stage),
                line: Some(*line),
                column: Some(*column),
                message: message.clone(),
            }],
            Self::NotUtf8 { stage, .. }
            | Self::NoEntryPoint { stage, .. }
            | Self::OverLimit { stage, .. }
            | Self::CompilerBroke { stage, .. }
            | Self::UnsupportedBinding { stage, .. } => of(*stage),
            Self::StagesDisagree { .. } => of(ShaderStage::Fragment),
            Self::UnknownAttribute { .. } => of(ShaderStage::Vertex),
            Self::FrontEnd { error, .. } => error.issues(),
        }
    }
}
