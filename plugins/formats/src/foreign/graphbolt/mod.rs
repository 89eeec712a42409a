//! GraphBolt's `OnDiskDataset`: a folder with `metadata.yaml`, which names files of NumPy, torch and
//! CSV. After GraphBolt preprocessed it, `preprocessed/metadata.yaml` names one file with the graph.

mod metadata;
mod preprocessed;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use metadata::{Data, Edges, Feature, Metadata, More, Nodes, Set, Task};

use super::choices::Choices;
use super::names::{edge_type, note, plain, role_of};
use super::paths::{inside, text_of};
use crate::arrays::{self, Array, DType};
use crate::failure::Failure;
use crate::recipe::{ArrayRef, Column, EdgeType, Header, NodeType, Part, Recipe, Role, TextEnds};

const METADATA: &str = "metadata.yaml";
const PREPROCESSED: &str = "preprocessed/metadata.yaml";
/// What a graph with one type without a name has.
const NODE: &str = "node";
const EDGE: &str = "node__to__node";

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let preprocessed = choices.given_flag("preprocessed")?;
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(Path::new(""))
    };
    let mut at = folder.join(METADATA);
    if preprocessed == Some(true) || (!at.exists() && preprocessed.is_none()) {
        let made = folder.join(PREPROCESSED);
        if made.exists() || preprocessed.is_some() {
            at = made;
        }
    }
    let text = text_of(&at)?;
    let metadata: Metadata = serde_saphyr::from_str(&text)
        .map_err(|error| Failure::of_file(&at, error.without_snippet()))?;
    let mut reader = Reader {
        at: &at,
        folder,
        recipe: Recipe {
            folder: folder.to_str().map(str::to_owned),
            ..Default::default()
        },
        node_types: BTreeMap::new(),
        edge_types: BTreeMap::new(),
        preprocessed: false,
        edges_are_known: true,
    };
    reader.run(metadata, choices)?;
    Ok(reader.recipe)
}

struct Reader<'a> {
    at: &'a Path,
    folder: &'a Path,
    recipe: Recipe,
    /// GLS's name for each of the description's; an empty one stands for none.
    node_types: BTreeMap<String, String>,
    edge_types: BTreeMap<String, String>,
    preprocessed: bool,
    /// Whether edges have the ids that rows of data belong to.
    edges_are_known: bool,
}

impl Reader<'_> {
    fn run(&mut self, metadata: Metadata, choices: &mut Choices) -> Result<(), Failure> {
        if let Some(name) = &metadata.dataset_name {
            note(
                &mut self.recipe.notes,
                format!("The dataset is called {name:?}."),
            );
        }
        self.not_read("the description", &metadata.more);
        if let (None, Some(topology)) = (&metadata.graph, &metadata.graph_topology) {
            self.add_fused(topology)?;
            for feature in metadata.feature_data.unwrap_or_default() {
                self.add_feature(feature)?;
            }
            return self.add_task(metadata.tasks.unwrap_or_default(), choices);
        }
        let Some(graph) = metadata.graph else {
            return Err(self.wrong("it has no `graph`"));
        };
        self.not_read("graph", &graph.more);
        for nodes in graph.nodes {
            self.add_nodes(nodes)?;
        }
        for edges in graph.edges {
            self.add_edges(edges)?;
        }
        let of_graph = graph.feature_data.unwrap_or_default();
        for feature in of_graph
            .into_iter()
            .chain(metadata.feature_data.unwrap_or_default())
        {
            self.add_feature(feature)?;
        }
        self.add_task(metadata.tasks.unwrap_or_default(), choices)
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(self.at, what)
    }

    fn not_read(&mut self, place: &str, more: &More) {
        for key in more.keys() {
            note(
                &mut self.recipe.notes,
                format!("The key {key:?} of {place} is not read."),
            );
        }
    }

    fn add_nodes(&mut self, nodes: Nodes) -> Result<(), Failure> {
        self.not_read("graph.nodes", &nodes.more);
        let name = match &nodes.kind {
            Some(kind) => plain(kind, &mut self.recipe.notes),
            None => NODE.to_owned(),
        };
        if nodes.num < 0 {
            return Err(self.wrong(format!("graph.nodes: {} nodes", nodes.num)));
        }
        let node = NodeType {
            count: Some(nodes.num),
            ..Default::default()
        };
        if self.recipe.nodes.insert(name.clone(), node).is_some() {
            return Err(self.wrong(format!("graph.nodes: \"{name}\" is there twice")));
        }
        self.node_types.insert(nodes.kind.unwrap_or_default(), name);
        Ok(())
    }

    fn add_edges(&mut self, edges: Edges) -> Result<(), Failure> {
        self.not_read("graph.edges", &edges.more);
        let name = match &edges.kind {
            Some(kind) => {
                let parts: Vec<&str> = kind.split(':').collect();
                let [source, relation, target] = parts[..] else {
                    let what = format!("graph.edges: {kind:?} is not source:relation:target");
                    return Err(self.wrong(what));
                };
                for end in [source, target] {
                    if !self.node_types.contains_key(end) {
                        let what = format!("graph.edges: {kind:?}: no nodes have the type {end:?}");
                        return Err(self.wrong(what));
                    }
                }
                edge_type([source, relation, target], &mut self.recipe.notes)
            }
            None if self.recipe.nodes.contains_key(NODE) => EDGE.to_owned(),
            None => return Err(self.wrong("graph.edges: `type` is missing")),
        };
        let file = inside(self.at, &edges.path)?;
        let mut edge = EdgeType::default();
        match edges.format.as_str() {
            "numpy" => edge.arrays = vec![ArrayRef::of_file(file)],
            "csv" => {
                edge.text = Some(TextEnds {
                    file,
                    delimiter: Some(",".to_owned()),
                    header: Header::No,
                    comment: Some("none".to_owned()),
                    ..Default::default()
                });
            }
            other => return Err(self.wrong(format!("graph.edges: the format {other:?}"))),
        }
        if self.recipe.edges.insert(name.clone(), edge).is_some() {
            return Err(self.wrong(format!("graph.edges: \"{name}\" is there twice")));
        }
        self.edge_types.insert(edges.kind.unwrap_or_default(), name);
        Ok(())
    }

    /// An array that the description names by its format and path.
    fn array(&self, format: &str, path: &str) -> Result<ArrayRef, Failure> {
        if !matches!(format, "numpy" | "torch") {
            return Err(self.wrong(format!("{path}: the format {format:?}")));
        }
        Ok(ArrayRef::of_file(inside(self.at, path)?))
    }

    /// The type and shape, where the file is there and readable.
    fn head(&self, array: &ArrayRef) -> Option<Array> {
        arrays::open(array, self.folder).ok()
    }

    fn add_feature(&mut self, feature: Feature) -> Result<(), Failure> {
        self.not_read("feature_data", &feature.more);
        let kind = feature.kind.clone().unwrap_or_default();
        let types = match feature.domain.as_str() {
            "node" => &self.node_types,
            "edge" => &self.edge_types,
            other => {
                let words = format!("The feature {:?} of the {other} is left out.", feature.name);
                note(&mut self.recipe.notes, words);
                return Ok(());
            }
        };
        let Some(owner) = types.get(&kind).cloned() else {
            let what = format!("feature_data: {:?} is of the type {kind:?}", feature.name);
            return Err(self.wrong(format!("{what}, which the graph has not")));
        };
        let array = self.array(&feature.format, &feature.path)?;
        if feature.domain == "edge" && !self.edges_are_known {
            self.drop_data(&feature.name, &owner);
            return Ok(());
        }
        self.add_column(&feature.domain, &owner, &feature.name, array)
    }

    /// `domain`: "node" or "edge".
    fn add_column(
        &mut self,
        domain: &str,
        owner: &str,
        name: &str,
        mut array: ArrayRef,
    ) -> Result<(), Failure> {
        let mut head = self.head(&array);
        let rows = head.as_ref().map(|head| head.shape.clone());
        if self.preprocessed && matches!(rows.as_deref(), Some([_, 1])) {
            let what = "GraphBolt makes a matrix of one column of a vector; \
                        such matrices are vectors here.";
            note(&mut self.recipe.notes, what.to_owned());
            array.column = Some(0);
            head = self.head(&array);
        }
        let role = role_of(name, head.as_ref());
        let name = plain(name, &mut self.recipe.notes);
        let column = Column::of(array, role);
        let columns = match domain {
            "node" => self
                .recipe
                .nodes
                .get_mut(owner)
                .map(|node| &mut node.columns),
            _ => self
                .recipe
                .edges
                .get_mut(owner)
                .map(|edge| &mut edge.columns),
        };
        let known = columns.and_then(|columns| columns.insert(name.clone(), column));
        match known {
            Some(_) => Err(self.wrong(format!("feature_data: {owner} has \"{name}\" twice"))),
            None => Ok(()),
        }
    }

    fn add_task(&mut self, tasks: Vec<Task>, choices: &mut Choices) -> Result<(), Failure> {
        let names: Vec<String> = tasks
            .iter()
            .enumerate()
            .map(|(i, task)| task.name.clone().unwrap_or_else(|| format!("task-{i}")))
            .collect();
        let chosen = choices.one_of("task", &names)?;
        for (task, name) in tasks.into_iter().zip(&names) {
            if Some(name) != chosen.as_ref() {
                let words = format!("The task {name:?} is left out.");
                note(&mut self.recipe.notes, words);
                continue;
            }
            self.not_read(&format!("the task {name:?}"), &task.more);
            for (set, of_types) in [
                ("train", task.train_set),
                ("valid", task.validation_set),
                ("test", task.test_set),
            ] {
                for of_type in of_types.unwrap_or_default() {
                    self.add_set(name, set, of_type)?;
                }
            }
        }
        Ok(())
    }

    /// The ids of a split, and what belongs to them.
    fn add_set(&mut self, task: &str, set: &str, given: Set) -> Result<(), Failure> {
        let place = format!("the task {task:?}");
        self.not_read(&place, &given.more);
        for data in &given.data {
            self.not_read(&place, &data.more);
        }
        let kind = given.kind.unwrap_or_default();
        let is_seeds = |data: &&Data| {
            matches!(data.name.as_deref(), Some("seeds" | "seed_nodes")) || given.data.len() == 1
        };
        let seeds = given.data.iter().find(is_seeds);
        let owner = self.node_types.get(&kind).cloned();
        let (Some(seeds), Some(owner)) = (seeds, owner) else {
            if !self.node_types.contains_key(&kind) && !self.edge_types.contains_key(&kind) {
                return Err(self.wrong(format!("{place}: the graph has no type {kind:?}")));
            }
            self.drop_pairs(&place, set, &kind);
            return Ok(());
        };
        let ids = self.array(&seeds.format, &seeds.path)?;
        if self.head(&ids).is_some_and(|ids| ids.shape.len() != 1) {
            self.drop_pairs(&place, set, &kind);
            return Ok(());
        }
        for data in &given.data {
            if data.path == seeds.path && data.name == seeds.name {
                continue;
            }
            let name = data.name.as_deref().unwrap_or("");
            if name != "labels" {
                let words = format!("The data {name:?} of {place} are left out.");
                note(&mut self.recipe.notes, words);
                continue;
            }
            let values = self.array(&data.format, &data.path)?;
            let dtype = self.head(&values).map(|values| values.dtype);
            self.add_labels(&owner, name, ids.clone(), values, dtype)?;
        }
        let node = &mut self.recipe.nodes[owner.as_str()];
        if node.sets.insert(set.to_owned(), ids).is_some() {
            return Err(self.wrong(format!("{place}: {kind:?} is there twice in a set")));
        }
        Ok(())
    }

    fn drop_pairs(&mut self, place: &str, set: &str, kind: &str) {
        let of_type = if kind.is_empty() {
            String::new()
        } else {
            format!(" of {kind:?}")
        };
        let words = format!(
            "The {set} set{of_type} of {place} has no single nodes as seeds, and is left out."
        );
        note(&mut self.recipe.notes, words);
    }

    /// Labels of the nodes in a set.
    fn add_labels(
        &mut self,
        owner: &str,
        name: &str,
        rows: ArrayRef,
        values: ArrayRef,
        dtype: Option<DType>,
    ) -> Result<(), Failure> {
        let columns = &mut self.recipe.nodes[owner].columns;
        let column = columns.entry(name.to_owned()).or_insert_with(|| Column {
            role: Role::Label,
            fill: Some(fill_of(dtype)),
            ..Default::default()
        });
        if column.parts.is_empty() && !column.file.is_empty() {
            let words = format!("{owner} has a feature {name:?}; that of the task is left out.");
            note(&mut self.recipe.notes, words);
            return Ok(());
        }
        column.parts.push(Part {
            rows: Some(rows),
            values,
        });
        Ok(())
    }
}

/// What stands for no label: -1, or the largest number of a type without it.
fn fill_of(dtype: Option<DType>) -> f64 {
    match dtype {
        Some(DType::Bool) => 0.0,
        Some(DType::U8) => f64::from(u8::MAX),
        Some(DType::U16) => f64::from(u16::MAX),
        Some(DType::U32) => f64::from(u32::MAX),
        // The largest that float64 has exactly.
        Some(DType::U64) => ((1_u64 << 53) - 1) as f64,
        _ => -1.0,
    }
}
