//! RelBench: a folder with a Parquet file for each table, and which fields are keys and times: in
//! `manifest.yaml`, or in the files themselves.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::Array as _;
use arrow_schema::DataType;
use indexmap::IndexMap;
use serde::Deserialize;

use super::choices::Choices;
use super::names::{edge_type, note, plain};
use super::paths::{inside, text_of};
use crate::failure::Failure;
use crate::recipe::{EdgeTable, EdgeType, Ids, NodeTable, NodeType, Recipe, Role, TableColumn};
use crate::tables;
use crate::tables::ends::ROW;
use crate::tables::parquet_files::ParquetFile;

const MANIFEST: &str = "manifest.yaml";
const TABLES: &str = "db";
const ENDING: &str = ".parquet";
/// After the name of a column: whether its row had a value.
const MASK: &str = "_mask";

#[derive(Deserialize)]
struct Manifest {
    tables: IndexMap<String, Spec>,
    #[serde(default)]
    val_timestamp: Option<String>,
    #[serde(default)]
    test_timestamp: Option<String>,
}

/// What a table's fields are for.
#[derive(Default, Deserialize)]
struct Spec {
    #[serde(default)]
    pkey: Option<String>,
    #[serde(default)]
    time_col: Option<String>,
    /// The table of each foreign key.
    #[serde(default)]
    fkeys: Option<IndexMap<String, String>>,
}

struct Table {
    /// Relative to the dataset's folder.
    file: String,
    node: String,
    spec: Spec,
    parquet: ParquetFile,
    /// The primary key, where it is not 0, 1, 2, ...
    key: Option<String>,
}

pub fn describe(path: &Path, _: &mut Choices) -> Result<Recipe, Failure> {
    let mut recipe = Recipe {
        folder: path.to_str().map(str::to_owned),
        ..Default::default()
    };
    let tables = if path.join(MANIFEST).exists() {
        of_manifest(path, &mut recipe)?
    } else {
        of_files(path, &mut recipe)?
    };
    for table in tables.values() {
        add_nodes(path, table, &mut recipe)?;
    }
    for table in tables.values() {
        for (key, parent) in table.spec.fkeys.iter().flatten() {
            let Some(parent) = tables.get(parent) else {
                let what = format!("the foreign key {key:?} is of the table {parent:?}");
                return Err(Failure::of_file(
                    &path.join(&table.file),
                    format!("{what}, which is not there"),
                ));
            };
            if parent.spec.pkey.is_none() {
                let what = format!("the foreign key {key:?} is of a table without a primary key");
                return Err(Failure::of_file(&path.join(&table.file), what));
            }
            add_edges(path, table, key, parent, &mut recipe)?;
        }
    }
    if recipe.edges.is_empty() {
        return Err(Failure::unsupported(path, "no table has a foreign key"));
    }
    Ok(recipe)
}

type Tables = IndexMap<String, Table>;

fn of_manifest(path: &Path, recipe: &mut Recipe) -> Result<Tables, Failure> {
    let at = path.join(MANIFEST);
    let manifest: Manifest = serde_saphyr::from_str(&text_of(&at)?)
        .map_err(|error| Failure::of_file(&at, error.without_snippet()))?;
    for (what, time) in [
        ("Validation", manifest.val_timestamp),
        ("Test", manifest.test_timestamp),
    ] {
        if let Some(time) = time {
            let words = format!("{what} begins at {time}; all rows are in the dataset.");
            note(&mut recipe.notes, words);
        }
    }
    if path.join("tasks").is_dir() {
        note(
            &mut recipe.notes,
            "The folder \"tasks\" is not read.".into(),
        );
    }
    let mut tables = Tables::new();
    for (name, spec) in manifest.tables {
        let file = inside(&at, &format!("{TABLES}/{name}{ENDING}"))?;
        let parquet = ParquetFile::open(&path.join(&file))?;
        add_table(&mut tables, name, file, spec, parquet, path, recipe)?;
    }
    Ok(tables)
}

/// Tables that say themselves what their fields are for, as the versions before 3 wrote them.
fn of_files(path: &Path, recipe: &mut Recipe) -> Result<Tables, Failure> {
    let inner = path.join(TABLES);
    let (folder, prefix) = if inner.is_dir() {
        (inner, format!("{TABLES}/"))
    } else {
        (path.to_owned(), String::new())
    };
    let failed = |error: std::io::Error| Failure::io(&folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(ENDING));
        names.extend(name.map(str::to_owned));
    }
    names.sort();
    let mut tables = Tables::new();
    for name in names {
        let file = format!("{prefix}{name}{ENDING}");
        let at = path.join(&file);
        let parquet = ParquetFile::open(&at)?;
        let schema = parquet.schema();
        let said = |key: &str| schema.metadata().get(key).map_or("null", String::as_str);
        let wrong = |error: serde_json::Error| Failure::of_file(&at, error);
        if !schema.metadata().contains_key("fkey_col_to_pkey_table") {
            let what = "the file does not say which fields are keys, and there is no manifest.yaml";
            return Err(Failure::of_file(&at, what));
        }
        let spec = Spec {
            pkey: serde_json::from_str(said("pkey_col")).map_err(wrong)?,
            time_col: serde_json::from_str(said("time_col")).map_err(wrong)?,
            fkeys: serde_json::from_str(said("fkey_col_to_pkey_table")).map_err(wrong)?,
        };
        add_table(&mut tables, name, file, spec, parquet, path, recipe)?;
    }
    Ok(tables)
}

fn add_table(
    tables: &mut Tables,
    name: String,
    file: String,
    spec: Spec,
    parquet: ParquetFile,
    path: &Path,
    recipe: &mut Recipe,
) -> Result<(), Failure> {
    let node = plain(&name, &mut recipe.notes);
    if tables.values().any(|table| table.node == node) {
        let what = format!("two tables are called \"{node}\"");
        return Err(Failure::of_file(&path.join(file), what));
    }
    let at = path.join(&file);
    let mut key = None;
    if let Some(named) = &spec.pkey {
        check_field(&at, &parquet, named)?;
        if !counts_rows(&at, named)? {
            let words = format!(
                "{named:?} of the table \"{node}\" is not 0, 1, 2, ...: it is kept as keys."
            );
            note(&mut recipe.notes, words);
            key = Some(named.clone());
        }
    }
    let table = Table {
        file,
        node,
        spec,
        parquet,
        key,
    };
    tables.insert(name, table);
    Ok(())
}

fn check_field(at: &Path, parquet: &ParquetFile, name: &str) -> Result<(), Failure> {
    match parquet.schema().field_with_name(name) {
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::of_file(at, format!("there is no field {name:?}"))),
    }
}

/// Whether a field of integers is the number of each row, from 0.
fn counts_rows(at: &Path, field: &str) -> Result<bool, Failure> {
    let path = at.to_str();
    let path = path.ok_or_else(|| Failure::of_file(at, "its name is not UTF-8"))?;
    let mut next = 0_i64;
    for batch in tables::open(&[path.to_owned()], &[field.to_owned()], 1)?.results() {
        let batch = batch?;
        let column = batch.column(0);
        if column.null_count() > 0 {
            return Err(Failure::of_file(at, format!("{field:?} has nulls")));
        }
        let numbers: Box<dyn Iterator<Item = Option<i64>> + '_> = match column.data_type() {
            DataType::Int64 => of(column.as_primitive::<Int64Type>().values()),
            DataType::Int32 => of(column.as_primitive::<Int32Type>().values()),
            DataType::Int16 => of(column.as_primitive::<Int16Type>().values()),
            DataType::Int8 => of(column.as_primitive::<Int8Type>().values()),
            DataType::UInt64 => of(column.as_primitive::<UInt64Type>().values()),
            DataType::UInt32 => of(column.as_primitive::<UInt32Type>().values()),
            DataType::UInt16 => of(column.as_primitive::<UInt16Type>().values()),
            DataType::UInt8 => of(column.as_primitive::<UInt8Type>().values()),
            other => {
                let what = format!("the primary key {field:?} has values of {other}, not integers");
                return Err(Failure::unsupported(at, what));
            }
        };
        for number in numbers {
            if number != Some(next) {
                return Ok(false);
            }
            next += 1;
        }
    }
    Ok(true)
}

fn of<T: Copy + TryInto<i64>>(numbers: &[T]) -> Box<dyn Iterator<Item = Option<i64>> + '_> {
    Box::new(numbers.iter().map(|&number| number.try_into().ok()))
}

/// The column of a field, with a mask where it may have nulls; None: GLS cannot have it.
fn column_of(table: &Table, name: &str, recipe: &mut Recipe) -> Option<TableColumn> {
    let schema = table.parquet.schema();
    let dtype = schema.field_with_name(name).ok()?.data_type().clone();
    let numbers = match &dtype {
        DataType::FixedSizeList(item, _) => item.data_type(),
        other => other,
    };
    let is_time = numbers.is_temporal() && !matches!(numbers, DataType::Interval(_));
    if !numbers.is_integer() && !numbers.is_floating() && !is_time && *numbers != DataType::Boolean
    {
        return None;
    }
    let plain = plain(name, &mut recipe.notes);
    let has_nulls = !table.parquet.has_no_null(name);
    Some(TableColumn {
        field: name.to_owned(),
        mask: has_nulls.then(|| format!("{plain}{MASK}")),
        name: (plain != name).then_some(plain),
        dtype: None,
        role: if is_time { Role::Time } else { Role::Feature },
        fill: None,
    })
}

/// Row i is node i, as RelBench numbers primary keys; other keys are kept.
fn add_nodes(path: &Path, table: &Table, recipe: &mut Recipe) -> Result<(), Failure> {
    let at = path.join(&table.file);
    let schema = table.parquet.schema();
    let keys = table.spec.fkeys.iter().flatten().map(|(key, _)| key);
    let keys: Vec<&String> = keys.chain(&table.spec.pkey).collect();
    for named in keys.iter().copied().chain(&table.spec.time_col) {
        check_field(&at, &table.parquet, named)?;
    }
    let mut columns: Vec<TableColumn> = Vec::new();
    for field in schema.fields() {
        if keys.contains(&field.name()) {
            continue;
        }
        match column_of(table, field.name(), recipe) {
            Some(column) => columns.push(column),
            None => note(
                &mut recipe.notes,
                format!(
                    "\"{}\" of the table \"{}\" has values of {}, and is left out.",
                    field.name(),
                    table.node,
                    field.data_type()
                ),
            ),
        }
    }
    let mut node = NodeType {
        count: table.key.is_none().then(|| table.parquet.num_rows()),
        ids: table.key.as_ref().map(|_| Ids::Integer),
        ..Default::default()
    };
    if !columns.is_empty() || table.key.is_some() {
        node.table = Some(NodeTable {
            files: vec![table.file.clone()],
            key: table.key.clone(),
            columns: Some(columns),
            ..Default::default()
        });
    }
    recipe.nodes.insert(table.node.clone(), node);
    Ok(())
}

/// From each row to the row that its foreign key names, with the row's time.
fn add_edges(
    path: &Path,
    table: &Table,
    key: &str,
    parent: &Table,
    recipe: &mut Recipe,
) -> Result<(), Failure> {
    let key_name = plain(key, &mut recipe.notes);
    let name = edge_type([&table.node, &key_name, &parent.node], &mut recipe.notes);
    let time = table.spec.time_col.as_ref();
    let columns = time.and_then(|time| column_of(table, time, recipe));
    let edge = EdgeType {
        table: Some(EdgeTable {
            files: vec![table.file.clone()],
            source: table.key.clone().unwrap_or_else(|| ROW.to_owned()),
            target: key.to_owned(),
            skip_nulls: true,
            columns: Some(columns.into_iter().collect()),
            ..Default::default()
        }),
        ..Default::default()
    };
    if !table.parquet.has_no_null(key) {
        note(
            &mut recipe.notes,
            format!(
                "Rows of \"{}\" without {key:?} have no such edge.",
                table.node
            ),
        );
    }
    if recipe.edges.insert(name.clone(), edge).is_some() {
        let what = format!("two foreign keys become \"{name}\"");
        return Err(Failure::of_file(&path.join(&table.file), what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    use super::super::drain::{damage, golden, import};
    use crate::failure::Failure;
    use crate::recipe::{Ids, Recipe};

    const KEYS: &str = "tables:\n  a: {pkey: id}\n  b: {pkey: key, fkeys: {to: a}}\n";

    fn with_keys(of_a: ArrayRef, of_b: ArrayRef, manifest: &str) -> Result<Recipe, Failure> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("db")).unwrap();
        std::fs::write(folder.path().join("manifest.yaml"), manifest).unwrap();
        let to: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
        for (name, columns) in [
            ("a", vec![("id", of_a)]),
            ("b", vec![("key", of_b), ("to", to)]),
        ] {
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let file = folder.path().join(format!("db/{name}.parquet"));
            let file = std::fs::File::create(file).unwrap();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
        }
        if let Ok(found) = import("relbench", folder.path(), &[]) {
            assert_eq!(found.rows("edges b__to__a"), Some(2));
        }
        crate::foreign::recipe_of("relbench", folder.path(), &[])
    }

    #[test]
    fn keys_that_do_not_count_rows_are_kept() {
        let counted = || -> ArrayRef { Arc::new(Int32Array::from(vec![0, 1])) };
        let others = || -> ArrayRef { Arc::new(Int64Array::from(vec![1, 0])) };
        let recipe = with_keys(counted(), counted(), KEYS).unwrap();
        assert_eq!(
            (recipe.nodes["a"].count, recipe.nodes["a"].ids),
            (Some(2), None)
        );
        assert_eq!(
            recipe.edges["b__to__a"].table.as_ref().unwrap().source,
            "#row"
        );
        let recipe = with_keys(others(), others(), KEYS).unwrap();
        for (name, key) in [("a", "id"), ("b", "key")] {
            let node = &recipe.nodes[name];
            assert_eq!((node.count, node.ids), (None, Some(Ids::Integer)));
            assert_eq!(node.table.as_ref().unwrap().key.as_deref(), Some(key));
        }
        let edge = recipe.edges["b__to__a"].table.as_ref().unwrap();
        assert_eq!((&edge.source[..], &edge.target[..]), ("key", "to"));
        assert!(
            recipe.notes[0].contains("is kept as keys"),
            "{:?}",
            recipe.notes
        );
        let text: ArrayRef = Arc::new(StringArray::from(vec!["0", "1"]));
        let nulls: ArrayRef = Arc::new(Int64Array::from(vec![Some(0), None]));
        for (keys, expected) in [(text, "not integers"), (nulls, "has nulls")] {
            let message = with_keys(keys, counted(), KEYS).unwrap_err().message;
            assert!(message.contains(expected), "{message}");
        }
        let message = with_keys(counted(), counted(), &KEYS.replace("pkey: id", "")).unwrap_err();
        assert!(
            message.message.contains("without a primary key"),
            "{}",
            message.message
        );
    }

    #[test]
    fn golden_folders_are_read() {
        for name in ["relbench-manifest", "relbench-files"] {
            let found = import("relbench", &golden(name), &[]).unwrap();
            for (what, rows) in [
                ("nodes races", 12),
                ("table races", 12),
                ("edges results__driver__drivers", 33),
                ("edges results__race__races", 40),
            ] {
                assert_eq!(found.rows(what), Some(rows), "{name}: {what}");
            }
        }
    }

    #[test]
    fn damaged_files_are_no_panic() {
        damage(
            "relbench",
            "relbench-manifest",
            &[],
            "manifest.yaml",
            3,
            150,
        );
        damage(
            "relbench",
            "relbench-manifest",
            &[],
            "db/results.parquet",
            97,
            100,
        );
        damage("relbench", "relbench-files", &[], "races.parquet", 97, 100);
    }
}
