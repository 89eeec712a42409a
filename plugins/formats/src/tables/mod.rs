//! Files with one schema as one table.

pub mod csv;
pub mod dgl;
pub mod ends;
pub mod files;
mod hive;
mod ipc;
mod ipc_sizes;
mod matrices;
pub mod matrix_market;
pub mod ntriples;
pub mod ordered;
pub mod parquet_files;
mod tfrecord;

use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

use crate::boundary::builder::Reader;
use crate::failure::Failure;
use crate::recipe::{Header, TableFormat};
use files::{expand, Kind, TableFile};
use ordered::{Ordered, Put};
use parquet_files::ParquetFile;

/// A file that was opened, and where its fields are.
struct Opened {
    file: TableFile,
    parquet: Option<ParquetFile>,
    /// The fields to read, ascending as the file has them.
    columns: Vec<usize>,
    /// For each field of the table: its place among `columns`; None: a folder gives it.
    places: Vec<Option<usize>>,
}

/// A part of a file that one thread reads.
struct Task {
    file: usize,
    row_group: usize,
}

pub struct Table {
    schema: SchemaRef,
    batches: Ordered<RecordBatch>,
}

/// Opens all files; this number of threads reads them from the first batch on. `fields` names those to read, in this order; none: all.
pub fn open(paths: &[String], fields: &[String], threads: usize) -> Result<Table, Failure> {
    let files = expand(paths)?;
    let of_folders = hive::fields(&files)?;
    let mut opened: Vec<Opened> = Vec::with_capacity(files.len());
    let mut schema: Option<SchemaRef> = None;
    let mut tasks = Vec::new();
    for file in files {
        let parquet = match file.kind {
            Kind::Parquet => Some(ParquetFile::open(&file.path)?),
            Kind::Ipc => None,
        };
        let in_file = match &parquet {
            Some(parquet) => parquet.schema(),
            None => ipc::schema(&file.path)?,
        };
        let wanted = match &schema {
            Some(known) => known.clone(),
            None => {
                let chosen = choose(&file, &in_file, &of_folders, fields)?;
                schema.insert(Arc::new(chosen)).clone()
            }
        };
        let (columns, places) = locate(&file, &in_file, &of_folders, &wanted)?;
        let groups = parquet.as_ref().map_or(1, ParquetFile::num_row_groups);
        tasks.extend((0..groups).map(|row_group| Task {
            file: opened.len(),
            row_group,
        }));
        opened.push(Opened {
            file,
            parquet,
            columns,
            places,
        });
    }
    let schema = schema.unwrap_or_else(|| Arc::new(Schema::empty()));
    let of_task = schema.clone();
    let batches = Ordered::new(
        tasks.len(),
        threads,
        move |task, put: &mut Put<'_, RecordBatch>| {
            let Task { file, row_group } = tasks[task];
            read(&opened[file], row_group, &of_task, put)
        },
    );
    Ok(Table { schema, batches })
}

/// The table's schema, from the first file.
fn choose(
    file: &TableFile,
    in_file: &Schema,
    of_folders: &[Field],
    fields: &[String],
) -> Result<Schema, Failure> {
    let mut all: Vec<Field> = Vec::new();
    for field in in_file.fields() {
        all.push(field.as_ref().clone().with_nullable(true));
    }
    for field in of_folders {
        // Some writers keep the folder's field in the file, too. The folder counts.
        all.retain(|known| known.name() != field.name());
        all.push(field.clone());
    }
    if fields.is_empty() {
        return Ok(Schema::new(all));
    }
    let mut chosen = Vec::new();
    for name in fields {
        let Some(field) = all.iter().find(|field| field.name() == name) else {
            let names: Vec<_> = all.iter().map(|field| field.name().as_str()).collect();
            return Err(Failure::invalid(format!(
                "{}: there is no field \"{name}\"; it has: {}",
                file.path.display(),
                names.join(", ")
            )));
        };
        chosen.push(field.clone());
    }
    Ok(Schema::new(chosen))
}

type Columns = (Vec<usize>, Vec<Option<usize>>);

/// Where a file has the table's fields.
fn locate(
    file: &TableFile,
    in_file: &Schema,
    of_folders: &[Field],
    wanted: &Schema,
) -> Result<Columns, Failure> {
    let mut found = Vec::new();
    for field in wanted.fields() {
        if of_folders
            .iter()
            .any(|folder| folder.name() == field.name())
        {
            found.push(None);
            continue;
        }
        let place = in_file
            .fields()
            .iter()
            .position(|known| known.name() == field.name());
        let Some(place) = place else {
            return Err(Failure::invalid(format!(
                "{}: there is no field \"{}\", which the first file has",
                file.path.display(),
                field.name()
            )));
        };
        let here = in_file.field(place).data_type();
        if here != field.data_type() {
            return Err(Failure::invalid(format!(
                "{}: field \"{}\" has values of {here}, and {} in the first file",
                file.path.display(),
                field.name(),
                field.data_type()
            )));
        }
        found.push(Some(place));
    }
    let mut columns: Vec<usize> = found.iter().flatten().copied().collect();
    columns.sort_unstable();
    columns.dedup();
    let places = found
        .iter()
        .map(|place| place.map(|place| columns.partition_point(|&column| column < place)))
        .collect();
    Ok((columns, places))
}

fn read(
    opened: &Opened,
    row_group: usize,
    schema: &SchemaRef,
    put: &mut Put<'_, RecordBatch>,
) -> Result<(), Failure> {
    let path = &opened.file.path;
    let mut failure = None;
    let mut arrange = |batch: RecordBatch| {
        let rows = batch.num_rows();
        let columns = schema
            .fields()
            .iter()
            .zip(&opened.places)
            .map(|(field, place)| match place {
                Some(place) => batch.column(*place).clone(),
                None => {
                    let pair = opened.file.hive.iter().find(|pair| &pair.0 == field.name());
                    hive::column(field, pair.and_then(|pair| pair.1.as_deref()), rows)
                }
            })
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        match RecordBatch::try_new_with_options(schema.clone(), columns, &options) {
            Ok(batch) => put(batch),
            Err(error) => {
                failure = Some(Failure::of_file(path, error));
                false
            }
        }
    };
    match &opened.parquet {
        Some(parquet) => parquet.read(path, row_group, &opened.columns, &mut arrange)?,
        None => ipc::read(path, &opened.columns, &mut arrange)?,
    }
    failure.map_or(Ok(()), Err)
}

/// The fields of a Parquet file, and how many rows it has.
pub fn parquet_schema(path: &Path) -> Result<(SchemaRef, i64), Failure> {
    let file = ParquetFile::open(path)?;
    Ok((file.schema(), file.num_rows()))
}

impl Table {
    /// The batches, with failures as they are.
    pub fn results(self) -> impl Iterator<Item = Result<RecordBatch, Failure>> {
        self.batches
    }
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

/// A table that a recipe names.
pub struct Request<'a> {
    pub paths: &'a [String],
    pub format: TableFormat,
    /// Which table of the files, where they have several.
    pub table: Option<&'a str>,
    pub delimiter: Option<&'a str>,
    pub header: Header,
    /// Those to read; none: all.
    pub fields: &'a [String],
    pub threads: usize,
}

/// Opens a table in any format.
pub fn open_format(request: &Request<'_>) -> Result<Reader, Failure> {
    match request.format {
        TableFormat::Detect => Ok(Box::new(open(
            request.paths,
            request.fields,
            request.threads,
        )?)),
        TableFormat::Dgl => dgl::open(request),
        TableFormat::Npy => matrices::open(request),
        TableFormat::Csv | TableFormat::SparkCsv => csv::open(request),
        TableFormat::MatrixMarket => matrix_market::open(request),
        TableFormat::Ntriples => ntriples::open(request),
        TableFormat::Tfrecord => tfrecord::open(request),
    }
}
