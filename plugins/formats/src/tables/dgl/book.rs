//! The description of a graph that DGL partitioned: `<graph>.json` of
//! `dgl.distributed.partition_graph`.
//!
//! A type's nodes (and edges) in a part are one range of ids that all types share. Within a type, ids
//! follow each other from part to part: these are the ids that the dataset has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::failure::Failure;
use crate::foreign::paths::{inside, text_of};

/// DGL's names where a graph has only one type.
pub const ONLY_NODE_TYPE: &str = "_N";
pub const ONLY_RELATION: &str = "_E";

/// The files of a part, relative to the description.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub graph: Option<String>,
    /// The same graph in GraphBolt's form.
    pub fused: Option<String>,
    pub node_feats: Option<String>,
    pub edge_feats: Option<String>,
}

/// The ids of a type: one range a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges {
    /// Ids that all types share: the first, and the one after the last.
    pub shared: Vec<[i64; 2]>,
    /// The type's first id in each part; at last the number of all.
    pub first: Vec<i64>,
    /// The shared id of id 0, where all ranges follow each other.
    shift: Option<i64>,
}

impl Ranges {
    fn new(shared: Vec<[i64; 2]>) -> Result<Self, String> {
        let mut first = vec![0_i64];
        let mut last = 0;
        for &[begin, end] in &shared {
            if begin < last || end < begin {
                return Err(format!(
                    "the range [{begin}, {end}) overlaps or is not in order"
                ));
            }
            last = end;
            let total = first[first.len() - 1].checked_add(end - begin);
            first.push(total.ok_or("the ranges are too large")?);
        }
        let filled: Vec<_> = shared.iter().filter(|[begin, end]| begin < end).collect();
        let joined = filled.windows(2).all(|pair| pair[0][1] == pair[1][0]);
        let shift = filled.first().map(|range| range[0]).filter(|_| joined);
        Ok(Ranges {
            shared,
            first,
            shift,
        })
    }

    /// Of all nodes or edges.
    pub fn count(&self) -> i64 {
        self.first[self.first.len() - 1]
    }

    pub fn count_in(&self, part: usize) -> i64 {
        self.first[part + 1] - self.first[part]
    }

    /// The type's id for a shared id; None: of another type.
    pub fn id_of(&self, shared: i64) -> Option<i64> {
        if let Some(shift) = self.shift {
            return shared
                .checked_sub(shift)
                .filter(|id| (0..self.count()).contains(id));
        }
        let after = self
            .shared
            .partition_point(|&[begin, end]| begin <= shared && (begin < end || end <= shared));
        let part = after.checked_sub(1)?;
        let [begin, end] = self.shared[part];
        (begin <= shared && shared < end).then(|| self.first[part] + shared - begin)
    }
}

#[derive(Clone, Debug)]
pub struct NodeType {
    pub name: String,
    pub ranges: Arc<Ranges>,
}

#[derive(Clone, Debug)]
pub struct EdgeType {
    /// "source:relation:target".
    pub full_name: String,
    pub relation: String,
    /// Places among the node types.
    pub source: usize,
    pub target: usize,
    pub ranges: Arc<Ranges>,
}

#[derive(Clone, Debug)]
pub struct Book {
    pub path: PathBuf,
    pub parts: Vec<Part>,
    /// In the order of DGL's ids of types.
    pub node_types: Vec<NodeType>,
    pub edge_types: Vec<EdgeType>,
}

impl Book {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = text_of(path)?;
        let json: Value =
            serde_json::from_str(&text).map_err(|error| Failure::of_file(path, error))?;
        Self::of_json(path, &json)
    }

    /// Whether a description is of this kind.
    pub fn is_one(json: &Value) -> bool {
        json.get("num_parts").is_some() && json.get("node_map").is_some()
    }

    pub fn of_json(path: &Path, json: &Value) -> Result<Self, Failure> {
        let parts = parts(path, json)?;
        let mut node_types = Vec::new();
        for (name, ranges) in types(path, json, ["node_map", "ntypes"], ONLY_NODE_TYPE, &parts)? {
            node_types.push(NodeType { name, ranges });
        }
        let only = format!("{ONLY_NODE_TYPE}:{ONLY_RELATION}:{ONLY_NODE_TYPE}");
        let mut edge_types = Vec::new();
        for (name, ranges) in types(path, json, ["edge_map", "etypes"], &only, &parts)? {
            edge_types.push(edge_type(path, &node_types, &name, ranges)?);
        }
        let nodes = node_types.iter().map(|known| known.ranges.as_ref());
        let edges = edge_types.iter().map(|known| known.ranges.as_ref());
        check_total(path, json, "num_nodes", nodes)?;
        check_total(path, json, "num_edges", edges)?;
        Ok(Book {
            path: path.to_owned(),
            parts,
            node_types,
            edge_types,
        })
    }

    /// The path of a part's file.
    pub fn beside(&self, file: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(file)
    }
}

fn parts(path: &Path, json: &Value) -> Result<Vec<Part>, Failure> {
    let count = json.get("num_parts").and_then(Value::as_u64);
    let count = count.filter(|&count| count > 0);
    let count = count.ok_or_else(|| Failure::of_file(path, "\"num_parts\" is not positive"))?;
    let mut parts = Vec::new();
    for number in 0..count {
        let Some(files) = json.get(format!("part-{number}")) else {
            return Err(Failure::of_file(
                path,
                format!("there is no \"part-{number}\""),
            ));
        };
        let file = |key: &str| match files.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(name)) => inside(path, name).map(Some),
            Some(_) => Err(Failure::of_file(
                path,
                format!("part-{number}.{key} is no name of a file"),
            )),
        };
        parts.push(Part {
            graph: file("part_graph")?,
            fused: file("part_graph_graphbolt")?,
            node_feats: file("node_feats")?,
            edge_feats: file("edge_feats")?,
        });
    }
    Ok(parts)
}

/// Names and ranges, in the order of the types' ids.
fn types(
    path: &Path,
    json: &Value,
    [map, ids]: [&str; 2],
    only: &str,
    parts: &[Part],
) -> Result<Vec<(String, Arc<Ranges>)>, Failure> {
    let wrong = |what: String| Failure::of_file(path, format!("{map}: {what}"));
    let mut found: Vec<(String, Vec<[i64; 2]>)> = Vec::new();
    match json.get(map) {
        Some(Value::Object(types)) => {
            for (name, ranges) in types {
                if ranges.is_string() {
                    return Err(assigned(path, map));
                }
                found.push((name.clone(), ranges_of(ranges).map_err(wrong)?));
            }
        }
        Some(ranges @ Value::Array(_)) => {
            found.push((only.to_owned(), ranges_of(ranges).map_err(wrong)?));
        }
        Some(Value::String(_)) => return Err(assigned(path, map)),
        _ => return Err(wrong("there are no ranges".into())),
    }
    let id = |name: &str| match json.get(ids) {
        Some(known) => known.get(name).and_then(Value::as_u64),
        None => Some(0),
    };
    let mut ordered = Vec::new();
    for (name, ranges) in found {
        if ranges.len() != parts.len() {
            return Err(wrong(format!(
                "\"{name}\" has {} ranges for {} parts",
                ranges.len(),
                parts.len()
            )));
        }
        let id = id(&name).ok_or_else(|| wrong(format!("\"{name}\" is not in \"{ids}\"")))?;
        let ranges = Ranges::new(ranges).map_err(|what| wrong(format!("\"{name}\": {what}")))?;
        ordered.push((id, name, Arc::new(ranges)));
    }
    ordered.sort_by_key(|known| known.0);
    Ok(ordered
        .into_iter()
        .map(|(_, name, ranges)| (name, ranges))
        .collect())
}

fn assigned(path: &Path, map: &str) -> Failure {
    let what = format!(
        "\"{map}\" names a file with a part for each id, as DGL wrote without reshuffling; \
         partition the graph again"
    );
    Failure::unsupported(path, what)
}

/// A list of pairs, or of the old form: only the ends.
fn ranges_of(json: &Value) -> Result<Vec<[i64; 2]>, String> {
    let list = json.as_array().ok_or("the ranges are no list")?;
    let mut out = Vec::new();
    let mut last = 0;
    for item in list {
        let range = match item {
            Value::Array(pair) if pair.len() == 2 => {
                pair[0].as_i64().zip(pair[1].as_i64()).map(|(a, b)| [a, b])
            }
            number => number.as_i64().map(|end| [last, end]),
        };
        let range = range.filter(|range| range[0] >= 0 && range[1] >= 0);
        let range = range.ok_or_else(|| format!("{item} is no range of ids"))?;
        last = range[1];
        out.push(range);
    }
    Ok(out)
}

fn edge_type(
    path: &Path,
    node_types: &[NodeType],
    name: &str,
    ranges: Arc<Ranges>,
) -> Result<EdgeType, Failure> {
    let words: Vec<&str> = name.split(':').collect();
    let (source, relation, target) = match (words.as_slice(), node_types) {
        ([source, relation, target], _) => (*source, *relation, *target),
        ([relation], [only]) => (only.name.as_str(), *relation, only.name.as_str()),
        _ => {
            let what = format!("the edge type \"{name}\" is not source:relation:target");
            return Err(Failure::unsupported(path, what));
        }
    };
    let place = |end: &str| {
        let found = node_types.iter().position(|known| known.name == end);
        found.ok_or_else(|| {
            Failure::of_file(path, format!("\"{name}\": there is no node type \"{end}\""))
        })
    };
    Ok(EdgeType {
        full_name: name.to_owned(),
        relation: relation.to_owned(),
        source: place(source)?,
        target: place(target)?,
        ranges,
    })
}

fn check_total<'a>(
    path: &Path,
    json: &Value,
    key: &str,
    all: impl Iterator<Item = &'a Ranges>,
) -> Result<(), Failure> {
    let total = all
        .map(Ranges::count)
        .try_fold(0_i64, i64::checked_add)
        .ok_or_else(|| Failure::of_file(path, "the ranges are too large"))?;
    match json.get(key) {
        Some(number) if number.as_i64() != Some(total) => Err(Failure::of_file(
            path,
            format!("\"{key}\" is {number}, and the ranges hold {total}"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn good() -> Value {
        json!({
            "num_nodes": 9, "num_edges": 4, "num_parts": 2,
            "node_map": {"user": [[0, 3], [5, 7]], "item": [[3, 5], [7, 9]]},
            "edge_map": {"user:likes:item": [[0, 1], [1, 4]]},
            "ntypes": {"user": 0, "item": 1},
            "etypes": {"user:likes:item": 0},
            "part-0": {"part_graph": "part0/graph.dgl"},
            "part-1": {"part_graph": "part1/graph.dgl"}
        })
    }

    fn read(json: &Value) -> Result<Book, Failure> {
        Book::of_json(Path::new("g.json"), json)
    }

    #[test]
    fn ids_of_a_type_follow_each_other() {
        let book = read(&good()).unwrap();
        assert_eq!(book.node_types[0].name, "user");
        let ranges = &book.node_types[0].ranges;
        let found: Vec<_> = (-1..9).map(|shared| ranges.id_of(shared)).collect();
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(Some);
        assert_eq!(found, [None, a, b, c, None, None, d, e, None, None]);
        let edges = &book.edge_types[0].ranges;
        assert_eq!(
            (edges.count(), edges.id_of(3), edges.id_of(4)),
            (4, Some(3), None)
        );
    }

    #[test]
    fn empty_ranges_hold_nothing() {
        let ranges = Ranges::new(vec![[2, 2], [2, 4], [6, 6], [6, 6], [8, 9], [9, 9]]).unwrap();
        let found: Vec<_> = (0..11).filter_map(|id| ranges.id_of(id)).collect();
        assert_eq!(found, [0, 1, 2]);
        assert_eq!(ranges.id_of(8), Some(2));
    }

    #[test]
    fn old_descriptions_have_ends_and_lists() {
        let mut old = good();
        old["node_map"] = json!([5, 9]);
        old["edge_map"] = json!([[0, 1], [1, 4]]);
        for key in ["ntypes", "etypes"] {
            old.as_object_mut().unwrap().remove(key);
        }
        let book = read(&old).unwrap();
        assert_eq!(book.node_types[0].name, "_N");
        assert_eq!(book.edge_types[0].full_name, "_N:_E:_N");
        assert_eq!(book.node_types[0].ranges.shared, [[0, 5], [5, 9]]);
    }

    #[test]
    fn faults_are_named() {
        for (key, value, expected) in [
            ("num_parts", json!(3), "part-2"),
            ("num_parts", json!(0), "num_parts"),
            ("num_nodes", json!(10), "num_nodes"),
            ("node_map", json!("map.npy"), "partition the graph again"),
            ("node_map", json!({"user": [[0, 3]]}), "ranges"),
            ("node_map", json!({"user": [[0, 3], [2, 7]]}), "overlaps"),
            ("node_map", json!({"user": [[0, -3], [2, 7]]}), "no range"),
            ("node_map", json!({"thing": [[0, 3], [3, 9]]}), "thing"),
            (
                "node_map",
                json!({"user": [[0, i64::MAX], [i64::MAX, i64::MAX]],
                                "item": [[0, i64::MAX], [i64::MAX, i64::MAX]]}),
                "too large",
            ),
            ("edge_map", json!({"likes": [[0, 1], [1, 4]]}), "likes"),
            ("part-1", json!({"part_graph": "../x.dgl"}), "leads out"),
            ("part-1", json!({"part_graph": 7}), "no name"),
        ] {
            let mut damaged = good();
            damaged[key] = value;
            let message = read(&damaged).unwrap_err().message;
            assert!(message.contains(expected), "{key}: {message}");
        }
    }
}
