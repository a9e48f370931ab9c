//! Files that appear whole or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::exit::{Exit, Failure};

/// Writes a file under a temporary name beside it and renames it when it is whole.
pub(super) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || -> Result<(), anyhow::Error> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".aerogpu-replay-");
        #[cfg(unix)]
        {
            // A temporary file is private by default; a picture is not. The umask still applies.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        let mut buffered = BufWriter::new(file.as_file_mut());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        file.persist(path)?;
        Ok(())
    };
    attempt()
        .map_err(|error| Failure::new(Exit::ReplayFailed, error).context(format!("cannot write {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        write_file(&path, |out| Ok(out.write_all(b"whole")?)).unwrap();
        write_file(&path, |out| {
            out.write_all(b"half")?;
            anyhow::bail!("no luck")
        })
        .unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
