//! Files of TFRecord with messages of tf.train.Example: one row an example, one field a feature.

mod columns;
mod example;
mod frames;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

use super::files::{expand_by, shards, MOST_SHARDS};
use super::ordered::{Ordered, Put};
use super::Request;
use crate::boundary::builder::Reader;
use crate::failure::Failure;
use columns::{Misfit, Rows, Shape};
use example::Damaged;
use frames::Records;

const BATCH_ROWS: usize = 1 << 14;
const BATCH_BYTES: usize = 8 << 20;
/// Records that show the types.
const RECORDS_FOR_TYPES: usize = 1 << 12;

struct Table {
    schema: SchemaRef,
    batches: Ordered<RecordBatch>,
}

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let mut paths = Vec::new();
    for path in request.paths {
        if Path::new(path).exists() {
            paths.push(path.clone());
            continue;
        }
        paths.extend(shards(path).ok_or_else(|| {
            Failure::invalid(format!("{path}: expected 1 to {MOST_SHARDS} shards"))
        })?);
    }
    let files = expand_by(&paths, is_tfrecord)?;
    let fields = found(&files, request.fields)?;
    let shapes: Vec<_> = fields.iter().map(|(_, shape)| *shape).collect();
    let schema = schema_of(&files[0], &fields)?;
    let names: Vec<String> = fields.into_iter().map(|(name, _)| name).collect();
    let of_task = schema.clone();
    let batches = Ordered::new(
        files.len(),
        request.threads,
        move |task, put: &mut Put<'_, _>| {
            let columns = Columns {
                names: &names,
                places: places_of(&names),
                schema: &of_task,
                rows: shapes.iter().map(|shape| Rows::new(*shape)).collect(),
            };
            columns.read(&files[task], put)
        },
    );
    Ok(Box::new(Table { schema, batches }))
}

/// Whether a file of a folder is meant: "a.tfrecord", "a.tfrecords.gz", "a.tfrecord-00000-of-00002".
fn is_tfrecord(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    name.contains("tfrecord") || name.ends_with(".tfr")
}

fn damaged(path: &Path, record: u64) -> Failure {
    Failure::of_file(
        path,
        format!("record {record}: it is not a tf.train.Example"),
    )
}

/// The fields to read and their shapes, from the first records.
fn found(files: &[PathBuf], wanted: &[String]) -> Result<Vec<(String, Shape)>, Failure> {
    let mut known: BTreeMap<String, Shape> = BTreeMap::new();
    let chosen: HashSet<&str> = wanted.iter().map(String::as_str).collect();
    let mut left = RECORDS_FOR_TYPES;
    'files: for path in files {
        let mut records = Records::open(path)?;
        loop {
            let all = !chosen.is_empty() && known.len() == chosen.len();
            if left == 0 || all {
                break 'files;
            }
            let number = records.number() + 1;
            let Some(record) = records.next()? else {
                break;
            };
            left -= 1;
            example::features(record, |name, feature| {
                let name = std::str::from_utf8(name).map_err(|_| Damaged)?;
                if chosen.is_empty() || chosen.contains(name) {
                    if let Some(shape) = Shape::of(feature)? {
                        match known.get_mut(name) {
                            Some(first) => first.utf8 &= shape.utf8,
                            None => {
                                known.insert(name.to_owned(), shape);
                            }
                        }
                    }
                }
                Ok(())
            })
            .map_err(|_| damaged(path, number))?;
        }
    }
    if wanted.is_empty() {
        return Ok(known.into_iter().collect());
    }
    let missing = |name: &String| {
        let what = format!("there is no feature \"{name}\" in the first records");
        Failure::invalid(format!("{}: {what}", files[0].display()))
    };
    wanted
        .iter()
        .map(|name| {
            let shape = known.get(name).ok_or_else(|| missing(name))?;
            Ok((name.clone(), *shape))
        })
        .collect()
}

fn schema_of(path: &Path, fields: &[(String, Shape)]) -> Result<SchemaRef, Failure> {
    let mut out = Vec::with_capacity(fields.len());
    for (name, shape) in fields {
        let Some(data_type) = shape.data_type() else {
            let what = format!("feature \"{name}\" has {} values", shape.width);
            return Err(Failure::unsupported(path, what));
        };
        out.push(Field::new(name, data_type, true));
    }
    Ok(Arc::new(Schema::new(out)))
}

/// The rows of a file that are not yet in a batch.
struct Columns<'a> {
    names: &'a [String],
    /// By name.
    places: HashMap<&'a [u8], usize>,
    schema: &'a SchemaRef,
    rows: Vec<Rows>,
}

fn places_of(names: &[String]) -> HashMap<&[u8], usize> {
    let names = names.iter().enumerate();
    names
        .map(|(place, name)| (name.as_bytes(), place))
        .collect()
}

impl Columns<'_> {
    fn read(mut self, path: &Path, put: &mut Put<'_, RecordBatch>) -> Result<(), Failure> {
        let mut records = Records::open(path)?;
        let mut rows = 0;
        loop {
            let number = records.number() + 1;
            let Some(record) = records.next()? else {
                break;
            };
            let mut places = vec![None; self.names.len()];
            example::features(record, |name, feature| {
                if let Some(&place) = self.places.get(name) {
                    places[place] = Some(feature);
                }
                Ok(())
            })
            .map_err(|_| damaged(path, number))?;
            let mut size = 0;
            for (i, (column, feature)) in self.rows.iter_mut().zip(&places).enumerate() {
                match feature {
                    Some(feature) => column.add(*feature).map_err(|misfit| {
                        misfit_of(path, number, &self.names[i], column.shape(), &misfit)
                    })?,
                    None => column.add_null(),
                }
                size += column.size();
            }
            rows += 1;
            if rows == BATCH_ROWS || size >= BATCH_BYTES {
                if !put(self.batch(path, rows)?) {
                    return Ok(());
                }
                rows = 0;
            }
        }
        if rows > 0 {
            put(self.batch(path, rows)?);
        }
        Ok(())
    }

    fn batch(&mut self, path: &Path, rows: usize) -> Result<RecordBatch, Failure> {
        let columns: Result<Vec<_>, _> = self.rows.iter_mut().map(Rows::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        columns
            .and_then(|columns| {
                RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            })
            .map_err(|error| Failure::of_file(path, error))
    }
}

fn misfit_of(path: &Path, record: u64, name: &str, shape: Shape, misfit: &Misfit) -> Failure {
    let what = match misfit {
        Misfit::Damaged => return damaged(path, record),
        Misfit::Kind => "has a list of another kind than before".to_owned(),
        Misfit::Width(count) => {
            let width = shape.width;
            format!("has {count} values, and {width} before; lists need one length")
        }
        Misfit::Large => "is too large".to_owned(),
    };
    Failure::of_file(path, format!("record {record}: feature \"{name}\" {what}"))
}

impl Iterator for Table {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches
            .next()
            .map(|batch| batch.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for Table {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests;
