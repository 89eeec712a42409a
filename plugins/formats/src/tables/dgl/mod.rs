//! Tables of DGL's graphs: the edges of a type in the order of their ids, with the fields "source" and
//! "target", and masks of a node type.
//!
//! The one file is a partition's description, or a file of `dgl.save_graphs`. A description has the
//! tables "nodes/type" and "edges/source:relation:target". A file has them with the number of a graph
//! before that: "0/nodes/type".

pub mod book;
mod masks;
pub mod order;
mod parts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::Request;
use crate::arrays::dgl_graphs::{Graph, GraphFile};
use crate::arrays::Array;
use crate::boundary::builder::Reader;
use crate::failure::{Code, Failure};
use book::{Book, EdgeType, Ranges};
use order::{InOrder, Numbers, Wanted};
pub use parts::{graph_of_part, keeps_edge_ids};

pub const SOURCE: &str = "source";
pub const TARGET: &str = "target";
/// What DGL calls the shared ids of a part's nodes and edges.
pub const SHARED_ID: &str = "_ID";
const BATCH_ROWS: i64 = 1 << 16;

/// Work that gives the parts of a table one after the other.
type Parts<T> = Box<dyn Iterator<Item = Result<T, Failure>> + Send>;

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let [path] = request.paths else {
        return Err(Failure::invalid("DGL's tables lie in one file"));
    };
    let path = Path::new(path);
    let Some(table) = request.table else {
        return Err(Failure::invalid(format!(
            "{}: name the table: \"nodes/...\" or \"edges/...\"",
            path.display()
        )));
    };
    if path.extension().is_some_and(|ending| ending == "json") {
        let book = Book::read(path)?;
        if let Some(name) = table.strip_prefix("nodes/") {
            return masks::of_book(book, name, request.fields);
        }
        let known = table.strip_prefix("edges/").and_then(|name| {
            book.edge_types
                .iter()
                .find(|known| known.full_name == name)
                .cloned()
        });
        let wanted = known.ok_or_else(|| no_table(path, table))?;
        return edge_rows(request.fields, edges_of_book(book, wanted));
    }
    let file = GraphFile::open(path)?;
    let (graph, rest) = table.split_once('/').unwrap_or((table, ""));
    let index = graph.parse().map_err(|_| no_table(path, table))?;
    let graph = file.graph(index)?;
    if let Some(name) = rest.strip_prefix("nodes/") {
        return masks::of_graph(path, &graph, name, request.fields);
    }
    let name = rest.strip_prefix("edges/").unwrap_or("");
    let part = edges_of_graph(path, &graph, name)?.ok_or_else(|| no_table(path, table))?;
    edge_rows(request.fields, Box::new(std::iter::once(Ok(part))))
}

fn no_table(path: &Path, table: &str) -> Failure {
    let words = format!("{}: there is no table \"{table}\"", path.display());
    Failure::new(Code::NotFound, words)
}

/// What the ids of a part's nodes stand for.
enum NodeIds {
    AsTheyAre,
    Shared { ids: Array, ranges: Arc<Ranges> },
}

impl NodeIds {
    /// Replaces the part's ids by the dataset's.
    fn replace(&self, numbers: &mut [i64]) -> Result<(), String> {
        let NodeIds::Shared { ids, ranges } = self else {
            return Ok(());
        };
        let ids = Numbers::of(ids);
        for number in numbers {
            let found = ids.at(*number).and_then(|shared| ranges.id_of(shared));
            *number = found.ok_or_else(|| {
                format!("an edge ends at node {number}, which is none of its type")
            })?;
        }
        Ok(())
    }
}

/// The edges of a part.
struct PartEdges {
    path: PathBuf,
    edges: InOrder,
    sources: NodeIds,
    targets: NodeIds,
}

fn edges_of_graph(path: &Path, graph: &Graph, name: &str) -> Result<Option<PartEdges>, Failure> {
    let found = graph
        .relations
        .iter()
        .find(|known| graph.full_name(known) == name);
    let Some(relation) = found else {
        return Ok(None);
    };
    let edges = &relation.edges[0];
    let edges = InOrder::new(edges, &Wanted::All, edges.count())
        .map_err(|what| Failure::of_file(path, format!("{name}: {what}")))?;
    Ok(Some(PartEdges {
        path: path.to_owned(),
        edges,
        sources: NodeIds::AsTheyAre,
        targets: NodeIds::AsTheyAre,
    }))
}

/// Part after part, each opened when the one before is read.
fn edges_of_book(book: Book, wanted: EdgeType) -> Parts<PartEdges> {
    let filled = (0..book.parts.len()).filter(|&part| wanted.ranges.count_in(part) > 0);
    let filled: Vec<usize> = filled.collect();
    Box::new(
        filled
            .into_iter()
            .map(move |part| edges_of_part(&book, &wanted, part)),
    )
}

fn edges_of_part(book: &Book, wanted: &EdgeType, part: usize) -> Result<PartEdges, Failure> {
    let parts::Part {
        path,
        node_ids,
        edge_ids,
        inner,
        edges,
    } = parts::open(book, wanted, part)?;
    let damaged = |what: String| Failure::of_file(&path, what);
    // A part's own edges come first, in the order of their shared ids.
    let types = book.edge_types.iter();
    let of_part = types.map(|known| known.ranges.shared[part][0]).min();
    let [begin, end] = wanted.ranges.shared[part];
    let range = Wanted::Range {
        ids: Numbers::of(&edge_ids),
        inner: inner.as_ref().map(Numbers::of),
        begin,
        end,
        likely: begin - of_part.unwrap_or(begin),
    };
    let edges = InOrder::new(&edges, &range, end - begin)
        .map_err(|what| damaged(format!("{}: {what}", wanted.full_name)))?;
    let ids = |place: usize| NodeIds::Shared {
        ids: node_ids.clone(),
        ranges: book.node_types[place].ranges.clone(),
    };
    Ok(PartEdges {
        edges,
        sources: ids(wanted.source),
        targets: ids(wanted.target),
        path,
    })
}

fn edge_rows(fields: &[String], parts: Parts<PartEdges>) -> Result<Reader, Failure> {
    let all = [SOURCE.to_owned(), TARGET.to_owned()];
    let fields = if fields.is_empty() { &all } else { fields };
    if let Some(field) = fields.iter().find(|field| !all.contains(field)) {
        return Err(Failure::invalid(format!(
            "there is no field \"{field}\"; it has: {SOURCE}, {TARGET}"
        )));
    }
    let fields = fields.iter();
    let fields: Vec<Field> = fields
        .map(|field| Field::new(field, DataType::Int64, false))
        .collect();
    Ok(Box::new(EdgeRows {
        schema: Arc::new(Schema::new(fields)),
        parts,
        open: None,
    }))
}

struct EdgeRows {
    schema: SchemaRef,
    parts: Parts<PartEdges>,
    /// A part, and its next row.
    open: Option<(PartEdges, i64)>,
}

impl EdgeRows {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        loop {
            if let Some((part, next)) = &mut self.open {
                if *next < part.edges.count {
                    let end = (*next + BATCH_ROWS).min(part.edges.count);
                    let batch = part.rows(&self.schema, *next, end);
                    *next = end;
                    return batch
                        .map(Some)
                        .map_err(|what| Failure::of_file(&part.path, what));
                }
            }
            self.open = None; // its memory is free before the next is opened
            match self.parts.next() {
                Some(part) => self.open = Some((part?, 0)),
                None => return Ok(None),
            }
        }
    }
}

impl PartEdges {
    fn rows(&self, schema: &SchemaRef, begin: i64, end: i64) -> Result<RecordBatch, String> {
        let mut sources = Vec::with_capacity((end - begin) as usize);
        let mut targets = Vec::with_capacity((end - begin) as usize);
        self.edges.copy(begin, end, &mut sources, &mut targets)?;
        self.sources.replace(&mut sources)?;
        self.targets.replace(&mut targets)?;
        let sources = Arc::new(Int64Array::from(sources));
        let targets = Arc::new(Int64Array::from(targets));
        let columns = schema.fields().iter().map(|field| {
            let column = if field.name() == SOURCE {
                &sources
            } else {
                &targets
            };
            column.clone() as _
        });
        RecordBatch::try_new(schema.clone(), columns.collect()).map_err(|error| error.to_string())
    }
}

impl Iterator for EdgeRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for EdgeRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
