//! Arrow IPC files, which Feather of version 2 is, too.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_schema::SchemaRef;

use crate::failure::Failure;
use crate::tables::ipc_sizes;
use crate::tables::ordered::Put;

fn open(path: &Path, columns: Option<Vec<usize>>) -> Result<FileReader<BufReader<File>>, Failure> {
    ipc_sizes::check(path)?;
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    FileReader::try_new(BufReader::new(file), columns)
        .map_err(|error| Failure::of_file(path, error))
}

pub fn schema(path: &Path) -> Result<SchemaRef, Failure> {
    Ok(open(path, None)?.schema())
}

/// The batches of a file, with the fields `columns` of its schema, ascending.
pub fn read(path: &Path, columns: &[usize], put: &mut Put<'_, RecordBatch>) -> Result<(), Failure> {
    for batch in open(path, Some(columns.to_vec()))? {
        if !put(batch.map_err(|error| Failure::of_file(path, error))?) {
            return Ok(());
        }
    }
    Ok(())
}
