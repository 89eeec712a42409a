//! The rows of a table that have both ends of an edge.

use std::sync::Arc;

use arrow_array::{Array, BooleanArray, RecordBatch, RecordBatchReader};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;

use crate::boundary::builder::Reader;
use crate::failure::Failure;

struct Present {
    inner: Reader,
    schema: SchemaRef,
    ends: [usize; 2],
}

/// Leaves out rows where one of these fields is null.
pub fn rows(inner: Reader, ends: [&str; 2]) -> Result<Reader, Failure> {
    let given = inner.schema();
    let place = |name: &str| {
        let place = given.index_of(name);
        place.map_err(|_| Failure::invalid(format!("there is no field \"{name}\"")))
    };
    let ends = [place(ends[0])?, place(ends[1])?];
    let mut fields: Vec<Arc<Field>> = given.fields().iter().cloned().collect();
    for end in ends {
        // All are null, so no row is left, and any type of ids will do.
        if *fields[end].data_type() == DataType::Null {
            let name = fields[end].name().clone();
            fields[end] = Arc::new(Field::new(name, DataType::Int64, true));
        }
    }
    Ok(Box::new(Present {
        inner,
        schema: Arc::new(Schema::new(fields)),
        ends,
    }))
}

impl Iterator for Present {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batch = match self.inner.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            let nulls = |end: usize| batch.column(end).logical_nulls();
            let both =
                NullBuffer::union(nulls(self.ends[0]).as_ref(), nulls(self.ends[1]).as_ref());
            let Some(both) = both else {
                return Some(Ok(batch));
            };
            if both.null_count() == both.len() {
                continue;
            }
            let keep: BooleanBuffer = both.into_inner();
            return Some(filter_record_batch(&batch, &BooleanArray::new(keep, None)));
        }
    }
}

impl RecordBatchReader for Present {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, NullArray, RecordBatchIterator};

    use super::*;

    fn table(columns: Vec<Arc<dyn Array>>) -> Reader {
        let fields: Vec<_> = columns
            .iter()
            .zip(["s", "t", "x"])
            .map(|(column, name)| Field::new(name, column.data_type().clone(), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        Box::new(RecordBatchIterator::new([Ok(batch)], schema))
    }

    #[test]
    fn rows_without_an_end_are_left_out() {
        let ints = |values: [Option<i64>; 3]| Arc::new(Int64Array::from(values.to_vec()));
        let (s, t) = (
            ints([Some(1), None, Some(3)]),
            ints([Some(4), Some(5), None]),
        );
        let given = table(vec![s.clone(), t, ints([None, None, None])]);
        let batches: Vec<_> = rows(given, ["s", "t"])
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(batches.len(), 1);
        assert_eq!(
            batches[0].column(1).as_primitive::<Int64Type>().values(),
            &[4]
        );
        assert!(batches[0].column(2).is_null(0));
        let nothing = rows(table(vec![s, Arc::new(NullArray::new(3))]), ["s", "t"]).unwrap();
        assert_eq!(nothing.schema().field(1).data_type(), &DataType::Int64);
        assert_eq!(nothing.count(), 0);
        assert!(rows(table(vec![ints([None; 3])]), ["s", "t"]).is_err());
    }
}
