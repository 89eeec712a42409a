//! Partitions of `torch_geometric.distributed` as one graph: `META.json`, `node_map`, and for each
//! part `graph.pt`, `node_feats.pt` and `edge_feats.pt`.

use std::path::Path;

use serde::Deserialize;

use super::graph::role_of;
use super::{NODE, RELATION};
use crate::arrays::torch::Loaded;
use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::foreign::names;
use crate::foreign::paths::{inside, text_of};
use crate::recipe::{ArrayRef, Column, EdgePart, EdgeType, NodeType, Part, Recipe, Role};

pub const META: &str = "META.json";

/// What `META.json` says. Other keys are of no use here.
#[derive(Deserialize)]
struct Meta {
    num_parts: usize,
    is_hetero: bool,
    node_types: Option<Vec<String>>,
    edge_types: Option<Vec<[String; 3]>>,
}

/// The files of a part.
struct PartFiles {
    graph: Loaded,
    nodes: Loaded,
    edges: Loaded,
}

pub fn describe(folder: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let path = folder.join(META);
    let meta: Meta =
        serde_json::from_str(&text_of(&path)?).map_err(|error| Failure::of_file(&path, error))?;
    let name = folder
        .to_str()
        .ok_or_else(|| Failure::invalid("the name of the folder is not UTF-8"))?;
    let mut parts = Vec::new();
    for part in 0..meta.num_parts {
        let open = |file| Loaded::open(&folder.join(file_of(part, file)));
        parts.push(PartFiles {
            graph: open(GRAPH)?,
            nodes: open(NODES)?,
            edges: open(EDGES)?,
        });
    }
    if parts.is_empty() {
        return Err(Failure::of_file(&path, "there are no parts"));
    }
    let mut maker = Maker {
        folder,
        parts,
        keeps_parts: choices.flag("parts")?,
        recipe: Recipe {
            folder: Some(name.to_owned()),
            ..Default::default()
        },
    };
    if meta.is_hetero {
        let missing = |what| Failure::of_file(&path, format!("it has no {what}"));
        let nodes = meta.node_types.ok_or_else(|| missing("node_types"))?;
        let edges = meta.edge_types.ok_or_else(|| missing("edge_types"))?;
        maker.typed(&path, &nodes, &edges)?;
    } else {
        let node = maker.nodes("", "global_id", "node_map.pt")?;
        let edge = maker.edges("", 0)?;
        maker.recipe.nodes.insert(NODE.to_owned(), node);
        let edge_type = [NODE, RELATION, NODE].join("__");
        maker.recipe.edges.insert(edge_type, edge);
    }
    let notes = &mut maker.recipe.notes;
    for words in [
        "The partitions have no labels and no splits; add them to the recipe if other files have \
         them.",
        "The dataset is one graph. With parts=true, nodes have a column with their part, which \
         `gls partition --owners-column part` takes.",
    ] {
        names::note(notes, words.to_owned());
    }
    Ok(maker.recipe)
}

const GRAPH: &str = "graph.pt";
const NODES: &str = "node_feats.pt";
const EDGES: &str = "edge_feats.pt";

fn file_of(part: usize, file: &str) -> String {
    format!("part_{part}/{file}")
}

struct Maker<'a> {
    folder: &'a Path,
    parts: Vec<PartFiles>,
    /// Whether nodes have a column with their part.
    keeps_parts: bool,
    recipe: Recipe,
}

impl Maker<'_> {
    fn typed(
        &mut self,
        meta: &Path,
        nodes: &[String],
        edges: &[[String; 3]],
    ) -> Result<(), Failure> {
        for name in nodes {
            let map = inside(meta, &format!("node_map/{name}.pt"))?;
            let node = self.nodes(&format!("{name}."), "id", &map)?;
            let plain = names::plain(name, &mut self.recipe.notes);
            if self.recipe.nodes.insert(plain.clone(), node).is_some() {
                let what = format!("two node types are called \"{plain}\"");
                return Err(Failure::unsupported(meta, what));
            }
        }
        // Edges of all types are counted on from type to type.
        let mut first = 0_i64;
        for words in edges {
            let name = words.join("__");
            let map = inside(meta, &format!("edge_map/{name}.pt"))?;
            let edge = self.edges(&format!("{name}."), first)?;
            first = first.saturating_add(self.rows_of(&map)?);
            let words = [&words[0], &words[1], &words[2]].map(String::as_str);
            let plain = names::edge_type(words, &mut self.recipe.notes);
            if self.recipe.edges.insert(plain.clone(), edge).is_some() {
                let what = format!("two edge types are called \"{plain}\"");
                return Err(Failure::unsupported(meta, what));
            }
        }
        Ok(())
    }

    /// The size of a map of nodes or edges to parts.
    fn rows_of(&self, map: &str) -> Result<i64, Failure> {
        let loaded = Loaded::open(&self.folder.join(map))?;
        let tensor = loaded.tensor(loaded.tree().root())?;
        match tensor.as_ref().map(|tensor| tensor.shape.as_slice()) {
            Some(&[rows]) => Ok(rows),
            _ => Err(Failure::of_file(loaded.path(), "it is no map to parts")),
        }
    }

    /// `of_type`: the path of the type's values. `ids`: what its ids are called. `map`: of nodes to parts.
    fn nodes(&mut self, of_type: &str, ids: &str, map: &str) -> Result<NodeType, Failure> {
        let count = self.rows_of(map)?;
        let mut node = NodeType {
            count: Some(count),
            ..Default::default()
        };
        for (part, files) in self.parts.iter().enumerate() {
            let file = file_of(part, NODES);
            add_features(&mut node.columns, &files.nodes, &file, of_type, ids)?;
        }
        // Each part has the times of all nodes.
        let loaded = &self.parts[0].nodes;
        let path = format!("{of_type}time");
        if let Some(tensor) = find(loaded, &path)? {
            if tensor.shape == [count] {
                let array = ArrayRef::named(file_of(0, NODES), path);
                let column = Column::of(array, role_of("time", &tensor));
                node.columns.insert("time".to_owned(), column);
            }
        }
        if self.keeps_parts {
            let parts = ArrayRef {
                cast: Some("int32".to_owned()),
                ..ArrayRef::of_file(map)
            };
            names::add_part(&mut node.columns, Column::of(parts, Role::Other))?;
        }
        Ok(node)
    }

    /// `first`: what the files call the first edge of the type.
    fn edges(&mut self, of_type: &str, first: i64) -> Result<EdgeType, Failure> {
        let mut edge = EdgeType::default();
        let mut times: Vec<Part> = Vec::new();
        let mut have_times = true;
        for (part, files) in self.parts.iter().enumerate() {
            let graph = file_of(part, GRAPH);
            let array = |name| ArrayRef::named(graph.as_str(), format!("{of_type}{name}"));
            // A part may have no edges of a type.
            if files.graph.find(&format!("{of_type}row")).is_err() {
                continue;
            }
            edge.parts.push(EdgePart {
                arrays: vec![array("row"), array("col")],
                ids: Some(array("edge_id")),
                first,
            });
            let file = file_of(part, EDGES);
            add_features(&mut edge.columns, &files.edges, &file, of_type, "global_id")?;
            let path = format!("{of_type}edge_time");
            if find(&files.edges, &path)?.is_none() {
                continue;
            }
            let rows = if find(&files.edges, &format!("{of_type}global_id"))?.is_some() {
                ArrayRef::named(file.as_str(), format!("{of_type}global_id"))
            } else {
                have_times &= first == 0;
                array("edge_id")
            };
            times.push(Part {
                rows: Some(rows),
                values: ArrayRef::named(file, path),
            });
        }
        if edge.parts.is_empty() {
            let path = self.parts[0].graph.path();
            return Err(Failure::of_file(path, format!("there is no {of_type}row")));
        }
        if !times.is_empty() && have_times {
            let column = Column {
                role: crate::recipe::Role::Time,
                parts: times,
                ..Default::default()
            };
            edge.columns.insert("edge_time".to_owned(), column);
        } else if !times.is_empty() {
            let words = format!("\"{of_type}edge_time\" is left out: no ids tell its edges.");
            names::note(&mut self.recipe.notes, words);
        }
        Ok(edge)
    }
}

/// The tensor at a path that may lead nowhere.
fn find(loaded: &Loaded, path: &str) -> Result<Option<crate::arrays::torch::Tensor>, Failure> {
    match loaded.find(path) {
        Ok(id) => loaded.tensor(id),
        Err(_) => Ok(None),
    }
}

/// Adds the rows of a part to the columns.
fn add_features(
    columns: &mut indexmap::IndexMap<String, Column>,
    loaded: &Loaded,
    file: &str,
    of_type: &str,
    ids: &str,
) -> Result<(), Failure> {
    let Ok(features) = loaded.find(&format!("{of_type}feats")) else {
        return Ok(());
    };
    for (name, id) in loaded.children(features) {
        let Some(tensor) = loaded.tensor(id)? else {
            continue;
        };
        let plain = names::plain(&name, &mut Vec::new());
        let column = columns.entry(plain).or_insert_with(|| Column {
            role: role_of(&name, &tensor),
            ..Default::default()
        });
        column.parts.push(Part {
            rows: Some(ArrayRef::named(file, format!("{of_type}{ids}"))),
            values: ArrayRef::named(file, format!("{of_type}feats.{name}")),
        });
    }
    Ok(())
}
