//! The Social Network Benchmark's folders: one for each type, in CSV. Foreign keys of nodes,
//! where they are merged into the nodes' files, become edges.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::foreign::paths::{first_line, inside};
use crate::recipe::*;

const KEY: &str = "id";
const CREATED: &str = "creationDate";
const DELIMITER: &str = "|";

/// The types of the benchmark, and the folder that each is in.
const NODES: &[(&str, &str)] = &[
    ("static", "Place"),
    ("static", "Organisation"),
    ("static", "TagClass"),
    ("static", "Tag"),
    ("dynamic", "Person"),
    ("dynamic", "Forum"),
    ("dynamic", "Post"),
    ("dynamic", "Comment"),
];

/// Kinds of places and organisations that names of edges tell.
const KINDS: &[(&str, &str)] = &[
    ("City", "Place"),
    ("Country", "Place"),
    ("University", "Organisation"),
    ("Company", "Organisation"),
];

/// Columns of nodes that name another node: the relation, and the other node's type.
const FOREIGN_KEYS: &[(&str, &str, &str)] = &[
    ("LocationPlaceId", "isLocatedIn", "Place"),
    ("LocationCityId", "isLocatedIn", "Place"),
    ("LocationCountryId", "isLocatedIn", "Place"),
    ("PartOfPlaceId", "isPartOf", "Place"),
    ("TypeTagClassId", "hasType", "TagClass"),
    ("SubclassOfTagClassId", "isSubclassOf", "TagClass"),
    ("CreatorPersonId", "hasCreator", "Person"),
    ("ModeratorPersonId", "hasModerator", "Person"),
    ("ContainerForumId", "containerOf", "Forum"),
    ("ParentPostId", "replyOf", "Post"),
    ("ParentCommentId", "replyOf", "Comment"),
];
/// Its edges lead from the other node.
const FROM_OTHER: &str = "containerOf";
const FRIENDS: &str = "Person__knows__Person";
const NUMBERS: [&str; 3] = ["length", "classYear", "workFrom"];

/// Where a dataset's folder has "static" and "dynamic".
pub fn snapshot_of(path: &Path) -> Option<PathBuf> {
    let of_bi = "graphs/csv/bi/composite-merged-fk/initial_snapshot";
    ["", "initial_snapshot", of_bi]
        .iter()
        .map(|inner| {
            if inner.is_empty() {
                path.to_owned()
            } else {
                path.join(inner)
            }
        })
        .find(|folder| folder.join("static").is_dir() && folder.join("dynamic").is_dir())
}

/// The files of a type, and their fields.
struct Part {
    folder: String,
    fields: Vec<String>,
}

impl Part {
    fn columns(&self, notes: &mut Vec<String>) -> Vec<TableColumn> {
        let mut out = Vec::new();
        for field in &self.fields {
            let role = match &field[..] {
                CREATED => Role::Time,
                name if NUMBERS.contains(&name) => Role::Other,
                name if name.ends_with("Id") || name == KEY => continue,
                _ => {
                    notes.push(format!("\"{field}\" of {} is left out.", self.folder));
                    continue;
                }
            };
            out.push(TableColumn {
                field: field.clone(),
                role,
                ..Default::default()
            });
        }
        out
    }
}

/// `undirected`: friends are stored in both directions.
pub fn describe(snapshot: &Path, undirected: bool) -> Result<Recipe, Failure> {
    let mut recipe = Recipe {
        folder: Some(snapshot.to_string_lossy().into_owned()),
        ..Default::default()
    };
    let mut parts = Vec::new();
    for (folder, name) in NODES {
        let Some(part) = part_of(snapshot, &format!("{folder}/{name}"))? else {
            continue;
        };
        let columns = part.columns(&mut recipe.notes);
        let table = NodeTable {
            files: vec![part.folder.clone()],
            format: TableFormat::SparkCsv,
            delimiter: Some(DELIMITER.to_owned()),
            key: Some(KEY.to_owned()),
            columns: Some(columns),
            ..Default::default()
        };
        let node = NodeType {
            ids: Some(Ids::Integer),
            table: Some(table),
            ..Default::default()
        };
        recipe.nodes.insert((*name).to_owned(), node);
        parts.push((*name, part));
    }
    for (name, part) in &parts {
        add_foreign_keys(name, part, &mut recipe);
    }
    for folder in ["static", "dynamic"] {
        add_edges(snapshot, folder, &mut recipe)?;
    }
    if let Some(friends) = recipe.edges.get_mut(FRIENDS) {
        friends.undirected = undirected;
        if !undirected {
            let note = "The generator writes each pair of friends once; undirected=true adds the other direction.";
            recipe.notes.push(note.to_owned());
        }
    }
    if recipe.edges.is_empty() {
        return Err(Failure::unsupported(snapshot, "there are no edges"));
    }
    Ok(recipe)
}

/// None: there is no such folder. Its first file shows the fields.
fn part_of(snapshot: &Path, folder: &str) -> Result<Option<Part>, Failure> {
    let folder = inside(snapshot, folder)?;
    let path = snapshot.join(&folder);
    if !path.is_dir() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| Failure::io(&path, &error);
    let (mut csv, mut parquet) = (Vec::new(), false);
    for entry in std::fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        let name = entry.to_string_lossy();
        parquet |= name.ends_with(".parquet");
        if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            csv.push(entry);
        }
    }
    csv.sort();
    match csv.first() {
        Some(first) => {
            let line = first_line(first)?;
            let fields = line.split(DELIMITER).map(|field| field.trim().to_owned());
            Ok(Some(Part {
                folder,
                fields: fields.collect(),
            }))
        }
        None if parquet => {
            let what = "Parquet of LDBC is not read; generate CSV";
            Err(Failure::unsupported(&path, what))
        }
        None => Ok(None),
    }
}

fn edge_of(part: &Part, source: &str, target: &str, columns: Vec<TableColumn>) -> EdgeType {
    EdgeType {
        table: Some(EdgeTable {
            files: vec![part.folder.clone()],
            format: TableFormat::SparkCsv,
            delimiter: Some(DELIMITER.to_owned()),
            source: source.to_owned(),
            target: target.to_owned(),
            columns: Some(columns),
            skip_nulls: true,
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn add_foreign_keys(name: &str, part: &Part, recipe: &mut Recipe) {
    for field in &part.fields {
        let known = FOREIGN_KEYS.iter().find(|(column, ..)| column == field);
        let Some((column, relation, other)) = known else {
            continue;
        };
        if !recipe.nodes.contains_key(*other) {
            recipe.notes.push(format!(
                "\"{field}\" of {name} is left out: there is no {other}."
            ));
            continue;
        }
        let (key, edge) = if *relation == FROM_OTHER {
            let key = format!("{other}__{relation}__{name}");
            (key, edge_of(part, column, KEY, Vec::new()))
        } else {
            let key = format!("{name}__{relation}__{other}");
            (key, edge_of(part, KEY, column, Vec::new()))
        };
        recipe.edges.insert(key, edge);
    }
}

/// Folders such as "Person_knows_Person".
fn add_edges(snapshot: &Path, inner: &str, recipe: &mut Recipe) -> Result<(), Failure> {
    let folder = snapshot.join(inner);
    let failed = |error: std::io::Error| Failure::io(&folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    for name in names {
        let parts: Vec<_> = name.split('_').collect();
        let [source, relation, target] = parts[..] else {
            continue;
        };
        let type_of = |end: &str| {
            let kind = KINDS.iter().find(|(kind, _)| *kind == end);
            let name = kind.map_or(end, |(_, name)| name).to_owned();
            recipe.nodes.contains_key(&name).then_some(name)
        };
        let ends = type_of(source).zip(type_of(target));
        let part = part_of(snapshot, &format!("{inner}/{name}"))?;
        let (Some((from, to)), Some(part)) = (ends, part) else {
            recipe.notes.push(format!("{inner}/{name} is left out."));
            continue;
        };
        let (one, two) = if source == target {
            ("1", "2")
        } else {
            ("", "")
        };
        let fields = [format!("{source}{one}Id"), format!("{target}{two}Id")];
        if let Some(missing) = fields.iter().find(|field| !part.fields.contains(field)) {
            let what = format!("there is no field \"{missing}\"");
            return Err(Failure::of_file(&snapshot.join(&part.folder), what));
        }
        let columns = part.columns(&mut recipe.notes);
        let edge = edge_of(&part, &fields[0], &fields[1], columns);
        recipe
            .edges
            .insert(format!("{from}__{relation}__{to}"), edge);
    }
    Ok(())
}
