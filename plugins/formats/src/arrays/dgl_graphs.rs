//! DGL's files of graphs, as `dgl.save_graphs` writes them since DGL 0.5: structure, data of nodes and
//! edges, and labels. A partition's `graph.dgl` is one, too.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 | magic, version, kind, number of graphs; padded to 4096 |
//! | 4096 | where the first graph begins; the labels by name |
//! | then | the graphs |
//! | the end | where each graph begins: a list within a string; the string's size |

use std::path::Path;

use super::dgl::{Input, Named};
use super::{Array, Bytes};
use crate::failure::Failure;

pub const GRAPHS_MAGIC: u64 = 0xDD2E_4FF0_46B4_A13F;
pub const VERSION: u64 = 2;
/// Graphs with types of nodes and edges; DGL 0.4 wrote another kind.
pub const KIND_HETERO: u64 = 2;
pub const HEADER_BYTES: u64 = 4096;
pub const HETERO_MAGIC: u64 = 0xDD58_9FBE_3522_4ABF;
pub const META_MAGIC: u64 = 0xDD3C_5FFE_2004_6ABF;
pub const UNIT_MAGIC: u64 = 0xDD2E_60F0_F6B4_A127;
pub const CSR_MAGIC: u64 = 0xDD6C_D312_05DF_F127;
pub const COO_MAGIC: u64 = 0xDD61_FFD3_05DF_F127;
/// Set in a unit graph's formats that are written as a set of bits.
pub const FORMATS_ARE_BITS: i64 = 1 << 32;
const MOST_TYPES: i64 = 1 << 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Coo,
    /// The targets of each source's edges.
    Csr,
    /// The sources of each target's edges.
    Csc,
}

/// As the bits of a unit graph name them, in the order of the file.
const FORMATS: [(i64, Format); 3] = [(1, Format::Coo), (2, Format::Csr), (4, Format::Csc)];

/// The edges of a type in one format.
#[derive(Clone, Debug)]
pub struct Edges {
    pub format: Format,
    pub sources: i64,
    pub targets: i64,
    /// Of COO: sources; of others: where each node's edges begin.
    pub first: Array,
    /// Of COO: targets; of others: the nodes at the other end.
    pub second: Array,
    /// None: an edge's id is its position.
    pub ids: Option<Array>,
}

impl Edges {
    /// The names of its arrays after "topology/source:type:target/".
    fn names(&self) -> [&'static str; 3] {
        match self.format {
            Format::Coo => ["coo/row", "coo/col", "coo/ids"],
            Format::Csr => ["csr/indptr", "csr/indices", "csr/ids"],
            Format::Csc => ["csc/indptr", "csc/indices", "csc/ids"],
        }
    }

    pub fn count(&self) -> i64 {
        self.second.rows()
    }
}

#[derive(Clone, Debug)]
pub struct NodeType {
    pub name: String,
    pub count: i64,
    pub data: Named,
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    /// Places among the graph's node types.
    pub source: usize,
    pub target: usize,
    /// One or more formats of the same edges.
    pub edges: Vec<Edges>,
    pub data: Named,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub node_types: Vec<NodeType>,
    pub relations: Vec<Relation>,
}

impl Graph {
    /// "source:type:target".
    pub fn full_name(&self, relation: &Relation) -> String {
        format!(
            "{}:{}:{}",
            self.node_types[relation.source].name,
            relation.name,
            self.node_types[relation.target].name
        )
    }

    /// All arrays by the names that recipes use: "nodes/type/name", "edges/source:type:target/name"
    /// and "topology/source:type:target/coo/row".
    pub fn arrays(&self) -> Named {
        let mut all = Named::new();
        for node in &self.node_types {
            for (name, array) in &node.data {
                all.push((format!("nodes/{}/{name}", node.name), array.clone()));
            }
        }
        for relation in &self.relations {
            let full = self.full_name(relation);
            for (name, array) in &relation.data {
                all.push((format!("edges/{full}/{name}"), array.clone()));
            }
            for edges in &relation.edges {
                let [first, second, ids] = edges.names();
                all.push((format!("topology/{full}/{first}"), edges.first.clone()));
                all.push((format!("topology/{full}/{second}"), edges.second.clone()));
                if let Some(array) = &edges.ids {
                    all.push((format!("topology/{full}/{ids}"), array.clone()));
                }
            }
        }
        all
    }
}

/// A file whose graphs are read when they are asked for.
pub struct GraphFile {
    bytes: Bytes,
    path: std::path::PathBuf,
    begins: Vec<u64>,
    pub labels: Named,
}

impl GraphFile {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::of_bytes(path, &Bytes::map(path)?)
    }

    pub fn of_bytes(path: &Path, bytes: &Bytes) -> Result<Self, Failure> {
        let damaged = |what: String| Failure::of_file(path, what);
        let mut input = Input::new(bytes.clone());
        input
            .expect(GRAPHS_MAGIC, "a file of graphs")
            .map_err(damaged)?;
        let version = input.u64().map_err(damaged)?;
        let kind = input.u64().map_err(damaged)?;
        if version != VERSION || kind != KIND_HETERO {
            let what = "graphs of DGL 0.4 or older; load and save them with a newer DGL";
            return Err(Failure::unsupported(path, what));
        }
        let (begins, labels) = read_index(bytes, &mut input).map_err(damaged)?;
        Ok(GraphFile {
            bytes: bytes.clone(),
            path: path.to_owned(),
            begins,
            labels,
        })
    }

    /// Of graphs.
    pub fn count(&self) -> usize {
        self.begins.len()
    }

    pub fn graph(&self, index: usize) -> Result<Graph, Failure> {
        let Some(&begin) = self.begins.get(index) else {
            return Err(Failure::invalid(format!(
                "{}: there is no graph {index}; the file has {}",
                self.path.display(),
                self.count()
            )));
        };
        Input::at(self.bytes.clone(), begin)
            .and_then(|mut input| read_graph(&mut input))
            .map_err(|what| Failure::of_file(&self.path, format!("graph {index}: {what}")))
    }

    /// The arrays of a graph or the labels; where they are is the name's first part: "0/nodes/..."
    /// or "labels/...".
    pub fn array(&self, name: &str) -> Result<Array, Failure> {
        let (place, rest) = name.split_once('/').unwrap_or((name, ""));
        if place == "labels" {
            return super::dgl::find(&self.path, self.labels.clone(), rest);
        }
        let index: usize = place.parse().map_err(|_| {
            Failure::invalid(format!(
                "{}: the array \"{name}\" names neither a graph (\"0/...\") nor \"labels/...\"",
                self.path.display()
            ))
        })?;
        super::dgl::find(&self.path, self.graph(index)?.arrays(), rest)
    }
}

fn read_index(bytes: &Bytes, input: &mut Input) -> Result<(Vec<u64>, Named), String> {
    let count = input.u64()?;
    let mut block = Input::at(bytes.clone(), HEADER_BYTES)?;
    block.u64()?; // where the first graph begins
    let labels = block.named_arrays()?;
    let short = || "the list of graphs is cut short".to_owned();
    let end = (bytes.len() as u64).checked_sub(8).ok_or_else(short)?;
    let size = Input::at(bytes.clone(), end)?.u64()?;
    let begin = end.checked_sub(size).ok_or_else(short)?;
    let begins = Input::at(bytes.clone(), begin)?.list(Input::u64)?;
    if begins.len() as u64 != count {
        return Err(format!("{count} graphs, and {} in the list", begins.len()));
    }
    Ok((begins, labels))
}

fn read_graph(input: &mut Input) -> Result<Graph, String> {
    input.expect(HETERO_MAGIC, "a graph")?;
    let ends = read_meta(input)?;
    let units = input.list(read_unit)?;
    let counts = input.list(Input::i64)?;
    let node_data = input.list(Input::named_arrays)?;
    let edge_data = input.list(Input::named_arrays)?;
    let node_names = input.list(Input::string)?;
    let edge_names = input.list(Input::string)?;
    if node_names.len() != counts.len()
        || node_data.len() != counts.len()
        || ends.len() != units.len()
        || edge_names.len() != units.len()
        || edge_data.len() != units.len()
    {
        return Err("the numbers of types differ".into());
    }
    let mut node_types = Vec::new();
    for ((name, count), data) in node_names.into_iter().zip(counts).zip(node_data) {
        check_rows("node type", &name, count, &data)?;
        node_types.push(NodeType { name, count, data });
    }
    let mut relations = Vec::new();
    for (((ends, edges), name), data) in ends.into_iter().zip(units).zip(edge_names).zip(edge_data)
    {
        let extent = |end: i64| {
            let place = usize::try_from(end).ok();
            place.and_then(|place| Some((place, node_types.get(place)?.count)))
        };
        let (Some(source), Some(target)) = (extent(ends.0), extent(ends.1)) else {
            return Err(format!("edge type \"{name}\": node types {ends:?}"));
        };
        let count = edges.first().map_or(0, Edges::count);
        for one in &edges {
            if (one.sources, one.targets) != (source.1, target.1) || one.count() != count {
                return Err(format!("edge type \"{name}\": the sizes differ"));
            }
        }
        check_rows("edge type", &name, count, &data)?;
        relations.push(Relation {
            name,
            source: source.0,
            target: target.0,
            edges,
            data,
        });
    }
    Ok(Graph {
        node_types,
        relations,
    })
}

fn check_rows(kind: &str, name: &str, count: i64, data: &Named) -> Result<(), String> {
    if count < 0 {
        return Err(format!("{kind} \"{name}\": {count} rows"));
    }
    for (column, array) in data {
        if array.shape.is_empty() || array.rows() != count {
            return Err(format!(
                "{kind} \"{name}\": \"{column}\" is {:?}, expected {count} rows",
                array.shape
            ));
        }
    }
    Ok(())
}

/// The graph of types: source and target of each edge type.
fn read_meta(input: &mut Input) -> Result<Vec<(i64, i64)>, String> {
    input.expect(META_MAGIC, "a graph of types")?;
    let csr = read_csr(input, Format::Csr)?;
    if csr.first.rows().max(csr.count()) > MOST_TYPES {
        return Err("the graph of types has too many types".into());
    }
    let [indptr, indices, ids] = [Some(csr.first), Some(csr.second), csr.ids].map(|array| {
        array.map_or(Ok(Vec::new()), |array| {
            array.to_i64s().map_err(|failure| failure.message)
        })
    });
    let (indptr, indices, ids) = (indptr?, indices?, ids?);
    let wrong = || "the graph of types is damaged".to_owned();
    let mut ends = vec![None; indices.len()];
    for (node, pair) in indptr.windows(2).enumerate() {
        if pair[0] > pair[1] {
            return Err(wrong());
        }
        for at in pair[0]..pair[1] {
            let at = usize::try_from(at).map_err(|_| wrong())?;
            let &other = indices.get(at).ok_or_else(wrong)?;
            let edge = match ids.get(at) {
                Some(&edge) => usize::try_from(edge).map_err(|_| wrong())?,
                None if ids.is_empty() => at,
                None => return Err(wrong()),
            };
            *ends.get_mut(edge).ok_or_else(wrong)? = Some((node as i64, other));
        }
    }
    ends.into_iter().collect::<Option<_>>().ok_or_else(wrong)
}

fn read_unit(input: &mut Input) -> Result<Vec<Edges>, String> {
    input.expect(UNIT_MAGIC, "the edges of a type")?;
    let written = input.i64()?;
    input.i64()?; // the formats that DGL may make of it
    if written & FORMATS_ARE_BITS == 0 {
        return Err("the edges have a format of an old DGL".into());
    }
    let mut all = Vec::new();
    for (bit, format) in FORMATS {
        if written & bit != 0 {
            read_meta(input)?; // one node type, or two
            all.push(match format {
                Format::Coo => read_coo(input)?,
                _ => read_csr(input, format)?,
            });
        }
    }
    if all.is_empty() {
        return Err("the edges of a type have no format".into());
    }
    Ok(all)
}

fn read_coo(input: &mut Input) -> Result<Edges, String> {
    input.expect(COO_MAGIC, "edges in COO")?;
    let (targets, sources) = (input.i64()?, input.i64()?);
    let (first, second) = (input.array()?, input.array()?);
    let ids = Some(input.array()?).filter(|ids| ids.count() > 0);
    input.bool()?; // rows are sorted
    input.bool()?; // columns are sorted
    let edges = Edges {
        format: Format::Coo,
        sources,
        targets,
        first,
        second,
        ids,
    };
    checked(edges, None)
}

fn read_csr(input: &mut Input, format: Format) -> Result<Edges, String> {
    input.expect(CSR_MAGIC, "edges in CSR")?;
    let (columns, rows) = (input.i64()?, input.i64()?);
    let (first, second) = (input.array()?, input.array()?);
    let ids = Some(input.array()?).filter(|ids| ids.count() > 0);
    input.bool()?; // rows are sorted
    let (sources, targets) = match format {
        Format::Csc => (columns, rows),
        _ => (rows, columns),
    };
    let edges = Edges {
        format,
        sources,
        targets,
        first,
        second,
        ids,
    };
    checked(edges, Some(rows))
}

/// Shapes and types; the numbers are checked when edges are read.
fn checked(edges: Edges, indptr_of: Option<i64>) -> Result<Edges, String> {
    let count = edges.count();
    let first = match indptr_of {
        Some(rows) => rows.checked_add(1),
        None => Some(count),
    };
    let arrays = [Some(&edges.first), Some(&edges.second), edges.ids.as_ref()];
    let flat = |array: &Array| array.shape.len() == 1 && array.dtype.is_integer();
    if !arrays.into_iter().flatten().all(flat)
        || Some(edges.first.rows()) != first
        || edges.ids.as_ref().is_some_and(|ids| ids.rows() != count)
        || edges.sources < 0
        || edges.targets < 0
    {
        return Err(format!("the arrays of {:?} do not match", edges.format));
    }
    Ok(edges)
}
