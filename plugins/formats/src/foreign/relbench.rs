//! RelBench: a folder with a Parquet file for each table, and which fields are keys and times: in
//! `manifest.yaml`, or in the files themselves.

use std::path::Path;

use arrow_schema::DataType;
use indexmap::IndexMap;
use serde::Deserialize;

use super::choices::Choices;
use super::names::{edge_type, note, plain};
use super::paths::{inside, text_of};
use crate::failure::Failure;
use crate::recipe::{EdgeTable, EdgeType, NodeTable, NodeType, Recipe, Role, TableColumn};
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
    let table = Table {
        file,
        node,
        spec,
        parquet,
    };
    tables.insert(name, table);
    Ok(())
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

/// Row i is node i: RelBench numbers primary keys so.
fn add_nodes(path: &Path, table: &Table, recipe: &mut Recipe) -> Result<(), Failure> {
    let at = path.join(&table.file);
    let schema = table.parquet.schema();
    let keys = table.spec.fkeys.iter().flatten().map(|(key, _)| key);
    let keys: Vec<&String> = keys.chain(&table.spec.pkey).collect();
    for named in keys.iter().copied().chain(&table.spec.time_col) {
        if schema.field_with_name(named).is_err() {
            return Err(Failure::of_file(
                &at,
                format!("there is no field {named:?}"),
            ));
        }
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
        count: Some(table.parquet.num_rows()),
        ..Default::default()
    };
    if !columns.is_empty() {
        node.table = Some(NodeTable {
            files: vec![table.file.clone()],
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
            source: ROW.to_owned(),
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
    use super::super::drain::{damage, golden, import};

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
