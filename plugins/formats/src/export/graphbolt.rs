//! GraphBolt's `OnDiskDataset`, before GraphBolt preprocesses it: `metadata.yaml` and files of NumPy.
//!
//! | file | what |
//! | --- | --- |
//! | `edges/TYPE.npy` | int64 [2, edges]: sources, then targets, in the order of edge ids |
//! | `node/TYPE/COLUMN.npy`, `edge/TYPE/COLUMN.npy` | a feature |
//! | `sets/TYPE/SET-seeds.npy`, `SET-labels.npy` | a split of nodes, and their labels |

use std::path::Path;

use serde_json::{json, Map, Value};

use super::ends::ends;
use super::graph::{cannot, Graph};
use super::names::FileNames;
use super::npy;
use super::out::write_text;
use super::place::Kind;
use super::progress::Progress;
use super::rows::{row_bytes, Rows};
use super::Plan;
use crate::arrays::{Array, DType};
use crate::boundary::dataset::{ColumnInfo, EdgeTypeInfo, NodeTypeInfo, Which};
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;
use crate::recipe::Role;

const METADATA: &str = "metadata.yaml";
/// What needs no names of types.
const NODE: &str = "node";
const EDGE: &str = "node__to__node";
const TASK: &str = "node_classification";
/// Id sets, and what the task calls them.
const SETS: [(&str, &str); 3] = [
    ("train", "train_set"),
    ("valid", "validation_set"),
    ("test", "test_set"),
];
/// Of an edge's ends.
const ENDS_BYTES: u64 = 16;
/// Numbers that the torch of GraphBolt does not have, and those that NumPy does not have.
const REFUSED: [DType; 4] = [DType::BF16, DType::U16, DType::U32, DType::U64];

struct GraphBolt<'a> {
    graph: Graph<'a>,
    /// One type of nodes and of edges, without names.
    plain: bool,
    in_memory: bool,
}

pub fn prepare<'a>(graph: Graph<'a>, mut choices: Choices) -> Result<Box<dyn Plan + 'a>, Failure> {
    let in_memory = choices.given_flag("in_memory")?.unwrap_or(true);
    choices.finish("graphbolt")?;
    graph.refuse_numbers("GraphBolt", &REFUSED)?;
    for edge in &graph.edges {
        if edge.name.contains(':') {
            let what = "GraphBolt joins the names of types by ':'";
            let words = format!("{}: {what}, so none may have it", edge.name);
            return Err(Failure::new(Code::Unsupported, words));
        }
    }
    for node in &graph.nodes {
        for set in &node.sets {
            if !SETS.iter().any(|(known, _)| known == set) {
                let full = format!("{}.{set}", node.name);
                return Err(cannot(
                    &full,
                    "a task has only the sets train, valid and test",
                ));
            }
        }
    }
    let plain = matches!(&graph.nodes[..], [node] if node.name == NODE)
        && matches!(&graph.edges[..], [edge] if edge.name == EDGE);
    Ok(Box::new(GraphBolt {
        graph,
        plain,
        in_memory,
    }))
}

impl Plan for GraphBolt<'_> {
    fn kind(&self) -> Kind {
        Kind::Folder {
            format: "graphbolt",
            has: |name| [METADATA, "edges", "node", "edge", "sets"].contains(&name),
        }
    }

    fn total(&self) -> u64 {
        let columns = self.graph.columns();
        let columns = columns.map(|(_, column)| {
            column.shape[0] as u64 * row_bytes(column.dtype, &column.shape) as u64
        });
        let edges = self.graph.edges.iter();
        columns.sum::<u64>()
            + edges
                .map(|edge| edge.count as u64 * ENDS_BYTES)
                .sum::<u64>()
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let mut features = Vec::new();
        let mut sets: [Vec<Value>; 3] = Default::default();
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut files = FileNames::default();
        for node in &self.graph.nodes {
            let folder = files.take(&node.name);
            nodes.push(self.typed(&node.name, json!({ "num": node.count })));
            for (column, path) in paths(&format!("node/{folder}"), &node.columns) {
                let rows = Rows::of_column(&self.graph, Which::NodeColumn, &node.name, column)?;
                npy::write(&to.join(&path), &rows, progress)?;
                features.push(self.feature(NODE, &node.name, column, &path));
            }
            for ((name, _), set) in SETS.iter().zip(&mut sets) {
                if node.sets.iter().any(|known| known == name) {
                    let data = self.set(to, &format!("sets/{folder}/{name}"), node, name)?;
                    set.push(self.typed(&node.name, json!({ "data": data })));
                }
            }
        }
        let mut files = FileNames::default();
        for edge in &self.graph.edges {
            let folder = files.take(&edge.name);
            let path = format!("edges/{folder}.npy");
            self.edges(&to.join(&path), edge, progress)?;
            let name = edge.name.replace("__", ":");
            let described = json!({ "format": "numpy", "path": path });
            edges.push(self.typed(&name, described));
            for (column, path) in paths(&format!("edge/{folder}"), &edge.columns) {
                let rows = Rows::of_column(&self.graph, Which::EdgeColumn, &edge.name, column)?;
                npy::write(&to.join(&path), &rows, progress)?;
                features.push(self.feature("edge", &name, column, &path));
            }
        }
        let name = to.file_name().map(|name| name.to_string_lossy());
        let metadata = json!({
            "dataset_name": name,
            "graph": { "nodes": nodes, "edges": edges },
            "feature_data": features,
            "tasks": tasks(sets),
        });
        // Texts of JSON are in quotes, so no reader of YAML takes one for a bool or a number.
        let text = serde_json::to_string_pretty(&metadata)
            .map_err(|error| Failure::of_file(&to.join(METADATA), error))?;
        write_text(&to.join(METADATA), &(text + "\n"))
    }
}

impl GraphBolt<'_> {
    /// With the type's name, unless types have none.
    fn typed(&self, name: &str, value: Value) -> Value {
        let mut all = Map::new();
        if !self.plain {
            all.insert("type".to_owned(), name.into());
        }
        if let Value::Object(entries) = value {
            all.extend(entries);
        }
        Value::Object(all)
    }

    fn feature(&self, domain: &str, of_type: &str, column: &ColumnInfo, path: &str) -> Value {
        let described = json!({
            "domain": domain,
            "name": column.name,
            "format": "numpy",
            "in_memory": self.in_memory,
            "path": path,
        });
        self.typed(of_type, described)
    }

    fn edges(
        &self,
        path: &Path,
        edge: &EdgeTypeInfo,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let mut out = npy::begin(path, DType::I64, &[2, edge.count])?;
        for end in ends(&self.graph, edge, progress)? {
            Rows::of_array(end).write(&mut out, progress)?;
        }
        out.finish()
    }

    /// The seeds of a set, and their labels where the type has a column of them.
    fn set(
        &self,
        to: &Path,
        path: &str,
        node: &NodeTypeInfo,
        name: &str,
    ) -> Result<Vec<Value>, Failure> {
        let ids = self.graph.set(node, name)?.to_i64s()?;
        if let Some(id) = ids.iter().find(|&&id| id < 0 || id >= node.count) {
            let words = format!("{}.{name}: there is no node {id}", node.name);
            return Err(Failure::new(Code::Corrupt, words));
        }
        let mut quiet = Progress::new(|_, _| true, 0);
        let described = |what: &str, path: &str| json!({ "name": what, "format": "numpy", "in_memory": true, "path": path });
        let seeds = format!("{path}-seeds.npy");
        let rows = Rows::of_array(Array::of_i64(&ids)?);
        npy::write(&to.join(&seeds), &rows, &mut quiet)?;
        let mut data = vec![described("seeds", &seeds)];
        let mut columns = node.columns.iter();
        if let Some(column) = columns.find(|column| column.role == Role::Label) {
            let labels = format!("{path}-labels.npy");
            let rows = Rows::of_column(&self.graph, Which::NodeColumn, &node.name, column)?;
            let mut shape = rows.shape.clone();
            shape[0] = ids.len() as i64;
            let mut out = npy::begin(&to.join(&labels), rows.dtype, &shape)?;
            rows.write_some(ids.iter().copied(), &mut out, &mut quiet)?;
            out.finish()?;
            data.push(described("labels", &labels));
        }
        Ok(data)
    }
}

/// Columns and their files.
fn paths<'a>(folder: &str, columns: &'a [ColumnInfo]) -> Vec<(&'a ColumnInfo, String)> {
    let mut names = FileNames::default();
    let columns = columns.iter();
    columns
        .map(|column| (column, format!("{folder}/{}.npy", names.take(&column.name))))
        .collect()
}

/// One task with all sets, or none.
fn tasks(sets: [Vec<Value>; 3]) -> Vec<Value> {
    if sets.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let mut task = Map::new();
    task.insert("name".to_owned(), TASK.into());
    for ((_, name), set) in SETS.iter().zip(sets) {
        if !set.is_empty() {
            task.insert((*name).to_owned(), set.into());
        }
    }
    vec![Value::Object(task)]
}
