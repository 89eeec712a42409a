//! DGL's chunked graphs, which its tools for large partitions read: `metadata.json`, and files of
//! edges and data in pieces.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::chunks::{rows_of, Edges};
use super::folder_and_name;
use super::names::{edge_type, Names};
use super::roles::{Of, Roles, Use};
use crate::arrays::{self, DType};
use crate::failure::Failure;
use crate::foreign::paths::inside;
use crate::recipe::{self, ArrayRef, Column, EdgeTable, Header, Part, Recipe, Role, TableFormat};
use crate::tables;

pub fn is_one(json: &Value) -> bool {
    json.get("node_type").is_some() && json.get("edges").is_some()
}

pub fn describe(path: &Path, json: &Value) -> Result<Recipe, Failure> {
    let (folder, _) = folder_and_name(path)?;
    let mut recipe = Recipe {
        folder: Some(folder.clone()),
        ..Default::default()
    };
    let chunked = Chunked {
        path,
        json,
        folder: Path::new(&folder),
    };
    let mut names = Names::default();
    let mut nodes: Vec<(String, String)> = Vec::new();
    for (name, chunks) in chunked.types("node_type", "num_nodes_per_chunk", "num_nodes_per_type")? {
        let mut made = recipe::NodeType {
            count: Some(chunked.total(&chunks)?),
            ..Default::default()
        };
        let rows = chunked.total(&chunks)?;
        for one in chunked.data("node_data", &name, (Of::Nodes, rows), &mut recipe.notes)? {
            match one {
                (Use::Column(column, role), values) => {
                    made.columns.insert(column, values.with_role(role));
                }
                (Use::Set(set), mut values) => {
                    made.sets.insert(set.to_owned(), values.0.remove(0));
                }
            }
        }
        let known = names.node_type(&name, &mut recipe.notes);
        recipe.nodes.insert(known.clone(), made);
        nodes.push((name, known));
    }
    let mut names = Names::default();
    for (name, chunks) in chunked.types("edge_type", "num_edges_per_chunk", "num_edges_per_type")? {
        let [source, relation, target] = name.split(':').collect::<Vec<_>>()[..] else {
            let what = format!("the edge type \"{name}\" is not source:relation:target");
            return Err(Failure::of_file(path, what));
        };
        let known = |end: &str| {
            let found = nodes.iter().find(|node| node.0 == end);
            found.map(|node| node.1.as_str()).ok_or_else(|| {
                let what = format!("\"{name}\": there is no node type \"{end}\"");
                Failure::of_file(path, what)
            })
        };
        let ends = [known(source)?, relation, known(target)?];
        let gls_name = edge_type(&mut names, ends, &mut recipe.notes);
        let mut made = chunked.edges(&name, &chunks)?;
        let rows = chunked.total(&chunks)?;
        for one in chunked.data("edge_data", &name, (Of::Edges, rows), &mut recipe.notes)? {
            if let (Use::Column(column, role), values) = one {
                made.columns.insert(column, values.with_role(role));
            }
        }
        recipe.edges.insert(gls_name, made);
    }
    Ok(recipe)
}

/// The arrays of a column, one a chunk.
struct Values(Vec<ArrayRef>);

impl Values {
    fn with_role(mut self, role: Role) -> Column {
        if self.0.len() == 1 {
            return Column::of(self.0.remove(0), role);
        }
        let parts = self.0.into_iter();
        Column {
            role,
            parts: parts.map(|values| Part { rows: None, values }).collect(),
            ..Default::default()
        }
    }
}

struct Chunked<'a> {
    path: &'a Path,
    json: &'a Value,
    folder: &'a Path,
}

/// A list of files in one format.
struct Files {
    format: String,
    delimiter: Option<String>,
    names: Vec<String>,
}

impl Chunked<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(self.path, what)
    }

    /// Names of types, and the number of rows in each chunk; one chunk where only `total` is given.
    fn types(
        &self,
        names: &str,
        per_chunk: &str,
        total: &str,
    ) -> Result<Vec<(String, Vec<i64>)>, Failure> {
        let listed = |key: &str| self.json.get(key).and_then(Value::as_array);
        let all = listed(names).ok_or_else(|| self.wrong(format!("{names} is no list")))?;
        let (key, counts) = listed(per_chunk)
            .map(|counts| (per_chunk, counts))
            .or_else(|| listed(total).map(|counts| (total, counts)))
            .ok_or_else(|| self.wrong(format!("{per_chunk} is no list")))?;
        if counts.len() != all.len() {
            return Err(self.wrong(format!("{names} and {key} differ in length")));
        }
        let mut out: Vec<(String, Vec<i64>)> = Vec::new();
        let mut taken = HashSet::new();
        for (name, counts) in all.iter().zip(counts) {
            let name = name
                .as_str()
                .ok_or_else(|| self.wrong(format!("{names}: {name} is no text")))?;
            if !taken.insert(name) {
                return Err(self.wrong(format!("{names}: \"{name}\" is there twice")));
            }
            let number = |count: &Value| {
                let count = count.as_i64().filter(|&count| count >= 0);
                count.ok_or_else(|| self.wrong(format!("{key}: \"{name}\" has no counts")))
            };
            let chunks = match counts {
                Value::Array(counts) => counts.iter().map(number).collect::<Result<_, _>>()?,
                one => vec![number(one)?],
            };
            out.push((name.to_owned(), chunks));
        }
        Ok(out)
    }

    fn total(&self, chunks: &[i64]) -> Result<i64, Failure> {
        chunks
            .iter()
            .try_fold(0_i64, |sum, &count| sum.checked_add(count))
            .ok_or_else(|| self.wrong("the counts are too large"))
    }

    fn files(&self, place: &str, json: &Value) -> Result<Files, Failure> {
        let format = json.get("format").unwrap_or(&Value::Null);
        let named = format.get("name").and_then(Value::as_str);
        let format_name = named.ok_or_else(|| self.wrong(format!("{place} has no format")))?;
        let data = json.get("data").and_then(Value::as_array);
        let data = data.ok_or_else(|| self.wrong(format!("{place} has no list of files")))?;
        let mut names = Vec::new();
        for name in data {
            let name = name
                .as_str()
                .ok_or_else(|| self.wrong(format!("{place}: {name} is no name of a file")))?;
            // Some tools write full names.
            let name = Path::new(name)
                .strip_prefix(self.folder)
                .ok()
                .filter(|_| Path::new(name).is_absolute())
                .and_then(Path::to_str)
                .unwrap_or(name);
            names.push(inside(self.path, name)?);
        }
        Ok(Files {
            format: format_name.to_owned(),
            delimiter: format
                .get("delimiter")
                .and_then(Value::as_str)
                .map(str::to_owned),
            names,
        })
    }

    fn edges(&self, name: &str, chunks: &[i64]) -> Result<recipe::EdgeType, Failure> {
        let place = format!("edges.{name}");
        let json = self.json["edges"].get(name);
        let json = json.ok_or_else(|| self.wrong(format!("there is no \"{place}\"")))?;
        let mut files = self.files(&place, json)?;
        if files.names.len() != chunks.len() {
            return Err(self.wrong(format!("{place}: files and counts differ in number")));
        }
        let mut checked = Edges::new(&files.format);
        for (file, &count) in files.names.iter().zip(chunks) {
            if count > 0 {
                checked.check(&self.folder.join(file), count)?;
            }
        }
        let mut counts = chunks.iter();
        files
            .names
            .retain(|_| counts.next().is_some_and(|&count| count > 0));
        let mut made = recipe::EdgeType::default();
        if files.names.is_empty() {
            // No rows of a file.
            made.arrays = vec![ArrayRef {
                file: folder_and_name(self.path)?.1,
                dtype: Some(DType::I64.name().into()),
                shape: Some(vec![2, 0]),
                ..Default::default()
            }];
            return Ok(made);
        }
        let mut table = EdgeTable {
            source: "#0".into(),
            target: "#1".into(),
            columns: Some(Vec::new()),
            ..Default::default()
        };
        match files.format.as_str() {
            "csv" => {
                table.format = TableFormat::Csv;
                table.header = Header::No;
                table.delimiter = match files.delimiter.as_deref() {
                    Some("\t") => Some("tab".into()),
                    other => Some(other.unwrap_or(" ").to_owned()),
                };
            }
            "numpy" => table.format = TableFormat::Npy,
            "parquet" => {
                // The first two fields, whatever their names.
                let first = self.folder.join(&files.names[0]);
                let fields = tables::parquet_schema(&first)?.0;
                let [source, target] = [0, 1].map(|at| fields.fields().get(at));
                let (Some(source), Some(target)) = (source, target) else {
                    return Err(Failure::of_file(&first, "there are not two fields"));
                };
                table.source = source.name().clone();
                table.target = target.name().clone();
            }
            other => return Err(self.unknown(&place, other)),
        }
        table.files = files.names;
        made.table = Some(table);
        Ok(made)
    }

    fn unknown(&self, place: &str, format: &str) -> Failure {
        let what = format!("{place}: the format \"{format}\" is none of csv, numpy and parquet");
        Failure::unsupported(self.path, what)
    }

    fn data(
        &self,
        kind: &str,
        type_name: &str,
        (of, expected): (Of, i64),
        notes: &mut Vec<String>,
    ) -> Result<Vec<(Use, Values)>, Failure> {
        let mut out = Vec::new();
        let Some(Value::Object(all)) = self.json.get(kind).and_then(|all| all.get(type_name))
        else {
            return Ok(out);
        };
        let mut roles = Roles::new(of);
        for (name, json) in all {
            let place = format!("{kind}.{type_name}.{name}");
            let files = self.files(&place, json)?;
            let mut values: Vec<ArrayRef> = Vec::new();
            let mut first = None;
            let mut total = 0_i64;
            for file in files.names {
                let path = self.folder.join(&file);
                match files.format.as_str() {
                    "numpy" => {
                        let array = arrays::npy::read(&path, &arrays::Bytes::map(&path)?)?;
                        first = first.or(Some((array.dtype, array.shape.len())));
                        total = total.saturating_add(rows_of(&path, &array.shape)?);
                        values.push(ArrayRef::of_file(file));
                    }
                    "parquet" => {
                        let (fields, rows) = tables::parquet_schema(&path)?;
                        total = total.saturating_add(rows);
                        if rows == 0 {
                            continue;
                        }
                        let fields = fields.fields();
                        let only = fields.first().filter(|_| fields.len() == 1);
                        let named = fields.iter().find(|field| field.name() == name);
                        let Some(field) = only.or(named) else {
                            let what = format!("{place}: {file} has no field \"{name}\"");
                            return Err(Failure::unsupported(self.path, what));
                        };
                        first = first.or(arrays::parquet::kind_of(field.data_type()));
                        values.push(ArrayRef::named(file, field.name()));
                    }
                    other => return Err(self.unknown(&place, other)),
                }
            }
            let Some((dtype, dimensions)) = first else {
                notes.push(format!("\"{place}\" has no numbers and is dropped."));
                continue;
            };
            if total != expected {
                return Err(self.wrong(format!("{place}: {total} rows, expected {expected}")));
            }
            let mut used = roles.of(name, dtype, &vec![0; dimensions], notes);
            if matches!(used, Use::Set(_)) && (values.len() > 1 || dtype != DType::Bool) {
                notes.push(format!(
                    "The mask \"{place}\" is not one file of bools and stays a column."
                ));
                used = roles.column(name, Role::Other, notes);
            }
            out.push((used, Values(values)));
        }
        Ok(out)
    }
}
