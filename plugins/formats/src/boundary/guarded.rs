//! Readers that C calls: nothing may unwind into C, and no message may have a NUL.

use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::builder::Reader;
use crate::failure::Failure;

/// A reader whose panics are errors. Nothing comes after an error.
pub struct Guarded {
    reader: Reader,
    ended: bool,
}

impl Guarded {
    pub fn of(reader: Reader) -> Reader {
        Box::new(Guarded {
            reader,
            ended: false,
        })
    }
}

impl Iterator for Guarded {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = catch_unwind(AssertUnwindSafe(|| self.reader.next()))
            .unwrap_or_else(|panic| Some(Err(Failure::of_panic(&panic).into())));
        self.ended = !matches!(next, Some(Ok(_)));
        next.map(|batch| batch.map_err(without_nul))
    }
}

impl RecordBatchReader for Guarded {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

fn without_nul(error: ArrowError) -> ArrowError {
    let words = error.to_string();
    if words.contains('\0') {
        ArrowError::ExternalError(words.replace('\0', "\\0").into())
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::RecordBatchIterator;
    use arrow_schema::Schema;

    use super::*;

    fn guarded(next: impl FnMut() -> Result<RecordBatch, ArrowError> + Send + 'static) -> Reader {
        let schema = Arc::new(Schema::empty());
        Guarded::of(Box::new(RecordBatchIterator::new(
            std::iter::repeat_with(next),
            schema,
        )))
    }

    #[test]
    fn panics_and_nuls_become_errors_and_end_it() {
        let mut panics = guarded(|| panic!("a decoder"));
        let words = panics.next().unwrap().unwrap_err().to_string();
        assert!(words.contains("the reader gave up: a decoder"), "{words}");
        assert!(panics.next().is_none());
        let mut nul = guarded(|| Err(ArrowError::CsvError("1\0".into())));
        assert!(!nul.next().unwrap().unwrap_err().to_string().contains('\0'));
        assert!(nul.next().is_none());
    }
}
