//! Partitions of graphlearn-torch as one graph: `META`, `node_pb`, and for each part its edges with
//! their ids, and rows of features with the ids that they belong to.

#[cfg(test)]
mod tests;

use std::path::Path;

use super::choices::Choices;
use super::names;
use super::paths::inside;
use crate::arrays::pickle::{Class, Id, Tree};
use crate::arrays::torch::Loaded;
use crate::failure::Failure;
use crate::recipe::{ArrayRef, Column, EdgePart, EdgeType, NodeType, Part, Recipe, Role};

const META: &str = "META";
const MOST_PARTS: i64 = 1 << 20;
const HOMOGENEOUS: &str = "homo";
const HETEROGENEOUS: &str = "hetero";
const NODE: &str = "node";
const RELATION: &str = "to";
/// graphlearn-torch has one table of features for a type, without a name.
const FEATURES: &str = "feat";
const WEIGHTS: &str = "weight";

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let folder = path
        .to_str()
        .ok_or_else(|| Failure::invalid("the name of the folder is not UTF-8"))?;
    let meta = Meta::read(path)?;
    let mut maker = Maker {
        folder: path,
        parts: meta.parts,
        keeps_parts: choices.flag("parts")?,
        recipe: Recipe {
            folder: Some(folder.to_owned()),
            ..Default::default()
        },
    };
    match &meta.types {
        None => {
            let node = maker.nodes(None)?;
            maker.recipe.nodes.insert(NODE.to_owned(), node);
            let edge = maker.edges(None)?;
            let name = [NODE, RELATION, NODE].join("__");
            maker.recipe.edges.insert(name, edge);
        }
        Some((nodes, edges)) => {
            for name in nodes {
                let node = maker.nodes(Some(name))?;
                let plain = names::plain(name, &mut maker.recipe.notes);
                if maker.recipe.nodes.insert(plain.clone(), node).is_some() {
                    let what = format!("two node types are called \"{plain}\"");
                    return Err(Failure::unsupported(&path.join(META), what));
                }
            }
            for words in edges {
                let edge = maker.edges(Some(&words.join("__")))?;
                let words = [&words[0], &words[1], &words[2]].map(String::as_str);
                let plain = names::edge_type(words, &mut maker.recipe.notes);
                if maker.recipe.edges.insert(plain.clone(), edge).is_some() {
                    let what = format!("two edge types are called \"{plain}\"");
                    return Err(Failure::unsupported(&path.join(META), what));
                }
            }
        }
    }
    maker.note(
        "The partitions have no labels and no splits; add them to the recipe if other files have \
         them.",
    );
    maker.note(
        "The dataset is one graph. With parts=true, nodes have a column with their part, which \
         `gls partition --owners-column part` takes.",
    );
    Ok(maker.recipe)
}

struct Meta {
    parts: i64,
    /// Of nodes and edges; None: there is one of each, without a name.
    types: Option<(Vec<String>, Vec<[String; 3]>)>,
}

impl Meta {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(META);
        let loaded = Loaded::open(&path)?;
        let tree = loaded.tree();
        let root = tree.root();
        let wrong = |what: &str| Failure::of_file(&path, what);
        let parts = tree
            .entry(root, "num_parts")
            .and_then(|parts| tree.int(parts))
            .filter(|&parts| parts > 0)
            .ok_or_else(|| wrong("it has no num_parts"))?;
        let last = folder.join(format!("part{}", parts - 1));
        if parts > MOST_PARTS || !last.is_dir() {
            return Err(wrong(&format!(
                "it has {parts} parts, and there is no folder part{}",
                parts - 1
            )));
        }
        let class = tree.entry(root, "data_cls").and_then(|id| tree.text(id));
        let types = match class {
            Some(HOMOGENEOUS) => None,
            Some(HETEROGENEOUS) => {
                let list = |name| tree.entry(root, name).and_then(|id| tree.items(id));
                let nodes = list("node_types").ok_or_else(|| wrong("it has no node_types"))?;
                let edges = list("edge_types").ok_or_else(|| wrong("it has no edge_types"))?;
                let nodes: Option<Vec<String>> = nodes
                    .iter()
                    .map(|&id| Some(tree.text(id)?.to_owned()))
                    .collect();
                let edges: Option<Vec<[String; 3]>> =
                    edges.iter().map(|&id| words(tree, id)).collect();
                match (nodes, edges) {
                    (Some(nodes), Some(edges)) => Some((nodes, edges)),
                    _ => return Err(wrong("a type has no name")),
                }
            }
            _ => return Err(wrong("its data_cls is neither \"homo\" nor \"hetero\"")),
        };
        Ok(Meta { parts, types })
    }
}

fn words(tree: &Tree, id: Id) -> Option<[String; 3]> {
    let words: Option<Vec<String>> = tree
        .items(id)?
        .iter()
        .map(|&word| Some(tree.text(word)?.to_owned()))
        .collect();
    words?.try_into().ok()
}

struct Maker<'a> {
    folder: &'a Path,
    parts: i64,
    /// Whether nodes have a column with their part.
    keeps_parts: bool,
    recipe: Recipe,
}

impl Maker<'_> {
    fn note(&mut self, words: &str) {
        names::note(&mut self.recipe.notes, words.to_owned());
    }

    /// The name of a file of a type, which may not lead out of the folder.
    fn file(&self, within: &str, of_type: Option<&str>, name: &str) -> Result<String, Failure> {
        let full = match of_type {
            Some(of_type) => format!("{within}/{of_type}/{name}"),
            None => format!("{within}/{name}"),
        };
        inside(&self.folder.join(META), &full)
    }

    fn exists(&self, file: &str) -> bool {
        self.folder.join(file).is_file()
    }

    fn missing(&self, file: &str) -> Failure {
        let error = std::io::Error::from(std::io::ErrorKind::NotFound);
        Failure::io(&self.folder.join(file), &error)
    }

    fn nodes(&mut self, of_type: Option<&str>) -> Result<NodeType, Failure> {
        let book = match of_type {
            Some(of_type) => inside(&self.folder.join(META), &format!("node_pb/{of_type}.pt"))?,
            None => "node_pb.pt".to_owned(),
        };
        let loaded = Loaded::open(&self.folder.join(&book))?;
        let mut node = NodeType {
            count: Some(count_of(&loaded)?),
            ..Default::default()
        };
        if let Some(column) = self.features("node_feat", of_type)? {
            node.columns.insert(FEATURES.to_owned(), column);
        }
        if self.keeps_parts {
            names::add_part(&mut node.columns, part_of(&loaded, book)?)?;
        }
        Ok(node)
    }

    /// Rows of all parts and the ids that they belong to.
    fn features(&mut self, kind: &str, of_type: Option<&str>) -> Result<Option<Column>, Failure> {
        let mut column = Column::default();
        for part in 0..self.parts {
            let within = format!("part{part}");
            if !self.folder.join(&within).is_dir() {
                return Err(self.missing(&within));
            }
            let within = format!("{within}/{kind}");
            let values = self.file(&within, of_type, "feats.pkl")?;
            let rows = self.file(&within, of_type, "ids.pkl")?;
            if self.exists(&self.file(&within, of_type, "cache_feats.pt")?) {
                self.note("Rows in cache_feats.pt are copies and are not read.");
            }
            // A part without rows has no files.
            if !self.exists(&values) && !self.exists(&rows) {
                continue;
            }
            column.parts.push(Part {
                rows: Some(ArrayRef::of_file(rows)),
                values: ArrayRef::of_file(values),
            });
        }
        Ok((!column.parts.is_empty()).then_some(column))
    }

    fn edges(&mut self, of_type: Option<&str>) -> Result<EdgeType, Failure> {
        // With a cached graph, the parts have no edges.
        let whole = self.file("graph", of_type, "rows.pt")?;
        let first = self.file("part0/graph", of_type, "rows.pt")?;
        let folders: Vec<String> = if self.exists(&whole) && !self.exists(&first) {
            vec!["graph".to_owned()]
        } else {
            if !self.exists(&first) {
                return Err(self.missing(&first));
            }
            (0..self.parts)
                .map(|part| format!("part{part}/graph"))
                .collect()
        };
        let mut edge = EdgeType::default();
        let mut weights = Column {
            role: Role::Weight,
            ..Default::default()
        };
        let mut have_ids = true;
        for folder in &folders {
            let file = |name| self.file(folder, of_type, name);
            let (ids, weight) = (file("eids.pt")?, file("weights.pt")?);
            let ids = self.exists(&ids).then(|| ArrayRef::of_file(ids));
            have_ids &= ids.is_some();
            if self.exists(&weight) {
                weights.parts.push(Part {
                    rows: ids.clone(),
                    values: ArrayRef::of_file(weight),
                });
            }
            let ends = [file("rows.pt")?, file("cols.pt")?];
            edge.parts.push(EdgePart {
                arrays: ends.into_iter().map(ArrayRef::of_file).collect(),
                ids,
                first: 0,
            });
        }
        if edge.parts.len() == 1 && !have_ids {
            edge.arrays = edge.parts.remove(0).arrays;
        }
        if !weights.parts.is_empty() {
            edge.columns.insert(WEIGHTS.to_owned(), weights);
        }
        if let Some(column) = self.features("edge_feat", of_type)? {
            if have_ids {
                edge.columns.insert(FEATURES.to_owned(), column);
            } else {
                let of = of_type.map_or_else(String::new, |of_type| format!(" of {of_type}"));
                self.note(&format!(
                    "The edge features{of} are left out: there is no eids.pt to tell their edges."
                ));
            }
        }
        Ok(edge)
    }
}

/// The part of each node.
fn part_of(book: &Loaded, file: String) -> Result<Column, Failure> {
    if book.tensor(book.tree().root())?.is_some() {
        let parts = ArrayRef {
            cast: Some("int32".to_owned()),
            ..ArrayRef::of_file(file)
        };
        return Ok(Column::of(parts, Role::Other));
    }
    let mut runs = Vec::new();
    let mut begin = 0;
    for (part, end) in bounds_of(book)?.into_iter().enumerate() {
        let Some(count) = end.checked_sub(begin).filter(|&count| count >= 0) else {
            return Err(Failure::of_file(book.path(), "its bounds do not ascend"));
        };
        runs.push([part as i64, count]);
        begin = end;
    }
    Ok(Column {
        runs,
        ..Default::default()
    })
}

/// The number of nodes: of a tensor with each node's part, or the last bound of ranges.
fn count_of(book: &Loaded) -> Result<i64, Failure> {
    if let Some(tensor) = book.tensor(book.tree().root())? {
        if let [count] = tensor.shape[..] {
            return Ok(count);
        }
    }
    let last = bounds_of(book)?.last().copied();
    last.filter(|&count| count >= 0)
        .ok_or_else(|| no_book(book))
}

/// The ends of the parts' ranges.
fn bounds_of(book: &Loaded) -> Result<Vec<i64>, Failure> {
    let tree = book.tree();
    let bounds = match tree.object(tree.root()) {
        Some((Class::PartitionBook, _, Some(state))) => tree.entry(state, "partition_bounds"),
        _ => None,
    };
    let tensor = bounds.map(|bounds| book.tensor(bounds)).transpose()?;
    match tensor.flatten() {
        Some(tensor) => book.array(&tensor)?.to_i64s(),
        None => Err(no_book(book)),
    }
}

fn no_book(book: &Loaded) -> Failure {
    Failure::of_file(book.path(), "it is no partition book")
}
