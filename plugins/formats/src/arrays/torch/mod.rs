//! What torch saves: archives of Zip with a pickle and storages, the form before them, and plain
//! pickles with tensors. https://pytorch.org/docs/stable/notes/serialization.html

pub mod frames;
pub mod fused;
pub mod nested;
mod paths;
mod storages;
mod tensors;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::bytes::Scratch;
use super::pickle::{self, Id, Tree};
use super::{Array, Bytes};
use crate::failure::Failure;
use fused::FusedGraph;
use storages::Storages;
pub use tensors::Tensor;

/// The name of an archive's pickle, after the archive's own.
const PICKLE: &str = "/data.pkl";

/// The first two bytes of a pickle since protocol 2, and the last protocol.
const PROTOCOL: u8 = 0x80;
const PROTOCOLS: std::ops::RangeInclusive<u8> = 2..=5;

/// Whether members of an archive of Zip are torch's.
pub fn is_archive(names: &[String]) -> bool {
    names.iter().any(|name| name.ends_with(PICKLE))
}

/// Whether these are the first bytes of a pickle.
pub fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [PROTOCOL, protocol, ..] if PROTOCOLS.contains(protocol))
}

/// A pickle, and where its tensors' numbers are.
pub struct Loaded {
    path: PathBuf,
    tree: Tree,
    storages: Storages,
}

impl Loaded {
    /// A file of torch, or the only pickle of a file.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::of_bytes(path, &Bytes::map(path)?)
    }

    pub fn of_bytes(path: &Path, bytes: &Bytes) -> Result<Self, Failure> {
        let (tree, storages) = if bytes.as_slice().starts_with(b"PK\x03\x04") {
            storages::of_archive(path, bytes)?
        } else if storages::is_legacy(bytes) {
            storages::of_legacy(path, bytes)?
        } else {
            let tree = pickle::read(path, bytes, 0)?;
            if tree.end() != bytes.len() {
                return Err(Failure::of_file(path, "bytes follow the pickle"));
            }
            (tree, Storages::None)
        };
        Ok(Loaded {
            path: path.to_owned(),
            tree,
            storages,
        })
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tensor or NumPy array that a value is; None: it is none.
    pub fn tensor(&self, id: Id) -> Result<Option<Tensor>, Failure> {
        tensors::of_value(&self.path, &self.tree, id)
    }

    /// A tensor's numbers, on the file's memory where its form allows it.
    pub fn array(&self, tensor: &Tensor) -> Result<Array, Failure> {
        tensors::open(&self.path, &self.tree, &self.storages, tensor)
    }

    /// The array that a path leads to; without one, the only tensor.
    fn chosen(&self, array: Option<&str>) -> Result<Array, Failure> {
        match array {
            Some(name) if frames::is_one(self) => return frames::column(self, name),
            Some(name) if nested::is_name(name) => return nested::read(self, name),
            _ => {}
        }
        let place = match array {
            Some(path) => self.find(path)?,
            None => self.sole()?,
        };
        match self.tensor(place)? {
            Some(tensor) => self.array(&tensor),
            None => {
                let what = format!("\"{}\" is no tensor", array.unwrap_or(""));
                Err(Failure::of_file(&self.path, what))
            }
        }
    }
}

/// The array that a recipe names. A file of several pickles of tensors is one array: the rows of the
/// first, then those of the second, and so on.
pub fn read(path: &Path, bytes: &Bytes, array: Option<&str>) -> Result<Array, Failure> {
    let plain = is_pickle(bytes.as_slice()) && !storages::is_legacy(bytes);
    if !plain {
        let loaded = Loaded::of_bytes(path, bytes)?;
        return match array {
            Some(name) if fused::is_one(&loaded) => FusedGraph::of(&loaded)?.array(name),
            _ => loaded.chosen(array),
        };
    }
    let first = part_at(path, bytes, 0)?;
    if first.tree.end() == bytes.len() {
        return first.chosen(array);
    }
    if array.is_some() {
        return Err(Failure::invalid(format!(
            "{}: the file is several pickles that are one array, so `array` has no meaning",
            path.display()
        )));
    }
    drop(first);
    joined(path, bytes)
}

/// The dtype and shape of the array in a file with tensors that follow each other, without numbers.
pub fn shape_of_joined(path: &Path) -> Result<(super::DType, Vec<i64>), Failure> {
    let bytes = Bytes::map(path)?;
    let mut found: Option<(super::DType, Vec<i64>)> = None;
    each(path, &bytes, |_, tensor| {
        let tensor = (tensor.dtype, tensor.shape.clone());
        match &mut found {
            None => found = Some(tensor),
            Some(known) => append(path, known, &tensor)?,
        }
        Ok(())
    })?;
    found.ok_or_else(|| Failure::of_file(path, "the file is empty"))
}

fn append(
    path: &Path,
    known: &mut (super::DType, Vec<i64>),
    next: &(super::DType, Vec<i64>),
) -> Result<(), Failure> {
    let same = known.0 == next.0
        && !known.1.is_empty()
        && known.1.get(1..) == next.1.get(1..)
        && known.1.len() == next.1.len();
    let rows = same.then(|| known.1[0].checked_add(next.1[0])).flatten();
    match rows {
        Some(rows) => {
            known.1[0] = rows;
            Ok(())
        }
        None => Err(Failure::of_file(
            path,
            format!(
                "a pickle has {} {:?}, and the ones before it {} {:?}",
                next.0, next.1, known.0, known.1
            ),
        )),
    }
}

fn part_at(path: &Path, bytes: &Bytes, begin: usize) -> Result<Loaded, Failure> {
    Ok(Loaded {
        path: path.to_owned(),
        tree: pickle::read(path, bytes, begin)?,
        storages: Storages::None,
    })
}

/// Calls `each` with the tensors of all pickles.
fn each(
    path: &Path,
    bytes: &Bytes,
    mut each: impl FnMut(&Loaded, &Tensor) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut begin = 0;
    while begin < bytes.len() {
        let part = part_at(path, bytes, begin)?;
        let tensor = part
            .tensor(part.tree.root())?
            .ok_or_else(|| Failure::of_file(path, "a pickle is no tensor"))?;
        each(&part, &tensor)?;
        begin = part.tree.end();
    }
    Ok(())
}

fn joined(path: &Path, bytes: &Bytes) -> Result<Array, Failure> {
    let (dtype, shape) = shape_of_joined(path)?;
    let size = super::bytes_of(dtype, &shape).map_err(|error| Failure::of_file(path, error))?;
    // A tensor's numbers are bytes of the file.
    if size > bytes.len() {
        return Err(Failure::of_file(
            path,
            format!(
                "{dtype} {shape:?} needs {size} bytes, and there are {}",
                bytes.len()
            ),
        ));
    }
    let mut scratch = Scratch::new(size)?;
    let mut at = 0;
    each(path, bytes, |part, tensor| {
        let rows = part.array(tensor)?.into_aligned()?;
        let from = rows.bytes();
        let place = scratch.bytes_mut().get_mut(at..at + from.len());
        match place {
            Some(to) => to.copy_from_slice(from),
            None => return Err(Failure::of_file(path, "the file changed")),
        }
        at += from.len();
        Ok(())
    })?;
    Array::new(dtype, shape, scratch.finish()).map_err(|error| Failure::of_file(path, error))
}
