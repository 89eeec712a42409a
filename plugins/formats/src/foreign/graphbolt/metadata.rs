//! What `metadata.yaml` says. Keys that no field has are in `more`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub type More = BTreeMap<String, Value>;

#[derive(Deserialize)]
pub struct Metadata {
    #[serde(default)]
    pub dataset_name: Option<String>,
    pub graph: Option<Graph>,
    /// In place of `graph`, after GraphBolt preprocessed the dataset.
    #[serde(default)]
    pub graph_topology: Option<Topology>,
    /// Said by the graph's file, too.
    #[serde(default, rename = "include_original_edge_id")]
    _include_original_edge_id: Option<bool>,
    #[serde(default)]
    pub feature_data: Option<Vec<Feature>>,
    #[serde(default)]
    pub tasks: Option<Vec<Task>>,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Graph {
    pub nodes: Vec<Nodes>,
    pub edges: Vec<Edges>,
    #[serde(default)]
    pub feature_data: Option<Vec<Feature>>,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Topology {
    #[serde(rename = "type")]
    pub kind: String,
    pub path: String,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Nodes {
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    pub num: i64,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Edges {
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    pub format: String,
    pub path: String,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Feature {
    pub domain: String,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    pub name: String,
    pub format: String,
    pub path: String,
    #[serde(default, rename = "in_memory")]
    _in_memory: Option<bool>,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Task {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub train_set: Option<Vec<Set>>,
    #[serde(default)]
    pub validation_set: Option<Vec<Set>>,
    #[serde(default)]
    pub test_set: Option<Vec<Set>>,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Set {
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    pub data: Vec<Data>,
    #[serde(flatten)]
    pub more: More,
}

#[derive(Deserialize)]
pub struct Data {
    #[serde(default)]
    pub name: Option<String>,
    pub format: String,
    pub path: String,
    #[serde(default, rename = "in_memory")]
    _in_memory: Option<bool>,
    #[serde(flatten)]
    pub more: More,
}
