//! Arrays with the same number of rows as a stream of Arrow batches.

use std::sync::Arc;

use arrow_array::{
    make_array, ArrayRef, BooleanArray, FixedSizeListArray, RecordBatch, RecordBatchReader,
};
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{Array, DType};
use crate::failure::Failure;

const BATCH_ROWS: i64 = 1 << 16;

/// A stream of batches; each array is a field.
pub struct ArrayRows {
    schema: SchemaRef,
    arrays: Vec<Array>,
    next: i64,
    rows: i64,
}

impl ArrayRows {
    /// Names and arrays. Rows of more than one number become fixed-size lists.
    pub fn new(fields: Vec<(String, Array)>) -> Result<Self, Failure> {
        let rows = fields.first().map_or(0, |(_, array)| array.rows());
        let mut schema = Vec::new();
        let mut arrays = Vec::new();
        for (name, array) in fields {
            if array.shape.is_empty() || array.rows() != rows {
                return Err(Failure::invalid(format!(
                    "{name}: the shape is {:?}, expected {rows} rows",
                    array.shape
                )));
            }
            schema.push(Field::new(&name, arrow_type(&name, &array)?, false));
            arrays.push(array);
        }
        Ok(ArrayRows {
            schema: Arc::new(Schema::new(schema)),
            arrays,
            next: 0,
            rows,
        })
    }
}

fn arrow_type(name: &str, array: &Array) -> Result<DataType, Failure> {
    let element = array
        .dtype
        .arrow()
        .ok_or_else(|| Failure::invalid(format!("{name}: Arrow has no {}", array.dtype)))?;
    array.shape[1..]
        .iter()
        .rev()
        .try_fold(element, |inner, &extent| {
            let extent = i32::try_from(extent)
                .map_err(|_| Failure::invalid(format!("{name}: rows of {extent} numbers")))?;
            Ok(DataType::FixedSizeList(
                Arc::new(Field::new("item", inner, false)),
                extent,
            ))
        })
}

/// Some rows, on the array's memory where Arrow can have it so.
fn arrow_rows(
    array: &Array,
    begin: i64,
    end: i64,
    as_type: &DataType,
) -> Result<ArrayRef, ArrowError> {
    let external = |error: String| ArrowError::ExternalError(error.into());
    let part = array.slice(begin..end).map_err(external)?;
    let part = part.into_aligned()?;
    let count = part.count() as usize;
    let element = array.dtype.arrow().unwrap_or(DataType::Null);
    let mut out: ArrayRef = if part.dtype == DType::Bool {
        Arc::new(BooleanArray::from_iter(
            part.bytes().iter().map(|&byte| Some(byte != 0)),
        ))
    } else {
        let bytes = part.bytes();
        let (data, size) = (bytes.as_ptr().cast_mut(), bytes.len());
        let data = std::ptr::NonNull::new(data).unwrap_or(std::ptr::NonNull::dangling());
        // SAFETY: `part` owns these bytes, and lives as long as the buffer.
        let buffer =
            unsafe { Buffer::from_custom_allocation(data, size, Arc::new(part.memory().clone())) };
        let data = arrow_data::ArrayData::builder(element)
            .len(count)
            .add_buffer(buffer)
            .build()?;
        make_array(data)
    };
    let mut levels = Vec::new();
    let mut level = as_type;
    while let DataType::FixedSizeList(item, extent) = level {
        levels.push((item.clone(), *extent));
        level = item.data_type();
    }
    let mut rows = count;
    let mut lengths = Vec::new();
    for (_, extent) in levels.iter().rev() {
        rows = if *extent == 0 {
            0
        } else {
            rows / *extent as usize
        };
        lengths.push(rows);
    }
    for ((item, extent), _) in levels.into_iter().rev().zip(lengths) {
        out = Arc::new(FixedSizeListArray::try_new(item, extent, out, None)?);
    }
    Ok(out)
}

impl Iterator for ArrayRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.rows {
            return None;
        }
        let begin = self.next;
        let end = (begin + BATCH_ROWS).min(self.rows);
        self.next = end;
        let columns: Result<Vec<_>, _> = self
            .arrays
            .iter()
            .zip(self.schema.fields())
            .map(|(array, field)| arrow_rows(array, begin, end, field.data_type()))
            .collect();
        Some(columns.and_then(|columns| RecordBatch::try_new(self.schema.clone(), columns)))
    }
}

impl RecordBatchReader for ArrayRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
