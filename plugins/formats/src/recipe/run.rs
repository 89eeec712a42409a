//! Fills a builder with what a recipe names.

use std::path::{Path, PathBuf};

use super::model::*;
use super::scatter;
use crate::arrays::rows::ArrayRows;
use crate::arrays::{self, Array, DType};
use crate::boundary::builder::{Builder, FieldUse, Layout, Reader, StreamField, StreamOptions};
use crate::failure::Failure;
use crate::tables;
use crate::tables::ends::{Ends, ROW};

/// Adds everything to the builder. Names are relative to `folder`; `threads` decode tables.
pub fn run(
    recipe: &Recipe,
    folder: &Path,
    threads: usize,
    builder: &mut dyn Builder,
) -> Result<(), Failure> {
    let folder = match &recipe.folder {
        Some(inner) => folder.join(inner),
        None => folder.to_owned(),
    };
    let runner = Runner { folder, threads };
    for (name, node) in &recipe.nodes {
        runner.add_nodes(name, node, builder)?;
    }
    for (name, edge) in &recipe.edges {
        runner
            .add_edges(name, edge, builder)
            .map_err(|failure| at("edges", name, failure))?;
    }
    // Columns need all types.
    for (name, node) in &recipe.nodes {
        let place = |failure| at("nodes", name, failure);
        for (column, from) in &node.columns {
            let rows = runner.column(from, node.count).map_err(place)?;
            builder
                .add_node_column(name, column, from.role, rows, from.codes.as_ref())
                .map_err(place)?;
        }
        for (set, from) in &node.sets {
            let mut ids = arrays::open(from, &runner.folder).map_err(place)?;
            if ids.dtype == DType::Bool {
                let rows = node.count.unwrap_or(ids.rows());
                if ids.shape.len() != 1 || ids.rows() != rows {
                    return Err(place(Failure::invalid(format!(
                        "sets.{set}: the shape of the bools is {:?}, expected [{rows}]",
                        ids.shape
                    ))));
                }
                ids = Array::of_i64(&scatter::ids_of(&ids).map_err(place)?)?;
            }
            builder.add_id_set(name, set, ids).map_err(place)?;
        }
    }
    Ok(())
}

fn at(kind: &str, name: &str, failure: Failure) -> Failure {
    Failure {
        message: format!("{kind}.{name}: {}", failure.message),
        ..failure
    }
}

struct Runner {
    folder: PathBuf,
    threads: usize,
}

impl Runner {
    fn path(&self, file: &str) -> Result<String, Failure> {
        let path = self.folder.join(file);
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| Failure::invalid(format!("{} is not UTF-8", path.display())))
    }

    fn column(&self, column: &Column, count: Option<i64>) -> Result<Array, Failure> {
        if !column.runs.is_empty() {
            arrays::repeated(&column.runs)
        } else if column.parts.is_empty() {
            arrays::open(&column.values(), &self.folder)
        } else {
            scatter::gather(column, count, &self.folder)
        }
    }

    fn add_nodes(
        &self,
        name: &str,
        node: &NodeType,
        builder: &mut dyn Builder,
    ) -> Result<(), Failure> {
        let place = |failure| at("nodes", name, failure);
        // Tables may show what their ids are, unless the recipe says it.
        if node.ids.is_some() || node.table.is_none() {
            builder
                .add_node_type(name, node.count.unwrap_or(0), node.ids.unwrap_or_default())
                .map_err(place)?;
        } else if let Some(count) = node.count {
            builder
                .add_node_type(name, count, Ids::Dense)
                .map_err(place)?;
        }
        if let Some(text) = &node.text {
            let path = self.path(&text.file)?;
            builder.add_nodes_text(name, &path, text).map_err(place)?;
        }
        if let Some(table) = &node.table {
            self.add_node_table(name, table, builder).map_err(place)?;
        }
        Ok(())
    }

    fn add_node_table(
        &self,
        name: &str,
        table: &NodeTable,
        builder: &mut dyn Builder,
    ) -> Result<(), Failure> {
        let mut options = StreamOptions {
            source: table.key.clone(),
            fields: stream_fields(table.columns.as_deref()),
            all_fields: table.columns.is_none(),
            label: table.files.join(", "),
            ..Default::default()
        };
        for set in &table.sets {
            options.fields.push(StreamField {
                field: set.field.clone(),
                name: set.name.clone(),
                used_as: FieldUse::IdSet,
                ..Default::default()
            });
        }
        for split in &table.splits {
            options.fields.push(StreamField {
                field: split.clone(),
                used_as: FieldUse::Split,
                ..Default::default()
            });
        }
        let source = Source {
            files: &table.files,
            format: table.format,
            table: table.table.as_deref(),
            delimiter: table.delimiter.as_deref(),
            header: table.header,
        };
        let reader = self.open_table(&source, &options)?;
        builder.add_nodes(name, reader, &options)
    }

    fn add_edges(
        &self,
        name: &str,
        edge: &EdgeType,
        builder: &mut dyn Builder,
    ) -> Result<(), Failure> {
        if !edge.arrays.is_empty() || !edge.parts.is_empty() {
            let first = edge
                .arrays
                .first()
                .or(edge.parts.first().map(|part| &part.arrays[0]));
            let label = first.map_or_else(String::new, |array| array.file.clone());
            let (source, target) = if edge.parts.is_empty() {
                self.ends(&edge.arrays)?
            } else {
                scatter::gather_edges(&edge.parts, &self.folder, |arrays| self.ends(arrays))?
            };
            let ready = |array: &Array| {
                matches!(array.dtype, DType::I32 | DType::I64) && array.is_contiguous()
            };
            if ready(&source) && ready(&target) {
                builder.add_edges(name, source, target, edge.undirected)?;
            } else {
                // Other integers, and columns of a matrix, are converted in pieces.
                let fields = vec![("source".into(), source), ("target".into(), target)];
                let options = StreamOptions {
                    source: Some("source".into()),
                    target: Some("target".into()),
                    undirected: edge.undirected,
                    label,
                    ..Default::default()
                };
                builder.add_edge_rows(name, Box::new(ArrayRows::new(fields)?), &options)?;
            }
        }
        if let Some(text) = &edge.text {
            let path = self.path(&text.file)?;
            builder.add_edges_text(name, &path, text, edge.undirected)?;
        }
        if let Some(table) = &edge.table {
            let options = StreamOptions {
                source: Some(table.source.clone()),
                target: Some(table.target.clone()),
                fields: stream_fields(table.columns.as_deref()),
                all_fields: table.columns.is_none(),
                undirected: edge.undirected,
                label: table.files.join(", "),
            };
            let source = Source {
                files: &table.files,
                format: table.format,
                table: table.table.as_deref(),
                delimiter: table.delimiter.as_deref(),
                header: table.header,
            };
            let mut reader = self.open_table(&source, &options)?;
            let ends = [table.source.as_str(), table.target.as_str()];
            if table.skip_nulls || ends.contains(&ROW) {
                reader = Box::new(Ends::new(reader, ends[0], ends[1], table.skip_nulls)?);
            }
            builder.add_edge_rows(name, reader, &options)?;
        }
        for (layout, topology) in [(Layout::Csc, &edge.csc), (Layout::Csr, &edge.csr)] {
            if let Some(topology) = topology {
                let open = |array: &ArrayRef| arrays::open(array, &self.folder);
                let edge_ids = topology.edge_ids.as_ref().map(open).transpose()?;
                builder.add_topology(
                    name,
                    layout,
                    open(&topology.indptr)?,
                    open(&topology.indices)?,
                    edge_ids,
                )?;
            }
        }
        for (column, from) in &edge.columns {
            let rows = self.column(from, None)?;
            builder.add_edge_column(name, column, from.role, rows, from.codes.as_ref())?;
        }
        Ok(())
    }

    /// Sources and targets.
    fn ends(&self, given: &[ArrayRef]) -> Result<(Array, Array), Failure> {
        let first = arrays::open(&given[0], &self.folder)?;
        let (source, target) = match given.get(1) {
            Some(second) => (first, arrays::open(second, &self.folder)?),
            None => {
                if first.shape.len() != 2 || first.shape[0] != 2 {
                    return Err(Failure::invalid(format!(
                        "{}: the shape is {:?}, expected [2, edges]: sources, then targets",
                        given[0].file, first.shape
                    )));
                }
                let row = |i| first.row(i).map_err(Failure::invalid);
                (row(0)?, row(1)?)
            }
        };
        for (end, array) in given.iter().cycle().zip([&source, &target]) {
            if array.shape.len() != 1 || !array.dtype.is_integer() {
                return Err(Failure::invalid(format!(
                    "{}: expected integers [edges], found {} {:?}",
                    end.file, array.dtype, array.shape
                )));
            }
        }
        Ok((source, target))
    }

    /// Only the fields that are needed are read.
    fn open_table(&self, source: &Source<'_>, options: &StreamOptions) -> Result<Reader, Failure> {
        let mut fields: Vec<String> = Vec::new();
        if !options.all_fields {
            let ends = options.source.iter().chain(&options.target);
            let columns = options.fields.iter().map(|field| &field.field);
            for field in ends.chain(columns) {
                if !fields.contains(field) && field != ROW {
                    fields.push(field.clone());
                }
            }
        }
        let mut paths = Vec::with_capacity(source.files.len());
        for file in source.files {
            paths.push(tables::files::below(
                &self.path("")?,
                file,
                self.path(file)?,
            ));
        }
        tables::open_format(&tables::Request {
            paths: &paths,
            format: source.format,
            table: source.table,
            delimiter: source.delimiter,
            header: source.header,
            fields: &fields,
            threads: self.threads,
        })
    }
}

/// Where a table lies, for nodes and for edges.
struct Source<'a> {
    files: &'a [String],
    format: TableFormat,
    table: Option<&'a str>,
    delimiter: Option<&'a str>,
    header: Header,
}

fn stream_fields(columns: Option<&[TableColumn]>) -> Vec<StreamField> {
    let columns = columns.unwrap_or(&[]).iter();
    columns
        .map(|column| StreamField {
            field: column.field.clone(),
            name: column.name.clone(),
            dtype: column.dtype.clone(),
            fill: column.fill.map(|fill| format!("{fill}")),
            mask: column.mask.clone(),
            role: column.role,
            used_as: FieldUse::Column,
        })
        .collect()
}
