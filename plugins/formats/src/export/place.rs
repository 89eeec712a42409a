//! Where an export goes: first beside the path, and under its name when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{renameat_with, RenameFlags, CWD};
use rustix::io::Errno;
use tempfile::TempDir;

use crate::failure::{Code, Failure};

/// What a format writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    /// A folder with a file of this name, by which a former export is known.
    Folder {
        mark: &'static str,
    },
}

pub struct Place {
    path: PathBuf,
    /// What is there before; it may be replaced.
    occupied: bool,
    kind: Kind,
    name: PathBuf,
    /// Beside the path, and removed at last with what is left in it.
    staging: TempDir,
}

impl Place {
    pub fn new(path: &Path, kind: Kind, overwrite: bool) -> Result<Self, Failure> {
        let Some(name) = path.file_name() else {
            let words = format!("\"{}\" is no name of a new file or folder", path.display());
            return Err(Failure::invalid(words));
        };
        let occupied = match fs::symlink_metadata(path) {
            Ok(found) => {
                check_replaced(path, &found, kind, overwrite)?;
                true
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(Failure::io(path, &error)),
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let error = io::Error::from(io::ErrorKind::NotFound);
            return Err(Failure::io(folder, &error));
        }
        let staging = tempfile::Builder::new()
            .prefix(".gls-export-")
            .tempdir_in(folder)
            .map_err(|error| Failure::io(folder, &error))?;
        let place = Place {
            path: path.to_owned(),
            occupied,
            kind,
            name: name.into(),
            staging,
        };
        if kind != Kind::File {
            let staged = place.staged();
            fs::create_dir(&staged).map_err(|error| Failure::io(&staged, &error))?;
        }
        Ok(place)
    }

    /// The file or folder to write.
    pub fn staged(&self) -> PathBuf {
        self.staging.path().join(&self.name)
    }

    /// A failure that names the path as the caller knows it.
    pub fn named(&self, mut failure: Failure) -> Failure {
        let (staged, path) = (self.staged(), self.path.display().to_string());
        let staged = staged.display().to_string();
        failure.message = failure.message.replace(&staged, &path);
        failure.file = failure.file.map(|file| file.replace(&staged, &path));
        failure
    }

    /// Gives what is written its name.
    pub fn publish(self) -> Result<(), Failure> {
        let staged = self.staged();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path, ""),
            _ => Failure::io(&self.path, &error),
        };
        let flags = match (self.occupied, self.kind) {
            (false, _) => RenameFlags::NOREPLACE,
            (true, Kind::Folder { .. }) => RenameFlags::EXCHANGE,
            (true, Kind::File) => return fs::rename(&staged, &self.path).map_err(failed),
        };
        match renameat_with(CWD, &staged, CWD, &self.path, flags) {
            // Some systems of files have no flags.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return done.map_err(|error| failed(error.into())),
        }
        if !self.occupied {
            if self.path.exists() {
                return Err(exists(&self.path, ""));
            }
            return fs::rename(&staged, &self.path).map_err(failed);
        }
        let before = self.staging.path().join("..before");
        fs::rename(&self.path, &before).map_err(failed)?;
        fs::rename(&staged, &self.path).map_err(|error| {
            let _ = fs::rename(&before, &self.path);
            failed(error)
        })
    }
}

fn exists(path: &Path, why: &str) -> Failure {
    let words = format!("{} exists already{why}", path.display());
    Failure::new(Code::AlreadyExists, words)
}

/// Only what an export may have written is replaced.
fn check_replaced(
    path: &Path,
    found: &fs::Metadata,
    kind: Kind,
    overwrite: bool,
) -> Result<(), Failure> {
    if !overwrite {
        return Err(exists(path, ""));
    }
    match kind {
        Kind::File if found.is_file() => Ok(()),
        Kind::File => Err(exists(path, ", and is no file")),
        Kind::Folder { .. } if !found.is_dir() => Err(exists(path, ", and is no folder")),
        Kind::Folder { mark } => {
            let mut inside = fs::read_dir(path).map_err(|error| Failure::io(path, &error))?;
            if path.join(mark).is_file() || inside.next().is_none() {
                return Ok(());
            }
            let why = format!(", and is no export of this format: it has no {mark}");
            Err(exists(path, &why))
        }
    }
}
