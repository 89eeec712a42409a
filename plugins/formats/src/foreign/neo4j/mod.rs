//! A folder of files for neo4j-admin import. An id space is a node type; a file of relationships is an
//! edge type.

mod files;
mod header;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::choices::Choices;
use super::names::{plain, role_of_name};
use super::unique::free;
use crate::failure::Failure;
use crate::recipe::*;
use files::{groups, Group};
use header::{dtype_of, split, Kind};

/// The node type of ids without a space.
const GLOBAL: &str = "node";
const MOST_LINE_BYTES: u64 = 64 << 20;
/// Types of relationships in one file.
const MOST_TYPES: usize = 64;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let delimiter = match choices.take("delimiter").as_deref() {
        None => None,
        Some("tab") => Some('\t'),
        Some(one) if one.len() == 1 => one.chars().next(),
        Some(other) => {
            let what = format!("choices: delimiter={other}: expected one character, or \"tab\"");
            return Err(Failure::invalid(what));
        }
    };
    let fill = choices.take("fill").map(|text| {
        let wrong = format!("choices: fill={text}: expected a number");
        text.parse::<f64>().map_err(|_| Failure::invalid(wrong))
    });
    if !path.is_dir() {
        return Err(Failure::unsupported(path, "expected a folder"));
    }
    let (groups, others) = groups(path, delimiter)?;
    let mut reader = Reader {
        folder: path.to_owned(),
        fill: fill.transpose()?,
        recipe: Recipe {
            folder: Some(path.to_string_lossy().into_owned()),
            ..Default::default()
        },
        spaces: Vec::new(),
    };
    for other in others {
        let note = format!("\"{other}\" has no header of neo4j-admin and is left out.");
        reader.recipe.notes.push(note);
    }
    reader.add_nodes(&groups)?;
    for group in &groups {
        reader.add_edges(group)?;
    }
    if reader.recipe.edges.is_empty() {
        let what = "no file has a header with :START_ID and :END_ID";
        return Err(Failure::unsupported(path, what));
    }
    Ok(reader.recipe)
}

struct Reader {
    folder: PathBuf,
    fill: Option<f64>,
    recipe: Recipe,
    /// Id spaces and their node types.
    spaces: Vec<(String, String)>,
}

/// The place of a field, and what the recipe calls it.
struct Place {
    at: usize,
    field: String,
}

impl Group {
    fn place(&self, at: usize) -> Place {
        let field = if self.on_top {
            self.fields[at].0.clone()
        } else {
            format!("#{at}")
        };
        Place { at, field }
    }

    fn find(&self, wanted: impl Fn(&Kind) -> bool) -> Option<Place> {
        let at = self
            .fields
            .iter()
            .position(|(_, field)| wanted(&field.kind));
        at.map(|at| self.place(at))
    }

    fn space(&self, place: &Place) -> &str {
        match &self.fields[place.at].1.kind {
            Kind::Id(space) | Kind::Start(space) | Kind::End(space) => space,
            _ => "",
        }
    }

    fn delimiter(&self) -> String {
        match self.delimiter {
            '\t' => "tab".to_owned(),
            other => other.to_string(),
        }
    }

    fn header(&self) -> Header {
        if self.on_top {
            Header::Yes
        } else {
            Header::No
        }
    }
}

impl Reader {
    fn type_of(&mut self, space: &str) -> String {
        if let Some((_, known)) = self.spaces.iter().find(|(known, _)| known == space) {
            return known.clone();
        }
        let name = if space.is_empty() { GLOBAL } else { space };
        let name = plain(name, &mut self.recipe.notes);
        let name = free(name, |name| self.recipe.nodes.contains_key(name));
        self.spaces.push((space.to_owned(), name.clone()));
        let node = NodeType {
            ids: Some(Ids::String),
            ..Default::default()
        };
        self.recipe.nodes.insert(name.clone(), node);
        name
    }

    fn add_nodes(&mut self, groups: &[Group]) -> Result<(), Failure> {
        let of_nodes: Vec<(&Group, Place)> = groups
            .iter()
            .filter_map(|group| Some((group, group.find(|kind| matches!(kind, Kind::Id(_)))?)))
            .collect();
        for (group, id) in &of_nodes {
            let space = group.space(id);
            let name = self.type_of(space);
            let same = of_nodes
                .iter()
                .filter(|(other, id)| other.space(id) == space);
            if same.count() > 1 {
                self.recipe.notes.push(format!(
                    "\"{}\" is not the only file with ids of \"{name}\": its properties are left out, \
                     and so are nodes without edges.",
                    group.name
                ));
                continue;
            }
            let columns = self.columns(group);
            let node = &mut self.recipe.nodes[&name];
            if let Some(text) = as_text(group, &columns) {
                node.text = Some(Text {
                    key: Some(id.field.clone()),
                    ..text
                });
            } else {
                node.table = Some(NodeTable {
                    files: group.files.clone(),
                    format: TableFormat::Csv,
                    delimiter: Some(group.delimiter()),
                    header: group.header(),
                    key: Some(id.field.clone()),
                    columns: Some(columns),
                    ..Default::default()
                });
            }
        }
        Ok(())
    }

    fn add_edges(&mut self, group: &Group) -> Result<(), Failure> {
        let start = group.find(|kind| matches!(kind, Kind::Start(_)));
        let end = group.find(|kind| matches!(kind, Kind::End(_)));
        let (Some(start), Some(end)) = (start, end) else {
            return Ok(());
        };
        let source = self.type_of(group.space(&start));
        let target = self.type_of(group.space(&end));
        let relation = self.relation(group)?;
        let columns = self.columns(group);
        let mut edge = EdgeType::default();
        if let Some(text) = as_text(group, &columns) {
            edge.text = Some(TextEnds {
                file: text.file,
                source: Some(start.field),
                target: Some(end.field),
                delimiter: text.delimiter,
                comment: text.comment,
                header: text.header,
                columns: text.columns,
                ..Default::default()
            });
        } else {
            edge.table = Some(EdgeTable {
                files: group.files.clone(),
                format: TableFormat::Csv,
                delimiter: Some(group.delimiter()),
                header: group.header(),
                source: start.field,
                target: end.field,
                columns: Some(columns),
                ..Default::default()
            });
        }
        let relation = free(relation, |relation| {
            let name = format!("{source}__{relation}__{target}");
            self.recipe.edges.contains_key(&name)
        });
        let name = format!("{source}__{relation}__{target}");
        self.recipe.edges.insert(name, edge);
        Ok(())
    }

    /// The type of all relationships of a group, else its name.
    fn relation(&mut self, group: &Group) -> Result<String, Failure> {
        let mut types = BTreeSet::new();
        if let Some(place) = group.find(|kind| *kind == Kind::Type) {
            for file in &group.files {
                self.add_types(group, file, place.at, &mut types)?;
            }
        }
        let only = types
            .first()
            .filter(|only| types.len() == 1 && !only.is_empty());
        if types.len() > 1 {
            let some: Vec<_> = types.iter().take(8).map(String::as_str).collect();
            self.recipe.notes.push(format!(
                "the relationships of \"{}\" have several types, which are left out: {}.",
                group.name,
                some.join(", ")
            ));
        }
        let name = only.unwrap_or(&group.name);
        Ok(plain(name, &mut self.recipe.notes))
    }

    fn add_types(
        &self,
        group: &Group,
        file: &str,
        at: usize,
        types: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        let path = self.folder.join(file);
        let failed = |error: std::io::Error| Failure::io(&path, &error);
        let mut opened = BufReader::new(File::open(&path).map_err(failed)?);
        let gzip = opened
            .fill_buf()
            .map_err(failed)?
            .starts_with(&[0x1f, 0x8b]);
        let mut from: Box<dyn BufRead> = if gzip {
            Box::new(BufReader::new(MultiGzDecoder::new(opened)))
        } else {
            Box::new(opened)
        };
        let (mut line, mut skip) = (Vec::new(), group.on_top);
        while types.len() <= MOST_TYPES {
            line.clear();
            let read = from
                .by_ref()
                .take(MOST_LINE_BYTES)
                .read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::of_file(&path, error))? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let blank = text.trim().is_empty();
            if !std::mem::take(&mut skip) && !blank {
                let fields = split(&text, group.delimiter);
                if let Some(found) = fields.into_iter().nth(at) {
                    types.insert(found);
                }
            }
        }
        Ok(())
    }

    fn columns(&mut self, group: &Group) -> Vec<TableColumn> {
        let mut out: Vec<TableColumn> = Vec::new();
        let mut taken = HashSet::new();
        for (at, (_, field)) in group.fields.iter().enumerate() {
            let what = match &field.kind {
                Kind::Label => "the labels".to_owned(),
                Kind::Property(kind) => match dtype_of(kind) {
                    Some(dtype) => {
                        let name = plain(&field.name, &mut self.recipe.notes);
                        let name = free(name, |name| taken.contains(name));
                        taken.insert(name.clone());
                        let role = match role_of_name(&name, true) {
                            Role::Feature if !dtype.starts_with("float") => Role::Other,
                            role => role,
                        };
                        out.push(TableColumn {
                            field: group.place(at).field,
                            name: Some(name),
                            dtype: Some(dtype.to_owned()),
                            role,
                            // A bool can only be 0 or 1.
                            fill: self
                                .fill
                                .filter(|fill| dtype != "bool" || [0.0, 1.0].contains(fill)),
                            ..Default::default()
                        });
                        continue;
                    }
                    None => format!("the property \"{}\" of {kind}", field.name),
                },
                _ => continue,
            };
            let name = &group.name;
            self.recipe
                .notes
                .push(format!("{what} in \"{name}\" is left out."));
        }
        out
    }
}

/// GLS reads one file without nulls and bools by itself, so keys stay as they are written.
fn as_text(group: &Group, columns: &[TableColumn]) -> Option<Text> {
    let [file] = &group.files[..] else {
        return None;
    };
    let plain =
        |column: &TableColumn| column.fill.is_none() && column.dtype.as_deref() != Some("bool");
    if !columns.iter().all(plain) {
        return None;
    }
    let columns = columns.iter().cloned();
    Some(Text {
        file: file.clone(),
        delimiter: Some(group.delimiter()),
        comment: Some("none".to_owned()),
        header: group.header(),
        columns: columns
            .map(|column| TextColumn {
                field: column.field,
                name: column.name,
                dtype: column.dtype.unwrap_or_default(),
                role: column.role,
            })
            .collect(),
        ..Default::default()
    })
}
