//! DGL's binary files: tensors by name, and one graph. [`crate::arrays::dgl`] reads them.

use std::path::Path;

use crate::arrays::dgl::{ARRAY_MAGIC, TENSORS_MAGIC};
use crate::arrays::dgl_graphs::{
    COO_MAGIC, CSR_MAGIC, FORMATS_ARE_BITS, GRAPHS_MAGIC, HEADER_BYTES, HETERO_MAGIC, KIND_HETERO,
    META_MAGIC, UNIT_MAGIC, VERSION,
};
use crate::arrays::DType;
use crate::export::out::Out;
use crate::export::progress::Progress;
use crate::failure::Failure;

/// DLPack's number of the CPU, and the number of the device.
const CPU: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];
const COO: i64 = 1;
/// COO, CSR and CSC.
const ALL_FORMATS: i64 = 7;

/// Writes the numbers of a tensor.
pub type Write<'a> = Box<dyn Fn(&mut Out, &mut Progress<'_>) -> Result<(), Failure> + 'a>;

pub struct Tensor<'a> {
    pub name: String,
    pub dtype: DType,
    pub shape: Vec<i64>,
    pub write: Write<'a>,
}

pub struct NodeType<'a> {
    pub name: String,
    pub count: i64,
    pub data: Vec<Tensor<'a>>,
}

pub struct Relation<'a> {
    pub name: String,
    /// Places among the node types.
    pub source: usize,
    pub target: usize,
    pub count: i64,
    pub ends: WriteEnds<'a>,
    pub data: Vec<Tensor<'a>>,
}

/// Writes the sources as int64, then calls the function, then writes the targets.
pub type WriteEnds<'a> =
    Box<dyn Fn(&mut Out, &mut Progress<'_>, Between<'_>) -> Result<(), Failure> + 'a>;

/// What comes between sources and targets.
pub type Between<'a> = &'a dyn Fn(&mut Out) -> Result<(), Failure>;

pub fn u64(out: &mut Out, number: u64) -> Result<(), Failure> {
    out.put(&number.to_le_bytes())
}

pub fn i64(out: &mut Out, number: i64) -> Result<(), Failure> {
    out.put(&number.to_le_bytes())
}

fn string(out: &mut Out, text: &str) -> Result<(), Failure> {
    u64(out, text.len() as u64)?;
    out.put(text.as_bytes())
}

/// What stands before the numbers of an array. DGL's bools are uint8.
fn head(out: &mut Out, dtype: DType, shape: &[i64]) -> Result<(), Failure> {
    let dtype = if dtype == DType::Bool {
        DType::U8
    } else {
        dtype
    };
    u64(out, ARRAY_MAGIC)?;
    u64(out, 0)?;
    out.put(&CPU)?;
    out.put(&(shape.len() as i32).to_le_bytes())?;
    let described = dtype.dlpack();
    out.put(&[described.code, described.bits])?;
    out.put(&described.lanes.to_le_bytes())?;
    for &extent in shape {
        i64(out, extent)?;
    }
    let count: i64 = shape.iter().product();
    u64(out, count as u64 * dtype.size() as u64)
}

fn i64s(out: &mut Out, numbers: &[i64]) -> Result<(), Failure> {
    head(out, DType::I64, &[numbers.len() as i64])?;
    numbers.iter().try_for_each(|&number| i64(out, number))
}

fn named(
    out: &mut Out,
    tensors: &[Tensor<'_>],
    progress: &mut Progress<'_>,
) -> Result<(), Failure> {
    u64(out, tensors.len() as u64)?;
    for tensor in tensors {
        string(out, &tensor.name)?;
        head(out, tensor.dtype, &tensor.shape)?;
        (tensor.write)(out, progress)?;
    }
    Ok(())
}

/// A file of tensors by name.
pub fn write_tensors(
    path: &Path,
    tensors: &[Tensor<'_>],
    progress: &mut Progress<'_>,
) -> Result<(), Failure> {
    let mut out = Out::create(path)?;
    u64(&mut out, TENSORS_MAGIC)?;
    u64(&mut out, tensors.len() as u64)?;
    named(&mut out, tensors, progress)?;
    out.finish()
}

/// A file of one graph, whose edges are in COO.
pub fn write_graph(
    path: &Path,
    nodes: &[NodeType<'_>],
    relations: &[Relation<'_>],
    progress: &mut Progress<'_>,
) -> Result<(), Failure> {
    let mut out = Out::create(path)?;
    for number in [GRAPHS_MAGIC, VERSION, KIND_HETERO, 1] {
        u64(&mut out, number)?;
    }
    out.put(&vec![0; HEADER_BYTES as usize - 4 * size_of::<u64>()])?;
    // Where the graph begins, and no labels of graphs.
    let begin = HEADER_BYTES + 2 * size_of::<u64>() as u64;
    u64(&mut out, begin)?;
    u64(&mut out, 0)?;
    graph(&mut out, nodes, relations, progress)?;
    // The places of all graphs: a list within a string, and its size.
    let list = [1, begin];
    let size = size_of_val(&list) as u64;
    for number in [size, list[0], list[1], size] {
        u64(&mut out, number)?;
    }
    out.finish()
}

fn graph(
    out: &mut Out,
    nodes: &[NodeType<'_>],
    relations: &[Relation<'_>],
    progress: &mut Progress<'_>,
) -> Result<(), Failure> {
    u64(out, HETERO_MAGIC)?;
    let ends = relations
        .iter()
        .map(|relation| (relation.source, relation.target));
    meta(out, nodes.len(), &ends.collect::<Vec<_>>())?;
    u64(out, relations.len() as u64)?;
    for relation in relations {
        let count = |place: usize| nodes[place].count;
        unit(
            out,
            relation,
            [count(relation.source), count(relation.target)],
            progress,
        )?;
    }
    u64(out, nodes.len() as u64)?;
    for node in nodes {
        i64(out, node.count)?;
    }
    u64(out, nodes.len() as u64)?;
    for node in nodes {
        named(out, &node.data, progress)?;
    }
    u64(out, relations.len() as u64)?;
    for relation in relations {
        named(out, &relation.data, progress)?;
    }
    u64(out, nodes.len() as u64)?;
    for node in nodes {
        string(out, &node.name)?;
    }
    u64(out, relations.len() as u64)?;
    for relation in relations {
        string(out, &relation.name)?;
    }
    Ok(())
}

/// The graph of types, whose edges are the relations, in CSR.
fn meta(out: &mut Out, types: usize, ends: &[(usize, usize)]) -> Result<(), Failure> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by_key(|&relation| ends[relation].0);
    let before = |row| ends.iter().filter(|(source, _)| *source < row).count() as i64;
    let indptr: Vec<i64> = (0..=types).map(before).collect();
    let indices: Vec<i64> = order.iter().map(|&at| ends[at].1 as i64).collect();
    let ids: Vec<i64> = order.iter().map(|&at| at as i64).collect();
    u64(out, META_MAGIC)?;
    u64(out, CSR_MAGIC)?;
    i64(out, types as i64)?;
    i64(out, types as i64)?;
    for numbers in [indptr, indices, ids] {
        i64s(out, &numbers)?;
    }
    out.put(&[0]) // not sorted
}

/// The edges of a relation. Ids are positions.
fn unit(
    out: &mut Out,
    relation: &Relation<'_>,
    [sources, targets]: [i64; 2],
    progress: &mut Progress<'_>,
) -> Result<(), Failure> {
    u64(out, UNIT_MAGIC)?;
    i64(out, COO | FORMATS_ARE_BITS)?;
    i64(out, ALL_FORMATS | FORMATS_ARE_BITS)?;
    if relation.source == relation.target {
        meta(out, 1, &[(0, 0)])?;
    } else {
        meta(out, 2, &[(0, 1)])?;
    }
    u64(out, COO_MAGIC)?;
    i64(out, targets)?;
    i64(out, sources)?;
    let count = [relation.count];
    head(out, DType::I64, &count)?;
    (relation.ends)(out, progress, &|out| head(out, DType::I64, &count))?;
    i64s(out, &[])?;
    out.put(&[0, 0]) // not sorted
}
