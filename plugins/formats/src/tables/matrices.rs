//! Matrices of NumPy as one table: files with one row a row, whose columns are the fields "#0", "#1", ...

use std::path::{Path, PathBuf};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::files::expand_by;
use super::Request;
use crate::arrays::rows::ArrayRows;
use crate::arrays::{npy, Array, Bytes};
use crate::boundary::builder::Reader;
use crate::failure::{Code, Failure};

struct Matrices {
    schema: SchemaRef,
    fields: Vec<String>,
    files: std::vec::IntoIter<PathBuf>,
    open: Option<ArrayRows>,
}

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let files = expand_by(request.paths, |path| {
        path.extension().is_some_and(|ending| ending == "npy")
    })?;
    let first = rows_of(&files[0], request.fields)?;
    Ok(Box::new(Matrices {
        schema: first.schema(),
        fields: request.fields.to_vec(),
        files: files.into_iter(),
        open: None,
    }))
}

fn rows_of(path: &Path, fields: &[String]) -> Result<ArrayRows, Failure> {
    let matrix = npy::read(path, &Bytes::map(path)?)?;
    let columns = match matrix.shape.as_slice() {
        [_] => 1,
        [_, columns] => *columns,
        _ => {
            let what = format!("the shape {:?} is no table", matrix.shape);
            return Err(Failure::of_file(path, what));
        }
    };
    let all: Vec<String> = (0..columns.min(1 << 16))
        .map(|at| format!("#{at}"))
        .collect();
    let wanted = if fields.is_empty() { &all } else { fields };
    let mut chosen: Vec<(String, Array)> = Vec::new();
    for field in wanted {
        let Some(at) = all.iter().position(|known| known == field) else {
            let what = format!(
                "{}: there is no field \"{field}\"; it has {columns}: \"#0\", ...",
                path.display()
            );
            return Err(Failure::new(Code::NotFound, what));
        };
        let column = match matrix.shape.len() {
            1 => Ok(matrix.clone()),
            _ => matrix.column(at as i64),
        };
        let column = column.map_err(|what| Failure::of_file(path, what))?;
        chosen.push((field.clone(), column));
    }
    ArrayRows::new(chosen)
}

impl Matrices {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        loop {
            if let Some(rows) = &mut self.open {
                match rows.next() {
                    Some(batch) => {
                        return batch
                            .map(Some)
                            .map_err(|error| Failure::invalid(error.to_string()))
                    }
                    None => self.open = None,
                }
            }
            let Some(path) = self.files.next() else {
                return Ok(None);
            };
            let rows = rows_of(&path, &self.fields)?;
            if rows.schema() != self.schema {
                let what = "the numbers are of another type than in the first file";
                return Err(Failure::of_file(&path, what));
            }
            self.open = Some(rows);
        }
    }
}

impl Iterator for Matrices {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for Matrices {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
