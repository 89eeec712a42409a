//! Edges of a table: numbers of rows as ends, and rows without an end left out.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchReader};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;

use crate::boundary::builder::Reader;
use crate::failure::Failure;

/// What stands for the number of the row in place of a field.
pub const ROW: &str = "#row";

/// Adds the field [`ROW`] where an end asks for it, and leaves out rows where an end is null.
pub struct Ends {
    inner: Reader,
    schema: SchemaRef,
    /// Fields of both ends, in `inner`.
    ends: Vec<usize>,
    numbered: bool,
    skip_nulls: bool,
    next: i64,
}

impl Ends {
    pub fn new(
        inner: Reader,
        source: &str,
        target: &str,
        skip_nulls: bool,
    ) -> Result<Self, Failure> {
        let known = inner.schema();
        let mut fields: Vec<Field> = known
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .collect();
        let mut ends = Vec::new();
        for end in [source, target] {
            if end == ROW {
                continue;
            }
            let place = known
                .index_of(end)
                .map_err(|error| Failure::invalid(error.to_string()))?;
            // Tables of floats have them where integers may be null.
            if skip_nulls && known.field(place).data_type().is_floating() {
                fields[place] = Field::new(end, DataType::Int64, true);
            }
            ends.push(place);
        }
        let numbered = ends.len() < 2;
        if numbered {
            fields.push(Field::new(ROW, DataType::Int64, false));
        }
        Ok(Ends {
            inner,
            schema: Arc::new(Schema::new(fields)),
            ends,
            numbered,
            skip_nulls,
            next: 0,
        })
    }

    fn with_ends(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let rows = batch.num_rows() as i64;
        let mut columns = batch.columns().to_vec();
        let mut valid: Option<NullBuffer> = None;
        for &end in &self.ends {
            if self.skip_nulls && columns[end].data_type().is_floating() {
                columns[end] = integers(&columns[end], batch.schema().field(end).name())?;
            }
            valid = NullBuffer::union(valid.as_ref(), columns[end].logical_nulls().as_ref());
        }
        if self.numbered {
            let numbers = self.next..self.next + rows;
            columns.push(Arc::new(Int64Array::from_iter_values(numbers)));
            self.next += rows;
        }
        let made = RecordBatch::try_new(self.schema.clone(), columns)?;
        match valid {
            Some(valid) if self.skip_nulls && valid.null_count() > 0 => {
                filter_record_batch(&made, &BooleanArray::new(valid.into_inner(), None))
            }
            _ => Ok(made),
        }
    }
}

/// Floats as integers; not-a-number is null.
fn integers(floats: &ArrayRef, name: &str) -> Result<ArrayRef, ArrowError> {
    let all: Vec<Option<f64>> = match floats.data_type() {
        DataType::Float32 => {
            let floats = floats.as_primitive::<Float32Type>().iter();
            floats.map(|float| float.map(f64::from)).collect()
        }
        DataType::Float64 => floats.as_primitive::<Float64Type>().iter().collect(),
        other => {
            let message = format!("field \"{name}\": {other} are no ids");
            return Err(ArrowError::ExternalError(message.into()));
        }
    };
    let mut out = Vec::with_capacity(all.len());
    for float in all {
        let float = float.filter(|float| !float.is_nan());
        let integer = float.map(|float| float as i64);
        if let (Some(float), Some(integer)) = (float, integer) {
            if integer as f64 != float || float.abs() >= 9e15 {
                let message = format!("field \"{name}\": {float} is no id");
                return Err(ArrowError::ExternalError(message.into()));
            }
        }
        out.push(integer);
    }
    Ok(Arc::new(Int64Array::from(out)))
}

impl Iterator for Ends {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.inner.next()?;
        Some(batch.and_then(|batch| self.with_ends(&batch)))
    }
}

impl RecordBatchReader for Ends {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, RecordBatchIterator};

    use super::*;

    fn reader(parents: Vec<Option<f64>>) -> Reader {
        let schema = Arc::new(Schema::new(vec![Field::new("p", DataType::Float64, true)]));
        let batches: Vec<_> = parents
            .chunks(2)
            .map(|part| {
                let column: ArrayRef = Arc::new(Float64Array::from(part.to_vec()));
                RecordBatch::try_new(schema.clone(), vec![column])
            })
            .collect();
        Box::new(RecordBatchIterator::new(batches, schema))
    }

    #[test]
    fn rows_are_numbered_and_nulls_left_out() {
        let inner = reader(vec![Some(3.0), None, Some(f64::NAN), Some(0.0), Some(1.0)]);
        let mut found = Vec::new();
        for batch in Ends::new(inner, ROW, "p", true).unwrap() {
            let batch = batch.unwrap();
            let column = |name| {
                let column = batch.column_by_name(name).unwrap().clone();
                column
                    .as_primitive::<arrow_array::types::Int64Type>()
                    .values()
                    .to_vec()
            };
            found.extend(column(ROW).into_iter().zip(column("p")));
        }
        assert_eq!(found, [(0, 3), (3, 0), (4, 1)]);
    }

    #[test]
    fn numbers_that_are_no_ids() {
        for number in [0.5, 1e300, f64::INFINITY] {
            let mut ends = Ends::new(reader(vec![Some(number)]), ROW, "p", true).unwrap();
            assert!(ends.next().unwrap().is_err());
        }
        assert!(Ends::new(reader(vec![]), ROW, "q", true).is_err());
    }
}
