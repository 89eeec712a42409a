//! Graphs of PyTorch Geometric: a `Data` or `HeteroData` in a file of torch, the file of an
//! `InMemoryDataset`, and the partitions of `torch_geometric.distributed`.

mod graph;
mod parts;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::choices::Choices;
use crate::arrays::torch::Loaded;
use crate::failure::Failure;
use crate::recipe::Recipe;
use graph::Maker;

/// Where an `InMemoryDataset` has its file, and files beside it that are no data.
const FOLDERS: [&str; 2] = ["processed", ""];
const NO_DATA: [&str; 2] = ["pre_filter.pt", "pre_transform.pt"];

const NODE: &str = "node";
const RELATION: &str = "to";

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    if path.join(parts::META).is_file() {
        return parts::describe(path, choices);
    }
    let (folder, file) = if path.is_dir() {
        (path.to_owned(), file_of(path, choices)?)
    } else {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| Failure::invalid("the name of the file is not UTF-8"))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        (folder.to_owned(), name.to_owned())
    };
    let loaded = Loaded::open(&folder.join(&file))?;
    let folder = folder
        .to_str()
        .ok_or_else(|| Failure::invalid("the name of the folder is not UTF-8"))?;
    let mut maker = Maker {
        loaded: &loaded,
        file,
        split: split_of(choices)?,
        recipe: Recipe {
            folder: (!folder.is_empty()).then(|| folder.to_owned()),
            ..Default::default()
        },
    };
    maker.graph()?;
    Ok(maker.recipe)
}

/// The dataset's file in its folder.
fn file_of(path: &Path, choices: &mut Choices) -> Result<String, Failure> {
    for folder in FOLDERS {
        let within = path.join(folder);
        if !within.is_dir() {
            continue;
        }
        let failed = |error: std::io::Error| Failure::io(&within, &error);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&within).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_str().unwrap_or("").to_owned();
            if name.ends_with(".pt") && !NO_DATA.contains(&name.as_str()) {
                files.push(name);
            }
        }
        files.sort();
        if let Some(file) = choices.one_of("file", &files)? {
            return Ok(if folder.is_empty() {
                file
            } else {
                format!("{folder}/{file}")
            });
        }
    }
    let what = "there is no file of torch (.pt), nor one in \"processed\"";
    Err(Failure::unsupported(path, what))
}

fn split_of(choices: &mut Choices) -> Result<Option<i64>, Failure> {
    let Some(given) = choices.take("split") else {
        return Ok(None);
    };
    match given.parse() {
        Ok(split) if split >= 0 => Ok(Some(split)),
        _ => Err(Failure::invalid(format!(
            "choices: split={given}: expected the number of a split: 0, 1, ..."
        ))),
    }
}
