//! Where an export goes: first beside the path, and under its name when it is complete.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::fs::{renameat_with, RenameFlags, CWD};
use rustix::io::Errno;
use tempfile::TempDir;

use super::out::write_text;
use crate::failure::{Code, Failure};

/// The file by which an export's folder is known.
pub const MARKER: &str = ".gls-export";
/// The file by which a folder of a dataset is known.
const MANIFEST: &str = "manifest.json";

/// What a format writes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    File,
    Folder {
        format: &'static str,
        /// Whether the export puts an entry of this name into the folder.
        has: fn(&str) -> bool,
    },
}

pub struct Place {
    /// Without a '/' at the end.
    path: PathBuf,
    /// That the path is in.
    folder: PathBuf,
    kind: Kind,
    overwrite: bool,
    name: PathBuf,
    /// Beside the path, and removed at last with what is left in it.
    staging: TempDir,
}

impl Place {
    pub fn new(given: &Path, kind: Kind, overwrite: bool) -> Result<Self, Failure> {
        let path = given.components().as_path();
        let Some(name) = path.file_name() else {
            let words = format!("\"{}\" is no name of a new file or folder", given.display());
            return Err(Failure::invalid(words));
        };
        if matches!(kind, Kind::File) && path.as_os_str() != given.as_os_str() {
            let words = format!("\"{}\" names a folder, expected a file", given.display());
            return Err(Failure::invalid(words));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let error = io::Error::from(io::ErrorKind::NotFound);
            return Err(Failure::io(folder, &error));
        }
        is_occupied(path, folder, kind, overwrite)?;
        let staging = tempfile::Builder::new()
            .prefix(".gls-export-")
            .tempdir_in(folder)
            .map_err(|error| Failure::io(folder, &error))?;
        let place = Place {
            path: path.to_owned(),
            folder: folder.to_owned(),
            kind,
            overwrite,
            name: name.into(),
            staging,
        };
        if let Kind::Folder { format, .. } = kind {
            let staged = place.staged();
            fs::create_dir(&staged).map_err(|error| Failure::io(&staged, &error))?;
            write_text(&staged.join(MARKER), &mark_of(format))?;
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
        if matches!(self.kind, Kind::Folder { .. }) {
            sync_folders(&staged).map_err(|error| self.named(error))?;
        }
        let (path, folder) = (self.path.clone(), self.folder.clone());
        // What is at the path may have changed since the export began.
        if !is_occupied(&path, &folder, self.kind, self.overwrite)? {
            publish_new(&staged, &path)?;
        } else if matches!(self.kind, Kind::File) {
            fs::rename(&staged, &path).map_err(|error| failed(&path, &error))?;
        } else {
            self.exchange(&staged)?;
        }
        sync_folder(&folder)
    }

    /// Takes the place of a folder.
    fn exchange(self, staged: &Path) -> Result<(), Failure> {
        let path = self.path;
        match renameat_with(CWD, staged, CWD, &path, RenameFlags::EXCHANGE) {
            Err(Errno::NOENT) => publish_new(staged, &path),
            Err(error) if has_no_flags(error) => {
                swap(self.staging, staged, &path, |from, to| fs::rename(from, to))
            }
            done => done.map_err(|error| failed(&path, &error.into())),
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path, ""),
        _ => Failure::io(path, error),
    }
}

/// Some systems of files have no flags.
fn has_no_flags(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP].contains(&error)
}

/// Where nothing is.
fn publish_new(staged: &Path, path: &Path) -> Result<(), Failure> {
    match renameat_with(CWD, staged, CWD, path, RenameFlags::NOREPLACE) {
        Err(error) if has_no_flags(error) => {}
        done => return done.map_err(|error| failed(path, &error.into())),
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path, ""));
    }
    fs::rename(staged, path).map_err(|error| failed(path, &error))
}

/// Takes the place of a folder in two steps. Where the second fails, the folder gets its name back.
fn swap(
    staging: TempDir,
    staged: &Path,
    path: &Path,
    rename: impl Fn(&Path, &Path) -> io::Result<()>,
) -> Result<(), Failure> {
    let before = staging.path().join("..before");
    rename(path, &before).map_err(|error| failed(path, &error))?;
    let Err(error) = rename(staged, path) else {
        return Ok(());
    };
    let mut failure = failed(path, &error);
    if let Err(error) = rename(&before, path) {
        let kept = staging.keep();
        failure.message += &format!(
            "; what was there could not get its name back ({error}), and is kept as {}",
            kept.join("..before").display()
        );
    }
    Err(failure)
}

/// Puts a folder's names on the disk.
fn sync_folder(folder: &Path) -> Result<(), Failure> {
    match File::open(folder).and_then(|opened| opened.sync_all()) {
        // Some systems of files cannot do this for folders.
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
            Err(Failure::io(folder, &error))
        }
        _ => Ok(()),
    }
}

fn sync_folders(folder: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder)
}

/// What the marker of a format holds.
fn mark_of(format: &str) -> String {
    format!("gls export {format}\n")
}

fn exists(path: &Path, why: &str) -> Failure {
    let words = format!("{} exists already{why}", path.display());
    Failure::new(Code::AlreadyExists, words)
}

/// Whether something is there that the export may replace. An error: it may not.
fn is_occupied(path: &Path, folder: &Path, kind: Kind, overwrite: bool) -> Result<bool, Failure> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Failure::io(path, &error)),
    };
    if !overwrite {
        return Err(exists(path, ""));
    }
    let folder = fs::canonicalize(folder).map_err(|error| Failure::io(folder, &error))?;
    let mut around = folder.ancestors();
    if let Some(dataset) = around.find(|folder| folder.join(MANIFEST).exists()) {
        let why = format!(", within the dataset {}", dataset.display());
        return Err(exists(path, &why));
    }
    match kind {
        Kind::File if found.is_file() => Ok(true),
        Kind::File => Err(exists(path, ", and is no file")),
        Kind::Folder { .. } if !found.is_dir() => Err(exists(path, ", and is no folder")),
        Kind::Folder { format, has } => {
            check_export(path, format, has)?;
            Ok(true)
        }
    }
}

/// An error for a folder that holds more than an export of the format.
fn check_export(path: &Path, format: &str, has: fn(&str) -> bool) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(path, &error);
    let mut is_empty = true;
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        is_empty = false;
        if name != MARKER && !name.to_str().is_some_and(has) {
            let name = name.to_string_lossy();
            let why = format!(", and has \"{name}\", which no export to {format} writes");
            return Err(exists(path, &why));
        }
    }
    if is_empty {
        return Ok(());
    }
    if !is_marked(&path.join(MARKER), format) {
        let why = format!(", and no file {MARKER} in it names an export to {format}");
        return Err(exists(path, &why));
    }
    match manifest_below(path)? {
        None => Ok(()),
        Some(dataset) => {
            let why = format!(", and has the dataset {}", dataset.display());
            Err(exists(path, &why))
        }
    }
}

fn is_marked(marker: &Path, format: &str) -> bool {
    let expected = mark_of(format);
    if !fs::symlink_metadata(marker).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let mut found = Vec::new();
    let read = File::open(marker).and_then(|file| {
        let most = expected.len() as u64 + 1;
        file.take(most).read_to_end(&mut found)
    });
    read.is_ok() && found == expected.as_bytes()
}

/// The folder of a dataset in a folder.
fn manifest_below(folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let failed = |error: io::Error| Failure::io(folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        if !is_folder && entry.file_name() == MANIFEST {
            return Ok(Some(folder.to_owned()));
        }
        if is_folder {
            if let Some(found) = manifest_below(&entry.path())? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A folder, its place with a file `old`, and what is staged with a file `new`.
    fn staged() -> (TempDir, TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let staging = tempfile::tempdir_in(folder.path()).unwrap();
        let staged = staging.path().join("out");
        for (folder, file) in [(&path, "old"), (&staged, "new")] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(file), "").unwrap();
        }
        (folder, staging, staged, path)
    }

    #[test]
    fn a_failed_swap_loses_nothing() {
        let fails_from = |first: u32, last: u32| {
            let calls = Cell::new(0);
            move |from: &Path, to: &Path| {
                calls.set(calls.get() + 1);
                if (first..=last).contains(&calls.get()) {
                    return Err(io::Error::other("no"));
                }
                fs::rename(from, to)
            }
        };
        for (first, last) in [(1, 1), (2, 2)] {
            let (_folder, staging, staged, path) = staged();
            swap(staging, &staged, &path, fails_from(first, last)).unwrap_err();
            assert!(path.join("old").exists());
        }
        let (_folder, staging, staged_path, path) = staged();
        let failure = swap(staging, &staged_path, &path, fails_from(2, 3)).unwrap_err();
        let kept = failure.message.split_once("is kept as ").unwrap().1;
        assert!(Path::new(kept).join("old").exists());
        let (_folder, staging, staged, path) = staged();
        swap(staging, &staged, &path, fails_from(0, 0)).unwrap();
        assert!(path.join("new").exists() && !path.join("old").exists());
    }

    #[test]
    fn what_comes_or_goes_meanwhile_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let kind = Kind::Folder {
            format: "x",
            has: |_| false,
        };
        fs::create_dir(&path).unwrap();
        let place = Place::new(&path, kind, true).unwrap();
        fs::remove_dir(&path).unwrap();
        place.publish().unwrap();
        assert!(is_marked(&path.join(MARKER), "x"));
        let place = Place::new(&path, kind, true).unwrap();
        fs::write(path.join("mine"), "").unwrap();
        let failure = place.publish().unwrap_err();
        assert_eq!(failure.code, Code::AlreadyExists);
        assert!(path.join("mine").exists());
        fs::remove_dir_all(&path).unwrap();
        let place = Place::new(&path, kind, false).unwrap();
        fs::create_dir(&path).unwrap();
        let failure = place.publish().unwrap_err();
        assert_eq!(failure.code, Code::AlreadyExists);
        assert!(!path.join(MARKER).exists());
    }
}
