//! Errors by the lines of the texts, as an editor shows them.

use super::error::{GlslError, LinkError};
use super::source::{Place, Stage};
use crate::command::ShaderStage;
use crate::shader::front_end_error::{FrontEnd, ShaderIssue};

impl FrontEnd for GlslError {
    fn issues(&self) -> Vec<ShaderIssue> {
        match self {
            Self::Invalid { fault, place } => vec![at(place, fault.to_string())],
            Self::Unsupported { construct, place } => vec![at(place, construct.to_string())],
            Self::LimitExceeded { limit, place } => vec![at(place, limit.to_string())],
            Self::Link(error) => link_issues(error),
        }
    }
}

fn link_issues(error: &LinkError) -> Vec<ShaderIssue> {
    match error {
        LinkError::MissingVarying { name, declared, place } => {
            vec![at(place, format!("fragment input '{name}' ({declared}) has no vertex output of that name"))]
        }
        LinkError::Mismatch { what, name, vertex, fragment, vertex_place, fragment_place } => vec![
            at(vertex_place, format!("{what} '{name}' is {vertex} here but {fragment} in the fragment shader")),
            at(fragment_place, format!("{what} '{name}' is {fragment} here but {vertex} in the vertex shader")),
        ],
        LinkError::TooManyVaryings { found, cap, place } => {
            vec![at(place, format!("varyings need {found} locations, expected at most {cap}"))]
        }
        LinkError::LocationTaken { name, location, other, place } => {
            vec![at(place, format!("'{name}' is at location {location}, which '{other}' has"))]
        }
    }
}

fn at(place: &Place, message: String) -> ShaderIssue {
    let stage = match place.stage {
        Stage::Vertex => ShaderStage::Vertex,
        Stage::Fragment => ShaderStage::Fragment,
    };
    let message = match &place.expansion {
        Some(expansion) => format!("{message}, {expansion}"),
        None => message,
    };
    ShaderIssue { stage: Some(stage), line: Some(place.line), column: Some(place.column), message }
}
