//! DGL: a file of `dgl.save_graphs`, the description of a partition, or the description of DGL's
//! chunked graphs. What a file is shows in its first bytes and keys.

mod chunked;
mod chunks;
mod names;
mod partition;
mod roles;
mod saved;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

use super::choices::Choices;
use super::paths::text_of;
use crate::arrays::dgl::begins_with;
use crate::arrays::dgl_graphs::GRAPHS_MAGIC;
use crate::arrays::Bytes;
use crate::failure::Failure;
use crate::recipe::Recipe;
use crate::tables::dgl::book::Book;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    if path.is_dir() {
        let what = "this is a folder; name the description in it: <graph>.json or metadata.json";
        return Err(Failure::invalid(format!("{}: {what}", path.display())));
    }
    let bytes = Bytes::map(path)?;
    let recipe = if begins_with(&bytes, GRAPHS_MAGIC) {
        saved::describe(path, &bytes, choices)?
    } else {
        let start = bytes
            .as_slice()
            .iter()
            .find(|byte| !byte.is_ascii_whitespace());
        if start != Some(&b'{') {
            let what = "this is no file of dgl.save_graphs, and no description in JSON";
            return Err(Failure::of_file(path, what));
        }
        let json: Value =
            serde_json::from_str(&text_of(path)?).map_err(|error| Failure::of_file(path, error))?;
        if Book::is_one(&json) {
            partition::describe(path, &json, choices)?
        } else if chunked::is_one(&json) {
            chunked::describe(path, &json)?
        } else {
            let what = "the description has neither \"num_parts\" and \"node_map\" of a partition \
                        nor \"node_type\" and \"edges\" of a chunked graph";
            return Err(Failure::of_file(path, what));
        }
    };
    if recipe.edges.is_empty() {
        return Err(Failure::unsupported(path, "the graph has no type of edges"));
    }
    Ok(recipe)
}

/// The folder of a file as a recipe names it, and the file's name.
fn folder_and_name(path: &Path) -> Result<(String, String), Failure> {
    let folder = match path.parent().and_then(Path::to_str) {
        Some("") => Some("."),
        other => other,
    };
    let name = path.file_name().and_then(|name| name.to_str());
    match (folder, name) {
        (Some(folder), Some(name)) => Ok((folder.to_owned(), name.to_owned())),
        _ => Err(Failure::invalid(format!("{} is not UTF-8", path.display()))),
    }
}
