//! A case: one trace, its size, and the pictures its frames must have, as `golden.toml` says.
//!
//! ```toml
//! schema = 1
//! trace = "../../fixtures/aerogpu/clears.aerogputrace"   # from this folder; must stay inside the suite's root
//! trace_sha256 = "…"
//! size = "64x64"
//!
//! [recorded]                       # the machine on which hashes decide
//! adapter = "llvmpipe (LLVM 15.0.6, 256 bits)"
//! backend = "vulkan"
//! kind = "cpu"
//! driver = "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)"
//! cpu = "x86-64-v3"
//!
//! [[frame]]
//! index = 0
//! hashes = ["…"]                   # the picture's own
//! added = ["…"]                    # optional; of other pictures that are accepted (`golden approve --add`)
//! picture = "frame0000.png"        # this is the default; a plain file name, of no other frame
//! known_failure = "issue 7: …"     # optional; the frame then fails when it starts passing
//!
//! [[frame.present]]                # optional: another picture of the frame. A frame whose own `hashes`, `picture` and so
//! index = 0                        # on are all left out has only such pictures.
//! scanout = 1                      # the frame's present with this number, to this screen; one of both may be left out
//! hashes = ["…"]                   # and whatever else a frame has
//!
//! [[frame.target]]                 # optional: part of a texture at the frame's end, presented or not
//! resource = "7:0:0"               # handle of the texture or of a view, mip, layer
//! hashes = ["…"]
//!
//! [[frame.check]]                  # optional; the first whose filters fit is used, on every machine
//! backend = "gl"                   # optional filter
//! adapter = "llvmpipe"             # optional filter: part of the name, whatever the case
//! tolerance = 2                    # largest step of a channel, default 0
//! max_differing = 0.01             # share of pixels that may differ at all, default 0.001
//! max_outliers = 3                 # pixels beyond the tolerance, or in which an edge moved, default 0
//! max_cluster = 2                  # outliers that may touch, default 4 (or max_outliers, if that is less)
//! min_similarity = 0.99            # optional: how similar the least similar 16x16 tile of what is beyond must look
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::error::GoldenError;
use super::machine::Machine;
use crate::bytes::read_input;
use crate::command::{FramePicture, ResourceName, Shown};
use crate::format::aerogpu::FrameIndex;
use crate::limits::{MAX_GOLDEN_BYTES, MAX_PICTURE_BYTES};
use crate::pixels::{Check, PictureHash, Size, Tolerance};

/// The name of the file that makes a folder a case.
pub const GOLDEN_FILE: &str = "golden.toml";

/// The layout of golden.toml that this build reads and writes.
pub const GOLDEN_SCHEMA: u32 = 1;

/// One golden.toml, checked.
#[derive(Clone, Debug)]
pub struct Case {
    /// The folder, as the user named it.
    pub folder: PathBuf,
    /// The trace's file.
    pub trace: PathBuf,
    /// SHA-256 of the trace's bytes, as 64 hex digits.
    pub trace_sha256: String,
    /// The target's size.
    pub size: Size,
    /// The machine on which the goldens were made.
    pub recorded: Machine,
    /// The pictures, ascending by frame.
    pub pictures: Vec<GoldenPicture>,
}

/// What one picture of a frame must look like.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenPicture {
    /// Which picture of which frame.
    pub of: FramePicture,
    /// The picture's file name in the case's folder.
    pub picture: String,
    /// The picture's hash. Several, which earlier versions wrote, are accepted, and `golden fsck` names them.
    pub hashes: Vec<PictureHash>,
    /// Further hashes that are accepted.
    pub added: Vec<PictureHash>,
    /// What is allowed besides, on which adapters.
    pub checks: Vec<FilteredCheck>,
    /// Why it is expected to fail.
    pub known_failure: Option<String>,
}

/// A check for some adapters.
#[derive(Clone, Debug, PartialEq)]
pub struct FilteredCheck {
    /// Only on this API.
    pub backend: Option<String>,
    /// Only on adapters whose name contains this.
    pub adapter: Option<String>,
    /// What is allowed there.
    pub check: Check,
}

impl GoldenPicture {
    /// All hashes that are accepted.
    pub fn accepted(&self) -> Vec<PictureHash> {
        [self.hashes.as_slice(), &self.added].concat()
    }

    /// The picture's file, as file systems that don't tell cases apart see it.
    pub(super) fn picture_key(&self) -> String {
        self.picture.to_lowercase()
    }
}

impl Case {
    /// Reads the case in `folder`, whose trace must lie inside `root`.
    pub fn read(folder: &Path, root: &Path) -> Result<Self, GoldenError> {
        let case = Self::read_with_shared_pictures(folder, root)?;
        let mut owners = BTreeMap::new();
        for golden in &case.pictures {
            if owners.insert(golden.picture_key(), golden.of).is_some() {
                let (path, field) = (folder.join(GOLDEN_FILE), format!("frame {}: picture", golden.of));
                let expected = "a picture of its own, so that approving one frame cannot change another \
                    (`golden fsck --force` repairs it)";
                return Err(GoldenError::Field { path, field, found: golden.picture.clone(), expected });
            }
        }
        Ok(case)
    }

    /// The same, where two frames may name one picture.
    pub(super) fn read_with_shared_pictures(folder: &Path, root: &Path) -> Result<Self, GoldenError> {
        let path = folder.join(GOLDEN_FILE);
        let text = read_text_within(&path, MAX_GOLDEN_BYTES)?;
        let file: CaseToml = toml_edit::de::from_str(&text).map_err(|error| {
            // silent: an error without a place is told without one
            let place = error.span().map(|span| line_and_column(&text, span.start)).unwrap_or_default();
            GoldenError::Toml { path: path.clone(), message: format!("{place}{}", error.message().replace('\n', ", ")) }
        })?;
        let reader = Reader { path: &path, folder, root };
        reader.case(file)
    }

    /// The case's name: its folder's.
    pub fn name(&self) -> String {
        name_of(&self.folder)
    }
}

/// The name of the case in `folder`.
pub fn name_of(folder: &Path) -> String {
    // silent: a folder that has no other name is called as it was given
    let whole = || folder.canonicalize().ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
    let last = folder.components().next_back();
    match last {
        Some(Component::Normal(name)) => name.to_string_lossy().into_owned(),
        _ => whole().unwrap_or_else(|| folder.display().to_string()),
    }
}

/// The usual file name of a golden: `frame0000.png`, `frame0000.present0.png`.
pub fn picture_name(of: FramePicture) -> String {
    format!("{}.png", picture_stem(of))
}

/// The same without its ending.
pub(super) fn picture_stem(FramePicture { frame, shown }: FramePicture) -> String {
    match shown.file_part() {
        Some(part) => format!("frame{:04}.{part}", frame.0),
        None => format!("frame{:04}", frame.0),
    }
}

/// Where the new picture of a frame is kept until somebody decides: `frame0000.new.png`.
pub fn new_picture_path(golden: &Path) -> PathBuf {
    golden.with_extension("new.png")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseToml {
    schema: u32,
    trace: String,
    trace_sha256: String,
    size: String,
    recorded: Machine,
    #[serde(default)]
    frame: Vec<FrameToml>,
}

/// What is said of a picture, whichever it is.
struct PictureToml {
    hashes: Option<Vec<String>>,
    added: Option<Vec<String>>,
    picture: Option<String>,
    known_failure: Option<String>,
    check: Option<Vec<CheckToml>>,
}

/// Tables with the keys of a picture beside their own. `serde(flatten)` would let any other key pass.
macro_rules! tables_of_pictures {
    ($($(#[$about:meta])* struct $name:ident { $($(#[$serde:meta])* $key:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($(#[$serde])* $key: $type,)*
            hashes: Option<Vec<String>>,
            added: Option<Vec<String>>,
            picture: Option<String>,
            known_failure: Option<String>,
            check: Option<Vec<CheckToml>>,
        }

        impl From<$name> for PictureToml {
            fn from(table: $name) -> Self {
                let $name { hashes, added, picture, known_failure, check, .. } = table;
                Self { hashes, added, picture, known_failure, check }
            }
        }
    )*};
}

tables_of_pictures! {
    /// `[[frame]]`
    struct FrameToml {
        index: u32,
        #[serde(default)]
        present: Vec<PresentToml>,
        #[serde(default)]
        target: Vec<TargetToml>,
    }
    /// `[[frame.present]]`
    struct PresentToml {
        index: Option<u32>,
        scanout: Option<u32>,
    }
    /// `[[frame.target]]`
    struct TargetToml {
        resource: ResourceName,
    }
}

impl PictureToml {
    fn is_empty(&self) -> bool {
        let Self { hashes, added, picture, known_failure, check } = self;
        hashes.is_none() && added.is_none() && picture.is_none() && known_failure.is_none() && check.is_none()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckToml {
    backend: Option<String>,
    adapter: Option<String>,
    #[serde(default)]
    tolerance: u8,
    max_differing: Option<f64>,
    #[serde(default)]
    max_outliers: u64,
    max_cluster: Option<u64>,
    min_similarity: Option<f64>,
}

struct Reader<'a> {
    path: &'a Path,
    folder: &'a Path,
    root: &'a Path,
}

impl Reader<'_> {
    fn case(&self, file: CaseToml) -> Result<Case, GoldenError> {
        if file.schema != GOLDEN_SCHEMA {
            return Err(self.field("schema", file.schema, "1, the only schema that this build reads"));
        }
        if parse_hash(&file.trace_sha256).is_none() {
            return Err(self.field("trace_sha256", &file.trace_sha256, "64 lower-case hex digits"));
        }
        let size = parse_size(&file.size).ok_or_else(|| {
            self.field(
                "size",
                &file.size,
                "WIDTHxHEIGHT in pixels, such as 640x480, with at most a gigabyte \
                of pixel data",
            )
        })?;
        let mut seen = BTreeSet::new();
        let mut pictures = Vec::new();
        for frame in file.frame {
            if !seen.insert(frame.index) {
                return Err(self.field("frame.index", frame.index, "each frame once"));
            }
            pictures.extend(self.frame(frame)?);
        }
        if pictures.is_empty() {
            return Err(self.field("frame", "empty", "at least one [[frame]]"));
        }
        pictures.sort_by_key(|golden| golden.of);
        if let Some([_, again]) = pictures.array_windows().find(|[one, other]| one.of == other.of) {
            return Err(self.field("frame", again.of, "each of its pictures once"));
        }
        let trace = self.trace(&file.trace)?;
        let trace_sha256 = file.trace_sha256;
        Ok(Case { folder: self.folder.to_owned(), trace, trace_sha256, size, recorded: file.recorded, pictures })
    }

    fn trace(&self, text: &str) -> Result<PathBuf, GoldenError> {
        if Path::new(text).is_absolute() || text.is_empty() {
            return Err(self.field("trace", text, "a path relative to this folder"));
        }
        let written = self.folder.join(text);
        let real =
            |path: &Path| path.canonicalize().map_err(|source| GoldenError::Read { path: path.to_owned(), source });
        let tidied = tidied(&written);
        // What the path really leads to counts, links included.
        let target = written.canonicalize().map_err(|source| {
            let (path, trace) = (self.path.to_owned(), tidied.clone());
            GoldenError::NoTrace { path, trace, source }
        })?;
        let is_same = tidied.canonicalize().is_ok_and(|tidied| tidied == target);
        let trace = if is_same { tidied } else { written };
        if !target.starts_with(real(self.root)?) {
            let (path, root) = (self.path.to_owned(), self.root.to_owned());
            return Err(GoldenError::OutsideRoot { path, trace, root });
        }
        Ok(trace)
    }

    /// The pictures of a frame.
    fn frame(&self, mut file: FrameToml) -> Result<Vec<GoldenPicture>, GoldenError> {
        let usual = FramePicture::from(FrameIndex(file.index));
        let mut pictures = Vec::new();
        for present in std::mem::take(&mut file.present) {
            let of =
                FramePicture { shown: Shown::Screen { scanout: present.scanout, present: present.index }, ..usual };
            if of == usual {
                let expected = "an index, a scanout or both (leave the table out for the frame's own picture)";
                return Err(self.picture_field(usual, "present", "neither", expected));
            }
            pictures.push(self.picture(of, present.into())?);
        }
        for target in std::mem::take(&mut file.target) {
            let of = FramePicture { shown: Shown::Target(target.resource), ..usual };
            pictures.push(self.picture(of, target.into())?);
        }
        let own = PictureToml::from(file);
        if pictures.is_empty() || !own.is_empty() {
            pictures.push(self.picture(usual, own)?);
        }
        Ok(pictures)
    }

    fn picture(&self, of: FramePicture, file: PictureToml) -> Result<GoldenPicture, GoldenError> {
        let picture = file.picture.unwrap_or_else(|| picture_name(of));
        let mut parts = Path::new(&picture).components();
        let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
        if !is_plain || picture.contains(['/', '\\']) || !picture.ends_with(".png") || picture.ends_with(".new.png") {
            return Err(self.picture_field(of, "picture", picture, "the name of a .png file in this folder"));
        }
        let parse = |field: &'static str, texts: Vec<String>| -> Result<Vec<PictureHash>, GoldenError> {
            let hash = |text: String| {
                parse_hash(&text).ok_or_else(|| self.picture_field(of, field, text, "64 lower-case hex digits each"))
            };
            texts.into_iter().map(hash).collect()
        };
        // silent: a picture may wait for its approval
        let hashes = parse("hashes", file.hashes.unwrap_or_default())?;
        // silent: most pictures accept nothing more
        let added = parse("added", file.added.unwrap_or_default())?;
        if file.known_failure.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
            return Err(self.picture_field(of, "known_failure", "empty", "the reason"));
        }
        let checks = file.check.into_iter().flatten().map(|check| self.check(of, check)).collect::<Result<_, _>>()?;
        Ok(GoldenPicture { of, picture, hashes, added, checks, known_failure: file.known_failure })
    }

    fn check(&self, of: FramePicture, file: CheckToml) -> Result<FilteredCheck, GoldenError> {
        let share = file.max_differing.unwrap_or(Tolerance::OTHER_MACHINE.share_of_pixels);
        for (field, number) in [("max_differing", Some(share)), ("min_similarity", file.min_similarity)] {
            if let Some(number) = number.filter(|number| !(0.0..=1.0).contains(number)) {
                return Err(self.picture_field(of, field, number, "a number from 0 to 1"));
            }
        }
        let cluster = file.max_cluster.unwrap_or(Tolerance::DEFAULT_CLUSTER.min(file.max_outliers));
        let tolerance =
            Tolerance { largest_step: file.tolerance, share_of_pixels: share, outliers: file.max_outliers, cluster };
        let check = Check { tolerance, min_similarity: file.min_similarity };
        Ok(FilteredCheck { backend: file.backend, adapter: file.adapter, check })
    }

    fn picture_field(
        &self,
        of: FramePicture,
        field: &str,
        found: impl ToString,
        expected: &'static str,
    ) -> GoldenError {
        self.field(&format!("frame {of}: {field}"), found, expected)
    }

    fn field(&self, field: &str, found: impl ToString, expected: &'static str) -> GoldenError {
        let (field, found) = (field.to_owned(), found.to_string());
        GoldenError::Field { path: self.path.to_owned(), field, found, expected }
    }
}

/// The text of a file that may have so many bytes.
pub(super) fn read_text_within(path: &Path, limit: u64) -> Result<String, GoldenError> {
    let read = |source| GoldenError::Read { path: path.to_owned(), source };
    let found = fs::metadata(path).map_err(read)?.len();
    if found > limit {
        return Err(GoldenError::TooLong { path: path.to_owned(), found, limit });
    }
    let bytes = read_input(path).map_err(read)?;
    String::from_utf8(bytes).map_err(|error| read(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// The path without `name/..`, for people. With links on the way it may lead elsewhere.
fn tidied(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        let is_name = matches!(tidied.components().next_back(), Some(Component::Normal(_)));
        match component {
            Component::ParentDir if is_name => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

fn line_and_column(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("line {line}, column {column}: ")
}

/// Reads 64 lower-case hex digits.
pub(super) fn parse_hash(text: &str) -> Option<PictureHash> {
    let digits: Vec<u8> = text
        .bytes()
        .map(|digit| b"0123456789abcdef".iter().position(|hex| *hex == digit).map(|n| n as u8))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect();
    // silent: what is no hash is refused by who reads it
    (digits.len() == 64).then(|| bytes.try_into().ok().map(PictureHash)).flatten()
}

fn parse_size(text: &str) -> Option<Size> {
    let (width, height) = text.split_once('x')?;
    // silent: what is no size is refused by who reads it
    let size = Size { width_px: width.parse().ok()?, height_px: height.parse().ok()? };
    (size.pixels() > 0 && size.rgba_bytes() <= MAX_PICTURE_BYTES).then_some(size)
}
