//! Reads recipes. Nothing is ignored: an unknown key, a wrong type or a repeated key is an error that
//! names the place.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::model::*;
use crate::failure::Failure;

const MOST_BYTES: usize = 16 << 20;
/// Of bytes in the name of a type; longer words get no suggestion.
const MOST_IN_NAME: usize = 255;

/// Reads and checks a recipe in YAML or JSON.
pub fn read(text: &str) -> Result<Recipe, Failure> {
    if text.len() > MOST_BYTES {
        return Err(Failure::invalid(format!(
            "the recipe has {} bytes; at most {MOST_BYTES} are read",
            text.len()
        )));
    }
    let recipe: Recipe =
        serde_saphyr::from_str(text).map_err(|error| Failure::invalid(explained(&error)))?;
    check(&recipe)?;
    Ok(recipe)
}

/// The parser's words, and a suggestion for an unknown key.
fn explained(error: &serde_saphyr::Error) -> String {
    let words = error.without_snippet().to_string();
    let mut out = format!("the recipe: {words}");
    let unknown = words
        .split_once("unknown field `")
        .and_then(|(_, rest)| rest.split_once("`, expected "));
    if let Some((unknown, expected)) = unknown {
        let end = expected.find(" at line").unwrap_or(expected.len());
        let known = expected[..end].trim_start_matches("one of ");
        let known = known.split([',', ' ', '`']).filter(|word| !word.is_empty());
        out += &did_you_mean(unknown, known);
    }
    out
}

/// "; did you mean "x"?", or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    // The distance takes time and memory by the product of the lengths.
    if word.len() > MOST_IN_NAME {
        return String::new();
    }
    let most = word.chars().count().div_ceil(3).max(1);
    known
        .filter(|name| name.len() <= MOST_IN_NAME)
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| format!("; did you mean \"{name}\"?"))
        .unwrap_or_default()
}

fn wrong(place: &str, what: impl fmt::Display) -> Failure {
    Failure::invalid(format!("the recipe: {place}: {what}"))
}

/// What types cannot say.
fn check(recipe: &Recipe) -> Result<(), Failure> {
    if recipe.edges.is_empty() {
        return Err(wrong("edges", "there are none"));
    }
    for (name, node) in &recipe.nodes {
        let place = format!("nodes.{name}");
        if node.text.is_some() && node.table.is_some() {
            return Err(wrong(&place, "it has both `text` and `table`"));
        }
        if node.count.is_some_and(|count| count < 0) {
            return Err(wrong(&place, "`count` is negative"));
        }
        for (set, ids) in &node.sets {
            check_array(&format!("{place}.sets.{set}"), ids)?;
        }
        if let Some(table) = &node.table {
            let plain = table.delimiter.is_none() && table.header == Header::Detect;
            check_table(&place, table.format, plain)?;
        }
        check_columns(&place, &node.columns)?;
    }
    for (name, edge) in &recipe.edges {
        let place = format!("edges.{name}");
        let sources = [
            !edge.arrays.is_empty(),
            !edge.parts.is_empty(),
            edge.text.is_some(),
            edge.table.is_some(),
            edge.csc.is_some() || edge.csr.is_some(),
        ];
        if sources.iter().filter(|&&given| given).count() != 1 {
            let what = "it needs one of `arrays`, `parts`, `text`, `table`, and `csc` or `csr`";
            return Err(wrong(&place, what));
        }
        let of_parts = edge
            .parts
            .iter()
            .flat_map(|part| part.arrays.iter().chain(&part.ids));
        let of_topologies = edge.csc.iter().chain(&edge.csr).flat_map(|topology| {
            [&topology.indptr, &topology.indices]
                .into_iter()
                .chain(&topology.edge_ids)
        });
        for array in edge.arrays.iter().chain(of_parts).chain(of_topologies) {
            check_array(&place, array)?;
        }
        if edge
            .parts
            .iter()
            .any(|part| part.first != 0 && part.ids.is_none())
        {
            return Err(wrong(&place, "`first` belongs to `ids`"));
        }
        if let Some(table) = &edge.table {
            let plain = table.delimiter.is_none() && table.header == Header::Detect;
            check_table(&place, table.format, plain)?;
        }
        if edge.undirected && sources[4] {
            return Err(wrong(
                &place,
                "`undirected` has no meaning for a ready topology",
            ));
        }
        check_columns(&place, &edge.columns)?;
        check_ends(recipe, &place, name)?;
    }
    Ok(())
}

/// Keys that have no meaning for the file are errors.
fn check_array(place: &str, array: &ArrayRef) -> Result<(), Failure> {
    if array.dtype.is_none() && (array.shape.is_some() || array.offset.is_some()) {
        return Err(wrong(
            place,
            "`shape` and `offset` belong to `dtype`, of raw numbers",
        ));
    }
    if array.dtype.is_some() && array.array.is_some() {
        return Err(wrong(
            place,
            "raw numbers are one array, so `array` has no meaning",
        ));
    }
    Ok(())
}

fn check_table(place: &str, format: TableFormat, plain: bool) -> Result<(), Failure> {
    if !plain && !matches!(format, TableFormat::Csv | TableFormat::SparkCsv) {
        return Err(wrong(
            place,
            "`delimiter` and `header` belong to the format `csv`",
        ));
    }
    Ok(())
}

fn check_columns(place: &str, columns: &IndexMap<String, Column>) -> Result<(), Failure> {
    for (name, column) in columns {
        let place = format!("{place}.columns.{name}");
        let given = [
            !column.file.is_empty(),
            !column.parts.is_empty(),
            !column.runs.is_empty(),
        ];
        if given.iter().filter(|given| **given).count() != 1 {
            let what = "it needs one of `file`, `parts` and `runs`";
            return Err(wrong(&place, what));
        }
        check_array(&place, &column.values())?;
        for array in column
            .parts
            .iter()
            .flat_map(|part| part.rows.iter().chain([&part.values]))
        {
            check_array(&place, array)?;
        }
        if column.fill.is_some() && column.parts.is_empty() {
            return Err(wrong(&place, "`fill` belongs to `parts`"));
        }
        if column.file.is_empty() && column.values() != ArrayRef::default() {
            let what = "with `parts` and `runs`, the column is described there";
            return Err(wrong(&place, what));
        }
    }
    Ok(())
}

/// A node type that looks like a misspelling of a declared one is an error.
fn check_ends(recipe: &Recipe, place: &str, edge_type: &str) -> Result<(), Failure> {
    let [source, _, target] = edge_type.split("__").collect::<Vec<_>>()[..] else {
        return Err(wrong(
            place,
            "the name is not of the form source__relation__target",
        ));
    };
    for end in [source, target] {
        if recipe.nodes.contains_key(end) {
            continue;
        }
        let meant = did_you_mean(end, recipe.nodes.keys().map(String::as_str));
        if !meant.is_empty() {
            return Err(wrong(
                place,
                format!(
                    "it names the node type \"{end}\"{meant} If not, add \"{end}\": {{}} to `nodes`"
                ),
            ));
        }
    }
    Ok(())
}

/// Types for which the name of a file stands.
pub trait OfFile {
    fn of_file(file: String) -> Self;
    /// The only file, if there is one.
    fn file(&self) -> Option<&str>;
}

impl OfFile for ArrayRef {
    fn of_file(file: String) -> Self {
        ArrayRef::of_file(file)
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }
}

impl OfFile for Column {
    fn of_file(file: String) -> Self {
        Column::of(ArrayRef::of_file(file), Role::Feature)
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
            .filter(|file| !file.is_empty())
            .map(String::as_str)
    }
}

impl OfFile for Text {
    fn of_file(file: String) -> Self {
        Text {
            file,
            ..Default::default()
        }
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }
}

impl OfFile for TextEnds {
    fn of_file(file: String) -> Self {
        TextEnds {
            file,
            ..Default::default()
        }
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }
}

impl OfFile for NodeTable {
    fn of_file(file: String) -> Self {
        NodeTable {
            files: vec![file],
            ..Default::default()
        }
    }

    fn file(&self) -> Option<&str> {
        match self.files.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

struct FileOrVisitor<T>(PhantomData<T>);

impl<'de, T: OfFile + Deserialize<'de>> Visitor<'de> for FileOrVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a file, or an object")
    }

    fn visit_str<E: de::Error>(self, file: &str) -> Result<T, E> {
        Ok(T::of_file(file.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// A value for which the name of a file may stand.
struct OrFile<T>(T);

impl<'de, T: OfFile + Deserialize<'de>> Deserialize<'de> for OrFile<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(FileOrVisitor(PhantomData)).map(OrFile)
    }
}

pub fn file_or_required<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: OfFile + Deserialize<'de>,
{
    OrFile::deserialize(from).map(|value: OrFile<T>| value.0)
}

pub fn file_or<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: OfFile + Deserialize<'de>,
{
    file_or_required(from).map(Some)
}

fn by_name<'de, D, T>(from: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: OfFile + Deserialize<'de>,
{
    let read: IndexMap<String, OrFile<T>> = IndexMap::deserialize(from)?;
    Ok(read
        .into_iter()
        .map(|(name, value)| (name, value.0))
        .collect())
}

pub fn columns<'de, D: Deserializer<'de>>(from: D) -> Result<IndexMap<String, Column>, D::Error> {
    by_name(from)
}

pub fn arrays<'de, D: Deserializer<'de>>(from: D) -> Result<IndexMap<String, ArrayRef>, D::Error> {
    by_name(from)
}

struct OneOrMoreVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMoreVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a file, or a list")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<T>, E> {
        Ok(vec![T::deserialize(de::value::StrDeserializer::new(text))?])
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        Ok(vec![T::deserialize(MapAccessDeserializer::new(map))?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

pub fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let read: Vec<String> = from.deserialize_any(OneOrMoreVisitor(PhantomData))?;
    if read.is_empty() {
        return Err(de::Error::custom("the list of files is empty"));
    }
    Ok(read)
}

pub fn one_or_two_arrays<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ArrayRef>, D::Error> {
    let read: Vec<OrFile<ArrayRef>> = from.deserialize_any(OneOrMoreVisitor(PhantomData))?;
    if read.is_empty() || read.len() > 2 {
        return Err(de::Error::custom(
            "expected one array, or two: sources and targets",
        ));
    }
    Ok(read.into_iter().map(|array| array.0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "
folder: data
nodes:
  paper:
    count: 1000
    columns:
      x: x.npy
      y: {file: y.npz, array: labels, role: label}
    sets: {train: train.npy}
  author:
    ids: string
    table: {files: authors/*.parquet, key: name}
edges:
  author__writes__paper:
    text:
      file: writes.csv.gz
      source: author
      target: paper
      columns: [{field: share, name: w, dtype: float32, role: weight}]
  paper__cites__paper: {arrays: cites.npy, undirected: true}
  paper__near__paper:
    csc: {indptr: indptr.npy, indices: indices.npy, edge_ids: ids.npy}
    columns: {distance: distance.npy}
";

    #[test]
    fn what_is_written_is_read_again() {
        let recipe = read(GOOD).unwrap();
        assert_eq!(recipe.nodes.len(), 2);
        assert_eq!(recipe.nodes["paper"].columns["x"].file, "x.npy");
        assert_eq!(
            recipe.edges["paper__cites__paper"].arrays[0].file,
            "cites.npy"
        );
        let written = super::super::write(&recipe).unwrap();
        let again = read(&written).unwrap();
        assert_eq!(again, recipe, "{written}");
        // The order of types is part of what a seed gives.
        assert!(again.nodes.keys().eq(recipe.nodes.keys()), "{written}");
        assert!(again.edges.keys().eq([
            "author__writes__paper",
            "paper__cites__paper",
            "paper__near__paper"
        ]));
    }

    #[test]
    fn json_is_yaml() {
        let recipe = r#"{"edges": {"a__to__a": {"arrays": ["s.npy", {"file": "t.npy"}]}}}"#;
        assert_eq!(read(recipe).unwrap().edges["a__to__a"].arrays.len(), 2);
    }

    #[test]
    fn faults_name_their_place_and_suggest() {
        for (from, to, expected) in [
            (
                "columns:\n      x",
                "columnz:\n      x",
                "did you mean \"columns\"?",
            ),
            ("role: label", "role: labelz", "labelz"),
            ("count: 1000", "count: many", "line 5"),
            ("count: 1000", "count: -1", "negative"),
            (
                "undirected: true",
                "undirected: true, arrays: x.npy",
                "duplicate",
            ),
            (
                "author__writes__paper",
                "autor__writes__paper",
                "did you mean \"author\"?",
            ),
            ("paper__cites__paper", "cites", "source__relation__target"),
            ("arrays: cites.npy,", "", "it needs one of"),
            ("x: x.npy", "x: [x.npy]", "name of a file"),
            ("x: x.npy", "x: {file: x, shape: [3]}", "belong to `dtype`"),
            (
                "x: x.npy",
                "x: {parts: [{values: {file: x, offset: 3}}]}",
                "belong to `dtype`",
            ),
            (
                "indices: indices.npy",
                "indices: {file: i, dtype: int64, array: a}",
                "`array` has no meaning",
            ),
            (
                "key: name",
                "key: name, delimiter: \";\"",
                "belong to the format",
            ),
            ("file: y.npz, ", "", "it needs one of `file`"),
            ("indptr: indptr.npy, ", "", "indptr"),
            ("folder: data", "folder: {a: 1", ""),
        ] {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD);
            let message = read(&text).unwrap_err().message;
            assert!(message.contains(expected), "{to}: {message}");
        }
        assert!(read("").is_err() && read("[]").is_err() && read("edges: {}").is_err());
    }

    #[test]
    fn bombs_end_early() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for i in 1..12 {
            let previous = format!("*a{}", i - 1);
            text += &format!("a{i}: &a{i} [{}]\n", vec![previous; 10].join(", "));
        }
        assert!(read(&text).is_err());
        assert!(read(&"[".repeat(1 << 20)).is_err());
    }
}
