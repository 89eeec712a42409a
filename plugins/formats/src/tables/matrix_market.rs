//! MatrixMarket's coordinate files: a row for each stored number, with the fields "row", "column" (both
//! from 0) and, unless the file is a pattern, "value".

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use flate2::bufread::MultiGzDecoder;

use super::Request;
use crate::boundary::builder::Reader;
use crate::failure::Failure;

const BANNER: &str = "%%MatrixMarket";
const MOST_LINE_BYTES: u64 = 1 << 20;
const BATCH_ROWS: usize = 1 << 14;
const BUFFER_BYTES: usize = 1 << 18;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Pattern,
    Integer,
    Real,
}

/// Which numbers the file leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// What a file says before its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub numbers: Numbers,
    pub symmetry: Symmetry,
    pub rows: i64,
    pub columns: i64,
    /// Numbers that are stored.
    pub stored: i64,
}

struct Lines {
    path: PathBuf,
    from: Box<dyn BufRead + Send>,
    /// Comments may have any bytes.
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::io(path, &error);
        let file = File::open(path).map_err(failed)?;
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let gzip = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
        let from: Box<dyn BufRead + Send> = if gzip {
            let text = MultiGzDecoder::new(file);
            Box::new(BufReader::with_capacity(BUFFER_BYTES, text))
        } else {
            Box::new(file)
        };
        Ok(Lines {
            path: path.to_owned(),
            from,
            line: Vec::new(),
            number: 0,
        })
    }

    fn damaged(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(&self.path, format!("line {}: {what}", self.number))
    }

    /// Reads the next line; false: there is none.
    fn advance(&mut self) -> Result<bool, Failure> {
        self.line.clear();
        self.number += 1;
        let read = self.from.by_ref().take(MOST_LINE_BYTES);
        let read = { read }.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| self.damaged(error))?;
        if read as u64 == MOST_LINE_BYTES {
            return Err(self.damaged("the line is too long"));
        }
        Ok(read > 0)
    }

    /// Reads the next line that is neither blank nor a comment.
    fn advance_to_numbers(&mut self) -> Result<bool, Failure> {
        while self.advance()? {
            let text = self.line.trim_ascii_start();
            if !text.is_empty() && !text.starts_with(b"%") {
                if !text.is_ascii() {
                    return Err(self.damaged("it is not ASCII"));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The words of a line of ASCII.
    fn words(&self) -> std::str::SplitWhitespace<'_> {
        std::str::from_utf8(&self.line)
            .unwrap_or("")
            .split_whitespace()
    }

    fn head(&mut self) -> Result<Head, Failure> {
        self.advance()?;
        let words: Vec<_> = self.words().map(str::to_lowercase).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let [banner, "matrix", format, field, symmetry] = words[..] else {
            return Err(self.damaged("it is not MatrixMarket"));
        };
        if banner != BANNER.to_lowercase() {
            return Err(self.damaged("it is not MatrixMarket"));
        }
        let unsupported = |what: &str| Err(Failure::unsupported(&self.path, what));
        match format {
            "coordinate" => {}
            "array" => return unsupported("a dense matrix is no graph"),
            _ => return Err(self.damaged("the format is not known")),
        }
        let numbers = match field {
            "pattern" => Numbers::Pattern,
            "integer" | "unsigned-integer" => Numbers::Integer,
            "real" | "double" => Numbers::Real,
            "complex" => return unsupported("its numbers are complex"),
            _ => return Err(self.damaged("the kind of numbers is not known")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            "hermitian" if numbers != Numbers::Pattern => Symmetry::Symmetric,
            _ => return Err(self.damaged("the symmetry is not known")),
        };
        if symmetry == Symmetry::Skew && numbers == Numbers::Pattern {
            return Err(self.damaged("a pattern cannot be skew-symmetric"));
        }
        if !self.advance_to_numbers()? {
            return Err(self.damaged("the file ends before the sizes"));
        }
        let sizes: Option<Vec<i64>> = self.words().map(|word| word.parse().ok()).collect();
        let Some(&[rows, columns, stored]) = sizes.as_deref() else {
            return Err(self.damaged("expected numbers of rows, columns and stored numbers"));
        };
        let square = rows == columns;
        if rows < 0 || columns < 0 || stored < 0 || (symmetry != Symmetry::General && !square) {
            return Err(self.damaged("the sizes are wrong"));
        }
        Ok(Head {
            numbers,
            symmetry,
            rows,
            columns,
            stored,
        })
    }
}

/// What a file says before its numbers.
pub fn head(path: &Path) -> Result<Head, Failure> {
    Lines::open(path)?.head()
}

struct Table {
    lines: Lines,
    head: Head,
    schema: SchemaRef,
    /// The columns of the schema among row, column and value.
    places: Vec<usize>,
    left: i64,
    rows: Vec<i64>,
    columns: Vec<i64>,
    ints: Vec<i64>,
    reals: Vec<f64>,
}

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let [path] = request.paths else {
        let message = "the format \"matrix-market\" has one file".to_owned();
        return Err(Failure::invalid(message));
    };
    let path = Path::new(path);
    let mut lines = Lines::open(path)?;
    let head = lines.head()?;
    let mut all = vec![
        Field::new("row", DataType::Int64, false),
        Field::new("column", DataType::Int64, false),
    ];
    match head.numbers {
        Numbers::Pattern => {}
        Numbers::Integer => all.push(Field::new("value", DataType::Int64, false)),
        Numbers::Real => all.push(Field::new("value", DataType::Float64, false)),
    }
    let mut places = Vec::new();
    for name in request.fields {
        let place = all.iter().position(|field| field.name() == name);
        places.push(place.ok_or_else(|| {
            let what = format!("{}: there is no field \"{name}\"", path.display());
            Failure::invalid(what)
        })?);
    }
    if places.is_empty() {
        places = (0..all.len()).collect();
    }
    let chosen: Vec<_> = places.iter().map(|&place| all[place].clone()).collect();
    Ok(Box::new(Table {
        left: head.stored,
        lines,
        head,
        schema: Arc::new(Schema::new(chosen)),
        places,
        rows: Vec::new(),
        columns: Vec::new(),
        ints: Vec::new(),
        reals: Vec::new(),
    }))
}

/// A number as C reads it: a '+' before it is allowed, and so are "nan" and "inf".
fn real(word: &str) -> Option<f64> {
    word.parse().ok()
}

/// An index from 1, as one from 0.
fn index(word: Option<&str>, most: i64) -> Option<i64> {
    let index: i64 = word?.parse().ok()?;
    (1..=most).contains(&index).then(|| index - 1)
}

impl Table {
    /// Adds the numbers of a line: one or two rows.
    fn add_line(&mut self) -> Result<(), &'static str> {
        let mut words = self.lines.words();
        let row = index(words.next(), self.head.rows).ok_or("the row is wrong")?;
        let column = index(words.next(), self.head.columns).ok_or("the column is wrong")?;
        let (mut int, mut value) = (0, 0.0);
        match self.head.numbers {
            Numbers::Pattern => {}
            Numbers::Integer => {
                let parsed = words.next().and_then(|word| word.parse().ok());
                int = parsed.ok_or("the number is wrong")?;
            }
            Numbers::Real => value = words.next().and_then(real).ok_or("the number is wrong")?,
        }
        if words.next().is_some() {
            return Err("there is more than an entry");
        }
        self.add(row, column, int, value);
        match self.head.symmetry {
            Symmetry::General => {}
            Symmetry::Skew if row == column => return Err("a diagonal that is skew-symmetric"),
            _ if row == column => {}
            Symmetry::Symmetric => self.add(column, row, int, value),
            Symmetry::Skew => {
                let int = int.checked_neg().ok_or("the number is wrong")?;
                self.add(column, row, int, -value);
            }
        }
        Ok(())
    }

    fn add(&mut self, row: i64, column: i64, int: i64, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        match self.head.numbers {
            Numbers::Pattern => {}
            Numbers::Integer => self.ints.push(int),
            Numbers::Real => self.reals.push(value),
        }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        while self.left > 0 && self.rows.len() < BATCH_ROWS {
            if !self.lines.advance_to_numbers()? {
                let what = format!("{} numbers are missing at the end", self.left);
                return Err(self.lines.damaged(what));
            }
            self.add_line().map_err(|what| self.lines.damaged(what))?;
            self.left -= 1;
        }
        if self.left == 0 && self.lines.advance_to_numbers()? {
            return Err(self.lines.damaged("there are more numbers than stated"));
        }
        if self.rows.is_empty() {
            return Ok(None);
        }
        let rows: ArrayRef = Arc::new(Int64Array::from(std::mem::take(&mut self.rows)));
        let columns: ArrayRef = Arc::new(Int64Array::from(std::mem::take(&mut self.columns)));
        let values: ArrayRef = match self.head.numbers {
            Numbers::Real => Arc::new(Float64Array::from(std::mem::take(&mut self.reals))),
            _ => Arc::new(Int64Array::from(std::mem::take(&mut self.ints))),
        };
        let all = [rows, columns, values];
        let chosen = self
            .places
            .iter()
            .map(|&place| all[place].clone())
            .collect();
        let batch = RecordBatch::try_new(self.schema.clone(), chosen);
        batch.map(Some).map_err(|error| self.lines.damaged(error))
    }
}

impl Iterator for Table {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch().map_err(ArrowError::from).transpose();
        if let Some(Err(_)) = next {
            self.left = 0; // nothing after an error
            self.rows.clear();
        }
        next
    }
}

impl RecordBatchReader for Table {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests;
