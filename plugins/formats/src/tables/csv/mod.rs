//! Delimited text as a table whose types are found. A file may be compressed with gzip.

mod records;
#[cfg(test)]
mod tests;
mod types;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_csv::reader::Format;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use flate2::bufread::MultiGzDecoder;

use super::files::expand_by;
use super::Request;
use crate::boundary::builder::Reader;
use crate::failure::Failure;
use crate::recipe::{Header, TableFormat};
use records::Records;

const ENDINGS: [&str; 8] = [
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".psv", ".psv.gz",
];

/// Text in files with the same fields, one after the other.
struct CsvTable {
    files: std::vec::IntoIter<PathBuf>,
    format: Format,
    fields: Fields,
    schema: SchemaRef,
    open: Option<(PathBuf, Records)>,
}

/// The fields of all files.
struct Fields {
    /// The file that showed them.
    first: PathBuf,
    has_header: bool,
    all: SchemaRef,
    /// Those to read, in this order.
    projection: Vec<usize>,
    /// Whether all are wanted, so a file may have no others.
    whole: bool,
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
    let (first, found) = types::fields_of(&files, &format)?;
    let found = nameless(found, request.header);
    let mut projection = Vec::new();
    for field in request.fields {
        let place = found.index_of(field).map_err(|_| {
            let message = format!(
                "{}: there is no field \"{field}\"; it has: {}",
                first.display(),
                names_of(&found).join(", ")
            );
            Failure::invalid(message)
        })?;
        projection.push(place);
    }
    // "#2" is the third field of the stream, so none before it may be missing.
    if request.fields.is_empty() || request.header == Header::No {
        projection = (0..found.fields().len()).collect();
    }
    let schema = found
        .project(&projection)
        .map_err(|error| Failure::of_file(&first, error))?;
    Ok(Box::new(CsvTable {
        files: files.into_iter(),
        format,
        fields: Fields {
            first,
            has_header: request.header != Header::No,
            all: Arc::new(found),
            projection,
            whole: request.fields.is_empty(),
        },
        schema: Arc::new(schema),
        open: None,
    }))
}

fn names_of(schema: &Schema) -> Vec<&str> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().as_str()).collect()
}

impl Fields {
    /// The fields of a file, and the places of those to read; None: the file is empty. Headers may have
    /// the names in another order.
    fn of_file(
        &self,
        path: &Path,
        format: &Format,
    ) -> Result<Option<(SchemaRef, Vec<usize>)>, Failure> {
        let names = types::names(path, format)?;
        if names.is_empty() {
            return Ok(None);
        }
        if !self.has_header || names == names_of(&self.all) {
            return Ok(Some((self.all.clone(), self.projection.clone())));
        }
        let mut fields: Vec<Field> = types::as_text(&names)
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .collect();
        let mut places = Vec::with_capacity(self.projection.len());
        for &wanted in &self.projection {
            let wanted = self.all.field(wanted);
            let mut same = (0..names.len()).filter(|&at| &names[at] == wanted.name());
            let (Some(place), None) = (same.next(), same.next()) else {
                return Err(self.other(path, &names));
            };
            fields[place] = wanted.clone();
            places.push(place);
        }
        if self.whole && names.len() != self.all.fields().len() {
            return Err(self.other(path, &names));
        }
        Ok(Some((Arc::new(Schema::new(fields)), places)))
    }

    fn other(&self, path: &Path, names: &[String]) -> Failure {
        let what = format!(
            "the header has the fields {}; that of {} has {}",
            names.join(", "),
            self.first.display(),
            names_of(&self.all).join(", ")
        );
        Failure::of_file(path, what)
    }
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
            if let Some((path, records)) = &mut self.open {
                if let Some(batch) = records.next()? {
                    let columns = batch.columns().to_vec();
                    let made = RecordBatch::try_new(self.schema.clone(), columns)
                        .map_err(|error| Failure::of_file(path, error))?;
                    return Ok(Some(made));
                }
                self.open = None;
            }
            let Some(path) = self.files.next() else {
                return Ok(None);
            };
            if let Some((all, places)) = self.fields.of_file(&path, &self.format)? {
                let records = Records::open(&path, &self.format, &all, &places)?;
                self.open = Some((path, records));
            }
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
