//! Folders `processed` with one folder for each node type and for each edge type: MAG240M and IGB.

mod counts;
pub mod igb;
pub mod mag240m;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::names::{edge_type, note, plain, role_of};
use crate::arrays::{self, npy, Array, Bytes};
use crate::failure::Failure;
use crate::recipe::{ArrayRef, Column, EdgeType, Recipe, Role};

const PROCESSED: &str = "processed";
const EDGES: &str = "edge_index.npy";
const NPY: &str = ".npy";

/// A dataset's folder, and the recipe so far.
struct Dataset<'a> {
    folder: &'a Path,
    recipe: Recipe,
    /// Folders of node types, and GLS's names.
    types: Vec<(String, String)>,
}

impl<'a> Dataset<'a> {
    fn new(folder: &'a Path) -> Self {
        Dataset {
            folder,
            recipe: Recipe {
                folder: folder.to_str().map(str::to_owned),
                ..Default::default()
            },
            types: Vec::new(),
        }
    }

    fn note(&mut self, words: impl Into<String>) {
        note(&mut self.recipe.notes, words.into());
    }

    fn wrong(&self, file: &str, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(&self.folder.join(file), what)
    }

    /// Adds all types. `joint` is between the parts of edge types; `by_rows`: an edge is a row.
    fn add_types(
        &mut self,
        joint: &str,
        by_rows: bool,
        raw: impl Fn(&str, u64) -> Option<ArrayRef>,
    ) -> Result<(), Failure> {
        let folders = names_in(&self.folder.join(PROCESSED), true)?;
        let (of_edges, of_nodes): (Vec<_>, Vec<_>) =
            folders.into_iter().partition(|name| name.contains(joint));
        for name in &of_nodes {
            self.add_nodes(name, &raw)?;
        }
        for name in &of_edges {
            self.add_edges(name, joint, by_rows)?;
        }
        if self.recipe.edges.is_empty() {
            return Err(self.wrong(PROCESSED, "it has no folder of edges"));
        }
        Ok(())
    }

    /// A node type, whose name may be in a path.
    fn node_type(&mut self, name: &str) -> String {
        if let Some((_, known)) = self.types.iter().find(|(theirs, _)| theirs == name) {
            return known.clone();
        }
        let plain = plain(name, &mut self.recipe.notes);
        self.recipe.nodes.entry(plain.clone()).or_default();
        self.types.push((name.to_owned(), plain.clone()));
        plain
    }

    fn add_nodes(
        &mut self,
        name: &str,
        raw: &impl Fn(&str, u64) -> Option<ArrayRef>,
    ) -> Result<(), Failure> {
        let node = self.node_type(name);
        let folder = format!("{PROCESSED}/{name}");
        for file in names_in(&self.folder.join(&folder), false)? {
            let path = format!("{folder}/{file}");
            let stem = file
                .strip_suffix(NPY)
                .filter(|stem| stem.starts_with("node_"));
            let Some(stem) = stem else {
                self.note(format!("The file \"{path}\" is not read."));
                continue;
            };
            let (array, head) = self.open(&path, stem, raw)?;
            let role = if stem.starts_with("node_label") {
                Role::Label
            } else {
                role_of(stem, Some(&head))
            };
            let column = plain(stem, &mut self.recipe.notes);
            let node = self.recipe.nodes.entry(node.clone()).or_default();
            node.columns.insert(column, Column::of(array, role));
            node.count.get_or_insert(head.rows());
        }
        Ok(())
    }

    /// A file of NumPy, or of numbers alone.
    fn open(
        &mut self,
        file: &str,
        stem: &str,
        raw: &impl Fn(&str, u64) -> Option<ArrayRef>,
    ) -> Result<(ArrayRef, Array), Failure> {
        let path = self.folder.join(file);
        let mut array = ArrayRef::of_file(file);
        let failed = |error: std::io::Error| Failure::io(&path, &error);
        let mut head = Vec::new();
        let opened = File::open(&path).map_err(failed)?;
        let size = opened.metadata().map_err(failed)?.len();
        let most = npy::MAGIC.len() as u64;
        opened.take(most).read_to_end(&mut head).map_err(failed)?;
        if head != npy::MAGIC {
            let Some(numbers) = raw(stem, size) else {
                return Err(Failure::of_file(&path, "the file is not NumPy's"));
            };
            array = ArrayRef {
                file: file.to_owned(),
                ..numbers
            };
            self.note(format!(
                "\"{file}\" has no header; it is taken as {} {:?}.",
                array.dtype.as_deref().unwrap_or(""),
                array.shape.as_deref().unwrap_or(&[])
            ));
        }
        let head = arrays::open(&array, self.folder)?;
        Ok((array, head))
    }

    /// Whether an edge is a row of a matrix, and not a column.
    fn edges_are_rows(&self, file: &str) -> Result<bool, Failure> {
        let path = self.folder.join(file);
        match npy::shape(&path, Bytes::map(&path)?.as_slice())?[..] {
            [_, 2] => Ok(true),
            [2, _] => Ok(false),
            ref shape => {
                let what = format!("the shape is {shape:?}, expected [edges, 2] or [2, edges]");
                Err(Failure::of_file(&path, what))
            }
        }
    }

    fn add_edges(&mut self, name: &str, joint: &str, by_rows: bool) -> Result<(), Failure> {
        let parts: Vec<&str> = name.split(joint).collect();
        let [source, relation, target] = parts[..] else {
            self.note(format!("The folder \"{PROCESSED}/{name}\" is not read."));
            return Ok(());
        };
        let ends = [source, target].map(|end| self.node_type(end));
        let relation = plain(relation, &mut self.recipe.notes);
        let joined = edge_type([&ends[0], &relation, &ends[1]], &mut self.recipe.notes);
        let file = format!("{PROCESSED}/{name}/{EDGES}");
        let arrays = if by_rows && self.edges_are_rows(&file)? {
            let end = |column| ArrayRef {
                column: Some(column),
                ..ArrayRef::of_file(file.as_str())
            };
            vec![end(0), end(1)]
        } else {
            vec![ArrayRef::of_file(file.as_str())]
        };
        let edge = EdgeType {
            arrays,
            ..Default::default()
        };
        if self.recipe.edges.insert(joined.clone(), edge).is_some() {
            return Err(self.wrong(&file, format!("\"{joined}\" is there twice")));
        }
        Ok(())
    }
}

/// The names of folders, or of files, in a folder, ascending.
fn names_in(folder: &Path, folders: bool) -> Result<Vec<String>, Failure> {
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_dir() == folders {
            let name = entry.file_name().into_string();
            names.push(name.map_err(|_| Failure::of_file(folder, "a name is not UTF-8"))?);
        }
    }
    names.sort();
    Ok(names)
}
