//! N-Triples and N-Quads as a table of the triples whose object is an IRI or a blank node.

mod line;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use flate2::bufread::MultiGzDecoder;
use indexmap::{IndexMap, IndexSet};

use super::files::expand_by;
use super::Request;
use crate::boundary::builder::Reader;
use crate::failure::Failure;
pub use line::{parse, Object, Triple};

const ENDINGS: [&str; 2] = [".nt", ".nq"];
/// What may follow them. Only gzip is read; the others end in an error with words.
const OF_COMPRESSION: [&str; 5] = ["", ".gz", ".bz2", ".zst", ".xz"];
/// The first bytes of files that are not read.
const COMPRESSED: [(&[u8], &str); 3] = [
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
];
const MOST_LINE_BYTES: u64 = 64 << 20;
const BATCH_ROWS: usize = 1 << 14;
const BATCH_BYTES: usize = 8 << 20;
/// Of predicates together.
const MOST_PREDICATE_BYTES: usize = 256 << 20;
const BUFFER_BYTES: usize = 1 << 18;

/// Lines of several files.
struct Lines {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, Box<dyn BufRead + Send>)>,
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    fn open(paths: &[String]) -> Result<Self, Failure> {
        let files = expand_by(paths, |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.to_lowercase();
            OF_COMPRESSION.iter().any(|packed| {
                let name = name.strip_suffix(packed);
                name.is_some_and(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
            })
        })?;
        Ok(Lines {
            files: files.into_iter(),
            open: None,
            number: 0,
            line: Vec::new(),
        })
    }

    fn damaged(&self, what: impl std::fmt::Display) -> Failure {
        let path = self.open.as_ref().map_or(Path::new(""), |open| &open.0);
        Failure::of_file(path, format!("line {}: {what}", self.number))
    }

    /// Reads the next line; false: there is none.
    fn advance(&mut self) -> Result<bool, Failure> {
        loop {
            let Some((_, from)) = &mut self.open else {
                let Some(path) = self.files.next() else {
                    return Ok(false);
                };
                let from = text_of(&path)?;
                self.open = Some((path, from));
                self.number = 0;
                continue;
            };
            self.line.clear();
            self.number += 1;
            let read = from.take(MOST_LINE_BYTES).read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| self.damaged(error))?;
            if read as u64 == MOST_LINE_BYTES {
                return Err(self.damaged("the line is too long"));
            }
            if read > 0 {
                return Ok(true);
            }
            self.open = None;
        }
    }

    /// Calls `found` with the next triple; None: there is none.
    fn next<T>(&mut self, found: impl FnOnce(Triple<'_>) -> T) -> Result<Option<T>, Failure> {
        while self.advance()? {
            let text =
                std::str::from_utf8(&self.line).map_err(|_| self.damaged("it is not UTF-8"))?;
            if let Some(triple) = parse(text).map_err(|what| self.damaged(what))? {
                return Ok(Some(found(triple)));
            }
        }
        Ok(None)
    }
}

fn text_of(path: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let file = File::open(path).map_err(failed)?;
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let head = file.fill_buf().map_err(failed)?;
    if let Some((_, how)) = COMPRESSED.iter().find(|(magic, _)| head.starts_with(magic)) {
        let what = format!("it is compressed with {how}; unpack it, or compress it with gzip");
        return Err(Failure::unsupported(path, what));
    }
    if head.starts_with(&[0x1f, 0x8b]) {
        let text = MultiGzDecoder::new(file);
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, text)))
    } else {
        Ok(Box::new(file))
    }
}

/// How often a predicate comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub edges: u64,
    pub literals: u64,
}

/// All predicates in the order of their first use. Reads all files once.
pub fn predicates(paths: &[String]) -> Result<IndexMap<String, Uses>, Failure> {
    let mut lines = Lines::open(paths)?;
    let mut out: IndexMap<String, Uses> = IndexMap::new();
    let mut bytes = 0;
    while lines
        .next(|triple| {
            let place = match out.get_index_of(&triple.predicate[..]) {
                Some(place) => place,
                None => {
                    bytes += triple.predicate.len();
                    out.insert_full(triple.predicate.into_owned(), Uses::default())
                        .0
                }
            };
            match triple.object {
                Object::Entity(_) => out[place].edges += 1,
                Object::Literal => out[place].literals += 1,
            }
        })?
        .is_some()
    {
        if bytes > MOST_PREDICATE_BYTES {
            return Err(lines.damaged("there are too many predicates"));
        }
    }
    Ok(out)
}

struct Table {
    lines: Lines,
    /// Only this predicate.
    predicate: Option<String>,
    relations: IndexSet<String>,
    schema: SchemaRef,
    /// The columns of the schema among subject, object and relation.
    places: Vec<usize>,
    ended: bool,
}

pub fn open(request: &Request<'_>) -> Result<Reader, Failure> {
    let mut all = vec![
        Field::new("subject", DataType::Utf8, false),
        Field::new("object", DataType::Utf8, false),
    ];
    if request.table.is_none() {
        all.push(Field::new("relation", DataType::Int32, false));
    }
    let mut places = Vec::new();
    for name in request.fields {
        let place = all.iter().position(|field| field.name() == name);
        places
            .push(place.ok_or_else(|| Failure::invalid(format!("there is no field \"{name}\"")))?);
    }
    if places.is_empty() {
        places = (0..all.len()).collect();
    }
    let chosen: Vec<_> = places.iter().map(|&place| all[place].clone()).collect();
    Ok(Box::new(Table {
        lines: Lines::open(request.paths)?,
        predicate: request.table.map(str::to_owned),
        relations: IndexSet::new(),
        schema: Arc::new(Schema::new(chosen)),
        places,
        ended: false,
    }))
}

impl Table {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let (mut subjects, mut objects) = (StringBuilder::new(), StringBuilder::new());
        let mut relations = Vec::new();
        let (mut bytes, mut of_relations) = (0, 0);
        let (predicate, known) = (&self.predicate, &mut self.relations);
        while bytes < BATCH_BYTES && relations.len() < BATCH_ROWS {
            let found = self.lines.next(|triple| {
                let Object::Entity(object) = triple.object else {
                    return;
                };
                let relation = match predicate {
                    Some(predicate) if *predicate != triple.predicate => return,
                    Some(_) => 0,
                    None => known
                        .get_index_of(&triple.predicate[..])
                        .unwrap_or_else(|| {
                            of_relations += triple.predicate.len();
                            known.insert_full(triple.predicate.into_owned()).0
                        }),
                };
                bytes += triple.subject.len() + object.len();
                subjects.append_value(triple.subject);
                objects.append_value(object);
                relations.push(relation as i32);
            })?;
            if of_relations > MOST_PREDICATE_BYTES {
                return Err(self.lines.damaged("there are too many predicates"));
            }
            if found.is_none() {
                break;
            }
        }
        if relations.is_empty() {
            return Ok(None);
        }
        let all: [ArrayRef; 3] = [
            Arc::new(subjects.finish()),
            Arc::new(objects.finish()),
            Arc::new(Int32Array::from(relations)),
        ];
        let chosen = self
            .places
            .iter()
            .map(|&place| all[place].clone())
            .collect();
        let batch = RecordBatch::try_new(self.schema.clone(), chosen);
        batch.map(Some).map_err(|error| self.lines.damaged(error))
    }
}

impl Iterator for Table {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_batch().map_err(ArrowError::from).transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

impl RecordBatchReader for Table {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
