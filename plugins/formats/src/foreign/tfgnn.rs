//! TF-GNN's graph schema, a text protobuf, and the tables of TFRecord or CSV that it names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::choices::Choices;
use super::names::{plain, role_of_name};
use super::paths::{inside, text_of};
use super::text_proto::{self, Message};
use super::unique::free;
use crate::failure::Failure;
use crate::recipe::*;
use crate::tables::files::{shards, MOST_SHARDS};

const NODE: &str = "#id";
const SOURCE: &str = "#source";
const TARGET: &str = "#target";
/// Words in names of files.
const OF_TFRECORD: [&str; 3] = ["tfrecord", "tfrecords", "tfr"];

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let label = choices.take("label");
    let weight = choices.take("weight");
    let at = schema_file(path)?;
    let schema = text_proto::read(&text_of(&at)?).map_err(|what| Failure::of_file(&at, what))?;
    let folder = at.parent().unwrap_or(Path::new("")).to_owned();
    let mut reader = Reader {
        at,
        folder,
        label,
        weight,
        recipe: Recipe::default(),
        features: Vec::new(),
        names: Vec::new(),
    };
    reader.recipe.folder = Some(reader.folder.to_string_lossy().into_owned());
    for (name, set) in schema.map("node_sets") {
        reader.add_nodes(name, set)?;
    }
    for (name, set) in schema.map("edge_sets") {
        reader.add_edges(name, set)?;
    }
    if let Some(context) = schema.message("context") {
        for (name, _) in context.map("features") {
            reader.note(format!("the context's feature \"{name}\" is left out."));
        }
    }
    if reader.recipe.edges.is_empty() {
        return Err(Failure::unsupported(&reader.at, "no edge set has a file"));
    }
    for choice in [&reader.label, &reader.weight].into_iter().flatten() {
        if !reader.features.contains(choice) {
            return Err(Failure::invalid(format!(
                "choices: no set has a feature \"{choice}\" of numbers"
            )));
        }
    }
    Ok(reader.recipe)
}

/// The file itself, or the only ".pbtxt" of a folder.
fn schema_file(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        if entry.extension().is_some_and(|ending| ending == "pbtxt") {
            found.push(entry);
        }
    }
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Failure::unsupported(path, "there is no \".pbtxt\" file")),
        _ => Err(Failure::unsupported(
            path,
            "there are several \".pbtxt\" files; name one",
        )),
    }
}

struct Reader {
    at: PathBuf,
    folder: PathBuf,
    label: Option<String>,
    weight: Option<String>,
    recipe: Recipe,
    /// Features that become columns.
    features: Vec<String>,
    /// Node sets and the names of their types.
    names: Vec<(String, String)>,
}

/// Where the rows of a set are.
struct Rows {
    /// One, or the shards of CSV.
    files: Vec<String>,
    csv: bool,
}

impl Rows {
    /// GLS reads one file of CSV by itself, so keys stay as they are written.
    fn is_one_text(&self) -> bool {
        matches!(&self.files[..], [file] if self.csv && !file.contains(['*', '?', '[', '@']))
    }
}

/// As Python's csv module reads it by default.
fn plain_csv() -> Text {
    Text {
        delimiter: Some(",".to_owned()),
        comment: Some("none".to_owned()),
        header: Header::Yes,
        ..Default::default()
    }
}

fn text_columns(columns: Vec<TableColumn>) -> Vec<TextColumn> {
    let columns = columns.into_iter();
    columns
        .map(|column| TextColumn {
            field: column.field,
            name: column.name,
            dtype: column.dtype.unwrap_or_default(),
            role: column.role,
        })
        .collect()
}

impl Reader {
    fn note(&mut self, note: String) {
        self.recipe.notes.push(note);
    }

    fn rows(&mut self, what: &str, set: &Message) -> Result<Option<Rows>, Failure> {
        let metadata = set.message("metadata");
        let Some(name) = metadata.and_then(|metadata| metadata.text("filename")) else {
            if metadata.is_some_and(|metadata| metadata.message("bigquery").is_some()) {
                self.note(format!("{what} is in BigQuery, which is not read."));
            }
            return Ok(None);
        };
        // Absolute names within the folder are as good.
        let inner = Path::new(name).strip_prefix(&self.folder).ok();
        let name = inner.and_then(Path::to_str).unwrap_or(name);
        let file = inside(&self.at, name)?;
        let last = file.rsplit('/').next().unwrap_or(&file);
        let csv = !OF_TFRECORD.iter().any(|word| has_word(last, word));
        if csv && !has_word(last, "csv") {
            let what = format!("\"{file}\" is neither of TFRecord nor of CSV by its name");
            return Err(Failure::unsupported(&self.at, what));
        }
        let files = if csv && !self.folder.join(&file).exists() {
            shards(&file).ok_or_else(|| {
                let what = format!("\"{file}\": expected 1 to {MOST_SHARDS} shards");
                Failure::unsupported(&self.at, what)
            })?
        } else {
            vec![file]
        };
        Ok(Some(Rows { files, csv }))
    }

    fn add_nodes(&mut self, name: &str, set: &Message) -> Result<(), Failure> {
        let plain = plain(name, &mut self.recipe.notes);
        let plain = free(plain, |name| self.recipe.nodes.contains_key(name));
        self.names.push((name.to_owned(), plain.clone()));
        let mut node = NodeType {
            ids: Some(Ids::String),
            ..Default::default()
        };
        let what = format!("the node set \"{name}\"");
        match self.rows(&what, set)? {
            Some(rows) => {
                let columns = self.columns(&what, set)?;
                let key = Some(self.field(&rows, NODE)?);
                if rows.is_one_text() {
                    node.text = Some(Text {
                        file: rows.files.concat(),
                        key,
                        columns: text_columns(columns),
                        ..plain_csv()
                    });
                } else {
                    node.table = Some(NodeTable {
                        key,
                        format: format_of(&rows),
                        files: rows.files,
                        columns: Some(columns),
                        ..Default::default()
                    });
                }
            }
            None if !set.map("features").is_empty() => {
                self.note(format!("{what} has no file, so its features are left out."));
            }
            None => {}
        }
        self.recipe.nodes.insert(plain, node);
        Ok(())
    }

    fn add_edges(&mut self, name: &str, set: &Message) -> Result<(), Failure> {
        let what = format!("the edge set \"{name}\"");
        let Some(rows) = self.rows(&what, set)? else {
            self.note(format!("{what} has no file and is left out."));
            return Ok(());
        };
        let plain = plain(name, &mut self.recipe.notes);
        let source = self.end(&what, set, "source")?;
        let target = self.end(&what, set, "target")?;
        let columns = self.columns(&what, set)?;
        let metadata = set.message("metadata");
        let extra = metadata.map(|metadata| metadata.messages("extra"));
        let reversed = extra.is_some_and(|mut extra| {
            extra.any(|pair| {
                pair.text("key") == Some("edge_type") && pair.text("value") == Some("reversed")
            })
        });
        let mut ends = [self.field(&rows, SOURCE)?, self.field(&rows, TARGET)?];
        if reversed {
            ends.reverse();
        }
        let [source_field, target_field] = ends;
        let mut edge = EdgeType::default();
        if rows.is_one_text() {
            let csv = plain_csv();
            edge.text = Some(TextEnds {
                file: rows.files.concat(),
                source: Some(source_field),
                target: Some(target_field),
                delimiter: csv.delimiter,
                comment: csv.comment,
                header: csv.header,
                columns: text_columns(columns),
                ..Default::default()
            });
        } else {
            edge.table = Some(EdgeTable {
                format: format_of(&rows),
                files: rows.files,
                source: source_field,
                target: target_field,
                columns: Some(columns),
                ..Default::default()
            });
        }
        let relation = free(plain, |plain| {
            let name = format!("{source}__{plain}__{target}");
            self.recipe.edges.contains_key(&name)
        });
        let name = format!("{source}__{relation}__{target}");
        self.recipe.edges.insert(name, edge);
        Ok(())
    }

    fn end(&self, what: &str, set: &Message, end: &str) -> Result<String, Failure> {
        let named = set.text(end);
        let known = self.names.iter().find(|(name, _)| Some(&name[..]) == named);
        known.map(|(_, plain)| plain.clone()).ok_or_else(|| {
            let what = format!("{what}: its {end} is no node set");
            Failure::of_file(&self.at, what)
        })
    }

    /// CSV files may call "#id" also "id".
    fn field(&self, rows: &Rows, name: &str) -> Result<String, Failure> {
        if rows.csv {
            let path = self.folder.join(&rows.files[0]);
            if path.exists() {
                let header = super::paths::first_line(&path)?;
                let plain = |field: &str| field.trim().trim_matches('"').to_owned();
                let fields: Vec<_> = header.split(',').map(plain).collect();
                let short = &name[1..];
                if !fields.iter().any(|field| field == name)
                    && fields.iter().any(|field| field == short)
                {
                    return Ok(short.to_owned());
                }
            }
        }
        Ok(name.to_owned())
    }

    fn columns(&mut self, what: &str, set: &Message) -> Result<Vec<TableColumn>, Failure> {
        let mut out = Vec::new();
        let mut taken = HashSet::new();
        for (name, feature) in set.map("features") {
            let place = format!("{what}: feature \"{name}\"");
            let Some(shape) = shape_of(feature) else {
                self.note(format!("{place} has rows of any length and is left out."));
                continue;
            };
            let dtype = match feature.word("dtype").unwrap_or("DT_INVALID") {
                "DT_FLOAT" | "1" => "float32",
                "DT_DOUBLE" | "2" => "float64",
                "DT_INT32" | "3" => "int32",
                "DT_UINT8" | "4" => "uint8",
                "DT_INT16" | "5" => "int16",
                "DT_INT8" | "6" => "int8",
                "DT_INT64" | "9" => "int64",
                "DT_UINT16" | "17" => "uint16",
                "DT_HALF" | "19" => "float16",
                "DT_UINT32" | "22" => "uint32",
                "DT_BOOL" | "10" => {
                    self.note(format!("{place} is bool and kept as uint8."));
                    "uint8"
                }
                "DT_BFLOAT16" | "14" => {
                    self.note(format!("{place} is bfloat16 and kept as float32."));
                    "float32"
                }
                other => {
                    let kind = match other {
                        "DT_STRING" | "7" => "text",
                        _ => other,
                    };
                    self.note(format!("{place} is of {kind} and is left out."));
                    continue;
                }
            };
            if shape.len() > 1 {
                self.note(format!(
                    "{place} of shape {shape:?} is kept in one dimension."
                ));
            } else if shape == [1] {
                self.note(format!("{place} of shape [1] is kept as one number."));
            }
            let plain = plain(name, &mut self.recipe.notes);
            let plain = free(plain, |plain| taken.contains(plain));
            taken.insert(plain.clone());
            self.features.push(name.to_owned());
            out.push(TableColumn {
                field: name.to_owned(),
                role: self.role(name, dtype, &shape),
                name: (plain != name).then_some(plain),
                dtype: Some(dtype.to_owned()),
                ..Default::default()
            });
        }
        Ok(out)
    }

    fn role(&self, name: &str, dtype: &str, shape: &[i64]) -> Role {
        let chosen = |choice: &Option<String>| choice.as_deref() == Some(name);
        if chosen(&self.label) {
            return Role::Label;
        }
        if chosen(&self.weight) {
            return Role::Weight;
        }
        let single = shape.iter().product::<i64>() == 1;
        let role = role_of_name(name, single);
        let replaced = match role {
            Role::Label => self.label.is_some(),
            Role::Weight => self.weight.is_some(),
            _ => false,
        };
        match role {
            Role::Feature if single && !dtype.starts_with("float") => Role::Other,
            _ if replaced => Role::Other,
            _ => role,
        }
    }
}

fn format_of(rows: &Rows) -> TableFormat {
    if rows.csv {
        TableFormat::Csv
    } else {
        TableFormat::Tfrecord
    }
}

/// Whether a file's name has this word between other characters than letters and digits.
fn has_word(file: &str, word: &str) -> bool {
    file.split(|c: char| !c.is_alphanumeric())
        .any(|part| part == word)
}

/// The extents of a row; None: some are open.
fn shape_of(feature: &Message) -> Option<Vec<i64>> {
    let mut out = Vec::new();
    let Some(shape) = feature.message("shape") else {
        return Some(out);
    };
    if shape.word("unknown_rank") == Some("true") {
        return None;
    }
    for dim in shape.messages("dim") {
        let size: i64 = dim.word("size")?.parse().ok()?;
        if size < 0 {
            return None;
        }
        out.push(size);
    }
    out.iter()
        .try_fold(1_i64, |all, &size| all.checked_mul(size))?;
    Some(out)
}

#[cfg(test)]
mod tests;
