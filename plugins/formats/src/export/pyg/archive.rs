//! The archive of Zip that `torch.save` writes. Members are stored as they are, so that `torch.load` can
//! map them.

use std::io::Write;
use std::path::Path;

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::target::{GiveUp, Target};
use crate::export::out::Put;
use crate::failure::Failure;

/// The folder of all members.
const ROOT: &str = "archive";
/// Where members begin, as torch aligns them.
const ALIGNMENT: u16 = 64;
/// Larger members need the long form of Zip. The limit leaves room for headers.
const MOST_IN_SHORT: u64 = (4 << 30) - (1 << 20);

pub struct Archive<'a> {
    path: &'a Path,
    /// Dropped before the archive.
    give_up: GiveUp,
    zip: ZipWriter<Target>,
}

impl<'a> Archive<'a> {
    pub fn create(path: &'a Path) -> Result<Self, Failure> {
        let file = std::fs::File::create_new(path).map_err(|error| Failure::io(path, &error))?;
        let (target, give_up) = Target::new(file);
        Ok(Archive {
            path,
            give_up,
            zip: ZipWriter::new(target),
        })
    }

    /// Begins a member; its bytes follow.
    pub fn begin(&mut self, name: &str, size: u64) -> Result<(), Failure> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .with_alignment(ALIGNMENT)
            .large_file(size > MOST_IN_SHORT);
        let begun = self.zip.start_file(format!("{ROOT}/{name}"), options);
        begun.map_err(|error| self.failure(error))
    }

    pub fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.begin(name, bytes.len() as u64)?;
        self.put(bytes)
    }

    pub fn finish(self) -> Result<(), Failure> {
        let Archive { path, give_up, zip } = self;
        let target = zip.finish().map_err(|error| failure_of(path, error))?;
        drop(give_up);
        target.sync().map_err(|error| Failure::io(path, &error))
    }

    fn failure(&self, error: ZipError) -> Failure {
        failure_of(self.path, error)
    }
}

impl Put for Archive<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let done = self.zip.write_all(bytes);
        done.map_err(|error| Failure::io(self.path, &error))
    }
}

fn failure_of(path: &Path, error: ZipError) -> Failure {
    match error {
        ZipError::Io(error) => Failure::io(path, &error),
        other => Failure::unsupported(path, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_is_given_up_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pt");
        let size = || std::fs::metadata(&path).unwrap().len();
        let mut archive = Archive::create(&path).unwrap();
        archive.member("whole", &[1; 100]).unwrap();
        archive.begin("cut", 1000).unwrap();
        archive.put(&[2; 10]).unwrap();
        let before = size();
        drop(archive);
        assert_eq!(size(), before);
    }
}
