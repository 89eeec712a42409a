//! Columns whose rows lie in several arrays.

use std::path::Path;

use super::model::{ArrayRef, Column, EdgePart};
use crate::arrays::bytes::Scratch;
use crate::arrays::{self, Array, DType};
use crate::failure::Failure;

/// Rows of one array, and where they belong.
struct Rows {
    values: Array,
    /// None: after the rows before.
    places: Option<Places>,
    /// What errors call them.
    file: String,
}

/// The places of rows: integers, of which the first place has `first`.
#[derive(Clone)]
struct Places {
    ids: Array,
    first: i64,
}

/// One array of all parts. `count`: of rows, where it is known.
pub fn gather(column: &Column, count: Option<i64>, folder: &Path) -> Result<Array, Failure> {
    let mut parts = Vec::with_capacity(column.parts.len());
    for part in &column.parts {
        let values = arrays::open(&part.values, folder)?;
        let file = part.values.file.clone();
        parts.push(Rows {
            places: places(part.rows.as_ref(), 0, folder, &values, &file)?,
            values,
            file,
        });
    }
    gather_rows(&parts, count, column.fill)
}

/// Sources and targets of all parts, in order of edge ids. `ends` opens a part's arrays.
pub fn gather_edges(
    parts: &[EdgePart],
    folder: &Path,
    mut ends: impl FnMut(&[ArrayRef]) -> Result<(Array, Array), Failure>,
) -> Result<(Array, Array), Failure> {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    let mut count = 0_i64;
    for part in parts {
        let (source, target) = ends(&part.arrays)?;
        let file = part.arrays[0].file.clone();
        if source.rows() != target.rows() {
            return Err(Failure::invalid(format!(
                "{file}: there are {} sources and {} targets",
                source.rows(),
                target.rows()
            )));
        }
        count = count.saturating_add(source.rows());
        let places = places(part.ids.as_ref(), part.first, folder, &source, &file)?;
        sources.push(Rows {
            values: source,
            places: places.clone(),
            file: file.clone(),
        });
        targets.push(Rows {
            values: target,
            places,
            file,
        });
    }
    // As many rows as edges, and none is missing: no edge comes twice.
    let source = gather_rows(&sources, Some(count), None)?;
    let target = gather_rows(&targets, Some(count), None)?;
    Ok((source, target))
}

fn gather_rows(parts: &[Rows], count: Option<i64>, fill: Option<f64>) -> Result<Array, Failure> {
    let Some(first) = parts.first().map(|part| &part.values) else {
        return Err(Failure::invalid("parts: there are none"));
    };
    let (dtype, of_row) = (first.dtype, first.shape.get(1..).unwrap_or(&[]).to_vec());
    let row_bytes = first.row_bytes();
    let needed = rows_needed(parts)?;
    let rows = count.unwrap_or(needed);
    if needed > rows {
        return Err(Failure::invalid(format!(
            "parts: there are {needed} rows, expected {rows}"
        )));
    }
    let given = parts
        .iter()
        .fold(0_i64, |sum, part| sum.saturating_add(part.values.rows()));
    if fill.is_none() && rows > given {
        return Err(missing(rows - given, rows));
    }
    let mut shape = vec![rows];
    shape.extend(&of_row);
    let size = usize::try_from(rows)
        .ok()
        .and_then(|rows| rows.checked_mul(row_bytes))
        .ok_or_else(|| Failure::invalid(format!("parts: {rows} rows")))?;
    if rows > 0 && row_bytes == 0 {
        return Err(Failure::invalid("parts: rows without numbers"));
    }
    let mut scratch = Scratch::new(size)?;
    // A byte for each row, in scratch memory, too: a small file may ask for many rows.
    let mut seen = Scratch::new(rows as usize)?;
    let seen = seen.bytes_mut();
    let mut next = 0;
    for Rows {
        values,
        places,
        file,
    } in parts
    {
        if values.shape.is_empty() {
            return Err(Failure::invalid(format!("{file}: it has no rows")));
        }
        if values.dtype != dtype || values.shape.get(1..).unwrap_or(&[]) != of_row.as_slice() {
            return Err(Failure::invalid(format!(
                "{file}: it has {} {:?}, and the first part {dtype} {:?}",
                values.dtype, values.shape, first.shape
            )));
        }
        if places.is_none() && values.is_contiguous() {
            let (from, at) = (values.bytes(), next as usize);
            seen[at..at + values.rows() as usize].fill(1);
            scratch.bytes_mut()[at * row_bytes..][..from.len()].copy_from_slice(from);
            next += values.rows();
            continue;
        }
        let mut row = 0;
        let mut put = |place: i64| -> Result<(), Failure> {
            let at = usize::try_from(place)
                .ok()
                .filter(|&at| at < seen.len())
                .ok_or_else(|| {
                    Failure::invalid(format!(
                        "{file}: row {row} belongs to row {place} of {rows}"
                    ))
                })?;
            seen[at] = 1;
            values.copy_row(
                row,
                &mut scratch.bytes_mut()[at * row_bytes..(at + 1) * row_bytes],
            );
            row += 1;
            Ok(())
        };
        match places {
            None => (next..next + values.rows()).try_for_each(put)?,
            Some(Places { ids, first }) => {
                let mut failed = Ok(());
                ids.for_each_i64(|id| {
                    if failed.is_ok() {
                        failed = put(id.saturating_sub(*first));
                    }
                })?;
                failed?;
            }
        }
        next += values.rows();
    }
    if seen.contains(&0) {
        let Some(fill) = fill else {
            let count = seen.iter().filter(|&&seen| seen == 0).count();
            return Err(missing(count as i64, rows));
        };
        let element = element_of(dtype, fill)?;
        for (row, _) in seen.iter().enumerate().filter(|(_, &seen)| seen == 0) {
            let row = &mut scratch.bytes_mut()[row * row_bytes..(row + 1) * row_bytes];
            row.chunks_exact_mut(element.len())
                .for_each(|to| to.copy_from_slice(&element));
        }
    }
    Array::new(dtype, shape, scratch.finish()).map_err(Failure::invalid)
}

fn missing(count: i64, rows: i64) -> Failure {
    Failure::invalid(format!(
        "parts: {count} of {rows} rows are in no part; give `fill`"
    ))
}

fn places(
    named: Option<&ArrayRef>,
    first: i64,
    folder: &Path,
    values: &Array,
    file: &str,
) -> Result<Option<Places>, Failure> {
    let Some(named) = named else {
        return Ok(None);
    };
    let mut ids = arrays::open(named, folder)?;
    if ids.dtype == DType::Bool {
        ids = Array::of_i64(&ids_of(&ids)?)?;
    }
    if ids.shape.len() != 1 || ids.rows() != values.rows() || values.shape.is_empty() {
        return Err(Failure::invalid(format!(
            "{}: rows of shape {:?} are named, and {file} has {:?}",
            named.file, ids.shape, values.shape
        )));
    }
    Ok(Some(Places { ids, first }))
}

fn rows_needed(parts: &[Rows]) -> Result<i64, Failure> {
    let mut needed = 0;
    let mut next = 0;
    for part in parts {
        // Rows without numbers take no memory, so there may be any number.
        next = part.values.rows().saturating_add(next);
        match &part.places {
            None => needed = needed.max(next),
            Some(Places { ids, first }) => ids.for_each_i64(|id| {
                needed = needed.max(id.saturating_sub(*first).saturating_add(1));
            })?,
        }
    }
    Ok(needed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Part;

    /// Parts whose files are the targets 10, 11, ... of the edges with these ids.
    fn gathered(parts: &[&[i64]], first: i64) -> Result<Vec<i64>, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let mut given = Vec::new();
        for (number, ids) in parts.iter().enumerate() {
            let raw = |name: &str, numbers: Vec<i64>| {
                let file = format!("{name}{number}");
                let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
                std::fs::write(folder.path().join(&file), bytes).unwrap();
                ArrayRef {
                    file,
                    dtype: Some("int64".to_owned()),
                    ..Default::default()
                }
            };
            let ends = raw(
                "ends",
                ids.iter()
                    .map(|id| id.wrapping_sub(first).wrapping_add(10))
                    .collect(),
            );
            given.push(EdgePart {
                arrays: vec![ends.clone(), ends],
                ids: Some(raw("ids", ids.to_vec())),
                first,
            });
        }
        let open = |arrays: &[ArrayRef]| {
            let end = |array| arrays::open(array, folder.path());
            Ok((end(&arrays[0])?, end(&arrays[1])?))
        };
        let (source, target) = gather_edges(&given, folder.path(), open)?;
        assert_eq!(source.to_i64s()?, target.to_i64s()?);
        target.to_i64s()
    }

    #[test]
    fn any_number_of_rows_without_numbers_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), b"x").unwrap();
        let part = Part {
            rows: None,
            values: ArrayRef {
                file: "a".to_owned(),
                dtype: Some("uint8".to_owned()),
                shape: Some(vec![i64::MAX, 0]),
                ..Default::default()
            },
        };
        let column = Column {
            parts: vec![part.clone(), part],
            ..Default::default()
        };
        assert!(gather(&column, None, folder.path()).is_err());
    }

    #[test]
    fn edges_come_in_order_of_their_ids() {
        assert_eq!(
            gathered(&[&[3, 0], &[], &[1, 2]], 0).unwrap(),
            [10, 11, 12, 13]
        );
        assert_eq!(gathered(&[&[9], &[7, 8]], 7).unwrap(), [10, 11, 12]);
        for parts in [
            [[0, 1].as_slice(), &[1]],
            [&[0], &[2]],
            [&[0], &[-1]],
            [&[0], &[i64::MAX]],
            [&[0], &[i64::MIN]],
        ] {
            assert!(gathered(&parts, 0).is_err(), "{parts:?}");
        }
    }
}
