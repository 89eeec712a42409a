//! A graph of Graphalytics: NAME.properties, a file of vertices and a file of edges.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::foreign::names::{plain, role_of_name};
use crate::foreign::paths::{inside, text_of};
use crate::recipe::*;

const ENDING: &str = "properties";

/// The file itself, or the only one of a folder.
pub fn properties_of(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let fits = |path: &Path| path.extension().is_some_and(|ending| ending == ENDING);
    if !path.is_dir() {
        return Ok(fits(path).then(|| path.to_owned()));
    }
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let mut found = None;
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        if fits(&entry) && found.replace(entry).is_some() {
            let what = "there are several \".properties\" files; name one";
            return Err(Failure::unsupported(path, what));
        }
    }
    Ok(found)
}

pub fn describe(at: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let graph = choices.take("graph");
    let text = text_of(at)?;
    let mut all: HashMap<&str, HashMap<&str, &str>> = HashMap::new();
    for line in text.lines().map(str::trim) {
        let pair = line
            .split_once(['=', ':'])
            .filter(|_| !line.starts_with(['#', '!']));
        let Some((key, value)) = pair else {
            continue;
        };
        // graph.NAME.edge-file
        let name = key
            .trim()
            .strip_prefix("graph.")
            .and_then(|rest| rest.split_once('.'));
        if let Some((name, key)) = name {
            all.entry(name).or_default().insert(key, value.trim());
        }
    }
    let named = match &graph {
        Some(graph) => all.get(&graph[..]),
        None if all.len() == 1 => all.values().next(),
        None => None,
    };
    let Some(values) = named else {
        let mut names: Vec<_> = all.keys().copied().collect();
        names.sort_unstable();
        let what = format!("choose graph=... of {}", names.join(", "));
        return Err(Failure::unsupported(at, what));
    };
    let value = |key: &str| values.get(key).copied();
    let file = |key: &str| {
        let name = value(key).ok_or_else(|| Failure::of_file(at, format!("there is no {key}")))?;
        inside(at, name)
    };
    let folder = at.parent().unwrap_or(Path::new("")).to_string_lossy();
    let mut recipe = Recipe {
        folder: Some(if folder.is_empty() {
            ".".to_owned()
        } else {
            folder.into_owned()
        }),
        ..Default::default()
    };
    let vertices = Text {
        file: file("vertex-file")?,
        header: Header::No,
        ..Default::default()
    };
    let node = NodeType {
        ids: Some(Ids::Integer),
        text: Some(vertices),
        ..Default::default()
    };
    recipe.nodes.insert("node".to_owned(), node);
    let list = |key: &str| -> Vec<&str> {
        let names = value(key).unwrap_or("").split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).collect()
    };
    let (names, types) = (list("edge-properties.names"), list("edge-properties.types"));
    let mut columns = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let real = types.get(i).is_none_or(|kind| !kind.starts_with("int"));
        let plain = plain(name, &mut recipe.notes);
        columns.push(TextColumn {
            field: format!("#{}", i + 2),
            role: role_of_name(&plain, true),
            name: Some(plain),
            dtype: if real { "float64" } else { "int64" }.to_owned(),
        });
    }
    let edge = EdgeType {
        text: Some(TextEnds {
            file: file("edge-file")?,
            source: Some("#0".to_owned()),
            target: Some("#1".to_owned()),
            header: Header::No,
            columns,
            ..Default::default()
        }),
        undirected: value("directed") == Some("false"),
        ..Default::default()
    };
    recipe.edges.insert("node__to__node".to_owned(), edge);
    Ok(recipe)
}
