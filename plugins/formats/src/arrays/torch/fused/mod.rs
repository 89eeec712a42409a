//! GraphBolt's graph: one CSC of all types, an object of C++ in a file of torch.
//!
//! Its state is a dict of dicts of tensors. Edges of all types stand together under their target, and
//! `type_per_edge` tells them apart. An array of one type is made when a recipe asks for it.

mod state;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Loaded;
use crate::arrays::bytes::Scratch;
use crate::arrays::dgl::{find, Named};
use crate::arrays::pickle::Class;
use crate::arrays::{Array, DType};
use crate::failure::Failure;
use state::State;

/// The place of a graph's edges before GraphBolt sorted them.
pub const ORIGINAL_EDGE_ID: &str = "_ORIGINAL_EDGE_ID";
const VERSION: i64 = 6199;
const MOST_TYPES: usize = 1 << 15;
/// Edges that are looked at for all types together, as each type's arrays need a look at all edges.
const MOST_LOOKS: i64 = 1 << 36;
/// What a graph without types has.
const NODE: &str = "_N";
const EDGE: &str = "_N:_E:_N";

pub struct FusedGraph {
    path: PathBuf,
    pub indptr: Array,
    pub indices: Array,
    pub node_types: Vec<String>,
    /// "source:relation:target".
    pub edge_types: Vec<String>,
    /// The first node of each type; at last the number of all. None: the nodes of types are mixed.
    offsets: Option<Vec<i64>>,
    pub type_per_edge: Option<Array>,
    /// One row a node, and one an edge.
    pub node_data: Named,
    pub edge_data: Named,
}

/// Whether a file is such a graph.
pub fn is_one(loaded: &Loaded) -> bool {
    let root = loaded.tree().object(loaded.tree().root());
    matches!(root, Some((Class::FusedGraph, ..)))
}

impl FusedGraph {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::of(&Loaded::open(path)?)
    }

    pub fn of(loaded: &Loaded) -> Result<Self, Failure> {
        let state = State::of(loaded)?;
        let structure = "independent_tensors";
        let version = state.number(state.needed(structure, "version_number")?)?;
        if version != VERSION {
            let what = format!("a graph of GraphBolt of version {version}, expected {VERSION}");
            return Err(Failure::unsupported(loaded.path(), what));
        }
        let indptr = state.integers(structure, "indptr")?;
        let indices = state.integers(structure, "indices")?;
        let (Some(indptr), Some(indices)) = (indptr, indices) else {
            return Err(state.wrong("it has no \"indptr\" and \"indices\""));
        };
        let graph = FusedGraph {
            path: loaded.path().to_owned(),
            node_types: state.types("node_type_to_id", NODE)?,
            edge_types: state.types("edge_type_to_id", EDGE)?,
            offsets: match state.integers(structure, "node_type_offset")? {
                Some(offsets) if offsets.rows() as usize <= MOST_TYPES + 1 => {
                    Some(offsets.to_i64s()?)
                }
                Some(_) => return Err(state.wrong("it has too many types")),
                None => None,
            },
            type_per_edge: state.integers(structure, "type_per_edge")?,
            node_data: state.arrays("node_attributes")?,
            edge_data: state.arrays("edge_attributes")?,
            indptr,
            indices,
        };
        graph.check()?;
        Ok(graph)
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(&self.path, what)
    }

    fn check(&self) -> Result<(), Failure> {
        if self.indptr.rows() < 1 {
            return Err(self.wrong("\"indptr\" is empty"));
        }
        if let Some(offsets) = &self.offsets {
            let ascend = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
            let ends = (offsets.first(), offsets.last());
            if !ascend
                || offsets.len() != self.node_types.len() + 1
                || ends != (Some(&0), Some(&self.num_nodes()))
            {
                return Err(self.wrong("\"node_type_offset\" does not fit the nodes"));
            }
        }
        let typed = self.type_per_edge.as_ref();
        if typed.is_some_and(|types| types.rows() != self.num_edges())
            || (typed.is_none() && self.edge_types.len() > 1)
        {
            return Err(self.wrong("\"type_per_edge\" does not fit the edges"));
        }
        if typed.is_some() {
            self.check_looks(self.edge_types.len())?;
        }
        let nodes = self.node_data.iter().map(|named| (named, self.num_nodes()));
        let edges = self.edge_data.iter().map(|named| (named, self.num_edges()));
        for ((name, array), rows) in nodes.chain(edges) {
            if array.shape.is_empty() || array.rows() != rows {
                let what = format!("\"{name}\" is {:?}, expected {rows} rows", array.shape);
                return Err(self.wrong(what));
            }
        }
        Ok(())
    }

    /// An error if a look at all edges for each of so many types takes too long.
    pub fn check_looks(&self, types: usize) -> Result<(), Failure> {
        if looks_are_few(types, self.num_edges()) {
            return Ok(());
        }
        let what = format!(
            "{types} edge types and {} edges take too long to tell apart",
            self.num_edges()
        );
        Err(Failure::unsupported(&self.path, what))
    }

    pub fn num_nodes(&self) -> i64 {
        self.indptr.rows() - 1
    }

    pub fn num_edges(&self) -> i64 {
        self.indices.rows()
    }

    /// The nodes of a type: the first, and the one after the last.
    pub fn nodes_of(&self, name: &str) -> Result<[i64; 2], Failure> {
        let place = self.node_types.iter().position(|known| known == name);
        match (place, &self.offsets) {
            (Some(_), None) if self.node_types.len() == 1 => Ok([0, self.num_nodes()]),
            (Some(place), Some(offsets)) => Ok([offsets[place], offsets[place + 1]]),
            (Some(_), None) => {
                let what = "the graph does not tell the types of its nodes";
                Err(Failure::unsupported(&self.path, what))
            }
            (None, _) => Err(self.wrong(format!("there is no node type \"{name}\""))),
        }
    }

    pub fn node_array(&self, name: &str) -> Option<&Array> {
        let found = self.node_data.iter().find(|(known, _)| known == name);
        found.map(|(_, array)| array)
    }

    pub fn edge_array(&self, name: &str) -> Option<&Array> {
        let found = self.edge_data.iter().find(|(known, _)| known == name);
        found.map(|(_, array)| array)
    }

    /// An array by the name that recipes use: "nodes/type/name", "edges/type/name", and
    /// "topology/type/" with "indptr", "indices" or "ids".
    pub fn array(&self, name: &str) -> Result<Array, Failure> {
        let unknown = || {
            self.wrong(format!(
                "there is no array \"{name}\"; it has nodes/TYPE/NAME, edges/TYPE/NAME and \
                 topology/TYPE/ with indptr, indices and ids"
            ))
        };
        let (kind, rest) = name.split_once('/').ok_or_else(unknown)?;
        let types = match kind {
            "nodes" => &self.node_types,
            "edges" | "topology" => &self.edge_types,
            _ => return Err(unknown()),
        };
        // Names may have slashes themselves.
        let split = types.iter().filter_map(|known| {
            let inner = rest.strip_prefix(known.as_str())?.strip_prefix('/')?;
            Some((known.as_str(), inner))
        });
        let (of_type, inner) = split
            .max_by_key(|(known, _)| known.len())
            .ok_or_else(unknown)?;
        match (kind, inner) {
            ("nodes", _) => {
                let [begin, end] = self.nodes_of(of_type)?;
                let array = find(&self.path, self.node_data.clone(), inner)?;
                array.slice(begin..end).map_err(|what| self.wrong(what))
            }
            ("edges", _) => {
                let rows = self.rows_of(of_type)?;
                let array = find(&self.path, self.edge_data.clone(), inner)?;
                array.slice(rows).map_err(|what| self.wrong(what))
            }
            (_, "indptr") => self.indptr_of(of_type),
            (_, "indices") => self.indices_of(of_type),
            (_, "ids") => {
                let array = find(&self.path, self.edge_data.clone(), ORIGINAL_EDGE_ID)?;
                self.chosen(of_type, &array, 0)
            }
            _ => Err(unknown()),
        }
    }

    /// The number of an edge type in `type_per_edge`; None: all edges have it.
    fn number_of(&self, of_type: &str) -> Result<Option<i64>, Failure> {
        let place = self.edge_types.iter().position(|known| known == of_type);
        let place =
            place.ok_or_else(|| self.wrong(format!("there is no edge type \"{of_type}\"")))?;
        Ok(self.type_per_edge.as_ref().map(|_| place as i64))
    }

    /// Calls `each` with the place of each edge of a type.
    fn for_each(
        &self,
        of_type: &str,
        mut each: impl FnMut(usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let number = self.number_of(of_type)?;
        let (Some(types), Some(number)) = (&self.type_per_edge, number) else {
            return (0..self.num_edges() as usize).try_for_each(each);
        };
        let (mut at, mut outcome) = (0, Ok(()));
        types.for_each_i64(|found| {
            if found == number && outcome.is_ok() {
                outcome = each(at);
            }
            at += 1;
        })?;
        outcome
    }

    /// The edges of each type.
    fn counts(&self) -> Result<Vec<i64>, Failure> {
        let mut counts = vec![0_i64; self.edge_types.len()];
        let Some(types) = &self.type_per_edge else {
            counts[0] = self.num_edges();
            return Ok(counts);
        };
        let mut fits = true;
        types.for_each_i64(|number| {
            let count = usize::try_from(number).ok();
            match count.and_then(|place| counts.get_mut(place)) {
                Some(count) => *count += 1,
                None => fits = false,
            }
        })?;
        if fits {
            return Ok(counts);
        }
        Err(self.wrong("an edge has a type without a name"))
    }

    /// Data of edges lie type after type, in the order from before GraphBolt sorted the edges.
    fn rows_of(&self, of_type: &str) -> Result<Range<i64>, Failure> {
        let place = self.number_of(of_type)?.unwrap_or(0) as usize;
        let counts = self.counts()?;
        let begin = counts[..place].iter().sum();
        Ok(begin..begin + counts[place])
    }

    /// The nodes at both ends of an edge type.
    fn ends_of(&self, of_type: &str) -> Result<[[i64; 2]; 2], Failure> {
        let words: Vec<&str> = of_type.split(':').collect();
        let [source, _, target] = words[..] else {
            let what = format!("\"{of_type}\" is not source:relation:target");
            return Err(self.wrong(what));
        };
        Ok([self.nodes_of(source)?, self.nodes_of(target)?])
    }

    fn indptr_of(&self, of_type: &str) -> Result<Array, Failure> {
        let [_, [begin, end]] = self.ends_of(of_type)?;
        let all = |node: i64| number_at(&self.indptr, node as usize);
        let ascend = (0..self.num_nodes()).all(|node| all(node) <= all(node + 1));
        if !ascend || all(0) != 0 || all(self.num_nodes()) != self.num_edges() {
            return Err(self.wrong("\"indptr\" does not fit the edges"));
        }
        if self.type_per_edge.is_none() && self.indptr.dtype == DType::I64 {
            return Ok(self.indptr.clone());
        }
        let rows = end - begin + 1;
        let mut scratch = Scratch::new(rows as usize * 8)?;
        let mut out = scratch.bytes_mut().chunks_exact_mut(8);
        let mut put = |count: i64| {
            if let Some(to) = out.next() {
                to.copy_from_slice(&count.to_ne_bytes());
            }
        };
        let (first, last) = (all(begin), all(end));
        let (mut count, mut next) = (0, begin);
        self.for_each(of_type, |at| {
            let at = at as i64;
            if !(first..last).contains(&at) {
                let what = format!("edge {at} of \"{of_type}\" ends at a node of another type");
                return Err(self.wrong(what));
            }
            while all(next) <= at {
                put(count);
                next += 1;
            }
            count += 1;
            Ok(())
        })?;
        (next..=end).for_each(|_| put(count));
        Array::new(DType::I64, vec![rows], scratch.finish()).map_err(|what| self.wrong(what))
    }

    fn indices_of(&self, of_type: &str) -> Result<Array, Failure> {
        let [[begin, end], _] = self.ends_of(of_type)?;
        let out = self.chosen(of_type, &self.indices, begin)?;
        let mut fits = true;
        out.for_each_i64(|source| fits &= (0..end - begin).contains(&source))?;
        if fits {
            return Ok(out);
        }
        Err(self.wrong(format!(
            "an edge of \"{of_type}\" begins at a node of another type"
        )))
    }

    /// The numbers of a type's edges, each less by `less`. Those of all edges stay where they are.
    fn chosen(&self, of_type: &str, numbers: &Array, less: i64) -> Result<Array, Failure> {
        if numbers.shape.len() != 1 || !numbers.dtype.is_integer() {
            return Err(self.wrong("the numbers of edges are no integers"));
        }
        let whole = numbers.clone().into_aligned()?;
        if self.type_per_edge.is_none() && less == 0 {
            return Ok(whole);
        }
        let dtype = match whole.dtype {
            DType::I32 => DType::I32,
            _ => DType::I64,
        };
        let size = dtype.size();
        let rows = self.rows_of(of_type)?;
        let count = rows.end - rows.start;
        let mut scratch = Scratch::new(count as usize * size)?;
        let mut to = scratch.bytes_mut().chunks_exact_mut(size);
        self.for_each(of_type, |at| {
            let number = number_at(&whole, at).checked_sub(less);
            let (Some(number), Some(to)) = (number, to.next()) else {
                return Err(self.wrong("the file changed"));
            };
            match i32::try_from(number) {
                Ok(number) if dtype == DType::I32 => to.copy_from_slice(&number.to_ne_bytes()),
                _ if dtype == DType::I64 => to.copy_from_slice(&number.to_ne_bytes()),
                _ => return Err(self.wrong("the number of an edge's end is too small")),
            }
            Ok(())
        })?;
        Array::new(dtype, vec![count], scratch.finish()).map_err(|what| self.wrong(what))
    }
}

fn looks_are_few(types: usize, edges: i64) -> bool {
    let types = i64::try_from(types).ok();
    let looks = types.and_then(|types| types.checked_mul(edges));
    looks.is_some_and(|looks| looks <= MOST_LOOKS)
}

/// The number at a place of flat integers without gaps.
fn number_at(array: &Array, place: usize) -> i64 {
    let size = array.dtype.size();
    let element = &array.bytes()[place * size..][..size];
    array.dtype.i64_of(element).unwrap_or(-1)
}
