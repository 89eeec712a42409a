//! The fields of delimited text: names from the header, types from the first records.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::StringArray;
use arrow_csv::reader::Format;
use arrow_schema::{DataType, Field, Schema};

use super::records::{Records, MOST_RECORD_BYTES};
use super::text_of;
use crate::failure::Failure;

/// Records that show the types.
const ROWS_FOR_TYPES: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };
const BYTES_FOR_TYPES: u64 = 64 << 20;

/// The names in the header of a file, or placeholders; none: the file is empty.
pub fn names(path: &Path, format: &Format) -> Result<Vec<String>, Failure> {
    let mut text = text_of(path)?.take(MOST_RECORD_BYTES);
    let found = format.infer_schema(&mut text, Some(0));
    let (schema, _) = found.map_err(|error| Failure::of_file(path, error))?;
    if text.limit() == 0 {
        let what = format!("its first record has more than {MOST_RECORD_BYTES} bytes");
        return Err(Failure::of_file(path, what));
    }
    let fields = schema.fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

/// Fields of text.
pub fn as_text(names: &[String]) -> Schema {
    let fields = names.iter();
    let fields: Vec<_> = fields
        .map(|name| Field::new(name, DataType::Utf8, true))
        .collect();
    Schema::new(fields)
}

/// The first file that is not empty, and its fields. Where its records have no value in a field, those of
/// the next files show the type; a field without any value is text.
pub fn fields_of(files: &[PathBuf], format: &Format) -> Result<(PathBuf, Schema), Failure> {
    let mut first: Option<(PathBuf, Vec<Field>)> = None;
    let mut left = ROWS_FOR_TYPES;
    for path in files {
        let names = names(path, format)?;
        if names.is_empty() {
            continue;
        }
        let found = sample(path, format, &names, &mut left)?;
        let (_, known) = first.get_or_insert_with(|| (path.clone(), found.clone()));
        for field in known.iter_mut().filter(|field| is_open(field)) {
            if let Some(here) = found.iter().find(|here| here.name() == field.name()) {
                field.set_data_type(here.data_type().clone());
            }
        }
        if left == 0 || !known.iter().any(is_open) {
            break;
        }
    }
    let (path, mut fields) = first.unwrap_or_else(|| (files[0].clone(), Vec::new()));
    for field in fields.iter_mut().filter(|field| is_open(field)) {
        field.set_data_type(DataType::Utf8);
    }
    Ok((path, Schema::new(fields)))
}

fn is_open(field: &Field) -> bool {
    field.data_type() == &DataType::Null
}

/// The types that some records of a file show. Numbers as "007" are text, as they may be ids.
fn sample(
    path: &Path,
    format: &Format,
    names: &[String],
    left: &mut usize,
) -> Result<Vec<Field>, Failure> {
    let all = Arc::new(as_text(names));
    let places: Vec<usize> = (0..names.len()).collect();
    let mut records = Records::open(path, format, &all, &places)?;
    let mut padded = vec![false; names.len()];
    let (mut rows, mut bytes) = (0, 0);
    while rows < *left && bytes < BYTES_FOR_TYPES {
        let Some(batch) = records.next()? else {
            break;
        };
        let most = *left - rows;
        for (padded, column) in padded.iter_mut().zip(batch.columns()) {
            let column: &StringArray = column.as_string();
            *padded |= column.iter().take(most).flatten().any(is_padded);
        }
        rows += batch.num_rows().min(most);
        bytes = records.consumed();
    }
    // Only whole records, whose sizes are known to be bounded.
    let text = text_of(path)?.take(records.consumed());
    let (found, _) = format
        .infer_schema(text, Some(rows))
        .map_err(|error| Failure::of_file(path, error))?;
    *left -= rows;
    let mut out: Vec<Field> = Vec::with_capacity(names.len());
    for (field, padded) in found.fields().iter().zip(padded) {
        let mut field = field.as_ref().clone();
        if padded {
            field.set_data_type(DataType::Utf8);
        }
        out.push(field);
    }
    Ok(out)
}

/// Whether a value is an integer with a plus or with zeros before it.
fn is_padded(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && (value.starts_with('+') || (digits.len() > 1 && digits.starts_with('0')))
}
