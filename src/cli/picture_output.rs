//! Where `--out` says that pictures go.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::whole_file::{is_stdout, is_written_into};
use crate::command::Shown;
use crate::pixels::PictureFormat;

/// Where --out says that pictures go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PictureOutput {
    Stdout,
    File(PathBuf, PictureFormat),
    Folder(PathBuf, PictureFormat),
}

impl PictureOutput {
    /// Understands the value of --out. `several` says that more than one frame may be written.
    pub(crate) fn parse(out: &Path, several: bool) -> Result<Self, Failure> {
        let here = || PathBuf::from(".");
        if is_stdout(out) {
            return Ok(Self::Stdout);
        }
        // A format's name alone.
        if let Some(format) = out.to_str().and_then(PictureFormat::of_extension) {
            return Ok(Self::Folder(here(), format));
        }
        let ends_in_slash = out.as_os_str().as_encoded_bytes().last().is_some_and(|byte| matches!(byte, b'/' | b'\\'));
        if several && !ends_in_slash && !out.is_dir() && PictureFormat::of_path(out).is_some() {
            let out = out.display();
            return Err(Failure::usage(format!(
                "--out {out} names one picture: expected a directory for the pictures of several frames, such as {out}/"
            )));
        }
        if several || ends_in_slash || out.is_dir() {
            return Ok(Self::Folder(out.to_owned(), PictureFormat::Png));
        }
        match PictureFormat::of_path(out) {
            Some(format) => Ok(Self::File(out.to_owned(), format)),
            None if is_written_into(out) => Ok(Self::File(out.to_owned(), PictureFormat::Png)),
            None => Err(Failure::usage(format!(
                "--out {}: expected a name that ends in .png, .exr, .tiff, .webp, .qoi, .rgba or .npy, a directory, -, or one of \
                 these formats' names",
                out.display()
            ))),
        }
    }

    /// The file for one frame, `<stem>.frame0007.png` in a folder, or `<stem>.frame0007.target5.png` of another picture of
    /// it; `None` is stdout.
    pub(crate) fn path_for(&self, trace: &Path, frame: u32, shown: Shown) -> Option<PathBuf> {
        let part = shown.file_part().map_or_else(String::new, |part| format!(".{part}"));
        self.path_named(trace, &format!("frame{frame:04}{part}"))
    }

    /// `<stem>.<name>.png` in a folder; `None` is stdout.
    pub(crate) fn path_named(&self, trace: &Path, name: &str) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(path, _) => Some(path.clone()),
            Self::Folder(folder, format) => {
                let stem = trace.file_stem().unwrap_or(OsStr::new("trace")).to_string_lossy();
                let extension = format.extension();
                Some(folder.join(format!("{stem}.{name}.{extension}")))
            }
        }
    }

    /// The file format.
    pub(crate) fn format(&self) -> PictureFormat {
        match self {
            Self::Stdout => PictureFormat::Png,
            Self::File(_, format) | Self::Folder(_, format) => *format,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(out: &str, several: bool) -> Option<PathBuf> {
        PictureOutput::parse(Path::new(out), several).unwrap().path_for(Path::new("dir/a.b.trace"), 7, Shown::default())
    }

    #[test]
    fn names_say_where_and_how() {
        assert_eq!(path_of("-", false), None);
        assert_eq!(path_of("png", false).unwrap(), Path::new("./a.b.frame0007.png"));
        assert_eq!(path_of("raw", true).unwrap(), Path::new("./a.b.frame0007.rgba"));
        assert_eq!(path_of("x/y.PNG", false).unwrap(), Path::new("x/y.PNG"));
        assert_eq!(path_of("y.rgba", false).unwrap(), Path::new("y.rgba"));
        assert_eq!(path_of("new/", false).unwrap(), Path::new("new/a.b.frame0007.png"));
        assert_eq!(path_of("new", true).unwrap(), Path::new("new/a.b.frame0007.png"));
        assert_eq!(path_of("npy", true).unwrap(), Path::new("./a.b.frame0007.npy"));
        assert_eq!(path_of("y.npy", false).unwrap(), Path::new("y.npy"));
        let target = Shown::Target("5".parse().unwrap());
        let output = PictureOutput::parse(Path::new("new/"), false).unwrap();
        let path = output.path_for(Path::new("a.trace"), 7, target);
        assert_eq!(path.unwrap(), Path::new("new/a.frame0007.target5.png"));
        assert!(PictureOutput::parse(Path::new("picture.jpg"), false).is_err());
        assert!(PictureOutput::parse(Path::new("new.png"), true).is_err());
        assert_eq!(path_of("new.png/", true).unwrap(), Path::new("new.png/a.b.frame0007.png"));
    }
}
