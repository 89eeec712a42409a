//! A field of a Parquet file as an array, in scratch memory. Rows of lists, which must have one length,
//! become rows of more than one number.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;

use super::bytes::Scratch;
use super::{Array, DType};
use crate::failure::Failure;
use crate::tables;

pub const MAGIC: &[u8] = b"PAR1";

/// The names of the file's fields.
pub fn names(path: &Path) -> Result<Vec<String>, Failure> {
    let schema = tables::parquet_schema(path)?.0;
    Ok(schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect())
}

pub fn read(path: &Path, field: &str) -> Result<Array, Failure> {
    let (schema, rows) = tables::parquet_schema(path)?;
    let text = path
        .to_str()
        .ok_or_else(|| Failure::invalid(format!("{} is not UTF-8", path.display())))?;
    let damaged = |what: String| Failure::of_file(path, format!("field \"{field}\": {what}"));
    let mut made: Option<(DType, Vec<i64>, Scratch)> = None;
    let (mut at, mut found) = (0, 0);
    for batch in tables::open(&[text.to_owned()], &[field.to_owned()], 1)?.results() {
        let batch = batch?;
        if batch.num_rows() == 0 {
            continue;
        }
        let (values, shape) = flat(batch.column(0).clone()).map_err(damaged)?;
        let dtype = dtype_of(values.data_type())
            .ok_or_else(|| damaged(format!("values of {}", values.data_type())))?;
        if made.is_none() {
            let size = shape
                .iter()
                .chain([&rows])
                .try_fold(dtype.size(), |size, &extent| {
                    size.checked_mul(usize::try_from(extent).ok()?)
                })
                .ok_or_else(|| damaged(format!("{rows} rows of {shape:?} numbers")))?;
            made = Some((dtype, shape.clone(), Scratch::new(size)?));
        }
        let Some((known, of_row, scratch)) = &mut made else {
            continue;
        };
        if (dtype, &shape) != (*known, of_row) {
            return Err(damaged(format!(
                "rows of {dtype} {shape:?}, and {known} {of_row:?} before"
            )));
        }
        let size = values.len() * dtype.size();
        let to = scratch.bytes_mut().get_mut(at..at + size);
        let to = to.ok_or_else(|| damaged(format!("there are more than {rows} rows")))?;
        copy(&values, dtype, to);
        at += size;
        found += batch.num_rows() as i64;
    }
    let (dtype, mut shape, scratch) = match made {
        Some(made) => made,
        None => {
            let known = schema
                .field_with_name(field)
                .map_err(|error| Failure::of_file(path, error))?;
            let (dtype, shape) = row_of(known.data_type())
                .ok_or_else(|| damaged(format!("values of {}", known.data_type())))?;
            (dtype, shape, Scratch::new(0)?)
        }
    };
    let bytes = scratch.finish();
    if found != rows {
        let message = format!("there are {found} rows, and the file says {rows}");
        return Err(damaged(message));
    }
    shape.insert(0, rows);
    Array::new(dtype, shape, bytes).map_err(damaged)
}

/// The numbers of all rows, and the shape of a row.
fn flat(mut column: ArrayRef) -> Result<(ArrayRef, Vec<i64>), String> {
    let mut shape = Vec::new();
    loop {
        if column.null_count() > 0 {
            return Err("there are nulls".into());
        }
        match column.data_type() {
            DataType::FixedSizeList(_, width) => {
                shape.push(i64::from(*width));
                let list = column.as_fixed_size_list();
                let width = *width as usize;
                column = list.values().slice(0, list.len() * width);
            }
            DataType::List(_) => {
                let list = column.as_list::<i32>();
                let offsets: Vec<i64> = list.offsets().iter().map(|&at| i64::from(at)).collect();
                shape.push(width_of(&offsets)?);
                column = list.values().slice(
                    offsets[0] as usize,
                    (offsets[offsets.len() - 1] - offsets[0]) as usize,
                );
            }
            DataType::LargeList(_) => {
                let list = column.as_list::<i64>();
                let offsets = list.offsets();
                shape.push(width_of(offsets)?);
                column = list.values().slice(
                    offsets[0] as usize,
                    (offsets[offsets.len() - 1] - offsets[0]) as usize,
                );
            }
            _ => return Ok((column, shape)),
        }
    }
}

fn width_of(offsets: &[i64]) -> Result<i64, String> {
    let mut widths = offsets.windows(2).map(|pair| pair[1] - pair[0]);
    let first = widths.next().unwrap_or(0);
    match widths.find(|&width| width != first) {
        Some(other) => Err(format!("lists of {first} and of {other} numbers")),
        None => Ok(first),
    }
}

/// The type of the numbers in a field, and the dimensions of the array; None: it has no numbers.
pub fn kind_of(mut field: &DataType) -> Option<(DType, usize)> {
    let mut dimensions = 1;
    while let DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) =
        field
    {
        dimensions += 1;
        field = item.data_type();
    }
    Some((dtype_of(field)?, dimensions))
}

/// What rows have that a file does not have: lists without a fixed length are empty.
fn row_of(mut field: &DataType) -> Option<(DType, Vec<i64>)> {
    let mut shape = Vec::new();
    loop {
        let (item, width) = match field {
            DataType::FixedSizeList(item, width) => (item, i64::from(*width)),
            DataType::List(item) | DataType::LargeList(item) => (item, 0),
            _ => return Some((dtype_of(field)?, shape)),
        };
        shape.push(width);
        field = item.data_type();
    }
}

fn dtype_of(arrow: &DataType) -> Option<DType> {
    use DType::*;
    let all = [Bool, U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64];
    all.into_iter()
        .find(|dtype| dtype.arrow().as_ref() == Some(arrow))
}

fn copy(values: &ArrayRef, dtype: DType, to: &mut [u8]) {
    if dtype == DType::Bool {
        let bits = values.as_boolean();
        for (bit, to) in bits.values().iter().zip(to) {
            *to = u8::from(bit);
        }
        return;
    }
    let data = values.to_data();
    let begin = data.offset() * dtype.size();
    to.copy_from_slice(&data.buffers()[0].as_slice()[begin..begin + to.len()]);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{Float32Type, Int64Type};
    use arrow_array::{
        new_empty_array, BooleanArray, FixedSizeListArray, Int16Array, Int64Array, ListArray,
        RecordBatch, StringArray,
    };
    use arrow_schema::Field;
    use parquet::arrow::ArrowWriter;

    use super::*;

    fn lists(rows: &[&[i64]]) -> ArrayRef {
        let rows = rows.iter().map(|row| Some(row.iter().copied().map(Some)));
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows))
    }

    fn written(columns: Vec<(&str, ArrayRef)>) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let out = file.reopen().unwrap();
        let mut writer = ArrowWriter::try_new(out, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.flush().unwrap();
        writer.write(&batch).unwrap(); // a second row group
        writer.close().unwrap();
        file
    }

    #[test]
    fn fields_become_arrays() {
        let file = written(vec![
            ("a", lists(&[&[1, 2, 3], &[4, 5, 6]])),
            ("b", Arc::new(BooleanArray::from(vec![true, false]))),
            ("c", Arc::new(Int16Array::from(vec![7, -8]))),
        ]);
        let path = file.path();
        let array = read(path, "a").unwrap();
        assert_eq!(array.shape, [4, 3]);
        let twice = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6];
        assert_eq!(array.to_i64s().unwrap(), twice);
        let array = read(path, "b").unwrap();
        assert_eq!(array.dtype, DType::Bool);
        assert_eq!(array.to_i64s().unwrap(), [1, 0, 1, 0]);
        assert_eq!(read(path, "c").unwrap().to_i64s().unwrap(), [7, -8, 7, -8]);
        assert_eq!(names(path).unwrap(), ["a", "b", "c"]);
        assert!(read(path, "d").is_err());
    }

    #[test]
    fn the_schema_gives_the_type_of_no_rows() {
        let integers = Arc::new(Int64Array::from(Vec::<i64>::new()));
        let item = Arc::new(Field::new("item", DataType::Int16, false));
        let pairs = FixedSizeListArray::new(item, 2, new_empty_array(&DataType::Int16), None);
        let file = written(vec![
            ("a", integers),
            ("b", Arc::new(pairs)),
            ("c", lists(&[])),
            ("d", Arc::new(StringArray::from(Vec::<&str>::new()))),
        ]);
        for (field, dtype, shape) in [
            ("a", DType::I64, &[0_i64][..]),
            ("b", DType::I16, &[0, 2]),
            ("c", DType::I64, &[0, 0]),
        ] {
            let found = read(file.path(), field).unwrap();
            assert_eq!((found.dtype, &found.shape[..]), (dtype, shape), "{field}");
        }
        assert!(read(file.path(), "d").is_err());
        let file = written(vec![("a", lists(&[&[], &[]]))]);
        assert_eq!(read(file.path(), "a").unwrap().shape, [4, 0]);
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let ragged = lists(&[&[1, 2], &[3]]);
        let nothing = [Some(vec![Some(1.0)]), None];
        let nulls = ListArray::from_iter_primitive::<Float32Type, _, _>(nothing);
        let inner = [Some(vec![Some(1.0)]), Some(vec![None])];
        let inner = ListArray::from_iter_primitive::<Float32Type, _, _>(inner);
        let file = written(vec![
            ("ragged", ragged),
            ("nulls", Arc::new(nulls)),
            ("inner", Arc::new(inner)),
            ("text", Arc::new(StringArray::from(vec!["a", "b"]))),
        ]);
        for (field, expected) in [
            ("ragged", "lists of 2 and of 1"),
            ("nulls", "nulls"),
            ("inner", "nulls"),
            ("text", "Utf8"),
        ] {
            let message = read(file.path(), field).unwrap_err().message;
            assert!(message.contains(expected), "{field}: {message}");
        }
    }
}
