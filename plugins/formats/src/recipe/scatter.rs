//! Columns whose rows lie in several arrays.

use std::path::Path;

use super::model::{Column, Part};
use crate::arrays::bytes::Scratch;
use crate::arrays::{self, Array, DType};
use crate::failure::Failure;

/// The rows of a part: those after the part before, or ids.
enum Places {
    After,
    Ids(Vec<i64>),
}

/// One array of all parts. `count`: of rows, where it is known.
pub fn gather(column: &Column, count: Option<i64>, folder: &Path) -> Result<Array, Failure> {
    let mut parts = Vec::with_capacity(column.parts.len());
    for part in &column.parts {
        let values = arrays::open(&part.values, folder)?;
        let places = places(part, folder, &values)?;
        parts.push((part, values, places));
    }
    let Some((_, first, _)) = parts.first() else {
        return Err(Failure::invalid("parts: there are none"));
    };
    let (dtype, of_row) = (first.dtype, first.shape.get(1..).unwrap_or(&[]).to_vec());
    let row_bytes = first.row_bytes();
    let needed = rows_needed(&parts);
    let rows = count.unwrap_or(needed);
    if needed > rows {
        return Err(Failure::invalid(format!(
            "parts: there are {needed} rows, expected {rows}"
        )));
    }
    let mut shape = vec![rows];
    shape.extend(&of_row);
    let size = usize::try_from(rows)
        .ok()
        .and_then(|rows| rows.checked_mul(row_bytes))
        .ok_or_else(|| Failure::invalid(format!("parts: {rows} rows")))?;
    let mut scratch = Scratch::new(size)?;
    let mut seen = vec![false; rows as usize];
    let mut next = 0;
    for (part, values, places) in &parts {
        let file = &part.values.file;
        if values.shape.is_empty() {
            return Err(Failure::invalid(format!("{file}: it has no rows")));
        }
        if values.dtype != dtype || values.shape.get(1..).unwrap_or(&[]) != of_row.as_slice() {
            return Err(Failure::invalid(format!(
                "{file}: it has {} {:?}, and the first part {dtype} {:?}",
                values.dtype, values.shape, first.shape
            )));
        }
        if matches!(places, Places::After) && values.is_contiguous() {
            let (from, at) = (values.bytes(), next as usize);
            seen[at..at + values.rows() as usize].fill(true);
            scratch.bytes_mut()[at * row_bytes..][..from.len()].copy_from_slice(from);
            next += values.rows();
            continue;
        }
        for row in 0..values.rows() {
            let place = match places {
                Places::After => next + row,
                Places::Ids(ids) => ids[row as usize],
            };
            let at = usize::try_from(place)
                .ok()
                .filter(|&at| at < seen.len())
                .ok_or_else(|| {
                    Failure::invalid(format!(
                        "{file}: row {row} belongs to row {place} of {rows}"
                    ))
                })?;
            seen[at] = true;
            values.copy_row(
                row,
                &mut scratch.bytes_mut()[at * row_bytes..(at + 1) * row_bytes],
            );
        }
        next += values.rows();
    }
    if seen.contains(&false) {
        let Some(fill) = column.fill else {
            let missing = seen.iter().filter(|&&seen| !seen).count();
            return Err(Failure::invalid(format!(
                "parts: {missing} of {rows} rows are in no part; give `fill`"
            )));
        };
        let element = element_of(dtype, fill)?;
        for (row, _) in seen.iter().enumerate().filter(|(_, &seen)| !seen) {
            let row = &mut scratch.bytes_mut()[row * row_bytes..(row + 1) * row_bytes];
            row.chunks_exact_mut(element.len())
                .for_each(|to| to.copy_from_slice(&element));
        }
    }
    Array::new(dtype, shape, scratch.finish()).map_err(Failure::invalid)
}

fn places(part: &Part, folder: &Path, values: &Array) -> Result<Places, Failure> {
    let Some(rows) = &part.rows else {
        return Ok(Places::After);
    };
    let ids = ids_of(&arrays::open(rows, folder)?)?;
    if ids.len() as i64 != values.rows() {
        return Err(Failure::invalid(format!(
            "{}: {} rows are named, and {} has {}",
            rows.file,
            ids.len(),
            part.values.file,
            values.rows()
        )));
    }
    Ok(Places::Ids(ids))
}

fn rows_needed(parts: &[(&Part, Array, Places)]) -> i64 {
    let mut needed = 0;
    let mut next = 0;
    for (_, values, places) in parts {
        next += values.rows();
        needed = match places {
            Places::After => needed.max(next),
            Places::Ids(ids) => {
                needed.max(ids.iter().max().map_or(0, |last| last.saturating_add(1)))
            }
        };
    }
    needed
}

/// Ids, or the places of `true`.
pub fn ids_of(array: &Array) -> Result<Vec<i64>, Failure> {
    let all = array.to_i64s()?;
    if array.dtype != DType::Bool {
        return Ok(all);
    }
    let set = all.iter().enumerate().filter(|(_, &bit)| bit != 0);
    Ok(set.map(|(place, _)| place as i64).collect())
}

/// A number as an element.
fn element_of(dtype: DType, number: f64) -> Result<Vec<u8>, Failure> {
    let whole = number as i64;
    let integer = || {
        if whole as f64 == number {
            Ok(whole)
        } else {
            Err(Failure::invalid(format!("fill: {number} is no {dtype}")))
        }
    };
    let narrow = || Failure::invalid(format!("fill: {number} is no {dtype}"));
    Ok(match dtype {
        DType::Bool => vec![u8::from(number != 0.0)],
        DType::U8 => u8::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::I8 => i8::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::U16 => u16::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::I16 => i16::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::U32 => u32::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::I32 => i32::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::U64 => u64::try_from(integer()?)
            .map_err(|_| narrow())?
            .to_ne_bytes()
            .to_vec(),
        DType::I64 => integer()?.to_ne_bytes().to_vec(),
        DType::F16 => half::f16::from_f64(number).to_ne_bytes().to_vec(),
        DType::BF16 => half::bf16::from_f64(number).to_ne_bytes().to_vec(),
        DType::F32 => (number as f32).to_ne_bytes().to_vec(),
        DType::F64 => number.to_ne_bytes().to_vec(),
    })
}
