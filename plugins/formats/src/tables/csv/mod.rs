//! Delimited text as a table whose types are found. A file may be compressed with gzip.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_csv::reader::{Format, Reader as CsvReader, ReaderBuilder};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use flate2::bufread::MultiGzDecoder;

use super::files::expand_by;
use super::Request;
use crate::boundary::builder::Reader;
use crate::failure::Failure;
use crate::recipe::{Header, TableFormat};

const BATCH_ROWS: usize = 1 << 14;
/// Rows of the first file that show the types.
const ROWS_FOR_TYPES: usize = 1 << 16;
const ENDINGS: [&str; 8] = [
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".psv", ".psv.gz",
];

/// Text in files with the same fields, one after the other.
struct CsvTable {
    files: std::vec::IntoIter<PathBuf>,
    format: Format,
    all: SchemaRef,
    schema: SchemaRef,
    projection: Vec<usize>,
    open: Option<(PathBuf, CsvReader<Box<dyn Read + Send>>)>,
}

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let files = expand_by(request.paths, |path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    })?;
    let delimiter = delimiter_of(request.delimiter)?;
    let mut format = Format::default()
        .with_header(request.header != Header::No)
        .with_delimiter(delimiter);
    if request.format == TableFormat::SparkCsv {
        format = format.with_escape(b'\\');
    }
    let first = &files[0];
    let (found, _) = format
        .infer_schema(text_of(first)?, Some(ROWS_FOR_TYPES))
        .map_err(|error| Failure::of_file(first, error))?;
    let found = nameless(found, request.header);
    let mut projection = Vec::new();
    for field in request.fields {
        let place = found.index_of(field).map_err(|_| {
            let names: Vec<_> = found
                .fields()
                .iter()
                .map(|field| field.name().as_str())
                .collect();
            Failure::invalid(format!(
                "{}: there is no field \"{field}\"; it has: {}",
                first.display(),
                names.join(", ")
            ))
        })?;
        projection.push(place);
    }
    // "#2" is the third field of the stream, so none before it may be missing.
    if request.fields.is_empty() || request.header == Header::No {
        projection = (0..found.fields().len()).collect();
    }
    let schema = found
        .project(&projection)
        .map_err(|error| Failure::of_file(first, error))?;
    Ok(Box::new(CsvTable {
        files: files.into_iter(),
        format,
        all: Arc::new(found),
        schema: Arc::new(schema),
        projection,
        open: None,
    }))
}

/// One character of ASCII, or "tab". Default: a comma.
pub fn delimiter_of(given: Option<&str>) -> Result<u8, Failure> {
    match given {
        None => Ok(b','),
        Some("tab") => Ok(b'\t'),
        Some(one) if one.len() == 1 => Ok(one.as_bytes()[0]),
        Some(other) => {
            let message = format!("delimiter: {other:?} is not one character of ASCII");
            Err(Failure::invalid(message))
        }
    }
}

/// Without a header, fields are called "#0", "#1", ...
fn nameless(found: Schema, header: Header) -> Schema {
    if header != Header::No {
        return found;
    }
    let fields: Vec<_> = found
        .fields()
        .iter()
        .enumerate()
        .map(|(i, field)| field.as_ref().clone().with_name(format!("#{i}")))
        .collect();
    Schema::new(fields)
}

/// The text of a file, unpacked where it is compressed.
pub fn text_of(path: &Path) -> Result<Box<dyn Read + Send>, Failure> {
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
    let head = file.fill_buf().map_err(failed)?;
    if head.starts_with(&[0x1f, 0x8b]) {
        Ok(Box::new(BufReader::with_capacity(
            1 << 18,
            MultiGzDecoder::new(file),
        )))
    } else {
        Ok(Box::new(file))
    }
}

impl CsvTable {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        loop {
            if let Some((path, reader)) = &mut self.open {
                match reader.next() {
                    Some(Ok(batch)) => {
                        let columns = batch.columns().to_vec();
                        let made = RecordBatch::try_new(self.schema.clone(), columns)
                            .map_err(|error| Failure::of_file(path, error))?;
                        return Ok(Some(made));
                    }
                    Some(Err(error)) => return Err(Failure::of_file(path, error)),
                    None => self.open = None,
                }
            }
            let Some(path) = self.files.next() else {
                return Ok(None);
            };
            let reader = ReaderBuilder::new(self.all.clone())
                .with_format(self.format.clone())
                .with_batch_size(BATCH_ROWS)
                .with_projection(self.projection.clone())
                .build(text_of(&path)?)
                .map_err(|error| Failure::of_file(&path, error))?;
            self.open = Some((path, reader));
        }
    }
}

impl Iterator for CsvTable {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for CsvTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
