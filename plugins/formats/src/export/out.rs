//! A file that is written, whose errors name it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

const BUFFER: usize = 1 << 20;

pub struct Out {
    pub path: PathBuf,
    file: BufWriter<File>,
}

impl Out {
    /// A new file, and the folders that it needs.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
        }
        let file = File::create_new(path).map_err(|error| Failure::io(path, &error))?;
        Ok(Out {
            path: path.to_owned(),
            file: BufWriter::with_capacity(BUFFER, file),
        })
    }

    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let done = self.file.write_all(bytes);
        done.map_err(|error| Failure::io(&self.path, &error))
    }

    /// Some systems of files tell of a full disk or quota only when the file is on the disk.
    pub fn finish(mut self) -> Result<(), Failure> {
        let done = self.file.flush();
        done.and_then(|()| self.file.get_ref().sync_all())
            .map_err(|error| Failure::io(&self.path, &error))
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Takes bytes.
pub trait Put {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure>;
}

impl Put for Out {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Out::put(self, bytes)
    }
}

/// Writes a short file.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    let mut out = Out::create(path)?;
    out.put(text.as_bytes())?;
    out.finish()
}
