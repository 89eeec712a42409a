//! Parquet: a file for each type, and a recipe that makes the dataset again.
//!
//! | file | what |
//! | --- | --- |
//! | `nodes/TYPE.parquet` | `_key` or `_id`, and the columns |
//! | `edges/TYPE.parquet` | `_source`, `_target`, and the columns, in the order of edge ids |
//! | `sets/TYPE/SET.parquet` | `row`: rows of the nodes' file |
//! | `codes/TYPE/COLUMN.npy` | the codes of a quantised column, whose numbers are in Parquet |
//! | `recipe.yaml` | the recipe |

use std::path::Path;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::graph::{cannot, Graph};
use super::names::FileNames;
use super::out::{write_text, Out};
use super::place::Kind;
use super::progress::Progress;
use super::rows::{row_bytes, Rows};
use super::{npy, Plan};
use crate::arrays::rows::ArrayRows;
use crate::arrays::DType;
use crate::boundary::builder::Reader;
use crate::boundary::dataset::{ColumnInfo, Dataset, EdgeTypeInfo, NodeTypeInfo, Which};
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;
use crate::recipe::{
    self, ArrayRef, Codes, Column, EdgeTable, EdgeType, Ids, NodeTable, NodeType, Recipe,
    TableColumn,
};

const RECIPE: &str = "recipe.yaml";
const KEY: &str = "_key";
const ID: &str = "_id";
const ENDS: [&str; 2] = ["_source", "_target"];
/// The field of an id set's file.
const ROW: &str = "row";
/// Rows of a group, unless they are very wide.
const GROUP_ROWS: usize = 1 << 20;
const LEAST_GROUP_ROWS: usize = 1 << 10;
/// Bytes of numbers in a group, which the writer holds encoded.
const GROUP_BYTES: usize = 128 << 20;
/// Bytes of numbers that are encoded at once.
const PIECE_BYTES: usize = 16 << 20;
/// What libgls says where there is no memory. Arrow's streams have no codes.
const NO_MEMORY: &str = "out of memory";
/// Of an id or an end.
const ID_BYTES: usize = 8;

struct Parquet<'a> {
    graph: Graph<'a>,
    compression: Compression,
}

pub fn prepare<'a>(graph: Graph<'a>, mut choices: Choices) -> Result<Box<dyn Plan + 'a>, Failure> {
    let compression = match choices.take("compression").as_deref() {
        None | Some("zstd") => Compression::ZSTD(ZstdLevel::default()),
        Some("snappy") => Compression::SNAPPY,
        Some("none") => Compression::UNCOMPRESSED,
        Some(other) => {
            return Err(Failure::invalid(format!(
                "choices: compression={other}: expected zstd, snappy or none"
            )))
        }
    };
    choices.finish("parquet")?;
    if graph.edges.is_empty() {
        let words = "the dataset has no edge types, and a recipe needs one";
        return Err(Failure::new(Code::Unsupported, words));
    }
    refuse_bfloat16(graph.dataset)?;
    for (of_type, column) in graph.columns() {
        let full = format!("{of_type}.{}", column.name);
        if column.name.starts_with('#') {
            return Err(cannot(&full, "in recipes, '#' begins a field's number"));
        }
        if column.shape.contains(&0) && column.shape[0] != 0 {
            return Err(cannot(&full, "Parquet has no rows without numbers"));
        }
    }
    Ok(Box::new(Parquet { graph, compression }))
}

/// Arrow has none, so libgls gives no stream of a type with such a column.
fn refuse_bfloat16(dataset: &dyn Dataset) -> Result<(), Failure> {
    for (of_type, column) in Graph::new(dataset, None)?.columns() {
        if column.dtype == DType::BF16 {
            let words = format!("{of_type}.{}: Parquet has no bfloat16", column.name);
            return Err(Failure::new(Code::Unsupported, words));
        }
    }
    Ok(())
}

impl Plan for Parquet<'_> {
    fn kind(&self) -> Kind {
        Kind::Folder {
            format: "parquet",
            has: |name| [RECIPE, "nodes", "edges", "sets", "codes"].contains(&name),
        }
    }

    fn total(&self) -> u64 {
        let nodes = &self.graph.nodes;
        let nodes = nodes
            .iter()
            .map(|node| (node.count, width(&node.columns, 1)));
        let edges = &self.graph.edges;
        let edges = edges
            .iter()
            .map(|edge| (edge.count, width(&edge.columns, 2)));
        nodes
            .chain(edges)
            .map(|(rows, width)| rows as u64 * width as u64)
            .sum()
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let mut recipe = Recipe::default();
        recipe.notes.push("Made by gls export.".to_owned());
        let (mut nodes, mut edges) = (FileNames::default(), FileNames::default());
        for node in &self.graph.nodes {
            let file = nodes.take(&node.name);
            let made = self.nodes(to, &file, node, progress)?;
            recipe.nodes.insert(node.name.clone(), made);
        }
        for edge in &self.graph.edges {
            let file = edges.take(&edge.name);
            let made = self.edges(to, &file, edge, progress)?;
            recipe.edges.insert(edge.name.clone(), made);
        }
        write_text(&to.join(RECIPE), &recipe::write(&recipe)?)
    }
}

impl Parquet<'_> {
    fn nodes(
        &self,
        to: &Path,
        file: &str,
        node: &NodeTypeInfo,
        progress: &mut Progress<'_>,
    ) -> Result<NodeType, Failure> {
        let reader = self.graph.dataset.nodes(&node.name)?;
        let key = if node.has_keys { KEY } else { ID };
        let ids = match reader
            .schema()
            .field_with_name(key)
            .map(|f| f.data_type().clone())
        {
            Ok(DataType::Int64) => Ids::Integer,
            _ => Ids::String,
        };
        let name = format!("nodes/{file}.parquet");
        let path = to.join(&name);
        self.rows(reader, &path, &[key], &node.columns, progress)?;
        let fields = fields(&node.columns);
        let mut made = NodeType::default();
        if node.has_keys {
            made.ids = Some(ids);
        } else {
            made.count = Some(node.count);
        }
        if node.has_keys || !fields.is_empty() {
            made.table = Some(NodeTable {
                files: vec![name],
                key: node.has_keys.then(|| KEY.to_owned()),
                columns: Some(fields),
                ..Default::default()
            });
        }
        self.codes(
            to,
            file,
            Which::NodeColumn,
            &node.name,
            &node.columns,
            &mut made.columns,
        )?;
        let mut names = FileNames::default();
        for set in &node.sets {
            let name = format!("sets/{file}/{}.parquet", names.take(set));
            let ids = self.graph.set(node, set)?.into_aligned()?;
            let width = ids.row_bytes();
            let rows = ArrayRows::new(vec![(ROW.to_owned(), ids)])?;
            self.stream(
                Box::new(rows),
                &to.join(&name),
                &[ROW.to_owned()],
                width,
                None,
            )?;
            made.sets.insert(set.clone(), ArrayRef::of_file(name));
        }
        Ok(made)
    }

    fn edges(
        &self,
        to: &Path,
        file: &str,
        edge: &EdgeTypeInfo,
        progress: &mut Progress<'_>,
    ) -> Result<EdgeType, Failure> {
        let reader = self.graph.dataset.edges(&edge.name)?;
        let name = format!("edges/{file}.parquet");
        self.rows(reader, &to.join(&name), &ENDS, &edge.columns, progress)?;
        let mut made = EdgeType {
            table: Some(EdgeTable {
                files: vec![name],
                source: ENDS[0].to_owned(),
                target: ENDS[1].to_owned(),
                columns: Some(fields(&edge.columns)),
                ..Default::default()
            }),
            ..Default::default()
        };
        self.codes(
            to,
            file,
            Which::EdgeColumn,
            &edge.name,
            &edge.columns,
            &mut made.columns,
        )?;
        Ok(made)
    }

    /// The codes of quantised columns, by which the recipe makes them again.
    fn codes(
        &self,
        to: &Path,
        file: &str,
        which: Which,
        of_type: &str,
        columns: &[ColumnInfo],
        made: &mut indexmap::IndexMap<String, Column>,
    ) -> Result<(), Failure> {
        let mut names = FileNames::default();
        for column in columns {
            let Some(codes) = &column.codes else {
                continue;
            };
            let name = format!("codes/{file}/{}.npy", names.take(&column.name));
            let array = self.graph.dataset.array(which, of_type, &column.name)?;
            npy::write(
                &to.join(&name),
                &Rows::of_array(array),
                &mut Progress::new(|_, _| true, 0),
            )?;
            let mut given = Column::of(ArrayRef::of_file(name), column.role);
            given.codes = Some(Codes {
                bits: codes.bits,
                width: column.shape[1..].iter().product(),
                codebook: Some(codes.numbers.clone()),
                ..Default::default()
            });
            made.insert(column.name.clone(), given);
        }
        Ok(())
    }

    /// The ids and columns of a type.
    fn rows(
        &self,
        reader: Reader,
        path: &Path,
        ids: &[&str],
        columns: &[ColumnInfo],
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let ids_names = ids.iter().map(|&name| name.to_owned());
        let columns_names = columns.iter().map(|column| column.name.clone());
        let fields: Vec<String> = ids_names.chain(columns_names).collect();
        let width = width(columns, ids.len());
        self.stream(reader, path, &fields, width, Some(progress))
    }

    /// The fields of a stream as a file, whose rows have `width` bytes of numbers.
    fn stream(
        &self,
        reader: Reader,
        path: &Path,
        fields: &[String],
        width: usize,
        mut progress: Option<&mut Progress<'_>>,
    ) -> Result<(), Failure> {
        let schema = reader.schema();
        let places = places(&schema, fields, path)?;
        let projected = schema
            .project(&places)
            .map_err(|error| Failure::of_file(path, error))?;
        let width = width.max(1);
        let properties = WriterProperties::builder()
            .set_compression(self.compression)
            .set_max_row_group_row_count(Some(
                (GROUP_BYTES / width).clamp(LEAST_GROUP_ROWS, GROUP_ROWS),
            ))
            .build();
        let failed = |error: ParquetError| failure_of(path, &error);
        let out = Out::create(path)?;
        let mut writer =
            ArrowWriter::try_new(out, projected.into(), Some(properties)).map_err(failed)?;
        let step = (PIECE_BYTES / width).max(1);
        for batch in reader {
            let batch = batch
                .and_then(|batch| batch.project(&places))
                .map_err(|error| failure_of_stream(path, error))?;
            let rows = batch.num_rows();
            for begin in (0..rows).step_by(step) {
                let count = step.min(rows - begin);
                writer.write(&batch.slice(begin, count)).map_err(failed)?;
                if let Some(progress) = &mut progress {
                    progress.add((count * width) as u64)?;
                }
            }
        }
        writer.into_inner().map_err(failed)?.finish()
    }
}

/// Bytes of a row with some ids.
fn width(columns: &[ColumnInfo], ids: usize) -> usize {
    let columns = columns.iter();
    let columns: usize = columns
        .map(|column| row_bytes(column.dtype, &column.shape))
        .sum();
    ids * ID_BYTES + columns
}

/// All columns but those of codes, which the recipe has as arrays.
fn fields(columns: &[ColumnInfo]) -> Vec<TableColumn> {
    let plain = columns.iter().filter(|column| column.codes.is_none());
    plain
        .map(|column| TableColumn {
            field: column.name.clone(),
            role: column.role,
            ..Default::default()
        })
        .collect()
}

fn places(schema: &SchemaRef, fields: &[String], path: &Path) -> Result<Vec<usize>, Failure> {
    fields
        .iter()
        .map(|field| {
            schema
                .index_of(field)
                .map_err(|error| Failure::of_file(path, error))
        })
        .collect()
}

/// What libgls says of its rows.
fn failure_of_stream(path: &Path, error: ArrowError) -> Failure {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Failure>() {
            Ok(failure) => *failure,
            Err(other) => Failure::of_file(path, other),
        },
        ArrowError::CDataInterface(words) if words.contains(NO_MEMORY) => {
            Failure::new(Code::OutOfMemory, words)
        }
        ArrowError::CDataInterface(words) => Failure::new(Code::Corrupt, words),
        other => Failure::of_file(path, other),
    }
}

/// What the writer says, or the system.
fn failure_of(path: &Path, error: &ParquetError) -> Failure {
    if let ParquetError::External(inner) = error {
        if let Some(error) = inner.downcast_ref::<std::io::Error>() {
            return Failure::io(path, error);
        }
    }
    Failure::unsupported(path, error)
}
