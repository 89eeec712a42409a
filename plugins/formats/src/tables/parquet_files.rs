//! Parquet: a task for each row group.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::ProjectionMask;

use crate::failure::Failure;
use crate::tables::ordered::Put;

const BATCH_ROWS: usize = 1 << 16;

/// What the end of a file says.
pub struct ParquetFile {
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
            .map_err(|error| Failure::of_file(path, error))?;
        Ok(ParquetFile { metadata })
    }

    pub fn schema(&self) -> SchemaRef {
        self.metadata.schema().clone()
    }

    pub fn num_row_groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    pub fn num_rows(&self) -> i64 {
        self.metadata.metadata().file_metadata().num_rows()
    }

    /// Whether the statistics say that a column of numbers has no null.
    pub fn has_no_null(&self, name: &str) -> bool {
        self.metadata.metadata().row_groups().iter().all(|group| {
            let column = group
                .columns()
                .iter()
                .find(|column| column.column_path().parts() == [name]);
            let statistics = column.and_then(|column| column.statistics());
            statistics.is_some_and(|statistics| statistics.null_count_opt() == Some(0))
        })
    }

    /// The batches of a row group, with the fields `columns` of the schema, ascending.
    pub fn read(
        &self,
        path: &Path,
        row_group: usize,
        columns: &[usize],
        put: &mut Put<'_, RecordBatch>,
    ) -> Result<(), Failure> {
        let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_projection(mask)
                .with_row_groups(vec![row_group])
                .with_batch_size(BATCH_ROWS)
                .build()
                .map_err(|error| Failure::of_file(path, error))?;
        for batch in reader {
            if !put(batch.map_err(|error| Failure::of_file(path, error))?) {
                return Ok(());
            }
        }
        Ok(())
    }
}
