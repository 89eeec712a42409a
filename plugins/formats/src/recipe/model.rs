//! What a recipe says. The published schema is made of these types and their comments.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{file_or, one_or_more};
use crate::boundary::c;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Which files make a dataset.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Names of files are relative to this folder, which is relative to the recipe's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Node types by name. Types that only edges name need no entry.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub nodes: IndexMap<String, NodeType>,
    /// Edge types by name: "source__relation__target".
    pub edges: IndexMap<String, EdgeType>,
    /// What the files have and the dataset will not have. Written as comments.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A node type. A list of its nodes is in `text` or `table`; columns may be in arrays, too.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeType {
    /// Number of nodes; may be omitted if the data determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// What text and tables call nodes. Default: "dense" for text; for tables "string" where they hold
    /// text, else "dense".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Ids>,
    /// A delimited file with one node a line.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<Text>>")]
    pub text: Option<Text>,
    /// Files with one node a row.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<NodeTable>>")]
    pub table: Option<NodeTable>,
    /// Arrays with one row a node, by the column's name.
    #[serde(
        default,
        skip_serializing_if = "IndexMap::is_empty",
        deserialize_with = "super::read::columns",
        serialize_with = "super::write::short_by_name"
    )]
    #[schemars(with = "IndexMap<String, FileOr<Column>>")]
    pub columns: IndexMap<String, Column>,
    /// Arrays of node ids, or of one bool a node, by the id set's name.
    #[serde(
        default,
        skip_serializing_if = "IndexMap::is_empty",
        deserialize_with = "super::read::arrays",
        serialize_with = "super::write::short_by_name"
    )]
    #[schemars(with = "IndexMap<String, FileOr<ArrayRef>>")]
    pub sets: IndexMap<String, ArrayRef>,
}

/// An edge type. Its edges are in one of `arrays`, `parts`, `text`, `table`, and `csc` or `csr` or both.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeType {
    /// One array of shape [2, edges], or two of shape [edges]: sources, then targets.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "super::read::one_or_two_arrays",
        serialize_with = "super::write::short_list"
    )]
    #[schemars(with = "OneOrMore<FileOr<ArrayRef>>")]
    pub arrays: Vec<ArrayRef>,
    /// Some edges each, in place of `arrays`. Each edge is in one part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<EdgePart>,
    /// A delimited file with one edge a line.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<TextEnds>>")]
    pub text: Option<TextEnds>,
    /// Files with one edge a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<EdgeTable>,
    /// The sources of each target's edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csc: Option<Topology>,
    /// The targets of each source's edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csr: Option<Topology>,
    /// Store each edge in both directions, a loop twice. Not for `csc` and `csr`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub undirected: bool,
    /// Arrays with one row an edge, by the column's name.
    #[serde(
        default,
        skip_serializing_if = "IndexMap::is_empty",
        deserialize_with = "super::read::columns",
        serialize_with = "super::write::short_by_name"
    )]
    #[schemars(with = "IndexMap<String, FileOr<Column>>")]
    pub columns: IndexMap<String, Column>,
}

/// What the input calls nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ids {
    /// 0, 1, 2, ...
    #[default]
    Dense,
    /// Any integers, which are kept as keys.
    Integer,
    /// Any text, which is kept as keys.
    String,
}

impl Ids {
    pub fn number(self) -> c::gls_ids_t {
        match self {
            Ids::Dense => c::GLS_IDS_DENSE,
            Ids::Integer => c::GLS_IDS_INTEGER,
            Ids::String => c::GLS_IDS_STRING,
        }
    }
}

/// What a column is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    #[default]
    Feature,
    Label,
    Weight,
    Time,
    Other,
}

impl Role {
    pub fn number(self) -> c::gls_role_t {
        match self {
            Role::Feature => c::GLS_ROLE_FEATURE,
            Role::Label => c::GLS_ROLE_LABEL,
            Role::Weight => c::GLS_ROLE_WEIGHT,
            Role::Time => c::GLS_ROLE_TIME,
            Role::Other => c::GLS_ROLE_OTHER,
        }
    }

    /// Roles of a newer libgls are others.
    pub fn of_number(number: c::gls_role_t) -> Self {
        let all = [Role::Feature, Role::Label, Role::Weight, Role::Time];
        let known = all.into_iter().find(|role| role.number() == number);
        known.unwrap_or(Role::Other)
    }
}

/// An array in a file: NumPy's `.npy` and `.npz`, torch's `.pt` and pickles of tensors, DGL's tensors
/// and graphs, a field of Parquet, or raw numbers. The name of the file alone stands for an object with
/// `file`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayRef {
    pub file: String,
    /// Which array of the file, where it has several. In torch's files and pickles: keys, attributes and
    /// places in lists, with dots between them; a column of a DataFrame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// Only these rows: the first, and the one after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<[i64; 2]>,
    /// Only this row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<i64>,
    /// Only this column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The file is raw numbers of this dtype. Of text: default int64, or float32 for fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// Of raw numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<i64>>,
    /// Bytes before raw numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The file is text with a row a line and this between its numbers: one character, or "tab".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Convert the numbers to this dtype: int32, int64, float32 or float64. Fractions are cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cast: Option<String>,
    /// In place of each number: how many of these quantiles of all the numbers it is above. uint8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<f64>>,
}

impl ArrayRef {
    pub fn of_file(file: impl Into<String>) -> Self {
        ArrayRef {
            file: file.into(),
            ..Default::default()
        }
    }

    /// An array among several in a file.
    pub fn named(file: impl Into<String>, array: impl Into<String>) -> Self {
        ArrayRef {
            file: file.into(),
            array: Some(array.into()),
            ..Default::default()
        }
    }

    /// Numbers in text, split by commas.
    pub fn of_csv(file: impl Into<String>) -> Self {
        ArrayRef {
            file: file.into(),
            delimiter: Some(",".to_owned()),
            ..Default::default()
        }
    }
}

/// A column in an array. The name of the file alone stands for an object with `file`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Not with `parts` and `runs`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: Role,
    /// Which array of the file, where it has several. In torch's files and pickles: keys, attributes and
    /// places in lists, with dots between them; a column of a DataFrame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// Only these rows: the first, and the one after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<[i64; 2]>,
    /// Only this row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<i64>,
    /// Only this column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The file is raw numbers of this dtype. Of text: default int64, or float32 for fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// Of raw numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<i64>>,
    /// Bytes before raw numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The file is text with a row a line and this between its numbers: one character, or "tab".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Convert the numbers to this dtype: int32, int64, float32 or float64. Fractions are cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cast: Option<String>,
    /// In place of each number: how many of these quantiles of all the numbers it is above. uint8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<f64>>,
    /// The rows are codes of a few bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codes: Option<Codes>,
    /// Rows from several arrays, in place of `file`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Numbers in place of `file`, each as often as it says: [[number, rows], ...]. int32.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<[i64; 2]>,
    /// With `parts`: the number in rows that no part has. Default: each row must be in a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
}

impl Column {
    pub fn of(values: ArrayRef, role: Role) -> Self {
        Column {
            file: values.file,
            role,
            array: values.array,
            rows: values.rows,
            row: values.row,
            column: values.column,
            dtype: values.dtype,
            shape: values.shape,
            offset: values.offset,
            delimiter: values.delimiter,
            cast: values.cast,
            quantiles: values.quantiles,
            ..Default::default()
        }
    }

    pub fn values(&self) -> ArrayRef {
        ArrayRef {
            file: self.file.clone(),
            array: self.array.clone(),
            rows: self.rows,
            row: self.row,
            column: self.column,
            dtype: self.dtype.clone(),
            shape: self.shape.clone(),
            offset: self.offset,
            delimiter: self.delimiter.clone(),
            cast: self.cast.clone(),
            quantiles: self.quantiles.clone(),
        }
    }
}

/// Some rows of a column.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The rows, or a bool for each. Default: the rows after the part before.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<ArrayRef>>")]
    pub rows: Option<ArrayRef>,
    #[serde(
        deserialize_with = "super::read::file_or_required",
        serialize_with = "super::write::short"
    )]
    #[schemars(with = "FileOr<ArrayRef>")]
    pub values: ArrayRef,
}

/// Some edges of an edge type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgePart {
    /// One array of shape [2, edges], or two of shape [edges]: sources, then targets.
    #[serde(
        deserialize_with = "super::read::one_or_two_arrays",
        serialize_with = "super::write::short_list"
    )]
    #[schemars(with = "OneOrMore<FileOr<ArrayRef>>")]
    pub arrays: Vec<ArrayRef>,
    /// The edges' ids. Default: those after the part before.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<ArrayRef>>")]
    pub ids: Option<ArrayRef>,
    /// What `ids` call the first edge of the type. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first: i64,
}

/// Numbers of a few bits, as gls_quantization_options_t says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Codes {
    /// Of a code: 1, 2, 4 or 8.
    pub bits: u32,
    /// Numbers in a row.
    pub width: i64,
    /// The number of code 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The number of the largest code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The number for each code, in place of `low` and `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codebook: Option<Vec<f32>>,
}

/// A topology in arrays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    #[serde(
        deserialize_with = "super::read::file_or_required",
        serialize_with = "super::write::short"
    )]
    #[schemars(with = "FileOr<ArrayRef>")]
    pub indptr: ArrayRef,
    #[serde(
        deserialize_with = "super::read::file_or_required",
        serialize_with = "super::write::short"
    )]
    #[schemars(with = "FileOr<ArrayRef>")]
    pub indices: ArrayRef,
    /// Default: ids are positions.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "file_or",
        serialize_with = "super::write::short_or_none"
    )]
    #[schemars(with = "Option<FileOr<ArrayRef>>")]
    pub edge_ids: Option<ArrayRef>,
}

/// A delimited file of nodes: plain or compressed with gzip, zstd or bzip2. Fields are names of the
/// header, or "#0", "#1", ...
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub file: String,
    /// The field that edges call a node by. Default: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// One character, or "tab". Default: found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Lines that begin with this character are skipped; or "none". Default: '#' and '%'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub header: Header,
    /// Lines may have more or fewer fields than the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ragged: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub encoding: Encoding,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<TextColumn>,
}

/// A delimited file of edges. Otherwise as for nodes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextEnds {
    pub file: String,
    /// Default: the first field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Default: the second field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// One character, or "tab". Default: found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Lines that begin with this character are skipped; or "none". Default: '#' and '%'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub header: Header,
    /// Lines may have more or fewer fields than the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ragged: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub encoding: Encoding,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<TextColumn>,
}

impl TextEnds {
    /// The same without its ends.
    pub fn as_text(&self) -> Text {
        Text {
            file: self.file.clone(),
            key: None,
            delimiter: self.delimiter.clone(),
            comment: self.comment.clone(),
            header: self.header,
            ragged: self.ragged,
            encoding: self.encoding,
            columns: self.columns.clone(),
        }
    }
}

/// Whether a text file begins with a line of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Header {
    #[default]
    Detect,
    Yes,
    No,
}

impl Header {
    pub fn number(self) -> c::gls_text_header_t {
        match self {
            Header::Detect => c::GLS_HEADER_DETECT,
            Header::Yes => c::GLS_HEADER_YES,
            Header::No => c::GLS_HEADER_NO,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// UTF-8, or UTF-16 where the file begins with its mark.
    #[default]
    Detect,
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "latin-1")]
    Latin1,
    #[serde(rename = "utf-16")]
    Utf16,
}

impl Encoding {
    pub fn number(self) -> c::gls_text_encoding_t {
        match self {
            Encoding::Detect => c::GLS_ENCODING_DETECT,
            Encoding::Utf8 => c::GLS_ENCODING_UTF8,
            Encoding::Latin1 => c::GLS_ENCODING_LATIN1,
            Encoding::Utf16 => c::GLS_ENCODING_UTF16,
        }
    }
}

/// A field of a delimited file that becomes a column.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextColumn {
    pub field: String,
    /// Default: as the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub dtype: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: Role,
}

/// The format of a table's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Parquet or Arrow IPC, by the files' first bytes.
    #[default]
    Detect,
    /// Delimited text, whose types are found; many files with one header each.
    Csv,
    /// A graph of DGL: the description of a partition, or a file of `save_graphs`.
    Dgl,
    /// Matrices of NumPy, one row a row; the columns are the fields "#0", "#1", ...
    Npy,
    /// The same as Spark writes it: within quotes, a backslash stands before a quote.
    SparkCsv,
    /// One file with a sparse matrix: the fields "row", "column" and "value".
    MatrixMarket,
    /// N-Triples or N-Quads: the fields "subject", "object" and, for all predicates, "relation". `table`
    /// is one predicate.
    Ntriples,
    /// TFRecord files of tf.train.Example. "name@3" stands for "name-00000-of-00003" and so on.
    Tfrecord,
}

/// Files with one node a row. The files' name alone stands for an object with `files`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTable {
    /// Files, folders, or patterns with `*`, `?` and `[...]`.
    #[serde(
        deserialize_with = "one_or_more",
        serialize_with = "super::write::one_or_list"
    )]
    #[schemars(with = "OneOrMore<String>")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub format: TableFormat,
    /// Which table of the files, where they have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Of `csv` and `spark-csv`: one character, or "tab". Default: a comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Of `csv` and `spark-csv`. Default: yes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub header: Header,
    /// The field that edges call a node by. Default: row i is node i.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Fields that become columns. Default: all others, as features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<TableColumn>>,
    /// Fields of bools that become id sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<TableSet>,
    /// Fields of text that become an id set for each different value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<String>,
}

/// Files with one edge a row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeTable {
    /// Files, folders, or patterns with `*`, `?` and `[...]`.
    #[serde(
        deserialize_with = "one_or_more",
        serialize_with = "super::write::one_or_list"
    )]
    #[schemars(with = "OneOrMore<String>")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub format: TableFormat,
    /// Which table of the files, where they have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Of `csv` and `spark-csv`: one character, or "tab". Default: a comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Of `csv` and `spark-csv`. Default: yes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub header: Header,
    /// A field, or "#row": the number of the row, from 0.
    pub source: String,
    pub target: String,
    /// Leave out rows without a source or target. Floats may then be ids.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skip_nulls: bool,
    /// Fields that become columns. Default: all others, as features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<TableColumn>>,
}

/// A field of a table that becomes a column. Fields with the same `name` form one column.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableColumn {
    pub field: String,
    /// Default: as the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Default: as the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: Role,
    /// The number that stands for a null. Default: a null is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
    /// The name of one more column of bools, false where the row had a null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
}

/// A field of a table that becomes an id set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSet {
    pub field: String,
    /// Default: as the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Only for the schema: a name of a file, or an object.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum FileOr<T> {
    File(String),
    Object(T),
}

/// Only for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}
