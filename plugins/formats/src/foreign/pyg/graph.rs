//! The recipe for a `Data` or `HeteroData`: which tensors are columns of nodes, of edges, and id sets.

use super::{NODE, RELATION};
use crate::arrays::pickle::{Class, Id, Value};
use crate::arrays::torch::{Loaded, Tensor};
use crate::arrays::DType;
use crate::failure::{Code, Failure};
use crate::foreign::names;
use crate::recipe::{ArrayRef, Column, EdgeType, NodeType, Recipe, Role};

/// Attributes whose rows are nodes, as torch_geometric finds out the number of nodes.
const OF_NODES: [&str; 6] = ["x", "feat", "pos", "batch", "node_type", "n_id"];
/// Attributes that tell it where none of those does, nor one that has "node" in its name.
const OF_NODES_TOO: [&str; 4] = ["train_mask", "val_mask", "test_mask", "y"];
const SETS: [(&str, &str); 3] = [
    ("train_mask", "train"),
    ("val_mask", "valid"),
    ("test_mask", "test"),
];

/// Makes the recipe of a loaded file.
pub struct Maker<'a> {
    pub loaded: &'a Loaded,
    pub file: String,
    pub split: Option<i64>,
    pub recipe: Recipe,
}

/// Tensors by name, and the numbers of nodes and edges.
struct Attributes {
    tensors: Vec<(String, Id, Tensor)>,
    count: Option<i64>,
    /// An attribute gives the count, which is perhaps of the whole graph.
    guessed: bool,
}

impl<'a> Maker<'a> {
    fn unsupported(&self, what: impl std::fmt::Display) -> Failure {
        Failure::unsupported(self.loaded.path(), what)
    }

    fn note(&mut self, words: String) {
        names::note(&mut self.recipe.notes, words);
    }

    /// The graph of the file, or the only one of a dataset.
    pub fn graph(&mut self) -> Result<(), Failure> {
        let tree = self.loaded.tree();
        let root = tree.root();
        let Value::Tuple(items) = tree.get(root) else {
            return self.data(root, "");
        };
        if let Some(&slices) = items.get(1) {
            if let Some(graphs) = self.graphs_of(slices)? {
                return Err(self.unsupported(format!(
                    "the dataset has {graphs} graphs; GLS reads datasets of one graph"
                )));
            }
        }
        match items.first() {
            Some(&data) => self.data(data, "0."),
            None => Err(self.unsupported("the file holds no graph")),
        }
    }

    /// The number of graphs, unless it is 1: a slice begins and ends for each.
    fn graphs_of(&self, slices: Id) -> Result<Option<i64>, Failure> {
        let mut level = vec![slices];
        for _ in 0..2 {
            let mut next = Vec::new();
            for id in level {
                for (_, slice) in self.loaded.children(id) {
                    match self.loaded.tensor(slice)? {
                        Some(tensor) if tensor.shape != [2] => {
                            return Ok(Some(tensor.shape.first().map_or(0, |ends| ends - 1)))
                        }
                        Some(_) => {}
                        None => next.push(slice),
                    }
                }
            }
            level = next;
        }
        Ok(None)
    }

    fn data(&mut self, id: Id, path: &str) -> Result<(), Failure> {
        let tree = self.loaded.tree();
        match tree.get(id) {
            Value::Object {
                class: Class::HeteroData,
                state: Some(state),
                ..
            } => {
                let nodes = tree.entry(*state, "_node_store_dict");
                let edges = tree.entry(*state, "_edge_store_dict");
                let global = tree.entry(*state, "_global_store");
                let entries = |id: Option<Id>| id.and_then(|id| tree.entries(id)).unwrap_or(&[]);
                let stores: Vec<_> = entries(nodes)
                    .iter()
                    .chain(entries(edges))
                    .copied()
                    .collect();
                self.typed(&stores, path)?;
                if let Some(global) = global {
                    self.leave_out("", global);
                }
                Ok(())
            }
            Value::Dict(entries) if entries.iter().any(|(key, _)| self.words(*key).is_some()) => {
                let mut stores = entries.clone();
                if let Some(global) = tree.entry(id, "_global_store") {
                    stores.retain(|(_, store)| *store != global);
                    self.leave_out("", global);
                }
                self.typed(&stores, path)
            }
            Value::Object {
                class: Class::Data, ..
            }
            | Value::Dict(_) => self.untyped(id, path),
            Value::List(items) => Err(self.unsupported(format!(
                "the file holds {} objects; GLS reads one graph",
                items.len()
            ))),
            _ => Err(self.unsupported("the file holds no Data or HeteroData")),
        }
    }

    /// The words of a key (source, relation, target).
    fn words(&self, key: Id) -> Option<[&'a str; 3]> {
        let tree = self.loaded.tree();
        let Value::Tuple(words) = tree.get(key) else {
            return None;
        };
        let words: Option<Vec<&str>> = words.iter().map(|&word| tree.text(word)).collect();
        words?.try_into().ok()
    }

    fn leave_out(&mut self, of: &str, store: Id) {
        for (name, id) in self.loaded.children(store) {
            if !matches!(self.loaded.tree().get(id), Value::None) {
                self.note(format!(
                    "\"{of}{name}\" is left out: it has no rows for nodes or edges."
                ));
            }
        }
    }

    fn typed(&mut self, stores: &[(Id, Id)], path: &str) -> Result<(), Failure> {
        for &(key, store) in stores {
            if let Some(name) = self.loaded.tree().text(key) {
                let place = format!("{path}{name}.");
                let plain = names::plain(name, &mut self.recipe.notes);
                let attributes = self.attributes(store, &format!("{name}."), &OF_NODES)?;
                let mut node = NodeType {
                    count: attributes.count,
                    ..Default::default()
                };
                for (attribute, _, tensor) in &attributes.tensors {
                    let full = format!("{name}.{attribute}");
                    let array = self.array(&place, attribute);
                    if attributes.count == tensor.shape.first().copied() {
                        self.add_to_nodes(&mut node, attribute, tensor, array)?;
                    } else {
                        self.note(no_rows(&full, tensor));
                    }
                }
                if self.recipe.nodes.insert(plain.clone(), node).is_some() {
                    return Err(self.unsupported(format!("two node types are called \"{plain}\"")));
                }
            } else if let Some(words) = self.words(key) {
                let place = format!("{path}{}.", words.join("__"));
                let plain = names::edge_type(words, &mut self.recipe.notes);
                let attributes = self.attributes(store, &format!("{}.", words.join("__")), &[])?;
                let (mut edge, count) = self.edges(&attributes, &place, &words.join("__"))?;
                for (attribute, _, tensor) in &attributes.tensors {
                    let full = format!("{}.{attribute}", words.join("__"));
                    let array = self.array(&place, attribute);
                    if attribute == "edge_index" {
                    } else if tensor.shape.first() == Some(&count) {
                        self.add_to_edges(&mut edge, attribute, tensor, array)?;
                    } else {
                        self.note(no_rows(&full, tensor));
                    }
                }
                if self.recipe.edges.insert(plain.clone(), edge).is_some() {
                    return Err(self.unsupported(format!("two edge types are called \"{plain}\"")));
                }
            }
        }
        if self.recipe.edges.is_empty() {
            return Err(self.unsupported("the graph has no edge types"));
        }
        Ok(())
    }

    fn untyped(&mut self, data: Id, path: &str) -> Result<(), Failure> {
        let attributes = self.attributes(data, "", &OF_NODES)?;
        let (mut edge, edges) = self.edges(&attributes, path, "the graph")?;
        let count = match attributes.count {
            Some(count) if !attributes.guessed => count,
            guess => {
                let needed = self.largest_id(&attributes)? + 1;
                match guess.filter(|&count| count >= needed) {
                    Some(count) => count,
                    None => {
                        let words =
                            "The file does not tell the number of nodes; it is the largest \
                                     id and 1.";
                        self.note(words.to_owned());
                        needed
                    }
                }
            }
        };
        let mut node = NodeType {
            count: Some(count),
            ..Default::default()
        };
        for (name, _, tensor) in &attributes.tensors {
            if name == "edge_index" {
                continue;
            }
            let array = self.array(path, name);
            // torch_geometric tells nodes and edges apart in this way, too.
            let rows = match tensor.shape.first() {
                Some(&rows) if !name.contains("index") && name != "face" => rows,
                _ => -1,
            };
            if rows == count && (rows != edges || !name.contains("edge")) {
                self.add_to_nodes(&mut node, name, tensor, array)?;
            } else if rows == edges {
                self.add_to_edges(&mut edge, name, tensor, array)?;
            } else {
                self.note(no_rows(name, tensor));
            }
        }
        self.recipe.nodes.insert(NODE.to_owned(), node);
        let edge_type = [NODE, RELATION, NODE].join("__");
        self.recipe.edges.insert(edge_type, edge);
        Ok(())
    }

    fn largest_id(&mut self, attributes: &Attributes) -> Result<i64, Failure> {
        let mut largest = -1;
        for (name, _, tensor) in &attributes.tensors {
            if name == "edge_index" {
                let ids = self.loaded.array(tensor)?;
                ids.for_each_i64(|id| largest = largest.max(id))?;
            }
        }
        Ok(largest.min(i64::MAX - 1))
    }

    /// The tensors of a store, and the number of its nodes where it tells it.
    fn attributes(&mut self, store: Id, of: &str, keys: &[&str]) -> Result<Attributes, Failure> {
        let mut tensors: Vec<(String, Id, Tensor)> = Vec::new();
        let (mut count, mut guessed) = (None, false);
        for (name, id) in self.loaded.children(store) {
            match self.loaded.tensor(id) {
                Ok(Some(tensor)) if is_count(&name) => {
                    let number = self.loaded.array(&tensor)?.to_i64s()?;
                    count = number.first().copied();
                }
                Ok(Some(tensor)) => {
                    tensors.retain(|(known, ..)| *known != name);
                    tensors.push((name, id, tensor));
                }
                Ok(None) if is_count(&name) => count = self.loaded.tree().int(id),
                Ok(None) => {
                    if !matches!(self.loaded.tree().get(id), Value::None) {
                        self.note(format!(
                            "\"{of}{name}\" is left out: it is no dense tensor."
                        ));
                    }
                }
                Err(error) if error.code == Code::Unsupported => {
                    self.note(format!("\"{of}{name}\" is left out: {}.", error.message));
                }
                Err(error) => return Err(error),
            }
        }
        if count.is_some_and(|count| count < 0) {
            return Err(Failure::of_file(
                self.loaded.path(),
                "the number of nodes is negative",
            ));
        }
        if count.is_none() && !keys.is_empty() {
            let rows = |(name, _, tensor): &(String, Id, Tensor)| {
                // torch_geometric lays out tensors of indices in this way.
                let by_columns = name.contains("index") || name.contains("face");
                let extent = if by_columns {
                    tensor.shape.last()
                } else {
                    tensor.shape.first()
                };
                extent.copied()
            };
            let known = |keys: &[&str]| {
                keys.iter().find_map(|key| {
                    let found = tensors.iter().find(|(name, ..)| name == key);
                    found.and_then(rows)
                })
            };
            let named = || tensors.iter().find(|(name, ..)| name.contains("node"));
            count = known(keys).or_else(|| named().and_then(rows));
            if count.is_none() {
                count = known(&OF_NODES_TOO);
                guessed = count.is_some();
            }
        }
        Ok(Attributes {
            tensors,
            count,
            guessed,
        })
    }

    fn array(&self, path: &str, name: &str) -> ArrayRef {
        ArrayRef::named(self.file.as_str(), format!("{path}{name}"))
    }

    /// Edges in `edge_index`, and their number.
    fn edges(
        &self,
        attributes: &Attributes,
        path: &str,
        what: &str,
    ) -> Result<(EdgeType, i64), Failure> {
        let found = attributes
            .tensors
            .iter()
            .find(|(name, ..)| name == "edge_index");
        let Some((name, _, tensor)) = found else {
            return Err(self.unsupported(format!(
                "{what} has no tensor \"edge_index\"; of a sparse \"adj_t\", save the edge_index"
            )));
        };
        match tensor.shape.as_slice() {
            [2, edges] if tensor.dtype.is_integer() => Ok((
                EdgeType {
                    arrays: vec![self.array(path, name)],
                    ..Default::default()
                },
                *edges,
            )),
            _ => Err(Failure::of_file(
                self.loaded.path(),
                format!(
                    "edge_index of {what} has {} {:?}",
                    tensor.dtype, tensor.shape
                ),
            )),
        }
    }

    fn add_to_nodes(
        &mut self,
        node: &mut NodeType,
        name: &str,
        tensor: &Tensor,
        mut array: ArrayRef,
    ) -> Result<(), Failure> {
        let set = SETS.iter().find(|(mask, _)| *mask == name);
        if let (Some((_, set)), DType::Bool) = (set, tensor.dtype) {
            match *tensor.shape.as_slice() {
                [_] => {}
                [_, splits] if self.split.unwrap_or(0) < splits => {
                    array.column = Some(self.split.unwrap_or(0));
                    self.note(format!(
                        "The masks have {splits} splits; this is split {}. Choose another by split=N.",
                        self.split.unwrap_or(0)
                    ));
                }
                _ => {
                    return Err(Failure::invalid(format!(
                        "choices: split: the shape of {name} is {:?}",
                        tensor.shape
                    )))
                }
            }
            node.sets.insert((*set).to_owned(), array);
            return Ok(());
        }
        let plain = names::plain(name, &mut self.recipe.notes);
        let column = Column::of(array, role_of(name, tensor));
        if node.columns.insert(plain.clone(), column).is_some() {
            let what = format!("two attributes are called \"{plain}\"");
            return Err(self.unsupported(what));
        }
        Ok(())
    }

    fn add_to_edges(
        &mut self,
        edge: &mut EdgeType,
        name: &str,
        tensor: &Tensor,
        array: ArrayRef,
    ) -> Result<(), Failure> {
        let plain = names::plain(name, &mut self.recipe.notes);
        let column = Column::of(array, role_of(name, tensor));
        if edge.columns.insert(plain.clone(), column).is_some() {
            let what = format!("two attributes are called \"{plain}\"");
            return Err(self.unsupported(what));
        }
        Ok(())
    }
}

fn no_rows(name: &str, tensor: &Tensor) -> String {
    format!(
        "\"{name}\" is left out: its shape {:?} has no row for each node or edge.",
        tensor.shape
    )
}

pub fn role_of(name: &str, tensor: &Tensor) -> Role {
    let one_number = tensor.shape.len() == 1;
    match name {
        "x" | "edge_attr" | "feat" => Role::Feature,
        "y" | "label" | "labels" | "edge_label" => Role::Label,
        "edge_weight" | "weight" if one_number => Role::Weight,
        "time" | "edge_time" if one_number => Role::Time,
        _ if tensor.dtype == DType::Bool => Role::Other,
        _ if one_number && tensor.dtype.is_integer() => Role::Other,
        _ => Role::Feature,
    }
}

/// PyTorch Geometric before version 2 wrote the second name.
fn is_count(name: &str) -> bool {
    matches!(name, "num_nodes" | "__num_nodes__")
}
