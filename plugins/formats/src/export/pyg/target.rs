//! The file under an archive, which can be given up.

use std::cell::Cell;
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::rc::Rc;

/// A file that takes nothing more after the first error, or when [`GiveUp`] is dropped. From then on all
/// calls succeed, so an archive that is dropped writes nothing and prints no error.
pub struct Target {
    file: File,
    is_over: Rc<Cell<bool>>,
    at: u64,
    end: u64,
}

/// Dropping it gives the file up.
pub struct GiveUp(Rc<Cell<bool>>);

impl Target {
    /// Of an empty file.
    pub fn new(file: File) -> (Self, GiveUp) {
        let is_over = Rc::new(Cell::new(false));
        let target = Target {
            file,
            is_over: is_over.clone(),
            at: 0,
            end: 0,
        };
        (target, GiveUp(is_over))
    }

    pub fn sync(&self) -> Result<()> {
        self.file.sync_all()
    }

    fn unless_over<T>(&mut self, over: T, call: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
        if self.is_over.get() {
            return Ok(over);
        }
        let done = call(&mut self.file);
        if let Err(error) = &done {
            self.is_over.set(error.kind() != ErrorKind::Interrupted);
        }
        done
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.unless_over(bytes.len(), |file| file.write(bytes))?;
        self.at += count as u64;
        self.end = self.end.max(self.at);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.unless_over((), File::flush)
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let at = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
        };
        let at = at.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
        self.at = self.unless_over(at, |file| file.seek(SeekFrom::Start(at)))?;
        Ok(self.at)
    }
}

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.set(true);
    }
}
