//! The Temporal Graph Benchmark: the pickles `ml_NAME*.pkl` that py-tgb makes of a dataset when it loads
//! it first.

#[cfg(test)]
mod tests;

use std::path::Path;

use super::choices::Choices;
use super::names::note;
use crate::arrays::torch::{frames, nested, Loaded};
use crate::failure::Failure;
use crate::recipe::{ArrayRef, Column, EdgeType, NodeType, Recipe, Role};

const NODE: &str = "node";
const EDGE: &str = "node__to__node";
const STATIC: &str = "node__static__node";
const LABEL: &str = "label";
const LABELS: &str = "label__of__node";
/// The parts of time for training and for training or validation.
const SPLIT: [f64; 2] = [0.7, 0.85];
/// TGB has their weights for features, and their files have zeros.
const WITHOUT_FEATURES: [&str; 2] = ["tgbl-coin", "tgbl-review"];
const WHOLE: &str = "int64";

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let names = datasets(path)?;
    if names.is_empty() {
        let what =
            "there are no files ml_NAME.pkl and ml_NAME_edge.pkl; give a folder with a dataset \
                    that py-tgb has loaded once";
        return Err(Failure::unsupported(path, what));
    }
    let name = choices.one_of("dataset", &names)?.unwrap_or_default();
    let labels = choices.given_flag("labels")?.unwrap_or(true);
    let mut reader = Reader {
        folder: path,
        name,
        node: NodeType::default(),
        recipe: Recipe {
            folder: path.to_str().map(str::to_owned),
            ..Default::default()
        },
    };
    reader.edges()?;
    reader.nodes(labels)?;
    reader.fixed_edges()?;
    reader.left_out();
    let Reader {
        node, mut recipe, ..
    } = reader;
    recipe.nodes.shift_insert(0, NODE.to_owned(), node);
    Ok(recipe)
}

/// The names of the datasets in a folder, sorted.
fn datasets(folder: &Path) -> Result<Vec<String>, Failure> {
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.file_name();
        let name = file
            .to_str()
            .and_then(|file| file.strip_prefix("ml_")?.strip_suffix(".pkl"));
        if let Some(name) = name {
            if folder.join(format!("ml_{name}_edge.pkl")).is_file() {
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    Ok(names)
}

struct Reader<'a> {
    folder: &'a Path,
    name: String,
    node: NodeType,
    recipe: Recipe,
}

fn cast(file: &str, array: &str) -> ArrayRef {
    ArrayRef {
        cast: Some(WHOLE.to_owned()),
        ..ArrayRef::named(file, array)
    }
}

impl Reader<'_> {
    fn note(&mut self, words: &str) {
        note(&mut self.recipe.notes, words.to_owned());
    }

    /// The name of one of the dataset's files, if it is there.
    fn file(&self, ending: &str) -> Option<String> {
        let file = format!("ml_{}{ending}.pkl", self.name);
        self.folder.join(&file).is_file().then_some(file)
    }

    fn open(&self, file: &str) -> Result<Loaded, Failure> {
        Loaded::open(&self.folder.join(file))
    }

    fn edges(&mut self) -> Result<(), Failure> {
        let file = format!("ml_{}.pkl", self.name);
        let loaded = self.open(&file)?;
        if !frames::is_one(&loaded) {
            let what = "expected a DataFrame of pandas";
            return Err(Failure::of_file(loaded.path(), what));
        }
        let names = frames::names(&loaded)?;
        for needed in ["u", "i", "ts"] {
            if !names.iter().any(|name| name == needed) {
                let what = format!("there is no column \"{needed}\" in {}", names.join(", "));
                return Err(Failure::of_file(loaded.path(), what));
            }
        }
        let mut edge = EdgeType {
            arrays: vec![cast(&file, "u"), cast(&file, "i")],
            ..Default::default()
        };
        let columns = &mut edge.columns;
        let mut add = |name: &str, array: ArrayRef, role: Role| {
            columns.insert(name.to_owned(), Column::of(array, role));
        };
        add("time", cast(&file, "ts"), Role::Time);
        let has = |column: &str| names.iter().any(|name| name == column);
        if has("w") {
            add("weight", ArrayRef::named(&file, "w"), Role::Feature);
        }
        if has("edge_type") {
            add("edge_type", cast(&file, "edge_type"), Role::Other);
        }
        if !WITHOUT_FEATURES.contains(&self.name.as_str()) {
            let features = format!("ml_{}_edge.pkl", self.name);
            add("edge_feat", ArrayRef::of_file(features), Role::Feature);
        }
        if !self.name.starts_with("tkgl") {
            let split = ArrayRef {
                quantiles: Some(SPLIT.to_vec()),
                ..cast(&file, "ts")
            };
            add("split", split, Role::Other);
        }
        self.recipe.edges.insert(EDGE.to_owned(), edge);
        Ok(())
    }

    fn nodes(&mut self, labels: bool) -> Result<(), Failure> {
        if let Some(file) = self.file("_nodeType") {
            let types = ArrayRef {
                cast: Some(WHOLE.to_owned()),
                ..ArrayRef::of_file(file)
            };
            let column = Column::of(types, Role::Other);
            self.node.columns.insert("node_type".to_owned(), column);
        }
        let Some(file) = self.file("_node").filter(|_| labels) else {
            return Ok(());
        };
        let loaded = self.open(&file)?;
        if let Some(tensor) = loaded.tensor(loaded.tree().root())? {
            self.node.count = tensor.shape.first().copied();
            let column = Column::of(ArrayRef::of_file(file), Role::Feature);
            self.node.columns.insert("node_feat".to_owned(), column);
            return Ok(());
        }
        match nested::first(&loaded) {
            Ok(Some(_)) => self.labels(&file),
            _ => self.note("The labels of nodes are only in a file of text, which is not read."),
        }
        Ok(())
    }

    /// A node of the type `label` for each node and time that have one.
    fn labels(&mut self, file: &str) {
        let mut label = NodeType::default();
        let mut add = |name: &str, array: &str, role: Role| {
            let column = Column::of(ArrayRef::named(file, array), role);
            label.columns.insert(name.to_owned(), column);
        };
        add("time", "#outer", Role::Time);
        add("y", "#values", Role::Label);
        let edge = EdgeType {
            arrays: ["#row", "#inner"]
                .map(|name| ArrayRef::named(file, name))
                .to_vec(),
            ..Default::default()
        };
        self.recipe.nodes.insert(LABEL.to_owned(), label);
        self.recipe.edges.insert(LABELS.to_owned(), edge);
    }

    /// Edges without times.
    fn fixed_edges(&mut self) -> Result<(), Failure> {
        let Some(file) = self.file("_static") else {
            return Ok(());
        };
        let mut edge = EdgeType {
            arrays: vec![cast(&file, "head"), cast(&file, "tail")],
            ..Default::default()
        };
        let types = Column::of(cast(&file, "edge_type"), Role::Other);
        edge.columns.insert("edge_type".to_owned(), types);
        self.recipe.edges.insert(STATIC.to_owned(), edge);
        Ok(())
    }

    fn left_out(&mut self) {
        let name = self.name.clone();
        self.note("The columns \"idx\" and \"label\" are left out: a row's number, and zeros.");
        if WITHOUT_FEATURES.contains(&name.as_str()) {
            self.note("Features of edges are left out: they are zeros, and TGB takes the weights.");
        } else if name == "tgbl-comment" {
            self.note("TGB adds the weight to the features of edges; here it is a column.");
        } else if name == "tgbn-token" {
            self.note(
                "TGB takes the logarithm of the first feature of edges; here it is as stored.",
            );
        }
        if name.starts_with("tkgl") {
            self.note(
                "TGB adds an edge in the other direction for each edge when it loads a dataset, and \
                 splits them then; here are those that are stored, without a split.",
            );
        }
        if ["val_ns", "test_ns"].iter().any(|part| {
            let entries = std::fs::read_dir(self.folder)
                .into_iter()
                .flatten()
                .flatten();
            let mut files = entries.filter_map(|entry| entry.file_name().into_string().ok());
            files.any(|file| file.starts_with(&name) && file.contains(part))
        }) {
            self.note("The negative edges for evaluation (\"_ns\") are not read.");
        }
    }
}
