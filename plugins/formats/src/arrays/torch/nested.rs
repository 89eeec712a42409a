//! A dict of dicts of arrays as a table: one row an array.
//!
//! | array | what |
//! | --- | --- |
//! | "#row" | 0, 1, 2, ... |
//! | "#outer" | the key of the outer dict |
//! | "#inner" | the key of the inner dict |
//! | "#values" | the arrays |

use super::Loaded;
use crate::arrays::bytes::Scratch;
use crate::arrays::pickle::Id;
use crate::arrays::{bytes_of, Array, DType};
use crate::failure::Failure;

const NAMES: [&str; 4] = ["#row", "#outer", "#inner", "#values"];

pub fn is_name(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The type and shape of the first array.
pub fn first(loaded: &Loaded) -> Result<Option<(DType, Vec<i64>)>, Failure> {
    let mut found = None;
    let outcome = for_each(loaded, |_, _, value| {
        let tensor = loaded.tensor(value)?;
        found = tensor.map(|tensor| (tensor.dtype, tensor.shape));
        Ok(false)
    });
    outcome.map(|()| found)
}

/// Calls `each` with the keys and the value of each inner entry, until it returns false.
fn for_each(
    loaded: &Loaded,
    mut each: impl FnMut(Id, Id, Id) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let tree = loaded.tree();
    let wrong = || Failure::of_file(loaded.path(), "it is no dict of dicts of arrays");
    // A pickle may have one dict in many places.
    let mut left = loaded.tree().len();
    for &(outer, inner) in tree.entries(tree.root()).ok_or_else(wrong)? {
        for &(key, value) in tree.entries(inner).ok_or_else(wrong)? {
            left = left.checked_sub(1).ok_or_else(wrong)?;
            if !each(outer, key, value)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

pub fn read(loaded: &Loaded, name: &str) -> Result<Array, Failure> {
    if name == "#values" {
        return values(loaded);
    }
    let wrong = || Failure::of_file(loaded.path(), "a key of its dicts is no integer");
    let mut out = Vec::new();
    for_each(loaded, |outer, inner, _| {
        let key = match name {
            "#outer" => loaded.tree().int(outer),
            "#inner" => loaded.tree().int(inner),
            _ => Some(out.len() as i64),
        };
        out.push(key.ok_or_else(wrong)?);
        Ok(true)
    })?;
    Array::of_i64(&out)
}

fn values(loaded: &Loaded) -> Result<Array, Failure> {
    let wrong = |what: String| Failure::of_file(loaded.path(), what);
    let Some((dtype, of_row)) = first(loaded)? else {
        return Err(wrong("it has no arrays".to_owned()));
    };
    let mut rows = 0;
    for_each(loaded, |_, _, _| {
        rows += 1;
        Ok(true)
    })?;
    let mut shape = vec![rows];
    shape.extend(&of_row);
    let size = bytes_of(dtype, &shape).map_err(wrong)?;
    // The arrays are bytes of the file.
    if size > loaded.tree().size() {
        return Err(wrong(format!(
            "{dtype} {shape:?} is more than the file has"
        )));
    }
    let mut scratch = Scratch::new(size)?;
    let mut at = 0;
    for_each(loaded, |_, _, value| {
        let tensor = loaded.tensor(value)?;
        let tensor = tensor.filter(|tensor| tensor.dtype == dtype && tensor.shape == of_row);
        let tensor = tensor.ok_or_else(|| wrong("its arrays differ in type or shape".into()))?;
        let row = loaded.array(&tensor)?.into_aligned()?;
        let from = row.bytes();
        scratch.bytes_mut()[at..at + from.len()].copy_from_slice(from);
        at += from.len();
        Ok(true)
    })?;
    Array::new(dtype, shape, scratch.finish()).map_err(wrong)
}
