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

/// Tables have at most so many fields.
const MOST_FIELDS: i64 = 1 << 16;

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
    if fields.is_empty() && columns > MOST_FIELDS {
        let what =
            format!("{columns} columns; at most {MOST_FIELDS} are fields: name some of them");
        return Err(Failure::unsupported(path, what));
    }
    let all: Vec<String>;
    let wanted = if fields.is_empty() {
        all = (0..columns).map(|at| format!("#{at}")).collect();
        &all
    } else {
        fields
    };
    let mut chosen: Vec<(String, Array)> = Vec::with_capacity(wanted.len());
    for field in wanted {
        let Some(at) = place_of(field).filter(|&at| at < columns) else {
            let what = format!(
                "{}: there is no field \"{field}\"; it has {columns}: \"#0\", ...",
                path.display()
            );
            return Err(Failure::new(Code::NotFound, what));
        };
        let column = match matrix.shape.len() {
            1 => Ok(matrix.clone()),
            _ => matrix.column(at),
        };
        let column = column.map_err(|what| Failure::of_file(path, what))?;
        chosen.push((field.clone(), column));
    }
    ArrayRows::new(chosen)
}

/// The column that "#7" names.
fn place_of(field: &str) -> Option<i64> {
    let digits = field.strip_prefix('#')?;
    let at = digits.parse().ok()?;
    (at >= 0 && i64::to_string(&at) == digits).then_some(at)
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

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int8Type;

    use super::*;

    /// A matrix of int8 with one row.
    fn file(columns: usize) -> tempfile::NamedTempFile {
        let header =
            format!("{{'descr': '|i1', 'fortran_order': False, 'shape': (1, {columns}), }}");
        let mut bytes = npy::MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend((0..columns).map(|at| (at % 100) as u8));
        let out = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(out.path(), bytes).unwrap();
        out
    }

    fn read(columns: usize, fields: &[&str]) -> Result<RecordBatch, Failure> {
        let fields: Vec<String> = fields.iter().map(|&field| field.into()).collect();
        let mut rows = rows_of(file(columns).path(), &fields)?;
        Ok(rows.next().unwrap().unwrap())
    }

    #[test]
    fn columns_are_found_by_their_numbers() {
        let most = MOST_FIELDS as usize;
        let found = read(most + 150, &["#65600", "#2"]).unwrap();
        for (at, expected) in [(0, 0), (1, 2)] {
            let column = found.column(at).as_primitive::<Int8Type>();
            assert_eq!(column.value(0), expected);
        }
        for name in ["#3", "#-1", "#+1", "#01", "#", "1", "#99999999999999999999"] {
            assert!(read(3, &[name]).is_err(), "{name}");
        }
        assert_eq!(read(most, &[]).unwrap().num_columns(), most);
        let message = read(most + 1, &[]).unwrap_err().message;
        assert!(message.contains("at most 65536"), "{message}");
    }
}
