//! Opens the array that a recipe names.

use std::path::Path;

use super::{convert, dgl, dgl_graphs, npy, npz, parquet, text, torch, Array, Bytes, DType};
use crate::failure::{Code, Failure};
use crate::recipe::ArrayRef;

/// What a file of arrays is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Npy,
    /// An archive of Zip with NumPy's files.
    Npz,
    /// An archive of Zip with torch's storages, or pickles.
    Torch,
    /// DGL's tensors by name.
    DglTensors,
    /// DGL's graphs, whose arrays have names.
    DglGraphs,
    /// Parquet, whose fields have names.
    Parquet,
}

/// None: of another kind.
pub fn kind_of(bytes: &Bytes) -> Option<Kind> {
    let head = bytes.as_slice();
    if head.starts_with(npy::MAGIC) {
        Some(Kind::Npy)
    } else if head.starts_with(b"PK\x03\x04") {
        let archive = npz::Archive::open(Path::new(""), bytes);
        let is_torch = archive.is_ok_and(|archive| torch::is_archive(&archive.names()));
        Some(if is_torch { Kind::Torch } else { Kind::Npz })
    } else if torch::is_pickle(head) {
        Some(Kind::Torch)
    } else if dgl::begins_with(bytes, dgl::TENSORS_MAGIC) {
        Some(Kind::DglTensors)
    } else if dgl::begins_with(bytes, dgl_graphs::GRAPHS_MAGIC) {
        Some(Kind::DglGraphs)
    } else if head.starts_with(parquet::MAGIC) {
        Some(Kind::Parquet)
    } else {
        None
    }
}

/// The array; names of files are relative to `folder`.
pub fn open(array: &ArrayRef, folder: &Path) -> Result<Array, Failure> {
    let path = folder.join(&array.file);
    let found = read(array, &path)?;
    let mut found = choose(array, found).map_err(|error| Failure::of_file(&path, error))?;
    let wrong = |failure: Failure| Failure {
        message: format!("{}: {}", path.display(), failure.message),
        ..failure
    };
    if let Some(dtype) = &array.cast {
        found = convert::cast(found, dtype).map_err(wrong)?;
    }
    if let Some(quantiles) = &array.quantiles {
        found = convert::above(found, quantiles).map_err(wrong)?;
    }
    Ok(found)
}

fn read(array: &ArrayRef, path: &Path) -> Result<Array, Failure> {
    if let Some(delimiter) = &array.delimiter {
        if array.array.is_some() || array.shape.is_some() || array.offset.is_some() {
            return Err(Failure::invalid(format!(
                "{}: `array`, `shape` and `offset` have no meaning for text",
                path.display()
            )));
        }
        return text::read(path, delimiter, array.dtype.as_deref());
    }
    let bytes = Bytes::map(path)?;
    if let Some(dtype) = &array.dtype {
        return raw(array, dtype, path, &bytes);
    }
    match kind_of(&bytes) {
        Some(Kind::Npy) if array.array.is_none() => npy::read(path, &bytes),
        Some(Kind::Npy) => Err(Failure::invalid(format!(
            "{}: the file is one array, so `array` has no meaning",
            path.display()
        ))),
        Some(Kind::Npz) => {
            let mut archive = npz::Archive::open(path, &bytes)?;
            let name = named(array, path, || npz::names(&archive))?;
            npz::read(&mut archive, &name)
        }
        Some(Kind::Torch) => torch::read(path, &bytes, array.array.as_deref()),
        Some(Kind::DglTensors) => {
            let all = dgl::tensors(path, &bytes)?;
            let names = || all.iter().map(|(name, _)| name.clone()).collect();
            let name = named(array, path, names)?;
            dgl::find(path, all, &name)
        }
        Some(Kind::DglGraphs) => {
            let graphs = dgl_graphs::GraphFile::of_bytes(path, &bytes)?;
            let name = named(array, path, || {
                vec!["0/nodes/...".into(), "labels/...".into()]
            })?;
            graphs.array(&name)
        }
        Some(Kind::Parquet) => {
            let names = parquet::names(path)?;
            parquet::read(path, &named(array, path, || names)?)
        }
        None => Err(Failure::new(
            Code::Unsupported,
            format!(
                "{}: the file has no kind of array that is known",
                path.display()
            ),
        )),
    }
}

/// The name of the array within its file.
fn named(
    array: &ArrayRef,
    path: &Path,
    names: impl FnOnce() -> Vec<String>,
) -> Result<String, Failure> {
    if let Some(name) = &array.array {
        return Ok(name.clone());
    }
    let names = names();
    match names.as_slice() {
        [only] => Ok(only.clone()),
        _ => Err(Failure::invalid(format!(
            "{}: name one of its arrays by `array`: {}",
            path.display(),
            names.join(", ")
        ))),
    }
}

/// Elements without a header.
fn raw(array: &ArrayRef, dtype: &str, path: &Path, bytes: &Bytes) -> Result<Array, Failure> {
    let dtype = DType::of_name(dtype)
        .ok_or_else(|| Failure::invalid(format!("{}: unknown dtype {dtype:?}", path.display())))?;
    let offset = usize::try_from(array.offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let data = bytes
        .part(offset, bytes.len().saturating_sub(offset))
        .ok_or_else(|| Failure::of_file(path, format!("there is no byte {offset}")))?;
    if array.offset.is_none() && kind_of(bytes) == Some(Kind::Npy) {
        let what = "the file is NumPy's and not raw numbers; leave out `dtype`";
        return Err(Failure::of_file(path, what));
    }
    let shape = match &array.shape {
        Some(shape) => shape.clone(),
        None if data.len() % dtype.size() != 0 => {
            let what = format!("{} bytes are no whole number of {dtype}", data.len());
            return Err(Failure::of_file(path, what));
        }
        None => vec![(data.len() / dtype.size()) as i64],
    };
    Array::new(dtype, shape, data).map_err(|error| Failure::of_file(path, error))
}

/// The row, column or rows that are asked for.
fn choose(array: &ArrayRef, mut found: Array) -> Result<Array, String> {
    if let Some([begin, end]) = array.rows {
        found = found.slice(begin..end)?;
    }
    if let Some(row) = array.row {
        found = found.row(row)?;
    }
    if let Some(column) = array.column {
        found = found.column(column)?;
    }
    Ok(found)
}
