//! GiGL's preprocessed metadata and the TFRecord files that it names. The task's configuration names
//! the types.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use super::choices::Choices;
use super::names::plain;
use super::paths::{inside, text_of};
use super::unique::free;
use crate::failure::Failure;
use crate::recipe::*;

const FEATURES: [&str; 2] = ["x", "edge_attr"];
const LABELS: &str = "label";
const ENDINGS: [&str; 2] = [".tfrecord", ".tfrecord.gz"];

/// What GiGL writes, by the names of its messages in JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    #[serde(alias = "condensed_node_type_to_preprocessed_metadata")]
    condensed_node_type_to_preprocessed_metadata: IndexMap<String, Nodes>,
    #[serde(alias = "condensed_edge_type_to_preprocessed_metadata")]
    condensed_edge_type_to_preprocessed_metadata: IndexMap<String, Edges>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Nodes {
    #[serde(alias = "node_id_key")]
    node_id_key: String,
    #[serde(flatten)]
    files: Files,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Files {
    #[serde(alias = "feature_keys")]
    feature_keys: Vec<String>,
    #[serde(alias = "label_keys")]
    label_keys: Vec<String>,
    #[serde(alias = "tfrecord_uri_prefix")]
    tfrecord_uri_prefix: String,
    #[serde(alias = "quantized_feature_metadata")]
    quantized_feature_metadata: Option<Quantized>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Quantized {
    #[serde(alias = "packed_feature_key")]
    packed_feature_key: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Edges {
    #[serde(alias = "src_node_id_key")]
    src_node_id_key: String,
    #[serde(alias = "dst_node_id_key")]
    dst_node_id_key: String,
    #[serde(alias = "main_edge_info")]
    main_edge_info: Option<Files>,
    #[serde(alias = "positive_edge_info")]
    positive_edge_info: Option<Files>,
    #[serde(alias = "negative_edge_info")]
    negative_edge_info: Option<Files>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    #[serde(alias = "graph_metadata")]
    graph_metadata: Option<Graph>,
    #[serde(alias = "shared_config")]
    shared_config: Option<Shared>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Shared {
    #[serde(alias = "preprocessed_metadata_uri")]
    preprocessed_metadata_uri: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Graph {
    #[serde(alias = "node_types")]
    node_types: Vec<String>,
    #[serde(alias = "edge_types")]
    edge_types: Vec<Triple>,
    #[serde(alias = "condensed_node_type_map")]
    condensed_node_type_map: IndexMap<String, String>,
    #[serde(alias = "condensed_edge_type_map")]
    condensed_edge_type_map: IndexMap<String, Triple>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Triple {
    relation: String,
    #[serde(alias = "src_node_type")]
    src_node_type: String,
    #[serde(alias = "dst_node_type")]
    dst_node_type: String,
}

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let root = choices.take("root");
    let quantized = choices.take("quantized");
    if quantized.as_deref().is_some_and(|choice| choice != "skip") {
        return Err(Failure::invalid("choices: quantized: expected \"skip\""));
    }
    let config_file = choices.take("config");
    if path.is_dir() {
        let what = "expected a file: the task's configuration, or the preprocessed metadata";
        return Err(Failure::unsupported(path, what));
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut reader = Reader {
        at: path.to_owned(),
        root,
        skip_quantized: quantized.is_some(),
        recipe: Recipe {
            folder: Some(folder.to_string_lossy().into_owned()),
            ..Default::default()
        },
        folder,
    };
    let mut metadata: Metadata = parse(path)?;
    let mut config: Config = match config_file {
        None => parse(path)?,
        Some(name) => parse(&reader.folder.join(inside(path, &name)?))?,
    };
    if metadata
        .condensed_edge_type_to_preprocessed_metadata
        .is_empty()
    {
        let uri = config.shared_config.take().unwrap_or_default();
        if uri.preprocessed_metadata_uri.is_empty() {
            let what =
                "it has neither the metadata of types nor sharedConfig.preprocessedMetadataUri";
            return Err(Failure::unsupported(path, what));
        }
        let name = reader.local(&uri.preprocessed_metadata_uri)?;
        reader.at = reader.folder.join(name);
        metadata = parse(&reader.at)?;
    }
    reader.read(&metadata, &config.graph_metadata.unwrap_or_default())?;
    Ok(reader.recipe)
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, Failure> {
    let text = text_of(path)?;
    // PyYAML writes the text "y" without quotes.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(&text, options)
        .map_err(|error| Failure::of_file(path, error.without_snippet().to_string()))
}

struct Reader {
    at: PathBuf,
    folder: PathBuf,
    /// What stands for the folder in URIs.
    root: Option<String>,
    skip_quantized: bool,
    recipe: Recipe,
}

/// The files and columns of a type.
type Rows = (Vec<String>, Vec<TableColumn>);

impl Reader {
    fn damaged(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(&self.at, what)
    }

    /// The name of a URI's file in the dataset's folder.
    fn local(&self, uri: &str) -> Result<String, Failure> {
        let bare = uri.strip_prefix("file://").unwrap_or(uri);
        if let Some(rest) = self
            .root
            .as_ref()
            .and_then(|root| uri.strip_prefix(&root[..]))
        {
            return inside(&self.at, rest.trim_start_matches('/'));
        }
        if bare.contains("://") {
            let what = format!("{uri} is no local file; root=URI says what stands for the folder");
            return Err(Failure::unsupported(&self.at, what));
        }
        if let Ok(rest) = Path::new(bare).strip_prefix(&self.folder) {
            let ended = if bare.ends_with('/') { "/" } else { "" };
            return inside(&self.at, &format!("{}{ended}", rest.display()));
        }
        inside(&self.at, bare)
    }

    fn read(&mut self, metadata: &Metadata, graph: &Graph) -> Result<(), Failure> {
        let mut names = IndexMap::new();
        let of_nodes = &metadata.condensed_node_type_to_preprocessed_metadata;
        for (number, nodes) in sorted(of_nodes) {
            let known = graph.condensed_node_type_map.get(number);
            let name = match known.or(only(of_nodes, &graph.node_types)) {
                Some(name) => name.clone(),
                None if of_nodes.len() == 1 => "node".to_owned(),
                None => return Err(self.unnamed("node", number)),
            };
            let plain = plain(&name, &mut self.recipe.notes);
            let plain = free(plain, |plain| self.recipe.nodes.contains_key(plain));
            let place = format!("node type \"{name}\"");
            let (files, columns) = self.rows(&place, &nodes.files, 0)?;
            let node = NodeType {
                ids: Some(Ids::Integer),
                table: Some(NodeTable {
                    files,
                    format: TableFormat::Tfrecord,
                    key: Some(self.key(&place, &nodes.node_id_key)?),
                    columns: Some(columns),
                    ..Default::default()
                }),
                ..Default::default()
            };
            self.recipe.nodes.insert(plain.clone(), node);
            names.insert(name, plain);
        }
        let of_edges = &metadata.condensed_edge_type_to_preprocessed_metadata;
        for (number, edges) in sorted(of_edges) {
            let known = graph.condensed_edge_type_map.get(number);
            let triple = match known.or(only(of_edges, &graph.edge_types)) {
                Some(triple) => triple.clone(),
                None if names.len() == 1 && of_edges.len() == 1 => Triple {
                    relation: "to".to_owned(),
                    src_node_type: names[0].clone(),
                    dst_node_type: names[0].clone(),
                },
                None => return Err(self.unnamed("edge", number)),
            };
            let end = |name: &str| {
                // One node type without a name in the metadata stands for all.
                let known = names.get(name).cloned();
                known.ok_or_else(|| self.damaged(format!("\"{name}\" is no node type")))
            };
            let ends = [end(&triple.src_node_type)?, end(&triple.dst_node_type)?];
            self.add_edges(edges, &triple.relation, &ends)?;
        }
        Ok(())
    }

    fn add_edges(
        &mut self,
        edges: &Edges,
        relation: &str,
        ends: &[String; 2],
    ) -> Result<(), Failure> {
        let plain = plain(relation, &mut self.recipe.notes);
        let main = edges.main_edge_info.as_ref();
        if main.is_none_or(|main| main.tfrecord_uri_prefix.is_empty()) {
            return Err(self.damaged(format!("relation \"{relation}\": there is no mainEdgeInfo")));
        }
        let infos = [
            ("", main),
            ("_gigl_positive", edges.positive_edge_info.as_ref()),
            ("_gigl_negative", edges.negative_edge_info.as_ref()),
        ];
        for (suffix, info) in infos {
            let Some(info) = info.filter(|info| !info.tfrecord_uri_prefix.is_empty()) else {
                continue;
            };
            let place = format!("relation \"{relation}{suffix}\"");
            let (files, columns) = self.rows(&place, info, 1)?;
            let edge = EdgeType {
                table: Some(EdgeTable {
                    files,
                    format: TableFormat::Tfrecord,
                    source: self.key(&place, &edges.src_node_id_key)?,
                    target: self.key(&place, &edges.dst_node_id_key)?,
                    columns: Some(columns),
                    ..Default::default()
                }),
                ..Default::default()
            };
            let of = |plain: &str| format!("{}__{plain}{suffix}__{}", ends[0], ends[1]);
            let free = free(plain.clone(), |plain| {
                self.recipe.edges.contains_key(&of(plain))
            });
            self.recipe.edges.insert(of(&free), edge);
        }
        Ok(())
    }

    fn key(&self, place: &str, key: &str) -> Result<String, Failure> {
        if key.is_empty() {
            return Err(self.damaged(format!("{place}: the field of ids is not named")));
        }
        Ok(key.to_owned())
    }

    fn unnamed(&self, kind: &str, number: &str) -> Failure {
        let what = format!(
            "{kind} type {number} has no name; give the task's configuration, or name it by config=FILE"
        );
        Failure::unsupported(&self.at, what)
    }

    fn rows(&mut self, place: &str, files: &Files, kind: usize) -> Result<Rows, Failure> {
        let packed = files.quantized_feature_metadata.as_ref();
        if let Some(packed) = packed.filter(|packed| !packed.packed_feature_key.is_empty()) {
            let what = format!(
                "{place}: \"{}\" has quantised features, which are not read from TFRecord",
                packed.packed_feature_key
            );
            if !self.skip_quantized {
                let what = format!("{what}; quantized=skip leaves them out");
                return Err(Failure::unsupported(&self.at, what));
            }
            self.recipe
                .notes
                .push(format!("{what}; all features of it are left out."));
        }
        let skip = packed.is_some_and(|packed| !packed.packed_feature_key.is_empty());
        let features: &[String] = if skip { &[] } else { &files.feature_keys };
        let mut columns = Vec::new();
        for (keys, name, role) in [
            (features, FEATURES[kind], Role::Feature),
            (&files.label_keys[..], LABELS, Role::Label),
        ] {
            columns.extend(keys.iter().map(|key| TableColumn {
                field: key.clone(),
                name: Some(name.to_owned()),
                dtype: (role == Role::Feature).then(|| "float32".to_owned()),
                role,
                ..Default::default()
            }));
        }
        Ok((self.files(place, &files.tfrecord_uri_prefix)?, columns))
    }

    /// Patterns for the files that begin with a prefix.
    fn files(&self, place: &str, prefix: &str) -> Result<Vec<String>, Failure> {
        let prefix = self.local(prefix)?;
        let (folder, begin) = match prefix.rsplit_once('/') {
            Some((folder, begin)) => (self.folder.join(folder), begin),
            None => (self.folder.clone(), &prefix[..]),
        };
        let failed = |error: std::io::Error| Failure::io(&folder, &error);
        let mut found = [false; ENDINGS.len()];
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            for (found, ending) in found.iter_mut().zip(ENDINGS) {
                *found |= name.starts_with(begin) && name.ends_with(ending);
            }
        }
        let patterns: Vec<_> = found
            .iter()
            .zip(ENDINGS)
            .filter(|(found, _)| **found)
            .map(|(_, ending)| format!("{prefix}*{ending}"))
            .collect();
        if patterns.is_empty() {
            return Err(self.damaged(format!("{place}: {prefix} names no file of TFRecord")));
        }
        Ok(patterns)
    }
}

/// The entries of a map in the order of their numbers.
fn sorted<T>(map: &IndexMap<String, T>) -> Vec<(&String, &T)> {
    let mut out: Vec<_> = map.iter().collect();
    out.sort_by_key(|(number, _)| number.parse::<u32>().unwrap_or(u32::MAX));
    out
}

/// The only name for the only type.
fn only<'a, T, N>(types: &IndexMap<String, T>, names: &'a [N]) -> Option<&'a N> {
    match names {
        [one] if types.len() == 1 => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
