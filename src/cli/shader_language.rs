//! The languages of shaders as values of options.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

#[cfg(feature = "gpu")]
use crate::shader::LanguageChoice;
use crate::shader::ShaderLanguage;

/// The value of --emit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emit {
    /// The texts of the trace.
    Source(ShaderLanguage),
    /// What the texts are rewritten to.
    Rewritten,
    /// The assembly of bytecode.
    Asm,
}

impl ValueEnum for Emit {
    fn value_variants<'a>() -> &'a [Self] {
        static VALUES: LazyLock<Vec<Emit>> = LazyLock::new(|| {
            ShaderLanguage::ALL.into_iter().map(Emit::Source).chain([Emit::Rewritten, Emit::Asm]).collect()
        });
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Source(language) => language.name(),
            Self::Rewritten => "rewritten",
            Self::Asm => "asm",
        }))
    }
}

/// The values of --shaders.
#[cfg(feature = "gpu")]
impl ValueEnum for LanguageChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static VALUES: LazyLock<Vec<LanguageChoice>> = LazyLock::new(|| LanguageChoice::all().collect());
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// What --shaders is for.
#[cfg(feature = "gpu")]
pub(super) fn shaders_help() -> String {
    let where_both = " if both shaders of a pipeline have it, else ";
    format!("Shader texts to use, of traces that have texts; auto takes {}", ShaderLanguage::titles(where_both))
}

/// What a side of a comparison can be.
#[cfg(feature = "gpu")]
pub(super) fn side_help() -> String {
    format!(
        "Side a: a backend (vulkan, gl, …), optionally with an adapter (gl:llvmpipe), the shader texts to \
            use ({}), a .png of the finished frame, or another trace [default: the trace as it is]",
        language_names()
    )
}

/// The names of all languages.
#[cfg(feature = "gpu")]
pub(super) fn language_names() -> String {
    ShaderLanguage::ALL.map(ShaderLanguage::name).join(", ")
}
