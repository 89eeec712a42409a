//! Tensors and arrays of NumPy in pickles.

use std::path::Path;

use super::storages::{self, Storages};
use crate::arrays::bytes::Scratch;
use crate::arrays::npy::swapped;
use crate::arrays::pickle::{Class, Id, Tree, Value};
use crate::arrays::{Array, Bytes, DType, MOST_DIMENSIONS};
use crate::failure::Failure;

/// Parameters hold tensors, which hold no parameters again.
const MOST_WRAPPERS: usize = 8;

/// The place of what torch does to a tensor, among the arguments that make it.
const METADATA: usize = 6;

/// Bytes before the numbers of a storage in torch's older form are fewer.
const MOST_HEAD: usize = 4096;

/// What a pickle says of a tensor.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub dtype: DType,
    pub shape: Vec<i64>,
    /// In numbers, for each dimension.
    strides: Vec<usize>,
    /// In numbers.
    offset: usize,
    numbers: Numbers,
}

#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// A storage that the pickle names, or one in bytes of the pickle.
    Storage(Id, Option<DType>),
    /// Bytes of the pickle, and whether they have the other order.
    Raw(Id, bool),
}

/// The tensor that a value is. Sparse ones are Unsupported.
pub fn of_value(path: &Path, tree: &Tree, mut id: Id) -> Result<Option<Tensor>, Failure> {
    for _ in 0..MOST_WRAPPERS {
        let Some((class, args, state)) = tree.object(id) else {
            return Ok(None);
        };
        let wrong = || Failure::of_file(path, "the pickle describes a tensor in an unknown way");
        let found = match class {
            Class::RebuildParameter => {
                id = *args.first().ok_or_else(wrong)?;
                continue;
            }
            // (function, class, arguments of the function, state)
            Class::RebuildFromType => {
                let [function, _, inner, ..] = args else {
                    return Err(wrong());
                };
                match tree.get(*function) {
                    Value::Class(Class::RebuildTensor) => {
                        let args = tree.items(*inner).ok_or_else(wrong)?;
                        check_turns(path, tree, args.get(METADATA))?;
                        of_torch(tree, args, None)
                    }
                    _ => return Err(Failure::unsupported(path, "a tensor of another class")),
                }
            }
            Class::RebuildTensor => {
                check_turns(path, tree, args.get(METADATA))?;
                of_torch(tree, args, None)
            }
            Class::RebuildTensorWithDType => {
                let dtype = args.get(6).map(|&dtype| tree.get(dtype));
                let Some(Value::Class(Class::DType(Some(dtype)))) = dtype else {
                    let what = "a tensor of numbers that GLS does not have";
                    return Err(Failure::unsupported(path, what));
                };
                check_turns(path, tree, args.get(METADATA + 1))?;
                of_torch(tree, args, Some(*dtype))
            }
            Class::RebuildSparse => {
                let what = "a sparse tensor; save its dense form, or its indices and values";
                return Err(Failure::unsupported(path, what));
            }
            Class::Reconstruct => {
                let state = state
                    .and_then(|state| tree.items(state))
                    .ok_or_else(wrong)?;
                let [_, shape, dtype, fortran, raw] = state else {
                    return Err(wrong());
                };
                let fortran = matches!(tree.get(*fortran), Value::Bool(true));
                of_numpy(path, tree, *raw, *dtype, tree.ints(*shape), fortran)?
            }
            Class::FromBuffer => {
                let [raw, dtype, shape, order, ..] = args else {
                    return Err(wrong());
                };
                let fortran = tree.text(*order) == Some("F");
                of_numpy(path, tree, *raw, *dtype, tree.ints(*shape), fortran)?
            }
            Class::Scalar => {
                let [dtype, raw, ..] = args else {
                    return Err(wrong());
                };
                of_numpy(path, tree, *raw, *dtype, Some(Vec::new()), false)?
            }
            _ => return Ok(None),
        };
        return found.ok_or_else(wrong)?.resolved(path, tree).map(Some);
    }
    Ok(None)
}

/// Torch changes such numbers as it loads them: "neg" is for opposite numbers.
fn check_turns(path: &Path, tree: &Tree, metadata: Option<&Id>) -> Result<(), Failure> {
    let entries = metadata.and_then(|&id| tree.entries(id)).unwrap_or(&[]);
    for &(name, value) in entries {
        if !matches!(tree.get(value), Value::Bool(false) | Value::None) {
            let name = tree.text(name).unwrap_or("?");
            let what = format!(
                "a tensor that torch changes when it loads it, by {name:?}; save `tensor + 0`"
            );
            return Err(Failure::unsupported(path, what));
        }
    }
    Ok(())
}

/// (storage, offset, size, stride, ...)
fn of_torch(tree: &Tree, args: &[Id], dtype: Option<DType>) -> Option<Tensor> {
    let [storage, offset, shape, strides, ..] = args else {
        return None;
    };
    let strides: Option<Vec<usize>> = tree
        .ints(*strides)?
        .into_iter()
        .map(|stride| usize::try_from(stride).ok())
        .collect();
    Some(Tensor {
        // The storage says it.
        dtype: dtype.unwrap_or(DType::U8),
        shape: tree.ints(*shape)?,
        strides: strides?,
        offset: usize::try_from(tree.int(*offset)?).ok()?,
        numbers: Numbers::Storage(*storage, dtype),
    })
}

fn of_numpy(
    path: &Path,
    tree: &Tree,
    raw: Id,
    dtype: Id,
    shape: Option<Vec<i64>>,
    fortran: bool,
) -> Result<Option<Tensor>, Failure> {
    let Some((Class::NumpyDType, args, state)) = tree.object(dtype) else {
        return Ok(None);
    };
    let code = args.first().and_then(|&code| tree.text(code)).unwrap_or("");
    let Some(dtype) = DType::of_numpy(code) else {
        let what = format!("an array of NumPy's type {code:?}");
        return Err(Failure::unsupported(path, what));
    };
    let order = state
        .and_then(|state| tree.items(state))
        .and_then(|state| state.get(1))
        .and_then(|&order| tree.text(order));
    let other_order = if cfg!(target_endian = "little") {
        ">"
    } else {
        "<"
    };
    let Some(shape) = shape.filter(|shape| shape.len() <= MOST_DIMENSIONS) else {
        return Ok(None);
    };
    let mut strides = vec![0; shape.len()];
    let mut step = 1_usize;
    let mut dimensions: Vec<usize> = (0..shape.len()).collect();
    if !fortran {
        dimensions.reverse();
    }
    for dimension in dimensions {
        strides[dimension] = step;
        let extent = usize::try_from(shape[dimension]).ok();
        let Some(next) = extent.and_then(|extent| step.checked_mul(extent.max(1))) else {
            return Ok(None);
        };
        step = next;
    }
    Ok(Some(Tensor {
        dtype,
        shape,
        strides,
        offset: 0,
        numbers: Numbers::Raw(raw, order == Some(other_order) && dtype.size() > 1),
    }))
}

impl Tensor {
    /// Checked, with the dtype of its storage.
    fn resolved(mut self, path: &Path, tree: &Tree) -> Result<Self, Failure> {
        let valid = self.shape.len() == self.strides.len()
            && self.shape.len() <= MOST_DIMENSIONS
            && self.shape.iter().all(|&extent| extent >= 0);
        if !valid {
            let what = format!("a tensor's shape is {:?}", self.shape);
            return Err(Failure::of_file(path, what));
        }
        if let Numbers::Storage(id, dtype) = self.numbers {
            self.dtype = match storages::named(path, tree, id, dtype)? {
                Some(storage) => storage.dtype,
                None => dtype_in(path, tree, id, dtype)?,
            };
        }
        Ok(self)
    }
}

/// The value with the bytes of a storage, which has torch's older form there.
fn bytes_in(path: &Path, tree: &Tree, id: Id) -> Result<Id, Failure> {
    match tree.object(id) {
        Some((Class::LoadFromBytes, [raw, ..], _)) => Ok(*raw),
        _ => Err(Failure::of_file(path, "a tensor has no storage")),
    }
}

/// The dtype of a storage in bytes of the pickle, whose first bytes show it.
fn dtype_in(path: &Path, tree: &Tree, id: Id, dtype: Option<DType>) -> Result<DType, Failure> {
    let head = raw_bytes(path, tree, bytes_in(path, tree, id)?, MOST_HEAD)?;
    let head = head.part(0, head.len().min(MOST_HEAD)).unwrap_or(head);
    let (inner, _) = storages::legacy_pickles(path, &head)?;
    let storage = storages::named(path, &inner, inner.root(), dtype)?;
    let storage = storage.ok_or_else(|| Failure::of_file(path, "a tensor has no storage"))?;
    Ok(storage.dtype)
}

fn storage_in(
    path: &Path,
    tree: &Tree,
    id: Id,
    dtype: Option<DType>,
) -> Result<(Storages, storages::StorageRef), Failure> {
    let bytes = raw_bytes(path, tree, bytes_in(path, tree, id)?, usize::MAX)?;
    let (inner, storages) = storages::of_legacy(path, &bytes)?;
    let storage = storages::named(path, &inner, inner.root(), dtype)?;
    let storage = storage.ok_or_else(|| Failure::of_file(path, "a tensor has no storage"))?;
    Ok((storages, storage))
}

/// Bytes, or the first `most` bytes of text of old protocols that stands for them.
fn raw_bytes(path: &Path, tree: &Tree, id: Id, most: usize) -> Result<Bytes, Failure> {
    match tree.get(id) {
        Value::Bytes(run) => return Ok(tree.shared(run)),
        Value::Text(run) => return of_latin(path, tree.run(run), most),
        _ => {}
    }
    if let Some((Class::Encode, [text, ..], _)) = tree.object(id) {
        if let Value::Text(run) = tree.get(*text) {
            return of_latin(path, tree.run(run), most);
        }
    }
    let what = "an array has objects in place of numbers";
    Err(Failure::unsupported(path, what))
}

/// Each character is a byte. Such a character has one or two bytes in UTF-8.
fn of_latin(path: &Path, text: &[u8], most: usize) -> Result<Bytes, Failure> {
    let wrong = || Failure::of_file(path, "text for bytes has other characters");
    let is_second = |byte: &&u8| **byte & 0xc0 == 0x80;
    let mut end = text.len().min(most);
    end += text[end..].iter().take(1).filter(is_second).count();
    let text = &text[..end];
    let seconds = text.iter().filter(is_second).count();
    let mut scratch = Scratch::new(text.len() - seconds)?;
    let mut characters = std::str::from_utf8(text).map_err(|_| wrong())?.chars();
    for to in scratch.bytes_mut() {
        let byte = characters.next().and_then(|next| u8::try_from(next).ok());
        *to = byte.ok_or_else(wrong)?;
    }
    Ok(scratch.finish())
}

/// A tensor's numbers.
pub fn open(
    path: &Path,
    tree: &Tree,
    storages: &Storages,
    tensor: &Tensor,
) -> Result<Array, Failure> {
    let (bytes, other_order) = match tensor.numbers {
        Numbers::Raw(raw, other_order) => (raw_bytes(path, tree, raw, usize::MAX)?, other_order),
        Numbers::Storage(id, dtype) => match storages::named(path, tree, id, dtype)? {
            Some(storage) => storages::open(path, storages, &storage)?,
            None => {
                let (storages, storage) = storage_in(path, tree, id, dtype)?;
                storages::open(path, &storages, &storage)?
            }
        },
    };
    let repeated = tensor
        .shape
        .iter()
        .zip(&tensor.strides)
        .any(|(&extent, &stride)| extent > 1 && stride == 0);
    if repeated {
        let what = "a tensor whose rows share numbers; save a copy of it (`.contiguous()`)";
        return Err(Failure::unsupported(path, what));
    }
    let size = tensor.dtype.size();
    let wrong = |what: String| Failure::of_file(path, what);
    let count_is_zero = tensor.shape.contains(&0);
    let begin = if count_is_zero {
        Some(0)
    } else {
        tensor.offset.checked_mul(size)
    };
    let part = begin.and_then(|begin| bytes.part(begin, bytes.len().checked_sub(begin)?));
    let part = part.ok_or_else(|| wrong("a tensor begins after its storage".to_owned()))?;
    if count_is_zero {
        return Array::new(tensor.dtype, tensor.shape.clone(), part).map_err(wrong);
    }
    let strides: Option<Vec<usize>> = tensor
        .strides
        .iter()
        .map(|stride| stride.checked_mul(size))
        .collect();
    let strides = strides.ok_or_else(|| wrong(format!("strides of {:?}", tensor.strides)))?;
    let array =
        Array::with_strides(tensor.dtype, tensor.shape.clone(), strides, part).map_err(wrong)?;
    if other_order && size > 1 {
        return swapped(array);
    }
    Ok(array)
}
