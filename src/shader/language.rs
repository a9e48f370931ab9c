//! The languages that shaders come in: whoever lists, chooses, compiles or shows shaders asks this list, and knows no
//! language by name.
//!
//! A language is a module that compiles it, a variant of [`ShaderLanguage`] and what [`ShaderLanguage::facts`] gives
//! for it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{ShaderError, ShaderText};
use super::front_end_error::FrontEndError;
use super::glsl::{EndlessLoop, GlslOptions};
use super::program::Program;
use super::stage::StageModule;
use super::translate::GLSL;
use super::wgsl::WGSL;
use crate::command::ShaderStage;
use crate::format::aerogpu::BlobKind;

/// A language, in the order in which they are preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShaderLanguage {
    /// WebGPU's language.
    #[default]
    Wgsl,
    /// GLSL ES 3.00.
    Glsl,
}

/// What there is to know about a language.
pub struct LanguageFacts {
    /// Its name in options, in JSON and at the end of file names.
    pub name: &'static str,
    /// Its name in sentences, with its version.
    pub title: &'static str,
    /// Its name where there is little room.
    pub short_title: &'static str,
    /// The kind of the blobs that hold it.
    pub blob: BlobKind,
    /// How it becomes a program.
    pub compiler: Compiler,
    /// Finds the loops that nothing ends, as far as the stage's entry point can get to them.
    pub endless_loops: fn(ShaderText<'_>, ShaderStage) -> Result<Vec<EndlessLoop>, ShaderError>,
    /// Gives the WGSL of vertex and fragment shader, where a pair is rewritten to it on its way.
    pub rewrite: Option<Rewrite>,
}

/// How a language becomes a program.
#[derive(Clone, Copy)]
pub enum Compiler {
    /// A stage at a time; [`link`](super::link) joins them. Nothing is remarked.
    Stages(fn(ShaderText<'_>, ShaderStage) -> Result<StageModule, ShaderError>),
    /// Vertex and fragment shader at once. What the texts leave open, and how it was decided, is among the program's
    /// remarks.
    Pairs(fn([ShaderText<'_>; 2], &GlslOptions) -> Result<Program, ShaderError>),
}

/// Gives the WGSL of vertex and fragment shader. It may break, see [`guarded`](super::guarded).
pub type Rewrite = fn([ShaderText<'_>; 2], &GlslOptions) -> Result<[String; 2], FrontEndError>;

impl ShaderLanguage {
    /// Every language, the preferred first.
    pub const ALL: [Self; 2] = [Self::Wgsl, Self::Glsl];

    /// What there is to know about it.
    pub const fn facts(self) -> &'static LanguageFacts {
        match self {
            Self::Wgsl => &WGSL,
            Self::Glsl => &GLSL,
        }
    }

    /// Its name in options and JSON.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language that blobs of this kind are in, if they are shaders that this build compiles.
    pub fn of_blob(kind: BlobKind) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.facts().blob == kind)
    }

    /// The titles of all, the preferred first, with `between` between them.
    pub fn titles(between: &str) -> String {
        Self::ALL.map(|language| language.facts().title).join(between)
    }
}

/// Which of a shader's sources to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LanguageChoice {
    /// The most preferred language that both shaders of a pipeline have.
    #[default]
    Auto,
    /// This language, or none.
    Only(ShaderLanguage),
}

impl LanguageChoice {
    /// Every choice.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Auto].into_iter().chain(ShaderLanguage::ALL.map(Self::Only))
    }

    /// Its name in options and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Only(language) => language.name(),
        }
    }

    /// The languages that may be taken, the preferred first.
    pub fn languages(self) -> impl Iterator<Item = ShaderLanguage> {
        ShaderLanguage::ALL.into_iter().filter(move |language| self == Self::Auto || self == Self::Only(*language))
    }

    /// Whether the preferred language is taken where there is a choice.
    pub fn takes_preferred(self) -> bool {
        self.languages().next() == Some(ShaderLanguage::default())
    }
}

impl fmt::Display for LanguageChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No choice has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchChoice;

impl FromStr for LanguageChoice {
    type Err = NoSuchChoice;

    fn from_str(name: &str) -> Result<Self, NoSuchChoice> {
        Self::all().find(|choice| choice.name() == name).ok_or(NoSuchChoice)
    }
}

impl Serialize for LanguageChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for LanguageChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|NoSuchChoice| {
            let known: Vec<String> = Self::all().map(|choice| format!("`{choice}`")).collect();
            D::Error::custom(format!("unknown variant `{name}`, expected one of {}", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_found_by_its_name_and_its_blobs() {
        for language in ShaderLanguage::ALL {
            assert_eq!(ShaderLanguage::from_name(language.name()), Some(language));
            assert_eq!(ShaderLanguage::of_blob(language.facts().blob), Some(language));
        }
        assert_eq!(ShaderLanguage::from_name("auto"), None);
        assert_eq!(ShaderLanguage::of_blob(BlobKind::BufferData), None);
    }

    #[test]
    fn every_choice_reads_back_from_its_name() {
        for choice in LanguageChoice::all() {
            assert_eq!(choice.name().parse(), Ok(choice));
            let text = serde_json::to_string(&choice).unwrap();
            assert_eq!(serde_json::from_str::<LanguageChoice>(&text).unwrap(), choice);
        }
        let error = serde_json::from_str::<LanguageChoice>("\"hlsl\"").unwrap_err().to_string();
        assert!(error.starts_with("unknown variant `hlsl`, expected one of `auto`, `wgsl`, `glsl`"), "{error}");
    }

    #[test]
    fn only_what_is_less_preferred_passes_the_preferred_by() {
        assert!(LanguageChoice::Auto.takes_preferred());
        assert!(LanguageChoice::Only(ShaderLanguage::Wgsl).takes_preferred());
        assert!(!LanguageChoice::Only(ShaderLanguage::Glsl).takes_preferred());
    }
}
