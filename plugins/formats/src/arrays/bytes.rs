//! Memory that arrays share: of mapped files, or of their own.

use std::fs::File;
use std::panic::RefUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut};

use super::disk;
use super::room::Room;
use crate::failure::Failure;

/// What bytes may lie on. Arrow asks that a panic leaves it whole.
trait Memory: AsRef<[u8]> + Send + Sync + RefUnwindSafe {}
impl<T: AsRef<[u8]> + Send + Sync + RefUnwindSafe> Memory for T {}

/// A range of bytes that stay where they are. Cloning is cheap.
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn Memory>,
    begin: usize,
    end: usize,
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} bytes", self.len())
    }
}

impl Bytes {
    /// A whole file, mapped. The file must not be cut while it is used.
    pub fn map(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
        let metadata = file.metadata().map_err(|error| Failure::io(path, &error))?;
        if !metadata.is_file() {
            return Err(Failure::invalid(format!("{} is no file", path.display())));
        }
        if metadata.len() == 0 {
            return Ok(Self::of_vec(Vec::new()));
        }
        // SAFETY: the map is only read; a change of the file changes numbers and no types.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Failure::io(path, &error))?;
        Ok(Self::of(map))
    }

    pub fn of_vec(bytes: Vec<u8>) -> Self {
        Self::of(bytes)
    }

    /// The memory of an owner that lives as long as the bytes.
    pub fn of_owner(owner: impl AsRef<[u8]> + Send + Sync + RefUnwindSafe + 'static) -> Self {
        Self::of(owner)
    }

    fn of(owner: impl Memory + 'static) -> Self {
        let end = owner.as_ref().len();
        Bytes {
            owner: Arc::new(owner),
            begin: 0,
            end,
        }
    }

    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn as_slice(&self) -> &[u8] {
        &(*self.owner).as_ref()[self.begin..self.end]
    }

    /// Without the first `count` bytes, of which there are enough.
    pub fn after(&self, count: usize) -> Self {
        assert!(count <= self.len());
        Bytes {
            begin: self.begin + count,
            ..self.clone()
        }
    }

    /// A part; None where it does not lie within.
    pub fn part(&self, begin: usize, size: usize) -> Option<Self> {
        let end = begin.checked_add(size)?;
        (end <= self.len()).then(|| Bytes {
            owner: self.owner.clone(),
            begin: self.begin + begin,
            end: self.begin + end,
        })
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

/// New memory, aligned to pages. What has no room in memory lies in a nameless file in
/// [`disk::folder`], so the system can write it back.
pub struct Scratch(Option<Mapped>);

struct Mapped {
    map: MmapMut,
    _room: Option<Room>,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Scratch {
    pub fn new(size: usize) -> Result<Self, Failure> {
        if size == 0 {
            return Ok(Scratch(None));
        }
        let failed = |error: std::io::Error| {
            Failure::new(
                crate::failure::Code::Io,
                format!("{size} bytes of scratch: {error}"),
            )
        };
        let in_memory = Room::take(size).and_then(|room| {
            let map = MmapMut::map_anon(size).ok()?;
            Some(Mapped {
                map,
                _room: Some(room),
            })
        });
        if in_memory.is_some() {
            return Ok(Scratch(in_memory));
        }
        let file = disk::reserved(size).map_err(failed)?;
        // SAFETY: no one else knows the file.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(failed)?;
        Ok(Scratch(Some(Mapped { map, _room: None })))
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.as_mut().map_or(&mut [], |mapped| &mut mapped.map)
    }

    pub fn finish(self) -> Bytes {
        self.0.map_or_else(|| Bytes::of_vec(Vec::new()), Bytes::of)
    }
}
